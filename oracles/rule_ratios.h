/* SPDX-License-Identifier: Apache-2.0
 * rule_ratios.h - how much longer than the SUT's declared delays a timer must be, so that a
 * rule can tell a late timer from a slow SUT (docs/judging.md, section 18). One table: a rule
 * below its ratio is undecided, a run reports it, a certification that demands it is refused.
 */
#ifndef FAL_ORACLES_RULE_RATIOS_H
#define FAL_ORACLES_RULE_RATIOS_H

#include "oracles/timeline.h"
#include "oracles/timer_bounds.h"

/* Rule, timer, least ratio, turnarounds and pipeline allowances that it is a ratio to. */
#define FAL_RATIOS(X)           \
    X(A1, COALESCING, 4, 1, 2)  \
    X(A2, COALESCING, 4, 1, 2)  \
    X(A3, COALESCING, 20, 1, 0) \
    X(E2, RTO, 8, 1, 2)         \
    X(E4, RTO, 8, 1, 2)         \
    X(R3, COALESCING, 1, 0, 1)  \
    X(R4, COALESCING, 1, 0, 1)  \
    X(R5, COALESCING, 1, 0, 1)  \
    X(R6, COALESCING, 1, 0, 1)

#define FAL_RATIO_ENUM(rule, ...) FAL_RATIO_##rule,
enum fal_ratio_at { FAL_RATIOS(FAL_RATIO_ENUM) FAL_RATIO_COUNT };

struct fal_ratio {
    const char *rule; /* its id */
    enum fal_timed timer;
    unsigned times, turnarounds, pipelines;
};

const struct fal_ratio *fal_ratio(enum fal_ratio_at at);

/* Whether the values of a SUT keep the ratio, and its tick is no more than a tenth of the
 * timer. R3 to R6 compare packets of the SUT: those must lie further apart than the pipeline
 * allowance, and the coalescing timeout is the time between ACKs. */
bool fal_ratio_kept(enum fal_ratio_at at, const struct fal_params *params);

/* Why it is not kept, with the values and what to do, in words. */
enum { FAL_RATIO_TEXT_MAX = 320 };
void fal_ratio_text(enum fal_ratio_at at, const struct fal_params *params,
                    char out[FAL_RATIO_TEXT_MAX]);

/* ---- values that were not declared ----
 * A turnaround and a pipeline allowance that the SUT did not declare were learned instead
 * (struct fal_connection, learned_params). These are their limits. */

/* The timers that limit an undeclared value: a SUT that declares none is judged by a timer only
 * while its answers are far shorter than the timer. */
enum fal_timer { FAL_TIMER_COALESCING, FAL_TIMER_RTO };

/* Stands for a value that has no limit: no time of a run reaches it, and sums with times do not
 * overflow. */
#define FAL_UNLIMITED (FAL_NEVER / 64)

/* The most that an undeclared value may be against that timer: a quarter of the coalescing
 * timeout, an eighth of the RTO. */
uint64_t fal_undeclared_cap_ns(const struct fal_params *params, enum fal_timer timer);

/* A learned value within these limits: what excuses the SUT. */
uint64_t fal_learned_capped_ns(const struct fal_params *params, uint64_t learned_ns);

/* Whether the longest answer that was measured, plus 25 %, is at most ns. */
bool fal_learned_below(const struct fal_connection *setup, uint64_t ns);

/* The values of a connection that were learned, as bits (learned_params). */
#define FAL_LEARNABLE \
    (FAL_PARAM_BIT(FAL_PARAM_AT_turnaround) | FAL_PARAM_BIT(FAL_PARAM_AT_pipeline))

#endif
