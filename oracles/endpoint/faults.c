/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults.h"

#include <string.h>

#define ROW(id, name, section, requirements, doc) {name, section, requirements, doc},

static const struct fal_fault table[] = {FAL_FAULTS(ROW)};

_Static_assert(FAL_FAULT_COUNT <= 256, "fal_fault_set has 256 bits");

const struct fal_fault *fal_faults(size_t *n)
{
    *n = FAL_FAULT_COUNT;
    return table;
}

int fal_fault_find(const char *name)
{
    for (int i = 0; i < FAL_FAULT_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

void fal_fault_add(struct fal_fault_set *set, enum fal_fault_id id)
{
    set->bits[id / 64] |= UINT64_C(1) << (id % 64);
}
