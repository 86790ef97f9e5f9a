#!/bin/bash
# lane: waits
# `talon run --jobs N` on a live SUT: different cases at the same time, each on its own connection. Verdicts are those of
# one case at a time; faults are found in the same cases; a SUT that breaks down while several cases play is reported.
# shellcheck source=tests/run-lib disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
hostile="$BUILD/tests/live/hostile_sut"

# run JOBS NAME ARGUMENTS...: results in $dir/NAME.out, evidence in $dir/NAME, the status in $status.
run() {
    local jobs=$1 name=$2
    shift 2
    timeout 200 "$talon" run --verbose "$@" --sut "$frames" --control "$control" --jobs "$jobs" --retries 5 --out "$dir/$name" \
        >"$dir/$name.out" 2>"$dir/$name.err"
    status=$?
}
# The verdicts of NAME, without what differs from run to run.
verdicts() { sed -nE 's/^(pass|FAIL|warn|ERROR|inconclusive|skipped)  *([^ ]+) .*/\1 \2/p' "$dir/$1.out"; }
# What both runs decided is the same. A case that a busy machine left undecided in one of them, after all its retries, says
# nothing; at least half of the cases must be decided.
same_verdicts() {
    python3 - "$dir/$1/results.json" "$dir/$2/results.json" <<'EOF'
import json, sys
LATE = ("tester-late", "sut-late", "late", "undeclared-turnaround")
runs = [{c["id"]: c for c in json.load(open(name))["cases"]} for name in sys.argv[1:]]
ids = [i for i in runs[0] if i in runs[1]]
late = [i for i in ids if any(r[i]["verdict"] == "inconclusive" and r[i].get("reason") in LATE for r in runs)]
other = [i for i in ids if i not in late and runs[0][i]["verdict"] != runs[1][i]["verdict"]]
for i in other:
    print("#", i, *(r[i]["verdict"] + " " + str(r[i].get("reason")) for r in runs))
print("#", len(ids), "cases,", len(late), "undecided on a busy machine:", *late[:3])
sys.exit(bool(other) or len(runs[0]) != len(runs[1]) or len(ids) != len(runs[0]) or 2 * len(late) > len(ids))
EOF
}
jobs_of() { sed -nE 's/.*"jobs": ?([0-9]+).*/\1/p' "$dir/$1/run.json" | head -1; }

folders=(scenarios/6-overview scenarios/10-congestion/ecn-counted.json scenarios/10-congestion/hops-in-ack.json)
side_by_side() {
    start_sut plain "$talon" sut
    run 1 one "${folders[@]}" && run 32 many "${folders[@]}" && same_verdicts one many && no_finding "$dir/many.out" &&
        [ "$(jobs_of one)" = 1 ] && [ "$(jobs_of many)" = 32 ]
}
beside "the verdicts of 32 cases at a time are those of one at a time" side_by_side

by_default() {
    start_sut default "$talon" sut
    timeout 100 "$talon" run --verbose scenarios/6-overview --sut "$frames" --control "$control" --out "$dir/default" >"$dir/default.out" 2>&1
    [ "$(jobs_of default)" = 32 ] && no_finding "$dir/default.out" || return 1
    start_sut python python3 docs/examples/lite_sut.py
    timeout 100 "$talon" run --verbose scenarios/8-transactions/push-target.json --profile docs/examples/lite.json --sut "$frames" --control "$control" \
        --out "$dir/python" >"$dir/python.out" 2>&1
    [ "$(jobs_of python)" = 1 ] && no_finding "$dir/python.out"
}
beside "as many as the adapter allows in its hello, one where it does not say" by_default

# Keys are of the device: cases that rotate them play alone. Sealed and plain cases do not play at the same time.
sealed() {
    start_sut sealed "$talon" sut
    run 16 sealed scenarios/9.2.2-security scenarios/6-overview && no_finding "$dir/sealed.out"
}
beside "sealed and plain cases, rotations of keys" sealed

# shellcheck disable=SC2086 # a pattern
faulty() { # fault, scenarios
    start_sut "$1" "$talon" sut --fault "$1"
    run 1 "$1-one" $2
    [ "$status" -eq 1 ] || return 1
    run 24 "$1-many" $2
    [ "$status" -eq 1 ] && same_verdicts "$1-one" "$1-many"
}
beside "a fault fails the same cases: ecn-never-counted" faulty ecn-never-counted scenarios/10-congestion/ecn-counted.json
beside "a fault fails the same cases: psn-skipped" faulty psn-skipped "scenarios/7-wire-format/acks-of-a-p*.json"

# The SUT ends without a word while several cases play. It is restarted, each of these cases plays alone, and since none of
# them ends the SUT then, the first one reports it.
died() {
    start_sut dies "$hostile" --mode die-after=60
    cat >"$dir/restart" <<EOF
"$talon" sut --listen $frames --control $control --port-file "$dir/again.ports" >/dev/null 2>&1 </dev/null &
echo \$! >"$dir/again.pid"
until [ -s "$dir/again.ports" ]; do sleep 0.05; done
EOF
    # declared: the SUT must not die before, while its turnaround is measured
    run 8 died scenarios/6-overview --param turnaround=100us --param pipeline=100us --sut-exec "bash $dir/restart"
    stop_sut "$(cat "$dir/again.pid")"
    [ "$status" -eq 4 ] && [ "$(verdicts died | grep -c '^ERROR')" -eq 1 ] && ! verdicts died | grep -q '^FAIL' &&
        grep -q 'cases played at the same time: .*played alone' "$dir/died.out" && [ "$(verdicts died | wc -l)" -eq 75 ]
}
beside "a SUT that dies under several cases is reported, the cases are decided" died
gone() { # not restarted: every case that is left is an error, and soon
    local begin=$SECONDS
    start_sut gone "$hostile" --mode die-after=60
    run 8 gone scenarios/6-overview
    [ "$status" -eq 4 ] && [ $((SECONDS - begin)) -lt 60 ] && [ "$(verdicts gone | wc -l)" -eq 75 ] && ! verdicts gone | grep -q '^FAIL'
}
beside "a SUT that is gone makes the rest errors" gone

stopped() {
    local tester
    start_sut stopped "$talon" sut
    "$talon" run --verbose scenarios --sut "$frames" --control "$control" --jobs 16 --report json:"$dir/stopped.json" >"$dir/stopped.out" 2>&1 </dev/null &
    tester=$!
    for _ in $(seq 400); do
        grep -q '^pass' "$dir/stopped.out" && break
        sleep 0.05
    done
    kill -TERM $tester
    wait $tester
    [ $? -eq 4 ] && grep -q 'interrupted' "$dir/stopped.out" && grep -q '"disposition": *"not_run"\|"disposition_why": *"interrupted"' "$dir/stopped.json"
}
beside "an interruption ends all cases that play, and reports what there is" stopped
first_fail() {
    start_sut first "$talon" sut --fault ack-before-ulp
    run 16 first scenarios/8-transactions --fail-fast
    [ "$status" -eq 1 ] && [ "$(verdicts first | grep -c '^FAIL')" -eq 1 ]
}
beside "--fail-fast stops at the first failure in the order of the cases" first_fail

done_beside
done_testing
