/* SPDX-License-Identifier: Apache-2.0
 * nearest.h - "did you mean": finds the known words that are most like a misspelt one. */
#ifndef FAL_CODECS_BASE_NEAREST_H
#define FAL_CODECS_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the one of `n` words (NULL entries are skipped) that is most like `word`: at most two
 * edits away, or a beginning of `word`, or a word that contains `word`. NULL when none is near.
 */
const char *fal_nearest(const char *word, const char *const *words, size_t n);

/* The end of a message about an unknown word. */
struct fal_hint {
    char text[96];
};

/* "; did you mean 'NEAR'?"; `otherwise` (at most 95 bytes) when `near` is NULL. */
struct fal_hint fal_hint(const char *near, const char *otherwise);

/* The words nearest to a misspelt one, for lists too long to hold as an array. */
enum { FAL_NEAREST_MAX = 3 };

/* Initialise with `word` set and all else zero; fal_nearest_add fills in the rest. Names are
 * ordered by distance, the nearest first, and borrowed. */
struct fal_nearest_list {
    const char *word;
    const char *names[FAL_NEAREST_MAX]; /* borrowed */
    size_t apart[FAL_NEAREST_MAX];
    size_t num;
};

/* Adds `name` if it is near enough to nearest->word, and not in the list. */
void fal_nearest_add(struct fal_nearest_list *nearest, const char *name);
/* Writes "A, B or C" into out[cap]; "" when nothing is near. */
void fal_nearest_print(const struct fal_nearest_list *nearest, char *out, size_t cap);

#endif
