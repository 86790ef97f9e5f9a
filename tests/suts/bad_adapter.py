#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bad_adapter.py CHECK CONTROL PORT-FILE - between a good adapter (CONTROL: the path of its socket) and its tester, and spoils what the
check of that name (`talon sut-check`) is about, and nothing else."""
import json
import os
import re
import socket
import sys
import threading

check, control, port_file = sys.argv[1:]
LINE_MAX = 65536
left_over = b""  # of gone-in-mid-line


def is_json(line):
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def any_json(line):
    try:
        json.loads(line)
        return True
    except (ValueError, RecursionError):
        return False


class Spoiler:
    def __init__(self):
        self.asked, self.closed, self.handles, self.opened = {}, set(), [], False
        self.upper = {"verbs": set(), "nvme": set()}  # handles of connections

    def command(self, line):
        """The line as the SUT gets it, or what the tester is answered at once; (to SUT, to tester)."""
        if not is_json(line):
            bad = {"garbage": not any_json(line) and len(line) <= LINE_MAX, "no-object": any_json(line),
                   "long-line": len(line) > LINE_MAX}
            return (b"", b"") if bad.get(check) else (line, b"")
        told = json.loads(line)
        number, do = told.get("id"), told.get("do")
        yes = (b"", json.dumps({"id": number, "epoch": told.get("epoch"), "ok": True}).encode() + b"\n")
        self.asked[number] = told
        if check == "other-version" and told.get("version") == 99:
            told["version"] = 1
        if check == "unknown" and do == "dance" or check == "no-do" and do is None and number is not None:
            return yes if check == "unknown" else (b"", b"")
        if check == "more-members" and "colour" in told:
            told["conn"] = "no such"
        if check == "other-epoch" and told.get("epoch") == 8:
            told["epoch"] = 1
        if check == "no-id" and not isinstance(number, int):
            return b"", json.dumps({"id": 1, "epoch": 1, "error": "failed", "why": "?"}).encode() + b"\n"
        if check == "levels" and do == "barrier" and "conn" not in told and self.opened:
            return b"", json.dumps({"id": number, "epoch": told["epoch"], "error": "unsupported", "why": "?"}).encode() + b"\n"
        if check == "local" and do == "open" and told.get("local", {}).get("rsn"):
            return b"", json.dumps({"id": number, "epoch": told["epoch"], "error": "failed", "why": "?"}).encode() + b"\n"
        self.opened |= do == "open"
        if check == "open-wrong" and do == "open" and "peer" not in told:
            return yes
        if check == "post" and do == "post" and told.get("conn") == "no such":
            return yes
        if check == "policy" and do == "policy" and told.get("conn") == "no such":
            return yes
        if check == "respond" and do == "respond":
            return yes
        if check == "set" and do == "set" and told.get("conn") == "no such":
            return yes
        if check == "congestion" and do == "cc_feed" and told.get("entry") == "00":
            return yes
        if check == "cc-queues" and do == "cc_engine" and told.get("who") == "nobody":
            return yes
        if check in ("verbs-posts", "nvme-posts") and do == "post" and told.get("conn") in self.upper[check[:-6]]:
            return yes
        if check == "verbs-wrong" and do == "mr_dereg" and told.get("mr") == "no such":
            return yes
        if check == "nvme-wrong" and do == "nvme_post" and told.get("nsid") == 77:
            return yes
        if check == "close" and do == "close":
            if told["conn"] in self.closed:
                return yes
            self.closed.add(told["conn"])
        if check == "gone-in-mid-run" and do == "close" and told["conn"] in handles_before:
            return yes
        if check == "flood" and do == "barrier" and self.flooded() and number % 100 == 99:
            return b"", b""
        return json.dumps(told).encode() + b"\n", b""

    def flooded(self):
        return sum(told.get("do") == "barrier" for told in self.asked.values()) > 500

    def answer(self, line):
        said = json.loads(line)
        told = self.asked.get(said.get("id"), {})
        if check == "hello" and told.get("do") == "hello":
            said["levels"] = "all"
        if check == "open" and told.get("do") == "open" and "local" in said:
            said["local"].pop("rsn")
        if check == "params" and told.get("do") == "open" and "mtu" in told.get("params", {}):
            said["params"] = ["mtu"]
        if check == "verbs" and told.get("do") == "qp_query":
            said.pop("state", None)
        if check == "verbs-memory" and told.get("do") == "mr_hash" and "hash" in said:
            said["hash"] = "0x" + "0" * 16
        if check == "nvme" and told.get("do") == "nvme_ns":
            said.pop("function", None)
        if check == "nvme-devices" and told.get("do") == "dev_hash" and "hash" in said:
            said["hash"] = "0x" + "0" * 16
        if told.get("upper") in self.upper and "conn" in said:
            self.upper[told["upper"]].add(said["conn"])
        if check == "counters" and told.get("do") == "counters":
            said.pop("frames_sent", None)
        if check == "reset" and "new_epoch" in said:
            said["new_epoch"] = said["epoch"]
        if check == "events" and said.get("event") == "completion" and said["seq"] % 7 == 0:
            return b""  # and nobody says so
        if "conn" in said and "event" not in said:
            self.handles.append(said["conn"])
        return json.dumps(said).encode() + b"\n"


handles_before = set()


def serve(tester):
    global left_over
    spoiler, sut = Spoiler(), socket.socket(socket.AF_UNIX)
    sut.connect(control)

    def back():
        for line in sut.makefile("rb"):
            try:
                tester.sendall(spoiler.answer(line))
            except OSError:
                return

    reader = threading.Thread(target=back, daemon=True)
    reader.start()
    rest = left_over if check == "gone-in-mid-line" else b""
    while True:
        try:
            got = tester.recv(1 << 16)
        except OSError:
            got = b""
        if not got:
            break
        if check == "half-line" and not got.endswith(b"\n") and len(got) < 100:
            continue  # what does not come at once does not come
        *lines, rest = (rest + got).split(b"\n")
        for line in lines:
            to_sut, to_tester = spoiler.command(line)
            if to_sut:
                sut.sendall(to_sut if to_sut.endswith(b"\n") else to_sut + b"\n")
            if to_tester:
                tester.sendall(to_tester)
    left_over = rest
    handles_before.update(spoiler.handles)
    sut.shutdown(socket.SHUT_RDWR)
    sut.close()
    tester.close()


listener = socket.create_server(("127.0.0.1", 0))
with open(port_file + ".tmp", "w") as out:
    out.write("tcp:127.0.0.1:%d\n" % listener.getsockname()[1])
os.rename(port_file + ".tmp", port_file)
while True:
    tester, _ = listener.accept()
    serve(tester)
    if check == "call-again":
        listener.close()
        break
