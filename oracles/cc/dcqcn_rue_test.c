/* SPDX-License-Identifier: Apache-2.0
 * dcqcn_rue_test.c - DCQCN behind the queues of a Rate Update Engine. */
#include "oracles/cc/dcqcn_rue.h"

#include "oracles/cc/feed_test.h"
#include "tests/testing.h"

enum { RTT = 763, PACKET = 4160 }; /* 100 us */

static struct fal_dcqcn_conn conns[2];
static struct fal_dcqcn_rue rue;

static void setup(void)
{
    conns[0] = conns[1] = (struct fal_dcqcn_conn){.used = false};
    rue = (struct fal_dcqcn_rue){.params = *fal_dcqcn_preset("paper"),
                                 .packet_bytes = PACKET,
                                 .conns = conns,
                                 .num_conns = 2};
    rue.params.line_rate_bps = UINT64_C(100000000000);
    rue.params.cnp_interval_ns = 50000;
}

/* The window that the event gives, in packets. */
static double window(uint32_t id, uint32_t now, unsigned marks)
{
    struct fal_cc_event event = feed_ack(now, RTT, 10);
    struct fal_cc_state state = {0};
    struct fal_cc_result result;

    event.connection_id = id;
    event.ecn_accumulated = (uint16_t)marks;
    fal_dcqcn_rue_process(&rue, &state, now, &event, &result);
    return feed_units(&result) / 1024.0;
}

START_TEST(without_marks_the_window_holds_the_line_rate)
{
    double whole = 100e9 * RTT * 131.072e-9 / 8 / PACKET;

    ck_assert_double_eq_tol(window(1, 1000, 0), whole, 0.1);
    ck_assert_double_eq_tol(window(1, 9000, 0), whole, 0.1);
}
END_TEST

START_TEST(a_rise_of_marks_is_one_cnp_in_n)
{
    double whole = window(1, 1000, 0);

    ck_assert_double_eq_tol(window(1, 1100, 3), whole / 2, 0.1);
    ck_assert_double_eq_tol(window(1, 1200, 9), whole / 2, 0.1); /* 13 us later: remembered */
    ck_assert_double_lt(window(1, 1100 + 382, 9), whole / 3);    /* 50 us later: due */
    /* After 2.4 ms it has recovered to the rate before the second cut, and a little more. */
    ck_assert_double_eq_tol(window(1, 20000, 9), whole * 0.515, whole * 0.01);
}
END_TEST

START_TEST(connections_are_apart_and_the_counter_wraps)
{
    double whole = window(1, 1000, 16383);

    (void)window(2, 1000, 0);
    whole = window(2, 1000, 0);
    (void)window(1, 3000, 5); /* from 16383 to 5: a rise */
    ck_assert_uint_eq(conns[0].rp.decreases, 2);
    ck_assert_double_eq_tol(window(2, 3000, 0), whole, 0.1);
    ck_assert_uint_eq(conns[1].rp.decreases, 0);
}
END_TEST

START_TEST(no_room_and_no_sample_change_nothing)
{
    struct fal_cc_event event = feed_ack(1000, RTT, 10);
    struct fal_cc_state state = {0};
    struct fal_cc_result result;

    (void)window(1, 1000, 0);
    (void)window(2, 1000, 0);
    event.connection_id = 3;
    event.fcwnd_integer = 77;
    fal_dcqcn_rue_process(&rue, &state, 1000, &event, &result);
    ck_assert_uint_eq(result.fcwnd_integer, 77);
    event.connection_id = 1;
    event.event_type = FAL_CC_RETRANSMIT;
    fal_dcqcn_rue_process(&rue, &state, 1000, &event, &result);
    ck_assert_uint_eq(result.fcwnd_integer, 77);
}
END_TEST

START_TEST(below_a_packet_there_is_a_gap)
{
    struct fal_cc_event event = feed_ack(1000, RTT, 1);
    struct fal_cc_state state = {0};
    struct fal_cc_result result;

    rue.params.line_rate_bps = 100000000; /* 0.3 packets in a round trip */
    fal_dcqcn_rue_process(&rue, &state, 1000, &event, &result);
    ck_assert_uint_eq(result.fcwnd_integer, 0);
    ck_assert_uint_ge(result.inter_packet_gap, 3 * RTT);
    ck_assert_uint_le(result.inter_packet_gap, 4 * RTT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("dcqcn_rue");
    TCase *tc = tcase_create("dcqcn_rue");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, without_marks_the_window_holds_the_line_rate);
    tcase_add_test(tc, a_rise_of_marks_is_one_cnp_in_n);
    tcase_add_test(tc, connections_are_apart_and_the_counter_wraps);
    tcase_add_test(tc, no_room_and_no_sample_change_nothing);
    tcase_add_test(tc, below_a_packet_there_is_a_gap);
    suite_add_tcase(suite, tc);
    return suite;
}
