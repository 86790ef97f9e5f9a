/* SPDX-License-Identifier: Apache-2.0
 * zero.h - clears structs of some hundred bytes for each packet. For these gcc emits `rep
 * stos`, which takes longer to start than the stores take. */
#ifndef FAL_CODECS_BASE_ZERO_H
#define FAL_CODECS_BASE_ZERO_H

#include <stddef.h>
#include <string.h>

/* Sets `size` bytes to 0, by stores alone when `size` is a constant. */
static inline __attribute__((always_inline)) void fal_zero(void *object, size_t size)
{
    char *at = object;

    for (; size >= 64; size -= 64, at += 64)
        memset(at, 0, 64);
    if (size > 0)
        memset(at, 0, size);
}

#endif
