#!/bin/bash
# lane: waits
# --sut pcap:FILE@SUT plays the tester's side of a capture again: to the built-in implementation, whole and broken, and to a
# process over UDP; from Talon's own captures and from others' of any encapsulation. What is no such capture is one clear
# error.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
keys=(--capture-psp-keys tests/data/psp-keys.json --capture-esp-keys tests/data/esp-keys.json)

"$talon" run --verbose scenarios/8-transactions --id 'many-transactions@*' --id 'windows-of-their-own@*' --out "$dir/kept" --keep all >/dev/null || exit 1
captures=("$dir"/kept/*/packets.pcapng)

each() { # status, SUT, options...
    local want=$1 sut=$2 capture
    shift 2
    for capture in "${captures[@]}"; do
        "$talon" run --verbose --sut "pcap:$capture$sut" "$@" >"$dir/out" 2>&1
        [ $? = "$want" ] && continue
        echo "# $capture"
        tail -n 30 "$dir/out" | cut -c1-150 | sed 's/^/# /'
        return 1
    done
}
is "there are captures" [ ${#captures[@]} -gt 5 ]
is "what the built-in one has answered, it answers again" each 0 ""
is "as fast as it goes, too" each 0 @builtin --capture-speed fast
is "sealed, over a path with delay" each 0 @builtin --encap psp_tunnel --network latency=20us
is "a fault in answers and requests is told" each 1 @builtin:fault=header-field-corrupted
captures=("$dir"/kept/many-transactions*/packets.pcapng)
is "a fault of the upper layer is told" each 1 @builtin:fault=payload-corrupted

again() {
    "$talon" run --verbose --sut "pcap:${captures[0]}@builtin:fault=header-field-corrupted" --seed 7 --report json:"$dir/$1.json" --out "$dir/$1" >/dev/null 2>&1
    [ $? = 1 ]
}
same() { again one && again two && cmp -s "$dir/one.json" "$dir/two.json" && cmp -s "$dir"/one/replay-1/timeline.jsonl "$dir"/two/replay-1/timeline.jsonl; }
is "twice the same, to the byte" same
judged_again() { "$talon" check "$dir/one" >"$dir/out" 2>&1; [ $? = 1 ] && grep -qi '^fail *replay-1' "$dir/out"; }
is "its evidence comes to the same verdict" judged_again
repeats() { eval "$(sed -n 's/^ *reproduce with: talon/"$talon"/p' "$dir/again.out") >$dir/out 2>&1"; [ $? = 1 ]; }
"$talon" run --verbose --sut "pcap:${captures[0]}@builtin:fault=header-field-corrupted" >"$dir/again.out" 2>&1
is "the command that repeats it does" repeats

# ---- captures of others ----

cat >"$dir/good.txt" <<'END'
@0    > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@100us < back cid=0x222 dbase=101 rbase=200
@200us > pull_request cid=0x111 psn=200 rsn=2 dbase=50 rbase=70 request_length=16 ar
@300us < back cid=0x222 dbase=101 rbase=201
@400us < pull_data cid=0x222 psn=50 rsn=2 dbase=101 rbase=201 payload_len=16 ar
@500us > back cid=0x111 dbase=51 rbase=70
@600us < push_data cid=0x222 psn=51 rsn=9 dbase=101 rbase=201 len=8 ar
@700us > back cid=0x111 dbase=52 rbase=70
END
answers() { # capture, options...
    local capture=$1
    shift
    "$talon" run --verbose --sut "pcap:$capture" "${keys[@]}" --vectors "$@" >"$dir/out" 2>&1 &&
        [ "$(grep -c ' > ' "$dir/out")" = 4 ] && grep -q '< push_data.* psn=1r rsn=0r len=8' "$dir/out" && return 0
    tail -n 30 "$dir/out" | cut -c1-150 | sed 's/^/# /'
    return 1
}
for encap in udp psp_transport psp_tunnel esp_transport esp_tunnel bare; do
    for ip in 4 6; do
        [ $encap$ip = bare6 ] && continue
        for form in pcap pcapng; do
            "$talon" encode "$dir/good.txt" --encap $encap --ip $ip --psp-keys tests/data/psp-keys.json --esp-keys tests/data/esp-keys.json \
                --out "$dir/$encap$ip.$form" || exit 1
            is "$encap, IPv$ip, $form" answers "$dir/$encap$ip.$form"
        done
    done
done
hosts=(10.0.0.1 10.0.0.2) # of talon encode
is "the SUT is named by its address" answers "$dir/udp4.pcap" --capture-sut "${hosts[1]}"
other_side() { "$talon" run --verbose --sut "pcap:$dir/udp4.pcap" --capture-sut "${hosts[0]}" --vectors >"$dir/out" 2>&1; grep -q '> pull_data' "$dir/out" && ! grep -q '> pull_request' "$dir/out"; }
is "or its peer is: then the other side is played" other_side
cat >"$dir/conns.json" <<'END'
[{"sut": {"cid": 273, "req_psn": 70, "data_psn": 50, "rsn": 9}, "tester": {"cid": 546, "req_psn": 200, "data_psn": 100, "rsn": 1}}]
END
is "connections by file" answers "$dir/udp4.pcap" --capture-connections "$dir/conns.json"
mutual() { "$talon" run --verbose --sut "pcap:$dir/two.pcapng" --capture-connections "$dir/two.json" >"$dir/out" 2>&1 && grep -q '^2 cases: 2 passed' "$dir/out"; }
sed 's/0x111/0x333/; s/0x222/0x444/' "$dir/good.txt" >"$dir/second.txt"
cat >"$dir/two.json" <<'END'
[{"sut": {"cid": 273}, "tester": {"cid": 546}}, {"sut": {"cid": 819}, "tester": {"cid": 1092}}]
END
cat "$dir/good.txt" "$dir/second.txt" | sort -s -t@ -k2 -g >"$dir/two.txt"
"$talon" encode "$dir/two.txt" --out "$dir/two.pcapng"
is "several connections between the same ends, a case each" mutual

# ---- over UDP ----

start_sut good "$talon" sut
live() { each 0 "@$frames" --control "$control" --retries 4 "$@"; }
captures=("$dir/udp4.pcap" "$dir"/kept/windows-of-their-own*/packets.pcapng)
is "over UDP" live
is "over UDP, as fast as it goes" live --capture-speed fast
is "over UDP, sealed" live --encap psp_transport
stop_sut "$sut"
start_sut bad "$talon" sut --fault header-field-corrupted
is "over UDP, a fault is told" each 1 "@$frames" --control "$control"
stop_sut "$sut"

# ---- what is no recording ----

refused() { # words, SUT, options...
    local words=$1
    shift
    "$talon" run --verbose --sut "$@" >"$dir/out" 2>"$dir/err" </dev/null
    local status=$?
    [ $status = 2 ] && grep -q "$words" "$dir/err" && [ "$(wc -l <"$dir/err")" = 1 ] && return 0
    echo "# status $status: $(head -n 3 "$dir/err" | cut -c1-200)"
    return 1
}
is "no file" refused "nothere.pcap" "pcap:$dir/nothere.pcap"
is "no name" refused "expected pcap:FILE" pcap:
is "standard input" refused "read twice" pcap:-
is "a capture to a capture" refused "cannot be played to a capture" "pcap:a@pcap:b"
is "scenarios beside it" refused "and takes no scenario" "pcap:$dir/udp4.pcap" scenarios
is "its options without it" refused "for --sut pcap:" builtin --capture-speed fast
is "no speed" refused "expected own or fast" "pcap:$dir/udp4.pcap" --capture-speed slow
is "no address" refused "expected an IP address" "pcap:$dir/udp4.pcap" --capture-sut nowhere
is "a SUT that is none" refused "nothing" "pcap:$dir/udp4.pcap@builtin:nothing"
is "sealed, and no key" refused "no Falcon packet of a tester" "pcap:$dir/esp_tunnel4.pcap"
is "connections that are none" refused "\[0\]: expected an object" "pcap:$dir/udp4.pcap" --capture-connections <(echo '[1]')
: >"$dir/empty.pcap"
is "an empty file" refused "empty.pcap" "pcap:$dir/empty.pcap"
head -c 4096 /dev/urandom >"$dir/noise.pcap"
is "noise" refused "noise.pcap" "pcap:$dir/noise.pcap"
printf '%s' "$(head -c 24 "$dir/udp4.pcap" | base64)" | base64 -d >"$dir/none.pcap"
is "a capture without a frame" refused "no Falcon packet" "pcap:$dir/none.pcap"

# Cut anywhere, and with wrong bytes anywhere: an end, and no other than these.
hostile() {
    local size i status
    size=$(stat -c %s "$dir/udp4.pcapng")
    for ((i = 1; i < size; i += 37)); do
        head -c "$i" "$dir/udp4.pcapng" >"$dir/cut.pcapng"
        timeout 10 "$talon" run --verbose --sut "pcap:$dir/cut.pcapng" >/dev/null 2>&1
        status=$?
        [ $status -le 3 ] || { echo "# $i bytes: $status"; return 1; }
        cp "$dir/udp4.pcapng" "$dir/cut.pcapng"
        printf '\xff\x00\xff' | dd of="$dir/cut.pcapng" bs=1 seek="$i" conv=notrunc 2>/dev/null
        timeout 10 "$talon" run --verbose --sut "pcap:$dir/cut.pcapng" >/dev/null 2>&1
        status=$?
        [ $status -le 3 ] || { echo "# byte $i: $status"; return 1; }
    done
}
is "captures cut and spoilt" hostile
corpus() {
    local file status
    for file in tests/data/captures/*.pcap* tests/data/sample.pcap tests/data/field.pcap; do
        [ -e "$file" ] || continue
        timeout 20 "$talon" run --verbose --sut "pcap:$file" "${keys[@]}" >/dev/null 2>&1
        status=$?
        [ $status -le 3 ] || { echo "# $file: $status"; return 1; }
    done
}
is "the captures that came with it" corpus
done_testing
