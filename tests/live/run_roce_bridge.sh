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
    # The console wraps lines where the figures of this run put the end.
    [ "$status" = "$due" ] && tr -s ' \n' ' ' <"$dir/out" | grep -qF -- "$text" || { tail -30 "$dir/out" | sed 's/^/# /'; return 1; }
}
is "go-back-N, marks and damaged packets" play 0 "4 cases: 4 passed" "" "" roce-lost-middle roce-cnp-comes roce-icrc-request roce-lost-last
is "a NAK that names another packet" play 1 "(rule K9)" "" nak-wrong roce-lost-middle
is "a sender that goes back too far" play 1 "(rule K9)" back-too-far "" roce-lost-middle
is "no CNP" play 1 "(rule NP3)" "" no-cnp roce-cnp-comes

# ---- a program posts (--control exec:) ----

posts() { # status, text, program of the shell for each case, cases...
    local due=$1 text=$2 program=$3 ids=() status
    shift 3
    for id in "$@"; do ids+=(--id "$id"); done
    printf 'while read -r line; do\n%s\ndone\n' "$program" >"$dir/program"
    ip netns exec "$between" "$talon" run --profile roce --sut bridge:br0,br1 --timeout 2 --param answer=50ms --param timeout=100ms \
        --control "exec:bash $dir/program" "${ids[@]}" \
        --report "json:$dir/posts.json" >"$dir/out" 2>&1
    status=$?
    [ "$status" = "$due" ] && cat "$dir/out" "$dir/posts.json" | tr -s ' \n' ' ' | grep -qF -- "$text" || { tail -30 "$dir/out" | sed "s/^/# $status /"; return 1; }
}
# Queue pairs 257 and 258 are those of roce_end.py. The case begins before its first packet.
transfers="rm -f $dir/ready $dir/ready2
ip netns exec $b python3 tests/live/roce_end.py vb responder >$dir/ready & one=\$!
until [ -s $dir/ready ]; do sleep 0.02; done
echo '{\"qps\": [[257, 258]]}'
ip netns exec $a python3 tests/live/roce_end.py va requester >$dir/ready2 & two=\$!
until [ -s $dir/ready2 ]; do sleep 0.02; done
sleep 0.7; kill \$one \$two
echo '{\"done\": 0}'; echo '{\"end\": true}'"
is "a program posts: PSNs count from the first" posts 0 "2 cases: 2 passed" "$transfers" roce-three-in-a-row roce-repetition-lost
is "a post that fails is found" posts 1 "it ended in error at" 'echo "{\"qps\": [[1, 2]]}"; echo "{\"failed\": 0, \"why\": \"status 12\"}"; echo "{\"end\": true}"' roce-lost-last
is "so is one that does not end" posts 1 "it did not end" 'echo "{\"qps\": [[1, 2]]}"; echo "{\"end\": true}"' roce-lost-last
is "a message that is not whole" posts 1 "1 delivered, 0 of them as they were sent" \
    'echo "{\"qps\": [[1, 2]]}"; echo "{\"message\": \"b\", \"qp\": 1, \"length\": 100, \"whole\": false}"; echo "{\"done\": 0}"; echo "{\"end\": true}"' roce-lost-only
is "ends that cannot do what the case needs" posts 2 "1 not applicable" 'echo "{\"cannot\": \"no memory\"}"' roce-lost-last
while IFS='|' read -r what text program; do
    is "$what" posts 4 "$text" "$program" roce-lost-last
done <<'END'
a program that ends|the program of --control has ended|exit 3
a line that is no JSON|wrote a line that is no JSON object: hello|echo hello
a post that ends too early|wrote a line that is not expected here: {"done": 0}|echo '{"done": 0}'
a step that is no post|not expected here: {"done": 1}|echo '{"qps": [[1, 2]]}'; echo '{"done": 1}'
too few queue pairs|not expected here: {"qps": []}|echo '{"qps": []}'
an error of the program|says: no device|echo '{"error": "no device"}'
END
is "a program that is gone fails each case" posts 4 "2 cases: 0 passed, 0 failed, 2 in error" "exit 3" roce-lost-last roce-lost-only
usage() { # text, options
    "$talon" run --profile roce "${@:2}" >"$dir/out" 2>&1
    [ $? -eq 2 ] && grep -qF -- "$1" "$dir/out"
}
is "--control is for two real ends" usage "--control is for two real ends" --control exec:true
is "--control has a program" usage "expected exec:COMMAND" --sut bridge:br0,br1 --control tcp:127.0.0.1:9
done_testing
