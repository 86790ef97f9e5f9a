#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""other_swift.py RUE.so COMMAND... - a SUT in lockstep whose Swift is of another hand: COMMAND is the datapath (`talon sut
--lockstep --cc gen1-lsb`), and the library, which exports the functions of talon_rue.h, is its Rate Update Engine."""
import ctypes
import json
import subprocess
import sys


class Param(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double)]


class Api(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int),
                ("configure", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(Param), ctypes.c_size_t)),
                ("process", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_char_p))]


library = ctypes.CDLL(sys.argv[1])
library.talon_rue_api_v1.restype = ctypes.POINTER(Api)
api = library.talon_rue_api_v1().contents
sut = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ids, seen, last_id, epoch = {}, set(), 0, 1  # ids: of commands to the datapath, and those of the tester


def command(line, old):
    global last_id
    last_id += 1
    ids[last_id] = old
    sut.stdin.write(json.dumps({**line, "id": last_id, "epoch": epoch}) + "\n")


def configure(params):
    table = (Param * len(params))(*[Param(name.encode(), value) for name, value in params.items()])
    if api.configure(b"gen1-lsb", table, len(params)) != 0:
        sys.exit("the engine refuses its parameters")


def result_of(event):
    result = ctypes.create_string_buffer(64)
    entry = bytes.fromhex(event["entry"])
    if api.process(int(event["conn"] not in seen), event["now_ticks"], entry, result) != 0:
        sys.exit("the engine has no result")
    seen.add(event["conn"])
    return result.raw.hex()


def answers(message):
    """Gives the datapath a message, and the results of the events that follow, until there are none."""
    now = message.get("at_ns", message.get("until_ns", 0))
    sut.stdin.write(json.dumps(message) + "\n")
    while True:
        results = 0
        sut.stdin.flush()
        for text in sut.stdout:
            line = json.loads(text)
            if "done" in line:
                break
            if line.get("event") == "cc":
                command({"do": "cc_result", "entry": result_of(line)}, None)
                results += 1
            elif "id" in line:
                old = ids.pop(line["id"])
                if old is not None:  # not a command of this program
                    print(json.dumps({**line, "id": old}))
            else:
                print(text, end="")
        if results == 0:
            return line["next_ns"]
        sut.stdin.write(json.dumps({"do": "advance", "until_ns": now}) + "\n")


for text in sys.stdin:
    message = json.loads(text)
    if message["do"] in ("begin", "frame", "advance"):
        done = answers(message)
        print(json.dumps({"done": message["do"], "next_ns": done}), flush=True)
        continue
    if message["do"] == "cc_config":
        configure(message["params"])
    command(message, message["id"])
    if message["do"] == "open":
        command({"do": "cc_engine", "who": "tester"}, None)
