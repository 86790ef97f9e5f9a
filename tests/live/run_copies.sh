#!/bin/bash
# lane: waits
# `talon run --copies N`: each case on several connections of one SUT at once, each judged by itself; over every way to a
# SUT. One copy that fails fails the case and is named; in virtual time results are the same bytes from run to run.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
some=(scenarios/6-overview scenarios/6.4-lifecycle scenarios/9.2.3-ack-processing)

clean() { ! grep -qE '^(FAIL|warn|ERROR|inconclusive) ' "$dir/out" && grep -q '^pass ' "$dir/out"; }
copies() { "$talon" run --verbose "$@" >"$dir/out" 2>"$dir/err" && clean; }
kept() { # name, arguments...
    local name=$1
    shift
    "$talon" run --verbose "${some[@]}" --copies 5 --out "$dir/$name" --keep all "$@" >"$dir/out" && clean
}
is "five connections of the built-in one" kept one
is "the same with one thread" kept two --jobs 1
is "the same bytes, timelines too" diff -r --exclude run.json "$dir/one" "$dir/two"
again() { # status, directory
    "$talon" check "$dir/$2" >"$dir/out"
    [ $? -eq "$1" ] && grep -q "all as recorded" "$dir/out"
}
is "judged and played again" again 0 one
is "sealed connections, told apart by their SPIs" copies scenarios/9.2.2-security --copies 3
is "64 connections" copies scenarios/6.4-lifecycle/many-to-one.json --copies 64
is "a network that delays and reorders" copies scenarios/6.4-lifecycle/many-to-one.json --copies 8 --network latency=20us,jitter=10us
lite="lib:$BUILD/examples/lite_sut.so"
is "a library" copies scenarios/6-overview --sut "$lite" --profile docs/examples/lite.json --copies 4
is "a process in lockstep" copies scenarios/6-overview --id 'push-*' --sut "exec:python3 docs/examples/lite_sut.py --lockstep" --profile docs/examples/lite.json --copies 4

# A fault that strikes now and then: some copies fail, and the case names the first of the worst.
one_fails() {
    "$talon" run --verbose scenarios/8-transactions --sut builtin:fault=payload-corrupted:one-in=60 --copies 5 --out "$dir/fails" >"$dir/out"
    [ $? -eq 1 ] && grep -qE '^FAIL .*\(copy [2-5] of 5\)$' "$dir/out" && grep -q 'reproduce with: .* --copies 5' "$dir/out"
}
is "one copy that fails fails the case, and is named" one_fails
is "its evidence comes to the same" again 1 fails
is "results name it, too" grep -qE '"copy": ?[2-5]' "$dir/fails/results.json"
wrong_cid() {
    "$talon" run --verbose scenarios/6.4-lifecycle/many-to-one.json --sut builtin:fault=cid-wrong --copies 3 >"$dir/out"
    [ $? -eq 1 ]
}
is "wrong IP and UDP headers are of one copy's frame" eval '"$talon" run --verbose scenarios/9.2.2.1-integrity --sut builtin --copies 3 >"$dir/out" && clean'
is "a CID that is wrong is judged" wrong_cid

says() { "$talon" run --verbose "$@" >"$dir/out" 2>&1; grep -q "$words" "$dir/out"; }
words='skipped: copies: the scenario sets the SUT.s CID' is "a CID of the SUT is one connection's" says scenarios/6.4-lifecycle --copies 2
words='skipped: copies: the scenario rotates' is "the keys of the whole device" says scenarios/9.2.2-security --copies 2
for bad in 0 65 x; do
    words="expected 1 to 64" is "--copies $bad" says scenarios/6-overview --copies $bad
done

# In real time, each from a port of its own.
live() { # copies, scenarios...
    local n=$1
    shift
    timeout 100 "$talon" run --verbose "$@" --sut "$frames" --control "$control" --copies "$n" --retries 6 >"$dir/out" 2>&1
    local status=$?
    { [ $status -eq 0 ] || [ $status -eq 3 ]; } && no_finding "$dir/out" && grep -q '^pass ' "$dir/out"
}
start_sut udp4 "$talon" sut
is "over UDP" live 4 scenarios/6.4-lifecycle/many-to-one.json scenarios/6.4-lifecycle/other-connections-cid.json scenarios/8-transactions/push-target.json
is "sealed" live 2 scenarios/8-transactions/push-target.json --encap psp_transport
is "sealed, with ACKs that the case steers" live 1 tests/data/steered-live.json --encap psp_transport
is "and then one alone" live 1 scenarios/8-transactions/push-target.json
stop_sut "$sut"
start_sut python python3 docs/examples/lite_sut.py
is "the Python example over UDP" live 3 scenarios/8-transactions/push-target.json --profile docs/examples/lite.json
stop_sut "$sut"
done_testing
