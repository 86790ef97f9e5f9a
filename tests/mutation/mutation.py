#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation as a measure of the suite: mutates the endpoint (oracles/endpoint), runs each mutant as the SUT, and reports
what the suite notices. Only the SUT is mutated: it is a library (sut_lib.c) with one file compiled anew; tester and judge
are those of build/talon, linked so that they call the library in their own process (mutant_sut.c).

A mutant is killed (a case fails), stopped (it crashes, hangs, or breaks its control channel), inconclusive, warned
(a SHOULD), or survives. A survivor is observable if some case of the suite, or of a search by `talon fuzz` or `talon
explore`, gives another packet, event or time than the endpoint gives. Observable survivors are allowed (allowed.txt quotes what allows them) or
holes of the suite; the others are listed as unobservable. docs/testing.md explains how to read the result."""
import argparse
import concurrent.futures
import datetime
import difflib
import fcntl
import glob
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants  # noqa: E402

NOT_MUTATED = ("/faults/", "/variants/", "/rig/", "_testing.h")
DECLARED = ["--param", "turnaround=0", "--param", "pipeline=0"]
RUN_S, MEMORY = 300, 4 << 30  # of a run: seconds, bytes
MANY = 50  # mutants for which it pays to find out in which cases a function runs
CPU_S, SLOWER = 60, 5  # seconds of a processor for the endpoint itself; a mutant may take so many times as long
LIBS = mutants.libraries(ROOT)
AHEAD = 8  # results are kept in order: mutants that are played while an earlier one is still searched
CLASSES = ["killed", "stopped", "inconclusive", "warned", "allowed", "survived"]


def sources(folder):
    found = sorted(glob.glob(folder + "/**/*.[ch]", recursive=True))
    kept = [p for p in found if not p.endswith(("_test.c", "/script.c")) and not any(part in p for part in NOT_MUTATED)]
    return {p: open(p).read() for p in kept}


def compiled_with(path, files):
    """The files to compile when this one changes: itself, or those that include the header."""
    if path.endswith(".c"):
        return [path]
    reach, more = set(), {path}
    while more - reach:
        reach |= more
        more = {p for p, text in files.items() if any('#include "%s"' % header in text for header in reach)}
    return sorted(p for p in reach if p.endswith(".c"))


def limit(seconds):
    def in_child():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    return in_child


def run(command, timeout, **more):
    """(exit status, output); status None: it did not end in time."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True, **more) as process:
        try:
            out, _ = process.communicate(timeout=timeout)
            return process.returncode, out.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, _ = process.communicate()
            return None, out.decode(errors="replace")


def check_built(talon):
    """A mutant is linked with the objects of the build: of other sources, structs may lie otherwise in memory."""
    if not os.path.exists(talon):
        sys.exit("mutation: there is no %s: build it (make)" % talon)
    every = (p for folder in ("codecs", "oracles", "reports", "harness") for p in glob.glob(folder + "/**/*.[ch]", recursive=True))
    newer = [p for p in every if not p.endswith(("_test.c", "_testing.h")) and os.path.getmtime(p) > os.path.getmtime(talon)]
    if newer:
        sys.exit("mutation: %s is newer than %s: build it (make)" % (newer[0], talon))


def lock(folder, build_folder):
    """Two runs would overwrite each other's libraries. The lock ends with the process."""
    held = open(os.path.join(folder, "lock"), "w")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("mutation: another run uses %s: wait for its end, or give another folder with --build" % build_folder)
    return held


class Bench:
    """What all mutants share."""

    def __init__(self, o):
        self.o, self.plain, self.lock, self.cpu_s, self.cases_of = o, {}, threading.Lock(), CPU_S, None
        self.talon = os.path.join(o.build, "talon")
        self.dir = os.path.join(o.build, "mutation")
        check_built(self.talon)
        os.makedirs(self.dir, exist_ok=True)
        self.held = lock(self.dir, o.build)
        self.cc = os.environ.get("CC", "gcc")
        self.map = os.path.join(self.dir, "map")
        with open(self.map, "w") as out:
            out.write("{ global: talon_sut_api_v1; local: *; };\n")
        self.object = os.path.join(self.dir, "sut_lib.o")
        if not self.compile(os.path.join(ROOT, "tests/mutation/sut_lib.c"), self.object):
            sys.exit("mutation: sut_lib.c does not compile")
        self.tester = os.path.join(self.dir, "talon")
        if not self.compile(os.path.join(ROOT, "tests/mutation/mutant_sut.c"), self.tester + ".o") or not self.link_tester():
            sys.exit("mutation: talon cannot be linked with mutant_sut.c: %s must be built without sanitizers" % o.build)
        self.base = os.path.join(self.dir, "base.so")
        if not self.link([], self.base):
            sys.exit("mutation: the endpoint cannot be linked as a library: %s must be built without sanitizers" % o.build)

    def compile(self, path, to, first=ROOT, more=()):
        """Headers in the folder `first` go before those of the tree."""
        command = [self.cc, "-std=c17", "-D_GNU_SOURCE", *more, "-I" + first, "-I" + ROOT, "-O1", "-w", "-fPIC", "-ffp-contract=off", "-c", "-o", to, path]
        return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL).returncode == 0

    def libs(self, *names):
        return [os.path.join(self.o.build, "lib%s.a" % name) for name in (*names, "harness", "reports", "oracles", "codecs")] + LIBS

    def link_tester(self):
        command = [self.cc, "-o", self.tester, os.path.join(self.o.build, "harness/talon.o"), self.tester + ".o", *self.libs("hunt")]
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0

    def link(self, objects, to):
        fast = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []
        command = [self.cc, "-shared", *fast, "-Wl,--version-script=" + self.map, "-Wl,--gc-sections", "-Wl,--as-needed", "-o", to, *objects, self.object, *self.libs()]
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0

    def measure_functions(self, files):
        """In which cases a function runs: self.cases_of, function -> cases."""
        trace, library, objects = os.path.join(self.dir, "ran.trace"), os.path.join(self.dir, "ran.so"), []
        for path in [p for p in files if p.endswith(".c")] + ["tests/mutation/ran.c"]:
            objects.append(os.path.join(self.dir, "ran." + path.replace("/", "_") + ".o"))
            more = ["-finstrument-functions"] if path in files else []
            if not self.compile(os.path.join(ROOT, path), objects[-1], more=more):
                sys.exit("mutation: %s does not compile with -finstrument-functions" % path)
        forget(trace)
        if not self.link(objects, library) or self.suite(library, trace)[0] != 0:
            sys.exit("mutation: the endpoint does not pass the suite when its functions are noted")
        names = symbols(library)
        zero, self.cases_of, case = next(at for at, name in names.items() if name == "__cyg_profile_func_enter"), {}, None
        for seed, places in read_ran(trace):
            case = self.case_of.get(seed, case)  # the other rounds of a case follow its first
            self.case_of.setdefault(seed, case)
            for name in {names.get(zero + place) for place in places}:
                self.cases_of.setdefault(name, set()).add(case)

    def selection(self, function, folder):
        """Options that select the cases in which the function runs, and these cases; None: all."""
        if function is None or self.cases_of is None:
            return [], None
        cases = self.cases_of.get(function, set())
        path = os.path.join(folder, "selected.json")
        kept = [dict(c, verdict="fail") for c in self.results["cases"] if c["id"] in cases]
        counts = dict.fromkeys(self.results["counts"], 0)
        with open(path, "w") as out:
            json.dump(dict(self.results, cases=kept, counts=dict(counts, fail=len(kept)), verdict="fail", status=1), out)
        return ["--failed-from", path], cases

    def suite(self, library, trace, more=()):
        command = [self.tester, "run", "--verbose", *self.o.scenarios, "--sut", "lib:" + library, *DECLARED, "--jobs", "1", "--fresh", *more]
        return run(command, RUN_S, env=dict(os.environ, TALON_TRACE=trace), preexec_fn=limit(self.cpu_s), cwd=ROOT)

    def search(self, verb, library, trace, more):
        """`talon fuzz` or `talon explore`."""
        forget(trace)
        command = [self.tester, verb, "--quiet", "--jobs", "1", "--sut", "lib:" + library, *DECLARED, *more]
        return run(command, RUN_S + 10 * self.o.fuzz, env=dict(os.environ, TALON_TRACE=trace), preexec_fn=limit(CPU_S + SLOWER * self.o.fuzz), cwd=ROOT)

    def measure(self):
        """What the endpoint itself gives."""
        trace, results = os.path.join(self.dir, "base.trace"), os.path.join(self.dir, "base.json")
        forget(trace)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        status, out = self.suite(self.base, trace, ["--report", "json:" + results])
        if status != 0 or not os.path.exists(trace):
            sys.exit("mutation: the endpoint does not pass the suite:\n" + "\n".join(out.split("\n")[-6:]))
        self.cpu_s = 2 + int(SLOWER * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before))
        self.traces = read_trace(trace)
        self.results = json.load(open(results))
        cases = self.results["cases"] = [dict(c, problems=[], rules=[], steps=[], attempts=[{"verdict": "fail"}]) for c in self.results["cases"]]
        self.case_of = {c["seed"][2:].rjust(16, "0"): c["id"] for c in cases if isinstance(c.get("seed"), str)}
        self.searches = []  # (name, options, the trace of the endpoint)
        if self.o.fuzz > 0:
            out, trace = self.first("fuzz", ["--seed", "1", "--time", str(self.o.fuzz)])
            execs = re.search(r"^(\d+) executions", out, re.M).group(1)
            self.searches.append(("fuzz", ["--seed", "1", "--execs", execs], trace))
        if self.o.explore > 0:
            more = ["--depth", str(self.o.explore)]
            self.searches.append(("explore", more, self.first("explore", more)[1]))

    def first(self, verb, more):
        """A search in the endpoint itself: what it prints, and its trace."""
        trace = os.path.join(self.dir, "base." + verb)
        status, out = self.search(verb, self.base, trace, more)
        if status != 0:
            sys.exit("mutation: talon %s finds something in the endpoint:\n%s" % (verb, out))
        return out, open(trace).read().split("\n")


def symbols(library):
    """Address -> name of a function."""
    out = subprocess.run(["nm", library], stdout=subprocess.PIPE).stdout.decode().split("\n")
    rows = [x.split() for x in out]
    return {int(x[0], 16): re.sub(r"\..*", "", x[2]) for x in rows if len(x) == 3 and x[1] in "tT"}


def read_ran(path):
    """(seed, places of functions), in the order of the trace."""
    for line in open(path):
        words = line.split()
        yield words[0], [int(x) for x in words[3:]]


def forget(path):
    if os.path.exists(path):
        os.remove(path)


def read_trace(path):
    """seed -> its hashes, in order."""
    out = {}
    if os.path.exists(path):
        for line in open(path):
            seed, rest = line.rstrip("\n").split(" ", 1)
            out.setdefault(seed, []).append(rest)
    return out


def classify(status, out):
    """(class, the case that noticed it, how)."""
    lines, first = out.split("\n"), {}
    for i, line in enumerate(lines):
        m = re.match(r"(FAIL|ERROR|inconclusive|warn) +(\S+)", line)
        if m is None:
            continue
        how = lines[i + 1].strip() if i + 1 < len(lines) else ""
        word = m.group(1)
        if word == "FAIL" and how.startswith("the SUT stopped"):
            word, how = "ERROR", next((x.strip() for x in lines[i + 1 : i + 5] if x.strip().startswith("seen")), how)
        first.setdefault(word, (m.group(2), how))
    for word, name in (("FAIL", "killed"), ("ERROR", "stopped"), ("inconclusive", "inconclusive"), ("warn", "warned")):
        if word in first:
            return (name, *first[word])
    if status is None:
        return "stopped", "", "the run did not end in %d s" % RUN_S
    if status not in (0, 1, 3):
        return "stopped", "", "it hangs: it used a multiple of the endpoint's processor time" if status == -signal.SIGXCPU else "the run ended with status %s" % status
    return "survived", "", ""


def differs(bench, trace, cases):
    """The first case (by name) whose packets, events or times differ; None: none does. `cases`: those that were played."""
    now, other = read_trace(trace), []
    for seed, hashes in bench.traces.items():
        case = bench.case_of.get(seed) or "seed " + seed
        if now.get(seed) != hashes and (cases is None or case in cases):
            other.append(case)
    return min(other) if other else None


def hunt(bench, library, folder, result):
    """A survivor of the suite: a search finds it, shows another conversation, or neither."""
    for verb, more, plain in bench.searches:
        trace = os.path.join(folder, verb)
        status, out = bench.search(verb, library, trace, more + ["--findings", "1"])
        found = re.search(r"^(?:FAIL|warn) +(.*?) at ", out, re.M)
        if found or status not in (0, 1):
            result["class"] = "killed" if found and not found.group(1).startswith("crash") else "stopped"
            result["by"], result["how"] = verb, found.group(1) if found else "the search ended with status %s" % status
            result["observable"] = True
            return
        now = open(trace).read().split("\n") if os.path.exists(trace) else []
        other = next((i for i, (a, b) in enumerate(zip(plain, now), 1) if a != b and b), None)
        if other is not None:
            result["observable"] = True
            result.setdefault("differs", "%s, execution %d" % (verb, other))


def build(bench, path, text, files, folder):
    """The mutated file, and what includes it, as objects: source -> object. None: it does not compile."""
    mutated = os.path.join(folder, path)
    os.makedirs(os.path.dirname(mutated))
    with open(mutated, "w") as out:
        out.write(text)
    objects = {}
    for source in compiled_with(path, files):
        objects[source] = os.path.join(folder, source.replace("/", "_") + ".o")
        if not bench.compile(mutated if source == path else os.path.join(ROOT, source), objects[source], folder):
            return None
    return objects


def judge(bench, number, mutant, files):
    """Plays one mutant."""
    source = files[mutant.path]
    text = mutant.apply(source)
    begun = time.time()
    result = {"n": number, "file": mutant.path, "line": mutant.line, "function": mutant.function, "kind": mutant.kind, "was": source[mutant.start : mutant.end][:200], "is": mutant.text[:200]}
    folder = tempfile.mkdtemp(prefix="m%d." % number, dir=bench.dir)
    try:
        library, trace = (os.path.join(folder, name) for name in ("mutant.so", "trace"))
        objects = build(bench, mutant.path, text, files, folder)
        if objects is None or not bench.link(list(objects.values()), library):
            return dict(result, **{"class": "uncompiled"})
        result["diff"] = "\n".join(x.rstrip("\n") for x in list(difflib.unified_diff(source.split("\n"), text.split("\n"), mutant.path, mutant.path, n=2, lineterm="")))
        if all(same_code(bench, source, made) for source, made in objects.items()):
            return dict(result, **{"class": "survived", "case": "", "how": "", "observable": False, "same": True, "seconds": round(time.time() - begun, 2)})
        more, cases = bench.selection(mutant.function, folder)
        status, out = bench.suite(library, trace, more + ([] if bench.o.all else ["--fail-fast"])) if cases is None or cases else (0, "")
        result["class"], result["case"], result["how"] = classify(status, out)
        result["by"] = "suite"
        result["observable"] = result["class"] != "survived"
        if result["class"] in ("survived", "warned", "inconclusive"):
            where = differs(bench, trace, cases)
            result["observable"] = where is not None or result["observable"]
            if where is not None:
                result["differs"] = where
            if result["class"] == "survived":
                hunt(bench, library, folder, result)
        result["seconds"] = round(time.time() - begun, 2)
        return result
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def same_code(bench, path, mutated):
    """Whether the compiler makes the same of the mutant: then it is equivalent."""
    plain = os.path.join(bench.dir, path.replace("/", "_") + ".o")
    with bench.lock:
        if path not in bench.plain:
            bench.plain[path] = bench.compile(os.path.join(ROOT, path), plain)
    return bench.plain[path] and text_of(plain) == text_of(mutated)


def text_of(path):
    out = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    data = subprocess.run(["objdump", "-s", "-j", ".rodata", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [line for line in (out + data).split(b"\n") if b"file format" not in line]


def read_allowed(path):
    """Changes that the specification allows: (file, function, lines of the change) -> what allows it. Blocks of lines,
    with an empty line between: the file and the function, the lines that go (-) and come (+), and then the reason. The
    same line in another function is another change."""
    out = {}
    for block in open(path).read().split("\n\n"):
        lines = [x for x in block.split("\n") if x and not x.startswith("#")]
        if lines:
            change = [x for x in lines[1:] if x[0] in "-+"]
            reason = " ".join(x for x in lines[1:] if x[0] not in "-+")
            place = lines[0].split(" ")
            if len(place) != 2 or not change or not re.search(r"\d\.\d", reason):
                sys.exit("mutation: %s: a block needs a file and a function, a change and a section that allows it: %s" % (path, lines))
            out[(*place, tuple(x[0] + " ".join(x[1:].split()) for x in change))] = reason
    return out


def change_of(result):
    lines = [x for x in result.get("diff", "").split("\n")[2:] if x[:1] in ("-", "+")]
    return (result["file"], result.get("function"), tuple(x[0] + " ".join(x[1:].split()) for x in lines))


def mark_allowed(results, listed):
    for r in results:
        if r["class"] == "survived" and r["observable"] and change_of(r) in listed:
            r["class"], r["allowed"] = "allowed", listed[change_of(r)]


def table(results, out):
    """By file, and in all."""
    rows = {}
    for r in results:
        rows.setdefault(r["file"], []).append(r)
    print("%-40s %6s %6s %6s %6s %7s %6s %6s" % ("file", "killed", "stop", "inconc", "warned", "allowed", "holes", "unobs"), file=out)

    def row(name, rs):
        counts = [sum(r["class"] == c for r in rs) for c in CLASSES[:5]]
        holes = sum(r["class"] == "survived" and r["observable"] for r in rs)
        print("%-40s %6d %6d %6d %6d %7d %6d %6d" % (name, *counts, holes, sum(r["class"] == "survived" for r in rs) - holes), file=out)

    for name in sorted(rows):
        row(name.replace("oracles/endpoint/", ""), rows[name])
    row("all", results)
    seen = [r for r in results if r["observable"]]
    noticed = sum(r["class"] not in ("survived", "allowed") for r in seen)
    print("%d mutants, %d observable, of which %d noticed (%.1f %%)" % (len(results), len(seen), noticed, 100.0 * noticed / max(len(seen), 1)), file=out)


def holes(results, out):
    for r in results:
        if r["class"] != "survived":
            continue
        if r["observable"]:
            print("\nhole %d: %s:%d, %s\n    first difference: %s" % (r["n"], r["file"], r["line"], r["kind"], r.get("differs", "?")), file=out)
            print("\n".join("    " + x for x in r["diff"].split("\n")[2:]), file=out)
    for r in results:
        if r["class"] == "allowed":
            print("allowed %d: %s:%d, %s: %s" % (r["n"], r["file"], r["line"], r["kind"], r["allowed"]), file=out)
        if r["class"] == "survived" and not r["observable"]:
            print("unobservable %d: %s:%d, %s: '%s' -> '%s'%s" % (r["n"], r["file"], r["line"], r["kind"], " ".join(r["was"].split())[:60], " ".join(r["is"].split())[:60], " (the same code)" if r.get("same") else ""), file=out)


def read_results(path, header):
    """What an earlier run left: n -> result."""
    if not os.path.exists(path):
        return {}
    lines = [json.loads(line) for line in open(path) if line.endswith("\n")]
    if not lines or lines[0] != header:
        sys.exit("mutation: %s is of another seed, endpoint or suite: remove it, or name another with --out" % path)
    return {r["n"]: r for r in lines[1:]}


def fingerprint(o, files):
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(files[path].encode())
    return {"schema": "talon/mutation/1", "seed": o.seed, "endpoint": digest.hexdigest()[:16], "scenarios": o.scenarios, "fuzz": o.fuzz, "explore": o.explore, "all": o.all}


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    p.add_argument("--seed", default=datetime.date.today().strftime("%Y%m%d"), help="of the draw (default: the date)")
    p.add_argument("--count", type=int, default=100, help="mutants that compile")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--fuzz", type=int, default=60, help="seconds of search for each survivor; 0: none")
    p.add_argument("--explore", type=int, default=0, metavar="DEPTH", help="explore each survivor to this depth, too")
    p.add_argument("--all", action="store_true", help="play every case, not only up to the first that notices")
    p.add_argument("--out", help="results, which a later run goes on with (default: in the build folder)")
    p.add_argument("--select", action="store_true", help="play only cases in which the changed function runs (so it is from %d mutants on)" % MANY)
    p.add_argument("--allowed", default=os.path.join(ROOT, "tests/mutation/allowed.txt"), help="changes that the specification allows")
    p.add_argument("--patch", action="append", default=[], metavar="FILE:WAS:IS", help="this mutant instead of drawn ones: the first WAS in the file")
    p.add_argument("--only", type=lambda x: sorted({int(n) for n in x.split(",")}), default=[], metavar="N,N", help="play these of the draw again, and keep no results")
    p.add_argument("--at-most", type=float, default=0, metavar="SECONDS", help="begin no mutant after that time")
    p.add_argument("scenarios", nargs="*", default=[os.path.join(ROOT, "scenarios")])
    o = p.parse_args()
    o.build = os.path.abspath(o.build)
    return o


def patches(o, files):
    out = []
    for patch in o.patch:
        path, was, text = patch.split(":", 2)
        start = files[path].index(was)
        out.append(mutants.Mutant(path, files[path].count("\n", 0, start) + 1, "patch", start, start + len(was), text))
        out[-1].function = mutants.function_at(files[path], start)
    return out


def drawn(o, files):
    """The mutants, in order."""
    if o.patch:
        yield from patches(o, files)
        return
    if o.only:
        draw = mutants.Draw(files, random.Random(str(o.seed)))
        yield from [m for n, m in enumerate(draw.next() for _ in range(max(o.only) + 1)) if n in o.only]
        return
    draw = mutants.Draw(files, random.Random(str(o.seed)))
    while True:
        m = draw.next()
        if m is None:
            return
        yield m


def play(bench, files, done, out):
    """Plays mutants until there are as many as wanted, in the order of their numbers."""
    begun, results, skipped, pending = time.time(), [], 0, {}
    numbered = enumerate(drawn(bench.o, files))
    want = len(bench.o.patch) or len(bench.o.only) or bench.o.count

    def late():
        return bench.o.at_most > 0 and time.time() - begun > bench.o.at_most

    with concurrent.futures.ThreadPoolExecutor(bench.o.jobs) as pool:
        at, ended = 0, False
        while len(results) < want and (pending or not ended):
            while not ended and len(pending) < min(AHEAD * bench.o.jobs, want - len(results) + bench.o.jobs) and not late():
                number, mutant = next(numbered, (None, None))
                if number is None:
                    ended = True
                elif number in done:
                    pending[number] = done[number]
                else:
                    pending[number] = pool.submit(judge, bench, number, mutant, files)
            ended = ended or late()
            if at not in pending:
                break
            r = pending.pop(at)
            at += 1
            if not isinstance(r, dict):
                r = r.result()
                out.write(json.dumps(r) + "\n")
                out.flush()
            if r["class"] == "uncompiled":
                skipped += 1
                continue
            results.append(r)
            if not bench.o.patch and sys.stderr.isatty():
                print("%d: %s %s:%d" % (len(results), r["class"], r["file"], r["line"]), file=sys.stderr)
    return results, skipped, time.time() - begun


def main():
    o = options()
    os.chdir(ROOT)
    o.scenarios = [os.path.relpath(p, ROOT) for p in o.scenarios]
    files = sources("oracles/endpoint")
    bench = Bench(o)
    header = fingerprint(o, files)
    path = o.out or os.path.join(bench.dir, "seed-%s.jsonl" % o.seed)
    transient = bool(o.patch or o.only)
    done = {} if transient else read_results(path, header)
    bench.measure()
    if o.select or (not transient and o.count >= MANY):
        bench.measure_functions(files)
    searched = "".join(", %d by talon %s" % (len(trace), verb) for verb, _, trace in bench.searches)
    print("seed %s; the endpoint gives %d traces in the suite%s" % (o.seed, len(bench.traces), searched))
    with open(os.devnull if transient else path, "a") as out:
        if not done and not transient and out.tell() == 0:
            out.write(json.dumps(header) + "\n")
        results, skipped, seconds = play(bench, files, done, out)
    mark_allowed(results, read_allowed(o.allowed))
    table(results, sys.stdout)
    holes(results, sys.stdout)
    print("\n%d draws did not compile; %.1f mutants a minute; results: %s" % (skipped, 60 * len(results) / max(seconds, 1e-9), "none kept" if transient else path))


if __name__ == "__main__":
    main()
