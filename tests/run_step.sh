#!/bin/bash
# lane: works
# talon run --step and --break-at: stops, commands, what they print; the results of a run in virtual time stay the same, and
# a stop on a live link makes no verdict.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/run-lib"
case=scenarios/9.1.6-ack-generation/ack-request.json
faulty=builtin:fault=ack-before-ulp

# says NAME, STATUS, COMMANDS, WORDS...: a run with these commands prints the words in this order, each somewhere in a line.
# The options of the run are in $options.
options=()
says() {
    local due=$1 commands=$2 got
    shift 2
    printf '%b' "$commands" | timeout 60 "$talon" run "$case" "${options[@]}" >"$dir/out" 2>"$dir/talk"
    got=${PIPESTATUS[1]}
    [ "$got" -eq "$due" ] || { echo "# exit status $got instead of $due"; sed 's/^/# /' "$dir/talk" "$dir/out"; return 1; }
    awk 'BEGIN { while (getline word <ARGV[1] > 0) words[n++] = word; ARGV[1] = "" }
        at < n && index($0, words[at]) { at++ }
        END { if (at < n) { print "# missing: " words[at]; exit 1 } }' <(printf '%s\n' "$@") "$dir/talk" || { sed 's/^/# /' "$dir/talk"; return 1; }
}
same() { # SUT, FORMAT: the report and the output of a run with stops are those of one without
    timeout 60 "$talon" run "$case" --sut "$1" --report "$2:$dir/a" >"$dir/a.out" 2>&1
    yes print | sed 'n;s/.*//' | head -n 60 | timeout 60 "$talon" run "$case" --sut "$1" --report "$2:$dir/b" --step >"$dir/b.out" 2>/dev/null
    cmp "$dir/a" "$dir/b" && cmp "$dir/a.out" "$dir/b.out"
}

# line STEP: where the step begins; each of this case has a line of its own.
line() { echo $(($(grep -n '^  "steps"' "$case" | cut -d: -f1) + $1)); }

options=(--step)
is "an empty line plays a step; a note is no stop" says 0 '\n\n\nc\n' "@0 before step 1, line $(line 1): > push_data" \
    '@0 > push_data' 'before step 2' 'request rsn=0r op=push' 'before step 4' '@0 > pull_request' 'before step 5' '(talon) c'
is "the state: windows, bitmaps, timers" says 0 '\n\n\nprint\nc\n' 'connection at 0 ns' 'transactions of the tester' \
    'sends requests           0r       1r' 'sends data               0r       1r' 'bitmaps of the tester' 'data received         0b0' \
    'RTO                   2 s' 'push_data psn=0r rsn=0r: sent at 0 ns, 0 retransmissions by timeout; its timer expires at 2 s'
is "other things to print" says 0 'step 6\np wi\np packets 2\np events\np variables\np steps\nlist\nhelp\nc\n' 'newest ACK or NACK of the SUT: @0 < back' \
    'packets: 3 so far' '(1 earlier packets' '@0 < back' 'events: 2 so far' 'request rsn=1r op=pull' 'none so far' " > step 9, line $(line 9)" ' > step 9' 'continue'
is "after the last step" says 0 'step 99\n' 'end of input: the steps go on without stops'
is "stops after the last step" says 0 'break 11\nc\n\nprint\n' "before step 11, line $(line 11)" '@50ms < pull_data' 'after the last step' 'timers of the tester'
is "breaks by number and line" says 0 "b 5\nbreak :$(line 9)\nb\ndelete 5\nd 5\nc\nc\n" 'break before step 5' "break before step 9, line $(line 9)" \
    'break before step 5' 'break before step 9' 'no break before step 5 any more' 'there is no break before step 5' '@50ms before step 9'
is "mistakes at the prompt" says 0 'stap\nstep 0\nstep x\nb 99\nb none\np none\na b c d\nc\n' "there is no command 'stap'; did you mean 'step'?" \
    "'0': expected a number from 1" "'x': expected a number" 'there is no step 99' "no step has the name 'none'" "print: nothing has the name 'none'; expected one of" 'a command has at most 3 words'
is "the end of the input is none of the case" says 0 '' 'before step 1' 'end of input: the steps go on without stops'
is "quit ends the case" says 3 '\nquit\n' 'before step 2' '(talon) quit'
is "which is inconclusive" grep -q 'was ended with `quit` at a stop' "$dir/out"
options=(--step --sut "$faulty")
is "a step that is not met" says 1 'step 4\n\n\nc\n' 'before step 5' 'not met: step 5' 'recv_data_base_psn: due 0r, seen 1r' 'after the last step'
options=(--break-at 3 --break-at ":$(line 9)")
is "--break-at" says 0 'c\nc\n' 'before step 3' 'before step 9'
options=(--break-at 11 --sut "$faulty")
is "a break that is not reached" says 1 '' 'not reached: step 11'
for format in json html; do is "stops do not change the results: $format" same builtin "$format"; done
is "nor those of a case that fails" same "$faulty" json
is "nor those of a process in lockstep" same "exec:$talon sut --lockstep" json

refuses() { # WORDS, options...: one line that names the reason, and status 2
    timeout 60 "$talon" run "${@:2}" >"$dir/out" 2>&1 </dev/null
    [ $? -eq 2 ] && grep -qF -- "$1" "$dir/out" || { sed 's/^/# /' "$dir/out"; return 1; }
}
is "one case alone" refuses "play one case, and 2 are selected; name one with --id CASE" "$case" scenarios/8-transactions/push-target.json --step
is "a step that is not there" refuses "--break-at: there is no step 12: the scenario has 11" "$case" --break-at 12
for wrong in "--repeat 2" "--copies 2" "--probe" "--against - --report html:$dir/x"; do
    # shellcheck disable=SC2086
    is "not with $wrong" refuses "--step and --break-at cannot be used with ${wrong%% [2-]*}" "$case" --step $wrong
done
is "not for RoCE" refuses "--break-at has no meaning" scenarios/roce-cnp --break-at 1

# ---- a live link ----

# lives STATUS, COMMANDS: the same on a live link; commands are sent slowly, where a line says "wait".
lives() {
    { while IFS= read -r line; do if [ "$line" = wait ]; then sleep 0.2; else printf '%s\n' "$line"; fi; done < <(printf '%b' "$2"); } |
        timeout 60 "$talon" run "$case" --sut "$frames" --control "$control" --param turnaround=20ms --param pipeline=20ms --retries 0 --verbose \
            --out "$dir/evidence" --keep all "${options[@]}" >"$dir/out" 2>"$dir/talk"
    [ "${PIPESTATUS[1]}" -eq "$1" ] || { echo "# another exit status than $1"; sed 's/^/# /' "$dir/talk" "$dir/out"; return 1; }
}
again() { timeout 60 "$talon" check "$dir/evidence" >"$dir/check" 2>&1; grep -q '; all as recorded$' "$dir/check" || { sed 's/^/# /' "$dir/check"; return 1; }; }
good() {
    start_sut good "$talon" sut
    options=(--step --param transaction_timeout=600s --param rto=10s)
    lives 3 '\nwait\nprint timers\n\nc\n' && again && says_all "$dir/talk" '^live link: time runs on at a stop' 'push_data .*its timer is stopped with ' &&
        says_all "$dir/out" 'the steps were stopped [0-9]+ times, for .*, first before step 1; what came after that is no verdict' && ! grep '^ *expected ' "$dir/out"
}
# What counts from an earlier step, or from the first one, is due later by the length of the stop: else the tester would be late.
timed() {
    start_sut timed "$talon" sut
    printf '{"schema": "talon/scenario/1", "id": "timed", "title": "t", "purpose": "p", "class": "valid", "covers": ["FTP-9.1.6-10"], "version": 1,\n"steps": [%s]}\n' \
        '{"send": "> push_data", "name": "first"}, "<=20ms < back dbase=1r", "+5ms > push_data", "@250ms > push_data", "<=20ms < back dbase=3r", "@first + 400ms > push_data", "<=20ms < back dbase=4r"' >"$dir/timed.json"
    case=$dir/timed.json
    options=(--step)
    for _ in 1 2 3; do # a busy machine is late by itself
        lives 3 '\n\nwait\nwait\n\nwait\nwait\n\n\n\nc\n' && says_all "$dir/talk" '^@.* before step 7' &&
            ! grep -E '^ *expected |after its time' "$dir/out" && return
    done
    return 1
}
# A SUT that is gone during a stop: no fail either. With sealed packets Talon first asks for a connection, without stops.
shows() { # WORDS: soon
    for _ in $(seq 200); do
        ! grep -q "$1" "$dir/talk" || return 0
        sleep 0.05
    done
    return 1
}
gone() {
    start_sut gone "$talon" sut
    options=(--step --encap psp_transport)
    : >"$dir/talk"
    { printf '\n'; shows 'before step 2' && kill "$sut" && shows 'ended during'; } | timeout 60 "$talon" run "$case" --sut "$frames" --control "$control" \
        --param turnaround=20ms --param pipeline=20ms "${options[@]}" >"$dir/out" 2>"$dir/talk"
    [ "${PIPESTATUS[1]}" -eq 3 ] && says_all "$dir/talk" '^ack-request: 11 steps' 'before step 2' '^the case ended during the stop' || { sed 's/^/# /' "$dir/talk" "$dir/out"; return 1; }
}
bad() { # options... of the run: a SUT with a violation at step 1
    start_sut bad "$talon" sut --fault ack-before-ulp
    options=("$@")
}
after() {
    bad --break-at 4
    lives 3 'wait\nc\n' && again && says_all "$dir/out" 'push PSN 0r not acknowledged before its upper layer answers' ': paused$'
}
before() {
    bad --break-at 10
    lives 1 'c\n' && again
}
ended() {
    bad --step
    lives 3 'quit\n' && says_all "$dir/out" 'was ended with quit'
}
says_all() { # FILE, PATTERNS...
    local pattern
    for pattern in "${@:2}"; do grep -qE -- "$pattern" "$1" || { echo "# missing: $pattern"; sed 's/^/# /' "$1"; return 1; }; done
}
beside "live: a stop is no verdict, and the timers of the tester stand still" good
beside "live: times count without the stops" timed
beside "live: a violation after the first stop is shown and fails nothing" after
beside "live: a violation before the first stop is a fail" before
beside "live: quit" ended
beside "live: a SUT that is gone during a stop fails nothing" gone
done_beside
done_testing
