/* SPDX-License-Identifier: Apache-2.0
 * run_verdict.h - what a case came to: the worst of its steps, the rules, the rules it
 * should have exercised, and the bench itself. */
#ifndef TL_HARNESS_RUN_RUN_VERDICT_H
#define TL_HARNESS_RUN_RUN_VERDICT_H

#include "harness/play/interp.h"
#include "reports/results/results.h"

/* Fills in verdict, problems, rules and duration of a session that is finished; `interp` is
 * NULL when no step was played. `whole`: the whole conversation, too. */
void tl_case_judge(struct tl_case *out, const struct tl_session *session,
                   const struct tl_scenario *scenario, const struct tl_interp *interp,
                   bool whole);

/* The case came to no end that says anything. */
void tl_case_undecided(struct tl_case *out, enum tl_reason reason, const char *what);

/* The bench broke: an error. */
void tl_case_broken(struct tl_case *out, enum tl_reason reason, const char *what);

#endif
