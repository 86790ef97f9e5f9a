#!/bin/bash
# lane: works
# The scenarios of scenarios/10.3-rue feed events to the Rate Update Engine (RUE) of the built-in SUT. Each mistake of
# the engine fails, with the requirement that the engine's list names; each other reading of chapter 10 passes.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
suite=scenarios/10.3-rue

play() { # words of the engine
    "$talon" run "$suite" --sut "builtin:cc=swift,$1" >"$dir/out" 2>&1
}
passes() { # reading
    play "reading=$1" || return 1
    ! grep -qE '^ *[0-9]+\. +(FAIL|WARN)' "$dir/out"
}

shows() { # case, words of the SUT
    "$talon" run "$suite/$1.json" --sut "builtin:$2" >"$dir/out" 2>&1
    grep -qE '^FAIL ' "$dir/out"
}
spared() { # words of the SUT
    "$talon" run "$suite" --sut "builtin:$1" >"$dir/out" 2>&1
    ! grep -qE '^ *[0-9]+\. +(FAIL|WARN)' "$dir/out"
}

is "the reference model passes" passes increase-by-count
"$talon" help swift >"$dir/swift"
faults=$(sed -n '/^Faults/,/^Other/p' "$dir/swift" | awk '$2 ~ /^FTP-/ { print $1 ":" $2 }')
readings=$(sed -n '/^Other readings/,$p' "$dir/swift" | awk '$2 ~ /^(AMB|FTP)-/ || $1 == "swift-isekai" { print $1 }')
is "there are at least 68 faults" test "$(wc -w <<<"$faults")" -ge 68
is "there are at least 20 readings" test "$(wc -w <<<"$readings")" -ge 20
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
Q1 fault=event-for-stale-ack
Q1 fault=retransmit-reason-swapped
Q3 fault=result-missing
Q9 fault=policy-inverted
Q9 fault=resource-drop-not-told
Q10 fault=gen-stuck
Q10 cc=event-wrong=event_queue_select
Q10 cc=event-wrong=reserved_1
END
fails() { # fault
    "$talon" run "$queues" --sut "builtin:fault=$1" >"$dir/out" 2>&1
    [ $? -eq 1 ]
}
for fault in entry-bit-order eack-drop-always; do
    is "a case fails with $fault" fails "$fault"
done

# Nothing fails for a device that conforms: any combination of P1 and P2, a RUE that needs time or gives results together.
spares() { # words of the SUT
    "$talon" run "$queues" --sut "builtin$1" >"$dir/out" 2>&1
    ! grep -qE '^ *[0-9]+\. +(FAIL|WARN)' "$dir/out"
}
for engine in "" :cc=swift :cc=other :cc=swift-isekai :cc=swift,latency=10us :cc=swift,latency=100us,batch; do
    is "a device with $engine conforms" spares "$engine"
done
for twin in rue-event-each-time rue-event-after-time rue-event-after-packets rue-event-one-at-a-time rue-p2-counts-bytes \
    rue-info-of-upper-bits metadata-without-own rue-event-after-time,rue-event-after-packets \
    rue-event-after-packets,rue-p2-counts-bytes rue-event-after-time,rue-event-after-packets,rue-p2-counts-bytes \
    rue-event-each-time,rue-event-one-at-a-time rue-event-one-at-a-time,rue-event-after-packets random; do
    is "a device with $twin conforms" spares ":twin=$twin"
    is "a device with $twin and a late RUE conforms" spares ":cc=swift,latency=100us,batch:twin=$twin"
done
# On the wire alone, ACKs that steer Swift show its mistakes, and no reading, latency or thinning of events fails.
suite=scenarios/10.3-swift
while read -r case fault; do
    is "$case fails with $fault" shows "$case" "$fault"
done <<'END'
delay-moves-fcwnd cc=swift,fault=delay-ignored
delay-moves-fcwnd cc=swift,fault=rise-by-event
delay-moves-fcwnd cc=swift,fault=rise-not-divided
delay-of-one-connection fault=cc-shared-state
hops-move-target cc=swift,fault=hops-not-scaled
level-moves-ncwnd cc=swift,fault=level-ignored
level-moves-ncwnd cc=swift,fault=ncwnd-rises-any-time
resource-nack-lowers-ncwnd cc=swift,fault=nack-ignored
congested-rounds-draw-path cc=swift,fault=plb-never
congested-rounds-draw-path cc=swift,fault=plb-first-round
congested-rounds-draw-path cc=swift,fault=plb-counter-kept
congested-rounds-draw-path cc=swift,fault=plb-ncwnd-forgotten
congested-rounds-draw-path fault=path-never-changed
congested-rounds-draw-path fault=path-per-packet
END
for sut in cc=other cc=swift,latency=100us cc=swift,latency=200us,batch twin=rue-event-each-time \
    twin=rue-event-after-time twin=rue-event-after-packets twin=rue-event-one-at-a-time; do
    is "$sut passes what ACKs steer" spared "$sut"
done
for reading in $readings; do
    is "reading $reading passes what ACKs steer" passes "$reading"
done
suite=scenarios/10.6-queues/results-of-traffic.json
for reading in $readings; do
    is "reading $reading passes on traffic" passes "$reading"
done

# Each mistake of an engine, and each of the device with one field of an entry, fails or warns, and a problem names each
# requirement that `talon list requirements --coverage` says it proves.
claims() { # "WORD REQUIREMENT..."
    "$talon" list requirements --coverage --chapter 10 --format json >"$dir/coverage"
    "$talon" help swift | sed -n '/^Faults/,/^Other/p' | awk '$2 ~ /^FTP-/ { print $1, $2 }' >"$dir/engines"
    python3 - "$dir/coverage" "$dir/engines" <<'END'
import json, sys
claims = {}
for line in open(sys.argv[2]):
    name, requirement = line.split()
    claims["fault=" + name] = {requirement}
for row in json.load(open(sys.argv[1])):
    for name in row["faults"]:
        if "=" in name or "fault=" + name in claims:
            claims.setdefault(name if "=" in name else "fault=" + name, set()).add(row["id"])
for word in sorted(claims):
    print(word, *sorted(claims[word]))
END
}
named() { # requirements: a problem of a case names each
    python3 - "$dir/out.json" "$@" <<'END'
import json, sys
problems = [p for c in json.load(open(sys.argv[1]))["cases"] for p in c.get("problems", [])]
names = {name for p in problems for name in [p.get("requirement"), *p.get("also", [])]}
missing = set(sys.argv[2:]) - names
print("# no problem names", *sorted(missing)) if missing else None
sys.exit(bool(missing))
END
}
tells() { # word, requirements...
    local word=$1 engine=
    shift
    case $word in fault=*) engine=swift, ;; esac # others need the limits of open
    "$talon" run scenarios/10.3-rue scenarios/10.3-swift "$queues" --sut "builtin:cc=$engine$word" --report json:"$dir/out.json" >"$dir/out" 2>&1
    named "$@"
}
claims >"$dir/claims"
is "the coverage names at least 103 such mistakes" test "$(wc -l <"$dir/claims")" -ge 103
while read -r word ids; do
    # shellcheck disable=SC2086 # a list of words
    is "$word fails $ids" tells "$word" $ids </dev/null
done <"$dir/claims"
done_testing
