/* SPDX-License-Identifier: Apache-2.0
 * tp_roce.h - packets of reliable RoCEv2 connections as events of a transport: each PSN of a
 * SEND or WRITE is a segment, ACKs and NAKs are feedback.
 *
 * A header names the queue pair of the receiver only. The other direction is given, or it is
 * learned when most acknowledgements fit the numbers of one flow of requests and of no other.
 * Left out are flows whose other direction is not known, and flows with READs or atomics, whose
 * requests take numbers that no packet of the sender has. */
#ifndef TL_HARNESS_TRANSPORT_TP_ROCE_H
#define TL_HARNESS_TRANSPORT_TP_ROCE_H

#include "codecs/base/error.h"
#include "codecs/frame/roce_frame.h"
#include "oracles/beyond/transport.h"
#include "oracles/rules/roce/setup.h"

enum { TL_TP_ROCE_PACKETS = 10000000, TL_TP_ROCE_FLOWS = 4096 };

struct tl_tp_roce_setup {
    enum fal_tp_vantage vantage;     /* not BOTH */
    fal_u128 sut;                    /* of SENDER or RECEIVER */
    bool from_start;                 /* each connection is seen from its first packet on */
    const struct fal_rj_pair *pairs; /* borrowed; none: learned */
    size_t num_pairs;
};

struct tl_tp_roce;

/* NULL: out of memory. */
struct tl_tp_roce *tl_tp_roce_new(const struct tl_tp_roce_setup *setup);
void tl_tp_roce_free(struct tl_tp_roce *roce); /* NULL is allowed */
/* Takes a frame; what is no reliable RoCEv2 is ignored. Returns 0, FAL_ERR_MEM, or
 * FAL_ERR_RANGE: more than TL_TP_ROCE_PACKETS packets. */
MUST_USE int tl_tp_roce_frame(struct tl_tp_roce *roce, const struct fal_captured *captured,
                              uint64_t at_ns, uint64_t number);
/* After all frames: hands the events over. *left_out is the number of flows of requests that
 * are not judged. Returns 0, or an error of `event`. */
MUST_USE int tl_tp_roce_events(struct tl_tp_roce *roce,
                               int (*event)(void *ctx, const struct fal_tp_event *event),
                               void *ctx, size_t *left_out);

#endif
