/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/eventpipe/agenda.h"

#include <stdlib.h>

static bool before(const struct fal_ep_item *a, const struct fal_ep_item *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static bool room(struct fal_ep_agenda *agenda)
{
    size_t cap = agenda->cap > 0 ? agenda->cap * 2 : 64;
    struct fal_ep_item *items;

    if (agenda->count < agenda->cap)
        return true;
    items = realloc(agenda->items, cap * sizeof *items);
    if (items == NULL)
        return false;
    agenda->items = items;
    agenda->cap = cap;
    return true;
}

void fal_ep_agenda_push(struct fal_ep_agenda *agenda, struct fal_ep_item item)
{
    size_t at = agenda->count;

    if (!room(agenda)) {
        agenda->out_of_memory = true;
        return;
    }
    item.order = agenda->order++;
    agenda->count++;
    while (at > 0 && before(&item, &agenda->items[(at - 1) / 2])) {
        agenda->items[at] = agenda->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    agenda->items[at] = item;
}

bool fal_ep_agenda_pop(struct fal_ep_agenda *agenda, struct fal_ep_item *out)
{
    struct fal_ep_item last;
    size_t at = 0;

    if (agenda->count == 0)
        return false;
    *out = agenda->items[0];
    last = agenda->items[--agenda->count];
    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= agenda->count)
            break;
        if (child + 1 < agenda->count &&
            before(&agenda->items[child + 1], &agenda->items[child]))
            child++;
        if (!before(&agenda->items[child], &last))
            break;
        agenda->items[at] = agenda->items[child];
        at = child;
    }
    agenda->items[at] = last;
    return true;
}

void fal_ep_agenda_free(struct fal_ep_agenda *agenda)
{
    free(agenda->items);
}
