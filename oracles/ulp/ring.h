/* SPDX-License-Identifier: Apache-2.0
 * ring.h - a queue of pointers by number: numbers grow, and a pointer is found by its own. */
#ifndef FAL_ORACLES_ULP_RING_H
#define FAL_ORACLES_ULP_RING_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty, and the next number is 0. Numbers head..tail-1 are in it. */
struct fal_vb_ring {
    void **slots;
    uint32_t cap; /* a power of two, or 0 */
    uint64_t head, tail;
};

/* The pointer of that number, or NULL. */
static inline void *fal_vb_ring_get(const struct fal_vb_ring *ring, uint64_t number)
{
    return number >= ring->head && number < ring->tail ? ring->slots[number & (ring->cap - 1)]
                                                       : NULL;
}

/* Puts a pointer at a number from the head on; those between that are new are NULL. Returns 0
 * or FAL_ERR_MEM. */
MUST_USE int fal_vb_ring_put(struct fal_vb_ring *ring, uint64_t number, void *item);
/* Takes it out; its number stays. NULL if there is none. */
void *fal_vb_ring_clear(struct fal_vb_ring *ring, uint64_t number);
/* Moves the head past numbers without a pointer, up to `end`. */
void fal_vb_ring_trim(struct fal_vb_ring *ring, uint64_t end);
/* Frees the ring, and each pointer in it with free(). */
void fal_vb_ring_free(struct fal_vb_ring *ring);

#endif
