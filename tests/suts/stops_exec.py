#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stops_exec.py HOW@WHEN COMMAND... - a SUT in lockstep that does what COMMAND does, and stops.

HOW: signal, exit, exit0, hang, nonsense (a line that is no JSON), close (its output, and lives on).
WHEN: a number (that frame, from 1), malformed (the first frame of another version), time (an advance
after a frame), a verb (that command), once-N (as N, if the file $ONCE does not exist yet)."""
import json
import os
import signal
import subprocess
import sys
import time

how, when = sys.argv[1].split("@")
sut = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
frames = 0


def stop():
    if when.startswith("once-"):
        if os.path.exists(os.environ["ONCE"]):
            return
        open(os.environ["ONCE"], "w").close()
    print("the SUT stops now:", how, file=sys.stderr, flush=True)
    if how == "signal":
        sut.kill()
        os.kill(os.getpid(), signal.SIGSEGV)
    if how.startswith("exit"):
        sut.kill()
        os._exit(3 if how == "exit" else 0)
    if how == "close":
        sys.stdout.buffer.flush()
        os.close(1)
    if how in ("hang", "close"):
        time.sleep(1000)
    sys.stdout.buffer.write(b"\x7fELF no JSON\n")
    sys.stdout.buffer.flush()


for line in sys.stdin.buffer:
    what = json.loads(line)["do"]
    if what == "frame":
        frames += 1
        if when in (str(frames), "once-%d" % frames):
            stop()
        if when == "malformed" and json.loads(line)["bytes"][:1] != "1":
            stop()
    if what == when or (when == "time" and what == "advance" and frames > 0):
        stop()
    sut.stdin.write(line)
    sut.stdin.flush()
    if what not in ("begin", "frame", "advance"):
        continue  # the advance behind it is answered
    while True:
        said = sut.stdout.readline()
        sys.stdout.buffer.write(said)
        if not said or said.startswith(b'{"done"') or said.startswith(b'{"done":'):
            break
    sys.stdout.buffer.flush()
