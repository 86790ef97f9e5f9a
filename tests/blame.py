#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""blame.py [--faults N [--date DAY]] [--only NAME]... [--jobs N] [--write] [--file FILE] TALON - whether the first cause
that a run names is the requirement that the planted fault violates.

Plays the suite against each fault of tests/data/fault-tags.txt and compares the requirement of the first cause with the
requirements of the fault, as the lists of faults had them at commit e30394d (a hash of the file is held here, so that the
tags cannot be changed to suit the figure). Prints a line for each fault that is missed, and the figures:

  first      the first cause names one of the requirements of the fault
  cause      some independent cause does
  alone      no second independent cause is named: the fault is one

tests/data/blame-missed.txt lists the faults whose first cause names another requirement. It is an error if a fault is
missed and not listed, or listed and found. --faults N measures N faults that the day chooses. --write writes the list anew
(the reasons stay)."""
import argparse
import concurrent.futures
import datetime
import hashlib
import os
import re
import subprocess
import sys

TAGS = "tests/data/fault-tags.txt"
HASH = "d516f21769a97d6b1e900738a49880a9078137445f37b86808fc4406f80c02aa"
FILE = "tests/data/blame-missed.txt"
HEAD = """# Planted faults for which the first cause of a run names another requirement than those of the fault
# (tests/blame.py): the fault, the requirement that is named, and what the difference is.
# The differences were read from the evidence of the runs; nobody has verified them fault by fault.
"""
CAUSE = re.compile(r"^(\d+)\. +(?:follows from (\d+):|(FAIL|ERROR|inconclusive|warn)) (?:(\S+), )?(\d+) cases?\.")


def read_tags(path=TAGS):
    """The requirements of each fault; None with a message if the file was changed."""
    with open(path, "rb") as file:
        text = file.read()
    if hashlib.sha256(text).hexdigest() != HASH:
        print(f"error: {path} was changed: its hash is {hashlib.sha256(text).hexdigest()}")
        return None
    rows = [line.split("\t") for line in text.decode().splitlines() if not line.startswith("#")]
    return {name: set(ids.split()) for name, _, ids in rows}


def read_missed(path):
    """What the list says of each fault: the requirement that is named, and why."""
    listed = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, named, why = line.rstrip("\n").split(" ", 2)
                listed[name] = (named, why)
    return listed


def causes(output):
    """The causes of a run: (follows from, verdict, requirement, cases)."""
    found = []
    for line in output.splitlines():
        match = CAUSE.match(line)
        if match:
            found.append((match[2], match[3], match[4] or "-", int(match[5])))
    return found


def play(talon, fault):
    """The causes that a run against the fault names."""
    run = subprocess.run([talon, "run", "scenarios", "--all", "--jobs", "1", "--sut", "builtin:fault=" + fault],
                         capture_output=True, text=True, check=False)
    return fault, causes(run.stdout)


def chosen(faults, count, day):
    """So many of the faults, others each day."""
    if not count:
        return faults
    first = (datetime.date.fromisoformat(day) if day else datetime.date.today()).toordinal() * count
    return [faults[(first + i) % len(faults)] for i in range(min(count, len(faults)))]


class Sums:
    """What has been measured so far."""

    def __init__(self):
        self.faults = self.first = self.cause = self.alone = 0
        self.unseen, self.missed, self.cases = [], {}, 0

    def add(self, fault, tags, found):
        if not found:
            self.unseen.append(fault)
            return
        roots = [c for c in found if c[0] is None and c[1] in ("FAIL", "warn") and c[2] != "-"]
        self.faults += 1
        self.cases += sum(c[3] for c in found)
        self.first += found[0][2] in tags
        self.cause += any(c[2] in tags for c in roots)
        self.alone += len(roots) <= 1
        if found[0][2] not in tags:
            self.missed[fault] = found[0][2]

    def show(self):
        for name, n in (("first", self.first), ("cause", self.cause), ("alone", self.alone)):
            print(f"{name:8}{n} of {self.faults}, {100 * n / max(self.faults, 1):.1f} %")
        print(f"failures: {self.cases}; faults that no case shows: {' '.join(sorted(self.unseen)) or 'none'}")


def compare(sums, listed, asked):
    """The number of differences from the list."""
    wrong = 0
    for fault in asked:
        if fault in sums.missed and fault not in listed:
            print(f"error: {fault}: the first cause names {sums.missed[fault]}, and it is not listed")
            wrong += 1
        if fault in listed and fault not in sums.missed and fault not in sums.unseen:
            print(f"error: {fault}: found, though it is listed: remove the line")
            wrong += 1
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--faults", type=int, default=0)
    options.add_argument("--date")
    options.add_argument("--only", action="append")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--write", action="store_true")
    options.add_argument("--file", default=FILE)
    options.add_argument("talon")
    o = options.parse_args()
    tags = read_tags()
    if tags is None:
        return 1
    unknown = [name for name in o.only or [] if name not in tags]
    if unknown:
        print(f"error: there is no fault {unknown[0]} in {TAGS}")
        return 2
    asked = o.only or chosen(sorted(tags), o.faults, o.date)
    sums, listed = Sums(), read_missed(o.file) if os.path.exists(o.file) else {}
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for fault, found in pool.map(lambda f: play(o.talon, f), asked):
            sums.add(fault, tags[fault], found)
            if fault in sums.missed:
                print(f"{fault:34} names {sums.missed[fault]}; its own: {' '.join(sorted(tags[fault]))}")
    sums.show()
    if o.write:
        with open(o.file, "w", encoding="utf-8") as out:
            out.write(HEAD)
            for fault in sorted(sums.missed):
                out.write(f"{fault} {sums.missed[fault]} {listed.get(fault, ('', '?'))[1]}\n")
        return 0
    return 1 if compare(sums, listed, asked) else 0


if __name__ == "__main__":
    sys.exit(main())
