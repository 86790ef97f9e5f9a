/* SPDX-License-Identifier: Apache-2.0
 * check_merge.h - the results of the parts of a capture (check_team.h) become those of the
 * whole, in the order in which one thread finds them. */
#ifndef TL_HARNESS_CHECK_CHECK_MERGE_H
#define TL_HARNESS_CHECK_CHECK_MERGE_H

#include "harness/check/check.h"

struct tl_check_merged;

/* Merges the parts, which are finished. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_check_merge(struct tl_check *whole);
void tl_check_unmerge(struct tl_check *whole); /* frees what merging added */

#endif
