#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""capture_verbs.py ACTION ... - what tests/capture_verbs.sh needs of talon capture:

  random TALON LINES ENCAP IP OUT SEED   a capture of the lines in that encapsulation, or of a sample, with random addresses,
                                         payload and keys, in every option and block of pcapng where they can stand;
                                         OUT.secrets lists them, OUT.psp.json and OUT.esp.json have the keys
  clean TALON IN OUT                     no 4-byte run of IN.secrets is in OUT, in what it seals, or in its keys; only these
                                         open it
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


class Secrets:
    """Random addresses, payload and keys in place of those of a capture, and the list of them."""

    COMPUTED = ("header_checksum", "total_length", "payload_length", "length", "checksum", "icv", "ihl")  # by encode
    FIELDS = {"virtual_address": 8, "r_key": 4, "l_key": 4, "queue_key": 4, "compare": 8, "immediate_data": 4, "swap_or_add": 8,
              "original_data": 8}

    def __init__(self, rng):
        self.rng, self.list, self.known = rng, [], {}

    def bytes(self, size):
        self.list.append(self.rng.randbytes(size))
        return self.list[-1]

    def address(self, text):
        if text not in self.known:
            if text.count(":") == 5:
                raw = bytes([self.rng.randrange(0, 256, 4)]) + self.rng.randbytes(5)
                self.known[text] = ":".join(f"{b:02x}" for b in raw)
            else:
                version = ipaddress.ip_address(text).version
                raw = bytes([self.rng.randrange(20, 200)]) + self.rng.randbytes(3) if version == 4 else b"\x20" + self.rng.randbytes(15)
                self.known[text] = str(ipaddress.ip_address(raw))
            self.list.append(raw)
        return self.known[text]

    def keys(self, out):
        """Writes OUT.psp.json and OUT.esp.json: the keys of tests/data with other bytes, for the new addresses."""
        with open("tests/data/esp-keys.json", encoding="utf-8") as file:
            sas = json.load(file)["sas"]
        for sa in sas:
            sa["dst"] = self.address(sa["dst"])
            sa.update({name: self.bytes(len(sa[name]) // 2).hex() for name in ("key", "salt") if name in sa})
        keys = {"psp": {"master_keys": [self.bytes(32).hex() for _ in range(2)]}, "esp": {"sas": sas}}
        for kind, content in keys.items():
            with open(f"{out}.{kind}.json", "w", encoding="utf-8") as file:
                json.dump(content, file)

    def layers(self, frame):
        for name in ("eth", "ipv4", "ipv6", "inner_ipv4", "inner_ipv6"):
            for end in ("src", "dst"):
                if name in frame:
                    frame[name][end] = self.address(frame[name][end])
        for name in ("sll", "sll2"):
            if name in frame:
                mac = bytes.fromhex(self.address("00:00:00:00:00:01").replace(":", ""))
                frame[name].update(address=f"0x{mac.hex()}0000", address_length=6)
        for name in ("ipv4", "ipv6", "inner_ipv4", "inner_ipv6", "udp", "psp", "esp"):
            for member in self.COMPUTED:
                frame.get(name, {}).pop(member, None)
        for member in ("caplen", "len"):
            frame.pop(member, None)

    def data(self, frame):
        """The payload: copies of a packet have the same. Bytes that are read as no upper layer, in place of one."""
        old = frame.get("payload", "")
        if len(old) >= 8 and frame["falcon"].get("packet_type") in ("push_data", "pull_data"):
            again = (frame["falcon"].get("psn"), frame["falcon"]["dest_cid"])
            if again not in self.known:
                self.known[again] = b"\xe7" + self.rng.randbytes(len(old) // 2 - 1)
                self.list.append(self.known[again])
            frame["payload"] = self.known[again].hex()
        frame.pop("rdma", None)

    def fields(self, frame):
        """The fields of RDMA, options and extension headers, and data of the upper layer, which stays what it is."""
        for header in frame.get("rdma", {}).values():
            for name, size in self.FIELDS.items():
                if name in header:
                    header[name] = f"0x{self.bytes(size).hex()}" if size == 8 else int.from_bytes(self.bytes(size), "big")
        for extension in frame.get("ipv6_ext", []):
            if len(extension.get("options", "")) == 12:
                extension["options"] = "1e04" + self.bytes(4).hex()
        if "options" in frame.get("ipv4", {}):
            frame["ipv4"]["options"] = "9e0c" + self.bytes(10).hex()
        if len(frame.get("payload", "")) >= 8 and "roce" not in frame:
            frame["payload"] = self.bytes(len(frame["payload"]) // 2).hex()
        if frame.get("trailer", "") != "":
            frame["trailer"] = self.bytes(len(frame["trailer"]) // 2).hex()

    def strangers(self, at):
        """Frames that no sample has: RoCEv2 with data, ARP, TCP, another port of UDP, a frame that Ethernet filled up."""
        write = b"".join(self.bytes(8) if n == 0 else self.bytes(4) if n == 1 else struct.pack(">I", 64) for n in range(3))
        ends = {"src": "10.0.0.1", "dst": "10.0.0.2"}
        some = [{"layers": ["eth", "ipv4", "udp", "roce"], "udp": {"dst_port": 4791}, "roce": {"opcode": 10, "dest_qp": 17},
                 "payload": (write + self.bytes(68)).hex()},
                {"layers": ["eth", "raw"], "eth": {"ethertype": 2054}, "raw": "0001080006040001" + self.bytes(20).hex()},
                {"layers": ["eth", "ipv4", "raw"], "ipv4": {"protocol": 6, **ends}, "raw": self.bytes(40).hex()},
                {"layers": ["eth", "ipv4", "udp", "raw"], "ipv4": {**ends}, "udp": {"dst_port": 53}, "raw": self.bytes(40).hex()},
                {"layers": ["eth", "ipv4", "udp", "falcon"], "falcon": {"packet_type": "back", "dest_cid": 1}, "trailer": "00" * 6}]
        for i, frame in enumerate(some):
            frame["ts_ns"] = at + 1000 * i
            frame.setdefault("eth", {}).update(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
            if "ipv4" in frame["layers"]:
                frame.setdefault("ipv4", {}).update(ends)
        some[-1]["trailer"] = self.bytes(6).hex()
        return some


def decoded(program, path, *keys):
    return [json.loads(line) for line in talon(program, "decode", "--format", "json", path, *keys).splitlines()]


def seals(program, path, *keys):
    """For each packet that the keys open, the bytes that are sealed without them: encrypted data, and the ICV."""
    for shut, opened in zip(decoded(program, path), decoded(program, path, *keys)):
        if opened.get("psp", {}).get("authenticated"):
            yield from (bytes.fromhex(shut["payload"]), bytes.fromhex(shut["psp"]["icv"]))
        if opened.get("esp", {}).get("authenticated"):
            yield bytes.fromhex(shut["payload"])[8:]  # the IV stays


def random_capture(program, source, encap, ip, out, seed):
    """encap `sample`: the source is a capture of tests/data, whose frames keep their layers; the frames of `strangers` follow."""
    form, sample = out.rsplit(".", 1)[1], encap == "sample"
    secrets = Secrets(random.Random(seed))
    given = ("--psp-keys", f"{out}.psp.json", "--esp-keys", f"{out}.esp.json")
    usual = ("--psp-keys", "tests/data/psp-keys.json", "--esp-keys", "tests/data/esp-keys.json")
    secrets.keys(out)
    plain = source
    if not sample:
        plain = f"{out}.tmp.{form}"
        talon(program, "encode", source, "--encap", encap, "--ip", ip, "--out", plain, *usual)
    frames = decoded(program, plain, *usual)
    if sample and "eth" in frames[0]["layers"]:
        frames += secrets.strangers(frames[-1]["ts_ns"] + 1000)
    for frame in frames:
        secrets.layers(frame)
        (secrets.fields if sample else secrets.data)(frame)
    with open(f"{out}.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(frame) + "\n" for frame in frames)
    talon(program, "encode", f"{out}.jsonl", "--out", f"{out}.tmp.{form}", *given, status=(0,))
    secrets.list += seals(program, f"{out}.tmp.{form}", *given)
    with open(f"{out}.tmp.{form}", "rb") as file:
        data = file.read()
    with open(out, "wb") as file:
        file.write(dress(data, secrets.bytes(24)) if out.endswith(".pcapng") else data)
    with open(f"{out}.secrets", "w", encoding="utf-8") as file:
        file.writelines(s.hex() + "\n" for s in secrets.list)


# ---- what is left of it ----


def clean(program, original, scrubbed):
    with open(f"{original}.secrets", encoding="utf-8") as file:
        secrets = [bytes.fromhex(line) for line in file]
    with open(scrubbed, "rb") as file:
        found = [file.read()]
    for name in key_options(scrubbed)[1::2]:
        with open(name, encoding="utf-8") as file:
            found += [bytes.fromhex(key) for key in re.findall('"((?:[0-9a-f]{2}){4,})"', file.read())]
    for frame in decoded(program, scrubbed, *key_options(scrubbed)):
        found.append(bytes.fromhex(frame.get("payload", "")))
        found.append(bytes.fromhex(frame.get("raw", "")))
        found += [word for header in frame.get("rdma", {}).values() for word in numbers(header)]
        for name in ("ipv4", "ipv6", "inner_ipv4", "inner_ipv6"):
            found += [ipaddress.ip_address(frame[name][end]).packed for end in ("src", "dst") if name in frame]
    runs = {s[i : i + 4] for s in secrets for i in range(len(s) - 3)}
    for part in found:
        for i in range(len(part) - 3):
            if part[i : i + 4] in runs:
                sys.exit(f"# {scrubbed}: byte {i} has {part[i:i+4].hex()}, which is secret")
    if any(seals(program, scrubbed, *key_options(original))):
        sys.exit(f"# {scrubbed}: the original keys open a packet")
    if any(seals(program, original, *key_options(original))) and not any(seals(program, scrubbed, *key_options(scrubbed))):
        sys.exit(f"# {scrubbed}: the fresh keys open no packet")
    print(f"# {len(secrets)} secrets, {len(runs)} runs, {sum(map(len, found))} bytes searched")


def numbers(header):
    """The fields of a header that may have secrets, as bytes."""
    for name, size in Secrets.FIELDS.items():
        if name in header:
            yield int(str(header[name]), 0).to_bytes(size, "big")


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
