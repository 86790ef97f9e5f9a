#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""no_ics.py COMMAND... - a SUT in lockstep that declares nothing: takes the ICS out of its greeting."""
import re
import subprocess
import sys
import threading

sut = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def talk():
    for line in sut.stdout:
        sys.stdout.buffer.write(re.sub(rb'"ics": ?\{[^}]*\}', b'"ics": {}', line))
        sys.stdout.buffer.flush()


threading.Thread(target=talk, daemon=True).start()
for line in sys.stdin.buffer:
    sut.stdin.write(line)
    sut.stdin.flush()
sut.stdin.close()
sut.wait()
