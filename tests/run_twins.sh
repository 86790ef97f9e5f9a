#!/bin/bash
# No lawful freedom is called a breach: with each twin of the built-in implementation, and of the tester, and with
# many at random, no scenario and no rule fails. Another reading of an unclear sentence may be warned of.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

mapfile -t twins < <("$talon" list twins | awk '{print $1}')

no_fail() { # options of talon run
    "$talon" run scenarios "$@" >"$dir/out"
    case $? in
    0 | 3) ! grep -qE '^(FAIL|ERROR) ' "$dir/out" ;;
    *) grep -E '^(FAIL|ERROR) ' "$dir/out" | sed 's/^/# /'; return 1 ;;
    esac
}

is "there are twins" test "${#twins[@]}" -ge 10
for twin in "${twins[@]}"; do
    is "the SUT: $twin" no_fail --sut "builtin:twin=$twin"
    is "the tester: $twin" no_fail --twins "$twin"
done
random() {
    local seed
    for seed in $(seq 20); do
        no_fail --twins random --seed "$seed" || { echo "# again: talon run scenarios --twins random --seed $seed"; return 1; }
    done
}
is "many at random, on both sides, 20 seeds" random
all=$(IFS=,; echo "${twins[*]}")
is "the SUT: all at once" no_fail --sut "builtin:twin=$all"

live() {
    start_sut twins "$talon" sut --twin random --seed 5
    "$talon" run scenarios --sut "$frames" --control "$control" --retries 4 >"$dir/out"
    ! grep -qE '^(FAIL|ERROR) ' "$dir/out"
}
is "over UDP, at random" live
done_testing
