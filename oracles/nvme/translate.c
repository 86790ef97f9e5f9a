/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/translate.h"

#include <stddef.h>

enum { GIB_SHIFT = 30, STRIPE_SHIFT = 18, LBA_BITS = 64, BLOCK_MIN = 9, BLOCK_MAX = 12 };

const char *fal_nv_geometry_wrong(const struct fal_nv_geometry *g)
{
    if (g->block_shift != BLOCK_MIN && g->block_shift != BLOCK_MAX)
        return "block_shift";
    if (g->C > LBA_BITS || g->N > LBA_BITS ||
        g->C + g->N + GIB_SHIFT - g->block_shift >= LBA_BITS)
        return "C + N";
    if (g->S > LBA_BITS || g->S + STRIPE_SHIFT > g->C + GIB_SHIFT) /* a stripe is in a chunk */
        return "S";
    return NULL;
}

uint32_t fal_nv_stripe_shift(const struct fal_nv_geometry *g)
{
    return g->S + STRIPE_SHIFT - g->block_shift;
}

uint32_t fal_nv_group_shift(const struct fal_nv_geometry *g)
{
    return g->C + g->N + GIB_SHIFT - g->block_shift;
}

static uint64_t low_bits(uint64_t value, uint32_t n)
{
    return value & ((UINT64_C(1) << n) - 1);
}

uint64_t fal_nv_group(const struct fal_nv_geometry *g, uint64_t lba)
{
    return lba >> fal_nv_group_shift(g);
}

uint64_t fal_nv_stripe(const struct fal_nv_geometry *g, uint64_t lba)
{
    return low_bits(lba >> fal_nv_stripe_shift(g),
                    fal_nv_group_shift(g) - fal_nv_stripe_shift(g));
}

uint64_t fal_nv_row_index(const struct fal_nv_geometry *g, uint64_t lba)
{
    return g->start + (fal_nv_group(g, lba) << g->N | low_bits(fal_nv_stripe(g, lba), g->N));
}

uint64_t fal_nv_target_lba(const struct fal_nv_geometry *g, uint64_t lba, uint64_t chunk)
{
    return chunk << (fal_nv_group_shift(g) - g->N) |
           fal_nv_stripe(g, lba) >> g->N << fal_nv_stripe_shift(g) |
           low_bits(lba, fal_nv_stripe_shift(g));
}

bool fal_nv_is_split(const struct fal_nv_geometry *g, uint64_t first, uint64_t last,
                     uint64_t *boundary)
{
    if (fal_nv_group(g, first) == fal_nv_group(g, last) &&
        fal_nv_stripe(g, first) == fal_nv_stripe(g, last))
        return false;
    *boundary = fal_nv_group(g, last) << fal_nv_group_shift(g) | fal_nv_stripe(g, last)
                                                                     << fal_nv_stripe_shift(g);
    return true;
}
