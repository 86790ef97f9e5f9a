/* SPDX-License-Identifier: Apache-2.0
 * verdict_impl.h - what the parts of a case's verdict share (case_verdict.c, step_verdict.c).
 */
#ifndef TL_HARNESS_VERDICT_VERDICT_IMPL_H
#define TL_HARNESS_VERDICT_VERDICT_IMPL_H

#include "codecs/text/text.h"
#include "harness/blame/symptoms.h"
#include "harness/verdict/case_verdict.h"

enum { TL_VERDICT_LINE = FAL_TEXT_MAX + 80 };

/* A copy of the text; NULL: it is empty. */
char *tl_verdict_copy(const char *text);
/* Adds a problem to the case and makes its verdict that bad at least. NULL: memory is short;
 * the verdict counts all the same. */
struct tl_problem *tl_verdict_problem(struct tl_case *out, enum tl_problem_kind kind,
                                      enum fal_verdict verdict, enum tl_reason reason);
/* The SUT has other parameters than the steps were written for: what they do not see is not its
 * fault. */
bool tl_verdict_unlike(const struct tl_session *session);
/* Whether the SUT's Rate Update Engine may have changed windows, gap or RTO by t_ns, so that
 * the SUT need not do what the steps expect of the values of `open`. */
bool tl_verdict_moved(const struct tl_session *session, uint64_t t_ns);
/* What a case says that was not decided because of this. */
extern const char tl_verdict_moved_text[];
void tl_verdict_symptoms(struct tl_problem *p, const struct tl_symptoms *symptoms);

/* ---- steps (step_verdict.c) ---- */

/* Judges the step that was missed, if one was. */
void tl_verdict_steps(struct tl_case *out, const struct tl_session *session,
                      const struct tl_scenario *scenario, struct tl_interp *interp);
/* Judges a step that was met, but only by a turnaround longer than the one that was learned. */
void tl_verdict_slow(struct tl_case *out, const struct tl_session *session,
                     const struct tl_scenario *scenario, const struct tl_interp *interp);
/* Judges steps that were met because nothing came, while the SUT or the tester did not run. */
void tl_verdict_absents(struct tl_case *out, const struct tl_session *session,
                        const struct tl_scenario *scenario, struct tl_interp *interp);

/* Takes back what may follow from a stop of the steps on a live link. */
void tl_verdict_paused(struct tl_case *out, const struct tl_session *session,
                       const struct tl_interp *interp);

#endif
