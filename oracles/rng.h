/* SPDX-License-Identifier: Apache-2.0
 * rng.h - splitmix64: all randomness flows from one printed seed through values of this type.
 * Not for keys. */
#ifndef FAL_ORACLES_RNG_H
#define FAL_ORACLES_RNG_H

#include <stdint.h>

struct fal_rng {
    uint64_t state;
};

static inline uint64_t fal_rng_next(struct fal_rng *rng)
{
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The generator as it is after n more numbers. */
static inline struct fal_rng fal_rng_skip(struct fal_rng rng, uint64_t n)
{
    rng.state += n * UINT64_C(0x9e3779b97f4a7c15);
    return rng;
}

/* Uniform in [0, n), n > 0; the bias for n below 2^32 is under 2^-32. */
static inline uint64_t fal_rng_below(struct fal_rng *rng, uint64_t n)
{
    return fal_rng_next(rng) % n;
}

/* A generator of its own for a named part of a run, so that parts do not disturb each other. */
static inline struct fal_rng fal_rng_split(uint64_t seed, uint64_t part)
{
    struct fal_rng rng = {seed ^ (part * UINT64_C(0xd1342543de82ef95))};

    (void)fal_rng_next(&rng);
    return rng;
}

#endif
