#!/bin/bash
# lane: works
# talon capture: a scrubbed capture gives the same verdicts, and nothing secret is left in it.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
tool() { python3 tests/captures/capture_verbs.py "$1" "$talon" "${@:2}"; }
keys=(--psp-keys tests/data/psp-keys.json --esp-keys tests/data/esp-keys.json)

# ---- scrub ----

# A conversation with a retransmission, an EACK that is wrong, and a packet that is no Falcon packet.
cat >"$dir/lines.txt" <<'END'
@0     > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=64 ar
@5ms   > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=64 ar
@10ms  < back cid=0x222 dbase=101 rbase=200
@20ms  > pull_request cid=0x111 psn=200 rsn=2 dbase=50 rbase=70 request_length=16 ar
@30ms  < eack cid=0x222 dbase=101 rbase=201 dack=0b1
@40ms  < pull_data cid=0x222 psn=50 rsn=2 dbase=101 rbase=201 payload_len=16 ar
@50ms  > back cid=0x111 dbase=51 rbase=70
@60ms  < hex:2000022200000012
END

scrubs() { # encapsulation, IP version, form: verdicts stay, secrets go
    local in=$dir/$1-$2.$3 out=$dir/$1-$2-scrubbed.$3
    tool random "$dir/lines.txt" "$1" "$2" "$in" 7 &&
        "$talon" capture scrub "$in" --out "$out" --psp-keys "$in.psp.json" --esp-keys "$in.esp.json" >/dev/null &&
        tool same "$in" "$out" --in-order && tool clean "$in" "$out"
}
for what in "udp 4 pcapng" "psp_transport 6 pcapng" "psp_tunnel 4 pcap" "esp_transport 4 pcapng" "esp_tunnel 6 pcapng"; do
    read -r encap ip form <<<"$what"
    is "scrub: $encap, IPv$ip, $form: the same verdicts, and no secret" scrubs "$encap" "$ip" "$form"
done

# The samples have the other headers: options, extension headers, tags, RDMA, NVMe, other link types.
secret_sample() { # a sample, form
    local in=$dir/$1-secret.$2 out=$dir/$1-scrubbed.$2
    tool random "tests/data/captures/$1."pcap* sample 4 "$in" "$seed" &&
        "$talon" capture scrub "$in" --out "$out" --psp-keys "$in.psp.json" --esp-keys "$in.esp.json" >/dev/null &&
        tool same "$in" "$out" && tool clean "$in" "$out"
}
seed=${TALON_SEED:-$RANDOM}
echo "# TALON_SEED=$seed repeats the samples"
for what in "rdma pcapng" "nvme pcapng" "layers pcap" "extensions pcapng" "cooked pcap" "cooked2 pcapng"; do
    read -r sample form <<<"$what"
    is "scrub: sample $sample with secrets: the same verdicts, and no secret" secret_sample "$sample" "$form"
done

alike() { # a sample: the same verdicts and the same issues
    local out=$dir/sample.pcapng
    cp "$1" "$dir/original.pcapng" && cp tests/data/psp-keys.json "$dir/original.pcapng.psp.json" && cp tests/data/esp-keys.json "$dir/original.pcapng.esp.json"
    rm -f "$out"*
    "$talon" capture scrub "$dir/original.pcapng" --out "$out" "${keys[@]}" --replace-sealed >/dev/null && tool same "$dir/original.pcapng" "$out"
}
for sample in malformed nvme rdma layers cooked2; do
    is "scrub: sample $sample" alike tests/data/captures/$sample.pcap*
done

refuses() { # nothing is written, and the error says what to do
    ! "$talon" capture scrub tests/data/captures/psp_transport-4.pcap --out "$dir/none.pcap" 2>"$dir/err" &&
        [ ! -e "$dir/none.pcap" ] && grep -q 'frame 1: no key opens .* --psp-keys FILE' "$dir/err"
}
is "scrub: a sealed packet without a key is refused" refuses
drops() {
    "$talon" capture scrub tests/data/captures/psp_transport-4.pcap --out "$dir/shut.pcap" "${keys[@]}" --drop-keys >/dev/null &&
        [ -e "$dir/shut.pcap" ] && [ ! -e "$dir/shut.pcap.psp-keys.json" ]
}
is "scrub: --drop-keys writes no keys" drops
survives() { # hostile captures: a result, or one line that says why
    local file status
    for file in fuzz/corpus/capture/*[0-5]; do
        "$talon" capture scrub "$file" --out "$dir/hostile.pcapng" --replace-sealed >/dev/null 2>"$dir/err"
        status=$?
        [ $status = 0 ] || { [ $status = 2 ] && [ "$(wc -l <"$dir/err")" = 1 ]; } || { echo "# $file: status $status" && return 1; }
    done
}
is "scrub: hostile captures" survives
is "scrub: no file of another name is left" [ -z "$(find "$dir" -name 'hostile.pcapng.*' -o -name 'none.pcap*')" ]

# ---- index and split ----

# Three connections of three pairs of hosts, interleaved, the second without its wrong EACK; and a frame of none.
"$talon" encode "$dir/lines.txt" --out "$dir/one.pcapng" && "$talon" decode --format json "$dir/one.pcapng" | sed 's/"ts_ns":0,/"ts_ns":1000,/' >"$dir/one.jsonl"
for k in 1 2 3; do
    sed "s/\"10\.0\.0\./\"10.0.$k./g; s/\"ts_ns\":\([0-9]*\)/\"ts_ns\":\1$k/; s/\"header_checksum\":[0-9]*,//g; s/,\"checksum\":[0-9]*//" "$dir/one.jsonl" |
        if [ $k = 2 ]; then grep -v '"eack"' | grep -v '"raw"'; else cat; fi
done | sort -t: -k3n >"$dir/three.jsonl"
grep -m1 push_data "$dir/one.jsonl" | sed 's/"dst_port":7777/"dst_port":9/; s/,"checksum":[0-9]*//' >>"$dir/three.jsonl"
"$talon" encode "$dir/three.jsonl" --out "$dir/three.pcapng"
is "index: a line for each connection, and one for the rest" [ "$("$talon" capture index "$dir/three.pcapng" | grep -c ' 10\.0\|others')" = 4 ]
"$talon" capture split "$dir/three.pcapng" --out "$dir/parts" >/dev/null
found() { # capture, connection: the verdicts of its rules
    "$talon" check --in-order "$1" | awk -v conn="$2" '$3 == "conn" && $4 == conn {print $1, $2, $5, $6, $7, $8, $9}' | sort
}
parts() {
    local k
    for k in 1 2 3; do
        diff <(found "$dir/three.pcapng" $k) <(found "$dir/parts/connection-$k.pcapng" 1) || return 1
        [ "$(found "$dir/three.pcapng" $k | wc -l)" -gt 5 ] || return 1
    done
}
is "split: talon check finds the same in the parts" parts
numbered() { # each frame says where it was
    [ "$("$talon" decode "$dir"/parts/*.pcapng | grep -c '# comment: frame [0-9]')" = "$(wc -l <"$dir/three.jsonl")" ]
}
is "split: each frame has its number as a comment" numbered
is "split: the frame of no connection" [ "$("$talon" capture index --format json "$dir/parts/others.pcapng" | grep -c '"connection": 0')" = 1 ]
done_testing
