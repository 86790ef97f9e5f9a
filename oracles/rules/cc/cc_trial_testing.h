/* SPDX-License-Identifier: Apache-2.0
 * cc_trial_testing.h - an event on which all readings agree, with its right result, for tests
 * of the band. At time 100000: rtt 400 ticks, fabric delay 200, target 300. fcwnd rises from 32
 * by 4/32, its marker moves to now - rtt. ncwnd rises from 64 to 65. */
#ifndef FAL_ORACLES_RULES_CC_CC_TRIAL_TESTING_H
#define FAL_ORACLES_RULES_CC_CC_TRIAL_TESTING_H

#include "codecs/header/falcon.h"
#include "oracles/rules/cc/cc_band.h"
#include "tests/testing.h"

struct trial {
    struct fal_band_params params;
    struct fal_cc_event event;
    struct fal_cc_result result;
    uint32_t now, late; /* the RUE's clock: from now to now + late */
    struct fal_band_forks forks;
    struct fal_band_series series;
};

enum { TRIAL_NOW = 100000, TRIAL_RTT = 400 };

static inline struct fal_band_params trial_params(void)
{
    return (struct fal_band_params){
        .max_fcwnd = 256,
        .min_fcwnd = 0.0625,
        .fabric_additive_increment = 1,
        .fabric_multiplicative_decrease_factor = 0.5,
        .max_fabric_multiplicative_decrease_factor = 0.25,
        .max_ncwnd = 256,
        .min_ncwnd = 1,
        .nic_additive_increment = 1,
        .nic_multiplicative_decrease_factor = 1,
        .max_nic_multiplicative_decrease_factor = 0.5,
        .target_rx_buffer_level = 15,
        .plb_target_delay_multiplier = 1,
        .plb_congestion_threshold = 0.5,
        .plb_attempt_threshold = 5,
        .rtt_smoothing_alpha = 0.5,
        .delay_smoothing_alpha = 0.5,
        .topology_scaling_per_hop = 8,
        .retransmit_timeout_scalar = 2,
        .min_retransmission_timeout = 100,
        .retransmit_limit = 3,
        .min_flow_scaling_window = 0.25,
        .max_flow_scaling_window = 256,
    };
}

static inline void trial_fcwnd(uint16_t *integer, uint16_t *fraction, double packets)
{
    double units = floor(packets * FAL_CC_FRACTION);

    *integer = (uint16_t)(units / FAL_CC_FRACTION);
    *fraction = (uint16_t)(units - *integer * (double)FAL_CC_FRACTION);
}

static inline void trial_from(struct trial *t, double packets)
{
    trial_fcwnd(&t->event.fcwnd_integer, &t->event.fcwnd_fraction, packets);
}

static inline void trial_to(struct trial *t, double packets)
{
    trial_fcwnd(&t->result.fcwnd_integer, &t->result.fcwnd_fraction, packets);
}

/* The fabric delay of the event, in its sample and in its average. */
static inline void trial_delay(struct trial *t, uint32_t ticks)
{
    t->event.t3 = (t->event.t2 + TRIAL_RTT - ticks) & FAL_ARC_MASK;
    t->event.delay_state = t->result.delay_state = ticks;
}

/* The same event at another time: all its times move. */
static inline void trial_at(struct trial *t, uint32_t now)
{
    t->now = now;
    t->event.t1 = (now - TRIAL_RTT) & FAL_ARC_MASK;
    t->event.t4 = now;
    t->event.fabric_window_time_marker = t->event.nic_window_time_marker =
        (now - 500) & FAL_ARC_MASK;
    t->result.fabric_window_time_marker = (now - TRIAL_RTT) & FAL_ARC_MASK;
    t->result.nic_window_time_marker = now;
}

static inline struct trial trial(void)
{
    struct trial t = {.params = trial_params()};

    fal_band_forks_all(&t.forks);
    fal_band_series_init(&t.series);
    t.series.counted = FAL_BAND_UNCOUNTED; /* in the midst of a connection */
    t.event.t2 = 5000;
    t.event.delay_select = FAL_CC_DELAY_FABRIC;
    t.event.num_packets_acked = 4;
    t.event.rx_buffer_level = 5;
    t.event.base_delay_target = 300;
    t.event.rtt_state = t.result.rtt_state = TRIAL_RTT;
    t.event.retransmit_timeout = t.result.retransmit_timeout = 800;
    t.event.ncwnd = 64;
    t.result.ncwnd = 65;
    t.result.ncwnd_direction = FAL_CC_INCREASE;
    trial_at(&t, TRIAL_NOW);
    trial_from(&t, 32);
    trial_to(&t, 32.125);
    trial_delay(&t, 200);
    return t;
}

/* The event lowers fcwnd: delay 400, target 300, so by 0.5 * 100 / 400 = 1/8 of 32. */
static inline struct trial trial_fall(void)
{
    struct trial t = trial();

    trial_delay(&t, 400);
    trial_to(&t, 28);
    t.result.fabric_window_time_marker = TRIAL_NOW;
    return t;
}

/* A retransmission: all passes through, and the RTO is twice the average round trip. */
static inline struct trial trial_retransmit(void)
{
    struct trial t = trial();

    t.event.event_type = FAL_CC_RETRANSMIT;
    t.event.retransmit_count = 1;
    trial_to(&t, 24);
    t.result.fabric_window_time_marker = TRIAL_NOW;
    t.result.ncwnd = 64;
    t.result.nic_window_time_marker = t.event.nic_window_time_marker;
    t.result.ncwnd_direction = FAL_CC_DECREASE;
    return t;
}

/* A NACK of resources: ncwnd falls to its half. */
static inline struct trial trial_exhausted(void)
{
    struct trial t = trial();

    t.event.event_type = FAL_CC_NACK;
    t.event.nack_code = FAL_NACK_RESOURCE;
    t.event.ncwnd_direction = FAL_CC_INCREASE;
    t.result.ncwnd = 32;
    t.result.ncwnd_direction = FAL_CC_DECREASE;
    return t;
}

static inline bool trial_take(struct trial *t, struct fal_band_breach *breach)
{
    struct fal_band_input input = {
        .params = &t->params, .event = &t->event, .now = {t->now, t->late}};

    return fal_band_holds(&t->forks, &t->series, &input, &t->result, breach);
}

/* The result is spared. The run goes on. */
#define TRIAL_RIGHT(t)                                                                         \
    do {                                                                                       \
        struct fal_band_breach breach_ = {0};                                                  \
        bool holds_ = trial_take((t), &breach_);                                               \
        ck_assert_msg(holds_, "%s %.3f is outside %.3f..%.3f by %s",                           \
                      fal_band_field_name(breach_.field), breach_.seen, breach_.allowed.lo,    \
                      breach_.allowed.hi, breach_.requirement ? breach_.requirement : "none"); \
    } while (0)

/* The result violates that requirement in that field. */
#define TRIAL_BREACH(t, at, id)                                                        \
    do {                                                                               \
        struct fal_band_breach breach_ = {0};                                          \
        ck_assert(!trial_take((t), &breach_));                                         \
        ck_assert_str_eq(fal_band_field_name(breach_.field), fal_band_field_name(at)); \
        ck_assert_str_eq(breach_.requirement, id);                                     \
        ck_assert(!breach_.mixed);                                                     \
        ck_assert(!fal_span_has(breach_.allowed, breach_.seen));                       \
    } while (0)

/* The right result is spared, and not if one member of it has that value. The run goes on after
 * the right one. */
#define TRIAL(t, member, wrong, at, id) \
    do {                                \
        struct trial bad_ = *(t);       \
        bad_.result.member = (wrong);   \
        TRIAL_BREACH(&bad_, at, id);    \
        TRIAL_RIGHT(t);                 \
    } while (0)

/* The same for fcwnd, in packets. */
#define TRIAL_FCWND(t, wrong, id)                \
    do {                                         \
        struct trial bad_ = *(t);                \
        trial_to(&bad_, (wrong));                \
        TRIAL_BREACH(&bad_, FAL_BAND_FCWND, id); \
        TRIAL_RIGHT(t);                          \
    } while (0)

#endif
