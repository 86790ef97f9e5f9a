#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An example adapter: a small Falcon endpoint of its own, and the SUT control protocol around it.

    lite_sut.py --lockstep                                       for talon run --sut exec:...
    lite_sut.py --listen 127.0.0.1:7777 --control 127.0.0.1:7700 for talon run --sut udp:... --control tcp:...

Nothing but the standard library. Class Control is the adapter: lines in, lines out. Class Connection is the
implementation: pushes and pulls on ordered connections in the clear; what else Falcon has, its ICS denies.
"""
import argparse
import collections
import json
import os
import selectors
import socket
import struct
import sys
import time

PULL_REQUEST, PULL_DATA, PUSH_DATA, RESYNC, NACK, BACK, EACK = 0, 3, 5, 6, 8, 9, 10
HEADERS = {PULL_REQUEST: 32, PULL_DATA: 24, PUSH_DATA: 28, RESYNC: 32, NACK: 40, BACK: 32, EACK: 72}
REQ, DATA = 0, 1  # the two windows
REACH = (64, 128)
MTU, HELD = 4096, 128
IP_RECVTTL = getattr(socket, "IP_RECVTTL", 12)  # Linux has it; older Pythons do not name it
M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
DEFAULTS = {"ordered": True, "protocol_type": 2, "fcwnd": 64, "ncwnd": 64, "tx_window_req": 128, "tx_window_data": 256,
            "ar_threshold": 8, "ar_percent": 10, "max_attempts": 7, "initial_ttl": 64, "rto_ns": 1_000_000,
            "coalescing_ns": 8000}
ICS = {"transport-mode": True, "ordered-connections": True, "tunnel-mode": False, "psp": False, "esp": False,
       "unordered-connections": False, "rack-tlp": False, "early-retransmission": False, "constrained-resources": False,
       "xlr-filter": False, "swift": False, "plb": False}


def fill(tag, seed, length):
    """Payload that says what it is (docs/sut-protocol.md, "The ULP")."""
    out, state = bytearray(b"TALN" + struct.pack(">Q", tag) + bytes(4)), seed ^ tag
    while len(out) < length:
        state = z = state + 0x9E3779B97F4A7C15 & M64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
        out += struct.pack("<Q", z ^ z >> 31)
    return bytes(out[:length])


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & M64
    return f"0x{h:016x}"


def wide(value):
    return int(value, 16) if isinstance(value, str) else value


class Connection:
    """One connection. tell(event, members) and send(bytes) are its ways out."""

    def __init__(self, name, params, local, peer, tell, send):
        self.name, self.params, self.local, self.peer, self.tell, self.send = name, params, local, peer, tell, send
        self.now, self.dead = 0, False
        self.base = [local["req_psn"], local["data_psn"]]
        self.psn = list(self.base)
        self.sent = ({}, {})  # of each window: PSN to what waits for its acknowledgement
        self.waiting = (collections.deque(), collections.deque())  # requests; pull data
        self.own, self.rsn, self.complete, self.packets = {}, local["rsn"], local["rsn"], 0
        self.rx_base = [peer["req_psn"], peer["data_psn"]]
        self.received, self.acked, self.out_of_window = (set(), set()), (set(), set()), 0
        self.theirs, self.deliver, self.requests, self.rules = {}, peer["rsn"], 0, []
        self.ack_due, self.ack_now, self.t2, self.ecn, self.hops = None, False, 0, 0, 0

    # --- acknowledging (9.1.6) ---

    def bitmap(self, window, psns):
        return sum(1 << (psn - self.rx_base[window] & M32) for psn in psns)

    def bitmaps(self):
        req, ack = self.bitmap(REQ, self.acked[REQ]), self.bitmap(DATA, self.acked[DATA])
        return req, ack, self.bitmap(DATA, self.received[DATA])

    def must_eack(self, req, ack, rx):
        return req or ack or rx & rx + 1 or self.out_of_window

    def send_ack(self):
        req, ack, rx = self.bitmaps()
        kind = EACK if self.must_eack(req, ack, rx) else BACK
        out = struct.pack(">8I", 1 << 28 | self.peer["cid"], kind << 1, self.rx_base[DATA], self.rx_base[REQ], 0, self.t2,
                          self.hops << 28 | (self.ecn & 0x3FFF) << 9, self.out_of_window)
        if kind == EACK:
            out += ack.to_bytes(16, "big") + rx.to_bytes(16, "big") + req.to_bytes(8, "big")
        self.send(out)
        self.out_of_window, self.ack_now, self.ack_due = 0, False, None

    def want_ack(self, at_once):
        self.ack_now |= bool(at_once)
        if self.ack_due is None:
            self.ack_due = self.now + self.params["coalescing_ns"]

    # --- sending (9.1.2, 9.1.3, 9.1.5) ---

    def transmit(self, item):
        kind, p = item["kind"], self.params
        out = struct.pack(">6I", 1 << 28 | self.peer["cid"],
                          self.peer["function"] << 8 | p["protocol_type"] << 5 | kind << 1 | item["ar"],
                          self.rx_base[DATA], self.rx_base[REQ], item["psn"], item["rsn"])
        if kind != PULL_DATA:
            out += struct.pack(">I", item["length"])
        if kind == PULL_REQUEST:
            out += bytes(4)
        self.send(out + item["payload"])
        item["due"] = self.now + p["rto_ns"]
        if not self.ack_now and not any(self.bitmaps()) and not self.out_of_window:
            self.ack_due = None  # the bases went with it

    def may_send(self, kind):
        window, p = (REQ if kind == PULL_REQUEST else DATA), self.params
        ahead = self.psn[window] - self.base[window] & M32
        return (ahead < min(p["fcwnd"], p["tx_window_data" if window else "tx_window_req"], REACH[window])
                and (kind == PULL_DATA or ahead < p["ncwnd"]))

    def asks(self):
        self.packets += 1
        percent = self.params["ar_percent"]
        return (self.params["fcwnd"] <= self.params["ar_threshold"]
                or self.packets * percent // 100 != (self.packets - 1) * percent // 100)

    def send_waiting(self):
        for queue in self.waiting:
            while queue and not self.dead and self.may_send(queue[0]["kind"]):
                item = queue.popleft()
                window = REQ if item["kind"] == PULL_REQUEST else DATA
                item.update(psn=self.psn[window], ar=self.asks(), attempts=0, acked=False)
                self.sent[window][item["psn"]] = item
                self.psn[window] = self.psn[window] + 1 & M32
                self.transmit(item)

    def queue(self, kind, rsn, length, payload):
        self.waiting[kind == PULL_DATA].append({"kind": kind, "rsn": rsn, "length": length, "payload": payload})

    # --- initiator (8.4) ---

    def post(self, op, length, tag, seed):
        if self.dead or len(self.own) >= HELD:
            return None
        rsn, self.rsn = self.rsn, self.rsn + 1 & M32
        self.own[rsn] = {"op": op, "tag": tag, "length": length, "done": None}
        if op == "pull":
            self.queue(PULL_REQUEST, rsn, length, b"")
        else:
            self.queue(PUSH_DATA, rsn, length, fill(tag, seed, length))
        self.send_waiting()
        return rsn

    def done(self, rsn, members):
        if rsn in self.own and self.own[rsn]["done"] is None:
            self.own[rsn]["done"] = members
        while self.complete in self.own and self.own[self.complete]["done"] is not None:
            own = self.own.pop(self.complete)
            self.tell("completion", {"conn": self.name, "rsn": self.complete, "tag": f"0x{own['tag']:016x}", "code": 0,
                                     "ulp_nack_code": 0, **own["done"]})
            self.complete = self.complete + 1 & M32

    def acknowledged(self, item):
        if not item["acked"]:
            item["acked"] = True
            if item["kind"] == PUSH_DATA:
                self.done(item["rsn"], {})

    def take_ack(self, bases, bits):
        outstanding = [self.psn[w] - self.base[w] & M32 for w in (REQ, DATA)]
        if any(bases[w] - self.base[w] & M32 > outstanding[w] for w in (REQ, DATA)):
            return  # stale, or of what was never sent
        for w in (REQ, DATA):
            for psn, item in sorted(self.sent[w].items(), key=lambda kv: kv[0] - self.base[w] & M32):
                if psn - self.base[w] & M32 < bases[w] - self.base[w] & M32:
                    self.acknowledged(self.sent[w].pop(psn))
                elif bits[w] >> (psn - bases[w] & M32) & 1:
                    self.acknowledged(item)
            self.base[w] = bases[w]
            while self.base[w] in self.sent[w] and self.sent[w][self.base[w]]["acked"]:
                del self.sent[w][self.base[w]]
                self.base[w] = self.base[w] + 1 & M32

    # --- target (8.5) ---

    def move_base(self, w):
        while self.rx_base[w] in self.acked[w]:
            self.acked[w].discard(self.rx_base[w])
            self.received[w].discard(self.rx_base[w])
            self.rx_base[w] = self.rx_base[w] + 1 & M32

    def give(self, rsn, answer):
        request = self.theirs[rsn]
        request["answered"] = True
        if request["op"] == "push":
            self.acked[DATA].add(request["psn"])
            self.move_base(DATA)
            self.want_ack(request["ar"])
            del self.theirs[rsn]
        elif answer["answer"] == "data":
            length = min(answer.get("length", MTU), request["length"], MTU)
            self.queue(PULL_DATA, rsn, length, fill(wide(answer.get("tag", rsn)), wide(answer.get("seed", 0)), length))
            del self.theirs[rsn]

    def rule_for(self, op):
        for rule in self.rules:
            if (rule.get("op", op) == op and not (rule["answer"] == "data" and op == "push")
                    and rule.get("request", self.requests) == self.requests and self.requests % rule.get("every", 1) == 0):
                return rule
        return {"answer": "data" if op == "pull" else "ack"}

    def serve(self):
        while self.deliver in self.theirs:
            rsn, self.deliver = self.deliver, self.deliver + 1 & M32
            request = self.theirs[rsn]
            if request["op"] is None:  # given up by its sender
                del self.theirs[rsn]
                continue
            self.requests += 1
            self.tell("request", {"conn": self.name, "rsn": rsn, "op": request["op"], "length": request["length"],
                                  "redelivery": False, **request["members"]})
            rule = self.rule_for(request["op"])
            request.update(delivered=True, rule=rule,
                           due=None if rule["answer"] == "withhold" else self.now + rule.get("after_ns", 0))
        for rsn, request in sorted(self.theirs.items(), key=lambda kv: kv[0] - self.deliver & M32):
            if request["delivered"] and not request["answered"] and request["due"] is not None and request["due"] <= self.now:
                self.tell("ulp_ack", {"conn": self.name, "rsn": rsn, "answer": request["rule"]["answer"]})
                self.give(rsn, request["rule"])

    def respond(self, rsn, answer):
        request = self.theirs.get(rsn)
        if (request is None or not request["delivered"] or not request["answered"] and request["due"] is not None
                or (request["op"] == "push" if answer["answer"] == "data" else request["answered"])):
            return False
        self.give(rsn, answer)
        self.send_waiting()
        if self.ack_now:
            self.send_ack()
        return True

    # --- receiving (9.2.2) ---

    def take_reliable(self, kind, ar, psn, rsn, rest):
        given_up = kind == RESYNC
        if given_up:
            kind = rest[1] >> 4
        w = REQ if kind == PULL_REQUEST else DATA
        ahead = psn - self.rx_base[w] & M32
        request = self.theirs.get(rsn)
        if ahead >= 1 << 31 or ahead >= REACH[w] or psn in self.received[w]:
            if REACH[w] <= ahead < 1 << 31:
                self.out_of_window |= 1 if w == REQ else 2
            elif given_up and kind == PUSH_DATA and request and not request["delivered"] and request["psn"] == psn:
                request["op"] = None
                self.acked[w].add(psn)
                self.move_base(w)
                self.serve()
            self.want_ack(ar)
            return
        if kind != PULL_DATA and (rsn - self.deliver & M32 >= HELD or rsn in self.theirs):
            return  # no room: it will come again
        self.received[w].add(psn)
        push = kind == PUSH_DATA and not given_up
        if not push:
            self.acked[w].add(psn)
            self.move_base(w)
        if not push or not ar:
            self.want_ack(ar)
        if kind != PULL_DATA:
            self.take_transaction(kind, ar, psn, rsn, None if given_up else rest)
        elif not given_up and rsn in self.own and self.own[rsn]["op"] == "pull" and len(rest) <= self.own[rsn]["length"]:
            self.done(rsn, {"length": len(rest), "hash": fnv(rest)})
        self.serve()

    def take_transaction(self, kind, ar, psn, rsn, rest):
        members, op, length = {}, None, 0
        if rest is not None:
            op, length = ("pull" if kind == PULL_REQUEST else "push"), rest[2] << 8 | rest[3]
        if op == "push":
            payload = rest[4:]
            members["hash"] = fnv(payload)
            if len(payload) >= 16 and payload[:4] == b"TALN":
                members["tag"] = "0x" + payload[4:12].hex()
        self.theirs[rsn] = {"op": op, "ar": ar, "psn": psn, "length": length, "members": members, "delivered": False,
                            "answered": False, "due": None, "rule": None}

    def take(self, kind, data, ecn, ttl):
        if self.dead:
            return
        word = struct.unpack(">6I", data[:24])
        self.ecn += ecn == 3
        self.hops = self.params["initial_ttl"] - ttl & 15 if ttl else 0
        bits = (0, 0)
        if kind == EACK:
            bits = (int.from_bytes(data[64:72], "big"), int.from_bytes(data[32:48], "big"))
        self.take_ack((word[3], word[2]), bits)
        if kind < NACK:
            self.t2 = self.now * 1000 // 131072 & M32
            self.take_reliable(kind, word[1] & 1, word[4], word[5], data[24:])
        self.send_waiting()
        if self.ack_now:
            self.send_ack()

    # --- time ---

    def outstanding(self):
        for w in (REQ, DATA):
            for psn, item in self.sent[w].items():
                if not item["acked"] and psn - self.base[w] & M32 < self.params["fcwnd"]:
                    yield item

    def tick(self):
        if self.dead:
            return
        self.serve()
        self.send_waiting()
        due = [item for item in self.outstanding() if item["due"] <= self.now]
        for item in sorted(due, key=lambda i: (i["kind"] == PULL_DATA, i["rsn"] - self.local["rsn"] & M32)):
            if item["attempts"] == self.params["max_attempts"]:
                self.dead = True
                self.tell("cm_error", {"conn": self.name, "what": "fatal"})
                return
            item["attempts"] += 1
            self.transmit(item)
        if self.ack_now or self.ack_due is not None and self.ack_due <= self.now:
            self.send_ack()

    def deadline(self):
        if self.dead:
            return None
        times = [item["due"] for item in self.outstanding()]
        times += [r["due"] for r in self.theirs.values() if r["delivered"] and not r["answered"] and r["due"] is not None]
        if self.ack_due is not None:
            times.append(self.ack_due)
        return min(times, default=None)


class Refused(Exception):
    """A command that was not carried out: its kind ("failed", "busy", "unsupported") and why."""


class Control:
    """The adapter: one control connection. write(line) and send(conn, frame) are its ways out."""

    def __init__(self, write, send, seed=0):
        self.write, self.send_frame, self.draws = write, send, seed
        self.epoch, self.seq, self.now, self.names, self.conns = 1, 0, 0, 0, {}
        self.frames = [0, 0]  # received, sent

    def say(self, members):
        self.write(json.dumps(members, separators=(",", ":")))

    def event(self, name, members):
        self.seq += 1
        self.say({"seq": self.seq, "epoch": self.epoch, "event": name, **members})

    def line(self, text):
        """One command, as bytes or text without its newline."""
        try:
            command = json.loads(text) if len(text) <= 65536 else None
            number = command["id"]
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise ValueError
        except (ValueError, TypeError, KeyError, RecursionError):
            self.say({"id": 0, "epoch": self.epoch, "error": "failed", "why": "no JSON object with an id"})
            return
        head = {"id": number, "epoch": self.epoch}
        command = {key: value for key, value in command.items() if value is not None}
        try:
            if command.get("epoch") != self.epoch:
                raise Refused("failed", "epoch: not the present one")
            if not isinstance(command.get("do"), str):
                raise Refused("failed", "do: missing")
            run = getattr(self, "do_" + command["do"], None)
            if run is None:
                raise Refused("unsupported", "there is no such command")
            self.say({**head, "ok": True, **(run(command) or {})})
        except Refused as refused:
            self.say({**head, "error": refused.args[0], "why": refused.args[1]})
        except (KeyError, TypeError, ValueError, AttributeError) as wrong:
            self.say({**head, "error": "failed", "why": f"a member is missing or wrong: {wrong!r:.100}"})

    def conn(self, command):
        conn = self.conns.get(command.get("conn") if isinstance(command.get("conn"), str) else None)
        if conn is None:
            raise Refused("failed", "conn: there is none of that name")
        conn.now = self.now
        return conn

    def draw(self, limit):
        self.draws += 1
        return int.from_bytes(fill(self.draws & M64, 0, 24)[16:], "big") % limit

    def do_hello(self, command):
        if command.get("version") != 1:
            raise Refused("unsupported", "version: this is 1")
        return {"version": 1, "vendor": "Example", "product": "Lite in Python", "firmware": "1", "serial": "0",
                "levels": ["L0", "L1", "L2", "L3"], "ics": ICS, "clock": "none", "ordered_events": True}

    def do_reset(self, command):
        if command["scope"] != "device":
            raise Refused("unsupported", "scope: this example resets the device only")
        self.conns, self.frames = {}, [0, 0]
        self.epoch += 1
        return {"new_epoch": self.epoch, "survives": []}

    def do_open(self, command):
        if command.get("encap", "udp") != "udp":
            raise Refused("unsupported", "encap: this example speaks in the clear")
        params = {**DEFAULTS, **{k: v for k, v in command.get("params", {}).items() if k in DEFAULTS}}
        if not params["ordered"]:
            raise Refused("unsupported", "ordered: connections of this example are ordered")
        peer = {key: int(command["peer"][key]) for key in ("cid", "function", "req_psn", "data_psn", "rsn")}
        local = {"cid": 0, "function": self.draw(1 << 24), "req_psn": self.draw(1 << 32), "data_psn": self.draw(1 << 32),
                 "rsn": self.draw(1 << 32), **command.get("local", {})}
        while local["cid"] == 0 or any(c.local["cid"] == local["cid"] for c in self.conns.values()):
            local["cid"] = self.draw(1 << 24)
        self.names += 1
        name = f"c{self.names}"
        conn = Connection(name, params, local, peer, self.event, None)
        conn.address = command.get("peer_address")
        conn.send = lambda data: self.send(conn, data)
        self.conns[name] = conn
        return {"conn": name, "local": local, "params": {}}

    def do_close(self, command):
        del self.conns[self.conn(command).name]

    def do_post(self, command):
        if command["op"] not in ("push", "pull") or not 0 <= command["length"] <= MTU:
            raise Refused("failed", "op: push or pull; length: at most 4096")
        rsn = self.conn(command).post(command["op"], command["length"], wide(command.get("tag", 0)),
                                      wide(command.get("seed", 0)))
        if rsn is None:
            raise Refused("busy", "too many transactions, or the connection is dead")
        return {"rsn": rsn}

    @staticmethod
    def check_answer(answer, known):
        if answer["answer"] not in known:
            raise Refused("unsupported", f"answer: {', '.join(known)} are what this example knows")

    def do_policy(self, command):
        conn = self.conn(command)
        rules = [{k: v for k, v in rule.items() if v is not None} for rule in command["rules"]]
        for rule in rules:
            self.check_answer(rule, ("ack", "data", "withhold"))
        conn.rules = rules

    def do_respond(self, command):
        self.check_answer(command, ("ack", "data"))
        if not self.conn(command).respond(command["rsn"], command):
            raise Refused("failed", "rsn: no request waits for this answer")

    def do_set(self, command):
        conn = self.conn(command)
        conn.params.update({k: v for k, v in command["params"].items() if k in DEFAULTS})
        conn.tick()

    def do_barrier(self, command):
        """All that was caused has been said: this example does all at once."""

    def do_counters(self, command):
        return {"frames_received": self.frames[0], "frames_sent": self.frames[1]}

    def send(self, conn, data):
        self.frames[1] += 1
        self.send_frame(conn, data)

    def frame(self, data, ecn, ttl):
        self.frames[0] += 1
        if len(data) < 24 or data[0] >> 4 != 1:
            return
        kind, cid = data[7] >> 1 & 15, int.from_bytes(data[1:4], "big")
        if kind not in HEADERS or len(data) < HEADERS[kind]:
            return
        payload = len(data) - HEADERS[kind]
        if payload > (MTU if kind in (PULL_DATA, PUSH_DATA) else 0) or kind == PUSH_DATA and payload != data[26] << 8 | data[27]:
            return
        for conn in list(self.conns.values()):
            if conn.local["cid"] == cid:
                conn.now = self.now
                conn.take(kind, data, ecn, ttl)

    def tick(self):
        for conn in list(self.conns.values()):
            due = conn.deadline()
            if due is not None and due <= self.now:
                conn.now = self.now
                conn.tick()

    def deadline(self):
        return min((d for d in (c.deadline() for c in self.conns.values()) if d is not None), default=None)


def lockstep():
    """The SUT as Talon's child, which tells it the time."""
    out = []
    control = Control(out.append, lambda conn, data: out.append('{"frame":"' + data.hex() + '"}'))
    for text in sys.stdin.buffer:
        try:
            message = json.loads(text)
        except ValueError:
            message = None
        kind = message.get("do") if isinstance(message, dict) and "id" not in message else None
        if kind == "begin":
            control.draws = message["seed"]
        elif kind == "advance":
            control.now = message["until_ns"]
            control.tick()
        elif kind == "frame":
            control.now = message["at_ns"]
            control.frame(bytes.fromhex(message["bytes"]), message["ecn"], message["ttl"])
        else:
            control.line(text.rstrip(b"\n"))
            continue
        out.append(json.dumps({"done": kind, "next_ns": control.deadline()}, separators=(",", ":")))
        sys.stdout.write("\n".join(out) + "\n")
        sys.stdout.flush()
        out.clear()


def address(text):
    host, port = text.rsplit(":", 1)
    return host.strip("[]"), int(port)


class Server:
    """The SUT on sockets: frames by UDP, one control connection at a time by TCP."""

    def __init__(self, listen, control_at):
        family = socket.AF_INET6 if ":" in listen[0] else socket.AF_INET
        self.frames = socket.socket(family, socket.SOCK_DGRAM)
        self.frames.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        self.frames.setsockopt(socket.IPPROTO_IP, IP_RECVTTL, 1)
        self.frames.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 2)
        self.frames.bind(listen)
        self.frames.setblocking(False)
        self.listener = socket.create_server(control_at)
        self.events = selectors.DefaultSelector()
        self.events.register(self.frames, selectors.EVENT_READ, self.take_frames)
        self.events.register(self.listener, selectors.EVENT_READ, self.take_call)
        self.call = self.control = None
        self.buffer = b""

    def write(self, text):
        if self.call is not None:
            try:
                self.call.sendall(text.encode() + b"\n")
            except OSError:
                pass  # reading will find the end

    def send(self, conn, data):
        try:
            self.frames.sendto(data, address(conn.address))
        except OSError:
            pass  # lost, as wires lose

    def take_call(self):
        call, _ = self.listener.accept()
        if self.call is not None:
            self.hang_up()
        self.call, self.buffer = call, b""
        call.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        call.settimeout(5)
        self.control = Control(self.write, self.send, time.monotonic_ns())
        self.events.register(call, selectors.EVENT_READ, self.take_lines)

    def hang_up(self):
        self.events.unregister(self.call)
        self.call.close()
        self.call = self.control = None

    def take_lines(self):
        try:
            data = self.call.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.hang_up()
            return
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        if len(self.buffer) > 65536:
            self.buffer = self.buffer[:65537]  # too long already, however it ends
        for line in lines:
            self.take_frames()  # what arrived before the line comes before it
            self.control.line(line)

    def take_frames(self):
        for _ in range(64):
            try:
                data, ancillary, _, _ = self.frames.recvmsg(65535, 256)
            except OSError:
                return
            if self.control is None:
                continue
            ecn = ttl = 0
            for level, kind, value in ancillary:
                if level == socket.IPPROTO_IP and kind == socket.IP_TOS:
                    ecn = value[0] & 3
                elif level == socket.IPPROTO_IP and kind == socket.IP_TTL:
                    ttl = int.from_bytes(value[:4], sys.byteorder)
            self.control.now = time.monotonic_ns()
            self.control.frame(data, ecn, ttl)

    def serve(self):
        while True:
            due = self.control.deadline() if self.control is not None else None
            wait = None if due is None else max(0, (due - time.monotonic_ns()) / 1e9)
            for key, _ in self.events.select(wait):
                if self.control is not None:
                    self.control.now = time.monotonic_ns()
                key.data()
            if self.control is not None:
                self.control.now = time.monotonic_ns()
                self.control.tick()


def main():
    parser = argparse.ArgumentParser(description="A small Falcon endpoint, to be certified by Talon")
    parser.add_argument("--lockstep", action="store_true", help="as Talon's child, in virtual time")
    parser.add_argument("--listen", type=lambda t: address(t.removeprefix("udp:")), help="HOST:PORT of frames")
    parser.add_argument("--control", type=lambda t: address(t.removeprefix("tcp:")), help="HOST:PORT of the control channel")
    parser.add_argument("--port-file", help="where to write the two addresses")
    options = parser.parse_args()
    if options.lockstep:
        lockstep()
        return
    if options.listen is None or options.control is None:
        parser.error("--lockstep, or --listen and --control")
    server = Server(options.listen, options.control)
    where = [f"{kind}:{s.getsockname()[0]}:{s.getsockname()[1]}" for kind, s in (("udp", server.frames), ("tcp", server.listener))]
    print("lite_sut.py: frames {}, control {}".format(*where), file=sys.stderr, flush=True)
    if options.port_file:
        with open(options.port_file + ".tmp", "w", encoding="ascii") as file:
            print(*where, file=file)
        os.rename(options.port_file + ".tmp", options.port_file)
    try:
        server.serve()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
