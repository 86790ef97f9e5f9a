/* SPDX-License-Identifier: Apache-2.0
 * cc_measure_testing.h - for tests: drawn parameters, and what an estimate must exclude. */
#ifndef TL_HARNESS_CC_CC_MEASURE_TESTING_H
#define TL_HARNESS_CC_CC_MEASURE_TESTING_H

#include "harness/cc/cc_measure.h"
#include "oracles/rng.h"

static inline double some(struct fal_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * (double)fal_rng_below(rng, 1 << 20) / (1 << 20);
}

/* Parameters that a device might have. */
static inline void drawn(uint64_t seed, struct fal_swift_params *p)
{
    struct fal_rng rng = fal_rng_split(seed, 1);

    fal_swift_params_default(p);
    p->fabric_additive_increment = some(&rng, 0.2, 3);
    p->max_fabric_multiplicative_decrease_factor = some(&rng, 0.2, 0.6);
    p->fabric_multiplicative_decrease_factor =
        some(&rng, 1.3 * p->max_fabric_multiplicative_decrease_factor, 1);
    p->base_delay_target = 80 + (double)fal_rng_below(&rng, 300);
    p->topology_scaling_per_hop = some(&rng, 2, 20);
    p->target_rx_buffer_level = (double)fal_rng_below(&rng, 32);
    p->max_flow_scaling = some(&rng, 100, 800);
    p->max_ncwnd = 200;
}

/* Each parameter is declared. */
static inline struct tl_cc_declared declared_all(const struct fal_swift_params *params)
{
    struct tl_cc_declared declared = {.params = *params};

    for (int i = 0; i < TL_CC_MEASURED; i++)
        declared.given[i] = true;
    return declared;
}

/* Whether a declared value that is 20 % off, to either side, would be excluded. */
static inline bool excludes_wrong(const struct tl_cc_range *range, double value)
{
    return value * 1.2 > range->hi && value * 0.8 < range->lo;
}

#endif
