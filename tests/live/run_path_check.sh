#!/bin/bash
# lane: waits
# `talon path-check`: what it says of a good path is true, and each thing that a bad one does is told. The bad path is an echo
# in Python, written from docs/sut-protocol.md. What was measured is on the timeline of a run, and rules read it.
# shellcheck source=tests/run-lib disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"

field() { # JSON path in python
    python3 -c 'import json, sys; print(eval("d" + sys.argv[2], {"d": json.load(open(sys.argv[1]))}))' "$dir/json" "$1" 2>&1
}
shows() { # value, JSON path
    local seen
    seen=$(field "$2")
    [ "$seen" = "$1" ] || { echo "# $2 is $seen, due $1"; false; }
}
measure() { # options...
    timeout 60 "$talon" path-check --json --ports 1 --flow-labels 0 --probes 80 "$@" >"$dir/json" 2>"$dir/err" || sed 's/^/# /' "$dir/err"
}
with() { # words, status, options...
    local words=$1 due=$2
    shift 2
    timeout 60 "$talon" path-check "$@" >"$dir/out" 2>&1
    [ $? -eq "$due" ] && grep -q "$words" "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}

start_sut good "$talon" sut
measure --sut "$frames" --control "$control"
is "an echo is told by hello" shows echo "['method']"
is "nothing is lost on loopback" shows 100 "['paths'][0]['received']"
is "ECN comes through" shows "[0, 1, 2, 3]" "['paths'][0]['ecn'].__class__(e['back'] for e in d['paths'][0]['ecn'])"
is "so does DSCP" shows True "['paths'][0]['dscp'] == [dict(sent=n, to=n, back=n) for n in (0, 8, 10, 18, 26, 34, 46, 48)]"
is "no hop" shows "0 0" "['schema'] and '%d %d' % (d['paths'][0]['hops_to'], d['paths'][0]['hops_back'])"
is "limits: in order" shows True "['limits']['in_order']"
cp "$dir/json" "$dir/path.json"
is "as text, of two source ports" with "^port " 0 --sut "$frames" --control "$control" --ports 2 --probes 20
is "which are two" test "$(grep -c '^port ' "$dir/out")" -eq 2

kept() {
    "$talon" run --verbose scenarios/8-transactions/push-target.json --sut "$frames" --control "$control" --path-check "$dir/path.json" \
        --out "$dir/kept" --keep all --report json:"$dir/results.json" >"$dir/out" && [ -s "$dir/kept/path-check.json" ] &&
        python3 -c 'import json, sys
path = json.load(open(sys.argv[1]))["path"]
sys.exit(not (path["probes"] >= 80 and path["lost"] == 0))' "$dir/results.json" &&
        grep -qh '"event":"note".*path-check: round trip' "$dir"/kept/*/timeline.jsonl &&
        grep -qh '"event":"run".*"in_order_in":true.*"delay_max_ns":[0-9]' "$dir"/kept/*/timeline.jsonl &&
        "$talon" check "$dir/kept" >/dev/null
}
is "a run has it on its timelines and in its evidence, and is judged again" kept
sed 's/"in_order": true/"in_order": false/' "$dir/path.json" >"$dir/unordered.json"
unordered() {
    "$talon" run --verbose scenarios/8-transactions/push-target.json --sut "$frames" --control "$control" --path-check "$dir/unordered.json" \
        --out "$dir/kept" --keep all >"$dir/out" && ! grep -qh '"event":"run".*"in_order_in":true' "$dir"/kept/*/timeline.jsonl
}
is "a path that reorders is no promise" unordered
refused() { # words, options of talon run
    local words=$1
    shift
    "$talon" run --verbose scenarios/8-transactions/push-target.json "$@" >"$dir/out" 2>&1
    [ $? -eq 2 ] && grep -q "$words" "$dir/out"
}
echo '{"schema": "talon/ics/1"}' >"$dir/bad"
is "a file of another kind" refused "not a file that talon path-check" --sut "$frames" --control "$control" --path-check "$dir/bad"
is "no such file" refused "No such file" --sut "$frames" --control "$control" --path-check "$dir/none"
is "--path-check is for live links" refused "are for udp: and raw:" --path-check "$dir/path.json"
stop_sut "$sut"

echo_with() { # options of bad_echo.py
    rm -f "$dir/echo"
    python3 tests/live/bad_echo.py --port-file "$dir/echo" "$@" 2>"$dir/echo.log" &
    suts+=($!)
    for _ in $(seq 500); do
        [ -s "$dir/echo" ] && break
        sleep 0.02
    done
    measure --sut udp:127.0.0.1:9 --echo "127.0.0.1:$(cat "$dir/echo")"
}
echo_with
is "an echo by another hand" shows True "['limits']['in_order'] and d['paths'][0]['received'] == 100"
echo_with --lose 10
is "losses" shows 90 "['paths'][0]['received']"
echo_with --double 10
is "duplicates" shows 10 "['paths'][0]['duplicates']"
is "are in the limits" shows False "['limits']['no_duplicates']"
echo_with --swap 10
is "reordering on the way back" shows True "['paths'][0]['reordered_back'] >= 8 and d['paths'][0]['reordered_to'] == 0 and not d['limits']['in_order']"
echo_with --overtake 10
is "reordering on the way to" shows True "['paths'][0]['reordered_to'] >= 8 and not d['limits']['in_order']"
echo_with --bleach --hops 3
is "ECN that is bleached on the way to" shows "[0, 0, 0, 0]" "['paths'][0]['ecn'].__class__(e['to'] for e in d['paths'][0]['ecn'])"
is "DSCP likewise" shows "[0]" "['schema'] and sorted(set(e['to'] for e in d['paths'][0]['dscp']))"
is "and comes back as it was sent" shows True "['paths'][0]['dscp'][6]['back'] == 46"
is "hops" shows 3 "['paths'][0]['hops_to']"
echo_with --mtu 1387
is "the MTU, to the byte" shows 1387 "['paths'][0]['mtu']"

schema() {
    python3 -c 'import jsonschema' 2>/dev/null || return 0
    python3 -c 'import json, jsonschema, sys; [jsonschema.validate(json.load(open(f)), json.load(open(sys.argv[1]))) for f in sys.argv[2:]]' \
        scenarios/schema/path-check.json "$dir/path.json" "$dir/json" "$dir/falcon.json"
}
start_sut lite python3 docs/examples/lite_sut.py
measure --sut "$frames" --control "$control"
cp "$dir/json" "$dir/falcon.json"
is "without an echo Falcon tells" shows "falcon True" "['schema'] and '%s %s' % (d['method'], d['paths'][0]['rtt_max_ns'] > 0 and 'mtu' not in d['paths'][0])"
is "what is not known is not promised" shows False "['limits']['in_order']"
is "as text" with "MTU unknown" 0 --sut "$frames" --control "$control" --probes 8
stop_sut "$sut"
is "the schema describes it" schema

respond() {
    "$talon" path-check --respond 127.0.0.1:0 2>"$dir/respond" &
    suts+=($!)
    for _ in $(seq 500); do
        [ -s "$dir/respond" ] && break
        sleep 0.02
    done
    measure --sut udp:127.0.0.1:9 --echo "$(sed -n 's/.*probes to \([^ ]*\) .*/\1/p' "$dir/respond")"
    shows 100 "['paths'][0]['received']"
}
is "--respond" respond
is "nobody sends anything back" with "no probe came back" 4 --sut udp:127.0.0.1:9 --echo 127.0.0.1:9 --ports 1 --probes 8
is "an address of the wide world" with "is refused\|not loopback" 2 --sut raw:lo,8.8.8.8 --echo 8.8.8.8:9
is "no SUT" with "\-\-sut is missing" 2
is "no control" with "\-\-control is missing" 2 --sut udp:127.0.0.1:9
is "a misspelt option" with "no option '--prots'" 2 --prots 3
is "too many ports" with "expected 1 to 64" 2 --ports 65
is "help" with "usage: talon path-check" 0 --help
done_testing
