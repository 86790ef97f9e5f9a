/* SPDX-License-Identifier: Apache-2.0
 * plb.h - PLB: draws a new path after several congested rounds (10.4). */
#ifndef FAL_ORACLES_CC_PLB_H
#define FAL_ORACLES_CC_PLB_H

#include "oracles/cc/params.h"
#include "oracles/cc/state.h"

/* An ACK event as PLB sees it. */
struct fal_plb_ack {
    double delay;  /* smoothed, of this event */
    double target; /* the delay target, of the window before this event (AMB-57) */
    double window; /* the smaller of fcwnd and ncwnd before this event */
    unsigned acked;
};

/* Counts the ACK. Returns whether the connection must draw a new path. */
bool fal_plb_ack(const struct fal_swift_params *params, struct fal_cc_state *state,
                 const struct fal_plb_ack *ack);

#endif
