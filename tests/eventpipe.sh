#!/bin/bash
# lane: works
# talon eventpipe, and a user's algorithm for the event pipeline (harness/eventpipe/talon_event_algorithm.h) in it and in
# talon lab. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

status() { # N, TEXT, ARGUMENTS...: the exit status, and a line of output with the text
    local due=$1 text=$2
    shift 2
    "$talon" "$@" >"$dir/out" 2>&1 </dev/null
    [ $? = "$due" ] && grep -qF -- "$text" "$dir/out" || { sed 's/^/# /' "$dir/out"; false; }
}
traced() { # FILE, ARGUMENTS...
    local file=$1
    shift
    "$talon" eventpipe run --events 1500 --trace "$file" "$@" >"$dir/out"
}
same() { traced "$dir/a" --seed 7 && traced "$dir/b" --seed 7 && traced "$dir/c" --seed 8 && cmp -s "$dir/a" "$dir/b" && ! cmp -s "$dir/a" "$dir/c"; }
lines() { # each is an object with a time that does not go back and a point; the setup has the sizes
    python3 - "$dir/a" "$dir/setup" <<'PY'
import json, sys
at = 0
points = set()
for line in open(sys.argv[1]):
    event = json.loads(line)
    assert event["at_ns"] >= at, line
    at = event["at_ns"]
    points.add(event["point"])
assert len(points) == 11, points
setup = json.load(open(sys.argv[2]))
assert setup["slices"] >= setup["processors"] > 0 and len(setup["th1"]) == 7 and setup["all_points"] is True
PY
}

is "a run tells what happened" status 0 " merged into another" eventpipe run --seed 3 --events 2000
is "the same bytes for a seed" same
is "a trace with its setup" traced "$dir/a" --setup "$dir/setup"
is "... has all points" lines
only() { # POINTS, NUMBER of points
    traced "$dir/o" --points "$1" --setup "$dir/setup" && grep -q '"all_points": false' "$dir/setup" &&
        [ "$(grep -o '"point":"[a-z]*"' "$dir/o" | sort -u | wc -l)" = "$2" ]
}
is "a trace from outside" only outside 6
is "... of the wire alone" only wire 1
is "a fault changes it" sh -c "'$talon' eventpipe run --events 1500 --seed 7 --fault wakeup-lost --trace '$dir/d' >/dev/null && ! cmp -s '$dir/b' '$dir/d'"
is "faults and variants are listed" status 0 "wakeup-lost                EP7 " eventpipe list
is "no such fault" status 2 "did you mean 'wakeup-lost'" eventpipe run --fault wakeup
is "no such variant" status 2 "no such name 'x'" eventpipe run --variant x
is "neither run nor list" status 2 "expected run or list" eventpipe
is "a file that cannot be written" status 4 "/nowhere/x: No such file" eventpipe run --trace /nowhere/x
is "a setup that cannot be written" status 4 "/nowhere/x: " eventpipe run --setup /nowhere/x

mkdir "$dir/kit"
cp harness/eventpipe/talon_event_algorithm.h docs/examples/eventpipe/rtt_aimd.c "$dir/kit"
library() { # NAME: NAME.c as a library, compiled without anything else of Talon
    (cd "$dir/kit" && "${CC:-cc}" -Wall -Wextra -Werror -O1 -shared -fPIC -I. -o "$1.so" "$1.c") 2>&1 | sed 's/^/# /'
    [ -s "$dir/kit/$1.so" ]
}
is "the example compiles with its header alone" library rtt_aimd
is "the header is C++" "${CXX:-c++}" -Wall -Wextra -Werror -fsyntax-only -x c++ harness/eventpipe/talon_event_algorithm.h
aimd=lib:$dir/kit/rtt_aimd.so
is "it runs in the model" status 0 "answers: " eventpipe run --events 500 --algorithm "$aimd"
is "it paces the flows of incast" status 0 "4 flows, 4 ms, seed 1, own algorithm, ecn_kb=400" lab incast --flows 4 --time 4ms --algorithm "$aimd"
is "... and without bands" grep -qx '0 values outside their band' "$dir/out"
busy() { awk '$1 == "utilisation" {u = $2} END {exit !(u > 0.3)}' "$dir/out"; }
is "... which has something to carry" busy
twice() { "$talon" lab join-leave --time 1ms --trace --algorithm "$aimd" >"$dir/1" && "$talon" lab join-leave --time 1ms --trace --algorithm "$aimd" --plots "$dir/plots" >"$dir/2" && cmp -s "$dir/1" "$dir/2" && grep -q polyline "$dir"/plots/join-leave-*-delay.svg; }
is "... the same for a seed, with plots" twice
is "the page says how to play it again" sh -c "'$talon' lab incast --flows 2 --time 1ms --algorithm '$aimd' --report html:'$dir/p.html' >/dev/null && grep -q -- '--algorithm .lib:.*rtt_aimd.so' '$dir/p.html'"
is "JSON names the player" sh -c "'$talon' lab incast --flows 2 --time 1ms --algorithm '$aimd' --format json | grep -q '\"player\": *\"algorithm\"'"
is "an algorithm has no paths" status 2 "'plb' is about paths" lab plb --algorithm "$aimd"
is "an algorithm goes with model flows" status 2 "--algorithm paces model flows" lab incast --algorithm "$aimd" --player endpoint
is "no library is named" status 2 "expected lib:FILE.so, found 'x'" lab incast --algorithm x
is "no such library" status 4 "cannot load it: " lab incast --algorithm "lib:$dir/none.so"

wrong() { # NAME, BODY of event(), TEXT: an algorithm with a mistake, in the lab and in the model
    printf '#include "talon_event_algorithm.h"\n#include <string.h>\nstatic void event(void *context, int32_t first, const struct talon_event *e, struct talon_answer *answer)\n{ (void)context; (void)first; (void)e; (void)answer; %s }\nconst struct talon_event_algorithm *talon_event_algorithm_v1(void)\n{ static const struct talon_event_algorithm a = {%s, event}; return &a; }\n' "$2" "${4:-1, 8}" >"$dir/kit/$1.c"
    library "$1" && status 4 "$3" lab incast --flows 2 --time 1ms --timeout 1 --algorithm "lib:$dir/kit/$1.so" && status 4 "$3" eventpipe run --events 200 --algorithm "lib:$dir/kit/$1.so"
}
echo 'int nothing;' >"$dir/kit/empty.c"
is "a library without the function" sh -c "true" && library empty
is "... is refused" status 4 "it exports no talon_event_algorithm_v1" lab incast --algorithm "lib:$dir/kit/empty.so"
is "another version" wrong version "" "it has version 2 of talon_event_algorithm.h; expected 1" "2, 8"
is "a context that is too large" wrong large "" "a context of at most 64 bytes; it wants 65" "1, 65"
is "a crash" wrong crash '*(volatile int *)4 = 1;' "the algorithm's process ended by signal 11"
is "rate 0" wrong zero 'answer->set_rate = 1;' "it set the rate 0; expected more than 0"
is "an absurd rate" wrong absurd 'answer->set_rate = 1; answer->rate_bps = 1600000000001ull;' "expected at most 1600 Gb/s"
is "a write beyond the context" wrong beyond 'memset(context, 0, 9);' "it wrote beyond its context of 8 bytes"
hang() { # in the lab alone: the model has no --timeout
    printf '#include "talon_event_algorithm.h"\nstatic void event(void *c, int32_t f, const struct talon_event *e, struct talon_answer *a)\n{ (void)c; (void)f; (void)e; (void)a; for (;;) ; }\nconst struct talon_event_algorithm *talon_event_algorithm_v1(void)\n{ static const struct talon_event_algorithm a = {1, 8, event}; return &a; }\n' >"$dir/kit/hang.c"
    library hang && status 4 "has not answered for 1 s" lab incast --flows 2 --time 1ms --timeout 1 --algorithm "lib:$dir/kit/hang.so"
}
is "an algorithm that hangs" hang
done_testing
