#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A template for an adapter with RDMA verbs: level L1 (l1_adapter.py) and the words of levels L2v and L3v. Memory and
handles are here, so that it passes `talon sut-check` as it is; each YOUR DEVICE marks a place for your calls.

    verbs_adapter.py 9000        talon sut-check --control tcp:127.0.0.1:9000
"""
import json
import os
import socketserver
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "l1"), os.path.join(HERE, "..")]

import l1_adapter  # noqa: E402
from l1_adapter import Refused  # noqa: E402
from lite_falcon import fill, fnv, wide  # noqa: E402

FLUSHED = 5  # ibv_wc_status
OPS = ("send", "send_imm", "send_inv", "write", "write_imm", "read", "cas", "faa")
NEEDS = {"send_imm": ("imm",), "write_imm": ("imm",), "send_inv": ("inv",), "cas": ("compare", "swap"), "faa": ("add",)}
DONE = {"send_imm": "send", "send_inv": "send", "write_imm": "write"}  # `opcode` of a completion


def number(command, key, default=None, most=(1 << 64) - 1):
    value = command.get(key, default)
    value = wide(default if value is None else value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise Refused("failed", f"{key}: expected a number from 0 to {most}")
    return value


def shown(value):
    """64 bits as the protocol writes them: JSON readers do not hold larger numbers."""
    return value if value < 1 << 53 else f"0x{value:016x}"


def word(command, key, words, default=None):
    value = command.get(key) or default
    if value not in words:
        raise Refused("failed", f"{key}: expected one of {', '.join(words)}")
    return value


class VerbsWords:
    """The words. The class beside it has connections: `conns` by name, `event`, and the commands of level L1. Handles are
    strings: a letter and a number, never used twice."""
    objects, made = {}, 0

    def begin(self):
        self.objects = {}

    def new(self, letter, thing):
        self.made += 1
        thing["name"] = f"{letter}{self.made}"
        self.objects[thing["name"]] = thing
        return thing["name"]

    def find(self, command, key, letter):
        name = command.get(key)
        if not isinstance(name, str) or name[:1] != letter or name not in self.objects:
            raise Refused("failed", f"{key}: there is none of that name")
        return self.objects[name]

    # --- connections ---

    def do_hello(self, command):
        hello = super().do_hello(command)
        return {**hello, "levels": [*hello["levels"], "L2v", "L3v"], "upper": ["raw", "verbs"]}

    def do_reset(self, command):
        answer = super().do_reset(command)
        self.begin()  # YOUR DEVICE: end all queue pairs, regions and queues.
        return answer

    def do_open(self, command):
        if (command.get("upper") or "raw") not in ("raw", "verbs"):
            raise Refused("unsupported", "upper: expected raw or verbs")
        return super().do_open(command)

    def do_close(self, command):
        super().do_close(command)
        for qp in [o for o in self.objects.values() if o.get("conn") == command["conn"] and "qpn" in o]:
            self.fail(qp)

    def do_barrier(self, command):
        """YOUR DEVICE: reply when each wc is sent that was caused before, and all data are in memory."""

    # --- memory ---

    def do_pd_create(self, _command):
        return {"pd": self.new("p", {})}

    def do_mr_reg(self, command):
        domain, length = self.find(command, "pd", "p"), number(command, "length", most=1 << 30)
        if length == 0 or not set(command.get("access") or []) <= {"lw", "rw", "rr", "ra", "inv"}:
            raise Refused("failed", "length: expected more than 0; access: expected lw, rw, rr, ra, inv")
        memory = memoryview(bytearray(length))  # YOUR DEVICE: register it with these rights.
        if command.get("within") is not None:
            start = number(command, "offset", 0)
            memory = self.find(command, "within", "m")["memory"][start:start + length]
            if len(memory) != length:
                raise Refused("failed", "offset, length: outside of the region")
        region = {"pd": domain["name"], "memory": memory, "access": command.get("access") or []}
        name = self.new("m", region)
        region.update(va=self.made << 32, lkey=self.made, rkey=self.made << 8)
        return {"mr": name, "va": shown(region["va"]), "lkey": region["lkey"], "rkey": region["rkey"]}

    def do_mr_dereg(self, command):
        del self.objects[self.find(command, "mr", "m")["name"]]  # YOUR DEVICE: its keys are dead from now on.

    def span(self, command, length):
        memory, start = self.find(command, "mr", "m")["memory"], number(command, "offset", 0)
        if start + length > len(memory):
            raise Refused("failed", f"offset, length: the region has {len(memory)} bytes")
        return memory, start

    def do_mr_fill(self, command):
        length = number(command, "length")
        memory, start = self.span(command, length)
        memory[start:start + length] = fill(number(command, "tag", 0), number(command, "seed", 0), length)

    def do_mr_hash(self, command):
        length = number(command, "length")
        memory, start = self.span(command, length)
        return {"hash": fnv(memory[start:start + length])}

    def do_mr_word(self, command):
        memory, start = self.span(command, 8)
        before = int.from_bytes(memory[start:start + 8], sys.byteorder)
        if command.get("set") is not None:
            memory[start:start + 8] = number(command, "set").to_bytes(8, sys.byteorder)
        return {"value": f"0x{before:016x}"}

    # --- queues ---

    def do_cq_create(self, command):
        return {"cq": self.new("k", {"depth": number(command, "depth")})}

    def do_cq_arm(self, command):
        self.find(command, "cq", "k")  # YOUR DEVICE: the next completion gives the event cq_event.

    def do_srq_create(self, command):
        self.find(command, "pd", "p")
        raise Refused("unsupported", "this adapter has no shared receive queues")

    def do_qp_create(self, command):
        kind = word(command, "type", ("rc", "ud", "xrc_ini", "xrc_tgt"), "rc")
        if kind != "rc":
            raise Refused("unsupported", "type: only rc")
        took = {"ordering": word(command, "ordering", ("strong", "weak", "unordered"), "strong"),
                "errors": word(command, "errors", ("verbs", "cie"), "verbs"),
                "path_mtu": number(command, "path_mtu", 1024), "sq": number(command, "sq", 64), "rq": number(command, "rq", 64)}
        pd, send, receive = (self.find(command, key, letter)["name"]
                             for key, letter in (("pd", "p"), ("send_cq", "k"), ("recv_cq", "k")))
        # YOUR DEVICE: create the queue pair; report what it took of these wishes.
        qp = {"pd": pd, "cqs": {"sq": send, "rq": receive}, "state": "other", "conn": None, "sq": [], "rq": [], "took": took}
        name = self.new("q", qp)
        qp["qpn"] = self.made
        return {"qp": name, "qpn": qp["qpn"], **took}

    def do_qp_connect(self, command):
        qp = self.find(command, "qp", "q")
        if command.get("conn") not in self.conns:
            raise Refused("failed", "conn: no connection has this name")
        peer = number(command, "dest_qpn", 0, (1 << 24) - 1)
        qp.update(conn=command["conn"], dest_qpn=peer, state="rts")  # YOUR DEVICE: tie it to the connection; it is ready.

    def do_ah_create(self, command):
        self.find(command, "pd", "p")
        raise Refused("unsupported", "this adapter has no UD")

    def do_qp_query(self, command):
        return {"state": self.find(command, "qp", "q")["state"]}  # YOUR DEVICE: its state.

    def fail(self, qp):
        """The queue pair is in error: what is posted completes as flushed."""
        qp["state"] = "err"
        for queue in ("sq", "rq"):
            while qp[queue]:
                self.complete(qp, queue, FLUSHED)

    def complete(self, qp, queue, status, members=None):
        """The oldest work request of a queue has completed."""
        request = qp[queue].pop(0)
        if status != 0 or queue == "rq" or "signaled" in request["flags"]:
            self.event("wc", {"cq": qp["cqs"][queue], "qp": qp["name"], "wr_id": shown(request["wr_id"]), "status": status,
                              "opcode": request["opcode"], **(members or {})})

    def post(self, qp, queue, command, opcode):
        request = {"wr_id": number(command, "wr_id"), "opcode": opcode, "flags": command.get("flags") or [], "command": command,
                   "sgl": []}
        for entry in command.get("sgl") or []:
            length = number(entry, "length")
            self.span(entry, length)
            request["sgl"].append((self.find(entry, "mr", "m"), number(entry, "offset", 0), length))
        if len(qp[queue]) == qp["took"][queue]:
            raise Refused("busy", f"{queue}: the queue is full")
        qp[queue].append(request)
        if qp["state"] == "err":
            self.fail(qp)
        else:
            self.device_post(qp, queue, request)

    def device_post(self, qp, queue, request):
        """YOUR DEVICE: post it. When it has completed, your device calls complete(qp, queue, status, members)."""

    def do_post_send(self, command):
        qp, op = self.find(command, "qp", "q"), word(command, "op", OPS)
        if qp["state"] == "other":
            raise Refused("failed", "qp: it is not connected")
        for key in NEEDS.get(op, ()):
            number(command, key)
        if not op.startswith("send"):
            number(command.get("remote") or {}, "va")
            number(command.get("remote") or {}, "rkey", most=(1 << 32) - 1)
        self.post(qp, "sq", command, DONE.get(op, op))

    def do_post_recv(self, command):
        self.post(self.find(command, "qp", "q"), "rq", command, "recv")


class VerbsAdapter(VerbsWords, l1_adapter.Adapter):
    def event(self, name, members):
        """Your device calls this, too: for each completion (wc), for cq_event and async."""
        self.seq += 1
        line = {"seq": self.seq, "epoch": self.epoch, "event": name, **members}
        self.wfile.write(json.dumps(line).encode() + b"\n")

    def handle(self):
        self.seq = 0
        self.begin()
        super().handle()


if __name__ == "__main__":
    socketserver.TCPServer.allow_reuse_address = True
    with socketserver.TCPServer(("127.0.0.1", int(sys.argv[1])), VerbsAdapter) as server:
        print(f"control tcp:127.0.0.1:{server.server_address[1]}", file=sys.stderr, flush=True)
        server.serve_forever()
