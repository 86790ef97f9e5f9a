/* SPDX-License-Identifier: Apache-2.0
 * ring.h - items numbered by extended sequence numbers. A bounded stretch [lo, hi) is kept.
 * Items below `floor` were forgotten; other items outside the stretch never existed. Memory
 * grows with the stretch, not with the length of the run. */
#ifndef FAL_ORACLES_RULES_FACTS_RING_H
#define FAL_ORACLES_RULES_FACTS_RING_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A page: a few items side by side. */
struct fal_ring_page {
    unsigned char *bytes; /* NULL: all zeros */
    uint32_t packed;      /* The packed size in bytes (pack.h); 0: the page is not packed. */
    uint32_t at;          /* in a list: its place in the table */
};
struct fal_ring_pages {
    bool oom;        /* a page could not be opened */
    uint32_t listed; /* A list of this many pages instead of a table; all other pages are zero.
                      */
    uint32_t held;   /* pages that are not packed, spare ones too */
    void *spare; /* Pages of forgotten items, to be used again; each begins with the next. */
    struct fal_ring_page page[];
};

/* Invariants: lo <= hi <= lo + cap; nothing of the stretch lies below `floor`; `cap` is 0 or a
 * power of two; the pages are a table, not a list, unless the ring is packed. */
struct fal_ring {
    struct fal_ring_pages *pages; /* NULL: nothing allocated */
    uint32_t item;                /* bytes an item, a multiple of 8 */
    uint32_t cap;                 /* slots, a power of two; 0: nothing allocated */
    uint32_t mask;                /* the number of pages less one, when cap > 0 */
    uint32_t max;                 /* the longest stretch, a power of two */
    int64_t lo, hi;
    int64_t floor;
};

enum {
    FAL_RING_PAGE = 8, /* items of a page */
    FAL_RING_SHIFT = 3,
};

/* The number of pages less one. Twice as many slots as the stretch fills, so that its two ends
 * never share a page. */
static inline size_t fal_ring_mask(uint32_t cap)
{
    return 2 * (size_t)cap / FAL_RING_PAGE - 1;
}

void fal_ring_init(struct fal_ring *ring, size_t item, size_t max);
void fal_ring_free(struct fal_ring *ring);
/* Makes `to` a copy; pages of `from` that are packed are opened. False: out of memory, so that
 * items are missing; `to` is to be freed in any case. */
bool fal_ring_copy(struct fal_ring *to, const struct fal_ring *from);

/* fal_ring_at of an item of the stretch whose page is packed, or all zeros. */
void *fal_ring_open(const struct fal_ring *ring, int64_t x);

/* The item of that number. NULL when it lies outside the stretch, or memory ran out
 * (fal_ring_oom). Items stay where they are until the next fal_ring_reach or fal_ring_pack. */
static inline void *fal_ring_at(const struct fal_ring *ring, int64_t x)
{
    const struct fal_ring_page *page;

    if (x < ring->lo || x >= ring->hi)
        return NULL;
#ifdef FAL_AUDIT
    assert(ring->pages->listed == 0); /* fal_ring_unpack comes first */
#endif
    page = &ring->pages->page[(uint64_t)(x >> FAL_RING_SHIFT) & ring->mask];
    if (page->packed > 0 || page->bytes == NULL)
        return fal_ring_open(ring, x);
    return page->bytes + (uint64_t)(x & (FAL_RING_PAGE - 1)) * ring->item;
}

/* The item of that number. If it was outside the stretch, it joins it, zeroed, with all items
 * between. Items below `keep` may be forgotten to make room; others only when the stretch would
 * exceed its maximum. NULL when x was forgotten, lies more than a whole stretch beyond `keep`,
 * or memory ran out (*oom is then set). */
void *fal_ring_reach(struct fal_ring *ring, int64_t x, int64_t keep, bool *oom);

/* Forgets everything. The stretch begins again at the next number that is reached. */
void fal_ring_reset(struct fal_ring *ring);

/* Packs all items. Call fal_ring_unpack before any other function; each item then stays packed
 * until it is asked for. If memory runs out, all items are forgotten. */
void fal_ring_pack(struct fal_ring *ring);
void fal_ring_unpack(struct fal_ring *ring);

/* How many bytes the pages of a ring need that are not packed. */
static inline size_t fal_ring_bytes(const struct fal_ring *ring)
{
    if (ring->pages == NULL)
        return 0;
    return (size_t)ring->pages->held * FAL_RING_PAGE * ring->item +
           (fal_ring_mask(ring->cap) + 1) * sizeof(struct fal_ring_page);
}

/* Whether memory ran out for items of the stretch. */
bool fal_ring_oom(const struct fal_ring *ring);

static inline bool fal_ring_forgot(const struct fal_ring *ring, int64_t x)
{
    return x < ring->floor;
}

#endif
