#!/bin/bash
# lane: works
# The timeline of a Falcon run, judged as the event trace of a pipeline with one processor: talon check --event-trace. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

timeline() { # SUT, SCENARIO: plays it and keeps the timeline
    rm -rf "$dir/out"
    "$talon" run --sut "$1" "scenarios/10.6-queues/$2.json" --out "$dir/out" --keep all >/dev/null
    file=$(find "$dir/out" -name timeline.jsonl | sort | head -1)
    [ -s "$file" ]
}
check() { # STATUS, TEXT
    "$talon" check --event-trace "$file" "${@:3}" >"$dir/said" 2>&1
    [ $? = "$1" ] && grep -q -- "$2" "$dir/said" || { sed 's/^/# /' "$dir/said"; false; }
}
found() { # FAULT, SCENARIO, RULE
    timeline "builtin:fault=$1" "$2" || true
    check 1 "^$3 .*fail"
}
for scenario in times-of-acks events-of-eacks events-of-stale-acks events-of-retransmissions; do
    timeline builtin $scenario
    is "$scenario: a conforming SUT violates no rule" check 0 ' events: pass'
done
is "a setup is refused" check 2 'a timeline of Falcon, whose pipeline is known: give no --setup' --setup docs/examples/event-pipeline/setup.json
is "an event without a cause is found by EP1" found event-for-stale-ack events-of-stale-acks EP1
is "a count that does not add up by EP2" found acked-count-kept times-of-acks EP2
is "an ACK without an event by EP3" found policy-inverted times-of-acks EP3
rm -rf "$dir/out"
"$talon" run --sut builtin --profile smoke --out "$dir/out" --keep all >/dev/null 2>&1
file=$(find "$dir/out" -name timeline.jsonl | sort | head -1)
is "a timeline without entries is refused" check 2 'no event of a Rate Update Engine'
echo '{"event": "packet"' >>"$file"
is "a line that is no JSON is named" check 2 "timeline.jsonl:[0-9]*: column"
done_testing
