#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lives.py [--faults N [--date DAY] [--seconds S]] [--only NAME]... [--form FORM]... [--write] TALON - what is found of planted faults
that act seldom or late.

Three forms of each fault:
  one-in=20    in the default suite, with a new SUT for each case, as users run it
  one-in=1000  in the soak part: one SUT plays the scenarios that show the fault when it always acts (suite-kills.txt; the
  from=300     others cannot show it), each again and again with new seeds; another SUT plays the scenarios of the soak
               profile; and other SUTs the former with other seeds, until the fault is found or has had at least 30,000
               opportunities

A fault that a rule only warns of is found if there is a warning: the SUT without faults gets none.

tests/data/lives-not-caught.txt lists what is missed, with the opportunities, the acts and the reason. It is an error if a
fault is missed and not listed, or listed and found. Which of its opportunities a fault takes is a matter of chance, and
changes with every change of the suite: it is an error only if two other seeds say the same. It is also an error if less
than 90 % (one-in=20) or 95 % are found with the first seed, a reason is missing, or a fault had less than 3,000
opportunities in the soak part and the reason does not begin with "few opportunities:".

--faults N measures N faults in one form each, which the day chooses, so that each comes once in a while; those that the
file lists are left out. With --seconds S none but the first four is begun after S seconds. --dry-run names them. --write
measures and writes the file anew; it keeps the reasons, and writes ? for those that are missing."""
import argparse
import concurrent.futures
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

SUITE_FORM = "one-in=20"
LEAST = {SUITE_FORM: 90, "one-in=1000": 95, "from=300": 95}
FILE = "tests/data/lives-not-caught.txt"
KILLS = "oracles/catalogue/suite-kills.txt"
FEW = "few opportunities:"

DUE = 3000  # opportunities that a fault of the soak part must have had before it counts as missed
ENOUGH = 30000  # opportunities after which a fault counts as missed
PLAYS_MAX = 30000  # plays of cases after which it does if it had those that are due
ROUNDS = 4  # plays of each case in the first life
REPEATS_MAX = 1000  # of talon run --repeat
SCENARIOS_MAX = 24  # of those that show the fault; of more, every n-th
AT_LEAST = 4  # faults that --seconds always leaves
OTHER_SEEDS = (2, 3)  # they are asked if a result is not the one that the file says


@dataclass
class Play:
    """A run of talon, or several."""
    found: bool = False
    chances: int = 0
    acts: int = 0
    plays: int = 0

    def add(self, other):
        self.found |= other.found
        self.chances += other.chances
        self.acts += other.acts
        self.plays += other.plays


def run(talon, fault, seed, *options):
    """Whether the fault is found."""
    where = "scenarios/soak" if "soak" in options else "scenarios"
    done = subprocess.run([talon, "run", "--verbose", where, "--sut", "builtin:fault=" + fault, "--jobs", "1", "--seed", str(seed), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True)
    return done.returncode == 1 or " with a warning" in done.stdout.rstrip().rsplit("\n", 1)[-1]


def play(talon, fault, seed, *options):
    """The same, with the counts. The report of the whole suite takes longer than the suite."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        result = Play(run(talon, fault, seed, "--report", "json:" + out.name, *options))
        try:
            cases = json.load(open(out.name))["cases"]
        except ValueError:
            sys.exit("talon run wrote no report for " + fault)
    for case in cases:
        result.add(Play(False, case.get("fault_opportunities", 0), case.get("fault_acts", 0), len(case.get("repetitions", ())) or 1))
    return result


def in_suite(talon, name, seed):
    fault = name + ":" + SUITE_FORM
    return Play(True) if run(talon, fault, seed, "--fail-fast") else play(talon, fault, seed)


def in_soak(talon, fault, seed, shown_by):
    if not shown_by: # nothing shows it when it always acts
        return play(talon, fault, seed, "--life", "1000000")
    total, rounds, lives = Play(), ROUNDS, 0
    names = [word for scenario in shown_by for pattern in (scenario, scenario + "@*") for word in ("--id", pattern)]
    while not total.found and total.chances < ENOUGH and (total.chances < DUE or total.plays < PLAYS_MAX):
        life = play(talon, fault, 100 * seed + lives, *names, "--life", "1000000", "--repeat", str(rounds), "--fail-fast")
        total.add(life)
        if lives == 1 and not total.found:
            total.found = run(talon, fault, seed, "--tag", "soak", "--life", "1000000", "--fail-fast")
        lives += 1
        if life.chances == 0 or total.plays > 4 * PLAYS_MAX:
            break
        rounds = min(max(rounds * ENOUGH // (3 * life.chances), 2), REPEATS_MAX)
    return total


def measure(o, name, forms, seed):
    """The results of a fault by form."""
    every = -(-len(o.kills.get(name, ())) // SCENARIOS_MAX) or 1
    shown_by = o.kills.get(name, [])[::every]
    return {form: in_suite(o.talon, name, seed) if form == SUITE_FORM else
            in_soak(o.talon, name + ":" + form, seed, shown_by) for form in forms}


def read_kills():
    """The scenarios that show a fault which always acts."""
    kills = {}
    for line in open(KILLS):
        words = line.split()
        if len(words) == 3 and words[0] != "#":
            kills.setdefault(words[0], []).append(words[1])
    return kills


def read(path):
    """{(fault, form): (reason, number of the line)}"""
    listed = {}
    for number, line in enumerate(open(path) if os.path.exists(path) else [], 1):
        words = line.rstrip("\n").split(None, 4)
        if words and not line.startswith("#"):
            words += [""] * (2 - len(words))
            listed[words[0], words[1]] = (words[4] if len(words) > 4 else "?", number)
    return listed


def reason_of(listed, name, form):
    """None: it is not listed."""
    return listed.get((name, form), (None, 0))[0]


def write(path, missed, listed):
    with open(path, "w") as out:
        out.write("# Faults that are missed when they act seldom or late (tests/lives.py): name, form, opportunities, acts, reason.\n"
                  "# Written by tests/lives.py --write, which keeps the reasons.\n")
        for (name, form), result in sorted(missed.items()):
            reason = reason_of(listed, name, form) or next((r for (n, _), (r, _) in listed.items() if n == name), "?")
            out.write("%-32s %-12s %7d %6d  %s\n" % (name, form, result.chances, result.acts, reason))


def choose(names, listed, o):
    """{fault: its forms to be measured}"""
    forms = o.form or list(LEAST)
    if not o.faults:
        return {name: forms for name in o.only or names}
    day = datetime.date.fromisoformat(o.date).toordinal() if o.date else datetime.date.today().toordinal()
    chosen, turn = {}, day * o.faults
    while len(chosen) < min(o.faults, len(names)):
        # After all names the next form: each fault comes in each form.
        name, form = names[turn % len(names)], forms[(turn // len(names) + turn % len(names)) % len(forms)]
        chosen[name] = [] if (name, form) in listed else [form]
        turn += 1
    return {name: forms for name, forms in chosen.items() if forms}


def problem(o, name, form, result, reason):
    """The error that a result is, or None. `reason`: None if the fault is not listed."""
    if result.found == (reason is None):
        if reason == "?":
            return "the reason is missing"
        few = reason is not None and form != SUITE_FORM and result.chances < DUE and not reason.startswith(FEW)
        return "had %d opportunities, at least %d are due" % (result.chances, DUE) if few else None
    if any(measure(o, name, [form], seed)[form].found != result.found for seed in OTHER_SEEDS):
        return None
    return "found, though it is listed: remove the line" if result.found else "missed, and not listed"


def check_list(o, names, listed):
    """Whether each line names a fault and a form."""
    good = True
    for (name, form), (_, number) in listed.items():
        what = "fault " + name if name not in names else "form " + form if form not in LEAST else None
        if what:
            print("error: %s, line %d: there is no %s" % (o.file, number, what))
            good = False
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--date")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--form", action="append", choices=list(LEAST))
    parser.add_argument("--file", default=FILE)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("talon")
    o = parser.parse_args()
    listing = subprocess.run([o.talon, "list", "faults"], stdout=subprocess.PIPE, check=True, text=True).stdout
    names, listed, missed = [line.split()[0] for line in listing.splitlines()], read(o.file), {}
    bad = not check_list(o, names, listed)
    chosen = choose(names, listed, o)
    o.kills = read_kills()
    begin = time.monotonic()
    measured = {form: 0 for form in LEAST}
    if o.dry_run:
        for name, forms in chosen.items():
            print(name, *forms)
        return 1 if bad else 0

    def one(number, name):
        if o.seconds and number >= AT_LEAST and time.monotonic() - begin > o.seconds:
            return name, []
        results = measure(o, name, chosen[name], 1)
        return name, [(form, result, None if o.write else problem(o, name, form, result, reason_of(listed, name, form))) for form, result in results.items()]

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for name, results in pool.map(one, range(len(chosen)), chosen):
            for form, result, error in results:
                measured[form] += 1
                if not result.found:
                    missed[name, form] = result
                if error or not result.found:
                    print("%s %s:%s, %d opportunities, %d acts: %s" %
                          ("found" if result.found else "missed", name, form, result.chances, result.acts,
                           "error: " + error if error else reason_of(listed, name, form) or "not listed"), flush=True)
                bad |= error is not None
    for form, least in LEAST.items():
        if not measured[form]:
            continue
        found = measured[form] - sum(f == form for _, f in missed)
        print("%-12s %d of %d found, %.1f %%" % (form, found, measured[form], 100 * found / measured[form]))
        if not (o.faults or o.only) and 100 * found < least * measured[form]:
            print("error: too few: at least %d %% are due" % least)
            bad = True
    if o.write:
        write(o.file, missed, listed)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
