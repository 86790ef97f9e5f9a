#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays the suite with SUTs that fix parameters, whatever the tester wishes.

usage: adapter_params.py [--seed N] [--values N] [--pairs N] [--given] [--power] [PARAM...]

For each parameter of `talon help defaults` (or those that are named) the built-in SUT uses some other legal values
(--sut builtin:fixed=PARAM=VALUE), drawn from the seed. A case that needs another value must be skipped, and no case may
fail, be an error or be inconclusive. With --pairs, SUTs that fix two parameters each, many at their least or greatest
value. With --given, the user gives the value (--param): no case may fail or be an error. With --power, the faults of
tests/data/reference-faults.txt behind such adapters: of those that are detected without, at least 95 % must be detected
behind each (POWER_MIN_OF). Prints TAP.
"""
import argparse
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "networks"))
import networks  # noqa: E402 - found by the line above

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
    "net_pkt_rx": [1, 2, 8, 64],
    "net_buf_rx": [32, 33, 64, 1024],
    "credit_req_pkt_tx": [1, 2, 8, 64],
    "credit_req_buf_tx": [32, 33, 64, 1024],
    "credit_req_pkt_rx": [1, 2, 8, 64],
    "credit_req_buf_rx": [32, 33, 64, 1024],
    "credit_data_pkt_tx": [1, 2, 8, 64],
    "credit_data_buf_tx": [32, 33, 64, 1024],
}
# Two of these contradict each other, or have no meaning without a third.
UNPAIRED = ("rto_varies", "rto_lo", "rto_hi")
# For --power: at least one moderate value of each parameter.
POWER_VALUES = [
    "ordered=false", "rack_tlp=true", "protocol_type=3", "rto=50ms", "rto=4s", "coalescing=50ms", "coalescing=50us",
    "ooo_threshold=8", "max_attempts=3", "tx_window_req=1024", "tx_window_data=512", "fcwnd=256", "fcwnd_fraction=512",
    "ncwnd=256", "packet_gap=10us", "ar_threshold=63", "ar_percent=50", "xlr_initiator=1000", "xlr_target=1000",
    "flow_control=false", "credit_req_pkt_tx=64", "credit_req_buf_tx=4096", "credit_req_pkt_rx=64",
    "credit_req_buf_rx=4096", "credit_data_pkt_tx=64", "credit_data_buf_tx=4096", "net_pkt_rx=64", "net_buf_rx=4096",
    "initial_rtt=1ms", "turnaround=10us", "pipeline=10us", "replay_margin=1ms", "initial_ttl=128", "mtu=2048",
    "transaction_timeout=10s", "tick=10us", "rto_varies=true", "resync_vendor=true",
]
# These say nothing unless the RTO varies.
POWERLESS = {"rto_lo", "rto_hi"}
POWER_MIN = 0.95
# A quarter of the cases needs an ordered connection, and some faults violate its order alone. Where the RTO varies, a
# step that is missed after a copy was due may be missed because of the RTO, so only the rules fail such a SUT.
POWER_MIN_OF = {"ordered=false": 0.93, "rto_varies=true": 0.93}
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


def draw_pairs(rng, known, count):
    """Values of two parameters each, as NAME=VALUE,NAME=VALUE. Half of the values are extreme ones."""
    names = [name for name in known if name not in UNPAIRED]
    pairs = []
    for _ in range(count):
        values = []
        for name in rng.sample(names, 2):
            some = VALUES.get(name)
            extreme = some is not None and rng.random() < 0.5
            values.append(f"{name}={rng.choice((min(some), max(some))) if extreme else draw(rng, name, known[name], 1)[0]}")
        pairs.append(",".join(values))
    return pairs


def play(fixed, given):
    """None, or what is wrong. `fixed`: NAME=VALUE,... of the SUT, or `given` by the user."""
    options = ["--sut", "builtin"] if given else ["--sut", f"builtin:fixed={fixed}"]
    options += [word for param in fixed.split(",") for word in ("--param", param)] if given else []
    run = subprocess.run([TALON, "run", "--verbose", SUITE, *options], capture_output=True, text=True, check=False)
    last = run.stdout.strip().rsplit("\n", 1)[-1]
    print(f"# {fixed}: {last}", flush=True)
    if re.search(r" 0 failed", last) and not re.search("in error" if given else "in error|inconclusive", last):
        return None
    bad = re.findall(r"^(?:FAIL|ERROR|inconclusive) .*", run.stdout, re.M)
    return (run.stderr.strip() or last) + "".join(f"\n# {line}" for line in bad[:10])


def is_detected(fault, fixed, known, where):
    """A few scenarios that detect it without the value first; where they do not, the whole suite. `fixed`: or ""."""
    sut = f"builtin:fault={fault}" + (f":fixed={fixed}" if fixed else "")
    for what in (networks.some(known[fault], 4, where), [SUITE]):
        run = subprocess.run([TALON, "run", "--verbose", *what, "--sut", sut], capture_output=True, text=True, check=False)
        if what and run.returncode == 1 and re.search(r"^FAIL ", run.stdout, re.M):
            return True
    return False


def lost_behind(fixed, faults, known, where):
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        seen = list(pool.map(lambda fault: is_detected(fault, fixed, known, where), faults))
    return [fault for fault, yes in zip(faults, seen) if not yes]


def power(values):
    """The verdict on each of the values, as TAP."""
    names = {value.split("=")[0] for value in POWER_VALUES}
    without = sorted(set(parameters()) - names - POWERLESS)
    if without:
        sys.exit(f"adapter_params.py: no value of {', '.join(without)} in POWER_VALUES; add one")
    known, where = networks.kills(), networks.files()
    faults = [words[0] for words in networks.lines_of("reference-faults.txt")]
    lost = lost_behind("", faults, known, where)
    print(f"# without a fixed parameter: {len(faults) - len(lost)} of {len(faults)} detected", flush=True)
    faults = [fault for fault in faults if fault not in lost]
    bad = 0
    for n, fixed in enumerate(values or POWER_VALUES, 1):
        lost = lost_behind(fixed, faults, known, where)
        good = len(faults) - len(lost) >= POWER_MIN_OF.get(fixed, POWER_MIN) * len(faults)
        bad += not good
        print(f"{'ok' if good else 'not ok'} {n} - faults behind {fixed}: {len(faults) - len(lost)} of {len(faults)} detected"
              + "".join(f"\n# not detected: {fault}" for fault in lost), flush=True)
    print(f"1..{len(values or POWER_VALUES)}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", type=int, default=3, help="values of each parameter")
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="N SUTs that fix two parameters each")
    parser.add_argument("--given", action="store_true", help="the user gives the values, with --param")
    parser.add_argument("--power", action="store_true", help="planted faults behind some of these adapters")
    parser.add_argument("params", nargs="*", metavar="PARAM", help="NAME, or NAME=VALUE")
    options = parser.parse_args()
    if options.power:
        sys.exit(power(options.params) > 0)
    rng = random.Random(options.seed)
    known = parameters()
    rows = draw_pairs(rng, known, options.pairs)
    for param in options.params or ([] if options.pairs else known):
        name, _, value = param.partition("=")
        if name not in known:
            sys.exit(f"adapter_params.py: no parameter '{name}' (talon help defaults)")
        rows += [f"{name}={v}" for v in ([value] if value else draw(rng, name, known[name], options.values))]
    print(f"# seed {options.seed}")
    bad = 0
    for n, fixed in enumerate(rows, 1):
        wrong = play(fixed, options.given)
        bad += wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {n} - {fixed}" + (f"\n# {wrong}" if wrong else ""), flush=True)
    print(f"1..{len(rows)}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
