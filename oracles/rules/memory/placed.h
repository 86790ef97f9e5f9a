/* SPDX-License-Identifier: Apache-2.0
 * placed.h - for the rules about memory: what a range of a region of the SUT holds by what was
 * filled, and by the packets whose data must be there. */
#ifndef FAL_ORACLES_RULES_MEMORY_PLACED_H
#define FAL_ORACLES_RULES_MEMORY_PLACED_H

#include "oracles/rules/judge/rule.h"

/* Which hashes a rule judges, and how it names what is wrong. */
struct fal_placed_rule {
    bool answers; /* those of ranges whose newest write is the answer to a READ; else others */
    /* The requirement that a wrong hash violates; last NULL: nothing wrote the range. */
    const char *(*requirement)(const struct fal_written *last);
    const char *data; /* of what a range must hold beside what was filled: "the answers" */
};

/* Judges the hash that `said`, a reply to mr_hash, tells; any other word is nothing to it. */
void fal_placed_judge(struct fal_ctx *c, const struct fal_said *said,
                      const struct fal_placed_rule *rule);

#endif
