#!/bin/bash
# lane: works
# The measure of the congestion control judge by mutants (cc_mutants.py): planted mutants are outside the band, inside, or
# change nothing; and a sample of drawn ones, of which none is inside without a reason in cc_allowed.txt.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/../run-lib"
# A program cannot be made of objects with sanitizers or counters.
nm "$BUILD/liboracles.a" 2>/dev/null | grep -qE '__(asan|tsan|gcov|llvm_gcov)_' && { echo "1..0 # SKIP: an instrumented build"; exit 0; }
shown() { sed 's/^/# /' "$dir/out" >&2; return 1; }
measure() { python3 tests/mutation/cc_mutants.py --build "$BUILD" --events 500 "$@" >"$dir/out" 2>&1; }
swift=oracles/cc/swift.c

planted() { # STATUS TEXT CHANGE...
    local due=$1 text=$2 patches=()
    shift 2
    for change in "$@"; do patches+=(--patch "$change"); done
    measure "${patches[@]}"
    [ $? = "$due" ] && grep -qF -- "$text" "$dir/out" || shown
}
is "a marker that stays is outside" planted 0 "1 mutants change a result: 1 outside, 0 stopped, 0 inside" \
    "$swift:t->result->fabric_window_time_marker = t->now;:;"
is "an engine that never increases is outside" planted 0 ": 1 outside, 0 stopped" "$swift:fcwnd += rise_of(t, fcwnd);:;"
is "one that crashes is stopped" planted 0 ": 0 outside, 1 stopped" "$swift:fcwnd *= larger(keep,:fcwnd *= *(volatile double *)8 + larger(keep,"
is "another rounding is inside, and listed" planted 1 "may be either neighbour" "$swift:(uint32_t)(value + 0.5):(uint32_t)(value + 0.10)"
is "one inside without a reason is told" planted 1 "no reason is listed" "$swift:(uint32_t)(value + 0.5):(uint32_t)(value + 0.11)"
is "a change of a comment is no mutant" planted 1 "0 mutants change a result" "$swift:/* One event under way. */:/* One event */"
is "20 drawn mutants" measure --count 20 --least 85 --events 1000
grep -q "^20 mutants change a result" "$dir/out" || shown
done_testing
