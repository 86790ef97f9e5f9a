#!/bin/bash
# lane: works
# `make -n nightly` lists the parts and plays none, PARTS chooses some, and a run of random cases that takes too long is
# stopped and is not ok. TAP.
# shellcheck source=tests/run-lib disable=SC2154,SC2317,SC2031
. "$(dirname "$0")/run-lib"

nightly() { # words for make...: lists into $dir/parts
    MAKEFLAGS='' make --no-print-directory -n nightly BUILD="$dir/none" "$@" >"$dir/parts" 2>&1 && [ ! -e "$dir/none" ] || ! cat "$dir/parts"
}
is "make -n nightly plays nothing" nightly SEED=7
listed() { [ "$(grep -c ': ' "$dir/parts")" -ge 20 ] && grep -q "^the suite over 40 random networks, SEED=7: .* 7 40$" "$dir/parts"; }
is "it lists the parts and their commands" listed
some() { nightly PARTS='hostile frames|small worlds' && [ "$(grep -c ': ' "$dir/parts")" -eq 3 ] || ! cat "$dir/parts"; }
is "PARTS chooses parts by their names" some
stopped() {
    python3 tests/networks/random_cases.py "$talon" 14 1 0 0 >"$dir/out"
    [ $? -eq 1 ] && grep -q '^# the run was stopped after 0 s' "$dir/out" && grep -q ' 1 of them stopped$' "$dir/out" || ! cat "$dir/out"
}
is "a run of random cases that takes too long is stopped and is not ok" stopped
done_testing
