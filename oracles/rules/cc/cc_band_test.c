/* SPDX-License-Identifier: Apache-2.0
 * cc_band_test.c - for each requirement that the band decides: an event worked out by hand, its
 * right result, and a wrong one that violates that requirement. */
#include "oracles/rules/cc/cc_band.h"
#include "oracles/rules/cc/cc_trial_testing.h"

START_TEST(fcwnd_rises)
{
    struct trial t = trial(), paced = trial(), again = trial();

    TRIAL_FCWND(&t, 31.5, "FTP-10.3.1-02");
    t = trial();
    TRIAL_FCWND(&t, 36, "FTP-10.3.1-02"); /* not divided by fcwnd */
    trial_from(&paced, 0.5);              /* below one it is not divided */
    paced.event.num_packets_acked = 1;
    trial_to(&paced, 1.5);
    TRIAL_FCWND(&paced, 2.5, "FTP-10.3.1-04");
    TRIAL(&again, fabric_window_time_marker, TRIAL_NOW - 500, FAL_BAND_FABRIC_MARKER,
          "FTP-10.3.1-09");
}
END_TEST

START_TEST(fcwnd_falls)
{
    struct trial t = trial_fall(), most = trial_fall();

    TRIAL_FCWND(&t, 28.01, "FTP-10.3.1-06");
    trial_delay(&most, 400);
    most.event.base_delay_target = 100; /* 0.5 * 3/4 is more than the most, 1/4 */
    trial_to(&most, 24);
    TRIAL_FCWND(&most, 20, "FTP-10.3.1-06");
    t = trial_fall();
    TRIAL(&t, fabric_window_time_marker, TRIAL_NOW - 400, FAL_BAND_FABRIC_MARKER,
          "FTP-10.3.1-08");
}
END_TEST

START_TEST(fcwnd_does_not_fall_within_an_rtt)
{
    struct trial t = trial_fall();

    t.event.fabric_window_time_marker = t.result.fabric_window_time_marker = TRIAL_NOW - 398;
    trial_to(&t, 32);
    TRIAL_FCWND(&t, 28, "FTP-10.3.1-05");
    t = trial();
    t.event.fabric_window_time_marker = t.result.fabric_window_time_marker = TRIAL_NOW - 398;
    TRIAL(&t, fabric_window_time_marker, TRIAL_NOW - 400, FAL_BAND_FABRIC_MARKER,
          "FTP-10.3.6-05");
}
END_TEST

START_TEST(fcwnd_stays_between_its_ends)
{
    struct trial t = trial(), low = trial_fall();

    trial_from(&t, 256);
    trial_to(&t, 256);
    t.event.num_packets_acked = 512;
    TRIAL_FCWND(&t, 257, "FTP-10.3.1-07");
    trial_from(&low, 0.0625); /* at the minimum it counts as a decrease */
    trial_to(&low, 0.0625);
    low.event.fabric_window_time_marker = TRIAL_NOW - 300;
    low.event.inter_packet_gap = 0;
    low.result.inter_packet_gap = 6400;
    low.result.retransmit_timeout = 800;
    TRIAL(&low, fabric_window_time_marker, TRIAL_NOW - 300, FAL_BAND_FABRIC_MARKER,
          "FTP-10.3.6-08");
    low = trial_fall();
    trial_from(&low, 0.07);
    trial_to(&low, 0.0625);
    low.event.base_delay_target = 1;
    low.result.inter_packet_gap = 6400;
    TRIAL_FCWND(&low, 0.05, "FTP-10.3.1-07");
}
END_TEST

START_TEST(the_clock_wraps)
{
    struct trial t = trial(), held = trial_fall();

    trial_at(&t, 100);
    ck_assert_uint_gt(t.event.fabric_window_time_marker, 100);
    TRIAL(&t, fabric_window_time_marker, t.event.fabric_window_time_marker,
          FAL_BAND_FABRIC_MARKER, "FTP-10.3.4-08");
    trial_at(&held, 100);
    held.event.fabric_window_time_marker = held.result.fabric_window_time_marker =
        (100U - 300) & FAL_ARC_MASK;
    trial_to(&held, 32);
    TRIAL_FCWND(&held, 28, "FTP-10.3.4-07");
}
END_TEST

START_TEST(the_target_has_three_terms)
{
    struct trial t = trial(), flow = trial();

    trial_delay(&t, 400); /* above 300, below 300 + 15 * 8 */
    t.event.forward_hops = 15;
    TRIAL_FCWND(&t, 28, "FTP-10.3.4-04");
    /* The smallest window of flow scaling adds all of it, in reading B: 300 + 200. */
    flow.params.max_flow_scaling = 200;
    trial_from(&flow, 0.25);
    trial_delay(&flow, 400);
    flow.event.num_packets_acked = 1;
    trial_to(&flow, 1.25);
    {
        struct fal_band_fork fork = {{0}};

        fal_band_forks_one(&flow.forks, &fork);
    }
    TRIAL_FCWND(&flow, 0.21875, "FTP-10.3.4-03");
}
END_TEST

START_TEST(averages_take_half_of_each)
{
    struct trial t = trial();

    t.event.rtt_state = 300;
    t.result.rtt_state = 350;
    t.event.fabric_window_time_marker = TRIAL_NOW - 1000;
    t.result.fabric_window_time_marker = TRIAL_NOW - 400;
    TRIAL(&t, rtt_state, 400, FAL_BAND_RTT_STATE, "FTP-10.3.4-06");
    t = trial();
    t.event.delay_state = 100;
    t.result.delay_state = 150;
    TRIAL(&t, delay_state, 152, FAL_BAND_DELAY_STATE, "FTP-10.3.4-06");
}
END_TEST

START_TEST(packets_are_paced_below_a_window_of_one)
{
    struct trial t = trial();

    TRIAL(&t, inter_packet_gap, 12, FAL_BAND_GAP, "FTP-10.3.4-09");
    t = trial();
    trial_from(&t, 0.25);
    t.event.num_packets_acked = 0;
    trial_to(&t, 0.25);
    t.params.fabric_additive_increment = 0;
    t.result.inter_packet_gap = 1600;
    TRIAL(&t, inter_packet_gap, 100, FAL_BAND_GAP, "FTP-10.3.4-10");
    t.event.inter_packet_gap = 1600;
    fal_band_forks_all(&t.forks);
    TRIAL(&t, inter_packet_gap, 0, FAL_BAND_GAP, "FTP-10.3.4-11");
}
END_TEST

START_TEST(ncwnd_rises)
{
    struct trial t = trial();

    t.event.ncwnd_direction = FAL_CC_INCREASE;
    TRIAL(&t, ncwnd, 66, FAL_BAND_NCWND, "FTP-10.3.1-10");
    t = trial();
    TRIAL(&t, ncwnd_direction, FAL_CC_DECREASE, FAL_BAND_DIRECTION, "FTP-10.3.1-10");
    t = trial(); /* after a decrease it does not wait */
    t.event.nic_window_time_marker = TRIAL_NOW - 200;
    TRIAL(&t, ncwnd, 64, FAL_BAND_NCWND, "FTP-10.3.1-11");
    t = trial(); /* after an increase it waits */
    t.event.nic_window_time_marker = t.result.nic_window_time_marker = TRIAL_NOW - 200;
    t.event.ncwnd_direction = FAL_CC_INCREASE;
    t.result.ncwnd = 64;
    TRIAL(&t, ncwnd, 65, FAL_BAND_NCWND, "FTP-10.3.6-03");
    t = trial();
    TRIAL(&t, nic_window_time_marker, TRIAL_NOW - 500, FAL_BAND_NIC_MARKER, "FTP-10.3.1-15");
}
END_TEST

START_TEST(ncwnd_falls)
{
    struct trial t = trial();

    t.event.rx_buffer_level = 20; /* by 5/20 of 64 */
    t.result.ncwnd = 48;
    t.result.ncwnd_direction = FAL_CC_DECREASE;
    TRIAL(&t, ncwnd, 50, FAL_BAND_NCWND, "FTP-10.3.1-13");
    t = trial();
    t.event.rx_buffer_level = 20;
    t.event.nic_window_time_marker = t.result.nic_window_time_marker = TRIAL_NOW - 200;
    t.result.ncwnd = 64;
    TRIAL(&t, ncwnd, 48, FAL_BAND_NCWND, "FTP-10.3.1-12");
    t = trial(); /* at the target: by nothing, and the marker moves on */
    t.event.rx_buffer_level = 15;
    t.result.ncwnd = 64;
    t.result.nic_window_time_marker = TRIAL_NOW - 400;
    TRIAL(&t, nic_window_time_marker, TRIAL_NOW, FAL_BAND_NIC_MARKER, "FTP-10.3.6-07");
}
END_TEST

START_TEST(ncwnd_stays_between_its_ends)
{
    struct trial t = trial();

    t.event.ncwnd = t.result.ncwnd = 256;
    TRIAL(&t, ncwnd, 257, FAL_BAND_NCWND, "FTP-10.3.1-14");
    t = trial();
    t.event.ncwnd = t.result.ncwnd = 256;
    TRIAL(&t, nic_window_time_marker, TRIAL_NOW - 400, FAL_BAND_NIC_MARKER, "FTP-10.3.6-08");
}
END_TEST

START_TEST(a_retransmission_lowers_fcwnd_once)
{
    struct trial t = trial_retransmit();

    TRIAL_FCWND(&t, 32, "FTP-10.3.2-02"); /* the first of a row */
    t.event.retransmit_count = 2;
    trial_to(&t, 32);
    t.result.fabric_window_time_marker = TRIAL_NOW - 400;
    TRIAL_FCWND(&t, 24, "FTP-10.3.2-04"); /* the second */
    t.event.retransmit_count = 3;
    trial_to(&t, 0.0625);
    t.result.fabric_window_time_marker = TRIAL_NOW;
    t.result.inter_packet_gap = 6400;
    TRIAL_FCWND(&t, 32, "FTP-10.3.2-03"); /* the limit */
    t = trial_retransmit();
    t.event.fabric_window_time_marker = t.result.fabric_window_time_marker = TRIAL_NOW - 200;
    trial_to(&t, 32);
    TRIAL_FCWND(&t, 24, "FTP-10.3.6-02"); /* within an RTT */
}
END_TEST

START_TEST(an_ack_ends_a_row_of_retransmissions)
{
    struct trial t = trial_retransmit(), ack = trial();

    TRIAL_RIGHT(&t);
    ack.forks = t.forks;
    ack.series = t.series;
    TRIAL_RIGHT(&ack);
    t = trial_retransmit();
    t.forks = ack.forks;
    t.series = ack.series;
    TRIAL_FCWND(&t, 32, "FTP-10.3.2-01");
}
END_TEST

START_TEST(a_retransmission_sets_the_rto_and_leaves_ncwnd)
{
    struct trial t = trial_retransmit();

    t.event.retransmit_timeout = 300;
    TRIAL(&t, retransmit_timeout, 300, FAL_BAND_RTO, "FTP-10.3.2-05");
    t = trial_retransmit();
    TRIAL(&t, ncwnd, 63, FAL_BAND_NCWND, "FTP-10.3.2-06");
    t = trial_retransmit();
    t.params.min_retransmission_timeout = 1907;
    t.result.retransmit_timeout = 1907;
    TRIAL(&t, retransmit_timeout, 800, FAL_BAND_RTO, "FTP-10.3.2-05");
}
END_TEST

/* 10.3 does not say what follows when the window was not one of these parameters. */
START_TEST(a_retransmission_may_clamp_a_window_beyond_its_limit)
{
    struct trial t = trial_retransmit(), clamped;

    t.event.fabric_window_time_marker = t.result.fabric_window_time_marker = TRIAL_NOW - 398;
    trial_from(&t, 300);
    trial_to(&t, 300);
    clamped = t;
    trial_to(&clamped, 256);
    TRIAL_FCWND(&t, 280, "FTP-10.3.6-02");
    TRIAL_RIGHT(&clamped);
}
END_TEST

START_TEST(a_resource_nack_halves_ncwnd_once)
{
    struct trial t = trial_exhausted();

    TRIAL(&t, ncwnd, 64, FAL_BAND_NCWND, "FTP-10.3.3-02");
    t = trial_exhausted();
    TRIAL(&t, nic_window_time_marker, TRIAL_NOW - 500, FAL_BAND_NIC_MARKER, "FTP-10.3.3-02");
    t = trial_exhausted(); /* a second within an RTT */
    t.event.ncwnd_direction = FAL_CC_DECREASE;
    t.event.nic_window_time_marker = t.result.nic_window_time_marker = TRIAL_NOW - 200;
    t.result.ncwnd = 64;
    TRIAL(&t, ncwnd, 32, FAL_BAND_NCWND, "FTP-10.3.3-03");
    t = trial_exhausted(); /* fcwnd as for an ACK */
    TRIAL_FCWND(&t, 31, "FTP-10.3.1-02");
}
END_TEST

/* 10.3.6: time modulo 100 and RTT 30 there; here the wrap of 2^24. A decrease, two increases of
 * fcwnd that move the marker, and a decrease one epoch after the first. */
START_TEST(markers_move_on_over_an_epoch)
{
    const uint32_t times[4] = {5, 0x600000, 0xa00000, 10};
    struct trial t;
    uint32_t marker = (5U - 1000) & FAL_ARC_MASK;

    for (int i = 0; i < 4; i++) {
        bool falls = i == 0 || i == 3;

        t = falls ? trial_fall() : trial();
        trial_at(&t, times[i]);
        t.event.fabric_window_time_marker = marker;
        marker = falls ? times[i] : times[i] - 400;
        t.result.fabric_window_time_marker = marker;
        TRIAL_RIGHT(&t);
    }
    t = trial_fall();
    trial_at(&t, 10);
    t.event.fabric_window_time_marker = 0xa00000 - 400;
    trial_to(&t, 32);
    t.result.fabric_window_time_marker = t.event.fabric_window_time_marker;
    TRIAL_BREACH(&t, FAL_BAND_FCWND, "FTP-10.3.1-06");
}
END_TEST

/* `now` lies within 50 ticks: a marker may be any of them, and none else. */
START_TEST(now_is_an_interval)
{
    struct trial t = trial_fall();

    t.late = 50;
    t.result.fabric_window_time_marker = TRIAL_NOW + 50;
    TRIAL(&t, fabric_window_time_marker, TRIAL_NOW + 51, FAL_BAND_FABRIC_MARKER,
          "FTP-10.3.1-08");
    t = trial();
    t.late = 50;
    t.result.fabric_window_time_marker = TRIAL_NOW - 350;
    TRIAL(&t, fabric_window_time_marker, TRIAL_NOW - 349, FAL_BAND_FABRIC_MARKER,
          "FTP-10.3.1-09");
    t = trial_fall(); /* the interval wraps */
    trial_at(&t, 0xfffff0);
    t.late = 50;
    t.result.fabric_window_time_marker = 34;
    TRIAL(&t, fabric_window_time_marker, 35, FAL_BAND_FABRIC_MARKER, "FTP-10.3.1-08");
}
END_TEST

/* At equality of the delay with its target, within 2 ticks, and of the time since the marker
 * with rtt, both answers are spared. */
START_TEST(equality_decides_nothing)
{
    for (uint32_t delay = 299; delay <= 301; delay++) {
        struct trial up = trial(), down = trial_fall();

        trial_delay(&up, delay);
        trial_delay(&down, delay);
        trial_to(&down, 31.95);
        TRIAL_RIGHT(&up);
        TRIAL_RIGHT(&down);
    }
    for (int falls = 0; falls < 2; falls++) {
        struct trial t = trial_fall();

        t.event.fabric_window_time_marker = TRIAL_NOW - 400;
        if (falls == 0) {
            t.result.fabric_window_time_marker = TRIAL_NOW - 400;
            trial_to(&t, 32);
        }
        TRIAL_RIGHT(&t);
    }
}
END_TEST

START_TEST(the_width_of_the_band_is_measured)
{
    struct fal_band_widths widths = {0};
    struct trial t = trial_fall();
    struct fal_band_input input = {
        .params = &t.params, .event = &t.event, .now = {t.now, t.late}, .widths = &widths};
    struct fal_band_breach breach;
    struct trial wrong = t;

    trial_to(&wrong, 29);
    ck_assert(!fal_band_holds(&t.forks, &t.series, &input, &wrong.result, &breach));
    ck_assert_uint_eq(widths.of[FAL_BAND_FCWND].results, 0);
    ck_assert(fal_band_holds(&t.forks, &t.series, &input, &t.result, &breach));
    ck_assert_uint_eq(widths.of[FAL_BAND_FCWND].results, 1);
    ck_assert_uint_eq(widths.of[FAL_BAND_FCWND].narrow, 1);
    ck_assert(widths.of[FAL_BAND_FCWND].widest == 2); /* 28672, and one unit to either side */
    ck_assert(widths.of[FAL_BAND_RTO].widest == 0);
    ck_assert_uint_eq(widths.of[FAL_BAND_FABRIC_MARKER].results, 0); /* it has no width */
    /* Two ticks from the target a rise and a fall are allowed. */
    trial_delay(&t, 302);
    trial_to(&t, 32 * (1 - 0.5 * 2 / 302));
    ck_assert(fal_band_holds(&t.forks, &t.series, &input, &t.result, &breach));
    ck_assert_uint_eq(widths.of[FAL_BAND_FCWND].results, 2);
    ck_assert_uint_eq(widths.of[FAL_BAND_FCWND].narrow, 1);
    ck_assert(widths.of[FAL_BAND_FCWND].widest > 100);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("band of Swift");
    TCase *tc = tcase_create("requirements");

    tcase_add_test(tc, fcwnd_rises);
    tcase_add_test(tc, fcwnd_falls);
    tcase_add_test(tc, fcwnd_does_not_fall_within_an_rtt);
    tcase_add_test(tc, fcwnd_stays_between_its_ends);
    tcase_add_test(tc, the_clock_wraps);
    tcase_add_test(tc, the_target_has_three_terms);
    tcase_add_test(tc, averages_take_half_of_each);
    tcase_add_test(tc, packets_are_paced_below_a_window_of_one);
    tcase_add_test(tc, ncwnd_rises);
    tcase_add_test(tc, ncwnd_falls);
    tcase_add_test(tc, ncwnd_stays_between_its_ends);
    tcase_add_test(tc, a_retransmission_lowers_fcwnd_once);
    tcase_add_test(tc, an_ack_ends_a_row_of_retransmissions);
    tcase_add_test(tc, a_retransmission_sets_the_rto_and_leaves_ncwnd);
    tcase_add_test(tc, a_retransmission_may_clamp_a_window_beyond_its_limit);
    tcase_add_test(tc, a_resource_nack_halves_ncwnd_once);
    tcase_add_test(tc, markers_move_on_over_an_epoch);
    tcase_add_test(tc, now_is_an_interval);
    tcase_add_test(tc, equality_decides_nothing);
    tcase_add_test(tc, the_width_of_the_band_is_measured);
    suite_add_tcase(suite, tc);
    return suite;
}
