#!/bin/bash
# lane: waits
# Talon between two real ends, in three network namespaces: a tester in one drives a SUT in another through the bridge in
# the third. All frames pass; what other protocols need works; a fault is told of the end that has it; what a scenario does to
# packets is what tcpdump sees on the far side.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
a=talon-ba-$$ b=talon-bb-$$ between=talon-bm-$$

clean() {
    finish
    for ns in "$a" "$b" "$between"; do ip netns del "$ns" 2>/dev/null; done
}
trap clean EXIT

make_wires() {
    ip netns add "$a" && ip netns add "$b" && ip netns add "$between" &&
        ip link add va netns "$a" type veth peer name br0 netns "$between" &&
        ip link add vb netns "$b" type veth peer name br1 netns "$between" || return 1
    ip -n "$a" addr add 10.9.2.1/24 dev va && ip -n "$b" addr add 10.9.2.2/24 dev vb
    ip -n "$a" addr add fd00:9:2::1/64 dev va nodad && ip -n "$b" addr add fd00:9:2::2/64 dev vb nodad
    local ns
    for ns in "$a" "$b" "$between"; do ip -n "$ns" link set lo up; done
    ip -n "$a" link set va up && ip -n "$b" link set vb up && ip -n "$between" link set br0 up && ip -n "$between" link set br1 up
}
skip() {
    echo "ok 1 - a bridge # SKIP $1"
    echo "1..1"
    exit 0
}
command -v tcpdump >/dev/null && command -v python3 >/dev/null || skip "no tcpdump, or no python3"
make_wires 2>/dev/null || skip "this user may not make network namespaces"

serve() { # namespace, host as it stands in an address, options...
    local ns=$1 host=$2
    shift 2
    rm -f "$dir/ports"
    ip netns exec "$ns" "$talon" sut --listen "udp:$host:7777" --control "tcp:$host:7700" --port-file "$dir/ports" "$@" 2>"$dir/sut.log" &
    sut=$!
    suts+=("$sut")
    for _ in $(seq 200); do [ -s "$dir/ports" ] && break; sleep 0.02; done
}
open_bridge() { # scenario or "", options...
    local scenario=$1
    shift
    # shellcheck disable=SC2086 # none, or one
    ip netns exec "$between" "$talon" run --verbose $scenario --sut bridge:br0,br1 --retries 0 "$@" >"$dir/bridge.out" 2>&1 &
    bridge=$!
    suts+=("$bridge")
    for _ in $(seq 200); do # both packet sockets are there
        [ "$(ip netns exec "$between" cat /proc/net/packet | wc -l)" -ge 3 ] && break
        kill -0 "$bridge" 2>/dev/null || break
        sleep 0.02
    done
}
close_bridge() { # its status
    wait "$bridge"
    local status=$?
    [ "$status" = "$1" ] && return 0
    echo "# bridge: status $status"
    cut -c1-150 "$dir/bridge.out" | head -n 30 | sed 's/^/# /'
    return 1
}
drive() { # namespace, host, words that choose what is run...
    local ns=$1 host=$2
    shift 2
    ip netns exec "$ns" "$talon" run --verbose "$@" --sut "udp:$host:7777" --control "tcp:$host:7700" --retries 3 >"$dir/drive.out" 2>&1
}
ends() { grep -qE "^$1 +bridge@end=br0" "$dir/bridge.out" && grep -qE "^$2 +bridge@end=br1" "$dir/bridge.out" || { cut -c1-150 "$dir/bridge.out" | head -n 20 | sed 's/^/# /' && false; }; }

# ---- both ends, whole ----

whole() { # SUT's host, options of the bridge...
    local host=$1
    shift
    open_bridge "" --timeout 4 --out "$dir/kept" --keep all "$@"
    drive "$a" "$host" scenarios/8-transactions --class valid --shard 1/30 || { grep -v ^pass "$dir/drive.out" | head -n 20 | cut -c1-150 | sed 's/^/# /'; return 1; }
    close_bridge 0 && ends pass pass
}
serve "$b" 10.9.2.2
is "IPv4: ARP, TCP, whole cases and fragments pass, and both ends are judged" whole 10.9.2.2
judged_again() { "$talon" check "$dir/kept" >"$dir/out" 2>&1 && [ "$(grep -c '^pass' "$dir/out")" = 2 ]; }
is "their evidence comes to the same verdicts" judged_again
rm -rf "$dir/kept"
stop_sut "$sut"
serve "$b" '[fd00:9:2::2]'
is "IPv6: neighbour discovery passes, too" whole '[fd00:9:2::2]'
rm -rf "$dir/kept"
stop_sut "$sut"

untouched() { # what is no Falcon: UDP of any length, byte for byte, once
    open_bridge "" --timeout 3
    ip netns exec "$b" tcpdump -q -U -n -s 9000 -B 16384 --immediate-mode -i vb -w "$dir/far.pcap" udp port 5555 2>"$dir/tcpdump.log" &
    local tcpdump=$!
    for _ in $(seq 200); do grep -q 'listening on' "$dir/tcpdump.log" && break; sleep 0.02; done
    ip netns exec "$a" python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(0, 1400, 7):
    s.sendto(bytes(n % 251 for _ in range(n)), ("10.9.2.2", 5555))' >/dev/null
    sleep 0.5
    kill -INT $tcpdump
    wait $tcpdump
    close_bridge 3 || return 1 # nobody spoke Falcon
    python3 tests/captures/capture_bytes.py "$dir/far.pcap" --from 10.9.2.1 >"$dir/seen"
    python3 -c '
for n in range(0, 1400, 7):
    print("out", bytes(n % 251 for _ in range(n)).hex())' >"$dir/want"
    cmp -s "$dir/seen" "$dir/want" && return 0
    echo "# $(wc -l <"$dir/seen") of $(wc -l <"$dir/want") datagrams: $(diff "$dir/seen" "$dir/want" | head -n 2 | cut -c1-80 | tr '\n' ' ')"
    return 1
}
is "other protocols pass untouched, in order, and once" untouched

# ---- a fault is told of its end ----

faulty() { # namespace of the SUT, its host, that of the tester, verdict of br0's end, of br1's
    serve "$1" "$2" --fault header-field-corrupted:field=back.version
    open_bridge "" --timeout 3
    drive "$3" "$2" scenarios/8-transactions --id 'many-transactions@pulls=100-,in_order=true,psn=0'
    stop_sut "$sut"
    close_bridge 1 && ends "$4" "$5"
}
is "a fault of the second end is told of the second" faulty "$b" 10.9.2.2 "$a" pass FAIL
is "a fault of the first end is told of the first" faulty "$a" 10.9.2.1 "$b" FAIL pass

# ---- what is done to packets ----

serve "$b" 10.9.2.2
cat >"$dir/traffic.json" <<'END'
{"schema": "talon/scenario/1", "id": "traffic", "title": "t", "purpose": "p", "class": "valid", "covers": ["FTP-7.5-04"], "version": 1,
 "connection": {"params": {"rto": "100ms"}, "tester": {"cid": 291, "req_psn": 1000, "data_psn": 2000, "rsn": 50}},
 "steps": [
  {"side": "tester", "ulp": {"do": "post", "op": "push", "length": 100}}, {"wait": "20ms"},
  {"side": "tester", "ulp": {"do": "post", "op": "push", "length": 101}}, {"wait": "1ms"},
  {"side": "tester", "ulp": {"do": "post", "op": "push", "length": 102}}, {"wait": "20ms"},
  {"side": "tester", "ulp": {"do": "post", "op": "push", "length": 103}}, {"wait": "400ms"}]}
END
impaired() { # a rule of `on`; near.pcap and far.pcap are then what both sides saw
    cat >"$dir/impair.json" <<END
{"schema": "talon/scenario/1", "id": "impaired", "title": "t", "purpose": "p", "class": "valid", "covers": ["FTP-7.5-04"], "version": 1,
 "steps": [$1, {"await": {"count": "> push_data", "is": "4.."}, "within": "4s"}, {"wait": "600ms"}]}
END
    open_bridge "$dir/impair.json" --timeout 8
    local end pids=()
    for end in "$a va near" "$b vb far"; do
        read -r ns dev name <<<"$end"
        ip netns exec "$ns" tcpdump -q -U -n -s 9000 -B 16384 --immediate-mode -i "$dev" -w "$dir/$name.pcap" udp port 7777 2>"$dir/$name.log" &
        pids+=($!)
    done
    for name in near far; do for _ in $(seq 200); do grep -q 'listening on' "$dir/$name.log" && break; sleep 0.02; done; done
    drive "$a" 10.9.2.2 "$dir/traffic.json" --retries 0 --param turnaround=100us --param pipeline=100us # declared: nothing is sent to learn them
    wait "$bridge"
    status=$?
    sleep 0.2
    kill -INT "${pids[@]}"
    wait "${pids[@]}"
    for name in near far; do python3 tests/captures/capture_bytes.py "$dir/$name.pcap" --from 10.9.2.1 | sed -n 's/^out \(.\{14\}a\)/\1/p; s/^out //p' | awk 'length($0) >= 2 * 128' >"$dir/$name"; done
    [ $status -le 1 ] && return 0
    echo "# bridge: $status"
    cut -c1-150 "$dir/bridge.out" | head -n 20 | sed 's/^/# /'
    return 1
}
first_of() { awk -v n="$2" 'NR == n' "$dir/$1"; } # near or far, which push
lost() { impaired '{"on": "> push_data psn=1r", "times": 1, "do": "drop"}' && [ "$(grep -c . "$dir/near")" = "$(($(grep -c . "$dir/far") + 1))" ] &&
    [ "$(first_of near 3)" = "$(first_of far 2)" ]; }
is "drop: by PSN, the first copy alone" lost
by_copy() { impaired '{"on": "> push_data psn=1r", "times": 2, "do": "drop"}' && [ "$(grep -c . "$dir/near")" = "$(($(grep -c . "$dir/far") + 2))" ]; }
is "drop: two copies" by_copy
by_cid() { impaired '{"on": "> push_data cid=99", "times": 0, "do": "drop"}' && cmp -s "$dir/near" "$dir/far"; }
is "by CID: not those of another" by_cid
twice() { impaired '{"on": "> push_data psn=2r", "do": "duplicate"}' && [ "$(uniq -d "$dir/far" | wc -l)" = 1 ] && [ "$(uniq "$dir/far" | cmp - "$dir/near" && echo same)" = same ]; }
is "duplicate" twice
later() { impaired '{"on": "> push_data psn=1r", "do": "delay", "delay": "10ms"}' && ! cmp -s "$dir/near" "$dir/far" && [ "$(sort "$dir/near")" = "$(sort "$dir/far")" ] &&
    [ "$(first_of near 2)" = "$(first_of far 3)" ]; }
is "delay: the next one overtakes it" later
overtaken() { impaired '{"on": "> push_data psn=1r", "do": "reorder", "by": 1}' && [ "$(first_of near 2)" = "$(first_of far 3)" ] && [ "$(first_of near 3)" = "$(first_of far 2)" ]; }
# A frame is held for a bounded time: on a busy machine the next one may come later.
thrice() { "$@" || "$@" || "$@"; }
is "reorder" thrice overtaken
damaged() {
    impaired '{"on": "> push_data psn=0r", "times": 1, "do": "corrupt"}' &&
        [ "$(first_of near 1 | head -c -2)" = "$(first_of far 1 | head -c -2)" ] && [ "$(first_of near 1)" != "$(first_of far 1)" ] &&
        [ "$(grep -c . "$dir/near")" -gt 4 ] # the receiver has dropped it, and it comes again
}
is "corrupt: one bit is another, and its receiver drops it" damaged
marked() {
    impaired '{"on": "> push_data psn=3r", "do": "mark"}' && cmp -s "$dir/near" "$dir/far" &&
        [ "$(tcpdump -r "$dir/far.pcap" -n 'ip[1] & 3 == 3 and src 10.9.2.1' 2>/dev/null | wc -l)" = 1 ] &&
        [ "$(tcpdump -r "$dir/near.pcap" -n 'ip[1] & 3 == 3 and src 10.9.2.1' 2>/dev/null | wc -l)" = 0 ] &&
        [ "$(tcpdump -r "$dir/far.pcap" -nvv src 10.9.2.1 2>/dev/null | grep -c 'bad cksum')" = 0 ]
}
is "mark: CE, and the header's checksum is right" marked
rewritten() {
    impaired '{"on": "> push_data psn=2r", "times": 1, "do": "rewrite", "set": {"ack_req": 1}}' &&
        [ "$(first_of near 3)" != "$(first_of far 3)" ] && [ "$(tcpdump -r "$dir/far.pcap" -nvv src 10.9.2.1 2>/dev/null | grep -c 'bad udp cksum')" = 0 ]
}
is "rewrite: and UDP's checksum is right" rewritten
chance() {
    cat >"$dir/chance.json" <<'END'
{"schema": "talon/scenario/1", "id": "bridge", "title": "t", "purpose": "p", "class": "valid", "covers": ["FTP-7.5-04"], "version": 1,
 "impair": {"to_sut": {"loss": "5%", "reorder": "5%", "latency": "200us"}, "from_sut": {"loss": "5%", "duplicate": "5%"}}, "steps": [{"wait": "15s"}]}
END
    # The control channel passes through the bridge, too: on a busy machine it must be there until the tester has ended.
    open_bridge "$dir/chance.json" --timeout 20
    drive "$a" 10.9.2.2 scenarios/8-transactions --id 'many-transactions@*' --shard 1/8
    local status=$?
    { [ $status = 0 ] || [ $status = 3 ]; } && close_bridge 0 && ends pass pass && return 0
    echo "# tester: status $status"
    grep -v '^pass' "$dir/drive.out" | head -n 20 | cut -c1-150 | sed 's/^/# /'
    return 1
}
is "loss, copies and order by chance excuse nobody and convict nobody" chance
stop_sut "$sut"

# ---- what cannot be ----

refused() { # words, status, arguments...
    local words=$1 want=$2
    shift 2
    ip netns exec "$between" "$talon" run --verbose "$@" >"$dir/out" 2>&1
    local status=$?
    [ $status = "$want" ] && grep -q "$words" "$dir/out" && return 0
    echo "# $status: $(head -n 5 "$dir/out" | cut -c1-200)"
    return 1
}
is "one interface" refused "expected bridge:IFACE,IFACE" 2 --sut bridge:br0
is "the same twice" refused "two different interfaces" 2 --sut bridge:br0,br0
is "none of that name" refused "there is no interface br9" 4 --sut bridge:br0,br9 --timeout 1
is "a control channel" refused "act by themselves" 2 --sut bridge:br0,br1 --control tcp:127.0.0.1:1
skipped() { # words, scenario
    refused "(skipped: .*$1" 2 "$2" --sut bridge:br0,br1
}
is "a scenario with a tester in it is skipped" skipped "needs a tester.s end" scenarios/8-transactions/push-target.json
is "a scenario that posts is skipped" skipped "needs a control channel" scenarios/8-transactions/push-initiator.json
unprivileged() { ip netns exec "$between" setpriv --bounding-set=-all --inh-caps=-all "$talon" run --verbose --sut bridge:br0,br1 >"$dir/out" 2>&1; grep -q 'needs CAP_NET_RAW: sudo setcap cap_net_raw+ep /' "$dir/out"; }
command -v setpriv >/dev/null && is "without CAP_NET_RAW" unprivileged
done_testing
