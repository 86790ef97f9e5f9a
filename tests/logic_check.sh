#!/bin/bash
# lane: works
# Events of a transport and of an engine judged by the K rules: talon logic check, run --judge, engine --judge, and the
# list of rules.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

check() { "$talon" logic check "$@" >"$dir/out" 2>"$dir/err"; }
status() { # STATUS, arguments of check
    local expected=$1
    shift
    check "$@"
    [ $? -eq "$expected" ]
}
says() { grep -q -- "$1" "$dir/out" "$dir/err" || { cat "$dir/out" "$dir/err" >&2; return 1; }; }

"$talon" logic run tcp-newreno --count 3 --seed 5 --quiet --events "$dir/good" >/dev/null
"$talon" logic run tcp-newreno --count 8 --seed 5 --quiet --fault delivered-twice --events "$dir/bad" >/dev/null
for at in both sender receiver middle; do
    is "conforming transfers pass at vantage $at" status 0 "$dir/good" --vantage $at
done
is "a fault is found by its rule" status 1 "$dir/bad"
is "and named with its events" says 'K2 .*fail'
is "the sender's vantage cannot see it" status 0 "$dir/bad" --vantage sender
# Transfers that stop: only the line that ends a transfer shows it.
as_live() { # FAULT: the file has the verdicts of the run; without its ends it has no violation of K8
    "$talon" logic run tcp-newreno --count 4 --quiet --fault "$1" --judge --events "$dir/stopped" >"$dir/live"
    check "$dir/stopped" && return 1
    diff <(grep -v transfers "$dir/live") <(grep -v vantage "$dir/out") >&2 && says 'K8 .*fail' &&
        grep -v end_ns "$dir/stopped" >"$dir/endless" && check "$dir/endless"
}
for fault in timer-lost work-forgotten; do
    is "$fault is found in the file as in the run" as_live $fault
done
is "verdicts as JSON" status 1 "$dir/bad" --format json
is "are JSON" python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["verdict"] == "fail" and r["rules"][1]["findings"]' "$dir/out"
is "--row replaces what the file declares" status 1 "$dir/good" --row max_window=1
is "and the window is exceeded" says 'K4 .*fail'
judged() { # STATUS, options of run
    "$talon" logic run irn --count 2 --judge --quiet "${@:2}" >"$dir/out"
    [ $? -eq "$1" ]
}
is "a run is judged as it is played" judged 0
is "a fault in a run fails it" judged 1 --fault holes-and-more

# The engine: each fault is found by the rule that the list names; without it nothing is violated.
engine() { # STATUS, options of engine
    "$talon" logic engine "${@:2}" --flows 1 --rate 12345Mb/s --time 100us --judge >"$dir/out" 2>&1
    [ $? -eq "$1" ] || { cat "$dir/out" >&2; return 1; }
}
for logic in tcp-reno tcp-newreno tcp-sack ndp roce-gbn-dcqcn irn; do
    is "$logic in the engine is judged" engine 0 $logic
done
found() { engine 1 roce-gbn-dcqcn --fault "$1" && says "$2 .*fail"; }
while read -r fault rule; do
    is "the engine's fault $fault is found by $rule" found "$fault" "$rule"
done <<<"$("$talon" logic list | sed -n '/^Faults of the engine/,/^$/s/^  \([a-z-]*\) *\(K[0-9]*\) .*/\1 \2/p')"

line() { printf '%s\n' "$1" >"$dir/line"; }
line '{"flow": 1, "kind": "send", "seg": 0}'
is "a transport that is not declared" status 2 "$dir/line"
is "is named" says 'nothing is declared of the transport of flow 1; give --logic or --row'
is "a row by name" status 0 "$dir/line" --logic reno
is "no such row" status 2 "$dir/line" --logic ren
is "gets a hint" says "did you mean 'reno'"
is "no such key" status 2 "$dir/line" --row windw=3
is "says so" says "a transport has no 'windw'"
is "a wrong value" status 2 "$dir/line" --row selective=perhaps
is "says what was expected" says 'expected yes or no'
for wrong in '{"kind": "sent"}' '{"kind": "send", "seg": -1}' '{"kind": "reply"}' '[1]' '{' '{"kind": "reply", "reply": {"got": [[1]]}}' '{"end_ns": -1}'; do
    line "$wrong"
    is "refused: $wrong" status 2 "$dir/line" --logic reno
    is "with its place" says 'line 1: '
done
: >"$dir/line"
is "an empty file" status 2 "$dir/line" --logic reno
is "no such file" status 2 "$dir/none" --logic reno

"$talon" list rules --protocol logic >"$dir/out"
is "the K rules are listed" [ "$(grep -c '^K' "$dir/out")" -eq 14 ]
"$talon" list rules >"$dir/default"
"$talon" list rules --protocol falcon >"$dir/out"
is "Falcon's are the default" cmp -s "$dir/default" "$dir/out"
is "no such protocol" [ "$("$talon" list rules --protocol logik 2>&1 | grep -c "did you mean 'logic'")" -eq 1 ]
done_testing
