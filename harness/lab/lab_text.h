/* SPDX-License-Identifier: Apache-2.0
 * lab_text.h - the values of an experiment as text. */
#ifndef TL_HARNESS_LAB_LAB_TEXT_H
#define TL_HARNESS_LAB_LAB_TEXT_H

#include "oracles/lab/experiment.h"

#include <stdio.h>

/* Thousandths as "1.234", or a count as "1". */
void tl_lab_number_text(char out[32], int64_t milli, bool whole);
/* "at most 2.000"; empty where the value has no band. */
void tl_lab_band_text(char out[80], const struct fal_lab_value *value);
/* "2 flows, 18 ms, seed 1, join_us=5000", without a line end. */
void tl_lab_put_case(FILE *out, const struct fal_lab_experiment *e,
                     const struct fal_lab_ask *ask);
/* Prints the case and its values on standard output; with `quiet` only values outside their
 * band, with `trace` the hash of the windows and the number of events, too. Returns the number
 * of values outside. */
unsigned tl_lab_print(const struct fal_lab_experiment *e, const struct fal_lab_ask *ask,
                      const struct fal_lab_outcome *out, bool quiet, bool trace);

#endif
