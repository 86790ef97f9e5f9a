/* SPDX-License-Identifier: Apache-2.0
 * simnet_wire.h - the bottleneck of one direction: frames leave it at its rate, one after the
 * other; what waits is its queue. Part of simnet.c. */
#ifndef FAL_ORACLES_SIMNET_WIRE_H
#define FAL_ORACLES_SIMNET_WIRE_H

#include "oracles/simnet.h"

struct fal_simnet_wire {
    uint64_t busy_until_ns; /* when the last frame in the queue will have left */
};

enum fal_simnet_pass { FAL_SIMNET_PASSED, FAL_SIMNET_FULL };

/* A frame of `len` bytes reaches the queue at now_ns. PASSED: when it has left in *left_ns, and
 * whether the queue was long enough to mark it in *mark. FULL: it found no room, and nothing
 * has changed. */
enum fal_simnet_pass fal_simnet_wire_pass(struct fal_simnet_wire *wire,
                                          const struct fal_impairment *impair, size_t len,
                                          uint64_t now_ns, uint64_t *left_ns, bool *mark);

/* a + b without wrapping: what would come after the end of time comes at its end. */
static inline uint64_t fal_simnet_later(uint64_t a, uint64_t b)
{
    return b > FAL_NEVER - 1 - a ? FAL_NEVER - 1 : a + b;
}

#endif
