/* SPDX-License-Identifier: Apache-2.0
 * simnet_heap.h - frames under way in a binary heap by (arrival, order of entry). Part of
 * simnet.c. */
#ifndef FAL_ORACLES_SIMNET_HEAP_H
#define FAL_ORACLES_SIMNET_HEAP_H

#include "codecs/base/error.h"
#include "oracles/timeline.h"

struct fal_simnet_item {
    uint64_t due_ns, order;
    enum fal_dir dir;
    uint8_t ecn, ttl;
    uint32_t path;
    size_t len;
    uint8_t bytes[];
};

struct fal_simnet_heap {
    struct fal_simnet_item **items;
    size_t count, cap;
};

/* Frees the items too. */
void fal_simnet_heap_free(struct fal_simnet_heap *heap);

/* Makes room for one more. 0, FAL_ERR_MEM. */
MUST_USE int fal_simnet_heap_reserve(struct fal_simnet_heap *heap);

/* Takes over an item, for which there is room. */
void fal_simnet_heap_push(struct fal_simnet_heap *heap, struct fal_simnet_item *item);

/* Hands over the soonest; there must be one. */
struct fal_simnet_item *fal_simnet_heap_pop(struct fal_simnet_heap *heap);

#endif
