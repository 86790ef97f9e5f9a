/* SPDX-License-Identifier: Apache-2.0
 * cc_told.h - the estimates of a measurement as text and as JSON. */
#ifndef TL_HARNESS_CC_CC_TOLD_H
#define TL_HARNESS_CC_CC_TOLD_H

#include "harness/cc/cc_measure.h"

#include <stdio.h>

/* The middle of an interval; where it has no upper end, its lower end. */
double tl_cc_estimate(const struct tl_cc_range *range);

/* A line for each parameter, and how many rounds were played. Returns 0, or FAL_ERR_IO. */
int tl_cc_told_print(const struct tl_cc_measure *m, FILE *out);
/* The same as an object of schema talon/cc-measure/1, with the points of the picture. Returns
 * 0, FAL_ERR_IO or FAL_ERR_MEM. */
int tl_cc_told_json(const struct tl_cc_measure *m, FILE *out);

#endif
