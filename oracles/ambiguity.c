/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ambiguity.h"

#include "oracles/catalogue/ambiguity_list.h"

#include <string.h>

#define ROW(id, kind, ...) {id, FAL_AMBIGUITY_##kind, __VA_ARGS__},
static const struct fal_ambiguity all[] = {FAL_AMBIGUITIES(ROW)};
#undef ROW

const struct fal_ambiguity *fal_ambiguities(size_t *n)
{
    *n = sizeof all / sizeof *all;
    return all;
}

const struct fal_ambiguity *fal_ambiguity_find(const char *id)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].id, id) == 0)
            return &all[i];
    return NULL;
}
