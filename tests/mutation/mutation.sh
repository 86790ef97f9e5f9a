#!/bin/bash
# lane: works
# The measure by mutants itself: a planted mutant is killed, others are stopped, one is equivalent, one is not noticed by a
# suite of a few cases and yet observable; equal seeds give equal mutants, and a run goes on where it stopped.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/../run-lib"
ackgen=oracles/endpoint/delivery/ackgen.c
few=(scenarios/6-overview/cumulative-ack.json scenarios/9.1.6-ack-generation/ack-request.json)
# A library cannot be made of objects with sanitizers or counters.
nm "$BUILD/liboracles.a" 2>/dev/null | grep -qE '__(asan|tsan|gcov|llvm_gcov)_' && { echo "1..0 # SKIP: an instrumented build"; exit 0; }
measure() { python3 tests/mutation/mutation.py --build "$BUILD" --fuzz 0 --jobs 2 "$@" >"$dir/out" 2>"$dir/err"; }
shown() { sed 's/^/# /' "$dir/out" "$dir/err" >&2; return 1; }

planted() {
    measure --patch "$ackgen:ack->recv_req_base_psn = req->base:ack->recv_req_base_psn = req->base + 1" \
        --patch "$ackgen:if (!conn->ack_now):if (*(volatile bool *)8)" \
        --patch "$ackgen:(own & FAL_OWN_DATA) != 0:(own & FAL_OWN_DATA) > 0" \
        --patch "$ackgen:(own & FAL_OWN_REQ) != 0:(own & FAL_OWN_REQ) != 0 && conn != (void *)conn->ep" \
        --patch "$ackgen:bool at_once = taken &&:bool at_once = taken ||" "${few[@]}" || shown
}
is "planted mutants are played" planted
counts() { grep -qE "^all +$1\$" "$dir/out" || shown; }
is "one is killed, one stopped, one is a hole, two are unobservable" counts "1 +1 +0 +0 +0 +1 +2"
is "the compiler makes the same of an equivalent one" grep -q "^unobservable 2: $ackgen:.*(the same code)$" "$dir/out"
is "another is equivalent in what it does" grep -qE "^unobservable 3: $ackgen:[0-9]+, patch: .*[^)]$" "$dir/out"
is "the hole has the change, and a case that shows it" grep -A 3 "^hole 4: $ackgen" "$dir/out"
is "which is named" grep -q "first difference: ack-request" "$dir/out"
is "the share is that of the observable ones" grep -q "^5 mutants, 3 observable, of which 2 noticed (66.7 %)" "$dir/out"
allowed() { # FUNCTION COUNTS: the hole again, with a line that allows it in FUNCTION
    { printf '# a comment\n\n%s\n' "$ackgen $1" && grep "bool at_once = taken &&" "$ackgen" | sed 's/^ */- /; p; s/^-/+/; s/taken &&/taken ||/' &&
        echo "9.1.6: an ACK may be early."; } >"$dir/allowed"
    measure --allowed "$dir/allowed" --patch "$ackgen:bool at_once = taken &&:bool at_once = taken ||" "${few[@]}" &&
        grep -qE "^all +0 +0 +0 +0 +$2 +0\$" "$dir/out" || shown
}
is "a change that the specification allows is no hole" allowed fal_ackgen_arrived "1 +0"
is "the report says what allows it" grep -q "^allowed 0: $ackgen:.*: 9.1.6: an ACK may be early" "$dir/out"
is "the same change in another function is one" allowed fal_ackgen_news "0 +1"

refused() { # while another run uses the build
    ! flock "$BUILD/mutation/lock" python3 tests/mutation/mutation.py --build "$BUILD" --count 1 "${few[@]}" >"$dir/out" 2>"$dir/err" &&
        grep -q "another run uses .*: wait for its end, or give another folder with --build" "$dir/err" || shown
}
is "a build that another run uses is refused" refused

twice() { # the same seed, then fewer and more
    measure --seed 5 --count 3 --out "$dir/a.jsonl" "${few[@]}" && measure --seed 5 --count 1 --out "$dir/b.jsonl" "${few[@]}" &&
        cp "$dir/b.jsonl" "$dir/one.jsonl" && measure --seed 5 --count 3 --out "$dir/b.jsonl" "${few[@]}" || shown || return 1
    [ "$(wc -l <"$dir/one.jsonl")" -lt "$(wc -l <"$dir/a.jsonl")" ] && cmp "$dir/one.jsonl" <(head -n "$(wc -l <"$dir/one.jsonl")" "$dir/b.jsonl") &&
        diff <(sed 's/, "seconds": [0-9.]*//' "$dir/a.jsonl" | head -4) <(sed 's/, "seconds": [0-9.]*//' "$dir/b.jsonl" | head -4) >&2
}
is "equal seeds give equal mutants, and a run goes on" twice
selected() { # the cases in which a function does not run need no mutant of it
    measure --seed 5 --count 3 --select --out "$dir/c.jsonl" "${few[@]}" || shown || return 1
    diff <(sed 's/, "seconds": [0-9.]*//' "$dir/a.jsonl" | head -4) <(sed 's/, "seconds": [0-9.]*//' "$dir/c.jsonl" | head -4) >&2
}
is "cases that a mutant cannot change are left out" selected
again() {
    measure --seed 5 --only 1 "${few[@]}" && grep -q "results: none kept" "$dir/out" && grep -q "^1 mutants" "$dir/out" || shown
}
is "one of a draw is played again" again
other() {
    ! measure --seed 6 --count 1 --out "$dir/a.jsonl" "${few[@]}" && grep -q "is of another seed, endpoint or suite" "$dir/err"
}
is "results of another seed are not mixed" other
stale() {
    mkdir -p "$dir/old" && touch -d 2001-01-01 "$dir/old/talon"
    ! python3 tests/mutation/mutation.py --build "$dir/old" --count 1 >"$dir/out" 2>"$dir/err" && grep -q "is newer than .*: build it" "$dir/err"
}
is "a build of older sources is refused" stale
compiles() { # a mutant is one change of a file, and all that are counted compile
    python3 - <<'END'
import random, sys
sys.path.insert(0, "tests/mutation")
import mutants, mutation
files = mutation.sources("oracles/endpoint")
assert not any("fault" in p or "_test" in p or "/rig/" in p for p in files), files
kinds, draw = set(), mutants.Draw(files, random.Random("1"))
for _ in range(500):
    m = draw.next()
    text = m.apply(files[m.path])
    assert text != files[m.path], (m.path, m.line, m.kind)
    kinds.add(m.kind)
assert kinds == {"relation", "logic", "arithmetic", "negation", "constant", "off-by-one", "condition", "identifier", "member", "arguments", "statement", "return"}, kinds
END
}
is "each kind is drawn" compiles
seams() { # the value that a seam decides about is mutated, the seam is not; an operand of a condition is left out
    python3 - <<'END'
import sys
sys.path.insert(0, "tests/mutation")
import mutants
source = "#define LONG 0x10\nstatic const int costs[] = {3};\nbool f(int a)\n{\n    fal_filter(c, p, a + 7);\n" \
         "    return fal_decide(c, p, a < 5, a + 7) && (a > 0 ? g(a) : h(a));\n}\n"
got = {m.apply(source) for m in mutants.sites("x.c", source)}
for was, text in (("0x10", "17"), ("{3}", "{4}"), ("a < 5", "a <= 5"), (" && (a > 0 ? g(a) : h(a))", " && 1"), ("g(a) : h(a)", "h(a) : g(a)"), ("fal_decide(c, p, a < 5, a + 7)", "1")):
    assert source.replace(was, text) in got, (was, text)
assert all("fal_filter(c, p, a + 7)" in x and (", a + 7) " in x or "fal_decide" not in x) for x in got), got
END
}
is "seams of the faults are left alone, what they decide is not" seams
done_testing
