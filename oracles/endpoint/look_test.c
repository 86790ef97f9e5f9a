/* SPDX-License-Identifier: Apache-2.0
 * look_test.c - what a person sees of a connection: windows, timers, packets. */
#include "oracles/endpoint/look.h"

#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { CAP = 4 };

START_TEST(a_connection_that_is_not_open_is_refused)
{
    struct solo *s = solo();
    struct fal_look look;
    struct fal_look_packet packets[CAP];

    ck_assert_int_eq(fal_endpoint_look(s->ep, s->conn + 1, &look), FAL_ERR_RANGE);
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn + 1, packets, CAP), 0);
    solo_free(s);
}
END_TEST

START_TEST(a_fresh_connection_has_nothing_under_way)
{
    struct solo *s = solo();
    struct fal_look look;
    struct fal_look_packet packets[CAP];

    ck_assert_int_eq(fal_endpoint_look(s->ep, s->conn, &look), 0);
    ck_assert(!look.dead && look.auto_ack && look.auto_retransmit);
    ck_assert_uint_eq(look.rx_size[FAL_WINDOW_REQ], 64);
    ck_assert_uint_eq(look.rx_size[FAL_WINDOW_DATA], 128);
    ck_assert_uint_eq(look.unacked[FAL_WINDOW_REQ] + look.unacked[FAL_WINDOW_DATA], 0);
    ck_assert_uint_eq(look.queued, 0);
    ck_assert_uint_eq(look.coalesce_ns, FAL_NEVER);
    ck_assert_uint_eq(look.held_ns, FAL_NEVER);
    ck_assert_uint_eq(look.rto_ns, s->open.params.rto_ns);
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn, packets, CAP), 0);
    solo_free(s);
}
END_TEST

START_TEST(packets_without_an_ack_are_shown_with_their_timers)
{
    struct solo *s = solo();
    struct fal_look look;
    struct fal_look_packet packets[CAP];
    uint64_t sent_ns = s->now_ns;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PULL, 4, 1);
    ck_assert_int_eq(fal_endpoint_look(s->ep, s->conn, &look), 0);
    ck_assert_uint_eq(look.unacked[FAL_WINDOW_REQ], 1);
    ck_assert_uint_eq(look.unacked[FAL_WINDOW_DATA], 1);
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn, packets, CAP), 2);
    ck_assert_int_eq(packets[0].window, FAL_WINDOW_REQ);
    ck_assert_int_eq(packets[0].type, FAL_PULL_REQUEST);
    ck_assert_uint_eq(packets[0].psn, SOLO_REQ);
    ck_assert_uint_eq(packets[0].rsn, SOLO_RSN + 1);
    ck_assert_int_eq(packets[1].window, FAL_WINDOW_DATA);
    ck_assert_int_eq(packets[1].type, FAL_PUSH_DATA);
    ck_assert_uint_eq(packets[1].psn, SOLO_DATA);
    ck_assert_uint_eq(packets[1].attempts, 0);
    ck_assert_uint_eq(packets[1].last_tx_ns, sent_ns);
    ck_assert_uint_eq(packets[1].deadline_ns, sent_ns + s->open.params.rto_ns);
    /* One place: the count is still that of all. */
    packets[1].psn = 0;
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn, packets, 1), 2);
    ck_assert_uint_eq(packets[1].psn, 0);
    solo_free(s);
}
END_TEST

START_TEST(a_retransmission_counts_and_its_timer_begins_anew)
{
    struct solo *s = solo();
    struct fal_look_packet packets[CAP];
    uint64_t sent_ns = s->now_ns, rto_ns = s->open.params.rto_ns;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_to(s, sent_ns + rto_ns);
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn, packets, CAP), 1);
    ck_assert_uint_eq(packets[0].attempts, 1);
    ck_assert_uint_eq(packets[0].last_tx_ns, sent_ns + rto_ns);
    ck_assert_uint_gt(packets[0].deadline_ns, sent_ns + rto_ns);
    solo_free(s);
}
END_TEST

START_TEST(the_coalescing_timer_is_shown)
{
    struct solo *s = solo();
    struct fal_look look;

    solo_feed_pull(s, 0, 0, false);
    ck_assert_int_eq(fal_endpoint_look(s->ep, s->conn, &look), 0);
    ck_assert_uint_eq(look.coalesce_ns, s->now_ns + s->open.params.coalescing_ns);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("look");
    TCase *tc = tcase_create("look");

    tcase_add_test(tc, a_connection_that_is_not_open_is_refused);
    tcase_add_test(tc, a_fresh_connection_has_nothing_under_way);
    tcase_add_test(tc, packets_without_an_ack_are_shown_with_their_timers);
    tcase_add_test(tc, a_retransmission_counts_and_its_timer_begins_anew);
    tcase_add_test(tc, the_coalescing_timer_is_shown);
    suite_add_tcase(suite, tc);
    return suite;
}
