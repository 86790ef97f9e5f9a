#!/bin/bash
# lane: works
# verdict = judge(timeline): every case of the suite, whole and under faults, is judged again from what was kept. From
# its timeline all rules come to the same verdicts; so they do from a capture of its packets with the upper layer's
# events beside it; from the capture alone no rule fails that did not fail.
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

# What a case was judged live stands in the results, what it is judged from its timeline must be the same.
kept() { # options of talon run: keeps every case in $dir/kept
    rm -rf "$dir/kept"
    "$talon" run scenarios --profile tests/data/live-profile.json "$@" --out "$dir/kept" --keep all --report "json:$dir/results.json" >/dev/null
    [ "$(ls -d "$dir"/kept/*/ | wc -l)" -ge 60 ]
}
again() { # each timeline: the same from itself, and from a capture of its packets with its events
    local case bad=0 skipped=0 judged=0
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
    done
    echo "# $judged cases judged again, $skipped left out"
    [ "$bad" -eq 0 ] && [ "$judged" -ge 60 ]
}
for sut in builtin builtin:fault=acks-unsent builtin:fault=completion-doubled; do
    is "$sut: cases are kept" kept --sut "$sut"
    is "$sut: judged again" again
done
done_testing
