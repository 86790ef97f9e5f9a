/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/audit.h"

#ifdef FAL_AUDIT

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* One stretch of memory, and what it was. */
struct part {
    const void *at;
    size_t size;
    unsigned char *was;
};

enum { PARTS_MAX = 16 };

struct fal_audit {
    struct part part[PARTS_MAX];
    unsigned num;
};

static void add(struct fal_audit *audit, const void *at, size_t size)
{
    struct part part = {at, size, NULL};

    assert(audit->num < PARTS_MAX);
    if (size == 0) /* a rule may have no state */
        return;
    part.was = malloc(size);
    if (part.was == NULL)
        return;
    memcpy(part.was, at, size);
    audit->part[audit->num++] = part;
}

struct fal_audit *fal_audit_begin(const struct fal_ctx *c)
{
    struct fal_audit *audit = calloc(1, sizeof *audit);
    const struct fal_bag *bag = c->state;

    if (audit == NULL)
        return NULL;
    add(audit, c->state, c->impl->state_size);
    for (unsigned i = 0; i < c->impl->bags; i++)
        if (bag[i].num > 0)
            add(audit, bag[i].items, malloc_usable_size(bag[i].items));
    add(audit, c->track, sizeof *c->track);
    add(audit, c->wake_ns, sizeof *c->wake_ns);
    add(audit, c->tallies, sizeof *c->tallies);
    add(audit, &c->tallies->holds[c->cell], sizeof *c->tallies->holds);
    add(audit, c->tallies->list, c->tallies->num * sizeof *c->tallies->list);
    add(audit, c->readings, sizeof *c->readings);
    return audit;
}

/* Whether all is as it was; frees the audit. */
static bool same(struct fal_audit *audit)
{
    bool same = true;

    for (unsigned i = 0; audit != NULL && i < audit->num; i++) {
        const struct part *part = &audit->part[i];

        same = same && memcmp(part->was, part->at, part->size) == 0;
        free(part->was);
    }
    free(audit);
    return same;
}

void fal_audit_end(struct fal_audit *audit, const struct fal_ctx *c)
{
    if (!same(audit)) /* as assert, with the id of the rule whose row is wrong */
        __assert_fail(c->impl->about->id, __FILE__, __LINE__, __func__);
}

#else
/* ISO C forbids an empty file. */
typedef int fal_no_audit;
#endif
