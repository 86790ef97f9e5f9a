"""Programs of verbs between two adapters, and what the recipes expect of each: completions, memory, states.

Each program is a function with a bench of its own; what it finds wrong it raises as Wrong. A program's name begins
with the recipe (V7, V9 ...) that it plays above the wire."""
import itertools

from adapter import Refused

MTU = 1024
GUARD = 64
GUARD_TAG = 0x4755415244
SUCCESS, LOC_PROT, FLUSHED, REM_INV, REM_ACCESS, RETRY_EXC = 0, 4, 5, 9, 10, 12
MASK = (1 << 64) - 1
GRH = 40  # bytes before each datagram


class Wrong(Exception):
    pass


def pattern(tag, length, seed=0):
    """The payload of docs/sut-protocol.md."""
    out = bytearray(b"TALN" + tag.to_bytes(8, "big") + bytes(4))
    state = seed ^ tag
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


def same(what, got, expected):
    if got != expected:
        raise Wrong("%s: got %s, expected %s" % (what, got, expected))


class Region:
    """A region with guards around it: a larger region has the guards, `within` it is the one that is used."""

    def __init__(self, end, length, access=("lw", "rw", "rr", "ra"), pd=None, **more):
        self.end, self.length = end, length
        pd = pd or end.pd
        self.whole = end.do("mr_reg", pd=pd, length=length + 2 * GUARD, access=["lw"])["mr"]
        reply = end.do("mr_reg", pd=pd, length=length, access=list(access), within=self.whole, offset=GUARD, **more)
        self.mr, self.va, self.rkey = reply["mr"], int(reply["va"], 16), reply["rkey"]
        self.model = bytearray(length)
        self.guards = pattern(GUARD_TAG, GUARD)
        for offset in (0, GUARD + length):
            end.do("mr_fill", mr=self.whole, offset=offset, length=GUARD, tag=GUARD_TAG)

    def fill(self, tag, offset=0, length=None):
        length = self.length - offset if length is None else length
        self.end.do("mr_fill", mr=self.mr, offset=offset, length=length, tag=tag)
        self.model[offset:offset + length] = pattern(tag, length)
        return self

    def put(self, offset, data):
        """The model: what has been written there."""
        self.model[offset:offset + len(data)] = data

    def check(self, what):
        """The memory and both guards are those of the model."""
        got = int(self.end.do("mr_hash", mr=self.whole)["hash"], 16)
        if got == fnv1a(self.guards + self.model + self.guards):
            return
        for offset, name in ((0, "the guard before"), (GUARD + self.length, "the guard after")):
            guard = self.end.do("mr_hash", mr=self.whole, offset=offset, length=GUARD)["hash"]
            same("%s: %s" % (what, name), int(guard, 16), fnv1a(self.guards))
        raise Wrong("%s: the memory of %s is not as expected" % (what, self.mr))

    def sge(self, offset=0, length=None):
        return {"mr": self.mr, "offset": offset, "length": self.length - offset if length is None else length}

    def at(self, offset=0):
        return {"va": "0x%x" % ((self.va + offset) & MASK), "rkey": self.rkey}


class Queue:
    """A QP."""

    def __init__(self, end, type_="rc", srq=None, pd=None, **more):
        self.end = end
        self.pd = pd or end.pd
        self.scq, self.rcq = end.do("cq_create", depth=256)["cq"], end.do("cq_create", depth=256)["cq"]
        more.setdefault("path_mtu", MTU)
        reply = end.do("qp_create", type=type_, pd=self.pd, send_cq=self.scq, recv_cq=self.rcq, srq=srq, **more)
        self.qp, self.qpn, self.reply = reply["qp"], reply["qpn"], reply

    def connect(self, qpn):
        self.end.do("qp_connect", qp=self.qp, conn=self.end.open(), dest_qpn=qpn)

    def send(self, wr_id, op, sgl, flags=("signaled",), **more):
        self.end.do("post_send", qp=self.qp, wr_id=wr_id, op=op, sgl=sgl, flags=list(flags), **more)

    def recv(self, wr_id, sgl):
        self.end.do("post_recv", qp=self.qp, wr_id=wr_id, sgl=sgl)

    def state(self):
        return self.end.do("qp_query", qp=self.qp)["state"]


class End:
    """One device."""

    def __init__(self, adapter, peer_address):
        self.adapter, self.peer_address = adapter, peer_address
        self.pd = None

    def do(self, command, **members):
        return self.adapter.do(command, **members)

    def reset(self):
        self.do("reset", scope="device")
        self.pd = self.do("pd_create")["pd"]

    def open(self):
        return self.do("open", upper="verbs", encap="udp", peer_address=self.peer_address,
                       peer={"cid": 1, "function": 0, "req_psn": 0, "data_psn": 0, "rsn": 0},
                       local={"cid": 0, "function": 0, "req_psn": 0, "data_psn": 0, "rsn": 0}, params={})["conn"]

    def wc(self, wr_id, status=SUCCESS, **members):
        """The next completion is this one."""
        got = self.adapter.next_wc()
        if got is None:
            raise Wrong("wr_id %d: no completion" % wr_id)
        same("wr_id of the completion", got["wr_id"], wr_id)
        same("status of wr_id %d" % wr_id, got["status"], status)
        for key, value in members.items():
            same("%s of wr_id %d" % (key, wr_id), got.get(key), value)
        return got

    def none(self, what):
        """No completion is left."""
        left = self.adapter.settled("wc")
        if left:
            raise Wrong("%s: a completion that nothing explains: %s" % (what, left[0]))


class Bench:
    """Two ends, reset. `i` initiates, `t` is the target."""

    def __init__(self, i, t):
        self.i, self.t = i, t
        for end in (i, t):
            end.reset()

    def pair(self, **more):
        """Two rc QPs that are connected. Members that begin with t_ are for the target."""
        mine = {k: v for k, v in more.items() if not k.startswith("t_")}
        theirs = {k[2:]: v for k, v in more.items() if k.startswith("t_")}
        a, b = Queue(self.i, **mine), Queue(self.t, **theirs)
        a.connect(b.qpn)
        b.connect(a.qpn)
        return a, b

    def quiet(self, what):
        self.t.none(what)
        self.i.none(what)


SIZES = (0, 1, MTU - 1, MTU, MTU + 1, 3 * MTU, 3 * MTU + 1)


def cut(region, parts):
    """The region's bytes as `parts` entries, which lie apart from one another where they can."""
    step = region.length // parts
    return [region.sge(k * step, region.length - k * step if k == parts - 1 else step) for k in range(parts)]


# ---- V7: solicited events, padding ----

def v7_solicited(bench):
    a, b = bench.pair()
    source, sink = Region(bench.i, 4 * MTU).fill(1), Region(bench.t, 4 * MTU).fill(2)
    programs = [("send", 8, False), ("send", 8, True), ("send", 3 * MTU, False), ("send", 3 * MTU, True),
                ("send_imm", 8, True), ("write_imm", 8, False), ("write_imm", 2 * MTU, True)]
    for n, (op, length, solicited) in enumerate(programs):
        b.recv(n, [sink.sge()])
        bench.t.do("cq_arm", cq=b.rcq, solicited_only=True)
        more = {"imm": n} if "imm" in op else {}
        if "write" in op:
            more["remote"] = sink.at()
        a.send(n, op, [source.sge(0, length)], ["signaled"] + ["solicited"] * solicited, **more)
        bench.i.wc(n)
        bench.t.wc(n)
        told = bench.t.adapter.settled("cq_event")
        same("%s of %d bytes, solicited %s: events" % (op, length, solicited), len(told), int(solicited))
        if not solicited:  # the CQ is still armed
            b.recv(100, [sink.sge()])
            a.send(100, "send", [source.sge(0, 8)], ["signaled", "solicited"])
            bench.i.wc(100)
            bench.t.wc(100)
            same("events of the next", len(bench.t.adapter.settled("cq_event")), 1)
    bench.quiet("at the end")


def v7_any(bench):
    """A CQ that is armed for any completion has one event, until it is armed again."""
    a, b = bench.pair()
    source, sink = Region(bench.i, 8).fill(1), Region(bench.t, 8).fill(2)
    for arm, expected in ((True, 1), (False, 0), (True, 1)):
        if arm:
            bench.t.do("cq_arm", cq=b.rcq, solicited_only=False)
        for n in range(2):
            b.recv(n, [sink.sge()])
            a.send(n, "send", [source.sge()])
            bench.i.wc(n)
            bench.t.wc(n)
        same("armed %s: events" % arm, len(bench.t.adapter.settled("cq_event")), expected)


def v7_pad(bench):
    a, b = bench.pair()
    for length, op in itertools.product(range(1, 6), ("send", "write", "read")):
        tag = 10 * length
        source, sink = Region(bench.i, length).fill(tag), Region(bench.t, length).fill(tag + 1)
        if op == "send":
            b.recv(1, [sink.sge()])
        a.send(1, op, [source.sge()], remote=sink.at() if op != "send" else None)
        bench.i.wc(1)
        if op == "send":
            bench.t.wc(1, byte_len=length)
        (source if op == "read" else sink).put(0, (sink if op == "read" else source).model)
        for region in (source, sink):
            region.check("%s of %d bytes" % (op, length))
    bench.quiet("at the end")


# ---- V9: placement at the target ----

def placement(bench, mtu):
    a, b = bench.pair(path_mtu=mtu, t_path_mtu=mtu)
    same("path_mtu", a.reply["path_mtu"], mtu)
    for n, length in enumerate((0, 1, mtu - 1, mtu, mtu + 1, 3 * mtu, 3 * mtu + 1)):
        source, sink = Region(bench.i, 4 * mtu).fill(2 * n + 1), Region(bench.t, 4 * mtu).fill(2 * n + 2)
        a.send(n, "write", [source.sge(7, length)], remote=sink.at(13))
        bench.i.wc(n)
        sink.put(13, source.model[7:7 + length])
        sink.check("write of %d bytes" % length)
        b.recv(n, [sink.sge(0, length + 1)])
        a.send(n, "send", [source.sge(0, length)])
        bench.i.wc(n)
        bench.t.wc(n, byte_len=length, opcode="recv")
        sink.put(0, source.model[:length])
        sink.check("send of %d bytes" % length)
        source.check("source of %d bytes" % length)
    bench.quiet("at the end")


def v9_mtu_256(bench):
    placement(bench, 256)


def v9_mtu_1024(bench):
    placement(bench, 1024)


def v9_mtu_4096(bench):
    placement(bench, 4096)


def v9_scattered(bench):
    """Both ends have lists of one to four entries."""
    a, b = bench.pair()
    for n, (mine, theirs) in enumerate(itertools.product(range(1, 5), range(1, 5))):
        length = 2 * MTU + 97 + n
        source, sink = Region(bench.i, length).fill(100 + n), Region(bench.t, length).fill(200 + n)
        b.recv(n, cut(sink, theirs))
        a.send(n, "send", cut(source, mine))
        bench.i.wc(n)
        bench.t.wc(n, byte_len=length)
        sink.put(0, source.model)
        sink.check("send of %d entries into %d" % (mine, theirs))
    bench.quiet("at the end")


def v9_overlapping(bench):
    """Writes of a strong QP that overlap: the last one counts."""
    a, _ = bench.pair()
    sink = Region(bench.t, 6 * MTU).fill(1)
    source = Region(bench.i, 6 * MTU).fill(2)
    ranges = [(0, 4 * MTU), (MTU // 2, MTU), (3 * MTU, 3 * MTU), (100, 1), (MTU - 3, 2 * MTU + 5), (5 * MTU, MTU)]
    for n, (offset, length) in enumerate(ranges):
        a.send(n, "write", [source.sge(n, length)], remote=sink.at(offset))
        sink.put(offset, source.model[n:n + length])
    for n in range(len(ranges)):
        bench.i.wc(n)
    sink.check("overlapping writes")
    bench.quiet("at the end")


def v9_addresses(bench):
    """Regions at wished addresses: across 4 GiB, and not at the beginning of a page."""
    a, _ = bench.pair()
    source = Region(bench.i, 4 * MTU).fill(1)
    for va in (0xFFFFF800, 0x7123456789AB):
        region = bench.t.do("mr_reg", pd=bench.t.pd, length=4 * MTU, access=["lw", "rw"], va="0x%x" % va)
        same("va", int(region["va"], 16), va)
        a.send(1, "write", [source.sge()], remote={"va": region["va"], "rkey": region["rkey"]})
        bench.i.wc(1)
        same("hash", int(bench.t.do("mr_hash", mr=region["mr"])["hash"], 16), fnv1a(source.model))
    bench.quiet("at the end")


# ---- V10: placement at the initiator ----

def v10_reads(bench):
    a, _ = bench.pair()
    for n, (length, parts) in enumerate(itertools.product(SIZES[1:], (1, 2, 4))):
        parts = min(parts, length)
        source, sink = Region(bench.t, length + 9).fill(300 + n), Region(bench.i, length).fill(400 + n)
        a.send(n, "read", cut(sink, parts), remote=source.at(9))
        bench.i.wc(n, byte_len=length, opcode="read")
        sink.put(0, source.model[9:])
        sink.check("read of %d bytes into %d entries" % (length, parts))
        source.check("source of the read")
    bench.quiet("at the end")


def v10_fragments(bench):
    """The list of the figure in 6.7: entries of 1.28, 0.39, 0.33, 1 and 0.33 MTU; and entries of one byte."""
    sizes = [MTU * 128 // 100, MTU * 39 // 100, MTU * 33 // 100, MTU, MTU * 33 // 100]
    for sizes in (sizes, [1] * 8, [1, MTU, 1]):
        a, _ = bench.pair(sge=8)
        sinks = [Region(bench.i, size).fill(k + 1) for k, size in enumerate(sizes)]
        source = Region(bench.t, sum(sizes)).fill(99)
        a.send(5, "read", [s.sge() for s in sinks], remote=source.at())
        bench.i.wc(5, byte_len=sum(sizes))
        at = 0
        for sink in sinks:
            sink.put(0, source.model[at:at + sink.length])
            sink.check("entry at byte %d" % at)
            at += sink.length
    bench.quiet("at the end")


def v10_nothing(bench):
    """A read of no bytes."""
    a, _ = bench.pair()
    source = Region(bench.t, 8)
    a.send(1, "read", [], remote=source.at())
    bench.i.wc(1, byte_len=0)
    bench.quiet("at the end")


# ---- V11: completions of the send queue ----

def v11_order(bench):
    """One completion for each signaled work, none for the others, in the order of the posts."""
    a, b = bench.pair()
    source, sink = Region(bench.i, 4 * MTU).fill(1), Region(bench.t, 4 * MTU).fill(2)
    ops = ["send", "write", "read", "write", "send", "faa", "read", "write", "send", "cas", "send", "write"]
    for n in range(ops.count("send")):
        b.recv(n, [sink.sge()])
    for n, op in enumerate(ops):
        more = {} if op == "send" else {"remote": sink.at()}
        if op in ("faa", "cas"):
            more.update({"add": 1} if op == "faa" else {"compare": 0, "swap": 1})
        length = 8 if op in ("faa", "cas") else (n + 1) * 300
        a.send(n, op, [source.sge(0, length)], ["signaled"] if n % 3 == 2 or op == "faa" else [], **more)
    for n, op in enumerate(ops):
        if n % 3 == 2 or op == "faa":
            bench.i.wc(n, opcode=op)
    for n in range(ops.count("send")):
        bench.t.wc(n)
    bench.quiet("unsignaled")


def v11_once(bench):
    """A full send queue, filled again and again: each wr_id once."""
    a, _ = bench.pair(sq=16)
    source, sink = Region(bench.i, MTU).fill(1), Region(bench.t, MTU).fill(2)
    for base in range(0, 48, 16):
        for n in range(16):
            a.send(base + n, "write", [source.sge()], remote=sink.at())
        for n in range(16):
            bench.i.wc(base + n)
    bench.quiet("at the end")


def v11_fence(bench):
    """A fenced send has the bytes that the read before it brought."""
    a, b = bench.pair()
    middle, source = Region(bench.i, 3 * MTU).fill(1), Region(bench.t, 3 * MTU).fill(2)
    sink = Region(bench.t, 3 * MTU).fill(3)
    b.recv(2, [sink.sge()])
    a.send(1, "read", [middle.sge()], [], remote=source.at())
    a.send(2, "send", [middle.sge()], ["signaled", "fence"])
    bench.i.wc(2)
    bench.t.wc(2)
    for region in (middle, sink):
        region.put(0, source.model)
        region.check("the bytes of the read")
    bench.quiet("at the end")


# ---- V12: the receive side ----

def v12_order(bench):
    """Eight receives of distinct sizes, messages of all kinds that take one."""
    a, b = bench.pair()
    source, sink = Region(bench.i, 4 * MTU).fill(1), Region(bench.t, 8 * MTU).fill(2)
    for n in range(8):
        b.recv(n, [sink.sge(n * MTU, MTU - n)])
    for n in range(8):
        op = ("send", "send_imm", "write_imm", "send")[n % 4]
        more = {"imm": 0x01020304 + n} if "imm" in op else {}
        if op == "write_imm":
            more["remote"] = sink.at(n * MTU + 50)
        at, length = (50 if op == "write_imm" else 0), 100 + n
        a.send(n, op, [source.sge(n, length)], [], **more)
        sink.put(n * MTU + at, source.model[n:n + length])
    for n in range(8):
        op = ("recv", "recv", "recv_imm", "recv")[n % 4]
        imm = 0x01020304 + n if n % 4 in (1, 2) else None
        bench.t.wc(n, byte_len=100 + n, opcode=op, imm=imm)
    sink.check("messages")
    bench.quiet("at the end")


def v12_srq(bench):
    """Two QPs take their receives from one SRQ: each is used once."""
    srq = bench.t.do("srq_create", pd=bench.t.pd, depth=16)["srq"]
    pairs = [bench.pair(t_srq=srq) for _ in range(2)]
    source, sink = Region(bench.i, 4 * MTU).fill(1), Region(bench.t, 8 * 512).fill(2)
    for n in range(8):
        bench.t.do("post_recv", srq=srq, wr_id=n, sgl=[sink.sge(512 * n, 512)])
    for n in range(8):
        pairs[n % 2][0].send(n, "send", [source.sge(n, 64 + n)])
        bench.i.wc(n)
    seen = []
    for _ in range(8):
        got = bench.t.adapter.next_wc()
        same("status", got and got["status"], SUCCESS)
        length = got["byte_len"]
        same("qp of the message of %d bytes" % length, got["qp"], pairs[length % 2][1].qp)
        sink.put(512 * got["wr_id"], source.model[length - 64:2 * length - 64])
        seen.append(got["wr_id"])
    same("receives", sorted(seen), list(range(8)))
    sink.check("messages")
    bench.quiet("at the end")


def v12_datagrams(bench):
    """UD: data 40 bytes further on, byte_len with these 40, the sender's QP; an answer to it."""
    a, b = Queue(bench.i, "ud", qkey=7), Queue(bench.t, "ud", qkey=9)
    ah = bench.i.do("ah_create", pd=bench.i.pd, conn=bench.i.open())["ah"]
    back = bench.t.do("ah_create", pd=bench.t.pd, conn=bench.t.open())["ah"]
    source, sink = Region(bench.i, MTU).fill(1), Region(bench.t, MTU + GRH).fill(2)
    mine = Region(bench.i, MTU + GRH).fill(3)
    for n, length in enumerate((1, 4, 100, MTU)):
        sink.fill(20 + n)
        b.recv(n, [sink.sge()])
        a.send(n, "send_imm", [source.sge(0, length)], ah=ah, dest_qpn=b.qpn, qkey=9, imm=n + 5)
        bench.i.wc(n)
        got = bench.t.wc(n, byte_len=length + GRH, src_qp=a.qpn, imm=n + 5)
        hashed = bench.t.do("mr_hash", mr=sink.mr, offset=GRH, length=length)["hash"]
        same("datagram of %d bytes" % length, int(hashed, 16), fnv1a(source.model[:length]))
        a.recv(50 + n, [mine.sge()])
        b.send(60 + n, "send", [sink.sge(GRH, length)], ah=back, dest_qpn=got["src_qp"], qkey=7)
        bench.t.wc(60 + n)
        bench.i.wc(50 + n, byte_len=length + GRH, src_qp=b.qpn, imm=None)
    bench.quiet("at the end")


# ---- V13, V15, V18, V19, V25: what the device refuses, and goes on after ----

def v13_not_ready(bench):
    """A send to an empty queue waits for the receive and is delivered once."""
    a, b = bench.pair(t_rnr_ns=1280000)
    source, sink = Region(bench.i, 3 * MTU).fill(1), Region(bench.t, 3 * MTU).fill(2)
    for n, op in enumerate(("send", "write_imm")):
        more = {"imm": 5, "remote": sink.at()} if op == "write_imm" else {}
        a.send(n, op, [source.sge()], **more)
        bench.quiet("%s without a receive" % op)
        b.recv(n, [sink.sge()])
        bench.i.wc(n)
        bench.t.wc(n)
        sink.put(0, source.model)
        sink.check(op)
    bench.quiet("at the end")


def v13_empty_srq(bench):
    srq = bench.t.do("srq_create", pd=bench.t.pd, depth=4)["srq"]
    a, _ = bench.pair(t_srq=srq, t_rnr_ns=1280000)
    source, sink = Region(bench.i, 2 * MTU).fill(1), Region(bench.t, 2 * MTU).fill(2)
    a.send(1, "send", [source.sge()])
    bench.quiet("without a receive")
    bench.t.do("post_recv", srq=srq, wr_id=2, sgl=[sink.sge()])
    bench.i.wc(1)
    bench.t.wc(2, byte_len=2 * MTU)
    sink.put(0, source.model)
    sink.check("send")
    bench.quiet("at the end")


def v15_flush(bench):
    """A bad key with five posts behind it: one error, the rest flushed, ERR at both ends, no success after that."""
    a, b = bench.pair()
    source, sink = Region(bench.i, MTU).fill(1), Region(bench.t, MTU).fill(2)
    b.recv(90, [sink.sge()])
    for n in range(6):
        remote = sink.at()
        if n == 0:
            remote["rkey"] ^= 0x5A00
        a.send(n, "write", [source.sge()], remote=remote)
    bench.i.wc(0, REM_ACCESS)
    for n in range(1, 6):
        bench.i.wc(n, FLUSHED)
    bench.t.wc(90, FLUSHED)
    a.send(9, "write", [source.sge()], remote=sink.at())
    bench.i.wc(9, FLUSHED)
    same("state of the initiator", a.state(), "err")
    same("state of the target", b.state(), "err")
    sink.check("nothing was written")
    bench.quiet("at the end")


def v15_too_long(bench):
    """A send that is longer than the receive."""
    a, b = bench.pair()
    source, sink = Region(bench.i, MTU).fill(1), Region(bench.t, MTU).fill(2)
    b.recv(1, [sink.sge(0, 100)])
    a.send(2, "send", [source.sge(0, 101)])
    bench.i.wc(2, REM_INV)
    got = bench.t.adapter.next_wc()
    if got is None or got["status"] == SUCCESS:
        raise Wrong("the receive: got %s, expected an error" % got)
    sink.check("nothing outside of the receive")
    same("states", (a.state(), b.state()), ("err", "err"))


def v15_dead_entry(bench):
    """A list whose second entry is of a region that is deregistered, or outside of its region: a local error."""
    for spoil in ("dead", "long"):
        a, _ = bench.pair()
        source, sink = Region(bench.i, MTU).fill(1), Region(bench.t, 2 * MTU).fill(2)
        other = Region(bench.i, MTU).fill(3)
        if spoil == "dead":
            bench.i.do("mr_dereg", mr=other.mr)
        a.send(1, "write", [source.sge(), other.sge(0, MTU if spoil == "dead" else MTU + 1)], remote=sink.at())
        bench.i.wc(1, LOC_PROT, opcode="write")
        same("state of the initiator", a.state(), "err")


def v15_undeliverable(bench):
    """A peer that is not there: the attempts end, and the works behind are flushed."""
    a = Queue(bench.i)
    source = Region(bench.i, 64)
    a.connect(0xABCDE)
    for n in (1, 2):
        a.send(n, "write", [source.sge()], remote=source.at())
    bench.i.wc(1, RETRY_EXC)
    bench.i.wc(2, FLUSHED)
    same("state", a.state(), "err")


def v18_qkey(bench):
    """A datagram with another Q_Key is not delivered; the next one is."""
    a, b = Queue(bench.i, "ud", qkey=7), Queue(bench.t, "ud", qkey=9)
    ah = bench.i.do("ah_create", pd=bench.i.pd, conn=bench.i.open())["ah"]
    source, sink = Region(bench.i, 64).fill(1), Region(bench.t, 64 + GRH).fill(2)
    b.recv(1, [sink.sge()])
    a.send(1, "send", [source.sge()], ah=ah, dest_qpn=b.qpn, qkey=8)
    bench.i.wc(1)
    bench.t.none("wrong Q_Key")
    sink.check("wrong Q_Key")
    a.send(2, "send", [source.sge()], ah=ah, dest_qpn=b.qpn, qkey=9)
    bench.i.wc(2)
    bench.t.wc(1, byte_len=64 + GRH)
    bench.quiet("at the end")


def refused(what, call, *args, **members):
    """The command gets an error that names what is wrong."""
    try:
        call(*args, **members)
    except Refused as error:
        return error
    raise Wrong("%s: accepted; expected a refusal" % what)


def v19_datagrams_refused(bench):
    a = Queue(bench.i, "ud")
    ah = bench.i.do("ah_create", pd=bench.i.pd, conn=bench.i.open())["ah"]
    source = Region(bench.i, 8 * MTU)
    for op in ("write", "read", "faa"):
        refused("ud %s" % op, a.send, 1, op, [source.sge(0, 8)], remote=source.at(), ah=ah, dest_qpn=1, qkey=1, add=1)
    bench.quiet("at the end")


def v19_too_long(bench):
    """A datagram above the MTU is refused, or fails."""
    a, b = Queue(bench.i, "ud"), Queue(bench.t, "ud")
    ah = bench.i.do("ah_create", pd=bench.i.pd, conn=bench.i.open())["ah"]
    source, sink = Region(bench.i, 8 * MTU).fill(1), Region(bench.t, 8 * MTU + GRH).fill(2)
    b.recv(1, [sink.sge()])
    try:
        a.send(1, "send", [source.sge(0, a.reply["path_mtu"] + 1)], ah=ah, dest_qpn=b.qpn)
    except Refused:
        return
    got = bench.i.adapter.next_wc()
    if got is not None and got["status"] == SUCCESS:
        raise Wrong("a datagram of %d bytes: success" % (a.reply["path_mtu"] + 1))


def v25_one_qp_a_connection(bench):
    a, b = Queue(bench.i), Queue(bench.i)
    conn = bench.i.open()
    bench.i.do("qp_connect", qp=a.qp, conn=conn, dest_qpn=5)
    error = refused("a second rc QP", bench.i.do, "qp_connect", qp=b.qp, conn=conn, dest_qpn=6)
    same("the error names the connection and its QP", conn in error.why and a.qp in error.why, True)


def v25_modes(bench):
    for more in ({"ordering": "weak"}, {"ordering": "unordered"}, {"errors": "cie"}, {"type_": "xrc_ini"}):
        same("%s: error" % more, refused(str(more), Queue, bench.i, **more).error, "unsupported")


# ---- V17: keys and bounds ----

ACCESS = {"write": "rw", "read": "rr", "faa": "ra"}


def bad_key(bench, op, spoil, **kinds):
    """An operation with a key or range that `spoil` made bad: an error, and no byte changes at either end. `spoil` gets
    the target's region and may change it; it returns remote."""
    a, b = bench.pair()
    sink = Region(bench.t, 256, **kinds).fill(1)
    mine = Region(bench.i, 256).fill(2)
    remote = spoil(bench, b, sink)
    length = 8 if op == "faa" else 64
    a.send(1, op, [mine.sge(0, length)], remote=remote, **({"add": 1} if op == "faa" else {}))
    got = bench.i.adapter.next_wc()
    if got is None:
        raise Wrong("no completion")
    sink.check("the target's memory")
    if op != "write":
        mine.check("the initiator's memory")
    return got["status"]


def range_at(offset):
    return lambda bench, b, sink: sink.at(offset)


def other_key(bench, b, sink):
    return {"va": sink.at()["va"], "rkey": sink.rkey ^ 0x5A00}


def low_byte(bench, b, sink):
    return {"va": sink.at()["va"], "rkey": sink.rkey ^ 0x01}


def deregistered(bench, b, sink):
    bench.t.do("mr_dereg", mr=sink.mr)
    return sink.at()


def wrapped(bench, b, sink):
    return {"va": "0xfffffffffffffff8", "rkey": sink.rkey}


SPOILED = {"another rkey": other_key, "low byte of the rkey": low_byte, "one byte after the end": range_at(193),
           "one byte before": range_at(-1), "wrap of the address": wrapped, "deregistered": deregistered}


def v17(name, op):
    def program(bench):
        spoil = SPOILED[name]
        if op == "faa" and name in ("one byte after the end", "one byte before"):
            spoil = range_at(256 if "after" in name else -8)  # atomics are aligned
        same("status", bad_key(bench, op, spoil), REM_ACCESS)
    return program


def v17_other_pd(op):
    def program(bench):
        other = bench.t.do("pd_create")["pd"]
        same("status", bad_key(bench, op, range_at(0), pd=other), REM_ACCESS)
    return program


def v17_right(op):
    def program(bench):
        rights = [r for r in ("lw", "rw", "rr", "ra") if r != ACCESS[op]]
        same("status", bad_key(bench, op, range_at(0), access=rights), REM_ACCESS)
    return program


# ---- V23: atomics ----

def word(region, value=None):
    return int(region.end.do("mr_word", mr=region.mr, offset=0, set="0x%x" % value if value is not None else None)["value"], 16)


def v23_serial(bench):
    """Each atomic returns the value before it; CmpSwap writes on equality alone."""
    a, _ = bench.pair()
    target, mine = Region(bench.t, 8), Region(bench.i, 8)
    value = 0x1122334455667788
    word(target, value)
    programs = [("faa", 1, 0), ("faa", MASK, 0), ("cas", value, 42), ("cas", value, 43), ("cas", 42, MASK),
                ("faa", 2, 0), ("faa", 1 << 63, 0), ("cas", 0, 1), ("faa", 0, 0)]
    for n, (op, first, swap) in enumerate(programs):
        more = {"add": "0x%x" % first} if op == "faa" else {"compare": "0x%x" % first, "swap": "0x%x" % swap}
        a.send(n, op, [mine.sge()], remote=target.at(), **more)
        bench.i.wc(n, byte_len=8, opcode=op)
        same("%s %x: the value before" % (op, first), "%x" % word(mine), "%x" % value)
        value = (value + first) & MASK if op == "faa" else swap if value == first else value
        same("%s %x: the value after" % (op, first), "%x" % word(target), "%x" % value)
    bench.quiet("at the end")


def v23_concurrent(bench):
    """Four additions of distinct powers of two on each of two connections: the answers have one serial order."""
    pairs = [bench.pair()[0] for _ in range(2)]
    target, mine = Region(bench.t, 8), Region(bench.i, 64)
    word(target, 0)
    for k in range(4):
        for c in range(2):
            n = 4 * c + k
            pairs[c].send(n, "faa", [mine.sge(8 * n, 8)], remote=target.at(), add="0x%x" % (1 << n))
    for _ in range(8):
        got = bench.i.adapter.next_wc()
        same("status", got and got["status"], SUCCESS)
    same("sum", word(target), 255)
    before = [int(bench.i.do("mr_word", mr=mine.mr, offset=8 * n)["value"], 16) for n in range(8)]
    total = 0
    for n in sorted(range(8), key=lambda n: (bin(before[n]).count("1"), n)):
        same("value before the addition of %d" % (1 << n), before[n], total)
        total += 1 << n
    for c in range(2):  # each connection in the order of its posts
        same("order", sorted(before[4 * c:4 * c + 4]), before[4 * c:4 * c + 4])


def v23_misaligned(bench):
    a, _ = bench.pair()
    target, mine = Region(bench.t, 32).fill(1), Region(bench.i, 8).fill(2)
    try:
        a.send(1, "faa", [mine.sge()], remote=target.at(4), add=1)
        got = bench.i.adapter.next_wc()
    except Refused:  # at the post
        got = {"status": REM_INV}
    if got is None or got["status"] not in (REM_INV, REM_ACCESS):
        raise Wrong("got %s, expected status 9 or 10" % got)
    target.check("the target's memory")


# ---- V24: invalidation ----

def window(bench, b):
    return Region(bench.t, 256, access=("lw", "rw", "rr", "inv"), qp=b.qp).fill(5)


def v24_invalidate(bench):
    """Access before the Send with Invalidate, none after its receive has completed."""
    a, b = bench.pair()
    target, mine, sink = window(bench, b), Region(bench.i, 64).fill(6), Region(bench.t, 64).fill(7)
    a.send(1, "write", [mine.sge()], remote=target.at(10))
    bench.i.wc(1)
    target.put(10, mine.model)
    target.check("before")
    b.recv(2, [sink.sge()])
    a.send(2, "send_inv", [mine.sge()], inv=target.rkey)
    bench.i.wc(2)
    bench.t.wc(2, byte_len=64)
    sink.put(0, mine.model)
    sink.check("the message")
    a.send(3, "write", [mine.sge()], remote=target.at(100))
    bench.i.wc(3, REM_ACCESS)
    target.check("after")


def v24_told(bench):
    """The completion of the receive names the key."""
    a, b = bench.pair()
    target, mine = window(bench, b), Region(bench.i, 64)
    b.recv(2, [target.sge()])
    a.send(2, "send_inv", [mine.sge()], inv=target.rkey)
    bench.i.wc(2)
    bench.t.wc(2, inv=target.rkey)


# ---- what the adapter itself says ----

def adapter_errors(bench):
    """Each mistake in a command: one error that names the member."""
    a, b = bench.pair()
    region = Region(bench.i, 64)
    do, good = bench.i.do, {"qp": a.qp, "wr_id": 1, "op": "write", "sgl": [region.sge()], "remote": region.at()}
    mistakes = [("post_send", {**good, "qp": "qp999"}, "qp"), ("post_send", {**good, "qp": None}, "qp"),
                ("post_send", {**good, "op": "writ"}, "op"), ("post_send", {**good, "wr_id": -1}, "wr_id"),
                ("post_send", {**good, "remote": None}, "remote"), ("post_send", {**good, "sgl": 5}, "sgl"),
                ("post_send", {**good, "remote": {"va": 0}}, "remote.rkey"),
                ("post_send", {**good, "remote": {"va": 0, "rkey": 1 << 32}}, "remote.rkey"),
                ("post_send", {**good, "sgl": [{"mr": "mr0", "length": 1}]}, "sgl.mr"),
                ("post_send", {**good, "sgl": [{"mr": region.mr, "length": 1 << 32}]}, "sgl.length"),
                ("post_send", {**good, "sgl": [region.sge(0, 1)] * 5}, "sgl"),
                ("post_send", {**good, "flags": ["sgnaled"]}, "flags"),
                ("post_send", {**good, "op": "faa", "add": "1"}, "add"), ("post_send", {**good, "op": "write_imm"}, "imm"),
                ("post_send", {**good, "op": "faa", "add": 1}, "sgl"),
                ("mr_hash", {"mr": region.mr, "offset": 1, "length": 64}, "length"),
                ("mr_word", {"mr": region.mr, "offset": 57}, "offset"),
                ("mr_reg", {"pd": a.pd, "length": 0}, "length"), ("mr_reg", {"pd": a.qp, "length": 1}, "pd"),
                ("mr_reg", {"pd": a.pd, "length": 1, "access": ["w"]}, "access"),
                ("mr_fill", {"mr": region.mr, "offset": 65, "length": 0, "tag": 1}, "length"),
                ("cq_create", {"depth": 0}, "depth"), ("srq_create", {"pd": "pd0", "depth": 1}, "pd"),
                ("qp_create", {"type": "uc"}, "type"), ("qp_create", {"pd": a.pd, "send_cq": a.qp}, "send_cq"),
                ("qp_create", {"pd": a.pd, "send_cq": a.scq, "recv_cq": a.rcq, "path_mtu": 1000}, "path_mtu"), ("qp_connect", {"qp": a.qp, "conn": "c"}, "conn")]
    for command, members, name in mistakes:
        error = refused("%s %s" % (command, name), do, command, **members)
        same("%s: error" % command, error.error, "failed")
        same("%s: what the reason %r begins with" % (command, error.why), error.why.split(":")[0], name)
    bench.quiet("at the end")
    a.send(7, "write", [region.sge()], remote=Region(bench.t, 64).at())
    bench.i.wc(7)


def programs():
    """(name, function) of all, in the order of the recipes."""
    found = {name.replace("_", " ", 1).replace("_", "-"): f for name, f in globals().items()
             if name[0] == "v" and name[1:2].isdigit() and not name.startswith("v17") and callable(f)}
    for op in ACCESS:
        for name in SPOILED:
            found["v17 %s: %s" % (op, name)] = v17(name, op)
        found["v17 %s: another PD" % op] = v17_other_pd(op)
        found["v17 %s: right missing" % op] = v17_right(op)
    found["errors of the adapter"] = adapter_errors
    order = lambda item: (int(item[0][1:].split()[0]) if item[0][0] == "v" else 99)
    return sorted(found.items(), key=order)
