#!/bin/bash
# lane: works
# talon run --judge-steps: the packets that valid scenarios send are themselves held against the rules. No packet of the
# suite violates one, and a planted scenario that does is reported with its step, the rule and the requirement. TAP.
# shellcheck source=tests/run-lib disable=SC2154
. "$(dirname "$0")/run-lib"

no_error() { # options of talon run
    "$talon" run --verbose scenarios --sut builtin --judge-steps "$@" >"$dir/out" 2>&1
    local status=$?
    no_finding "$dir/out" || return 1
    [ "$status" -eq 0 ] || ! tail -3 "$dir/out" | sed 's/^/# /'
}

is "no packet of a valid scenario violates a rule" no_error
is "nor over PSP" no_error --encap psp_transport --class valid

# plant NAME CLASS MEMBERS...: a scenario of these lines.
plant() {
    local name=$1 class=$2
    shift 2
    printf '{"schema": "talon/scenario/1", "id": "%s", "title": "Planted", "purpose": "A planted scenario.", "class": "%s",
"covers": ["FTP-9.1.6-03"], "version": 1, %s}\n' "$name" "$class" "$*" >"$dir/$name.json"
}

# reports NAME LINE RULE REQUIREMENT: that scenario is an error for a packet of the step on that line.
reports() {
    local status
    "$talon" run --verbose "$dir/$1.json" --sut builtin --judge-steps --report "json:$dir/$1.results" >"$dir/out" 2>&1
    status=$?
    python3 - "$dir/$1.results" "$@" <<'END' && [ "$status" -eq 4 ] || ! sed 's/^/# /' "$dir/out"
import json, sys
file, name, line, rule, requirement = sys.argv[1:]
case = json.load(open(file, encoding="utf-8"))["cases"][0]
found = {(p["rule"], p["requirement"], p["line"], p["reason"]) for p in case["problems"]}
assert case["id"] == name and case["verdict"] == "error" and case["reason"] == "step-broke-rule", case["verdict"]
assert (rule, requirement, int(line), "step-broke-rule") in found, found
END
}
silent() { # NAME OPTIONS...: that scenario has no error
    "$talon" run --verbose "$dir/$1.json" --sut builtin "${@:2}" >"$dir/out" 2>&1 || ! sed 's/^/# /' "$dir/out"
}

quiet='"connection": {"params": {"rto": "1s", "coalescing": "1ms", "fcwnd": 2}}, "auto": {"acks": false, "ulp": false, "retransmission": false},'
plant unsent valid "$quiet" '"steps": [
"> back dbase=5r rbase=0r"]'
is "an ACK of a packet that the SUT has not sent is an error" reports unsent 3 R1 FTP-9.2.1-04
is "it is none without --judge-steps" silent unsent
plant unsent-on-purpose inopportune "$quiet" '"steps": [
"> back dbase=5r rbase=0r"]'
is "it is none of a scenario that says that it is inopportune" silent unsent-on-purpose --judge-steps

plant varied valid "$quiet" '"steps": [
"> push_data psn=0r rsn=0r len=64",
"> push_data psn=0r rsn=0r len=65"]'
is "a copy that differs is an error" reports varied 4 X1 FTP-9-12
plant early valid "$quiet" '"steps": [
"> push_data psn=0r rsn=0r len=64",
{"wait": "10us"},
"> push_data psn=0r rsn=0r len=64 ar"]'
is "a retransmission before its timeout is an error" reports early 5 E2 FTP-9-15
plant copied valid "$quiet" '"steps": [
"> push_data psn=0r rsn=0r len=64",
{"wait": "10us"},
"> push_data psn=0r rsn=0r len=64"]'
is "a copy that the network may have made is none" silent copied --judge-steps

posts='{"repeat": 3, "steps": [{"ulp": {"do": "post", "op": "push", "length": 64}}]}, "< push_data psn=1r",'
plant back valid "$quiet" "\"steps\": [$posts" '
"> eack dbase=0r rbase=0r dack=2 drx=2",
"> back dbase=1r rbase=0r"]'
is "a BACK after an EACK with a bit above its base is an error" reports back 4 R6 FTP-9.1.6-12
plant backwards valid "$quiet" "\"steps\": [$posts" '
"> back dbase=2r rbase=0r",
"> back dbase=1r rbase=0r"]'
is "a base that goes back is an error" reports backwards 4 R3 FTP-9.1.6-08
plant overtaken valid "$quiet" '"impair": {"to_sut": {"reorder": "1%"}},' "\"steps\": [$posts" '
"> back dbase=2r rbase=0r",
"> back dbase=1r rbase=0r"]'
is "it is none where the scenario delays packets" silent overtaken --judge-steps

plant beyond valid "$quiet" '"steps": [
"> push_data psn=0r rsn=0r len=64",
"> push_data psn=1r rsn=1r len=64",
"> push_data psn=2r rsn=2r len=64"]'
is "a packet beyond the congestion window is an error" reports beyond 5 X4 FTP-9.1.2-04
plant reordered valid "$quiet" '"steps": [
"> push_data psn=1r rsn=1r len=64",
"> push_data psn=0r rsn=0r len=64"]'
is "packets out of order are none: the network may have lost the first copy" silent reordered --judge-steps
# The path loses packets that a step acknowledges. The tester's endpoint never had them and states lower bases.
lossy=in:latency=29260ns,in:rate=17612082702,in:queue=1000000,in:mtu=7593,in:duplicate=9.290%,in:corrupt=4.234%
lossy=$lossy,out:rate=82435529599,out:queue=1000000,out:hops=1,out:jitter=20ms,out:loss=7.472%
lost_and_acknowledged() {
    "$talon" run --verbose scenarios/6.6-flows/flow-write-initiator.json --judge-steps --network "$lossy" --seed "$1" >"$dir/out" 2>&1
    ! grep -q "^ERROR" "$dir/out" && grep -q " 0 failed" "$dir/out"
}
for seed in 1 2 3 4 5 6 7 8; do lost_and_acknowledged $seed || break; done
is "a step may acknowledge what the path lost before the tester's endpoint had it" [ "$seed" = 8 ]
done_testing
