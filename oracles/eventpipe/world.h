/* SPDX-License-Identifier: Apache-2.0
 * world.h - a random world around an event pipeline: flows that send bursts at the rate that
 * the pipeline gives them, a network that marks, loses and delays, responders of RTT packets,
 * and firmware. The same configuration gives the same trace. */
#ifndef FAL_ORACLES_EVENTPIPE_WORLD_H
#define FAL_ORACLES_EVENTPIPE_WORLD_H

#include "oracles/eventpipe/pipe.h"

struct fal_ep_world_config {
    uint64_t seed;
    uint64_t events; /* the world comes to rest after so many events at the sources */
    uint32_t flows;  /* 0: 48 */
    enum fal_ep_fault fault;
    uint32_t variants; /* bit i: enum fal_ep_variant i */
    /* NULL: the built-in algorithm. */
    const struct fal_ep_algorithm *algorithm;
    void (*trace)(void *ctx, const struct fal_ep_event *event); /* may be NULL */
    void *ctx;
};

/* What is declared of the pipeline in this world. Sizes are drawn by the seed. */
struct fal_ep_setup fal_ep_world_setup(const struct fal_ep_world_config *config);

/* Plays the world until it is at rest. Returns 0, FAL_ERR_RANGE or FAL_ERR_MEM with `err`, or
 * the error of the algorithm, which has its own words. */
MUST_USE int fal_ep_world_run(const struct fal_ep_world_config *config,
                              struct fal_ep_counts *counts, struct fal_error *err);

#endif
