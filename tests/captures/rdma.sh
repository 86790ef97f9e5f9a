#!/bin/bash
# lane: works
# What talon check says about RDMA in a capture with nothing else known: a good conversation passes, and each mistake in it
# is found by the rule and the requirement that it violates.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"

cat >"$dir/good" <<'END'
@0   > push_data cid=2 psn=10 rsn=10 ar / rdma send_only dqp=5 sn=11 rmsn=1 data=100
+5us < back cid=1 dbase=11 rbase=20
+5us > push_data cid=2 psn=11 rsn=11 / rdma send_first dqp=5 sn=12 rmsn=2 off=0 data=256
+1us > push_data cid=2 psn=12 rsn=12 / rdma send_middle dqp=5 sn=13 rmsn=2 off=256 data=256
+1us > push_data cid=2 psn=13 rsn=13 ar / rdma send_last dqp=5 sn=14 rmsn=2 off=512 data=9
+5us < back cid=1 dbase=14 rbase=20
+5us > push_data cid=2 psn=14 rsn=14 / rdma write_first dqp=5 sn=15 va=0x1000 rkey=7 data=256
+1us > push_data cid=2 psn=15 rsn=15 ar / rdma write_last_imm dqp=5 sn=16 va=0x1100 reth.rkey=7 rmsn=3 data=8
+5us < back cid=1 dbase=16 rbase=20
+5us > pull_request cid=2 psn=20 rsn=16 ar / rdma read_request dqp=5 sn=17 reth.length=64 rmsn=1 steth.va=0x9000 lkey=3
+5us < pull_data cid=1 psn=30 rsn=16 dbase=16 rbase=21 ar / rdma read_response_only dqp=6 sn=17 steth.va=0x9000 lkey=3 data=64
+1us > pull_request cid=2 psn=21 rsn=17 dbase=31 ar / rdma atomic_fetch_add dqp=5 sn=18 rmsn=2 steth.va=0x9100 lkey=3
+5us < pull_data cid=1 psn=31 rsn=17 dbase=16 rbase=22 ar / rdma atomic_response dqp=6 sn=18 steth.va=0x9100 lkey=3
+5us > push_data cid=2 psn=16 rsn=18 dbase=32 ar / rdma send_only dqp=5 sn=19 rmsn=4 data=1
+5us < back cid=1 dbase=17 rbase=22
END

# The verdicts on V rules of a capture of these lines: "fail V4 RDMA-8.2-12".
judged() { # lines, output
    "$talon" encode "$1" --out "$dir/c.pcap" || return 1
    "$talon" check "$dir/c.pcap" --in-order --format json >"$dir/c.json"
    python3 - "$dir/c.json" >"$2" <<'END'
import json
import sys

report = json.load(open(sys.argv[1]))
found = {(f["rule"], f["requirement"]) for f in report["findings"] if f["rule"].startswith(("V", "L"))}
print("\n".join(sorted(" ".join(f) for f in found)))
END
}
passes() {
    judged "$dir/good" "$dir/out" && [ "$(tr -d '\n' <"$dir/out")" = "" ] && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}
is "a good conversation has no finding" passes
exercised() {
    "$talon" encode "$dir/good" --out "$dir/c.pcap" && "$talon" check "$dir/c.pcap" --in-order >"$dir/out" &&
        [ "$(grep -oE '^  pass +V[0-9]+' "$dir/out" | sort -u | wc -l)" -eq 6 ]
}
is "and exercises the six rules" exercised

finds() { # rule and requirement, what to replace in the lines
    sed "$2" "$dir/good" >"$dir/bad"
    ! cmp -s "$dir/good" "$dir/bad" && judged "$dir/bad" "$dir/out" && grep -qx "$1" "$dir/out" && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}
while IFS='|' read -r what finding change; do
    is "$what: $finding" finds "$finding" "$change"
done <<'END'
a reserved operation|L1 RDMA-8.1.3-26|s/write_first \(.*\)sn=15 va=0x1000 rkey=7/rbth opcode=31 \1sn=15/
an operation of another packet|L1 RDMA-8.1.3-14|s/pull_request\(.*\)psn=20\(.*\)read_request/push_data\1psn=16\2read_request/
another version|L1 RDMA-8.2-02|s/send_middle/send_middle version=2/
a middle packet of another size|V2 RDMA-6.7-04|s/off=256 data=256/off=256 data=252/
a last packet that is longer|V2 RDMA-6.7-05|s/off=512 data=9/off=512 data=300/
a last packet without data|V2 RDMA-6.7-05|s/off=512 data=9/off=512/
a WRITE whose last packet is longer|V2 RDMA-6.7-08|s/rmsn=3 data=8/rmsn=3 data=264/
a rest without a beginning|V2 RDMA-6.7-01|s/send_middle/send_only/
a sequence number again|V4 RDMA-8.2-12|s/sn=13/sn=12/
a message that counts twice|V5 RDMA-8.3.2-04|s/rmsn=3 data/rmsn=4 data/
READs that do not count|V5 RDMA-8.3.2-05|s/rmsn=2 steth/rmsn=1 steth/
a message that counts the READs|V5 RDMA-8.3.2-07|s/rmsn=4 data/rmsn=6 data/
an offset in packets|V6 RDMA-8.3.3-01|s/off=256/off=1/
an answer of another operation|V8 RDMA-8-01|s/read_response_only/atomic_response/;s/ data=64//
an answer that is too short|V8 RDMA-8-01|s/data=64/data=60/
an answer with a number of its own|V8 RDMA-8.2-14|s/read_response_only dqp=6 sn=17/read_response_only dqp=6 sn=1/
an answer with an ICRC|V26 RDMA-6.8-06|s/data=64/data=68/
an acknowledgement of RDMA|V26 RDMA-8-02|s/write_first \(.*\)sn=15 va=0x1000 rkey=7/rbth opcode=17 \1sn=15/
a congestion notification of RoCE|V26 RDMA-6.8-07|s/write_first \(.*\)sn=15 va=0x1000 rkey=7/rbth opcode=0x81 \1sn=15/
an answer that points elsewhere|V8 RDMA-8.3.4-03|s/read_response_only\(.*\)lkey=3/read_response_only\1lkey=4/
END

# What people read shows the packets of a message as one.
shows() { # output, lines of which it has one each
    local line bad=0
    while read -r line; do
        [ "$(grep -cF -- "$line" "$1")" -eq 1 ] || { echo "# not once: $line" && bad=1; }
    done
    return $bad
}
decoded() {
    "$talon" encode "$dir/good" --out "$dir/c.pcap" && "$talon" decode "$dir/c.pcap" >"$dir/out" && shows "$dir/out" <<'END'
# message 1: send, bytes 0 to 255
# message 1: send, bytes 256 to 511
# message 1: send, bytes 512 to 520, whole: 3 packets, 521 bytes
# message 2: write, bytes 256 to 263, whole: 2 packets, 264 bytes
# message 3: read of 64 bytes
# message 3: read, response
# message 4: atomic operation, response
END
}
is "decode names the message of each packet" decoded
checked() { # of the same lines: whatever the number of threads
    sed 's/off=512/off=500/' "$dir/good" >"$dir/bad" && "$talon" encode "$dir/bad" --out "$dir/c.pcap" || return 1
    "$talon" check "$dir/c.pcap" --in-order --jobs "$1" >"$dir/out"
    shows "$dir/out" <<'END'
seen      push_data cid=2 dbase=0 rbase=0 psn=13 rsn=13 len=32 ar / rdma send_last pad=3 dqp=5 sn=14 seth.rmsn=2 oeth.off=500 data=9
/ rdma send_middle dqp=5 sn=13 seth.rmsn=2 oeth.off=256 data=256  # frame 4, message of frame 3: send, bytes 256 to 511
/ rdma write_first dqp=5 sn=15 reth.va=0x1000 reth.rkey=7 reth.length=256 data=256  # frame 7, message of frame 7: write, bytes 0 to 255
END
}
is "check shows the headers and the messages" checked 1
is "check shows them with two threads" checked 2

# The words of the verbs beside a capture: posts, replies and completions.
cat >"$dir/words" <<'END'
{"schema": "talon/ulp/1", "error_ns": 0}
{"t_ns": 0, "id": 1, "do": "pd_create"}
{"t_ns": 0, "id": 1, "ok": true, "pd": "p"}
{"t_ns": 0, "id": 2, "do": "cq_create", "depth": 64}
{"t_ns": 0, "id": 2, "ok": true, "cq": "c"}
{"t_ns": 0, "id": 3, "do": "mr_reg", "pd": "p", "length": 4096, "access": ["lw"]}
{"t_ns": 0, "id": 3, "ok": true, "mr": "m", "va": "0x1000", "lkey": 3, "rkey": 4}
{"t_ns": 0, "id": 4, "do": "qp_create", "type": "rc", "pd": "p", "send_cq": "c", "recv_cq": "c", "ordering": "strong", "errors": "verbs"}
{"t_ns": 0, "id": 4, "ok": true, "qp": "q", "qpn": 6, "ordering": "strong", "errors": "verbs", "path_mtu": 256}
{"t_ns": 0, "id": 5, "do": "qp_connect", "qp": "q", "conn": "c1", "dest_qpn": 5}
{"t_ns": 0, "id": 5, "ok": true}
{"t_ns": 0, "id": 6, "do": "post_send", "qp": "q", "wr_id": 1, "op": "send", "sgl": [{"mr": "m", "length": 100}], "flags": ["signaled"]}
{"t_ns": 0, "id": 6, "ok": true}
{"t_ns": 60000, "seq": 1, "event": "wc", "cq": "c", "qp": "q", "wr_id": 1, "status": 0, "opcode": "send", "byte_len": 100}
END
cat >"$dir/conns.json" <<'END'
{"schema": "talon/connections/1", "connections": [{"name": "c1", "sut": {"address": "10.0.0.1", "cid": 1, "req_psn": 20, "data_psn": 10, "rsn": 10}, "tester": {"address": "10.0.0.2", "cid": 2, "req_psn": 40, "data_psn": 30, "rsn": 30}}]}
END
posted() { # lines of the file
    "$talon" encode "$dir/good" --out "$dir/c.pcap" && "$talon" check "$dir/c.pcap" --in-order --connections "$dir/conns.json" --ulp "$1" --format json >"$dir/c.json" 2>"$dir/err"
    python3 -c 'import json, sys; c = json.load(open(sys.argv[1]))["capture"]; print(c["ulp_events"], c["ulp_unplaced"])' "$dir/c.json"
}
words() {
    [ "$(posted "$dir/words" 2>&1)" = "13 0" ] && return 0
    sed 's/^/# /' "$dir/err"
    return 1
}
is "--ulp reads posts, replies and completions" words
refuses() { # sentence, what to replace in the lines
    sed "$2" "$dir/words" >"$dir/wrong"
    ! cmp -s "$dir/words" "$dir/wrong" && posted "$dir/wrong" >/dev/null 2>&1
    grep -qF "$dir/wrong:$1" "$dir/err" && return 0
    sed 's/^/# /' "$dir/err"
    return 1
}
is "--ulp: a wrong member is named with its file and line" refuses '12: post_send: op: ' 's/"op": "send"/"op": "sent"/'
is "--ulp: a missing member is named" refuses '14: wc: wr_id: ' 's/"qp": "q", "wr_id": 1, "status"/"qp": "q", "status"/'
is "--ulp: a command without its id" refuses '12: post_send: id: ' 's/"id": 6, "do"/"do"/'
is "--ulp: a connection that there is not" refuses '10: conn: no connection' 's/"conn": "c1"/"conn": "c9"/'

done_testing
