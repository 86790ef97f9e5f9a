#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diagnosis.py --seed SEED [--count N] [--mutants N] [--jobs N] [--only PART]... --build BUILD - how often `talon diagnose`
is right. Each draw depends on the seed alone:

  named    planted faults with another seed, one to three random conforming variants and half of the cases withheld:
           the right class first, and among the first three
  seldom   the same faults that act at one of 20 opportunities (one-in=20), of those that a case shows
  two      two faults at once: both among the first five
  mutants  source mutants of the endpoint (tests/mutation) that the suite detects: the subject (subjects.txt), and the
           section among the first three
  lite     the bugs of lite-bugs.json, planted in docs/examples/lite_*.c: the same
  fits     of all runs above, where a fault "fits": it is the planted one, or has the subject of the mutant or bug

A class is right, too, if the cases that were played do not distinguish it from the one that was planted."""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
sys.path[:0] = [HERE, os.path.join(HERE, "../mutation")]
import signatures  # noqa: E402

TIMEOUT_S = 120
WANTED = {"named": (95, 99), "seldom": (60, 85), "two": (60,), "mutants": (70, 60), "lite": (70, 60), "fits": (90,)}


class Sums:
    def __init__(self):
        self.rows, self.fits, self.right = {}, 0, 0

    def add(self, part, hits, fits=None, right=False):
        row = self.rows.setdefault(part, [0] + [0] * len(hits))
        row[0] += 1
        for i, hit in enumerate(hits):
            row[i + 1] += bool(hit)
        if fits:
            self.fits += 1
            self.right += bool(right)

    def show(self, names):
        missed = 0
        rows = dict(self.rows)
        if self.fits:
            rows["fits"] = [self.fits, self.right]
        for part, (n, *hits) in rows.items():
            words = []
            for name, hit, least in zip(names[part], hits, WANTED[part]):
                words.append(f"{name} {hit} of {n}, {100 * hit / n:.0f} % (asked for: {least} %)")
                missed += 100 * hit < least * n
            print(f"{part:9}{'; '.join(words)}")
        return missed


NAMES = {"named": ("first", "among three"), "seldom": ("first", "among three"), "two": ("both among five",), "mutants": ("subject", "section among three"), "lite": ("subject", "section among three"), "fits": ("right",)}


def under(section, of):
    return section == of or section.startswith(of + ".")


class Bench:
    def __init__(self, build):
        self.talon = os.path.join(build, "talon")
        self.faults = {f["name"]: f for f in json.loads(self.output("list", "faults", "--format", "json"))}
        self.twins = signatures.lines_of(self.talon, "list", "twins")
        self.cases = signatures.lines_of(self.talon, "run", "scenarios", "--list")
        self.shown = sorted(f for f in signatures.read(os.path.join(ROOT, signatures.FILE))[0] if f in self.faults)

    def output(self, *what):
        return subprocess.run([self.talon, *what], capture_output=True, text=True, check=True).stdout

    def play(self, folder, sut, *more, talon=None):
        path = os.path.join(folder, "results.json")
        command = [talon or self.talon, "run", "scenarios", "--jobs", "1", "--sut", sut, "--report", "json:" + path, *more]
        try:
            subprocess.run(command, capture_output=True, check=False, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            print(f"# not measured: {sut}: the run did not end in {TIMEOUT_S} s", flush=True)
        return path

    def half(self, folder, rng):
        """A profile of half of the cases."""
        path = os.path.join(folder, "half.json")
        with open(path, "w", encoding="utf-8") as out:
            ids = [case for case in self.cases if rng.random() < 0.5]
            json.dump({"schema": "talon/profile/1", "name": "half", "title": "Half of the cases", "select": {"id": ids}}, out)
        return path

    def diagnose(self, path):
        """None: there are no results, or nothing failed."""
        if not os.path.exists(path):
            return None
        run = subprocess.run([self.talon, "diagnose", "--no-run", "--format", "json", path], capture_output=True, text=True, check=False)
        d = json.loads(run.stdout) if run.returncode == 0 else None
        return d if d and d["failed"] > 0 else None


def place(d, fault):
    """The place of the class of the fault, from 0; those that fit as well as the best are first together."""
    for i, fit in enumerate(d["nearest"]):
        if fault in fit["faults"]:
            return 0 if i < d["equal"] else i
    return 99


def planted(bench, rng_seed, part):
    """(part, hits, fits, right), or None where nothing shows."""
    rng = random.Random(rng_seed)
    seed = str(rng.randrange(2, 10**9))
    with tempfile.TemporaryDirectory() as folder:
        if part == "two":
            names = rng.sample(bench.shown, 2)
            d = bench.diagnose(bench.play(folder, "builtin:fault=" + ",".join(names), "--seed", seed))
        else:
            names = [rng.choice(bench.shown)]
            twins = ",".join(rng.sample(bench.twins, rng.choice([1, 2, 3])))
            how = ":one-in=20" if part == "seldom" else ":twin=" + twins
            more = ["--profile", bench.half(folder, rng)] if part == "named" else []
            d = bench.diagnose(bench.play(folder, "builtin:fault=" + names[0] + how, "--seed", seed, *more))
        if d is None:
            return None
        places = [place(d, name) for name in names]
        hits = [max(places) < 5] if part == "two" else [places[0] == 0, places[0] < 3]
        if not all(hits):
            print(f"# {part}: {' '.join(names)}: {' '.join('/'.join(f['faults']) for f in d['nearest'])}", flush=True)
        return part, hits, d["fits"], min(places) == 0


def unknown(bench, part, path, label, name):
    """The same for a bug that is no planted fault."""
    d = bench.diagnose(path)
    if d is None:
        return None
    subjects, sections = label[0].replace("-", " ").split(","), label[1].split()
    hits = [d["subject"] in subjects, any(under(s, of) for s in d["sections"] for of in sections)]
    about = {bench.faults[f]["section"] for f in d["nearest"][0]["faults"]} if d["nearest"] else set()
    right = hits[0] or any(under(s, of) for s in about for of in sections)
    if not all(hits) or (d["fits"] and not right):
        print(f"# {part}: {name} ({label[0]}; {label[1]}): {d['subject']}; {' '.join(d['sections'])}{'; fits ' + d['nearest'][0]['faults'][0] if d['fits'] else ''}", flush=True)
    return part, hits, d["fits"], right


def lite(bench, bug):
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir("docs/examples"):
            if name.endswith((".c", ".h")):
                shutil.copy(os.path.join("docs/examples", name), folder)
        source = os.path.join(folder, bug["file"])
        with open(source, encoding="utf-8") as file:
            text = file.read()
        if bug["was"] not in text:
            sys.exit(f"diagnosis: lite-bugs.json: {bug['file']} has no '{bug['was']}'")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text.replace(bug["was"], bug["is"], 1))
        sources = [os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".c")] + ["harness/sut/sut_client.c"]
        library = os.path.join(folder, "lite.so")
        subprocess.run(["gcc", "-std=c17", "-D_GNU_SOURCE", "-O1", "-w", "-fPIC", "-shared", "-I" + folder, "-I.", "-o", library, *sources, "-ljansson"], check=True)
        return unknown(bench, "lite", bench.play(folder, "lib:" + library, "--profile", "docs/examples/lite.json"), (bug["subjects"], bug["sections"]), bug["bug"])


def labels():
    """(file, function or "") -> (subjects, sections)."""
    out = {}
    with open(os.path.join(HERE, "subjects.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                where, subjects, sections = line.rstrip("\n").split("\t")
                path, _, functions = where.partition(":")
                for function in functions.split(","):
                    out["oracles/endpoint/" + path, function] = (subjects, sections)
    return out


def mutant_runs(bench, o, sums):
    """Plays mutants, one after another, until so many were detected."""
    import mutants
    import mutation

    sys.argv = ["mutation.py", "--build", o.build, "--fuzz", "0", "--all"]
    options = mutation.options()
    options.scenarios = ["scenarios"]
    files, known, rng = mutation.sources("oracles/endpoint"), labels(), random.Random(f"mutants {o.seed}")
    suts, draw, found = mutation.Bench(options), mutants.Draw(files, rng), 0

    def one(mutant, label):
        folder = tempfile.mkdtemp(dir=suts.dir)
        try:
            library, path = os.path.join(folder, "mutant.so"), os.path.join(folder, "results.json")
            objects = mutation.build(suts, mutant.path, mutant.apply(files[mutant.path]), files, folder)
            if objects is None or not suts.link(list(objects.values()), library) or all(mutation.same_code(suts, s, m) for s, m in objects.items()):
                return None
            suts.suite(library, os.path.join(folder, "trace"), ["--report", "json:" + path])
            return unknown(bench, "mutants", path, label, f"{mutant.path}:{mutant.line} {mutant.function}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        while found < o.mutants:
            batch = []
            while len(batch) < 2 * o.jobs:
                mutant = draw.next()
                if mutant is None:
                    return
                label = known.get((mutant.path, mutant.function)) or known.get((mutant.path, ""))
                if label and label[0] != "-":
                    batch.append((mutant, label))
            for r in pool.map(lambda m: one(*m), batch):
                if r and found < o.mutants:
                    sums.add(*r)
                    found += 1


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", required=True)
    options.add_argument("--count", type=int, default=100, help="runs of each part with planted faults")
    options.add_argument("--mutants", type=int, default=60)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--only", action="append", choices=["named", "seldom", "two", "lite", "mutants"])
    options.add_argument("--build", default=os.path.join(ROOT, "build"))
    o = options.parse_args()
    o.build = os.path.abspath(o.build)
    os.chdir(ROOT)
    bench, sums = Bench(o.build), Sums()
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for part in ("named", "seldom", "two"):
            if not o.only or part in o.only:
                for r in pool.map(lambda i, part=part: planted(bench, f"{part} {o.seed} {i}", part), range(o.count)):
                    if r:
                        sums.add(*r)
        if not o.only or "lite" in o.only:
            with open(os.path.join(HERE, "lite-bugs.json"), encoding="utf-8") as file:
                bugs = json.load(file)
            for r in pool.map(lambda bug: lite(bench, bug), bugs):
                if r:
                    sums.add(*r)
    if not o.only or "mutants" in o.only:
        mutant_runs(bench, o, sums)
    print(f"seed {o.seed}")
    return 1 if sums.show(NAMES) else 0


if __name__ == "__main__":
    sys.exit(main())
