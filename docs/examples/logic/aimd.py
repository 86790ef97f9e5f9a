#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The logic of aimd.c as a program for exec:. It reads a line of JSON for each call and answers
with the members of the flow that it changes. Its own state is in "user", as hex digits, so that
one program can serve many flows."""
import json
import sys


def words(text):
    """The first three numbers of the user state: acked, dup, end."""
    return [int(text[i : i + 8], 16) for i in (0, 8, 16)]


def pack(state):
    return "".join(f"{n & 0xFFFFFFFF:08x}" for n in state)


def before(a, b):
    return (a - b) & 0x80000000 != 0


def incoming(flow, given, config):
    acked, dup, end = words(flow["user"])
    answer = {}
    if given["kind"] != "ack":
        return answer
    if given["newly_acked"] > 0:
        acked, dup = acked + given["newly_acked"], 0
        if acked >= flow["wnd"]:
            acked, answer["wnd"] = 0, flow["wnd"] + 1
        in_flight = flow["wnd_start"] != flow["next_new"]
        answer["rtx_timer_ns"] = given["now_ns"] + flow["rto_ns"] if in_flight else 0
    else:
        dup += 1
        if dup == config["dup_threshold"] and not before(given["cum"], end):
            answer["wnd"], end = max(2, flow["wnd"] // 2), flow["next_new"]
            answer["mark"] = [[given["cum"], given["cum"] + 1]]
    answer["user"] = pack((acked, dup, end))
    return answer


def periodic(flow, given):
    if given["kind"] != "timeout":
        return {}
    return {"wnd": 1, "user": pack((0, 0, flow["next_new"])), "timeouts": flow["timeouts"] + 1,
            "mark": [[flow["wnd_start"], flow["next_new"]]],
            "rtx_timer_ns": given["now_ns"] + flow["rto_ns"]}


def main():
    config = {}
    for line in sys.stdin:
        call = json.loads(line)
        if call["do"] == "hello":
            answer = {"abi": 1, "name": "aimd-py", "credit": "window"}
        elif call["do"] == "init":
            config = call["config"]
            answer = {"wnd": config["initial_window"],
                      "user": pack((0, 0, call["flow"]["next_new"]))}
        elif call["do"] == "incoming":
            answer = incoming(call["flow"], call["in"], config)
        else:
            answer = periodic(call["flow"], call["in"])
        print(json.dumps(answer), flush=True)


main()
