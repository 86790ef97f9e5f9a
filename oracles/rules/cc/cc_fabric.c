/* SPDX-License-Identifier: Apache-2.0
 * cc_fabric.c - fcwnd and its marker: ComputeAckFabricCongestionWindow (10.3.1) and
 * ProcessRetransmit (10.3.2). */
#include "oracles/rules/cc/cc_view.h"

/* Units of 1/1024, within one more of each rounding. */
static struct fal_cc_span units_of(struct fal_cc_span fcwnd)
{
    struct fal_cc_span units =
        fal_span_rounded(fal_span_mul(fcwnd, fal_span_of(FAL_CC_FRACTION)));
    double most = (FAL_CC_WINDOW_MAX + 1) * (double)FAL_CC_FRACTION - 1;

    return fal_span_clamp((struct fal_cc_span){units.lo - 1, units.hi + 1}, 0, most);
}

/* Adds the window after its clamp, with the markers that fit: now if it fell or is at its
 * minimum, else UpdateTimeMarker. Differences that two units of 1/1024 can hide allow both. */
static void add(const struct fal_band_view *view, struct fal_cc_span fcwnd, const char *of,
                struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    double prev = fal_band_fcwnd(view->event).lo, hidden = 2.0 / FAL_CC_FRACTION;
    struct fal_cc_span real = fal_span_clamp(fcwnd, params->min_fcwnd, params->max_fcwnd);
    bool clamped = fcwnd.hi < params->min_fcwnd || fcwnd.lo > params->max_fcwnd;
    struct fal_band_outcome outcome = {
        .real = real, .value = units_of(real), .of_value = clamped ? "FTP-10.3.1-07" : of};
    bool fell = real.hi < prev - hidden, at_min = real.hi <= params->min_fcwnd;
    bool may_fall = real.lo < prev, may_be_min = real.lo <= params->min_fcwnd + hidden;

    if (fell || at_min || may_fall || may_be_min) {
        outcome.marker = view->now;
        outcome.of_marker = real.lo < prev ? "FTP-10.3.1-08" : "FTP-10.3.6-08";
        fal_band_add(out, &outcome);
    }
    if (!fell && !at_min)
        fal_band_add_updated(out, view, outcome, view->event->fabric_window_time_marker,
                             "FTP-10.3.1-09");
}

/* The requirement that makes this an increase: of the hops, the flow scaling, or the rise. */
static const char *of_rise(const struct fal_band_view *view,
                           const struct fal_band_target *target)
{
    double delay = view->smoothed_delay.hi;

    if (delay > target->delay.hi - target->hops.lo + FAL_BAND_NEAR)
        return "FTP-10.3.4-04";
    if (delay > target->delay.hi - target->flow.lo + FAL_BAND_NEAR)
        return "FTP-10.3.4-03";
    return view->event->fcwnd_integer > 0 ? "FTP-10.3.1-02" : "FTP-10.3.1-04";
}

/* `surely`: the event does not fall under this fork. */
static void rise(const struct fal_band_view *view, const struct fal_band_fork *fork,
                 const struct fal_band_target *target, bool surely,
                 struct fal_band_outcomes *out)
{
    struct fal_cc_span fcwnd = fal_band_fcwnd(view->event);
    struct fal_cc_span step = fal_span_of(view->params->fabric_additive_increment);
    struct fal_cc_span acked = fal_span_mul(step, fal_span_of(view->event->num_packets_acked));
    const char *of = of_rise(view, target);

    if (fork->of[FAL_BAND_AXIS_COUNTING] != 0) { /* 10.3.1-03 */
        if (!surely || view->counted_least <= fcwnd.lo + 1)
            add(view, fcwnd, of, out);
        if (view->counted >= fcwnd.lo) /* "exceeds"; at equality both */
            add(view, fal_span_add(fcwnd, step), of, out);
        return;
    }
    if (fcwnd.lo >= 1)
        acked = fal_span_div(acked, fcwnd);
    add(view, fal_span_add(fcwnd, acked), of, out);
}

static void fall(const struct fal_band_view *view, const struct fal_band_target *target,
                 bool near, struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    struct fal_cc_span one = fal_span_of(1), limit = target->delay, factor;
    struct fal_cc_span least =
        fal_span_sub(one, fal_span_of(params->max_fabric_multiplicative_decrease_factor));

    if (near)
        limit = (struct fal_cc_span){fal_most(limit.lo - FAL_BAND_NEAR, 0),
                                     limit.hi + FAL_BAND_NEAR};
    /* (delay - target) / delay as 1 - target / delay: the delay occurs once, so the interval is
     * no wider than its values. A delay of zero is above no target. */
    factor = fal_span_div(limit, fal_span_max(view->smoothed_delay, one));
    factor = fal_span_max(fal_span_sub(one, factor), fal_span_of(0));
    factor = fal_span_mul(fal_span_of(params->fabric_multiplicative_decrease_factor), factor);
    factor = fal_span_max(fal_span_sub(one, factor), least);
    add(view, fal_span_mul(fal_band_fcwnd(view->event), factor), "FTP-10.3.1-06", out);
}

void fal_band_fabric(const struct fal_band_view *view, const struct fal_band_fork *fork,
                     const struct fal_band_target *target, struct fal_band_outcomes *out)
{
    uint32_t marker = view->event->fabric_window_time_marker;
    bool may_rise = view->smoothed_delay.lo <= target->delay.hi + FAL_BAND_NEAR;
    bool may_fall = fal_band_may_fall(view, target);
    unsigned elapsed = fal_band_elapsed(view, marker);

    if (may_rise)
        rise(view, fork, target, !may_fall, out);
    if (may_fall && (elapsed & FAL_BAND_YES) != 0)
        fall(view, target, may_rise, out);
    if (may_fall && (elapsed & FAL_BAND_NO) != 0)
        add(view, fal_band_fcwnd(view->event),
            view->now.from < marker ? "FTP-10.3.4-07" : "FTP-10.3.1-05", out);
}

static void add_kept(const struct fal_band_view *view, struct fal_cc_span fcwnd, const char *of,
                     struct fal_band_outcomes *out)
{
    uint32_t marker = view->event->fabric_window_time_marker;
    struct fal_band_outcome outcome = {.real = fcwnd,
                                       .value = units_of(fcwnd),
                                       .marker = fal_arc_of(marker),
                                       .of_value = of,
                                       .of_marker = of};

    fal_band_add(out, &outcome);
    fal_band_add_updated(out, view, outcome, marker, of);
    if (fcwnd.lo <= view->params->min_fcwnd + 2.0 / FAL_CC_FRACTION) {
        outcome.marker = view->now;
        fal_band_add(out, &outcome);
    }
}

/* A retransmission that lowers fcwnd. */
static void add_lowered(const struct fal_band_view *view, struct fal_cc_span fcwnd,
                        const char *of, struct fal_band_outcomes *out)
{
    struct fal_band_outcome outcome = {.real = fcwnd,
                                       .value = units_of(fcwnd),
                                       .marker = view->now,
                                       .of_value = of,
                                       .of_marker = of};

    fal_band_add(out, &outcome);
}

/* A retransmission that leaves fcwnd. 10.3.2 then leaves the marker, 10.3.6 updates it at each
 * event: both are allowed. A window beyond the limits was not one of this engine and these
 * parameters: an engine that clamps may clamp it, too, and take that for a decrease. */
static void add_left(const struct fal_band_view *view, const struct fal_band_fork *fork,
                     const char *of, struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    struct fal_cc_span fcwnd = fal_band_fcwnd(view->event);
    struct fal_cc_span clamped = fal_span_clamp(fcwnd, params->min_fcwnd, params->max_fcwnd);

    add_kept(view, fcwnd, of, out);
    if (fork->of[FAL_BAND_AXIS_RETRANSMIT_CLAMP] != 0 || clamped.lo == fcwnd.lo)
        return;
    add_kept(view, clamped, of, out);
    if (clamped.lo < fcwnd.lo)
        add_lowered(view, clamped, of, out);
}

void fal_band_fabric_retransmit(const struct fal_band_view *view,
                                const struct fal_band_fork *fork, struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    bool own = fork->of[FAL_BAND_AXIS_RETRANSMITS] == 0;
    unsigned count = own ? view->row : view->event->retransmit_count;
    unsigned elapsed = fal_band_elapsed(view, view->event->fabric_window_time_marker);
    /* The row before this one has ended, so this event begins to count anew. */
    bool anew = own && view->row == 1 && view->row_before > 0;
    bool waits = fork->of[FAL_BAND_AXIS_LIMIT] != 0;
    struct fal_cc_span fcwnd = fal_band_fcwnd(view->event);
    const char *of = count > 1 ? "FTP-10.3.2-04" : "FTP-10.3.6-02";

    if (count == 1 && (elapsed & FAL_BAND_YES) != 0) {
        struct fal_cc_span factor = fal_span_sub(
            fal_span_of(1), fal_span_of(params->max_fabric_multiplicative_decrease_factor));
        struct fal_cc_span lower = fal_span_mul(fcwnd, factor);

        if (fork->of[FAL_BAND_AXIS_RETRANSMIT_CLAMP] == 0)
            lower = fal_span_clamp(lower, params->min_fcwnd, params->max_fcwnd);
        add_lowered(view, lower, anew ? "FTP-10.3.2-01" : "FTP-10.3.2-02", out);
        if ((elapsed & FAL_BAND_NO) == 0)
            return;
    }
    if (count < params->retransmit_limit) {
        add_left(view, fork, anew ? "FTP-10.3.2-01" : of, out);
        return;
    }
    if (!waits || (elapsed & FAL_BAND_YES) != 0)
        add_lowered(view, fal_span_of(params->min_fcwnd), "FTP-10.3.2-03", out);
    if (waits && (elapsed & FAL_BAND_NO) != 0)
        add_left(view, fork, "FTP-10.3.6-02", out);
}
