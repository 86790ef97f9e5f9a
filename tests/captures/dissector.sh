#!/bin/bash
# lane: works
# The Wireshark dissector (make dissector): tshark with it shows what talon decode says, field by field and issue by issue.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
lua=$BUILD/falcon.lua
compare() { # CAPTURE...: the last line of what it prints goes to $dir/last
    python3 tests/captures/dissector.py "$talon" "$lua" "$@" >"$dir/log" 2>&1
    local status=$?
    tail -n 1 "$dir/log" >"$dir/last"
    [ $status -eq 0 ] || { head -n 12 "$dir/log" >&2; return 1; }
}
counted() { # FRAMES FIELDS ISSUES: at least so many were compared
    awk -v f="$1" -v n="$2" -v i="$3" '{exit !($1 >= f && $3 >= n && $5 >= i)}' "$dir/last" || { cat "$dir/last" >&2; return 1; }
}
show() { # CAPTURE, FIELD..., with -o before: its values
    local capture=$1 args=()
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        -o) args+=(-o "$2") && shift ;;
        *) args+=(-e "$1") ;;
        esac
        shift
    done
    tshark -X "lua_script:$lua" -r "$capture" -n -T fields "${args[@]}" 2>/dev/null
}

fresh() { cat <("$BUILD/dissector_gen") codecs/dissector.lua | cmp - "$lua"; }
is "what was built is what the tables say" fresh
if ! command -v tshark >/dev/null; then
    echo "ok 2 - # SKIP no tshark here"
    echo "1..2"
    exit 0
fi
if ! tshark --version 2>/dev/null | grep -q 'with Lua'; then
    echo "ok 2 - # SKIP this tshark has no Lua"
    echo "1..2"
    exit 0
fi

samples() { compare tests/data/*.pcap tests/data/captures/*.pcap tests/data/captures/*.pcapng && counted 150 2400 20; }
is "every sample, field by field" samples

# Nobody has the keys of PSP with GMAC, and all of it can be read.
"$talon" decode --format json --psp-keys tests/data/psp-keys.json tests/data/captures/psp_transport-4.pcap |
    sed -E 's/("psp":\{[^}]*"version":)[0-9]+(,"version_text":"[^"]*")?/\12/; s/,"icv":"[0-9a-f]*"//; s/,"authenticated":true//' >"$dir/gmac.jsonl"
clear_psp() {
    "$talon" encode --psp-keys tests/data/psp-keys.json "$dir/gmac.jsonl" --out "$dir/gmac.pcap" && compare "$dir/gmac.pcap" && counted 7 190 0
}
is "PSP that only authenticates" clear_psp
decrypted() { # the same bytes under a version that encrypts, as a decrypting tool leaves them
    python3 - "$dir/gmac.pcap" "$dir/plain.pcap" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 24
while at < len(data):
    n = struct.unpack("<I", data[at + 8:at + 12])[0]
    byte = at + 16 + 42 + 3
    data[byte] &= 0xc3
    at += 16 + n
open(sys.argv[2], "wb").write(data)
P
    [ -z "$(show "$dir/plain.pcap" falcon.psn | tr -d '\n')" ] &&
        [ -n "$(show "$dir/gmac.pcap" falcon.psn | tr -d '\n')" ] &&
        cmp <(show "$dir/gmac.pcap" falcon.psn falcon.rsn falcon.recv_req_base_psn falcon.request_length) \
            <(show "$dir/plain.pcap" -o falcon.decrypted:TRUE falcon.psn falcon.rsn falcon.recv_req_base_psn falcon.request_length)
}
is "PSP that was decrypted before" decrypted

# Packets of all kinds with bits changed at random: none is shown otherwise, and Lua never breaks.
mutated() {
    python3 - "$1" "$dir/mutated.pcap" tests/data/captures/{rdma,udp-4,bare}.pcap <<'P' || return 1
import random, struct, sys
random.seed(int(sys.argv[1]))
packets = []
for name in sys.argv[3:]:
    data = open(name, "rb").read()
    skip = 0 if name.endswith("bare.pcap") else 42
    at = 24
    while at < len(data):
        n = struct.unpack("<I", data[at + 8:at + 12])[0]
        packets.append(data[at + 16 + skip:at + 16 + n])
        at += 16 + n
out = [struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 147)]
for i in range(1500):
    p = bytearray(random.choice(packets))
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        p[random.randrange(min(len(p), 70))] ^= 1 << random.randrange(8)
    if random.random() < 0.2:
        p = p[:random.randrange(1, len(p) + 1)]
    if random.random() < 0.1:
        p += bytes(random.randrange(5))
    out.append(struct.pack("<IIII", 0, i, len(p), len(p)) + bytes(p))
open(sys.argv[2], "wb").write(b"".join(out))
P
    compare "$dir/mutated.pcap" && counted 1500 20000 700
}
is "1,500 packets with bits changed (seed 1)" mutated 1
is "1,500 more (seed 2)" mutated 2

marks() {
    [ "$(show tests/data/sample.pcap frame.number falcon.retransmission_of falcon.replaces falcon.refused | awk 'NF > 1' | tr '\t\n' ' ;')" = \
        "10   9;11 9  ;12   11;13  9 ;" ] || { show tests/data/sample.pcap frame.number falcon.retransmission_of falcon.replaces falcon.refused >&2; return 1; }
    [ "$(show tests/data/sample.pcap falcon.flow | sort -u | wc -l)" -eq 2 ] &&
        [ "$(show tests/data/sample.pcap falcon.psn_window | sort | uniq -c | tr -s ' \n' ' ')" = " 6 7 data 1 request " ]
}
is "retransmissions, resyncs, refusals and flows are marked" marks
column() { # CAPTURE, OPTION...: the Info column
    local capture=$1
    shift
    tshark -2 -X "lua_script:$lua" "$@" -r "$capture" -n -T fields -e _ws.col.Info 2>/dev/null
}
info() {
    column tests/data/sample.pcap >"$dir/info"
    grep -qx 'eack cid=3567 dbase=1r rbase=0r drx=0b10' "$dir/info" &&
        grep -qx 'nack cid=3567 dbase=3r rbase=41r nack_psn=3r code=rnr rnr=40us w=data' "$dir/info" &&
        grep -qx 'nack cid=3567 dbase=3r rbase=41r nack_psn=3r code=cie w=data ulp_nack_code=5' "$dir/info" &&
        grep -qx 'resync cid=2748 dbase=901r rbase=0r psn=3r rsn=4r code=cie of=push_data ar' "$dir/info"
}
is "the Info column shows bitmaps, codes, timeouts and relative numbers" info
absolute() { column tests/data/sample.pcap -o falcon.relative:FALSE | grep -qx 'eack cid=3567 dbase=101 rbase=0 drx=0b10'; }
is "numbers as they are, if the preference asks" absolute
first_lost() { # the first packet of the window comes last: it is 0r all the same
    printf '%s\n' '@0 > push_data cid=1 psn=7 rsn=1 len=0' '@1us < eack cid=2 dbase=5 own=3 drx=0b100' '@2us > push_data cid=1 psn=5 rsn=0 len=0' |
        "$talon" encode - --out "$dir/late.pcap" 2>"$dir/log" || { cat "$dir/log" >&2; return 1; }
    column "$dir/late.pcap" >"$dir/info"
    grep -q '^push_data cid=1 .* psn=2r rsn=1r' "$dir/info" && grep -q '^eack cid=2 dbase=0r .*drx=0b100 r-own d-own$' "$dir/info" &&
        grep -q '^push_data cid=1 .* psn=0r rsn=0r' "$dir/info" || { cat "$dir/info" >&2; return 1; }
}
is "a window that begins with a hole, and OWN" first_lost
expert() {
    tshark -X "lua_script:$lua" -r tests/data/captures/malformed.pcapng -q -z expert 2>/dev/null >"$dir/expert"
    grep -q 'own-in-back' "$dir/expert" && grep -q 'FTP-7.7.2-07' "$dir/expert"
}
is "the lint's issues are expert information" expert
# RDMA 6.7: a SEND and a WRITE of three packets between which others go, a READ with its response, and a SEND of one packet.
messages() {
    printf '%s\n' '@0 > push_data cid=1 proto=2 psn=0 rsn=0 / rdma send_first dqp=5 sn=1 rmsn=1 off=0 data=256' \
        '@1us > push_data cid=1 proto=2 psn=1 rsn=1 / rdma write_first dqp=5 sn=2 va=0xfffffff80 rkey=9 reth.length=256 data=256' \
        '@2us > push_data cid=1 proto=2 psn=2 rsn=2 / rdma send_last dqp=5 sn=3 rmsn=1 off=256 data=10' \
        '@3us > push_data cid=1 proto=2 psn=3 rsn=3 / rdma write_middle dqp=5 sn=4 va=0x1000000080 rkey=9 reth.length=256 data=256' \
        '@4us > pull_request cid=1 proto=2 psn=0 rsn=4 len=88 / rdma read_request dqp=5 sn=5 va=64 reth.length=64 rmsn=1 steth.va=128' \
        '@5us > push_data cid=1 proto=2 psn=4 rsn=5 / rdma send_only dqp=5 sn=6 rmsn=2 off=0 data=10' \
        '@6us < pull_data cid=2 proto=2 psn=0 rsn=4 / rdma read_response_only sn=5 steth.va=128 data=64' \
        '@7us > push_data cid=1 proto=2 psn=5 rsn=6 / rdma write_last dqp=5 sn=7 va=0x1000000180 rkey=9 reth.length=7 data=7' |
        "$talon" encode - --out "$dir/messages.pcap" 2>"$dir/log" || { cat "$dir/log" >&2; return 1; }
    show "$dir/messages.pcap" falcon_rdma.message falcon_rdma.message.first | tr '\t\n' ' ;' >"$dir/shown"
    [ "$(cat "$dir/shown")" = "1 1;2 2;1 1;2 2;3 5; ;3 5;2 2;" ] || { cat "$dir/shown" >&2; return 1; }
    [ "$(tshark -X "lua_script:$lua" -r "$dir/messages.pcap" -n -Y 'falcon_rdma.message == 2' 2>/dev/null | wc -l)" -eq 3 ]
}
is "the packets of a message have one number" messages
# NVME 8: each type of packet with its own fields, and a command that is split over two targets beside a read with the same tags.
nvme_headers() {
    compare tests/data/captures/nvme.pcapng && counted 6 190 0 &&
        [ "$(show tests/data/captures/nvme.pcapng falcon_nvme.packet_type | tr '\n' ' ')" = "0 1 2 3 4 5 " ] &&
        [ "$(show tests/data/captures/nvme.pcapng falcon_nvme.slba falcon_nvme.nlb falcon_nvme.target_sqid | sed -n '1p;5p' | tr '\t\n' ' ;')" = \
            "0x0000000123456789 7 3;0x0000000123456789 7 3;" ] &&
        [ "$(tshark -X "lua_script:$lua" -r tests/data/captures/nvme.pcapng -n -Y 'falcon_nvme.cqe_status == 0' 2>/dev/null | wc -l)" -eq 2 ]
}
is "each header of NVMe" nvme_headers
commands() {
    printf '%s\n' '@0 > push_data cid=1 proto=nvme psn=0 rsn=0 / nvme write_request ifn=1 s=1 total=1 itag=8 ncmd=0 icmd=7' \
        '@1us > push_data cid=9 proto=nvme psn=0 rsn=0 / nvme write_request ifn=1 s=1 ng=1 total=1 itag=9 ncmd=1 icmd=7' \
        '@2us > push_data cid=1 proto=nvme psn=1 rsn=1 / nvme read_request ifn=2 total=0 itag=8 ncmd=0 icmd=7' \
        '@3us < pull_request cid=2 proto=nvme psn=0 rsn=0 len=100 / nvme write_data_request ifn=1 s=1 total=1 itag=8 ncmd=0 icmd=7' \
        '@4us < push_data cid=2 proto=nvme psn=0 rsn=1 / nvme read_response ifn=2 total=0 itag=8 ncmd=0 icmd=7 status=0 data=64' \
        '@5us > push_data cid=1 proto=nvme psn=1 rsn=1 / nvme read_request ifn=2 total=0 itag=8 ncmd=0 icmd=7' \
        '@6us > push_data cid=1 proto=nvme psn=2 rsn=2 / nvme read_request ifn=2 total=0 itag=3 ncmd=0 icmd=7' \
        '@7us < push_data cid=2 proto=nvme psn=1 rsn=2 / nvme read_response ifn=2 total=0 itag=3 ncmd=0 icmd=7 status=0 data=64' |
        "$talon" encode - --out "$dir/commands.pcap" 2>"$dir/log" || { cat "$dir/log" >&2; return 1; }
    show "$dir/commands.pcap" falcon_nvme.command falcon_nvme.command.first | tr '\t\n' ' ;' >"$dir/shown"
    [ "$(cat "$dir/shown")" = "1 1;1 1;2 3;1 1;2 3;2 3;3 7;3 7;" ] || { cat "$dir/shown" >&2; return 1; }
}
is "the packets of a command of NVMe have one number" commands
every_field() {
    local missing
    missing=$(comm -23 <("$talon" list fields --format json | python3 -c '
import json, sys
for f in json.load(sys.stdin):
    h, n = f["header"], f["field"]
    if h in ("pull_request", "pull_data", "push_data", "resync", "nack", "back", "eack"): print("falcon." + n)
    elif h.endswith("eth") and h not in ("eth", "aeth", "roce_deth") or h in ("rbth", "steth", "immdt"): print("falcon_rdma.%s.%s" % (h, n))
    elif h.startswith("nvme_"): print("falcon_nvme." + n)
    elif h in ("psp", "psp_vc"): print("falcon_psp." + n)' | sort -u) \
        <(tshark -G fields -X "lua_script:$lua" 2>/dev/null | cut -f3 | sort -u))
    [ -z "$missing" ] || { echo "# missing: $missing" >&2; return 1; }
}
is "each field of the tables is one of Wireshark's" every_field
done_testing
