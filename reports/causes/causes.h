/* SPDX-License-Identifier: Apache-2.0
 * causes.h - from many failures to few causes. One violation makes many cases fail, by several
 * rules and steps; the reader wants to know which requirement is violated, and which failures
 * only follow from that.
 *
 * Each failure is evidence against some requirements: those of its symptoms, of the rule, of
 * the step. A requirement is the more suspect the more of the failed cases show it, and the
 * fewer of the cases that passed cover it (the coefficient of Ochiai, known from fault
 * localisation). The most suspect one is the first cause, with all cases that show it; then the
 * same for the cases that are left. A later cause follows from an earlier one when most of its
 * cases show that one, too, or when nothing but missed steps and missing packets shows it. */
#ifndef TL_REPORTS_CAUSES_CAUSES_H
#define TL_REPORTS_CAUSES_CAUSES_H

#include "codecs/base/error.h"
#include "reports/results/results.h"

enum { TL_CAUSES_MAX = 64, TL_CAUSE_TEXT = 400 };

/* Which cause explains a case that did not pass. */
struct tl_explained {
    size_t number; /* of the case in the results, from 0 */
    int cause;     /* index; -1: none of those that are kept */
};

struct tl_causes {
    struct tl_cause list[TL_CAUSES_MAX];
    size_t count;
    struct tl_explained *cases; /* by number */
    size_t num_cases;
    size_t failed;      /* cases that count as failed */
    size_t unexplained; /* cases beyond TL_CAUSES_MAX causes */
    struct fal_arena arena;
};

/* Two passes over the cases; memory grows with those that did not pass. 0, FAL_ERR_MEM, or why
 * the cases could not be had, with `err` (may be NULL); free it all the same. */
MUST_USE int tl_causes_make(const struct tl_results *results, struct tl_causes *out,
                            struct fal_error *err);
void tl_causes_free(struct tl_causes *causes);

/* For writers that may have got the causes with their options: *use gets `given`, or else those
 * of the results, which *own gets, too. 0, or an error of tl_causes_make. In any case
 * tl_causes_drop frees *own, which may be NULL. */
MUST_USE int tl_causes_use(const struct tl_results *results, const struct tl_causes *given,
                           struct tl_causes **own, const struct tl_causes **use);
void tl_causes_drop(struct tl_causes *own);

/* One sentence: "The SUT acknowledges a push before its upper layer has accepted it." */
void tl_cause_sentence(const struct tl_cause *cause, char out[TL_CAUSE_TEXT]);

/* Whether the one cause is that the SUT sent no packet in the whole run. */
bool tl_causes_silent(const struct tl_causes *causes);

/* The cause of the case of that number, or NULL. */
const struct tl_cause *tl_causes_of(const struct tl_causes *causes, size_t number);
/* The problem of the case that shows the cause best; NULL: the case has no problem. */
const struct tl_problem *tl_cause_problem(const struct tl_case *c,
                                          const struct tl_cause *cause);

/* Whether an independent cause shows that the requirement is violated. */
bool tl_causes_broken(const struct tl_causes *causes,
                      const struct fal_requirement *requirement);

struct tl_overview;
/* Books as violated only the requirements that an independent cause shows to be violated; those
 * of consequences become TL_PROOF_FOLLOWS. */
void tl_causes_book(const struct tl_causes *causes, struct tl_overview *overview);

#endif
