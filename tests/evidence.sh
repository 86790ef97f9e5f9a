#!/bin/bash
# lane: works
# The captures of evidence: what Wireshark's tools make of them, and that the folder alone gives the same verdicts.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
lua=$BUILD/falcon.lua
"$talon" run --verbose scenarios --id 'eack-acknowledged-bit@n=1,*' --id push-target --sut builtin:fault=eack-omitted-on-hole --keep all --out "$dir/ev" >"$dir/out"
case=$(find "$dir/ev" -path '*eack*' -name packets.pcapng | sort | head -n 1)
good=$dir/ev/push-target/packets.pcapng

again() {
    "$talon" check "$dir/ev" >"$dir/out"
    [ $? -eq 1 ] && grep -q 'all as recorded' "$dir/out"
}
is "talon check comes to the same verdicts from the folder alone" again
own() { "$talon" decode "$case" >"$dir/out" && grep -q '192.0.2.1:7777 > 192.0.2.2:7777 udp' "$dir/out" && grep -q '# comment: fail: .*FTP-' "$dir/out"; }
is "talon reads what it wrote" own
marked() { # A packet with a wrong seal, which the capture holds opened.
    "$talon" run --verbose scenarios --id 'damaged-pull@proto=esp,mode=tunnel,damage=icv' --sut builtin --keep all --out "$dir/bad" >/dev/null &&
        "$talon" decode "$dir"/bad/damaged-pull*/packets.pcapng >"$dir/out" &&
        [ "$(grep -c '^    # error bad-checksum' "$dir/out")" = 1 ] && grep -A2 '^    # error bad-checksum' "$dir/out" | grep -q 'its receiver must drop it (seal); FTP-9.2.2.1-05'
}
is "a packet that its receiver must drop is marked" marked
# What was run is read from run.json: the member "request", or the words of an older talon.
change_run() { # a Python statement on `run`, in a copy of the folder
    rm -rf "$dir/changed" && cp -r "$dir/ev" "$dir/changed" &&
        python3 -c "import json, sys; f = sys.argv[1]; run = json.load(open(f)); $1; json.dump(run, open(f, 'w'))" "$dir/changed/run.json"
}
checked() { # status, text of the output or the error
    "$talon" check "$dir/changed" >"$dir/out" 2>"$dir/err" </dev/null
    local status=$?
    [ $status -eq "$1" ] && grep -qF -- "$2" "$dir/out" "$dir/err" || { echo "# status $status: $(head -n 3 "$dir/out" "$dir/err")" >&2; return 1; }
}
older() { change_run 'del run["request"]' && checked 1 "all as recorded"; }
is "an older run.json, with the words of the command alone, is enough" older
request_counts() { change_run 'run["request"]["sut"] = "builtin"' && checked 2 "NOT as recorded"; }
is "the request decides what is played again" request_counts
hostile() {
    change_run 'run["request"]["sut"] = 5' && checked 2 "run.json: 'request': 'sut': expected a text" && [ "$(wc -l <"$dir/err")" = 1 ] &&
        change_run 'run["request"]["param"] = ["rot=1ms"]' && checked 2 "run.json: --param: " && [ "$(wc -l <"$dir/err")" = 1 ] &&
        change_run 'del run["request"]; run["command"] = ["run", "--frob"]' && checked 2 "no option '--frob'" && [ "$(wc -l <"$dir/err")" = 1 ]
}
is "a request that cannot be read is one error that names the member" hostile
if ! command -v tshark >/dev/null; then
    echo "ok 7 - # SKIP no tshark here"
    echo "1..7"
    exit 0
fi
fields() { # CAPTURE, FIELD...
    local capture=$1 args=()
    shift
    while [ $# -gt 0 ]; do args+=(-e "$1") && shift; done
    tshark -X "lua_script:$lua" -r "$capture" -T fields "${args[@]}" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE 2>"$dir/err"
}
opens() {
    local capture n=0
    while read -r capture; do
        [ "$(fields "$capture" frame.number | wc -l)" -eq "$(grep -c '"event":"packet"' "${capture%/*}/timeline.jsonl")" ] || return 1
        ! grep -v 'Running as user' "$dir/err" | grep -q . && ! fields "$capture" _ws.malformed.expert | grep -q . || return 1
        n=$((n + 1))
    done < <(find "$dir/ev" -name packets.pcapng)
    [ $n -gt 1 ]
}
is "tshark opens each, with all its packets" opens
said() { fields "$case" frame.comment | grep -qE 'fail: step 2: .*expected .*eack.*; seen .*back.*; FTP-'; }
is "a packet that shows a failure says what was expected, and the requirement" said
placed() {
    fields "$case" frame.interface_name frame.interface_description | sort -u >"$dir/out"
    [ "$(wc -l <"$dir/out")" -eq 1 ] && grep -q '^tester.*nanoseconds' "$dir/out"
}
is "the interface says where the packets were seen" placed
precise() { # to the nanosecond, as the timeline has it
    cmp <(fields "$good" frame.time_epoch | sed 's/^0*//; s/\.//; s/^0*//; s/^$/0/') \
        <(grep '"event":"packet"' "${good%/*}/timeline.jsonl" | sed 's/.*"t_ns":\([0-9]*\).*/\1/')
}
is "times are those of the timeline, in nanoseconds" precise
tied() { # step over event
    cmp <(fields "$good" frame.packet_id | while read -r id; do echo "$((id >> 32)) $((id & 0xffffffff))"; done) \
        <(grep '"event":"packet"' "${good%/*}/timeline.jsonl" | while read -r line; do
            step=$(sed -n 's/.*"step":\([0-9]*\).*/\1/p' <<<"$line")
            grep -q '"step":' <<<"$line" && step=$((${step:-0} + 1))
            echo "${step:-0} $(sed 's/.*"index":\([0-9]*\).*/\1/' <<<"$line")"
        done)
}
is "packet ids tie packets to steps and events" tied
named() { tshark -r "$good" -N n 2>/dev/null | grep -q 'tester → sut'; }
is "both ends have their names" named
checksums() { [ "$(fields "$case" ip.checksum.status udp.checksum.status | sort -u)" = $'1\t1' ]; }
is "what is drawn around them is sound" checksums
done_testing
