#!/bin/bash
# lane: works
# talon new: each file that it writes works as it is, and nothing is ever replaced.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
program=$(realpath "$talon")
work=$dir/work
mkdir "$work"

status() { # STATUS, arguments: in the working directory
    local expected=$1
    shift
    (cd "$work" && "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null)
    [ $? -eq "$expected" ] || { cat "$dir/out" "$dir/err" >&2; return 1; }
}
says() { grep -q -- "$1" "$dir/out" "$dir/err" || { cat "$dir/out" "$dir/err" >&2; return 1; }; }
one_error() { [ "$(wc -l <"$dir/err")" = 1 ] && says "$1"; }
files() { (cd "$work" && find . -type f | sort | tr '\n' ' '); }

is "a scenario" status 0 new scenario first
is "its name is said" says '^first.scenario.json is written$'
is "it passes with the built-in implementation" status 0 run first.scenario.json
is "as three cases" says '3 cases: 3 passed'
is "it fails with a fault: it tests something" status 1 run first.scenario.json --sut builtin:fault=ar-ignored
is "a check of the file finds nothing" status 0 run --check-only first.scenario.json
is "its layout is canonical" status 0 fmt --check first.scenario.json
cp "$work/first.scenario.json" "$dir/kept"
is "a second one of that name" status 2 new scenario first
is "is refused" one_error 'first.scenario.json exists; give another name, or remove it'
is "and the first one stays" cmp "$dir/kept" "$work/first.scenario.json"

is "a profile" status 0 new profile mine
is "its cases pass with the empty ICS" status 0 run --profile mine.profile.json --ics mine.ics.json --sut builtin
is "they are some, and not all" says '^[1-9][0-9]* cases: [1-9][0-9]* passed, 0 failed; [1-9][0-9]* not selected'
valid() {
    python3 -c 'import json, jsonschema, sys
for path, name in (("mine.profile.json", "profile"), ("mine.ics.json", "ics"), ("first.scenario.json", "scenario")):
    jsonschema.validate(json.load(open(f"{sys.argv[1]}/{path}")), json.load(open(f"scenarios/schema/{name}.json")))' "$work"
}
is "all are valid by their schemas" valid
rm "$work/mine.profile.json"
before=$(files)
is "a profile whose ICS exists" status 2 new profile mine
is "is refused" one_error 'mine.ics.json exists'
is "and nothing is left behind" [ "$(files)" = "$before" ]

is "an adapter" status 0 new adapter acme
# adapter_passes COMMAND...: it offers L1 and passes sut-check.
adapter_passes() {
    local pid result
    : >"$dir/log"
    (cd "$work" && exec "$@" 0 2>"$dir/log") &
    pid=$!
    suts+=("$pid")
    for _ in $(seq 500); do
        grep -q '^control ' "$dir/log" && break
        sleep 0.02
    done
    timeout 60 "$talon" sut-check --control "$(sed -n 's/^control //p' "$dir/log")" --flood 500 >"$dir/out" 2>&1
    result=$?
    stop_sut "$pid"
    [ "$result" = 0 ] && grep -q 'it offers L1' "$dir/out" || { grep -A1 FAIL "$dir/out" | sed 's/^/# /'; return 1; }
}
is "the one in Python passes sut-check" adapter_passes python3 acme/l1_adapter.py
is "it can be executed" [ -x "$work/acme/l1_adapter.py" ]
is "the one in C is built" make -s -C "$work/acme" "CFLAGS=-Werror"
is "and passes sut-check" adapter_passes acme/l1_adapter
is "an adapter whose directory exists" status 2 new adapter acme
is "is refused" one_error 'acme exists'

is "another directory" status 0 new scenario second --dir acme
is "is written to" [ -s "$work/acme/second.scenario.json" ]
is "and said" says '  talon run acme/second.scenario.json'
before=$(files)
for wrong in "" / ../x X "a b" -- "$(printf 'a%.0s' {1..61})" é; do
    is "the name '${wrong:0:10}' is refused" status 2 new scenario "$wrong"
done
is "a kind that cannot be made" status 2 new rule x
is "is named" one_error "'rule' cannot be made; expected scenario, profile or adapter"
is "no name" status 2 new scenario
is "no such directory" status 4 new adapter x --dir none
is "is named" one_error 'none/x: cannot be written: No such file or directory'
is "nothing was written by them" [ "$(files)" = "$before" ]
done_testing
