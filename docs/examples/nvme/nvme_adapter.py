#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A template for an adapter with NVMe: level L1 (l1_adapter.py) and the words of levels L2n and L3n. The blocks of a
software device are here, so that it passes `talon sut-check` as it is; each YOUR DEVICE marks a place for your calls.

    nvme_adapter.py 9000        talon sut-check --control tcp:127.0.0.1:9000
"""
import json
import os
import socketserver
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "verbs"), os.path.join(HERE, "..", "l1"), os.path.join(HERE, "..")]

import l1_adapter  # noqa: E402
from l1_adapter import Refused  # noqa: E402
from lite_falcon import fill, fnv  # noqa: E402
from verbs_adapter import number, word  # noqa: E402

MDTS, FUNCTION, MTU = 1 << 20, 7, 4260
STATUS_MAX, NLB_MAX = (1 << 15) - 1, 65535


def block_len(command):
    shift = number(command, "block_shift", 12)
    if shift not in (9, 12):
        raise Refused("failed", "block_shift: expected 9 or 12")
    return 1 << shift


class NvmeWords:
    """The words. The class beside it has connections: `conns` by name, `event`, and the commands of level L1."""

    def begin(self):
        self.spaces, self.rows, self.formats, self.blocks, self.held, self.commands = {}, {}, {}, {}, {}, 0
        self.policy = {"after_ns": 0, "status": 0, "hold": False}

    # --- connections ---

    def do_hello(self, command):
        hello = super().do_hello(command)
        return {**hello, "levels": [*hello["levels"], "L2n", "L3n"], "upper": ["raw", "nvme"]}

    def do_reset(self, command):
        answer = super().do_reset(command)
        self.begin()  # YOUR DEVICE: forget all namespaces, rows and commands.
        return answer

    def do_open(self, command):
        params = command.get("params") or {}
        if word(command, "upper", ("raw", "nvme", "verbs"), "raw") == "verbs":
            raise Refused("unsupported", "upper: expected raw or nvme")
        if command.get("upper") == "nvme" and (params.get("ordered") is not False or params.get("mtu", MTU) < MTU):
            raise Refused("failed", f"upper: nvme needs \"ordered\": false and an mtu of at least {MTU}")
        return super().do_open(command)

    def do_barrier(self, command):
        """YOUR DEVICE: reply when each nvme_cqe and dev_cmd is sent that was caused before, and all data are written."""

    # --- initiator ---

    def do_nvme_ns(self, command):
        pi = word(command, "pi", ("off", "host", "insert"), "off")
        space = {"len": block_len(command), "pi": pi, **{key: number(command, key, 0) for key in ("start", "C", "S", "N")}}
        self.spaces[number(command, "nsid")] = space  # YOUR DEVICE: set this row of the NSID table.
        return {"function": FUNCTION, "mdts": MDTS}

    def do_nvme_lba(self, command):
        index, valid = number(command, "index"), command.get("valid") is True
        if valid and command.get("conn") not in self.conns:
            raise Refused("failed", "conn: no connection has this name")
        # YOUR DEVICE: set this row of the LBA translation table.
        self.rows[index] = {"valid": valid, **{key: number(command, key, 0) for key in ("sqid", "target_nsid", "chunk")}}

    def do_nvme_post(self, command):
        space = self.spaces.get(number(command, "nsid"))
        if space is None:
            raise Refused("failed", "nsid: there is no namespace of that number")
        number(command, "cmd")
        number(command, "slba")
        word(command, "op", ("read", "write"))
        if (number(command, "nlb0", 0, NLB_MAX) + 1) * space["len"] > MDTS:
            raise Refused("failed", f"nlb0: expected at most {MDTS} bytes")
        # YOUR DEVICE: submit it; a write has the bytes fill(tag, seed, length). When it has completed, your device calls
        # event("nvme_cqe", {"cmd": command["cmd"], "status": ..., "hash": fnv(the bytes that were read)}).
        self.commands += 1
        return {"sq": command.get("sq") or 1, "cid": self.commands & 0xffff}

    # --- devices behind the target ---

    def span(self, command):
        """The place of each block, and the length of one."""
        dev, nsid = number(command, "dev", 0), number(command, "nsid")
        first, count = number(command, "slba"), number(command, "nlb0", 0, NLB_MAX) + 1
        return [(dev, nsid, first + i) for i in range(count)], self.formats.get((dev, nsid), {"len": 4096})["len"]

    def do_dev_format(self, command):
        form = {"len": block_len(command), "metadata": number(command, "metadata", 0, 16)}
        if form["metadata"] not in (0, 16):
            raise Refused("failed", "metadata: expected 0 or 16")
        # YOUR DEVICE: format this namespace, and give it the requests of queue `sqid`.
        self.formats[number(command, "dev", 0), number(command, "nsid")] = form

    def do_dev_fill(self, command):
        places, length = self.span(command)
        data = fill(number(command, "tag", 0), number(command, "seed", 0), length * len(places))
        for i, place in enumerate(places):
            self.blocks[place] = data[i * length:][:length]  # YOUR DEVICE: write it, with valid protection information.

    def do_dev_hash(self, command):
        places, length = self.span(command)
        return {"hash": fnv(b"".join(self.blocks.get(place, bytes(length)) for place in places))}  # YOUR DEVICE: read them.

    def do_dev_policy(self, command):
        # YOUR DEVICE: complete commands in this way from now on. When a command reaches a device, it calls
        # event("dev_cmd", {"dcmd": ..., "dev": ..., "op": ..., "nsid": ..., "slba": ..., "nlb0": ..., "sqid": ...}).
        self.policy = {"after_ns": number(command, "after_ns", 0), "status": number(command, "status", 0, STATUS_MAX),
                       "hold": command.get("hold") is True}

    def do_dev_complete(self, command):
        if self.held.pop(number(command, "dcmd"), None) is None:  # YOUR DEVICE: complete it with `status`.
            raise Refused("failed", "dcmd: no device holds a command of that number")

    def do_dev_identify(self, command):
        form = self.formats.get((number(command, "dev", 0), number(command, "nsid")), {"metadata": 16})
        return {"metadata": form["metadata"], "pil": 0, "pi_type": 1 if form["metadata"] else 0, "mset": 0}


class NvmeAdapter(NvmeWords, l1_adapter.Adapter):
    def event(self, name, members):
        """Your device calls this: for each completion (nvme_cqe) and each command of a device (dev_cmd)."""
        self.seq += 1
        line = {"seq": self.seq, "epoch": self.epoch, "event": name, **members}
        self.wfile.write(json.dumps(line).encode() + b"\n")

    def handle(self):
        self.seq = 0
        self.begin()
        super().handle()


if __name__ == "__main__":
    socketserver.TCPServer.allow_reuse_address = True
    with socketserver.TCPServer(("127.0.0.1", int(sys.argv[1])), NvmeAdapter) as server:
        print(f"control tcp:127.0.0.1:{server.server_address[1]}", file=sys.stderr, flush=True)
        server.serve_forever()
