/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/tallies.h"

#include "oracles/rules/facts/pack.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 8 };

/* Two share a word when they are packed. */
static size_t bytes_of_holds(const struct fal_tallies *tallies)
{
    return (tallies->cells + tallies->cells % 2u) * sizeof *tallies->holds;
}

bool fal_tallies_init(struct fal_tallies *tallies, size_t cells)
{
    *tallies = (struct fal_tallies){.cells = (uint16_t)cells};
    tallies->holds = calloc(1, bytes_of_holds(tallies) + 1); /* no rules: not nothing */
    return tallies->holds != NULL;
}

void fal_tallies_free(struct fal_tallies *tallies)
{
    free(tallies->holds);
    free(tallies->list);
    tallies->holds = NULL;
    tallies->list = NULL;
    tallies->num = tallies->cap = 0;
}

void fal_tallies_clear(struct fal_tallies *tallies)
{
    memset(tallies->holds, 0, bytes_of_holds(tallies));
    for (unsigned e = 0; e < FAL_EXCUSE_PATHS; e++)
        tallies->event[e].known = false;
    tallies->num = 0;
    tallies->oom = false;
}

/* Room for n counters. */
static bool reserve(struct fal_tallies *tallies, unsigned n)
{
    unsigned cap = n <= FIRST_CAP ? FIRST_CAP : n + n / 2;
    struct fal_count *list;

    if (n <= tallies->cap)
        return true;
    list = realloc(tallies->list, cap * sizeof *list);
    if (list == NULL) {
        tallies->oom = true;
        return false;
    }
    tallies->list = list;
    tallies->cap = (uint16_t)cap;
    return true;
}

static struct fal_count *add(struct fal_tallies *tallies, unsigned what)
{
    if (!reserve(tallies, tallies->num + 1u))
        return NULL;
    tallies->list[tallies->num] = (struct fal_count){.what = (uint16_t)what};
    return &tallies->list[tallies->num++];
}

/* ---- packed ---- */

size_t fal_tallies_packed_max(const struct fal_tallies *tallies)
{
    return FAL_PACKED_MAX(sizeof(uint64_t)) + FAL_PACKED_MAX(bytes_of_holds(tallies)) +
           FAL_PACKED_MAX(tallies->num * sizeof *tallies->list);
}

size_t fal_tallies_pack(const struct fal_tallies *tallies, uint8_t *out)
{
    uint64_t num = (uint64_t)tallies->num << 1 | tallies->oom;
    size_t n = fal_pack(&num, NULL, sizeof num, out);

    n += fal_pack(tallies->holds, NULL, bytes_of_holds(tallies), out + n);
    return n + fal_pack(tallies->list, NULL, tallies->num * sizeof *tallies->list, out + n);
}

size_t fal_tallies_unpack(struct fal_tallies *tallies, const uint8_t *in)
{
    uint64_t num = 0;
    size_t n = fal_unpack(in, NULL, sizeof num, &num);

    n += fal_unpack(in + n, NULL, bytes_of_holds(tallies), tallies->holds);
    tallies->num = 0;
    tallies->oom = (num & 1) != 0;
    if (!reserve(tallies, (unsigned)(num >> 1)))
        return n;
    tallies->num = (uint16_t)(num >> 1);
    if (tallies->num > 0)
        memset(tallies->list, 0, tallies->num * sizeof *tallies->list);
    return n + fal_unpack(in + n, NULL, tallies->num * sizeof *tallies->list, tallies->list);
}

/* ---- counting ---- */

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

void fal_tallies_event(struct fal_tallies *tallies, size_t cell, enum fal_excuse excuse,
                       uint64_t t_ns, uint64_t round_ns)
{
    struct fal_path_event *event = &tallies->event[excuse];
    uint64_t *word = &event->cells[cell / 64], bit = UINT64_C(1) << cell % 64;

    if (!event->known ||
        (t_ns > event->t_ns ? t_ns - event->t_ns : event->t_ns - t_ns) > round_ns) {
        memset(event->cells, 0, sizeof event->cells);
        event->known = true;
        event->t_ns = t_ns;
    }
    if ((*word & bit) == 0)
        (void)fal_tallies_count(tallies, cell, FAL_ENDED_EVENT + (unsigned)excuse);
    *word |= bit;
}

void fal_tallies_read(const struct fal_count *count, struct fal_tally *t)
{
    uint64_t n = (uint64_t)count->high << 32 | count->low;
    unsigned ending = count->what % FAL_ENDINGS;

    if (ending >= FAL_ENDED_EVENT)
        t->events[ending - FAL_ENDED_EVENT] = n;
    else if (ending >= FAL_ENDED_EXCUSED)
        t->excused[ending - FAL_ENDED_EXCUSED] = n;
    else if (ending == FAL_ENDED_HELD_MANY)
        t->holds += n << 32;
    else if (ending == FAL_ENDED_UNDECIDED)
        t->undecided = n;
    else if (ending == FAL_ENDED_FAIL)
        t->broken_fail = n;
    else if (ending == FAL_ENDED_WARN)
        t->broken_warn = n;
    else
        t->broken_asked = n;
}

struct fal_tally fal_tallies_of(const struct fal_tallies *tallies, size_t cell)
{
    struct fal_tally t = {.holds = tallies->holds[cell]};

    for (unsigned i = 0; i < tallies->num; i++)
        if (tallies->list[i].what / FAL_ENDINGS == cell)
            fal_tallies_read(&tallies->list[i], &t);
    return t;
}
