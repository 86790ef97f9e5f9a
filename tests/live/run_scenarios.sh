#!/bin/bash
# lane: works
# The interpreter and the command line: scenarios that must pass, warn, fail, be inconclusive, be errors, by the
# first word of their names; their golden output; files that are wrong; options that are wrong.
#
# tests/live/run_scenarios.sh --update writes the golden files anew.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
golden=tests/data/golden
cases=tests/data/scenarios
wrong=tests/data/scenarios-bad

status_of() { # word
    case $1 in
    pass | warn) echo 0 ;;
    fail) echo 1 ;;
    inconclusive) echo 3 ;;
    skipped) echo 2 ;; # and nothing was played
    error) echo 4 ;;
    esac
}

ends_as_named() { # file
    local name word status
    name=$(basename "$1" .json)
    word=${name%%-*}
    "$talon" run --verbose "$1" --sut builtin >"$dir/one"
    status=$?
    [ "$status" -eq "$(status_of "$word")" ] && grep -qi "^$word  *${name}[@ ]" "$dir/one"
}
for file in "$cases"/*.json tests/data/language/*/*.json; do
    is "$(basename "$file" .json)" ends_as_named "$file"
done

"$talon" run --verbose "$cases" --sut builtin --seed 7 --report json:"$dir/results.json" --report junit:"$dir/junit.xml" \
    >"$dir/console.txt"
status=$?
is "an error goes before a fail in the exit status" test "$status" -eq 4
"$talon" run --verbose --check-only "$cases" "$wrong" >"$dir/check.txt" 2>"$dir/errors.txt"
status=$?
is "wrong files: status 2" test "$status" -eq 2
[ "${1:-}" = --update ] && cp "$dir"/{console.txt,results.json,junit.xml,errors.txt,check.txt} "$golden"/
unchanged() {
    diff -u "$golden/$1" "$dir/$1" >&2
}
for file in console.txt results.json junit.xml errors.txt check.txt; do
    is "$file is as it was" unchanged "$file"
done

others_run() {
    "$talon" run --verbose "$wrong/bad-line.json" "$cases/pass-all-verbs.json" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && grep -q '^pass .*pass-all-verbs' "$dir/out" && grep -q '1 file not read' "$dir/out" &&
        grep -q "^$wrong/bad-line.json:10:18: steps\[0\]: " "$dir/err"
}
is "what is wrong with one file does not stop the others" others_run

unreadable() {
    "$talon" run --verbose "$dir/none.json" "$cases/pass-all-verbs.json" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && grep -q '^pass' "$dir/out" && grep -q "none.json: No such file" "$dir/err"
}
is "nor does a file that is not there" unreadable

nested() {
    head -c 10000000 /dev/zero | tr "\0" "[" >"$dir/huge.json"
    "$talon" run --verbose "$dir/huge.json" "$cases/pass-all-verbs.json" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && grep -q '^pass' "$dir/out" && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q 'huge.json: larger' "$dir/err"
}
is "nor do ten megabytes of brackets" nested

usage() { # text that is due, arguments...
    local due=$1
    shift
    "$talon" run --verbose "$@" >"$dir/out" 2>"$dir/err" </dev/null
    [ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -s "$dir/out" ] && grep -qF -- "$due" "$dir/err"
}
is "an unknown option is told, with the one that was meant" usage "did you mean '--jobs'?" --jbos 3
is "an option without its value" usage "--seed needs a value" --seed
is "a seed that is no number" usage "--seed 'x'" --seed x
is "no jobs" usage "--jobs '0'" --jobs 0
is "an unknown SUT" usage "--sut: no SUT kind 'ssh'" --sut ssh:x
is "an unknown fault, with the one that was meant" usage "did you mean 'acks-unsent'?" --sut builtin:fault=acks-unset
is "a parameter that no fault has" usage "no parameter 'whem'; did you mean 'when'?" --sut builtin:fault=acks-unsent:whem=wrap
is "a field that no header has" usage "no field 'rns'" --sut builtin:fault=header-field-shifted:field=back.rns
is "an unknown twin, with the one that was meant" usage "did you mean 'eack-always'?" --sut builtin:twin=eack-alway
is "an unknown twin of the tester" usage "did you mean 'eack-always'?" --twins eack-alway
is "an address without a port" usage "--sut: " --sut udp:127.0.0.1 --control tcp:127.0.0.1:1
is "udp without a control channel" usage "need --control" --sut udp:127.0.0.1:9
is "an unknown report" usage "no format 'pdf'" --report pdf:x
is "a report without a file" usage "expected FORMAT:FILE" --report json
mkdir "$dir/empty"
is "a directory without scenarios" usage "no scenario" --list "$dir/empty"

lists() {
    "$talon" run --list scenarios >"$dir/list" && [ "$(wc -l <"$dir/list")" -ge 12 ] && grep -q '^push-target ' "$dir/list"
}
is "--list lists and runs nothing" lists
twins() { # options: all passes
    "$talon" run --verbose scenarios "$@" --seed 3 >"$dir/out" && ! grep -qE '^(FAIL|warn) ' "$dir/out"
}
is "with twins of the SUT everything passes" twins --sut builtin:twin=eack-always
is "with twins of the tester too" twins --twins eack-always
for encap in psp_transport psp_tunnel esp_transport esp_tunnel; do
    is "sealed by $encap everything passes" twins --encap "$encap"
done
sealed() { # the timeline has an IV and an SPI of every packet
    "$talon" run --verbose scenarios/8-transactions --encap psp_transport --out "$dir/sealed" --keep all >/dev/null &&
        [ "$(cat "$dir"/sealed/*/*.jsonl | grep -c '"event":"packet"')" = "$(cat "$dir"/sealed/*/*.jsonl | grep '"event":"packet"' | grep '"iv"' | grep -c '"spi"')" ]
}
is "and sealed it is" sealed
is "an unknown encapsulation" usage "--encap 'gre'" --encap gre
checks() {
    local cases
    cases=$({ "$talon" run --list scenarios && "$talon" run --list scenarios --profile scenarios/profiles/soak.json; } | wc -l)
    [ "$("$talon" run --verbose --check-only scenarios)" = "$cases scenarios OK, 0 files with errors" ]
}
is "--check-only checks the suite and runs nothing" checks
helps() {
    "$talon" run --help | grep -q '^usage: talon run'
}
is "--help" helps

beside() { # the suite lies beside the program, or the program lies elsewhere
    [ ! -d "$BUILD/../scenarios" ] || cmp <("$talon" run --list) <("$talon" run --list scenarios)
}
is "without a path it finds the suite beside the program" beside
installed() {
    mkdir -p "$dir/prefix/bin" "$dir/prefix/share/talon"
    cp "$talon" "$dir/prefix/bin/" && cp -r scenarios "$dir/prefix/share/talon/"
    cmp <(cd / && "$dir/prefix/bin/talon" run --list) <("$talon" run --list scenarios)
}
is "or where it is installed" installed

unwritable() {
    "$talon" run --verbose "$cases/pass-all-verbs.json" --report json:/nowhere/x >/dev/null 2>"$dir/err"
    [ $? -eq 4 ] && grep -q '/nowhere/x' "$dir/err"
}
is "a report that cannot be written is an error" unwritable

unreachable() {
    "$talon" run --verbose "$cases/pass-all-verbs.json" --sut udp:127.0.0.1:1 --control tcp:127.0.0.1:1 >"$dir/out" 2>&1
    [ $? -eq 4 ] && grep -q '^talon run: --control: cannot connect' "$dir/out"
}
is "a SUT that is not there is an error" unreachable
refused() {
    "$talon" run --verbose "$cases/pass-all-verbs.json" --sut udp:8.8.8.8:1 --control tcp:127.0.0.1:1 >"$dir/out" 2>&1
    [ $? -eq 4 ] && grep -q 'private' "$dir/out"
}
is "an address of the public network is refused" refused

kernels_headers() { # a link that cannot spoil them says so, and the SUT is not asked
    start_sut carrier "$talon" sut
    "$talon" run --verbose scenarios/9.2.2.1-integrity --id 'wrong-*' --sut "$frames" --control "$control" >"$dir/out" 2>&1
    stop_sut "$sut"
    sed 's/^/# /' "$dir/out" | grep -E '^# (FAIL|ERROR|warn|inconclusive) '
    [ "$(grep -cE '^skipped .*this link cannot send .*: the kernel builds its IP and UDP headers' "$dir/out")" -eq 7 ]
}
is "wrong IP and UDP headers are skipped over a UDP socket" kernels_headers

examples() { # each scenario of the manual passes, and a fault fails the first
    mkdir -p "$dir/manual"
    awk -v dir="$dir/manual" '/^```json$/ {n++; on = 1; next} /^```$/ {on = 0} on {print > (dir "/" n ".json")}' docs/scenarios.md
    [ "$(find "$dir/manual" -name '*.json' | wc -l)" -ge 4 ] && "$talon" run --verbose "$dir/manual" >"$dir/out" 2>&1 &&
        ! grep -qE '^(warn|inconclusive)' "$dir/out" || { cat "$dir/out" >&2; return 1; }
    "$talon" run --verbose "$dir/manual/1.json" --sut builtin:fault=ar-ignored >"$dir/out"
    [ $? -eq 1 ]
}
is "the examples of docs/scenarios.md run" examples

reference() { # the tables of the manual are those that files are checked by
    sed -n '/^<!-- talon help scenario: begin/,/^<!-- talon help scenario: end/p' docs/scenarios.md | sed '1d;$d' >"$dir/tables"
    "$talon" help scenario | cmp - "$dir/tables"
}
is "the reference of docs/scenarios.md is what talon help scenario prints" reference

again() {
    "$talon" run --verbose "$cases/fail-expect.json" --seed 9 >"$dir/first"
    command=$(sed -n 's/^ *reproduce with: talon //p' "$dir/first")
    # shellcheck disable=SC2086 # a command line
    "$talon" $command --verbose >"$dir/second"
    [ -n "$command" ] && cmp "$dir/first" "$dir/second"
}
is "the command that repeats a case repeats it" again
done_testing
