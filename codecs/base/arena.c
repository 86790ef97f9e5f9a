/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_LEN = 16384, FIRST_LEN = 1024 }; /* each block twice the one before */

struct fal_arena_block {
    struct fal_arena_block *next;
    size_t used, len;
    alignas(max_align_t) char bytes[];
};

void *fal_arena_alloc(struct fal_arena *arena, size_t count, size_t size)
{
    struct fal_arena_block *block = arena->blocks;
    size_t need;
    void *at;

    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    need = (count * size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (block == NULL || block->len - block->used < need) {
        size_t len = block == NULL ? FIRST_LEN : block->len * 2;

        if (len > BLOCK_LEN)
            len = BLOCK_LEN;
        if (len < need)
            len = need;
        block = malloc(sizeof *block + len);
        if (block == NULL)
            return NULL;
        block->used = 0;
        block->len = len;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    at = block->bytes + block->used;
    block->used += need;
    memset(at, 0, need);
    return at;
}

char *fal_arena_strdup(struct fal_arena *arena, const char *text)
{
    size_t len = strlen(text) + 1;
    char *copy = fal_arena_alloc(arena, len, 1);

    if (copy != NULL)
        memcpy(copy, text, len);
    return copy;
}

void fal_arena_free(struct fal_arena *arena)
{
    while (arena->blocks != NULL) {
        struct fal_arena_block *block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
}
