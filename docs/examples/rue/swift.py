#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""swift.py - Swift and PLB (10.3, 10.4) in Python, and an engine for `talon cc judge "exec:python3 swift.py"`. rue_sut.py
is an adapter around it. Times are ticks of 131.072 ns, modulo 2^24."""
import json
import math
import sys

from rue import read, write

ACK, NACK, RETRANSMIT = 0, 1, 2
DECREASE, INCREASE = 0, 1
RESOURCE = 1  # the NACK code
WRAP = (1 << 24) - 1
UNIT = 1024  # of fcwnd, in a packet
# Name: default, least, greatest (talon help swift); a whole default means whole numbers.
PARAMS = {
    "max_fcwnd": (256.0, 1, 2047), "min_fcwnd": (0.01, 1 / UNIT, 2047), "fabric_additive_increment": (1.0, 0, 2047),
    "fabric_multiplicative_decrease_factor": (0.8, 0, 1), "max_fabric_multiplicative_decrease_factor": (0.5, 0, 1),
    "base_delay_target": (191, 0, WRAP), "max_ncwnd": (256, 1, 2047), "min_ncwnd": (1, 1, 2047),
    "nic_additive_increment": (1.0, 0, 2047), "nic_multiplicative_decrease_factor": (0.8, 0, 1),
    "max_nic_multiplicative_decrease_factor": (0.5, 0, 1), "target_rx_buffer_level": (15, 0, 31),
    "plb_target_delay_multiplier": (1.01, 0, 1024), "plb_congestion_threshold": (0.5, 0, 1),
    "plb_attempt_threshold": (5, 1, 255), "rtt_smoothing_alpha": (0.75, 0, 1), "delay_smoothing_alpha": (0.0, 0, 1),
    "topology_scaling_per_hop": (8.0, 0, 1048575), "retransmit_timeout_scalar": (2.0, 0, 1024), "retransmit_limit": (3, 1, 7),
    "min_retransmission_timeout": (1907, 0, WRAP), "min_flow_scaling_window": (0.1, 1 / UNIT, 2047),
    "max_flow_scaling_window": (256.0, 1 / UNIT, 2047), "max_flow_scaling": (763.0, 0, WRAP),
}
DEFAULTS = {name: row[0] for name, row in PARAMS.items()}
ORDERED = (("min_fcwnd", "max_fcwnd"), ("min_ncwnd", "max_ncwnd"), ("min_flow_scaling_window", "max_flow_scaling_window"))


def changed(params, new):
    """`params` with new values. A ValueError names one that is not allowed."""
    for name, value in new.items():
        if name not in PARAMS:
            raise ValueError(f"params: there is no parameter '{name}'")
        first, least, most = PARAMS[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most or (
                isinstance(first, int) and value != int(value)):
            raise ValueError(f"{name}: expected a number from {least:g} to {most:g}")
    params = {**params, **new}
    for low, high in ORDERED:
        if params[low] > params[high] or low == "min_flow_scaling_window" and params[low] == params[high]:
            raise ValueError(f"{low}: expected at most {high}")
    return params


def since(now, then):
    return now - then & WRAP


def clamp(least, value, most):
    return max(least, min(value, most))


class Swift:
    """One connection: what the engine keeps of it is in no entry (10.5.6)."""

    def __init__(self):
        self.acked = self.congested = self.attempts = 0

    @staticmethod
    def target(p, e, fcwnd):
        """10.3.4; of the window before the event."""
        at_max = 1 / math.sqrt(p["max_flow_scaling_window"])
        alpha = p["max_flow_scaling"] / (1 / math.sqrt(p["min_flow_scaling_window"]) - at_max)
        scaled = alpha / math.sqrt(fcwnd) - alpha * at_max if fcwnd > 0 else p["max_flow_scaling"]
        return (e["base_delay_target"] + clamp(0, scaled, p["max_flow_scaling"])
                + p["topology_scaling_per_hop"] * e["forward_hops"])

    def process(self, p, now, e):
        """The result of the event, as fields."""
        now &= WRAP
        r = dict(e, randomize_path=0)
        fcwnd = e["fcwnd_integer"] + e["fcwnd_fraction"] / UNIT
        if e["event_type"] == RETRANSMIT:
            self.retransmitted(p, now, e, r, fcwnd)
        else:
            self.acknowledged(p, now, e, r, fcwnd)
        return r

    @staticmethod
    def delay(e, rtt):
        return (rtt, since(rtt, since(e["t3"], e["t2"])), since(e["t2"], e["t1"]), since(e["t4"], e["t3"]))[e["delay_select"]]

    @staticmethod
    def set_fcwnd(p, r, fcwnd, rtt):
        fcwnd = clamp(p["min_fcwnd"], fcwnd, p["max_fcwnd"])
        units = int(fcwnd * UNIT + 0.5)
        r["fcwnd_integer"], r["fcwnd_fraction"] = units // UNIT, units % UNIT
        r["inter_packet_gap"] = 0 if fcwnd >= 1 else int(clamp(0, rtt / fcwnd + 0.5, (1 << 20) - 1))
        return units

    @staticmethod
    def moved(now, marker, rtt):
        """10.3.6: a marker is at most a round trip old."""
        return since(now, rtt) if since(now, marker) > rtt else marker

    def acknowledged(self, p, now, e, r, fcwnd):
        rtt = since(e["t4"], e["t1"])
        target = self.target(p, e, fcwnd)
        for name, sample in (("rtt", rtt), ("delay", self.delay(e, rtt))):
            old = e[name + "_state"]
            r[name + "_state"] = int(sample + (old - sample) * p[name + "_smoothing_alpha"])
        self.fabric(p, now, e, r, fcwnd, rtt, target)
        if e["event_type"] == NACK and e["nack_code"] == RESOURCE:
            self.exhausted(p, now, e, r, rtt)
        else:
            self.nic(p, now, e, r, rtt)
        if e["event_type"] == ACK:
            r["randomize_path"] = self.plb(p, e, r["delay_state"] > target * p["plb_target_delay_multiplier"], fcwnd)

    def fabric(self, p, now, e, r, fcwnd, rtt, target):
        before, delay, marker = fcwnd, r["delay_state"], e["fabric_window_time_marker"]
        if delay <= target:
            fcwnd += p["fabric_additive_increment"] * e["num_packets_acked"] / max(fcwnd, 1)
        elif since(now, marker) >= rtt:
            fcwnd *= max(1 - p["fabric_multiplicative_decrease_factor"] * (delay - target) / delay,
                         1 - p["max_fabric_multiplicative_decrease_factor"])
        units = self.set_fcwnd(p, r, fcwnd, rtt)
        fell = units < before * UNIT or units == int(p["min_fcwnd"] * UNIT + 0.5)
        r["fabric_window_time_marker"] = now if fell else self.moved(now, marker, rtt)

    def nic(self, p, now, e, r, rtt):
        ncwnd, level, target = e["ncwnd"], e["rx_buffer_level"], p["target_rx_buffer_level"]
        elapsed = since(now, e["nic_window_time_marker"]) >= rtt
        if level < target and (e["ncwnd_direction"] == DECREASE or elapsed):
            ncwnd, r["ncwnd_direction"] = ncwnd + p["nic_additive_increment"], INCREASE
        elif level >= target and elapsed:
            lost = (level - target) / level if level > 0 else 0
            ncwnd *= max(1 - lost, 1 - p["max_nic_multiplicative_decrease_factor"])
            r["ncwnd_direction"] = DECREASE
        r["ncwnd"] = int(clamp(p["min_ncwnd"], int(ncwnd), p["max_ncwnd"]))
        still = r["ncwnd"] == e["ncwnd"] and r["ncwnd"] not in (p["min_ncwnd"], p["max_ncwnd"])
        r["nic_window_time_marker"] = self.moved(now, e["nic_window_time_marker"], rtt) if still else now

    @staticmethod
    def exhausted(p, now, e, r, rtt):
        if e["ncwnd_direction"] == INCREASE or since(now, e["nic_window_time_marker"]) >= rtt:
            ncwnd = int(e["ncwnd"] * (1 - p["max_nic_multiplicative_decrease_factor"]))
            r["ncwnd"] = int(clamp(p["min_ncwnd"], ncwnd, p["max_ncwnd"]))
            r["ncwnd_direction"], r["nic_window_time_marker"] = DECREASE, now

    def plb(self, p, e, congested, fcwnd):
        """10.4: whether to draw a new path."""
        self.acked += e["num_packets_acked"]
        self.congested += e["num_packets_acked"] if congested else 0
        if self.acked < min(fcwnd, e["ncwnd"]):
            return 0
        full = self.acked > 0 and self.congested / self.acked >= p["plb_congestion_threshold"]
        self.acked = self.congested = 0
        self.attempts = self.attempts + 1 if full else 0
        if self.attempts < p["plb_attempt_threshold"]:
            return 0
        self.attempts = 0
        return 1

    def retransmitted(self, p, now, e, r, fcwnd):
        rtt = e["rtt_state"]
        if e["retransmit_count"] == 1 and since(now, e["fabric_window_time_marker"]) >= rtt:
            fcwnd *= 1 - p["max_fabric_multiplicative_decrease_factor"]
            r["fabric_window_time_marker"] = now
        elif e["retransmit_count"] >= p["retransmit_limit"]:
            fcwnd, r["fabric_window_time_marker"] = p["min_fcwnd"], now
        self.set_fcwnd(p, r, fcwnd, rtt)
        rto = max(p["retransmit_timeout_scalar"] * rtt, p["min_retransmission_timeout"])
        r["retransmit_timeout"] = int(min(rto + 0.5, WRAP))


class Engine:
    """Fed events: parameters, and the connections by their ids."""

    def __init__(self):
        self.connections = {}

    def feed(self, params, state, now, entry):
        event = read(entry)
        if state == "reset" or event["connection_id"] not in self.connections:
            self.connections[event["connection_id"]] = Swift()
        return write(self.connections[event["connection_id"]].process(params, now, event))


def main():
    engine, params = Engine(), DEFAULTS
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] != "configure":
            answer = {"result": engine.feed(params, message["state"], message["now_ticks"], message["event"])}
        elif message["format"] != "table-msb":
            answer = {"error": "this engine has table-msb only"}
        else:
            engine, params, answer = Engine(), changed(DEFAULTS, message["params"]), {"ok": True}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
