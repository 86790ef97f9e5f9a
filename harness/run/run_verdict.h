/* SPDX-License-Identifier: Apache-2.0
 * run_verdict.h - computes the verdict of a case: the worst of its steps, the rules, the rules
 * that it should have exercised, and the bench itself. */
#ifndef TL_HARNESS_RUN_RUN_VERDICT_H
#define TL_HARNESS_RUN_RUN_VERDICT_H

#include "harness/play/interp.h"
#include "reports/results/results.h"

/* Fills in verdict, problems, rules and duration of a finished session; `interp` is NULL when
 * no step was played. `whole`: keep the whole conversation, too. */
void tl_case_judge(struct tl_case *out, const struct tl_session *session,
                   const struct tl_scenario *scenario, struct tl_interp *interp, bool whole);

/* Ends the case as inconclusive with that reason. */
void tl_case_undecided(struct tl_case *out, enum tl_reason reason, const char *what);

/* Ends the case as an error: the bench failed. */
void tl_case_broken(struct tl_case *out, enum tl_reason reason, const char *what);

/* Whether the case ended because it needs what the SUT's adapter does not offer, or a
 * connection that the SUT does not open: it says nothing about the SUT. */
bool tl_case_beyond(const struct tl_case *c);

#endif
