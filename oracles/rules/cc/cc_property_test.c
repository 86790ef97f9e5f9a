/* SPDX-License-Identifier: Apache-2.0
 * cc_property_test.c - random series of events. The band is sound: the answer of a plain
 * evaluation of the pseudo-code, under a random fork and at a random time of the interval of
 * `now`, always lies inside, whether the judge knows the fork or begins with all. And it is
 * narrow: for one fork, away from a threshold, no field is wider than 3 units and 0.1 %. */
#include "oracles/rng.h"
#include "oracles/rules/cc/cc_trial_testing.h"
#include "oracles/rules/cc/cc_view.h"

#include <stdio.h>

enum { EVENTS = 24000, SERIES = 12, LONG_EVENTS = 100, LONG_SERIES = 4 };

/* One Rate Update Engine: its fork and its state. */
struct plain {
    const struct fal_band_params *p;
    const struct fal_cc_event *e;
    struct fal_cc_result *r;
    uint8_t of[FAL_BAND_AXES];
    uint32_t now;
    double fcwnd, rtt, delay, target;
    unsigned row, acked, congested, attempts, counted;
    bool exhausted;
};

static bool other(const struct plain *x, enum fal_band_axis axis)
{
    return x->of[axis] != 0;
}

static uint32_t between(uint32_t from, uint32_t to)
{
    return (to - from) & FAL_ARC_MASK;
}

static double clamp(double value, double min, double max)
{
    return value < min ? min : value > max ? max : value;
}

static bool rtt_elapsed(const struct plain *x, uint32_t marker)
{
    return between(marker, x->now) >= x->rtt;
}

static uint32_t updated(const struct plain *x, uint32_t marker)
{
    return between(marker, x->now) > x->rtt ? between((uint32_t)x->rtt, x->now) : marker;
}

static uint32_t average(const struct plain *x, double alpha, uint32_t old, uint32_t sample)
{
    double weight = other(x, FAL_BAND_AXIS_ORIENTATION) ? 1 - alpha : alpha;

    if (old == 0 && other(x, FAL_BAND_AXIS_FIRST))
        return sample;
    return (uint32_t)(old * weight + sample * (1 - weight));
}

static uint32_t sample_of(const struct fal_cc_event *e)
{
    uint32_t rtt = between(e->t1, e->t4), held = between(e->t2, e->t3);

    switch (e->delay_select) {
    case FAL_CC_DELAY_FULL: return rtt;
    case FAL_CC_DELAY_FABRIC: return held > rtt ? 0 : rtt - held;
    case FAL_CC_DELAY_FORWARD: return between(e->t1, e->t2);
    default: return between(e->t3, e->t4);
    }
}

static void smooth(struct plain *x)
{
    uint32_t sample = between(x->e->t1, x->e->t4);

    x->r->rtt_state = x->e->rtt_state;
    x->r->delay_state = x->e->delay_state;
    x->rtt = x->e->rtt_state;
    if (x->e->event_type != FAL_CC_RETRANSMIT) {
        if (!x->exhausted || !other(x, FAL_BAND_AXIS_EXHAUSTED_SMOOTHS)) {
            x->r->rtt_state = average(x, x->p->rtt_smoothing_alpha, x->e->rtt_state, sample);
            x->r->delay_state =
                average(x, x->p->delay_smoothing_alpha, x->e->delay_state, sample_of(x->e));
        }
        if (x->of[FAL_BAND_AXIS_RTT] == 0)
            x->rtt = sample;
        else if (x->of[FAL_BAND_AXIS_RTT] == 1)
            x->rtt = x->r->rtt_state;
    }
    x->delay = x->r->delay_state;
}

static double target_of(const struct plain *x, double fcwnd)
{
    double low = sqrt(x->p->min_flow_scaling_window),
           high = sqrt(x->p->max_flow_scaling_window);
    double alpha = x->p->max_flow_scaling / (1 / low - 1 / high), beta, target;

    if (other(x, FAL_BAND_AXIS_FLOW_ALPHA))
        alpha = x->p->max_flow_scaling / (low - high);
    beta = -alpha / (other(x, FAL_BAND_AXIS_FLOW_BETA) ? sqrt(x->p->max_fcwnd) : high);
    target = x->e->base_delay_target +
             clamp(alpha / sqrt(fcwnd) + beta, 0, x->p->max_flow_scaling) +
             x->p->topology_scaling_per_hop * x->e->forward_hops;
    if (x->of[FAL_BAND_AXIS_TARGET_TICKS] == 1)
        return floor(target);
    return x->of[FAL_BAND_AXIS_TARGET_TICKS] == 2 ? round(target) : target;
}

static double increased(struct plain *x)
{
    double step = x->p->fabric_additive_increment, n = x->e->num_packets_acked;

    if (other(x, FAL_BAND_AXIS_COUNTING)) {
        x->counted += x->e->num_packets_acked;
        if (x->counted <= x->fcwnd)
            return x->fcwnd;
        x->counted = 0;
        return x->fcwnd + step;
    }
    return x->fcwnd + (x->fcwnd >= 1 ? step * n / x->fcwnd : step * n);
}

static void fabric(struct plain *x)
{
    double prev = x->fcwnd;
    uint32_t marker = x->e->fabric_window_time_marker;

    if (x->delay <= x->target)
        x->fcwnd = increased(x);
    else if (rtt_elapsed(x, marker))
        x->fcwnd *= fmax(1 - x->p->fabric_multiplicative_decrease_factor *
                                 (x->delay - x->target) / x->delay,
                         1 - x->p->max_fabric_multiplicative_decrease_factor);
    x->fcwnd = clamp(x->fcwnd, x->p->min_fcwnd, x->p->max_fcwnd);
    x->r->fabric_window_time_marker = updated(x, marker);
    if (x->fcwnd < prev || x->fcwnd == x->p->min_fcwnd)
        x->r->fabric_window_time_marker = x->now;
}

static void retransmit(struct plain *x)
{
    unsigned count = other(x, FAL_BAND_AXIS_RETRANSMITS) ? x->e->retransmit_count : x->row;
    uint32_t marker = x->e->fabric_window_time_marker;

    x->r->fabric_window_time_marker = marker;
    if (count == 1 && rtt_elapsed(x, marker)) {
        x->fcwnd *= 1 - x->p->max_fabric_multiplicative_decrease_factor;
        if (!other(x, FAL_BAND_AXIS_RETRANSMIT_CLAMP))
            x->fcwnd = clamp(x->fcwnd, x->p->min_fcwnd, x->p->max_fcwnd);
        x->r->fabric_window_time_marker = x->now;
    } else if (count >= x->p->retransmit_limit &&
               (!other(x, FAL_BAND_AXIS_LIMIT) || rtt_elapsed(x, marker))) {
        x->fcwnd = x->p->min_fcwnd;
        x->r->fabric_window_time_marker = x->now;
    }
}

static void pace(struct plain *x)
{
    double gap = x->rtt / x->fcwnd, in = x->e->inter_packet_gap;

    if (x->of[FAL_BAND_AXIS_GAP_FORM] == 2)
        gap -= x->rtt;
    if (other(x, FAL_BAND_AXIS_GAP_UNIT))
        gap *= 131.072 / 512;
    if (x->of[FAL_BAND_AXIS_GAP_FORM] == 1 && in != 0)
        gap = in / x->fcwnd;
    gap = x->fcwnd > 1 ? 0 : fmin(gap, FAL_CC_GAP_MAX);
    if (x->e->event_type == FAL_CC_RETRANSMIT && other(x, FAL_BAND_AXIS_RETRANSMIT_GAP))
        gap = in;
    x->r->inter_packet_gap = (uint32_t)gap;
}

static void mark_nic(struct plain *x, double ncwnd)
{
    if (ncwnd != x->e->ncwnd || ncwnd == x->p->min_ncwnd || ncwnd == x->p->max_ncwnd)
        x->r->nic_window_time_marker = x->now;
    else
        x->r->nic_window_time_marker = updated(x, x->e->nic_window_time_marker);
    x->r->ncwnd = (uint16_t)ncwnd;
}

static void nic(struct plain *x)
{
    double ncwnd = x->e->ncwnd, level = x->e->rx_buffer_level;
    double above = level - x->p->target_rx_buffer_level;
    bool elapsed = rtt_elapsed(x, x->e->nic_window_time_marker);

    if (above < 0) {
        if (x->e->ncwnd_direction == FAL_CC_DECREASE || elapsed) {
            ncwnd += x->p->nic_additive_increment;
            x->r->ncwnd_direction = FAL_CC_INCREASE;
        }
    } else if (elapsed && level > 0) {
        double factor =
            other(x, FAL_BAND_AXIS_NIC_FACTOR) ? x->p->nic_multiplicative_decrease_factor : 1;

        ncwnd *=
            fmax(1 - factor * above / level, 1 - x->p->max_nic_multiplicative_decrease_factor);
        x->r->ncwnd_direction = FAL_CC_DECREASE;
    }
    mark_nic(x, clamp(floor(ncwnd), x->p->min_ncwnd, x->p->max_ncwnd));
}

static void exhausted(struct plain *x)
{
    double ncwnd = x->e->ncwnd;

    if (x->e->ncwnd_direction != FAL_CC_INCREASE &&
        !rtt_elapsed(x, x->e->nic_window_time_marker)) {
        if (!other(x, FAL_BAND_AXIS_EXHAUSTED_MARKS))
            mark_nic(x, ncwnd);
        return;
    }
    ncwnd = floor(ncwnd * (1 - x->p->max_nic_multiplicative_decrease_factor));
    if (!other(x, FAL_BAND_AXIS_EXHAUSTED_CLAMP))
        ncwnd = clamp(ncwnd, x->p->min_ncwnd, x->p->max_ncwnd);
    x->r->ncwnd = (uint16_t)ncwnd;
    x->r->nic_window_time_marker = x->now;
    if (!other(x, FAL_BAND_AXIS_EXHAUSTED_TURNS))
        x->r->ncwnd_direction = FAL_CC_DECREASE;
}

static void timeout(struct plain *x)
{
    double rto = x->p->retransmit_timeout_scalar * x->r->rtt_state;

    if (other(x, FAL_BAND_AXIS_RTO_GAP))
        rto += x->r->inter_packet_gap;
    if (x->e->event_type == FAL_CC_RETRANSMIT || other(x, FAL_BAND_AXIS_ACK_RTO))
        x->r->retransmit_timeout =
            (uint32_t)fmin(fmax(rto, x->p->min_retransmission_timeout), FAL_CC_TIME_MAX);
}

static void plb(struct plain *x, double old_window)
{
    double target = other(x, FAL_BAND_AXIS_PLB_TARGET) ? target_of(x, x->fcwnd) : x->target;
    double fraction;

    x->acked += x->e->num_packets_acked;
    if (x->delay > target * x->p->plb_target_delay_multiplier)
        x->congested += x->e->num_packets_acked;
    if (x->acked < old_window)
        return;
    fraction = (double)x->congested / x->acked;
    if (fraction > x->p->plb_congestion_threshold ||
        (fraction == x->p->plb_congestion_threshold && !other(x, FAL_BAND_AXIS_FRACTION)))
        x->attempts++;
    else
        x->attempts = 0;
    if (x->attempts >= x->p->plb_attempt_threshold + x->of[FAL_BAND_AXIS_ATTEMPTS]) {
        x->r->randomize_path = true;
        x->attempts = 0;
    }
    x->acked = x->congested = 0;
}

static void evaluate(struct plain *x, struct fal_cc_result *r)
{
    const struct fal_cc_event *e = x->e;
    double old_window;

    x->r = r;
    *r = (struct fal_cc_result){.ncwnd = e->ncwnd,
                                .ncwnd_direction = e->ncwnd_direction,
                                .nic_window_time_marker = e->nic_window_time_marker,
                                .retransmit_timeout = e->retransmit_timeout};
    x->exhausted = e->event_type == FAL_CC_NACK && e->nack_code == FAL_NACK_RESOURCE;
    x->row = e->event_type == FAL_CC_RETRANSMIT ? x->row + 1 : 0;
    x->fcwnd = e->fcwnd_integer + e->fcwnd_fraction / 1024.0;
    old_window = fmin(x->fcwnd, e->ncwnd);
    smooth(x);
    x->target = target_of(x, x->fcwnd);
    if (e->event_type == FAL_CC_RETRANSMIT) {
        retransmit(x);
    } else {
        fabric(x);
        if (x->exhausted)
            exhausted(x);
        else
            nic(x);
    }
    pace(x);
    timeout(x);
    if (e->event_type == FAL_CC_ACK ||
        (e->event_type == FAL_CC_NACK && other(x, FAL_BAND_AXIS_PLB_NACK)))
        plb(x, old_window);
    trial_fcwnd(&r->fcwnd_integer, &r->fcwnd_fraction, fmin(x->fcwnd, 2047.9995));
}

static double some(struct fal_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * (double)fal_rng_below(rng, 1U << 30) / (1U << 30);
}

static struct fal_band_params random_params(struct fal_rng *rng)
{
    struct fal_band_params p = trial_params();

    p.max_fcwnd = (double)(2 + fal_rng_below(rng, 2000));
    p.min_fcwnd = some(rng, 0.005, 0.1);
    p.fabric_additive_increment = some(rng, 0.1, 4);
    p.fabric_multiplicative_decrease_factor = some(rng, 0.1, 1);
    p.max_fabric_multiplicative_decrease_factor = some(rng, 0.1, 0.9);
    p.max_ncwnd = (double)(2 + fal_rng_below(rng, 1000));
    p.nic_multiplicative_decrease_factor = some(rng, 0.1, 1);
    p.max_nic_multiplicative_decrease_factor = some(rng, 0.1, 0.9);
    p.target_rx_buffer_level = (unsigned)fal_rng_below(rng, 32);
    p.plb_target_delay_multiplier = some(rng, 1, 1.5);
    p.plb_congestion_threshold = (double)fal_rng_below(rng, 9) / 8;
    p.plb_attempt_threshold = 1 + (unsigned)fal_rng_below(rng, 3);
    p.rtt_smoothing_alpha = some(rng, 0, 1);
    p.delay_smoothing_alpha = fal_rng_below(rng, 2) == 0 ? 0 : some(rng, 0, 1);
    p.topology_scaling_per_hop = some(rng, 0, 20);
    p.retransmit_timeout_scalar = some(rng, 1, 4);
    p.min_retransmission_timeout = some(rng, 0, 2000);
    p.max_flow_scaling = some(rng, 0, 800);
    p.min_flow_scaling_window = some(rng, 0.05, 1);
    p.max_flow_scaling_window = some(rng, 2, p.max_fcwnd + 1);
    return p;
}

static struct fal_cc_event random_event(struct fal_rng *rng, const struct fal_band_params *p,
                                        uint32_t now)
{
    struct fal_cc_event e = {.event_type = (uint8_t)fal_rng_below(rng, 3)};
    uint32_t rtt = 20 + (uint32_t)fal_rng_below(rng, 2000);
    uint32_t held = (uint32_t)fal_rng_below(rng, rtt + rtt / 16);

    e.nack_code = fal_rng_below(rng, 2) == 0 ? FAL_NACK_RESOURCE : FAL_NACK_RNR;
    e.t4 = now;
    e.t1 = between(rtt, now);
    e.t2 = (e.t1 + (uint32_t)fal_rng_below(rng, rtt)) & FAL_ARC_MASK;
    e.t3 = (e.t2 + held) & FAL_ARC_MASK;
    e.delay_select = (uint8_t)fal_rng_below(rng, 4);
    e.retransmit_count = (uint8_t)fal_rng_below(rng, 8);
    e.forward_hops = (uint8_t)fal_rng_below(rng, 16);
    e.rx_buffer_level = (uint8_t)fal_rng_below(rng, 32);
    e.num_packets_acked = (uint16_t)(fal_rng_next(rng) >> (54 + fal_rng_below(rng, 10)));
    trial_fcwnd(&e.fcwnd_integer, &e.fcwnd_fraction,
                fmin(p->max_fcwnd, p->min_fcwnd + pow(2, some(rng, -6, 11))));
    if (fal_rng_below(rng, 8) == 0)
        trial_fcwnd(&e.fcwnd_integer, &e.fcwnd_fraction,
                    fal_rng_below(rng, 2) == 0 ? p->min_fcwnd : p->max_fcwnd);
    e.inter_packet_gap = (uint32_t)(fal_rng_next(rng) >> (44 + fal_rng_below(rng, 20)));
    e.ncwnd = (uint16_t)(1 + fal_rng_below(rng, (uint64_t)p->max_ncwnd));
    e.ncwnd_direction = (uint8_t)fal_rng_below(rng, 2);
    e.retransmit_timeout = (uint32_t)fal_rng_below(rng, 10000);
    e.fabric_window_time_marker = between((uint32_t)fal_rng_below(rng, 3 * rtt), now);
    e.nic_window_time_marker = between((uint32_t)fal_rng_below(rng, 3 * rtt), now);
    e.base_delay_target = (uint32_t)fal_rng_below(rng, 2000);
    e.rtt_state = (uint32_t)fal_rng_below(rng, 2 * rtt) * (fal_rng_below(rng, 8) != 0);
    e.delay_state = (uint32_t)fal_rng_below(rng, 2 * rtt) * (fal_rng_below(rng, 8) != 0);
    return e;
}

static struct fal_band_fork random_fork(struct fal_rng *rng)
{
    struct fal_band_fork fork = {{0}};

    for (int axis = 0; axis < FAL_BAND_AXES; axis++)
        fork.of[axis] = (uint8_t)fal_rng_below(rng, fal_band_axis((enum fal_band_axis)axis)->n);
    return fork;
}

/* Events of one engine of that fork. The judge knows the fork, or begins with all of them and
 * must not rule this one out. */
static void play(struct fal_rng *rng, uint64_t seed, uint64_t number,
                 const struct fal_band_fork *fork, int events)
{
    struct fal_band_params params = random_params(rng);
    bool known = fal_rng_below(rng, 2) == 0;
    struct plain x = {.p = &params};
    struct trial t = trial();

    memcpy(x.of, fork->of, sizeof x.of);
    t.params = params;
    if (known)
        fal_band_forks_one(&t.forks, fork);
    for (int k = 0; k < events; k++) {
        struct fal_band_breach breach = {0};
        bool holds;

        t.now = (uint32_t)fal_rng_next(rng) & FAL_ARC_MASK;
        t.late = (uint32_t)fal_rng_below(rng, 20);
        t.event = random_event(rng, &params, t.now);
        x.e = &t.event;
        x.now = (t.now + (uint32_t)fal_rng_below(rng, t.late + 1)) & FAL_ARC_MASK;
        evaluate(&x, &t.result);
        holds = trial_take(&t, &breach);
        ck_assert_msg(holds, "%s: series %llu, event %d: %s %.3f is outside %.3f..%.3f (%s)",
                      test_again(seed), (unsigned long long)number, k,
                      fal_band_field_name(breach.field), breach.seen, breach.allowed.lo,
                      breach.allowed.hi, breach.requirement ? breach.requirement : "none");
        ck_assert_msg(fal_band_forks_has(&t.forks, fork), "%s: series %llu, event %d",
                      test_again(seed), (unsigned long long)number, k);
    }
}

START_TEST(a_plain_evaluation_lies_inside)
{
    uint64_t seed = test_seed(103001);
    struct fal_rng rng = fal_rng_split(seed, 0);

    for (uint64_t i = 0; i < test_rounds(EVENTS / SERIES); i++) {
        struct fal_band_fork fork = random_fork(&rng);

        play(&rng, seed, i, &fork, SERIES);
    }
}
END_TEST

/* TALON_TIMES=100: two million events. Each alternative of each axis by itself, all else by
 * default. */
START_TEST(each_alternative_lies_inside)
{
    uint64_t seed = test_seed(103003);
    struct fal_rng rng = fal_rng_split(seed, 0);
    uint64_t series = 0, rounds = test_rounds(LONG_SERIES);

    for (int axis = 0; axis < FAL_BAND_AXES; axis++)
        for (unsigned a = 0; a < fal_band_axis((enum fal_band_axis)axis)->n; a++)
            for (uint64_t i = 0; i < rounds; i++) {
                struct fal_band_fork fork = {{0}};

                fork.of[axis] = (uint8_t)a;
                play(&rng, seed, series++, &fork, LONG_EVENTS);
            }
    printf("# seed %llu, %llu series of %d events\n", (unsigned long long)seed,
           (unsigned long long)series, LONG_EVENTS);
}
END_TEST

/* The number of a combination gives its axes, and they the number; each is in its range. */
START_TEST(combinations_have_numbers)
{
    static const unsigned most[FAL_BAND_GROUPS] = {FAL_BAND_S, FAL_BAND_R, FAL_BAND_T,
                                                   FAL_BAND_F, FAL_BAND_P, FAL_BAND_O,
                                                   FAL_BAND_N, FAL_BAND_L};

    for (int group = 0; group < FAL_BAND_GROUPS; group++)
        for (unsigned i = 0; i < most[group]; i++) {
            struct fal_band_fork fork = {{0}};

            fal_band_choose(&fork, (enum fal_band_group)group, i);
            ck_assert_uint_eq(fal_band_chosen(&fork, (enum fal_band_group)group), i);
            for (int axis = 0; axis < FAL_BAND_AXES; axis++)
                ck_assert_uint_lt(fork.of[axis], fal_band_axis((enum fal_band_axis)axis)->n);
        }
}
END_TEST

/* How far a field is wider than 0.1 % of its value, in units. */
static double width(struct fal_cc_span span)
{
    return span.hi - span.lo - 0.001 * fabs(span.hi);
}

START_TEST(one_reading_is_narrow)
{
    uint64_t seed = test_seed(103002);
    struct fal_rng rng = fal_rng_split(seed, 0);
    double fcwnd = 0, ncwnd = 0, gap = 0, rto = 0, average = 0;
    uint64_t n = 0;

    for (uint64_t i = 0; i < test_rounds(EVENTS); i++) {
        struct fal_band_params params = random_params(&rng);
        struct fal_cc_event event;
        struct fal_band_fork fork = {{0}};
        struct fal_band_series series;
        struct fal_band_view view;
        struct fal_band_target target;
        struct fal_band_outcomes outcomes = {0};
        struct fal_band_input input = {.params = &params, .event = &event, .now = {100, 0}};

        params.rtt_smoothing_alpha = params.delay_smoothing_alpha = 0; /* truncates nothing */
        event = random_event(&rng, &params, 100);
        event.delay_select = FAL_CC_DELAY_FULL;
        fal_band_series_init(&series);
        fal_band_view(&input, &series, &fork, &view);
        target = fal_band_target(&view, &fork, fal_band_fcwnd(&event));
        if (fabs(view.smoothed_delay.lo - target.delay.lo) <= 2 * FAL_BAND_NEAR)
            continue;
        n++;
        average = fmax(average, width(view.smoothed_rtt));
        average = fmax(average, width(view.smoothed_delay));
        rto = fmax(rto, width(fal_band_timeout(&view, &fork, 0).span));
        if (view.retransmit)
            fal_band_fabric_retransmit(&view, &fork, &outcomes);
        else
            fal_band_fabric(&view, &fork, &target, &outcomes);
        for (unsigned o = 0; o < outcomes.n; o++) {
            fcwnd = fmax(fcwnd, width(outcomes.at[o].value));
            /* At one packet, and at a least window between two units, two values are right. */
            if ((outcomes.at[o].real.lo > 1.01 || outcomes.at[o].real.hi < 0.99) &&
                outcomes.at[o].real.lo >= params.min_fcwnd)
                gap = fmax(gap, width(fal_band_gap(&view, &fork, outcomes.at[o].real).span));
        }
        outcomes.n = 0;
        fal_band_nic(&view, &fork, &outcomes);
        for (unsigned o = 0; o < outcomes.n; o++)
            ncwnd = fmax(ncwnd, width(outcomes.at[o].value));
    }
    printf("# seed %llu, %llu events: widest beyond 0.1 %%: fcwnd %.3f/1024, ncwnd %.3f, gap "
           "%.3f, RTO %.3f, averages %.3f ticks\n",
           (unsigned long long)seed, (unsigned long long)n, fcwnd, ncwnd, gap, rto, average);
    ck_assert_msg(fcwnd <= 3 && ncwnd <= 3 && gap <= 3 && rto <= 3 && average <= 3, "%s",
                  test_again(seed));
    ck_assert_uint_gt(n, test_rounds(EVENTS) * 5 / 6);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("band of random events");
    TCase *tc = tcase_create("properties");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_plain_evaluation_lies_inside);
    tcase_add_test(tc, each_alternative_lies_inside);
    tcase_add_test(tc, combinations_have_numbers);
    tcase_add_test(tc, one_reading_is_narrow);
    suite_add_tcase(suite, tc);
    return suite;
}
