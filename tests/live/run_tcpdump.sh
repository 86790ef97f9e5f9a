#!/bin/bash
# lane: waits
# What tcpdump sees beside the tester is, per direction, byte for byte and in order, what the tester's pcapng says was sent and
# received; both have dropped nothing. Over raw frames and over UDP, IPv4 and IPv6; what was sealed is opened for it.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
here=talon-ta-$$ there=talon-tb-$$

clean() {
    finish
    ip netns del "$here" 2>/dev/null
    ip netns del "$there" 2>/dev/null
}
trap clean EXIT

make_wire() {
    ip netns add "$here" && ip netns add "$there" &&
        ip link add va netns "$here" type veth peer name vb netns "$there" || return 1
    ip -n "$here" addr add 10.9.1.1/24 dev va && ip -n "$there" addr add 10.9.1.2/24 dev vb
    ip -n "$here" addr add fd00:9:1::1/64 dev va nodad && ip -n "$there" addr add fd00:9:1::2/64 dev vb nodad
    ip -n "$here" link set va mtu 9000 up && ip -n "$there" link set vb mtu 9000 up
    ip -n "$here" link set lo up && ip -n "$there" link set lo up
}
skip() {
    echo "ok 1 - tcpdump beside the tester # SKIP $1"
    echo "1..1"
    exit 0
}
command -v tcpdump >/dev/null && command -v python3 >/dev/null || skip "no tcpdump, or no python3"
make_wire 2>/dev/null || skip "this user may not make network namespaces"

serve() { # host as it stands in an address, port
    ip netns exec "$there" "$talon" sut --listen "udp:$1:$2" --control "tcp:$1:7700" --port-file "$dir/ports" 2>"$dir/sut.log" &
    sut=$!
    suts+=("$sut")
    for _ in $(seq 200); do [ -s "$dir/ports" ] && break; sleep 0.02; done
    rm -f "$dir/ports"
}
watch() { # port
    ip netns exec "$here" tcpdump -q -U -n -s 9216 -B 16384 --immediate-mode -i va -w "$dir/seen.pcap" udp port "$1" 2>"$dir/tcpdump.log" &
    tcpdump=$!
    for _ in $(seq 200); do grep -q 'listening on' "$dir/tcpdump.log" && break; sleep 0.02; done
}
stop_watching() {
    local size=-1
    while [ "$(stat -c %s "$dir/seen.pcap")" != "$size" ]; do # all that was seen is written
        size=$(stat -c %s "$dir/seen.pcap")
        sleep 0.2
    done
    kill -INT "$tcpdump"
    wait "$tcpdump"
}
cases=(push-target push-initiator pull-target pull-initiator both-roles out-of-order duplicate nack-moves-base pull-data-long malformed)
ids=()
for id in "${cases[@]}"; do ids+=(--id "$("$talon" run scenarios --list | awk -v id="$id" '{split($1, part, "@")} part[1] == id {print $1; exit}')"); done

kept() { # the evidence, in the order of the run
    sed -n 's/.*"evidence": *"\([^"]*\)".*/\1/p' "$dir/kept/results.json" | sed "s|^|$dir/kept/|; s|$|/packets.pcapng|"
}
# The turnaround is declared: packets that measure it belong to no case and would be in no evidence.
play() { # port, SUT, options...
    local port=$1 sut_address=$2
    shift 2
    rm -rf "$dir/kept"
    watch "$port"
    ip netns exec "$here" "$talon" run --verbose scenarios "${ids[@]}" --sut "$sut_address" --retries 0 --jobs 1 --param turnaround=100us --param pipeline=100us \
        --out "$dir/kept" --keep all "$@" >"$dir/out" 2>&1
    local status=$?
    stop_watching
    # What a loaded machine makes inconclusive was sent and received all the same.
    { [ $status = 0 ] || [ $status = 3 ]; } && grep -q "^[1-9][0-9]* cases: " "$dir/out" && return 0
    grep -v '^pass' "$dir/out" | head -n 20 | cut -c1-150 | sed 's/^/# /'
    return 1
}
none_dropped() {
    grep -q '^0 packets dropped by kernel' "$dir/tcpdump.log" && ! grep -qE '"mark": ?"gap' "$dir"/kept/*/timeline.jsonl
}
agree() { # both lists, by direction
    local way
    for way in out in; do
        grep "^$way " "$dir/theirs" >"$dir/a"
        grep "^$way " "$dir/ours" >"$dir/b"
        [ "$(wc -l <"$dir/a")" -gt 20 ] && cmp -s "$dir/a" "$dir/b" && continue
        echo "# $way: $(wc -l <"$dir/a") seen by tcpdump, $(wc -l <"$dir/b") in the tester's pcapng"
        diff "$dir/a" "$dir/b" | head -n 6 | cut -c1-100 | sed 's/^/# /'
        return 1
    done
    none_dropped
}
same_bytes() { # address of the tester, port, SUT, options...
    local own=$1
    shift
    play "$@" || return 1
    python3 tests/captures/capture_bytes.py "$dir/seen.pcap" --from "$own" >"$dir/theirs" || return 1
    # shellcheck disable=SC2046 # one file a word
    python3 tests/captures/capture_bytes.py $(kept) >"$dir/ours" && agree
}

# A lone hiccup of the machine must not count: what is inconclusive is tried once more, as a whole.
twice() { "$@" >"$dir/first" || "$@" || { cat "$dir/first" && false; }; }

serve 10.9.1.2 7777
is "raw, IPv4" twice same_bytes 10.9.1.77 7777 raw:va,10.9.1.2,from=10.9.1.77 --control tcp:10.9.1.2:7700
is "UDP, IPv4" twice same_bytes 10.9.1.1 7777 udp:10.9.1.2:7777 --control tcp:10.9.1.2:7700
stop_sut "$sut"
serve '[fd00:9:1::2]' 7777
is "raw, IPv6" twice same_bytes fd00:9:1::77 7777 raw:va,fd00:9:1::2,from=fd00:9:1::77 --control 'tcp:[fd00:9:1::2]:7700'
is "UDP, IPv6" twice same_bytes fd00:9:1::1 7777 'udp:[fd00:9:1::2]:7777' --control 'tcp:[fd00:9:1::2]:7700'
stop_sut "$sut"

# What was sealed: tcpdump's capture is opened with the keys that the timelines note, and is what the tester's says.
keys_of() { # the SAs of all cases, as a file of keys
    cat "$dir"/kept/*/timeline.jsonl | python3 -c '
import json, sys
sas = []
for line in sys.stdin:
    text = json.loads(line).get("text", "")
    if text.startswith("{\"packets_to\""):
        sas.append(json.loads(text)["sa"])
json.dump({"sas": sas}, sys.stdout)'
}
# The Falcon packets of captures, opened, a line each: direction (out where the outer source is the tester) and all of it.
opened() { # address of the tester, talon decode's arguments...
    local own=$1
    shift
    "$talon" decode --format json "$@" 2>/dev/null | own=$own python3 -c '
import json, os, sys
for line in sys.stdin:
    f = json.loads(line)
    outer = next((f[x]["src"] for x in ("ipv4", "ipv6") if x in f), None)
    inner = f.get("falcon") or f.get("raw") # raw: no Falcon packet, and was never meant to be
    inner = json.dumps([inner, f["payload"]]) if inner else "not opened: " + line[:150]
    print("out" if outer == os.environ["own"] else "in", inner)'
}
sealed() { # encapsulation, port, keys option, address of the tester, SUT...
    local encap=$1 port=$2 option=$3 own=$4
    shift 4
    play "$port" "$@" --encap "$encap" || return 1
    keys_of >"$dir/keys.json"
    # shellcheck disable=SC2046 # one file a word
    python3 tests/captures/capture_bytes.py $(kept) | cut -d' ' -f1 >"$dir/ways"
    # shellcheck disable=SC2046
    opened none $(kept) | cut -d' ' -f2- | paste -d' ' "$dir/ways" - >"$dir/ours"
    opened "$own" "$option" "$dir/keys.json" "$dir/seen.pcap" >"$dir/theirs"
    agree
}
serve 10.9.1.2 1000
is "raw, PSP" twice sealed psp_transport 1000 --psp-keys 10.9.1.77 raw:va,10.9.1.2:1000,from=10.9.1.77:1000 --control tcp:10.9.1.2:7700
is "raw, PSP's tunnel" twice sealed psp_tunnel 1000 --psp-keys 10.9.1.77 raw:va,10.9.1.2:1000,from=10.9.1.77:1000 --control tcp:10.9.1.2:7700
stop_sut "$sut"
serve 10.9.1.2 4500
is "raw, ESP in UDP" twice sealed esp_transport 4500 --esp-keys 10.9.1.77 raw:va,10.9.1.2:4500,from=10.9.1.77:4500,esp=udp --control tcp:10.9.1.2:7700
is "raw, ESP's tunnel" twice sealed esp_tunnel 4500 --esp-keys 10.9.1.77 raw:va,10.9.1.2:4500,from=10.9.1.77:4500,esp=udp --control tcp:10.9.1.2:7700
stop_sut "$sut"
done_testing
