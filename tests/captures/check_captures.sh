#!/bin/bash
# lane: works
# What talon check says of a conversation does not depend on what it was carried in: every encapsulation, both IP
# versions, pcap and pcapng, every link type give the same verdicts, and a wrong bit is found in each.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
keys=(--psp-keys tests/data/psp-keys.json --esp-keys tests/data/esp-keys.json)

cat >"$dir/good.txt" <<'END'
@0    > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@10ms < back cid=0x222 dbase=101 rbase=200
@20ms > pull_request cid=0x111 psn=200 rsn=2 dbase=50 rbase=70 request_length=16 ar
@30ms < back cid=0x222 dbase=101 rbase=201
@40ms < pull_data cid=0x222 psn=50 rsn=2 dbase=101 rbase=201 payload_len=16 ar
@50ms > back cid=0x111 dbase=51 rbase=70
END
sed 's/^@30ms < back\(.*\)/@30ms < eack\1 dack=0b1/' "$dir/good.txt" >"$dir/bad.txt"

# Verdicts without the hosts' names, which bare Falcon has not, and without T1, T6 and L2, which need the IV and the headers of
# what is sealed.
judge() { # capture, output; ends as check does
    "$talon" check --in-order "${keys[@]}" "$1" >"$dir/all"
    local status=$?
    awk '$2 ~ /^[A-Z][0-9]+$/ && $2 !~ /^(T1|T6|L2)$/ {print $1, $2}' "$dir/all" | sort >"$2"
    return "$status"
}
gives() { # status, capture, expected verdicts
    judge "$2" "$dir/verdicts"
    local status=$?
    [ "$status" = "$1" ] && cmp -s "$dir/verdicts" "$3" && return 0
    echo "# status $status"
    diff "$3" "$dir/verdicts" | sed 's/^/# /'
    return 1
}

"$talon" encode "$dir/good.txt" --out "$dir/good.pcap" && "$talon" encode "$dir/bad.txt" --out "$dir/bad.pcap" || exit 1
(cat "$dir/good.txt" && echo "@60ms < hex:2000022200000012") >"$dir/ugly.txt" && "$talon" encode "$dir/ugly.txt" --out "$dir/ugly.pcap" || exit 1

judge "$dir/good.pcap" "$dir/good.want"
is "a lawful conversation passes" [ $? = 0 ]
judge "$dir/bad.pcap" "$dir/bad.want"
is "an EACK with bit 0 set fails" [ $? = 1 ]
is "by R2" grep -q '^fail R2' "$dir/bad.want"
judge "$dir/ugly.pcap" "$dir/ugly.want"
is "what was meant to be a Falcon packet and is none fails" [ $? = 1 ]
is "by L1" grep -q '^fail L1' "$dir/ugly.want"

declare -A status=([good]=0 [bad]=1 [ugly]=1)
for encap in udp psp_transport psp_tunnel esp_transport esp_tunnel bare; do
    for ip in 4 6; do
        [ $encap$ip = bare6 ] && continue
        for form in pcap pcapng; do
            for kind in good bad ugly; do
                capture="$dir/$encap-$kind.$form"
                "$talon" encode "$dir/$kind.txt" --encap $encap --ip $ip "${keys[@]}" --out "$capture"
                is "$encap, IPv$ip, $form, $kind" gives "${status[$kind]}" "$capture" "$dir/$kind.want"
            done
        done
    done
done

# Raw IP and Linux cooked: the same frames below another link header.
other_link() { # link type, its layer with a comma, or nothing
    "$talon" decode --format json "$dir/bad.pcap" |
        sed -E "s/\"layers\":\[\"eth\",/\"layers\":[$2/; s/\"eth\":\{[^}]*\},//" >"$dir/lines.jsonl"
    "$talon" encode "$dir/lines.jsonl" --linktype "$1" --out "$dir/link-$1.pcap"
    is "link type $1" gives 1 "$dir/link-$1.pcap" "$dir/bad.want"
}
other_link 101 ''
other_link 113 '"sll",'
other_link 276 '"sll2",'

# The first fragment of a packet is short because the rest is elsewhere.
"$talon" decode --format json "$dir/ugly.pcap" |
    sed -E '$ s/"more_fragments":0/"more_fragments":1/; $ s/"header_checksum":[0-9]*,//; $ s/"length":16,/"length":40,/; $ s/"raw":"2/"raw":"1/' \
        >"$dir/lines.jsonl"
"$talon" encode "$dir/lines.jsonl" --out "$dir/fragment.pcap"
is "a fragment is no short packet" gives 0 "$dir/fragment.pcap" "$dir/good.want"
is "sealed, without keys: nothing to judge" [ "$("$talon" check "$dir/psp_transport-bad.pcap" >/dev/null 2>&1; echo $?)" = 2 ]

# A reader that has read enough is no error; a disk that is full is one.
early_end() {
    { "$talon" check "$dir/bad.pcap" 2>"$dir/err"; echo $? >"$dir/status"; } | true
    [ "$(cat "$dir/status")" = 1 ] && [ ! -s "$dir/err" ]
}
is "a closed pipe: the verdict, and no word" early_end
full_disk() {
    "$talon" "$@" >/dev/full 2>"$dir/err"
    [ $? = 4 ] && [ "$(cat "$dir/err")" = "talon $1: standard output cannot be written; is the disk full?" ]
}
is "a full disk: check" full_disk check "$dir/bad.pcap"
is "a full disk: a list" full_disk list faults
done_testing
