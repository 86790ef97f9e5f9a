#!/bin/bash
# lane: works
# `talon explore` as a command: what is wrong is one line; pruning, --jobs and --resume change nothing of what is found; a
# finding is a scenario that fails with the fault and passes without it; nothing is found in conforming implementations.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/../run-lib"

wrong() { # words of the message, command...
    local words=$1
    shift
    "$talon" explore "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q -- "$words" "$dir/err" || ! cat "$dir/err"
}
is "an unknown option" wrong "did you mean '--depth'" --depht 3
is "no such theme" wrong "no theme 'tides'; there are: windows, " --theme tides
is "too deep" wrong "--depth" --depth 9
is "no alphabet" wrong "No such file" --alphabet "$dir/nowhere.json"
is "--out and --resume" wrong "give one of them" --out "$dir/x" --resume "$dir/x"
is "--resume of nothing" wrong "there is no such folder" --resume "$dir/nowhere"
is "a report of nothing" wrong "--report needs --out DIR" --report "html:$dir/x.html"
printf '{"schema": "talon/alphabet/1", "themes": [{"name": "own", "about": "mine", "actions": [\n%s\n]}]}\n' \
    '{"name": "push", "does": "pushes", "steps": ["> posh_data"]}' >"$dir/bad.json"
is "an action that is no scenario" wrong "theme 'own', action 'push'" --alphabet "$dir/bad.json"
sed -i 's/posh_data/push_data len=64/; s/"does"/"dose"/' "$dir/bad.json"
is "a member that is none" wrong "bad.json:2:.*dose" --alphabet "$dir/bad.json"
sed -i 's/"dose"/"does"/' "$dir/bad.json"
own() { "$talon" explore --alphabet "$dir/bad.json" --depth 4 >"$dir/own" && grep -q '^own: 1 actions, depth 4, 4 sequences: 4 played' "$dir/own"; }
is "an alphabet of one's own" own
listed() { "$talon" explore --list >"$dir/list" && [ "$(grep -c '^[a-z]*: ' "$dir/list")" -ge 6 ] && grep -q '^  wait-rto ' "$dir/list"; }
is "--list prints themes and actions" listed

explore() { "$talon" explore --quiet "$@"; }
findings() { grep -E '^(FAIL|warn) ' "$1"; }
# What is found with pruning is found without it, at the same depth by the same actions; and less is played.
prune() { # theme, fault...
    local theme=$1 f
    shift
    for f; do
        explore --theme "$theme" --sut "builtin:fault=$f" >"$dir/pruned"
        explore --theme "$theme" --sut "builtin:fault=$f" --no-prune >"$dir/whole"
        findings "$dir/pruned" >"$dir/pruned.found" || return 1
        findings "$dir/whole" >"$dir/whole.found"
        diff "$dir/pruned.found" "$dir/whole.found" >&2 && grep -q ' 0 pruned' "$dir/whole" && ! grep -q ' 0 pruned' "$dir/pruned" || return 1
    done
}
is "no pruning finds the same: timers" prune timers eack-omitted-on-hole
is "no pruning finds the same: ulp" prune ulp nack-omitted rnr-redelivered-twice
is "no pruning finds the same: nacks" prune nacks rnr-redelivered-twice nack-ulp-code-lost

jobs() {
    explore --theme ulp --sut builtin:fault=duplicate-delivered --jobs 1 --out "$dir/one" >"$dir/one.out"
    explore --theme ulp --sut builtin:fault=duplicate-delivered --jobs 3 --out "$dir/three" >"$dir/three.out"
    diff -r -I "$dir/[ot]" -I '"generated"' "$dir/one" "$dir/three" >&2 && diff <(findings "$dir/one.out") <(findings "$dir/three.out") >&2
}
is "more jobs find the same" jobs

# Stopped at a depth, and in the middle of a line of the file, then continued.
resume() {
    explore --theme ulp --depth 2 --sut builtin:fault=duplicate-delivered --out "$dir/part" >"$dir/part.out"
    truncate -s -7 "$dir/part/ulp.states"
    explore --theme ulp --depth 3 --sut builtin:fault=duplicate-delivered --resume "$dir/part" >"$dir/part.out"
    [ $? -eq 1 ] && cmp "$dir/one/ulp.states" "$dir/part/ulp.states" && diff <(cd "$dir/one/findings" && ls) <(cd "$dir/part/findings" && ls) >&2
}
is "continued, it is as if it had not been stopped" resume
is "another folder's exploration" wrong "exploration is there already; continue it with --resume" --theme ulp --out "$dir/part"
is "another SUT in its folder" wrong "another theme, alphabet, SUT or option" --theme ulp --resume "$dir/part"

again() {
    local f
    for f in "$dir"/one/findings/*/scenario.json; do
        "$talon" run --verbose "$f" --sut builtin:fault=duplicate-delivered >"$dir/out"
        [ $? -eq 1 ] && "$talon" run --verbose "$f" --sut builtin >"$dir/out" || return 1
    done
    "$talon" run --verbose "$dir"/one/findings/*/scenario.json --sut builtin >"$dir/out" && [ -s "$dir/one/findings/$(ls "$dir/one/findings" | head -1)/packets.pcapng" ]
}
is "a finding fails with the fault, and passes without it" again
report() { explore --theme windows --depth 2 --sut builtin:fault=own-never-set --out "$dir/r" --report "junit:$dir/r.xml" >"$dir/out"; [ $? -eq 1 ] && grep -q '<failure' "$dir/r.xml"; }
is "findings as a report" report

# A library that stops is found as the fuzzer finds it; here one that conforms.
lib() { explore --theme acks --depth 2 --sut "lib:$BUILD/examples/lite_sut.so" >"$dir/out" 2>&1; grep -q ' 0 pruned, 0 left' "$dir/out" || ! cat "$dir/out"; }
[ ! -e "$BUILD/examples/lite_sut.so" ] || is "a library is explored" lib

crash() {
    explore --alphabet "$dir/bad.json" --depth 1 --jobs 1 --findings 1 --sut "exec:python3 tests/suts/bad_exec.py die 6 $talon sut --lockstep" --out "$dir/crash" >"$dir/out"
    [ $? -eq 1 ] && grep -q '^FAIL  crash ' "$dir/out" && [ -s "$(echo "$dir"/crash/findings/*/scenario.json)" ] || ! cat "$dir/out"
}
is "a SUT that ends is a finding" crash

# Each row of the table: found by this theme at this depth, and not before.
rows() {
    local fault theme depth bad=0
    while read -r fault theme depth _; do
        explore --theme "$theme" --depth "$depth" --must --findings 1 --sut "builtin:fault=$fault" >"$dir/out"
        grep -q "^FAIL .*depth $depth:" "$dir/out" || { echo "# $fault: $theme, depth $depth: $(tail -1 "$dir/out")"; bad=1; }
    done < <(grep -v '^#' tests/data/explore-faults.txt | awk -v all="${TALON_WHOLE:-}" -v n="${TALON_SAMPLE:-$(date +%j)}" 'all != "" || NR % 8 == n % 8')
    return $bad
}
is "the planted bugs of the table are found at their depths" rows

calm() { # options...
    explore "$@" >"$dir/calm" || ! cat "$dir/calm"
}
is "nothing is found in the faultless SUT, one theme to depth 4" calm --theme ulp --depth 4
is "nothing is found in the faultless SUT, every theme" calm --depth 2
themes() { "$talon" explore --list | grep -oE '^[a-z]+:' | tr -d : | awk -v all="${TALON_WHOLE:-}" -v n="$(date +%j)" 'all != "" || NR == n % 11 + 1 {print "--theme", $0}'; }
# shellcheck disable=SC2046 # several words
is "nothing is found in the faultless SUT, a theme of the day to depth 3" calm --depth 3 $(themes)
variants() {
    local t deep=2
    [ -z "${TALON_WHOLE:-}" ] || deep=3
    for t in $("$talon" list twins | awk -v all="${TALON_WHOLE:-}" -v n="$(date +%j)" 'all != "" || NR % 12 == n % 12 {print $1}'); do
        calm --depth "$deep" --sut "builtin:twin=$t" || { echo "# $t"; return 1; }
    done
}
is "nor in conforming variants" variants
done_testing
