#!/usr/bin/env python3
"""The history of `talon history` under load: its size, the time of a trend, writers that are killed, an old database. TAP.

usage: tests/history_load.py TALON [--runs 1000] [--cases 3000] [--writers 8] [--kills 100] [--seed N]

The results are those of the built-in SUT, correct and with a planted bug; each run fails at random, so that no two runs are
alike. The script counts the failures itself and compares. tests/history.sh runs a small part; the whole takes minutes.
"""
import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("talon")
for name, default in (("runs", 1000), ("cases", 3000), ("writers", 8), ("kills", 100), ("seed", None)):
    parser.add_argument(f"--{name}", type=int, default=default)
ARGS = parser.parse_args()
SEED = ARGS.seed if ARGS.seed is not None else random.randrange(1 << 32)
MAX_BYTES, MAX_SECONDS = 500e6, 1.0  # of a processor: other programs may run beside
STATUS = {"pass": 0, "warn": 0, "inconclusive": 3, "fail": 1, "error": 4}
tests = bad = 0


def result(ok, what):
    global tests, bad
    tests, bad = tests + 1, bad + (not ok)
    print(f"{'ok' if ok else 'not ok'} {tests} - {what}", flush=True)


def history(*words):
    return subprocess.run([ARGS.talon, "history", *words], capture_output=True, text=True)


def rows(database, query):
    connection = sqlite3.connect(database)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def digest(database, query):
    connection, sum_ = sqlite3.connect(database), hashlib.sha256()
    for row in connection.execute(query):
        sum_.update(repr(row).encode())
    connection.close()
    return sum_.hexdigest()


class Results:
    """Results of `cases` cases, of which each may pass or fail."""

    def __init__(self, folder, cases):
        select = [] if cases > 400 else ["--profile", "smoke"]
        good, broken = (self.played(folder, select, sut) for sut in ("builtin", "builtin:fault=acks-unsent"))
        fails = {case["id"]: case for case in broken["cases"] if case["verdict"] == "fail"}
        pool = [(self.lean(case), self.lean(fails.get(case["id"], case))) for case in good["cases"]]
        self.frame = {key: value for key, value in good.items() if key not in ("cases", "causes", "counts")}
        self.pairs = [self.copy(pool[i % len(pool)], i // len(pool)) for i in range(cases)]
        self.can_fail = [i for i, (passed, failed) in enumerate(self.pairs) if passed["verdict"] != failed["verdict"]]

    @staticmethod
    def played(folder, select, sut):
        path = os.path.join(folder, "played.json")
        subprocess.run([ARGS.talon, "run", "--sut", sut, *select, "--report", f"json:{path}"], capture_output=True)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    @staticmethod
    def lean(case):
        """Without the parts that a history does not read and that take most of the time to write."""
        case = {key: value for key, value in case.items() if key != "rules"}
        case["problems"] = [{k: v for k, v in problem.items() if k != "packets"} for problem in case["problems"]]
        return case

    @staticmethod
    def copy(pair, number):
        return pair if number == 0 else tuple({**case, "id": f"{case['id']}#{number}"} for case in pair)

    def write(self, path, rng):
        """Writes the results of a run; each case that can fail does so by a share drawn for the run. Returns who failed."""
        share = rng.choice((0.0, 0.01, 0.05, 0.9))
        failed = {i for i in self.can_fail if rng.random() < share}
        cases = [pair[i in failed] for i, pair in enumerate(self.pairs)]
        verdicts = [case["verdict"] for case in cases]
        counts = {v: verdicts.count(v) for v in STATUS}
        whole = {**self.frame, "seed": str(rng.randrange(1 << 30)), "counts": counts, "cases": cases}
        whole["verdict"] = next((v for v in reversed(counts) if counts[v] > 0), "pass")
        whole["status"] = STATUS[whole["verdict"]]
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(whole))  # faster than dump
        return failed


def sound(database):
    """Whether SQLite finds no damage, and each run has all of its cases."""
    lost = rows(database, "SELECT id FROM run LEFT JOIN (SELECT run_id, count(*) AS n FROM result GROUP BY run_id)"
                          " ON run_id = id WHERE cases IS NOT n")
    return rows(database, "PRAGMA integrity_check") == [("ok",)] and lost == [] and rows(database, "SELECT id FROM run") != []


def load(results, folder, rng):
    database, path, times = f"{folder}/load.db", f"{folder}/run.json", []
    failures = dict.fromkeys(range(ARGS.cases), 0)
    for run in range(ARGS.runs):
        for case in results.write(path, rng):
            failures[case] += 1
        start = time.monotonic()
        added = history("add", path, "--db", database, "--device", f"D{run % 4}", "--firmware", f"1.{run // 40}", "--profile",
                        "whole", "--time", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1e9 + 3600 * run)))
        times.append(time.monotonic() - start)
        if added.returncode != 0:
            print(f"# {added.stderr.strip()}")
            break
    result(len(times) == ARGS.runs and sound(database), f"{ARGS.runs} runs of {ARGS.cases} cases are added")
    print(f"# an addition takes {sorted(times)[len(times) // 2] * 1e3:.0f} ms; of the last ones {times[-1] * 1e3:.0f} ms")
    size = os.path.getsize(database)
    result(size < MAX_BYTES, f"the history takes {size / 1e6:.1f} MB")
    counted = dict(rows(database, "SELECT test_case, count(*) FROM case_result WHERE verdict = 'fail' GROUP BY test_case"))
    result(counted == {results.pairs[i][0]["id"]: n for i, n in failures.items() if n > 0}, "each failure is counted")
    return database


def trends(database):
    for words in (["trend"], ["trend", "--device", "D1"], ["trend", "--all", "--rows", "0"], ["trend", "--format", "json"],
                  ["matrix"], ["list"], ["compare", "last-1", "last", "--device", "D1"], ["html", "-o", "/dev/null"]):
        limit = MAX_SECONDS if "html" not in words else 5 * MAX_SECONDS
        spent, walls = [], []
        for _ in range(3):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            status = history(*words, "--db", database).returncode
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            walls.append(time.monotonic() - start)
            spent.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        result(status <= 1 and min(spent) < limit,
               f"history {' '.join(words)}: {min(spent):.2f} s of a processor, {min(walls):.2f} s")


def writes(pid):
    """Whether the process holds a lock to write."""
    with open("/proc/locks", encoding="ascii") as file:
        return any(f" WRITE {pid} " in line for line in file)


class Writers:
    """Writers side by side, of which a share is killed at a random moment: of their lives, or of the time in which they hold
    the lock to write. A run is acknowledged once its number is printed."""

    def __init__(self, database, results, folder, rng):
        self.database, self.acknowledged, self.unclear = database, {}, []
        self.killed = self.writing = self.number = 0
        self.lock = threading.Lock()
        self.files = []
        for i in range(8):
            self.files.append(f"{folder}/w{i}.json")
            results.write(self.files[-1], rng)
        start = time.monotonic()
        process = self.start("first", 0)
        locked = self.wait_for_lock(process)
        process.communicate()
        self.usual, self.held = time.monotonic() - start, time.monotonic() - locked

    def start(self, name, number):
        words = ["add", self.files[number % len(self.files)], "--db", self.database, "--device", f"{name}-{number}",
                 "--wait", "600"]
        return subprocess.Popen([ARGS.talon, "history", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @staticmethod
    def wait_for_lock(process):
        while process.poll() is None and not writes(process.pid):
            time.sleep(0.0002)
        return time.monotonic()

    def kill(self, process, rng):
        """Writers wait for each other: the moment is drawn from as many additions as there are writers."""
        if rng.random() < 0.3:
            time.sleep(rng.uniform(0, self.usual * (ARGS.writers + 1)))
        else:
            self.wait_for_lock(process)
            time.sleep(rng.uniform(0, 1.1 * self.held))
        writing = writes(process.pid)
        process.kill()
        return writing

    def add(self, name, number, rng):
        process = self.start(name, number)
        writing = self.kill(process, rng) if rng.random() < 0.7 else False
        said, error = process.communicate()
        with self.lock:
            if "added as run" in said:
                self.acknowledged[f"{name}-{number}"] = int(said.split()[-1])
            elif process.returncode != -9:
                self.unclear.append(error.strip())
            self.killed += process.returncode == -9
            self.writing += process.returncode == -9 and writing

    def work(self, name, rng):
        while True:
            with self.lock:
                if self.killed >= ARGS.kills:
                    return
                self.number += 1
                number = self.number
            self.add(name, number, rng)

    def run(self, seed):
        threads = [threading.Thread(target=self.work, args=(f"W{i}", random.Random(seed + i))) for i in range(ARGS.writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def kills(results, folder, rng):
    database = f"{folder}/kills.db"
    writers = Writers(database, results, folder, rng)
    writers.run(rng.randrange(1 << 30))
    there = {device: run for run, device in rows(database, "SELECT id, device FROM run")}
    lost = [device for device, run in writers.acknowledged.items() if there.get(device) != run]
    print(f"# {writers.killed} kills, {writers.writing} of them while writing; {len(writers.acknowledged)} runs acknowledged, "
          f"{len(there) - 1} present; the lock is held for {writers.held * 1e3:.0f} ms")
    result(writers.killed >= ARGS.kills and sound(database), f"{ARGS.writers} writers and {ARGS.kills} kills: the file is sound")
    result(lost == [] and writers.acknowledged != {}, f"every acknowledged run is present {lost[:5] or ''}")
    result(writers.unclear == [], f"no writer fails that was not killed {writers.unclear[:2] or ''}")
    result(history("list", "--db", database).returncode == 0, "the history can be read")


KEPT = ("SELECT * FROM test_case", "SELECT case_id, run_id, verdict, disposition, reason, why, fingerprint FROM result",
        "SELECT id, hash, time, device, firmware, profile, verdict, cases FROM run", "SELECT * FROM proof")


def old_database(database, folder):
    """The tables of version 1, with the same rows, become those of today."""
    old = f"{folder}/old.db"
    shutil.copy(database, old)
    connection = sqlite3.connect(old)
    connection.executescript(
        "DROP VIEW case_result; DROP INDEX result_odd; DROP INDEX proof_odd; DROP TABLE run_cause; DROP TABLE cause;"
        "ALTER TABLE result DROP COLUMN unstable; ALTER TABLE run DROP COLUMN certificate;"
        "DELETE FROM version WHERE number > 1;")
    connection.close()
    before = [digest(old, query) for query in KEPT]
    start = time.monotonic()
    openers = [subprocess.Popen([ARGS.talon, "history", "list", "--db", old], stdout=subprocess.DEVNULL) for _ in range(4)]
    openers[0].kill()
    statuses = [opener.wait() for opener in openers[1:]]
    print(f"# the upgrade takes {time.monotonic() - start:.1f} s")
    result(statuses == [0] * 3 and sound(old), "a database of the first version is upgraded by four programs at once")
    result([digest(old, query) for query in KEPT] == before, "and has the same rows")
    result(rows(old, "SELECT max(number) FROM version") == rows(database, "SELECT max(number) FROM version"),
           "and the version of today")


def main():
    print(f"# seed {SEED}: --seed {SEED} repeats this")
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        results = Results(folder, ARGS.cases)
        database = load(results, folder, rng)
        trends(database)
        kills(results, folder, rng)
        old_database(database, folder)
    print(f"1..{tests}")
    return bad > 0


sys.exit(main())
