#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verbs_sut.py - an example adapter with RDMA verbs (levels L2v and L3v of docs/sut-protocol.md): the words of
verbs_adapter.py, and an RDMA layer of its own above lite_falcon.py.

    talon sut-check "exec:python3 docs/examples/verbs/verbs_sut.py --lockstep"

It has reliable connections with strong ordering: sends, writes, reads and atomic operations, each cut to the path MTU. It
cannot send the NACKs of its upper layer, so a push that it cannot carry out stays unanswered; a pull is answered with the
mark complete-in-error. Nothing of Talon is in it."""
import collections
import struct
import sys

import verbs_adapter  # it makes the folder above importable
import lite_sut
from lite_falcon import Connection, HEADERS, M32, M64, PULL_DATA, PULL_REQUEST, PUSH_DATA
from lite_sut import Control, Refused
from verbs_adapter import VerbsWords, wide

verbs_adapter.Refused = Refused  # one kind of refusal for both
OVERHEAD, PULL_HEADERS, ATOMIC_ANSWER, MTU_MAX = 44, 24, 32, 4096
RETRIES_OVER = 12  # ibv_wc_status
REMOTE_ACCESS = 10
SEND, SEND_IMM, SEND_INV, WRITE, WRITE_IMM = (0, 1, 2, 4), (0, 1, 3, 5), (0, 1, 22, 23), (6, 7, 8, 10), (6, 7, 9, 11)
PUSHES = {"send": SEND, "send_imm": SEND_IMM, "send_inv": SEND_INV, "write": WRITE, "write_imm": WRITE_IMM}
READ_REQUEST, READ_ANSWER, CAS, FAA, ATOMIC_DONE = 12, 16, 19, 20, 18


def rbth(opcode, data_len, dest_qpn, sn, error=False, solicited=False):
    pad = -data_len % 4
    word = 1 << 28 | error << 12 | pad << 10 | solicited << 8 | opcode
    return struct.pack(">III", word, dest_qpn << 8, sn), bytes(pad)


class RdmaConnection(Connection):
    """A connection whose requests carry RDMA headers. `rdma` is the control; it carries out what is delivered."""

    def __init__(self, rdma, name, params, local, peer, send):
        super().__init__(name, params, local, peer, self.told, send)
        self.rdma, self.sn, self.contexts, self.pulled = rdma, 1, {}, {}
        self.backlog, self.verdict = collections.deque(), None

    def post_bytes(self, kind, length, payload, context):
        """A transaction: a push with these bytes, or a pull of `length` bytes with these headers."""
        self.backlog.append((kind, length, payload, context))
        self.drain()

    def drain(self):
        while self.backlog and not self.dead and len(self.own) < 128:
            kind, length, payload, context = self.backlog.popleft()
            rsn, self.rsn = self.rsn, self.rsn + 1 & M32
            self.own[rsn] = {"op": "push" if kind == PUSH_DATA else "pull", "tag": 0, "length": length, "done": None}
            self.contexts[rsn] = context
            self.queue(kind, rsn, length, payload)
        self.send_waiting()

    def told(self, event, members):
        if event == "request":
            request = self.theirs[members["rsn"]]
            self.verdict = self.rdma.carry_out(self, request)
        elif event == "completion":
            self.rdma.completed(self, self.contexts.pop(members["rsn"]), self.pulled.pop(members["rsn"], b""))
            self.drain()
        elif event == "cm_error":
            self.rdma.event("cm_error", members)
            self.rdma.lost(self)

    def rule_for(self, op):
        return {"answer": self.verdict}

    def take_transaction(self, kind, ar, psn, rsn, rest):
        super().take_transaction(kind, ar, psn, rsn, rest)
        self.theirs[rsn]["ulp"] = b"" if rest is None else rest[4:] if kind == PUSH_DATA else rest[8:]

    def give(self, rsn, answer):
        if self.theirs[rsn]["op"] == "push":
            super().give(rsn, answer)
        else:
            data = self.theirs.pop(rsn)["data"]
            self.queue(PULL_DATA, rsn, len(data), data)

    def take(self, kind, data, ecn, ttl):
        if kind == PULL_DATA:
            self.pulled.setdefault(int.from_bytes(data[20:24], "big"), data[24:])
        super().take(kind, data, ecn, ttl)


class VerbsControl(VerbsWords, Control):
    EVENTS = (*Control.EVENTS, "wc", "cq_event", "async")

    def do_open(self, command):
        answer = super().do_open(command)
        raw = self.conns[answer["conn"]]
        if command.get("upper") == "verbs":
            conn = RdmaConnection(self, raw.name, raw.params, raw.local, raw.peer, None)
            conn.address = raw.address
            conn.send = lambda data: self.send(conn, data)
            self.conns[raw.name] = conn
        return answer

    def conn(self, command):
        conn = super().conn(command)
        if isinstance(conn, RdmaConnection) and command["do"] in ("post", "policy", "respond"):
            raise Refused("failed", "conn: it was opened for verbs")
        return conn

    def do_qp_connect(self, command):
        if not isinstance(self.conns.get(command.get("conn")), RdmaConnection):
            raise Refused("failed", "conn: no connection for verbs has this name")
        super().do_qp_connect(command)
        self.find(command, "qp", "q").update(messages=0, pulls=0, taking=None)

    def frame(self, data, ecn, ttl):
        """Frames of lite_sut.py, and headers of RDMA behind those of Falcon."""
        kind, cid = data[7] >> 1 & 15 if len(data) >= 24 else None, int.from_bytes(data[1:4], "big")
        conn = next((c for c in self.conns.values() if c.local["cid"] == cid), None)
        if kind not in (PULL_REQUEST, PUSH_DATA, PULL_DATA) or not isinstance(conn, RdmaConnection) or data[0] >> 4 != 1:
            super().frame(data, ecn, ttl)
            return
        self.frames[0] += 1
        payload = len(data) - HEADERS[kind]
        if 12 <= payload <= MTU_MAX + OVERHEAD and (kind != PUSH_DATA or payload == data[26] << 8 | data[27]):
            conn.now = self.now
            conn.take(kind, data, ecn, ttl)

    # --- the initiator ---

    def device_post(self, qp, queue, request):
        if queue == "rq":
            return
        conn, op = self.conns[qp["conn"]], request["command"]["op"]
        conn.now = self.now
        packets = self.cut_push(qp, request, op) if op in PUSHES else self.cut_pull(qp, request, op)
        request["left"] = len(packets)
        if not packets:
            self.complete(qp, "sq", 0)
        for kind, length, opcode, headers, data, sink in packets:
            last = sink is None and opcode in (2, 3, 4, 5, 9, 11, 22, 23) and "solicited" in request["flags"]
            head, pad = rbth(opcode, len(data), qp["dest_qpn"], conn.sn, solicited=last)
            conn.sn = conn.sn + 1 & M32
            payload = head + headers + data + pad
            conn.post_bytes(kind, length if kind == PULL_REQUEST else len(payload), payload, (qp, request, sink))

    def cut_push(self, qp, request, op):
        """(kind, length, opcode, headers, data, sink) of each packet."""
        command, mtu = request["command"], qp["took"]["path_mtu"]
        data = b"".join(bytes(region["memory"][at:at + n]) for region, at, n in request["sgl"])
        count, (first, middle, last, only) = max(1, -(-len(data) // mtu)), PUSHES[op]
        remote = command.get("remote") or {"va": 0, "rkey": 0}
        qp["messages"] += op != "write"
        out = []
        for i in range(count):
            part, ends = data[i * mtu:(i + 1) * mtu], i == count - 1
            if op in ("write", "write_imm"):
                headers = struct.pack(">QII", wide(remote["va"]) + i * mtu & M64, remote["rkey"], len(part))
            else:
                headers = struct.pack(">II", qp["messages"], i * mtu)
            if ends and op == "write_imm":
                headers += struct.pack(">I", qp["messages"])
            if ends and op in ("send_imm", "write_imm", "send_inv"):
                headers += struct.pack(">I", command["inv" if op == "send_inv" else "imm"])
            opcode = only if count == 1 else first if i == 0 else last if ends else middle
            out.append((PUSH_DATA, 0, opcode, headers, part, None))
        return out

    def cut_pull(self, qp, request, op):
        command, mtu, out, done = request["command"], qp["took"]["path_mtu"], [], 0
        va, rkey = wide(command["remote"]["va"]), command["remote"]["rkey"]
        for region, at, n in request["sgl"]:
            for start in range(0, n, mtu if op == "read" else 8):
                length = min(mtu, n - start)
                qp["pulls"] += 1
                tail = struct.pack(">IQI", qp["pulls"], region["va"] + at + start, region["lkey"])
                if op == "read":
                    headers = struct.pack(">QII", va + done & M64, rkey, length) + tail
                    out.append((PULL_REQUEST, PULL_HEADERS + length + -length % 4, READ_REQUEST, headers, b"",
                                (region, at + start, length)))
                else:
                    value = wide(command.get("swap" if op == "cas" else "add", 0))
                    headers = struct.pack(">QIQQ", va, rkey, value, wide(command.get("compare", 0))) + tail
                    out.append((PULL_REQUEST, ATOMIC_ANSWER, CAS if op == "cas" else FAA, headers, b"", (region, at, 8)))
                done += length
        return out

    def completed(self, conn, context, data):
        qp, request, sink = context
        if sink is not None and not self.place_answer(request, sink, data):
            request["status"] = REMOTE_ACCESS
        request["left"] -= 1
        if request["left"] == 0 and qp["sq"] and qp["sq"][0] is request:
            self.complete(qp, "sq", request.get("status", 0))
            if request.get("status"):
                self.fail(qp)

    @staticmethod
    def place_answer(request, sink, data):
        region, at, length = sink
        if len(data) < PULL_HEADERS or data[2] & 0x10:  # complete-in-error
            return False
        if request["opcode"] == "read":
            region["memory"][at:at + length] = data[24:24 + length]
        else:
            region["memory"][at:at + 8] = int.from_bytes(data[12:20], "big").to_bytes(8, sys.byteorder)
        return True

    def lost(self, conn):
        for qp in [o for o in self.objects.values() if o.get("conn") == conn.name and "qpn" in o]:
            if qp["sq"]:
                self.complete(qp, "sq", RETRIES_OVER)
            self.fail(qp)

    # --- the target ---

    def carry_out(self, conn, request):
        """A request of the peer: "ack", "data" or "withhold"."""
        ulp = request["ulp"]
        word, dest, sn = struct.unpack(">III", ulp[:12])
        opcode, pad = word & 255, word >> 10 & 3
        qp = next((o for o in self.objects.values() if o.get("qpn") == dest >> 8 and o["conn"] == conn.name), None)
        if qp is None or qp["state"] != "rts":
            return "withhold"
        body = ulp[12:len(ulp) - pad]
        if request["op"] == "pull":
            request["data"] = self.answer(qp, opcode, sn, body)
            return "data"
        if opcode in SEND + SEND_IMM + SEND_INV:
            good = self.take_send(qp, opcode, body)
        else:
            good = opcode in WRITE + WRITE_IMM and self.take_write(qp, opcode, body)
        return "ack" if good else "withhold"

    def region_of(self, rkey, va, length, right):
        """The memory that a key and an address of the peer name, or None."""
        region = next((o for o in self.objects.values() if o.get("rkey") == rkey), None)
        if region is None or right not in region["access"]:
            return None
        if not region["va"] <= va <= region["va"] + len(region["memory"]) - length:
            return None
        return region["memory"][va - region["va"]:va - region["va"] + length]

    def take_send(self, qp, opcode, body):
        _rmsn, offset = struct.unpack(">II", body[:8])
        extra = 4 if opcode in (3, 5, 22, 23) else 0
        data = body[8 + extra:]
        if not qp["rq"] or offset + len(data) > sum(n for _, _, n in qp["rq"][0]["sgl"]):
            return False
        self.scatter(qp["rq"][0]["sgl"], offset, data)
        members = {"byte_len": offset + len(data)}
        if opcode in (3, 5):
            members["imm"] = int.from_bytes(body[8:12], "big")
        if opcode in (22, 23):
            members["inv"] = int.from_bytes(body[8:12], "big")
            for name in [n for n, o in self.objects.items() if o.get("rkey") == members["inv"] and "inv" in o["access"]]:
                self.objects[name]["rkey"] = None
        if opcode in (2, 3, 4, 5, 22, 23):
            self.complete(qp, "rq", 0, members)
        return True

    @staticmethod
    def scatter(sgl, offset, data):
        for region, at, n in sgl:
            if offset < n and data:
                part = data[:n - offset]
                region["memory"][at + offset:at + offset + len(part)] = part
                data, offset = data[len(part):], 0
            else:
                offset -= min(offset, n)

    def take_write(self, qp, opcode, body):
        va, rkey, _length = struct.unpack(">QII", body[:16])
        immediate = opcode in (9, 11)
        data = body[24:] if immediate else body[16:]
        memory = self.region_of(rkey, va, len(data), "rw") if data else b""
        if memory is None or immediate and not qp["rq"]:
            return False
        if data:
            memory[:] = data
        if immediate:
            qp["rq"][0]["opcode"] = "recv_imm"
            self.complete(qp, "rq", 0, {"byte_len": len(data), "imm": int.from_bytes(body[20:24], "big")})
        return True

    def answer(self, qp, opcode, sn, body):
        """The pull data of a read or an atomic operation."""
        va, rkey = struct.unpack(">QI", body[:12])
        sink = body[-12:]
        length = int.from_bytes(body[12:16], "big") if opcode == READ_REQUEST else 8
        memory = self.region_of(rkey, va, length, "rr" if opcode == READ_REQUEST else "ra")
        if memory is None or opcode not in (READ_REQUEST, CAS, FAA):
            return rbth(READ_ANSWER, 0, qp["dest_qpn"], sn, error=True)[0] + sink
        if opcode == READ_REQUEST:
            head, pad = rbth(READ_ANSWER, length, qp["dest_qpn"], sn)
            return head + sink + bytes(memory) + pad
        before = int.from_bytes(memory, sys.byteorder)
        value, compare = struct.unpack(">QQ", body[12:28])
        after = (value if before == compare else before) if opcode == CAS else before + value & M64
        memory[:] = after.to_bytes(8, sys.byteorder)
        head, _ = rbth(ATOMIC_DONE, 0, qp["dest_qpn"], sn)
        return head + before.to_bytes(8, "big") + sink


if __name__ == "__main__":
    lite_sut.main({1: VerbsControl, 2: VerbsControl, 3: VerbsControl})
