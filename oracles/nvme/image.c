/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/image.h"

#include <stdlib.h>
#include <string.h>

enum { CAP_FIRST = 64 };

static uint64_t hash_of(const struct fal_nv_place *place)
{
    uint64_t h = place->lba * UINT64_C(0x9e3779b97f4a7c15);

    h ^= ((uint64_t)place->dev << 32 | place->nsid) * UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 29;
    h *= UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 32;
}

static bool same(const struct fal_nv_place *a, const struct fal_nv_place *b)
{
    return a->lba == b->lba && a->dev == b->dev && a->nsid == b->nsid;
}

/* The slot of a block: its own, or the empty one where it would be. */
static struct fal_nv_block **slot_of(const struct fal_nv_image *image,
                                     const struct fal_nv_place *place)
{
    uint64_t at = hash_of(place);

    while (image->slots[at & (image->cap - 1)] != NULL &&
           !same(&image->slots[at & (image->cap - 1)]->place, place))
        at++;
    return &image->slots[at & (image->cap - 1)];
}

struct fal_nv_block *fal_nv_image_get(const struct fal_nv_image *image,
                                      const struct fal_nv_place *place)
{
    return image->cap > 0 ? *slot_of(image, place) : NULL;
}

static bool grow(struct fal_nv_image *image)
{
    struct fal_nv_image bigger = *image;

    bigger.cap = image->cap == 0 ? CAP_FIRST : 2 * image->cap;
    bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return false;
    for (uint64_t i = 0; i < image->cap; i++)
        if (image->slots[i] != NULL)
            *slot_of(&bigger, &image->slots[i]->place) = image->slots[i];
    free(image->slots);
    *image = bigger;
    return true;
}

struct fal_nv_block *fal_nv_image_put(struct fal_nv_image *image,
                                      const struct fal_nv_place *place)
{
    struct fal_nv_block *block = fal_nv_image_get(image, place);

    if (block != NULL || image->num >= image->max ||
        (2 * image->num >= image->cap && !grow(image)))
        return block;
    block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    block->place = *place;
    *slot_of(image, place) = block;
    image->num++;
    return block;
}

void fal_nv_image_read(const struct fal_nv_image *image, const struct fal_nv_place *place,
                       uint32_t block_len, uint8_t *data, uint8_t meta[FAL_DIF_META_LEN])
{
    const struct fal_nv_block *block = fal_nv_image_get(image, place);

    if (block == NULL) {
        memset(data, 0, block_len);
        memset(meta, 0xff, FAL_DIF_META_LEN);
        return;
    }
    memcpy(data, block->data, block_len);
    memcpy(meta, block->meta, FAL_DIF_META_LEN);
}

void fal_nv_image_free(struct fal_nv_image *image)
{
    for (uint64_t i = 0; i < image->cap; i++)
        free(image->slots[i]);
    free(image->slots);
    *image = (struct fal_nv_image){.max = image->max};
}
