#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""operator.py - what an operator does by hand where a SUT has no control channel for Talon: opens connections
towards the tester's address, writes down what they are (talon/connections/1), and keeps them open.

usage: operator.py CONTROL TESTER FILE <WISHES
CONTROL and TESTER are HOST:PORT; a line of standard input is a connection, as a skipped case asks for it:
"rto=1s ordered=0 sut.cid=17", or "the defaults"."""
import json
import random
import re
import socket
import sys

control, tester, path = sys.argv[1:]
wishes = [dict(word.split("=") for word in line.split() if "=" in word) for line in sys.stdin]
units = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
host, port = control.rsplit(":", 1)
stream = socket.create_connection((host, int(port))).makefile("rw")
draw = random.Random(7)


def ask(number, do, **members):
    stream.write(json.dumps({"id": number, "epoch": 1, "do": do, **members}) + "\n")
    stream.flush()
    while True:
        answer = json.loads(stream.readline())
        if "event" not in answer:
            return answer


def param(key, text):
    time = re.fullmatch(r"([0-9.]+)(ns|us|ms|s)", text)
    return (key + "_ns", round(float(time[1]) * units[time[2]])) if time else (key, int(text))


def split(wish):
    """The parameters, and the two ends, of a wish."""
    ends = {"sut": {}, "tester": {}}
    for key in [key for key in wish if "." in key]:
        side, name = key.split(".")
        ends[side][name] = int(wish[key])
    return dict(param(key, text) for key, text in wish.items() if "." not in key), ends


ask(1, "hello", version=1, tester="operator")
connections = []
for i, wish in enumerate(wishes):
    params, ends = split(wish)
    peer = {"cid": 1000 + i, "function": 7, "req_psn": draw.getrandbits(32), "data_psn": draw.getrandbits(32),
            "rsn": draw.getrandbits(32), **ends["tester"]}
    answer = ask(2 + i, "open", encap="udp", peer_address=tester, peer=peer, local=ends["sut"], params=params)
    if answer.get("ok"):
        connections.append({"sut": answer["local"], "tester": peer, "params": {**params, **answer.get("params", {})}})
with open(path, "w") as out:
    json.dump({"schema": "talon/connections/1", "path": {"lossless_in": True, "lossless_out": True},
               "connections": connections}, out)
for line in stream:  # until the SUT goes
    pass
