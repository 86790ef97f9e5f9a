#!/bin/bash
# lane: works
# The scenarios of scenarios/10.3-rue feed events to the Rate Update Engine (RUE) of the built-in SUT. Each mistake of
# the engine fails, with the requirement that the engine's list names; each other reading of chapter 10 passes.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
suite=scenarios/10.3-rue

# Their effects are so wide that a requirement of another section explains more cases.
named_by_another="delay-ignored delay-reverse"

play() { # words of the engine
    "$talon" run "$suite" --sut "builtin:cc=swift,$1" >"$dir/out" 2>&1
}
fails_with() { # fault, requirement
    local status
    play "fault=$1"
    status=$?
    # a requirement that only warns
    [ "$status" -eq 1 ] || { [ "$status" -eq 0 ] && grep -q 'with a warning' "$dir/out"; } || return 1
    case " $named_by_another " in
    *" $1 "*) return 0 ;;
    esac
    grep -qF -- "$2" "$dir/out"
}
passes() { # reading
    play "reading=$1" || return 1
    ! grep -qE '^ *[0-9]+\. +(FAIL|WARN)' "$dir/out"
}

is "the reference model passes" passes increase-by-count
"$talon" help swift >"$dir/swift"
faults=$(sed -n '/^Faults/,/^Other/p' "$dir/swift" | awk '$2 ~ /^FTP-/ { print $1 ":" $2 }')
readings=$(sed -n '/^Other readings/,$p' "$dir/swift" | awk '$2 ~ /^(AMB|FTP)-/ || $1 == "swift-isekai" { print $1 }')
is "there are at least 27 faults" test "$(wc -w <<<"$faults")" -ge 27
is "there are at least 20 readings" test "$(wc -w <<<"$readings")" -ge 20
for fault in $faults; do
    is "fault ${fault%%:*} fails ${fault#*:}" fails_with "${fault%%:*}" "${fault#*:}"
done
for reading in $readings; do
    is "reading $reading passes" passes "$reading"
done

# Each rule about queue entries tells a fault, and spares an engine with another reading on traffic that ACKs steer.
queues=scenarios/10.6-queues
rule_tells() { # rule, words of the SUT
    "$talon" run --verbose "$queues" --sut "builtin:$2" >"$dir/out" 2>&1
    grep -qE "^ +rule $1," "$dir/out"
}
while read -r rule words; do
    is "rule $rule tells $words" rule_tells "$rule" "$words"
done <<'END'
Q1 cc=event-wrong=t1
Q2 fault=t4-of-the-event
Q3 cc=swift,fault=result-for-nobody
Q4 fault=state-lost-between-events
Q5 fault=acked-count-kept
Q6 fault=gap-halved
Q7 fault=path-per-packet
Q8 cc=swift,fault=marker-kept
END
suite=scenarios/10.6-queues/results-of-traffic.json
for reading in $readings; do
    is "reading $reading passes on traffic" passes "$reading"
done

# Mistakes of the device with one field of its queue entries: scenarios/10.6-queues names the requirement of the field.
named() { # requirement: a problem of a case names it
    python3 - "$dir/out.json" "$1" <<'END'
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
problems = [p for c in cases for p in c.get("problems", [])]
sys.exit(not any(sys.argv[2] in [p.get("requirement")] + p.get("also", []) for p in problems))
END
}
field_fails() { # word=field, requirement
    "$talon" run "$queues" --sut "builtin:cc=$1" --report json:"$dir/out.json" >"$dir/out" 2>&1
    [ $? -eq 1 ] && named "$2"
}
fields() { # word, section, field:number...
    local word=$1 section=$2 field
    shift 2
    for field in "$@"; do
        is "$word=${field%%:*} fails FTP-$section-${field#*:}" field_fails "$word=${field%%:*}" "FTP-$section-${field#*:}"
    done
}
fields event-wrong 10.6.2.1 connection_id:02 event_type:03 t1:04 t2:05 retransmit_count:08 retransmit_reason:09 nack_code:10 \
    forward_hops:11 rx_buffer_level:12 fcwnd_fraction:14 fcwnd_integer:14 inter_packet_gap:16 ncwnd:17 retransmit_timeout:18 \
    num_packets_acked:19 eack_drop:20 eack:21 reserved_0:22 fabric_window_time_marker:25 nic_window_time_marker:26 \
    ncwnd_direction:27 base_delay_target:28 delay_state:29 rtt_state:30 cc_opaque:31 ecn_accumulated:32
fields result-ignored 10.6.2.2 fcwnd_fraction:05 fcwnd_integer:06 inter_packet_gap:07 ncwnd:08 retransmit_timeout:09 \
    fabric_window_time_marker:10 nic_window_time_marker:11 ncwnd_direction:12 base_delay_target:13 delay_state:14 rtt_state:15 \
    cc_opaque:16
done_testing
