/* SPDX-License-Identifier: Apache-2.0
 * retransmit_test.c - what is sent again, when, and how it ends: 9.1.4, 9.1.5, 11. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

START_TEST(FTP_9_1_5_04_08_timeouts_repeat_the_packet_with_its_PSN)
{
    struct solo *s = solo();
    uint64_t start_ns = s->now_ns;
    const struct solo_out *first;

    solo_post(s, FAL_OP_PUSH, 9, 5);
    solo_to(s, start_ns + 3 * RTO - 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    first = solo_sent(s, FAL_PUSH_DATA, 0);
    for (unsigned i = 1; i < 3; i++) {
        const struct solo_out *copy = solo_sent(s, FAL_PUSH_DATA, i);

        ck_assert_uint_eq(copy->at_ns, start_ns + i * RTO);
        ck_assert_uint_eq(copy->packet.psn, first->packet.psn);
        ck_assert_uint_eq(copy->packet.rsn, first->packet.rsn);
        ck_assert_uint_eq(copy->packet.request_length, 9);
        ck_assert_mem_eq(copy->bytes, first->bytes, 9);
    }
    solo_feed_back(s, 0, 1); /* FTP-9-15: cleared by the ACK */
    solo_forget(s);
    solo_wait(s, 10 * RTO);
    ck_assert_uint_eq(s->n, 0);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_5_05_06_retransmissions_go_in_RSN_and_PSN_order)
{
    struct solo *s = solo();
    uint32_t rsn = SOLO_RSN;

    for (unsigned i = 0; i < 4; i++) {
        solo_post(s, FAL_OP_PUSH, 0, 0);
        solo_post(s, FAL_OP_PULL, 0, 0);
    }
    solo_forget(s);
    solo_wait(s, RTO);
    ck_assert_uint_eq(s->n, 8);
    for (size_t i = 0; i < 8; i++)
        ck_assert_uint_eq(s->outs[i].packet.rsn, rsn++);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_06_07_08_attempts_then_a_resync_then_the_end)
{
    struct solo *s = solo_new();
    const struct fal_falcon *resync;
    uint64_t start_ns = s->now_ns;

    s->open.params.max_attempts = 3;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PULL, 4, 2);
    solo_feed_back(s, 1, 0); /* the pull is acknowledged; its response never comes */
    solo_to(s, start_ns + 4 * RTO - 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    solo_to(s, start_ns + 4 * RTO);
    resync = &solo_sent(s, FAL_RESYNC, 0)->packet;
    ck_assert_uint_eq(resync->resync_code, FAL_RESYNC_EXHAUSTED);
    ck_assert_uint_eq(resync->resync_packet_type, FAL_PUSH_DATA);
    ck_assert_uint_eq(resync->psn, SOLO_DATA);
    ck_assert_uint_eq(resync->rsn, SOLO_RSN);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->out.len, 32);
    solo_to(s, start_ns + 8 * RTO - 1);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE) + solo_count(s, FAL_OUT_CM), 0);
    solo_to(s, start_ns + 8 * RTO);
    ck_assert_str_eq(solo_nth(s, FAL_OUT_CM, 0)->what, "fatal");
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_LOCAL_TO);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.code, FAL_CMPL_DEAD_CONN);
    ck_assert_uint_eq(fal_endpoint_deadline(s->ep), FAL_NEVER);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_22_33_a_dead_connection_takes_and_sends_nothing)
{
    struct solo *s = solo_new();

    s->open.params.max_attempts = 0;
    solo_open(s);
    solo_feed_push(s, 0, false);
    solo_post_many(s, FAL_OP_PUSH, 200);
    solo_wait(s, 2 * RTO);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 200);
    solo_forget(s);
    solo_feed_push(s, 1, true);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(s->n, 0);
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){0}, 0, FAL_ANSWER_ACK),
                     FAL_ERR_RANGE);
    solo_post(s, FAL_OP_PULL, 4, 99);
    ck_assert_uint_eq(s->n, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_DEAD_CONN);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.tag, 99);
    solo_free(s);
}
END_TEST

START_TEST(AMB_47_exhaustion_completes_when_the_resync_is_acknowledged)
{
    struct solo *s = solo_new();

    s->open.params.max_attempts = 0;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_LOCAL_TO);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(without_auto_retransmit_nothing_is_repeated)
{
    struct solo *s = solo_new();
    struct fal_falcon p;

    s->open.auto_retransmit = false;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 8);
    solo_forget(s);
    p = solo_nack(SOLO_DATA + 1, FAL_NACK_CIE);
    solo_feed(s, &p, NULL, 0);
    p = solo_nack(SOLO_DATA + 2, FAL_NACK_RNR);
    p.rnr_timeout = 1;
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, 100000);
    solo_feed_eack(s, 0, 0, 0xf0, FAL_OWN_DATA);
    solo_wait(s, 20 * RTO);
    ck_assert_uint_eq(s->n, 0);
    solo_feed_back(s, 0, 8); /* the refused one completes with the reason given */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 8);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_4_04_the_out_of_order_distance_is_strict)
{
    for (uint32_t threshold = 0; threshold < 5; threshold++) {
        struct solo *s = solo_new();
        uint32_t high = 10;

        s->open.params.ooo_threshold = threshold;
        solo_open(s);
        solo_post_many(s, FAL_OP_PUSH, 12);
        solo_wait(s, 20000);
        solo_forget(s);
        solo_feed_eack(s, 0, 0, 1u << high, 0);
        ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), high - threshold);
        for (uint32_t i = 0; i < high - threshold; i++)
            ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, i)->packet.psn, SOLO_DATA + i);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_9_1_4_02_the_request_window_goes_by_its_bitmap)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    solo_post_many(s, FAL_OP_PULL, 9);
    solo_wait(s, 20000);
    solo_forget(s);
    p.req_bitmap = 0x102 & ~2u;
    solo_feed(s, &p, NULL, 0); /* the top is 8; 0 to 4 are more than 3 below it */
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 5);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_4_05_and_9_2_3_14_without_a_bit_or_an_EACK_nothing_is_repeated)
{
    struct solo *s = solo();

    solo_post_many(s, FAL_OP_PUSH, 9);
    solo_wait(s, 20000);
    solo_forget(s);
    solo_feed_eack(s, 0, 0, 0, 0);
    solo_feed_back(s, 0, 0);
    ck_assert_uint_eq(s->n, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_4_06_07_only_after_a_round_trip)
{
    struct solo *s = solo(); /* initial RTT 10 us */

    solo_post_many(s, FAL_OP_PUSH, 5);
    solo_forget(s);
    solo_wait(s, 10000);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(s->n, 0); /* not later than it: strict */
    solo_wait(s, 1);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 10000);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 1);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_forget(s);
    solo_wait(s, RTO - 1); /* the timer runs from the last copy */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4); /* those sent only once */
    solo_wait(s, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_3_08_the_round_trip_is_T4_minus_T1)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_BACK, 0, 0);

    solo_post_many(s, FAL_OP_PUSH, 5);
    solo_wait(s, 800000);
    solo_forget(s);
    p.t1 = (uint32_t)((s->now_ns - 800000) * 1000 / FAL_TICK_PS);
    p.t2 = 1;                  /* whatever the other clock says */
    solo_feed(s, &p, NULL, 0); /* 10 us - 10/8 + 800/8: about 108 us */
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 108000);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 1500);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_4_10_to_14_OWN_repeats_within_and_beyond_the_bitmap)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    s->open.params.fcwnd = s->open.params.ncwnd = 200;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 140);
    solo_post_many(s, FAL_OP_PULL, 3);
    solo_wait(s, 20000);
    solo_forget(s);
    p.data_rx_bitmap = ~(fal_u128)0x11; /* all but 0 and 4 */
    p.own = FAL_OWN_DATA;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2 + 12);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 1)->packet.psn, SOLO_DATA + 4);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 2)->packet.psn, SOLO_DATA + 128);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 0); /* FTP-9.1.4-14 */
    solo_feed(s, &p, NULL, 0);                               /* FTP-9.1.4-13 */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 14);
    p.own = FAL_OWN_REQ;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 14);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 3);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_1_22_early_copies_are_no_attempts)
{
    struct solo *s = solo_new();

    s->open.params.max_attempts = 2;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 5);
    for (unsigned i = 0; i < 10; i++) {
        solo_wait(s, 20000);
        solo_feed_eack(s, 0, 0, 0x1f & ~1u, 0);
    }
    solo_forget(s);
    solo_wait(s, 2 * RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("retransmit 9.1.4 9.1.5");
    TCase *tc = tcase_create("retransmit");

    tcase_add_test(tc, FTP_9_1_5_04_08_timeouts_repeat_the_packet_with_its_PSN);
    tcase_add_test(tc, FTP_9_1_5_05_06_retransmissions_go_in_RSN_and_PSN_order);
    tcase_add_test(tc, FTP_11_06_07_08_attempts_then_a_resync_then_the_end);
    tcase_add_test(tc, FTP_11_22_33_a_dead_connection_takes_and_sends_nothing);
    tcase_add_test(tc, AMB_47_exhaustion_completes_when_the_resync_is_acknowledged);
    tcase_add_test(tc, without_auto_retransmit_nothing_is_repeated);
    tcase_add_test(tc, FTP_9_1_4_04_the_out_of_order_distance_is_strict);
    tcase_add_test(tc, FTP_9_1_4_02_the_request_window_goes_by_its_bitmap);
    tcase_add_test(tc, FTP_9_1_4_05_and_9_2_3_14_without_a_bit_or_an_EACK_nothing_is_repeated);
    tcase_add_test(tc, FTP_9_1_4_06_07_only_after_a_round_trip);
    tcase_add_test(tc, FTP_9_2_3_08_the_round_trip_is_T4_minus_T1);
    tcase_add_test(tc, FTP_9_1_4_10_to_14_OWN_repeats_within_and_beyond_the_bitmap);
    tcase_add_test(tc, FTP_9_1_1_22_early_copies_are_no_attempts);
    suite_add_tcase(suite, tc);
    return suite;
}
