#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `talon capture to-scenario`: captures of planted bugs become scenarios.

    to_scenario.py TALON [--part I/N] [--faults NAME,...] [--bare] [--least PERCENT] [--median N]

For each fault a case of the suite that detects it is played, in an order drawn from the name of the
fault, until talon check finds a violation in the packets that the run captured. Upper-layer events
of the run are given as --ulp; --bare: the capture is all that is given. Where no capture shows a
violation to talon check, because only a step of the scenario can, --requirement states the one that
the step decides. The scenario must then fail on the fault by that requirement, and pass on the
built-in implementation, when talon run plays it. One line for each fault, and the sum."""
import argparse
import collections
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

TRIES = 12


def words():
    parser = argparse.ArgumentParser()
    parser.add_argument("talon")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--faults")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--median", type=float, default=float("inf"))
    parser.add_argument("--keep", help="directory for the scenarios")
    return parser.parse_args()


def ask(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def read_kills():
    """By fault: (whether it only warns, scenario) of those that detect it, those that fail first."""
    kills = collections.defaultdict(list)
    with open("oracles/catalogue/suite-kills.txt", encoding="utf-8") as file:
        for line in file:
            fault, scenario, verdict = line.split()[:3]
            kills[fault].append((verdict != "fail", scenario))
    for fault, pairs in kills.items():
        random.Random(fault).shuffle(pairs)
        pairs.sort(key=lambda pair: pair[0])
    return kills


def read_files(talon):
    """The file of each scenario: a run of one file does not read the whole suite."""
    listed = json.loads(ask(talon, "list", "scenarios", "--format", "json").stdout)
    return {scenario["id"]: scenario["file"] for scenario in listed}


def count_steps(steps):
    return sum(1 + count_steps(step.get("steps", [])) if isinstance(step, dict) else 1 for step in steps)


def requirements_of(talon, scenario, sut, place):
    """The exit status of a run, and the requirements of its problems."""
    results = os.path.join(place, "results.json")
    status = ask(talon, "run", scenario, "--sut", sut, "--jobs", "1", "--report", "json:" + results).returncode
    with open(results, encoding="utf-8") as file:
        doc = json.load(file)
    problems = [problem for case in doc["cases"] for problem in case.get("problems", [])]
    return status, {problem.get("requirement") for problem in problems + doc.get("causes", [])}


class Fault:
    """What became of one."""

    def __init__(self, name, files):
        self.files, self.name, self.case, self.requirement = files, name, "-", "-"
        self.steps, self.how, self.given = None, "", "found"
        self.wrong = "no case of the suite detects it"

    def convert(self, options, folder, place, requirement=None):
        """Makes the scenario of a case's capture. False: the capture shows no violation."""
        out = os.path.join(options.keep or place, self.name + ".json")
        command = [options.talon, "capture", "to-scenario", os.path.join(folder, "packets.pcapng"),
                   "--sut", "builtin:fault=" + self.name, "--out", out]
        if options.bare:
            command += ["--sut-address", "192.0.2.2"]
        else:
            command += ["--ulp", os.path.join(folder, "timeline.jsonl")]
        if requirement:
            command += ["--requirement", requirement]
        told = ask(*command)
        found = re.search(r"capture: ((?:FTP|RDMA|NVME)-[\w.-]*\d)[ :]", told.stderr)
        if found is None:
            self.wrong = "the capture shows no violation" if told.returncode == 2 else told.stderr.strip()
            return False
        self.case, self.requirement = os.path.basename(folder), found.group(1)
        self.wrong = None if told.returncode == 0 else told.stderr.strip()
        if told.returncode == 0:
            self.how = re.search(r"steps, (\w+)", told.stderr).group(1)
            self.prove(options.talon, out, place)
        return True

    def prove(self, talon, scenario, place):
        with open(scenario, encoding="utf-8") as file:
            doc = json.load(file)
        self.steps = count_steps(doc.get("preamble", []) + doc["steps"])
        _, broken = requirements_of(talon, scenario, "builtin:fault=" + self.name, place)
        status, _ = requirements_of(talon, scenario, "builtin", place)
        if self.requirement not in broken:
            self.wrong = f"the scenario does not violate {self.requirement} on the fault"
        elif status != 0:
            self.wrong = f"the scenario does not pass on the good SUT: exit status {status}"

    def cases_of(self, talon, scenario, warns, place):
        """Plays the scenario: the folders of failed cases, each with the requirement that failed."""
        run = os.path.join(place, scenario)
        ask(talon, "run", self.files[scenario], "--sut", "builtin:fault=" + self.name, "--jobs", "1", "--fail-fast",
            "--keep", "all" if warns else "failed", "--out", run)
        with open(os.path.join(run, "results.json"), encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        detected = [case for case in cases if case["verdict"] in ("fail", "warn")]
        for case in detected[:TRIES]:
            folder = os.path.join(run, case.get("evidence", case["id"]))
            failed = [problem["requirement"] for problem in case.get("problems", []) if "requirement" in problem]
            if os.path.exists(os.path.join(folder, "packets.pcapng")):
                yield folder, failed[0] if failed else None

    def measure(self, options, scenarios):
        """Where no capture shows a violation, the requirement that the run found violated is given."""
        with tempfile.TemporaryDirectory() as place:
            blind = []
            for warns, scenario in scenarios[:TRIES]:
                for folder, requirement in self.cases_of(options.talon, scenario, warns, place):
                    if self.convert(options, folder, place):
                        return
                    blind.append((folder, requirement))
            for folder, requirement in [pair for pair in blind if pair[1]][:1]:
                self.given = "given"
                self.convert(options, folder, place, requirement)


def main():
    options = words()
    kills, files = read_kills(), read_files(options.talon)
    names = [line.split()[0] for line in ask(options.talon, "list", "faults").stdout.splitlines() if line[:1].strip()]
    part, parts = map(int, options.part.split("/"))
    names = options.faults.split(",") if options.faults else names[part - 1::parts]
    faults = []
    for name in names:
        fault = Fault(name, files)
        fault.measure(options, kills[name])
        faults.append(fault)
        print(name, fault.case, fault.given, fault.requirement, fault.steps, fault.how, fault.wrong or "ok", flush=True)
    good = [fault for fault in faults if fault.wrong is None]
    steps = [fault.steps for fault in good]
    given = sum(fault.given == "given" for fault in faults)
    rate, median = 100 * len(good) / len(faults), statistics.median(steps) if steps else 0
    print(f"{len(good)} of {len(faults)} faults ({rate:.1f} %), median of steps {median:g}; requirement given: {given}")
    return 0 if rate >= options.least and median <= options.median else 1


if __name__ == "__main__":
    sys.exit(main())
