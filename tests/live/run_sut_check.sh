#!/bin/bash
# lane: waits
# `talon sut-check` finds good adapters good, over every way to one, and says of bad ones what is wrong with them.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/../run-lib"
hostile="$BUILD/tests/live/hostile_sut"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

good() { # least, address...
    local least=$1
    shift
    timeout 120 "$talon" sut-check "$@" >"$dir/out" 2>"$dir/err" || return 1
    ! grep -q '^FAIL' "$dir/out" && [ "$(grep -c '^pass' "$dir/out")" -ge "$least" ]
}
start_sut builtin "$talon" sut
is "talon sut" good 25 --control "$control"
is "talon sut, a flood and a hundred thousand events" good 25 --control "$control" --flood 100000 --events 5000
stop_sut "$sut"
start_sut python python3 docs/examples/lite_sut.py
is "the Python example" good 24 --control "$control" --flood 5000
stop_sut "$sut"
is "talon sut in lockstep" good 18 "exec:$talon sut --lockstep"
is "the Python example in lockstep" good 18 "exec:python3 docs/examples/lite_sut.py --lockstep"
is "the library" good 18 "lib:$BUILD/examples/lite_sut.so"

# Each check is seen red: by an adapter that is wrong in just what it is about. Several at a time: they mostly wait.
red() { # check, in a subshell
    "$talon" sut --listen udp:127.0.0.1:0 --control "unix:$dir/$1.sock" 2>/dev/null &
    local sut=$! proxy
    python3 tests/suts/bad_adapter.py "$1" "$dir/$1.sock" "$dir/$1.ports" 2>/dev/null &
    proxy=$!
    for _ in $(seq 500); do
        [ -s "$dir/$1.ports" ] && [ -S "$dir/$1.sock" ] && break
        sleep 0.02
    done
    timeout 100 "$talon" sut-check --control "$(cat "$dir/$1.ports")" --flood 2000 --events 100 >"$dir/$1.out" 2>&1
    echo "$? $(awk '/^FAIL/ {print $2; exit}' "$dir/$1.out")" >"$dir/$1.red"
    kill "$sut" "$proxy"
}
checks=$("$talon" sut-check --list)
running=0
for check in $checks; do
    (
        trap - EXIT
        red "$check" 2>/dev/null
    ) &
    running=$((running + 1))
    [ $((running % 8)) -eq 0 ] && wait
done
wait
for check in $checks; do
    is "$check is seen red" [ "$(cat "$dir/$check.red")" = "1 $check" ]
done

bad() { # mode, words
    rm -f "$dir/hostile.ports"
    start_sut hostile "$hostile" --mode "$1"
    timeout 120 "$talon" sut-check --control "$control" --flood 1000 >"$dir/out" 2>"$dir/err"
    local status=$?
    stop_sut "$sut"
    [ "$status" -eq 1 ] && grep -q '^FAIL' "$dir/out" && grep -q -- "$2" "$dir/out"
}
is "one that falls silent" bad hang=3 "no answer within 2 s"
is "one that dies" bad die-after=3 "nobody answers\|no answer\|accepts no more"
is "one that hangs up" bad close=3 "no answer\|accepts no more"
is "one that talks nonsense" bad garbage-line=3 "expected a JSON object"
is "one that answers another command" bad wrong-id=3 "the id of the answer must be"
is "one that does not end its line" bad half-line=3 "no answer within 2 s"
is "one that never ends its line" bad long-line=3 "expected a JSON object\|no answer"

adapter() { # a child that says hello badly
    timeout 60 "$talon" sut-check "exec:read l; echo '{\"done\":\"begin\",\"next_ns\":null}'; read a; read b; echo '$1'; echo '{\"done\":\"advance\",\"next_ns\":null}'; cat >/dev/null" >"$dir/out" 2>"$dir/err"
    [ $? -eq 1 ] && grep -q -- "$2" "$dir/out"
}
is "no version" adapter '{"id":1,"epoch":1,"ok":true}' "version: expected 1"
is "ok and an error" adapter '{"id":1,"epoch":1,"ok":true,"error":"busy","why":""}' "either"
is "another epoch" adapter '{"id":1,"epoch":3,"ok":true,"version":1}' "the epoch of the answer must be 1"
is "levels that are none" adapter '{"id":1,"epoch":1,"ok":true,"version":1,"vendor":"a","product":"b","firmware":"c","serial":"d"}' "levels: expected a list"
is "an event before its turn" adapter '{"seq":0,"epoch":1,"event":"dropped","count":1}' "must rise"

status_of() { # status, words, arguments...
    local due=$1 words=$2
    shift 2
    timeout 60 "$talon" sut-check "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq "$due" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q -- "$words" "$dir/err"
}
is "nobody there" status_of 4 "cannot connect" --control tcp:127.0.0.1:1
is "whom" status_of 2 "expected one adapter" --flood 7
is "an option that is none" status_of 2 "no option '--frob'" --frob
is "a flood that is none" status_of 2 "--flood '-1'; expected 0 to 10000000" --control tcp:127.0.0.1:1 --flood -1
is "an address of the wide world" status_of 4 "is refused" --control tcp:8.8.8.8:1
done_testing
