/* SPDX-License-Identifier: Apache-2.0
 * cc_nic.c - ncwnd, its marker and its direction: ComputeAckNICCongestionWindow (10.3.1) and
 * ProcessNackResourceExhaustion (10.3.3). */
#include "oracles/rules/cc/cc_view.h"

enum {
    DECREASE = 1 << FAL_CC_DECREASE,
    INCREASE = 1 << FAL_CC_INCREASE,
    EITHER = DECREASE | INCREASE,
};

static unsigned direction_of(const struct fal_band_view *view)
{
    return 1U << view->event->ncwnd_direction;
}

/* Adds one integer value with the markers that fit. The direction of a window that did not move
 * is not judged (AMB-80). */
static void add_value(const struct fal_band_view *view, double ncwnd,
                      struct fal_band_outcome outcome, struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    double prev = view->event->ncwnd;
    bool at_end = ncwnd <= params->min_ncwnd || ncwnd >= params->max_ncwnd;

    outcome.value = fal_span_of(ncwnd);
    if (ncwnd == prev)
        outcome.directions = EITHER;
    if (ncwnd == prev && !at_end) {
        fal_band_add_updated(out, view, outcome, view->event->nic_window_time_marker,
                             "FTP-10.3.6-07");
        return;
    }
    outcome.marker = view->now;
    outcome.of_marker = ncwnd == prev ? "FTP-10.3.6-08" : "FTP-10.3.1-15";
    fal_band_add(out, &outcome);
}

/* Adds a window, clamped, with each rounding to a neighbour (AMB-38). */
static void add(const struct fal_band_view *view, struct fal_cc_span ncwnd, const char *of,
                unsigned directions, struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    struct fal_cc_span whole = fal_span_rounded(ncwnd), kept;
    struct fal_band_outcome outcome = {
        .of_value = of, .of_direction = of, .directions = directions};

    kept = fal_span_rounded(fal_span_clamp(whole, params->min_ncwnd, params->max_ncwnd));
    if (whole.hi < params->min_ncwnd || whole.lo > params->max_ncwnd)
        outcome.of_value = "FTP-10.3.1-14";
    for (uint32_t n = (uint32_t)kept.lo; n <= (uint32_t)kept.hi; n++) /* at least 1 */
        add_value(view, fal_least(n, FAL_CC_WINDOW_MAX), outcome, out);
}

static void below_target(const struct fal_band_view *view, unsigned elapsed,
                         struct fal_band_outcomes *out)
{
    struct fal_cc_span ncwnd = fal_span_of(view->event->ncwnd);
    bool after_decrease = view->event->ncwnd_direction == FAL_CC_DECREASE;

    if (after_decrease || (elapsed & FAL_BAND_YES) != 0)
        add(view, fal_span_add(ncwnd, fal_span_of(view->params->nic_additive_increment)),
            elapsed == FAL_BAND_NO ? "FTP-10.3.1-11" : "FTP-10.3.1-10", INCREASE, out);
    if (!after_decrease && (elapsed & FAL_BAND_NO) != 0)
        add(view, ncwnd, "FTP-10.3.6-03", direction_of(view), out);
}

static void above_target(const struct fal_band_view *view, const struct fal_band_fork *fork,
                         unsigned elapsed, struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    struct fal_cc_span one = fal_span_of(1), ncwnd = fal_span_of(view->event->ncwnd);
    double level = view->event->rx_buffer_level;
    struct fal_cc_span excess = fal_span_of(level - params->target_rx_buffer_level);
    struct fal_cc_span factor = one;

    if (level > 0) { /* level 0 at target 0 lowers nothing (AMB-38) */
        factor = fal_span_div(excess, fal_span_of(level));
        if (fork->of[FAL_BAND_AXIS_NIC_FACTOR] != 0)
            factor =
                fal_span_mul(factor, fal_span_of(params->nic_multiplicative_decrease_factor));
        factor = fal_span_max(
            fal_span_sub(one, factor),
            fal_span_sub(one, fal_span_of(params->max_nic_multiplicative_decrease_factor)));
    }
    if ((elapsed & FAL_BAND_YES) != 0)
        add(view, fal_span_mul(ncwnd, factor), "FTP-10.3.1-13", DECREASE, out);
    if ((elapsed & FAL_BAND_NO) != 0)
        add(view, ncwnd, "FTP-10.3.1-12", direction_of(view), out);
}

/* An outcome that leaves the window and the direction. */
static struct fal_band_outcome left(const struct fal_band_view *view, const char *of)
{
    return (struct fal_band_outcome){.value = fal_span_of(view->event->ncwnd),
                                     .marker = fal_arc_of(view->event->nic_window_time_marker),
                                     .directions = direction_of(view),
                                     .of_value = of,
                                     .of_marker = of,
                                     .of_direction = of};
}

static void lower_exhausted(const struct fal_band_view *view, const struct fal_band_fork *fork,
                            struct fal_band_outcomes *out)
{
    const struct fal_band_params *params = view->params;
    struct fal_band_outcome outcome = left(view, "FTP-10.3.3-02");
    struct fal_cc_span whole = fal_span_rounded(fal_span_mul(
        fal_span_of(view->event->ncwnd),
        fal_span_sub(fal_span_of(1),
                     fal_span_of(params->max_nic_multiplicative_decrease_factor))));

    if (fork->of[FAL_BAND_AXIS_EXHAUSTED_CLAMP] == 0)
        whole = fal_span_rounded(fal_span_clamp(whole, params->min_ncwnd, params->max_ncwnd));
    outcome.value = whole;
    outcome.marker = view->now;
    if (fork->of[FAL_BAND_AXIS_EXHAUSTED_TURNS] == 0)
        outcome.directions = DECREASE;
    if (fal_span_has(whole, view->event->ncwnd))
        outcome.directions = EITHER;
    fal_band_add(out, &outcome);
}

static void exhausted(const struct fal_band_view *view, const struct fal_band_fork *fork,
                      unsigned elapsed, struct fal_band_outcomes *out)
{
    struct fal_band_outcome outcome = left(view, "FTP-10.3.3-03");

    if (view->event->ncwnd_direction == FAL_CC_INCREASE || (elapsed & FAL_BAND_YES) != 0)
        lower_exhausted(view, fork, out);
    if (view->event->ncwnd_direction == FAL_CC_INCREASE || (elapsed & FAL_BAND_NO) == 0)
        return;
    if (fork->of[FAL_BAND_AXIS_EXHAUSTED_MARKS] == 0) {
        add_value(view, view->event->ncwnd, outcome, out);
    } else {
        outcome.directions = EITHER;
        fal_band_add(out, &outcome);
    }
}

/* A retransmission leaves ncwnd. 10.3.2 leaves the marker too, 10.3.6 updates it at an event
 * that did not change ncwnd: both are allowed. */
static void retransmit(const struct fal_band_view *view, struct fal_band_outcomes *out)
{
    struct fal_band_outcome outcome = left(view, "FTP-10.3.2-06");

    outcome.directions = EITHER;
    fal_band_add(out, &outcome);
    add_value(view, view->event->ncwnd, outcome, out);
}

void fal_band_nic(const struct fal_band_view *view, const struct fal_band_fork *fork,
                  struct fal_band_outcomes *out)
{
    unsigned elapsed = fal_band_elapsed(view, view->event->nic_window_time_marker);

    if (view->retransmit)
        retransmit(view, out);
    else if (view->exhausted)
        exhausted(view, fork, elapsed, out);
    else if (view->event->rx_buffer_level < view->params->target_rx_buffer_level)
        below_target(view, elapsed, out);
    else
        above_target(view, fork, elapsed, out);
}
