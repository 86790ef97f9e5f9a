/* SPDX-License-Identifier: Apache-2.0
 * failed_from.h - `talon run --failed-from`: only the cases that did not pass in saved results.
 */
#ifndef TL_HARNESS_RUN_FAILED_FROM_H
#define TL_HARNESS_RUN_FAILED_FROM_H

#include "codecs/base/error.h"
#include "harness/suite/plan.h"

/* Keeps the cases of the plan that failed, were inconclusive, in error or not run in the
 * results at `path` (a file, or a directory with evidence). *gone: how many such cases the plan
 * does not have. Returns 0, or FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`, which names
 * the file. */
MUST_USE int tl_plan_failed(struct tl_plan *plan, const char *path, size_t *gone,
                            struct fal_error *err);

#endif
