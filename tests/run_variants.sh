#!/bin/bash
# lane: works
# Conforming variants that use what the SUT declares: with lanes, queues, timers, clocks and early ACKs within the declared
# allowance, tick and timeout no scenario fails, on paths with delay and jitter, too (network:OPTIONS). With TALON_WHOLE each meets the whole suite, else a part, another one for each.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

no_fail() { # options of talon run
    # shellcheck disable=SC2046 # files
    "$talon" run --verbose $(part_of "$part/$parts") "$@" >"$dir/out"
    local status=$?
    grep -E '^(FAIL|ERROR) ' "$dir/out" | sed 's/^/# /' | grep . && return 1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || [ "$status" -eq 1 ]
}

parts=4 part=0
while read -r twins params; do
    part=$((part % parts + 1))
    options=()
    for param in $params; do
        case $param in
        network:*) options+=(--network "${param#network:}") ;;
        *) options+=(--param "$param") ;;
        esac
    done
    is "$twins ${params:-with the defaults}" no_fail --sut "builtin:twin=$twins" "${options[@]}"
done <<'END'
queues-swap pipeline=2us
queues-swap pipeline=20us
queues-swap,eack-always pipeline=20us turnaround=10us
timers-late
timers-late,queues-swap pipeline=5us
timers-grid tick=100ns
timers-grid tick=500ns
timers-grid tick=10us
timers-grid,timers-late tick=1us
timers-wheel tick=500ns
timers-wheel tick=10us
rto-varies rto_varies=true
rto-varies rto_varies=true rto_lo=1us rto_hi=10s
coalescing-early
ack-immediate
ack-by-count,coalescing-early
resources-before-window
unsent-given-up
conveyed-stops-timer,ack-by-count network:latency=20us,jitter=15us
completion-late,tx-lanes pipeline=20us network:latency=30us
completions-backwards network:latency=20us,jitter=15us
completions-in-order ordered=false network:latency=20us
completions-backwards,rx-lanes-hashed pipeline=20us network:latency=30us
answer-cut
pools-of-device
pools-of-device,exhaustion-as-cie,tx-lanes pipeline=20us network:latency=30us
rx-lanes pipeline=500ns
rx-lanes pipeline=20us network:latency=30us
rx-lanes pipeline=200us network:latency=20us,jitter=15us
rx-lanes pipeline=200us network:latency=30us
rx-lanes-hashed pipeline=500ns network:latency=30us
rx-lanes-hashed pipeline=20us network:latency=20us,jitter=15us
rx-lanes-hashed pipeline=200us
rx-lanes-hashed pipeline=200us network:latency=30us
tx-lanes pipeline=500ns network:latency=20us,jitter=15us
tx-lanes pipeline=20us
tx-lanes pipeline=200us network:latency=30us
rx-lanes-hashed,tx-lanes,queues-swap,timers-late pipeline=60us network:latency=30us
clock-coarse
clock-coarse tick=500ns network:latency=30us
clock-coarse tick=10us
clock-coarse,rx-lanes pipeline=20us tick=1us network:latency=20us,jitter=15us
END

# Values below the defaults that the user gives for all cases: a case that needs more is skipped and names the value; where
# a fault shows without them, it shows with them.
given() { # "NAME VALUE" as it is named, "" or ":twin=NAME", fault, options...
    local named=$1 twin=$2 fault=$3
    shift 3
    no_fail_of_all --sut "builtin$twin" "$@" && grep -qF "the SUT has $named" "$dir/out" &&
        ! "$talon" run --verbose scenarios --sut "builtin:fault=$fault$twin" "$@" >"$dir/out" && grep -q '^FAIL ' "$dir/out"
}
no_fail_of_all() { # options of talon run
    "$talon" run --verbose scenarios "$@" >"$dir/out" && ! grep -E '^(FAIL|ERROR) ' "$dir/out" | sed 's/^/# /' | grep .
}
is "a given window" given "tx_window_data 6" "" window-edge-refused --param tx_window_data=6
is "a given transaction timeout" given "transaction_timeout 100ms" "" ack-before-ulp --param transaction_timeout=100ms
is "given attempts" given "max_attempts 1" :twin=attempts-count-first ack-before-ulp --param max_attempts=1
# A refusal for lack of resources leaves undecided what waits for the request, but in scenarios about resources.
refusal() {
    "$talon" run --verbose scenarios --sut builtin:twin=resource-drops --network out:latency=10ms,in:latency=1ms >"$dir/out"
    [ $? -eq 3 ] && ! grep -qE '^(FAIL|ERROR) ' "$dir/out" && grep -q ': resources$' "$dir/out" &&
        ! "$talon" run --verbose scenarios/8* --sut builtin:fault=pools-shared >"$dir/out" && grep -q '^FAIL ' "$dir/out"
}
is "a refused request" refusal
done_testing
