/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/ring.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 16 };

void fal_ring_init(struct fal_ring *ring, size_t item, size_t max)
{
    *ring = (struct fal_ring){.item = item, .max = max, .floor = INT64_MIN};
}

void fal_ring_free(struct fal_ring *ring)
{
    free(ring->slots);
    ring->slots = NULL;
    ring->cap = 0;
    ring->lo = ring->hi = 0;
}

void fal_ring_reset(struct fal_ring *ring)
{
    ring->lo = ring->hi = 0;
    ring->floor = INT64_MIN;
}

static unsigned char *slot(unsigned char *slots, size_t cap, size_t item, int64_t x)
{
    return slots + ((uint64_t)x & (cap - 1)) * item;
}

void *fal_ring_at(const struct fal_ring *ring, int64_t x)
{
    if (x < ring->lo || x >= ring->hi)
        return NULL;
    return slot(ring->slots, ring->cap, ring->item, x);
}

/* Makes room for `need` items. */
static bool grow(struct fal_ring *ring, size_t need)
{
    size_t cap = ring->cap > 0 ? ring->cap : FIRST_CAP;
    unsigned char *slots;

    while (cap < need)
        cap *= 2;
    if (cap == ring->cap)
        return true;
    slots = calloc(cap, ring->item);
    if (slots == NULL)
        return false;
    for (int64_t x = ring->lo; x < ring->hi; x++)
        memcpy(slot(slots, cap, ring->item, x), slot(ring->slots, ring->cap, ring->item, x),
               ring->item);
    free(ring->slots);
    ring->slots = slots;
    ring->cap = cap;
    return true;
}

static void zero(struct fal_ring *ring, int64_t from, int64_t to)
{
    for (int64_t x = from; x < to; x++)
        memset(slot(ring->slots, ring->cap, ring->item, x), 0, ring->item);
}

static void forget_below(struct fal_ring *ring, int64_t x)
{
    if (x <= ring->lo)
        return;
    ring->lo = x;
    if (ring->hi < x)
        ring->hi = x;
    ring->floor = x;
}

/* Downwards: only into what was never forgotten. */
static void *reach_down(struct fal_ring *ring, int64_t x, bool *oom)
{
    if (x < ring->floor || (uint64_t)(ring->hi - x) > ring->max)
        return NULL;
    if (!grow(ring, (size_t)(ring->hi - x))) {
        *oom = true;
        return NULL;
    }
    zero(ring, x, ring->lo);
    ring->lo = x;
    return fal_ring_at(ring, x);
}

void *fal_ring_reach(struct fal_ring *ring, int64_t x, int64_t keep, bool *oom)
{
    if (x >= ring->lo && x < ring->hi)
        return fal_ring_at(ring, x);
    if (ring->lo == ring->hi) {
        if (x < ring->floor)
            return NULL;
        ring->lo = ring->hi = x;
    }
    if (x < ring->lo)
        return reach_down(ring, x, oom);
    if (keep > x)
        keep = x;
    if (ring->lo < keep && (uint64_t)(x - ring->lo) >= ring->cap)
        forget_below(ring, keep);
    if ((uint64_t)(x - ring->lo) >= ring->max) {
        if ((uint64_t)(x - ring->hi) >= ring->max / 2)
            return NULL; /* a leap, not a step */
        forget_below(ring, x + 1 - (int64_t)ring->max);
    }
    if (!grow(ring, (size_t)(x + 1 - ring->lo))) {
        *oom = true;
        return NULL;
    }
    zero(ring, ring->hi, x + 1);
    ring->hi = x + 1;
    return fal_ring_at(ring, x);
}
