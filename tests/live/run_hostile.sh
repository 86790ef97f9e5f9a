#!/bin/bash
# lane: waits
# A SUT that hangs, dies or talks nonsense on its control channel: verdict error, status 4, in time, and no
# crash. Nonsense on the wire is judged, and the tester goes on.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
hostile="$BUILD/tests/live/hostile_sut"

# Tests that wait for time-outs do so side by side, the longest first.

# Runs the suite against it; its exit status in $status (124: it did not end), the seconds in $took. Of a flood, which keeps both busy, a
# few cases without timers: the SUT may lose its signals in the flood.
against() { # mode
    local files=(scenarios --shard 1/4)
    [[ $1 != flood=* ]] || [ -n "${TALON_WHOLE:-}" ] || files=(scenarios/7-wire-format/format-push.json scenarios/8.5.3.5-cie/pull-error-target.json scenarios/9.2.2.4-sliding-window/bitmaps-shift.json)
    local begin=$SECONDS
    start_sut hostile "$hostile" --mode "$1"
    rm -f "$dir/hostile.ports"
    timeout 200 "$talon" run --verbose "${files[@]}" --profile tests/data/live-profile.json --sut "$frames" --control "$control" --retries 0 >"$dir/out" 2>"$dir/err"
    status=$?
    took=$((SECONDS - begin))
    stop_sut "$sut"
}

# Before hello is answered the bench does not work: one sentence, and no case is played.
errors_out() { # mode
    against "$1"
    [ "$status" -eq 4 ] && [ ! -s "$dir/out" ] && grep -q '^talon run: --control .*expected an answer to `hello`' "$dir/err" && return
    [ "$status" -eq 4 ] && grep -q '^ERROR' "$dir/out" && ! grep -q '^FAIL' "$dir/out" && return
    sed "s/^/# status $status, $took s: /" "$dir/out" "$dir/err" | head -n 20
    return 1
}
# A SUT that dies is brought back by --sut-exec: its case is in error, those after it pass.
revived() {
    start_sut hostile "$hostile" --mode die-after=14
    cat >"$dir/restart" <<EOF
"$talon" sut --listen $frames --control $control --port-file "$dir/again.ports" >/dev/null 2>&1 </dev/null &
echo \$! >"$dir/again.pid"
until [ -s "$dir/again.ports" ]; do sleep 0.05; done
EOF
    timeout 100 "$talon" run --verbose scenarios/8-transactions/p*-target.json --sut "$frames" --control "$control" --retries 0 --sut-exec "bash $dir/restart" >"$dir/out" 2>"$dir/err"
    status=$?
    suts+=("$(cat "$dir/again.pid")")
    stop_sut "$(cat "$dir/again.pid")"
    [ "$status" -eq 4 ] && grep -q '^ERROR' "$dir/out" && sed '0,/^ERROR/d' "$dir/out" | grep -q '^pass'
}

# A case that ends before the next frame of garbage may pass.
judged() {
    against garbage-frames
    [ "$status" -eq 1 ] && grep -q 'rule L1' "$dir/out" && grep -qE '^[0-9]+ cases: [0-9]+ passed, [1-9][0-9]* failed' "$dir/out" && return
    sed "s/^/# status $status: /" "$dir/out" "$dir/err" | tail -n 20
    return 1
}

# A flood on the wire: what it breaks is told with its packets, and no case takes longer than it may. Where other programs
# need the processors too, the tester may be too late to decide. The turnaround is declared: the flood shall come in a case.
drowned() {
    local begin=$SECONDS
    start_sut drowning "$hostile" --mode flood-frames=14
    timeout 100 "$talon" run --verbose scenarios/8-transactions/push-target.json scenarios/8-transactions/push-initiator.json --sut "$frames" --control "$control" \
        --jobs 1 --retries 0 --timeout 5 --param turnaround=100us --param pipeline=100us --out "$dir/drowned" >"$dir/out" 2>"$dir/err"
    status=$?
    took=$((SECONDS - begin))
    stop_sut "$sut"
    [[ $status == [134] ]] && grep -qE '^(FAIL|ERROR|inconclusive) ' "$dir/out" &&
        { ! grep -q '^FAIL' "$dir/out" || grep -q '^  *packets' "$dir/out"; } &&
        [ -n "$(find "$dir/drowned" -name '*.pcapng')" ] || ! sed "s/^/# status $status, $took s: /" "$dir/out"
}

# ---- the same of a child in lockstep ----
lockstep() { # status, words, mode, seconds that an answer may take
    local begin=$SECONDS
    timeout 100 "$talon" run --verbose scenarios/8-transactions/push-target.json scenarios/8-transactions/pull-target.json \
        --sut "exec:python3 tests/suts/hostile_exec.py $3 $talon sut --lockstep" --timeout "${4:-30}" --out "$dir/lockstep-$3" >"$dir/out" 2>&1
    [ $? -eq "$1" ] && grep -q "$2" "$dir/out" && [ $((SECONDS - begin)) -le 60 ] && grep -q '^2 cases' "$dir/out" || ! sed 's/^/# /' "$dir/out"
}
unbegun() { # words, mode, seconds that an answer may take
    timeout 60 "$talon" run scenarios/8-transactions/push-target.json --sut "exec:python3 tests/suts/hostile_exec.py $2 $talon sut --lockstep" \
        --timeout "$3" >"$dir/out" 2>"$dir/err"
    [ $? -eq 4 ] && [ ! -s "$dir/out" ] && grep -q "$1" "$dir/err" || ! sed 's/^/# /' "$dir/out" "$dir/err"
}
# A case in error stops nobody: the next one has a child of its own. (The first is greeted and measured.)
goes_on() {
    cat >"$dir/thrice" <<EOF
echo >>"$dir/begun"
[ \$(wc -l <"$dir/begun") -eq 2 ] && exec python3 tests/suts/hostile_exec.py die=12 "$talon" sut --lockstep
exec "$talon" sut --lockstep
EOF
    timeout 60 "$talon" run --verbose scenarios/8-transactions/push-target.json scenarios/8-transactions/pull-target.json --jobs 1 --sut "exec:bash $dir/thrice" >"$dir/out" 2>&1
    [ $? -eq 4 ] && grep -q '^ERROR' "$dir/out" && grep -q '1 passed' "$dir/out" || ! sed 's/^/# /' "$dir/out"
}

# A child that dies while its turnaround is measured: the first case tells, the others are decided.
unmeasured() {
    cat >"$dir/once" <<EOF
echo >>"$dir/measured"
[ \$(wc -l <"$dir/measured") -eq 1 ] && exec python3 tests/suts/hostile_exec.py die=20 "$talon" sut --lockstep
exec "$talon" sut --lockstep
EOF
    timeout 60 "$talon" run --verbose scenarios/8-transactions/push-target.json scenarios/8-transactions/pull-target.json --jobs 1 --sut "exec:bash $dir/once" >"$dir/out" 2>&1
    [ $? -eq 4 ] && [ "$(grep -c '^ERROR' "$dir/out")" -eq 1 ] && grep -q 'turnaround was measured, before the first case' "$dir/out" && grep -q '1 passed' "$dir/out" ||
        ! sed 's/^/# /' "$dir/out"
}

# A child that hears nothing any more does not outlive a tester that is killed.
lives() { # pid; who is dead and not yet fetched does not
    [ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null)" != Z ] && [ -e "/proc/$1" ]
}
outlived() {
    "$talon" run --verbose scenarios/8-transactions/push-target.json --sut "exec:echo \$\$ >$dir/child.pid; exec sleep 100" >/dev/null 2>&1 &
    local tester=$!
    for _ in $(seq 200); do
        [ -s "$dir/child.pid" ] && break
        sleep 0.02
    done
    sleep 0.3
    lives "$(cat "$dir/child.pid")" || return 1
    kill -KILL "$tester"
    wait "$tester" 2>/dev/null
    sleep 0.5
    ! lives "$(cat "$dir/child.pid")"
}

behaves() {
    against none
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || ! grep -v '^pass' "$dir/out" | sed 's/^/# /'
}

beside "a flood of frames ends in a verdict, with its packets kept" drowned
beside "garbage frames are judged, and every case is run" judged
beside "the same SUT when it behaves does not fail" behaves
beside "a SUT that dies is brought back by --sut-exec" revived
for mode in flood hang die-after close garbage-line wrong-id half-line long-line; do
    for after in 3 14; do # before the first case has begun, and in the middle of one
        beside "$mode after $after commands: error, status 4, in time" errors_out "$mode=$after"
    done
done
beside "hang in a later case: error, status 4, in time" errors_out hang=40
beside "hang at the first word: error, status 4, in time" errors_out hang=0
beside "exec: hangs" lockstep 4 "has not answered for 5 s" hang=12 5
beside "exec: hangs at the first word" unbegun "has not answered .begin. for 2 s" hang=0 2
beside "exec: dies" lockstep 4 "ended with exit status 0" die=12
beside "exec: is killed" lockstep 4 "ended by signal 9" kill=12
beside "exec: floods" lockstep 4 "keeps sending without end" flood=12
beside "exec: garbage" lockstep 4 "not a JSON object" garbage=12
beside "exec: garbage frames are judged, and every case is run" lockstep 1 "rule L1" garbage-frames
beside "exec: the same child when it behaves" lockstep 0 "2 passed" none
beside "exec: the next case begins anew" goes_on
beside "exec: dies while it is measured, which the first case tells" unmeasured
beside "exec: no child outlives a tester that is killed" outlived
done_beside
is "exec: the last packets are kept" test -n "$(find "$dir" -path '*/lockstep-die=12/*' -name '*.pcapng')"
done_testing
