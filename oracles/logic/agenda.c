/* SPDX-License-Identifier: Apache-2.0
 * agenda.c - see agenda.h. */
#include "oracles/logic/agenda.h"

#include "codecs/base/error.h"

#include <stdlib.h>

static bool earlier(const struct fal_logic_entry *a, const struct fal_logic_entry *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void swap(struct fal_logic_entry *a, struct fal_logic_entry *b)
{
    struct fal_logic_entry t = *a;

    *a = *b;
    *b = t;
}

int fal_logic_agenda_add(struct fal_logic_agenda *agenda, const struct fal_logic_entry *entry)
{
    struct fal_logic_entry *e = agenda->entries;
    size_t at = agenda->num, room = agenda->room != 0 ? 2 * agenda->room : 64;

    if (at == agenda->room) {
        e = realloc(e, room * sizeof *e);
        if (e == NULL)
            return FAL_ERR_MEM;
        agenda->entries = e;
        agenda->room = room;
    }
    e[at] = *entry;
    e[at].order = agenda->order++;
    agenda->num++;
    for (; at > 0 && earlier(&e[at], &e[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&e[at], &e[(at - 1) / 2]);
    return 0;
}

bool fal_logic_agenda_take(struct fal_logic_agenda *agenda, struct fal_logic_entry *entry)
{
    struct fal_logic_entry *e = agenda->entries;
    size_t at = 0, child;

    if (agenda->num == 0)
        return false;
    *entry = e[0];
    e[0] = e[--agenda->num];
    while ((child = 2 * at + 1) < agenda->num) {
        if (child + 1 < agenda->num && earlier(&e[child + 1], &e[child]))
            child++;
        if (!earlier(&e[child], &e[at]))
            break;
        swap(&e[child], &e[at]);
        at = child;
    }
    return true;
}

void fal_logic_agenda_free(struct fal_logic_agenda *agenda)
{
    free(agenda->entries);
    *agenda = (struct fal_logic_agenda){0};
}
