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

# A SUT that dies is brought back by --sut-exec: its case is in error, those after it pass.
revived() {
    start_sut hostile "$hostile" --mode die-after=14
    cat >"$dir/restart" <<EOF
"$talon" sut --listen $frames --control $control --port-file "$dir/again.ports" >/dev/null 2>&1 </dev/null &
echo \$! >"$dir/again.pid"
until [ -s "$dir/again.ports" ]; do sleep 0.05; done
EOF
    timeout 100 "$talon" run scenarios/8-transactions/p*-target.json --sut "$frames" --control "$control" --retries 0 --sut-exec "bash $dir/restart" >"$dir/out" 2>"$dir/err"
    status=$?
    suts+=("$(cat "$dir/again.pid")")
    stop_sut "$(cat "$dir/again.pid")"
    [ "$status" -eq 4 ] && grep -q '^ERROR' "$dir/out" && sed '0,/^ERROR/d' "$dir/out" | grep -q '^pass'
}
is "a SUT that dies is brought back by --sut-exec" revived

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
