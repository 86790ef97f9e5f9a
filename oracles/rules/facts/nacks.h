/* SPDX-License-Identifier: Apache-2.0
 * nacks.h - the NACKs that a sender was sent: the newest of each code for a number. Few numbers
 * are ever NACKed, so they lie in a list of their own; fal_sent.flags tells whether to look. */
#ifndef FAL_ORACLES_RULES_FACTS_NACKS_H
#define FAL_ORACLES_RULES_FACTS_NACKS_H

#include "oracles/params.h"
#include "oracles/rules/facts/at.h"
#include "oracles/rules/facts/bag.h"

/* Beyond so many the oldest are forgotten. */
enum { FAL_NACKS_MAX = 256 };

struct fal_nack {
    int64_t x; /* the number that it names, extended */
    uint8_t window, code, ulp_code;
    bool stale;        /* an older packet to the same receiver had a higher base */
    uint8_t discarded; /* by window, a bit: one that the receiver cannot but have taken had */
    bool was_fresh;    /* one of that code without such a bit came, this one or an older */
    bool was_apart;    /* one without the bit of its own window did */
    uint16_t count;    /* of that code for x */
    uint64_t rnr_ns;   /* the delay that it asks for (code 2) */
    uint64_t least_ns; /* the shortest that one before it asked for; FAL_NEVER: none did */
    int64_t base[2];   /* by window */
    uint64_t copy_ns;  /* the newest copy of x before it */
    struct fal_at at;
};

struct fal_nacks {
    struct fal_bag bag; /* struct fal_nack, the one noted last at the end */
    bool lost;          /* some were forgotten */
};

void fal_nacks_note(struct fal_nacks *nacks, const struct fal_nack *nack);
/* The newest of that code for a number; code 0: of any. NULL: none. */
const struct fal_nack *fal_nacks_find(const struct fal_nacks *nacks, unsigned window, int64_t x,
                                      unsigned code);
void fal_nacks_free(struct fal_nacks *nacks);

/* The NACK code that a Resync with that code needs as its cause (7.6); 0: none. */
unsigned fal_nack_of_resync(unsigned resync_code);

#endif
