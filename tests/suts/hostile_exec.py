#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A child in lockstep that behaves until it does not: hostile_exec.py MODE[=N] COMMAND...

It says what COMMAND (a good child) says, for N lines (default 40), and from there on, by mode: hang (nothing more),
die (it ends), kill (it ends by a signal), flood (events without end), garbage (no JSON), garbage-frames (from the
beginning: noise in place of its frames), none.
"""
import os
import random
import signal
import subprocess
import sys
import threading
import time

mode, _, after = sys.argv[1].partition("=")
after = int(after or 40)
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def feed():
    for line in sys.stdin.buffer:
        child.stdin.write(line)
        child.stdin.flush()
    child.stdin.close()


threading.Thread(target=feed, daemon=True).start()
noise = random.Random(1)
out = sys.stdout.buffer
try:
    for number, line in enumerate(child.stdout):
        if mode == "garbage-frames" and line.startswith(b'{"frame"'):
            size = (len(line) - len(b'{"frame":""}\n')) // 2
            line = b'{"frame":"%s"}\n' % noise.randbytes(size).hex().encode()
        elif number >= after and mode == "hang":
            time.sleep(1000)
        elif number >= after and mode == "die":
            break
        elif number >= after and mode == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif number >= after and mode == "garbage":
            line = b"\x7fELF\x02 segmentation fault {]\n"
        while number >= after and mode == "flood":
            out.write(b'{"seq":1000000,"epoch":1,"event":"dropped","count":1}\n' * 1000)
        out.write(line)
        out.flush()
except BrokenPipeError:
    pass
child.kill()
os._exit(0)
