#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A template for an adapter of level L1. Each YOUR DEVICE marks a place for your calls.

    l1_adapter.py 9000        talon sut-check --control tcp:127.0.0.1:9000
"""
import json
import socketserver
import sys


class Refused(Exception):
    """A command that was not carried out: "failed", "busy" or "unsupported", and why."""


class Adapter(socketserver.StreamRequestHandler):
    """One control connection: it begins with epoch 1 and no connections."""
    disable_nagle_algorithm = True  # else the flood of sut-check takes seconds

    def do_hello(self, command):
        if command.get("version") != 1:
            raise Refused("unsupported", "version: this adapter has version 1")
        return {"version": 1, "vendor": "Acme", "product": "F1", "firmware": "1", "serial": "1", "levels": ["L0", "L1"],
                "ics": {}, "clock": "none", "ordered_events": True}

    def do_reset(self, command):
        if command["scope"] != "device":
            raise Refused("unsupported", "scope: only device")
        self.conns.clear()  # YOUR DEVICE: remove all connections, clear the counters.
        self.epoch += 1
        return {"new_epoch": self.epoch, "survives": []}

    def do_open(self, command):
        if command.get("encap", "udp") != "udp":
            raise Refused("unsupported", "encap: only udp")
        int(command["peer"]["cid"])
        self.opened += 1
        name = f"c{self.opened}"  # never used twice
        # YOUR DEVICE: create the connection with "peer", "peer_address" and "params". Report in "local" the numbers that
        # it chose, and in "params" each value that is not the wished one.
        local = {"cid": self.opened, "function": 1, "req_psn": 0, "data_psn": 0, "rsn": 0}
        self.conns[name] = local
        return {"conn": name, "local": local, "params": {"rto_ns": 20_000_000}}

    def do_close(self, command):
        if command.get("conn") not in self.conns:
            raise Refused("failed", "conn: no connection has this name")
        del self.conns[command["conn"]]  # YOUR DEVICE: remove the connection.

    def reply(self, line):
        """The reply to one line. Only the functions above know the device."""
        number, epoch = 0, self.epoch
        try:
            command = json.loads(line) if len(line) <= 65536 else None
            if not isinstance(command, dict) or type(command.get("id")) is not int or command["id"] < 1:
                raise Refused("failed", "expected a JSON object with an id")
            number = command["id"]
            if command.get("epoch") != epoch:
                raise Refused("failed", "epoch: not the current one")
            run = getattr(self, f"do_{command.get('do')}", None)
            if run is None:
                raise Refused("unsupported", "unknown command")
            return {"id": number, "epoch": epoch, "ok": True, **(run(command) or {})}
        except Refused as refused:
            return {"id": number, "epoch": epoch, "error": refused.args[0], "why": refused.args[1]}
        except (ValueError, KeyError, TypeError, RecursionError) as wrong:
            return {"id": number, "epoch": epoch, "error": "failed", "why": f"invalid JSON, or a member is wrong: {wrong!r:.99}"}

    def handle(self):
        self.epoch, self.opened, self.conns = 1, 0, {}
        while line := self.rfile.readline(65538):
            while len(line) > 65537 and not line.endswith(b"\n"):
                line = line[:65538] + self.rfile.readline(65538)[-1:]  # the rest of a line that is too long
            if line.endswith(b"\n"):
                self.wfile.write(json.dumps(self.reply(line.rstrip(b"\n"))).encode() + b"\n")
        # YOUR DEVICE: the tester is gone, remove its connections.


if __name__ == "__main__":
    socketserver.TCPServer.allow_reuse_address = True
    with socketserver.TCPServer(("127.0.0.1", int(sys.argv[1])), Adapter) as server:
        print(f"control tcp:127.0.0.1:{server.server_address[1]}", file=sys.stderr, flush=True)
        server.serve_forever()
