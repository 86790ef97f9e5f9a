#!/bin/bash
# What fuzzing begins with passes: the generated inputs, and those that broke something once.
set -u
cd "$(dirname "$0")/.." || exit 1
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

mkdir "$dir/seeds"
check "frame: the corpus is made" "$BUILD/fuzz/make_corpus" "$dir/seeds" 1000 7
check "frame: as many inputs as asked for" [ "$(find "$dir/seeds" -type f | wc -l)" -eq 1000 ]
check "frame: the corpus is replayed" "$BUILD/fuzz/replay_frame" "$dir/seeds"
if [ -d fuzz/regressions/frame ]; then
    check "frame: what broke once" "$BUILD/fuzz/replay_frame" fuzz/regressions/frame
fi
echo "1..$number"
