/* SPDX-License-Identifier: Apache-2.0
 * occupancy.h - how full a pool of receive resources is, as ACKs report it (10.2): a moving
 * average of its occupancy, in one of 32 levels. Pure.
 * Guarantee: with alpha 1024 the average is the occupancy; the level is the number of
 * thresholds that the average has reached (AMB-44). */
#ifndef FAL_ORACLES_ENDPOINT_TRANSACTION_OCCUPANCY_H
#define FAL_ORACLES_ENDPOINT_TRANSACTION_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

enum { FAL_LEVEL_THRESHOLDS = 31, FAL_ALPHA_ONE = 1024 };

struct fal_occupancy {
    uint32_t alpha;                           /* 1..FAL_ALPHA_ONE, in 1/1024 */
    uint32_t threshold[FAL_LEVEL_THRESHOLDS]; /* rising, in the pool's units */
    uint64_t average;                         /* in 1/1024 of a unit */
};

/* Thresholds at every 32nd part of `capacity`; alpha 0: FAL_ALPHA_ONE. */
void fal_occupancy_init(struct fal_occupancy *pool, uint32_t capacity, uint32_t alpha);

/* The pool has another size from now on, with thresholds as above; the average stays. */
void fal_occupancy_resize(struct fal_occupancy *pool, uint32_t capacity);

/* The occupancy has changed, to `used`. */
void fal_occupancy_update(struct fal_occupancy *pool, uint64_t used);

/* 0..31. `below`: an average that stands on a threshold counts for the level below it, which
 * the text allows as well. */
unsigned fal_occupancy_level(const struct fal_occupancy *pool, bool below);

#endif
