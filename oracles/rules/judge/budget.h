/* SPDX-License-Identifier: Apache-2.0
 * budget.h - the excuse budget (judging.md, section 3): what the path was seen to do to
 * packets, against what the rules excused by it. A path that lost nothing of a thousand packets
 * does not excuse three hundred ACKs that were never seen. */
#ifndef FAL_ORACLES_RULES_JUDGE_BUDGET_H
#define FAL_ORACLES_RULES_JUDGE_BUDGET_H

#include "oracles/rules/judge/rule.h"

/* Of one direction, over all connections. */
struct fal_measured {
    uint64_t packets, reliable; /* seen; those with a number of their own */
    uint64_t holes;             /* numbers passed over when a higher one was first seen */
    uint64_t late;              /* numbers first seen below the highest */
    uint64_t repeats;           /* numbers seen again */
    uint64_t shown;             /* claims of the other side that show a hole */
};

/* Counts a packet before it becomes a fact. */
void fal_measure(struct fal_measured measured[FAL_DIRS], const struct fal_track *track,
                 const struct fal_seen *seen);

/* Adds what was measured on other connections. */
void fal_measured_add(struct fal_measured *sum, const struct fal_measured *more);

/* An upper estimate of how often that excuse may have been true; UINT64_MAX where nothing was
 * measured or the excuse does not concern the path. */
uint64_t fal_allowed(const struct fal_measured measured[FAL_DIRS], enum fal_excuse excuse);

#endif
