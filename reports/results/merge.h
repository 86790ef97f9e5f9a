/* SPDX-License-Identifier: Apache-2.0
 * merge.h - results of several runs as those of one: shards of a run, and cases that ran again.
 * Merged shards equal the unsharded run: same cases, same order, same bytes. Of a case that
 * several results have, what the SUT did wrong stays: a fail or a warning counts whatever came
 * before or after it; a verdict that says nothing about the SUT (inconclusive, error, not run)
 * gives way to one that does; of equals the last given counts. All are listed as attempts. */
#ifndef TL_REPORTS_RESULTS_MERGE_H
#define TL_REPORTS_RESULTS_MERGE_H

#include "codecs/base/error.h"
#include "reports/results/results.h"

enum {
    TL_MERGE_PARTIAL = 1,  /* shards may be missing */
    TL_MERGE_REPEATED = 2, /* several results may be of one shard: it was run again */
};

/* Merges `n` results, which are all in memory and stay the caller's; *out borrows from them and
 * may be changed by no one; tl_merge_free gives back what is its own. `allow`: TL_MERGE_... 0;
 * FAL_ERR_FORM with `err` where they are not of one SUT, tool, seed, ICS, selection or
 * sharding, or shards are missing or there twice; FAL_ERR_MEM. */
MUST_USE int tl_merge(struct tl_results *const *all, const char *const *names, size_t n,
                      unsigned allow, struct tl_results *out, struct fal_error *err);
void tl_merge_free(struct tl_results *out);

#endif
