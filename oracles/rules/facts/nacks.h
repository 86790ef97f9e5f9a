/* SPDX-License-Identifier: Apache-2.0
 * nacks.h - the NACKs that a sender received: the newest of each code for a number. Few numbers
 * get a NACK, so the NACKs have a list of their own; fal_sent.flags says whether a number has
 * one. */
#ifndef FAL_ORACLES_RULES_FACTS_NACKS_H
#define FAL_ORACLES_RULES_FACTS_NACKS_H

#include "oracles/params.h"
#include "oracles/rules/facts/at.h"
#include "oracles/rules/facts/bag.h"

/* When there are more, the oldest are forgotten. */
enum { FAL_NACKS_MAX = 256 };

struct fal_nack {
    int64_t x; /* The number that the NACK names, extended. */
    uint8_t window, code, ulp_code;
    bool stale;        /* An older packet to the same receiver had a higher base. */
    uint8_t discarded; /* One bit for each window: a packet that the receiver must have accepted
                          had a higher base. */
    bool was_fresh; /* A NACK of that code without such a bit came: this one or an older one. */
    bool was_apart; /* one without the bit of its own window did */
    uint16_t count; /* of that code for x */
    uint64_t rnr_ns;   /* The delay that the NACK requests (code 2). */
    uint64_t least_ns; /* The shortest delay that an earlier NACK requested; FAL_NEVER: there
                          was none. */
    int64_t base[2];   /* by window */
    uint64_t copy_ns;  /* the newest copy of x before it */
    struct fal_at at;
};

struct fal_nacks {
    struct fal_bag bag; /* struct fal_nack; the newest is the last. */
    bool lost;          /* some were forgotten */
};

void fal_nacks_note(struct fal_nacks *nacks, const struct fal_nack *nack);
/* The newest NACK of that code for a number; code 0: of any code. NULL: none. */
const struct fal_nack *fal_nacks_find(const struct fal_nacks *nacks, unsigned window, int64_t x,
                                      unsigned code);
void fal_nacks_free(struct fal_nacks *nacks);
/* Makes `to` a copy. False: out of memory; what it holds is to be freed in any case. */
bool fal_nacks_copy(struct fal_nacks *to, const struct fal_nacks *from);

/* The NACK code that a Resync with that code needs as its cause (7.6); 0: none. */
unsigned fal_nack_of_resync(unsigned resync_code);

#endif
