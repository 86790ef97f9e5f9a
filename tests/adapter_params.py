#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays the suite with SUTs that fix one parameter each, whatever the tester wishes.

usage: adapter_params.py [--seed N] [--values N] [--power] [PARAM...]

For each parameter of `talon help defaults` (or those that are named) the built-in SUT uses some other legal values
(--sut builtin:fixed=PARAM=VALUE), drawn from the seed. A case that needs another value must be skipped, and no case may
fail, be an error or be inconclusive. With --power, the faults of tests/data/reference-faults.txt behind some of these
adapters: at least 95 % of them must be detected. Prints TAP.
"""
import argparse
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TALON = os.path.join(os.environ.get("BUILD", "build"), "talon")
SUITE = os.environ.get("SUITE", "scenarios")
# The values of a parameter; of all others, a part or a multiple of the default.
VALUES = {
    "protocol_type": [3],
    "ar_percent": [0, 1, 50, 100],
    "ar_threshold": [0, 1, 63, 64, 200],
    "ooo_threshold": [1, 2, 4, 8, 100],
    "max_attempts": [1, 2, 6, 8, 20, 60],
    "tx_window_req": [1, 2, 8, 63, 64, 127, 256, 1024],
    "tx_window_data": [1, 2, 8, 64, 128, 255, 512],
    "fcwnd": [1, 2, 8, 9, 63, 65, 128, 256],
    "fcwnd_fraction": [1, 512, 1023],
    "ncwnd": [1, 2, 8, 63, 65, 128, 256],
    "xlr_initiator": [2, 3, 1000],
    "xlr_target": [2, 3, 1000],
    "initial_ttl": [1, 32, 63, 128, 255],
    "mtu": [64, 256, 512, 1024, 1448, 1500, 2048, 8192, 9000],
}
POWER_VALUES = ["rto=50ms", "rto=4s", "coalescing=50ms", "coalescing=50us", "max_attempts=3", "initial_rtt=1ms"]
POWER_MIN = 0.95
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def parameters():
    """{name: its default in virtual time, as text} of `talon help defaults`."""
    text = subprocess.run([TALON, "help", "defaults"], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^([a-z_]+) +(\S+)", text, re.M)
    return {name: value for name, value in rows if name != "name"}


def draw(rng, name, default, count):
    """Up to `count` values other than the default."""
    time = re.fullmatch(r"([0-9.]+)(ns|us|ms|s)", default)
    if name in VALUES:
        values = [str(v) for v in VALUES[name]]
    elif default in ("true", "false"):
        values = ["false" if default == "true" else "true"]
    elif time or name.startswith("rto_"):
        ns = float(time.group(1)) * UNITS[time.group(2)] if time else 0
        values = [f"{max(1, int((ns or 10**6) * 10 ** rng.uniform(-2, 2)))}ns" for _ in range(count)]
    elif default == "0" and name in ("packet_gap", "turnaround", "pipeline", "tick"):
        values = [f"{int(10 ** rng.uniform(2, 6))}ns" for _ in range(count)]
    else:
        values = [str(int(2 ** rng.uniform(0, 12))) for _ in range(count)]
    values = [v for v in values if v != default]
    return rng.sample(values, min(count, len(values)))


def play(name, value):
    """None, or what is wrong."""
    run = subprocess.run([TALON, "run", SUITE, "--sut", f"builtin:fixed={name}={value}"], capture_output=True, text=True,
                         check=False)
    last = run.stdout.strip().rsplit("\n", 1)[-1]
    print(f"# {name}={value}: {last}", flush=True)
    if re.search(r" 0 failed", last) and not re.search(r"in error|inconclusive", last):
        return None
    bad = re.findall(r"^(?:FAIL|ERROR|inconclusive) .*", run.stdout, re.M)
    return (run.stderr.strip() or last) + "".join(f"\n# {line}" for line in bad[:10])


def is_detected(fault, fixed):
    sut = f"builtin:fault={fault}:fixed={fixed}"
    run = subprocess.run([TALON, "run", SUITE, "--sut", sut], capture_output=True, text=True, check=False)
    return run.returncode == 1 and re.search(r"^FAIL ", run.stdout, re.M) is not None


def power():
    """The verdict on each of POWER_VALUES, as TAP."""
    with open("tests/data/reference-faults.txt", encoding="utf-8") as file:
        faults = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    bad = 0
    for n, fixed in enumerate(POWER_VALUES, 1):
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            seen = list(pool.map(lambda fault, value=fixed: is_detected(fault, value), faults))
        lost = [fault for fault, yes in zip(faults, seen) if not yes]
        good = len(lost) <= (1 - POWER_MIN) * len(faults)
        bad += not good
        print(f"{'ok' if good else 'not ok'} {n} - faults behind {fixed}: {len(faults) - len(lost)} of {len(faults)} detected"
              + "".join(f"\n# not detected: {fault}" for fault in lost), flush=True)
    print(f"1..{len(POWER_VALUES)}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", type=int, default=3, help="values of each parameter")
    parser.add_argument("--power", action="store_true", help="planted faults behind some of these adapters")
    parser.add_argument("params", nargs="*", metavar="PARAM", help="NAME, or NAME=VALUE")
    options = parser.parse_args()
    if options.power:
        sys.exit(power() > 0)
    rng = random.Random(options.seed)
    known = parameters()
    rows = []
    for param in options.params or known:
        name, _, value = param.partition("=")
        if name not in known:
            sys.exit(f"adapter_params.py: no parameter '{name}' (talon help defaults)")
        rows += [(name, v) for v in ([value] if value else draw(rng, name, known[name], options.values))]
    print(f"# seed {options.seed}")
    bad = 0
    for n, (name, value) in enumerate(rows, 1):
        wrong = play(name, value)
        bad += wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {n} - {name}={value}" + (f"\n# {wrong}" if wrong else ""), flush=True)
    print(f"1..{len(rows)}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
