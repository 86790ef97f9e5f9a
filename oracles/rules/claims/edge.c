/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/claims/edge.h"

struct fal_beyond *fal_edge_find(const struct fal_bag *bag, enum fal_window window, int64_t x)
{
    for (unsigned i = 0; i < bag->num; i++) {
        struct fal_beyond *item = FAL_BAG(bag, struct fal_beyond, i);

        if (item->window == window && item->x == x)
            return item;
    }
    return NULL;
}

void fal_edge_sent(struct fal_ctx *c, struct fal_bag *bag, const struct fal_seen *p)
{
    const struct fal_stream *stream;
    struct fal_beyond *item;

    if (!p->reliable)
        return;
    stream = fal_in_stream(c, p->window);
    item = fal_edge_find(bag, p->window, p->x);
    if (item == NULL) {
        if (!stream->based || p->doubtful ||
            p->x < stream->base + (int64_t)fal_window_size(p->window) ||
            p->x > stream->base + INT32_MAX - (int64_t)fal_window_size(p->window) ||
            (p->prior != NULL && (p->prior->flags & FAL_SENT_BEYOND) == 0))
            return;
        if (bag->num == FAL_EDGE_MAX)
            fal_bag_remove(bag, sizeof *item, 0);
        item = fal_bag_add(bag, sizeof *item, FAL_EDGE_MAX);
        if (item == NULL) {
            c->track->oom = true;
            return;
        }
        item->x = p->x;
        item->window = (uint8_t)p->window;
    }
    item->copy = p->at;
    item->refused = item->ripe = false;
    item->told = 0;
}

bool fal_edge_refused(const struct fal_ctx *c, const struct fal_beyond *item,
                      const struct fal_seen *q)
{
    return item->x >= q->claim[item->window].base +
                          (int64_t)fal_window_size((enum fal_window)item->window) &&
           fal_surely_arrived(c, &item->copy, q);
}
