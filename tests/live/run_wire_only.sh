#!/bin/bash
# lane: waits
# A SUT that nobody controls: its operator has opened connections, a file says which; what can be judged from the wire
# is judged, the rest is skipped and says why. And a SUT whose control channel offers less than all.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
some=(scenarios/6-overview scenarios/9.1.6-ack-generation/out-of-order.json scenarios/9.2.2.4-sliding-window/duplicate-ar.json scenarios/8-transactions/push-target.json)
local=127.0.0.1:$((40000 + $$ % 8000))

# What the cases ask for, as skipped ones tell it.
asked() {
    cat >"$dir/none.json" <<'END'
{"schema": "talon/connections/1", "connections": [{"params": {"rto_ns": 77}, "sut": {"cid": 1, "function": 1, "req_psn": 1,
 "data_psn": 1, "rsn": 1}, "tester": {"cid": 1, "function": 1, "req_psn": 1, "data_psn": 1, "rsn": 1}}]}
END
    "$talon" run --verbose "${some[@]}" --sut "$frames,from=$local" --connections "$dir/none.json" >"$dir/out" 2>&1
    [ $? -eq 2 ] || return 1
    sed -n 's/.*no connection of --connections is left that has \(.*\))$/\1/p' "$dir/out" >"$dir/once"
    cat "$dir/once" "$dir/once" "$dir/once" "$dir/once" >"$dir/wishes" # for retries
    [ -s "$dir/wishes" ]
}
operator() {
    rm -f "$dir/conns.json"
    python3 tests/suts/wire_operator.py "${control#tcp:}" "$local" "$dir/conns.json" <"$dir/wishes" 2>"$dir/operator.log" &
    suts+=("$!")
    for _ in $(seq 500); do
        [ -s "$dir/conns.json" ] && "$talon" check --help >/dev/null && return 0
        sleep 0.02
    done
    return 1
}
wire() { timeout 100 "$talon" run --verbose "${some[@]}" --sut "$frames,from=$local" --connections "$dir/conns.json" --retries 3 >"$dir/out" 2>&1; }
passes() {
    wire
    local status=$?
    { [ $status -eq 0 ] || [ $status -eq 3 ]; } && [ "$(grep -c '^pass ' "$dir/out")" -ge 5 ] && no_finding "$dir/out"
}
says() { grep -q "$1" "$dir/out"; }
fails() {
    wire
    [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/out"
}
start_sut builtin "$talon" sut
is "a case says which connection it asks for" asked
is "the operator opens them" operator
is "what can be judged is judged" passes
is "what acts on the SUT is skipped, and says so" says '(skipped: no control channel: the step commands the SUT)'
is "what nobody saw is no pass" says "(skipped: no control channel: the events of the SUT's upper layer were not observed"
stop_sut "$sut"
start_sut faulty "$talon" sut --fault eack-omitted-on-hole
is "the operator opens them at a faulty one" operator
is "its fault is seen" fails
stop_sut "$sut"

wrong() { # words, arguments...
    local words=$1
    shift
    "$talon" run --verbose scenarios/6-overview --sut udp:127.0.0.1:9 "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q -- "$words" "$dir/err"
}
is "neither control nor connections" wrong "need --control"
is "both" wrong "without --control" --control tcp:127.0.0.1:1 --connections "$dir/conns.json"
is "copies need control" wrong "copies needs" --copies 2 --connections "$dir/conns.json"
is "no such file" wrong "none.such" --connections "$dir/none.such"
echo '{"schema": "talon/connections/1", "connections": [{"sut": {"cid": 1}}]}' >"$dir/half.json"
is "an end that is not all there" wrong "connections\[0\].tester: missing" --connections "$dir/half.json"
echo '{"schema": "talon/connections/1", "connections": []}' >"$dir/empty.json"
is "no connection" wrong "1 to" --connections "$dir/empty.json"
done_testing
