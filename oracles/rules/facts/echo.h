/* SPDX-License-Identifier: Apache-2.0
 * echo.h - packets indexed by the time in their IV, to find the packet that the t1 of an ACK
 * echoes (7.7.1, 10.1). A bounded number of the newest packets is kept. */
#ifndef FAL_ORACLES_RULES_FACTS_ECHO_H
#define FAL_ORACLES_RULES_FACTS_ECHO_H

#include "oracles/rules/facts/at.h"
#include "oracles/rules/facts/ring.h"

enum {
    FAL_T1_SHIFT = 17, /* t1 counts units of 2^17 ps, the IV picoseconds (AMB-32) */
};

/* A packet of one direction that has an IV. */
struct fal_echo {
    uint64_t iv;
    uint64_t highest; /* IV of any packet up to this one */
    struct fal_at at;
    int64_t x; /* reliable packets: the extended PSN */
    uint8_t window, type;
    bool reliable, fresh; /* fresh: the first copy of its number */
};

struct fal_echoes {
    struct fal_ring ring; /* struct fal_echo, counted from 0 */
    bool lost;            /* Packets older than these may have gone unseen. */
};

void fal_echoes_init(struct fal_echoes *echoes, bool lost);
void fal_echoes_free(struct fal_echoes *echoes);
/* Makes `to` a copy. False: out of memory; what it holds is to be freed in any case. */
bool fal_echoes_copy(struct fal_echoes *to, const struct fal_echoes *from);
void fal_echo_note(struct fal_echoes *echoes, const struct fal_echo *echo, bool *oom);
/* Packets went unseen. */
void fal_echoes_gap(struct fal_echoes *echoes);

/* The newest packet whose IV, shifted right by `shift` bits, equals t1. NULL: none; *unsent
 * then says whether it is certain that no such packet was sent. *alone: no other packet has
 * that t1. `unsent` and `alone` may be NULL. */
const struct fal_echo *fal_echo_find(const struct fal_echoes *echoes, uint32_t t1,
                                     unsigned shift, bool *unsent, bool *alone);
/* The packet of that event. NULL: it has no IV, or is forgotten. */
const struct fal_echo *fal_echo_of(const struct fal_echoes *echoes, uint64_t index);

/* Units of t1 and t2 as nanoseconds. */
static inline int64_t fal_ticks_ns(int64_t ticks)
{
    return ticks * (INT64_C(1) << FAL_T1_SHIFT) / 1000;
}

#endif
