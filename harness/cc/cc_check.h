/* SPDX-License-Identifier: Apache-2.0
 * cc_check.h - compares the result of a vector with the reference model. */
#ifndef TL_HARNESS_CC_CC_CHECK_H
#define TL_HARNESS_CC_CC_CHECK_H

#include "harness/cc/cc_line.h"

/* Makes the result that the reference model gives. `state` is that of the line before, and is
 * emptied unless the line keeps it. The parameters are valid. */
void tl_cc_expect(const struct tl_cc_line *line, struct fal_cc_state *state,
                  struct fal_cc_result *expected);

/* Compares line->result. Returns whether they agree; else `what` names the first field that
 * differs, the expected value and the value found. ncwnd_direction is not compared where ncwnd
 * did not move (AMB-80). */
bool tl_cc_same(const struct tl_cc_line *line, const struct fal_cc_result *expected, char *what,
                size_t cap);

#endif
