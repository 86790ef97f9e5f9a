/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/blocks/map.h"

enum { GIB_SHIFT = 30, STRIPE_UNIT_SHIFT = 18, SHIFT_MAX = 63 };

/* The lowest bit of a block's chunk number, and of its stripe number. */
static unsigned chunk_start(const struct fal_map *map)
{
    return map->chunk + map->group + GIB_SHIFT - map->block;
}

static unsigned stripe_start(const struct fal_map *map)
{
    return map->stripe + STRIPE_UNIT_SHIFT - map->block;
}

static uint64_t low(uint64_t value, unsigned bits)
{
    return value & ((UINT64_C(1) << bits) - 1);
}

bool fal_map_valid(const struct fal_map *map)
{
    return map->block <= STRIPE_UNIT_SHIFT && map->chunk <= SHIFT_MAX &&
           map->stripe <= SHIFT_MAX && map->group <= SHIFT_MAX &&
           map->chunk + map->group + GIB_SHIFT - map->block <= SHIFT_MAX &&
           map->stripe + STRIPE_UNIT_SHIFT <= map->chunk + GIB_SHIFT;
}

/* Its number in the group of chunks. */
static uint64_t stripe_of(const struct fal_map *map, uint64_t lba)
{
    return low(lba >> stripe_start(map), chunk_start(map) - stripe_start(map));
}

uint64_t fal_map_row(const struct fal_map *map, uint64_t lba)
{
    uint64_t group = lba >> chunk_start(map);

    return map->start + (group << map->group | low(stripe_of(map, lba), map->group));
}

uint64_t fal_map_target(const struct fal_map *map, uint64_t chunk, uint64_t lba)
{
    return chunk << (chunk_start(map) - map->group) |
           stripe_of(map, lba) >> map->group << stripe_start(map) | low(lba, stripe_start(map));
}

unsigned fal_map_split(const struct fal_map *map, uint64_t first, uint32_t nlb0,
                       struct fal_map_part parts[2], bool *free)
{
    unsigned at = stripe_start(map);
    uint64_t last = first + nlb0, boundary = last >> at << at;

    *free = false;
    parts[0] = (struct fal_map_part){first, nlb0 + 1};
    if (last < first || (last >> at) - (first >> at) > 1)
        return 0;
    if (last >> at == first >> at)
        return 1;
    *free = map->group == 0 && last >> chunk_start(map) == first >> chunk_start(map);
    parts[0].blocks = (uint32_t)(boundary - first);
    parts[1] = (struct fal_map_part){boundary, (uint32_t)(last - boundary + 1)};
    return 2;
}
