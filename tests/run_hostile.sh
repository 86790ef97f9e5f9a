#!/bin/bash
# A SUT that hangs, dies or talks nonsense on its control channel: verdict error, status 4, in time, and no
# crash. Nonsense on the wire is judged, and the tester goes on.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
hostile="$BUILD/tests/hostile_sut"

# Runs the suite against it; its exit status in $status, the seconds in $took.
against() { # mode
    local begin=$SECONDS
    start_sut hostile "$hostile" --mode "$1"
    rm -f "$dir/hostile.ports"
    timeout 100 "$talon" run scenarios --profile tests/data/live-profile.json --shard 1/4 --sut "$frames" --control "$control" --retries 0 >"$dir/out" 2>"$dir/err"
    status=$?
    took=$((SECONDS - begin))
    stop_sut "$sut"
}

errors_out() { # mode
    against "$1"
    [ "$status" -eq 4 ] && [ "$took" -le 20 ] && grep -q '^ERROR' "$dir/out" && ! grep -q '^FAIL' "$dir/out"
}
for mode in hang die-after close garbage-line wrong-id half-line long-line flood; do
    for after in 3 14; do # before the first case has begun, and in the middle of one
        is "$mode after $after commands: error, status 4, in time" errors_out "$mode=$after"
    done
done
is "hang at the first word: error, status 4, in time" errors_out hang=0
is "hang in a later case: error, status 4, in time" errors_out hang=40

judged() {
    against garbage-frames
    [ "$status" -eq 1 ] && grep -q 'rule L1' "$dir/out" && grep -qE '^[0-9]+ cases: 0 passed' "$dir/out"
}
is "garbage frames are judged, and every case is run" judged

behaves() {
    against none
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}
is "the same SUT when it behaves does not fail" behaves
done_testing
