#!/bin/bash
# lane: works
# `talon run --resume DIR`: a run that was interrupted, however, goes on where it stopped, and leaves what it would have left in
# one go. `talon run --failed-from RESULTS`: only what did not pass.
# shellcheck source=tests/run-lib disable=SC2154 # set there
. "$(dirname "$0")/run-lib"
scenarios=(scenarios/8-transactions scenarios/9.1.6-ack-generation scenarios/9.2.3-ack-processing)
tested=builtin:fault=base-goes-back
"$talon" run --verbose "${scenarios[@]}" --sut $tested --out "$dir/whole" >"$dir/whole.out"

lines() { grep -c "" "$dir/$1/journal.jsonl" 2>/dev/null || true; } # name
# Stops a run into $dir/NAME with SIGNAL when it has saved some cases.
interrupt() { # name, signal, options...
    local name=$1 signal=$2 run
    shift 2
    "$talon" run --verbose "${scenarios[@]}" --sut $tested --out "$dir/$name" "$@" >/dev/null 2>&1 </dev/null &
    run=$!
    for _ in $(seq 2000); do
        [ "$(lines "$name")0" -gt 200 ] && break
        kill -0 $run 2>/dev/null || break
        sleep 0.005
    done
    kill "-$signal" $run 2>/dev/null
    wait $run 2>/dev/null
    [ -s "$dir/$name/journal.jsonl" ]
}
same_as_whole() { # name
    diff "$dir/whole.out" "$dir/$1.out" && diff -r --exclude run.json "$dir/whole" "$dir/$1" &&
        [ ! -e "$dir/$1/journal.jsonl" ] && (cd "$dir/$1" && sha256sum --quiet -c manifest.sha256)
}
resume() { "$talon" run --verbose --resume "$dir/$1" "${@:2}" >"$dir/$1.out" 2>"$dir/err"; }
goes_on() { # name, signal, options...
    interrupt "$@" && resume "$1"
    [ $? -eq 1 ] && same_as_whole "$1"
}
is "killed: the rest is played, and all is as in one go" goes_on killed KILL --repeat 1 --jobs 1
is "interrupted: the same" goes_on asked TERM --jobs 1
cut_line() {
    interrupt cut KILL --jobs 1 || return 1
    truncate -s -7 "$dir/cut/journal.jsonl"
    resume cut
    [ $? -eq 1 ] && same_as_whole cut
}
is "a last line that was cut counts as a case that has not ended" cut_line
twice() {
    interrupt twice KILL --jobs 1 || return 1
    cp "$dir/twice/journal.jsonl" "$dir/first"
    timeout -s KILL 0.02 "$talon" run --verbose --resume "$dir/twice" --jobs 1 >/dev/null 2>&1
    resume twice --jobs 2
    [ $? -eq 1 ] && same_as_whole twice
}
is "interrupted twice, with another number of jobs" twice
"$talon" run --verbose "${scenarios[@]}" --sut $tested --fail-fast --out "$dir/fast" >"$dir/fast.out"
is "a run that ends by itself leaves no journal" test ! -e "$dir/whole/journal.jsonl" -a ! -e "$dir/fast/journal.jsonl"

says() { # status, words, arguments...
    local due=$1 words=$2
    shift 2
    "$talon" run --verbose "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq "$due" ] && grep -q -- "$words" "$dir/out" "$dir/err"
}
interrupt wrong KILL --jobs 1
is "other options are refused" says 2 "only --jobs, --verbose, --all and --colour may be added, not --seed" --resume "$dir/wrong" --seed 3
is "a directory without a journal" says 2 "only a run with --out that was interrupted" --resume "$dir/whole"
mkdir "$dir/noise" "$dir/other"
head -c 3000 /dev/urandom >"$dir/noise/journal.jsonl"
is "a journal that is none" says 2 "noise/journal.jsonl: " --resume "$dir/noise"
echo '{"schema": "talon/run/1"}' >"$dir/other/journal.jsonl"
is "another document" says 2 "not the head of a talon/journal/1" --resume "$dir/other"
broken() { # a line in the middle is no case
    cp -r "$dir/wrong" "$dir/broken"
    sed -i '5s/.*/{"case": 99999}/' "$dir/broken/journal.jsonl"
    says 4 "a case without its number" --resume "$dir/broken" || return 1
    sed -i '5s/.*/{"case": 3, "result": {"id": 7}}/' "$dir/broken/journal.jsonl"
    says 4 "case 3: " --resume "$dir/broken"
}
is "a line that is no case is named" broken
changed() {
    mkdir -p "$dir/suite" && cp -r scenarios/9.2.3-ack-processing "$dir/suite/"
    local scenarios=("$dir/suite")
    interrupt changed KILL --jobs 1 --repeat 9 || return 1
    rm "$(find "$dir/suite" -name '*.json' | sort | tail -1)"
    says 4 "the scenarios have changed since" --resume "$dir/changed"
}
is "scenarios that have changed" changed
busy() {
    local run words="another run is writing to it"
    "$talon" run --verbose "${scenarios[@]}" --sut $tested --out "$dir/busy" --repeat 50 >/dev/null 2>&1 </dev/null &
    run=$!
    while [ ! -s "$dir/busy/journal.jsonl" ] && kill -0 $run 2>/dev/null; do sleep 0.01; done
    says 4 "$words" --resume "$dir/busy"
    local status=$?
    kill -KILL $run
    wait $run 2>/dev/null
    return $status
}
is "a run that still writes is left alone" busy

live() { # over UDP, several cases at a time
    start_sut live "$talon" sut
    "$talon" run --verbose scenarios/6-overview --sut "$frames" --control "$control" --out "$dir/udp" >/dev/null 2>&1 </dev/null &
    local run=$!
    while [ "$(lines udp)0" -lt 120 ] && kill -0 $run 2>/dev/null; do sleep 0.01; done
    kill -KILL $run
    wait $run 2>/dev/null
    "$talon" run --verbose --resume "$dir/udp" >"$dir/out" 2>&1 && grep -q '^75 cases: 75 passed' "$dir/out"
}
is "over UDP" live

again() {
    "$talon" run "${scenarios[@]}" --failed-from "$dir/whole" --list >"$dir/listed" &&
        diff <(sed -nE 's/^(FAIL|inconclusive|ERROR)  *([^ ]+) .*/\2/p' "$dir/whole.out" | sort) <(awk '{print $1}' "$dir/listed" | sort)
}
is "--failed-from takes what did not pass, from a directory" again
from_file() {
    "$talon" run "${scenarios[@]}" --failed-from "$dir/whole/results.json" --list | diff - "$dir/listed"
}
is "from a file" from_file
all_passed() {
    "$talon" run --verbose scenarios/6-overview --out "$dir/good" >/dev/null &&
        says 0 "every selected case of .*: nothing to run" scenarios/6-overview --failed-from "$dir/good"
}
is "where everything passed there is nothing to run" all_passed
is "cases that are not selected are counted" says 0 "of its cases are not among the selected" scenarios/9.2.3-ack-processing --failed-from "$dir/whole"
is "results that are not there" says 2 "/none: No such file" scenarios/6-overview --failed-from "$dir/none"
unrun() { # what an interruption left over did not pass
    interrupt left TERM --jobs 1 || return 1
    local n
    n=$("$talon" run "${scenarios[@]}" --failed-from "$dir/left" --list | wc -l)
    [ "$n" -gt "$(wc -l <"$dir/listed")" ]
}
is "cases that were not run did not pass" unrun
done_testing
