#!/usr/bin/env python3
"""An echo of talon path-check's probes behind a bad network: it loses, doubles, reorders and rewrites, as its options say."""
import argparse
import os
import socket
import struct

parser = argparse.ArgumentParser()
parser.add_argument("--port-file", required=True)
parser.add_argument("--lose", type=int, default=0, help="each N-th probe")
parser.add_argument("--double", type=int, default=0, help="each N-th answer")
parser.add_argument("--swap", type=int, default=0, help="each N-th answer with the next")
parser.add_argument("--overtake", type=int, default=0, help="each N-th probe, before it arrives, by the next")
parser.add_argument("--bleach", action="store_true", help="ECN and DSCP become 0 on the way to")
parser.add_argument("--hops", type=int, default=0)
parser.add_argument("--mtu", type=int, default=65535)
options = parser.parse_args()

sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("127.0.0.1", 0))
sock.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
with open(options.port_file + ".tmp", "w", encoding="ascii") as file:
    file.write("%d\n" % sock.getsockname()[1])
os.rename(options.port_file + ".tmp", options.port_file)

seen = arrived = 0
held_in = held_out = None


def answer(data, tos, peer):
    global arrived, held_out
    arrived += 1
    reply = bytearray(data)
    reply[13] = 0 if options.bleach else tos
    reply[14] = 64 - options.hops
    struct.pack_into(">I", reply, 16, arrived)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, reply[12])
    if options.swap and arrived % options.swap == 0:
        held_out = (reply, peer)
        return
    sock.sendto(reply, peer)
    if options.double and arrived % options.double == 0:
        sock.sendto(reply, peer)
    if held_out:
        sock.sendto(*held_out)
        held_out = None


while True:
    data, ancillary, _, peer = sock.recvmsg(65536, 256)
    if data[:8] != b"TALNPATH" or len(data) < 28 or data[14] or len(data) + 28 > options.mtu:
        continue
    tos = next((c[2][0] for c in ancillary if c[1] == socket.IP_TOS), 0)
    seen += 1
    if options.lose and seen % options.lose == 0:
        continue
    if options.overtake and seen % options.overtake == 0:
        held_in = (data, tos, peer)
        continue
    answer(data, tos, peer)
    if held_in:
        answer(*held_in)
        held_in = None
