#!/bin/bash
# lane: works
# Captures of TCP judged by the K rules: segments, acknowledgements and SACK from packets, numbers that wrap.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

# capture FILE WORDS...: a connection from 10.0.0.1 to 10.0.0.2, captured at the first. Words: sN a segment, sN=x one with
# another payload, aN an acknowledgement, aN:F-E with SACK, +N so many us later. Segments have 1,000 bytes; the numbers wrap.
capture() {
    python3 - "$@" <<'END'
import struct
import sys

START, LEN = 0xFFFFFFFF - 2500, 1000
now, out = 1_000_000, open(sys.argv[1], "wb")
out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))

def put(back, seq, ack, flags, options=b"", data=b""):
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2", 4000, 80)
    src, dst, sport, dport = (ends[1], ends[0], 80, 4000) if back else ends
    tcp = struct.pack(">HHIIBBHHH", sport, dport, seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, (5 + len(options) // 4) << 4, flags, 60000, 0, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp) + len(options) + len(data), 0, 0, 64, 6, 0) + src + dst
    frame = ip + tcp + options + data
    out.write(struct.pack("<IIII", now // 1_000_000, now % 1_000_000, len(frame), len(frame)) + frame)

put(False, START - 1, 0, 2)
put(True, 6, START, 0x12)
for word in sys.argv[2:]:
    if word[0] == "+":
        now += int(word[1:])
    elif word[0] == "s":
        number, _, other = word[1:].partition("=")
        put(False, START + int(number) * LEN, 7, 0x10, data=(b"x" if other else bytes([65 + int(number) % 26])) * LEN)
    else:
        number, _, ranges = word[1:].partition(":")
        options = b""
        if ranges:
            first, end = (START + int(n) * LEN & 0xFFFFFFFF for n in ranges.split("-"))
            options = b"\1\1\5\n" + struct.pack(">II", first, end)
        put(True, 7, START + int(number) * LEN, 0x10, options)
END
}
judge() { # STATUS, RULE or none, options, --, WORDS
    local due=$1 rule=$2 options=()
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    capture "$dir/tcp.pcap" "$@"
    "$talon" logic check "$dir/tcp.pcap" --complete-capture --row rto_min_ns=200ms "${options[@]}" >"$dir/out" 2>&1
    [ $? -eq "$due" ] && { [ "$rule" = none ] || grep -qE "^$rule +fail" "$dir/out"; } || { sed 's/^/# /' "$dir/out"; false; }
}
at_sender=(--logic sack --vantage sender --sut 10.0.0.1)

is "a transfer" judge 0 none "${at_sender[@]}" -- s0 s1 +50 a1 a2 s2 s3 s4 s5 +50 a6
is "fast retransmit by SACK" judge 0 none "${at_sender[@]}" -- s0 s1 s2 s3 +50 a0:1-2 a0:1-3 a0:1-4 s0 +50 a4
is "one that comes too early" judge 1 K5 "${at_sender[@]}" -- s0 s1 s2 s3 +50 a0:1-2 s0 +50 a4
is "and with a higher threshold" judge 1 K5 "${at_sender[@]}" --row dup_threshold=5 -- s0 s1 s2 s3 +50 a0:1-2 a0:1-3 a0:1-4 s0
is "a timeout" judge 0 none "${at_sender[@]}" -- s0 s1 +200000 s0 s1
is "an early one" judge 1 K10 "${at_sender[@]}" -- s0 s1 +100000 s0
is "a changed copy" judge 1 K7 "${at_sender[@]}" -- s0 s1 +200000 s0=x
is "new before lost" judge 1 K6 "${at_sender[@]}" -- s0 s1 s2 s3 +50 a0:1-4 s4 s0
is "sent again after its acknowledgement" judge 1 K9 "${at_sender[@]}" -- s0 s1 s2 +50 a2 s0
is "an acknowledgement of what never passed" judge 1 K3 --logic sack -- s0 s1 +50 a1 s3 a4
may_be_missed() { "$talon" logic check "$dir/tcp.pcap" --logic sack >"$dir/out" 2>&1 && grep -q capture-gap "$dir/out"; }
is "without --complete-capture it may have been missed" may_be_missed
is "a vantage without an address" judge 2 none --logic sack --vantage sender -- s0
is "an address that is none" judge 2 none --logic sack --vantage sender --sut ten -- s0
is "an address without data" judge 2 none --logic sack --vantage sender --sut 10.0.0.9 -- s0
is "no transport declared" [ "$("$talon" logic check "$dir/tcp.pcap" 2>&1 | grep -c 'give --logic or --row')" -eq 1 ]
head -c 60 "$dir/tcp.pcap" >"$dir/cut.pcap"
cut_short() { "$talon" logic check "$dir/cut.pcap" --logic sack >"$dir/out" 2>&1; [ $? -eq 2 ]; }
is "a capture that is cut" cut_short
done_testing
