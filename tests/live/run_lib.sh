#!/bin/bash
# lane: waits
# Implementations of their own in virtual time: the examples of docs/examples, as a library and as a process, and
# libraries that do not keep to talon_sut.h. Results are the same bytes from run to run.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
lib="lib:$BUILD/examples/lite_sut.so"
hostile="lib:$BUILD/suts/hostile_lib.so"
# Under sanitizers what a test loads comes after their run-time; nothing else preloads anything.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

certified() { # sut, where to, least, scenarios...
    local sut=$1 out=$2 least=$3
    shift 3
    "$talon" run --verbose "$@" --sut "$sut" --profile docs/examples/lite.json --out "$dir/$out" --keep all >"$dir/out" || return 1
    [ "$(sed -n 's/^[0-9]* cases: \([0-9]*\) passed.*/\1/p' "$dir/out")" -ge "$least" ] && ! grep -qE '^(FAIL|warn|ERROR|inconclusive) ' "$dir/out"
}
# It gives a connection up without a Resync, which is a reading (AMB-14).
all() {
    "$talon" run --verbose scenarios --sut "$lib" --profile docs/examples/lite.json >"$dir/out" &&
        [ "$(sed -n 's/^[0-9]* cases: \([0-9]*\) passed.*/\1/p' "$dir/out")" -ge 1000 ] &&
        ! grep -qE '^(FAIL|ERROR|inconclusive) ' "$dir/out" && ! grep '^    reading' "$dir/out" | grep -v 'AMB-14:'
}
is "the library is certified by what it can do" all
some=(scenarios/6-overview scenarios/9.2.2.4-sliding-window/duplicate.json scenarios/8-transactions/push-sizes-target.json)
is "the library, with all evidence" certified "$lib" one 20 "${some[@]}"
is "and once more" certified "$lib" two 20 "${some[@]}"
is "the same bytes, timelines too" diff -r --exclude run.json "$dir/one" "$dir/two"

broken() { # a break by hand in the library's acknowledgements is caught
    sed 's/p.type = fill_bitmaps(conn, &p) ? LITE_EACK : LITE_BACK;/p.type = LITE_BACK;/' docs/examples/lite_conn.c >"$dir/lite_conn.c"
    cmp -s "$dir/lite_conn.c" docs/examples/lite_conn.c && return 1
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -I. -Idocs/examples -fPIC -shared -o "$dir/broken.so" docs/examples/lite_sut.c "$dir/lite_conn.c" harness/sut/sut_client.c -ljansson || return 1
    "$talon" run --verbose scenarios/6-overview scenarios/7-wire-format scenarios/7.2-sent-packets --sut "lib:$dir/broken.so" --profile docs/examples/lite.json >"$dir/out"
    [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/out"
}
is "a break in it is caught" broken

python="exec:python3 docs/examples/lite_sut.py --lockstep"
is "the Python example, in lockstep" certified "$python" three 20 "${some[@]}"
is "and once more" certified "$python" four 20 "${some[@]}"
is "the same bytes, timelines too" diff -r --exclude run.json "$dir/three" "$dir/four"

# As a process of its own on sockets: the same scenarios, in real time.
live() {
    start_sut python python3 docs/examples/lite_sut.py
    timeout 200 "$talon" run --verbose scenarios/6-overview scenarios/8-transactions/push-target.json scenarios/8-transactions/pull-target.json \
        --profile docs/examples/lite.json --sut "$frames" --control "$control" --retries 4 >"$dir/out" 2>&1
    local status=$?
    stop_sut "$sut"
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] && no_finding "$dir/out" && grep -q '^pass' "$dir/out"
}
is "the Python example over UDP and TCP" live

refused() { # mode, words: cannot be opened, or every case is in error; never a hang
    HOSTILE=$1 timeout 60 "$talon" run --verbose scenarios/8-transactions/push-target.json --sut "$hostile" >"$dir/out" 2>&1
    [ $? -eq 4 ] && grep -q -- "$2" "$dir/out"
}
is "another version" refused version "does not implement version 1"
is "a function is missing" refused function "does not implement version 1"
is "no functions at all" refused api "does not implement version 1"
is "create gives nothing" refused create "create returned NULL"
is "an output of no kind" refused kind "an invalid output"
is "an output without end" refused length "an invalid output"
is "an output at NULL" refused null "an invalid output"
is "outputs without end" refused endless "keeps producing outputs without end"
is "a line that is garbage" refused garbage "control channel"
is "not a word" refused silent "no event is left\|does not answer"
is "a timer that is due and does not move" refused stuck "does not advance\|does not answer"

not_one() { # file, words
    timeout 60 "$talon" run --verbose scenarios/8-transactions/push-target.json --sut "lib:$1" >"$dir/out" 2>&1
    [ $? -eq 4 ] && grep -q -- "$2" "$dir/out"
}
echo "no library" >"$dir/text.so"
is "no such file" not_one "$dir/none.so" "none.so"
is "a file that is no library" not_one "$dir/text.so" "text.so"
echo 'int unrelated(void); int unrelated(void) { return 1; }' | "${CC:-gcc}" -x c -shared -fPIC -o "$dir/other.so" -
is "a library of something else" not_one "$dir/other.so" "exports no talon_sut_api_v1"
done_testing
