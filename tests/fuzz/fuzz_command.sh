#!/bin/bash
# lane: works
# `talon fuzz` and `talon shrink` as commands: the same seed does the same, a corpus is kept, resumed and merged, findings
# are scenarios, what is wrong is one line, and a process is fuzzed as the built-in SUT is.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/../run-lib"

wrong() { # words of the message, command...
    local words=$1
    shift
    "$talon" "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q -- "$words" "$dir/err" || ! cat "$dir/err"
}
is "an unknown option" wrong "did you mean '--corpus'" fuzz --corpos x
is "no such SUT" wrong "expected builtin" fuzz --sut x
is "no such fault" wrong "no-such-fault" fuzz --sut builtin:fault=no-such-fault
is "a process without a control channel" wrong "need --control" fuzz --sut udp:127.0.0.1:1
is "no number" wrong "expected a number" fuzz --execs many
is "no oracle" wrong "expected full or reduced" fuzz --oracle fast
is "no time" wrong "expected seconds" fuzz --time soon
is "no value" wrong "needs a value" fuzz --seed
is "a merge from nowhere" wrong "--merge needs a PATH and --corpus DIR" fuzz --merge --corpus "$dir/x"
is "a folder that is not there" wrong "No such file" fuzz "$dir/nowhere"
is "a map of the built-in SUT" wrong "process of its own" fuzz --afl-map new
is "shrink: no file" wrong "no file given" shrink
is "shrink: a file that is not there" wrong "No such file" shrink "$dir/nowhere"
is "shrink: nothing fails" wrong "no case of this file fails" shrink scenarios/6-overview/cumulative-ack.json
is "shrink: no timeline" wrong "first line" shrink README.md
is "shrink: an unknown option" wrong "no option" shrink --sat builtin x

hunt() { "$talon" fuzz --jobs 1 --seed 3 --sut builtin:fault=own-never-cleared "$@"; }
same() {
    hunt --execs 1000 --corpus "$dir/a" >"$dir/a.out"
    hunt --execs 1000 --corpus "$dir/b" >"$dir/b.out"
    [ "$(wc -l <"$dir/a.out")" -gt 1 ] && diff -r -I "$dir/[ab]/" "$dir/a" "$dir/b" >&2
}
is "the same seed does the same again" same

# The SUT violates rules of both kinds; the reduced oracle reports those of packets alone, and seeds repeat.
reduced() {
    for n in 1 2; do
        "$talon" fuzz --jobs 1 --seed 4 --oracle reduced --sut builtin:fault=eack-bit0-set --execs 200 --corpus "$dir/reduced$n" >"$dir/reduced$n.out"
        [ $? -eq 1 ] || return 1
    done
    grep -q '^FAIL  L1 ' "$dir/reduced1.out" && ! grep -E '^(FAIL|warn) ' "$dir/reduced1.out" | grep -v ' L[12] ' >&2 &&
        diff -r -I "$dir/reduced[12]/" "$dir/reduced1" "$dir/reduced2" >&2
}
is "the reduced oracle reports malformed packets alone" reduced
blind() { hunt --execs 1000 --oracle reduced >"$dir/blind.out"; }
is "the reduced oracle does not judge acknowledgements" blind

interrupted() { # SIGNAL: the corpus is kept, the summary is printed
    local hunter status n
    rm -rf "$dir/stopped"
    "$talon" fuzz --jobs 2 --seed 3 --sut builtin --time 300 --corpus "$dir/stopped" >"$dir/out" 2>&1 &
    hunter=$!
    for n in $(seq 600); do
        [ "$(find "$dir/stopped" -name '*.json' 2>/dev/null | wc -l)" -lt 5 ] || break
        sleep 0.1
    done
    kill -"$1" $hunter
    wait $hunter
    status=$?
    [ $status = 0 ] && grep -q '^stopped: interrupted' "$dir/out" && [ "$(find "$dir/stopped" -name '*.json' | wc -l)" -ge 5 ] || ! cat "$dir/out"
}
is "SIGTERM ends it" interrupted TERM
is "SIGINT ends it" interrupted INT

finding=$(echo "$dir"/a/findings/o1-*-1)
is "a finding has all that belongs to it" test -s "$finding/scenario.json" -a -s "$finding/packets.pcapng" -a -s "$finding/timeline.jsonl" \
    -a -s "$finding/report.txt" -a -s "$finding/report.html" -a -s "$finding/results.json" -a -s "$finding/finding.json"
fails() { "$talon" run --verbose "$1" --sut builtin:fault=own-never-cleared >"$dir/out"; [ $? -eq 1 ]; }
all_findings() {
    "$talon" report merge "$dir"/a/findings/*/results.json --format sarif >"$dir/all.sarif"
    [ $? -eq 1 ] && [ "$(grep -o '"occurrenceCount": [0-9]*' "$dir/all.sarif" | awk '{ n += $2 } END { print n }')" -ge "$(find "$dir/a/findings" -name results.json | wc -l)" ]
}
is "all findings make one report" all_findings
# What it once found in the faultless SUT, and was a mistake of the judge or of itself.
calm() {
    "$talon" run --verbose tests/data/calm --sut builtin >"$dir/calm" && tail -1 "$dir/calm" | grep -qE '^([0-9]+) cases: \1 passed,'
}
is "what was no fault is none" calm
reports() { # of what the folder holds, also when nothing new was found
    "$talon" fuzz --jobs 1 --sut builtin --execs 5 --corpus "$dir/$1" --report "junit:$dir/$1.xml" --report "text:$dir/$1.txt" >/dev/null || return 1
    xmllint --noout "$dir/$1.xml" && [ "$(grep -c '<testcase ' "$dir/$1.xml")" = "$(find "$dir/$1/findings" -name results.json | wc -l)" ]
}
is "--report has them, too" reports a
is "and says so where there are none" reports none
is "a report of nothing kept" wrong "--corpus DIR" fuzz --sut builtin --execs 1 --report "text:$dir/x.txt"
is "no such format" wrong "no format 'pdf'" fuzz --sut builtin --execs 1 --corpus "$dir/x" --report "pdf:$dir/x.pdf"
cannot_write() { # an hour of fuzzing is not lost for it: it is told at once
    "$talon" fuzz --sut builtin --execs 1 --corpus "$dir/x" --report "text:$dir/no/such/x" 2>"$dir/err"
    [ $? -eq 4 ] && [ "$(wc -l <"$dir/err")" -eq 1 ]
}
is "a report that cannot be written" cannot_write
others() { # SUT: another implementation, in virtual time; what it lacks is found, and found again
    "$talon" fuzz --jobs 1 --seed 1 --execs 3000 --findings 1 --must --sut "$1" --corpus "$dir/other" >"$dir/other.out" 2>&1
    [ $? -eq 1 ] && [ "$(grep -c '^FAIL' "$dir/other.out")" -ge 1 ] &&
        { "$talon" run --verbose "$dir"/other/findings/*/scenario.json --sut "$1" >"$dir/other.again"; [ $? -eq 1 ]; }
    local status=$?
    rm -rf "$dir/other"
    return $status
}
is "a library is fuzzed" others "lib:$BUILD/examples/lite_sut.so"
# The example denies most features, and this case once ended the program.
lite=lib:$BUILD/examples/lite_sut.so
refused() {
    "$talon" run --verbose tests/data/workload-after-last-step.json --sut "$lite" >"$dir/refused"
    [ $? -eq 3 ] && grep -q 'the adapter answered `post` with "busy' "$dir/refused"
}
is "a post that is refused after the last step is inconclusive" refused
denied() {
    "$talon" fuzz --jobs 1 --execs 600 --sut "$lite" --param xlr_initiator=0 --param xlr_target=0 --corpus "$dir/denied" >"$dir/denied.out" 2>&1
    [ $? -eq 1 ] && ! grep -E 'speaks in the clear|encap|alive-filter' "$dir/denied.out"
    local status=$?
    rm -rf "$dir/denied"
    return $status
}
is "a SUT is not asked for what its ICS denies" denied
impossible() {
    "$talon" fuzz --execs 1 --param mtu=0 >"$dir/mtu.out" 2>&1
    [ $? -eq 2 ] && grep -q "mtu: 0 is out of range; expected 1 to 65535" "$dir/mtu.out"
}
is "a parameter with which no connection exists is refused" impossible
is "a process in lockstep is fuzzed" others "exec:$talon sut --lockstep --fault duplicate-delivered"
is "neither does a good one break" "$talon" fuzz --jobs 1 --execs 60 --sut "exec:$talon sut --lockstep"
is "talon run shows it again" fails "$finding/scenario.json"
is "and not without the fault" "$talon" run --verbose "$finding/scenario.json" --sut builtin
is "every case of the corpus is a scenario" "$talon" run --verbose "$dir/a/corpus" --check-only

goes_on() {
    cp -r "$dir/a" "$dir/c"
    "$talon" fuzz --jobs 1 --seed 4 --sut builtin --execs 900 --corpus "$dir/c" >"$dir/c.out" || return 1
    [ "$(find "$dir/c/corpus" -name '*.json' | wc -l)" -gt "$(find "$dir/a/corpus" -name '*.json' | wc -l)" ]
}
is "a hunt goes on with what was kept" goes_on
merged() {
    "$talon" fuzz --seed 9 --jobs 1 --execs 400 --corpus "$dir/d" >/dev/null || return 1
    "$talon" fuzz --merge "$dir/a" "$dir/d" --corpus "$dir/m" --jobs 1 >"$dir/m.out" || return 1
    local both
    both=$(($(find "$dir/a/corpus" "$dir/d/corpus" -name '*.json' | wc -l)))
    [ "$(find "$dir/m/corpus" -name '*.json' | wc -l)" -gt "$(find "$dir/d/corpus" -name '*.json' | wc -l)" ] &&
        [ "$(find "$dir/m/corpus" -name '*.json' | wc -l)" -lt "$both" ]
}
is "corpora merge, and what is in both is kept once" merged
is "it begins with scenarios of the suite, too" "$talon" fuzz scenarios/6-overview --execs 60 --jobs 1

small() {
    "$talon" shrink scenarios/9.2.2.4-sliding-window/beyond-window.json --sut builtin:fault=own-never-set --out "$dir/small.json" 2>"$dir/err" &&
        [ "$(wc -c <"$dir/small.json")" -lt "$(wc -c <scenarios/9.2.2.4-sliding-window/beyond-window.json)" ] &&
        ! "$talon" run --verbose "$dir/small.json" --sut builtin:fault=own-never-set >/dev/null
}
is "a scenario of the suite is made small" small
lines() {
    "$talon" shrink "$finding/timeline.jsonl" --out "$dir/small.jsonl" 2>/dev/null &&
        [ "$(wc -l <"$dir/small.jsonl")" -lt "$(wc -l <"$finding/timeline.jsonl")" ] &&
        "$talon" check "$dir/small.jsonl" >"$dir/out"
    [ $? -eq 1 ] && grep -q O1 "$dir/out"
}
is "a timeline is made small" lines

# Faults of RDMA are found from programs of work requests, and nothing in the faultless SUT.
verbs() {
    local f
    for f in rkey-swapped-words imm-little-endian bounds-off-by-one rmsn-per-packet steth-ignored; do
        "$talon" fuzz --upper verbs --sut "builtin:fault=$f" --jobs 1 --seed 1 --execs 400 --findings 1 >"$dir/verbs" 2>&1
        [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/verbs" || ! cat "$dir/verbs" || return 1
    done
    "$talon" fuzz --upper verbs --sut builtin --jobs 1 --seed 1 --execs 300 >"$dir/verbs" 2>&1 || ! cat "$dir/verbs"
}
is "faults of RDMA verbs are found" verbs
is "another upper layer" wrong "expected raw, verbs or nvme" fuzz --upper rdma

live() { # fault, exit status
    start_sut "$1" "$talon" sut --fault "$1"
    timeout 100 "$talon" fuzz --sut "$frames" --control "$control" --execs 40 --findings 1 --seed 2 >"$dir/live" 2>&1
    local status=$?
    stop_sut "$sut"
    [ "$status" -eq 1 ] && grep -q '^FAIL ' "$dir/live" || ! cat "$dir/live"
}
is "a process is fuzzed, and its fault found" live acks-unsent
# The SUT here counts no edges: it is not built for it; that its memory is taken, fuzz/hunt/hunt_test shows.
lent() {
    local port=$((20000 + RANDOM % 20000))
    timeout 100 "$talon" fuzz --afl-map new --sut "udp:127.0.0.1:$port" --control "unix:$dir/lent" --execs 10 >"$dir/lent.out" 2>"$dir/lent.err" &
    local hunter=$!
    for _ in $(seq 100); do grep -q __AFL_SHM_ID "$dir/lent.err" && break; sleep 0.05; done
    env "$(grep -oE '__AFL_SHM_ID=[0-9]+' "$dir/lent.err")" "$talon" sut --listen "udp:127.0.0.1:$port" --control "unix:$dir/lent" 2>/dev/null &
    suts+=($!)
    wait "$hunter" && grep -q ' 0 edges' "$dir/lent.out" || ! cat "$dir/lent.out" "$dir/lent.err"
}
is "a SUT is waited for that is started with the map" lent
done_testing
