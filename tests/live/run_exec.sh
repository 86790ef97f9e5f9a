#!/bin/bash
# lane: waits
# SUTs in lockstep that die, hang, flood or garble, at the first word or in mid-run: every case ends, in time, in error with
# the reason, and the tester goes on. The SUT as a process gives the same bytes as the one inside Talon, run for run.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
some=(scenarios/6-overview scenarios/8-transactions/push-target.json scenarios/9.2.2-security/replay.json)
[ -e "${some[2]}" ] || some=("${some[@]:0:2}" "$(find scenarios/9.2.2-security -name '*.json' | sort | head -1)")

broken() { # mode, answers before, words
    local patience=5 # of a busy machine
    [ "$1" = hang ] && patience=1
    timeout 60 "$talon" run --verbose scenarios/8-transactions/push-target.json --timeout "$patience" --sut "exec:python3 tests/suts/bad_exec.py $1 $2 $talon sut --lockstep" >"$dir/out" 2>"$dir/err"
    local status=$?
    # before hello is answered the bench does not work: one sentence, and no case is played
    [ $status -eq 4 ] && [ ! -s "$dir/out" ] && grep -E '^talon run: --sut ' "$dir/err" | grep -qE -- "$3" && return
    [ $status -eq 4 ] && grep -q '^ERROR ' "$dir/out" && ! grep -qE '^(FAIL|warn) ' "$dir/out" && grep -qE -- "$3" "$dir/out"
}
stopped() { # the same after a packet of the case: the SUT failed, not the bench
    timeout 60 "$talon" run --verbose scenarios/8-transactions/push-target.json --timeout 4 --sut "exec:python3 tests/suts/bad_exec.py $1 $2 $talon sut --lockstep" >"$dir/out" 2>"$dir/err"
    [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/out" && grep -qE -- "$3" "$dir/out"
}
is "dies before the first packet" broken die 0 "ended with exit status"
is "hangs before the first packet" broken hang 0 "has not answered .* for 1 s"
is "dies after 6 answers" stopped die 6 "ended with exit status 3 after packet"
is "hangs after 6 answers" stopped hang 6 "has not answered for 4 s after packet"
for after in 0 6; do
    is "floods after $after answers" broken flood $after "keeps sending without end|seq: |floods|without end"
    is "says garbage after $after answers" broken garble $after "not a JSON object"
    is "flips bits after $after answers" broken bits $after "not a JSON object|other than the current one|has not answered|control channel|seq: "
    is "sends no hex after $after answers" broken frames $after "hex digits"
    is "says a line without end after $after answers" broken long $after "too long"
    is "ends in mid-line after $after answers" broken half $after "ended with exit status"
done
is "answers another message" broken "done" 6 "other than the current one"
is "answers twice" broken twice 6 "other than the current one|does not advance|unknown command|garbage|control channel|due"
is "a timer that does not move" broken back 6 "does not move|due"

certified() { # out, sut
    "$talon" run --verbose "${some[@]}" --sut "$2" --out "$dir/$1" --keep all >"$dir/$1.txt" && ! grep -qE '^(FAIL|warn|ERROR|inconclusive) ' "$dir/$1.txt"
}
is "talon sut in lockstep is certified" certified one "exec:$talon sut --lockstep"
is "and once more" certified two "exec:$talon sut --lockstep"
is "the same bytes, timelines too" diff -r --exclude run.json "$dir/one" "$dir/two"
several() { "$talon" run --verbose scenarios/6.4-lifecycle --sut "exec:$talon sut --lockstep" --id "many-to-one*" --id "other*" --copies 3 >"$dir/out"; }
is "several connections at once, too" several
done_testing
