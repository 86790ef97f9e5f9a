"""mistakes.py PROGRAM: talks to the adapter over the device of fake_verbs.c, and prints TAP without numbers. A mistake in
a command gets one error that names the member, whatever is in its place; nothing ends the adapter."""
import json
import socket
import subprocess
import sys

from adapter import Adapter, Refused
from programs import fnv1a, pattern

ODD = [None, True, -1, (1 << 63) - 1, 1.5, "", "x", "0x", "0xzz", "0x" + "f" * 16, "0x" + "f" * 40, "y" * 300, [], [5], {},
       {"mr": "mr1"}]


class Session:
    """An adapter process, and one object of each kind."""

    def __init__(self, program):
        mine, theirs = socket.socketpair()
        self.process = subprocess.Popen([program, "--device", "fake0", "--settle", "1"], stdin=theirs, stdout=theirs)
        theirs.close()
        self.adapter = Adapter(mine)
        self.do("hello", version=1)
        self.make()

    def make(self):
        do = self.do
        self.pd = do("pd_create")["pd"]
        self.cq = do("cq_create", depth=8)["cq"]
        self.srq = do("srq_create", pd=self.pd, depth=8)["srq"]
        self.mr = do("mr_reg", pd=self.pd, length=256, access=["lw", "rw"])["mr"]
        self.conn = do("open", **self.opening())["conn"]
        self.qp, self.ud = (do("qp_create", **self.queues(type=t))["qp"] for t in ("rc", "ud"))
        self.unconnected = do("qp_create", **self.queues())["qp"]
        do("qp_connect", qp=self.qp, conn=self.conn, dest_qpn=1)
        self.ah = do("ah_create", pd=self.pd, conn=self.conn)["ah"]

    def do(self, command, **members):
        return self.adapter.do(command, **members)

    def queues(self, **more):
        return {"type": "rc", "pd": self.pd, "send_cq": self.cq, "recv_cq": self.cq, **more}

    def opening(self, **more):
        return {"upper": "verbs", "encap": "udp", "peer_address": "[fe80::1]:4791", "peer": {"cid": 1}, "local": {"cid": 2},
                **more}

    def commands(self):
        """A good form of each command."""
        sgl = [{"mr": self.mr, "offset": 0, "length": 8}]
        remote = {"va": "0x1000", "rkey": 5}
        post = {"qp": self.qp, "wr_id": 1, "sgl": sgl, "flags": ["signaled"]}
        return [("open", self.opening()), ("cq_create", {"depth": 4}), ("cq_arm", {"cq": self.cq, "solicited_only": True}),
                ("srq_create", {"pd": self.pd, "depth": 2, "xrc": False}), ("mr_fill", {"mr": self.mr, "offset": 1, "length": 2, "tag": 3, "seed": 4}),
                ("mr_reg", {"pd": self.pd, "length": 64, "access": ["lw"], "within": self.mr, "offset": 64, "va": "0x10040"}),
                ("mr_hash", {"mr": self.mr, "offset": 0, "length": 256}), ("mr_word", {"mr": self.mr, "offset": 8, "set": 9}),
                ("qp_create", self.queues(srq=self.srq, ordering="strong", errors="verbs", path_mtu=1024, qkey=1, sq=4, rq=4,
                                          sge=2, rd_atomic=4, rnr_ns=10000)),
                ("qp_query", {"qp": self.qp}), ("ah_create", {"pd": self.pd, "conn": self.conn}),
                ("post_send", {**post, "op": "write", "remote": remote}),
                ("post_send", {**post, "op": "send_imm", "imm": 7}), ("post_send", {**post, "op": "send_inv", "inv": 7}),
                ("post_send", {**post, "op": "cas", "remote": remote, "compare": 1, "swap": 2}),
                ("post_send", {**post, "op": "faa", "remote": remote, "add": "0x1"}),
                ("post_send", {**post, "qp": self.ud, "op": "send", "ah": self.ah, "dest_qpn": 3, "qkey": 4}),
                ("post_recv", {"qp": self.qp, "wr_id": 2, "sgl": sgl}), ("post_recv", {"srq": self.srq, "wr_id": 2, "sgl": sgl})]

    def ends(self):
        """With the control connection, the adapter ends, and well."""
        self.adapter.socket.close()
        return self.process.wait(20) == 0


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def refusal(session, command, members):
    """The reason of the error, or None: accepted."""
    try:
        session.do(command, **members)
    except Refused as error:
        return error
    return None


def good_commands(session):
    """Each line, of the adapter too, is one of Talon's schema."""
    from jsonschema import Draft7Validator
    with open("scenarios/schema/sut-protocol.json", encoding="utf-8") as file:
        schema = json.load(file)
    session.adapter.seen = []
    for command, members in session.commands():
        check(refusal(session, command, members) is None, command)
    session.do("qp_create", **session.queues(type="ud"))
    check(session.adapter.settled("wc") != [], "completions")
    session.do("reset", scope="device")
    session.do("hello", version=1, tester="test")
    for kind in ("reply", "event"):
        validator = Draft7Validator({"definitions": schema["definitions"], "$ref": "#/definitions/" + kind})
        for line in session.adapter.seen:
            if ("event" in line) == (kind == "event"):
                wrong = [e.message for e in validator.iter_errors(line)]
                check(not wrong, "%s: %s" % (line, wrong[:1]))
    check(session.adapter.seen[-1]["levels"] == ["L0", "L1", "L2v", "L3v"], session.adapter.seen[-1])


def odd_members(session):
    """Odd values in the place of each member: ok, or an error whose reason begins with the member or a part of it."""
    for command, members in session.commands():
        for key in members:
            for value in ODD:
                error = refusal(session, command, {**members, key: value})
                named = error is None or error.why.split(":")[0].split(".")[0] in (
                    key, "offset" if key == "length" else key, "length" if key == "offset" else key, "sgl",
                    "qp" if key == "srq" else key)
                check(named, "%s with %s=%r: %s" % (command, key, value, error and error.why))
        session.adapter.events.clear()


def odd_lists(session):
    """The same within sgl and remote."""
    for op, inner, entry in (("write", "sgl", {"mr": session.mr, "offset": 0, "length": 8}), ("write", "remote", {"va": 1, "rkey": 2})):
        for key in entry:
            for value in ODD:
                spoiled = {**entry, key: value}
                members = {"qp": session.qp, "wr_id": 1, "op": op, "sgl": [], "remote": {"va": 1, "rkey": 2}, "flags": ["signaled"]}
                members[inner] = [spoiled] if inner == "sgl" else spoiled
                error = refusal(session, "post_send", members)
                check(error is None or error.why.startswith("%s.%s: " % (inner, key)),
                      "%s.%s=%r: %s" % (inner, key, value, error and error.why))
        session.adapter.events.clear()


def bounds(session):
    """No command of the memory goes outside of the region."""
    for command in ("mr_fill", "mr_hash", "mr_word"):
        for offset, length in ((0, 257), (256, 1), (257, 0), (255, 2), (1 << 28, 1), (8, 1 << 28)):
            if command == "mr_word" and offset < 249:
                continue
            check(refusal(session, command, {"mr": session.mr, "offset": offset, "length": length, "tag": 1}) is not None,
                  "%s of %d bytes at %d" % (command, length, offset))
    for offset, length in ((0, 257), (256, 1), (1 << 60, 1), ("0x" + "f" * 16, 2)):
        error = refusal(session, "mr_reg", {"pd": session.pd, "length": length, "within": session.mr, "offset": offset})
        check(error is not None, "within: %d bytes at %s" % (length, offset))


def payload(session):
    """mr_fill writes the payload of the protocol, from the offset on; mr_word tells the value before."""
    do, mr = session.do, session.mr
    for tag, seed, length in ((1, 0, 64), ((1 << 64) - 1, 77, 13), (5, 5, 3), (9, 1 << 63, 200)):
        do("mr_fill", mr=mr, offset=31, length=length, tag="0x%016x" % tag, seed=seed if seed < 1 << 53 else "0x%016x" % seed)
        got = do("mr_hash", mr=mr, offset=31, length=length)["hash"]
        check(int(got, 16) == fnv1a(pattern(tag, length, seed)), "tag %d, %d bytes" % (tag, length))
    do("mr_fill", mr=mr, offset=0, length=64, tag=1, seed=0)
    check(do("mr_hash", mr=mr, offset=0, length=64)["hash"] == "0xb1c26081921b9e94", "the hash of docs/sut-protocol.md")
    do("mr_word", mr=mr, offset=3, set="0x0102030405060708")
    check(int(do("mr_word", mr=mr, offset=3, set=0)["value"], 16) == 0x0102030405060708, "value before")
    check(int(do("mr_word", mr=mr, offset=3)["value"], 16) == 0, "value set")


def full_queue(session):
    """A full queue is `busy`; a completion takes the unsignaled works before it along."""
    post = {"qp": session.qp, "op": "send", "sgl": []}
    for n in range(4):
        session.do("post_send", wr_id=n, flags=[], **post)
    error = refusal(session, "post_send", {**post, "wr_id": 4, "flags": ["signaled"]})
    check(error is not None and error.error == "busy", "the fifth: %s" % error)
    check(session.adapter.settled("wc") == [], "no completion of an unsignaled work")
    session.do("reset", scope="device")
    session.make()
    for n, flags in ((1, []), (1 << 60, ["signaled"]), (1 << 60, ["signaled", "solicited", "fence"])):
        session.do("post_send", **{**post, "qp": session.qp, "wr_id": n, "flags": flags})
    wcs = session.adapter.settled("wc")
    check([w["wr_id"] for w in wcs] == ["0x1000000000000000"] * 2, "completions: %s" % wcs)
    check(wcs[0]["cq"] == session.cq and wcs[0]["qp"] == session.qp and wcs[0]["opcode"] == "send", wcs[0])


def states(session):
    """What needs a connected QP, a ud QP or the other one says so."""
    sgl, remote = [], {"va": 1, "rkey": 2}
    cases = [("post_send", {"qp": session.unconnected, "wr_id": 1, "op": "send", "sgl": sgl}, "is not connected; use qp_connect"),
             ("post_send", {"qp": session.ud, "wr_id": 1, "op": "read", "sgl": sgl, "remote": remote}, "expected send or send_imm"),
             ("post_send", {"qp": session.ud, "wr_id": 1, "op": "send", "sgl": sgl}, "ah: missing"),
             ("qp_connect", {"qp": session.ud, "conn": session.conn, "dest_qpn": 1}, "is a ud QP"),
             ("qp_connect", {"qp": session.qp, "conn": session.conn, "dest_qpn": 1}, "is connected already"),
             ("qp_connect", {"qp": session.unconnected, "conn": session.conn, "dest_qpn": 1}, "has the rc QP %s" % session.qp),
             ("mr_reg", {"pd": session.pd, "length": 8, "access": ["inv"], "qp": session.unconnected}, "is not connected"),
             ("mr_reg", {"pd": session.pd, "length": 8, "access": ["inv"], "qp": "qp999"}, "does not exist"),
             ("open", session.opening(upper="raw"), "upper: "), ("open", session.opening(peer_address="fe80::1"), "peer_address: "),
             ("open", session.opening(params={"ordered": False}), "params.ordered: "), ("reset", {"scope": "connection"}, "scope: "),
             ("srq_create", {"pd": session.pd, "depth": 1, "xrc": True}, "xrc: "), ("counters", {}, "no counters"),
             ("nvme_post", {}, "unknown command")]
    for command, members, text in cases:
        error = refusal(session, command, members)
        check(error is not None and text in error.why, "%s: %s; expected %r" % (command, error, text))


def dead_handles(session):
    """After mr_dereg a handle can be asked about, but not deregistered again; after close, a QP is gone; after reset, all."""
    do = session.do
    region = do("mr_reg", pd=session.pd, length=8)["mr"]
    do("mr_dereg", mr=region)
    do("mr_hash", mr=region, offset=0, length=8)
    check("already" in refusal(session, "mr_dereg", {"mr": region}).why, "mr_dereg twice")
    do("close", conn=session.conn)
    check(refusal(session, "qp_query", {"qp": session.qp}) is not None, "a QP after close")
    old = session.mr
    do("reset", scope="device")
    session.make()
    check(old != session.mr and refusal(session, "mr_hash", {"mr": old, "offset": 0, "length": 1}) is not None,
          "a handle after reset")


def window_bound(session):
    reply = session.do("mr_reg", pd=session.pd, length=8, access=["rw", "inv"], qp=session.qp)
    check(reply["rkey"] & 0xFF == 1, "the key of the window: %r" % reply)
    reply = session.do("mr_reg", pd=session.pd, length=8, access=["rw", "inv"])
    check(reply["rkey"] & 0xFF == 0, "the key of a region that no QP can bind: %r" % reply)
    check(session.adapter.settled("wc") == [], "the bind is no event")


def late_neighbor(session):
    """A peer whose address is found late is connected to; one whose address is never found is told of."""
    do = session.do
    for dest_qpn, why in ((0xa7e, None), (0xab5, "refuses RTR to ")):
        conn, qp = do("open", **session.opening())["conn"], do("qp_create", **session.queues())["qp"]
        error = refusal(session, "qp_connect", {"qp": qp, "conn": conn, "dest_qpn": dest_qpn})
        check(error is None if why is None else error is not None and why in error.why, "%x: %s" % (dest_qpn, error))


def main():
    bad = 0
    for test in (good_commands, odd_members, odd_lists, bounds, payload, full_queue, states, dead_handles, window_bound,
                 late_neighbor):
        name = test.__name__.replace("_", " ")
        try:
            session = Session(sys.argv[1])
            test(session)
            check(session.ends(), "the adapter ends with a status other than 0")
            print("ok - %s" % name, flush=True)
        except Exception as wrong:  # whatever it is, the test has failed
            bad += 1
            print("# %s: %s\nnot ok - %s" % (type(wrong).__name__, wrong, name), flush=True)
    return bad > 0


sys.exit(main())
