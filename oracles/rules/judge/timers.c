/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/timers.h"

#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"

#include <stdio.h>

/* The tick of the subject's timers. The tester's own have none, and do not vary. */
static uint64_t tick_ns(const struct fal_ctx *c)
{
    return c->subject == FAL_SUBJECT_TESTER ? 0 : c->track->setup.params.tick_ns;
}

bool fal_rto_judged(const struct fal_ctx *c, struct fal_timer_bounds *b)
{
    const struct fal_params *params = &c->track->setup.params;
    bool varies = params->rto_varies && c->subject != FAL_SUBJECT_TESTER;

    *b = fal_rto_bounds_of(params, varies, tick_ns(c), 0);
    return b->known && !b->coarse && (varies || fal_given(c, FAL_PARAM_AT_rto));
}

bool fal_coalescing_judged(const struct fal_ctx *c, struct fal_timer_bounds *b)
{
    const struct fal_params *params = &c->track->setup.params;

    *b = fal_timer_bounds(FAL_TIMED_COALESCING, params->coalescing_ns, params->coalescing_ns,
                          tick_ns(c), 0);
    return !b->coarse && fal_given(c, FAL_PARAM_AT_coalescing);
}

bool fal_rnr_judged(const struct fal_ctx *c, uint64_t delay_ns, struct fal_timer_bounds *b)
{
    *b = fal_timer_bounds(FAL_TIMED_RNR, delay_ns, delay_ns, tick_ns(c), 0);
    return !b->coarse;
}

bool fal_in_ratio(const struct fal_ctx *c, enum fal_ratio_at at)
{
    return c->subject == FAL_SUBJECT_TESTER || fal_is_learned(c) ||
           fal_ratio_kept(at, &c->track->setup.params);
}

const char *fal_nominal_text(const struct fal_timer_bounds *b, char out[FAL_NOMINAL_MAX])
{
    if (b->lo_ns == b->hi_ns)
        (void)snprintf(out, FAL_NOMINAL_MAX, "%s", fal_time_text(b->lo_ns).text);
    else
        (void)snprintf(out, FAL_NOMINAL_MAX, "from %s to %s", fal_time_text(b->lo_ns).text,
                       fal_time_text(b->hi_ns).text);
    return out;
}

uint64_t fal_rnr_least_ns(uint64_t ns)
{
    unsigned up = fal_rnr_timeout_code(ns), down = (up + 31) % 32;

    if (fal_rnr_timeout_ns(up) == ns)
        return ns;
    return up == 1 ? ns : fal_rnr_timeout_ns(down);
}
