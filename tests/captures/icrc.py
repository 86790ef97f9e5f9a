#!/usr/bin/env python3
"""icrc.py FILE.pcapng: how many RoCEv2 packets of a capture have a right ICRC, and how many a wrong one; and the MAC
addresses that they came from. By zlib's CRC-32, and without any code of Talon."""
import struct
import sys
import zlib


def frames(data):
    """Of the enhanced packet blocks, in the byte order of the file."""
    order, at = "<", 0
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, length = struct.unpack_from(order + "II", data, at)
        if kind == 6:
            captured = struct.unpack_from(order + "I", data, at + 20)[0]
            yield data[at + 28:at + 28 + captured]
        at += length


def masked(ip):
    """The packet without its ICRC, with ones in the fields that may change on the way; None: no RoCEv2."""
    b = bytearray(ip)
    if b[0] >> 4 == 4 and b[9] == 17:
        udp, end = (b[0] & 15) * 4, struct.unpack_from(">H", b, 2)[0]
        for at in (1, 8, 10, 11):
            b[at] = 0xFF
    elif b[0] >> 4 == 6 and b[6] == 17:
        udp, end = 40, 40 + struct.unpack_from(">H", b, 4)[0]
        b[0] |= 0x0F
        for at in (1, 2, 3, 7):
            b[at] = 0xFF
    else:
        return None, None
    if struct.unpack_from(">H", b, udp + 2)[0] != 4791:
        return None, None
    for at in (udp + 6, udp + 7, udp + 8 + 4):
        b[at] = 0xFF
    return bytes(b[:end - 4]), bytes(b[end - 4:end])


right, wrong, senders = 0, 0, set()
for frame in frames(open(sys.argv[1], "rb").read()):
    bytes_, icrc = masked(frame[14:])
    if bytes_ is None:
        continue
    good = struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes_)) == icrc
    right, wrong = right + good, wrong + (not good)
    senders.add(frame[6:12].hex(":"))
print("%d right, %d wrong, from %s" % (right, wrong, " ".join(sorted(senders))))
