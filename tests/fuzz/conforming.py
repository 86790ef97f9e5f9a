#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stateful fuzzer against conforming devices: each finding is a false one.

    conforming.py sweep TALON SEED RUNS [FIRST]    RUNS searches by `talon fuzz`; their numbers begin at FIRST
    conforming.py check TALON                      a small sweep, and what it must find in devices with a planted fault

Each search draws from SEED and its number: conforming variants with the values that they need, or a delay or lanes that the
device does not declare; parameters that it declares; one that it fixes; an encapsulation; the network and the traffic of the
scenario from which the search begins, or a chapter of the suite; and the seed of the search. Prints TAP, one line for each
search; a search with a finding prints the findings and the command that repeats it."""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "networks"))
import networks  # noqa: E402
import random_cases  # noqa: E402

ENGINE, WITHOUT_ENGINE = "10.3-rue", "10-congestion" # needs cc=swift, which no device here has; plays instead of it
TIMEOUT_S = 900
EXECUTIONS = 4000
EXECUTIONS_CHECK = 1000
SEARCHES_CHECK = 4
SEED_CHECK = 1
# Faults that a thousand executions find in any draw: they show in each connection with traffic, whatever the variants are.
FAULTS_CHECK = ["psn-skipped", "rx-bitmap-shifted", "duplicate-delivered"]
# Values without which a variant does nothing of its own.
NEEDS = {
    "queues-swap": lambda rng: {"pipeline": random_cases.time(rng, 2, 5)},
    "rx-lanes": lambda rng: {"pipeline": random_cases.time(rng, 2, 5)},
    "rx-lanes-hashed": lambda rng: {"pipeline": random_cases.time(rng, 2, 5)},
    "tx-lanes": lambda rng: {"pipeline": random_cases.time(rng, 2, 5)},
    "timers-grid": lambda rng: {"tick": random_cases.time(rng, 2, 4)},
    "timers-wheel": lambda rng: {"tick": random_cases.time(rng, 2, 4)},
    "clock-coarse": lambda rng: {"tick": random_cases.time(rng, 2, 4)},
    "rto-varies": lambda rng: {"rto_varies": "true", "rto_lo": random_cases.time(rng, 5, 6),
                               "rto_hi": random_cases.time(rng, 6, 6.6)},
}
READINGS = "tests/data/readings.txt"
ENCAPSULATIONS = ["psp_transport", "psp_tunnel", "esp_transport", "esp_tunnel"]
SHARES = ["0.2%", "1%", "3%", "10%"]
# The search adds steps.
PLAIN = {"schema": "talon/scenario/1", "id": "fuzz", "title": "Traffic over a drawn network",
         "purpose": "The start of a search; the rules judge.", "class": "inopportune", "covers": ["FTP-6.1.1-02"],
         "version": 1, "tags": ["fuzz"], "steps": [{"wait": "1us"}]}
# One search. `scenario`: the scenario from which it begins, or None.
Search = collections.namedtuple("Search", "number sut options scenario")


def draw_path(rng):
    path = {}
    if rng.random() < 0.8:
        path["latency"] = random_cases.time(rng, 2, 6)
    if rng.random() < 0.4:
        path["jitter"] = random_cases.time(rng, 2, 5)
    for name in ("loss", "duplicate", "reorder"):
        if rng.random() < 0.25:
            path[name] = rng.choice(SHARES)
    if "reorder" in path:
        path["reorder_by"] = random_cases.time(rng, 3, 5)
    return path


def draw_traffic(rng):
    return {"side": rng.choice(["sut", "tester"]), "count": rng.choice([2, 8, 8, 20, 70]),
            "pulls": rng.choice(["0%", "30%", "50%", "100%"]), "length": rng.choice(["64", "1..4096", "4097"])}


def draw_scenario(rng):
    return {**PLAIN, "impair": {way: draw_path(rng) for way in ("to_sut", "from_sut")},
            "workload": [draw_traffic(rng) for _ in range(rng.randint(1, 3))]}


def draw_sut(rng, twins):
    """The parts of --sut, and the parameters that the variants need."""
    if rng.random() < 0.2:
        return random_cases.draw_slow(rng, twins), {}
    names = rng.sample(twins, rng.choice([0, 1, 1, 2, 3, 6]))
    params = {}
    for name in names:
        params.update(NEEDS.get(name, lambda _: {})(rng))
    return (["twin=" + ",".join(names)] if names else []), params


def draw(seed, number, twins, fault=None):
    rng = random.Random(f"fuzz {seed} {number}")
    sut, params = draw_sut(rng, twins)
    slow = any(part.startswith(("delay=", "lanes=")) for part in sut)
    names = sorted(name for name in random_cases.DECLARED if not (slow and name in random_cases.ALLOWANCES))
    if rng.random() < 0.4: # promises are only asked for where the parameters are the defaults
        for name in rng.sample(names, rng.randint(1, 3)):
            params.setdefault(name, random_cases.DECLARED[name](rng))
    if rng.random() < 0.2:
        name = rng.choice(random_cases.FIXED)
        sut.append(f"fixed={name}={random_cases.DECLARED[name](rng)}")
    options = [word for name, value in params.items() for word in ("--param", f"{name}={value}")]
    if rng.random() < 0.3:
        encapsulation = rng.choice(ENCAPSULATIONS)
        if any("tunnels-refused" in part for part in sut):
            encapsulation = encapsulation.replace("tunnel", "transport")
        options += ["--encap", encapsulation]
    start = rng.random()
    if start < 0.3:
        chapters = sorted(name for name in os.listdir("scenarios") if name[0].isdigit())
        chapter = rng.choice(chapters)
        options.append("scenarios/" + (WITHOUT_ENGINE if chapter == ENGINE else chapter))
    options += ["--seed", str(rng.randint(1, 10 ** 6))]
    if fault is not None:
        sut.insert(0, f"fault={fault}")
    return Search(number, ":".join(["builtin", *sut]), options, draw_scenario(rng) if 0.3 <= start < 0.7 else None)


def rules_that_warn(sut):
    """The rules that warn of its variants, which take another reading of an unclear sentence (READINGS)."""
    with open(READINGS, encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    variants = {name for part in sut.split(":") if part.startswith("twin=") for name in part[len("twin="):].split(",")}
    return {row[2] for row in rows if len(row) > 3 and row[1] in variants and row[2] not in ("none", "unit", "silent")}


def judge(out, executions, warners=()):
    """What is wrong with the output of a search, as comments. `out`: status, stdout and stderr. `warners`: rules that may
    warn."""
    found = [line.split() for line in out.stdout.splitlines() if re.match(r"(FAIL|warn|ERROR) ", line)]
    told = [" ".join(words) for words in found if words[0] != "warn" or words[1] not in warners]
    done = re.search(r"^(\d+) executions .*; (\d+) findings? ", out.stdout, re.M)
    if done is None or int(done[1]) < executions:
        told.append(f"the search did not end (status {out.returncode}): " + out.stderr.strip()[-300:])
    elif not told and (int(done[2]) > len(found) or out.returncode != 0):
        told.append(f"status {out.returncode}, {done[2]} findings")
    return told


def play(talon, search, executions):
    """Comments on a search that went wrong, and its command; none: it found nothing."""
    options = ["--execs", str(executions), "--jobs", "1", "--quiet"]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        if search.scenario is not None:
            json.dump(search.scenario, file)
            file.flush()
            options.append(file.name)
        command = [talon, "fuzz", "--sut", search.sut, *search.options, *options]
        out = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    told = judge(out, executions, rules_that_warn(search.sut))
    if told:
        told.append("reproduce with: " + " ".join(command).replace(talon, "talon", 1))
        if search.scenario is not None:
            told.append(f"where {file.name} is: {json.dumps(search.scenario)}")
    return told


def sweep(talon, seed, numbers, executions):
    twins = random_cases.twins_of(talon)
    bad = 0
    print(f"# seed {seed}")
    with networks.workers() as pool:
        results = pool.map(lambda number: play(talon, draw(seed, number, twins), executions), numbers)
        for line, (number, told) in enumerate(zip(numbers, results), 1):
            bad += bool(told)
            networks.tap(line, not told, f"the fuzzer finds nothing in a conforming device, search {number}", told)
    print(f"# {len(numbers)} searches of {executions} executions, {bad} with a finding")
    return bad == 0


def is_found(talon, fault, number, twins):
    """Whether the search of a device with a fault ends with a finding, and names the command."""
    told = play(talon, draw(SEED_CHECK, number, twins, fault), EXECUTIONS_CHECK)
    return any(re.match(r"(FAIL|warn) ", line) for line in told) and told[-1].startswith(("reproduce", "where"))


def check(talon):
    """A sweep that finds nothing is worth something only if it would: the same draws with a fault give a finding."""
    twins = random_cases.twins_of(talon)
    numbers = range(SEARCHES_CHECK)
    print(f"1..{len(numbers) + len(FAULTS_CHECK) + 1}")
    good = sweep(talon, SEED_CHECK, numbers, EXECUTIONS_CHECK)
    line = len(numbers)
    for number, fault in enumerate(FAULTS_CHECK):
        line += 1
        good &= networks.tap(line, is_found(talon, fault, number, twins), f"the sweep finds {fault}", [])
    lost = play(talon, Search(0, "builtin", ["--no-such-option"], None), 1)
    return good & networks.tap(line + 1, bool(lost), "a search that does not end is not taken for one that finds nothing", lost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["sweep", "check"])
    parser.add_argument("talon")
    parser.add_argument("seed", nargs="?", type=int, default=SEED_CHECK)
    parser.add_argument("runs", nargs="?", type=int, default=100)
    parser.add_argument("first", nargs="?", type=int, default=0)
    o = parser.parse_args()
    if o.what == "check":
        return 0 if check(o.talon) else 1
    print(f"1..{o.runs}")
    return 0 if sweep(o.talon, o.seed, range(o.first, o.first + o.runs), EXECUTIONS) else 1


if __name__ == "__main__":
    sys.exit(main())
