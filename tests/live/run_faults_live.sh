#!/bin/bash
# lane: waits
# Faults of `talon sut` in another network namespace are caught over raw frames (over UDP on loopback where namespaces are not
# permitted): by scenarios that tell them in virtual time (oracles/catalogue/suite-kills.txt), no less sharply than the
# requirement asks. A sample; TALON_FAULTS=all tries every fault that the suite tells, and TALON_FAULTS="NAME NAME" those.
# What only virtual time shows stands in data/faults-not-live.txt with its reason. Nothing is caught without a fault.
# shellcheck source=tests/run-lib disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
kills=oracles/catalogue/suite-kills.txt
excused=tests/data/faults-not-live.txt
here=talon-fa-$$ there=talon-fb-$$
at_once=${TALON_SHARDS:-8}
sample="acks-unsent ack-before-ulp ar-ignored base-goes-back cie-nack-once coalescing-never completion-doubled
    duplicate-delivered ecn-never-counted own-never-cleared psn-skipped reserved-bits-set retransmit-new-psn rnr-timeout-ignored
    rx-bitmap-shifted spi-unchecked bounds-off-by-one cas-always-swaps sn-from-zero wc-dropped"

clean() {
    finish
    ip netns del "$here" 2>/dev/null
    ip netns del "$there" 2>/dev/null
}
trap clean EXIT

make_wire() {
    ip netns add "$here" && ip netns add "$there" &&
        ip link add va netns "$here" type veth peer name vb netns "$there" || return 1
    ip -n "$there" addr add 10.9.0.2/24 dev vb && ip -n "$here" addr add 10.9.0.1/24 dev va
    ip -n "$here" link set va mtu 9000 up && ip -n "$there" link set vb mtu 9000 up
    ip -n "$here" link set lo up && ip -n "$there" link set lo up
}
tester=() sut=() host=127.0.0.1
if make_wire 2>/dev/null; then
    tester=(ip netns exec "$here") sut=(ip netns exec "$there") host=10.9.0.2
fi

"$talon" list requirements >"$dir/requirements"
"$talon" list faults --format json | tr -d '\n' | sed 's/},* *{/}\n{/g' >"$dir/faults"

# The word that a fault must lead to.
due() { # fault
    local id
    for id in $(grep "\"name\": \"$1\"" "$dir/faults" | grep -oE '(FTP|RDMA|NVME)-[0-9.]+-[0-9]+'); do
        grep -qE "^$id  *fail " "$dir/requirements" && { echo FAIL; return; }
    done
    echo warn
}

# Cases that tell the fault in virtual time: first those that are about what it breaks, the shortest before the others.
cases_of() { # fault, word
    local files ids
    ids=$(grep "\"name\": \"$1\"" "$dir/faults" | grep -oE '(FTP|RDMA|NVME)-[0-9.]+-[0-9]+' | paste -sd'|')
    mapfile -t files < <(grep "^$1 " "$kills" | awk '{print ($3 == "fail" ? 0 : 1), length($2), $2}' | sort -k1,1n -k2,2n |
        awk '{print $3}' | while read -r id; do cat "$dir/file-$id"; done)
    [ ${#files[@]} -gt 0 ] || return
    mapfile -t files < <({ grep -lE "\"($ids)\"" "${files[@]}" | head -12; printf '%s\n' "${files[@]:0:6}"; } | awk '!seen[$0]++')
    "$talon" run --verbose "${files[@]}" --sut "builtin:fault=$1" --jobs 1 --report "json:$dir/$1.json" >/dev/null 2>&1
    python3 - "$dir/$1.json" "${2/FAIL/fail}" "$ids" <<'END'
import json, sys
ids = set(sys.argv[3].split("|"))
cases = [c for c in json.load(open(sys.argv[1]))["cases"] if c["verdict"] == sys.argv[2]]
seen = {}
for c in sorted(cases, key=lambda c: (not ids & set(c["covers"]), c["duration_ns"])):
    name = c["id"].split("@")[0]
    seen[name] = seen.get(name, 0) + 1
    if seen[name] <= 2 and sum(min(n, 2) for n in seen.values()) <= 25:
        print(c["id"])
END
}
find scenarios -name '*.json' | while read -r file; do id=${file##*/}; echo "$file" >"$dir/file-${id%.json}"; done

# Plays scenarios that tell the fault, a few at a time, until one does; its word goes to a file.
try() { # fault, number, address of the tester's end
    local fault=$1 options=() frames control pid word told ids
    [ "$fault" != none ] && options=(--fault "$fault")
    rm -f "$dir/$fault.ports"
    "${sut[@]}" "$talon" sut --listen "udp:$host:0" --control "tcp:$host:0" --port-file "$dir/$fault.ports" "${options[@]}" >/dev/null 2>"$dir/$fault.log" &
    pid=$!
    trap 'kill $pid 2>/dev/null' EXIT TERM
    for _ in $(seq 1000); do
        [ -s "$dir/$fault.ports" ] && break
        sleep 0.02
    done
    read -r frames control <"$dir/$fault.ports"
    [ "$host" = 10.9.0.2 ] && frames="raw:va,${frames#udp:},from=10.9.0.$2"
    word=$(due "$fault")
    mapfile -t told < <(cases_of "$fault" "$word")
    [ "$fault" = none ] && told=(push-target push-initiator 'pull-target' format-eack)
    : >"$dir/$fault.out"
    while [ ${#told[@]} -gt 0 ]; do
        mapfile -t ids < <(printf -- '--id\n%s\n' "${told[@]:0:5}")
        "${tester[@]}" timeout 120 "$talon" run --verbose scenarios "${ids[@]}" --sut "$frames" --control "$control" --retries 6 --fail-fast >>"$dir/$fault.out" 2>&1
        grep -qE "^(FAIL|$word) " "$dir/$fault.out" && break
        told=("${told[@]:5}")
    done
    grep -oE '^(FAIL|warn|ERROR) ' "$dir/$fault.out" | sort | uniq | tr -d '\n' >"$dir/$fault.word"
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
}

case "${TALON_FAULTS:-}" in
"") faults=$(for fault in $sample; do grep -q "^$fault " "$kills" && echo "$fault"; done) ;;
all) faults=$(awk '{print $1}' "$kills" | sort -u) ;;
*) faults=$TALON_FAULTS ;;
esac

# Workers take the faults in turns.
work() { # number
    local n=0 fault
    for fault in none $faults; do
        n=$((n + 1))
        [ $((n % at_once + 1)) -eq "$1" ] && (try "$fault" $((100 + $1)))
    done
}
for i in $(seq "$at_once"); do
    work "$i" &
done
wait
# Beside seven others on a busy machine a SUT may be too late for each case that tells its fault: alone it is tried again.
for fault in $faults; do
    grep -qE "^$fault " "$excused" || grep -q "$(due "$fault")" "$dir/$fault.word" || (try "$fault" 120)
done

caught() { # fault
    grep -q "$(due "$1")" "$dir/$1.word" || { grep -E '^[a-zA-Z]+ ' "$dir/$1.out" | cut -c1-150 | tail -5 | sed 's/^/# /'; false; }
}
escapes() {
    ! grep -q "$(due "$1")" "$dir/$1.word"
}
is "no fault: nothing is caught" test ! -s "$dir/none.word"
for fault in $faults; do
    if grep -qE "^$fault " "$excused"; then
        is "$fault is not to be seen live, as data/faults-not-live.txt says" escapes "$fault"
    else
        is "$fault is caught" caught "$fault"
    fi
done
done_testing
