/* SPDX-License-Identifier: Apache-2.0
 * cc_pace.c - the gap between packets (10.3.4) and the retransmission timeout (10.3.2). */
#include "oracles/rules/cc/cc_view.h"

/* The gap counts ticks of 131.072 ns, or of 512 ns (AMB-66). */
static const double per_tick = 131.072, per_wheel_tick = 512;

static struct fal_cc_span ticks(struct fal_cc_span span, double most)
{
    return fal_span_clamp(fal_span_rounded(span), 0, most);
}

/* The gap at a window of `fcwnd` packets, at most one. */
static struct fal_cc_span paced(const struct fal_band_view *view,
                                const struct fal_band_fork *fork, struct fal_cc_span fcwnd)
{
    struct fal_cc_span gap = fal_span_div(view->rtt, fcwnd);
    unsigned form = fork->of[FAL_BAND_AXIS_GAP_FORM];

    if (form == 1 && view->event->inter_packet_gap != 0)
        return fal_span_div(fal_span_of(view->event->inter_packet_gap), fcwnd);
    if (form == 2) /* 10.6.2: 1/R less a target RTT, which has no value there: up to rtt */
        gap.lo = fal_least(gap.lo, fal_span_sub(gap, view->rtt).lo);
    if (fork->of[FAL_BAND_AXIS_GAP_UNIT] != 0)
        gap =
            fal_span_div(fal_span_mul(gap, fal_span_of(per_tick)), fal_span_of(per_wheel_tick));
    return gap;
}

struct fal_band_value fal_band_gap(const struct fal_band_view *view,
                                   const struct fal_band_fork *fork, struct fal_cc_span fcwnd)
{
    const double unit = 1.0 / FAL_CC_FRACTION, least = view->params->min_fcwnd;
    struct fal_band_value out = {.of = "FTP-10.3.4-09"};

    /* min_fcwnd may lie between two units: the window that is stored is then its neighbour, and
     * an engine may compute with either. */
    if (fcwnd.lo < least && fcwnd.hi > least - unit)
        fcwnd.hi = fal_most(fcwnd.hi, least);
    if (view->retransmit && fork->of[FAL_BAND_AXIS_RETRANSMIT_GAP] != 0) {
        out.span = fal_span_of(view->event->inter_packet_gap);
        out.of = "FTP-10.3.4-10";
        return out;
    }
    if (fcwnd.lo > 1 + unit)
        return out;
    if (fcwnd.lo <= 0) { /* no window: the gap is not limited */
        out.span = (struct fal_cc_span){0, FAL_CC_GAP_MAX};
        return out;
    }
    out.of = view->event->inter_packet_gap == 0 ? "FTP-10.3.4-10" : "FTP-10.3.4-11";
    out.span = ticks(paced(view, fork, fcwnd), FAL_CC_GAP_MAX);
    if (fcwnd.hi >= 1 - unit) /* at a window of one packet: the gap or none (AMB-37) */
        out.span.lo = 0;
    return out;
}

struct fal_band_value fal_band_timeout(const struct fal_band_view *view,
                                       const struct fal_band_fork *fork, uint32_t gap)
{
    struct fal_band_value out = {.of = "FTP-10.3.2-05"};
    struct fal_cc_span timeout;

    if (!view->retransmit && fork->of[FAL_BAND_AXIS_ACK_RTO] == 0) {
        out.span = fal_span_of(view->event->retransmit_timeout);
        return out;
    }
    timeout =
        fal_span_mul(fal_span_of(view->params->retransmit_timeout_scalar), view->smoothed_rtt);
    if (fork->of[FAL_BAND_AXIS_RTO_GAP] != 0)
        timeout = fal_span_add(timeout, fal_span_of(gap));
    timeout = fal_span_max(timeout, fal_span_of(view->params->min_retransmission_timeout));
    out.span = ticks(timeout, FAL_CC_TIME_MAX);
    return out;
}
