/* SPDX-License-Identifier: Apache-2.0
 * ring.h - items numbered by extended sequence numbers, of which a bounded stretch is kept:
 * [lo, hi). Below `floor` items were forgotten; what lies elsewhere never was. Memory grows
 * with the stretch, never with the run. */
#ifndef FAL_ORACLES_RULES_RING_H
#define FAL_ORACLES_RULES_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fal_ring {
    unsigned char *slots;
    size_t item; /* bytes an item */
    size_t cap;  /* slots, a power of two; 0: nothing allocated */
    size_t max;  /* the longest stretch, a power of two */
    int64_t lo, hi;
    int64_t floor;
};

void fal_ring_init(struct fal_ring *ring, size_t item, size_t max);
void fal_ring_free(struct fal_ring *ring);

/* The item of that number, or NULL when it lies outside the stretch. */
void *fal_ring_at(const struct fal_ring *ring, int64_t x);

/* The item of that number, which joins the stretch, zeroed, if it was not in it; what lies
 * between too. Items below `keep` may be forgotten to make room, others only when the stretch
 * would exceed its maximum. NULL when x was forgotten, lies further ahead than a whole stretch
 * beyond `keep`, or memory ran out (*oom is then set). */
void *fal_ring_reach(struct fal_ring *ring, int64_t x, int64_t keep, bool *oom);

/* Forgets everything; the stretch starts anew wherever it is next reached. */
void fal_ring_reset(struct fal_ring *ring);

static inline bool fal_ring_forgot(const struct fal_ring *ring, int64_t x)
{
    return x < ring->floor;
}

#endif
