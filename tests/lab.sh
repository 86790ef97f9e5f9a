#!/bin/bash
# lane: works
# talon lab: what it prints, that the same seed gives the same bytes, and the words of wrong commands. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

# status N, TEXT, ARGUMENTS...: the exit status, and a line of output with the text.
status() {
    local due=$1 text=$2
    shift 2
    "$talon" lab "$@" >"$dir/out" 2>&1 </dev/null
    [ $? = "$due" ] && grep -qF -- "$text" "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}
same() { # the same bytes for a seed, other ones for another
    "$talon" lab incast --flows 40 --time 2ms --seed 7 >"$dir/a" && "$talon" lab incast --flows 40 --time 2ms --seed 7 >"$dir/b" &&
        "$talon" lab incast --flows 40 --time 2ms --seed 8 >"$dir/c" && cmp -s "$dir/a" "$dir/b" && ! cmp -s "$dir/a" "$dir/c"
}
no_space() { ! grep -n ' $' "$dir/out"; }

is "incast" status 0 "queueing delay, median                 32.309 us      band: 24.008 to 40.014" incast --flows 32
is "... has a heading" grep -qx '32 flows, 18 ms, seed 1' "$dir/out"
is "... nothing to warn of" grep -qx '0 values outside their band' "$dir/out"
is "... no space at the end of a line" no_space
is "a value outside its band" status 0 "  warn" incast --flows 1 --param max_fcwnd=1
is "... is no failure, but counted" grep -qE '^[1-9] values? outside' "$dir/out"
is "--quiet prints what is outside" status 0 "1 flow:  utilisation" incast --flows 1 --param max_fcwnd=1 --quiet
is "... and no more" [ "$(grep -vc warn "$dir/out")" = 1 ]
is "the same seed gives the same bytes" same
is "--list" status 0 "incast-loss    L1  N flows begin together" --list
is "no experiment" status 2 "expected one EXPERIMENT; talon lab --list shows them"
is "an unknown experiment" status 2 "no experiment 'incst'; did you mean 'incast'?" incst
is "an unknown parameter" status 2 "--param: there is no parameter 'fcwnd'; see talon help swift" incast --param fcwnd=3
is "a parameter out of range" status 2 "min_ncwnd: expected a whole number from 1 to 2047" incast --param min_ncwnd=0
is "limits that exclude each other" status 2 "--param: " incast --param min_fcwnd=9 --param max_fcwnd=8
is "a parameter without a value" status 2 "expected NAME=VALUE, found 'min_fcwnd'" incast --param min_fcwnd
is "a rate without a unit" status 2 "expected a rate from 1Mb/s to 1600Gb/s, found '100'" incast --rate 100
is "a rate too large" status 2 "expected a rate from 1Mb/s" incast --rate 99999999999Gb/s
is "a time too long" status 2 "--time: expected at most 10s" incast --time 11s
done_testing
