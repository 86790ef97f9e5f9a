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
    /* The receiver may have dropped it: it has an error, or a packet before it had a higher
     * base, or one that another engine of the receiver may have processed before it. */
    bool stale;
    uint8_t discarded; /* One bit for each window: a packet that the receiver must have accepted
                          had a higher base. */
    bool unsettled;    /* the engines of the receiver may have processed it before that packet:
                          this    one or an older one of that code */
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
/* A packet came with these bases, by window. NACKs that came up to `within_ns` (FAL_NEVER: any
 * time) before it and have a lower base may be processed after it. */
void fal_nacks_overtaken(struct fal_nacks *nacks, uint64_t t_ns, uint64_t within_ns,
                         const int64_t base[2]);
/* The newest NACK of that code for a number; code 0: of any code. NULL: none. */
const struct fal_nack *fal_nacks_find(const struct fal_nacks *nacks, unsigned window, int64_t x,
                                      unsigned code);
void fal_nacks_free(struct fal_nacks *nacks);
/* Makes `to` a copy. False: out of memory; what it holds is to be freed in any case. */
bool fal_nacks_copy(struct fal_nacks *to, const struct fal_nacks *from);

/* The NACK code that a Resync with that code needs as its cause (7.6); 0: none. */
unsigned fal_nack_of_resync(unsigned resync_code);

#endif
