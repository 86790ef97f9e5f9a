#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays the suite over simulated networks. What a path does is never the SUT's fault, and it hides few faults.

    networks.py suite TALON                  the networks of tests/data/networks.txt
    networks.py draw  TALON SEED COUNT       random networks
    networks.py lite  TALON SEED COUNT       random networks before the example implementation (examples/lite_sut.so
                                             beside TALON), with and without a declared turnaround
    networks.py power TALON                  the faults of tests/data/reference-faults.txt over the fixed networks
    networks.py check TALON                  the first, a part of the last, and some networks before the example

Prints TAP. A network that goes wrong prints the command that plays it again."""
import collections
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

UNDECIDED_MAX = 0.01  # share of inconclusive cases over a path that keeps everything
POWER_MIN = 0.95
CHECK_PARTS = 6
CHECK_SHARDS = 2
CHECK_LITE = ("far", "all-at-once", "disorder")
DATA = "tests/data/"
Network = collections.namedtuple("Network", "name kind words seed")


def lines_of(name):
    with open(DATA + name, encoding="utf-8") as file:
        return [line.split(None, 2) for line in (raw.strip() for raw in file) if line and not line.startswith("#")]


def fixed():
    return [Network(name, kind, words, 1) for name, kind, words in lines_of("networks.txt")]


# ---- random networks ----

def draw_delay(rng, most_us):
    """0, or a time whose order of magnitude is random."""
    return 0 if rng.random() < 0.2 else min(10 ** rng.uniform(-1, 5), most_us)


def draw_direction(rng, rough):
    words = [f"latency={int(draw_delay(rng, 50000) * 1000)}ns"]
    if rng.random() < 0.6:
        rate = 10 ** rng.uniform(6, 11)
        # A queue that holds all that a scenario sends at once loses nothing.
        words += [f"rate={int(rate)}", f"queue={rng.choice([1, 2, 10]) * 1000000}"]
    if rng.random() < 0.7:
        words.append(f"hops={rng.randint(0, 15)}")
    if rng.random() < 0.7:
        words.append(f"mark={rng.choice([rng.uniform(0, 100), rng.uniform(0, 5), 100]):.3f}%")
    if rng.random() < 0.6:
        words.append(f"mtu={rng.randint(576, 9000)}")
    if not rough:
        return words
    if rng.random() < 0.5:
        words.append(f"jitter={int(draw_delay(rng, 20000) * 1000)}ns")
    for word in ("loss", "duplicate", "reorder", "corrupt"):
        if rng.random() < 0.4:
            words.append(f"{word}={10 ** rng.uniform(-2, 1):.3f}%")
    words.append(f"reorder-by={int(10 ** rng.uniform(0, 4))}us")
    return words


def drawn(seed, count):
    for number in range(count):
        rng = random.Random(f"network {seed} {number}")
        rough = rng.random() < 0.4
        words = [f"{way}:{word}" for way in ("in", "out") for word in draw_direction(rng, rough)]
        yield Network(f"network {number} of seed {seed}", "rough" if rough else "kept", ",".join(words), seed)


# ---- the suite over one network ----

def run(talon, network, what, fault=None, other=()):
    sut = ["--sut", "builtin" if fault is None else f"builtin:fault={fault}"]
    command = [talon, "run", "--verbose", *what, *(other or sut), "--network", network.words, "--seed", str(network.seed)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    return command, out.stdout, out.stderr


def suite_over(talon, network, other=(), part=()):
    """The comments on a network that goes wrong; none: it does not. `other`: the options of another SUT; `part`: those that
    choose a part of the suite."""
    command, out, err = run(talon, network, ["scenarios", "--judge-steps", *part], other=other)
    bad = re.findall(r"^(FAIL|ERROR) +(\S+)", out, re.M)
    undecided = len(re.findall(r"^inconclusive ", out, re.M))
    total = re.search(r"^(\d+) cases:", out, re.M)
    told = [f"{verdict} {case}" for verdict, case in bad]
    if total is None:
        told.append("the run did not end: " + err.strip()[-300:])
    elif network.kind == "kept" and not is_undeclared(other) and undecided > UNDECIDED_MAX * int(total[1]):
        told.append(f"{undecided} of {total[1]} cases are inconclusive, expected at most {UNDECIDED_MAX:.0%}")
    if told:
        told.append("reproduce with: " + " ".join(command).replace(talon, "talon", 1))
    return told


def is_undeclared(other):
    """Whether the SUT declares no turnaround: verdicts that depend on it may be inconclusive."""
    return bool(other) and not any(option.startswith("turnaround=") for option in other)


def workers():
    return ThreadPoolExecutor(max_workers=os.cpu_count() or 1)


def tap(number, ok, name, comments):
    for comment in comments:
        print("# " + comment)
    print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)
    return ok


def play(talon, networks, parts=1):
    """The suite over each network; of several parts each network gets the next one."""
    part = {network.name: ("--shard", f"{i % parts + 1}/{parts}") for i, network in enumerate(networks)}
    with workers() as pool:
        results = pool.map(lambda network: suite_over(talon, network, part=part[network.name]), networks)
        good = [tap(i, not told, f"{network.name} ({network.kind}): no fail, no error", told)
                for i, (network, told) in enumerate(zip(networks, results), 1)]
    return all(good)


# ---- an implementation of another hand ----

def lite(talon, networks, first=1):
    """Each network before the example, with and without a declared turnaround."""
    library = os.path.join(os.path.dirname(talon) or ".", "examples", "lite_sut.so")
    sut = ["--sut", "lib:" + library, "--profile", "docs/examples/lite.json"]
    declared = ["--param", "turnaround=0", "--param", "pipeline=0"]
    jobs = [(network, sut + more) for network in networks for more in (declared, [])]
    with workers() as pool:
        results = pool.map(lambda job: suite_over(talon, *job), jobs)
        good = [tap(i, not told, f"the example, {'un' if is_undeclared(options) else ''}declared, {network.name} "
                                 f"({network.kind}): no fail, no error", told)
                for i, ((network, options), told) in enumerate(zip(jobs, results), first)]
    return all(good)


# ---- power ----

def kills():
    """The scenarios that tell each fault over a network without delay."""
    known = collections.defaultdict(list)
    with open("oracles/catalogue/suite-kills.txt", encoding="utf-8") as file:
        for line in file:
            word = line.split()
            if len(word) >= 3 and word[2] == "fail":
                known[word[0]].append(word[1])
    return known


def files():
    """The file of each scenario."""
    found = {}
    for folder, _, names in os.walk("scenarios"):
        for name in names:
            found[name[:-len(".json")]] = os.path.join(folder, name)
    return found


def some(scenarios, many, where):
    step = max(1, len(scenarios) // many)
    return [where[s] for s in scenarios[::step][:many] if s in where]


def detects(talon, network, fault, known, where):
    """A few scenarios that detect it on an ideal network first; where they do not, the whole suite."""
    for what in (some(known[fault], 4, where), ["scenarios"]):
        if what and re.search(r"^FAIL ", run(talon, network, what, fault)[1], re.M):
            return True
    return False


def power_of(talon, network, faults, pool):
    known, where = kills(), files()
    seen = list(pool.map(lambda fault: detects(talon, network, fault, known, where), faults))
    return [fault for fault, is_seen in zip(faults, seen) if not is_seen]


def power(talon, parts=1, first=1):
    """Of `parts` parts of the faults, each network meets one, and others meet others."""
    faults = [fault[0] for fault in lines_of("reference-faults.txt")]
    listed = {(network, fault) for network, fault, _ in lines_of("faults-lost-on-networks.txt")}
    networks = fixed()
    good = True
    with workers() as pool:
        for number, network in enumerate(networks, first):
            mine = [f for i, f in enumerate(faults) if (i + number) % parts == 0]
            lost = power_of(talon, network, mine, pool)
            told = [f"{fault} is not detected; list it with its reason in {DATA}faults-lost-on-networks.txt"
                    for fault in lost if (network.name, fault) not in listed]
            told += [f"{fault} is detected, and listed as lost" for fault in mine
                     if fault not in lost and (network.name, fault) in listed]
            everything = [f for f in faults if (network.name, f) in listed]
            if len(everything) > (1 - POWER_MIN) * len(faults):
                told.append(f"{len(everything)} of {len(faults)} faults are lost, expected at most {1 - POWER_MIN:.0%}")
            good &= tap(number, not told, f"{network.name}: {len(mine) - len(lost)} of {len(mine)} faults are detected", told)
    return good


def check(talon):
    """What the CI plays."""
    networks = fixed()
    few = [network for network in networks if network.name in CHECK_LITE]
    print(f"1..{2 * len(networks) + 2 * len(few)}")
    good = play(talon, networks, CHECK_SHARDS)
    good &= power(talon, CHECK_PARTS, len(networks) + 1)
    return lite(talon, few, 2 * len(networks) + 1) and good


def main(verb, talon, *rest):
    if verb == "check":
        return check(talon)
    networks = fixed()
    if rest:
        print(f"# seed {rest[0]}")
        networks = list(drawn(int(rest[0]), int(rest[1])))
    print(f"1..{len(networks) * (2 if verb == 'lite' else 1)}")
    if verb == "lite":
        return lite(talon, networks)
    return power(talon) if verb == "power" else play(talon, networks)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
