#!/bin/bash
# lane: waits
# The suite on another process: over raw frames between two network namespaces, and over UDP on loopback, many cases at the
# same time. One case of each scenario here; over UDP and over raw frames one half of them by IPv4 and the other half by
# IPv6, all by both with TALON_WHOLE. TALON_LIVE=all plays every case (minutes). Nothing may fail; what is inconclusive is
# counted.
# shellcheck source=tests/run-lib disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
here=talon-la-$$ there=talon-lb-$$
most=2 # inconclusive, percent: a busy machine makes testers late

clean() {
    finish
    ip netns del "$here" 2>/dev/null
    ip netns del "$there" 2>/dev/null
}
trap clean EXIT

# Its SUT sends from one socket, so that it cannot change its path.
"$talon" run scenarios --list | awk '$1 !~ /^result-draws-path/ {print $1}' >"$dir/cases"
profile() { # NAME PART: one case of each scenario, PART (0 or 1) of two; the whole with TALON_WHOLE, every case with TALON_LIVE=all
    local select='{}'
    [ "${TALON_LIVE:-}" = all ] || select=$(awk -F@ -v whole="${TALON_WHOLE:-}" -v part="$2" '
        !seen[$1]++ && (whole != "" || n++ % 2 == part) {printf "%s\"%s\"", m++ ? ", " : "{\"id\": [", $0}
        END {print "]}"}' "$dir/cases")
    echo "{\"schema\": \"talon/profile/1\", \"name\": \"$1\", \"title\": \"The suite, live\", \"select\": $select}" >"$dir/$1.json"
    "$talon" run scenarios --list --profile "$dir/$1.json" >"$dir/$1.cases"
}
profile udp4 0 && profile udp6 1 && profile raw4 1 && profile raw6 0

make_wire() {
    ip netns add "$here" && ip netns add "$there" &&
        ip link add va netns "$here" type veth peer name vb netns "$there" || return 1
    ip -n "$here" addr add 10.9.0.1/24 dev va && ip -n "$there" addr add 10.9.0.2/24 dev vb
    ip -n "$here" addr add fd00:9::1/64 dev va nodad && ip -n "$there" addr add fd00:9::2/64 dev vb nodad
    ip -n "$here" link set va mtu 9000 up && ip -n "$there" link set vb mtu 9000 up # the longest packets have 4096 bytes of payload
    ip -n "$here" link set lo up && ip -n "$there" link set lo up
}

# The suite on one kind of link: many cases at the same time on one SUT.
play() { # name, namespaces of tester and SUT ("" where there are none), host of the SUT, raw address or ""
    local name=$1 tester=${2:+ip netns exec $2} sut=${3:+ip netns exec $3} host=$4 raw=$5 own frames control
    # shellcheck disable=SC2086 # words
    $sut "$talon" sut --listen "udp:$host:0" --control "tcp:$host:0" --port-file "$dir/$name.ports" >/dev/null 2>"$dir/$name.log" &
    own=$!
    for _ in $(seq 1000); do
        [ -s "$dir/$name.ports" ] && break
        sleep 0.02
    done
    read -r frames control <"$dir/$name.ports"
    [ -n "$raw" ] && frames="raw:va,${frames#udp:},from=$raw,esp=udp" # its SUT has UDP alone
    # shellcheck disable=SC2086 # words
    $tester "$talon" run --verbose scenarios --profile "$dir/$name.json" --sut "$frames" --control "$control" --jobs 32 \
        --retries 5 >"$dir/$name.out" 2>&1
    kill "$own"
    wait "$own" 2>/dev/null
}

passes() { # name
    local name=$1 n all
    all=$(wc -l <"$dir/$name.cases")
    n=$(grep -c '^pass ' "$dir/$name.out")
    echo "# $name: of $all cases $n passed, $(grep -c '^inconclusive ' "$dir/$name.out") inconclusive," \
        "$(grep -c '^skipped ' "$dir/$name.out") skipped"
    grep -hE -A 12 '^(FAIL|ERROR|warn) ' "$dir/$name.out" | sed 's/^/# /' | head -60
    grep -h '^inconclusive ' "$dir/$name.out" | cut -c1-160 | sed 's/^/# /'
    [ "$all" -ge $(($(awk -F@ '!seen[$1]++' "$dir/cases" | wc -l) / 2)) ] && [ "$all" -ge 200 ] &&
        ! grep -qE '^(FAIL|ERROR|warn) ' "$dir/$name.out" && [ $((n + $(grep -c '^skipped ' "$dir/$name.out"))) -ge $((all * (100 - most) / 100)) ]
}

loopback6=yes
[ -e /proc/net/if_inet6 ] || loopback6=
wire=yes
make_wire 2>/dev/null || wire=
play udp4 "" "" 127.0.0.1 ""
[ -n "$loopback6" ] && play udp6 "" "" "[::1]" ""
[ -n "$wire" ] && play raw4 "$here" "$there" 10.9.0.2 10.9.0.101
[ -n "$wire" ] && play raw6 "$here" "$there" "[fd00:9::2]" fd00:9::101

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
