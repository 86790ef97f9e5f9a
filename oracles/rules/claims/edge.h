/* SPDX-License-Identifier: Apache-2.0
 * edge.h - packets beyond the subject's receive window: what was sent there, as far as the
 * highest base seen told, and which of it had surely arrived while it still lay beyond (rules
 * R9 and O2). A base only rises, so one that was claimed after an arrival was no lower then. */
#ifndef FAL_ORACLES_RULES_CLAIMS_EDGE_H
#define FAL_ORACLES_RULES_CLAIMS_EDGE_H

#include "oracles/rules/judge/order.h"

/* Beyond so many in flight the oldest are forgotten. */
enum { FAL_EDGE_MAX = 64 };

/* A number of which a copy was sent beyond the window. */
struct fal_beyond {
    int64_t x;
    uint8_t window;
    struct fal_at copy;  /* its newest copy */
    uint8_t told;        /* O2: an OWN came that is its own under this set of readings */
    bool ripe;           /* O2: its OWN was due by now */
    bool refused;        /* every copy had arrived beyond the window */
    struct fal_at claim; /* the packet whose base shows it; with refused */
    uint64_t until_ns;   /* O2: what would excuse that packet comes no later; with refused */
};

/* The item of a number in a bag of them; NULL: none. */
struct fal_beyond *fal_edge_find(const struct fal_bag *bag, enum fal_window window, int64_t x);
/* Notes that p was sent, if it lies beyond. A new copy may be taken: an older one of the same
 * number no longer counts as refused. */
void fal_edge_sent(struct fal_ctx *c, struct fal_bag *bag, const struct fal_seen *p);
/* Whether the copy had surely come, and been beyond the window, in the state that q shows. */
bool fal_edge_refused(const struct fal_ctx *c, const struct fal_beyond *item,
                      const struct fal_seen *q);

#endif
