/* SPDX-License-Identifier: Apache-2.0
 * ladder.h - what a ladder diagram of a case shows, out of its timeline. */
#ifndef TL_HARNESS_RUN_LADDER_H
#define TL_HARNESS_RUN_LADDER_H

#include "codecs/base/error.h"
#include "reports/results/results.h"

/* Fills in c->flow from the lines of talon/timeline/1: what lies around the packets that show
 * its problems, or with `whole` all of it, as far as a diagram can show it. 0, FAL_ERR_FORM,
 * FAL_ERR_MEM with `err`. */
MUST_USE int tl_ladder_make(const char *timeline, size_t len, bool whole, struct tl_case *c,
                            struct fal_error *err);

#endif
