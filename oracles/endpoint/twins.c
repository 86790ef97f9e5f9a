/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/twins.h"

#include <string.h>

#define ROW(id, name, section, requirements, reading, doc) \
    {name, section, requirements, reading, doc},

static const struct fal_twin table[] = {FAL_TWINS(ROW)};

_Static_assert(FAL_TWIN_COUNT <= 128, "fal_twin_set has 128 bits");

const struct fal_twin *fal_twins(size_t *n)
{
    *n = FAL_TWIN_COUNT;
    return table;
}

int fal_twin_find(const char *name)
{
    for (int i = 0; i < FAL_TWIN_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

void fal_twin_add(struct fal_twin_set *set, enum fal_twin_id id)
{
    set->bits[id / 64] |= UINT64_C(1) << (id % 64);
}
