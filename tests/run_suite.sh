#!/bin/bash
# lane: works
# The suite passes on the built-in implementation in virtual time, and results are the same bytes from run to run, for any
# --jobs. (On another process over UDP: run_faults.sh, run_live.sh.) Parts of the suite are the whole with TALON_WHOLE.
# shellcheck disable=SC2046 # files
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

in_virtual_time() {
    "$talon" run --verbose scenarios --sut builtin >"$dir/virtual" && ! grep -qE '^(warn|inconclusive|FAIL|ERROR)' "$dir/virtual"
}
is "the suite passes on the built-in SUT in virtual time" in_virtual_time

# TALON_SEEDS=100 tries as many as the suite is said to pass with.
last=${TALON_SEEDS:-$([ -n "${TALON_WHOLE:-}" ] && echo 100 || echo 2)}
for seed in $(seq 2 "$last"); do
    "$talon" run --verbose scenarios --sut builtin --seed "$seed" | grep -E '^(warn|inconclusive|FAIL|ERROR)'
done >"$dir/seeds"
is "and with other seeds" test ! -s "$dir/seeds"

# Under a fault there is more to get wrong: problems, ladders, timelines.
for run in 1 4 again; do
    jobs=${run/again/4}
    "$talon" run --verbose $(part_of 1/6) --sut builtin:fault=acks-unsent --seed 7 --jobs "$jobs" \
        --report json:"$dir/$run.json" --report junit:"$dir/$run.xml" --vectors >"$dir/$run.txt"
    "$talon" run --verbose $(split 1/16) --sut builtin:fault=acks-unsent --seed 7 --jobs "$jobs" --keep all --out "$dir/out-$run" \
        --report json:"$dir/part-$run.json" >/dev/null
done
identical() { # what, suffix
    cmp "$dir/1.$1" "$dir/4.$1" && cmp "$dir/4.$1" "$dir/again.$1" && [ -s "$dir/1.$1" ]
}
is "--jobs cannot be seen on the console, nor one run from the next" identical txt
is "--jobs cannot be seen in results JSON" identical json
is "--jobs cannot be seen in JUnit" identical xml
same_evidence() {
    diff -r --exclude run.json "$dir/out-1" "$dir/out-4" && diff -r --exclude run.json "$dir/out-4" "$dir/out-again" &&
        [ "$(find "$dir/out-1" -name timeline.jsonl | wc -l)" -ge 12 ]
}
is "--jobs cannot be seen in the evidence" same_evidence
is "--out holds the same results as --report json" cmp "$dir/out-1/results.json" "$dir/part-1.json"

another_seed() {
    "$talon" run --verbose $(part_of 2/12) --sut builtin --seed 8 --report json:"$dir/8.json" >/dev/null
    "$talon" run --verbose $(part_of 2/12) --sut builtin --seed 7 --report json:"$dir/7.json" >/dev/null
    ! cmp -s "$dir/7.json" "$dir/8.json"
}
is "another seed gives other results" another_seed

well_formed() {
    ! command -v xmllint >/dev/null || xmllint --noout "$dir/1.xml"
}
is "JUnit is well-formed XML" well_formed

some="scenarios/8-transactions scenarios/8.5.3.4-rnr scenarios/9.1.6-ack-generation"
[ -z "${TALON_WHOLE:-}" ] || some=scenarios
kept() { # option, whether each case leaves a timeline
    local due=0
    rm -rf "$dir/kept"
    # shellcheck disable=SC2086 # options
    "$talon" run --verbose $some --sut builtin --out "$dir/kept" $1 >"$dir/console"
    [ "$2" = no ] || due=$(grep -c ^pass "$dir/console")
    [ "$(grep -c ^pass "$dir/console")" -ge 300 ] &&
        [ "$(find "$dir/kept" -name timeline.jsonl | wc -l)" -eq "$due" ] && [ -s "$dir/kept/results.json" ]
}
is "passing cases leave no timeline behind" kept "" no
is "unless --keep all says so" kept "--keep all" yes

# Beside what the rules read, the tester's endpoint says what it is at (docs/formats.md).
notes() {
    local word
    grep -rh '"event":"internal"' "$dir/kept" --include=timeline.jsonl >"$dir/notes"
    for word in PushDataTx PullReqUlpTx; do
        grep -q "tester's endpoint: .*$word" "$dir/notes" || return 1
    done
    grep -rh '"event":"bench"' "$dir/kept" --include=timeline.jsonl | grep '"what":"timer"' >"$dir/timers"
    for word in 'coalescing timer' 'RNR timer'; do
        grep -q "\"text\":\"$word" "$dir/timers" || return 1
    done
    ! grep -rhE "PushDataTx|coalescing timer" "$dir/kept" --include=timeline.jsonl | grep -qvE '"event":"(internal|bench)"'
}
is "the tester's states are internal notes, its timers bench events" notes

# Numbers that leap by hundreds of millions are one finding and no loop over each of them: this took more than 15 minutes.
leap() {
    timeout -k 1 60 "$talon" run scenarios/8-transactions/transactions-over-loss.json --sut builtin:fault=data-psn-of-requests >"$dir/out"
    [ $? -eq 1 ] && grep -q '^8 cases: 0 passed, 8 failed' "$dir/out"
}
is "a SUT whose PSNs leap does not stall the judge" leap

# Two ends that repeat packets to each other for ever end before the memory does, and what a rule found counts.
endless() {
    timeout -k 1 60 "$talon" run scenarios/nvme-target/nvme-target-write-sizes-512.json --id '*nlb=2048,*' \
        --sut builtin:fault=data-psn-of-requests --verbose >"$dir/out"
    [ $? -eq 1 ] && grep -q 'rule X2, .*: violated by the SUT' "$dir/out" &&
        grep -q 'more than 1000000 packets in [0-9.]* s of virtual time' "$dir/out" && grep -q '^1 case: 0 passed, 1 failed' "$dir/out"
}
is "a case of endless repetitions is ended" endless

# What the network does is nobody's breach: a good SUT may come to nothing there, but it does not fail, nor does the tester.
network() { # words of --network
    "$talon" run --verbose $(part_of $((tests % 3 + 1))/3) --network "$1" >"$dir/out"
    ! grep -E '^(FAIL|ERROR) ' "$dir/out" | sed 's/^/# /' | grep .
}
for words in loss=10% duplicate=20% reorder=30% jitter=1ms mtu=600 loss=5%,duplicate=10%,reorder=10%,jitter=200us; do
    is "a network of $words fails nobody" network "$words"
done
done_testing
