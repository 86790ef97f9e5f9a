#!/bin/bash
# lane: works
# talon check --protocol roce: captures whose ICRC Python's zlib calculated. Each violation is found by the rule named for it, a
# good receiver is not failed, what is not declared is an excuse, and bad options and files give one clear error.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
sut=(--sut 10.0.0.2 --np 50us --turnaround 2us --limiter qp --claims "congestion-management,icrc-captured"
    --connections "$dir/pairs.json" --complete-capture --from-start)
echo '{"connections": [{"sut": {"ip": "10.0.0.2", "qp": 11}, "peer": {"ip": "10.0.0.1", "qp": 10}}]}' >"$dir/pairs.json"
for kind in calm marked no-cause too-often no-cnp bad-icrc bad-form unsent; do
    python3 tests/captures/roce_capture.py "$dir/$kind.pcap" "$kind" || exit 1
done

judge() { "$talon" check --protocol roce "$@" >"$dir/out" 2>"$dir/err"; }
broken() { awk '$2 == "fail" {printf "%s ", $1}' "$dir/out"; }
finds() { # capture, status, rules with a space behind each, options...
    local capture=$1 status=$2 rules=$3
    shift 3
    judge "$dir/$capture.pcap" "$@"
    [ "$?" = "$status" ] && [ "$(broken)" = "$rules" ] && return 0
    sed 's/^/# /' "$dir/out" "$dir/err"
    return 1
}
says() { # text, options...
    local text=$1
    shift
    judge "$@"
    [ "$?" = 2 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -qF -- "$text" "$dir/err" && return 0
    sed 's/^/# /' "$dir/err"
    return 1
}

is "a capture without congestion gives no finding" finds calm 0 "" "${sut[@]}"
is "nor does a receiver that answers marks" finds marked 0 "" "${sut[@]}"
is "a CNP without a mark violates NP1" finds no-cause 1 "NP1 " "${sut[@]}"
is "two CNPs within N violate NP2" finds too-often 1 "NP2 " "${sut[@]}"
is "a mark without a CNP violates NP3" finds no-cnp 1 "NP3 " "${sut[@]}"
is "a CNP that is not zero violates NP4" finds bad-form 1 "NP4 " "${sut[@]}"
is "a wrong ICRC violates NP1, NP4 and WF3" finds bad-icrc 1 "NP1 NP4 WF3 " "${sut[@]}"
is "an ACK of what was not sent violates GB3" finds unsent 1 "GB3 " "${sut[@]}"
is "the finding names the frame" grep -q "number 65, flow 10" "$dir/out"
is "without declarations nothing is failed but what needs none" finds no-cause 0 "" --sut 10.0.0.2
is "and the excuses are named" grep -q "first: rcm-not-declared" <(judge "$dir/no-cnp.pcap" --sut 10.0.0.2; cat "$dir/out")
is "an ICRC that the NIC has yet to write is no failure" finds bad-icrc 0 "" --sut 10.0.0.2 --filter "udp[8] = 0x81"
is "a capture that says nothing is inconclusive" finds marked 3 "" --sut 10.9.9.9
is "and the hosts that are there are named" grep -q "10.9.9.9, which --sut names; the capture has packets of 10.0.0.1 and 10.0.0.2" "$dir/err"
judge "$dir/no-cause.pcap" "${sut[@]}" --format json
is "JSON has the same" [ "$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["schema"], d["verdict"],
    [r["id"] for r in d["rules"] if r["broken"]], d["cnps"])' "$dir/out")" = "talon/roce-check/1 fail ['NP1'] 1" ]
gzip -k "$dir/no-cause.pcap"
is "compressed captures, too" finds no-cause.pcap.gz 2 "" "${sut[@]}"
cp "$dir/no-cause.pcap.gz" "$dir/zipped.pcap"
is "whatever their name is" finds zipped 1 "NP1 " "${sut[@]}"

echo '{"preset": "nic", "line_rate_bps": 100000000000, "burst_bytes": 65536}' >"$dir/rp.json"
is "parameters come from a file" finds marked 0 "" "${sut[@]}" --rp "$dir/rp.json"
is "or have a name" finds marked 0 "" "${sut[@]}" --rp paper --line-rate 100Gb/s --burst 65536
echo '{"preset": "nic", "timer": 1}' >"$dir/bad.json"
echo '{"gd": 41}' >"$dir/range.json"
echo '{"preset": "fast"}' >"$dir/preset.json"
echo '{"connections": [{"sut": {"ip": "x", "qp": 1}}]}' >"$dir/ip.json"
is "an unknown parameter is named" says "timer" "$dir/calm.pcap" --rp "$dir/bad.json"
is "and one out of range" says "gd" "$dir/calm.pcap" --rp "$dir/range.json"
is "and an unknown set" says "there are paper and nic" "$dir/calm.pcap" --rp "$dir/preset.json"
is "a file that is not there is named" says "$dir/none.json" "$dir/calm.pcap" --rp "$dir/none.json"
is "a wrong address is named" says "expected an IP address, found 'x'" "$dir/calm.pcap" --connections "$dir/ip.json"
is "a wrong rate" says "expected a rate such as 100Gb/s" "$dir/calm.pcap" --line-rate 100
is "a wrong claim" says "no claim 'fast'" "$dir/calm.pcap" --claims fast
is "vantage sut needs --sut" says "state who is the SUT" "$dir/calm.pcap" --vantage sut
is "--before needs a switch" says "--before needs --vantage switch" "$dir/calm.pcap" --before 0
is "no file" says "no file given" --sut 10.0.0.2
is "a capture without RoCEv2 says so" says "has no RoCEv2 packet" "$dir/calm.pcap" --filter "udp port 1"
is "the rules are listed" [ "$("$talon" list rules --protocol roce | wc -l)" = 18 ]

# Packets of the soft RoCE of Linux 6.1, which tests/guest/guest wrote (roce-rxe/for-a-capture.json): SEND, WRITE with
# immediate, READ, padding of each length, a NAK and RNR NAKs. Queue pairs 108 of both ends are connected, and 109.
rxe=tests/data/roce-rxe.pcapng
for qp in 108 109; do
    echo '{"sut": {"ip": "fe80::ff:fe00:101", "qp": '$qp'}, "peer": {"ip": "fe80::ff:fe00:102", "qp": '$qp'}}'
done | sed '$!s/$/,/; 1s/^/{"connections": [/; $s/$/]}/' >"$dir/rxe.json"
rxe() { # END, RULES that pass: no finding about that end of the capture
    "$talon" check --protocol roce "$rxe" --sut "fe80::ff:fe00:$1" --turnaround 1s --timeout 500ms --mtu 256 --complete-capture \
        --from-start --lossless-out --no-duplicates --claims no-congestion-management,icrc-captured --connections "$dir/rxe.json" >"$dir/out" 2>"$dir/err" &&
        [ "$(awk '$2 == "pass" { printf "%s ", $1 }' "$dir/out")" = "$2" ] && return 0
    sed 's/^/# /' "$dir/out" "$dir/err"
    return 1
}
is "a sender of the kernel's soft RoCE gives no finding" rxe 101 "GB1 GB2 GB5 GB6 WF1 WF3 "
is "nor does its receiver" rxe 102 "GB3 GB4 WF1 WF2 WF3 "
all_icrcs() { # FILE, VERDICT, HELD, VIOLATED, RIGHT, WRONG: of Talon, and of zlib
    judge "$1" --claims icrc-captured
    [ "$(awk '$1 == "WF3" { print $2, $3, $4 }' "$dir/out")" = "$2 $3 $4" ] && python3 tests/captures/icrc.py "$1" | grep -q "^$5 right, $6 wrong"
}
is "its ICRC is Talon's for each packet" all_icrcs "$rxe" pass 29 0 29 0
python3 - "$rxe" "$dir/spoiled.pcapng" <<'P'
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
at = 0
while at + 12 <= len(data):
    kind, length = struct.unpack_from("<II", data, at)
    if kind == 6:
        last = at + 28 + struct.unpack_from("<I", data, at + 20)[0] - 1
        data[last - 7] ^= 1  # of the data, or of the AETH
    at += length
open(sys.argv[2], "wb").write(data)
P
is "and of no packet with another bit" all_icrcs "$dir/spoiled.pcapng" fail 0 29 0 29
done_testing
