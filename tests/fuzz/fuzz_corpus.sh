#!/bin/bash
# lane: works
# What fuzzing begins with passes at every target: generated inputs, the kept corpora, and what broke something once.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
number=0

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
same() { diff -r "$1" "$2"; }

# A part of the suite, for inputs that are made of what was seen.
check "a run of the suite leaves evidence" "$BUILD/talon" run --verbose scenarios/9.2.3-ack-processing scenarios/8.5.3.4-rnr \
    --sut builtin --keep all --out "$dir/evidence"
"$BUILD/fuzz/replay" --list >"$dir/targets"
check "there are targets" [ "$(wc -l <"$dir/targets")" -ge 12 ]
for target in $(cut -f 1 "$dir/targets"); do
    check "$target: has a file and a row" [ -e "fuzz/targets/fuzz_$target.c" ]
    mkdir "$dir/$target" "$dir/again"
    check "$target: inputs are made" "$BUILD/fuzz/seeds/make_corpus" "$target" "$dir/$target" 150 7 "$dir/evidence"
    check "$target: and pass" "$BUILD/fuzz/replay" "$target" "$dir/$target"
    "$BUILD/fuzz/seeds/make_corpus" "$target" "$dir/again" 150 7 "$dir/evidence"
    check "$target: one seed makes the same" same "$dir/$target" "$dir/again"
    rm -rf "$dir/again"
    check "$target: and so do some thousand mutations of them" "$BUILD/fuzz/replay" --mutate 20 "$target" "$dir/$target"
    if [ -d "fuzz/corpus/$target" ]; then
        check "$target: the kept corpus passes" "$BUILD/fuzz/replay" "$target" "fuzz/corpus/$target"
        check "$target: and is small" [ "$(du -sb "fuzz/corpus/$target" | cut -f 1)" -lt 400000 ]
    fi
    if [ -d "fuzz/regressions/$target" ]; then
        check "$target: what broke once" "$BUILD/fuzz/replay" "$target" "fuzz/regressions/$target"
    fi
done
check "a target that is not there is refused" [ "$("$BUILD/fuzz/replay" nothing >/dev/null 2>&1; echo $?)" -eq 2 ]
check "so is its corpus" [ "$("$BUILD/fuzz/seeds/make_corpus" nothing "$dir" 1 1 >/dev/null 2>&1; echo $?)" -eq 2 ]
echo "1..$number"
