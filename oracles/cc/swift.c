/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/swift.h"

#include "codecs/header/falcon.h"
#include "oracles/cc/plb.h"

#include <math.h>

/* One event under way. */
struct turn {
    const struct fal_swift_params *params;
    const struct fal_cc_event *event;
    struct fal_cc_result *result;
    struct fal_cc_state *state;
    fal_cc_reading_set readings;
    uint32_t now;
    uint32_t rtt;  /* of this event; of a retransmission the smoothed one (AMB-41) */
    double target; /* ticks */
};

int fal_swift_init(struct fal_swift *swift, const struct fal_swift_params *params, bool plb,
                   struct fal_error *err)
{
    int rc = fal_swift_params_check(params, err);
    double at_max;

    if (rc < 0)
        return rc;
    at_max = 1 / sqrt(params->max_flow_scaling_window);
    *swift = (struct fal_swift){.params = *params, .plb = plb};
    swift->scaling_alpha =
        params->max_flow_scaling / (1 / sqrt(params->min_flow_scaling_window) - at_max);
    swift->scaling_beta = -swift->scaling_alpha * at_max;
    return 0;
}

void fal_swift_read(struct fal_swift *swift, fal_cc_reading_set readings)
{
    const struct fal_swift_params *p = &swift->params;
    double high = sqrt(p->max_flow_scaling_window);

    swift->readings = readings;
    if (!fal_cc_reads(readings, FAL_CC_READING_SCALING_LITERAL))
        return;
    swift->scaling_alpha = p->max_flow_scaling / (sqrt(p->min_flow_scaling_window) - high);
    swift->scaling_beta = -swift->scaling_alpha / high;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double clamp(double least, double value, double most)
{
    if (value < least)
        return least;
    return value > most ? most : value;
}

double fal_swift_target(const struct fal_swift *swift, uint32_t base, double fcwnd,
                        unsigned hops)
{
    const struct fal_swift_params *p = &swift->params;
    double adder = p->max_flow_scaling;

    if (fcwnd > 0)
        adder = clamp(0, swift->scaling_alpha / sqrt(fcwnd) + swift->scaling_beta, adder);
    adder += base + p->topology_scaling_per_hop * hops;
    if (fal_cc_reads(swift->readings, FAL_CC_READING_TARGET_TRUNCATED))
        return floor(adder);
    return fal_cc_reads(swift->readings, FAL_CC_READING_TARGET_ROUNDED) ? round(adder) : adder;
}

/* To the nearest whole number, halves up, at most what the field holds. */
static uint32_t rounded(double value, uint32_t most)
{
    return value < most ? (uint32_t)(value + 0.5) : most;
}

/* ---- the guards (10.3.6) ---- */

static bool rtt_elapsed(const struct turn *t, uint32_t marker)
{
    return fal_cc_since(t->now, marker) >= t->rtt;
}

/* Keeps a marker at most one round trip behind, so that its age never wraps round. */
static uint32_t followed(const struct turn *t, uint32_t marker)
{
    return fal_cc_since(t->now, marker) > t->rtt ? fal_cc_since(t->now, t->rtt) : marker;
}

static bool reads(const struct turn *t, enum fal_cc_reading reading)
{
    return fal_cc_reads(t->readings, reading);
}

/* ---- fcwnd ---- */

/* In 1/1024 packet. */
static uint32_t fcwnd_units(const struct fal_cc_event *event)
{
    return (uint32_t)event->fcwnd_integer * FAL_CC_FRACTION + event->fcwnd_fraction;
}

static double fcwnd_of(const struct fal_cc_event *event)
{
    return (double)fcwnd_units(event) / FAL_CC_FRACTION;
}

/* The gap between packets at a window below one (AMB-37, AMB-66). */
static uint32_t gap_of(const struct turn *t, double fcwnd)
{
    const double tick_ps = 131072, wheel_tick_ps = 512000;
    double gap = t->rtt / fcwnd;

    if (reads(t, FAL_CC_READING_GAP_LESS_RTT))
        gap -= t->rtt;
    if (reads(t, FAL_CC_READING_GAP_WHEEL))
        gap = gap * tick_ps / wheel_tick_ps;
    if (reads(t, FAL_CC_READING_GAP_GROWS) && t->event->inter_packet_gap > 0)
        gap = t->event->inter_packet_gap / fcwnd; /* in the unit that it has */
    return rounded(gap, FAL_CC_GAP_MAX);
}

/* Stores the window and the gap that belongs to it. Returns the window in units. */
static uint32_t set_fcwnd(struct turn *t, double fcwnd)
{
    uint32_t units;

    fcwnd = clamp(t->params->min_fcwnd, fcwnd, t->params->max_fcwnd);
    units = rounded(fcwnd * FAL_CC_FRACTION, FAL_CC_WINDOW_MAX * FAL_CC_FRACTION);
    t->result->fcwnd_integer = (uint16_t)(units / FAL_CC_FRACTION);
    t->result->fcwnd_fraction = (uint16_t)(units % FAL_CC_FRACTION);
    t->result->inter_packet_gap = fcwnd >= 1 ? 0 : gap_of(t, fcwnd);
    return units;
}

/* By how much the window rises (10.3.1-02 to 04). */
static double rise_of(const struct turn *t, double fcwnd)
{
    double increment = t->params->fabric_additive_increment;

    if (!reads(t, FAL_CC_READING_COUNTS))
        return increment * t->event->num_packets_acked / (fcwnd >= 1 ? fcwnd : 1);
    if (t->event->num_packets_acked <= UINT16_MAX - t->state->counted)
        t->state->counted = (uint16_t)(t->state->counted + t->event->num_packets_acked);
    if (t->state->counted <= fcwnd)
        return 0;
    t->state->counted = 0;
    return increment;
}

/* 10.3.1, ComputeAckFabricCongestionWindow. The window is compared after rounding. */
static void ack_fcwnd(struct turn *t)
{
    const struct fal_swift_params *p = t->params;
    const struct fal_cc_event *e = t->event;
    double fcwnd = fcwnd_of(e), delay = t->result->delay_state, keep;
    uint32_t units, marker = e->fabric_window_time_marker;

    if (delay <= t->target) {
        fcwnd += rise_of(t, fcwnd);
    } else if (rtt_elapsed(t, marker)) {
        keep = 1 - p->fabric_multiplicative_decrease_factor * (delay - t->target) / delay;
        fcwnd *= larger(keep, 1 - p->max_fabric_multiplicative_decrease_factor);
    }
    units = set_fcwnd(t, fcwnd);
    if (units < fcwnd_units(e) ||
        units == rounded(p->min_fcwnd * FAL_CC_FRACTION, FAL_CC_TIME_MAX))
        t->result->fabric_window_time_marker = t->now;
    else
        t->result->fabric_window_time_marker = followed(t, marker);
}

/* ---- ncwnd ---- */

/* Rounded down, then kept within the limits (AMB-38). */
static void set_ncwnd(struct turn *t, double ncwnd)
{
    double whole = ncwnd < FAL_CC_WINDOW_MAX ? (double)(uint32_t)ncwnd : FAL_CC_WINDOW_MAX;

    t->result->ncwnd = (uint16_t)clamp(t->params->min_ncwnd, whole, t->params->max_ncwnd);
}

/* 10.3.1, ComputeAckNICCongestionWindow. */
static void ack_ncwnd(struct turn *t)
{
    const struct fal_swift_params *p = t->params;
    const struct fal_cc_event *e = t->event;
    double ncwnd = e->ncwnd, level = e->rx_buffer_level, keep, factor;
    bool elapsed = rtt_elapsed(t, e->nic_window_time_marker);

    if (level < p->target_rx_buffer_level) {
        if (e->ncwnd_direction == FAL_CC_DECREASE || elapsed) {
            ncwnd += p->nic_additive_increment;
            t->result->ncwnd_direction = FAL_CC_INCREASE;
        }
    } else if (elapsed) {
        factor =
            reads(t, FAL_CC_READING_NIC_FACTOR) ? p->nic_multiplicative_decrease_factor : 1;
        keep = level > 0 ? 1 - factor * (level - p->target_rx_buffer_level) / level : 1;
        ncwnd *= larger(keep, 1 - p->max_nic_multiplicative_decrease_factor);
        t->result->ncwnd_direction = FAL_CC_DECREASE;
    }
    set_ncwnd(t, ncwnd);
    if (t->result->ncwnd == e->ncwnd && reads(t, FAL_CC_READING_DIRECTION_OF_CHANGE))
        t->result->ncwnd_direction = e->ncwnd_direction;
    if (t->result->ncwnd != e->ncwnd || t->result->ncwnd == p->min_ncwnd ||
        t->result->ncwnd == p->max_ncwnd)
        t->result->nic_window_time_marker = t->now;
    else
        t->result->nic_window_time_marker = followed(t, e->nic_window_time_marker);
}

/* 10.3.3: the window falls by the most that one step allows (AMB-40). */
static void exhausted_ncwnd(struct turn *t)
{
    const struct fal_cc_event *e = t->event;

    if (e->ncwnd_direction != FAL_CC_INCREASE && !rtt_elapsed(t, e->nic_window_time_marker))
        return;
    set_ncwnd(t, e->ncwnd * (1 - t->params->max_nic_multiplicative_decrease_factor));
    if (!reads(t, FAL_CC_READING_NACK_KEEPS_DIRECTION))
        t->result->ncwnd_direction = FAL_CC_DECREASE;
    t->result->nic_window_time_marker = t->now;
}

/* ---- events ---- */

/* 10.3.4, GetSmoothed, truncated (AMB-35, AMB-68). This form of alpha * old + (1 - alpha) *
 * sample cannot leave the range between the two by rounding. */
static uint32_t smoothed(const struct turn *t, double alpha, double old, double sample)
{
    if (old == 0 && reads(t, FAL_CC_READING_FIRST_SAMPLE))
        return (uint32_t)sample;
    if (reads(t, FAL_CC_READING_ALPHA_OF_SAMPLE))
        alpha = 1 - alpha;
    return (uint32_t)(sample + (old - sample) * alpha);
}

/* The timeout of 10.3.2. */
static void set_timeout(struct turn *t)
{
    const struct fal_swift_params *p = t->params;
    double timeout = p->retransmit_timeout_scalar * t->result->rtt_state;

    if (reads(t, FAL_CC_READING_RTO_GAP))
        timeout += t->result->inter_packet_gap;
    t->result->retransmit_timeout =
        rounded(larger(timeout, p->min_retransmission_timeout), FAL_CC_TIME_MAX);
}

/* Takes the samples of the event into the averages. */
static void smooth(struct turn *t, bool exhausted)
{
    const struct fal_cc_event *e = t->event;

    t->rtt = fal_cc_rtt(e);
    if (!exhausted || !reads(t, FAL_CC_READING_NACK_KEEPS_AVERAGES)) {
        t->result->rtt_state =
            smoothed(t, t->params->rtt_smoothing_alpha, e->rtt_state, t->rtt);
        t->result->delay_state =
            smoothed(t, t->params->delay_smoothing_alpha, e->delay_state, fal_cc_delay_of(e));
    }
    if (reads(t, FAL_CC_READING_RTT_AVERAGE))
        t->rtt = t->result->rtt_state;
}

static void process_ack(const struct fal_swift *swift, struct fal_cc_state *state,
                        struct turn *t)
{
    const struct fal_cc_event *e = t->event;
    struct fal_plb_ack ack = {.target = t->target, .acked = e->num_packets_acked};
    bool exhausted = e->event_type == FAL_CC_NACK && e->nack_code == FAL_NACK_RESOURCE;

    state->retransmits = 0;
    smooth(t, exhausted);
    ack_fcwnd(t);
    if (exhausted)
        exhausted_ncwnd(t);
    else
        ack_ncwnd(t);
    if (reads(t, FAL_CC_READING_ACK_RTO))
        set_timeout(t);
    if (!swift->plb ||
        (e->event_type != FAL_CC_ACK && !reads(t, FAL_CC_READING_PLB_ON_NACKS))) /* AMB-70 */
        return;
    ack.delay = t->result->delay_state;
    ack.window = clamp(0, fcwnd_of(e), e->ncwnd);
    t->result->randomize_path = fal_plb_ack(t->params, state, &ack);
}

/* How many retransmission events came in succession: the event states it (AMB-39). */
static unsigned succession(struct turn *t)
{
    if (t->state->retransmits < UINT8_MAX)
        t->state->retransmits++;
    return reads(t, FAL_CC_READING_COUNTS_REPEATS) ? t->state->retransmits
                                                   : t->event->retransmit_count;
}

/* 10.3.2 */
static void process_retransmit(struct turn *t)
{
    const struct fal_swift_params *p = t->params;
    const struct fal_cc_event *e = t->event;
    double fcwnd = fcwnd_of(e);
    unsigned count = succession(t);
    bool elapsed;

    t->rtt = e->rtt_state;
    elapsed = rtt_elapsed(t, e->fabric_window_time_marker);
    if (count == 1 && elapsed) {
        fcwnd *= 1 - p->max_fabric_multiplicative_decrease_factor;
        t->result->fabric_window_time_marker = t->now;
    } else if (count >= p->retransmit_limit &&
               (elapsed || !reads(t, FAL_CC_READING_LIMIT_WAITS))) {
        fcwnd = p->min_fcwnd;
        t->result->fabric_window_time_marker = t->now;
    }
    (void)set_fcwnd(t, fcwnd);
    set_timeout(t);
}

void fal_swift_process(void *ctx, struct fal_cc_state *state, uint32_t now,
                       const struct fal_cc_event *event, struct fal_cc_result *result)
{
    const struct fal_swift *swift = ctx;
    struct turn t = {.params = &swift->params,
                     .event = event,
                     .result = result,
                     .state = state,
                     .readings = swift->readings,
                     .now = now & FAL_CC_TIME_MAX};

    fal_cc_unchanged(event, result);
    t.target =
        fal_swift_target(swift, event->base_delay_target, fcwnd_of(event), event->forward_hops);
    switch (event->event_type) {
    case FAL_CC_ACK:
    case FAL_CC_NACK: process_ack(swift, state, &t); break;
    case FAL_CC_RETRANSMIT: process_retransmit(&t); break;
    default: break;
    }
}
