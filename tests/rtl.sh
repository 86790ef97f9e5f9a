#!/bin/bash
# lane: works
# The RTL of the event pipeline (docs/rtl.md), simulated by Verilator: `talon check --event-trace` finds nothing in it, and
# finds each planted bug by the rule that docs/rtl.md names. CYCLES=1000000 simulates more, so does TALON_WHOLE; SEED=N takes
# other choices.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/run-lib"
: "${CYCLES:=${TALON_WHOLE:+1000000}}" "${SEED:=1}"
: "${CYCLES:=10000}"
rtl=$BUILD/ep_rtl

if ! command -v verilator >/dev/null; then
    echo "ok 1 - the RTL of the event pipeline # SKIP verilator is not installed (.ci/install-deps ci)"
    echo "1..1"
    exit 0
fi

built() { make -s BUILD="$BUILD" rtl >"$dir/out" 2>&1 || { sed 's/^/# /' "$dir/out"; return 1; }; }
traced() { # OPTIONS...: a trace and its setup
    "$rtl" --seed "$SEED" --trace "$dir/trace" --setup "$dir/setup" "$@" 2>"$dir/out" && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}
judged() { # STATUS: of the check
    "$talon" check --event-trace "$dir/trace" --setup "$dir/setup" >"$dir/out" 2>&1
    [ $? -eq "$1" ] && return 0
    head -n 60 "$dir/out" | sed 's/^/# /'
    return 1
}
clean() { traced --cycles "$CYCLES" && judged 0 && ! grep -E '^EP[0-9]+ +(fail|warn)' "$dir/out"; }
decided() { # each rule has held
    local n
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
        grep -qE "^EP$n +pass +[1-9]" "$dir/out" || { echo "# EP$n decided nothing"; return 1; }
    done
}
ends() { # the last event may come in any cycle, also in the one in which all before it have ended
    local n
    for n in $(seq 200 7 300); do
        traced --seed 10 --cycles "$n" && judged 0 || { echo "# $n cycles"; return 1; }
    done
}
rests() { # with more events than 20,000 cycles can take
    "$rtl" --seed "$SEED" --flows 30000 --cycles 1100 2>"$dir/out" && ! grep "not at rest" "$dir/out"
}
same_again() { # one seed gives one trace
    local before
    before=$(cksum <"$dir/trace")
    traced --cycles "$CYCLES" && [ "$(cksum <"$dir/trace")" = "$before" ]
}
finds() { # BUG RULE
    traced --cycles 4000 --bug "$1" && judged 1 && grep -qE "^$2 +fail" "$dir/out" && return 0
    grep -E '^EP' "$dir/out" | sed 's/^/# /'
    return 1
}
stops() { # BUG RULE: judged while it is simulated, it ends in the cycle of the first violation
    "$rtl" --seed "$SEED" --cycles 4000 --bug "$1" --judge --setup "$dir/setup" >"$dir/report" 2>"$dir/out"
    [ $? -eq 1 ] && grep -qE "^$2 +fail" "$dir/report" && grep -q "not at rest" "$dir/out" && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}
holds() { # the report is that of the whole trace
    traced --cycles 2000 --judge >"$dir/out" && "$rtl" --seed "$SEED" --cycles 2000 --judge --setup "$dir/setup" >"$dir/report" 2>"$dir/out" &&
        judged 0 && diff "$dir/report" "$dir/out"
}
refuses() { # TEXT, OPTIONS...
    local text=$1
    shift
    "$rtl" "$@" >"$dir/out" 2>&1
    [ $? -eq 2 ] && grep -qF -- "$text" "$dir/out" && return 0
    sed 's/^/# /' "$dir/out"
    return 1
}

is "Verilator builds the RTL with its testbench" built
is "$CYCLES cycles without a bug violate no rule" clean
is "and decide each rule" decided
is "one seed gives one trace" same_again
is "a trace has its last event, in whatever cycle it comes" ends
is "and ends at rest, however many events wait" rests
while read -r bug rule; do
    is "the bug $bug is found by $rule" finds "$bug" "$rule"
done < <("$rtl" --help | awk '/--bug NAME/ { on = 1; next } on { print $1, $2 }')
is "these are six bugs" test "$tests" -eq 12
is "the judge of libtalon finds nothing else" holds
is "it stops at the first violation" stops stale-map EP4
is "it needs the setup" refuses "--judge: give the setup a file" --judge
is "an unknown bug is named" refuses "--bug none-such: no such bug" --bug none-such
is "a number that is none" refuses "--cycles many: expected a number" --cycles many
is "a trace that cannot be written" refuses "cannot open $dir/none/trace: No such file" --trace "$dir/none/trace"
is "a store that is smaller than its processors" refuses "--contexts 8: expected more than the 8 processors" --contexts 8
done_testing
