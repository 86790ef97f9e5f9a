/* SPDX-License-Identifier: Apache-2.0
 * timers.h - the next deadline of each connection, in a binary heap that knows where each one
 * stands. Those due together come in the order of their numbers, so that runs repeat. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_TIMERS_H
#define FAL_ORACLES_ENDPOINT_BASE_TIMERS_H

#include "codecs/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct fal_timer {
    uint64_t at_ns;
    uint32_t id;
};

/* Invariants: heap[place[id] - 1].id is `id`; no timer is later than its children, heap[2i + 1]
 * and heap[2i + 2]; none is FAL_NEVER. */
struct fal_timers {
    struct fal_timer *heap;
    uint32_t *place; /* by id: its index in the heap + 1, or 0 */
    uint32_t count, ids;
};

void fal_timers_free(struct fal_timers *timers);

/* Makes room for ids below `ids`, so that setting one cannot fail. 0, FAL_ERR_MEM. */
MUST_USE int fal_timers_reserve(struct fal_timers *timers, uint32_t ids);

/* Sets the deadline of `id`, for which there is room; FAL_NEVER removes it. */
void fal_timers_set(struct fal_timers *timers, uint32_t id, uint64_t at_ns);

/* The earliest, or {FAL_NEVER, 0}. */
struct fal_timer fal_timers_first(const struct fal_timers *timers);

#endif
