#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases with conforming devices: no case may fail or be an error.

    random_cases.py TALON SEED RUNS [FIRST [SECONDS]]

Plays the suite RUNS times. Each run draws from its seed (SEED and its number, which begins at FIRST): a network, parameters that the device declares, a parameter that it fixes, conforming variants,
and a delay that it does not declare. Prints TAP, one line for each run; a run that goes wrong prints the command that
plays it again. A run that takes longer than SECONDS (by default 900) is stopped: it is not ok, and the cases that it
played until then count."""
import random
import re
import subprocess
import sys

import networks

TIMEOUT_S = 900
STOPPED = "the run was stopped after"


def time(rng, low, high):
    """A time in nanoseconds between two powers of ten."""
    return f"{int(10 ** rng.uniform(low, high))}ns"


# What a device may declare: the name, and how a value is drawn.
DECLARED = {
    "rto": lambda rng: time(rng, 5, 8),
    "coalescing": lambda rng: time(rng, 3, 6.5),
    "max_attempts": lambda rng: rng.randint(1, 10),
    "ooo_threshold": lambda rng: rng.randint(1, 20),
    "tx_window_req": lambda rng: rng.randint(1, 1024),
    "tx_window_data": lambda rng: rng.randint(1, 1024),
    "fcwnd": lambda rng: rng.randint(1, 256),
    "ncwnd": lambda rng: rng.randint(1, 256),
    "ar_percent": lambda rng: rng.randint(0, 100),
    "ar_threshold": lambda rng: rng.randint(0, 64),
    "initial_rtt": lambda rng: time(rng, 3, 7),
    "replay_margin": lambda rng: time(rng, 4, 7),
    "initial_ttl": lambda rng: rng.choice([16, 32, 64, 128, 255]),
    "mtu": lambda rng: rng.choice([256, 512, 1024, 1448, 2048, 4096, 8192]),
    "transaction_timeout": lambda rng: time(rng, 8, 10),
    "ordered": lambda rng: rng.choice(["true", "false"]),
    "turnaround": lambda rng: time(rng, 0, 5),
    "pipeline": lambda rng: time(rng, 0, 5),
}
# Declared too short, these convict a slow device with reason.
ALLOWANCES = ["turnaround", "pipeline"]
# Conforming variants whose engines delay packets, each by a time of its own (`lanes`) or within the pipeline allowance.
LANES = ["queues-swap", "rx-lanes", "rx-lanes-hashed", "tx-lanes"]
# Resources that a device, or the user, may limit. One packet of the longest MTU takes up to 128 cells.
RESOURCES = {
    "net_pkt_rx": lambda rng: rng.choice([1, 2, 8, 64, 1024]),
    "net_buf_rx": lambda rng: rng.randint(160, 4096),
    "credit_req_pkt_tx": lambda rng: rng.choice([1, 2, 8, 64, 1024]),
    "credit_req_buf_tx": lambda rng: rng.randint(160, 4096),
    "credit_req_pkt_rx": lambda rng: rng.choice([1, 2, 8, 64, 1024]),
    "credit_req_buf_rx": lambda rng: rng.randint(160, 4096),
    "credit_data_pkt_tx": lambda rng: rng.choice([1, 2, 8, 64, 1024]),
    "credit_data_buf_tx": lambda rng: rng.randint(160, 4096),
}
# What a device may fix, whatever the tester wishes.
FIXED = ["rto", "coalescing", "max_attempts", "tx_window_req", "tx_window_data", "fcwnd", "ncwnd", "initial_rtt", "mtu",
         "ar_percent", "ar_threshold", "ooo_threshold", "transaction_timeout", "ordered"]


def draw_slow(rng, twins):
    """A device that does not declare how long it takes. It is one device: all cases have the same variants."""
    lanes = rng.sample(LANES, rng.randint(1, 2)) if rng.random() < 0.5 else []
    others = rng.sample([name for name in twins if name not in LANES], rng.choice([0, 0, 1, 3, 6]))
    sut = [f"delay={time(rng, 0, 7)}"] if not lanes or rng.random() < 0.7 else []
    if lanes + others:
        sut.append("twin=" + ",".join(lanes + others))
    if lanes:
        sut.append(f"lanes={time(rng, 0, 6)}")
    return sut


def draw(seed, number, twins):
    """The options of one run. `twins`: the names of the conforming variants."""
    rng = random.Random(f"cases {seed} {number}")
    sut, options = [], ["--seed", str(rng.randint(1, 10 ** 6))]
    if rng.random() < 0.8:
        words = [f"{way}:{word}" for way in ("in", "out") for word in networks.draw_direction(rng, rng.random() < 0.4)]
        options += ["--network", ",".join(words)]
    declared = sorted(DECLARED)
    slow = rng.random() < 0.15
    if slow:
        sut += draw_slow(rng, twins)
        declared = [name for name in declared if name not in ALLOWANCES]
    drawn = {**DECLARED, **RESOURCES}
    given = rng.sample(declared, rng.randint(0, 3)) + (rng.sample(sorted(RESOURCES), 1) if rng.random() < 0.1 else [])
    for name in given:
        options += ["--param", f"{name}={drawn[name](rng)}"]
    if rng.random() < 0.3:
        names = rng.sample(FIXED + sorted(RESOURCES), rng.choice([1, 1, 2]))
        sut.append("fixed=" + ",".join(f"{name}={drawn[name](rng)}" for name in names))
    # The lanes of these are as late as the declared pipeline allowance says.
    if rng.random() < 0.7 and not slow:
        sut.append("twin=random")
    return ["--sut", "builtin" + (":" + ":".join(sut) if sut else ""), *options]


def twins_of(talon):
    out = subprocess.run([talon, "list", "twins"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in out.stdout.splitlines()]


def output_of(command, seconds):
    """What the command prints, and what to say if it did not end well. It is stopped after `seconds`."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, err = process.communicate(timeout=seconds)
            return out, "the run did not end: " + err.strip()[-300:]
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            return out, f"{STOPPED} {seconds} s"


def run(talon, seed, number, twins, seconds):
    """How many cases were played, and comments on what went wrong."""
    command = [talon, "run", "--verbose", "scenarios", *draw(seed, number, twins)]
    out, why = output_of(command, seconds)
    told = [f"{verdict} {case}" for verdict, case in re.findall(r"^(FAIL|ERROR) +(\S+)", out, re.M)]
    total = re.search(r"^(\d+) cases:", out, re.M)
    cases = int(total[1]) if total else len(re.findall(r"^(?:pass|warn|inconclusive|FAIL|ERROR) ", out, re.M))
    if total is None:
        told.append(why)
    if told:
        told = told[:20] + ["reproduce with: " + " ".join(command).replace(talon, "talon", 1)]
    return cases, told


def main(talon, seed, runs, first="0", seconds=TIMEOUT_S):
    played, bad, stopped = 0, 0, 0
    numbers = range(int(first), int(first) + int(runs))
    twins = twins_of(talon)
    print(f"# seed {seed}")
    print(f"1..{len(numbers)}")
    with networks.workers() as pool:
        results = pool.map(lambda number: run(talon, seed, number, twins, int(seconds)), numbers)
        for at, (number, (cases, told)) in enumerate(zip(numbers, results), 1):
            played += cases
            bad += bool(told)
            stopped += any(line.startswith(STOPPED) for line in told)
            networks.tap(at, not told, f"random cases, run {number}", told)
    print(f"# {played} cases, {bad} runs with a fail or an error or stopped, {stopped} of them stopped")
    return bad == 0


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
