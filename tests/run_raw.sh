#!/bin/bash
# A SUT in another network namespace, reached by raw frames: libnet out, libpcap in. What tcpdump sees beside it is what
# the tester says was sent and received.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"
here=talon-a-$$ there=talon-b-$$

clean() {
    finish
    ip netns del "$here" 2>/dev/null
    ip netns del "$there" 2>/dev/null
}
trap clean EXIT

make_wire() {
    ip netns add "$here" && ip netns add "$there" &&
        ip link add va netns "$here" type veth peer name vb netns "$there" || return 1
    ip -n "$here" addr add 10.9.0.1/24 dev va && ip -n "$there" addr add 10.9.0.2/24 dev vb
    ip -n "$here" addr add fd00:9::1/64 dev va nodad && ip -n "$there" addr add fd00:9::2/64 dev vb nodad
    ip -n "$here" link set va up && ip -n "$there" link set vb up
    ip -n "$here" link set lo up && ip -n "$there" link set lo up
}
if ! make_wire 2>/dev/null; then
    echo "ok 1 - raw links # SKIP this user may not make network namespaces"
    echo "1..1"
    exit 0
fi

serve() { # host as it stands in an address
    ip netns exec "$there" "$talon" sut --listen "udp:$1:7777" --control "tcp:$1:7700" 2>"$dir/sut.log" &
    sut=$!
    suts+=("$sut")
    for _ in $(seq 100); do
        grep -q listen "$dir/sut.log" || grep -q frames "$dir/sut.log" && break
        sleep 0.05
    done
}
run() { # address, control, options...
    local address=$1 control=$2
    shift 2
    ip netns exec "$here" "$talon" run scenarios --profile tests/data/live-profile.json --sut "raw:va,$address" --control "tcp:$control:7700" --retries 4 "$@" >"$dir/out" &&
        ! grep -qE '^(FAIL|warn|ERROR) ' "$dir/out"
}

serve 10.9.0.2
is "IPv4, from an address of the tester's own" run 10.9.0.2,from=10.9.0.77 10.9.0.2
is "IPv4, from the address of the interface" run 10.9.0.2 10.9.0.2
is "IPv4, sealed" run 10.9.0.2,from=10.9.0.77 10.9.0.2 --encap psp_transport

refused() { # words, address
    ip netns exec "$here" "$talon" run scenarios/8-transactions --sut "raw:$2" --control tcp:10.9.0.2:7700 >"$dir/out" 2>&1
    [ $? -ge 2 ] && grep -q "$1" "$dir/out"
}
is "no such interface" refused nothere nothere,10.9.0.2
is "nobody answers" refused "nobody answers" va,10.9.0.99
is "an address of the wide world" refused "not loopback, private" va,8.8.8.8
is "an item that is none" refused "no 'colour=red'" va,10.9.0.2,colour=red

# Byte for byte what tcpdump sees.
watched() {
    ip netns exec "$here" tcpdump -q -U -i va -w "$dir/seen.pcap" udp port 7777 2>/dev/null &
    local tcpdump=$!
    sleep 1
    ip netns exec "$here" "$talon" run scenarios/8-transactions/push-target.json --sut raw:va,10.9.0.2,from=10.9.0.77 --control tcp:10.9.0.2:7700 \
        --out "$dir/kept" --keep all >/dev/null || return 1
    sleep 1
    kill "$tcpdump" && wait "$tcpdump"
    "$talon" decode --format json "$dir/seen.pcap" | sed -n 's/.*"payload":"\([0-9a-f]*\)".*/\1/p' >"$dir/payloads"
    [ "$(cat "$dir"/kept/*/*.jsonl | grep -c '"event":"packet"')" = "$("$talon" decode "$dir/seen.pcap" 2>/dev/null | grep -c '[<>]')" ]
}
is "tcpdump counts the same packets" watched
stop_sut "$sut"

serve '[fd00:9::2]'
is "IPv6, from an address of the tester's own" run fd00:9::2,from=fd00:9::77 '[fd00:9::2]'
is "IPv6, sealed in a tunnel" run fd00:9::2 '[fd00:9::2]' --encap psp_tunnel
stop_sut "$sut"
done_testing
