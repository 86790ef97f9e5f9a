#!/usr/bin/env python3
"""One end of RoCEv2 on an interface, by raw frames, for tests of the bridge: roce_end.py IFACE requester|responder [FAULT].
The requester writes messages of eight packets, goes back N and repeats after 100 ms; the responder acknowledges, reports
gaps and answers marks with CNPs. Written apart from Talon's player: the ICRC is zlib's. FAULT: nak-wrong, back-too-far, no-cnp."""
import socket
import struct
import sys
import time
import zlib

iface, role, fault = sys.argv[1], sys.argv[2], (sys.argv[3:] + [""])[0]
me, other = (1, 2) if role == "requester" else (2, 1)
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
wire.bind((iface, 0))


def checksum(header):
    total = sum(struct.unpack(">10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def icrc(ip):
    b = bytearray(ip)
    b[1] = b[8] = b[10] = b[11] = b[26] = b[27] = b[32] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(b)))


def send(opcode, psn, rest=b"", ack=False, becn=False, ecn=2):
    bth = struct.pack(">BBHII", opcode, 0x40, 0xFFFF, becn << 30 | 0x100 + other, ack << 31 | psn & 0xFFFFFF)
    length = 8 + len(bth) + len(rest) + 4
    head = struct.pack(">BBHHHBBH4s4s", 0x45, ecn, 20 + length, 0, 0x4000, 64, 17, 0, bytes([10, 9, 3, me]), bytes([10, 9, 3, other]))
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    ip = head + struct.pack(">HHHH", 49152, 4791, length, 0) + bth + rest
    wire.send(bytes([2, 0, 0, 0, 0, other, 2, 0, 0, 0, 0, me]) + b"\x08\x00" + ip + icrc(ip))


def receive(until):
    """(opcode, psn, ack requested, ECN bits, what follows the BTH), or None when the time is over."""
    while time.monotonic() < until:
        wire.settimeout(max(0.001, until - time.monotonic()))
        try:
            frame, (_, _, kind, _, _) = wire.recvfrom(2048)
        except socket.timeout:
            return None
        ip = frame[14:]
        if kind == socket.PACKET_OUTGOING or len(ip) < 44 or ip[9] != 17 or ip[22:24] != b"\x12\xb7":
            continue
        ip = ip[: struct.unpack(">H", ip[2:4])[0]]
        if icrc(ip[:-4]) != ip[-4:]:
            continue
        word = struct.unpack(">I", ip[36:40])[0]
        return ip[28], word & 0xFFFFFF, word >> 31, ip[1] & 3, ip[40:-4]
    return None


def request(first, n):
    opcode = 6 if n == 0 else 8 if n == 7 else 7
    reth = struct.pack(">QII", 0, 7, 8 * 256) if n == 0 else b""
    send(opcode, first + n, reth + bytes(256), ack=n == 7)


def requester(first=0xFFFFF0):
    while True:
        n, acked, deadline = 0, False, time.monotonic() + 0.1
        while not acked:
            if n < 8:
                request(first, n)
                n += 1
            got = receive(min(deadline, time.monotonic() + (0.001 if n < 8 else 1)))
            if got is None:
                if time.monotonic() >= deadline:
                    n, deadline = 0, time.monotonic() + 0.1
                continue
            if got[0] != 17:
                continue
            if got[4][0] == 0x60:
                n = (got[1] - first) & 0xFFFFFF
                n = n - 1 if fault == "back-too-far" and n > 0 else n
                deadline = time.monotonic() + 0.1
            elif got[4][0] == 0x1F and got[1] == first + 7 & 0xFFFFFF:
                acked = True
        first = first + 8 & 0xFFFFFF


def responder():
    expected, reported, last_cnp = None, False, 0
    while True:
        got = receive(time.monotonic() + 10)
        if got is None or got[0] > 11:
            continue
        opcode, psn, ack, ecn, _ = got
        if ecn == 3 and fault != "no-cnp" and time.monotonic() - last_cnp > 0.001:
            send(0x81, 0, bytes(16), becn=True, ecn=1)
            last_cnp = time.monotonic()
        expected = psn if expected is None else expected
        ahead = (psn - expected & 0xFFFFFF) < 1 << 23 and psn != expected
        if psn == expected:
            expected, reported = psn + 1 & 0xFFFFFF, False
        elif ahead and not reported:
            send(17, psn if fault == "nak-wrong" else expected, b"\x60\0\0\0", ecn=0)
            reported = True
        if ack and not ahead:
            send(17, expected - 1 & 0xFFFFFF, b"\x1f\0\0\0", ecn=0)


print("ready", flush=True)
{"requester": requester, "responder": responder}[role]()
