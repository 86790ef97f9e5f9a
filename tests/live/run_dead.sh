#!/bin/bash
# lane: waits
# A bench that does not work before the first packet ends every verb at once: one sentence that names what is wrong and says
# what to do, exit status 4, no case played. A SUT that never sends a packet is one cause in each report.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/../run-lib"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
shown() { sed 's/^/# /' "$dir/out" "$dir/err" | head -n 30; return 1; }
tries() { timeout -k 1 60 "$@" >"$dir/out" 2>"$dir/err" </dev/null; }
# ends VERB WORDS... -- COMMAND...: status 4, nothing on standard output, one sentence with these words; lines that the SUT
# itself wrote may stand before it.
ends() {
    local verb=$1 words=() word
    shift
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    tries "$talon" "$verb" "$@"
    [ $? -eq 4 ] && [ ! -s "$dir/out" ] && [ "$(grep -c "^talon $verb: " "$dir/err")" -eq 1 ] || shown || return 1
    for word in "${words[@]}"; do
        grep "^talon $verb: " "$dir/err" | grep -qF -- "$word" || { echo "# missing: $word"; shown; return 1; }
    done
}
expected="expected a program that answers \`begin\` and \`hello\`"
is "a program that is not there" ends run "--sut" "cannot start '$dir/none --x'" "No such file or directory" "$expected" -- scenarios --sut "exec:$dir/none --x"
echo '#!/bin/sh' >"$dir/plain"
is "a program that may not be run" ends run "cannot start '$dir/plain'" "Permission denied" -- scenarios --sut "exec:$dir/plain"
is "a program that the shell does not find" ends run "the shell did not find the program" "exit status 127" -- scenarios --sut exec:no-such-program-anywhere
is "a program that exits" ends run "--sut exec:false: " "the adapter ended with exit status 1 before it answered hello" "talon sut-check" -- scenarios --sut exec:false
is "a program that a signal ends" ends run "ended by signal 11" "before it answered hello" -- scenarios --sut 'exec:exec python3 -c "import os; os.kill(os.getpid(), 11)"'
is "a program that explains its end" ends run "exit status 3 before it answered hello" "its standard error ends with: no firmware" -- scenarios --sut 'exec:echo no firmware >&2; exit 3'
is "a program that writes garbage" ends run "not a JSON object: 'hallo'" "$expected" -- scenarios --sut 'exec:echo hallo'
is "garbage that does not print" ends run "not a JSON object: '?[31m??" -- scenarios --sut "exec:printf '\\033[31m\\377\\377\\n'"
is "a program that sends back what it gets" ends run "is Talon's own command and no answer" -- scenarios --sut exec:cat
is "a program that is silent" ends run "has not answered \`begin\` for 1 s" "--timeout" "$expected" -- scenarios --timeout 1 --sut 'exec:sleep 100'
hello_only() { # answers begin, and then nothing
    printf '%s\n' 'read x; echo "{\"done\": \"begin\", \"next_ns\": null}"; sleep 100' >"$dir/begin.sh"
    ends run "has not answered for 1 s" "$expected" -- scenarios --timeout 1 --sut "exec:sh $dir/begin.sh"
}
is "a program that does not answer hello" hello_only
is "no library" ends run "$dir/none.so" "cannot load it" "No such file or directory" -- scenarios --sut "lib:$dir/none.so"
echo 'int unrelated(void); int unrelated(void) { return 1; }' | "${CC:-gcc}" -x c -shared -fPIC -o "$dir/other.so" -
is "a library of something else" ends run "exports no talon_sut_api_v1" "talon_sut.h" -- scenarios --sut "lib:$dir/other.so"
port=$((20000 + RANDOM % 20000))
udp=(--sut "udp:127.0.0.1:$port")
is "nobody at the control port" ends run "--control: cannot connect to tcp:127.0.0.1:$port" "Connection refused" "start the SUT's adapter" -- scenarios "${udp[@]}" --control tcp:127.0.0.1:$port
is "no control socket" ends run "--control: cannot connect to unix:$dir/none" "No such file" "correct --control" -- scenarios "${udp[@]}" --control "unix:$dir/none"
is "an address without a host" ends run "--sut: address 'none.invalid:7'" "expected an IP address" -- scenarios --sut udp:none.invalid:7 --control tcp:127.0.0.1:$port
is "a control address without a host" ends run "--control: address 'none.invalid:7'" "expected an IP address" -- scenarios "${udp[@]}" --control tcp:none.invalid:7
is "a foreign address" ends run "1.2.3.4:5 is not loopback" "--allow" -- scenarios --sut udp:1.2.3.4:5 --control tcp:127.0.0.1:$port
raw() { # no right to open a raw socket comes first
    ends run "$@" -- scenarios --sut raw:none9,127.0.0.1 --control tcp:127.0.0.1:$port && return
    ends run "none9: it needs CAP_NET_RAW" "setcap" -- scenarios --sut raw:none9,127.0.0.1 --control tcp:127.0.0.1:$port
}
is "no such interface" raw "there is no interface none9" "ip link" # or no right to open a raw socket, which comes first
is "no such interfaces of a bridge" ends run "there is no interface none8" "ip link" -- scenarios --sut bridge:none8,none9
silent_control() { # somebody listens, and says nothing
    python3 - "$dir/mute.sock" <<'END' &
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(8)
time.sleep(60)
END
    suts+=($!)
    for _ in $(seq 100); do [ -S "$dir/mute.sock" ] && break; sleep 0.05; done
    ends run "--control unix:$dir/mute.sock: the SUT does not answer on its control channel" "expected an answer to \`hello\`" -- scenarios "${udp[@]}" --control "unix:$dir/mute.sock"
}
is "a control channel that is silent" silent_control
lite="exec:python3 docs/examples/lite_sut.py --lockstep"
refused=("--encap psp_transport: the adapter answered \`open\` with \"unsupported: encap: this example speaks in the clear\"" "choose an encapsulation")
is "an encapsulation that the SUT refuses" ends run "${refused[@]}" -- scenarios --encap psp_transport --sut "$lite"
is "the same of talon fuzz" ends fuzz "${refused[@]}" -- --execs 3 --encap psp_transport --sut "$lite"
is "the same of talon explore" ends explore "${refused[@]}" -- --depth 1 --encap psp_transport --sut "$lite"
printf '{"sas": [{"spi": "0x00000105", "version": 0, "key": "%032d"}]}' 0 >"$dir/own.json"
keyless="exec:$talon sut --lockstep --psp-keys $dir/own.json" # it tells its peers the SPI only
no_key=("--encap psp_transport: the adapter's answer to \`open\`: security: sa: no key for SPI 0x00000105" "give one with --psp-keys")
is "an SA without a key names the option that gives it" ends run "${no_key[@]}" -- scenarios --encap psp_transport --sut "$keyless"
no_other_advice() { ! grep -q "choose an encapsulation" "$dir/out"; }
is "and advises nothing else" no_other_advice
taken() { tries "$talon" run scenarios/8-transactions/push-target.json --encap psp_transport --sut builtin && grep -q ' 0 failed' "$dir/out"; }
is "one that it takes" taken
other_value() { # of a parameter: the case is skipped, and the encapsulation is none of its reasons
    tries "$talon" run scenarios/8-transactions/push-target.json --param max_attempts=8 --encap psp_transport --sut builtin:fixed=max_attempts=7
    grep -q 'the SUT has max_attempts 7; this case needs max_attempts 8' "$dir/out" && ! grep -q "choose an encapsulation" "$dir/out" "$dir/err"
}
is "a parameter that the SUT sets otherwise" other_value
for verb in fuzz explore; do
    is "talon $verb: a program that exits" ends $verb "exit status 1 before it answered hello" -- --sut exec:false
    is "talon $verb: nobody at the control port" ends $verb "cannot connect to" "start the SUT's adapter" -- "${udp[@]}" --control tcp:127.0.0.1:$port
done
is "talon path-check: nobody at the control port" ends path-check "cannot connect to" "start the SUT's adapter" -- --sut udp:127.0.0.1:$port --control tcp:127.0.0.1:$port
is "talon sut-check: nobody at the control port" ends sut-check "cannot connect to" "start the adapter" -- --control tcp:127.0.0.1:$port
is "talon sut-check: a program that exits" ends sut-check "exit status 1 before it answered" -- exec:false
is "talon sut-check: no library" ends sut-check "$dir/none.so" "No such file" -- "lib:$dir/none.so"

reported() { # the reports say so once, and list no failure of the SUT
    local why="the adapter ended with exit status 1 before it answered hello"
    tries "$talon" run scenarios/8-transactions --sut exec:false --out "$dir/kept" --report "html:$dir/r.html" --report "markdown:$dir/r.md" \
        --report "junit:$dir/r.xml" --report "sarif:$dir/r.sarif" --report "json:$dir/r.json" --report "tap:$dir/r.tap"
    [ $? -eq 4 ] || shown || return 1
    for f in html md xml sarif json tap; do grep -qF "$why" "$dir/r.$f" || { echo "# not in $f"; return 1; }; done
    grep -q ' errors="1"' "$dir/r.xml" && grep -q ' failures="0"' "$dir/r.xml" && grep -q 'executionSuccessful": false' "$dir/r.sarif" &&
        grep -q 'could not be reached before the first case' "$dir/r.md" && [ ! -e "$dir/kept/results.json" ]
}
is "each report says why no case was played" reported
again() { # what was written down does not hinder the next run
    tries "$talon" run scenarios/8-transactions/push-target.json --sut builtin --out "$dir/kept" || shown
    [ -s "$dir/kept/results.json" ]
}
is "the next run may use the same --out" again

# A SUT whose control channel works, and that no packet reaches; in these cases it only answers.
mute() {
    start_sut talon "$talon" sut
    tries "$talon" run scenarios/8-transactions/push-sizes-target.json --retries 0 --sut "udp:127.0.0.1:$port" --control "$control" \
        --report "html:$dir/m.html" --report "markdown:$dir/m.md" --report "junit:$dir/m.xml" --report "sarif:$dir/m.sarif" --report "json:$dir/m.json"
    local status=$?
    stop_sut "$sut"
    [ $status -ne 0 ]
}
is "a SUT that receives nothing" mute
one_cause() { [ "$(grep -cE '^ *[0-9]+\. ' "$dir/out")" -eq 1 ] && grep -q '^1\. .* The SUT sent no packet in this run' "$dir/out" || shown; }
is "is one cause on the console" one_cause
each() { for f in html md xml sarif; do grep -q 'The SUT sent no packet in this run' "$dir/m.$f" || { echo "# not in $f"; return 1; }; done; }
is "and in each report" each
no_results() { python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["runs"][0]["results"] == []' "$dir/m.sarif"; }
is "and no alert for each case" no_results
saved() { "$talon" report "$dir/m.json" --format markdown 2>/dev/null | grep -q 'The SUT sent no packet in this run'; }
is "and of saved results" saved
done_testing
