#!/bin/bash
# lane: works
# verdict = judge(timeline): every case of the suite, whole and under faults, is judged again from what was kept. From
# its timeline all rules come to the same verdicts; so they do from a capture of its packets with the upper layer's
# events beside it; from the capture alone no rule fails that did not fail, nor when the capture is declared to be
# complete, which it is; then rules decide that are undecided otherwise.
# The captures that talon run itself writes (packets.pcapng) show each of 60 planted faults again, and accuse no
# conforming SUT, although they hold sealed packets opened (tests/rejudge.py).
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"

verdicts() { # of the SUT, one rule a line, as talon check prints them
    # A rule that held and left instances open reads pass in a case, and not in a whole capture.
    awk '$2 ~ /^[A-Z]+[0-9]$/ && $5 != "tester" && $1 ~ /^(pass|warn|fail|inconclusive)$/ {
        print ($1 ~ /^(pass|inconclusive)$/ && / decided / && !/ held 0,/ ? "partly" : $1), $2}' | sort
}
packets() { # timeline: the lines that make a capture of it
    sed -n 's/^{"event":"packet".*"t_ns":\([0-9]*\),.*"bytes":"\([0-9a-f]*\)".*/{"ts_ns":\1,"layers":["raw"],"raw":"\2"}/p' "$1"
}

ends() { # timeline: who is the SUT
    sed -n 's/^{"event":"connection".*"tester":\({[^}]*}\),"sut":\({[^}]*}\).*/[{"tester":\1,"sut":\2}]/p' "$1"
}

complete() { # timeline: all that it knows of the ends, their parameters and the path; the capture is complete
    sed -n 's/^{"event":"run".*"vantage":"\([a-z]*\)",\(.*"clock_error_ns":[0-9]*\).*/{"schema":"talon\/connections\/1","complete_capture":true,"vantage":"\1","path":{\2},/p' "$1"
    sed -n 's/^{"event":"connection".*"tester":\({[^}]*}\),"sut":\({[^}]*}\).*"params":\({[^}]*}\).*/"connections":[{"tester":\1,"sut":\2,"params":\3}]}/p' "$1"
}

# What a case was judged live stands in the results, what it is judged from its timeline must be the same.
kept() { # options of talon run: keeps every case in $dir/kept
    rm -rf "$dir/kept"
    "$talon" run --verbose scenarios --profile tests/data/live-profile.json "$@" --out "$dir/kept" --keep all --report "json:$dir/results.json" >/dev/null
    [ "$(ls -d "$dir"/kept/*/ | wc -l)" -ge 60 ]
}
# A SUT that acknowledges what it did not receive looks as a capture does that misses a packet.
again() { # SUT; each timeline: the same from itself, and from a capture of its packets with its events
    local case bad=0 skipped=0 judged=0 by_absence=0
    for case in "$dir"/kept/*/; do
        "$talon" check "$case/timeline.jsonl" >"$dir/timeline.out" 2>&1
        verdicts <"$dir/timeline.out" >"$dir/from-timeline"
        packets "$case/timeline.jsonl" >"$dir/lines"
        if ! "$talon" encode "$dir/lines" --linktype 147 --out "$dir/case.pcapng" 2>"$dir/err"; then
            skipped=$((skipped + 1)) # bytes that no capture can hold
            continue
        fi
        "$talon" check "$dir/case.pcapng" --ulp "$case/timeline.jsonl" 2>&1 | verdicts >"$dir/with-events"
        judged=$((judged + 1))
        if ! cmp -s "$dir/from-timeline" "$dir/with-events"; then
            echo "# $(basename "$case"): timeline, capture with events"
            diff "$dir/from-timeline" "$dir/with-events" | sed 's/^/#   /'
            bad=$((bad + 1))
        fi
        ends "$case/timeline.jsonl" >"$dir/ends.json"
        "$talon" check "$dir/case.pcapng" --connections "$dir/ends.json" 2>&1 | verdicts | grep '^fail' >"$dir/alone"
        if comm -13 <(grep '^fail' "$dir/from-timeline" | sort -u) "$dir/alone" | grep .; then
            echo "# $(basename "$case"): fails by its packets alone"
            bad=$((bad + 1))
        fi
        complete "$case/timeline.jsonl" >"$dir/complete.json"
        "$talon" check "$dir/case.pcapng" --connections "$dir/complete.json" >"$dir/complete.out" 2>&1
        if comm -13 <(grep '^fail' "$dir/from-timeline" | sort -u) <(verdicts <"$dir/complete.out" | grep '^fail') | grep . ||
            { [ "$1" = builtin ] && grep 'declared to be complete, and is not' "$dir/complete.out"; }; then
            echo "# $(basename "$case"): its packets are a complete capture"
            bad=$((bad + 1))
        fi
        grep -q '^  pass  *E4 ' "$dir/complete.out" && by_absence=$((by_absence + 1))
    done
    echo "# $judged cases judged again, $skipped left out; $by_absence decide E4 by a complete capture"
    [ "$bad" -eq 0 ] && [ "$judged" -ge 60 ] && [ "$by_absence" -gt 0 ]
}
for sut in builtin builtin:fault=acks-unsent builtin:fault=completion-doubled; do
    is "$sut: cases are kept" kept --sut "$sut"
    is "$sut: judged again" again "$sut"
done
captures() { # of rejudge.py: the lines of what went wrong
    python3 tests/rejudge.py "$@" >"$dir/captures" 2>&1
    local status=$?
    grep -v '^ok \|^1\.\.' "$dir/captures" | sed 's/^[^#]/# &/'
    return "$status"
}
is "reference faults show in the captures of their cases" captures faults "$talon"
if [ -n "${TALON_WHOLE:-}" ]; then files=(scenarios); else mapfile -t files < <(split 7/20; echo scenarios/9.2.2-security); fi
is "captures of a conforming SUT show no violation" captures sound "$talon" "${files[@]}"
# Another seed each day: the test prints it.
is "a frame that a capture lost fails no SUT" captures missing "$talon" "${SEED:-$(date +%Y%j)}" 20
done_testing
