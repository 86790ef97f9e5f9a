/* SPDX-License-Identifier: Apache-2.0
 * hold_test.c - timers that stop while a person looks, and go on with what was left. */
#include "oracles/endpoint/hold.h"

#include "oracles/endpoint/look.h"
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { CAP = 4 };
#define LONG UINT64_C(3600000000000)

static size_t count_pushes(const struct solo *s)
{
    return solo_packets(s, FAL_PUSH_DATA);
}

START_TEST(a_packet_is_not_retransmitted_until_its_timer_goes_on)
{
    struct solo *s = solo();
    uint64_t rto_ns = s->open.params.rto_ns, begun_ns;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, rto_ns / 4);
    begun_ns = s->now_ns;
    fal_endpoint_hold(s->ep, s->conn);
    solo_wait(s, LONG);
    ck_assert_uint_eq(count_pushes(s), 1);
    fal_endpoint_release(s->ep, s->conn, s->now_ns - begun_ns);
    solo_wait(s, rto_ns * 3 / 4 - 1);
    ck_assert_uint_eq(count_pushes(s), 1);
    solo_wait(s, 1);
    ck_assert_uint_eq(count_pushes(s), 2);
    solo_free(s);
}
END_TEST

START_TEST(a_transaction_is_not_given_up_meanwhile)
{
    struct solo *s = solo();
    uint64_t left_ns = s->open.params.transaction_timeout_ns, begun_ns;

    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_feed_back(s, 1, 0); /* only its response is missing */
    begun_ns = s->now_ns;
    fal_endpoint_hold(s->ep, s->conn);
    solo_wait(s, LONG);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    fal_endpoint_release(s->ep, s->conn, s->now_ns - begun_ns);
    solo_wait(s, left_ns - 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_wait(s, 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    solo_free(s);
}
END_TEST

START_TEST(packets_are_acknowledged_meanwhile)
{
    struct solo *s = solo();

    fal_endpoint_hold(s->ep, s->conn);
    solo_feed_pull(s, 0, 0, true);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    solo_feed_pull(s, 1, 1, false);
    solo_wait(s, s->open.params.coalescing_ns);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 2);
    fal_endpoint_release(s->ep, s->conn, s->open.params.coalescing_ns);
    solo_free(s);
}
END_TEST

START_TEST(an_ACK_that_comes_meanwhile_ends_the_timer)
{
    struct solo *s = solo();
    struct fal_look_packet packets[CAP];

    solo_post(s, FAL_OP_PUSH, 4, 1);
    fal_endpoint_hold(s->ep, s->conn);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn, packets, CAP), 0);
    fal_endpoint_release(s->ep, s->conn, 1);
    solo_wait(s, 10 * s->open.params.rto_ns);
    ck_assert_uint_eq(count_pushes(s), 1);
    solo_free(s);
}
END_TEST

/* What was sent meanwhile has its own timer, which may end before or after the others. */
START_TEST(timers_that_begin_meanwhile_run)
{
    struct solo *s = solo();
    uint64_t rto_ns = s->open.params.rto_ns, begun_ns;
    struct fal_look_packet packets[CAP];

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, rto_ns / 2);
    begun_ns = s->now_ns;
    fal_endpoint_hold(s->ep, s->conn);
    solo_wait(s, rto_ns / 4);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn, packets, CAP), 2);
    ck_assert(packets[0].held && !packets[1].held);
    ck_assert_uint_eq(packets[0].deadline_ns, begun_ns + rto_ns / 2);
    ck_assert_uint_eq(packets[1].deadline_ns, s->now_ns + rto_ns);
    fal_endpoint_release(s->ep, s->conn, s->now_ns - begun_ns);
    ck_assert_uint_eq(fal_endpoint_look_packets(s->ep, s->conn, packets, CAP), 2);
    ck_assert(!packets[0].held);
    ck_assert_uint_eq(packets[0].deadline_ns, s->now_ns + rto_ns / 2);
    solo_wait(s, rto_ns / 2);
    ck_assert_uint_eq(count_pushes(s), 3);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_PACKET, 2)->packet.psn, SOLO_DATA);
    solo_wait(s, rto_ns / 2);
    ck_assert_uint_eq(count_pushes(s), 4);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_PACKET, 3)->packet.psn, SOLO_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(an_unknown_connection_has_no_timers)
{
    struct solo *s = solo();

    fal_endpoint_hold(s->ep, s->conn + 1);
    fal_endpoint_release(s->ep, s->conn + 1, 1);
    fal_endpoint_release(s->ep, s->conn, 1); /* none is stopped */
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hold");
    TCase *tc = tcase_create("hold");

    tcase_add_test(tc, a_packet_is_not_retransmitted_until_its_timer_goes_on);
    tcase_add_test(tc, a_transaction_is_not_given_up_meanwhile);
    tcase_add_test(tc, packets_are_acknowledged_meanwhile);
    tcase_add_test(tc, an_ACK_that_comes_meanwhile_ends_the_timer);
    tcase_add_test(tc, timers_that_begin_meanwhile_run);
    tcase_add_test(tc, an_unknown_connection_has_no_timers);
    suite_add_tcase(suite, tc);
    return suite;
}
