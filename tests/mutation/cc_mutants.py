#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants of the reference model of Swift and PLB (oracles/cc/swift.c, plb.c) as Rate Update Engines: how many of those
that change a result does the judge of `talon cc judge` find outside the band? A mutant is the same (it changes no result
of the events that are played), outside, stopped (it crashes or hangs), or inside. tests/mutation/cc_allowed.txt says for
each known mutant inside why the specification allows it. The exit status is 1 if fewer than --least percent of the mutants that
change a result are outside, or if one is inside that the list does not have."""
import argparse
import collections
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants  # noqa: E402

FILES = ["oracles/cc/swift.c", "oracles/cc/plb.c"]
ALLOWED = "tests/mutation/cc_allowed.txt"
NAMES = ["swift_init", "swift_read", "swift_target", "swift_process", "plb_ack"]
FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-I.", "-w", "-ffp-contract=off"]
LIBS = mutants.libraries(ROOT)
RENAMED = ["-Dfal_%s=mutant_%s" % (name, name) for name in NAMES]
RUN_S = 60
CHOICE = {"reads", "fal_swift_read"}
WHOLE = {"statement", "condition", "logic", "negation"}
CHOOSES = re.compile(r"\breads\(|\bfal_cc_reads\(")


class Bench:
    def __init__(self, build, folder, cc):
        self.build, self.folder, self.cc, self.objects = build, folder, cc, {}
        self.codes = set()
        for path in FILES:
            if not self.compile(path, open(path).read(), self.object_of(path)):
                sys.exit("cc_mutants: %s does not compile" % path)
            self.codes.add(self.code(self.object_of(path)))
        driver = self.path("driver.o")
        subprocess.run([cc, *FLAGS, "-O1", "-c", "-o", driver, "tests/mutation/mutant_cc.c"], check=True)
        self.driver = driver

    def path(self, name):
        return os.path.join(self.folder, name)

    def object_of(self, path):
        return self.path(os.path.basename(path)[:-2] + ".o")

    def compile(self, path, source, out):
        command = [self.cc, *FLAGS, *RENAMED, "-O1", "-x", "c", "-c", "-o", out, "-"]
        return subprocess.run(command, input=source.encode(), stderr=subprocess.DEVNULL, check=False).returncode == 0

    @staticmethod
    def code(path):
        return hashlib.sha256(open(path, "rb").read()).hexdigest()

    def play(self, path, source, seed, events):
        """None: no mutant of its own (it does not compile, or the compiler makes known code of it); else a line."""
        own, program = self.path("mutant.o"), self.path("mutant")
        if not self.compile(path, source, own) or self.code(own) in self.codes:
            return None
        self.codes.add(self.code(own))
        others = [self.object_of(other) for other in FILES if other != path]
        archives = [os.path.join(self.build, "lib%s.a" % lib) for lib in ("harness", "reports", "hunt", "oracles", "codecs")]
        command = [self.cc, "-o", program, self.driver, own, *others, *archives, *LIBS]
        if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            return None  # it calls what there is not
        try:
            done = subprocess.run([program, str(seed), str(events)], capture_output=True, text=True, timeout=RUN_S, check=False)
        except subprocess.TimeoutExpired:
            return "stopped hangs"
        return done.stdout.strip() if done.returncode == 0 else "stopped %d" % done.returncode


def chooses_reading(mutant, source):
    """Whether it changes the choice of a reading: then the mutant is the model with another one, which is allowed."""
    lo, hi = source.rfind("\n", 0, mutant.start) + 1, source.find("\n", mutant.end)
    if mutant.function in CHOICE or CHOOSES.search(source[lo:hi]):
        return True
    first = max(source.rfind(end, 0, mutant.start) for end in ";{}")  # of the whole statement
    last = min(source.find(end, mutant.end) for end in ";{}" if source.find(end, mutant.end) >= 0)
    return mutant.kind in WHOLE and CHOOSES.search(source[first:last]) is not None


def change(mutant, source):
    """The lines of the source that it drops and adds, in one."""
    lo = source.rfind("\n", 0, mutant.start) + 1
    hi = source.find("\n", mutant.end)
    drop = " ".join(source[lo:hi].split())
    add = " ".join((source[lo : mutant.start] + mutant.text + source[mutant.end : hi]).split())
    return "- %s\n+ %s" % (drop, add)


def allowed():
    """{(file, change)}: blocks of a file, the lines dropped and added, and the reason."""
    found = {}
    for block in open(ALLOWED).read().split("\n\n"):
        lines = [x for x in block.strip().split("\n") if x and not x.startswith("#")]
        if len(lines) >= 4:
            found[(lines[0], "\n".join(lines[1:3]))] = " ".join(lines[3:])
        elif lines:
            sys.exit("cc_mutants: %s: a block of %d lines; expected the file, '- ' and '+ ', and the reason" % (ALLOWED, len(lines)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    parser.add_argument("--count", type=int, default=200, help="mutants that change a result")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=2000, help="of each of 5 sets of parameters, under each of 4 sets of readings")
    parser.add_argument("--least", type=float, default=95)
    parser.add_argument("--patch", action="append", default=[], metavar="FILE:WAS:IS", help="this change, in place of drawn ones")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    os.chdir(ROOT)
    files = {path: open(path).read() for path in FILES}
    known, counts, new = allowed(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args.build, folder, os.environ.get("CC", "cc"))
        draw = mutants.Draw(files, random.Random(str(args.seed)))
        patches = [x.split(":") for x in args.patch]

        def following():
            if not args.patch:
                mutant = draw.next()
                while mutant is not None and chooses_reading(mutant, files[mutant.path]):
                    mutant = draw.next()
                return mutant
            if not patches:
                return None
            path, was, by = patches.pop(0)
            start = files[path].index(was)
            return mutants.Mutant(path, files[path].count("\n", 0, start) + 1, "patch", start, start + len(was), by)

        while counts["outside"] + counts["stopped"] + counts["inside"] < args.count:
            mutant = following()
            if mutant is None:
                break
            source = files[mutant.path]
            line = bench.play(mutant.path, mutant.apply(source), args.seed, args.events)
            verdict = line.split()[0] if line else "no mutant"
            counts[verdict] += 1
            text = change(mutant, source)
            if args.verbose:
                print("%s:%d %s: %s\n%s" % (mutant.path, mutant.line, mutant.kind, line, text), flush=True)
            if verdict == "inside":
                reason = known.get((mutant.path, text))
                new += reason is None
                print("inside: %s:%d, %s: %s results differ of %s\n%s\n%s" % (mutant.path, mutant.line, mutant.kind, *line.split()[1:3], text, "  " + reason if reason else "  no reason is listed"), flush=True)
    changed = counts["outside"] + counts["stopped"] + counts["inside"]
    share = 100.0 * (changed - counts["inside"]) / changed if changed else 0.0
    print("%d mutants change a result: %d outside, %d stopped, %d inside (%.1f %% noticed); %d change none (seed %d)"
          % (changed, counts["outside"], counts["stopped"], counts["inside"], share, counts["same"], args.seed))
    return 1 if changed == 0 or share < args.least or new else 0


if __name__ == "__main__":
    sys.exit(main())
