#!/usr/bin/env python3
"""Compares what talon decides with what it decided at an earlier commit.

A restructuring may not change a verdict. This program runs the whole suite, the suite against
planted faults, and captures, and compares a hash of each result with tests/data/same-results.txt.

usage: same_results.py TALON            compare, print TAP; exit status 1 when something differs
       same_results.py TALON --write    print the hashes (of a build that is known to be right)
       same_results.py TALON --show KEY print what the hash of KEY is made of, to find a difference

TALON_SAME_FAULTS=N compares the first N of the faults alone. TALON_SAME_TIMELINES=N compares the
timelines of every N-th scenario alone, of others from day to day.

What is compared: case ids, verdicts, reasons, seeds, attempts, dispositions; of each problem its
kind, verdict, reason, rule, subject, requirement, time, fingerprint, events and packets; the counts
of each rule; of each timeline the kind, the time and the typed members of every event, with the
bytes of packets.

What is left out: the words that people read (titles, expected, seen, text, requirement_text, the
text of steps, the command that repeats a case), paths, and lines of files. On the timeline the
texts of notes and of the tester's own internal events are words too: of these events only the time
is compared, and one kind may become another kind of them.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

WORDS = {"title", "expected", "seen", "text", "requirement_text", "repeat", "file", "line", "steps",
         "evidence", "flow", "tool", "message", "origin", "detail", "purpose"}
OWN_EVENTS = {"note", "internal", "bench", "timer", "timing"}
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
HASHES = os.path.join(DATA, "same-results.txt")
CAPTURES = 12


def without_words(value):
    """The value without the members that hold words."""
    if isinstance(value, dict):
        return {k: without_words(v) for k, v in sorted(value.items()) if k not in WORDS}
    if isinstance(value, list):
        return [without_words(v) for v in value]
    return value


def packets_of(problem):
    return [[p.get("packet"), bool(p.get("evidence"))] for p in problem.get("packets", [])]


def case_facts(case):
    facts = without_words(case)
    for fact, problem in zip(facts.get("problems", []), case.get("problems", [])):
        fact["packets"] = packets_of(problem)
    return facts


def event_facts(event):
    kind = event.get("event")
    if kind in OWN_EVENTS:
        return ["own", event.get("t_ns"), event.get("conn")]
    return without_words(event)


def lines_of(path):
    """The facts of a timeline, one line an event."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            event = json.loads(line)
            if "event" in event:
                yield json.dumps(event_facts(event), sort_keys=True)


def digest(lines):
    h = hashlib.sha256()
    for line in lines:
        h.update(line.encode() + b"\n")
    return h.hexdigest()[:16]


class Talon:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.scenarios = {}  # of the suite, once it has run
        self.every = int(os.environ.get("TALON_SAME_TIMELINES", 1))

    def run(self, sut, out=None, files=("scenarios",)):
        """Results of the suite, or of files; with `out`, evidence of all cases goes there."""
        report = os.path.join(self.folder, "results-report.json")
        command = [self.program, "run", *files, "--sut", sut, "--jobs", "2", "--report",
                   "json:" + report]
        if out is not None:
            command += ["--keep", "all", "--out", out]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode not in (0, 1, 3, 4):  # a fault may end cases in error
            sys.exit("same_results: %s ended with status %d: %s" %
                     (" ".join(command), done.returncode, done.stderr.decode()[-400:]))
        with open(report, encoding="utf-8") as f:
            return json.load(f)

    def faults(self):
        """Twenty names, spread evenly over the list of faults."""
        with open(os.path.join(DATA, "same-results-faults.txt"), encoding="utf-8") as f:
            names = f.read().split()
        return names[:int(os.environ.get("TALON_SAME_FAULTS", len(names)))]

    def check(self, options):
        done = subprocess.run([self.program, "check", "--format", "json"] + options,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(done.stdout)


def by_scenario(cases):
    """{id of the scenario: its cases}, in their order."""
    scenarios = {}
    for case in cases:
        scenarios.setdefault(case["id"].split("@")[0], []).append(case)
    return scenarios


def suite(talon):
    """(key, lines) of every scenario: the results of its cases."""
    results = talon.run("builtin")
    talon.scenarios = by_scenario(results["cases"])
    yield "suite", [json.dumps({k: results[k] for k in ("verdict", "status", "counts", "seed")})]
    for name, cases in talon.scenarios.items():
        yield "scenario " + name, [json.dumps(case_facts(c), sort_keys=True) for c in cases]


def timelines(talon):
    """(key, lines) of every scenario, or of those whose turn it is today: its timelines."""
    out = os.path.join(talon.folder, "evidence")
    names = sorted(talon.scenarios)[int(time.time() / 86400) % talon.every::talon.every]
    files = sorted({talon.scenarios[name][0]["file"] for name in names})
    for name, cases in by_scenario(talon.run("builtin", out, files)["cases"]).items():
        lines = []
        for case in cases:
            lines += lines_of(os.path.join(out, case["evidence"], "timeline.jsonl"))
        if name in names:
            yield "timeline " + name, lines


def faults(talon):
    for name in talon.faults():
        results = talon.run("builtin:fault=" + name)
        yield "fault " + name, [json.dumps(case_facts(c), sort_keys=True)
                                for c in results["cases"]]


def captures(talon):
    """Two captures of the repository, and ten of the suite's own evidence."""
    out = os.path.join(talon.folder, "captures")
    names = sorted(talon.scenarios)
    files = {talon.scenarios[name][0]["file"] for name in names[::len(names) // (CAPTURES - 2)]}
    talon.run("builtin", out, sorted(files))
    kept = sorted(os.listdir(out))
    kept = [k for k in kept if os.path.exists(os.path.join(out, k, "packets.pcapng"))]
    step = max(1, len(kept) // (CAPTURES - 2))
    inputs = [("field.pcap", [os.path.join(DATA, "field.pcap"), "--sut", "10.0.0.2", "--vantage",
                              "sut", "--pipeline", "5us"]),
              ("sample.pcap", [os.path.join(DATA, "sample.pcap")])]
    inputs += [(k, [os.path.join(out, k, "packets.pcapng")])
               for k in kept[::step][:CAPTURES - 2]]
    for name, options in inputs:
        facts = without_words(talon.check(options))
        yield "capture " + name, [json.dumps(facts, sort_keys=True)]


def all_facts(talon):
    yield from suite(talon)
    yield from timelines(talon)
    yield from faults(talon)
    yield from captures(talon)


def compare(facts):
    """TAP, one test a key of the file; scenarios that are new are no difference."""
    with open(HASHES, encoding="utf-8") as f:
        due = dict(line.rstrip("\n").rsplit(" ", 1) for line in f if not line.startswith("#"))
    seen = {key: digest(lines) for key, lines in facts}
    part = ("fault ", "timeline ") if os.environ.get("TALON_SAME_TIMELINES") else ("fault ",)
    skipped = {k for k in due if k.startswith(part) and k not in seen}
    wrong = [k for k in due if k not in skipped and seen.get(k) != due[k]]
    groups = {}
    for key in due:
        groups.setdefault(key.split(" ")[0], []).append(key)
    for n, (group, keys) in enumerate(sorted(groups.items()), 1):
        bad = [k for k in keys if k in wrong]
        print("%s %d - %s: %d as before" % ("not ok" if bad else "ok", n, group,
                                            len([k for k in keys if k in seen]) - len(bad)))
        for key in bad:
            print("# differs, or is gone: %s (tests/same_results.py TALON --show '%s')" % (key, key))
    print("1..%d" % len(groups))
    return 1 if wrong else 0


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        talon = Talon(os.path.abspath(sys.argv[1]), folder)
        if len(sys.argv) == 2:
            return compare(all_facts(talon))
        for key, lines in all_facts(talon):
            if sys.argv[2] == "--write":
                print(key, digest(lines))
            elif key == sys.argv[3]:
                print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
