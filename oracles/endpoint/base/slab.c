/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/slab.h"

#include <assert.h>
#include <stdlib.h>

#ifndef FAL_SLAB_SEPARATE
#if defined(__SANITIZE_ADDRESS__)
#define FAL_SLAB_SEPARATE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define FAL_SLAB_SEPARATE 1
#endif
#endif
#endif
#ifndef FAL_SLAB_SEPARATE
#define FAL_SLAB_SEPARATE 0
#endif

enum {
    LINE = 64,             /* items begin at a line of the cache */
    ITEMS_MIN = 8,         /* of the first chunk; each further one doubles what there is */
    CHUNK_BYTES = 1 << 16, /* at most */
    KEPT_BYTES = 1 << 20,  /* the chunks of an idle slab, at most */
};

/* A block from malloc(), with its items behind this. */
struct fal_slab_chunk {
    struct fal_slab_chunk *next;
};

void fal_slab_init(struct fal_slab *slab, size_t size, bool separate)
{
    *slab = (struct fal_slab){.size = (uint32_t)((size + LINE - 1) / LINE * LINE),
                              .separate = separate || FAL_SLAB_SEPARATE};
}

static void free_chunks(struct fal_slab *slab)
{
    struct fal_slab_chunk *chunk = slab->chunks, *next;

    for (; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    slab->chunks = NULL;
    slab->unused = NULL;
    slab->fresh = slab->end = NULL;
    slab->chunk_bytes = 0;
}

void fal_slab_free(struct fal_slab *slab)
{
    assert(slab->in_use == 0);
    free_chunks(slab);
}

/* False when out of memory. */
static bool add_chunk(struct fal_slab *slab)
{
    size_t least = (size_t)ITEMS_MIN * slab->size;
    size_t items = slab->chunk_bytes > least ? slab->chunk_bytes : least;
    struct fal_slab_chunk *chunk;
    uintptr_t first;

    if (items > CHUNK_BYTES)
        items = CHUNK_BYTES;
    chunk = malloc(sizeof *chunk + LINE + items);
    if (chunk == NULL)
        return false;
    chunk->next = slab->chunks;
    slab->chunks = chunk;
    slab->chunk_bytes += items;
    first = ((uintptr_t)(chunk + 1) + LINE - 1) / LINE * LINE;
    slab->fresh = (uint8_t *)(chunk + 1) + (first - (uintptr_t)(chunk + 1));
    slab->end = slab->fresh + items / slab->size * slab->size;
    return true;
}

void *fal_slab_more(struct fal_slab *slab)
{
    void *item;

    if (slab->separate) {
        item = malloc(slab->size);
        slab->in_use += item != NULL;
        return item;
    }
    if (slab->fresh == slab->end && !add_chunk(slab))
        return NULL;
    item = slab->fresh;
    slab->fresh += slab->size;
    slab->in_use++;
    return item;
}

void fal_slab_less(struct fal_slab *slab, void *item)
{
    struct fal_slab_item *first = item;

    assert(slab->in_use > 0);
    slab->in_use--;
    if (slab->separate) {
        free(item);
        return;
    }
    first->next = slab->unused;
    slab->unused = first;
    if (slab->in_use == 0 && slab->chunk_bytes > KEPT_BYTES)
        free_chunks(slab);
}
