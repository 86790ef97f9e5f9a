/* SPDX-License-Identifier: Apache-2.0
 * arena.h - the memory of one scenario, or of one case that was read from a file: many small
 * pieces that live and die together.
 */
#ifndef FAL_CODECS_BASE_ARENA_H
#define FAL_CODECS_BASE_ARENA_H

#include <stddef.h>

struct fal_arena {
    struct fal_arena_block *blocks;
};

/* `count` zeroed elements of `size` bytes, or NULL when out of memory. Freed with the arena. */
void *fal_arena_alloc(struct fal_arena *arena, size_t count, size_t size);

/* A copy of the string, or NULL when out of memory. */
char *fal_arena_strdup(struct fal_arena *arena, const char *text);

void fal_arena_free(struct fal_arena *arena);

#endif
