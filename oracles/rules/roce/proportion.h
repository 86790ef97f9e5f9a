/* SPDX-License-Identifier: Apache-2.0
 * proportion.h - the band of a probability by Clopper and Pearson (1934): exact, for any number
 * of trials. */
#ifndef FAL_ORACLES_RULES_ROCE_PROPORTION_H
#define FAL_ORACLES_RULES_ROCE_PROPORTION_H

#include <stdint.h>

struct fal_roce_band {
    double lo, hi;
};

/* The probabilities that `hits` of `trials` do not exclude; a true one is excluded with a
 * probability of at most `alarm`. */
struct fal_roce_band fal_rj_proportion(uint64_t hits, uint64_t trials, double alarm);

#endif
