#!/bin/bash
# lane: waits
# The whole suite on another process: over raw frames between two network namespaces (IPv4, IPv6), and over UDP on
# loopback (IPv4, IPv6). Cases wait more than they work, so several testers and SUTs share the work (--shard). One case of
# each scenario here; TALON_LIVE=all plays every case (minutes). Nothing may fail; what is inconclusive is counted.
# shellcheck source=tests/run-lib disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
here=talon-la-$$ there=talon-lb-$$
shards=${TALON_SHARDS:-8}
most=2 # inconclusive, percent: a busy machine makes testers late

clean() {
    finish
    ip netns del "$here" 2>/dev/null
    ip netns del "$there" 2>/dev/null
}
trap clean EXIT

"$talon" run scenarios --list | awk '{print $1}' >"$dir/cases"
if [ "${TALON_LIVE:-}" = all ]; then
    shards=${TALON_SHARDS:-16}
    select='{}'
else
    select="{\"id\": [$(awk -F@ '!seen[$1]++ {printf "%s\"%s\"", n++ ? ", " : "", $0}' "$dir/cases")]}"
fi
echo "{\"schema\": \"talon/profile/1\", \"name\": \"live-suite\", \"title\": \"The suite, live\", \"select\": $select}" >"$dir/profile.json"
"$talon" run scenarios --list --profile "$dir/profile.json" >"$dir/cases"

make_wire() {
    ip netns add "$here" && ip netns add "$there" &&
        ip link add va netns "$here" type veth peer name vb netns "$there" || return 1
    ip -n "$here" addr add 10.9.0.1/24 dev va && ip -n "$there" addr add 10.9.0.2/24 dev vb
    ip -n "$here" addr add fd00:9::1/64 dev va nodad && ip -n "$there" addr add fd00:9::2/64 dev vb nodad
    ip -n "$here" link set va mtu 9000 up && ip -n "$there" link set vb mtu 9000 up # the longest packets have 4096 bytes of payload
    ip -n "$here" link set lo up && ip -n "$there" link set lo up
}

# The suite on one kind of link, by as many pairs of processes as there are shards.
play() { # name, namespaces of tester and SUT ("" where there are none), host of the SUT, raw address up to its end or ""
    local name=$1 tester=${2:+ip netns exec $2} sut=${3:+ip netns exec $3} host=$4 raw=$5 i pids=() own=()
    trap 'kill "${own[@]}" 2>/dev/null' EXIT TERM
    for i in $(seq "$shards"); do
        # shellcheck disable=SC2086 # words
        $sut "$talon" sut --listen "udp:$host:0" --control "tcp:$host:0" --port-file "$dir/$name-$i.ports" >/dev/null 2>"$dir/$name-$i.log" &
        own+=($!)
    done
    for i in $(seq "$shards"); do
        for _ in $(seq 1000); do
            [ -s "$dir/$name-$i.ports" ] && break
            sleep 0.02
        done
        local frames control
        read -r frames control <"$dir/$name-$i.ports"
        [ -n "$raw" ] && frames="raw:va,${frames#udp:},from=${raw}$((100 + i)),esp=udp" # its SUT has UDP alone
        # shellcheck disable=SC2046,SC2086 # words
        $tester "$talon" run $(split "$i/$shards") --profile "$dir/profile.json" --sut "$frames" --control "$control" \
            --retries 5 >"$dir/$name-$i.out" 2>&1 &
        pids+=($!)
    done
    wait "${pids[@]}"
}

passes() { # name
    local name=$1 n all
    all=$(wc -l <"$dir/cases")
    cat "$dir/$name"-*.out >"$dir/$name.all"
    n=$(grep -c '^pass ' "$dir/$name.all")
    echo "# $name: of $all cases $n passed, $(grep -c '^inconclusive ' "$dir/$name.all") inconclusive," \
        "$(grep -c '^skipped ' "$dir/$name.all") skipped"
    grep -hE -A 12 '^(FAIL|ERROR|warn) ' "$dir/$name.all" | sed 's/^/# /' | head -60
    grep -h '^inconclusive ' "$dir/$name.all" | cut -c1-160 | sed 's/^/# /'
    ! grep -qE '^(FAIL|ERROR|warn) ' "$dir/$name.all" && [ $((n + $(grep -c '^skipped ' "$dir/$name.all"))) -ge $((all * (100 - most) / 100)) ]
}

loopback6=yes
[ -e /proc/net/if_inet6 ] || loopback6=
wire=yes
make_wire 2>/dev/null || wire=
jobs=()
play udp4 "" "" 127.0.0.1 "" & jobs+=($!)
[ -n "$loopback6" ] && { play udp6 "" "" "[::1]" "" & jobs+=($!); }
[ -n "$wire" ] && { play raw4 "$here" "$there" 10.9.0.2 10.9.0. & jobs+=($!); }
[ -n "$wire" ] && { play raw6 "$here" "$there" "[fd00:9::2]" fd00:9:: & jobs+=($!); }
wait "${jobs[@]}"

skip() {
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}
is "UDP, IPv4: nothing fails" passes udp4
if [ -n "$loopback6" ]; then is "UDP, IPv6: nothing fails" passes udp6; else skip "UDP, IPv6" "no IPv6 here"; fi
if [ -n "$wire" ]; then
    is "raw frames, IPv4: nothing fails" passes raw4
    is "raw frames, IPv6: nothing fails" passes raw6
else
    skip "raw frames" "this user may not make network namespaces"
fi
done_testing
