#!/usr/bin/env python3
"""Transfers of the kernel's TCP between two network namespaces, each with a TAP device, over the seeded network of
`talon logic tap`; the captures are judged by `talon logic check`.

    bed.py TALON KIND... [--count N] [--seed N] [--keep FOLDER] [--jobs N]

plays N transfers of each kind (bed.py --list), each over a network of its own that follows from the seed, and prints a
line for each. It needs root and /dev/net/tun. Exit status: 0 all transfers are complete and no rule is violated; 1 not
so; 2 the bed cannot be built."""
import argparse
import ctypes
import os
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import user_tcp
from user_tcp import PORT

# What the kernel is told, and what is declared of it. Linux's least timeout is 200 ms; its timers count ticks of up to
# 4 ms (CONFIG_HZ=250), of which a timer may lose two.
LINUX = ["rto_min_ns=190ms", "rto_max_ns=120s", "dup_least=1"]
PLAIN = {"tcp_sack": 0, "tcp_recovery": 0, "tcp_frto": 0, "tcp_max_reordering": 3}
KINDS = {
    "newreno": ("reno", PLAIN, "newreno", []),
    "newreno-frto": ("reno", dict(PLAIN, tcp_frto=2), "newreno", ["frto=yes"]),
    "rack": ("reno", {}, "rack", []),
    "rack-cubic": ("cubic", {}, "rack", []),
    "rack-ecn": ("cubic", {"tcp_ecn": 1}, "rack", []),
    "rack-plain": ("cubic", {"tcp_frto": 0, "tcp_early_retrans": 0}, "rack", ["frto=no", "tail_probe=no"]),
}
TX, RX = "10.77.0.1", "10.77.0.2"
USER_TX, USER_RX = "10.77.0.3", "10.77.0.4"  # of a TCP outside the kernel, at the same devices
MACS = "02:00:00:00:00:01", "02:00:00:00:00:02"
PIPELINE = "1ms", "50ms"  # of the kernel; of a process that may have to wait for a processor
LIMIT_S = 60  # of a transfer
USER_LIMIT_S = 30
TRIES = 3  # of a fault that acts too late on a busy machine
USER = ["rto_min_ns=200ms", "rto_max_ns=3s", "max_window=16"]  # as user_tcp.py has them


class Failed(Exception):
    """The bed cannot be built."""


def command(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")


def enter(name):
    """This thread uses the network namespace; sockets keep the one in which they were made."""
    with open(f"/run/netns/{name}" if name else f"/proc/{os.getpid()}/ns/net", encoding="utf-8") as there:
        if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), 0x40000000) != 0:
            raise Failed(f"cannot enter the namespace {name}: {os.strerror(ctypes.get_errno())}")


class Bed:
    """Two namespaces with a TAP each. Neighbours are fixed, so that no frame but TCP's is needed."""

    def __init__(self, name, mtu, sysctls):
        self.names = [f"{name}-tx", f"{name}-rx"]
        self.process = None
        for i, ns in enumerate(self.names):
            command("ip", "netns", "add", ns)
            command("ip", "-n", ns, "-batch", "-", text=f"""
link set lo up
tuntap add dev tap0 mode tap
link set tap0 address {MACS[i]} mtu {mtu} gso_max_segs 1 gso_max_size 65536
address add {(TX, RX)[i]}/24 dev tap0
link set tap0 up
neigh replace {(RX, TX)[i]} lladdr {MACS[1 - i]} dev tap0 nud permanent
neigh replace {(USER_RX, USER_TX)[i]} lladdr {MACS[1 - i]} dev tap0 nud permanent
""")
            values = dict(sysctls, tcp_no_metrics_save=1)
            lines = "".join(f"echo {value} >/proc/sys/net/ipv4/{key} &&" for key, value in values.items())
            command("ip", "netns", "exec", ns, "sh", "-c", f"{lines} echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6")

    def start(self, talon, network, seed, capture, at="first"):
        self.process = subprocess.Popen(
            [talon, "logic", "tap", *(f"{ns}/tap0" for ns in self.names), "--network", network, "--seed", str(seed), "--write", capture,
             "--at", at], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise Failed(self.process.stderr.read().strip())

    def stop(self):
        """What the network did."""
        self.process.terminate()
        out, err = self.process.communicate()
        if self.process.returncode != 0:
            raise Failed(err.strip())
        return out

    def free(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for ns in self.names:
            subprocess.run(["ip", "netns", "del", ns], stderr=subprocess.DEVNULL, check=False)


def draw(rng, kind):
    """A network, and how the two ends behave."""
    hard = 3 if rng.random() < 0.2 else 1
    share = lambda most: f"{rng.choice([0, 0.3, 1, hard]) * rng.uniform(0.1, most):.2f}%"
    latency = rng.choice([1, 2, 5, 10, 25])
    words = [f"latency={latency}ms", f"loss={share(6)}", f"out:loss={share(4)}", f"duplicate={share(2)}", f"reorder={share(5)}",
             f"reorder-by={rng.choice([0.2, 1, 3, 8]) * latency * 1000:.0f}us"]
    if rng.random() < 0.4:
        words += [f"rate={rng.choice([2, 5, 20, 100])}M", f"queue={rng.choice([8000, 30000, 200000])}"]
    if rng.random() < 0.3:
        words.append(f"jitter={rng.choice([100, 1000, 4000])}us")
    if rng.random() < 0.15:
        words.append("corrupt=0.50%")
    if kind.endswith("ecn"):
        words += [f"mark={rng.choice([0.5, 3]):.1f}%"]
    return {"network": ",".join(words), "mtu": rng.choice([1500, 1500, 1500, 600, 4000]), "bytes": rng.randrange(3000, 250000),
            "rcvbuf": rng.choice([0, 0, 0, 8000, 40000]), "slow": rng.random() < 0.15, "pauses": rng.random() < 0.2,
            "nodelay": rng.random() < 0.5, "at": rng.choice(["first", "first", "first", "second"])}


def listen(bed, how):
    enter(bed.names[1])
    server = socket.socket()
    if how["rcvbuf"]:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, how["rcvbuf"])
    server.bind((RX, PORT))
    server.listen()
    server.settimeout(LIMIT_S)
    enter(None)
    return server


def connect(bed, how, congestion, address):
    enter(bed.names[0])
    client = socket.socket()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, how["nodelay"])
    client.settimeout(LIMIT_S)
    client.connect((address, PORT))
    client.setblocking(False)
    enter(None)
    return client


def give(client, data, how, rng, end):
    """Sends the data as `how` says, and ends the connection."""
    sent = 0
    while sent < len(data) and time.monotonic() < end:
        select.select([], [client], [], 1)
        try:
            sent += client.send(data[sent:sent + (rng.randrange(100, 9000) if how["pauses"] else 65536)])
        except BlockingIOError:
            continue
        if how["pauses"]:
            time.sleep(rng.choice([0, 0.001, 0.02]))
    client.shutdown(socket.SHUT_WR)


def receive(peer, how, end):
    """What came until the connection ended."""
    got = bytearray()
    peer.settimeout(max(0.1, end - time.monotonic()))
    while time.monotonic() < end:
        if how["slow"]:
            time.sleep(0.002)
        came = peer.recv(3000 if how["slow"] else 65536)
        if not came:
            break
        got += came
    return bytes(got)


def at_wire(bed, end):
    """The frames of a TCP outside the kernel, at the first or the second end."""
    enter(bed.names[end])
    wire = user_tcp.Wire((USER_TX, USER_RX)[end], (RX, TX)[end], MACS[end], MACS[1 - end])
    enter(None)
    return wire


def transfer(bed, plan, how, data, rng):
    """Moves the data. Returns what came; None where a TCP outside the kernel receives."""
    end = time.monotonic() + LIMIT_S
    if plan["user"] == "receiver":
        receiver = user_tcp.Receiver(at_wire(bed, 1), plan["fault"])
        other = threading.Thread(target=receiver.run, args=(USER_LIMIT_S,))
        other.start()
        with connect(bed, how, plan["congestion"], USER_RX) as client:
            give(client, data, how, rng, end)
            other.join()
        return None
    with listen(bed, how) as server:
        if plan["user"] == "sender":
            sender = user_tcp.Sender(at_wire(bed, 0), data, plan["fault"])
            other = threading.Thread(target=sender.run, args=(USER_LIMIT_S,))
        else:
            client = connect(bed, how, plan["congestion"], RX)
            other = threading.Thread(target=give, args=(client, data, how, rng, end))
        other.start()
        peer, _ = server.accept()
        with peer:
            got = receive(peer, how, end)
        other.join()
    return got


def judge(talon, capture, plan, at):
    """The rules that are violated, and what was printed about them."""
    first = TX if plan["user"] != "sender" else USER_TX
    second = RX if plan["user"] != "receiver" else USER_RX
    vantages = [["sender", "--sut", first] if at == "first" else ["receiver", "--sut", second], ["middle"]]
    rules, found = set(), []
    for vantage in vantages:
        done = subprocess.run(
            [talon, "logic", "check", capture, "--logic", plan["logic"], "--complete-capture", "--pipeline", PIPELINE[plan["user"] == "sender"], "--vantage", *vantage,
             *(word for row in plan["rows"] for word in ("--row", row))], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            found += [f"vantage {vantage[0]}: status {done.returncode}", *done.stderr.splitlines()]
            found += [line for line in done.stdout.splitlines() if " fail " in line]
            rules |= {line.split()[0] for line in done.stdout.splitlines() if re.match(r"K\d+ +fail", line)} or {"error"}
    return rules, found


def plan_of(kind):
    """How a kind is played and judged. user-sender or user-receiver, or with a fault behind a colon, is the TCP of
    user_tcp.py at that end."""
    if kind in KINDS:
        congestion, sysctls, logic, rows = KINDS[kind]
        return {"congestion": congestion, "sysctls": sysctls, "logic": logic, "rows": rows + LINUX, "user": None, "fault": None, "rule": None}
    role, _, fault = kind.partition(":")
    faults = {"user-sender": user_tcp.SENDER_FAULTS, "user-receiver": user_tcp.RECEIVER_FAULTS}.get(role, {})
    if (fault or None) not in faults:
        return None
    rule, network, rows = faults[fault or None]
    return {"congestion": "cubic", "sysctls": {}, "logic": "sack", "user": role[5:], "fault": fault or None, "rule": rule,
            "network": network, "rows": (USER if role == "user-sender" else LINUX) + rows}


def play(talon, kind, seed, keep, last=True):
    """One transfer. Prints its line, if it is the last try or all is well. Returns whether all is well."""
    plan, rng = plan_of(kind), random.Random(f"{kind} {seed}")
    how, folder = draw(rng, kind), keep or tempfile.mkdtemp()
    if plan["user"]:
        how = {"network": "latency=5ms," + plan["network"], "mtu": 1500, "bytes": 40000, "rcvbuf": 0, "slow": False, "pauses": False,
               "nodelay": True, "at": "first" if plan["user"] == "sender" else "second"}
    if plan["fault"] == "over-receive-window":
        how.update(rcvbuf=3000, slow=True)
    capture = os.path.join(folder, f"{kind.replace(':', '-')}-{seed}.pcapng")
    bed = Bed(f"talon-{os.getpid()}", how["mtu"], plan["sysctls"])
    try:
        bed.start(talon, how["network"], seed, capture, how["at"])
        data = rng.randbytes(how["bytes"])
        start = time.monotonic()
        got = transfer(bed, plan, how, data, rng)
        taken = time.monotonic() - start
        counts = bed.stop()
        rules, found = judge(talon, capture, plan, how["at"])
    finally:
        bed.free()
        if not keep:
            shutil.rmtree(folder)
    if plan["fault"]:
        good = plan["rule"] in rules
        if not good:
            found.insert(0, f"expected {plan['rule']} to fail")
    else:
        if got is not None and got != data:
            found.insert(0, f"{len(got)} of {len(data)} bytes came" if len(got) != len(data) else "other bytes came")
        good = not found
    if not good and not last:
        return False
    lost = "+".join(line.split(" frames, ")[1].split(" ", 1)[0] for line in counts.splitlines())
    verdict = " ".join(sorted(rules)) or "no rule"
    print(f"{'ok' if good else 'not ok'} - {kind} seed {seed}: {len(data)} bytes in {taken:.2f} s, lost {lost}, {verdict} violated; {how}", flush=True)
    for line in found if not good else []:
        print(f"# {line}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talon", nargs="?")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="keep the captures in this folder")
    parser.add_argument("--jobs", type=int, default=1, help="transfers at a time")
    parser.add_argument("--list", action="store_true", help="print the kinds")
    args = parser.parse_args()
    if args.list:
        users = [f"user-{role}" + (f":{fault}" if fault else "") for role, faults in
                 (("sender", user_tcp.SENDER_FAULTS), ("receiver", user_tcp.RECEIVER_FAULTS)) for fault in faults]
        print("\n".join([*KINDS, *users]))
        return 0
    unknown = [kind for kind in args.kinds if plan_of(kind) is None]
    if args.talon is None or not args.kinds or unknown:
        parser.error("expected TALON and kinds that --list prints" + (f"; found {unknown[0]}" if unknown else ""))
    waiting = [(kind, seed) for seed in range(args.seed, args.seed + args.count) for kind in args.kinds]
    total, failed, broken, children = len(waiting), 0, 0, set()
    while waiting or children:
        while waiting and len(children) < args.jobs:
            kind, seed = waiting.pop(0)
            child = os.fork()
            if child == 0:
                try:
                    tries = TRIES if ":" in kind else 1
                    os._exit(0 if any(play(args.talon, kind, seed, args.keep, i + 1 == tries) for i in range(tries)) else 1)
                except (Failed, OSError) as why:
                    print(f"not ok - {kind} seed {seed}: {why}", flush=True)
                os._exit(2)
            children.add(child)
        child, status = os.wait()
        children.discard(child)
        failed += os.waitstatus_to_exitcode(status) == 1
        broken += os.waitstatus_to_exitcode(status) not in (0, 1)
    print(f"# {total} transfers, {failed} failed, {broken} could not be played")
    return 2 if broken else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
