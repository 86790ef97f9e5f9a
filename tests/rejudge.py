#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the captures of runs again: what a run showed must show in its capture, and nothing else.

    rejudge.py faults TALON [FAULT...]   the faults of tests/data/reference-faults.txt, or those named
    rejudge.py write TALON [FAULT...]    writes tests/data/rejudged-faults.txt anew; reasons are kept
    rejudge.py sound TALON [PATH...]     a SUT without a fault plays scenarios: its captures must not fail
    rejudge.py missing TALON SEED COUNT  so many of these captures, each frame removed in turn: none may fail, unless it
                                         is declared to be complete

A fault is played in one case of the suite, which tests/data/rejudged-faults.txt names. The case's packets.pcapng is
judged twice: beside its timeline (talon check --ulp), where the same rules must fail by the same requirements as in the
run, and by itself, declared to be complete, with a file of connections that states what the run knew of the ends, their
parameters and the path. The list says what the packets alone show:

    packets          at least one rule fails that failed in the run
    events: REASON   none does: each needs an event of the control channel, the seal of a packet, or the like
    steps: REASON    in the whole suite only steps of scenarios fail, no rule does

Prints TAP."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

LIST = "tests/data/rejudged-faults.txt"
HEAD = """# What talon check finds in the capture of a case with a planted fault: fault, case, and what its packets alone show.
# tests/rejudge.py explains the words and writes this list; reasons are written by hand.
"""
PATH = ("lossless_in", "lossless_out", "no_duplicates_in", "no_duplicates_out", "in_order_in", "in_order_out",
        "delay_min_ns", "delay_max_ns", "clock_error_ns")
SCENARIOS_MAX = 16  # tried for `write`
FRAMES_MAX = 12  # removed from one capture
PACKET_BLOCK = 6  # of pcapng
# What a user may know of the path, by the member of a timeline's `run` that must be true.
DECLARED = (("lossless_out", "--lossless-out"), ("lossless_in", "--lossless-in"), ("in_order_out", "--in-order-out"),
            ("in_order_in", "--in-order-in"), ("no_duplicates_out", "--no-duplicates-out"),
            ("no_duplicates_in", "--no-duplicates-in"))


def words_of(name):
    with open(name, encoding="utf-8") as file:
        return [line.split(None, 2) for line in map(str.strip, file) if line and not line.startswith("#")]


def references():
    return [words[0] for words in words_of("tests/data/reference-faults.txt")]


def listed():
    return {words[0]: words[1:] for words in words_of(LIST)} if os.path.exists(LIST) else {}


def scenario_files():
    return {name[:-5]: os.path.join(where, name) for where, _, names in os.walk("scenarios") for name in names
            if name.endswith(".json") and os.path.basename(where) not in ("schema", "profiles")}


# ---- one case ----

def play(talon, sut, what, out):
    """The results of the cases, with evidence in `out`."""
    subprocess.run([talon, "run", "--verbose", *what, "--sut", sut, "--out", out], capture_output=True, check=False, timeout=600)
    with open(os.path.join(out, "results.json"), encoding="utf-8") as file:
        return json.load(file)["cases"]


def failed_in_run(case):
    """Rule and requirement of each violation of the SUT."""
    return {(p["rule"], p.get("requirement")) for p in case["problems"]
            if p.get("rule") and p["verdict"] == "fail" and p["subject"] == "sut"}


def connections_of(timeline):
    """What the run knew, declared to be complete. A parameter that a command changed later is left out."""
    run, ends, changed = None, [], set()
    with open(timeline, encoding="utf-8") as file:
        for line in file:
            if not line.startswith(('{"event":"run"', '{"event":"connection"', '{"event":"command"')):
                continue
            event = json.loads(line)
            if event["event"] == "run":
                run = event
            elif event["event"] == "connection":
                ends.append({key: event[key] for key in ("tester", "sut", "params")})
            elif event["do"] == "set":
                changed |= set(json.loads(event["text"]).get("params", {}))
            elif event["do"] == "cc_result":
                changed |= {"fcwnd", "fcwnd_fraction", "ncwnd", "packet_gap", "rto"}
    for end in ends:
        end["params"] = {key: value for key, value in end["params"].items()
                         if not {key, key.removesuffix("_ns")} & changed}
    return {"schema": "talon/connections/1", "complete_capture": True, "alone": run.get("alone", False),
            "vantage": run["vantage"], "path": {key: run[key] for key in PATH if key in run}, "connections": ends}


def failed_again(talon, capture, *options):
    out = subprocess.run([talon, "check", capture, *options, "--format", "json"], capture_output=True, text=True,
                         check=False, timeout=120)
    if "has no Falcon packet" in out.stderr:  # a case may feed events and send nothing
        return set()
    if out.returncode not in (0, 1, 3):
        return {("talon check ended in status", str(out.returncode)), (out.stderr.strip()[-200:], "")}
    found = json.loads(out.stdout)
    return {(f["rule"], f["requirement"]) for f in found["findings"] if f["party"] != "tester" and not f.get("unsure")}


def judge_again(talon, folder):
    """What the capture shows beside its timeline, and by itself."""
    capture, timeline = os.path.join(folder, "packets.pcapng"), os.path.join(folder, "timeline.jsonl")
    declared = os.path.join(folder, "connections.json")
    with open(declared, "w", encoding="utf-8") as file:
        json.dump(connections_of(timeline), file)
    return (failed_again(talon, capture, "--ulp", timeline),
            failed_again(talon, capture, "--connections", declared))


# ---- the test ----

def shown(rules):
    return ", ".join(f"{rule} {requirement}" for rule, requirement in sorted(rules)) or "nothing"


def wrong_with(talon, fault, entry, files):
    """Why the fault's line of the list does not hold; None: it does."""
    case, what = entry
    with tempfile.TemporaryDirectory() as out:
        cases = play(talon, "builtin:fault=" + fault, [files[case.split("@")[0]], "--id", case], out)
        if len(cases) != 1 or cases[0]["verdict"] != "fail":
            return f"{case} does not fail"
        live = failed_in_run(cases[0])
        kind, _, reason = what.partition(": ")
        if kind not in ("packets", "events", "steps") or (kind != "packets") != (reason.strip() not in ("", "why?")):
            return f"'{what}': expected packets, or events or steps with a reason"
        if (kind == "steps") != (not live):
            return f"{case}: the run fails by {shown(live)}, and the list has {kind}"
        beside, alone = judge_again(talon, os.path.join(out, cases[0]["evidence"]))
    if beside != live:
        return f"{case}: the run fails by {shown(live)}, the capture beside its timeline by {shown(beside)}"
    if not {rule for rule, _ in alone} <= {rule for rule, _ in live}:
        return f"{case}: the run fails by {shown(live)}, its packets alone by {shown(alone)}"
    if (kind == "packets") != bool(alone & live):
        return f"{case}: its packets alone fail by {shown(alone)}, and the list has {kind}"
    return None


def test(talon, faults):
    known, files, good = listed(), scenario_files(), True
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = pool.map(lambda f: wrong_with(talon, f, known[f], files) if f in known else "it is not in " + LIST,
                           faults)
        for number, (fault, wrong) in enumerate(zip(faults, results), 1):
            if wrong:
                print("# " + wrong)
            print(f"{'not ' if wrong else ''}ok {number} - {fault}", flush=True)
            good = good and not wrong
    print(f"1..{len(faults)}")
    return good


# ---- a conforming SUT ----

def accused(talon, folder):
    """Why a capture of a case that passed is not judged as the case was; None: it is."""
    beside, alone = judge_again(talon, folder)
    if not beside | alone:
        return None
    return f"{os.path.basename(folder)}: beside its timeline {shown(beside)}, its packets alone {shown(alone)}"


def sound(talon, paths):
    with tempfile.TemporaryDirectory() as out, ThreadPoolExecutor(max_workers=2) as pool:
        cases = play(talon, "builtin", [*paths, "--keep", "all"], out)
        folders = [os.path.join(out, case["evidence"]) for case in cases if case["verdict"] == "pass"]
        wrong = [text for text in pool.map(lambda folder: accused(talon, folder), folders) if text]
    for text in wrong:
        print("# " + text)
    print(f"# {len(folders)} captures of cases that passed")
    print(f"{'not ' if wrong or not folders else ''}ok 1 - no capture of a conforming SUT fails\n1..1")
    return folders and not wrong


# ---- a capture that lost a frame ----

def without(capture, nth):
    """The bytes of a pcapng file without its n-th packet, from 0; None: it has fewer."""
    at, left = 0, nth
    while at < len(capture):
        kind, length = struct.unpack_from("<II", capture, at)
        left -= kind == PACKET_BLOCK
        if left < 0:
            return capture[:at] + capture[at + length:]
        at += length
    return None


def lessened(folder, rng):
    """Captures of a case that lack a frame: a folder for each, and the number of the frame."""
    with open(os.path.join(folder, "packets.pcapng"), "rb") as file:
        whole = file.read()
    count = 0
    while without(whole, count) is not None:
        count += 1
    for nth in sorted(rng.sample(range(count), min(count, FRAMES_MAX))):
        path = os.path.join(folder, f"without-{nth + 1}.pcapng")
        with open(path, "wb") as file:
            file.write(without(whole, nth))
        yield path, nth + 1


def options_for(folder, rng):
    """Options of somebody who knows both ends and something of the path, and declares nothing of the capture."""
    known = connections_of(os.path.join(folder, "timeline.jsonl"))
    declared = os.path.join(folder, "complete.json")
    with open(declared, "w", encoding="utf-8") as file:
        json.dump(known, file)
    ends = os.path.join(folder, "ends.json")
    with open(ends, "w", encoding="utf-8") as file:
        json.dump(known["connections"], file)
    path = [option for member, option in DECLARED if known["path"].get(member) and rng.random() < 0.6]
    return ["--connections", ends, "--vantage", rng.choice(["tester", "middle", "sut"]), *path], declared


def missing(talon, seed, count):
    rng = random.Random(f"missing {seed}")
    print(f"# seed {seed}")
    names = rng.sample(sorted(scenario_files().values()), int(count))
    wrong, captures, noticed = [], 0, 0
    with tempfile.TemporaryDirectory() as out:
        cases = [case for case in play(talon, "builtin", [*names, "--keep", "all"], out) if case["verdict"] == "pass"]
        for case in rng.sample(cases, min(len(cases), int(count))):
            folder = os.path.join(out, case["evidence"])
            for capture, frame in lessened(folder, rng):
                options, declared = options_for(folder, rng)
                found = failed_again(talon, capture, *options)
                captures += 1
                noticed += bool(failed_again(talon, capture, "--connections", declared))
                if found:
                    wrong.append(f"{case['id']} without frame {frame}, {' '.join(options[2:])}: {shown(found)}")
    for text in wrong:
        print("# " + text)
    print(f"# {captures} captures that lack a frame; declared to be complete, {noticed} of them fail")
    print(f"{'not ' if wrong or not captures else ''}ok 1 - a frame that a capture lost fails no SUT")
    print(f"{'' if noticed else 'not '}ok 2 - unless the capture is declared to be complete\n1..2")
    return captures and noticed and not wrong


# ---- the list ----

def choose(talon, fault, files):
    """A case whose packets alone show the fault; else one that a rule fails, or any that fails."""
    names = sorted({words[1] for words in words_of("oracles/catalogue/suite-kills.txt")
                    if words[0] == fault and words[2] == "fail"})
    best = None
    random.Random(fault).shuffle(names)
    for name in names[:SCENARIOS_MAX]:
        with tempfile.TemporaryDirectory() as out:
            for case in play(talon, "builtin:fault=" + fault, [files[name]], out):
                live = failed_in_run(case)
                if case["verdict"] != "fail" or "evidence" not in case:
                    continue
                if live and judge_again(talon, os.path.join(out, case["evidence"]))[1] & live:
                    return case["id"], "packets"
                if best is None or (best[1] == "steps" and live):
                    best = case["id"], "events" if live else "steps"
    return best


def write(talon, faults):
    known, files = listed(), scenario_files()
    for fault in faults:
        case, kind = choose(talon, fault, files)
        old, _, reason = known.get(fault, ["", ""])[1].partition(": ")
        known[fault] = [case, kind if kind == "packets" else f"{kind}: {reason if kind == old else 'why?'}"]
        print(fault, *known[fault], flush=True)
    with open(LIST, "w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(f"{fault} {case} {what}\n" for fault, (case, what) in sorted(known.items()))
    return True


def main(what, talon, *rest):
    modes = {"faults": lambda: test(talon, rest or references()), "write": lambda: write(talon, rest or references()),
             "sound": lambda: sound(talon, rest or ["scenarios"]), "missing": lambda: missing(talon, *rest)}
    return 0 if modes[what]() else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
