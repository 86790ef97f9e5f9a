/* SPDX-License-Identifier: Apache-2.0
 * tp_judges.h - judges flows of which each may have a transport of its own, by rules K1 to K10
 * (oracles/rules/transport). */
#ifndef TL_HARNESS_TRANSPORT_TP_JUDGES_H
#define TL_HARNESS_TRANSPORT_TP_JUDGES_H

#include "oracles/rules/transport/transport_judge.h"

struct tl_tp_judges;

/* `row` counts for flows of which tl_tp_judges_row says nothing; NULL: an event of such a flow
 * is an error. NULL: out of memory. */
struct tl_tp_judges *tl_tp_judges_new(const struct fal_tp_row *row,
                                      const struct fal_tp_view *view);
void tl_tp_judges_free(struct tl_tp_judges *judges); /* NULL is allowed */
/* From now on the flow has this transport; one with that number before is over. Returns 0 or
 * FAL_ERR_MEM. */
MUST_USE int tl_tp_judges_row(struct tl_tp_judges *judges, uint32_t flow,
                              const struct fal_tp_row *row);
/* Returns 0, FAL_ERR_MEM, or FAL_ERR_FORM: nothing is declared of this flow. */
MUST_USE int tl_tp_judges_event(struct tl_tp_judges *judges, const struct fal_tp_event *event);
/* The flow is over: nothing of it follows `at_ns`. A later event of that number is of another
 * flow, which begins. Returns 0, or FAL_ERR_FORM: nothing is declared of this flow. */
int tl_tp_judges_over(struct tl_tp_judges *judges, uint32_t flow, uint64_t at_ns);
/* Nothing follows. Returns what was found, valid as long as the judges. */
const struct fal_tally *tl_tp_judges_end(struct tl_tp_judges *judges);

#endif
