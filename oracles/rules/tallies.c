/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/tallies.h"

#include <stdlib.h>

enum { FIRST_CAP = 8 };

void fal_tallies_init(struct fal_tallies *tallies, size_t cells)
{
    *tallies = (struct fal_tallies){.cells = (uint16_t)cells};
}

void fal_tallies_free(struct fal_tallies *tallies)
{
    free(tallies->holds);
    free(tallies->list);
    tallies->holds = NULL;
    tallies->list = NULL;
    tallies->num = tallies->cap = 0;
}

void fal_tallies_hold(struct fal_tallies *tallies, size_t cell)
{
    if (tallies->holds == NULL) {
        tallies->holds = calloc(tallies->cells, sizeof *tallies->holds);
        if (tallies->holds == NULL) {
            tallies->oom = true;
            return;
        }
    }
    if (++tallies->holds[cell] == 0)
        (void)fal_tallies_count(tallies, cell, FAL_ENDED_HELD_MANY);
}

static struct fal_count *add(struct fal_tallies *tallies, unsigned what)
{
    if (tallies->num == tallies->cap) {
        unsigned cap = tallies->cap == 0 ? FIRST_CAP : tallies->cap + tallies->cap / 2;
        struct fal_count *list = realloc(tallies->list, cap * sizeof *list);

        if (list == NULL) {
            tallies->oom = true;
            return NULL;
        }
        tallies->list = list;
        tallies->cap = (uint16_t)cap;
    }
    tallies->list[tallies->num] = (struct fal_count){.what = (uint16_t)what};
    return &tallies->list[tallies->num++];
}

/* Its counter, or NULL; it moves towards the front, so that what is counted often is found at
 * once. */
static struct fal_count *find(struct fal_tallies *tallies, unsigned what)
{
    struct fal_count *list = tallies->list, found;

    for (unsigned i = 0; i < tallies->num; i++) {
        if (list[i].what != what)
            continue;
        if (i == 0)
            return &list[0];
        found = list[i];
        list[i] = list[i / 2];
        list[i / 2] = found;
        return &list[i / 2];
    }
    return NULL;
}

uint64_t fal_tallies_count(struct fal_tallies *tallies, size_t cell, unsigned ending)
{
    unsigned what = (unsigned)cell * FAL_ENDINGS + ending;
    struct fal_count *count = find(tallies, what);

    if (count == NULL && (count = add(tallies, what)) == NULL)
        return 0;
    if (++count->low == 0 && ++count->high == 0)
        count->low = count->high = UINT16_MAX; /* enough */
    return (uint64_t)count->high << 32 | count->low;
}

struct fal_tally fal_tallies_of(const struct fal_tallies *tallies, size_t cell)
{
    struct fal_tally t = {.holds = tallies->holds != NULL ? tallies->holds[cell] : 0};

    for (unsigned i = 0; i < tallies->num; i++) {
        const struct fal_count *count = &tallies->list[i];
        uint64_t n = (uint64_t)count->high << 32 | count->low;
        unsigned ending = count->what % FAL_ENDINGS;

        if (count->what / FAL_ENDINGS != cell)
            continue;
        if (ending >= FAL_ENDED_EXCUSED)
            t.excused[ending - FAL_ENDED_EXCUSED] = n;
        else if (ending == FAL_ENDED_HELD_MANY)
            t.holds += n << 32;
        else if (ending == FAL_ENDED_UNDECIDED)
            t.undecided = n;
        else if (ending == FAL_ENDED_FAIL)
            t.broken_fail = n;
        else if (ending == FAL_ENDED_WARN)
            t.broken_warn = n;
        else
            t.broken_asked = n;
    }
    return t;
}
