#!/bin/bash
# lane: waits
# `talon run --probe`: what the SUT does, held against what it claims: claims that are not met, abilities that nobody
# claimed. ICS items are true, false or undeclared.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

probe() { # status, arguments...
    local due=$1
    shift
    timeout 120 "$talon" run --verbose "$@" --probe --report "json:$dir/json" >"$dir/out" 2>"$dir/err"
    [ $? -eq "$due" ]
}
row() { # item, says, does, finding
    grep -qE "^$1 +$2 +$3 +[0-9]+ +[0-9]+${4:+  $4}( \(.*\))?\$" "$dir/out"
}
some=(scenarios/9.2.2-security scenarios/10-congestion scenarios/9.1.4-early-retransmission)
is "the built-in one is as it says" probe 0 "${some[@]}"
is "PSP is claimed, and done" row psp claimed does
is "Swift too" row swift claimed does
not_a_finding() { ! grep -qE "claim not met|ability" "$dir/out"; }
is "nothing is found" not_a_finding
echo '{"schema": "talon/ics/1", "items": {"swift": false, "psp": true}}' >"$dir/denied.json"
is "an ability that is denied fails nothing" probe 0 "${some[@]}" --ics "$dir/denied.json"
is "and is reported" row swift denied does "ability denied"
is "in JSON too" grep -q '"finding": "ability denied"' "$dir/json"
echo '{"schema": "talon/ics/1", "items": {"psp": true}}' >"$dir/claimed.json"
lite="lib:$BUILD/examples/lite_sut.so"
is "a claim that is not met fails the run" probe 1 scenarios/9.2.2-security --sut "$lite" --ics "$dir/claimed.json"
is "and is reported, with a case" row psp claimed "does not" "claim not met"
is "the SUT itself said otherwise" grep -q '^ICS psp: the ICS states true, the SUT.s own answer to `hello` states the opposite' "$dir/out"
is "what it does not claim and cannot do is as it should be" probe 0 scenarios/9.2.2-security --sut "$lite"
is "and said to be so" row psp denied "does not"
undeclared="exec:python3 tests/suts/no_ics.py $talon sut --lockstep"
is "a SUT that declares nothing" probe 0 scenarios/10-congestion --sut "$undeclared"
is "does what nobody declared" row swift undeclared does "ability not declared"
is "a fault in what is claimed is a claim met in part" probe 1 scenarios/9.1.4-early-retransmission --sut builtin:fault=early-never
is "and said so" row early-retransmission claimed partly "claim met in part"
done_testing
