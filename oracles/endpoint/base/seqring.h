/* SPDX-License-Identifier: Apache-2.0
 * seqring.h - pointers by sequence number mod 2^32, from a base that moves up: what is
 * outstanding in a window or a list of transactions. O(1) each; as large as the span in use,
 * nothing when empty. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_SEQRING_H
#define FAL_ORACLES_ENDPOINT_BASE_SEQRING_H

#include "codecs/base/error.h"
#include "oracles/endpoint/base/slab.h"

#include <stddef.h>
#include <stdint.h>

/* Slots for rings of 16 and of 64, which rings of many connections share: an empty ring gives
 * its slots back, and the next ring in use gets memory that is still in the cache. */
struct fal_ring_slots {
    struct fal_slab few, many;
};

void fal_ring_slots_init(struct fal_ring_slots *slots, bool separate);
/* All rings are empty or freed. */
void fal_ring_slots_free(struct fal_ring_slots *slots);

/* slots[seq % cap] for base <= seq < base + span; cap is 0 or a power of two, so that the index
 * of a number does not jump where numbers wrap. */
struct fal_seqring {
    void **slots;
    uint32_t base, span, cap;
    struct fal_ring_slots *from; /* NULL: all slots are from malloc() */
};

/* An empty ring. It takes its slots from `from`, which outlives it, or from malloc() if that is
 * NULL. */
static inline void fal_seqring_init(struct fal_seqring *ring, struct fal_ring_slots *from,
                                    uint32_t base)
{
    *ring = (struct fal_seqring){.base = base, .from = from};
}

/* Frees the slots, not what they point to. */
void fal_seqring_free(struct fal_seqring *ring);

/* What was put there, or NULL: nothing was, or it is outside. */
static inline void *fal_seqring_get(const struct fal_seqring *ring, uint32_t seq)
{
    return seq - ring->base < ring->span ? ring->slots[seq & (ring->cap - 1)] : NULL;
}

/* For fal_seqring_put(): all but the next number in a ring with room for it. */
MUST_USE int fal_seqring_put_far(struct fal_seqring *ring, uint32_t seq, void *item,
                                 uint32_t limit);

/* Puts `item` at `seq`, which must be less than `limit` (at most 2^31) ahead of the base. Slots
 * between the span and it become NULL. 0, FAL_ERR_RANGE, FAL_ERR_MEM (nothing changed). */
MUST_USE static inline int fal_seqring_put(struct fal_seqring *ring, uint32_t seq, void *item,
                                           uint32_t limit)
{
    uint32_t ahead = seq - ring->base;

    if (ahead != ring->span || ahead >= ring->cap || ahead >= limit)
        return fal_seqring_put_far(ring, seq, item, limit);
    ring->slots[seq & (ring->cap - 1)] = item;
    ring->span++;
    return 0;
}

/* Moves the base up by one and returns what was there, or NULL. */
static inline void *fal_seqring_pop(struct fal_seqring *ring)
{
    void *item = fal_seqring_get(ring, ring->base);

    ring->base++;
    if (ring->span > 0 && --ring->span == 0)
        fal_seqring_free(ring);
    return item;
}

#endif
