#!/bin/bash
# Fuzzing on many machines: what sync-hosts takes where, with a shell in the place of ssh.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
number=0
check() { # name, command...
    local name=$1
    shift
    number=$((number + 1))
    if "$@" >"$dir/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        tail -n 5 "$dir/log" | sed 's/^/# /'
    fi
}

# The "hosts" are folders here: the host's name is thrown away, the command runs.
cat >"$dir/ssh" <<'SSH'
#!/bin/bash
[ "$1" = gone ] && exit 255
shift
exec bash -c "$*"
SSH
chmod +x "$dir/ssh"
export SSH="$dir/ssh"

instance() { # folder, instance, input
    mkdir -p "$dir/$1/$2/queue" "$dir/$1/$2/crashes"
    echo "run_time : 1" >"$dir/$1/$2/fuzzer_stats"
    echo "$3" >"$dir/$1/$2/queue/id:000000"
    echo secret >"$dir/$1/$2/.cur_input"
}
instance "here it is" h1-main one
instance h2 h2-main two
instance h2 h2-1 three
sync() { fuzz/sync-hosts "$dir/here it is" "b:$dir/h2" "c:$dir/h3"; }

check "hosts are synced" sync
check "what others found is here" [ "$(cat "$dir/here it is/h2-1/queue/id:000000")" = three ]
check "what was found here is there" [ "$(cat "$dir/h2/h1-main/queue/id:000000")" = one ]
check "a host that had nothing has all" [ "$(cd "$dir/h3" && echo ./*/queue/*)" = "./h1-main/queue/id:000000 ./h2-1/queue/id:000000 ./h2-main/queue/id:000000" ]
check "what an instance works at stays with it" [ ! -e "$dir/h3/h2-main/.cur_input" ]
check "whose it is, is marked" [ "$(cat "$dir/h3/h2-main/.from")" = b ]
echo four >"$dir/h2/h2-main/queue/id:000001"
echo changed >"$dir/h3/h2-main/queue/id:000000"
check "and again" sync
check "what is new comes" [ "$(cat "$dir/h3/h2-main/queue/id:000001")" = four ]
check "a copy does not come back" [ "$(cat "$dir/h2/h2-main/queue/id:000000")" = two ]
gone() { ! fuzz/sync-hosts "$dir/here it is" "gone:$dir/x" "b:$dir/h2" >"$dir/said" 2>&1; }
check "a host that is gone is told" gone
check "and stops nobody" grep -q "sync: b: h2-1" "$dir/said"
echo "1..$number"
