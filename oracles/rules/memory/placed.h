/* SPDX-License-Identifier: Apache-2.0
 * placed.h - for the rules about memory: what a range of a region of the SUT holds by what was
 * filled, and by the packets whose data must be there. */
#ifndef FAL_ORACLES_RULES_MEMORY_PLACED_H
#define FAL_ORACLES_RULES_MEMORY_PLACED_H

#include "oracles/rules/judge/rule.h"

struct fal_placed {
    /* The newest write of the range; NULL: none, so that it must be as it was filled. */
    const struct fal_written *last;
    uint64_t hash; /* FNV-1a of the range */
};

enum fal_placing {
    FAL_PLACING_OTHER,   /* another connection wrote the range: not a matter of this one */
    FAL_PLACING_UNKNOWN, /* some bytes may be one thing or another */
    FAL_PLACING_KNOWN,
};

/* What the hash that `said`, a reply to mr_hash, tells must be. */
enum fal_placing fal_placed(struct fal_ctx *c, const struct fal_said *said,
                            struct fal_placed *out);

/* Whether it is such a reply. */
bool fal_placed_asked(const struct fal_said *said);

#endif
