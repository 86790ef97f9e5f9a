#!/bin/bash
# lane: works
# The examples of a Rate Update Engine in Python: swift.py is one that the judge allows, rue_sut.py an adapter with the
# commands about congestion control, and a mistake in either is found.
# shellcheck source=tests/run-lib disable=SC2154,SC2317
. "$(dirname "$0")/run-lib"
rue=docs/examples/rue
shown() { sed 's/^/# /' "$dir/out" >&2; return 1; }
said() { # STATUS, TEXT, ARGUMENTS...
    local due=$1 text=$2
    shift 2
    "$talon" "$@" >"$dir/out" 2>&1 </dev/null
    [ $? = "$due" ] && grep -qE -- "$text" "$dir/out" || shown
}
mistaken() { # FILE, WAS, IS: a copy of the examples with a mistake
    rm -rf "$dir/examples"
    cp -r docs/examples "$dir/examples"
    python3 - "$dir/examples/rue/$1" "$2" "$3" <<'END'
import sys
path, was, by = sys.argv[1:]
text = open(path).read()
assert was in text, was
open(path, "w").write(text.replace(was, by))
END
}
adapter="exec:python3 $rue/rue_sut.py --lockstep"
copied="exec:python3 $dir/examples/rue/rue_sut.py --lockstep"

is "the engine is allowed" said 0 '^all 2000 results are what 10.3 and 10.4 allow' cc judge "exec:python3 $rue/swift.py" --events 500
is "the adapter keeps to the protocol" said 0 ', 0 failed, ' sut-check "$adapter"
has() { grep -qE "^pass +$1 " "$dir/out"; }
is "... with the commands of congestion control" has congestion
is "... and the queues" has cc-queues
is "its fed engine passes" said 0 '^[0-9]+ cases: [1-9][0-9]* passed, 0 failed' run scenarios/10.3-rue --sut "$adapter"
is "its queues pass" said 0 '^[0-9]+ cases: [1-9][0-9]* passed, 0 failed' run scenarios/10.6-queues --id 'events-of-*' --id 'result-sets-*' --id state-comes-back --sut "$adapter"
mistaken swift.py 'since(now, marker) >= rtt:' 'True:'
is "an engine without a guard is outside" said 1 'violated FTP-10.3.1-05' cc judge "exec:python3 $dir/examples/rue/swift.py" --events 500
is "... and its cases fail" said 1 'FTP-10.3.1-05' run scenarios/10.3-rue --id rue-fcwnd-falls-once-a-round-trip --sut "$copied"
mistaken rue_sut.py 'p["fcwnd"], p["ncwnd"] = max(result["fcwnd_integer"], 1)' 'p["fcwnd"], p["ncwnd"] = p["fcwnd"]'
is "a device that ignores fcwnd of results fails" said 1 'FTP-10.6.2.2-0[56]' run scenarios/10.6-queues --sut "$copied"
levels() { # PACKETS: the level that the ACK of a push reports while so many pushes are held
    python3 - "$1" <<'END'
import json, sys
sys.path[:0] = ["docs/examples/rue", "docs/examples"]
from rue_sut import RueControl
held, said, frames = int(sys.argv[1]), [], []
sut = RueControl(said.append, lambda conn, data: frames.append(data))


def ask(number, do, **members):
    sut.line(json.dumps({"id": number, "epoch": sut.epoch, "do": do, **members}))
    answer = json.loads(said[-1])
    assert answer.get("ok"), answer
    return answer


numbers = {"cid": 1, "function": 7, "req_psn": 0, "data_psn": 0, "rsn": 0}
ask(1, "hello", version=1)
conn = ask(2, "open", encap="udp", peer_address="127.0.0.1:1", peer=numbers, local=numbers, params={"ordered": True})["conn"]
ask(3, "rx_levels", pool="packets", alpha=1024, thresholds=list(range(1, 32)))
ask(4, "policy", conn=conn, rules=[{"answer": "withhold"}])
for n in range(held):
    sut.frame((1 << 28 | 1).to_bytes(4, "big") + (7 << 8 | 2 << 5 | 5 << 1).to_bytes(4, "big") + bytes(8)
              + n.to_bytes(4, "big") * 2 + (8).to_bytes(4, "big") + bytes(8), 0, 0)
ask(5, "respond", conn=conn, rsn=0, answer="ack")
sut.now += 10**9
sut.tick()
level = int.from_bytes(frames[-1][24:28], "big") >> 23 & 31
assert level == held, (level, held)
END
}
is "rx_levels: one packet is level 1" levels 1
is "rx_levels: seven packets are level 7" levels 7
done_testing
