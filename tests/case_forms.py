#!/usr/bin/env python3
"""case_forms.py TALON: cases come to the same, whether a timeline is kept (then commands and answers are text) or not
(then they are structs), and in whatever order they are played. TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile

SEED = 5
LEFT_OUT = {"evidence", "repeat", "timeline", "packets"}  # where it is kept


def play(talon, directory, name, files, *options):
    report = os.path.join(directory, name + ".json")
    subprocess.run([talon, "run", "--verbose", *files, "--sut", "builtin", "--seed", str(SEED), "--report", "json:" + report, *options],
                   stdout=subprocess.DEVNULL, check=False)
    with open(report, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    return {case["id"]: {key: case[key] for key in case if key not in LEFT_OUT} for case in cases}


def compare(number, what, one, other):
    unlike = [i for i in one if one[i] != other.get(i)] + [i for i in other if i not in one]
    if unlike or not one:
        print(f"not ok {number} - {what}: {len(unlike)} of {len(one)} cases differ, the first: {unlike[:1]}")
    else:
        print(f"ok {number} - {what}: {len(one)} cases")
    return not unlike and bool(one)


def main():
    talon = sys.argv[1]
    files = sorted(os.path.join(top, name) for top, _, names in os.walk("scenarios") for name in names
                   if name.endswith(".json") and "schema" not in top and "profiles" not in top)
    shuffled = random.Random(SEED).sample(files, len(files))
    with tempfile.TemporaryDirectory() as directory:
        plain = play(talon, directory, "plain", files, "--jobs", "1")
        text = play(talon, directory, "text", files, "--keep", "all", "--out", os.path.join(directory, "kept"))
        mixed = play(talon, directory, "mixed", shuffled, "--jobs", "1")
    print(f"1..2\n# shuffled by seed {SEED}")
    good = compare(1, "with a timeline, so as text, and without", plain, text)
    good &= compare(2, "in a shuffled order", plain, mixed)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
