/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/cidmap.h"

#include "codecs/base/error.h"

#include <stdlib.h>

void fal_cidmap_free(struct fal_cidmap *map)
{
    free(map->places);
    *map = (struct fal_cidmap){0};
}

/* Where the search for a CID begins. CIDs are often handed out in steps of a power of two, so
 * they are spread by a multiplication. */
static uint32_t home(const struct fal_cidmap *map, uint32_t cid)
{
    uint32_t h = cid * UINT32_C(0x9e3779b1);

    return (h ^ h >> 15) & (map->cap - 1);
}

static uint32_t place_of(const struct fal_cidmap *map, uint32_t cid)
{
    uint32_t at = home(map, cid);

    while (map->places[at].conn != 0 && map->places[at].cid != cid)
        at = (at + 1) & (map->cap - 1);
    return at;
}

uint32_t fal_cidmap_find(const struct fal_cidmap *map, uint32_t cid)
{
    return map->cap == 0 ? 0 : map->places[place_of(map, cid)].conn;
}

void fal_cidmap_fetch(const struct fal_cidmap *map, uint32_t cid)
{
    if (map->cap > 0)
        __builtin_prefetch(&map->places[home(map, cid)]);
}

static int grow(struct fal_cidmap *map)
{
    struct fal_cidmap bigger = {.count = map->count, .cap = map->cap == 0 ? 16 : map->cap * 2};

    if (2 * (map->count + 1) <= map->cap)
        return 0;
    bigger.places = calloc(bigger.cap, sizeof *bigger.places);
    if (bigger.places == NULL)
        return FAL_ERR_MEM;
    for (uint32_t i = 0; i < map->cap; i++)
        if (map->places[i].conn != 0)
            bigger.places[place_of(&bigger, map->places[i].cid)] = map->places[i];
    free(map->places);
    *map = bigger;
    return 0;
}

int fal_cidmap_add(struct fal_cidmap *map, uint32_t cid, uint32_t conn)
{
    if (grow(map) < 0)
        return FAL_ERR_MEM;
    map->places[place_of(map, cid)] = (struct fal_cid){cid, conn};
    map->count++;
    return 0;
}

void fal_cidmap_remove(struct fal_cidmap *map, uint32_t cid)
{
    uint32_t hole, at;

    if (fal_cidmap_find(map, cid) == 0)
        return;
    hole = place_of(map, cid);
    map->places[hole].conn = 0;
    map->count--;
    /* An entry that linear probing placed behind the removed one moves back into the free
     * place. */
    for (at = (hole + 1) & (map->cap - 1); map->places[at].conn != 0;
         at = (at + 1) & (map->cap - 1)) {
        uint32_t wants = home(map, map->places[at].cid);

        if (((at - wants) & (map->cap - 1)) >= ((at - hole) & (map->cap - 1))) {
            map->places[hole] = map->places[at];
            map->places[at].conn = 0;
            hole = at;
        }
    }
}
