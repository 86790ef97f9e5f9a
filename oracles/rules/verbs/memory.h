/* SPDX-License-Identifier: Apache-2.0
 * memory.h - the bytes of a memory region of the SUT, as far as commands and packets tell them:
 * fills, and what the tester's packets write. A byte is known, or it is not: what may have been
 * written, but need not have been yet, is not. */
#ifndef FAL_ORACLES_RULES_VERBS_MEMORY_H
#define FAL_ORACLES_RULES_VERBS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest region whose bytes are kept. */
enum { FAL_IMAGE_MAX = 1 << 22 };

struct fal_image {
    uint64_t length;
    uint64_t filled; /* index of the last event that filled a range of it */
    uint8_t *bytes;
    uint8_t *known; /* a byte for each: 1 or 0 */
    uint8_t *vague; /* likewise: changed by what no packet shows, and not filled since */
};

/* Nothing is known of it. NULL for a length of 0 or above FAL_IMAGE_MAX, and when out of memory
 * (*oom is then set). The caller frees. */
struct fal_image *fal_image_new(uint64_t length, bool *oom);
void fal_image_free(struct fal_image *image);

/* All of these leave out what lies outside. A range gets the payload pattern (payload.h), or
 * these bytes, or becomes unknown. */
void fal_image_fill(struct fal_image *image, uint64_t at, uint64_t length, uint64_t tag,
                    uint64_t seed);
void fal_image_write(struct fal_image *image, uint64_t at, const uint8_t *bytes, size_t len);
void fal_image_forget(struct fal_image *image, uint64_t at, uint64_t length);
/* The range may have changed by what no packet shows: an atomic operation, a command. It stays
 * unknown until it is filled, whatever packets write there. */
void fal_image_blur(struct fal_image *image, uint64_t at, uint64_t length);

/* Adds the bytes of a range to the hash (FNV-1a; begin with that of no bytes). False: not all
 * of them are known, or lie inside. */
bool fal_image_hash(const struct fal_image *image, uint64_t at, uint64_t length,
                    uint64_t *hash);

#endif
