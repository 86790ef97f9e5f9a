#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verbs_interop.py TALON EXAMPLES - verbs_sut.py of the examples, in this process, and the built-in SUT in lockstep use RDMA
together, each as initiator and as target, by words of the control protocol alone. Prints how many operations were good."""
import json
import subprocess
import sys

sys.path[:0] = [sys.argv[2] + "/verbs", sys.argv[2]]
import verbs_sut  # noqa: E402


class Talon:
    """talon sut in lockstep."""

    def __init__(self, program):
        self.child = subprocess.Popen([program, "sut", "--lockstep"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said, self.frames, self.due, self.waiting = [], [], None, []
        self.turn({"do": "begin", "version": 1, "seed": 5})

    def turn(self, message):
        lines = self.waiting + [json.dumps(message)]
        self.waiting = []
        self.child.stdin.write("\n".join(lines) + "\n")
        self.child.stdin.flush()
        while True:
            said = json.loads(self.child.stdout.readline())
            if "done" in said:
                self.due = said["next_ns"]
                return
            if "frame" in said:
                self.frames.append(bytes.fromhex(said["frame"]))
            else:
                self.said.append(said)

    def line(self, command, now):
        self.waiting.append(json.dumps(command))
        self.turn({"do": "advance", "until_ns": now})

    def frame(self, data, now):
        self.turn({"do": "frame", "at_ns": now, "bytes": data.hex(), "ecn": 0, "ttl": 64})

    def tick(self, now):
        self.turn({"do": "advance", "until_ns": now})


class Python:
    """verbs_sut.py in this process."""

    def __init__(self):
        self.said, self.frames = [], []
        self.control = verbs_sut.VerbsControl(lambda text: self.said.append(json.loads(text)),
                                              lambda conn, data: self.frames.append(data), 9)

    @property
    def due(self):
        return self.control.deadline()

    def line(self, command, now):
        self.control.now = now
        self.control.line(json.dumps(command))

    def frame(self, data, now):
        self.control.now = now
        self.control.frame(data, 0, 64)

    def tick(self, now):
        self.control.now = now
        self.control.tick()


class Pair:
    def __init__(self, program):
        self.sides, self.now, self.ids = [Python(), Talon(program)], 0, [0, 0]

    def settle(self):
        while any(s.frames for s in self.sides):
            for i, side in enumerate(self.sides):
                frames, side.frames = side.frames, []
                for data in frames:
                    self.sides[1 - i].frame(data, self.now)

    def run(self, ns):
        until = self.now + ns
        self.settle()
        while (due := min((s.due for s in self.sides if s.due is not None), default=None)) is not None and due <= until:
            self.now = max(self.now, due)
            for side in self.sides:
                if side.due is not None and side.due <= self.now:
                    side.tick(self.now)
            self.settle()
        self.now = until

    def ask(self, i, do, **members):
        self.ids[i] += 1
        self.sides[i].line({"id": self.ids[i], "epoch": 1, "do": do, **members}, self.now)
        self.settle()
        reply = next(s for s in self.sides[i].said if s.get("id") == self.ids[i])
        assert reply.get("ok"), (i, do, reply)
        return reply

    def wcs(self, i):
        return [s for s in self.sides[i].said if s.get("event") == "wc"]


pair, ends = Pair(sys.argv[1]), []
for i in (0, 1):
    peer, local = ({"cid": cid, "function": 1, "req_psn": 0, "data_psn": 0, "rsn": 0} for cid in (21 - i, 20 + i))
    pair.ask(i, "open", upper="verbs", peer=peer, local=local, params={"rto_ns": 50000000})
for i in (0, 1):
    pd, cq = pair.ask(i, "pd_create")["pd"], pair.ask(i, "cq_create", depth=64)["cq"]
    mr = pair.ask(i, "mr_reg", pd=pd, length=16384, access=["lw", "rw", "rr", "ra"])
    qp = pair.ask(i, "qp_create", type="rc", pd=pd, send_cq=cq, recv_cq=cq, path_mtu=1024)
    ends.append({"mr": mr["mr"], "qp": qp["qp"], "qpn": qp["qpn"], "remote": {"va": mr["va"], "rkey": mr["rkey"]}})
for i in (0, 1):
    pair.ask(i, "qp_connect", qp=ends[i]["qp"], conn="c1", dest_qpn=ends[1 - i]["qpn"])


def posted(i, op, length, at=0, **more):
    wr = len(pair.wcs(i)) + 100000
    pair.ask(i, "post_send", qp=ends[i]["qp"], wr_id=wr, op=op, sgl=[{"mr": ends[i]["mr"], "offset": at, "length": length}],
             flags=["signaled"], **more)
    pair.run(20_000_000)
    done = [w for w in pair.wcs(i) if w["wr_id"] == wr]
    assert len(done) == 1 and done[0]["status"] == 0, (op, i, done, pair.sides[i].said[-3:], pair.sides[1 - i].said[-3:])


def hash_of(i, at, length):
    return pair.ask(i, "mr_hash", mr=ends[i]["mr"], offset=at, length=length)["hash"]

tests = 0
for i in (0, 1):
    for length in (1, 1023, 1024, 3073):
        pair.ask(i, "mr_fill", mr=ends[i]["mr"], length=length, tag=length + i)
        posted(i, "write", length, remote=ends[1 - i]["remote"])
        assert hash_of(1 - i, 0, length) == hash_of(i, 0, length), ("write", i, length)
        posted(i, "read", length, at=8192, remote=ends[1 - i]["remote"])
        assert hash_of(i, 8192, length) == hash_of(i, 0, length), ("read", i, length)
        for op, more in (("send", {}), ("send_imm", {"imm": 77})):
            pair.ask(1 - i, "post_recv", qp=ends[1 - i]["qp"], wr_id=length,
                     sgl=[{"mr": ends[1 - i]["mr"], "offset": 4096, "length": 4096}])
            posted(i, op, length, **more)
            got = pair.wcs(1 - i)[-1]
            assert (got["opcode"], got["byte_len"], got.get("imm")) == ("recv", length, more.get("imm")), got
            assert hash_of(1 - i, 4096, length) == hash_of(i, 0, length), (op, i, length)
            tests += 1
        tests += 2
    word = pair.ask(1 - i, "mr_word", mr=ends[1 - i]["mr"], set=41)
    posted(i, "faa", 8, at=64, add=1, remote=ends[1 - i]["remote"])
    posted(i, "cas", 8, at=64, compare=42, swap=7, remote=ends[1 - i]["remote"])
    assert pair.ask(i, "mr_word", mr=ends[i]["mr"], offset=64)["value"] in (42, "0x000000000000002a")
    assert pair.ask(1 - i, "mr_word", mr=ends[1 - i]["mr"])["value"] in (7, "0x0000000000000007")
    tests += 2
print(f"{tests} operations")
