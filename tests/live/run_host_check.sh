#!/bin/bash
# lane: waits
# `talon host-check` on a veth pair in a namespace of its own: what is found, set, put back, and what arrives of frames that
# are wrong on purpose.
# shellcheck source=tests/run-lib disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
space=talon-hc-$$

clean() {
    finish
    ip netns del "$space" 2>/dev/null
}
trap clean EXIT

make_pair() {
    ip netns add "$space" && ip -n "$space" link add ha type veth peer name hb || return 1
    ip -n "$space" link set ha mtu 9000 up && ip -n "$space" link set hb mtu 9000 up
}
if ! make_pair 2>/dev/null; then
    echo "ok 1 - host-check # SKIP this user may not make network namespaces"
    echo "1..1"
    exit 0
fi
inside() {
    ip netns exec "$space" "$talon" host-check "$@" >"$dir/out" 2>"$dir/err"
    status=$?
}
# Whether finding $1 is ok ($2: true, false), in the JSON of `inside --json`.
finding() {
    inside ha --json
    tr -d '\n' <"$dir/out" | grep -qE "\"id\": \"$1\", *\"ok\": $2,"
}
with() { # words, status, options...
    local words=$1 due=$2
    shift 2
    inside "$@"
    [ "$status" -eq "$due" ] && cat "$dir/out" "$dir/err" | grep -q "$words" || { sed 's/^/# /' "$dir/out" "$dir/err"; false; }
}
setting() { # sysctl of ha, value
    ip netns exec "$space" sh -c "echo $2 >/proc/sys/$1"
}

is "a fresh pair has offloads that falsify" with "falsifies  *tx-checksum-ip-generic" 1 ha
is "and each says how it is mended" with "mend: ethtool -K ha tx off" 1 ha
is "JSON" finding tx-checksum-ip-generic false
is "a kernel that forwards is found" eval 'setting net/ipv4/conf/ha/forwarding 1; finding forwarding-ipv4 false'
is "a kernel that answers for others is found" eval 'setting net/ipv4/conf/ha/proxy_arp 1; finding proxy-arp false'
is "its own addresses are told" eval 'ip -n "$space" addr add 10.9.7.1/24 dev ha; with "10.9.7.1" 1 ha'
is "an MTU below the longest packet's is found" eval 'ip -n "$space" link set ha mtu 1500; finding mtu false'
is "and is left alone" eval 'ip -n "$space" link set ha mtu 9000; finding mtu true'

is "--fix: nothing is left that falsifies" with "0 findings falsify" 0 ha --fix --state "$dir/state"
is "it stays so" with "ok  *proxy-arp" 0 ha
is "GRO and forwarding again" eval 'setting net/ipv4/conf/ha/forwarding 1; finding forwarding-ipv4 false'
is "the state of a --fix is not lost by another" with "run --restore first" 4 ha --fix --state "$dir/state"
is "--restore" with "are as they were" 0 ha --restore --state "$dir/state"
is "offloads are back" finding tx-checksum-ip-generic false
is "so is the kernel's forwarding" finding forwarding-ipv4 false
is "the state is gone" test ! -e "$dir/state"
is "--restore without a state" with "No such file" 4 ha --restore --state "$dir/state"
is "a state that is none" eval 'echo "{}" >"$dir/bad"; with "not a file that --fix wrote" 4 ha --restore --state "$dir/bad"'
escape() {
    echo '{"schema": "talon/host-state/1", "interface": "ha", "settings": [{"kind": "sysctl", "name": "kernel/hostname", "was": 1}]}' >"$dir/bad"
    with "could not be restored" 4 ha --restore --state "$dir/bad"
}
is "a state that reaches elsewhere" escape

is "a looped pair: every malformation arrives, both ways" with "ok  *loop  *74 of 74 frames" 1 ha --loop hb
is "with offloads off, too" eval 'with "ok  *loop" 0 ha --fix --state "$dir/state" --loop hb; inside ha --restore --state "$dir/state"; [ $status -eq 0 ]'
missing() {
    ip -n "$space" link add hc type veth peer name hd && ip -n "$space" link set hc up && ip -n "$space" link set hd up
    with "falsifies  loop ha to hc: plain over IPv4 is missing" 1 ha --loop hc
}
is "an interface that is not at the other end" missing
is "JSON of a loop" eval 'inside ha --loop hb --json; [ "$(grep -c "as sent" "$dir/out")" -eq 74 ]'

schema() {
    command -v python3 >/dev/null && python3 -c 'import jsonschema' 2>/dev/null || return 0
    python3 -c 'import json, jsonschema, sys; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
        "$dir/out" scenarios/schema/host-check.json
}
is "the schema describes it" schema
is "an interface that is down" eval 'ip -n "$space" link set hb down; with "there is no carrier\|it is down" 1 ha'
is "no such interface" with "nothere: No such device" 4 nothere
is "no interface" with "no interface given" 2
is "a misspelt option" with "no option '--fixx'" 2 ha --fixx
is "--fix and --restore together" with "exclude each other" 2 ha --fix --restore
is "help" with "usage: talon host-check" 0 --help
done_testing
