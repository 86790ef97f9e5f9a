#!/bin/bash
# lane: works
# Fuzzing on many machines: what sync-hosts takes where, with a shell in the place of ssh; what all-cores starts, and
# how a long run that was broken off goes on, with a stub in the place of afl-fuzz.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
export BUILD
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

# A fuzzer that writes down how it was called, and the figures that it would leave.
mkdir "$dir/bin"
cat >"$dir/bin/afl-fuzz" <<'AFL'
#!/bin/bash
name=default
while [ $# -gt 0 ]; do
    case $1 in
    -M | -S) role=$1 name=$2 ;;
    -o) folder=$2 ;;
    -i) input=$2 ;;
    -V) seconds=$2 ;;
    -p) schedule=$2 ;;
    --) program=$2 ;;
    esac
    shift
done
mkdir -p "$folder/$name/queue" "$folder/$name/crashes" "$folder/$name/hangs"
printf '%s : %s\n' execs_done 100 run_time "$seconds" corpus_count 7 bitmap_cvg 5.00% edges_found 5 total_edges 100 \
    saved_crashes 0 saved_hangs 0 >"$folder/$name/fuzzer_stats"
[ "$input" = - ] && how=resumed || how=begun
echo "${role:-} $name ${schedule:--} $(basename "$program") ${AFL_CUSTOM_MUTATOR_LIBRARY:+mutator} $how $seconds" >>"$AFL_CALLS"
sleep 1.1
AFL
chmod +x "$dir/bin/afl-fuzz"
export AFL_CALLS="$dir/calls"
PATH="$dir/bin:$PATH"

cores() { TIME=5 NAME=me SANITIZED=slow/afl_ fuzz/all-cores headers fast/afl_ "$dir/cores" 4; }
check "all cores are used" cores
check "each by an instance of its own" [ "$(cut -d ' ' -f 2 "$dir/calls" | sort | tr '\n' ' ')" = "me-1 me-2 me-3 me-main " ]
check "one of them the main one" [ "$(grep -c '^-M me-main ' "$dir/calls")" -eq 1 ]
check "one under sanitizers" [ "$(grep -c 'afl_headers' "$dir/calls")" -eq 4 ]
check "their schedules differ" [ "$(grep -v '^-M' "$dir/calls" | cut -d ' ' -f 3 | sort -u | wc -l)" -eq 3 ]
check "one is havoc alone" [ "$(grep -vc mutator "$dir/calls")" -eq 1 ]
none_main() { rm -f "$dir/calls"; ROLE=secondary TIME=5 NAME=you fuzz/all-cores headers fast/afl_ "$dir/cores" 2 && ! grep -q '^-M' "$dir/calls"; }
check "a host beside it has no main one" none_main

BUILD_OF_TOOLS=$BUILD
mkdir -p "$dir/build/fuzz"
for tool in replay make_corpus mutator.so; do
    ln -s "$(cd "$BUILD_OF_TOOLS" && pwd)/fuzz/$tool" "$dir/build/fuzz/$tool"
done
long() { BUILD="$dir/build" SLICE=10 fuzz/long fast/afl_ "$1" 2 headers seal; } # seconds
rm -f "$dir/calls"
check "a long run is made in slices" long 20
check "each goes on where the last one was" [ "$(grep -c ' begun 10' "$dir/calls") $(grep -c ' resumed 10' "$dir/calls")" = "2 2" ]
check "and is written down" [ "$(grep -cE '^(headers|seal): 100 executions, 20 s, .* seed 1, commit ' "$dir/build/fuzz/long/log")" -eq 2 ]
rm -f "$dir/calls"
check "begun again, there is nothing to do" long 20
check "and nothing is done" [ ! -e "$dir/calls" ]
check "with more time it goes on" long 30
broken_off() { # a slice's end did not come
    rm -f "$dir/calls" "$dir/build/fuzz/long/headers.spent"
    long 10 && grep -q ' resumed 10' "$dir/calls"
}
check "for what is left" [ "$(grep -c ' resumed 10' "$dir/calls") $(wc -l <"$dir/calls")" = "2 2" ]
check "a slice that was broken off goes on too" broken_off
echo "1..$number"
