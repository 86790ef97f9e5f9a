/* SPDX-License-Identifier: Apache-2.0
 * heap.h - the events to come of a simulated fabric, in a binary heap by (time, order of
 * entry). Times are picoseconds, so that no time of a packet on a link is rounded. */
#ifndef FAL_ORACLES_LAB_HEAP_H
#define FAL_ORACLES_LAB_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAL_LAB_US    UINT64_C(1000000)
#define FAL_LAB_MS    UINT64_C(1000000000)
#define FAL_LAB_NEVER UINT64_MAX

enum fal_lab_kind {
    FAL_LAB_DEPART, /* a queue has sent its first packet */
    FAL_LAB_ARRIVE, /* a packet is at the end of a link */
    FAL_LAB_TAKEN,  /* the receiver has taken a packet out of its buffer */
    FAL_LAB_ACK,    /* the acknowledgement of a packet is at its sender */
    FAL_LAB_TIMER,  /* of a flow */
};

struct fal_lab_item {
    uint64_t due_ps, order;
    enum fal_lab_kind kind;
    uint32_t index; /* of the queue, the packet or the flow */
};

struct fal_lab_heap {
    struct fal_lab_item *items;
    size_t count, cap;
    uint64_t order;
    bool out_of_memory; /* an item could not be added */
};

void fal_lab_heap_push(struct fal_lab_heap *heap, uint64_t due_ps, enum fal_lab_kind kind,
                       uint32_t index);
/* Returns false when it is empty. */
bool fal_lab_heap_pop(struct fal_lab_heap *heap, struct fal_lab_item *out);
void fal_lab_heap_free(struct fal_lab_heap *heap);

#endif
