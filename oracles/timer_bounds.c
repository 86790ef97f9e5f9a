/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/timer_bounds.h"

enum {
    LATE_PART = 20,    /* 5 % late is free */
    EARLY_PART = 20,   /* an RTO may be 5 % early, with a warning */
    CLOCK_PART = 1000, /* what the clocks of SUT and tester may differ by */
    TICKS_MAX = 10,    /* a timer of fewer ticks cannot be judged */
};

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* A sum of times that does not wrap. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return a <= FAL_NEVER - b ? a + b : FAL_NEVER;
}

struct fal_timer_bounds fal_timer_bounds(enum fal_timed timer, uint64_t lo_ns, uint64_t hi_ns,
                                         uint64_t tick_ns, uint64_t pipeline_ns)
{
    struct fal_timer_bounds b = {
        .known = true,
        .coarse = tick_ns > lo_ns / TICKS_MAX,
        .lo_ns = lo_ns,
        .hi_ns = hi_ns,
        .late_ns = sum(sum(hi_ns, hi_ns / LATE_PART), sum(tick_ns, pipeline_ns)),
    };

    switch (timer) {
    case FAL_TIMED_RTO:
        /* The copy that starts the timer may leave by the pipeline allowance after the start.
         */
        b.free_ns = less(less(lo_ns - lo_ns / CLOCK_PART, tick_ns), pipeline_ns);
        b.least_ns = less(lo_ns - lo_ns / EARLY_PART, pipeline_ns);
        if (b.least_ns > b.free_ns)
            b.least_ns = b.free_ns;
        break;
    case FAL_TIMED_RNR:
        b.least_ns = b.free_ns = less(lo_ns - lo_ns / CLOCK_PART, tick_ns);
        break;
    case FAL_TIMED_COALESCING: break; /* never too early */
    }
    return b;
}

struct fal_timer_bounds fal_rto_bounds_of(const struct fal_params *params, bool varies,
                                          uint64_t tick_ns, uint64_t pipeline_ns)
{
    struct fal_timer_bounds b;

    b = fal_timer_bounds(FAL_TIMED_RTO, varies ? params->rto_lo_ns : params->rto_ns,
                         varies ? params->rto_hi_ns : params->rto_ns, tick_ns, pipeline_ns);
    b.known = !varies || (params->rto_lo_ns > 0 && params->rto_lo_ns <= params->rto_hi_ns);
    return b;
}

struct fal_timer_bounds fal_rto_bounds(const struct fal_params *params)
{
    return fal_rto_bounds_of(params, params->rto_varies, params->tick_ns, params->pipeline_ns);
}

struct fal_timer_bounds fal_rnr_bounds(const struct fal_params *params, uint64_t delay_ns)
{
    return fal_timer_bounds(FAL_TIMED_RNR, delay_ns, delay_ns, params->tick_ns,
                            params->pipeline_ns);
}

struct fal_timer_bounds fal_coalescing_bounds(const struct fal_params *params)
{
    return fal_timer_bounds(FAL_TIMED_COALESCING, params->coalescing_ns, params->coalescing_ns,
                            params->tick_ns, params->pipeline_ns);
}
