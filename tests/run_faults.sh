#!/bin/bash
# lane: waits
# Every fault of the built-in implementation is caught in virtual time: by the suite (suite_kills.sh), or by the rules in
# worlds of random traffic (kill_matrix.sh); these two hold the lists true, and here they are read. Those that nothing
# catches yet stand in data/faults-not-caught.txt, each with its reason, and they are tried. A fault that breaks nothing
# but a SHOULD is caught by a warning, no sharper. Without a fault nothing is caught, over UDP neither; run_faults_live.sh
# catches some over a wire.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
excused=tests/data/faults-not-caught.txt

"$talon" list requirements >"$dir/requirements"
"$talon" list faults --format json | tr -d '\n' | sed 's/},* *{/}\n{/g' >"$dir/faults"
mapfile -t faults < <("$talon" list faults | awk '{print $1}')

# The exit status that a fault must lead to: 1, or 0 (with a warning) where no MUST is broken, or only in one reading.
due() { # fault
    local id
    grep -q "^$1 " tests/data/faults-that-warn.txt && { echo 0; return; }
    for id in $(grep "\"name\": \"$1\"" "$dir/faults" | grep -oE '(FTP|RDMA|NVME)-[0-9.]+-[0-9]+'); do
        grep -qE "^$id  *fail " "$dir/requirements" && { echo 1; return; }
    done
    echo 0
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

# Of the suite each meets a quarter, another one for each; with TALON_WHOLE all.
escapes() { # fault; inconclusive cases tell nothing
    ! virtual "$1" || return 1
    # shellcheck disable=SC2046 # files
    "$talon" run --verbose $(part_of $((tests % 4 + 1))/4) --sut "builtin:fault=$1" >"$dir/$1.suite"
    case $? in 0 | 3) ;; *) return 1 ;; esac
    ! grep -qE '^(FAIL|warn) ' "$dir/$1.suite"
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

none_virtual() {
    "$talon" run --verbose scenarios --sut builtin >"$dir/out" && ! grep -qE '^(FAIL|warn) ' "$dir/out"
}
is "virtual: no fault" none_virtual

# Side by side: they wait more than they work.
live() { # name, options of talon run
    local name=$1
    shift
    start_sut "$name" "$talon" sut
    "$talon" run --verbose scenarios --profile tests/data/live-profile.json --sut "$frames" --control "$control" --retries 4 "$@" >"$dir/$name.out"
    echo $? >"$dir/$name.status"
    stop_sut "$sut"
}
(trap - EXIT; live clear) &
(trap - EXIT; live psp --encap psp_transport) &
(trap - EXIT; live esp --encap esp_tunnel) &
wait
none() { # name
    [ "$(cat "$dir/$1.status")" -eq 0 ] && ! grep -qE '^(FAIL|warn) ' "$dir/$1.out" || ! grep -v '^pass ' "$dir/$1.out" | sed 's/^/# /'
}
is "udp: no fault" none clear
same_cases() {
    [ "$(grep -c '^pass' "$dir/clear.out")" -ge 60 ] &&
        ! comm -13 <(awk '/^pass/ {print $2}' "$dir/out" | sort) <(awk '/^pass/ {print $2}' "$dir/clear.out" | sort) | grep .
}
is "udp: what passes are cases of the suite" same_cases
is "udp, sealed by psp_transport: no fault" none psp
is "udp, sealed by esp_tunnel: no fault" none esp
done_testing
