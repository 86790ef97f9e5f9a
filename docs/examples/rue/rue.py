#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rue.py - a Rate Update Engine for `talon cc judge "exec:python3 rue.py"`: the template of an adapter around your engine.
It reads lines of JSON and answers each with one line. This engine leaves everything as its event says, which Swift does not
allow. Entries are in table-msb: the first field has the most significant bits."""
import json
import sys

EVENT = (("connection_id", 24), ("event_type", 2), ("t1", 24), ("t2", 24), ("t3", 24), ("t4", 24), ("retransmit_count", 3),
         ("retransmit_reason", 1), ("nack_code", 8), ("forward_hops", 4), ("rx_buffer_level", 5), ("cc_metadata", 24),
         ("fcwnd_fraction", 10), ("fcwnd_integer", 11), ("inter_packet_gap", 20), ("ncwnd", 11), ("retransmit_timeout", 24),
         ("num_packets_acked", 10), ("eack_drop", 1), ("eack", 1), ("reserved_0", 8), ("event_queue_select", 2),
         ("delay_select", 2), ("fabric_window_time_marker", 24), ("nic_window_time_marker", 24), ("ncwnd_direction", 1),
         ("base_delay_target", 24), ("delay_state", 24), ("rtt_state", 24), ("cc_opaque", 2), ("ecn_accumulated", 14))
RESULT = (("connection_id", 24), ("randomize_path", 1), ("cc_metadata", 24), ("fcwnd_fraction", 10), ("fcwnd_integer", 11),
          ("inter_packet_gap", 20), ("ncwnd", 11), ("retransmit_timeout", 24), ("fabric_window_time_marker", 24),
          ("nic_window_time_marker", 24), ("ncwnd_direction", 1), ("base_delay_target", 24), ("delay_state", 24),
          ("rtt_state", 24), ("cc_opaque", 2))


def read(entry, layout=EVENT):
    at, fields = 512, {}
    for name, bits in layout:
        at -= bits
        fields[name] = int(entry, 16) >> at & (1 << bits) - 1
    return fields


def write(fields, layout=RESULT):
    at, entry = 512, 0
    for name, bits in layout:
        at -= bits
        entry |= fields.get(name, 0) << at
    return f"{entry:0128x}"


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] == "configure":  # message["params"] has the parameters of 10.5
            answer = {"ok": True} if message["format"] == "table-msb" else {"error": "this engine has table-msb only"}
        else:  # message["state"] is "reset" for a new connection; message["now_ticks"] is the time
            answer = {"result": write(read(message["event"]))}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
