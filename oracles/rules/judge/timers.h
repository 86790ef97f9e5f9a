/* SPDX-License-Identifier: Apache-2.0
 * timers.h - the bounds of the subject's timers (oracles/timer_bounds.h) as rules use them, and
 * whether they may be used to fail the subject. The pipeline allowance is left out: rules add
 * it together with the turnaround (learned.h). */
#ifndef FAL_ORACLES_RULES_JUDGE_TIMERS_H
#define FAL_ORACLES_RULES_JUDGE_TIMERS_H

#include "oracles/rule_ratios.h"
#include "oracles/rules/judge/rule.h"

/* False: the timer is not known, it varies within unknown limits, or the SUT's tick is too
 * coarse; the instance is undecided (config). */
bool fal_rto_judged(const struct fal_ctx *c, struct fal_timer_bounds *b);
bool fal_coalescing_judged(const struct fal_ctx *c, struct fal_timer_bounds *b);
bool fal_rnr_judged(const struct fal_ctx *c, uint64_t delay_ns, struct fal_timer_bounds *b);

/* The least delay that the field of a NACK can stand for, if the upper layer asked for ns
 * (7.8). */
uint64_t fal_rnr_least_ns(uint64_t ns);

/* Whether declared values keep the ratio that the rule needs; learned ones have limits of their
 * own (learned.h). */
bool fal_in_ratio(const struct fal_ctx *c, enum fal_ratio_at at);

/* "1 ms" or "from 1 ms to 4 ms": the nominal RTO, for messages. Returns out.
 */
enum { FAL_NOMINAL_MAX = 80 };
const char *fal_nominal_text(const struct fal_timer_bounds *b, char out[FAL_NOMINAL_MAX]);

#endif
