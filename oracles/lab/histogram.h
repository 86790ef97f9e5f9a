/* SPDX-License-Identifier: Apache-2.0
 * histogram.h - many values in few counters, each 1/128 wide of its value: a quantile is right
 * within 0.4 %. The mean is exact. */
#ifndef FAL_ORACLES_LAB_HISTOGRAM_H
#define FAL_ORACLES_LAB_HISTOGRAM_H

#include <stdint.h>

enum { FAL_LAB_STEPS = 128, FAL_LAB_BINS = FAL_LAB_STEPS * 58 };

struct fal_lab_histogram {
    uint64_t count, sum;
    uint64_t bins[FAL_LAB_BINS];
};

void fal_lab_histogram_add(struct fal_lab_histogram *histogram, uint64_t value);
/* The value below which `permille` of them lie; 0: there are none. */
uint64_t fal_lab_histogram_quantile(const struct fal_lab_histogram *histogram,
                                    unsigned permille);

#endif
