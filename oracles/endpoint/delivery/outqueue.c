/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/outqueue.h"

#include "codecs/base/zero.h"

#include <stdlib.h>

void fal_outqueue_free(struct fal_outqueue *queue)
{
    free(queue->items);
    free(queue->bytes);
    *queue = (struct fal_outqueue){0};
}

/* Makes room for one more item and `len` more bytes. */
static __attribute__((noinline)) int grow(struct fal_outqueue *queue, size_t len)
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

/* An item with room for `len` bytes, its output to be written; NULL when out of memory. */
static struct fal_endpoint_out *add(struct fal_outqueue *queue, size_t len, uint8_t **room)
{
    struct fal_outqueue_item *item;

    if (fal_outqueue_empty(queue))
        queue->head = queue->tail = queue->used = 0;
    if ((queue->tail == queue->items_cap || queue->bytes_cap - queue->used < len) &&
        grow(queue, len) < 0)
        return NULL;
    item = &queue->items[queue->tail++];
    item->offset = queue->used;
    item->len = len;
    *room = queue->bytes + queue->used;
    queue->used += len;
    return &item->out;
}

struct fal_endpoint_out *fal_outqueue_add(struct fal_outqueue *queue,
                                          const struct fal_endpoint_out *out, size_t len,
                                          uint8_t **room)
{
    struct fal_endpoint_out *own = add(queue, len, room);

    if (own != NULL)
        *own = *out;
    return own;
}

struct fal_endpoint_out *fal_outqueue_put(struct fal_outqueue *queue, enum fal_out_kind kind,
                                          size_t len, uint8_t **room)
{
    struct fal_endpoint_out *own = add(queue, len, room);

    if (own == NULL)
        return NULL;
    fal_zero(own, sizeof *own);
    own->kind = kind;
    return own;
}

const struct fal_endpoint_out *fal_outqueue_take(struct fal_outqueue *queue)
{
    struct fal_outqueue_item *item;
    const uint8_t *bytes;

    if (fal_outqueue_empty(queue))
        return NULL;
    item = &queue->items[queue->head++];
    bytes = queue->bytes + item->offset;
    /* Tests in place of a switch: its jump table is mispredicted for each second output. */
    if (item->out.kind == FAL_OUT_PACKET || item->out.kind == FAL_OUT_RUE) {
        item->out.bytes = bytes;
        item->out.len = item->len;
    } else if (item->out.kind == FAL_OUT_REQUEST || item->out.kind == FAL_OUT_COMPLETE) {
        item->out.payload = bytes;
        item->out.payload_len = (uint32_t)item->len;
    } else if (item->out.kind != FAL_OUT_CREDITS) {
        item->out.what = (const char *)bytes;
    }
    return &item->out;
}
