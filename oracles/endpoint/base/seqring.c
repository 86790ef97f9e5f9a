/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/seqring.h"

#include "codecs/base/error.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FEW = 16, MANY = 64 }; /* slots of a slab's items */

void fal_ring_slots_init(struct fal_ring_slots *slots, bool separate)
{
    fal_slab_init(&slots->few, FEW * sizeof(void *), separate);
    fal_slab_init(&slots->many, MANY * sizeof(void *), separate);
}

void fal_ring_slots_free(struct fal_ring_slots *slots)
{
    fal_slab_free(&slots->few);
    fal_slab_free(&slots->many);
}

/* The slab for so many slots, or NULL: malloc(). */
static struct fal_slab *slab_of(const struct fal_seqring *ring, uint32_t cap)
{
    if (ring->from == NULL || cap > MANY)
        return NULL;
    return cap == FEW ? &ring->from->few : &ring->from->many;
}

/* The invariant of struct fal_seqring. */
static bool sound(const struct fal_seqring *ring)
{
    uint32_t cap = ring->cap;

    if (cap == 0)
        return ring->slots == NULL && ring->span == 0;
    return ring->slots != NULL && ring->span <= cap && (cap & (cap - 1)) == 0;
}

static void free_slots(struct fal_seqring *ring)
{
    struct fal_slab *slab = slab_of(ring, ring->cap);

    if (slab == NULL || ring->cap == 0)
        free(ring->slots);
    else
        fal_slab_give(slab, ring->slots);
}

void fal_seqring_free(struct fal_seqring *ring)
{
    assert(sound(ring));
    free_slots(ring);
    ring->slots = NULL;
    ring->span = ring->cap = 0;
}

static int grow(struct fal_seqring *ring, uint32_t span)
{
    uint32_t cap = span <= FEW ? FEW : MANY;
    struct fal_slab *slab;
    void **slots;

    if (span <= ring->cap)
        return 0;
    while (cap < span)
        cap *= 2;
    slab = slab_of(ring, cap);
    slots = slab != NULL ? fal_slab_take(slab) : malloc(cap * sizeof *slots);
    if (slots == NULL)
        return FAL_ERR_MEM;
    for (uint32_t i = 0; i < ring->span; i++)
        slots[(ring->base + i) & (cap - 1)] = ring->slots[(ring->base + i) & (ring->cap - 1)];
    free_slots(ring);
    ring->slots = slots;
    ring->cap = cap;
    return 0;
}

int fal_seqring_put_far(struct fal_seqring *ring, uint32_t seq, void *item, uint32_t limit)
{
    uint32_t ahead = seq - ring->base;

    assert(limit <= UINT32_C(1) << 31);
    if (ahead >= limit)
        return FAL_ERR_RANGE;
    if (grow(ring, ahead + 1) < 0)
        return FAL_ERR_MEM;
    for (; ring->span < ahead; ring->span++)
        ring->slots[(ring->base + ring->span) & (ring->cap - 1)] = NULL;
    if (ring->span == ahead)
        ring->span++;
    ring->slots[seq & (ring->cap - 1)] = item;
    assert(sound(ring));
    return 0;
}
