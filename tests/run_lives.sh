#!/bin/bash
# lane: works
# One SUT plays many cases, one after another: what needs a long life is found, is told apart from what shows itself alone,
# and can be played again.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
some=(scenarios/6-overview scenarios/9.1.6-ack-generation)

counting() { # a SUT that notes each start
    echo "exec:echo x >>$dir/started; exec $talon sut --lockstep"
}
starts() { # options...: how often the SUT was started
    : >"$dir/started"
    "$talon" run --verbose scenarios/6-overview --jobs 1 --param turnaround=0 --param pipeline=0 --sut "$(counting)" "$@" >"$dir/out" || return 1
    wc -l <"$dir/started"
}
one_life() {
    [ "$(starts)" -lt 6 ] && [ "$(starts --life 8)" -gt 10 ] && [ "$(starts --fresh)" -gt 60 ]
}
is "cases share one SUT; --life and --fresh give another" one_life

same_verdicts() {
    "$talon" run --verbose "${some[@]}" --life 40 --jobs 1 --report json:- --seed 3 >"$dir/one" &&
        "$talon" run --verbose "${some[@]}" --life 40 --jobs 4 --report json:- --seed 3 >"$dir/four" && cmp "$dir/one" "$dir/four"
}
is "the number of threads changes nothing" same_verdicts

# A fault that acts only after more than any case gives it: found in a life, not by fresh SUTs.
late=builtin:fault=acks-unsent:from=60
found() {
    "$talon" run --verbose "${some[@]}" --sut $late --fresh >"$dir/out" || return 1
    "$talon" run --verbose "${some[@]}" --sut $late --life 1000 --jobs 1 --fail-fast --report json:"$dir/r.json" >"$dir/out"
    [ $? -eq 1 ] && grep -q 'same SUT  had played [0-9]* before, from .* on; on a new SUT the verdict of this case alone is pass' "$dir/out"
}
is "a fault that acts late is found in a life" found
again() { # the command that the report gives
    local command
    command=$(grep -m 1 -o 'reproduce with: talon run .*' "$dir/out" | cut -d' ' -f4-)
    case $command in *--first*--last*) ;; *) return 1 ;; esac
    bash -c "$talon ${command#talon } --verbose" >"$dir/again"
    [ $? -eq 1 ] && diff <(grep -A 3 '^FAIL ' "$dir/out" | head -4) <(grep -A 3 '^FAIL ' "$dir/again" | head -4)
}
is "and its command plays the cases before it, too" again
told() {
    grep -q '"life_before": ' "$dir/r.json" && grep -q '"alone": "pass"' "$dir/r.json" && grep -q '"life_first": "' "$dir/r.json" &&
        grep -q '"fault_opportunities": ' "$dir/r.json" && grep -q '"fault_acts": ' "$dir/r.json"
}
is "results say which cases came before, the verdict alone, and the opportunities of the fault" told
counted() { # fault, scenario
    "$talon" run --verbose scenarios --id "$2*" --sut "builtin:fault=$1" --report json:"$dir/r.json" >"$dir/out"
    [ $? -eq 1 ] && grep -q '"fault_acts": [1-9]' "$dir/r.json"
}
is "opportunities of cases with several connections are counted" counted connections-starved scheduler-shares
is "... also those of a connection that has ended" counted error-stalls-others error-beside-traffic
together() { # cases with several connections, on one SUT and on a new one for each
    "$talon" run --verbose scenarios --id 'error-beside-traffic*' --sut builtin:fault=error-stalls-others:from=300 --repeat 12 "$@" >"$dir/out"
}
many_together() { together --fresh && ! together --life 1000; }
is "a fault of several connections that acts late is found in a life" many_together
repeated() { # options...: plays of a case that fails each time
    "$talon" run --verbose scenarios/9.1.6-ack-generation --id ack-request --sut builtin:fault=ar-ignored --repeat 5 --report json:"$dir/r.json" "$@" >"$dir/out"
    [ $? -eq 1 ] && grep -c '"seed": ' "$dir/r.json"
}
ends_repetitions() { [ "$(repeated --fail-fast)" -lt "$(repeated)" ]; }
is "--fail-fast ends the repetitions of a case at its first failure" ends_repetitions
alone() {
    "$talon" run --verbose "${some[@]}" --sut builtin:fault=ar-ignored --life 1000 --jobs 1 >"$dir/out"
    [ $? -eq 1 ] && grep -q 'on a new SUT the verdict of this case alone is fail' "$dir/out" && ! grep -q 'reproduce with.*--first' "$dir/out"
}
is "what fails alone, too, is played again alone" alone

stopped() { # after so many frames
    "$talon" run --verbose "${some[@]}" --jobs 1 --fail-fast --param turnaround=0 --param pipeline=0 --sut "exec:python3 tests/suts/stops_exec.py signal@$1 $talon sut --lockstep" >"$dir/out" 2>/dev/null
    [ $? -eq 1 ] && grep -q 'a replay of the case .*stopped the SUT again' "$dir/out" && grep -q 'had played [0-9]* before' "$dir/out"
}
is "a SUT that stops after 200 frames fails, though each case alone passes" stopped 200

fresh() {
    "$talon" run --verbose scenarios/9.2.2-security --life 1000 --dry-run >"$dir/out" &&
        grep -q '(with a reset: it rotates the keys of the device)' "$dir/out" &&
        "$talon" run --verbose scenarios/9.2.2-security --dry-run >"$dir/out" && ! grep -q 'with a reset' "$dir/out"
}
is "a case that needs a reset of the device says why" fresh

between() {
    "$talon" run scenarios/6-overview --list >"$dir/all" || return 1
    local third fifth
    third=$(sed -n 3p "$dir/all" | cut -d' ' -f1) fifth=$(sed -n 5p "$dir/all" | cut -d' ' -f1)
    "$talon" run scenarios/6-overview --list --first "$third" --last "$fifth" | cmp - <(sed -n 3,5p "$dir/all") &&
        ! "$talon" run scenarios/6-overview --list --first no-such-case 2>"$dir/err" && grep -q 'first no-such-case: it is not among' "$dir/err" &&
        ! "$talon" run scenarios/6-overview --list --first "$fifth" --last "$third" 2>"$dir/err" && grep -q 'comes after' "$dir/err"
}
is "--first and --last" between
lossy() {
    "$talon" run --verbose "${some[@]}" --life 1000 --network latency=50us,loss=1% >"$dir/out"
    [ $? -ne 1 ] && no_finding "$dir/out"
}
is "late frames of an earlier case harm no later one" lossy

# Long scenarios: thousands of transactions on one connection.
named() {
    ! "$talon" run --verbose scenarios/soak 2>"$dir/err" && grep -q 'long ones by --profile soak' "$dir/err" &&
        [ -z "$("$talon" run scenarios/soak --list --tag traffic)" ] &&
        [ "$("$talon" run scenarios/soak --list --tag soak | wc -l)" -eq 14 ] &&
        [ "$("$talon" run scenarios/soak --list --id 'thousands-both-ways*' | wc -l)" -eq 12 ] &&
        [ "$("$talon" run scenarios/soak --list --profile scenarios/profiles/soak.json | wc -l)" -eq 14 ]
}
is "long scenarios are played only if they are named" named
long() { "$talon" run --verbose scenarios/soak --tag soak >"$dir/out" && no_finding "$dir/out"; }
is "they pass" long
late() { # fault: found by them
    "$talon" run --verbose scenarios/soak --tag soak --fail-fast --sut "builtin:fault=$1" >"$dir/out"
    [ $? -eq 1 ]
}
is "they find pulls that are not delivered from the 2,000th on" late pull-delivery-lost:from=2000
is "... ACKs that end after 90 of a kind" late acks-unsent:from=90
is "... an answer under a wrong RSN after 2,000" late pull-data-wrong-rsn:from=2000
is "... a wrong byte in one push in a thousand" late push-payload-wrong:one-in=1000
done_testing
