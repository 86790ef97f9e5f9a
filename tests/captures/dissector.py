#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Wireshark's dissector shows with what talon decode says, field by field.

dissector.py TALON LUA CAPTURE... [-- TSHARK OPTIONS]: prints what differs; the last line is how much was compared.
"""
import json
import subprocess
import sys

PROTOS = {"falcon": "falcon.", "rdma": "falcon_rdma.", "nvme": "falcon_nvme.", "psp": "falcon_psp."}
FALCON = {"pull_request", "pull_data", "push_data", "resync", "nack", "back", "eack"}
RDMA = {"rbth", "reth", "seth", "oeth", "steth", "immdt", "atomiceth", "atomicacketh", "ieth", "xrceth", "deth"}
PSP = {"psp", "psp_vc"}


def fields_of(talon):
    """What to ask tshark for: its name, and where decode has it."""
    out = {}
    for f in json.loads(subprocess.check_output([talon, "list", "fields", "--format", "json"])):
        header, name = f["header"], f["field"]
        if header in FALCON:
            out["falcon." + name] = ("falcon", name)
        elif header in RDMA:
            out["falcon_rdma.%s.%s" % (header, name)] = ("rdma", header, name)
        elif header.startswith("nvme_") or header == "nbth":
            out["falcon_nvme." + name] = ("nvme", name)
        elif header in PSP:
            out["falcon_psp." + name] = ("psp", name)
    out["falcon_psp.clear"] = ("psp", "clear")
    out["falcon_psp.icv"] = ("psp", "icv")
    return out


def names_of(talon):
    out = {}
    for f in json.loads(subprocess.check_output([talon, "list", "fields", "--format", "json"])):
        for value, name in f["values"].items():
            out.setdefault(f["field"], {})[name] = int(value)
    return out


def tshark(lua, capture, fields, more):
    args = ["tshark", "-X", "lua_script:" + lua, "-r", capture, "-n", "-T", "fields", "-E", "separator=/t",
            "-E", "occurrence=a", "-E", "aggregator=;", *more]
    for f in fields:
        args += ["-e", f]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    noise = [x for x in done.stderr.splitlines() if "Running as user" not in x]
    if done.returncode or noise:
        sys.exit("tshark: " + "\n".join(noise[:5]) + " (status %d)" % done.returncode)
    for line in done.stdout.split("\n")[:-1]:
        yield dict(zip(fields, line.split("\t")))


def number(text, width_hex):
    return int(text, 16) if width_hex else int(text, 0)


def decoded(packet, place, names):
    at = packet
    for key in place:
        if not isinstance(at, dict) or key not in at:
            return None
        at = at[key]
    if place[-1] in ("clear", "icv"):
        return int(at, 16) if at else None
    if isinstance(at, str):
        return int(at, 16) if at.startswith("0x") else names.get(place[-1], {}).get(at, at)
    return at


def main():
    args = sys.argv[1:]
    more = args[args.index("--") + 1:] if "--" in args else []
    args = args[:args.index("--")] if "--" in args else args
    talon, lua, captures = args[0], args[1], args[2:]
    fields, names = fields_of(talon), names_of(talon)
    wide = {"falcon_psp.clear", "falcon_psp.icv", "falcon.data_ack_bitmap", "falcon.data_rx_bitmap", "falcon_nvme.reserved_2"}
    front = {"falcon.version", "falcon.dest_cid", "falcon.packet_type"}  # shown of a packet that is no whole one, too
    asked = ["frame.number", "falcon.issue", *fields]
    compared = issues = frames = bad = 0
    for capture in captures:
        lines = subprocess.run([talon, "decode", "--format", "json", capture], capture_output=True, text=True, check=False).stdout
        shown = {int(row["frame.number"]): row for row in tshark(lua, capture, asked, more)}
        for line in lines.splitlines():
            packet = json.loads(line)
            row = shown.get(packet["frame"])
            if any(i["code"] == "fragment" for i in packet["issues"]):
                continue  # Wireshark waits for the others
            if row is None:
                print("%s: frame %d: not shown" % (capture, packet["frame"]))
                bad += 1
                continue
            frames += 1
            for name, place in fields.items():
                due, seen = decoded(packet, place, names), row[name]
                if due is None and (seen == "" or name in front and "falcon" not in packet):
                    continue
                if due is not None and seen != "" and number(seen, name in wide) == due:
                    compared += 1
                    continue
                print("%s: frame %d: %s is %s, due %s" % (capture, packet["frame"], name, seen or "absent", due))
                bad += 1
            due = sorted(i["code"] for i in packet["issues"] if i["layer"] in ("falcon", "rdma", "nvme", "psp"))
            seen = sorted(row["falcon.issue"].split(";")) if row["falcon.issue"] else []
            issues += len(due)
            if due != seen:
                print("%s: frame %d: issues %s, due %s" % (capture, packet["frame"], seen, due))
                bad += 1
    print("%d frames, %d fields, %d issues compared, %d differ" % (frames, compared, issues, bad))
    return bad > 0


sys.exit(main())
