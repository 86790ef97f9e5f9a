#!/bin/bash
# lane: works
# talon diagnose: names the planted fault of a run and verifies it, two faults at once, no fault where none fits; what it
# says of results that it cannot use. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
set -u

suite=(scenarios/9.1.6-ack-generation scenarios/8-transactions)

results_of() { # file, SUT
    "$talon" run "${suite[@]}" --jobs 1 --sut "$2" --report "json:$dir/$1" >"$dir/run.out"
    [ -s "$dir/$1" ]
}
says() { # text
    grep -qF -- "$1" "$dir/out" || { sed 's/^/# /' "$dir/out"; return 1; }
}
diagnosed() { # arguments
    "$talon" diagnose "$@" >"$dir/out" 2>"$dir/err"
}
refused() { # status, text, arguments
    local status want=$1 what=$2
    shift 2
    diagnosed "$@"
    status=$?
    [ "$status" -eq "$want" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q -- "$what" "$dir/err" && return
    echo "# status $status: $(cat "$dir/err")"
    return 1
}

is "a run with a fault" results_of acks.json builtin:fault=eack-omitted-on-hole
is "it is diagnosed" diagnosed "$dir/acks.json" "${suite[@]}"
is "the fault is named" says "behaves like \`eack-omitted-on-hole\`:"
is "all failures are explained" says "failures explained, none contradicted"
is "it is verified" says "verified: with this fault the built-in SUT fails"
is "the subject" says "subject: ACK; nearest section"
is "as JSON" diagnosed --no-run --format json "$dir/acks.json"
is "the JSON can be read" python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "talon/diagnosis/1" and d["fits"] and d["verified"] is None
assert d["nearest"][0]["faults"] == ["eack-omitted-on-hole"] and d["subject"] == "ACK"' "$dir/out"
is "without the scenarios it says how to verify" diagnosed "$dir/acks.json" "$dir/none"
is "that is the sentence" says "not verified: "

two() {
    results_of two.json builtin:fault=eack-omitted-on-hole,completion-doubled && diagnosed --no-run "$dir/two.json" &&
        says "\`eack-omitted-on-hole\`" && says "\`completion-doubled\`"
}
is "two faults at once" two
sometimes() {
    "$talon" run "${suite[@]}" --jobs 1 --seed 77 --sut "builtin:fault=ack-before-ulp:one-in=3:twin=timers-late" --report "json:$dir/some.json" >"$dir/run.out"
    diagnosed --no-run "$dir/some.json" && says "behaves like \`ack-before-ulp\`"
}
is "a fault that acts sometimes, in a conforming variant, with another seed" sometimes

# A failure that no fault has: the cases of many faults at once, with the signs of none.
strange() {
    python3 - "$dir/acks.json" "$dir/strange.json" <<'P' && diagnosed "$dir/strange.json" && says "no known fault fits; nearest section"
import json, sys
d = json.load(open(sys.argv[1]))
failed = next(c for c in d["cases"] if c["verdict"] == "fail")
for n, c in enumerate(d["cases"]):
    if c["verdict"] == "pass" and n % 5 == 0:
        c.update(verdict="fail", reason="rule", problems=failed["problems"], attempts=failed["attempts"])
    elif c["verdict"] == "fail":
        c.update(verdict="pass", problems=[], attempts=[{"verdict": "pass"}])
        c.pop("reason", None)
for verdict in ("pass", "fail"):
    d["counts"][verdict] = sum(c["verdict"] == verdict for c in d["cases"])
json.dump(d, open(sys.argv[2], "w"))
P
}
is "what no fault explains" strange

sound() { results_of sound.json builtin && diagnosed "$dir/sound.json" && says "No case failed ("; }
is "results without failures" sound
is "a missing file" refused 2 "none.json: No such file" "$dir/none.json"
echo '{"schema": "talon/profile/1"}' >"$dir/other.json"
is "what is no results" refused 2 "other.json" "$dir/other.json"
: >"$dir/empty.json"
is "an empty file" refused 2 "empty.json" "$dir/empty.json"
is "no argument" refused 2 "expected RESULTS"
is "an unknown option" refused 2 "no option" --brief "$dir/acks.json"
is "an unknown format" refused 2 "format" --format xml "$dir/acks.json"
echo '{"schema": "talon/results/1", "cases": []}' >"$dir/no.json"
is "results that lack members" refused 2 "no.json" "$dir/no.json"
nothing_ran() {
    python3 - "$dir/sound.json" "$dir/nothing.json" <<'P' && diagnosed "$dir/nothing.json" && says "No case failed (0 played)"
import json, sys
d = json.load(open(sys.argv[1]))
d.update(cases=[], verdict="none", status=2)
for counts in (d["counts"], d["dispositions"]):
    counts.update(dict.fromkeys(counts, 0))
json.dump(d, open(sys.argv[2], "w"))
P
}
is "results without cases" nothing_ran
full() { "$talon" diagnose --no-run "$dir/acks.json" >/dev/full 2>"$dir/err"; [ $? -eq 4 ]; }
is "a full disk is status 4" full
help() { "$talon" help diagnose >"$dir/out" && says "usage: talon diagnose RESULTS"; }
is "the help" help

done_testing
