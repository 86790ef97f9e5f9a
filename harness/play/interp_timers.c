/* SPDX-License-Identifier: Apache-2.0
 * interp_timers.c - the times of steps that a timer of the SUT takes: how late and how early it
 * may be (oracles/timer_bounds.h). */
#include "harness/play/players.h"

#include "oracles/timer_bounds.h"

#include <string.h>

bool tl_interp_is_made_of(const struct tl_interp *interp, const struct fal_duration *duration,
                          const char *name)
{
    const struct tl_expr *expr = tl_exprs_find(&interp->scenario->exprs, duration->var);

    return expr != NULL ? tl_expr_mentions(expr, name) : strcmp(duration->var, name) == 0;
}

/* The bounds of the timer of the SUT from which the time `ns` is computed; false: of none. */
static bool timer_of(const struct tl_interp *interp, const struct fal_duration *duration,
                     uint64_t ns, struct fal_timer_bounds *b)
{
    struct fal_params params = interp->session->connection.params;

    params.pipeline_ns = 0; /* the turnaround includes it */
    if (tl_interp_is_made_of(interp, duration, "rto"))
        *b = fal_rto_bounds(&params);
    else if (tl_interp_is_made_of(interp, duration, "coalescing"))
        *b = fal_coalescing_bounds(&params);
    else if (tl_interp_is_made_of(interp, duration, "delay") ||
             tl_interp_is_made_of(interp, duration, "rnr"))
        *b = fal_rnr_bounds(&params, ns);
    else
        return false;
    return true;
}

uint64_t tl_interp_lateness(const struct tl_interp *interp, const struct fal_duration *duration,
                            uint64_t ns)
{
    const struct fal_params *params = &interp->session->connection.params;
    struct fal_timer_bounds b;
    uint64_t nominal_ns, timers;

    if (!timer_of(interp, duration, ns, &b))
        return 0;
    nominal_ns = b.lo_ns < b.hi_ns ? params->rto_ns : b.hi_ns; /* $rto */
    if (nominal_ns == 0 || b.late_ns <= nominal_ns)
        return 0;
    timers = ns / nominal_ns + (ns % nominal_ns != 0 || ns == 0);
    return timers * (b.late_ns - nominal_ns);
}

uint64_t tl_interp_earliness(const struct tl_interp *interp,
                             const struct fal_duration *duration, uint64_t ns)
{
    struct fal_timer_bounds b;

    if (!timer_of(interp, duration, ns, &b) || b.lo_ns == 0)
        return 0;
    return (uint64_t)((fal_u128)ns * (b.lo_ns - b.least_ns) / b.lo_ns);
}

static bool unjudged(const struct tl_interp *interp, const struct tl_step *step)
{
    const struct fal_duration *duration =
        step->time == FAL_TIME_RANGE ? &step->to : &step->from;
    struct fal_timer_bounds b;

    return step->time != FAL_TIME_NONE && timer_of(interp, duration, FAL_NEVER / 2, &b) &&
           (b.coarse || !b.known);
}

bool tl_interp_timer_unjudged(const struct tl_interp *interp, const struct tl_step *step)
{
    bool any = unjudged(interp, step);

    if (step->verb == TL_ANY_ORDER || step->verb == TL_ALT)
        for (size_t i = 0; i < step->u.block.count && !any; i++)
            any = unjudged(interp, &interp->scenario->steps[step->u.block.heads[i]]);
    return any;
}
