/* SPDX-License-Identifier: Apache-2.0
 * dcqcn.c - see dcqcn.h. */
#include "oracles/cc/dcqcn.h"

#include <assert.h>

static const double whole = 1024;  /* of g and alpha_start */
static const double faded = 1e-12; /* an alpha below it cuts no rate by a bit */

static bool fault(const struct fal_dcqcn_rp *rp, enum fal_dcqcn_fault fault)
{
    return (rp->faults & (uint32_t)fault) != 0;
}

static double line(const struct fal_dcqcn_rp *rp)
{
    return (double)rp->params.line_rate_bps;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

void fal_dcqcn_rp_init(struct fal_dcqcn_rp *rp, const struct fal_dcqcn *params, uint64_t now_ns)
{
    assert(params->line_rate_bps != 0);
    *rp = (struct fal_dcqcn_rp){.params = *params,
                                .alpha = params->alpha_start_1024 / whole,
                                .hold_ns = now_ns,
                                .alpha_ns = UINT64_MAX,
                                .timer_ns = UINT64_MAX};
    rp->rate = rp->target = line(rp);
}

static uint64_t after(uint64_t now_ns, uint64_t period_ns)
{
    return period_ns == 0 ? UINT64_MAX : now_ns + period_ns;
}

/* a = g*a + (1-g)*cnp: g is the weight of the old value. */
static void update_alpha(struct fal_dcqcn_rp *rp, bool cnp)
{
    double g = rp->params.g_1024 / whole;

    if (fault(rp, FAL_DCQCN_G_ORIENTATION))
        g = 1 - g;
    if (cnp)
        rp->alpha = g * rp->alpha + (1 - g);
    else if (!fault(rp, FAL_DCQCN_ALPHA_NEVER_DECAYS))
        rp->alpha = g * rp->alpha;
    if (rp->alpha < faded)
        rp->alpha = 0;
}

static void end_of_slot(struct fal_dcqcn_rp *rp)
{
    update_alpha(rp, rp->cnp_in_slot);
    rp->cnp_in_slot = false;
    rp->alpha_ns = after(rp->alpha_ns, rp->params.alpha_period_ns);
}

/* The share of the rate that a decrease leaves. */
static double share_left(const struct fal_dcqcn_rp *rp)
{
    double share = 1, part = rp->alpha;

    for (uint32_t gd = 10; gd < rp->params.gd; gd++)
        part /= 2;
    share -= part;
    double bound = rp->params.max_cut_percent == 0 ? 0 : 1 - rp->params.max_cut_percent / 100.0;
    return share < bound ? bound : share;
}

static void decrease(struct fal_dcqcn_rp *rp, uint64_t now_ns)
{
    if (fault(rp, FAL_DCQCN_TARGET_LOST))
        rp->target = line(rp);
    else if (rp->params.clamp_target || rp->increased)
        rp->target = rp->rate;
    rp->rate *= share_left(rp);
    if (rp->rate < (double)rp->params.min_rate_bps && !fault(rp, FAL_DCQCN_BELOW_MIN))
        rp->rate = least((double)rp->params.min_rate_bps, line(rp));
    rp->increased = rp->cnp_waits = false;
    rp->by_timer = rp->by_bytes = 0;
    rp->bytes = 0;
    rp->timer_ns = after(now_ns, rp->params.timer_ns);
    rp->hold_ns = now_ns + rp->params.decrease_period_ns;
    rp->decreases++;
}

/* What the stage adds to the target: nothing in fast recovery. */
static double step_of(const struct fal_dcqcn_rp *rp)
{
    uint32_t most = rp->by_timer > rp->by_bytes ? rp->by_timer : rp->by_bytes;
    uint32_t few = rp->by_timer < rp->by_bytes ? rp->by_timer : rp->by_bytes;
    bool hyper = few > rp->params.stages || fault(rp, FAL_DCQCN_HYPER_AT_ONCE);

    if (hyper && rp->params.rhai_bps != 0)
        return (double)rp->params.rhai_bps;
    return most < rp->params.stages ? 0 : (double)rp->params.rai_bps;
}

static void increase(struct fal_dcqcn_rp *rp, uint32_t *events)
{
    if (*events < UINT32_MAX)
        ++*events;
    rp->target = least(rp->target + step_of(rp), line(rp));
    rp->rate = least((rp->rate + rp->target) / 2, line(rp));
    rp->increased = true;
    rp->increases++;
}

void fal_dcqcn_rp_cnp(struct fal_dcqcn_rp *rp, uint64_t now_ns)
{
    fal_dcqcn_rp_until(rp, now_ns);
    if (!rp->limited) {
        rp->limited = true;
        rp->alpha_ns = after(now_ns, rp->params.alpha_period_ns);
    }
    if (now_ns >= rp->hold_ns || fault(rp, FAL_DCQCN_DECREASE_PER_CNP))
        decrease(rp, now_ns);
    else
        rp->cnp_waits = true;
    if (rp->params.alpha_at_cnp) {
        update_alpha(rp, true);
        rp->alpha_ns = after(now_ns, rp->params.alpha_period_ns);
    } else {
        rp->cnp_in_slot = true;
    }
}

void fal_dcqcn_rp_sent(struct fal_dcqcn_rp *rp, uint64_t bytes, uint64_t now_ns)
{
    fal_dcqcn_rp_until(rp, now_ns);
    if (!rp->limited || rp->params.byte_counter == 0)
        return;
    rp->bytes += bytes;
    while (rp->bytes >= rp->params.byte_counter) {
        rp->bytes -= rp->params.byte_counter;
        increase(rp, &rp->by_bytes);
    }
}

/* Slots that change nothing any more are skipped at once, so that a flow which was idle for
 * long costs nothing. */
static void skip_slots(struct fal_dcqcn_rp *rp, uint64_t now_ns)
{
    uint64_t period = rp->params.alpha_period_ns;

    if (period != 0 && rp->alpha_ns <= now_ns && !rp->cnp_in_slot &&
        (rp->alpha == 0 || rp->params.g_1024 >= (uint32_t)whole ||
         fault(rp, FAL_DCQCN_ALPHA_NEVER_DECAYS)))
        rp->alpha_ns += ((now_ns - rp->alpha_ns) / period + 1) * period;
}

static void skip_timers(struct fal_dcqcn_rp *rp, uint64_t now_ns)
{
    uint64_t period = rp->params.timer_ns, n;

    if (period == 0 || rp->timer_ns > now_ns || rp->rate < line(rp) || rp->cnp_waits)
        return;
    n = (now_ns - rp->timer_ns) / period + 1;
    rp->timer_ns += n * period;
    rp->by_timer = n > UINT32_MAX - rp->by_timer ? UINT32_MAX : rp->by_timer + (uint32_t)n;
    rp->increased = true;
    rp->increases += n;
}

void fal_dcqcn_rp_until(struct fal_dcqcn_rp *rp, uint64_t now_ns)
{
    while (rp->limited) {
        skip_slots(rp, now_ns);
        skip_timers(rp, now_ns);
        uint64_t cut_ns = rp->cnp_waits ? rp->hold_ns : UINT64_MAX;

        if (rp->alpha_ns <= now_ns && rp->alpha_ns <= cut_ns && rp->alpha_ns <= rp->timer_ns) {
            end_of_slot(rp);
        } else if (cut_ns <= now_ns && cut_ns <= rp->timer_ns) {
            decrease(rp, cut_ns);
        } else if (rp->timer_ns <= now_ns) {
            rp->timer_ns = after(rp->timer_ns, rp->params.timer_ns);
            increase(rp, &rp->by_timer);
        } else {
            break;
        }
    }
}

uint64_t fal_dcqcn_rp_next_ns(const struct fal_dcqcn_rp *rp)
{
    uint64_t cut_ns = rp->cnp_waits ? rp->hold_ns : UINT64_MAX;
    uint64_t timer_ns = rp->rate < line(rp) ? rp->timer_ns : UINT64_MAX;

    return cut_ns < timer_ns ? cut_ns : timer_ns;
}

uint64_t fal_dcqcn_rp_rate_bps(const struct fal_dcqcn_rp *rp)
{
    return rp->rate < 1 ? 1 : (uint64_t)rp->rate;
}
