#!/bin/bash
# lane: works
# The judge is not the player: no object of the rules refers to a symbol of the endpoint or of the
# simulated network, nor the other way round; and the check finds it where one does. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
ok() { n=$((n + 1)); if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }

objects() { # folder: its objects, without those of tests
    find "$BUILD/$1" -name '*.o' ! -name '*_test.o' ! -name '*_gen.o'
}
defined() { nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u; }
wanted() { nm -g --undefined-only "$@" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u; }

# users, owners: no user wants what an owner defines
# shellcheck disable=SC2086 # both are lists of files
apart() {
    wanted $1 >"$dir/wanted"
    defined $2 >"$dir/defined"
    if [ ! -s "$dir/wanted" ] || [ ! -s "$dir/defined" ]; then
        echo "no symbols" >&2
        return 1
    fi
    comm -12 "$dir/wanted" "$dir/defined" >"$dir/both"
    sed 's/^/refers to /' "$dir/both" >&2
    [ ! -s "$dir/both" ]
}

rules=$(objects oracles/rules)
player="$(objects oracles/endpoint) $BUILD/oracles/simnet.o"
apart "$rules" "$player"
ok $? "the rules refer to no symbol of the endpoint or the simulated network"
apart "$player" "$rules"
ok $? "the endpoint and the simulated network refer to no symbol of the rules"

# shellcheck disable=SC2086
symbol=$(defined $player | head -n 1)
echo "extern char ${symbol}[]; char *breach(void); char *breach(void) { return $symbol; }" >"$dir/breach.c"
"${CC:-cc}" -c -o "$dir/breach.o" "$dir/breach.c" && ! apart "$rules $dir/breach.o" "$player" 2>/dev/null
ok $? "an object that refers to one is found"
echo "1..$n"
