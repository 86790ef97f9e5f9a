#!/bin/bash
# lane: works
# Every option of talon check changes a verdict where it must; and whatever it is given, it ends with a status and one
# line.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

make_capture() { # name; lines from standard input
    cat >"$dir/$1.txt"
    "$talon" encode "$dir/$1.txt" --out "$dir/$1.pcap"
}
# The verdict that a rule comes to, - when it had nothing to decide, and the status.
gives() { # expected verdict, rule, options...
    local due=$1 rule=$2 got
    shift 2
    "$talon" check --only "$rule" "$@" >"$dir/out" 2>"$dir/err"
    got=$(awk -v rule="$rule" '$2 == rule {print $1; exit}' "$dir/out")
    [ "${got:--}" = "$due" ] && return 0
    echo "# $rule: ${got:--}; $*"
    head -2 "$dir/err" | sed 's/^/# /'
    return 1
}
# A verdict without an option, and with it.
turns() { # what, from, to, rule, option (words), options in common...
    local what=$1 from=$2 to=$3 rule=$4 option=$5
    shift 5
    is "$what: $from without" gives "$from" "$rule" "$@"
    # shellcheck disable=SC2086 # words
    is "$what: $to with" gives "$to" "$rule" "$@" $option
}

cat >"$dir/c.json" <<'END'
[{"name": "c", "sut": {"cid": 273, "address": "10.0.0.2", "req_psn": 70, "data_psn": 50, "rsn": 9},
  "tester": {"cid": 546, "address": "10.0.0.1", "req_psn": 200, "data_psn": 100, "rsn": 1}}]
END
c=(--connections "$dir/c.json")
w=("${c[@]}" --complete-capture)

# ---- what is known of connections and path ----
make_capture early <<'END'
@0 > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@1ms < back cid=0x222 dbase=105 rbase=200
END
turns "--connections: initial numbers" - fail R1 "${c[*]}" "$dir/early.pcap" --complete-capture

make_capture back <<'END'
@0 > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@1us > push_data cid=0x111 psn=101 rsn=2 dbase=50 rbase=70 len=8 ar
@1ms < back cid=0x222 dbase=102 rbase=200
@2ms < back cid=0x222 dbase=101 rbase=200
END
b=("$dir/back.pcap" "${c[@]}")
turns "--vantage sut" inconclusive fail R3 "--vantage sut" "${b[@]}"
turns "--in-order-out" inconclusive fail R3 --in-order-out "${b[@]}" --no-duplicates-out --pipeline 0
turns "--no-duplicates-out" inconclusive fail R3 --no-duplicates-out "${b[@]}" --in-order-out --pipeline 0
turns "--in-order" inconclusive fail R3 --in-order "${b[@]}" --pipeline 0
turns "--delay-max" inconclusive fail R3 "--delay-max 10us" "${b[@]}"
turns "--round-trip-max" inconclusive fail R3 "--round-trip-max 10us" "${b[@]}"
turns "--delay-min" inconclusive fail R3 "--delay-min 999990us" "${b[@]}" --delay-max 1s
turns "--clock-error" fail inconclusive R3 "--clock-error 1ms" "${b[@]}" --delay-max 10us
turns "--pipeline" fail inconclusive R3 "--pipeline 3ms" "${b[@]}" --vantage sut
turns "--param" fail inconclusive R3 "--param pipeline=3ms" "${b[@]}" --vantage sut
turns "--sut: the other end's doing is not looked at" inconclusive pass R3 "--sut 10.0.0.1" "$dir/back.pcap"
turns "--skip" fail - R3 "--skip R3" "${b[@]}" --vantage sut
turns "--sut: whose port the vantage is" inconclusive fail R3 "--sut 10.0.0.2" "$dir/back.pcap" --vantage sut
is "a path that keeps order one way alone says nothing where either end may be the SUT" \
    gives inconclusive R3 "$dir/back.pcap" --in-order-out --no-duplicates-out --pipeline 0
cat >"$dir/path.json" <<END
{"schema": "talon/connections/1", "vantage": "sut", "path": {"clock_error_ns": 0}, "params": {"pipeline_ns": 0},
 "connections": $(cat "$dir/c.json")}
END
turns "--connections: vantage, parameters for all" inconclusive fail R3 "--connections $dir/path.json" "$dir/back.pcap"
sed 's/"vantage": "sut", "path": {/"path": {"delay_max_ns": 10000, /' "$dir/path.json" >"$dir/path2.json"
is "--connections: the path's delays" gives fail R3 "$dir/back.pcap" --connections "$dir/path2.json"

make_capture late <<'END'
@0 > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@20ms < back cid=0x222 dbase=101 rbase=200
@30ms > pull_request cid=0x111 psn=200 rsn=2 dbase=50 rbase=70 request_length=16 ar
@60ms < back cid=0x222 dbase=101 rbase=201
@61ms < pull_data cid=0x222 psn=50 rsn=2 dbase=101 rbase=201 payload_len=16 ar
END
l=("$dir/late.pcap" "${w[@]}" --delay-max 10us --pipeline 0)
turns "--turnaround: what nobody gave convicts nobody" inconclusive fail A2 "--turnaround 0" "${l[@]}" --lossless-in --lossless-out --param coalescing=5ms
turns "--turnaround: time to answer" fail pass A2 "--turnaround 6ms" "${l[@]}" --turnaround 0 --lossless-in --lossless-out --param coalescing=24ms
turns "--turnaround: too long for the timer" fail inconclusive A2 "--turnaround 50ms" "${l[@]}" --turnaround 0 --lossless-in --lossless-out --param coalescing=5ms
turns "--param: a time" inconclusive fail A2 "--param coalescing=5ms" "${l[@]}" --turnaround 0 --lossless-in --lossless-out
turns "--lossless-in" - fail A2 "--lossless-in" "${l[@]}" --turnaround 0 --lossless-out --param coalescing=5ms
turns "--lossless-out" inconclusive fail A2 "--lossless-out" "${l[@]}" --turnaround 0 --lossless-in --param coalescing=5ms
sed 's/"rsn": 1}}/"rsn": 1}, "params": {"coalescing_ns": 5000000, "turnaround_ns": 0, "pipeline_ns": 0}}/' "$dir/c.json" >"$dir/timers.json"
is "--connections: timers" gives fail A2 "$dir/late.pcap" --connections "$dir/timers.json" --complete-capture --delay-max 10us --lossless-in --lossless-out

make_capture vendor <<'END'
@0 < resync cid=0x222 psn=50 rsn=9 dbase=100 rbase=200 code=cie of=push_data vendor_defined=7
END
turns "--param: a word of Resyncs that the vendor does not use" pass fail L1 "--param resync_vendor=false" "$dir/vendor.pcap" "${c[@]}"
is "--param: a word of Resyncs that the vendor uses" gives pass L1 "$dir/vendor.pcap" "${c[@]}" --param resync_vendor=true

make_capture own <<'END'
@0 > push_data cid=0x111 psn=228 rsn=129 dbase=50 rbase=70 len=8
@1ms < eack cid=0x222 dbase=100 rbase=200 d-own
@2ms > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8
@3ms < eack cid=0x222 dbase=101 rbase=200 d-own
END
turns "--no-duplicates-in" inconclusive fail O1 --no-duplicates-in "$dir/own.pcap" "${w[@]}" --in-order-out --no-duplicates-out --pipeline 0

# Of 40 pulls with AR the last five were not answered: lost, as may be where nobody measured the path. By the probes
# they were not.
{
    for n in {0..39}; do
        printf '@%dms > pull_request cid=0x111 psn=%d rsn=%d dbase=50 rbase=70 len=8 ar\n' $((n * 10)) $((200 + n)) $((1 + n))
        [ "$n" -ge 35 ] || printf '@%dus < back cid=0x222 dbase=100 rbase=%d\n' $((n * 10000 + 10)) $((201 + n))
    done
    printf '@1s < back cid=0x222 dbase=100 rbase=240\n'
} | make_capture unanswered
a=("$dir/unanswered.pcap" "${c[@]}" --turnaround 0 --pipeline 0 --lossless-in --param coalescing=5ms --only A2)
probes() { # received: of 10,000
    printf '{"schema": "talon/path-check/1", "limits": {"delay_max_ns": 1000}, "paths": [{"sent": 10000, "received": %d}]}\n' "$1" >"$dir/path.json"
}
budget() { # words that the report says
    "$talon" check "${a[@]}" --path-check "$dir/path.json" >"$dir/out"
    grep -q "A2 needed the excuse out-loss for [0-9]* events among [0-9]*; of a path $1" "$dir/out"
}
unsaid() { ! budget '' && grep -q 'A2 .* excused [0-9]* (out-loss)' "$dir/out"; }
probes 10000
is "--path-check: of a path that lost no probe" budget "that was measured like this one"
probes 8000
is "--path-check: of one that lost a fifth nothing is said" unsaid
printf '{"schema": "talon/path-check/1", "limits": {"delay_max_ns": 1000}, "paths": []}\n' >"$dir/path.json"
is "--path-check: without probes one in 20 is believed" budget "that was not measured"
in_part() { "$talon" check "${a[@]}" --delay-max 1us --report html:"$dir/part.html" >/dev/null; grep -q 'rules A2 35 (35 of 40 decided)' "$dir/part.html"; }
is "a report says how much a rule decided" in_part
refused() {
    "$talon" check "${a[@]}" --path-check "$dir/c.json" 2>"$dir/err"
    [ $? = 2 ] && grep -q 'talon path-check --json writes' "$dir/err"
}
is "--path-check: another file is refused" refused

# ---- what is known of the capture ----
make_capture far <<'END'
@0 > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@1ms < eack cid=0x222 dbase=100 rbase=200 dack=0b100000000000 drx=0b100000000000
END
turns "--complete-capture: what was not sent" inconclusive fail R1 --complete-capture "$dir/far.pcap" "${c[@]}"
may_be_missing() { # how often the report says so, options...
    local due=$1
    shift
    "$talon" check "$dir/far.pcap" "${c[@]}" "$@" >"$dir/out"
    [ "$(grep -c '^R1 violated by .*(if no frame is missing from the capture: --complete-capture)' "$dir/out")" = "$due" ]
}
is "a capture that may miss a frame: the violation is shown as one that the frame may explain" may_be_missing 1
is "--lossy-capture: nothing is" may_be_missing 0 --lossy-capture
make_capture swapped <<'END'
@0 < push_data cid=0x222 psn=51 rsn=10 dbase=100 rbase=200 len=8
@1ms < push_data cid=0x222 psn=50 rsn=9 dbase=100 rbase=200 len=8
END
s=("$dir/swapped.pcap" "${c[@]}" --vantage sut --pipeline 0)
turns "--complete-capture" inconclusive fail X3 --complete-capture "${s[@]}"
printf '{"schema": "talon/connections/1", "complete_capture": true, "connections": %s}\n' "$(cat "$dir/c.json")" >"$dir/complete.json"
is "complete_capture of --connections" gives fail X3 "$dir/swapped.pcap" --connections "$dir/complete.json" --vantage sut --pipeline 0
# More pushes than fcwnd before the tester sent anything: not known of a capture that has one direction.
make_capture ahead <<'END'
@0 < push_data cid=0x222 psn=50 rsn=9 dbase=100 rbase=200 len=8
@1us < push_data cid=0x222 psn=51 rsn=10 dbase=100 rbase=200 len=8
@2us < push_data cid=0x222 psn=52 rsn=11 dbase=100 rbase=200 len=8
END
(cat "$dir/ahead.txt" && echo '@1ms > back cid=0x111 dbase=53 rbase=70') >"$dir/answered.txt"
"$talon" encode "$dir/answered.txt" --out "$dir/answered.pcap"
is "--complete-capture: the first packets of a connection" \
    gives fail X4 "$dir/answered.pcap" "${w[@]}" --vantage sut --pipeline 0 --param fcwnd=2
is "--complete-capture: but not where the other end was not seen" \
    gives inconclusive X4 "$dir/ahead.pcap" "${w[@]}" --vantage sut --pipeline 0 --param fcwnd=2
contradiction() { # options...
    "$talon" check "${s[@]}" "$@" --lossy-capture >"$dir/out" 2>"$dir/err"
    [ $? = 2 ] && grep -q -- '--complete-capture.*--lossy-capture' "$dir/err" && [ ! -s "$dir/out" ]
}
is "--complete-capture and --lossy-capture contradict each other" contradiction --complete-capture
is "so does complete_capture of --connections" contradiction --connections "$dir/complete.json"
# Frame 3 acknowledges PSN 101, which no frame carries; the order that X3 judges is not reliable then.
make_capture missing <<'END'
@0 > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8
@1us > push_data cid=0x111 psn=102 rsn=3 dbase=50 rbase=70 len=8
@1ms < back cid=0x222 dbase=103 rbase=200
@2ms < push_data cid=0x222 psn=51 rsn=10 dbase=103 rbase=200 len=8
@3ms < push_data cid=0x222 psn=50 rsn=9 dbase=103 rbase=200 len=8
END
missing() { # threads
    "$talon" check "$dir/missing.pcap" "${c[@]}" --vantage sut --pipeline 0 --complete-capture --jobs "$1" --report json:"$dir/r.json" >"$dir/out"
    [ $? = 3 ] && grep -q 'frame 3 shows that data PSN 101 of connection 1 was received, and no frame before it carries' "$dir/out" &&
        grep -q '^X3 violated by .*(if no packet explains it that the capture misses)' "$dir/out" && ! grep -q '^  fail' "$dir/out" &&
        ! grep '^  pass' "$dir/out" | grep -v ' L[12] ' && grep -q 'frame 3 shows that' "$dir/r.json" &&
        "$talon" check "$dir/missing.pcap" "${c[@]}" --complete-capture --jobs "$1" --format json | grep -A4 '"missed"' | grep -q '"psn": 101'
}
is "a capture that is shown not to be complete decides nothing" missing 1
is "nor with several threads" missing 2
lossy_path() { # the packet may have been lost before the capture: nobody acknowledges it
    sed '4,$d; s/dbase=103/dbase=101/' "$dir/missing.txt" >"$dir/lossy.txt"
    "$talon" encode "$dir/lossy.txt" --out "$dir/lossy.pcap" && "$talon" check "$dir/lossy.pcap" "${c[@]}" --complete-capture >"$dir/out"
    [ $? = 0 ] && grep -q '^pass: 3 packets judged' "$dir/out"
}
is "a complete capture of a path that loses packets" lossy_path
is "one direction's CID given: the other is learned" \
    gives fail R1 "$dir/far.pcap" --complete-capture --connections <(sed 's/"cid": 273, //' "$dir/c.json")

# Part 1, part 2.
head -3 "$dir/back.txt" >"$dir/part1.txt" && tail -1 "$dir/back.txt" >"$dir/part2.txt"
"$talon" encode "$dir/part1.txt" --out "$dir/part1.pcap" && "$talon" encode "$dir/part2.txt" --out "$dir/part2.pcap"
turns "--join" - fail R3 --join "$dir/part1.pcap" "$dir/part2.pcap" "${c[@]}" --vantage sut

# The same frame twice: of a mirror; of two interfaces.
make_capture mirrored <<'END'
@0 > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar
@1ms < back cid=0x222 dbase=101 rbase=200
@1001us < back cid=0x222 dbase=101 rbase=200
END
doubles() { # number due, options...
    local due=$1 got
    shift
    got=$("$talon" check "$@" | sed -n 's/.* judged.*, \([0-9]*\) frames were doubles.*/\1/p')
    [ "${got:-0}" = "$due" ] || ! echo "# ${got:-0}"
}
is "the same frame twice is taken for two" doubles 0 "$dir/mirrored.pcap"
is "--doubles: for one" doubles 1 "$dir/mirrored.pcap" --doubles 10us
is "--doubles: not that late" doubles 0 "$dir/mirrored.pcap" --doubles 100ns
# Packets of one connection that take several paths: other source ports, other flow labels.
verdicts() { # capture
    "$talon" check "$@" --sut 10.0.0.2 --vantage sut --pipeline 5us | awk '$3 == "conn" {print $1, $2, $4}'
}
several_paths() {
    "$talon" decode --format json tests/data/field.pcap | awk -v OFS= '{
        sub(/"src_port":[0-9]+/, "\"src_port\":" 50000 + NR * 7 % 5); sub(/,"checksum":[0-9]+/, ""); print }' >"$dir/paths.jsonl"
    "$talon" encode "$dir/paths.jsonl" --out "$dir/paths.pcap" && diff <(verdicts tests/data/field.pcap) <(verdicts "$dir/paths.pcap")
}
is "other source ports change no verdict" several_paths
flow_labels() {
    "$talon" decode tests/data/field.pcap | sed 's/ *#.*//' >"$dir/field.txt"
    "$talon" encode "$dir/field.txt" --ip 6 --out "$dir/six.pcap" || return 1
    "$talon" decode --format json "$dir/six.pcap" | awk '{
        sub(/"flow_label":[0-9]+/, "\"flow_label\":" 1 + NR * 7 % 5); sub(/,"checksum":[0-9]+/, ""); print }' >"$dir/labels.jsonl"
    "$talon" encode "$dir/labels.jsonl" --out "$dir/labels.pcap" || return 1
    [ "$("$talon" decode --format json "$dir/labels.pcap" | grep -o '"flow_label":[0-9]*' | sort -u | wc -l)" = 5 ] &&
        diff <("$talon" check "$dir/six.pcap" | grep -v '^#') <("$talon" check "$dir/labels.pcap")
}
is "nor do other flow labels" flow_labels
turns "--falcon-port" fail - R1 "--falcon-port 7000" "$dir/far.pcap" "${w[@]}"

# ---- events of the upper layer ----
cat >"$dir/ulp.jsonl" <<'END'
{"schema": "talon/ulp/1", "ordered_events": true}
{"t_ns": 500000, "seq": 1, "event": "request", "conn": "c", "rsn": 1, "op": "push", "length": 8, "redelivery": false}
{"t_ns": 600000, "seq": 2, "event": "ulp_ack", "conn": "c", "rsn": 1, "answer": "ack"}
{"t_ns": 650000, "seq": 3, "event": "request", "cid": 273, "rsn": 2, "op": "push", "length": 8, "redelivery": false}
{"t_ns": 700000, "seq": 4, "event": "ulp_ack", "cid": 273, "rsn": 2, "answer": "ack"}
END
u=("$dir/part1.pcap" "${w[@]}")
turns "--ulp: rules that need it decide" - pass U1 "--ulp $dir/ulp.jsonl" "${u[@]}"
sed 's/"rsn": 2, "op"/"rsn": 7, "op"/' "$dir/ulp.jsonl" >"$dir/ulp-bad.jsonl"
is "--ulp: a request that nobody sent" gives fail U1 "${u[@]}" --ulp "$dir/ulp-bad.jsonl"
sed 's/"rsn": 1/"rsn": 2/' "$dir/ulp.jsonl" >"$dir/ulp-twice.jsonl"
is "--ulp: delivered twice" gives fail U2 "${u[@]}" --ulp "$dir/ulp-twice.jsonl"
turns "--ulp-offset" pass fail U1 "--ulp-offset -1s" "${u[@]}" --ulp "$dir/ulp.jsonl"
turns "--ulp-error" fail pass U1 "--ulp-error 2s" "${u[@]}" --ulp "$dir/ulp.jsonl" --ulp-offset -1s
is "--ulp: of --sut, by its CID" gives pass U2 "$dir/part1.pcap" --sut 10.0.0.2 --ulp <(grep -v '"conn"' "$dir/ulp.jsonl")
sed '1s/}/, "complete": false}/' "$dir/ulp-twice.jsonl" >"$dir/ulp-part.jsonl"
is "--ulp: where events are missing none is counted" gives inconclusive U2 "${u[@]}" --ulp "$dir/ulp-part.jsonl"
is "--ulp: a gap in seq is missing events" gives inconclusive U2 "${u[@]}" --ulp <(sed 's/"seq": 2/"seq": 3/' "$dir/ulp-twice.jsonl")

# Commands, and their answers: acknowledged half a millisecond before the upper layer was asked to answer.
make_capture held <<'END'
@500us > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8
@1ms < back cid=0x222 dbase=101 rbase=200
END
cat >"$dir/held.jsonl" <<'END'
{"schema": "talon/ulp/1", "ordered_events": true}
{"t_ns": 0, "do": "policy", "id": 1, "conn": "c", "rules": [{"answer": "withhold"}]}
{"t_ns": 0, "id": 1, "ok": true}
{"t_ns": 1000000, "seq": 1, "event": "request", "conn": "c", "rsn": 1, "op": "push", "length": 8, "redelivery": false}
{"t_ns": 1500000, "do": "respond", "id": 2, "conn": "c", "rsn": 1, "answer": "ack"}
{"t_ns": 1600000, "id": 2, "ok": true}
END
turns "--ulp-error: a command may have been earlier" fail pass R7 "--ulp-error 600us" "$dir/held.pcap" "${w[@]}" --ulp "$dir/held.jsonl"
turns "--ulp-offset: by that much it was" fail pass R7 "--ulp-offset -600us" "$dir/held.pcap" "${w[@]}" --ulp "$dir/held.jsonl"
# An upper layer that answers by itself: the error of its times is given, or they prove nothing.
cat >"$dir/self.jsonl" <<'END'
{"schema": "talon/ulp/1", "ordered_events": true}
{"t_ns": 1400000, "seq": 1, "event": "request", "conn": "c", "rsn": 1, "op": "push", "length": 8, "redelivery": false}
{"t_ns": 1500000, "seq": 2, "event": "ulp_ack", "conn": "c", "rsn": 1, "answer": "ack"}
END
turns "--ulp-error: an answer of its own, too late" inconclusive fail R7 "--ulp-error 0" "$dir/held.pcap" "${w[@]}" --ulp "$dir/self.jsonl"
is "--ulp-error: it may have been earlier" gives inconclusive R7 "$dir/held.pcap" "${w[@]}" --ulp "$dir/self.jsonl" --ulp-error 500us
# Acknowledged, and never delivered: known where the events are complete up to a later one.
make_capture two <<'END'
@500us > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8
@600us > push_data cid=0x111 psn=101 rsn=2 dbase=50 rbase=70 len=8
@1ms < back cid=0x222 dbase=102 rbase=200
END
sed 's/1400000/700000/' "$dir/self.jsonl" >"$dir/one.jsonl"
is "--ulp: a missing event decides nothing" gives inconclusive U5 "$dir/two.pcap" "${w[@]}" --ulp "$dir/one.jsonl"
sed '1s/}/, "complete": true}/' "$dir/one.jsonl" >"$dir/all.jsonl"
is "--ulp: unless every event is there" gives fail U5 "$dir/two.pcap" "${w[@]}" --ulp "$dir/all.jsonl"
is "--ulp: up to its end only" gives inconclusive U5 "$dir/two.pcap" "${w[@]}" --ulp <(sed 's/1500000/900000/' "$dir/all.jsonl")
beside() {
    "$talon" check "$dir/held.pcap" "${w[@]}" --ulp "$dir/held.jsonl" --only R7 >"$dir/out"
    grep -q '^ *\* @1ms < back ' "$dir/out" && grep -q '# @1.5ms command respond rsn=1 ack$' "$dir/out" && grep -qx '  frames    1 2' "$dir/out"
}
is "commands and events stand in the conversation" beside

# A run's timeline, and the capture of its packets: all rules agree.
names=(ack-request beyond-window cie-target completions-in-order out-of-order rnr-target)
mapfile -t picks < <(printf -- '--id\n%s\n' "${names[@]}")
"$talon" run --verbose scenarios "${picks[@]}" --sut builtin:fault=acks-unsent --seed 7 --keep all --out "$dir/run" >/dev/null
agrees() { # case
    local line="$dir/run/$1/timeline.jsonl" from to
    sed -n 's/.*"event":"packet".*"t_ns":\([0-9]*\).*"dir":"\([<>]\)".*"bytes":"\([0-9a-f]*\)".*/@\1ns \2 hex:\3/p' "$line" >"$dir/run.txt"
    [ -s "$dir/run.txt" ] && "$talon" encode "$dir/run.txt" --out "$dir/run.pcap" || return 1
    "$talon" check "$line" >"$dir/line.txt"
    from=$?
    "$talon" check "$dir/run.pcap" --ulp "$line" >"$dir/pcap.txt"
    to=$?
    [ $from = $to ] && diff <(awk '$5 == "SUT" {print $1, $2}' "$dir/line.txt" | sort) \
        <(awk '$3 == "conn" {print $1, $2}' "$dir/pcap.txt" | sort)
}
for name in "${names[@]}"; do
    is "the packets of a run with its timeline as --ulp give its verdicts: $name" agrees $name
done
folder() {
    "$talon" check "$dir/run" >"$dir/out"
    [ $? = 1 ] && [ "$(grep -c ' played and judged again$' "$dir/out")" = "$(find "$dir/run" -name timeline.jsonl | wc -l)" ]
}
is "a folder that talon run --out left" folder

# ---- reports ----
reports() {
    "$talon" check "$dir/far.pcap" "${w[@]}" --report json:"$dir/r.json" --report junit:- >"$dir/r.xml"
    [ $? = 1 ] && grep -q '"schema": "talon/results/1"' "$dir/r.json" && grep -q '"evidence": true' "$dir/r.json" &&
        grep -q '<failure type="FTP-9.2.1-08"' "$dir/r.xml" && head -1 "$dir/r.xml" | grep -q '<?xml'
}
is "--report json, junit to standard output" reports
json() {
    "$talon" check "$dir/far.pcap" "${w[@]}" --format json >"$dir/r.json"
    [ $? = 1 ] && grep -q '"schema": "talon/check/1"' "$dir/r.json" && grep -q '"packet": "@1ms < eack' "$dir/r.json"
}
is "--format json" json

# What a failure looks like, to the letter; README.md shows it.
golden() {
    "$talon" check tests/data/field.pcap --sut 10.0.0.2 --vantage sut --pipeline 5us >"$dir/out"
    [ $? = 1 ] && sed -n '/violated by/,$p' "$dir/out" | diff tests/data/field.check.txt -
}
is "the sample capture fails as it did" golden
readme() {
    grep -vxF '' tests/data/field.check.txt | sed 's/^/    /' | while IFS= read -r line; do grep -qxF -- "$line" README.md || exit 1; done
}
is "and as README.md says" readme
in_mid_connection() { # the beginning cut off at any frame: no fail
    for n in 2 3 4 5 6; do
        tail -n +"$n" "$dir/late.txt" >"$dir/mid.txt"
        [ -s "$dir/mid.txt" ] || continue
        "$talon" encode "$dir/mid.txt" --out "$dir/mid.pcap" && ! "$talon" check "$dir/mid.pcap" --in-order | grep -q '^fail' || return 1
    done
}
is "a capture that begins in mid-connection blames nobody for what went before" in_mid_connection

# ---- the wrong and the hostile ----
refuses() { # text in the complaint, arguments...
    local text=$1 status
    shift
    timeout 20 "$talon" check "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ $status = 2 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -qF -- "$text" "$dir/err" && return 0
    echo "# status $status: $(head -2 "$dir/err")"
    return 1
}
: >"$dir/empty"
is "an empty file" refuses empty "$dir/empty"
mkdir "$dir/folder"
is "a folder of nothing" refuses "no timeline.jsonl" "$dir/folder"
is "standard input of nothing" refuses "standard input" -
is "no such file" refuses "No such file" "$dir/none"
is "a rule that there is not" refuses "did you mean R1" "$dir/far.pcap" --only r1
is "a parameter that there is not" refuses "did you mean rto" "$dir/far.pcap" --param rtoo=1ms
is "a parameter of the wrong kind" refuses "not a value" "$dir/far.pcap" --param rto=often
is "a time without a unit" refuses "--turnaround '5'; expected a time" "$dir/far.pcap" --turnaround 5
is "delays that contradict each other" refuses "shortest delay" "$dir/far.pcap" --delay-min 2s --delay-max 1s
is "a report of no format" refuses "no format" "$dir/far.pcap" --report pdf:x
is "--ulp without a word on who is the SUT" refuses "who is the SUT" "$dir/far.pcap" --ulp "$dir/ulp.jsonl"
is "--ulp of several files" refuses "one capture" "$dir/far.pcap" "$dir/early.pcap" "${c[@]}" --ulp "$dir/ulp.jsonl"
joined_timelines() {
    "$talon" check --join "$dir"/run/ack-request/timeline.jsonl "$dir"/run/cie-target/timeline.jsonl >/dev/null 2>"$dir/err"
    [ $? = 2 ] && grep -q 'no parts of one capture' "$dir/err"
}
is "timelines are not joined" joined_timelines
is "keys that are none" refuses c.json "$dir/far.pcap" --psp-keys "$dir/c.json"
is "--ulp: events of quite another time" refuses "(--ulp-offset)" "${u[@]}" --ulp "$dir/ulp.jsonl" --ulp-offset 100s --only L1
bad_ulp() { # what, sed expression, text in the complaint
    sed "$2" "$dir/ulp.jsonl" >"$dir/bad.jsonl"
    is "--ulp: $1" refuses "$3" "${u[@]}" --ulp "$dir/bad.jsonl" --only L1
}
bad_ulp "a line that is cut" '5s/.\{30\}$//' 'bad.jsonl:5: '
bad_ulp "time that goes back" '4s/650000/5/' 't_ns goes back'
bad_ulp "another schema" '1s/ulp/uip/' 'neither talon/ulp/1'
bad_ulp "no time" '2s/"t_ns": 500000, //' 't_ns: missing'
bad_ulp "a word that there is not" '3s/"ack"/"maybe"/' "'maybe'"
bad_ulp "a connection that there is not" '3s/"c"/"d"/' "'d'"
bad_ulp "a number that is none" '3s/"rsn": 1/"rsn": -1/' 'rsn: expected'
bad_ulp "nothing" '1,$d' 'the file is empty'
bad_ulp "binary" '2s/^/\x01\xff/' 'bad.jsonl:2: '
bad_connections() { # what, file, text in the complaint
    echo "$2" >"$dir/bad.json"
    is "--connections: $1" refuses "$3" "$dir/far.pcap" --connections "$dir/bad.json"
}
bad_connections "two that cannot be told apart" '[{"sut": {"cid": 1}, "tester": {"cid": 2}}, {"sut": {"cid": 1}, "tester": {"cid": 3}}]' 'connection 2: '
bad_connections "no CID and no address" '[{"sut": {}, "tester": {"cid": 2}}]' 'a cid is missing'
bad_connections "a member that there is not" '[{"sut": {"cid": 1, "psn": 7}, "tester": {"cid": 2}}]' 'psn: unknown'
bad_connections "another schema" '{"schema": "talon/connections/2"}' "talon/connections/1"
bad_connections "a path that cannot be" '{"schema": "talon/connections/1", "path": {"delay_min_ns": 5, "delay_max_ns": 4}}' 'shortest delay'
bad_connections "a vantage that is none" '{"schema": "talon/connections/1", "vantage": "moon"}' 'moon'
bad_connections "two members of one name" '[{"sut": {"cid": 1, "cid": 2}, "tester": {"cid": 2}}]' 'bad.json:1:'

# Cut anywhere, a capture is judged as far as it goes: never a crash, never another verdict than of its beginning.
cut_anywhere() {
    local size at status
    size=$(stat -c %s "$dir/late.pcap")
    for ((at = 0; at < size; at += 7)); do
        head -c "$at" "$dir/late.pcap" >"$dir/cut.pcap"
        "$talon" check "$dir/cut.pcap" >/dev/null 2>"$dir/err"
        status=$?
        [ $status = 2 ] || [ $status = 0 ] || ! echo "# at $at: $status" || return 1
    done
}
is "a capture that is cut anywhere" cut_anywhere
growing() {
    mkfifo "$dir/fifo"
    (head -c 200 "$dir/late.pcap" && sleep 0.3 && tail -c +201 "$dir/late.pcap") >"$dir/fifo" &
    "$talon" check - <"$dir/fifo" >"$dir/out" 2>"$dir/err" && "$talon" check "$dir/late.pcap" | cmp -s - "$dir/out"
}
is "a capture that is still being written, from standard input" growing
done_testing
