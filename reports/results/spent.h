/* SPDX-License-Identifier: Apache-2.0
 * spent.h - what a rule decided over all cases of a run, and what it excused by losses of the
 * path: whether it reads pass (judging.md, section 18). */
#ifndef TL_REPORTS_RESULTS_SPENT_H
#define TL_REPORTS_RESULTS_SPENT_H

#include "oracles/rules/judge/judge.h"

enum { TL_SPENT_LOSSES = 2, TL_SPENT_TEXT = 240 };

struct tl_spent {
    uint64_t decided, open;            /* instances of the SUT */
    uint64_t excused[TL_SPENT_LOSSES]; /* by in-loss, by out-loss: instances */
    uint64_t losses[TL_SPENT_LOSSES];  /* that explain these instances */
};

/* Adds the result of a case. */
void tl_spent_add(struct tl_spent *spent, const struct fal_rule_result *result);

/* Whether the rule reads pass over the run: it decided enough, and its excuses need no more
 * losses than are believed of a path of which so much was measured, by enum fal_dir. If the
 * losses are too many, *out says of which excuse; else out->used is 0. */
bool tl_spent_enough(const struct tl_spent *spent, const struct fal_rule *rule,
                     const struct fal_trials path[2], struct fal_suspect *out);

/* A sentence about such an excuse, with what to do. */
void tl_spent_text(const struct fal_suspect *suspect, char out[TL_SPENT_TEXT]);

/* A sentence about the path, by enum fal_dir. Returns false where nothing was measured. */
bool tl_path_text(const struct fal_trials path[2], char out[TL_SPENT_TEXT]);

#endif
