"""A small TCP outside the kernel, over raw frames of a TAP device: a sender with SACK (RFC 5681, RFC 6675, RFC 6298), and a
receiver. Each has faults, of which a rule K must tell. bed.py plays it against the kernel's TCP."""
import select
import socket
import struct
import time

MSS = 1000
FIN, SYN, ACK = 1, 2, 16
RTO_S, RTO_MAX_S = 0.25, 2.0
LATE_S = 0.08  # longer than feedback may be under way to the sender (PIPELINE of bed.py)
WINDOW = 16  # segments in flight at most
PORT, OWN_PORT = 5000, 4000


def checksum(data):
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def after(a, b):
    """a - b of numbers that wrap."""
    return (a - b + (1 << 31) & 0xFFFFFFFF) - (1 << 31)


class Wire:
    """Frames of one connection. Made in the network namespace of its device."""

    def __init__(self, own, peer, own_mac, peer_mac):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind(("tap0", 3))
        self.socket.setblocking(False)
        self.own, self.peer = socket.inet_aton(own), socket.inet_aton(peer)
        self.ethernet = bytes.fromhex(peer_mac.replace(":", "") + own_mac.replace(":", "")) + b"\x08\0"
        self.ports = None

    def send(self, seq, ack, flags, options=b"", data=b"", window=60000):
        tcp = struct.pack(">HHIIBBHHH", *self.ports, seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, (5 + len(options) // 4) << 4, flags, window, 0, 0)
        tcp += options + data
        pseudo = self.own + self.peer + struct.pack(">HH", 6, len(tcp))
        tcp = tcp[:16] + struct.pack(">H", checksum(pseudo + tcp)) + tcp[18:]
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + self.own + self.peer
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        self.socket.send(self.ethernet + ip + tcp)

    def receive(self, seconds):
        """The next segment for this end as (seq, ack, flags, window, sacks, data), or None."""
        end = time.monotonic() + seconds
        while True:
            if not select.select([self.socket], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            frame, source = self.socket.recvfrom(70000)
            ip = frame[14:]
            if source[2] == socket.PACKET_OUTGOING or frame[12:14] != b"\x08\0" or ip[9] != 6 or ip[16:20] != self.own:
                continue
            if checksum(ip[:20]) or checksum(ip[12:20] + struct.pack(">HH", 6, struct.unpack(">H", ip[2:4])[0] - 20) + ip[20:struct.unpack(">H", ip[2:4])[0]]):
                continue
            tcp = ip[20:struct.unpack(">H", ip[2:4])[0]]
            ports, (seq, ack, offset, flags, window) = struct.unpack(">HH", tcp[:4]), struct.unpack(">IIBBH", tcp[4:16])
            if self.ports is None:
                self.ports = ports[1], ports[0]
            if ports != (self.ports[1], self.ports[0]):
                continue
            header, at, sacks = (offset >> 4) * 4, 20, []
            while at < header and tcp[at]:
                size = 1 if tcp[at] == 1 else tcp[at + 1]
                if tcp[at] == 5:
                    sacks = [struct.unpack(">II", tcp[i:i + 8]) for i in range(at + 2, at + size, 8)]
                at += size
            return seq, ack, flags, window, sacks, tcp[header:]


class Sender:
    """Sends `count` segments. Numbers of segments begin with 0."""

    def __init__(self, wire, data, fault):
        self.wire, self.fault = wire, fault
        self.segments = [data[i:i + MSS] for i in range(0, len(data), MSS)]
        self.una = self.next = self.recover = 0
        self.acked, self.lost, self.again = set(), set(), set()
        self.cwnd, self.threshold = 10.0, 64
        self.recovering = False
        self.rto, self.timer = RTO_S, None
        self.window, self.start, self.peer = 0, 0, 0
        self.done = set()  # faults that act once

    def once(self, name, when=True):
        if self.fault != name or not when or name in self.done:
            return False
        self.done.add(name)
        return True

    def connect(self):
        self.wire.ports = OWN_PORT, PORT
        self.start = 0xFFFFF000  # numbers wrap
        for _ in range(20):
            self.wire.send(self.start - 1, 0, SYN, b"\2\4" + struct.pack(">H", MSS) + b"\4\2\1\1")
            got = self.wire.receive(0.2)
            if got and got[2] & SYN:
                self.peer, self.window = got[0] + 1, got[3]
                self.wire.send(self.start, self.peer, ACK)
                return
        raise TimeoutError("no connection")

    def wait(self):
        return 0.08 if self.fault == "early-timeout" else self.rto  # far from PIPELINE of bed.py, and from RTO_S

    def transmit(self, number):
        data = self.segments[number]
        if number < self.next and self.fault == "changed-copy":
            data = bytes([data[0] ^ 1]) + data[1:]
        self.wire.send(self.start + number * MSS, self.peer, ACK, data=data)
        if number >= self.next:
            self.next = number + 1
        else:
            self.again.add(number)
        if self.timer is None:
            self.timer = time.monotonic() + self.wait()

    def fresh(self):
        """Sends a new segment. Whether there was one, and the receiver's window let it."""
        edge = self.window - len(self.segments[self.next]) if self.next < len(self.segments) else 0
        if self.next == len(self.segments) or (self.fault != "over-receive-window" and (self.next - self.una) * MSS > edge):
            return False
        self.transmit(self.next)
        return True

    def fill(self):
        most = 40 if self.fault == "over-window" else min(int(self.cwnd), WINDOW)
        if self.once("new-before-lost", bool(self.lost - self.again)):
            time.sleep(LATE_S)
            self.fresh()
        while True:
            flying = sum(1 for n in range(self.una, self.next) if n not in self.acked and (n not in self.lost or n in self.again))
            if flying >= most:
                return
            waiting = sorted(self.lost - self.again)
            if waiting:
                self.transmit(waiting[0])
            elif not self.fresh():
                return
            if self.once("without-cause", self.next == 6):
                self.transmit(self.next - 2)

    def find_losses(self):
        for number in range(self.una, self.next):
            if number not in self.acked and number not in self.lost and sum(1 for n in self.acked if n > number) >= 3:
                if not self.recovering:
                    self.recovering, self.recover = True, self.next
                    self.again.clear()
                    self.threshold = max(2, (self.next - self.una) // 2)
                    self.cwnd = self.threshold
                    if self.once("ignores-sack"):
                        time.sleep(LATE_S)
                        for n in range(self.una, self.next):
                            self.transmit(n)
                self.lost.add(number)

    def feedback(self, got):
        _, ack, flags, self.window, sacks, data = got
        end = after(ack, self.start)
        una = min(len(self.segments), end // MSS if end < len(self.segments) * MSS else len(self.segments))
        for first, last in sacks:
            first, last = after(first, self.start), after(last, self.start)
            if first >= end:
                self.acked |= {n for n in range(self.una, self.next) if n * MSS >= first and n * MSS + len(self.segments[n]) <= last}
        if una > self.una:
            self.cwnd += (una - self.una) if self.cwnd < self.threshold else 1 / self.cwnd
            self.una, self.rto = una, RTO_S
            self.acked = {n for n in self.acked if n >= una}
            self.lost = {n for n in self.lost if n >= una}
            self.timer = time.monotonic() + self.wait() if una < self.next else None
            if self.recovering and una >= self.recover:
                self.recovering = False
                self.again.clear()
            if self.once("resends-acknowledged", una >= 8):
                time.sleep(LATE_S)
                self.transmit(una - 3)
        self.find_losses()

    def timeout(self):
        if self.once("goes-silent"):
            time.sleep(0.9)
        self.lost, self.recovering = {n for n in range(self.una, self.next) if n not in self.acked}, False
        self.again.clear()
        self.cwnd, self.threshold = 1, max(2, (self.next - self.una) // 2)
        if self.fault != "no-backoff":
            self.rto = min(self.rto * 2, RTO_MAX_S)
        self.timer = None

    def run(self, limit_s):
        end = time.monotonic() + limit_s
        self.connect()
        while self.una < len(self.segments) and time.monotonic() < end:
            self.fill()
            wait = max(0.0, self.timer - time.monotonic()) if self.timer is not None else 0.5
            got = self.wire.receive(min(wait, 0.5))
            if got is not None:
                while got is not None: # all that is there is known before anything is sent
                    self.feedback(got)
                    got = self.wire.receive(0)
            elif self.timer is not None and time.monotonic() >= self.timer:
                self.timeout()
            elif self.timer is None and self.una == self.next:
                self.timer = time.monotonic() + self.rto  # the window is closed: look again later
        last = self.start + sum(map(len, self.segments))
        for _ in range(8):
            self.wire.send(last, self.peer, FIN | ACK)
            got = self.wire.receive(0.2)
            if got is not None and got[2] & FIN:
                self.wire.send(last + 1, got[0] + 1, ACK)
                return


class Receiver:
    """Takes all that comes, and acknowledges each segment."""

    def __init__(self, wire, fault):
        self.wire, self.fault, self.done = wire, fault, False
        self.parts, self.first = [], 0  # of bytes that came, sorted
        self.data = {}

    def keep(self, first, data):
        self.data.setdefault(first, data)
        parts = sorted(self.parts + [(first, first + len(data))])
        self.parts = parts[:1]
        for first, end in parts[1:]:
            if first <= self.parts[-1][1]:
                self.parts[-1] = self.parts[-1][0], max(end, self.parts[-1][1])
            else:
                self.parts.append((first, end))

    def answer(self, own):
        """What is acknowledged, and what besides."""
        cum = self.parts[0][1] if self.parts and self.parts[0][0] == 0 else 0
        above = [part for part in self.parts if part[0] > cum]
        if self.fault == "acknowledges-unseen" and above:
            return above[0][1], above[1:]
        if self.fault == "sacks-unseen" and above and not self.done:
            self.done = True
            return cum, [(above[0][0] - 200, above[0][1])]
        if self.fault == "goes-back" and cum > 8 * MSS and not self.done:
            self.done = True
            return cum - 5 * MSS, []
        return cum, above

    def run(self, limit_s):
        end, own, start = time.monotonic() + limit_s, 1000, None
        while time.monotonic() < end:
            got = self.wire.receive(0.5)
            if got is None:
                continue
            seq, _, flags, _, _, data = got
            if flags & SYN:
                start = seq + 1
                self.wire.send(own, start, SYN | ACK, b"\2\4" + struct.pack(">H", MSS) + b"\4\2\1\1")
                continue
            if start is None:
                continue
            if data:
                self.keep(after(seq, start), data)
            cum, above = self.answer(own)
            if flags & FIN and after(seq, start) + len(data) <= cum:
                self.wire.send(own + 1, start + cum + 1, FIN | ACK)
                return
            if data:
                options = b"".join(struct.pack(">II", start + a & 0xFFFFFFFF, start + b & 0xFFFFFFFF) for a, b in above[:3])
                if options:
                    options = b"\1\1\5" + bytes([2 + len(options)]) + options
                self.wire.send(own + 1, start + cum, ACK, options)


# The rule that finds it, what the network does, and the values that the test declares besides.
SENDER_FAULTS = {
    None: (None, "loss=2%,reorder=2%,reorder-by=3ms", []),
    "early-timeout": ("K10", "in:drop-frame:nth=42", []),
    "no-backoff": ("K10", "in:drop-frame:nth=42:times=3", []),
    "without-cause": ("K5", "", []),
    "over-window": ("K4", "", []),
    "over-receive-window": ("K4", "", []),
    "changed-copy": ("K7", "in:drop-frame:nth=10", []),
    "goes-silent": ("K8", "in:drop-frame:nth=42", ["rto_max_ns=700ms"]),
    "new-before-lost": ("K6", "in:drop-frame:nth=10", []),
    "ignores-sack": ("K9", "in:drop-frame:nth=10", []),
    "resends-acknowledged": ("K9", "", []),
}
RECEIVER_FAULTS = {
    None: (None, "loss=2%,reorder=2%,reorder-by=3ms", []),
    "acknowledges-unseen": ("K3", "in:drop-frame:nth=10", []),
    "sacks-unseen": ("K3", "in:drop-frame:nth=10", []),
    "goes-back": ("K3", "", []),
}
