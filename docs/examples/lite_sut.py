#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An example adapter: a small Falcon endpoint of its own, and the SUT control protocol around it.

    lite_sut.py --lockstep                                       for talon run --sut exec:...
    lite_sut.py --listen 127.0.0.1:7777 --control 127.0.0.1:7700 for talon run --sut udp:... --control tcp:...

Nothing but the standard library. Class Control is the adapter: lines in, lines out; Level1 and Level2, of which it is
made, are adapters of these levels (--level). lite_falcon.py is the
implementation behind it: to drive another one, put its calls in the place of class Connection.
"""
import argparse
import json
import os
import selectors
import socket
import sys
import time

from lite_falcon import Connection, DEFAULTS, fill, HEADERS, ICS, M64, MTU, PULL_DATA, PUSH_DATA, wide

IP_RECVTTL = getattr(socket, "IP_RECVTTL", 12)  # Linux has it; older Pythons do not name it


class Refused(Exception):
    """A command that was not carried out: its kind ("failed", "busy", "unsupported") and why."""


class Level1:
    """The connection manager: one control connection of an adapter that offers L1. write(line) and send(conn, frame) are
    its ways out."""
    LEVELS, EVENTS = ["L0", "L1"], ("cm_error",)

    def __init__(self, write, send, seed=0):
        self.write, self.send_frame, self.draws = write, send, seed
        self.epoch, self.seq, self.now, self.names, self.conns = 1, 0, 0, 0, {}
        self.frames = [0, 0]  # received, sent

    def say(self, members):
        self.write(json.dumps(members, separators=(",", ":")))

    def event(self, name, members):
        if name not in self.EVENTS:
            return
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
            self.say({"id": 0, "epoch": self.epoch, "error": "failed", "why": "expected a JSON object with an id"})
            return
        head = {"id": number, "epoch": self.epoch}
        command = {key: value for key, value in command.items() if value is not None}
        try:
            if command.get("epoch") != self.epoch:
                raise Refused("failed", "epoch: not the current one")
            if not isinstance(command.get("do"), str):
                raise Refused("failed", "do: missing")
            run = getattr(self, "do_" + command["do"], None)
            if run is None:
                raise Refused("unsupported", "unknown command")
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
                "levels": self.LEVELS, "ics": ICS, "clock": "none", "ordered_events": True}

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


class Level2(Level1):
    """L1, and transactions of the SUT, each of which ends in a completion."""
    LEVELS, EVENTS = ["L0", "L1", "L2"], ("cm_error", "completion")

    def do_post(self, command):
        if command["op"] not in ("push", "pull") or not 0 <= command["length"] <= MTU:
            raise Refused("failed", "op: push or pull; length: at most 4096")
        rsn = self.conn(command).post(command["op"], command["length"], wide(command.get("tag", 0)),
                                      wide(command.get("seed", 0)))
        if rsn is None:
            raise Refused("busy", "too many transactions, or the connection is dead")
        return {"rsn": rsn}



class Control(Level2):
    """The whole adapter, L3: L2, and the upper layer that answers the tester's requests."""
    LEVELS, EVENTS = ["L0", "L1", "L2", "L3"], ("cm_error", "completion", "request", "ulp_ack")

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



def lockstep(adapter):
    """The SUT as Talon's child, which tells it the time."""
    out = []
    control = adapter(out.append, lambda conn, data: out.append('{"frame":"' + data.hex() + '"}'))
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

    def __init__(self, listen, control_at, adapter):
        self.adapter = adapter
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
        self.control = self.adapter(self.write, self.send, time.monotonic_ns())
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


def main(levels=None):
    """`levels`: the adapter of each level, for an example that extends this one."""
    parser = argparse.ArgumentParser(description="A small Falcon endpoint, to be certified by Talon")
    parser.add_argument("--lockstep", action="store_true", help="as Talon's child, in virtual time")
    parser.add_argument("--listen", type=lambda t: address(t.removeprefix("udp:")), help="HOST:PORT of frames")
    parser.add_argument("--control", type=lambda t: address(t.removeprefix("tcp:")), help="HOST:PORT of the control channel")
    parser.add_argument("--port-file", help="where to write the two addresses")
    parser.add_argument("--level", type=int, choices=(1, 2, 3), default=3, help="the level that the adapter offers")
    options = parser.parse_args()
    adapter = (levels or {1: Level1, 2: Level2, 3: Control})[options.level]
    if options.lockstep:
        lockstep(adapter)
        return
    if options.listen is None or options.control is None:
        parser.error("--lockstep, or --listen and --control")
    server = Server(options.listen, options.control, adapter)
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
