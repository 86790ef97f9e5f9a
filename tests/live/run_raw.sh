#!/bin/bash
# lane: waits
# A SUT in another network namespace, reached by raw frames: libnet out, libpcap in. What tcpdump sees beside it is what
# the tester says was sent and received.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
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
# A part of the live profile each; run_live.sh plays the whole suite.
run() { # address, control, options...
    local address=$1 control=$2
    shift 2
    ip netns exec "$here" "$talon" run --verbose scenarios --profile tests/data/live-profile.json --sut "raw:va,$address" --control "tcp:$control:7700" --retries 4 "$@" >"$dir/out" &&
    no_finding "$dir/out"
}

serve 10.9.0.2
# The interfaces have an MTU of 1,500, as most have: sizes follow it.
smoke() { # kind of link
    ip netns exec "$here" "$talon" run --verbose scenarios --profile scenarios/profiles/smoke.json --sut "$1" --control tcp:10.9.0.2:7700 >"$dir/out"
    no_finding "$dir/out" && ! grep -E ' inconclusive [^:]*mtu|: mtu$|is too long' "$dir/out"
}
is "the smoke profile over an MTU of 1,500, raw" smoke raw:va,10.9.0.2,from=10.9.0.77
is "the smoke profile over an MTU of 1,500, UDP" smoke udp:10.9.0.2:7777
is "IPv4, from an address of the tester's own" run 10.9.0.2,from=10.9.0.77 10.9.0.2 --shard 1/4
is "IPv4, from the address of the interface" run 10.9.0.2 10.9.0.2 --shard 2/4
is "IPv4, sealed" run 10.9.0.2,from=10.9.0.77 10.9.0.2 --encap psp_transport --shard 3/4

refused() { # words, address
    ip netns exec "$here" "$talon" run --verbose scenarios/8-transactions --sut "raw:$2" --control tcp:10.9.0.2:7700 >"$dir/out" 2>&1
    [ $? -ge 2 ] && grep -q "$1" "$dir/out"
}
is "no such interface" refused nothere nothere,10.9.0.2
is "nobody answers" refused "did not answer" va,10.9.0.99
is "an address of the wide world" refused "not loopback, private" va,8.8.8.8
is "an item that is none" refused "unknown option 'colour=red'" va,10.9.0.2,colour=red

# Byte for byte what tcpdump sees. The turnaround is declared: packets that measure it are of no case.
watched() {
    ip netns exec "$here" tcpdump -q -U -s 2048 -B 16384 -i va -w "$dir/seen.pcap" udp port 7777 2>/dev/null &
    local tcpdump=$!
    sleep 1
    ip netns exec "$here" "$talon" run --verbose scenarios/8-transactions/push-target.json --sut raw:va,10.9.0.2,from=10.9.0.77 --control tcp:10.9.0.2:7700 \
        --param turnaround=100us --param pipeline=100us --out "$dir/kept" --keep all >/dev/null || return 1
    sleep 1
    kill "$tcpdump" && wait "$tcpdump"
    "$talon" decode --format json "$dir/seen.pcap" | sed -n 's/.*"payload":"\([0-9a-f]*\)".*/\1/p' >"$dir/payloads"
    [ "$(cat "$dir"/kept/*/*.jsonl | grep -c '"event":"packet"')" = "$("$talon" decode "$dir/seen.pcap" 2>/dev/null | grep -c '[<>]')" ]
}
is "tcpdump counts the same packets" watched
# A capture that loses frames is told by its counters; nothing fails for it.
drops() {
    ip netns exec "$there" timeout 20 python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.9.0.2", 0))
while True:
    for _ in range(100):
        try:
            s.sendto(b"x" * 1400, ("10.9.0.77", 5555))
        except OSError:
            pass
    time.sleep(0.02)' &
    suts+=($!)
    local flood=$!
    ip netns exec "$here" "$talon" run --verbose scenarios/8-transactions/push-target.json scenarios/9.1.6-ack-generation --id 'push-target*' --id 'request-hole*' \
        --sut raw:va,10.9.0.2,from=10.9.0.77,buffer=131072 --control tcp:10.9.0.2:7700 --retries 0 --out "$dir/lossy" --keep all >"$dir/out" 2>&1
    kill "$flood"
    grep -qE '^(FAIL|ERROR|warn) ' "$dir/out" && { sed 's/^/# /' "$dir/out"; return 1; }
    grep -qh '"mark":"gap_out"' "$dir"/lossy/*/timeline.jsonl
}
is "frames that the capture lost are counted on the timeline, and fail nobody" drops
too_long() {
    ip netns exec "$here" "$talon" run --verbose scenarios/11-errors/pull-data-shorter.json --id '*got=4095*' --sut raw:va,10.9.0.2,from=10.9.0.77 \
        --param mtu=4096 --control tcp:10.9.0.2:7700 --retries 4 >"$dir/out" 2>&1
    [ $? -eq 3 ] && grep -q "too long for the interface" "$dir/out" && ! grep -q "attempt 2" "$dir/out"
}
is "a packet beyond the MTU, where a longer one is declared, is inconclusive and not tried again" too_long
# What is wrong below Falcon leaves so: tcpdump says what, and nothing comes of it. With its default snapshot length
# tcpdump would have room for eight frames, and would drop some on a busy machine.
spoilt() { # address, control, tester's address, what tcpdump must say of each...
    local address=$1 control=$2 own=$3 words
    shift 3
    ip netns exec "$here" tcpdump -U -n --immediate-mode -s 2048 -B 16384 -i va -w "$dir/spoilt.pcap" src host "$own" 2>"$dir/tcpdump.log" &
    local tcpdump=$!
    for _ in $(seq 200); do grep -q 'listening on' "$dir/tcpdump.log" && break; sleep 0.02; done
    ip netns exec "$here" "$talon" run --verbose scenarios/9.2.2.1-integrity --id 'wrong-*' --sut "raw:va,$address,from=$own" --control "tcp:$control:7700" \
        --retries 4 >"$dir/out" 2>&1
    sleep 1
    kill "$tcpdump" && wait "$tcpdump"
    tcpdump -n -vv -r "$dir/spoilt.pcap" 2>/dev/null | tr '\n' ' ' | sed 's/ IP/\nIP/g' >"$dir/seen"
    grep -E '^(FAIL|ERROR|warn|inconclusive) ' "$dir/out" | sed 's/^/# /'
    grep -qE '^(FAIL|ERROR|warn) ' "$dir/out" && return 1
    [ "$(grep -c '^pass ' "$dir/out")" -ge 4 ] || return 1
    for words in "$@"; do
        grep -qE "$words" "$dir/seen" || { echo "# tcpdump does not say '$words'"; return 1; }
    done
}
is "IPv4: wrong checksums and lengths leave as they are, and are nobody's" spoilt 10.9.0.2 10.9.0.2 10.9.0.77 'bad udp cksum' 'bad cksum' 'flags \[\+\]'
lawful() { # what no IP layer need drop is taken
    local carrier
    for carrier in udp_no_checksum ip_options ttl_0; do
        cat >"$dir/$carrier.json" <<END
{"schema": "talon/scenario/1", "id": "$carrier", "title": "Lawful", "purpose": "It is taken.", "class": "valid", "version": 1, "covers": ["FTP-9.2.2-01"],
 "connection": {"params": {"coalescing": "5ms", "rto": "2s"}},
 "steps": [{"send": "> push_data psn=0r rsn=0r len=64 ar", "malform": {"carrier": "$carrier"}},
           {"expect_ulp": {"event": "request", "rsn": "0r", "length": 64}}, "< packet packet_type={back,eack} dbase=1r"]}
END
    done
    ip netns exec "$here" "$talon" run --verbose "$dir"/{udp_no_checksum,ip_options,ttl_0}.json --sut raw:va,10.9.0.2,from=10.9.0.77 --control tcp:10.9.0.2:7700 \
        --retries 4 >"$dir/out" 2>&1
    grep -v '^pass ' "$dir/out" | sed 's/^/# /'
    [ "$(grep -c '^pass ' "$dir/out")" -eq 3 ]
}
is "no UDP checksum, IPv4 options, TTL 0: lawful, and taken" lawful
is "stamps of the device, where it has none" refused "no hardware time stamps" va,10.9.0.2,from=10.9.0.77,stamps=hardware
is "stamps of whom?" refused "expected kernel or hardware" va,10.9.0.2,stamps=gps
is "a buffer of nothing" refused "buffer '0': expected" va,10.9.0.2,buffer=0
stop_sut "$sut"

serve '[fd00:9::2]'
is "IPv6, from an address of the tester's own" run fd00:9::2,from=fd00:9::77 '[fd00:9::2]' --shard 4/4
is "IPv6: wrong checksums and lengths, and a fragment" spoilt fd00:9::2 '[fd00:9::2]' fd00:9::77 'bad udp cksum' 'frag'
is "IPv6, sealed in a tunnel" run fd00:9::2 '[fd00:9::2]' --encap psp_tunnel --shard 1/4
stop_sut "$sut"

# ---- both ends at an interface: talon sut --listen raw:, at an address that no kernel has ----

serve_raw() { # address, options...
    local address=$1
    shift
    rm -f "$dir/raw.ports"
    ip netns exec "$there" "$talon" sut --listen "raw:vb,$address" --control tcp:10.9.0.2:7700 --port-file "$dir/raw.ports" "$@" 2>"$dir/sut.log" &
    sut=$!
    suts+=("$sut")
    for _ in $(seq 500); do
        [ -s "$dir/raw.ports" ] && break
        kill -0 "$sut" 2>/dev/null || break
        sleep 0.02
    done
}
few() { # address, options...: a few cases, all pass; PSP and ESP take turns in them
    local address=$1
    shift
    ip netns exec "$here" "$talon" run --verbose scenarios/8-transactions/push-target.json scenarios/9.2.2-security/sealed-answers.json \
        --sut "raw:va,$address" --control tcp:10.9.0.2:7700 --retries 4 "$@" >"$dir/out" &&
        no_finding "$dir/out" && grep -q '^pass' "$dir/out"
}
# protocol 50 and no UDP but what is in the clear
native() { # expression of tcpdump, address, options...
    local only=$1
    shift
    ip netns exec "$here" tcpdump -q -U --immediate-mode -s 2048 -B 16384 -i va -w "$dir/esp.pcap" "$only" 2>"$dir/tcpdump.log" &
    local tcpdump=$!
    for _ in $(seq 100); do
        grep -q listening "$dir/tcpdump.log" && break
        sleep 0.05
    done
    few "$@" || return 1
    sleep 0.3
    kill "$tcpdump" && wait "$tcpdump"
    [ "$(tcpdump -n -r "$dir/esp.pcap" 2>/dev/null | grep -c 'ESP(spi=')" -gt 10 ]
}
serve_raw 10.9.0.88
is "both raw: IPv4, a part of the suite" run 10.9.0.88,from=10.9.0.77 10.9.0.2 --shard 1/8
is "both raw: PSP" few 10.9.0.88,from=10.9.0.77 --encap psp_transport
is "both raw: ESP as IP protocol 50, transport" native 'ip proto 50' 10.9.0.88,from=10.9.0.77 --encap esp_transport
is "both raw: the same in a tunnel, from the interface's own address" native 'ip proto 50' 10.9.0.88 --encap esp_tunnel
is "both raw: one sends ESP in UDP, the other in IP" few 10.9.0.88,esp=udp --encap esp_transport
stop_sut "$sut"
serve_raw 10.9.0.2,esp=udp
is "both raw: the host's own addresses, ESP in UDP" few 10.9.0.2,esp=udp --encap esp_tunnel
stop_sut "$sut"
serve_raw fd00:9::88
is "both raw: IPv6" few fd00:9::88,from=fd00:9::77
is "both raw: IPv6, PSP in a tunnel" few fd00:9::88 --encap psp_tunnel
is "both raw: IPv6, ESP as protocol 50, transport" native 'ip6 proto 50' fd00:9::88,from=fd00:9::77 --encap esp_transport
is "both raw: IPv6, ESP as protocol 50, tunnel" native 'ip6 proto 50' fd00:9::88 --encap esp_tunnel
stop_sut "$sut"
caught() {
    serve_raw 10.9.0.88 --fault replay-unchecked
    ip netns exec "$here" "$talon" run --verbose scenarios/9.2.2-security --id 'replay-dropped*' --shard 1/4 --sut raw:va,10.9.0.88,from=10.9.0.77 --control tcp:10.9.0.2:7700 \
        --encap esp_transport >"$dir/out"
    [ $? = 1 ] && grep -q '^FAIL *replay-dropped' "$dir/out"
    local status=$?
    stop_sut "$sut"
    return $status
}
is "both raw: a fault is told" caught
not_served() { # words, address
    "$talon" sut --listen "raw:$2" --control stdio </dev/null >"$dir/out" 2>&1
    [ $? -ge 2 ] && grep -q "$1" "$dir/out" && [ "$(wc -l <"$dir/out")" = 1 ]
}
is "talon sut: no such interface" not_served nothere nothere,10.9.0.88
is "talon sut: the tester's address is not its own" not_served "from= is an option of the tester" lo,10.9.0.88,from=10.9.0.1
is "talon sut: ESP in what?" not_served "expected native or udp" lo,10.9.0.88,esp=tcp
done_testing
