/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/echo.h"

enum { KEPT = 128, KEPT_MAX = 256 };

void fal_echoes_init(struct fal_echoes *echoes, bool lost)
{
    fal_ring_init(&echoes->ring, sizeof(struct fal_echo), KEPT_MAX);
    echoes->lost = lost;
}

void fal_echoes_free(struct fal_echoes *echoes)
{
    fal_ring_free(&echoes->ring);
}

bool fal_echoes_copy(struct fal_echoes *to, const struct fal_echoes *from)
{
    to->lost = from->lost;
    return fal_ring_copy(&to->ring, &from->ring);
}

void fal_echo_note(struct fal_echoes *echoes, const struct fal_echo *echo, bool *oom)
{
    int64_t n = echoes->ring.hi, lo = echoes->ring.lo;
    const struct fal_echo *before = n > lo ? fal_ring_at(&echoes->ring, n - 1) : NULL;
    uint64_t highest = before != NULL ? before->highest : echo->iv;
    struct fal_echo *slot = fal_ring_reach(&echoes->ring, n, n - KEPT, oom);

    echoes->lost = echoes->lost || (n > lo && echoes->ring.lo > lo);
    if (slot != NULL) {
        *slot = *echo;
        slot->highest = (int64_t)(echo->iv - highest) > 0 ? echo->iv : highest;
    } else {
        echoes->lost = true;
    }
}

void fal_echoes_gap(struct fal_echoes *echoes)
{
    fal_ring_reset(&echoes->ring);
    echoes->lost = true;
}

static const struct fal_echo *echo_at(const struct fal_echoes *echoes, int64_t n)
{
    static const struct fal_echo none; /* when memory ran out */
    const struct fal_echo *echo = fal_ring_at(&echoes->ring, n);

    return echo != NULL ? echo : &none;
}

/* Whether every forgotten packet was older than that t1. */
static bool all_kept(const struct fal_echoes *echoes, uint32_t t1, unsigned shift)
{
    const struct fal_ring *ring = &echoes->ring;

    return !echoes->lost ||
           (ring->lo < ring->hi &&
            (int32_t)(t1 - (uint32_t)(echo_at(echoes, ring->lo)->highest >> shift)) > 0);
}

const struct fal_echo *fal_echo_find(const struct fal_echoes *echoes, uint32_t t1,
                                     unsigned shift, bool *unsent, bool *alone)
{
    const struct fal_ring *ring = &echoes->ring;
    const struct fal_echo *found = NULL;
    unsigned count = 0;

    for (int64_t n = ring->hi - 1; n >= ring->lo && count < 2; n--) {
        const struct fal_echo *echo = echo_at(echoes, n);

        if ((uint32_t)(echo->iv >> shift) != t1)
            continue;
        count++;
        if (found == NULL)
            found = echo;
    }
    if (alone != NULL)
        *alone = count == 1 && all_kept(echoes, t1, shift);
    if (unsent != NULL)
        *unsent = found == NULL && all_kept(echoes, t1, shift);
    return found;
}

const struct fal_echo *fal_echo_of(const struct fal_echoes *echoes, uint64_t index)
{
    for (int64_t n = echoes->ring.hi - 1; n >= echoes->ring.lo; n--)
        if (echo_at(echoes, n)->at.index <= index)
            return echo_at(echoes, n)->at.index == index ? echo_at(echoes, n) : NULL;
    return NULL;
}
