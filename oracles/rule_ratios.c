/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rule_ratios.h"
#include "codecs/base/time_text.h"

#include <stdio.h>

static const struct fal_ratio table[FAL_RATIO_COUNT] = {
#define ROW(rule, timer, times, turnarounds, pipelines) \
    [FAL_RATIO_##rule] = {#rule, FAL_TIMED_##timer, times, turnarounds, pipelines},
    FAL_RATIOS(ROW)
#undef ROW
};

const struct fal_ratio *fal_ratio(enum fal_ratio_at at)
{
    return &table[at];
}

static struct fal_timer_bounds bounds_of(const struct fal_ratio *ratio,
                                         const struct fal_params *params)
{
    return ratio->timer == FAL_TIMED_RTO ? fal_rto_bounds(params)
                                         : fal_coalescing_bounds(params);
}

/* Whether the timer is long enough against the delays; R3 to R6: longer. */
static bool is_long(const struct fal_ratio *ratio, uint64_t timer_ns,
                    const struct fal_params *params)
{
    uint64_t most = timer_ns / ratio->times, delay_ns = 0;
    uint64_t longest = params->turnaround_ns > params->pipeline_ns ? params->turnaround_ns
                                                                   : params->pipeline_ns;

    if (longest > FAL_NEVER / 4)
        return false;
    delay_ns =
        ratio->turnarounds * params->turnaround_ns + ratio->pipelines * params->pipeline_ns;
    return ratio->turnarounds == 0 ? delay_ns < most || delay_ns == 0 : delay_ns <= most;
}

bool fal_ratio_kept(enum fal_ratio_at at, const struct fal_params *params)
{
    const struct fal_ratio *ratio = &table[at];
    struct fal_timer_bounds b = bounds_of(ratio, params);

    return b.known && (ratio->turnarounds == 0 || !b.coarse) && is_long(ratio, b.lo_ns, params);
}

void fal_ratio_text(enum fal_ratio_at at, const struct fal_params *params,
                    char out[FAL_RATIO_TEXT_MAX])
{
    const struct fal_ratio *ratio = &table[at];
    struct fal_timer_bounds b = bounds_of(ratio, params);
    const char *timer = ratio->timer == FAL_TIMED_RTO ? "RTO" : "coalescing timeout";
    unsigned long long lo = b.lo_ns, tick = params->tick_ns;
    unsigned long long turnaround = params->turnaround_ns, pipeline = params->pipeline_ns;

    if (!b.known)
        (void)snprintf(out, FAL_RATIO_TEXT_MAX,
                       "the RTO varies: declare rto_lo and rto_hi in the IXIT");
    else if (is_long(ratio, b.lo_ns, params))
        (void)snprintf(out, FAL_RATIO_TEXT_MAX,
                       "tick %s is more than a tenth of the %s, %s: use a longer one",
                       fal_time_text(tick).text, timer, fal_time_text(lo).text);
    else if (ratio->turnarounds == 0)
        (void)snprintf(out, FAL_RATIO_TEXT_MAX,
                       "pipeline %s is not shorter than the %s, %s: use a longer one",
                       fal_time_text(pipeline).text, timer, fal_time_text(lo).text);
    else
        (void)snprintf(out, FAL_RATIO_TEXT_MAX,
                       "%s %s is less than %u x %s (turnaround %s, pipeline %s): use "
                       "a longer one, at least %s",
                       timer, fal_time_text(lo).text, ratio->times,
                       ratio->pipelines > 0 ? "(turnaround + 2 pipeline)" : "turnaround",
                       fal_time_text(turnaround).text, fal_time_text(pipeline).text,
                       fal_time_text(ratio->times * (ratio->turnarounds * turnaround +
                                                     ratio->pipelines * pipeline))
                           .text);
}

/* ---- values that were not declared ---- */

enum {
    COALESCING_PART = 4, /* the caps, as parts of the timers */
    RTO_PART = 8,
    QUARTER = 4, /* a margin of 25 % */
};

uint64_t fal_undeclared_cap_ns(const struct fal_params *params, enum fal_timer timer)
{
    return timer == FAL_TIMER_COALESCING ? params->coalescing_ns / COALESCING_PART
                                         : params->rto_ns / RTO_PART;
}

uint64_t fal_learned_capped_ns(const struct fal_params *params, uint64_t learned_ns)
{
    for (enum fal_timer t = FAL_TIMER_COALESCING; t <= FAL_TIMER_RTO; t++) {
        uint64_t cap = fal_undeclared_cap_ns(params, t);

        learned_ns = learned_ns < cap ? learned_ns : cap;
    }
    return learned_ns;
}

bool fal_learned_below(const struct fal_connection *setup, uint64_t ns)
{
    uint64_t longest = setup->learned_max_ns;

    return longest > 0 && longest < FAL_UNLIMITED && longest + longest / QUARTER <= ns;
}
