#!/bin/bash
# Every fault of the built-in implementation is caught in virtual time: by the suite (suite_kills.sh), or by the rules in
# worlds of random traffic (kill_matrix.sh); these two hold the lists true, and here they are read. Those that nothing
# catches yet stand in data/faults-not-caught.txt, each with its reason, and they are tried. A fault that breaks nothing
# but a SHOULD is caught by a warning, no sharper. Some faults are caught over UDP too. Without a fault nothing is caught.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
excused=tests/data/faults-not-caught.txt
at_once=6  # SUTs side by side: they wait more than they work
live=(ack-before-ulp base-goes-back coalescing-never completion-doubled duplicate-delivered own-never-cleared
    psn-skipped reserved-bits-set retransmit-new-psn rnr-timeout-ignored rx-bitmap-shifted)

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

# What the suite says of a fault, as its exit status would be; nothing where it does not tell it.
by_the_suite() { # fault
    grep "^$1 " oracles/catalogue/suite-kills.txt | awk '{fails += $3 == "fail"; told++} END {if (told) print (fails > 0)}'
}

by_the_rules() { # fault: in some world of the matrix
    grep -q "^$1 " oracles/catalogue/kills.txt
}

virtual() { # fault
    local status
    status=$(by_the_suite "$1")
    if [ -n "$status" ]; then
        [ "$status" -eq "$(due "$1")" ] || ! echo "# status $status, due $(due "$1")"
    else
        by_the_rules "$1"
    fi
}

escapes() { # fault
    ! virtual "$1" && "$talon" run scenarios --sut "builtin:fault=$1" >"$dir/$1.suite" && ! grep -qE '^(FAIL|warn) ' "$dir/$1.suite"
}

# Starts a function for a fault, when there is room for one more.
start() { # room, function, fault
    [ "$running" -ge "$1" ] && { wait -n; running=$((running - 1)); }
    (trap - EXIT; "$2" "$3") &
    running=$((running + 1))
}

is "there are faults to catch" test "${#faults[@]}" -ge 250
for fault in "${faults[@]}"; do
    if grep -E "^$fault  *[^ ]" "$excused" | grep -qvE "^$fault  *the suite:"; then
        is "virtual: $fault escapes, as data/faults-not-caught.txt says" escapes "$fault"
    else
        is "virtual: $fault is caught" virtual "$fault"
    fi
done
strangers() {
    comm -13 <(printf '%s\n' "${faults[@]}" | sort) <(sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p' "$excused" | sort)
}
is "data/faults-not-caught.txt names faults, each once" test -z "$(strangers)"

none() {
    "$talon" run scenarios --sut builtin >"$dir/out" && ! grep -qE '^(FAIL|warn) ' "$dir/out"
}
is "virtual: no fault" none

live() { # fault or "none"
    local options=()
    [ "$1" != none ] && options=(--fault "$1")
    start_sut "$1" "$talon" sut "${options[@]}"
    "$talon" run scenarios --profile tests/data/live-profile.json --sut "$frames" --control "$control" --retries 4 >"$dir/$1.out"
    echo $? >"$dir/$1.status"
    stop_sut "$sut"
}
running=0
for fault in none "${live[@]}"; do
    start "$at_once" live "$fault"
done
wait
for fault in "${live[@]}"; do
    is "udp: $fault" caught "$fault" "$(cat "$dir/$fault.status")" "$dir/$fault.out"
done
none_live() {
    [ "$(cat "$dir/none.status")" -eq 0 ] && ! grep -qE '^(FAIL|warn) ' "$dir/none.out" ||
        ! grep -v '^pass ' "$dir/none.out" | sed 's/^/# /'
}
is "udp: no fault" none_live

sealed_live() { # encapsulation
    start_sut "$1" "$talon" sut
    "$talon" run scenarios --profile tests/data/live-profile.json --sut "$frames" --control "$control" --encap "$1" --retries 4 >"$dir/$1.out" &&
        ! grep -qE '^(FAIL|warn) ' "$dir/$1.out"
    local status=$?
    stop_sut "$sut"
    return $status
}
for encap in psp_transport esp_tunnel; do
    is "udp, sealed by $encap: no fault" sealed_live "$encap"
done
done_testing
