/* SPDX-License-Identifier: Apache-2.0
 * lanes.h - which bases the SUT surely has, although its engines may process packets in another
 * order than that of their arrival (judging.md, section 18). An ACK that another engine
 * overtakes is stale, and is discarded (9.2.3, 9.2.4). So its bases count only if no base rose
 * shortly before or after it. */
#ifndef FAL_ORACLES_RULES_FACTS_LANES_H
#define FAL_ORACLES_RULES_FACTS_LANES_H

#include "oracles/params.h"

#include <stdbool.h>

struct fal_lanes {
    /* Two packets that are seen within this time may be processed in either order. 0: never;
     * FAL_NEVER: it is not known. */
    uint64_t within_ns;
    uint64_t moved_ns;  /* when a base rose last; valid if `moved` */
    uint64_t taking_ns; /* when the packet came that has `taking`; valid if `pending` */
    int64_t taking[2];  /* bases by window that count as soon as `within_ns` has passed */
    int64_t settled[2]; /* the bases by window that the SUT surely has */
    bool moved, pending;
    bool kept;       /* the receiver is judged; if not, nothing is noted */
    uint8_t zero[5]; /* as in struct fal_at */
};

/* What a packet does to the bases. */
struct fal_lane_step {
    uint64_t t_ns;
    int64_t base[2]; /* by window */
    bool rises;      /* a base is higher than all before */
    bool counts;     /* the receiver discards it under no order of arrival */
};

/* Nothing is settled yet. `within_ns` and `kept` stay. */
void fal_lanes_init(struct fal_lanes *lanes);
/* Adds a packet to the SUT; packets come in the order of time. */
void fal_lanes_note(struct fal_lanes *lanes, const struct fal_lane_step *step);

#endif
