#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what each frame of captures carries, a line each: "out HEX" or "in HEX".

Of Talon's own pcapng the whole frame without the headers drawn around it, by its direction flag; of tcpdump's pcap
what UDP carries, `out` when it comes from one of the given addresses. Own readers, so that Talon's are not held
against themselves.
usage: capture_bytes.py FILE... [--from ADDR]..."""
import ipaddress
import struct
import sys


def pcapng(data):
    at, headers = 0, 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:  # raw IP: IPv4 and UDP are drawn around what was on the wire
            headers = 28 if struct.unpack_from("<H", data, at + 8)[0] == 101 else 0
        if kind == 6:
            caplen = struct.unpack_from("<I", data, at + 20)[0]
            frame = data[at + 28 + headers : at + 28 + caplen]
            option = at + 28 + (caplen + 3) // 4 * 4
            flags = 0
            while option + 4 <= at + length - 4:
                code, size = struct.unpack_from("<HH", data, option)
                if code == 0:
                    break
                if code == 2:
                    flags = struct.unpack_from("<I", data, option + 4)[0]
                option += 4 + (size + 3) // 4 * 4
            yield {1: "in", 2: "out"}[flags & 3], frame
        at += length


def udp_of(frame):
    """Source address and payload."""
    if frame[12:14] == b"\x08\x00":
        at = 14 + (frame[14] & 15) * 4
        source = ipaddress.ip_address(frame[26:30])
    else:
        at = 54
        source = ipaddress.ip_address(frame[22:38])
    length = struct.unpack_from(">H", frame, at + 4)[0]
    return source, frame[at + 8 : at + length]


def pcap(data, own):
    at = 24
    while at + 16 <= len(data):
        caplen = struct.unpack_from("<I", data, at + 8)[0]
        source, payload = udp_of(data[at + 16 : at + 16 + caplen])
        yield "out" if source in own else "in", payload
        at += 16 + caplen


def main():
    words = sys.argv[1:]
    own, files = set(), []
    while words:
        word = words.pop(0)
        if word == "--from":
            own.add(ipaddress.ip_address(words.pop(0)))
        else:
            files.append(word)
    for name in files:
        with open(name, "rb") as file:
            data = file.read()
        frames = pcapng(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else pcap(data, own)
        for direction, payload in frames:
            print(direction, payload.hex())


main()
