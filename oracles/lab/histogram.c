/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/histogram.h"

/* Values below 128 have a bin each; from then on each doubling has 128 bins. */
static unsigned bin_of(uint64_t value)
{
    unsigned shift;

    if (value < FAL_LAB_STEPS)
        return (unsigned)value;
    shift = 63 - (unsigned)__builtin_clzll(value) - 7;
    return (shift + 1) * FAL_LAB_STEPS + (unsigned)((value >> shift) - FAL_LAB_STEPS);
}

static uint64_t middle_of(unsigned bin)
{
    unsigned shift;

    if (bin < FAL_LAB_STEPS)
        return bin;
    shift = bin / FAL_LAB_STEPS - 1;
    return ((uint64_t)(FAL_LAB_STEPS + bin % FAL_LAB_STEPS) << shift) +
           (UINT64_C(1) << shift) / 2;
}

void fal_lab_histogram_add(struct fal_lab_histogram *histogram, uint64_t value)
{
    histogram->bins[bin_of(value)]++;
    histogram->count++;
    histogram->sum += value;
}

uint64_t fal_lab_histogram_quantile(const struct fal_lab_histogram *histogram,
                                    unsigned permille)
{
    uint64_t due = histogram->count * permille / 1000, seen = 0;

    for (unsigned i = 0; i < FAL_LAB_BINS; i++) {
        seen += histogram->bins[i];
        if (seen > due)
            return middle_of(i);
    }
    return 0;
}
