/* SPDX-License-Identifier: Apache-2.0
 * dcqcn_rue.h - DCQCN as an algorithm of a Rate Update Engine: a rise of ecn_accumulated in an
 * event counts as a CNP, at most one in N, and the rate of the reaction point becomes a window:
 * the packets that a round trip of the event holds at that rate. */
#ifndef FAL_ORACLES_CC_DCQCN_RUE_H
#define FAL_ORACLES_CC_DCQCN_RUE_H

#include "oracles/cc/dcqcn.h"
#include "oracles/cc/dcqcn_net.h"
#include "oracles/cc/state.h"

/* One connection. All zero: not used. */
struct fal_dcqcn_conn {
    bool used;
    uint32_t connection_id, ticks; /* ticks: of the last event, mod 2^24 */
    uint64_t now_ns;
    unsigned marks;
    struct fal_dcqcn_rp rp;
    struct fal_dcqcn_np np;
};

/* The caller sets all members; `conns` are zero. The connections need room of their own,
 * because the reaction point has more state than a struct fal_cc_state. */
struct fal_dcqcn_rue {
    struct fal_dcqcn params; /* with line_rate_bps, and N as cnp_interval_ns */
    uint32_t packet_bytes;   /* of a packet of the window, headers included; not 0 */
    struct fal_dcqcn_conn *conns;
    size_t num_conns; /* an event of one more changes nothing */
};

/* As `process` of struct fal_rue_policy; `ctx` is a struct fal_dcqcn_rue. */
void fal_dcqcn_rue_process(void *ctx, struct fal_cc_state *state, uint32_t now,
                           const struct fal_cc_event *event, struct fal_cc_result *result);

#endif
