/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/transaction/occupancy.h"

void fal_occupancy_init(struct fal_occupancy *pool, uint32_t capacity, uint32_t alpha)
{
    *pool = (struct fal_occupancy){.alpha = alpha > 0 ? alpha : FAL_ALPHA_ONE};
    fal_occupancy_resize(pool, capacity);
}

void fal_occupancy_resize(struct fal_occupancy *pool, uint32_t capacity)
{
    const uint64_t levels = FAL_LEVEL_THRESHOLDS + 1;

    /* rounded up: an empty pool has level 0, however small it is */
    for (uint64_t i = 0; i < FAL_LEVEL_THRESHOLDS; i++)
        pool->threshold[i] = (uint32_t)(((i + 1) * capacity + levels - 1) / levels);
}

void fal_occupancy_update(struct fal_occupancy *pool, uint64_t used)
{
    pool->average =
        (pool->average * (FAL_ALPHA_ONE - pool->alpha) + used * FAL_ALPHA_ONE * pool->alpha) /
        FAL_ALPHA_ONE;
}

unsigned fal_occupancy_level(const struct fal_occupancy *pool, bool below)
{
    unsigned low = 0, high = FAL_LEVEL_THRESHOLDS;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        uint64_t at = (uint64_t)pool->threshold[middle] * FAL_ALPHA_ONE;

        if (below ? at < pool->average : at <= pool->average)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
