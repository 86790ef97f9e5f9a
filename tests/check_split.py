#!/usr/bin/env python3
"""One busy pair of addresses: `talon capture split`, then `talon check` of each part, finds of each connection what one
`talon check` finds. TAP.

The captures are those of check_jobs.py, lawful and broken ones, with all connections between the same two hosts, in two files
of one store. What depends on all connections together is left out: rules about sentences with two readings, and whether budgets of
excuses make a pass inconclusive. The seed is printed. CHECK_SPLIT_SEED (default: drawn) and CHECK_SPLIT_ROUNDS (default 8) set seed and length.
"""
import concurrent.futures
import functools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from check_jobs import TALON, Tap, base, change, write


def talon(*words):
    return subprocess.run([TALON, *words], capture_output=True, check=False)


def check(path, options):
    done = talon("check", "--format", "json", *options, path)
    return json.loads(done.stdout) if done.stdout else {"error": done.stderr.decode()}


def busy(rng, folder, connections):
    """Frames of so many connections, all between 10.0.0.1 and 10.128.0.1, and the CIDs of these connections."""
    frames = change(rng, base(folder, connections, rng.choice([50, 300, 800])), 0)
    for frame in frames:
        for end in ("src", "dst"):
            frame["ipv4"][end] = ".".join(frame["ipv4"][end].split(".")[:2] + ["0", "1"])
    return frames


def known(folder, connections):
    path = f"{folder}/connections.json"
    ends = [{"sut": {"address": "10.128.0.1", "cid": n}, "tester": {"address": "10.0.0.1", "cid": n}} for n in range(connections)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(ends, file)
    return ["--connections", path]


def originals(path):
    """The number in the whole of each frame of a part, from its comment."""
    return [int(n) for n in re.findall(r"# comment: frame (\d+)", talon("decode", path).stdout.decode())]


@functools.cache
def depends_on_reading(rule):
    """Which reading of a sentence a device takes, all its connections show together."""
    return b"\n  readings " in talon("explain", rule).stdout


def of_connection(report, number, certain, numbers=None):
    """What the report says of one connection, with the numbers of frames in the whole. If the pairing of its directions is not
    certain, without what follows from that."""
    if "rules" not in report:
        return [report], []
    rules = []
    for row in report["rules"]:
        if row["connection"] == number and not depends_on_reading(row["rule"]):  # pass or inconclusive: a budget decides
            verdict = row["verdict"].replace("inconclusive", "pass") if certain else "?"
            rules.append({**{k: v for k, v in row.items() if k != "connection"}, "verdict": verdict})
    findings = []
    for found in report["findings"]:
        if found["connection"] == number and not depends_on_reading(found["rule"]):
            frames = [numbers[n - 1] if numbers else n for n in found["frames"]]
            told = ("rule", "requirement", "party", "asked", "expected", "seen") + (("unsure",) if certain else ())
            findings.append([found[k] for k in told] + frames)
    return rules, findings


def different(one, two):
    """The lines in which they differ."""
    return [(a, b) for a, b in zip(one[0] + one[1], two[0] + two[1]) if a != b] or [(one[1], two[1])]


def judged(folder, numbers, options):
    """The reports of the parts, which are judged side by side."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return zip(numbers, pool.map(lambda n: check(f"{folder}/connection-{n}.pcapng", options), numbers))


def until(folder, frames, options):
    """The report of the whole when these were all frames."""
    wrong = write(f"{folder}/first.pcapng", frames)
    return {"error": wrong} if wrong else check(f"{folder}/first.pcapng", ["--jobs", "1", *options])


def parts_differ(folder, frames, given, counts):
    """Splits, judges the parts, and compares; so many connections are given. Returns what is wrong, or None."""
    options = known(folder, given) if given else []
    whole, parts = f"{folder}/whole.pcapng", f"{folder}/parts"
    done = talon("capture", "split", whole, "--out", parts, *options)
    index = json.loads(talon("capture", "index", "--format", "json", whole, *options).stdout)
    rows = {row["connection"]: row for row in index["connections"] if row["connection"] > 0}
    unsure = [n for n, row in rows.items() if row["uncertain"]]
    if done.returncode != 0 or bool(unsure) != (b"of these connections" in done.stderr):
        return f"uncertain: {unsure}: {done.stderr.decode()}"
    report = check(whole, ["--jobs", "1", *options])
    for number, part in judged(parts, list(rows), options):
        own = min(number, given + 1)  # given connections keep their numbers
        numbers = originals(f"{parts}/connection-{number}.pcapng")
        one = of_connection(report, number, number not in unsure)
        two = of_connection(part, own, number not in unsure, numbers)
        if one != two:  # a part ends with the last frame of its connection: what was due later is not judged
            one = of_connection(until(folder, frames[:numbers[-1]], options), number, number not in unsure)
        if one != two:
            return f"connection {number}\n" + "\n".join(f"whole: {a}\npart:  {b}" for a, b in different(one, two))
        counts["findings"] += len(one[1])
        counts["unsure"] += number in unsure
    all_numbers = sorted(n for name in os.listdir(parts) for n in originals(f"{parts}/{name}"))
    if all_numbers != list(range(1, len(frames) + 1)) or index["frames"] != len(frames):
        return "a frame is in no part, or in two"
    return None if len(rows) > 1 else f"{len(rows)} connections"


def main():
    seed = int(os.environ.get("CHECK_SPLIT_SEED") or random.randrange(1 << 32))
    rng = random.Random(seed)
    print(f"# seed {seed}")
    tap = Tap()
    counts = {"findings": 0, "unsure": 0}
    for n in range(int(os.environ.get("CHECK_SPLIT_ROUNDS") or 8)):
        with tempfile.TemporaryDirectory() as folder:
            connections = rng.choice([2, 9, 40])
            frames = busy(rng, folder, connections)
            wrong = ""
            with open(f"{folder}/whole.pcapng", "wb") as whole:  # files of pcapng, one after the other, are one file
                for half in (frames[:len(frames) // 2], frames[len(frames) // 2:]):
                    wrong += write(f"{folder}/half.pcapng", half)
                    with open(f"{folder}/half.pcapng", "rb") as file:
                        whole.write(file.read())
            given = connections if n % 2 == 0 else 0
            wrong = wrong or parts_differ(folder, frames, given, counts)
            tap.ok(wrong is None, f"capture {n}, {connections} connections{', known' if given else ''}", wrong or "")
    tap.ok(counts["findings"] > 0, f"{counts['findings']} violations were compared")
    print(f"# {counts['unsure']} connections were uncertain")
    print(f"1..{tap.num}")
    return tap.bad > 0


if __name__ == "__main__":
    sys.exit(main())
