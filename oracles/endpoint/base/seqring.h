/* SPDX-License-Identifier: Apache-2.0
 * seqring.h - pointers by sequence number mod 2^32, from a base that moves up: what is
 * outstanding in a window or a list of transactions. O(1) each; as large as the span in use,
 * nothing when empty. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_SEQRING_H
#define FAL_ORACLES_ENDPOINT_BASE_SEQRING_H

#include "codecs/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* slots[seq % cap] for base <= seq < base + span; cap is 0 or a power of two, so that the index
 * of a number does not jump where numbers wrap. */
struct fal_seqring {
    void **slots;
    uint32_t base, span, cap;
};

static inline void fal_seqring_init(struct fal_seqring *ring, uint32_t base)
{
    *ring = (struct fal_seqring){.base = base};
}

/* Frees the slots, not what they point to. */
void fal_seqring_free(struct fal_seqring *ring);

/* What was put there, or NULL: nothing was, or it is outside. */
static inline void *fal_seqring_get(const struct fal_seqring *ring, uint32_t seq)
{
    return seq - ring->base < ring->span ? ring->slots[seq & (ring->cap - 1)] : NULL;
}

/* Puts `item` at `seq`, which must be less than `limit` (at most 2^31) ahead of the base. Slots
 * between the span and it become NULL. 0, FAL_ERR_RANGE, FAL_ERR_MEM (nothing changed). */
MUST_USE int fal_seqring_put(struct fal_seqring *ring, uint32_t seq, void *item,
                             uint32_t limit);

/* Moves the base up by one and returns what was there, or NULL. */
void *fal_seqring_pop(struct fal_seqring *ring);

#endif
