/* SPDX-License-Identifier: Apache-2.0
 * roce_inject.h - the packets of Talon's own in a scenario of RoCEv2: what a step with `inject`
 * says of them. */
#ifndef TL_HARNESS_ROCE_ROCE_INJECT_H
#define TL_HARNESS_ROCE_ROCE_INJECT_H

#include "harness/roce/roce_log.h"

enum { TL_ROCE_INJECT_DATA_MAX = 256 };

/* A packet, without what its connection says of it. */
struct tl_roce_injected {
    struct fal_roce_packet packet;
    unsigned ecn;
    bool has_ecn, bad_icrc;
};

/* Checks that the pattern of a step can make a packet: each condition has one value and is
 * about an opcode, ECN, ICRC, data, or a field that a packet of the opcode has. Without an
 * opcode the packet is a CNP. Returns 0, or FAL_ERR_FORM with a clause in `err`. */
MUST_USE int tl_roce_inject_check(const struct fal_roce_pattern *pattern,
                                  struct fal_error *err);

/* The packet of a step, to end step->to of `conn`. Relative PSNs count from that end's first
 * request, and those of a label from the packet that has it. */
void tl_roce_inject_packet(struct tl_roce_log *log, const struct tl_roce_step *step,
                           const struct tl_roce_conn *conn, struct tl_roce_injected *out);

#endif
