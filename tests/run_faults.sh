#!/bin/bash
# Every fault of the built-in implementation is caught by the suite, in virtual time and over UDP; without one
# nothing is. A fault that breaks nothing but a SHOULD is caught by a warning.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
at_once=6 # SUTs side by side: they wait more than they work

"$talon" list requirements >"$dir/requirements"
"$talon" list faults --format json | tr -d '\n' | sed 's/},* *{/}\n{/g' >"$dir/faults"
mapfile -t faults < <("$talon" list faults | awk '{print $1}')

# The exit status that a fault must lead to: 1, or 0 (with a warning) where no MUST is broken.
due() { # fault
    local id
    for id in $(grep "\"name\": \"$1\"" "$dir/faults" | grep -oE '(FTP|RDMA|NVME)-[0-9.]+-[0-9]+'); do
        grep -qE "^$id  *fail " "$dir/requirements" && { echo 1; return; }
    done
    echo 0
}

caught() { # fault, status, output
    [ "$2" -eq "$(due "$1")" ] && grep -qE '^(FAIL|warn) ' "$3"
}

is "there are faults to catch" test "${#faults[@]}" -ge 16
for fault in "${faults[@]}"; do
    "$talon" run scenarios --sut "builtin:fault=$fault" >"$dir/out"
    is "virtual: $fault" caught "$fault" $? "$dir/out"
done
none() {
    "$talon" run scenarios --sut builtin >"$dir/out" && ! grep -qE '^(FAIL|warn) ' "$dir/out"
}
is "virtual: no fault" none

live() { # fault or "none"
    local options=()
    [ "$1" != none ] && options=(--fault "$1")
    start_sut "$1" "$talon" sut "${options[@]}"
    "$talon" run scenarios --sut "$frames" --control "$control" --retries 4 >"$dir/$1.out"
    echo $? >"$dir/$1.status"
    stop_sut "$sut"
}
running=0
for fault in none "${faults[@]}"; do
    (trap - EXIT; live "$fault") &
    running=$((running + 1))
    if [ "$running" -ge "$at_once" ]; then
        wait -n
        running=$((running - 1))
    fi
done
wait
for fault in "${faults[@]}"; do
    is "udp: $fault" caught "$fault" "$(cat "$dir/$fault.status")" "$dir/$fault.out"
done
none_live() {
    [ "$(cat "$dir/none.status")" -eq 0 ] && ! grep -qE '^(FAIL|warn) ' "$dir/none.out"
}
is "udp: no fault" none_live
done_testing
