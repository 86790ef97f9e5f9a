#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""signatures.py [--faults N [--date DAY]] [--jobs N] [--write] [--from DIRECTORY] [--file FILE] TALON - how each planted
fault shows itself in the suite (reports/diagnosis/signatures.txt), for `talon diagnose`.

Plays the suite against the faults and notes which cases fail, and what their problems say: rule, requirement, symptom and
field. --write writes the file. Without it, the runs are compared with the file: it is stale if a fault is missing, or if
more than one case in twenty of a fault fails otherwise than the file says. --faults N plays N faults that the day chooses;
the list of faults and the list of cases are compared in any case. --signs-of FILE prints what the results in FILE show, and
--from takes such prints, a file for each fault, instead of running the suite (tests/matrix/mutants --signs)."""
import argparse
import concurrent.futures
import datetime
import json
import os
import subprocess
import sys
import tempfile

FILE = "reports/diagnosis/signatures.txt"
HEAD = """# How each planted fault shows itself in the suite: written by `make signatures`, read by `talon diagnose`
# (reports/diagnosis/signatures.h describes the form).
"""
MOST = 0.05  # of the cases of a fault that may differ


def sign(problem):
    return (problem.get("rule") or "step", problem.get("requirement") or "-", (problem.get("symptoms") or ["-"])[0], problem.get("field") or "-")


def failing(cases):
    """Case -> the signs of its problems, of cases that fail or warn by a problem of the SUT."""
    out = {}
    for c in cases:
        signs = {sign(p) for p in c.get("problems", []) if p.get("subject") != "tester"}
        if c.get("verdict") in ("fail", "warn") and signs:
            out[c["id"]] = frozenset(signs)
    return out


def play(talon, fault):
    """(fault, what fails; None if the run broke off)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        subprocess.run([talon, "run", "scenarios", "--jobs", "1", "--sut", "builtin:fault=" + fault, "--report", "json:" + path], capture_output=True, check=False)
        if not os.path.exists(path):
            return fault, None
        with open(path, encoding="utf-8") as file:
            return fault, failing(json.load(file)["cases"])


def kept(folder, fault):
    """The same from a print of --signs-of."""
    with open(os.path.join(folder, fault), encoding="utf-8") as file:
        return fault, {case: frozenset(map(tuple, signs)) for case, signs in json.load(file).items()}


def signs_of(path):
    with open(path, encoding="utf-8") as file:
        fails = failing(json.load(file)["cases"])
    json.dump({case: sorted(fails[case]) for case in sorted(fails)}, sys.stdout)
    return 0


def lines_of(talon, *what):
    out = subprocess.run([talon, *what], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in out.splitlines() if len(line.split()) > 1]


def ranges(numbers):
    """"1 3-5" of the sorted numbers 1, 3, 4, 5."""
    out = []
    for n in numbers:
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def write(path, found, cases):
    """`found`: fault -> what fails."""
    cases = sorted(cases, key=str.encode)
    number = {case: n for n, case in enumerate(cases)}
    signs = sorted({s for fails in found.values() for of in fails.values() for s in of})
    sign_number = {s: n for n, s in enumerate(signs)}
    sets = sorted({tuple(sorted(sign_number[s] for s in of)) for fails in found.values() for of in fails.values()})
    set_number = {s: n for n, s in enumerate(sets)}
    classes = {}
    for fault in sorted(found):
        if found[fault]:
            classes.setdefault(frozenset(found[fault].items()), []).append(fault)
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEAD)
        out.writelines(f"c {case}\n" for case in cases)
        out.writelines("t " + " ".join(s) + "\n" for s in signs)
        out.writelines("s " + " ".join(map(str, s)) + "\n" for s in sets)
        for fails, names in sorted(classes.items(), key=lambda item: item[1]):
            out.write("f " + " ".join(names) + "\n")
            by_set = {}
            for case, of in fails:
                by_set.setdefault(set_number[tuple(sorted(sign_number[s] for s in of))], []).append(number[case])
            out.writelines(f"{s} {ranges(sorted(by_set[s]))}\n" for s in sorted(by_set))


def read(path):
    """(fault -> what fails, cases)."""
    cases, signs, sets, found, now = [], [], [], {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "c":
                cases.append(words[1])
            elif words[0] == "t":
                signs.append(tuple(words[1:]))
            elif words[0] == "s":
                sets.append(frozenset(signs[int(n)] for n in words[1:]))
            elif words[0] == "f":
                now = {}
                found.update((name, now) for name in words[1:])
            elif words[0] != "#":
                for part in words[1:]:
                    first, _, last = part.partition("-")
                    now.update((cases[n], sets[int(words[0])]) for n in range(int(first), int(last or first) + 1))
    return found, cases


def chosen(faults, count, day):
    """So many of the faults, others each day."""
    if not count:
        return faults
    first = (datetime.date.fromisoformat(day) if day else datetime.date.today()).toordinal() * count
    return [faults[(first + i) % len(faults)] for i in range(min(count, len(faults)))]


def compare(fault, new, old):
    """Whether the fault shows itself as the file says."""
    differ = sum(new.get(case) != old.get(case) for case in new.keys() | old.keys())
    if differ > MOST * max(len(new), len(old)):
        print(f"error: {fault}: {differ} cases differ from the file (it has {len(old)}, the run {len(new)}): run `make signatures`")
        return 1
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--faults", type=int, default=0)
    options.add_argument("--date")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--write", action="store_true")
    options.add_argument("--file", default=FILE)
    options.add_argument("--from", dest="prints")
    options.add_argument("--signs-of")
    options.add_argument("talon")
    o = options.parse_args()
    if o.signs_of:
        return signs_of(o.signs_of)
    faults = lines_of(o.talon, "list", "faults")
    cases = lines_of(o.talon, "run", "scenarios", "--list")
    found, wrong = {}, 0
    asked = faults if o.write else chosen(sorted(faults), o.faults, o.date)
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for fault, fails in pool.map(lambda f: kept(o.prints, f) if o.prints else play(o.talon, f), asked):
            if fails is None:
                print(f"error: {fault}: the run has no results")
                wrong += 1
            else:
                found[fault] = fails
    if o.write:
        if not wrong:
            write(o.file, found, cases)
        return min(wrong, 1)
    old, known = read(o.file)
    if set(known) != set(cases):
        print(f"error: {o.file}: {len(set(known) ^ set(cases))} cases are not those of the suite: run `make signatures`")
        wrong += 1
    for fault in sorted(set(old) - set(faults)):
        print(f"error: {o.file}: there is no fault {fault}: run `make signatures`")
        wrong += 1
    wrong += sum(compare(fault, fails, old.get(fault, {})) for fault, fails in found.items())
    print(f"{len(found)} faults played, {wrong} differences")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
