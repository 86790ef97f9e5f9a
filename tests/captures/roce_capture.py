#!/usr/bin/env python3
"""Writes a pcap file of RoCEv2 packets, for tests of `talon check --protocol roce`.
usage: roce_capture.py FILE KIND; the kinds are the keys of KINDS below.

Host A (10.0.0.1, queue pair 10) sends data to B (10.0.0.2, queue pair 11). The ICRC is calculated
here by zlib, independently of the program under test."""
import struct
import sys
import zlib

A, B = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
QP_A, QP_B = 10, 11
US = 1000


def icrc(ip, udp, payload):
    """InfiniBand annex 17: over eight bytes of ones, then the packet with its variant fields as ones."""
    masked_ip = bytes([ip[0], 0xFF]) + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:]
    masked_udp = udp[:6] + b"\xff\xff"
    masked = payload[:4] + b"\xff" + payload[5:]
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked_ip + masked_udp + masked))


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(from_a, opcode, psn, rest, ecn, good_icrc=True):
    src, dst, qp = (A, B, QP_B) if from_a else (B, A, QP_A)
    becn = 0x40 if opcode == 0x81 else 0
    bth = struct.pack(">BBHII", opcode, 0, 0xFFFF, becn << 24 | qp, psn)
    length = len(bth) + len(rest) + 4
    udp = struct.pack(">HHHH", 50000, 4791, 8 + length, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, ecn, 28 + length, 0, 0x4000, 64, 17, 0) + src + dst
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    crc = icrc(ip, udp, bth + rest)
    if not good_icrc:
        crc = bytes([crc[0] ^ 1]) + crc[1:]
    return bytes(6) + bytes(6) + b"\x08\x00" + ip + udp + bth + rest + crc


def data(psn, ecn=2, **more):
    return frame(True, 7, psn, bytes(256), ecn, **more)


def ack(psn, syndrome=0x1F):
    return frame(False, 17, psn, struct.pack(">I", syndrome << 24 | psn & 0xFFFFFF), 2)


def cnp(fill=0, **more):
    return frame(False, 0x81, 0, bytes([fill] * 16), 1, **more)


def transfer(marked=(), cnps=()):
    """32 packets, each with its ACK; a CNP 1 us after the packets in `cnps`."""
    for i in range(32):
        yield i * 5 * US, data(i, 3 if i in marked else 2)
        yield i * 5 * US + 500, ack(i)
        if i in cnps:
            yield i * 5 * US + US, cnp()


def bad_icrc():
    yield from transfer([8], [8])
    yield 200 * US, cnp(good_icrc=False)


def bad_form():
    for at, packet in transfer([8], [8]):
        yield at, cnp(fill=1) if packet == cnp() else packet


def unsent():
    yield from transfer()
    yield 200 * US, ack(77)


KINDS = {
    "calm": lambda: transfer(),
    "marked": lambda: transfer([8, 20], [8, 20]),
    "no-cause": lambda: transfer([], [8]),
    "too-often": lambda: transfer([8, 9], [8, 9]),
    "no-cnp": lambda: transfer([8], []),
    "bad-icrc": bad_icrc,
    "bad-form": bad_form,
    "unsent": unsent,
}


def main():
    path, kind = sys.argv[1:]
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for at, packet in KINDS[kind]():
            out.write(struct.pack("<IIII", 1000 + at // 10**9, at % 10**9, len(packet), len(packet)))
            out.write(packet)


if __name__ == "__main__":
    main()
