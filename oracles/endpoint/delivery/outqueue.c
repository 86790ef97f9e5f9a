/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/outqueue.h"

#include <stdlib.h>

void fal_outqueue_free(struct fal_outqueue *queue)
{
    free(queue->items);
    free(queue->bytes);
    *queue = (struct fal_outqueue){0};
}

int fal_outqueue_grow(struct fal_outqueue *queue, size_t len)
{
    size_t cap = queue->bytes_cap == 0 ? 4096 : queue->bytes_cap;

    if (queue->tail == queue->items_cap) {
        size_t items_cap = queue->items_cap == 0 ? 16 : queue->items_cap * 2;
        struct fal_outqueue_item *items = realloc(queue->items, items_cap * sizeof *items);

        if (items == NULL)
            return FAL_ERR_MEM;
        queue->items = items;
        queue->items_cap = items_cap;
    }
    while (cap - queue->used < len)
        cap *= 2;
    if (cap != queue->bytes_cap) {
        uint8_t *bytes = realloc(queue->bytes, cap);

        if (bytes == NULL)
            return FAL_ERR_MEM;
        queue->bytes = bytes;
        queue->bytes_cap = cap;
    }
    return 0;
}

struct fal_endpoint_out *fal_outqueue_add(struct fal_outqueue *queue,
                                          const struct fal_endpoint_out *out, size_t len,
                                          uint8_t **room)
{
    struct fal_outqueue_item *item;

    if (!fal_outqueue_room(queue, len) && fal_outqueue_grow(queue, len) < 0)
        return NULL;
    item = fal_outqueue_item(queue, len, room);
    item->out = *out;
    return &item->out;
}
