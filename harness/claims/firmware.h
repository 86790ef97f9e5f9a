/* SPDX-License-Identifier: Apache-2.0
 * firmware.h - versions of firmware, and ranges of them: ">=1.2 <2.0". */
#ifndef TL_HARNESS_CLAIMS_FIRMWARE_H
#define TL_HARNESS_CLAIMS_FIRMWARE_H

#include "codecs/base/error.h"

#include <stdbool.h>

/* Below, at or above 0 as `a` is older than, the same as, or newer than `b`. Parts stand
 * between '.', '-', '_' and '+'; numbers compare as numbers, a missing part is 0, and a word
 * comes before any number: 1.2-rc1 before 1.2, which is 1.2.0. */
int tl_firmware_compare(const char *a, const char *b);

/* Whether `range` is one: comparisons (=, <, <=, >, >=; none is =) separated by spaces or
 * commas, which must all hold. 0, or FAL_ERR_FORM with a clause in `err`. */
MUST_USE int tl_firmware_range_check(const char *range, struct fal_error *err);

/* Whether the version lies in a range that was checked. An empty version lies in none. */
bool tl_firmware_in(const char *range, const char *version);

#endif
