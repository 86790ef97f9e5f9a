#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bad_exec.py MODE AFTER COMMAND... - a SUT in lockstep that behaves for so many answers, and then does not:
die, hang, flood (lines without end), garble (bytes that are no JSON), bits (one bit of each answer wrong), frames (frames
that are no hex), long (a line without end), half (ends in mid-line), done (answers another message), twice (answers
twice), back (a timer that stays where it is)."""
import subprocess
import sys
import time

mode, after = sys.argv[1], int(sys.argv[2])
sut = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
out, answers, pending = sys.stdout.buffer, 0, []


def answer_of(line):
    """The lines of an answer, once all of it is asked for."""
    sut.stdin.write(line)
    sut.stdin.flush()
    if not any(word in line for word in (b'"begin"', b'"frame"', b'"advance"')):
        return None  # a control line: the advance behind it is answered
    lines = []
    while True:
        said = sut.stdout.readline()
        lines.append(said)
        if not said or said.startswith(b'{"done"'):
            return lines


def misbehave(lines):
    if mode == "die":
        sys.exit(3)
    if mode == "hang":
        time.sleep(1000)
    while mode == "flood":
        out.write(b'{"seq": 1, "epoch": 1, "event": "dropped", "count": 1}\n' * 100)
    if mode == "garble":
        out.write(bytes(range(255, 31, -1)) + b"\n")
    if mode == "frames":
        out.write(b'{"frame": "10f"}\n')
    while mode == "long":
        out.write(b"[" * 4096)
    if mode == "half":
        out.write(b'{"done": "adv')
        out.flush()
        sys.exit(0)
    if mode == "done":
        lines[-1] = b'{"done": "begin", "next_ns": null}\n'
    if mode == "twice":
        lines += [lines[-1]]
    if mode == "back":
        lines[-1] = lines[-1].split(b'"next_ns"')[0] + b'"next_ns": 1}\n'
    if mode == "bits":
        lines = [line[:7] + bytes([line[7] ^ 4]) + line[8:] for line in lines]
    out.write(b"".join(lines))


try:
    for line in sys.stdin.buffer:
        lines = answer_of(line)
        if lines is None:
            continue
        answers += 1
        if answers > after:
            misbehave(lines)
        else:
            out.write(b"".join(lines))
        out.flush()
except (BrokenPipeError, KeyboardInterrupt):
    sys.exit(0)
finally:
    sut.kill()
