#!/bin/bash
# lane: works
# What talon check says about NVMe in a capture: a good conversation passes, and each mistake in it is found by the rule
# and the requirement that it violates; with nothing else known, and with the words of the host beside it (--ulp).
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"

cat >"$dir/good" <<'END'
@0   > push_data cid=2 psn=10 rsn=10 / nvme read_request ifn=5 insid=1 itag=1 icmd=7 total=1 nlb=1 slba=0x140000 tnsid=9 sqid=3 eilbrt=0xffffffff elbatm=0xffff elbat=0xffff
+1us > push_data cid=2 psn=11 rsn=11 ar / nvme read_request ifn=5 insid=1 itag=2 icmd=7 total=1 ncmd=1 nlb=1 slba=0x140000 tnsid=9 sqid=3 eilbrt=0xffffffff elbatm=0xffff elbat=0xffff
+5us < back cid=1 dbase=12 rbase=20
+5us < push_data cid=1 psn=30 rsn=60 dbase=12 rbase=20 / nvme read_response ifn=5 itag=2 icmd=7 total=1 ncmd=1 ttag=4 data=4096
+1us < push_data cid=1 psn=31 rsn=61 dbase=12 rbase=20 ar / nvme read_response ifn=5 itag=1 icmd=7 total=1 ttag=4 data=4096
+5us > back cid=2 dbase=32 rbase=40
+5us > push_data cid=2 psn=12 rsn=12 dbase=32 rbase=40 ar / nvme write_request ifn=5 insid=1 itag=3 icmd=8 slba=0x140003 tnsid=9 sqid=3 ilbrt=0xffffffff lbatm=0xffff lbat=0xffff
+5us < pull_request cid=1 psn=40 rsn=62 dbase=13 rbase=20 len=4132 ar / nvme write_data_request ifn=5 itag=3 icmd=8 ttag=5
+5us > pull_data cid=2 psn=13 rsn=62 dbase=32 rbase=41 ar / nvme write_data_response ifn=5 itag=3 icmd=8 ttag=5 data=4096
+5us < push_data cid=1 psn=32 rsn=63 dbase=14 rbase=20 ar / nvme write_completion ifn=5 itag=3 icmd=8 ttag=5
+5us > back cid=2 dbase=33 rbase=41
+5us > push_data cid=2 psn=14 rsn=13 dbase=33 rbase=41 ar / nvme read_request ifn=5 insid=1 itag=1 icmd=9 slba=0x140000 tnsid=9 sqid=3 eilbrt=0xffffffff elbatm=0xffff elbat=0xffff
+5us < push_data cid=1 psn=33 rsn=64 dbase=15 rbase=20 ar / nvme read_response ifn=5 itag=1 icmd=9 ttag=4 data=4096
+5us > back cid=2 dbase=34 rbase=41
END

# The findings of rules about NVMe in a capture of these lines: "NV7 NVME-8.2-11".
judged() { # lines, output, options...
    "$talon" encode "$1" --out "$dir/c.pcap" || return 1
    "$talon" check "$dir/c.pcap" --in-order --complete-capture --format json "${@:3}" >"$dir/c.json" || [ $? -ne 2 ] || return 1
    python3 - "$dir/c.json" >"$2" <<'END'
import json
import sys

report = json.load(open(sys.argv[1]))
found = {(f["rule"], f["requirement"]) for f in report["findings"] if f["rule"].startswith(("NV", "L"))}
print("\n".join(sorted(" ".join(f) for f in found)))
END
}
passes() {
    judged "$dir/good" "$dir/out" "$@" && [ "$(tr -d '\n' <"$dir/out")" = "" ] && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}
is "a good conversation has no finding" passes
exercised() { # how many rules, options...
    "$talon" encode "$dir/good" --out "$dir/c.pcap" && "$talon" check "$dir/c.pcap" --in-order "${@:2}" >"$dir/out" &&
        [ "$(grep -oE '^  pass +NV[0-9]+' "$dir/out" | sort -u | wc -l)" -eq "$1" ] && return 0
    grep -E 'NV[0-9]' "$dir/out" | sed 's/^/# /'
    return 1
}
is "and exercises the three rules that need the wire alone" exercised 3

finds() { # rule and requirement, what to replace in the lines, options...
    sed "$2" "$dir/good" >"$dir/bad"
    ! cmp -s "$dir/good" "$dir/bad" && judged "$dir/bad" "$dir/out" "${@:3}" && grep -qx "$1" "$dir/out" && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}
while IFS='|' read -r what finding change; do
    is "$what: $finding" finds "$finding" "$change"
done <<'END'
another version|L1 NVME-8.2-02|s/read_request ifn/read_request version=2 ifn/
a request in a pull|L1 NVME-8.1.3-01|s/push_data cid=2 psn=12 rsn=12/pull_request cid=2 psn=20 rsn=12/
data with INV in a request|L1 NVME-8.2-06|s/write_request ifn/write_request inv ifn/
a second answer|NV6 NVME-6.3-01|s/ifn=5 itag=1 icmd=9 ttag/ifn=5 itag=2 icmd=7 ttag/
a completion without data|NV6 NVME-6.3-05|/write_data/d;s/psn=14 rsn=13/psn=13 rsn=13/
a tag that is not copied|NV7 NVME-8.2-11|s/read_response ifn=5 itag=2 icmd=7/read_response ifn=5 itag=8 icmd=7/
an identifier that is not copied|NV7 NVME-8.2-13|s/write_completion ifn=5 itag=3 icmd=8/write_completion ifn=5 itag=3 icmd=7/
a target tag that is not copied|NV7 NVME-8.2-09|s/write_data_response\(.*\)ttag=5/write_data_response\1ttag=0/
a tag that is in use|NV7 NVME-8.2-11|s/itag=2 icmd=7 total=1 ncmd=1 nlb/itag=1 icmd=7 total=1 ncmd=1 nlb/
a length without the headers|NV18 NVME-8.6-02|s/len=4132/len=4096/
END

# ---- with the words of the host ----

cat >"$dir/words" <<'END'
{"schema":"talon/ulp/1","complete":true}
{"t_ns":0,"do":"nvme_ns","id":1,"nsid":1,"start":10,"C":0,"S":0,"N":1,"block_shift":12,"encrypt":true}
{"t_ns":0,"id":1,"ok":true,"function":5,"mdts":262144}
{"t_ns":0,"do":"nvme_lba","id":2,"index":10,"valid":true,"sqid":3,"target_nsid":9,"chunk":5,"conn":"c1"}
{"t_ns":0,"id":2,"ok":true}
{"t_ns":0,"do":"nvme_post","id":3,"cmd":1,"op":"read","nsid":1,"slba":0,"nlb0":1}
{"t_ns":0,"id":3,"ok":true,"sq":1,"cid":1}
{"t_ns":20000,"event":"nvme_cqe","cmd":1,"status":0}
{"t_ns":21000,"do":"nvme_post","id":4,"cmd":2,"op":"write","nsid":1,"slba":3,"nlb0":0,"tag":6}
{"t_ns":21000,"id":4,"ok":true,"sq":1,"cid":2}
{"t_ns":45000,"do":"nvme_post","id":5,"cmd":3,"op":"read","nsid":1,"slba":0,"nlb0":0}
{"t_ns":45000,"id":5,"ok":true,"sq":1,"cid":3}
END
cat >"$dir/conns.json" <<'END'
{"schema": "talon/connections/1", "connections": [{"name": "c1", "sut": {"address": "10.0.0.1", "cid": 1, "req_psn": 20, "data_psn": 10, "rsn": 10}, "tester": {"address": "10.0.0.2", "cid": 2, "req_psn": 40, "data_psn": 30, "rsn": 60}}]}
END
words=(--connections "$dir/conns.json" --ulp "$dir/words")
is "with the words of the host, too" passes "${words[@]}"
while IFS='|' read -r what finding change; do
    is "$what: $finding" finds "$finding" "$change" "${words[@]}"
done <<'END'
another block of the target|NV4 NVME-6.6.2-14|s/slba=0x140003/slba=0x140002/
another row|NV4 NVME-8.5-13|s/slba=0x140003 tnsid=9 sqid=3/slba=0x140003 tnsid=9 sqid=4/
FUA that nobody asked for|NV2 NVME-8.5-07|s/slba=0x140003/fua slba=0x140003/
a total that is one more|NV3 NVME-8.2-10|s/icmd=9 slba/icmd=9 total=1 slba/
a split that nothing asks for|NV5 NVME-8.2-07|s/icmd=9 slba/icmd=9 s slba/
tags that are not ones|NV17 NVME-6.7-24|s/ilbrt=0xffffffff lbatm/ilbrt=3 lbatm/
END
done_testing
