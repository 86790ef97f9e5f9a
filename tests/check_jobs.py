#!/usr/bin/env python3
"""`talon check --jobs N` gives the same bytes for every N, on lawful and on broken captures. TAP.

Captures of many connections are changed at random: frames are lost, doubled, put in another order, sent back in time, given
other hosts and numbers; Resyncs of one reading or the other are put in. Then one thread and several judge each of them, with
options drawn at random. The seed is printed; CHECK_JOBS_SEED and CHECK_JOBS_ROUNDS (default 12) set seed and length.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

TALON = sys.argv[1]
BUILD = os.path.dirname(TALON)
JOBS = ("2", "3", "7", "64")


def decoded(path):
    out = subprocess.run([TALON, "decode", "--format", "json", path], capture_output=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def base(folder, connections, transactions):
    path = f"{folder}/base.pcap"
    bench = os.environ.get("CHECK_JOBS_BENCH") or f"{BUILD}/tests/bench/bench_endpoint"
    subprocess.run([bench, str(connections), str(transactions), path], capture_output=True, check=True)
    return decoded(path)


def clean(frame):
    """The frame without what encode computes anew."""
    frame = json.loads(json.dumps(frame))
    for key in ("issues", "caplen", "len", "frame"):
        frame.pop(key, None)
    for layer, names in (("ipv4", ("header_checksum", "total_length")), ("udp", ("checksum", "length"))):
        for name in names:
            frame.get(layer, {}).pop(name, None)
    return frame


def resync_of(rng, frame):
    """A Resync in place of a pull_request, whose number is in one window or the other (AMB-13)."""
    out = clean(frame)
    falcon = out["falcon"]
    out["falcon"] = {k: falcon[k] for k in ("version", "dest_cid", "protocol_type", "psn", "rsn", "recv_data_base_psn",
                                            "recv_req_base_psn") if k in falcon}
    out["falcon"].update(packet_type="resync", resync_packet_type="pull_request", resync_code=rng.choice(["cie", "nre"]))
    if rng.random() < 0.3:
        out["falcon"]["psn"] = rng.randrange(64)
    out["payload"] = ""
    return out


def change(rng, frames, hosts):
    out = []
    for frame in frames:
        frame = clean(frame)
        for end in ("src", "dst"):  # fewer hosts: several connections between the same two
            parts = frame["ipv4"][end].split(".")
            if hosts and int(parts[3]) % 3 == 0:
                frame["ipv4"][end] = ".".join(parts[:2] + ["9", str(int(parts[3]) % hosts)])
        falcon, draw = frame["falcon"], rng.random()
        if draw < 0.02:
            continue
        if draw < 0.03 and falcon.get("packet_type") == "pull_request":
            out.append(resync_of(rng, frame))
        elif draw < 0.05:
            name = rng.choice([k for k in ("psn", "rsn", "recv_data_base_psn", "recv_req_base_psn", "dest_cid") if k in falcon])
            falcon[name] = (falcon[name] + rng.choice([1, 2, 200, 0xffffff])) & 0xffffff
        elif draw < 0.06:
            frame["udp"]["checksum"] = 1
        elif draw < 0.07:
            frame["ts_ns"] = max(0, frame["ts_ns"] - rng.randrange(3_000_000))
        out.append(frame)
        if rng.random() < 0.03:
            again = clean(frame)
            again["ts_ns"] += rng.randrange(2_000_000)
            out.insert(len(out) - rng.randrange(min(len(out), 5)), again)
        if rng.random() < 0.02 and len(out) > 3:
            at = rng.randrange(len(out) - 2)
            out[at], out[at + 1] = out[at + 1], out[at]
    return out


def options_of(rng, folder):
    options = []
    if rng.random() < 0.3:
        options += ["--doubles", "1ms"]
    if rng.random() < 0.3:
        options += ["--sut", f"10.128.0.{rng.randrange(8)}"]
    if rng.random() < 0.3:
        options += ["--in-order"]
    if rng.random() < 0.2:
        options += ["--lossy-capture"]
    elif rng.random() < 0.4:
        options += ["--complete-capture"]
    if rng.random() < 0.2:
        options += ["--delay-max", "50us", "--clock-error", "1ms"]
    if rng.random() < 0.2:
        path = f"{folder}/given.json"
        given = [{"sut": {"address": f"10.128.0.{n}", "cid": n}, "tester": {"address": f"10.0.0.{n}", "cid": n}} for n in (3, 1, 7)]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(given, file)
        options += ["--connections", path]
    return options


def check(jobs, options, files):
    done = subprocess.run([TALON, "check", "--jobs", jobs, *options, *files], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Tap:
    def __init__(self):
        self.num = self.bad = 0

    def ok(self, good, what, more=""):
        self.num += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.num} - {what}")
        for line in more.splitlines() if not good else []:
            print(f"# {line}")


def first_difference(one, many):
    for a, b in zip(one[1].splitlines(), many[1].splitlines()):
        if a != b:
            return f"one thread: {a[:300]!r}\nseveral: {b[:300]!r}"
    return f"status {one[0]} and {many[0]}; {len(one[1])} and {len(many[1])} bytes; {one[2][:200]!r} and {many[2][:200]!r}"


def compare(tap, what, options, files):
    """True when something was found in the capture."""
    one = check("1", options, files)
    for jobs in JOBS:
        many = check(jobs, options, files)
        if many != one:
            tap.ok(False, f"{what}, --jobs {jobs}", first_difference(one, many) + f"\noptions {options}")
            return b" violated by " in one[1]
    tap.ok(one[0] in (0, 1, 2, 3), what, f"status {one[0]}")
    return b" violated by " in one[1]


def packet(at, host, **falcon):
    return {"ts_ns": at, "layers": ["eth", "ipv4", "udp", "falcon"], "ipv4": {"src": f"10.0.0.{host}", "dst": f"10.128.0.{host}"},
            "udp": {"src_port": 49152}, "falcon": {"version": 1, "dest_cid": host, **falcon}}


def readings():
    """Hosts that take one reading of a sentence, behind many packets of another that took the other one before (AMB-13)."""
    frames = [packet(n, 1, packet_type="push_data", psn=n, rsn=n) for n in range(900)]
    for host in range(1, 14):
        frames.append(packet(900 + host, host, packet_type="pull_request", psn=0, rsn=900 if host == 1 else 0))
    frames.append(packet(1000, 1, packet_type="resync", resync_packet_type="pull_request", resync_code="nre", psn=0, rsn=900))
    for host in range(2, 14):
        frames.append(packet(1000 + host, host, packet_type="resync", resync_packet_type="pull_request", resync_code="nre",
                             psn=5, rsn=0))
    return frames


def reply(at, host, **falcon):
    frame = packet(at, host, recv_data_base_psn=0, t1=0, t2=0, **falcon)
    frame["ipv4"] = {"src": f"10.128.0.{host}", "dst": f"10.0.0.{host}"}
    return frame


def own_bits():
    """One host shows the order of the OWN bits; then others use the other order (AMB-06)."""
    frames = []
    for host in range(1, 14):
        frames.append(packet(host, host, packet_type="pull_request", psn=0, rsn=0))
        frames.append(reply(100 + host, host, packet_type="back", recv_req_base_psn=1))
        # what may have gone unseen before the capture is over by then
        frames.append(reply(2_000_000_000 + host, host, packet_type="eack", recv_req_base_psn=1))
        frames.append(packet(3_000_000_000 + host, host, packet_type="pull_request", psn=66, rsn=66))
        frames.append(reply(4_000_000_000 + host, host, packet_type="eack", recv_req_base_psn=1, own=1 if host == 1 else 2))
    return sorted(frames, key=lambda frame: frame["ts_ns"])


def write(path, frames):
    text = "".join(json.dumps(frame) + "\n" for frame in frames)
    done = subprocess.run([TALON, "encode", "-", "--out", path], input=text.encode(), capture_output=True, check=False)
    return done.stderr.decode() if done.returncode != 0 else ""


def main():
    seed = int(os.environ.get("CHECK_JOBS_SEED") or random.randrange(1 << 32))
    rng = random.Random(seed)
    print(f"# seed {seed}")
    tap = Tap()
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        for n in range(int(os.environ.get("CHECK_JOBS_ROUNDS") or 12)):
            frames = base(folder, rng.choice([2, 9, 40, 150]), rng.choice([50, 300, 800]))
            frames = change(rng, frames, rng.choice([0, 2, 5]))
            path = f"{folder}/{n}.{rng.choice(['pcap', 'pcapng'])}"
            problem = write(path, frames)
            if problem:
                tap.ok(False, f"capture {n} is written", problem)
                continue
            options = options_of(rng, folder) + rng.choice([[], ["--format", "json"]])
            found += compare(tap, f"{len(frames)} frames, {' '.join(options) or 'no options'}", options, [path])
        samples = sorted(f"tests/data/captures/{name}" for name in os.listdir("tests/data/captures") if ".pcap" in name)
        keys = ["--psp-keys", "tests/data/psp-keys.json", "--esp-keys", "tests/data/esp-keys.json"]
        keys = [word for pair in zip(keys[::2], keys[1::2]) if os.path.exists(pair[1]) for word in pair]
        compare(tap, "sample captures", keys + ["--format", "json"], samples)
        compare(tap, "parts of one capture", ["--join"], [f"{folder}/0.pcap", f"{folder}/0.pcap"]
                if os.path.exists(f"{folder}/0.pcap") else [f"{folder}/0.pcapng"] * 2)
        tap.ok(write(f"{folder}/readings.pcap", readings()) == "", "a capture with both readings is written")
        for n in range(5):  # several times: the threads may happen to be in order
            found += compare(tap, f"readings {n}", [], [f"{folder}/readings.pcap"])
        tap.ok(check("1", [], [f"{folder}/readings.pcap"])[1].count(b"S2 violated by") == 12, "the later hosts contradict the first")
        faithful = ["--in-order", "--no-duplicates-in", "--no-duplicates-out", "--param", "pipeline=0"]
        tap.ok(write(f"{folder}/own.pcap", own_bits()) == "", "a capture with both orders of the OWN bits is written")
        for n in range(5):
            found += compare(tap, f"OWN bits {n}", faithful, [f"{folder}/own.pcap"])
        tap.ok(check("1", faithful, [f"{folder}/own.pcap"])[1].count(b"O1 violated by") == 12,
               "the later hosts use the other order")
        tap.ok(found > 0, "some captures break rules", f"of {tap.num} none")
    print(f"1..{tap.num}")
    return tap.bad > 0


if __name__ == "__main__":
    sys.exit(main())
