/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/catalogue.h"

#include "oracles/catalogue_table.h"

#include <string.h>

const struct fal_requirement *fal_catalogue(size_t *n)
{
    *n = fal_catalogue_count;
    return fal_catalogue_table;
}

const struct fal_requirement *fal_requirement_find(const char *id)
{
    size_t low = 0, high = fal_catalogue_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fal_requirement *r = &fal_catalogue_table[fal_catalogue_order[middle]];
        int order = strcmp(id, r->id);

        if (order == 0)
            return r;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

enum fal_verdict fal_requirement_breach(const struct fal_requirement *requirement)
{
    if (strcmp(requirement->on_breach, "fail") == 0)
        return FAL_VERDICT_FAIL;
    return strcmp(requirement->on_breach, "warn") == 0 ? FAL_VERDICT_WARN : FAL_VERDICT_NONE;
}

const struct fal_kill *fal_kills(size_t *n)
{
    *n = fal_kill_count;
    return fal_kill_table;
}

const struct fal_suite_kill *fal_suite_kills(size_t *n)
{
    *n = fal_suite_kill_count;
    return fal_suite_kill_table;
}

const char *fal_requirement_reason(const char *id)
{
    for (size_t i = 0; i < fal_reason_count; i++)
        if (strcmp(fal_reason_table[i].id, id) == 0)
            return fal_reason_table[i].text;
    return NULL;
}
