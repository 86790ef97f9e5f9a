#!/bin/bash
# lane: waits
# The kernel's TCP over the seeded network of `talon logic tap`, judged by the K rules: no rule is violated. A TCP outside
# the kernel with a planted fault: the rule named for it is. tests/tcp/bed.py plays them; it needs root and never skips.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"

played() { # each line of bed.py as a test
    local line
    while IFS= read -r line; do
        case $line in
        "ok - "*) is "$(named "${line#ok - }")" true ;;
        "not ok - "*) is "$(named "${line#not ok - }")" false && true ;;
        *) echo "$line" ;;
        esac
    done <"$1"
}
named() { echo "${1%% seed*}: ${1##*lost }" | cut -d\; -f 1; }

mapfile -t faults < <(python3 tests/tcp/bed.py --list | grep ^user)
python3 tests/tcp/bed.py "$talon" newreno newreno-frto rack rack-cubic rack-ecn rack-plain --count 2 --seed 3 --jobs 4 >"$dir/kernel" 2>&1 &
kernel=$!
python3 tests/tcp/bed.py "$talon" "${faults[@]}" --jobs 6 >"$dir/user" 2>&1
user=$?
wait $kernel
kernel=$?
played "$dir/kernel"
is "the kernel's TCP has been played" [ $kernel -le 1 ]
played "$dir/user"
is "a TCP outside the kernel has been played" [ $user -le 1 ]

# ---- the command itself ----
refused() { # words, arguments...
    local words=$1
    shift
    "$talon" logic tap "$@" >"$dir/out" 2>&1
    [ $? -eq 2 ] && grep -q -- "$words" "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}
is "one end is not enough" refused "expected two ends, found 1" tap0
is "a namespace that is missing" refused "no such namespace" talon-none-$$/tap0 tap1
is "an interface that is no TAP" refused "the interface is no TAP" lo tap1
is "a name that is too long" refused "expected IFACE or NETNS/IFACE" a/an-interface-with-a-name tap1
is "a network that cannot be" refused "no 'los'" a b --network los=1%
done_testing
