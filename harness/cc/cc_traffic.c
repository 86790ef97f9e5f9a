/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_traffic.h"

#include "codecs/header/falcon.h"

#include <math.h>

enum {
    RTT_LEAST = 8,
    RTT_MOST = 40000, /* 5.2 ms */
    WEATHER_MOST = 120,
    NEW_IN = 2000, /* a connection begins anew once in so many events */
    PUSHED_IN = 50 /* the datapath has set its windows, once in so many */
};

static uint32_t between(struct fal_rng *rng, uint32_t least, uint32_t most)
{
    return least + (uint32_t)fal_rng_below(rng, (uint64_t)most - least + 1);
}

/* From `least` to `most`, each power of two as often as the others. */
static uint32_t scaled(struct fal_rng *rng, uint32_t least, uint32_t most)
{
    unsigned steps = 0;

    while ((most >> steps) > least && steps < 31)
        steps++;
    return between(rng, least,
                   (uint32_t)fmax(least, (double)(most >> fal_rng_below(rng, steps + 1))));
}

void tl_cc_traffic_begin(struct tl_cc_traffic *traffic, uint64_t seed,
                         const struct fal_swift_params *params)
{
    *traffic = (struct tl_cc_traffic){.rng = fal_rng_split(seed, 0x6363), .params = params};
    traffic->now = between(&traffic->rng, 0, FAL_CC_TIME_MAX);
}

static void begin_flow(struct tl_cc_traffic *traffic, struct tl_cc_flow *flow, uint32_t id)
{
    struct fal_rng *rng = &traffic->rng;

    *flow = (struct tl_cc_flow){
        .begun = true,
        .rtt = scaled(rng, RTT_LEAST, RTT_MOST),
        .hops = between(rng, 0, 15),
        .delay_select = fal_rng_below(rng, 4) == 0 ? between(rng, 0, 3) : FAL_CC_DELAY_FABRIC,
        .state = {.connection_id = id,
                  .fcwnd_integer = FAL_CC_START_FCWND,
                  .ncwnd = FAL_CC_START_NCWND,
                  .retransmit_timeout = FAL_CC_START_RTO,
                  .delay_state = FAL_CC_START_DELAY,
                  .rtt_state = FAL_CC_START_DELAY,
                  .base_delay_target = (uint32_t)traffic->params->base_delay_target},
    };
}

static void change_weather(struct tl_cc_traffic *traffic, struct tl_cc_flow *flow)
{
    flow->weather = (enum tl_cc_weather)fal_rng_below(&traffic->rng, TL_CC_WILD + 1);
    flow->left = between(&traffic->rng, 1, WEATHER_MOST);
}

/* The datapath was told other windows, or holds those of another algorithm. */
static void push(struct tl_cc_traffic *traffic, struct tl_cc_flow *flow)
{
    const struct fal_swift_params *p = traffic->params;
    struct fal_rng *rng = &traffic->rng;
    uint32_t least = (uint32_t)ceil(p->min_fcwnd * FAL_CC_FRACTION),
             units = scaled(rng, least, (uint32_t)(p->max_fcwnd * FAL_CC_FRACTION));

    flow->state.fcwnd_integer = (uint16_t)(units / FAL_CC_FRACTION);
    flow->state.fcwnd_fraction = (uint16_t)(units % FAL_CC_FRACTION);
    flow->state.ncwnd = (uint16_t)between(rng, (uint32_t)p->min_ncwnd, (uint32_t)p->max_ncwnd);
    flow->state.fabric_window_time_marker = between(rng, 0, FAL_CC_TIME_MAX);
    flow->state.nic_window_time_marker = between(rng, 0, FAL_CC_TIME_MAX);
}

/* The delay of an ACK, in ticks, of which the round trip consists but for the time at the peer.
 */
static uint32_t delay_of(struct tl_cc_traffic *traffic, const struct tl_cc_flow *flow)
{
    uint32_t target = (uint32_t)traffic->params->base_delay_target + 1;
    struct fal_rng *rng = &traffic->rng;

    switch (flow->weather) {
    case TL_CC_CALM: return between(rng, 0, target / 2);
    case TL_CC_CONGESTED: return between(rng, target, 8 * target + 800);
    case TL_CC_AT_TARGET: return between(rng, target / 2, 3 * target);
    case TL_CC_LOSSY:
    case TL_CC_WILD: break;
    }
    return scaled(rng, 0, RTT_MOST);
}

static void make_times(struct tl_cc_traffic *traffic, const struct tl_cc_flow *flow,
                       struct fal_cc_event *event)
{
    uint32_t delay = delay_of(traffic, flow), held = between(&traffic->rng, 0, flow->rtt),
             forward = delay / 2;

    event->t4 = traffic->now;
    event->t3 = (event->t4 - (delay - forward)) & FAL_CC_TIME_MAX;
    event->t2 = (event->t3 - held) & FAL_CC_TIME_MAX;
    event->t1 = (event->t2 - forward) & FAL_CC_TIME_MAX;
}

static void make_ack(struct tl_cc_traffic *traffic, struct tl_cc_flow *flow,
                     struct fal_cc_event *event)
{
    struct fal_rng *rng = &traffic->rng;
    unsigned target = (unsigned)traffic->params->target_rx_buffer_level;

    event->event_type = FAL_CC_ACK;
    make_times(traffic, flow, event);
    event->forward_hops = (uint8_t)flow->hops;
    event->num_packets_acked = (uint16_t)scaled(rng, 1, 64);
    event->rx_buffer_level =
        (uint8_t)(fal_rng_below(rng, 4) == 0 ? target : between(rng, 0, 31));
    flow->retransmits = 0;
    if (fal_rng_below(rng, flow->weather == TL_CC_WILD ? 4 : 16) != 0)
        return;
    event->event_type = FAL_CC_NACK;
    event->nack_code = (uint8_t)(fal_rng_below(rng, 2) == 0 ? FAL_NACK_RESOURCE : FAL_NACK_RNR);
}

static void make_retransmission(struct tl_cc_traffic *traffic, struct tl_cc_flow *flow,
                                struct fal_cc_event *event)
{
    event->event_type = FAL_CC_RETRANSMIT;
    flow->retransmits += flow->retransmits < FAL_CC_RETRANSMITS_MAX;
    event->retransmit_count = (uint8_t)flow->retransmits;
    event->retransmit_reason =
        (uint8_t)(fal_rng_below(&traffic->rng, 2) == 0 ? FAL_CC_RTO : FAL_CC_EARLY);
}

void tl_cc_traffic_next(struct tl_cc_traffic *traffic, struct tl_cc_line *line)
{
    struct fal_rng *rng = &traffic->rng;
    uint32_t id = (uint32_t)fal_rng_below(rng, TL_CC_TRAFFIC_CONNS);
    struct tl_cc_flow *flow = &traffic->flows[id];

    line->keep = flow->begun && fal_rng_below(rng, NEW_IN) != 0;
    if (!line->keep)
        begin_flow(traffic, flow, id + 1);
    if (flow->left == 0)
        change_weather(traffic, flow);
    flow->left--;
    traffic->now = (traffic->now + scaled(rng, 1, 2 * flow->rtt)) & FAL_CC_TIME_MAX;
    if (fal_rng_below(rng, PUSHED_IN) == 0)
        push(traffic, flow);
    line->now = traffic->now;
    line->event = flow->state;
    line->event.delay_select = (uint8_t)flow->delay_select;
    if (fal_rng_below(rng, flow->weather == TL_CC_LOSSY ? 3 : 24) == 0)
        make_retransmission(traffic, flow, &line->event);
    else
        make_ack(traffic, flow, &line->event);
}

void tl_cc_traffic_result(struct tl_cc_traffic *traffic, const struct tl_cc_line *line)
{
    const struct fal_cc_result *result = &line->result;
    struct fal_cc_event *state = &traffic->flows[line->event.connection_id - 1].state;

    state->fcwnd_integer = result->fcwnd_integer;
    state->fcwnd_fraction = result->fcwnd_fraction;
    state->inter_packet_gap = result->inter_packet_gap;
    state->ncwnd = result->ncwnd;
    state->retransmit_timeout = result->retransmit_timeout;
    state->fabric_window_time_marker = result->fabric_window_time_marker;
    state->nic_window_time_marker = result->nic_window_time_marker;
    state->ncwnd_direction = result->ncwnd_direction;
    state->delay_state = result->delay_state;
    state->rtt_state = result->rtt_state;
    state->cc_opaque = result->cc_opaque;
}

/* ---- parameters ---- */

static double share(struct fal_rng *rng)
{
    return (double)fal_rng_below(rng, 1001) / 1000;
}

void tl_cc_traffic_params(uint64_t seed, struct fal_swift_params *out)
{
    struct fal_rng rng = fal_rng_split(seed, 0x6363);

    fal_swift_params_default(out);
    out->max_fcwnd = between(&rng, 16, 1024);
    out->min_fcwnd = (double)between(&rng, 4, 512) / FAL_CC_FRACTION;
    out->fabric_additive_increment = 0.25 + 2 * share(&rng);
    out->fabric_multiplicative_decrease_factor = 0.1 + 0.9 * share(&rng);
    out->max_fabric_multiplicative_decrease_factor = 0.1 + 0.8 * share(&rng);
    out->base_delay_target = between(&rng, 20, 2000);
    out->max_ncwnd = between(&rng, 64, 1024);
    out->min_ncwnd = between(&rng, 1, 16);
    out->nic_additive_increment = between(&rng, 1, 4);
    out->max_nic_multiplicative_decrease_factor = 0.1 + 0.8 * share(&rng);
    out->target_rx_buffer_level = between(&rng, 4, 27);
    out->plb_target_delay_multiplier = 1 + share(&rng);
    out->plb_congestion_threshold = 0.1 + 0.8 * share(&rng);
    out->plb_attempt_threshold = between(&rng, 2, 8);
    out->rtt_smoothing_alpha = share(&rng);
    out->delay_smoothing_alpha = fal_rng_below(&rng, 2) == 0 ? 0 : share(&rng);
    out->topology_scaling_per_hop = between(&rng, 1, 64);
    out->retransmit_timeout_scalar = 1 + 3 * share(&rng);
    out->retransmit_limit = between(&rng, 2, 6);
    out->min_retransmission_timeout = between(&rng, 500, 8000);
    out->min_flow_scaling_window = 0.05 + share(&rng);
    out->max_flow_scaling_window = between(&rng, 16, 1024);
    out->max_flow_scaling = between(&rng, 50, 3000);
}
