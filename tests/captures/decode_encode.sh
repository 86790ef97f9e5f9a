#!/bin/bash
# lane: works
# The verbs decode and encode from outside: exit statuses, one line for each error, damaged captures, streams,
# readers that go away, memory.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
talon="$BUILD/talon"
sample=tests/data/sample.pcap
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
number=0

check() { # name, command...
    local name=$1
    shift
    number=$((number + 1))
    if "$@" >"$dir/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' "$dir/log"
    fi
}

# The command ends with that status and says one line that contains the text.
refuses() { # status, text, command...
    local status=$1 text=$2 seen
    shift 2
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    seen=$?
    cat "$dir/err"
    [ "$seen" -eq "$status" ] || { echo "status $seen, due $status"; return 1; }
    [ "$(wc -l <"$dir/err")" -eq 1 ] || { echo "not one line"; return 1; }
    grep -qF -- "$text" "$dir/err" || { echo "due: $text"; return 1; }
}

ends_with() { # status, command...: nothing on standard error
    local status=$1 seen
    shift
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    seen=$?
    [ "$seen" -eq "$status" ] && [ ! -s "$dir/err" ] || { echo "status $seen, due $status"; cat "$dir/err"; return 1; }
}

lines() { # lines, command...: so many on standard output
    local due=$1 seen
    shift
    seen=$("$@" 2>/dev/null | wc -l)
    [ "$seen" -eq "$due" ] || { echo "$seen lines, due $due"; return 1; }
}

# ---- options and files ----
check "decode: unknown option" refuses 2 "no option '--bogus'" "$talon" decode --bogus "$sample"
check "decode: unknown letter" refuses 2 "no option '-z'" "$talon" decode -z
check "decode: option without its value" refuses 2 "--format needs a value" "$talon" decode --format
check "decode: unknown format" refuses 2 "--format 'xml'; expected text, full or json" "$talon" decode --format xml "$sample"
check "decode: port 0" refuses 2 "--falcon-port '0'; expected 1 to 65535" "$talon" decode --falcon-port 0 "$sample"
check "decode: port 65536" refuses 2 "--falcon-port" "$talon" decode --falcon-port 65536 "$sample"
check "decode: unknown severity" refuses 2 "--fail-on 'fatal'; expected note, warning or error" "$talon" decode --fail-on fatal "$sample"
check "decode: no such file" refuses 2 "$dir/none: No such file" "$talon" decode "$dir/none"
check "decode: a directory" refuses 2 "$dir" "$talon" decode "$dir"
check "decode: no capture" refuses 2 "not a readable capture" "$talon" decode tests/data/sample.txt
check "decode: empty file" refuses 2 "not a readable capture" "$talon" decode /dev/null
check "decode: standard input that is no capture" refuses 2 "standard input: not a readable capture" "$talon" decode -
check "decode: no such key file" refuses 2 "$dir/none: No such file" "$talon" decode --psp-keys "$dir/none" "$sample"
echo '{"master_keys": ["00", "00"]}' >"$dir/keys"
check "decode: wrong key file" refuses 2 "$dir/keys: master_keys" "$talon" decode --psp-keys "$dir/keys" "$sample"
echo '{"master_keys": ' >"$dir/keys"
check "decode: key file that is no JSON" refuses 2 "$dir/keys:" "$talon" decode --psp-keys "$dir/keys" "$sample"
echo '{"sas": [{"spi": 1, "algorithm": "rot13"}]}' >"$dir/esp"
check "decode: wrong ESP key file" refuses 2 "$dir/esp: sas[0]" "$talon" decode --esp-keys "$dir/esp" "$sample"
check "encode: no such ESP key file" refuses 2 "$dir/none: No such file" "$talon" encode --esp-keys "$dir/none" --out "$dir/x" "$sample"
check "decode: a filter with a name" refuses 2 "unknown host 'sut.invalid'; names of hosts are not looked up: write the address" "$talon" decode --filter 'host sut.invalid' "$sample"
check "decode: wrong filter" refuses 2 "--filter: 'udp prot 7777' (link type 1): " "$talon" decode --filter 'udp prot 7777' "$sample"
check "decode: output that cannot be made" refuses 2 "$dir/no/out" "$talon" decode --out "$dir/no/out" "$sample"
check "decode: full disk" refuses 4 "No space left" "$talon" decode --out /dev/full "$sample"
check "decode: --help" ends_with 0 "$talon" decode --help
check "encode: no output given" refuses 2 "--out is missing" "$talon" encode tests/data/sample.txt
check "encode: no such file" refuses 2 "$dir/none: No such file" "$talon" encode "$dir/none" --out "$dir/x"
check "encode: two files" refuses 2 "one argument too many" "$talon" encode a b --out "$dir/x"
check "encode: unknown encapsulation" refuses 2 "--encap 'tcp'; expected udp, " "$talon" encode --encap tcp --out "$dir/x"
check "encode: unknown IP version" refuses 2 "--ip '5'; expected 4 or 6" "$talon" encode --ip 5 --out "$dir/x"
check "encode: unknown link type" refuses 2 "--linktype '105'; expected 1, 101, " "$talon" encode --linktype 105 --out "$dir/x"
check "encode: no key to seal with" refuses 2 "sample.txt:4: psp.spi: there is no key for 0x00000001 (--psp-keys)" \
    "$talon" encode tests/data/sample.txt --encap psp_transport --out "$dir/x"
printf 'frame linktype=1 hex:0g\n' >"$dir/byte.txt"
printf 'frame linktype=2 hex:00\n' >"$dir/type.txt"
printf 'frame linktype=1 hex:00\nframe linktype=101 hex:00\n' >"$dir/two.txt"
check "encode: a byte that is none" refuses 2 "byte.txt:1: frame: '0g' at byte 0" "$talon" encode "$dir/byte.txt" --out "$dir/x"
check "encode: an unknown link type" refuses 2 "type.txt:1: linktype: expected 1, 101" "$talon" encode "$dir/type.txt" --out "$dir/x"
check "encode: two link types" refuses 2 "two.txt:2: the frame is raw IP, the capture Ethernet" "$talon" encode "$dir/two.txt" --out "$dir/x"
check "decode: --exact is for text" refuses 2 "--exact is for text" "$talon" decode --exact --format json "$sample"
check "encode: full disk" refuses 4 "No space left" "$talon" encode tests/data/sample.txt --out /dev/full
check "encode: --help" ends_with 0 "$talon" encode --help

# ---- issues and statuses ----
printf 'back\npush_data len=4 payload_len=3\n' >"$dir/bad.txt"
printf 'back reserved_1=1\n' >"$dir/odd.txt"
"$talon" encode "$dir/bad.txt" --out "$dir/bad.pcap"
"$talon" encode "$dir/odd.txt" --out "$dir/odd.pcap"
check "issues alone do not fail" ends_with 0 "$talon" decode "$dir/bad.pcap"
check "--fail-on error: an error" ends_with 1 "$talon" decode --fail-on error "$dir/bad.pcap"
check "--fail-on error: a warning is none" ends_with 0 "$talon" decode --fail-on error "$dir/odd.pcap"
check "--fail-on warning: a warning" ends_with 1 "$talon" decode --fail-on warning "$dir/odd.pcap"
check "--fail-on note: nothing to find" ends_with 0 "$talon" decode --fail-on note "$sample"
check "--fail-on counts all files" ends_with 1 "$talon" decode --fail-on error "$dir/bad.pcap" "$sample"

# ---- what is shown ----
shows() { # text, command...: exactly that on standard output
    local due=$1
    shift
    "$@" >"$dir/out" 2>"$dir/err" || { echo "status $?"; cat "$dir/err"; return 1; }
    diff <(printf '%s\n' "$due") "$dir/out"
}
check "--issues-only: the frames with issues" lines 2 "$talon" decode --issues-only "$dir/bad.pcap"
check "--issues-only: none" lines 0 "$talon" decode --issues-only "$sample"
check "--issues-only, JSON" bash -c "$talon decode --issues-only --format json $dir/bad.pcap | grep -c request-length-mismatch | grep -qx 1"
check "--filter" bash -c "cmp <($talon decode --filter 'udp[8:4] & 0xffffff = 2748' --format json $sample) <($talon decode --format json $sample | grep '\"dest_cid\":2748')"
check "--filter: nothing matches" ends_with 0 "$talon" decode --fail-on note --filter 'tcp' "$dir/bad.pcap"
stats_text="frames 2
bytes 147
pull_request 0
pull_data 0
push_data 1
resync 0
nack 0
back 1
eack 0
sealed 0
no_falcon 0
error request-length-mismatch 1"
check "--stats" shows "$stats_text" "$talon" decode --stats "$dir/bad.pcap"
stats_json='{"frames":2,"bytes":147,"packets":{"pull_request":0,"pull_data":0,"push_data":1,"resync":0,"nack":0,"back":1,"eack":0},"sealed":0,"no_falcon":0,"issues":[{"severity":"error","code":"request-length-mismatch","count":1}],"unlisted_issues":0}'
check "--stats, JSON" shows "$stats_json" "$talon" decode --stats --format json "$dir/bad.pcap"
check "--stats adds up all files" bash -c "$talon decode --stats $sample $dir/bad.pcap | grep -qx 'frames 16'"
check "--stats and --fail-on" ends_with 1 bash -c "$talon decode --stats --fail-on error $dir/bad.pcap"

# ---- back to the same bytes ----
cat >"$dir/roce.txt" <<'END'
@0 roce opcode=rc_write_only dest_qp=257 ack_req=1 ecn=ce / reth rkey=0x77 length=61 / data=61
@3us b> roce opcode=rc_ack dest_qp=17 psn=0 port=50000 / aeth syndrome=0x1f msn=1
@3us b> roce opcode=cnp becn=1 dest_qp=17 ecn=ect1 icrc=bad
@4us roce hex:810000
@5us push_data len=4
END
comes_back() { # capture, options of decode, options of encode
    local again
    again="$dir/again.${1##*.}"
    # shellcheck disable=SC2086 # options are words
    "$talon" decode $2 "$1" >"$dir/lines" && "$talon" encode "$dir/lines" ${3:-} --out "$again" && cmp "$1" "$again"
}
for ip in 4 6; do
    "$talon" encode "$dir/roce.txt" --ip $ip --out "$dir/roce-$ip.pcap"
    check "lines of RoCEv2 come back, IPv$ip" comes_back "$dir/roce-$ip.pcap" "" "--ip $ip"
    check "so many are lines" bash -c "[ \$(grep -c ^@ $dir/lines) = 5 ]"
done
all_come_back() {
    for capture in tests/data/captures/*.pcap* tests/data/roce-rxe.pcapng; do
        comes_back "$capture" "$1" || return 1
    done
}
check "--exact keeps every byte of every sample" all_come_back --exact
check "--exact and every field, too" comes_back tests/data/captures/malformed.pcapng "--exact --format full"

# ---- pcapng ----
"$talon" encode tests/data/sample.txt --out "$dir/sample.pcapng"
check "pcapng: as pcap" bash -c "cmp <($talon decode --format json $dir/sample.pcapng) <($talon decode --format json $sample)"
check "pcapng: from standard input" bash -c "$talon decode <$dir/sample.pcapng | cmp - <($talon decode $sample)"
check "pcapng: through --filter" lines 5 "$talon" decode --filter 'len = 74' "$dir/sample.pcapng"
check "pcapng: tshark reads what was written" bash -c \
    "tshark -r $dir/sample.pcapng -T fields -e frame.time_epoch -e udp.payload 2>/dev/null | cmp - <(tshark -r $sample -T fields -e frame.time_epoch -e udp.payload 2>/dev/null)"
check "pcapng: what tshark and libpcap write is read" bash -c \
    "editcap -F pcapng $sample $dir/other.pcapng && $talon decode $dir/other.pcapng | cmp - <($talon decode $sample)"
check "pcapng: a comment of another's is shown" bash -c \
    "editcap -F pcapng -a 2:'look here' $sample $dir/said.pcapng && $talon decode $dir/said.pcapng | sed -n 3p | grep -qx '    # comment: look here'"
check "pcapng: a comment gives a terminal no orders" bash -c \
    "editcap -F pcapng -a $'2:a\033[2Jb' $sample $dir/said.pcapng && $talon decode $dir/said.pcapng | sed -n 3p | grep -qx '    # comment: a.\[2Jb'"
head -c 700 "$dir/sample.pcapng" >"$dir/cut.pcapng"
check "pcapng: cut, one error" refuses 2 "$dir/cut.pcapng: frame 4: truncated: the file ends in the block at byte" "$talon" decode "$dir/cut.pcapng"
check "pcapng: cut, the frames before it" lines 3 "$talon" decode "$dir/cut.pcapng"

# ---- compressed captures ----
for name in sample.pcap sample.pcapng; do
    [ -e "$dir/$name" ] || cp "$sample" "$dir/$name"
    gzip -c "$dir/$name" >"$dir/$name.gz"
    zstd -q -c "$dir/$name" >"$dir/$name.zst"
    for form in gz zst; do
        check "$name.$form: as uncompressed" bash -c "$talon decode $dir/$name.$form | cmp - <($talon decode $dir/$name)"
        check "$name.$form: from standard input" bash -c "$talon decode - <$dir/$name.$form | cmp - <($talon decode $dir/$name)"
        cp "$dir/$name.$form" "$dir/unnamed"
        check "$name.$form: by its first bytes, whatever its name" bash -c "$talon decode $dir/unnamed | cmp - <($talon decode $dir/$name)"
        check "$name.$form: check" bash -c "$talon check $dir/$name.$form | cmp - <($talon check $dir/$name)"
        check "$name.$form: check, from standard input" bash -c "$talon check - <$dir/$name.$form | cmp - <($talon check - <$dir/$name)"
    done
done
check "gz: replay" bash -c "$talon run --verbose --sut pcap:$dir/sample.pcap.gz | sed 's/[.]gz//g' | cmp - <($talon run --verbose --sut pcap:$dir/sample.pcap)"
cp "$sample" "$dir/plain.gz"
check "a capture that is not compressed, named .gz" bash -c "$talon decode $dir/plain.gz | cmp - <($talon decode $sample)"
head -c -9 "$dir/sample.pcap.gz" >"$dir/cut.gz"
check "cut gz: one error" refuses 2 "inside its gzip data; expected a complete file ('gzip -t' tests it)" "$talon" decode "$dir/cut.gz"
check "cut gz: check ends with the status of a damaged capture" bash -c "$talon check $dir/cut.gz; [ \$? -eq 2 ]"
head -c -9 "$dir/sample.pcap.zst" >"$dir/cut.zst"
check "cut zst: one error" refuses 2 "inside its zstd data; expected a complete file ('zstd -t' tests it)" "$talon" decode "$dir/cut.zst"
printf '\x1f\x8b, but no gzip' >"$dir/no.gz"
check "damaged gz: one error" refuses 2 "$dir/no.gz: not a readable capture: damaged gzip data" "$talon" decode "$dir/no.gz"
printf '\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00' >"$dir/wide.zst"
check "zst with a window above the limit" refuses 2 "a window of more than 128 MB" "$talon" decode "$dir/wide.zst"

# ---- nothing filled in ----
printf '{"falcon":{"packet_type":"push_data"},"payload":"aabb","udp":{"length":77}}\n' >"$dir/raw.json"
"$talon" encode "$dir/raw.json" --raw --out "$dir/raw.pcap"
"$talon" encode "$dir/raw.json" --out "$dir/filled.pcap"
check "--raw: lengths and checksums are 0, but what is given" bash -c "tail -c 58 $dir/raw.pcap | od -An -tx1 | tr -d ' \n' | grep -q '^4500000000000000401100000a0000010a000002c0001e61004d0000'"
check "without --raw: the others are right" bash -c "tail -c 58 $dir/filled.pcap | od -An -tx1 | tr -d ' \n' | grep -q '^4500003a00000000401166b1'"
check "--raw: request_length is not the payload's" bash -c "tail -c 6 $dir/raw.pcap | od -An -tx1 | grep -qx ' 00 00 00 00 aa bb'"

# ---- input and output ----
check "two files, each with its name" lines 30 "$talon" decode "$sample" "$sample"
check "a file that cannot be read does not hide the next" lines 15 "$talon" decode "$dir/none" "$sample"
check "and is said" refuses 2 "$dir/none: No such file" "$talon" decode "$dir/none" "$sample"
check "standard input, by name" bash -c "$talon decode - <$sample | cmp - <($talon decode $sample)"
check "standard input, without" bash -c "$talon decode <$sample | cmp - <($talon decode $sample)"
check "--out" bash -c "$talon decode $sample --out $dir/out && cmp $dir/out <($talon decode $sample)"
check "encode from a pipe into a pipe" bash -c "$talon decode --format json $sample | $talon encode --out - | cmp - $sample"
check "--falcon-port" bash -c "$talon decode --falcon-port 9999 $sample | grep -c 'no Falcon' | grep -qx 14"
check "JSON: one object a line" bash -c "$talon decode --format json $sample | grep -c '^{.*}\$' | grep -qx 14"

# ---- damage ----
head -c 700 "$sample" >"$dir/cut.pcap"
check "cut capture: one error" refuses 2 "$dir/cut.pcap: frame 6: truncated" "$talon" decode "$dir/cut.pcap"
check "cut capture: the frames before it" lines 5 "$talon" decode "$dir/cut.pcap"
head -c 24 "$sample" >"$dir/head.pcap"
check "capture of no frames" ends_with 0 "$talon" decode "$dir/head.pcap"
printf 'back cid=1\nback cid=2\n\nback cid=x\nback cid=3\n' >"$dir/wrong.txt"
check "wrong line: file, line and field" refuses 2 "$dir/wrong.txt:4: column 10: 'x' is no value of dest_cid" \
    "$talon" encode "$dir/wrong.txt" --out "$dir/wrong.pcap"
check "wrong line: the frames before it" lines 2 "$talon" decode "$dir/wrong.pcap"
printf '{"falcon": {"packet_type": "back"}}\n{"falcon": {"packet_type": "back", "psn": 1}}\n' >"$dir/wrong.json"
check "wrong JSON: file, line and field" refuses 2 "$dir/wrong.json:2: falcon.psn: back has no such field" \
    "$talon" encode "$dir/wrong.json" --out "$dir/wrong.pcap"
printf 'back\n{"layers": ["falcon"], "falcon": {"packet_type": "back"}}\n' >"$dir/mixed"
check "frames of two link types" refuses 2 "$dir/mixed:2: the frame is bare Falcon, the capture Ethernet" \
    "$talon" encode "$dir/mixed" --out "$dir/x"
tr '\0' x </dev/zero | head -c 1100000 >"$dir/long"
check "a line without an end" refuses 2 "$dir/long:1: the line is longer than 1 MiB" "$talon" encode "$dir/long" --out "$dir/x"

# ---- streams ----
cp "$sample" "$dir/big.pcap"
tail -c +25 "$sample" >"$dir/body"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    cat "$dir/body" "$dir/body" >"$dir/body2" && mv "$dir/body2" "$dir/body"
done
cat "$dir/body" >>"$dir/big.pcap"
reader_leaves() { # decode's options
    "$talon" decode "$@" "$dir/big.pcap" 2>"$dir/err" | head -n 1 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 0 ] && [ ! -s "$dir/err" ] || { cat "$dir/err"; return 1; }
}
check "a reader that goes away is no error (text)" reader_leaves
check "a reader that goes away is no error (JSON)" reader_leaves --format json
little_memory() { # a capture of 58 MB in 40, libraries included
    [ "$(stat -c %s "$dir/big.pcap")" -gt 58000000 ] || return 1
    (ulimit -v 40000 && "$talon" decode "$dir/big.pcap" | wc -l | grep -qx 458766)
}
check "memory does not grow with the capture" little_memory
first_line_comes_first() { # while the capture is still being written
    mkfifo "$dir/fifo"
    "$talon" decode "$dir/fifo" >"$dir/out" &
    local decode=$! said=1
    exec 9>"$dir/fifo"
    cat "$dir/big.pcap" >&9
    for _ in $(seq 100); do
        [ -s "$dir/out" ] && said=0 && break
        sleep 0.05
    done
    exec 9>&-
    wait "$decode"
    return "$said"
}
check "frames are printed as they come" first_line_comes_first
echo "1..$number"
