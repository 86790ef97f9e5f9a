#!/bin/bash
# lane: works
# No lawful freedom is called a breach: with each twin of the built-in implementation, and of the tester, and with
# many at random, no scenario and no rule fails. Another reading of an unclear sentence may be warned of.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

# Each twin meets a part of the suite, another one for each; with TALON_WHOLE all of it. What a twin is known to be too
# much for is played whatever the part.
parts=24
mapfile -t twins < <("$talon" list twins | awk '{print $1}')

# A twin that a scenario cannot bear yet stands in data/twins-not-borne.txt with the scenario and the reason.
borne=tests/data/twins-not-borne.txt

no_fail() { # files, options of talon run
    local status bad
    "$talon" run --verbose "$@" >"$dir/out"
    status=$?
    bad=$(grep -E '^(FAIL|ERROR) ' "$dir/out" | awk '{print $2}' | grep -vxFf "$dir/excused")
    [ -z "$bad" ] || { printf '# %s\n' $bad; return 1; }
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || [ "$status" -eq 1 ]
}

# The scenarios that these twins may break: into $dir/excused.
excuse() { # twin...
    local twin
    : >"$dir/excused"
    for twin in "$@"; do
        sed -n "s/^$twin  *\([^ ]*\)  *..*/\1/p" "$borne" >>"$dir/excused"
    done
    [ -s "$dir/excused" ] || echo - >"$dir/excused"
}

excuse "${twins[@]}"
live() {
    start_sut twins "$talon" sut --twin random --seed 5
    "$talon" run --verbose scenarios --profile tests/data/live-profile.json --sut "$frames" --control "$control" --retries 4 >"$dir/out"
    ! grep -E '^(FAIL|ERROR) ' "$dir/out" | awk '{print $2}' | grep -vxFf "$excused" | sed 's/^/# /' | grep .
}
cp "$dir/excused" "$dir/excused-all" && excused=$dir/excused-all
beside "over UDP, at random" live # it waits more than it works

is "there are twins" test "${#twins[@]}" -ge 10
fails() { # twin, scenario
    "$talon" run --verbose scenarios --id "$2" --sut "builtin:twin=$1" >"$dir/out"
    grep -qE "^FAIL +$2 " "$dir/out"
}
number=0
for twin in "${twins[@]}"; do
    excuse "$twin"
    number=$((number % parts + 1))
    # shellcheck disable=SC2046 # files
    is "the SUT: $twin" no_fail $(part_of $number/$parts) --sut "builtin:twin=$twin"
    for scenario in $(grep -vx -e - "$dir/excused"); do
        is "the SUT: $twin is more than $scenario bears, as data/twins-not-borne.txt says" fails "$twin" "$scenario"
    done
    # shellcheck disable=SC2046 # files
    is "the tester: $twin" no_fail $(part_of $((parts + 1 - number))/$parts) --twins "$twin"
done
excuse "${twins[@]}"
# shellcheck disable=SC2046 # files
is "the SUT: queues-swap, within a pipeline of 20 us" no_fail $(part_of 1/4) --sut builtin:twin=queues-swap --param pipeline=20us
random() {
    local seed seeds
    seeds=$([ -n "${TALON_WHOLE:-}" ] && echo 20 || echo 8)
    for seed in $(seq "$seeds"); do
        # shellcheck disable=SC2046 # files
        no_fail $(part_of $((seed % 4 + 1))/4) --twins random --seed "$seed" || { echo "# again: talon run scenarios --twins random --seed $seed"; return 1; }
    done
}
is "many at random, on both sides" random
all=$(IFS=,; echo "${twins[*]}")
is "the SUT: all at once" no_fail scenarios --sut "builtin:twin=$all"
done_beside
done_testing
