#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rue_sut.py - an example adapter with the commands about congestion control (level Lc of docs/sut-protocol.md): lite_sut.py
around lite_falcon.py, and the engine of swift.py beside it.

    talon sut-check --sut "exec:python3 docs/examples/rue/rue_sut.py --lockstep"
    talon run scenarios/10.3-rue --sut "exec:python3 docs/examples/rue/rue_sut.py --lockstep"

The windows of its connections are fixed, unless the tester is the engine: packets in the clear carry no t1 and t3, so an
engine in the device would have no delay (10.1). A result of the device itself is therefore what its event says; fed events
go through Swift."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import lite_sut  # noqa: E402
from lite_falcon import BACK, EACK, M32, NACK  # noqa: E402
from lite_sut import Control, Refused  # noqa: E402
from rue import EVENT, RESULT, read, write  # noqa: E402
from swift import changed, DEFAULTS, Engine  # noqa: E402

TICK_NS, UNIT, WRAP = 131.072, 1024, (1 << 24) - 1
NACK_CODE = 36  # its byte in a NACK
CARRIED = ("inter_packet_gap", "fcwnd_fraction", "fabric_window_time_marker", "nic_window_time_marker", "ncwnd_direction",
           "base_delay_target", "delay_state", "rtt_state", "cc_opaque")  # from a result to the next event
CELL = 64  # bytes of a buffer that count as one
LC = {"format": "table-msb", "gap_tick_ps": 131072, "rue_latency_ns": 0, "algorithm": "swift", "moves_limits": False}


def entry_of(command):
    entry = command["entry"]
    if not isinstance(entry, str) or len(entry) != 128 or set(entry.lower()) - set("0123456789abcdef"):
        raise Refused("failed", "entry: expected 128 hex digits")
    return entry


class Cells:
    """Occupancy as levels (10.2): a moving average, and the highest level whose threshold it has reached."""

    def __init__(self, alpha, thresholds):
        self.alpha, self.thresholds, self.average = alpha, thresholds, 0.0

    def level(self, occupied):
        self.average += (occupied - self.average) * self.alpha / 1024
        return sum(1 for threshold in self.thresholds if self.average >= threshold)


class RueControl(Control):
    LEVELS, EVENTS = [*Control.LEVELS, "Lc"], (*Control.EVENTS, "cc")

    def __init__(self, write_line, send, seed=0):
        super().__init__(write_line, send, seed)
        self.begin()

    def begin(self):
        self.params, self.own_params = DEFAULTS, {}  # of all connections; of single ones
        self.engine, self.trace, self.tester = Engine(), False, False
        self.levels, self.acked = {}, {}

    def do_open(self, command):
        """What the event queue must know of the connection is counted where it happens."""
        answer = super().do_open(command)
        conn = self.conns[answer["conn"]]
        acknowledged, transmit, may_send, deadline = conn.acknowledged, conn.transmit, conn.may_send, conn.deadline
        conn.newly, conn.rue, conn.gap_ns, conn.last_ns, conn.tried_ns = 0, {}, 0, 0, 0

        def count(item):
            conn.newly += not item["acked"]
            acknowledged(item)

        def sent(item):
            if item["attempts"] > 0:
                self.report(conn, {"event_type": 2, "retransmit_count": min(item["attempts"], 7), "retransmit_reason": 0})
            else:
                conn.last_ns = self.now
            item["sent"] = self.now
            transmit(item)

        def paced(kind):
            conn.tried_ns = self.now
            return self.now >= conn.last_ns + conn.gap_ns and may_send(kind)

        def due():
            times, free = [deadline()], conn.last_ns + conn.gap_ns
            if any(conn.waiting) and free > conn.tried_ns:
                times.append(free)
            return min((t for t in times if t is not None), default=None)

        take = conn.take
        conn.take = lambda kind, data, ecn, ttl: self.taken(conn, take, kind, data, ecn, ttl)
        conn.acknowledged, conn.transmit, conn.may_send, conn.deadline = count, sent, paced, due
        return answer

    def do_hello(self, command):
        hello = super().do_hello(command)
        return {**hello, "ics": {**hello["ics"], "swift": True, "plb": True, "rue-queues": True}, "cc": LC}

    def do_reset(self, command):
        answer = super().do_reset(command)
        self.begin()
        return answer

    # --- the commands ---

    def do_cc_config(self, command):
        conn = self.conn(command) if "conn" in command else None
        before = self.own_params.get(conn.name, self.params) if conn else self.params
        try:
            params = changed(before, command["params"])
        except ValueError as wrong:
            raise Refused("failed", str(wrong)) from None
        if conn:
            self.own_params[conn.name] = params
        else:
            self.params, self.own_params = params, {}

    def do_cc_feed(self, command):
        entry, now = entry_of(command), command["now_ticks"]
        if isinstance(now, bool) or not isinstance(now, int) or not 0 <= now <= WRAP:
            raise Refused("failed", "now_ticks: expected a number of 24 bits")
        if command["state"] not in ("reset", "keep"):
            raise Refused("failed", "state: expected reset or keep")
        of = self.with_cid(read(entry)["connection_id"])
        params = self.own_params.get(of.name, self.params) if of else self.params
        return {"entry": self.engine.feed(params, command["state"], now, entry)}

    def do_cc_trace(self, command):
        self.trace = self.checked(command["on"], "on")

    def do_cc_engine(self, command):
        if command["who"] not in ("self", "tester"):
            raise Refused("failed", "who: expected self or tester")
        self.tester = command["who"] == "tester"

    def do_cc_result(self, command):
        entry = entry_of(command)
        result = read(entry, RESULT)
        conn = self.with_cid(result["connection_id"])
        if not self.tester:
            raise Refused("failed", "the tester is not the engine: cc_engine comes first")
        if conn is None:
            raise Refused("failed", "entry: no connection has this connection_id")
        if self.trace:
            self.tell_entry(conn, "result", entry)
        self.apply(conn, result)

    def do_rx_levels(self, command):
        pool, alpha, thresholds = command["pool"], command["alpha"], command["thresholds"]
        if pool not in ("packets", "buffers"):
            raise Refused("failed", "pool: expected packets or buffers")
        if isinstance(alpha, bool) or not isinstance(alpha, int) or not 1 <= alpha <= 1024:
            raise Refused("failed", "alpha: expected 1 to 1024")
        if len(thresholds) != 31 or thresholds != sorted(thresholds) or any(isinstance(t, bool) or t < 0 for t in thresholds):
            raise Refused("failed", "thresholds: expected 31 numbers, none less than the one before")
        self.levels[pool] = Cells(alpha, thresholds)

    # --- the device ---

    @staticmethod
    def checked(value, name):
        if not isinstance(value, bool):
            raise Refused("failed", f"{name}: expected true or false")
        return value

    def with_cid(self, cid):
        return next((c for c in self.conns.values() if c.local["cid"] == cid), None)

    def ticks(self):
        return int(self.now / TICK_NS) & WRAP

    def tell_entry(self, conn, kind, entry):
        self.event("cc", {"conn": conn.name, "kind": kind, "entry": entry, "now_ticks": self.ticks()})

    @staticmethod
    def apply(conn, result):
        p = conn.params
        p["fcwnd"], p["ncwnd"] = max(result["fcwnd_integer"], 1), max(result["ncwnd"], 1)
        p["rto_ns"] = max(int(result["retransmit_timeout"] * TICK_NS), 1)
        conn.gap_ns = math.ceil(result["inter_packet_gap"] * TICK_NS) if result["fcwnd_integer"] == 0 else 0
        for window in conn.sent:
            for item in window.values():  # of those that are in flight, too (10.6.2.2)
                item["due"] = item["sent"] + p["rto_ns"]
        conn.rue = {name: result[name] for name in CARRIED}
        conn.tick()

    def report(self, conn, members):
        """An event for the engine. The device's own one answers with what the event says."""
        p = conn.params
        event = {"connection_id": conn.local["cid"], "num_packets_acked": min(conn.newly, 1023), "fcwnd_integer": p["fcwnd"],
                 "ncwnd": p["ncwnd"], "retransmit_timeout": int(p["rto_ns"] / TICK_NS) & WRAP,
                 "base_delay_target": self.params["base_delay_target"], **conn.rue, **members}
        conn.newly = 0
        if self.trace or self.tester:
            self.tell_entry(conn, "event", write(event, EVENT))
        if self.trace and not self.tester:
            self.tell_entry(conn, "result", write(event, RESULT))

    def acknowledgement(self, kind, data):
        """The members of the event of an ACK or NACK. In the clear it has neither t1 nor t3."""
        word = int.from_bytes(data[24:28], "big")
        return {"event_type": int(kind == NACK), "t1": int.from_bytes(data[16:20], "big") & WRAP,
                "t2": int.from_bytes(data[20:24], "big") & WRAP, "t4": self.ticks(), "eack": int(kind == EACK),
                "nack_code": data[NACK_CODE] if kind == NACK else 0, "cc_metadata": int.from_bytes(data[29:32], "big"),
                "forward_hops": word >> 28, "rx_buffer_level": word >> 23 & 31, "ecn_accumulated": word >> 9 & 0x3FFF}

    def taken(self, conn, take, kind, data, ecn, ttl):
        """A packet that the connection takes. An ACK of what was never sent, or an old one, gives no event."""
        bases = (int.from_bytes(data[12:16], "big"), int.from_bytes(data[8:12], "big"))
        fits = all(base - own & M32 <= psn - own & M32 for base, own, psn in zip(bases, conn.base, conn.psn))
        take(kind, data, ecn, ttl)
        for other in self.conns.values():
            self.occupy(other)
        if fits and kind in (NACK, BACK, EACK):
            self.report(conn, self.acknowledgement(kind, data))

    def occupy(self, conn):
        held = [r for c in self.conns.values() for r in c.theirs.values() if r["op"] == "push"]
        used = {"packets": len(held), "buffers": sum(-(-r["length"] // CELL) for r in held)}
        conn.level = max((cells.level(used[pool]) for pool, cells in self.levels.items()), default=0)


if __name__ == "__main__":
    lite_sut.main({1: lite_sut.Level1, 2: lite_sut.Level2, 3: RueControl})
