/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/seqring.h"

#include "codecs/base/error.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CAP_MIN = 16 };

/* The invariant of struct fal_seqring. */
static bool sound(const struct fal_seqring *ring)
{
    uint32_t cap = ring->cap;

    if (cap == 0)
        return ring->slots == NULL && ring->span == 0;
    return ring->slots != NULL && ring->span <= cap && (cap & (cap - 1)) == 0;
}

void fal_seqring_free(struct fal_seqring *ring)
{
    free(ring->slots);
    fal_seqring_init(ring, ring->base);
}

static int grow(struct fal_seqring *ring, uint32_t span)
{
    uint32_t cap = ring->cap == 0 ? CAP_MIN : ring->cap;
    void **slots;

    while (cap < span)
        cap *= 2;
    if (cap == ring->cap)
        return 0;
    slots = calloc(cap, sizeof *slots);
    if (slots == NULL)
        return FAL_ERR_MEM;
    for (uint32_t i = 0; i < ring->span; i++)
        slots[(ring->base + i) & (cap - 1)] = ring->slots[(ring->base + i) & (ring->cap - 1)];
    free(ring->slots);
    ring->slots = slots;
    ring->cap = cap;
    return 0;
}

int fal_seqring_put(struct fal_seqring *ring, uint32_t seq, void *item, uint32_t limit)
{
    uint32_t ahead = seq - ring->base;

    assert(sound(ring) && limit <= UINT32_C(1) << 31);
    if (ahead >= limit)
        return FAL_ERR_RANGE;
    if (grow(ring, ahead + 1) < 0)
        return FAL_ERR_MEM;
    for (; ring->span <= ahead; ring->span++)
        ring->slots[(ring->base + ring->span) & (ring->cap - 1)] = NULL;
    ring->slots[seq & (ring->cap - 1)] = item;
    assert(sound(ring));
    return 0;
}

void *fal_seqring_pop(struct fal_seqring *ring)
{
    void *item = fal_seqring_get(ring, ring->base);

    if (ring->span > 0)
        ring->span--;
    ring->base++;
    if (ring->span == 0 && ring->cap > CAP_MIN)
        fal_seqring_free(ring);
    assert(sound(ring));
    return item;
}
