/* SPDX-License-Identifier: Apache-2.0
 * ladder.h - cuts the ladder diagram of a case out of its timeline. */
#ifndef TL_HARNESS_RUN_LADDER_H
#define TL_HARNESS_RUN_LADDER_H

#include "codecs/base/error.h"
#include "reports/results/results.h"

/* Fills in c->flow from the lines of talon/timeline/1: the events around the packets that show
 * the case's problems, or with `whole` all events that a diagram can show. Returns 0, or
 * FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_ladder_make(const char *timeline, size_t len, bool whole, struct tl_case *c,
                            struct fal_error *err);

#endif
