#!/bin/bash
# lane: waits
# Talon between two real ends of RoCEv2, in three network namespaces. The ends (roce_end.py) have nothing in common with
# Talon's player. Cases about losses, marks and damaged packets pass; a fault of an end fails by its rule.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154 # set there
. "$(dirname "$0")/../run-lib"
a=talon-ra-$$ b=talon-rb-$$ between=talon-rm-$$

clean() {
    finish
    for ns in "$a" "$b" "$between"; do ip netns del "$ns" 2>/dev/null; done
}
trap clean EXIT
make_wires() {
    ip netns add "$a" && ip netns add "$b" && ip netns add "$between" &&
        ip link add va netns "$a" type veth peer name br0 netns "$between" &&
        ip link add vb netns "$b" type veth peer name br1 netns "$between" &&
        ip -n "$a" link set va up && ip -n "$b" link set vb up && ip -n "$between" link set br0 up && ip -n "$between" link set br1 up
}
if ! command -v python3 >/dev/null || ! make_wires 2>/dev/null; then
    echo "ok 1 - RoCE over a bridge # SKIP no python3, or this user may not make network namespaces"
    echo "1..1"
    exit 0
fi

play() { # status, text, fault of the requester, of the responder, cases...
    local due=$1 text=$2 one=$3 two=$4 ids=()
    shift 4
    for id in "$@"; do ids+=(--id "$id"); done
    ip netns exec "$b" python3 tests/live/roce_end.py vb responder $two >"$dir/b.ready" &
    local responder=$!
    ip netns exec "$a" python3 tests/live/roce_end.py va requester $one >"$dir/a.ready" &
    local requester=$!
    suts+=("$responder" "$requester")
    for _ in $(seq 200); do [ -s "$dir/a.ready" ] && [ -s "$dir/b.ready" ] && break; sleep 0.05; done
    ip netns exec "$between" "$talon" run --profile roce --sut bridge:br0,br1 --timeout 1 --param answer=50ms --param timeout=100ms \
        --param cnp_interval=1ms "${ids[@]}" >"$dir/out" 2>&1
    local status=$?
    kill "$responder" "$requester"
    wait "$responder" "$requester" 2>/dev/null
    [ "$status" = "$due" ] && grep -qF -- "$text" "$dir/out" || { tail -30 "$dir/out" | sed 's/^/# /'; return 1; }
}
is "go-back-N, marks and damaged packets" play 0 "4 cases: 4 passed" "" "" roce-lost-middle roce-cnp-comes roce-icrc-request roce-lost-last
is "a NAK that names another packet" play 1 "(rule K9)" "" nak-wrong roce-lost-middle
is "a sender that goes back too far" play 1 "(rule K9)" back-too-far "" roce-lost-middle
is "no CNP" play 1 "(rule NP3)" "" no-cnp roce-cnp-comes
done_testing
