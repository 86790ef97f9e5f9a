#!/usr/bin/env python3
"""`talon check --shard` by any number of processes, merged in any order, gives the bytes of one process. TAP.

The captures are those of check_jobs.py: lawful and broken ones, with options drawn at random, and ones in which hosts take
different readings of a sentence. Each split draws a number of shards and an order of the parts; shards that did not know the
readings of others are judged again, as the merge asks. The seed is printed. CHECK_SHARDS_SEED (default 25) and
CHECK_SHARDS_SPLITS (default 60) set seed and length.
"""
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

import check_jobs
from check_jobs import TALON, Tap, base, change, options_of, own_bits, readings, write

ROUNDS = 50  # of judging shards again: each settles a reading for good
NAMED = re.compile(rb"shards ([0-9, -]+) of \d+ were judged without readings")


def talon(*words):
    done = subprocess.run([TALON, "check", *words], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def numbers(text):
    """2, 5-7 as numbers."""
    for item in text.split(", "):
        first, _, last = item.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Capture:
    """A capture with its options, whole and in parts; parts are kept by the number of shards."""

    def __init__(self, rng, folder, name, options, files):
        self.rng, self.folder, self.options, self.files = rng, f"{folder}/{name}", options, files
        os.mkdir(self.folder)
        self.how = rng.choice([[], ["--format", "json"], ["--report", "json:-"], ["--report", "markdown:-"]])
        self.one = talon("--jobs", "1", "--join", *options, *self.how, *files)
        self.rounds = {}

    def breaks(self):
        return any(word in self.one[1] for word in (b" violated by ", b'"seen":'))

    def part(self, k, n):
        return f"{self.folder}/{k}-of-{n}"

    def judge(self, k, n, more=()):
        return talon("--shard", f"{k}/{n}", "--part", self.part(k, n), *more, *self.options, *self.files)

    def merged(self, n, order):
        return talon("--merge", *[self.part(k, n) for k in order], *self.how)

    def parts(self, n):
        """Judges the shards, again if they did not know a reading. Returns what is wrong, or None."""
        if n in self.rounds:
            return None
        given = f"{self.folder}/readings-of-{n}"
        again = range(1, n + 1)
        for rounds in range(ROUNDS):
            for k in again:
                status, _, err = self.judge(k, n, ["--readings", given] if rounds else [])
                if status != 0:
                    return f"shard {k} of {n}: status {status}: {err[:300]!r}"
            status, _, err = talon("--merge", *[self.part(k, n) for k in range(1, n + 1)], "--readings", given)
            named = NAMED.search(err)
            if not named:
                self.rounds[n] = rounds
                return None
            again = list(numbers(named.group(1).decode()))
        return f"{n} shards: still to be judged again after {ROUNDS} rounds"

    def split(self):
        """One random split. Returns what is wrong, or None."""
        n = self.rng.choice([1, 2, 3, 4, 5, 7, 8, 16, self.rng.randrange(1, 25)])
        wrong = self.parts(n)
        if wrong:
            return wrong
        order = list(range(1, n + 1))
        self.rng.shuffle(order)
        got = self.merged(n, order)
        if got == self.one:
            return None
        for a, b in zip(self.one[1].splitlines(), got[1].splitlines()):
            if a != b:
                return f"{n} shards, order {order}\none:    {a[:300]!r}\nmerged: {b[:300]!r}"
        return f"{n} shards, order {order}: status {self.one[0]} and {got[0]}, {len(self.one[1])} and {len(got[1])} bytes, {got[2][:200]!r}"


def random_capture(rng, folder, name):
    frames = change(rng, base(folder, rng.choice([2, 9, 40, 150]), rng.choice([50, 300, 800])), rng.choice([0, 2, 5]))
    path = f"{folder}/{name}.{rng.choice(['pcap', 'pcapng'])}"
    problem = write(path, frames)
    return None if problem else Capture(rng, folder, f"parts-{name}", options_of(rng, folder), [path])


def refusals(tap, rng, folder, one, other):
    n = 4
    parts = [one.part(k, n) for k in range(1, n + 1)]
    strange = f"{folder}/strange"
    tap.ok(one.parts(n) is None, "shards are judged")

    def refused(text, words, what):
        status, out, err = talon("--merge", *words)
        tap.ok(status == 2 and not out and text.encode() in err, what, f"status {status}: {err[:300]!r}")

    refused("shards 2-3 of 4 are missing", [parts[3], parts[0]], "missing shards are named")
    refused("are both shard 1 of 4", [*parts, parts[0]], "a shard that is there twice is named")
    talon("--shard", "4/4", "--part", strange, *one.options, *other.files)
    refused("are of different captures", [*parts[:3], strange], "a shard of another capture is named")
    talon("--shard", "4/4", "--part", strange, "--param", "rto=1ms", *one.files)
    refused("were judged with different options", [*parts[:3], strange], "a shard with other options is named")
    talon("--shard", "4/5", "--part", strange, *one.files)
    refused("are of different numbers of shards", [*parts[:3], strange], "a shard of another number is named")
    with open(parts[3], "rb") as file:
        whole = file.read()
    for cut in (0, 1, len(whole) // 2, whole[:-1].rfind(b"\n") + 1):
        with open(strange, "wb") as file:
            file.write(whole[:cut])
        status, out, err = talon("--merge", *parts[:3], strange)
        tap.ok(status == 2 and not out and strange.encode() in err, f"a part that ends after {cut} bytes is refused", repr(err[:300]))
    bad = 0
    for _ in range(int(os.environ.get("CHECK_SHARDS_BROKEN") or 40)):
        broken = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(broken))
            broken[at:at + rng.randrange(3)] = rng.choice([b"", b"9", b"-1", b"true", b"null", b"18446744073709551615", b"\n"])
        with open(strange, "wb") as file:
            file.write(broken)
        bad += talon("--merge", *parts[:3], strange)[0] not in range(5)
    tap.ok(bad == 0, "a part with any bytes changed does not stop talon", f"{bad} did")


def main():
    seed = int(os.environ.get("CHECK_SHARDS_SEED") or 25)
    splits = int(os.environ.get("CHECK_SHARDS_SPLITS") or 60)
    rng = random.Random(seed)
    print(f"# seed {seed}, {splits} splits")
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        problem = write(f"{folder}/readings.pcap", readings()) + write(f"{folder}/own.pcap", own_bits())
        faithful = ["--in-order", "--no-duplicates-in", "--no-duplicates-out", "--param", "pipeline=0"]
        fixed = [Capture(rng, folder, "both-readings", [], [f"{folder}/readings.pcap"]),
                 Capture(rng, folder, "both-orders", faithful, [f"{folder}/own.pcap"])]
        tap.ok(problem == "", "captures with both readings are written", problem)
        captures = fixed + [c for n in range(4) if (c := random_capture(rng, folder, n))]
        keys = ["--psp-keys", "tests/data/psp-keys.json", "--esp-keys", "tests/data/esp-keys.json"]
        captures.append(Capture(rng, folder, "samples", keys, sorted(glob.glob("tests/data/captures/*.pcap*"))))
        captures.append(Capture(rng, folder, "joined", [], captures[-2].files + captures[-2].files))
        wrong, done, found = [], 0, sum(c.breaks() for c in captures)
        while done < splits and len(wrong) < 5:
            if done > 40 and done % 50 == 0:  # long runs see many captures
                fresh = random_capture(rng, folder, f"later-{done}")
                found += fresh is not None and fresh.breaks()
                captures[rng.randrange(len(fixed), len(captures))] = fresh or captures[-1]
            capture = captures[done % len(captures)]
            trouble = capture.split()
            done += 1
            if trouble:
                wrong.append(f"{' '.join(capture.options + capture.how)} {capture.files}\n{trouble}")
        tap.ok(not wrong, f"{done} splits, merged, are what one process prints", "\n".join(wrong))
        tap.ok(found > 1, "some captures break rules", f"{found}")
        tap.ok(any(rounds > 0 for c in fixed for rounds in c.rounds.values()), "shards that did not know a reading are judged again")
        refusals(tap, rng, folder, captures[2], captures[3])
    print(f"1..{tap.num}")
    return tap.bad > 0


if __name__ == "__main__":
    assert check_jobs.TALON == TALON
    sys.exit(main())
