/* SPDX-License-Identifier: Apache-2.0
 * diff.h - what has become otherwise between two results. */
#ifndef TL_REPORTS_RESULTS_DIFF_H
#define TL_REPORTS_RESULTS_DIFF_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "reports/results/results.h"

#include <stdio.h>

enum tl_change {
    TL_CHANGE_FAILS,     /* a new failure or error */
    TL_CHANGE_UNDECIDED, /* inconclusive, and was not */
    TL_CHANGE_OTHERWISE, /* fails as before, but in another way */
    TL_CHANGE_SKIPPED,   /* ran, and does no more */
    TL_CHANGE_GONE,      /* the old results have it, the new have not */
    TL_CHANGE_WARNS,     /* passed, and warns now */
    TL_CHANGE_FIXED,     /* failed or was undecided, and passes */
    TL_CHANGE_ADDED,     /* the new results have it, the old have not */
    TL_CHANGE_RUNS,      /* did not run, and does */
    TL_CHANGES,
};

#define TL_DIFF_SCHEMA "talon/diff/1"

enum tl_diff_format { TL_DIFF_TEXT, TL_DIFF_MARKDOWN, TL_DIFF_JSON };

/* Writes what changed; *count gets how many cases of each change there are. Memory grows with
 * the number of cases, not with what they hold. 0, FAL_ERR_MEM, FAL_ERR_IO, or why cases could
 * not be had, with `err`. */
MUST_USE int tl_diff_write(FILE *out, enum tl_diff_format format, const struct tl_results *old,
                           const struct tl_results *now, size_t count[TL_CHANGES],
                           struct fal_error *err);

/* Only counts what changed. Errors as of tl_diff_write. */
MUST_USE int tl_diff_count(const struct tl_results *old, const struct tl_results *now,
                           size_t count[TL_CHANGES], struct fal_error *err);

/* Whether there is a regression: a new failure or error, or one newly undecided; with `strict`
 * also a case that fails in another way, runs no more, or is gone. */
bool tl_diff_regressed(const size_t count[TL_CHANGES], bool strict);

/* "new failure", "newly undecided", "fails otherwise", "no longer run", "gone", "new warning",
 * "fixed", "new case", "runs again". */
const char *tl_change_name(enum tl_change change);

/* The members of what TL_DIFF_JSON writes. */
extern const struct fal_shape tl_diff_shape;

#endif
