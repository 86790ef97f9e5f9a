#!/bin/bash
# lane: works
# A SUT that declares no turnaround and no pipeline allowance: Talon learns them before the first case. Whatever they
# are, no conforming SUT fails, and no fault hides behind them. What was learned stands in results and reports. TAP.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

no_fail() { # options of talon run
    "$talon" run --verbose "$@" >"$dir/out" 2>"$dir/err"
    local status=$?
    no_finding "$dir/out" && { [ $status = 0 ] || [ $status = 3 ]; }
}

# ---- no conforming SUT fails ----

# Each delay meets a part of the suite, another one for each; with TALON_WHOLE all of it.
# shellcheck disable=SC2054 # commas stand in the values
delays=(1ns 37ns 1us 10us 100us 1ms 0..1us 100ns..20us 1us,1/8=100us 0,nack=50us 1ns,pull_data=20us,eack=7us 0,push_data=1ms
    2us,back=3us 5ms 20ms 200ms)
number=0
for delay in "${delays[@]}"; do
    number=$((number + 1))
    # shellcheck disable=SC2046 # files
    is "undeclared, $delay" no_fail $(part_of $number/${#delays[@]}) --sut "builtin:delay=$delay"
done
# Slower than the limits, and as slow as they allow: a timer may fire before the SUT has processed what a period in which
# nothing may come began with.
for delay in 30ms 50ms 100ms; do
    is "undeclared, $delay, where nothing may come for a while" no_fail scenarios/7-wire-format/received-rnr-timeouts.json \
        scenarios/6.6-flows/flow-pull-rnr-target.json --sut "builtin:delay=$delay"
done
# Engines that take a time of their own, which may reorder packets by more than the limits allow to learn.
for lanes in rx-lanes:lanes=500ns rx-lanes-hashed,tx-lanes:lanes=5us:delay=1us queues-swap,rx-lanes:lanes=50us; do
    number=$((number + 1))
    # shellcheck disable=SC2046 # files
    is "undeclared, $lanes" no_fail $(part_of $number/19) --sut "builtin:twin=$lanes" --param ordered=false
done
ack=scenarios/9.1.6-ack-generation
# shellcheck disable=SC2046 # files
is "a process in lockstep that takes 1 ns" no_fail $(part_of 1/40) --sut "exec:$talon sut --lockstep --delay 1ns"

# A step gives the SUT an RTO that is shorter than its answers take: its attempts run out before an acknowledgement can come.
cat >"$dir/short-rto.json" <<'END'
{"schema": "talon/scenario/1", "id": "short-rto", "title": "An RTO shorter than the answers", "purpose": "The push completes.",
 "class": "valid", "covers": ["FTP-6.1.1-02"], "version": 1, "steps": [
  {"cm": {"do": "set", "params": {"rto": "300us"}}}, {"ulp": {"do": "post", "op": "push", "length": 64, "tag": 1}},
  {"expect_ulp": {"event": "completion", "tag": 1, "code": 0}, "within": "$rto * 40"}]}
END
short_rto() { # word of the output, options...
    local word=$1
    shift
    "$talon" run --verbose "$dir/short-rto.json" "$@" >"$dir/out"
    grep -q "$word" "$dir/out"
}
is "undeclared, 3ms, and a step sets an RTO of 300us" short_rto 'short-rto.json:[0-9]*: undeclared-turnaround$' --sut builtin:delay=3ms
is "... which convicts a SUT that declares less" short_rto '^FAIL ' --sut builtin:delay=3ms --param turnaround=1us --param pipeline=1us
is "... and is met by a SUT that takes 10us" short_rto '^1 case: 1 passed' --sut builtin:delay=10us

# ---- declared, the verdicts are full ----

declared() {
    "$talon" run --verbose $ack --sut "builtin:delay=$1" --param turnaround="$1" --param pipeline="$1" --report json:"$dir/run.json" >"$dir/out"
    tail -1 "$dir/out" | grep -q ' passed, 0 failed (seed 1)$' && ! grep -q '"learned"' "$dir/run.json" && ! grep -q '^turnaround:' "$dir/out"
}
for delay in 1ns 1us 100us; do
    is "declared, $delay" declared $delay
done
half_declared() {
    "$talon" run --verbose $ack/ack-request.json --sut builtin:delay=1us --param turnaround=1us --report json:"$dir/run.json" >"$dir/out"
    grep -A 2 '"learned"' "$dir/run.json" | grep -q '"pipeline": true' && ! grep -A 2 '"learned"' "$dir/run.json" | grep -q '"turnaround": true' &&
        grep -q -- 'or with --param pipeline=1.25us$' "$dir/out"
}
is "only what is not declared is learned" half_declared

# ---- slow is no disguise ----

seen() { # fault, delay: it is found, and a fault that is not must not let the run pass
    "$talon" run --verbose $ack --sut "builtin:fault=$1:delay=$2" >"$dir/out"
    local status=$?
    [ $status = 1 ] || { echo "# exit status $status"; return 1; }
}
never_passes() { # fault, delay, case: where the fault is as slow as the SUT may be
    "$talon" run --verbose $ack --id "$3" --sut "builtin:fault=$1:delay=$2" >"$dir/out"
    [ $? -ge 1 ] && ! grep -q "^pass " "$dir/out"
}
for fault in coalescing-doubled coalescing-never coalescing-restarted ar-ignored ar-of-push-at-once ack-before-ulp; do
    for delay in 1ns 800ns 1us 100us; do
        is "$fault behind $delay" seen $fault $delay
    done
done
seen_of_lanes() { # fault: it is found in a device with engines of which nobody says how long they take
    "$talon" run --verbose $ack --sut "builtin:fault=$1:twin=rx-lanes,tx-lanes:lanes=1us" >"$dir/out"
    [ $? = 1 ]
}
for fault in coalescing-doubled coalescing-never ar-ignored; do
    is "$fault behind engines" seen_of_lanes $fault
done
is "a doubled coalescing timeout of a SUT as slow as that" never_passes coalescing-doubled 1ms 'coalesc*'

# ---- what is told ----

told() {
    "$talon" run --verbose $ack --sut builtin:delay=1us,1/8=100us --report json:"$dir/run.json" --report html:"$dir/run.html" \
        --report markdown:"$dir/run.md" >"$dir/out"
    for text in 'declares no turnaround and pipeline allowance; learned from 744 answers' 'answers come in two speeds' \
        'turnaround=125us'; do
        for file in out run.html run.md; do
            sed 's/&#58;/:/g; s/&#61;/=/g' "$dir/$file" | grep -q -- "$text" || { echo "# $file lacks: $text"; return 1; }
        done
    done
    grep -A 9 '"learned"' "$dir/run.json" | grep -q '"value_ns": 125000' && grep -A 9 '"learned"' "$dir/run.json" | grep -q '"two_speeds": true'
}
is "what was learned, what to declare, and that answers come in two speeds" told
below_ratio() { # declared values with which a rule decides nothing stand on the first page of each report
    "$talon" run --verbose $ack/ack-request.json --sut builtin --param turnaround=1us --report json:"$dir/run.json" \
        --report html:"$dir/run.html" --report markdown:"$dir/run.md" >"$dir/out"
    for file in out run.html run.md; do
        sed 's/&#58;/:/g; s/&#40;/(/g; s/&#41;/)/g' "$dir/$file" | grep -q 'rule A3.*below its ratio\|below its ratio.*rule A3' ||
            { echo "# $file does not name A3"; return 1; }
        grep -q 'use a longer one' "$dir/$file" || { echo "# $file does not say what to do"; return 1; }
    done
    grep -A 3 '"below_ratio"' "$dir/run.json" | grep -q '"rule": "A3"' && "$talon" run --verbose $ack/ack-request.json --sut builtin \
        --report json:"$dir/run.json" >"$dir/out" && ! grep -q 'below_ratio' "$dir/run.json"
}
is "rules below their ratio, on the first page" below_ratio
costly() { # a declared value beyond its limit, and one that measured answers do not bear out, stand there, too
    "$talon" run --verbose $ack/ack-request.json --sut builtin:delay=1us --param turnaround=1s --param pipeline=1s --report json:"$dir/run.json" \
        --report html:"$dir/run.html" --report markdown:"$dir/run.md" >"$dir/out"
    for text in 'declared value.*turnaround 1 s is more than 125 us: rules C5 .* lose power: .*configure a longer RTO' \
        'declared value.*pipeline 1 s is more than 8 us: the longest of 744 measured answers took 1 us.*configure longer timers'; do
        for file in out run.html run.md; do
            sed 's/&#58;/:/g; s/&#61;/=/g' "$dir/$file" | grep -q -- "$text" || { echo "# $file lacks: $text"; return 1; }
        done
    done
    [ "$(grep -c '"measured": true' "$dir/run.json")" = 2 ] && grep -q '"costly_values"' "$dir/run.json"
}
is "declared values beyond their limits, on the first page" costly
honest() { # a slow SUT that declares what it needs is within the limits with timers to match
    "$talon" run --verbose $ack/ack-request.json --sut builtin:delay=1ms --param turnaround=1ms --param pipeline=1ms --param rto=60ms \
        --param coalescing=20ms --report json:"$dir/run.json" >"$dir/out" && ! grep -q 'costly_values\|below_ratio' "$dir/run.json" &&
        "$talon" run --verbose $ack/ack-request.json --sut builtin:delay=1ms --param turnaround=1ms --param pipeline=1ms >"$dir/out"
    grep -q '^declared value: turnaround .*configure a longer RTO' "$dir/out" && ! grep -q 'measured answers' "$dir/out"
}
is "a slow SUT with honest values is told which timer to make longer" honest
weakened() {
    "$talon" run --verbose scenarios/8-transactions --sut builtin:delay=1us --report json:"$dir/run.json" >"$dir/out"
    grep -q '^turnaround: rules that decided less because of it:.* A2' "$dir/out" && grep -A 9 '"weakened"' "$dir/run.json" | grep -q '"rule": "A2"'
}
is "which rules decide less" weakened
late() { # a packet that came too late is shown, with its lateness
    "$talon" run --verbose $ack/ack-request.json --sut builtin:delay=1ns --param turnaround=0 --param pipeline=0 >"$dir/out"
    [ $? = 1 ] && grep -A 4 '^FAIL' "$dir/out" | grep -q 'seen      @1ns < back' && grep -A 4 '^FAIL' "$dir/out" | grep -q 'because   it came 1 ns after'
}
is "a packet that came too late" late
words() {
    "$talon" explain config:turnaround undeclared-turnaround >"$dir/out" && grep -q 'param turnaround=TIME' "$dir/out"
}
is "the words are explained" words

# ---- the same again ----

same() {
    for jobs in 1 4; do
        "$talon" run --verbose $ack --sut builtin:delay=0..3us --jobs $jobs --report json:"$dir/$jobs.json" >/dev/null
    done
    cmp "$dir/1.json" "$dir/4.json"
}
is "the same bytes, whatever the number of jobs" same
again() {
    "$talon" run --verbose $ack --sut builtin:delay=1us --out "$dir/evidence" --keep all >/dev/null
    grep -A 9 '"learned"' "$dir/evidence/run.json" | grep -q '"value_ns": 1250' && "$talon" check "$dir/evidence" >"$dir/out" &&
        tail -1 "$dir/out" | grep -q 'all as recorded$'
}
is "evidence keeps what was learned, and is judged with it again" again
resumed() { # what the journal says holds for the rest of the run
    "$talon" run --verbose $ack --sut builtin:delay=1us --out "$dir/part" --report json:"$dir/whole.json" >/dev/null
    cp -r "$dir/part" "$dir/begun"
    "$talon" run --verbose $ack --sut builtin:delay=1us --out "$dir/cut" >/dev/null 2>&1 &
    local pid=$!
    for _ in $(seq 200); do
        [ -s "$dir/cut/journal.jsonl" ] && [ "$(wc -l <"$dir/cut/journal.jsonl")" -gt 3 ] && break
        sleep 0.01
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -e "$dir/cut/journal.jsonl" ] || return 0 # it was too fast
    sed -i '2s/"value_ns":1250/"value_ns":1300/' "$dir/cut/journal.jsonl"
    "$talon" run --verbose --resume "$dir/cut" >/dev/null && grep -A 9 '"learned"' "$dir/cut/run.json" | grep -q '"value_ns": 1300'
}
is "a resumed run keeps what was learned" resumed

done_testing
