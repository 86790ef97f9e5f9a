#!/bin/bash
# lane: works
# talon logic: built-in logics, a library and a program; faults, variants, events; wrong input. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

# status N, TEXT, ARGUMENTS...: the exit status, and a line of output that has TEXT.
status() {
    local due=$1 text=$2
    shift 2
    "$talon" logic "$@" >"$dir/out" 2>&1 </dev/null
    [ $? = "$due" ] && grep -qF -- "$text" "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}
library() { # NAME, SED: the example, changed, as a library
    sed "$2" docs/examples/logic/aimd.c >"$dir/$1.c"
    "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -O1 -shared -fPIC -I"$dir/usr/include/talon" -o "$dir/$1.so" "$dir/$1.c" 2>&1 | sed 's/^/# /'
    [ -s "$dir/$1.so" ]
}
same() { # the library and the program do the same
    "$talon" logic run "lib:$dir/aimd.so" --count 3 --events "$dir/lib.jsonl" >"$dir/lib" &&
        "$talon" logic run "exec:python3 docs/examples/logic/aimd.py" --count 3 --events "$dir/exec.jsonl" >"$dir/exec" &&
        diff <(grep -v transport "$dir/lib.jsonl") <(grep -v transport "$dir/exec.jsonl") >&2
}
lines() { # every line is an object; the kinds of events
    python3 - "$1" <<'END'
import json
import sys

kinds, last = set(), 0
for text in open(sys.argv[1], encoding="utf-8"):
    line = json.loads(text)
    if "transport" in line:
        assert line["transport"]["name"] == "ndp", line
        continue
    if "end_ns" in line:
        assert line["end_ns"] >= last, line
        last = line["end_ns"]
        continue
    assert line["at_ns"] >= last, line
    last = line["at_ns"]
    kinds.add(line["kind"])
missing = {"post", "send", "arrive", "reply", "feedback", "deliver", "timeout", "done"} - kinds
sys.exit(f"no event of {missing}" if missing else 0)
END
}

is "logics are listed" status 0 "tcp-newreno" list
is "faults are listed with their rules" status 0 "goes-back-short  K9" list
for logic in tcp-reno tcp-newreno tcp-sack ndp roce-gbn-dcqcn irn; do
    is "$logic completes" status 0 "$logic: 50 of 50 transfers complete" run "$logic" --count 50
done
is "a lab" status 0 "2 flows, 2.000 ms, bottleneck 10000 Mb/s" lab tcp-sack --flows 2 --time 2ms --rate 10Gb/s
is "a variant" status 0 "20 of 20 transfers complete" run irn --variant rto-low-off --count 20
is "a fault that stops a flow" status 1 "0 of 1 transfers complete" run irn --fault work-forgotten --bytes 100000 --loss 0%
is "events are written" status 0 "20 of 20 transfers complete" run ndp --count 20 --events "$dir/events"
is "... as JSON, in order" lines "$dir/events"
is "a file that cannot be written" status 4 "--events: cannot write /none/x" run ndp --events /none/x
is "one flow in the engine fills the link" status 0 "throughput 100.00 Gb/s" engine roce-gbn-dcqcn --flows 1 --rate 100Gb/s --delay 500ns --time 1ms
is "2,048 flows: one address a cycle" status 0 "1.0000 addresses a cycle" engine roce-gbn-dcqcn --flows 2048 --rate 100Gb/s --time 1ms
is "a fault of the engine" status 0 "fullest ring 8" engine ndp --flows 4 --time 100us --fault merge-loses-one
is "an unknown fault of the engine" status 2 "did you mean 'rate-coarse'?" engine irn --fault rate-corse
is "a path that is too long for the engine" status 2 "--delay is at most 100us" engine irn --delay 1ms
is "an unknown logic" status 2 "did you mean 'irn'?" run irm
is "an unknown fault" status 2 "did you mean 'rto-early'?" run irn --fault rto-erly
is "a fault of another logic" status 2 "cannot be planted into ndp" run ndp --fault goes-back-one
is "a variant of another logic" status 2 "is no variant of ndp" run ndp --variant delayed-acks
is "no logic" status 2 "run: expected one logic" run
is "no percentage" status 2 "--loss: expected 0% to 100%, found '3'" run irn --loss 3

is "the headers are installed" make -s BUILD="$dir/none" DESTDIR="$dir" PREFIX=/usr install-headers
is "... and are C++" "${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -fsyntax-only -I"$dir/usr/include/talon" -x c++ "$dir/usr/include/talon/talon_logic.h"
is "the example compiles with them" library aimd ''
is "... and completes" status 0 "aimd: 50 of 50 transfers complete" run "lib:$dir/aimd.so" --count 50
is "the example in Python does the same" same
is "a library of another version" library old 's/\.abi = FAL_LOGIC_ABI/.abi = 77/'
is "... is refused" status 4 "built for version 77 of oracles/logic/logic.h, expected 1" run "lib:$dir/old.so"
is "a library that crashes" library crash 's/^    if (in->kind != FAL_LOGIC_ACK)/    *(volatile int *)8 = 0;\n&/'
is "... ends the run" status 4 "aimd: the library's process ended by signal 11" run "lib:$dir/crash.so"
is "a library without the symbol" status 4 "exports no fal_logic" run "lib:$(realpath "$BUILD")/examples/lite_sut.so"
is "a library that is not there" status 4 "cannot open shared object file" run lib:/none.so
is "a program that is silent" status 4 "has not answered for 1 s" run "exec:sleep 9" --timeout 1
is "a program that ends" status 4 "ended with exit status 3" run "exec:exit 3"
is "a program that talks nonsense" status 4 "a line that is no JSON object" run "exec:yes"
is "a program that refuses" status 4 "not today" run "exec:echo '{\"error\": \"not today\"}'; read -r _"
# A program that answers hello, and then has a fault: one line says which, and nothing hangs.
later() { # TEXT, SHELL: what it does after the second question
    status 4 "$1" run "exec:read -r _; echo '{\"abi\":1,\"name\":\"x\",\"credit\":\"window\"}'; read -r _; $2" --timeout 1 --bytes 5000 &&
        [ "$(wc -l <"$dir/out")" = 1 ]
}
while IFS='|' read -r what text shell; do
    is "a program that $what" later "$text" "$shell"
done <<'END'
ends later|x: the program ended with exit status 5|exit 5
is killed later|x: the program ended by signal 9|kill -9 $$
hangs later|x: the program has not answered for 1 s|sleep 9
sends a line that is too long|x: the program sent a line that is longer than 16384 bytes|head -c 20000 /dev/zero; sleep 9
sends other bytes|x: the program answered with a line that is no JSON object|printf '\001\377\n'; sleep 9
sends a text for a number|x: its answer has a bad "wnd": expected a whole number from 0 to 4294967295|echo '{"wnd": "many"}'; sleep 9
sends a number that is too large|x: its answer has a bad "wnd": expected a whole number|echo '{"wnd": 5000000000}'; sleep 9
sends half a range|x: its answer has a bad "mark": expected [[FIRST, END], ...]|echo '{"mark": [[1]]}'; sleep 9
answers before it is asked|x: the program sent a line before it was asked for one|printf '{}\n{}\n'; sleep 9
sends control characters|x: a?[31mred|echo '{"error": "a\u001b[31mred"}'; sleep 9
END
done_testing
