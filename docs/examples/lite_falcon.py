# SPDX-License-Identifier: Apache-2.0
"""The implementation of the example: pushes and pulls on ordered connections, in the clear. What else Falcon has, its
ICS denies. Nothing of Talon is in it; lite_sut.py is the adapter around it."""
import collections
import struct

PULL_REQUEST, PULL_DATA, PUSH_DATA, RESYNC, NACK, BACK, EACK = 0, 3, 5, 6, 8, 9, 10
HEADERS = {PULL_REQUEST: 32, PULL_DATA: 24, PUSH_DATA: 28, RESYNC: 32, NACK: 40, BACK: 32, EACK: 72}
REQ, DATA = 0, 1  # the two windows
REACH = (64, 128)
MTU, HELD = 4096, 128
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
        self.ack_due, self.ack_now, self.t2, self.ecn, self.hops, self.level = None, False, 0, 0, 0, 0

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
                          self.hops << 28 | self.level << 23 | (self.ecn & 0x3FFF) << 9, self.out_of_window)
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
