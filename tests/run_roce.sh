#!/bin/bash
# lane: works
# Scenarios of RoCEv2 against the built-in player: all pass; each planted fault fails by the rule named for it in
# tests/data/roce-kills.txt; conforming variants fail nothing; captures that tshark reads in the same way; bad input.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"
kills=tests/data/roce-kills.txt

passes() { # words of the last line, options
    local last=$1
    shift
    "$talon" run --profile roce "$@" >"$dir/out" 2>&1 || { tail -5 "$dir/out" | sed 's/^/# /'; return 1; }
    tail -1 "$dir/out" | grep -q "$last" || { tail -1 "$dir/out" | sed 's/^/# /'; return 1; }
}
is "66 scenarios pass" passes "^66 cases: 66 passed, 0 failed"
is "the same bytes again" eval '"$talon" run --profile roce --id "roce-switch-*" --report json:$dir/1.json >/dev/null &&
    "$talon" run --profile roce --id "roce-switch-*" --report json:$dir/2.json >/dev/null && cmp -s $dir/1.json $dir/2.json'

shards() {
    for i in 1 2 3; do
        "$talon" run --profile roce --id "roce-read-*" --id "roce-rnr-*" --shard $i/3 --list || return 1
    done | sort | cmp - <("$talon" run --profile roce --id "roce-read-*" --id "roce-rnr-*" --list | sort) &&
        "$talon" run --profile roce --id "roce-r*" --shard 2/8 | tail -1 | grep -q "^4 cases: 4 passed, 0 failed.*; shard 2 of 8, 22 of the others"
}
is "shards together are all cases" shards

# $1 fault $2 rule $3 case
found() {
    "$talon" run --profile roce --id "$3" --sut "builtin:fault=$1" --report "json:$dir/k.json" >"$dir/out" 2>&1
    [ $? -eq 1 ] && grep -q "(rule $2)" "$dir/k.json"
}
all_found() {
    local missed=0 fault rule case
    while read -r fault rule case; do
        [ "$fault" = "#" ] && continue
        found "$fault" "$rule" "$case" || { echo "# $fault is not found by rule $rule in $case"; missed=1; }
    done <"$kills"
    return $missed
}
is "each planted fault fails by the rule named for it" all_found
# Cases whose steps are met: the rules for captures alone find the fault.
by_rules() {
    local missed=0 fault rule case
    while read -r fault rule case; do
        found "$fault" "$rule" "$case" && grep -q '"kind": "rule"' "$dir/k.json" && ! grep -q '"kind": "step"' "$dir/k.json" ||
            { echo "# $fault is not found by rule $rule of captures in $case"; missed=1; }
    done <<'END'
cnp-per-mark NP2 roce-cnp-per-qp
cnp-to-receiver-qp NP4 roce-cnp-interval
cnp-for-ect NP1 roce-ack-lost
cnp-late NP3 roce-icrc-sent
cnp-not-zero NP4 roce-cnp-again
cnp-bad-icrc WF3 roce-cnp-again
cnp-for-acks NP1 roce-ack-lost
cnp-ignored RP1 roce-cnp-interval
END
    return $missed
}
is "the rules for captures find faults that no step looks for" by_rules
is "every fault is in the list" eval '! for f in $(grep -o "^    X([A-Z0-9_]*, \"[a-z0-9-]*\", \"\(receiver\|sender\|switch\)\"" oracles/roce/roce_list.h |
    cut -d\" -f2); do grep -q "^$f " $kills || echo "# $f"; done | grep .'

# The cases that are quick, for each variant.
variants() {
    local v wrong=0
    for v in $(grep -o '^    X([A-Z0-9_]*, "[a-z0-9-]*", "[A-Z]' oracles/roce/roce_list.h | cut -d'"' -f2); do
        passes " 0 failed" --sut "builtin:variant=$v" --id "!roce-rate-*" || { echo "# variant $v"; wrong=1; }
    done
    return $wrong
}
is "conforming variants fail nothing" variants

# Opcode, queue pair, PSN and syndrome of each packet, by tshark and by talon.
cat >"$dir/compare.py" <<'P'
import json, sys

def number(text):
    return int(text, 0) if text else None

theirs = [[number(x) for x in line.rstrip("\n").split("\t")] for line in open(sys.argv[1])]
mine = []
for line in open(sys.argv[2]):
    frame = json.loads(line)
    roce, code = frame["roce"], frame["roce"]["opcode"]
    syndrome = bytes.fromhex(frame["payload"])[0] if code in (13, 15, 16, 17) else None
    mine.append([code, roce["dest_qp"], roce["psn"], syndrome])
if not mine or mine != theirs:
    print("#", next(((a, b) for a, b in zip(mine, theirs) if a != b), (len(mine), len(theirs))))
    sys.exit(1)
P
agrees() {
    local f
    "$talon" run --profile roce --id roce-many-messages --id roce-cnp-and-nak --out "$dir/cap" >/dev/null || return 1
    for f in roce-many-messages roce-cnp-and-nak; do
        tshark -r "$dir/cap/$f.pcapng" -T fields -e infiniband.bth.opcode -e infiniband.bth.destqp -e infiniband.bth.psn \
            -e infiniband.aeth.syndrome >"$dir/tshark" 2>/dev/null
        "$talon" decode --format json "$dir/cap/$f.pcapng" >"$dir/talon.json" || return 1
        python3 "$dir/compare.py" "$dir/tshark" "$dir/talon.json" || return 1
    done
}
if command -v tshark >/dev/null; then
    is "tshark reads the packets in the same way" agrees
else
    is "tshark reads the packets in the same way # SKIP no tshark" true
fi

refused() { # words, options
    local words=$1
    shift
    "$talon" run "$@" >"$dir/out" 2>&1
    [ $? -eq 2 ] && grep -q -- "$words" "$dir/out" || { sed 's/^/# /' "$dir/out" | head -3; return 1; }
}
is "an unknown fault is named" refused "no fault 'cnp-per-mrk'; did you mean 'cnp-per-mark'" --profile roce --sut builtin:fault=cnp-per-mrk
is "another kind of SUT is refused" refused "plays no RoCE" --profile roce --sut udp:127.0.0.1:7777
is "an option of Falcon is refused" refused "no meaning for scenarios of RoCEv2" --profile roce --twins random
is "no case is selected" refused "no RoCE scenario is selected" --profile roce --id nothing

while IFS='|' read -r what from to words; do
    sed "s/$from/$to/" scenarios/roce-gbn/roce-lost-middle.json >"$dir/bad.json"
    is "$what" refused "$words" "$dir/bad.json"
done <<'END'
a field that is not there|psn=\$lost syndrome|pns=1 syndrome|no field 'pns'
a label that nothing has|"after": "nak"|"after": "nka"|no step before this one has
two verbs|"drop": "rc|"mark": "psn=1", "drop": "rc|a step does one thing
no verb|"ended"|"rule2"|unexpected member 'rule2'\|rule2
a time without a unit|"50us"|"50"|expected a time such as
END
# The scenario of docs/roce.md, as a reader saves it.
example() {
    awk '/^```json/ { on = 1; next } /^```/ { on = 0 } on' docs/roce.md >"$dir/my-loss.json" && "$talon" run "$dir/my-loss.json" >"$dir/out" &&
        ! "$talon" run "$dir/my-loss.json" --sut builtin:fault=nak-wrong-psn >"$dir/out"
}
is "the scenario of the page" example
done_testing
