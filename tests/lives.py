#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lives.py [--faults N] [--date DAY] [--jobs N] [--write] TALON - what is found of planted faults that act seldom or late.

Three forms of each fault:
  one-in=20    in the default suite, with a new SUT for each case, as users run it
  one-in=1000  in the soak part: one SUT plays the cases in which the fault has an opportunity, and those of the soak
  from=300     profile, each again and again with new seeds, until the fault has had at least 6,000 opportunities

A fault that a rule only warns of is found if there is a warning: the SUT without faults gets none. Prints a line for each
fault that is missed, with the opportunities that it had and how often it acted, and compares them with
tests/data/lives-not-caught.txt, which has the reasons; --write writes that file anew and keeps the reasons. Fails if
less than 90 % (one-in=20) or 95 % are found. With --faults N, N faults that the day chooses are measured; of so few at least
75 % must be found."""
import argparse
import concurrent.futures
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

LEAST = {"one-in=20": 90, "one-in=1000": 95, "from=300": 95}
LEAST_OF_FEW = 75
ENOUGH = 6000  # so that one-in=1000 surely acts
IDS_MAX = 400  # beyond it the whole suite is played
REPEATS_MAX = 1000  # of talon run --repeat
FILE = "tests/data/lives-not-caught.txt"
NEVER = "from=4294967295"  # counts opportunities, and never acts
LONG = ["--tag", "soak", "--life", "1000000"]


def run(talon, fault, *more):
    """The exit status and the last line."""
    where = "scenarios/soak" if "soak" in more else "scenarios"
    done = subprocess.run([talon, "run", where, "--sut", "builtin:fault=" + fault, "--jobs", "1", *more],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True)
    return done.returncode, done.stdout.rstrip().rsplit("\n", 1)[-1]


def is_found(talon, fault, *more):
    status, line = run(talon, fault, "--fail-fast", *more)
    return status == 1 or " with a warning" in line


def counts(talon, fault, *more):
    """Opportunities, acts, and the cases with opportunities."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run(talon, fault, "--report", "json:" + out.name, *more)
        cases = json.load(open(out.name))["cases"]
    return (sum(c.get("fault_opportunities", 0) for c in cases), sum(c.get("fault_acts", 0) for c in cases),
            [c["id"] for c in cases if c.get("fault_opportunities")])


def soak_options(chances, ids):
    """How the soak part plays these cases: of repeated cases results count one play, so `chances` is that of one."""
    rounds = min(max(-(-ENOUGH // max(chances, 1)), 2), REPEATS_MAX)
    names = [word for case in ids for word in ("--id", case)] if len(ids) <= IDS_MAX else []
    return names + ["--life", "1000000", "--repeat", str(rounds)]


def measure(talon, name):
    """For each form: found, opportunities, acts."""
    out = {}
    chances, _, ids = counts(talon, name + ":" + NEVER)
    if not ids:
        return name, {form: (False, 0, 0) for form in LEAST}
    played = {"one-in=20": []}
    played["one-in=1000"] = played["from=300"] = soak_options(chances, ids)
    for form, options in played.items():
        fault = name + ":" + form
        found = (form != "one-in=20" and is_found(talon, fault, *LONG)) or is_found(talon, fault, *options)
        out[form] = (found, *((0, 0) if found else counts(talon, fault, *options)[:2]))
    return name, out


def read():
    """{(fault, form): reason}"""
    listed = {}
    for line in open(FILE) if os.path.exists(FILE) else []:
        words = line.rstrip("\n").split(None, 4)
        if words and not line.startswith("#"):
            listed[words[0], words[1]] = words[4] if len(words) > 4 else "?"
    return listed


def write(missed, listed):
    with open(FILE, "w") as out:
        out.write("# Faults that are missed when they act seldom or late (tests/lives.py): name, form, opportunities, acts, reason.\n"
                  "# Written by tests/lives.py --write.\n")
        for (name, form), (chances, acts) in sorted(missed.items()):
            reason = listed.get((name, form)) or next((r for (n, _), r in listed.items() if n == name), "?")
            out.write("%-32s %-12s %7d %6d  %s\n" % (name, form, chances, acts, reason))


def choose(names, o):
    if not o.faults:
        return names
    day = datetime.date.fromisoformat(o.date).toordinal() if o.date else datetime.date.today().toordinal()
    return [names[(day * o.faults + i) % len(names)] for i in range(o.faults)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--date")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("talon")
    o = parser.parse_args()
    listing = subprocess.run([o.talon, "list", "faults"], stdout=subprocess.PIPE, check=True, text=True).stdout
    names, listed, missed, bad = choose([line.split()[0] for line in listing.splitlines()], o), read(), {}, False
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for name, forms in pool.map(lambda n: measure(o.talon, n), names):
            for form, (found, chances, acts) in forms.items():
                if found:
                    continue
                missed[name, form] = (chances, acts)
                print("missed %s:%s, %d opportunities, %d acts: %s" %
                      (name, form, chances, acts, listed.get((name, form), "not listed")), flush=True)
    for form, least in LEAST.items():
        found = len(names) - sum(f == form for _, f in missed)
        print("%-12s %d of %d found, %.1f %%" % (form, found, len(names), 100 * found / len(names)))
        least = LEAST_OF_FEW if o.faults else least
        if 100 * found < least * len(names):
            print("too few: at least %d %% are due" % least)
            bad = True
    if o.write:
        write(missed, listed)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
