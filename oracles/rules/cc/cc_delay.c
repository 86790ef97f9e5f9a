/* SPDX-License-Identifier: Apache-2.0
 * cc_delay.c - the round trip and the delay of an event (10.1), their averages, and the delay
 * target (10.3.4). */
#include "codecs/header/falcon.h"
#include "oracles/rules/cc/cc_view.h"

static uint32_t ticks_between(uint32_t from, uint32_t to)
{
    return (to - from) & FAL_ARC_MASK;
}

/* The delay of the event. A fabric delay below zero, and a one-way delay of half the clock or
 * more, come from clocks that disagree: the specification gives no value, so any is allowed. */
static struct fal_cc_span delay_sample(const struct fal_cc_event *event)
{
    uint32_t rtt = ticks_between(event->t1, event->t4), way;
    uint32_t held = ticks_between(event->t2, event->t3);
    struct fal_cc_span any = {0, FAL_CC_TIME_MAX};

    switch ((enum fal_cc_delay)event->delay_select) {
    case FAL_CC_DELAY_FULL: return fal_span_of(rtt);
    case FAL_CC_DELAY_FABRIC: return held > rtt ? any : fal_span_of(rtt - held);
    case FAL_CC_DELAY_FORWARD: way = ticks_between(event->t1, event->t2); break;
    case FAL_CC_DELAY_REVERSE: way = ticks_between(event->t3, event->t4); break;
    default: return any;
    }
    return way > FAL_CC_TIME_MAX / 2 ? any : fal_span_of(way);
}

/* GetSmoothed of 10.3.4, in whole ticks with any rounding. */
static struct fal_cc_span smoothed(const struct fal_band_fork *fork, double alpha, uint32_t old,
                                   struct fal_cc_span sample)
{
    struct fal_cc_span weight = fal_span_of(alpha), rest = fal_span_sub(fal_span_of(1), weight);
    bool of_sample = fork->of[FAL_BAND_AXIS_ORIENTATION] != 0;

    if (old == 0 && fork->of[FAL_BAND_AXIS_FIRST] != 0)
        return sample;
    return fal_span_rounded(
        fal_span_add(fal_span_mul(fal_span_of(old), of_sample ? rest : weight),
                     fal_span_mul(sample, of_sample ? weight : rest)));
}

void fal_band_view_begin(const struct fal_band_input *input,
                         const struct fal_band_series *series, struct fal_band_view *view)
{
    const struct fal_cc_event *event = input->event;

    view->params = input->params;
    view->event = event;
    view->now = input->now;
    view->retransmit = event->event_type == FAL_CC_RETRANSMIT;
    view->exhausted = event->event_type == FAL_CC_NACK && event->nack_code == FAL_NACK_RESOURCE;
    view->counted = series->counted + event->num_packets_acked;
    view->counted_least =
        event->event_type == FAL_CC_ACK ? series->counted_least + event->num_packets_acked : 0;
    view->row = series->last_retransmit ? series->row + 1 : 1;
    view->row_before = series->last_retransmit ? 0 : series->row;
    view->sample = fal_span_of(ticks_between(event->t1, event->t4));
}

void fal_band_view_smoothing(struct fal_band_view *view, const struct fal_band_fork *fork)
{
    const struct fal_cc_event *event = view->event;

    view->smoothed_rtt = fal_span_of(event->rtt_state);
    view->smoothed_delay = fal_span_of(event->delay_state);
    if (view->retransmit || (view->exhausted && fork->of[FAL_BAND_AXIS_EXHAUSTED_SMOOTHS] != 0))
        return;
    view->smoothed_rtt =
        smoothed(fork, view->params->rtt_smoothing_alpha, event->rtt_state, view->sample);
    view->smoothed_delay = smoothed(fork, view->params->delay_smoothing_alpha,
                                    event->delay_state, delay_sample(event));
}

void fal_band_view_rtt(struct fal_band_view *view, const struct fal_band_fork *fork)
{
    if (view->retransmit || fork->of[FAL_BAND_AXIS_RTT] == 2)
        view->rtt = fal_span_of(view->event->rtt_state);
    else
        view->rtt = fork->of[FAL_BAND_AXIS_RTT] == 1 ? view->smoothed_rtt : view->sample;
}

void fal_band_view(const struct fal_band_input *input, const struct fal_band_series *series,
                   const struct fal_band_fork *fork, struct fal_band_view *view)
{
    fal_band_view_begin(input, series, view);
    fal_band_view_smoothing(view, fork);
    fal_band_view_rtt(view, fork);
}

struct fal_cc_span fal_band_fcwnd(const struct fal_cc_event *event)
{
    return fal_span_of(event->fcwnd_integer + (double)event->fcwnd_fraction / FAL_CC_FRACTION);
}

/* flow_scaling_alpha / sqrt(fcwnd) + flow_scaling_beta, from 0 to the maximum. */
static struct fal_cc_span flow_adder(const struct fal_band_params *params,
                                     const struct fal_band_fork *fork, struct fal_cc_span fcwnd)
{
    struct fal_cc_span one = fal_span_of(1), most = fal_span_of(params->max_flow_scaling);
    struct fal_cc_span low = fal_span_sqrt(fal_span_of(params->min_flow_scaling_window));
    struct fal_cc_span high = fal_span_sqrt(fal_span_of(params->max_flow_scaling_window));
    struct fal_cc_span last = high, slope, range, alpha, adder;

    /* Without two windows, or without a window, the formula divides by zero. */
    if (fcwnd.lo <= 0 || low.lo <= 0 || low.hi >= high.lo)
        return (struct fal_cc_span){0, params->max_flow_scaling};
    if (fork->of[FAL_BAND_AXIS_FLOW_BETA] != 0)
        last = fal_span_sqrt(fal_span_of(params->max_fcwnd));
    if (fork->of[FAL_BAND_AXIS_FLOW_ALPHA] != 0) /* as written: high > low, so it is negative */
        slope = fal_span_sub(high, low);
    else
        slope = fal_span_sub(fal_span_div(one, low), fal_span_div(one, high));
    alpha = fal_span_div(most, slope);
    range = fal_span_sub(fal_span_div(alpha, fal_span_sqrt(fcwnd)), fal_span_div(alpha, last));
    adder = range;
    if (fork->of[FAL_BAND_AXIS_FLOW_ALPHA] != 0)
        adder = (struct fal_cc_span){-range.hi, -range.lo};
    return fal_span_clamp(adder, 0, params->max_flow_scaling);
}

/* The target whose flow scaling is known. */
static struct fal_band_target target_of(const struct fal_band_view *view,
                                        const struct fal_band_fork *fork,
                                        struct fal_cc_span flow)
{
    struct fal_band_target target = {.flow = flow};
    struct fal_cc_span base = fal_span_of(view->event->base_delay_target), sum;

    target.hops = fal_span_mul(fal_span_of(view->params->topology_scaling_per_hop),
                               fal_span_of(view->event->forward_hops));
    sum = fal_span_add(fal_span_add(base, target.flow), target.hops);
    if (fork->of[FAL_BAND_AXIS_TARGET_TICKS] == 1)
        sum = (struct fal_cc_span){fal_floor(sum.lo), fal_floor(sum.hi)};
    else if (fork->of[FAL_BAND_AXIS_TARGET_TICKS] == 2)
        sum = (struct fal_cc_span){fal_ceil(sum.lo - 0.5), fal_floor(sum.hi + 0.5)};
    target.delay = sum;
    return target;
}

struct fal_band_target fal_band_target(const struct fal_band_view *view,
                                       const struct fal_band_fork *fork,
                                       struct fal_cc_span fcwnd)
{
    return target_of(view, fork, flow_adder(view->params, fork, fcwnd));
}

void fal_band_targets_begin(struct fal_band_targets *targets, struct fal_cc_span fcwnd)
{
    targets->fcwnd = fcwnd;
    targets->known = targets->flows_known = 0;
}

const struct fal_band_target *fal_band_targets_at(struct fal_band_targets *targets,
                                                  const struct fal_band_view *view, unsigned t)
{
    struct fal_band_fork fork;
    unsigned flow;

    if ((targets->known >> t & 1) != 0)
        return &targets->of[t];
    fal_band_choose(&fork, FAL_BAND_TARGET, t);
    if (view->params->max_fcwnd == view->params->max_flow_scaling_window)
        fork.of[FAL_BAND_AXIS_FLOW_BETA] = 0; /* both are the same window */
    flow = fork.of[FAL_BAND_AXIS_FLOW_ALPHA] * 2U + fork.of[FAL_BAND_AXIS_FLOW_BETA];
    if ((targets->flows_known >> flow & 1) == 0)
        targets->flow[flow] = flow_adder(view->params, &fork, targets->fcwnd);
    targets->flows_known |= 1U << flow;
    targets->of[t] = target_of(view, &fork, targets->flow[flow]);
    targets->known |= 1U << t;
    return &targets->of[t];
}
