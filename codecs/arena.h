/* SPDX-License-Identifier: Apache-2.0
 * arena.h - the memory of one scenario, or of one case that was read from a file: many small
 * pieces that live and die together.
 */
#ifndef TL_REPORTS_ARENA_H
#define TL_REPORTS_ARENA_H

#include <stddef.h>

struct tl_arena {
    struct tl_arena_block *blocks;
};

/* `count` zeroed elements of `size` bytes, or NULL when out of memory. Freed with the arena. */
void *tl_arena_alloc(struct tl_arena *arena, size_t count, size_t size);

/* A copy of the string, or NULL when out of memory. */
char *tl_arena_strdup(struct tl_arena *arena, const char *text);

void tl_arena_free(struct tl_arena *arena);

#endif
