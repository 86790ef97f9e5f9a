#!/bin/bash
# lane: works
# The kit for the parsers of others: the example reads what Talon makes as Talon does; each planted bug is seen, the
# differential one on the corpus as it is, the others by AFL++ with the mutator, where AFL++ is installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
number=0
build=$(cd "$BUILD" && pwd)

check() { # name, command...
    local name=$1
    shift
    number=$((number + 1))
    if "$@" >"$dir/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        tail -n 5 "$dir/log" | sed 's/^/# /'
    fi
}
example() { # bug
    make -C fuzz/example TALON_BUILD="$build" OUT="$dir/example" BUG="$1" CC=gcc \
        CFLAGS="-O1 -g -Wall -Wextra -Werror" "$dir/example/files_$1"
}
refuted() { # words that it must say, command...
    local words=$1
    shift
    ! "$@" >"$dir/said" 2>&1 && grep -q "$words" "$dir/said"
}

# What the corpus does not show may show when it is changed: the sound parser under the fuzzer, for some seconds.
sound() {
    make -C fuzz/example TALON_BUILD="$build" OUT="$dir/example" BUG=0 CC=afl-clang-fast "$dir/example/afl_0" &&
        AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_QUIET=1 \
            AFL_CUSTOM_MUTATOR_LIBRARY="$build/fuzz/mutator.so" TALON_FUZZ_FORMAT=ether \
            afl-fuzz -m none -t 2000+ -s 1 -V "$1" -i "$dir/ether" -o "$dir/sound" -- "$dir/example/afl_0" &&
        [ -z "$(find "$dir/sound/default/crashes" -name 'id*')" ] &&
        [ "$(awk '$1 == "execs_done" {print $3}' "$dir/sound/default/fuzzer_stats")" -gt 500 ]
}

mkdir "$dir/ether"
check "frames are made for others" "$BUILD/fuzz/seeds/make_corpus" ether "$dir/ether" 500 1
for bug in 0 1 2 3 4; do
    check "the example is built, bug $bug" example "$bug"
done
check "it reads every frame as Talon does" "$dir/example/files_0" "$dir/ether"
for bug in 1 2 3; do
    check "lawful frames do not show bug $bug" timeout 60 "$dir/example/files_$bug" "$dir/ether"
done
check "the differential check shows bug 4" refuted 'differential: ecn_rx_count' "$dir/example/files_4" "$dir/ether"
if command -v afl-fuzz >/dev/null && command -v afl-clang-fast >/dev/null; then
    check "it reads changed frames as Talon does" sound 5
    check "AFL++ with the mutator finds the other three" env ONLY=mutator JOBS=3 OUT="$dir/example" BUILD="$BUILD" fuzz/planted "${TALON_PLANTED:-120}"
else
    for name in "it reads changed frames as Talon does" "AFL++ with the mutator finds the other three"; do
        number=$((number + 1))
        echo "ok $number - $name # SKIP there is no AFL++"
    done
fi
echo "1..$number"
