/* SPDX-License-Identifier: Apache-2.0
 * nearest.h - for "did you mean": the one of a list of words that a misspelt one was meant to
 * be. */
#ifndef FAL_CODECS_NEAREST_H
#define FAL_CODECS_NEAREST_H

#include <stddef.h>

/* Of `n` words (NULLs are skipped) the one most like `word`: a slip or two away, the beginning
 * of it, or one that it is a part of. NULL when none is near. */
const char *fal_nearest(const char *word, const char *const *words, size_t n);

#endif
