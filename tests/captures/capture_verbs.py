#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""capture_verbs.py ACTION ... - what tests/capture_verbs.sh needs of talon capture:

  random TALON LINES ENCAP IP OUT SEED   a capture of the lines in that encapsulation, with random addresses, payload and
                                         keys, in every option and block of pcapng where they can stand; OUT.secrets lists
                                         them, OUT.psp.json and OUT.esp.json have the keys
  clean TALON IN OUT                     no 4-byte run of IN.secrets is in OUT or in what it seals
  same TALON IN OUT [OPTIONS]            talon check says the same of both, addresses apart"""
import ipaddress
import json
import random
import re
import struct
import subprocess
import sys


def talon(*args, status=(0, 1, 3)):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode not in status:
        sys.exit(f"{' '.join(args)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def key_options(path):
    """The keys beside a capture: those of `random`, or those that scrub wrote."""
    out = []
    for kind in ("psp", "esp"):
        for name in (f"{path}.{kind}.json", f"{path}.{kind}-keys.json"):
            try:
                with open(name, encoding="utf-8"):
                    out += [f"--{kind}-keys", name]
            except FileNotFoundError:
                pass
    return out


# ---- a capture full of secrets ----


def block(kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def blocks(data):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind, data[at + 8 : at + size - 4]
        at += size


def dress(data, secret):
    """The pcapng file with secrets in all its options, and blocks of names, keys and others."""
    out = b""
    for kind, body in blocks(data):
        if kind == 0x0A0D0D0A:
            out += block(kind, body[:16] + option(1, secret) + option(2, secret) + option(3, secret) + option(4, secret) + option(0, b""))
        elif kind == 1:
            more = option(1, secret) + option(2, secret) + option(3, secret) + option(11, b"\0" + secret) + option(12, secret)
            more += option(4, secret[:8]) + option(5, secret[:16] + b"\x40") + option(6, secret[:6]) + option(13, secret)
            out += block(kind, body[:8] + more + option(9, b"\x09") + option(0, b""))
            out += block(4, option(1, secret[:4] + secret + b"\0") + option(0, b"") + option(2, secret) + option(0, b""))
            out += block(10, struct.pack("<II", 0x544C534B, len(secret)) + secret)
            out += block(0xBAD, struct.pack("<I", 1) + secret)
        elif kind == 6:
            size = struct.unpack_from("<I", body, 12)[0]
            end = 20 + size + -size % 4
            more = option(1, secret) + option(2, struct.pack("<I", 1)) + option(3, b"\x02" + secret[:8]) + option(2988, struct.pack("<I", 1) + secret)
            out += block(kind, body[:end] + more + option(0, b""))
        else:
            out += block(kind, body)
    return out + block(5, struct.pack("<III", 0, 0, 0) + option(1, secret) + option(5, struct.pack("<Q", 0)) + option(0, b""))


def random_capture(program, lines, encap, ip, out, seed):
    rng = random.Random(seed)
    form = out.rsplit(".", 1)[1]
    secrets, known = [], {}

    def fresh(text):
        if text not in known:
            if text.count(":") == 5:
                raw = bytes([rng.randrange(0, 256, 4)]) + rng.randbytes(5)
                known[text] = ":".join(f"{b:02x}" for b in raw)
            else:
                version = ipaddress.ip_address(text).version
                raw = bytes([rng.randrange(20, 200)]) + rng.randbytes(3) if version == 4 else b"\x20" + rng.randbytes(15)
                known[text] = str(ipaddress.ip_address(raw))
            secrets.append(raw)
        return known[text]

    keys = {"psp": {"master_keys": [rng.randbytes(32).hex() for _ in range(2)]}, "esp": {"sas": []}}
    hosts = ["10.0.0.1", "10.0.0.2"] if ip == "4" else ["fd00::1", "fd00::2"]
    for host in hosts:
        keys["esp"]["sas"].append({"dst": fresh(host), "spi": 1, "algorithm": "aes-gcm-128", "key": rng.randbytes(16).hex(), "salt": rng.randbytes(4).hex()})
    for kind, content in keys.items():
        with open(f"{out}.{kind}.json", "w", encoding="utf-8") as file:
            json.dump(content, file)
    secrets += [bytes.fromhex(k) for k in keys["psp"]["master_keys"]]
    secrets += [bytes.fromhex(sa[k]) for sa in keys["esp"]["sas"] for k in ("key", "salt")]
    plain = talon(program, "encode", lines, "--encap", "udp" if encap == "bare" else encap, "--ip", ip, "--out", f"{out}.tmp.{form}",
                  "--psp-keys", f"{out}.psp.json", "--esp-keys", "tests/data/esp-keys.json")
    frames = [json.loads(l) for l in talon(program, "decode", "--format", "json", f"{out}.tmp.{form}", "--psp-keys", f"{out}.psp.json",
                                           "--esp-keys", "tests/data/esp-keys.json").splitlines()]
    payloads = {}
    for frame in frames:
        for name in ("eth", "ipv4", "ipv6", "inner_ipv4", "inner_ipv6"):
            for end in ("src", "dst"):
                if name in frame:
                    frame[name][end] = fresh(frame[name][end])
        for name in ("ipv4", "ipv6", "inner_ipv4", "inner_ipv6", "udp", "psp", "esp"):  # what encode computes
            for member in ("header_checksum", "total_length", "payload_length", "length", "checksum", "icv"):
                frame.get(name, {}).pop(member, None)
        for member in ("caplen", "len"):
            frame.pop(member, None)
        old = frame.get("payload", "")
        if len(old) >= 8 and frame["falcon"].get("packet_type") in ("push_data", "pull_data"):
            again = (frame["falcon"].get("psn"), frame["falcon"]["dest_cid"])
            if again not in payloads:
                payloads[again] = b"\xe7" + rng.randbytes(len(old) // 2 - 1)  # read as no upper layer
                secrets.append(payloads[again])
            frame["payload"] = payloads[again].hex()
        frame.pop("rdma", None)
    with open(f"{out}.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(frame) + "\n" for frame in frames)
    talon(program, "encode", f"{out}.jsonl", "--out", f"{out}.tmp.{form}", "--psp-keys", f"{out}.psp.json", "--esp-keys", f"{out}.esp.json", status=(0,))
    secret = rng.randbytes(24)
    secrets.append(secret)
    with open(f"{out}.tmp.{form}", "rb") as file:
        data = file.read()
    with open(out, "wb") as file:
        file.write(dress(data, secret) if out.endswith(".pcapng") else data)
    with open(f"{out}.secrets", "w", encoding="utf-8") as file:
        file.writelines(s.hex() + "\n" for s in secrets)
    return plain


# ---- what is left of it ----


def clean(program, original, scrubbed):
    with open(f"{original}.secrets", encoding="utf-8") as file:
        secrets = [bytes.fromhex(line) for line in file]
    with open(scrubbed, "rb") as file:
        found = [file.read()]
    for line in talon(program, "decode", "--format", "json", scrubbed, *key_options(scrubbed)).splitlines():
        frame = json.loads(line)
        found.append(bytes.fromhex(frame.get("payload", "")))
        found.append(bytes.fromhex(frame.get("raw", "")))
        for name in ("ipv4", "ipv6", "inner_ipv4", "inner_ipv6"):
            found += [ipaddress.ip_address(frame[name][end]).packed for end in ("src", "dst") if name in frame]
    runs = {s[i : i + 4] for s in secrets for i in range(len(s) - 3)}
    for part in found:
        for i in range(len(part) - 3):
            if part[i : i + 4] in runs:
                sys.exit(f"{scrubbed}: byte {i} has {part[i:i+4].hex()}, which is secret")
    print(f"# {len(secrets)} secrets, {len(runs)} runs, {sum(map(len, found))} bytes searched")


ADDRESS = re.compile(r"\b(\d{1,3}\.){3}\d{1,3}\b|\b[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}\b")
DATA = re.compile(r"\b(data=\d+)@\d+|\b(\w*(?:imm|key|swap|orig|compare|va)=)\w+")  # tags and secrets in lines of the notation


def verdicts(program, path, options):
    found = talon(program, "check", "--format", "json", *options, *key_options(path), path, status=(0, 1, 2, 3))
    return DATA.sub(r"\1\2", ADDRESS.sub("ADDRESS", found))


def same(program, original, scrubbed, *options):
    before, after = verdicts(program, original, options), verdicts(program, scrubbed, options)
    if before == after:
        return
    for b, a in zip(before.splitlines(), after.splitlines()):
        if a != b:
            print(f"# {b.strip()} -> {a.strip()}")
    sys.exit(f"# talon check says something else of {scrubbed}")


ACTIONS = {"random": random_capture, "clean": clean, "same": same}
ACTIONS[sys.argv[1]](*sys.argv[2:])
