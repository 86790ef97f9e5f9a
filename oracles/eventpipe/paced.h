/* SPDX-License-Identifier: Apache-2.0
 * paced.h - the flows of `talon lab` on an event pipeline: events come from their packets, and
 * the answers of the algorithm pace them. */
#ifndef FAL_ORACLES_EVENTPIPE_PACED_H
#define FAL_ORACLES_EVENTPIPE_PACED_H

#include "oracles/eventpipe/pipe.h"
#include "oracles/lab/pacer.h"

struct fal_ep_paced_flow {
    uint64_t rate_bps, tx_bytes, last_cnp_ns;
    uint32_t rtt_number; /* the packet that measures the round trip */
    bool rtt_wanted, rtt_under_way, had_cnp;
};

/* All 0 at first but for `algorithm`, and `trace` with its `ctx` if it is wanted. */
struct fal_ep_paced {
    struct fal_ep_algorithm algorithm;
    uint64_t line_bps;         /* of a sender: no flow is faster */
    uint64_t default_rate_bps; /* of a new flow */
    uint64_t cnp_ns;           /* at most one CNP of a flow in this time; 0: 4 us */
    void (*trace)(void *ctx, const struct fal_ep_event *event);
    void *ctx;
    /* The state, of one case after another. */
    struct fal_ep_pipe *pipe;
    struct fal_ep_paced_flow *flows;
    uint32_t num_flows;
    int error;
    struct fal_error why; /* of a pipeline that cannot begin */
};

/* The functions for fal_lab_ask.pacer, which borrow `paced`. */
struct fal_lab_pacer fal_ep_paced_pacer(struct fal_ep_paced *paced);
void fal_ep_paced_free(struct fal_ep_paced *paced);

#endif
