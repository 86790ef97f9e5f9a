/* SPDX-License-Identifier: Apache-2.0
 * outqueue.h - outputs that wait for the caller, with their bytes: packets, payloads, words.
 * The storage is used again once everything was taken. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_OUTQUEUE_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_OUTQUEUE_H

#include "codecs/base/error.h"
#include "codecs/base/zero.h"
#include "oracles/endpoint/endpoint.h"

struct fal_outqueue_item {
    struct fal_endpoint_out out; /* without its pointer */
    size_t offset, len;          /* of its bytes */
};

struct fal_outqueue {
    struct fal_outqueue_item *items;
    size_t head, tail, items_cap;
    uint8_t *bytes;
    size_t used, bytes_cap;
};

void fal_outqueue_free(struct fal_outqueue *queue);

static inline bool fal_outqueue_empty(const struct fal_outqueue *queue)
{
    return queue->head == queue->tail;
}

/* Makes room for one more item and `len` more bytes. 0, or FAL_ERR_MEM. */
MUST_USE int fal_outqueue_grow(struct fal_outqueue *queue, size_t len);

/* Whether there is room for one more item and `len` more bytes. Uses the storage again once all
 * was taken. */
static inline bool fal_outqueue_room(struct fal_outqueue *queue, size_t len)
{
    if (fal_outqueue_empty(queue))
        queue->head = queue->tail = queue->used = 0;
    return queue->tail < queue->items_cap && queue->bytes_cap - queue->used >= len;
}

/* An item with room for `len` bytes at *room, which there is; its output is to be written. */
static inline struct fal_outqueue_item *fal_outqueue_item(struct fal_outqueue *queue,
                                                          size_t len, uint8_t **room)
{
    struct fal_outqueue_item *item = &queue->items[queue->tail++];

    item->offset = queue->used;
    item->len = len;
    *room = queue->bytes + queue->used;
    queue->used += len;
    return item;
}

/* Adds a copy of *out with room for `len` bytes, which the caller fills in at *room. Its own
 * pointer is set when it is taken. Returns the copy, which is valid until the next add, or NULL
 * when out of memory: nothing was added. */
struct fal_endpoint_out *fal_outqueue_add(struct fal_outqueue *queue,
                                          const struct fal_endpoint_out *out, size_t len,
                                          uint8_t **room);

/* The same for an empty output of that kind, which the caller may fill in, where there is room.
 */
static inline struct fal_endpoint_out *
fal_outqueue_put(struct fal_outqueue *queue, enum fal_out_kind kind, size_t len, uint8_t **room)
{
    struct fal_outqueue_item *item = fal_outqueue_item(queue, len, room);

    fal_zero(&item->out, sizeof item->out);
    item->out.kind = kind;
    return &item->out;
}

/* The oldest, its pointer set (bytes, payload or what, by kind), or NULL; valid until the next
 * add. */
static inline const struct fal_endpoint_out *fal_outqueue_take(struct fal_outqueue *queue)
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

#endif
