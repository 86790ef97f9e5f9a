/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/audit.h"

#ifdef FAL_AUDIT

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* One stretch of memory; what it was lies in the audit. */
struct part {
    const void *at;
    size_t size;
};

enum { PARTS_MAX = 16 };

struct fal_audit {
    struct part part[PARTS_MAX];
    unsigned num;
    size_t cap; /* bytes of `was` */
    unsigned char was[];
};

static void add(struct part *part, unsigned *num, const void *at, size_t size)
{
    assert(*num < PARTS_MAX);
    if (size > 0) /* a rule may have no state */
        part[(*num)++] = (struct part){at, size};
}

/* Everything that the callback can change; returns how many stretches it is. */
static unsigned parts_of(const struct fal_ctx *c, struct part *part)
{
    const struct fal_bag *bag = c->state;
    unsigned num = 0;

    add(part, &num, c->state, c->impl->state_size);
    for (unsigned i = 0; i < c->impl->bags; i++)
        if (bag[i].num > 0)
            add(part, &num, bag[i].items, malloc_usable_size(bag[i].items));
    add(part, &num, c->track, sizeof *c->track);
    add(part, &num, c->wake_ns, sizeof *c->wake_ns);
    add(part, &num, c->tallies, sizeof *c->tallies);
    add(part, &num, &c->tallies->holds[c->cell], sizeof *c->tallies->holds);
    add(part, &num, c->tallies->list, c->tallies->num * sizeof *c->tallies->list);
    add(part, &num, c->readings, sizeof *c->readings);
    return num;
}

void fal_audit_begin(struct fal_audit **audit, const struct fal_ctx *c)
{
    struct part part[PARTS_MAX];
    unsigned num = parts_of(c, part);
    struct fal_audit *a = *audit;
    size_t size = 0, at = 0;

    for (unsigned i = 0; i < num; i++)
        size += part[i].size;
    if (a == NULL || a->cap < size) {
        free(a);
        *audit = a = malloc(sizeof *a + 2 * size);
        if (a == NULL)
            return;
        a->cap = 2 * size;
    }
    a->num = num;
    for (unsigned i = 0; i < num; i++) {
        a->part[i] = part[i];
        memcpy(a->was + at, part[i].at, part[i].size);
        at += part[i].size;
    }
}

static bool same(const struct fal_audit *audit)
{
    size_t at = 0;

    for (unsigned i = 0; i < audit->num; i++) {
        const struct part *part = &audit->part[i];

        if (memcmp(audit->was + at, part->at, part->size) != 0)
            return false;
        at += part->size;
    }
    return true;
}

void fal_audit_end(const struct fal_audit *audit, const struct fal_ctx *c)
{
    if (audit != NULL &&
        !same(audit)) /* as assert, with the id of the rule whose row is wrong */
        __assert_fail(c->impl->about->id, __FILE__, __LINE__, __func__);
}

#else
/* ISO C forbids an empty file. */
typedef int fal_no_audit;
#endif
