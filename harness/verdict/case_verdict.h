/* SPDX-License-Identifier: Apache-2.0
 * case_verdict.h - computes the verdict of a case: the worst of its steps, the rules, the rules
 * that it should have exercised, and the bench itself. */
#ifndef TL_HARNESS_VERDICT_CASE_VERDICT_H
#define TL_HARNESS_VERDICT_CASE_VERDICT_H

#include "harness/play/interp.h"
#include "reports/results/results.h"

/* Fills in verdict, problems, rules and duration of a finished session; `interp` is NULL when
 * no step was played. `whole`: keep the whole conversation, too. */
void tl_case_judge(struct tl_case *out, const struct tl_session *session,
                   const struct tl_scenario *scenario, struct tl_interp *interp, bool whole);

/* Gives the case that verdict, if it is worse than its own. */
void tl_case_worsen(struct tl_case *c, enum fal_verdict verdict, enum tl_reason reason);
/* Fills in the packets around a problem: the marked ones (numbers of the session's log), the
 * newest with its neighbours. Without any: the last packets. */
void tl_case_ladder(struct tl_problem *p, const struct tl_session *session,
                    const uint64_t *marked, size_t n);

/* Ends the case as inconclusive with that reason. */
void tl_case_undecided(struct tl_case *out, enum tl_reason reason, const char *what);

/* Ends the case as an error: the bench failed. */
void tl_case_broken(struct tl_case *out, enum tl_reason reason, const char *what);

/* Whether the case ended because it needs what the SUT's adapter does not offer, or a
 * connection that the SUT does not open: it says nothing about the SUT. */
bool tl_case_beyond(const struct tl_case *c);

/* ---- cases in which the SUT itself stopped (case_stop.c) ----
 * Its process ended or did not answer after it was given a packet, or a live SUT ended its
 * control channel. */

/* Judges the end of a broken session. Returns false when it is no stop of this kind: then the
 * bench failed. A stop of a SUT in virtual time is a fail, which a replay must confirm; the
 * loss of a live SUT's control channel is inconclusive. */
bool tl_case_take_stop(struct tl_case *out, const struct tl_session *session);
/* Whether the case ended in that way. */
bool tl_case_stopped(const struct tl_case *c);
/* *out is the result of a replay of the case that came to *first; at least one of them
 * stopped. If both did, *out is the fail; else it is inconclusive at least. */
void tl_case_settle_stop(struct tl_case *out, const struct tl_case *first);

#endif
