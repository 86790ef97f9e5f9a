/* SPDX-License-Identifier: Apache-2.0
 * slab.h - items of one size, taken and given back without malloc() once there are enough of
 * them. The item that was given back last is the next one taken, because its memory is most
 * likely still in the cache.
 *
 * A slab keeps as many chunks as its items needed at most. Once no item is in use, it frees
 * them if they have more than 1 MiB.
 *
 * Separate: each item is a block from malloc(). Sanitizers then find a use after it was given
 * back, and tests can make each single allocation fail. Builds with AddressSanitizer or
 * MemorySanitizer, or with -DFAL_SLAB_SEPARATE=1, do so always. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_SLAB_H
#define FAL_ORACLES_ENDPOINT_BASE_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fal_slab_chunk;

/* An item that is not in use. */
struct fal_slab_item {
    struct fal_slab_item *next;
};

/* `in_use` items are with the caller. All others are in the list `unused` or between `fresh`
 * and `end`, the part of the newest chunk of which no item was ever taken. */
struct fal_slab {
    struct fal_slab_item *unused;
    uint8_t *fresh, *end;
    struct fal_slab_chunk *chunks; /* newest first */
    uint32_t size;                 /* of an item, in bytes: a multiple of 64 */
    uint32_t in_use;
    size_t chunk_bytes; /* of all chunks together */
    bool separate;
};

/* A slab without chunks for items of `size` bytes. */
void fal_slab_init(struct fal_slab *slab, size_t size, bool separate);

/* Frees the chunks; no item is in use any more. */
void fal_slab_free(struct fal_slab *slab);

/* For fal_slab_take(): an item from a new chunk, or from malloc() where items are separate. */
void *fal_slab_more(struct fal_slab *slab);
/* For fal_slab_give(): the rare cases. */
void fal_slab_less(struct fal_slab *slab, void *item);

/* An item with undefined content, aligned for any type; NULL when out of memory. It stays the
 * slab's: give it back by fal_slab_give(). */
static inline void *fal_slab_take(struct fal_slab *slab)
{
    struct fal_slab_item *item = slab->unused;

    if (item == NULL)
        return fal_slab_more(slab);
    slab->unused = item->next;
    __builtin_prefetch(item->next, 1); /* for the next caller */
    slab->in_use++;
    return item;
}

/* Gives back an item of this slab. */
static inline void fal_slab_give(struct fal_slab *slab, void *item)
{
    struct fal_slab_item *first = item;

    if (slab->separate || slab->in_use == 1) {
        fal_slab_less(slab, item);
        return;
    }
    first->next = slab->unused;
    slab->unused = first;
    slab->in_use--;
}

#endif
