/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/ring.h"

#include <stdlib.h>

enum { CAP_FIRST = 4 };

static int grow(struct fal_vb_ring *ring, uint64_t span)
{
    uint32_t cap = ring->cap == 0 ? CAP_FIRST : ring->cap;
    void **slots;

    while (cap < span)
        cap *= 2;
    slots = calloc(cap, sizeof(void *));
    if (slots == NULL)
        return FAL_ERR_MEM;
    for (uint64_t n = ring->head; n < ring->tail; n++)
        slots[n & (cap - 1)] = ring->slots[n & (ring->cap - 1)];
    free(ring->slots);
    ring->slots = slots;
    ring->cap = cap;
    return 0;
}

int fal_vb_ring_put(struct fal_vb_ring *ring, uint64_t number, void *item)
{
    if (number - ring->head >= ring->cap && grow(ring, number - ring->head + 1) != 0)
        return FAL_ERR_MEM;
    while (ring->tail <= number)
        ring->slots[ring->tail++ & (ring->cap - 1)] = NULL;
    ring->slots[number & (ring->cap - 1)] = item;
    return 0;
}

void *fal_vb_ring_clear(struct fal_vb_ring *ring, uint64_t number)
{
    void *item = fal_vb_ring_get(ring, number);

    if (item != NULL)
        ring->slots[number & (ring->cap - 1)] = NULL;
    return item;
}

void fal_vb_ring_trim(struct fal_vb_ring *ring, uint64_t end)
{
    while (ring->head < end && ring->head < ring->tail &&
           ring->slots[ring->head & (ring->cap - 1)] == NULL)
        ring->head++;
}

void fal_vb_ring_free(struct fal_vb_ring *ring)
{
    for (uint64_t n = ring->head; n < ring->tail; n++)
        free(ring->slots[n & (ring->cap - 1)]);
    free(ring->slots);
    *ring = (struct fal_vb_ring){0};
}
