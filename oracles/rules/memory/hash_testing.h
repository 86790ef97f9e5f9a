/* SPDX-License-Identifier: Apache-2.0
 * hash_testing.h - for tests only: an image of region "m" of posts_testing.h, and the lines
 * that ask for the hash of a part of it. */
#ifndef FAL_ORACLES_RULES_MEMORY_HASH_TESTING_H
#define FAL_ORACLES_RULES_MEMORY_HASH_TESTING_H

#include "oracles/rules/rdma/posts_testing.h"

enum { REGION = 4096 };

/* The region as it was filled. */
static inline void image_fill(uint8_t image[REGION])
{
    fal_payload_fill(7, 0, image, REGION);
}

/* `len` bytes of the pattern of a tag, as a packet carries them (data=LEN@TAG+OFFSET). */
static inline void image_data(uint8_t image[REGION], size_t at, size_t len, uint64_t tag,
                              size_t offset)
{
    fal_payload_slice(tag, 0, offset, image + at, len);
}

/* "verbs mr_hash ..." of these bytes. Returns `out`. */
static inline const char *hash_line(const uint8_t image[REGION], size_t at, size_t len,
                                    char out[160])
{
    (void)snprintf(out, 160,
                   "verbs mr_hash {\"mr\":\"m\",\"offset\":%zu,\"length\":%zu} -> "
                   "{\"hash\":\"0x%016" PRIx64 "\"}",
                   at, len, fal_payload_hash(image + at, len));
    return out;
}

#endif
