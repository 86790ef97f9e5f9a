#!/bin/bash
# lane: waits
# SUTs that stop: their process ends by a signal or with an error, or does not answer. After a packet of the case this is a
# fail that names the packet and is confirmed by a replay; before the first packet, or in reply to a command, it is an error.
# A library runs in a process of its own: neither the run nor the fuzzer ends with it.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/../run-lib"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
cc=("${CC:-gcc}" -std=c17 -D_GNU_SOURCE -I. -Idocs/examples -fPIC)
{ "${cc[@]}" -Dtalon_sut_api_v1=lite_api_v1 -c -o "$dir/lite.o" docs/examples/lite_sut.c &&
    "${cc[@]}" -shared -o "$dir/stops.so" tests/suts/stops_lib.c "$dir/lite.o" docs/examples/lite_conn.c harness/sut/sut_client.c -ljansson; } || exit 1
lib=lib:$dir/stops.so
native="$talon sut --lockstep"
python="python3 docs/examples/lite_sut.py --lockstep"
declared=(--param turnaround=1us --param pipeline=1us --profile docs/examples/lite.json --jobs 1)

play() { # HOW@WHEN, SUT, scenario, options...
    local stops=$1 sut=$2 scenario=$3
    shift 3
    [[ $sut == lib:* ]] || sut="exec:${shell-exec }python3 tests/suts/stops_exec.py $stops $sut"
    STOPS=$stops timeout 100 "$talon" run --verbose "$scenario" "${declared[@]}" --timeout "${timeout:-10}" --sut "$sut" "$@" >"$dir/out" 2>"$dir/err"
}
shown() { sed 's/^/# /' "$dir/out" "$dir/err" >&2; return 1; }
fails() { # HOW@WHEN, SUT, scenario, words, options...
    local words=$4
    play "$1" "$2" "$3" "${@:5}"
    [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/out" && grep -qE "seen .*$words" "$dir/out" && grep -q 'a replay of the case alone stopped the SUT again' "$dir/out" &&
        grep -qE '^ +(packets +)?\* @' "$dir/out" && grep -q 'last lines of its standard error: .* stops now: ' "$dir/out" || shown
}
errs() { # HOW@WHEN, SUT, scenario, words
    play "$1" "$2" "$3"
    [ $? -eq 4 ] && grep -q '^ERROR ' "$dir/out" && ! grep -q '^FAIL ' "$dir/out" && grep -qE "$4" "$dir/out" || shown
}
for sut in "$lib" "$native" "$python"; do
    name=${sut%% *}
    name=${name##*/}
    is "$name: a signal at the first packet" fails signal@1 "$sut" scenarios/8-transactions/push-target.json "ended by signal 11 .*after packet 1 of the tester: @.* > push_data"
    is "$name: exit status 3 at a later packet" fails exit@3 "$sut" scenarios/8-transactions/push-target.json "ended with exit status 3 .*after packet 3 of the tester: @.* > push_data"
    is "$name: a malformed packet violates the duty to discard it" fails signal@malformed "$sut" scenarios/7-wire-format/other-version.json "ended by signal 11" --id other-version@version=2
    is "$name: which is named" grep -q '^ *FTP-9.2.2.1-01 ' "$dir/out"
    is "$name: in reply to open" errs signal@open "$sut" scenarios/8-transactions/push-target.json "ended by signal 11"
    is "$name: in reply to a barrier, after packets" errs exit@barrier "$sut" scenarios/8-transactions/push-target.json "ended with exit status 3"
done
hangs() { timeout=5 fails hang@1 "$@" "has not answered for 5 s after packet 1 of the tester"; }
is "a library that hangs at a packet" hangs "$lib" scenarios/8-transactions/push-target.json
is "a process that hangs at a packet" hangs "$native" scenarios/8-transactions/push-target.json
is "a signal while timers run" fails signal@time "$native" scenarios/8-transactions/push-target.json "ended by signal 11 .*while its timers ran, after packet"
in_shell() { shell="" fails signal@2 "$@"; }
is "a signal that a shell reports" in_shell "$native" scenarios/8-transactions/push-target.json "ended by signal 11 .*, as its shell reports by exit status 139 after packet 2"
dead() { # HOW@WHEN, SUT, scenario, words
    play "$1" "$2" "$3"
    [ $? -eq 4 ] && [ ! -s "$dir/out" ] && grep -qE "$4" "$dir/err" || shown
}
is "a library that crashes when it is created" dead signal@create "$lib" scenarios/8-transactions/push-target.json "the process that loads it ended by signal 11"
is "what happens after the case is not judged" play signal@destroy "$lib" scenarios/8-transactions/push-target.json
is "nonsense in place of an answer is an error" errs nonsense@2 "$native" scenarios/8-transactions/push-target.json "not a JSON object"
is "a closed output is an error" errs close@2 "$native" scenarios/8-transactions/push-target.json "closed its output"
is "exit status 0 is an error" errs exit0@2 "$native" scenarios/8-transactions/push-target.json "ended with exit status 0"

once() { # what a replay does not repeat is inconclusive
    ONCE=$dir/once play signal@once-2 "$native" scenarios/8-transactions/push-target.json
    [ $? -eq 3 ] && grep -q '^inconclusive ' "$dir/out" && grep -q 'only in one of two plays' "$dir/out" || shown
}
is "a stop that a replay does not repeat is inconclusive" once

reported() {
    play signal@2 "$lib" scenarios/8-transactions/push-target.json --report "html:$dir/out.html" --report "json:$dir/out.json" --report "junit:$dir/out.xml"
    for f in html json xml; do grep -q 'ended by signal 11' "$dir/out.$f" && grep -q 'stops now: signal@2' "$dir/out.$f" || return 1; done
    grep -q '"kind": *"stop"' "$dir/out.json" && grep -q '"sut-stopped"' "$dir/out.json"
}
is "signal and standard error are in the reports" reported
again() { # the evidence comes to the same verdict
    play signal@2 "$lib" scenarios/8-transactions/push-target.json --out "$dir/evidence"
    STOPS=signal@2 "$talon" check "$dir/evidence" >"$dir/out" 2>&1
    [ $? -eq 1 ] && grep -q '^fail ' "$dir/out" || shown
}
is "talon check comes to the same verdict" again

every() { # one that stops in each case ends the run early, with one sentence
    play signal@1 "$lib" scenarios/8-transactions
    [ $? -eq 4 ] && [ "$(grep -c '^FAIL ' "$dir/out")" -ge 8 ] && grep -q 'this happened in 8 cases in a row, so the run ends' "$dir/out" || shown
}
is "a SUT that stops in each case ends the run early" every
plays_on() { # each case has its own verdict
    play signal@1 "$lib" scenarios/8-transactions/push-sizes-target.json --keep-going
    [ $? -eq 1 ] && [ "$(grep -c '^FAIL ' "$dir/out")" -gt 8 ] && ! grep -qE '^ERROR |in a row' "$dir/out" || shown
}
is "with --keep-going it does not" plays_on

fuzzed() { # findings with a small sequence, and the hunt goes on
    local sut=$1
    [[ $sut == lib:* ]] || sut="exec:exec python3 tests/suts/stops_exec.py signal@malformed $sut"
    rm -rf "$dir/corpus"
    STOPS=signal@malformed timeout 300 "$talon" fuzz scenarios/7-wire-format/other-version.json --jobs 1 --seed 1 --execs "$2" --sut "$sut" --corpus "$dir/corpus" --quiet >"$dir/out" 2>"$dir/err"
    [ $? -eq 1 ] && grep -q '^FAIL  crash ended by signal 11 (Segmentation fault) FTP-9.2.2.1-01' "$dir/out" && grep -q "^$2 executions" "$dir/out" && ! grep -q '^stopped' "$dir/out" &&
        [ "$(grep -o '"send"' "$dir"/corpus/findings/crash-*-1/scenario.json | wc -l)" -le 2 ] || shown
}
is "a library that crashes is fuzzed" fuzzed "$lib" 60
replayed() {
    STOPS=signal@malformed "$talon" run --verbose "$dir"/corpus/findings/crash-*-1/scenario.json --param turnaround=1us --param pipeline=1us --sut "$lib" >"$dir/out" 2>"$dir/err"
    [ $? -eq 1 ] && grep -q 'FTP-9.2.2.1-01' "$dir/out" || shown
}
is "the finding is a scenario that shows it again" replayed
is "a process that crashes is fuzzed" fuzzed "$native" 30

# On a wire the tester knows only that the control channel ended.
lost() { # options...
    cat >"$dir/serve.sh" <<END
"$talon" sut --listen udp:127.0.0.1:$port --control unix:$dir/control >/dev/null 2>&1 &
echo \$! >$dir/pid
for _ in \$(seq 100); do [ -S $dir/control ] && break; sleep 0.05; done
END
    rm -f "$dir/control"
    bash "$dir/serve.sh"
    suts+=("$(cat "$dir/pid")")
    ( for _ in $(seq 400); do
        sleep 0.02
        grep -q . "$dir/stamp" 2>/dev/null && break
    done ) &
    timeout 100 "$talon" run --verbose "$dir/long.json" --jobs 1 --retries 0 --sut "udp:127.0.0.1:$port" --control "unix:$dir/control" "$@" >"$dir/out" 2>"$dir/err" &
    local run=$!
    killer &
    local killer=$!
    wait $run
    local status=$?
    kill $killer 2>/dev/null
    wait $killer 2>/dev/null
    kill "$(cat "$dir/pid")" 2>/dev/null
    return $status
}
killer() { # each SUT that was started ends 1 s later
    local last="" now
    for _ in $(seq 200); do
        now=$(cat "$dir/pid" 2>/dev/null)
        if [ -n "$now" ] && [ "$now" != "$last" ]; then
            sleep 1.2
            kill -9 "$now" 2>/dev/null
            rm -f "$dir/control"
            last=$now
        fi
        sleep 0.05
    done
}
port=$((20000 + RANDOM % 20000))
python3 - "$dir/long.json" <<'END'
import json, sys
s = json.load(open("scenarios/8-transactions/push-target.json"))
s["id"] = "long"
s["steps"] = s["steps"] + [{"wait": "4s"}]
s.pop("params", None)
json.dump(s, open(sys.argv[1], "w"))
END
inconclusive() {
    lost
    [ $? -eq 3 ] && grep -q '^inconclusive ' "$dir/out" && grep -qE 'seen .*control lost: .* after packet [0-9]+ of the tester' "$dir/out" || shown
}
is "a live SUT whose control channel ends: inconclusive" inconclusive
confirmed() {
    lost --sut-exec "bash $dir/serve.sh"
    [ $? -eq 1 ] && grep -q '^FAIL ' "$dir/out" && grep -q 'stopped the SUT again' "$dir/out" || shown
}
is "a fail if it ends again after a restart" confirmed
done_testing
