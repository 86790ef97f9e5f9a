/* SPDX-License-Identifier: Apache-2.0
 * nearest.h - what somebody may have meant by a word that there is not. */
#ifndef TL_HARNESS_NEAREST_H
#define TL_HARNESS_NEAREST_H

#include <stddef.h>

enum { TL_NEAREST_MAX = 3 };

/* The words nearest to one, the nearest first; all zero but the word at first. */
struct tl_nearest {
    const char *word;
    const char *names[TL_NEAREST_MAX]; /* borrowed */
    size_t apart[TL_NEAREST_MAX];
    size_t num;
};

/* Takes a name into account; names that are far off are none. */
void tl_nearest_add(struct tl_nearest *nearest, const char *name);
/* "A, B or C"; "" when nothing is near. */
void tl_nearest_print(const struct tl_nearest *nearest, char *out, size_t cap);

#endif
