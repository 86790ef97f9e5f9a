#!/bin/bash
# lane: works
# Planted bugs: `talon fuzz` finds the named faults of the built-in SUT from the plain workloads, each within SECONDS (60)
# of one processor in virtual time, and nothing in the faultless SUT or in a lawful twin. What was found is a scenario that
# fails with the fault and passes without it. A sample of both; TALON_SAMPLE=all tries every one and demands that nine
# faults in ten are found. TABLE=FILE gets a line for each: fault, executions, seconds, size of the scenario, what it breaks.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/../run-lib"
: "${SECONDS_EACH:=60}" "${TABLE:=$dir/table}" "${CALM:=2}" "${SEED:=1}"
export talon dir SECONDS_EACH SEED CALM

# Tries one fault: a line of the table. A fault of RDMA acts where the connections carry verbs, one of NVMe where they carry that.
try() { # fault
    local out line scenario upper=()
    ! grep -qxF "$1" "$dir/verbs" || upper=(--upper verbs)
    ! grep -qxF "$1" "$dir/nvme" || upper=(--upper nvme)
    out=$("$talon" fuzz "${upper[@]}" --sut "builtin:fault=$1" --cpu "$SECONDS_EACH" --jobs 1 --seed "$SEED" --findings 1 --corpus "$dir/$1" 2>"$dir/$1.err")
    case $? in 0 | 1) ;; *) echo "$1 error $(tail -1 "$dir/$1.err")"; return ;; esac
    line=$(grep -E '^(FAIL|warn) ' <<<"$out" | head -1)
    scenario=$(echo "$dir/$1"/findings/*/scenario.json)
    if [ -z "$line" ]; then
        echo "$1 - $(grep -oE '^[0-9]+ executions' <<<"$out" | cut -d' ' -f1) $SECONDS_EACH"
    elif ! "$talon" run --verbose "$scenario" --sut "builtin:fault=$1" | grep -E '^(FAIL|warn) ' >/dev/null; then
        echo "$1 error does not come again: $line"
    elif "$talon" run --verbose "$scenario" --sut builtin | grep -E '^(FAIL|warn) ' >/dev/null; then
        echo "$1 error the faultless SUT does it, too: $line"
    else
        sed -E "s/^(FAIL|warn) +([^ ]+) ([^ ]+) .* after ([0-9]+) executions, ([0-9.]+) s of CPU time; size ([0-9]+),.*/$1 found \4 \5 \6 \2 \3/" <<<"$line"
    fi
    rm -rf "${dir:?}/$1"
}

# Nothing is found in it.
calm() { # SUT, as --sut has it
    local out
    out=$("$talon" fuzz --sut "$1" --cpu "$CALM" --jobs 1 --seed "$SEED" 2>&1) && ! grep -E '^(FAIL|warn) ' <<<"$out" && return
    echo "# $1: $(head -3 <<<"$out")"
    return 1
}
export -f try calm

mapfile -t faults < <("$talon" list faults | awk '{print $1}')
of_document() { # PREFIX: names of faults that violate one of its requirements
    "$talon" list faults --format json |
        python3 -c 'import json, sys
for f in json.load(sys.stdin):
    if any(r.startswith(sys.argv[1]) for r in f["requirements"]): print(f["name"])' "$1"
}
of_document RDMA- >"$dir/verbs"
of_document NVME- >"$dir/nvme"
mapfile -t twins < <("$talon" list twins | awk '{print $1}')
at_once=$(nproc)
if [ "${TALON_SAMPLE:-0}" != all ]; then
    mapfile -t faults < <(printf '%s\n' own-never-set acks-unsent rx-bitmap-shifted psn-skipped ar-ignored duplicate-delivered bounds-off-by-one fua-dropped)
    mapfile -t twins < <(printf '%s\n' "${twins[@]}" | awk -v n="${TALON_SAMPLE:-0}" 'NR % 16 == n % 16')
fi
[ -z "${FAULTS:-}" ] || mapfile -t faults < <(tr ' ' '\n' <<<"$FAULTS") # these alone
printf '%s\n' "${faults[@]}" | xargs -P "$at_once" -I{} bash -c 'try {}' >"$TABLE"
all=${#faults[@]}
found=$(grep -c ' found ' "$TABLE")
echo "# $found of $all faults found"
grep ' - ' "$TABLE" | sed 's/^/# not found: /'
grep ' error ' "$TABLE" | sed 's/^/# /'
is "each finding comes again with its fault, and not without" [ "$(grep -c ' error ' "$TABLE")" -eq 0 ]
if [ "${TALON_SAMPLE:-0}" = all ]; then
    is "nine faults in ten are found" [ $((found * 10)) -ge $((all * 9)) ]
else
    is "every fault of the sample is found" [ "$found" -eq "$all" ]
fi
is "the faultless SUT shows nothing" calm builtin
twins_calm() {
    printf 'builtin:twin=%s\n' "${twins[@]}" | xargs -P "$at_once" -I{} bash -c 'calm {}' >"$dir/calm" && return
    cat "$dir/calm"
    return 1
}
is "no lawful twin shows anything" twins_calm
done_testing
