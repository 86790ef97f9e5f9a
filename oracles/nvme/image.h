/* SPDX-License-Identifier: Apache-2.0
 * image.h - the blocks of devices, in memory. Only blocks that were written take room. */
#ifndef FAL_ORACLES_NVME_IMAGE_H
#define FAL_ORACLES_NVME_IMAGE_H

#include "codecs/nvme/t10_dif.h"

#include <stdbool.h>
#include <stdint.h>

enum { FAL_NV_BLOCK_MAX = 4096 };

struct fal_nv_place {
    uint32_t dev, nsid;
    uint64_t lba;
};

struct fal_nv_block {
    struct fal_nv_place place;
    uint8_t meta[FAL_DIF_META_LEN];
    uint8_t data[FAL_NV_BLOCK_MAX]; /* as many bytes as the namespace is formatted for */
};

/* All zero: no block. */
struct fal_nv_image {
    struct fal_nv_block **slots;
    uint64_t cap, num; /* cap: a power of two, or 0 */
    uint64_t max;      /* blocks */
};

/* The block there, or NULL: it was never written. */
struct fal_nv_block *fal_nv_image_get(const struct fal_nv_image *image,
                                      const struct fal_nv_place *place);
/* The same; a block that was never written is made. NULL: no room. */
struct fal_nv_block *fal_nv_image_put(struct fal_nv_image *image,
                                      const struct fal_nv_place *place);
/* Copies a block and its metadata; one that was never written is zero, and its metadata are
 * ones, so that no protection information is checked (application tag FFFF). */
void fal_nv_image_read(const struct fal_nv_image *image, const struct fal_nv_place *place,
                       uint32_t block_len, uint8_t *data, uint8_t meta[FAL_DIF_META_LEN]);
void fal_nv_image_free(struct fal_nv_image *image);

#endif
