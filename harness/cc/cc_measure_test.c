/* SPDX-License-Identifier: Apache-2.0
 * cc_measure_test.c - parameters of Swift are estimated by steering a simulated sender: the
 * reference model behind windows that are counted in packets. */
#include "harness/cc/cc_measure_testing.h"
#include "oracles/cc/swift.h"
#include "tests/testing.h"

enum { HOLD = 4000, WINDOW = 128 /* of the receiver */ };

/* A sender whose ACKs come together, a round trip after its packets. */
struct sender {
    struct fal_swift swift;
    struct fal_cc_state state;
    struct fal_cc_event now; /* what the next event says */
    uint32_t ticks;
};

static void sender_begin(struct sender *s, const struct fal_swift_params *params)
{
    *s = (struct sender){.ticks = 100000};
    ck_assert_int_eq(fal_swift_init(&s->swift, params, true, NULL), 0);
    s->now = (struct fal_cc_event){.fcwnd_integer = FAL_CC_START_FCWND,
                                   .ncwnd = FAL_CC_START_NCWND,
                                   .retransmit_timeout = FAL_CC_START_RTO,
                                   .num_packets_acked = 1,
                                   .delay_select = FAL_CC_DELAY_FABRIC,
                                   .base_delay_target = (uint32_t)params->base_delay_target,
                                   .delay_state = FAL_CC_START_DELAY,
                                   .rtt_state = FAL_CC_START_DELAY};
}

/* So many packets are outstanding. */
static unsigned sender_count(const struct sender *s)
{
    unsigned fcwnd = s->now.fcwnd_integer > 0 ? s->now.fcwnd_integer : 1;

    fcwnd = fcwnd < s->now.ncwnd ? fcwnd : s->now.ncwnd;
    return fcwnd < WINDOW ? fcwnd : WINDOW;
}

static unsigned sender_round(struct sender *s, const struct tl_cc_tell *step)
{
    unsigned n = sender_count(s);

    s->ticks = (s->ticks + HOLD) & FAL_CC_TIME_MAX;
    for (unsigned i = 0; i < n; i++) {
        struct fal_cc_event e = s->now;
        struct fal_cc_result r;

        e.t1 = fal_cc_since(s->ticks, HOLD);
        e.t4 = s->ticks;
        e.t2 = 0;
        e.t3 = HOLD - (uint32_t)step->delay;
        e.forward_hops = step->hops;
        e.rx_buffer_level = step->level;
        fal_swift_process(&s->swift, &s->state, s->ticks, &e, &r);
        s->now.fcwnd_integer = r.fcwnd_integer;
        s->now.fcwnd_fraction = r.fcwnd_fraction;
        s->now.inter_packet_gap = r.inter_packet_gap;
        s->now.ncwnd = r.ncwnd;
        s->now.ncwnd_direction = r.ncwnd_direction;
        s->now.fabric_window_time_marker = r.fabric_window_time_marker;
        s->now.nic_window_time_marker = r.nic_window_time_marker;
        s->now.rtt_state = r.rtt_state;
        s->now.delay_state = r.delay_state;
    }
    return n;
}

static bool another(struct tl_cc_measure *m, struct sender *sender)
{
    const struct tl_cc_round round = {
        .outstanding = sender_round(sender, &m->step), .sound = true, .over = 0.5};

    return tl_cc_measure_round(m, &round);
}

static void measure(struct tl_cc_measure *m, const struct fal_swift_params *real,
                    const struct tl_cc_declared *declared)
{
    static struct sender sender;
    const struct tl_cc_exact exact = {.most = HOLD, .under = 0.5};

    sender_begin(&sender, real);
    tl_cc_measure_begin(m, declared, &exact);
    while (another(m, &sender))
        ;
}

START_TEST(the_defaults_are_inside_narrow_intervals)
{
    struct tl_cc_declared all;
    struct tl_cc_measure m;

    fal_swift_params_default(&all.params);
    all = declared_all(&all.params);
    measure(&m, &all.params, &all);
    for (int i = 0; i < TL_CC_MEASURED; i++)
        ck_assert_msg(!tl_cc_measured_outside(&m, (enum tl_cc_measured)i), "%s: %f to %f",
                      tl_cc_measured_name((enum tl_cc_measured)i), m.of[i].lo, m.of[i].hi);
    ck_assert_double_lt(m.of[TL_CC_BASE_TARGET].hi - m.of[TL_CC_BASE_TARGET].lo, 4);
    ck_assert_double_lt(m.of[TL_CC_PER_HOP].hi - m.of[TL_CC_PER_HOP].lo, 0.5);
    ck_assert_double_lt(m.of[TL_CC_INCREMENT].hi - m.of[TL_CC_INCREMENT].lo, 0.2);
    ck_assert_double_lt(m.of[TL_CC_BETA].hi - m.of[TL_CC_BETA].lo, 0.05);
    ck_assert_double_lt(m.of[TL_CC_MDF].hi - m.of[TL_CC_MDF].lo, 0.05);
    ck_assert_double_eq(m.of[TL_CC_LEVEL].lo, 15);
    ck_assert_double_eq(m.of[TL_CC_LEVEL].hi, 15);
}
END_TEST

/* TALON_TIMES=10 plays 200 sets. */
START_TEST(drawn_parameters_are_inside_and_wrong_ones_are_not)
{
    uint64_t seed = test_seed(281130);
    unsigned long sets = test_rounds(20);
    unsigned long inside[TL_CC_MEASURED] = {0};

    for (unsigned long i = 0; i < sets; i++) {
        struct tl_cc_declared real;
        struct tl_cc_measure m;

        drawn(seed + i, &real.params);
        real = declared_all(&real.params);
        measure(&m, &real.params, &real);
        for (int p = 0; p < TL_CC_MEASURED; p++) {
            enum tl_cc_measured which = (enum tl_cc_measured)p;
            double value = tl_cc_measured_declared(&real, which);

            inside[p] += !tl_cc_measured_outside(&m, which);
            if (which == TL_CC_LEVEL && value < 5)
                continue; /* 20 % are less than a level. */
            ck_assert_msg(excludes_wrong(&m.of[p], value), "%s, set %lu: %s: %f in %f to %f",
                          test_again(seed), i, tl_cc_measured_name(which), value, m.of[p].lo,
                          m.of[p].hi);
        }
    }
    for (int p = 0; p < TL_CC_MEASURED; p++)
        ck_assert_msg(100 * inside[p] >= 95 * sets, "%s: %s: inside %lu of %lu",
                      test_again(seed), tl_cc_measured_name((enum tl_cc_measured)p), inside[p],
                      sets);
}
END_TEST

START_TEST(a_declared_value_that_is_20_percent_wrong_is_outside)
{
    struct tl_cc_declared real, wrong;
    struct tl_cc_measure m;

    fal_swift_params_default(&real.params);
    real = declared_all(&real.params);
    for (int p = 0; p < TL_CC_MEASURED; p++)
        for (int up = 0; up < 2; up++) {
            enum tl_cc_measured which = (enum tl_cc_measured)p;
            double value = tl_cc_measured_declared(&real, which) * (up ? 1.2 : 0.8);

            wrong = real;
            ck_assert_int_eq(
                fal_swift_param_set(fal_swift_param_find(tl_cc_measured_name(which)),
                                    &wrong.params,
                                    which == TL_CC_BASE_TARGET ? (double)(int)value : value),
                0);
            measure(&m, &real.params, &wrong);
            for (int q = 0; q < TL_CC_MEASURED; q++)
                ck_assert_msg(tl_cc_measured_outside(&m, (enum tl_cc_measured)q) == (q == p),
                              "%s is wrong, and %s is inside or outside",
                              tl_cc_measured_name(which),
                              tl_cc_measured_name((enum tl_cc_measured)q));
        }
}
END_TEST

/* A sender whose window does not react: nothing that is learned is wrong, and it ends. */
START_TEST(a_sender_that_does_not_react_ends_the_measurement)
{
    static const unsigned counts[] = {0, 1, 12, 40, 64, 128, 100000};
    const struct tl_cc_exact exact = {.most = HOLD, .under = 0.5};
    struct tl_cc_declared all;
    struct tl_cc_measure m;

    fal_swift_params_default(&all.params);
    all = declared_all(&all.params);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct tl_cc_round round = {counts[i], true, 0.5};

        tl_cc_measure_begin(&m, &all, &exact);
        while (tl_cc_measure_round(&m, &round))
            ck_assert_uint_lt(m.rounds, 70000);
        ck_assert(!tl_cc_measured_outside(&m, TL_CC_BETA));
        ck_assert_int_eq(m.stuck, counts[i] > 10 ? TL_CC_STUCK_HIGH : TL_CC_STUCK_LOW);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cc_measure");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, the_defaults_are_inside_narrow_intervals);
    tcase_add_test(tc, drawn_parameters_are_inside_and_wrong_ones_are_not);
    tcase_add_test(tc, a_declared_value_that_is_20_percent_wrong_is_outside);
    tcase_add_test(tc, a_sender_that_does_not_react_ends_the_measurement);
    suite_add_tcase(suite, tc);
    return suite;
}
