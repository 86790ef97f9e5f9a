#!/usr/bin/env python3
"""roce_traffic.py CONTROL-A ADDRESS-A CONTROL-B ADDRESS-B: posts what scenarios of RoCEv2 ask for, for `talon run
--control exec:` (docs/roce-real-ends.md). Each end has a verbs_adapter: CONTROL is its control channel, tcp:HOST:PORT or
unix:PATH, and ADDRESS the IP address of its RDMA device. Reads one case a line, and says in lines what happened.

Queue pairs are new in each case. Data are checked at the receiver: by the bytes of the memory that a SEND went to."""
import json
import socket
import sys
import time

GUARD_FILL, STEP_TAG = 0x517EAC, 0x7A10
QP_RIGHTS = ("lw", "rw", "rr", "ra")
MASK = (1 << 64) - 1
RNR_US = (655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10240,
          15360, 20480, 30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520)
ANSWER_S, BOOT_S = 30.0, 240.0
OPS = {"send": "send", "write": "write", "write_imm": "write_imm", "read": "read"}


class Cannot(Exception):
    """These ends cannot do what the case needs."""


def pattern(tag, length):
    """The bytes that `mr_fill` writes (docs/sut-protocol.md)."""
    out, state = bytearray(b"TALN" + tag.to_bytes(8, "big") + bytes(4)), tag
    while len(out) < length:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        out += (z ^ z >> 31).to_bytes(8, "little")
    return bytes(out[:length])


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


class Adapter:
    """A control channel: commands, their replies, and the completions between them."""

    def __init__(self, control, address):
        self.address = "[%s]:4791" % address if ":" in address else address + ":4791"
        self.id, self.epoch, self.rest, self.completions = 0, 1, b"", []
        kind, _, where = control.partition(":")
        host, _, port = where.rpartition(":")
        until = time.monotonic() + BOOT_S
        while True:
            self.socket = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET, socket.SOCK_STREAM)
            try:
                self.socket.connect(where if kind == "unix" else (host, int(port)))
                break
            except OSError:
                self.socket.close()
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def line(self, timeout):
        """The next line as an object, or None if none comes in time."""
        until = time.monotonic() + timeout
        while b"\n" not in self.rest:
            left = until - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                read = self.socket.recv(65536)
            except socket.timeout:
                return None
            if not read:
                raise EOFError("the adapter has closed its control channel")
            self.rest += read
        text, self.rest = self.rest.split(b"\n", 1)
        return json.loads(text)

    def take(self, message):
        if message.get("event") == "wc" and message["epoch"] == self.epoch:
            self.completions.append(message)

    def ask(self, command, **members):
        """Sends a command, and returns its number for `answer`."""
        self.id += 1
        self.socket.sendall(json.dumps({"id": self.id, "epoch": self.epoch, "do": command, **members}).encode() + b"\n")
        return self.id

    def do(self, command, timeout=ANSWER_S, **members):
        return self.answer(self.ask(command, **members), command, timeout)

    def answer(self, number, command, timeout=ANSWER_S):
        until = time.monotonic() + timeout
        while True:
            message = self.line(until - time.monotonic())
            if message is None:
                raise TimeoutError("no reply to %s in %g s" % (command, timeout))
            if "event" in message or message.get("id") != number:
                self.take(message)
                continue
            if "new_epoch" in message:
                self.epoch = message["new_epoch"]
                self.completions.clear()
            if "error" in message:
                raise RuntimeError("%s: %s" % (command, message.get("why", message["error"])))
            return message

    def poll(self, timeout):
        """Takes what comes in that time."""
        message = self.line(timeout)
        while message is not None:
            self.take(message)
            message = self.line(0)
        taken, self.completions = self.completions, []
        return taken


class Pair:
    """One end of a connected queue pair."""

    def __init__(self, end, case):
        rnr = RNR_US[case["rnr_code"]] * 1000
        self.end = end
        self.pd = end.do("pd_create")["pd"]
        self.scq, self.rcq = end.do("cq_create", depth=256)["cq"], end.do("cq_create", depth=256)["cq"]
        reply = end.do("qp_create", type="rc", pd=self.pd, send_cq=self.scq, recv_cq=self.rcq, path_mtu=case["mtu"], rnr_ns=rnr)
        if reply["path_mtu"] != case["mtu"]:
            raise Cannot("the MTU of the queue pair is %d, and the case needs %d" % (reply["path_mtu"], case["mtu"]))
        if reply["rnr_ns"] != rnr:
            raise Cannot("the RNR timer is %d ns, and the case needs %d" % (reply["rnr_ns"], rnr))
        self.qp, self.qpn = reply["qp"], reply["qpn"]
        self.sent, self.received = 0, 0  # messages that need a receive
        self.buffers = {}

    def connect(self, other, mine, theirs):
        """`mine`, `theirs`: the PSNs of the first requests."""
        blank = {"cid": 0, "function": 0, "data_psn": 0, "rsn": 0}
        conn = self.end.do("open", upper="verbs", encap="udp", peer_address=other.end.address, params={},
                           peer={**blank, "cid": 1, "req_psn": theirs}, local={**blank, "req_psn": mine})["conn"]
        self.end.do("qp_connect", qp=self.qp, conn=conn, dest_qpn=other.qpn)

    def region(self, length, tag):
        reply = self.end.do("mr_reg", pd=self.pd, length=max(length, 1), access=list(QP_RIGHTS))
        self.end.do("mr_fill", mr=reply["mr"], offset=0, length=max(length, 1), tag=tag)
        return reply


class Case:
    def __init__(self, ends, case, say):
        self.ends, self.case, self.say = ends, case, say
        self.posts = {p["step"]: p for p in case["posts"]}
        self.left = set(self.posts)

    def pairs_of(self):
        pairs = [[Pair(end, self.case) for end in self.ends] for _ in range(self.case["qps"])]
        for n, (a, b) in enumerate(pairs):
            psns = (self.case["psn"] + n) & 0xFFFFFF, 0x1000 + n
            a.connect(b, psns[0], psns[1])
            b.connect(a, psns[1], psns[0])
        return pairs

    def give(self, pairs, n, end=1):
        """`n` receives for the queue pairs of an end."""
        longest = max([p["length"] for p in self.posts.values()] + [64])
        for pair in pairs:
            one = pair[end]
            for _ in range(n):
                number = len(one.buffers)
                mr = one.region(longest, GUARD_FILL)["mr"]
                one.buffers[number] = mr
                one.end.do("post_recv", qp=one.qp, wr_id=number, sgl=[{"mr": mr, "offset": 0, "length": longest}])

    def prepare(self, post, pairs):
        """The post's memory; its command is sent later, without delay."""
        pair = pairs[post["qp"] - 1]
        mine, theirs = pair if post["end"] == "a" else pair[::-1]
        local = mine.region(post["length"], STEP_TAG + post["step"])
        command = {"qp": mine.qp, "wr_id": post["step"], "op": OPS[post["op"]], "flags": ["signaled"],
                   "sgl": [{"mr": local["mr"], "offset": 0, "length": post["length"]}] if post["length"] > 0 else []}
        if post["op"] == "write_imm":
            command["imm"] = post["step"]
        if post["op"] != "send":
            remote = theirs.region(post["length"], STEP_TAG + post["step"] if post["op"] == "read" else GUARD_FILL)
            key = int(remote["rkey"], 0) if isinstance(remote["rkey"], str) else remote["rkey"]
            command["remote"] = {"va": remote["va"], "rkey": key ^ 0x55AA00 if post["wrong_key"] else key}
            post["remote"] = theirs, remote["mr"]
        post["local"] = mine, local["mr"]
        return mine.end, command

    def whole(self, post, end, mr):
        got = int(end.do("mr_hash", mr=mr, offset=0, length=post["length"])["hash"], 16) if post["length"] > 0 else None
        return got is None or got == fnv1a(pattern(STEP_TAG + post["step"], post["length"]))

    def completed(self, wc):
        step = wc["wr_id"]
        post = self.posts[step]
        self.left.discard(step)
        if wc["status"] != 0:
            self.say({"failed": step, "why": "status %d" % wc["status"]})
            return
        # What was written or read is checked when it is complete, and counts as lost when it is not whole.
        target = post.get("remote") if post["op"] in ("write", "write_imm") else post["local"] if post["op"] == "read" else None
        if target is not None and not self.whole(post, target[0].end, target[1]):
            self.say({"failed": step, "why": "the memory does not hold the bytes that were sent"})
        else:
            self.say({"done": step})

    def received(self, pairs, end, wc):
        """A receive is complete: it is the next SEND or WRITE with immediate of that queue pair."""
        for n, pair in enumerate(pairs):
            one = pair[end]
            if wc["qp"] != one.qp:
                continue
            sender = "ba"[end]
            order = [p for p in self.case["posts"] if p["op"] in ("send", "write_imm") and p["end"] == sender and p["qp"] == n + 1]
            post = order[one.received] if one.received < len(order) else None
            one.received += 1
            whole = post is not None and wc["status"] == 0
            if whole and post["op"] == "send":
                whole = wc.get("byte_len", post["length"]) == post["length"] and self.whole(post, one.end, one.buffers[wc["wr_id"]])
            elif whole:
                whole = wc.get("imm", post["step"]) == post["step"]
            if wc["status"] == 0:
                self.say({"message": "ab"[end], "qp": n + 1, "length": post["length"] if post else 0, "whole": whole})

    def play(self):
        if self.case["retries"] < 6:
            raise Cannot("the case needs %d retries; the queue pairs of the adapter have 6" % self.case["retries"])
        if self.case["rnr_retries"] < 7:
            raise Cannot("the case needs %d RNR retries; the adapter retries without an end" % self.case["rnr_retries"])
        for end in self.ends:
            end.do("reset", scope="device")
        pairs = self.pairs_of()
        sends = sum(p["op"] in ("send", "write_imm") for p in self.posts.values())
        self.give(pairs, sends if self.case["receives"] is None else self.case["receives"])
        self.give(pairs, sends, 0)
        events = [(p["at_ns"], 0, *self.prepare(p, pairs)) for p in self.case["posts"]]
        events += [(r["at_ns"], r["count"], None, None) for r in self.case["more_receives"]]
        self.say({"qps": [[a.qpn, b.qpn] for a, b in pairs]})
        start, asked = time.monotonic(), []
        for at_ns, count, end, command in sorted(events, key=lambda e: e[0]):
            late = at_ns / 1e9 - (time.monotonic() - start)
            if late > 0 or command is None:
                self.collect(asked)
                time.sleep(max(0.0, late))
            if command is None:
                self.give(pairs, count)
            else:
                asked.append((end, end.ask("post_send", **command)))
        self.collect(asked)
        until = time.monotonic() + self.case["timeout_s"]
        while self.left and time.monotonic() < until:
            self.look(pairs, 0.002)
        self.look(pairs, 0.02)
        for end in self.ends:
            end.do("barrier")
        self.look(pairs, 0)

    @staticmethod
    def collect(asked):
        """The replies to posts, which follow each other without waiting for them."""
        for end, number in asked:
            end.answer(number, "post_send")
        asked.clear()

    def look(self, pairs, timeout):
        for number, end in enumerate(self.ends):
            for wc in end.poll(timeout):
                mine = [p for p in pairs if p[number].qp == wc["qp"]]
                if mine and wc["cq"] == mine[0][number].rcq:
                    self.received(pairs, number, wc)
                elif wc["wr_id"] in self.left:
                    self.completed(wc)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.split(":", 1)[0] + ": expected four arguments")
    ends = [Adapter(sys.argv[1], sys.argv[2]), Adapter(sys.argv[3], sys.argv[4])]

    def say(event):
        print(json.dumps(event), flush=True)

    for end in ends:
        end.do("hello", version=1, tester="roce_traffic", timeout=BOOT_S)
    for line in sys.stdin:
        try:
            Case(ends, json.loads(line), say).play()
            say({"end": True})
        except Cannot as reason:
            say({"cannot": str(reason)})
        except (OSError, EOFError, RuntimeError, TimeoutError) as error:
            say({"error": str(error)})


main()
