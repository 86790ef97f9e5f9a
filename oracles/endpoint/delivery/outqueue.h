/* SPDX-License-Identifier: Apache-2.0
 * outqueue.h - outputs that wait for the caller, with their bytes: packets, payloads, words.
 * The storage is used again once everything was taken. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_OUTQUEUE_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_OUTQUEUE_H

#include "codecs/base/error.h"
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

/* Adds a copy of *out with room for `len` bytes, which the caller fills in at *room. Its own
 * pointer is set when it is taken. Returns the copy, which is valid until the next add, or NULL
 * when out of memory: nothing was added. */
struct fal_endpoint_out *fal_outqueue_add(struct fal_outqueue *queue,
                                          const struct fal_endpoint_out *out, size_t len,
                                          uint8_t **room);

/* The same for an empty output of that kind, which the caller may fill in. */
struct fal_endpoint_out *fal_outqueue_put(struct fal_outqueue *queue, enum fal_out_kind kind,
                                          size_t len, uint8_t **room);

/* The oldest, its pointer set (bytes, payload or what, by kind), or NULL; valid until the next
 * add. */
const struct fal_endpoint_out *fal_outqueue_take(struct fal_outqueue *queue);

#endif
