#!/bin/bash
# lane: works
# talon capture to-scenario: captures of planted bugs become small scenarios that fail on the bug by the same requirement and
# pass on the built-in implementation. Every fiftieth fault; TALON_WHOLE takes all.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"

measured() {
    local part=3/50
    [ -z "${TALON_WHOLE:-}" ] || part=1/1
    python3 tests/captures/to_scenario.py "$talon" --part "$part" --least 95 --median 12 >"$dir/measured" || ! sed 's/^/# /' "$dir/measured"
}
is "captures of planted bugs: 95 % become scenarios, the median has at most 12 steps" measured

# A capture of a SUT whose EACKs are wrong.
"$talon" run --id beyond-window --sut builtin:fault=eack-bit0-set --out "$dir/broken" >/dev/null
capture=$dir/broken/beyond-window/packets.pcapng
to() { "$talon" capture to-scenario "$@" >"$dir/out.json" 2>"$dir/err"; }
is "a capture alone: a planted bug stands for its SUT" to "$capture"
plays() { "$talon" run "$dir/out.json" --sut "$1" >/dev/null 2>&1; }
is "the scenario passes on the built-in implementation" plays builtin
stand_in=$(grep -o 'builtin:fault=[a-z0-9-]*' "$dir/err" | head -n 1)
fails() { plays "$1"; [ $? -eq 1 ]; }
is "and fails on what stood for the SUT" fails "$stand_in"

says() { # status, words, options...
    local status=$1 words=$2
    shift 2
    to "$@"
    [ $? -eq "$status" ] && grep -qF -- "$words" "$dir/err" && [ ! -s "$dir/out.json" ]
}
is "no violation in it" says 2 "finds no violation" tests/data/field.pcap
is "no such requirement" says 2 "there is no 'FTP-0'" "$capture" --requirement FTP-0
is "no such SUT" says 2 "no fault" "$capture" --sut builtin:fault=nothing
is "no address" says 2 "no IP address" "$capture" --sut-address here
is "no such file" says 2 nothing.pcap nothing.pcap
is "no such events" says 2 nothing.jsonl "$capture" --ulp nothing.jsonl
is "a SUT that does not show it" says 3 "none of" "$capture" --sut builtin:twin=eack-always --execs 50
done_testing
