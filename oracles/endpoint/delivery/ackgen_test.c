/* SPDX-License-Identifier: Apache-2.0
 * ackgen_test.c - when an ACK is sent and what it says: 9.1.6, 9.2.1. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { COALESCING = 8000 };

START_TEST(FTP_9_1_6_01_and_07_the_coalescing_timer_runs_from_the_first_packet)
{
    struct solo *s = solo();
    uint64_t start_ns = s->now_ns;

    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, COALESCING / 2);
    solo_feed_pull(s, 1, 1, false); /* does not restart it */
    solo_wait(s, COALESCING / 2 - 1);
    solo_no_ack(s);
    solo_wait(s, 1);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_req_base_psn, PEER_REQ + 2);
    ck_assert_uint_eq(solo_sent(s, FAL_BACK, 0)->at_ns, start_ns + COALESCING);
    solo_wait(s, 100 * COALESCING);
    solo_the_ack(s, FAL_BACK); /* and then it stops */
    ck_assert_uint_eq(fal_endpoint_deadline(s->ep),
                      start_ns + s->open.params.transaction_timeout_ns);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_6_02_AR_is_answered_at_once)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, true);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_req_base_psn, PEER_REQ + 1);
    solo_forget(s);
    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_feed_pull_data(s, 0, 0, true);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 1);
    solo_forget(s);
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA + 1, 1, true);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 2);
    solo_forget(s);
    solo_wait(s, 10 * COALESCING); /* the timer was stopped */
    solo_no_ack(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_6_03_AR_of_a_push_is_answered_when_its_ULP_acknowledges)
{
    struct solo *s = solo();

    solo_feed_push(s, 0, true);
    solo_no_ack(s);
    solo_wait(s, 3 * COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA);
    solo_forget(s);
    solo_ack(s, 0);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 1);
    solo_forget(s);
    solo_wait(s, 3 * COALESCING);
    solo_no_ack(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_6_04_and_05_a_piggyback_that_says_all_ends_the_timer)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.recv_req_base_psn, PEER_REQ + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.recv_data_base_psn, PEER_DATA);
    solo_wait(s, 3 * COALESCING);
    solo_no_ack(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_6_06_a_piggyback_that_cannot_say_all_does_not_end_the_timer)
{
    for (unsigned what = 0; what < 4; what++) {
        struct solo *s = solo();

        if (what == 0)
            solo_feed_pull(s, 1, 1, false);
        if (what == 1)
            solo_feed_push(s, 0, false);
        if (what == 2)
            solo_feed_push(s, 128, false);
        if (what == 3)
            solo_feed_pull(s, 64, 0, false);
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_wait(s, COALESCING);
        solo_the_ack(s, what == 1 ? FAL_BACK : FAL_EACK);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_9_1_6_09_t1_t2_and_congestion_metadata_of_the_newest_packet)
{
    static const struct {
        uint8_t ecn, ttl, hops;
        uint16_t marks; /* so far */
    } rows[] = {{0, 64, 0, 0}, {3, 63, 1, 1}, {1, 49, 15, 1}, {2, 48, 15, 1},
                {3, 1, 15, 2}, {3, 0, 0, 3},  {3, 65, 0, 4}};
    struct solo *s = solo();

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + i, PEER_RSN + i);
        const struct fal_falcon *ack;
        uint8_t bytes[FAL_HEADER_MAX];
        int n;

        p.ack_req = 1;
        n = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);
        solo_wait(s, 1000000);
        solo_forget(s);
        solo_feed_bytes(
            s, bytes, (size_t)n,
            (struct solo_arrival){.t1 = 7000 + i, .ecn = rows[i].ecn, .ttl = rows[i].ttl});
        ack = solo_the_ack(s, FAL_BACK);
        ck_assert_uint_eq(ack->t1, 7000 + i);
        ck_assert_uint_eq(ack->t2, s->now_ns * 1000 / FAL_TICK_PS);
        ck_assert_uint_eq(ack->hop_count, rows[i].hops);
        ck_assert_uint_eq(ack->ecn_rx_count, rows[i].marks);
    }
    solo_free(s);
}
END_TEST

START_TEST(discarded_packets_count_for_t1_and_ECN_but_ACKs_do_not)
{
    struct solo *s = solo();
    uint8_t bytes[FAL_HEADER_MAX];
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ - 1, PEER_RSN);
    int n = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

    solo_feed_bytes(s, bytes, (size_t)n, (struct solo_arrival){.t1 = 55, .ecn = 3, .ttl = 60});
    p = solo_packet(FAL_BACK, 0, 0);
    n = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);
    solo_feed_bytes(s, bytes, (size_t)n, (struct solo_arrival){.t1 = 77, .ecn = 3, .ttl = 50});
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->t1, 55);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->ecn_rx_count, 1);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->hop_count, 4);
    solo_free(s);
}
END_TEST

START_TEST(the_ECN_count_wraps_at_14_bits)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ - 1, PEER_RSN);
    uint8_t bytes[FAL_HEADER_MAX];
    int n = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

    for (unsigned i = 0; i < 0x4002; i++)
        solo_feed_bytes(s, bytes, (size_t)n, (struct solo_arrival){.ecn = 3});
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->ecn_rx_count, 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_6_11_to_15_BACK_or_EACK)
{
    static const struct {
        int pull[2], push[3], ack[2]; /* offsets, -1: none */
        enum fal_packet_type due;
    } rows[] = {
        {{0, -1}, {-1, -1, -1}, {-1, -1}, FAL_BACK},
        {{1, -1}, {-1, -1, -1}, {-1, -1}, FAL_EACK}, /* 11 */
        {{0, 1}, {-1, -1, -1}, {-1, -1}, FAL_BACK},
        {{-1, -1}, {0, 1, -1}, {1, -1}, FAL_EACK},   /* 12 */
        {{-1, -1}, {0, 1, 2}, {-1, -1}, FAL_BACK},   /* 15: 0111 */
        {{-1, -1}, {0, 2, -1}, {-1, -1}, FAL_EACK},  /* 13: 0101 */
        {{-1, -1}, {1, -1, -1}, {-1, -1}, FAL_EACK}, /* 13: 0010 */
        {{-1, -1}, {0, 1, 2}, {0, -1}, FAL_BACK},
        {{-1, -1}, {128, -1, -1}, {-1, -1}, FAL_EACK}, /* 14 */
        {{64, -1}, {-1, -1, -1}, {-1, -1}, FAL_EACK},  /* 14 */
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = solo_new();

        s->open.params.ordered = false;
        solo_open(s);
        for (unsigned k = 0; k < 2; k++)
            if (rows[i].pull[k] >= 0)
                solo_feed_pull(s, (uint32_t)rows[i].pull[k], 500 + k, false);
        for (unsigned k = 0; k < 3; k++)
            if (rows[i].push[k] >= 0)
                solo_feed_push(s, (uint32_t)rows[i].push[k], false);
        for (unsigned k = 0; k < 2; k++)
            if (rows[i].ack[k] >= 0)
                solo_ack(s, (uint32_t)rows[i].ack[k]);
        solo_wait(s, COALESCING);
        ck_assert_msg(solo_packets(s, rows[i].due) == 1 &&
                          solo_packets(s, FAL_BACK) + solo_packets(s, FAL_EACK) == 1,
                      "row %u", i);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_7_7_2_06_bit_n_of_a_bitmap_is_base_plus_n)
{
    struct solo *s = solo();

    solo_feed_push(s, 5, false);
    solo_feed_push(s, 100, false);
    solo_feed_pull(s, 7, 200, false);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(fal_u128_lo(solo_the_ack(s, FAL_EACK)->data_rx_bitmap), 1u << 5);
    ck_assert_uint_eq(fal_u128_hi(solo_the_ack(s, FAL_EACK)->data_rx_bitmap), UINT64_C(1)
                                                                                  << 36);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->req_bitmap, 1u << 7);
    ck_assert(solo_the_ack(s, FAL_EACK)->data_ack_bitmap == 0);
    solo_free(s);
}
END_TEST

START_TEST(an_ACK_is_addressed_to_the_peer_and_clean)
{
    struct solo *s = solo();
    const struct fal_falcon *ack;

    solo_feed_pull(s, 0, 0, true);
    ack = solo_the_ack(s, FAL_BACK);
    ck_assert_uint_eq(ack->dest_cid, SOLO_PEER_CID);
    ck_assert_uint_eq(ack->version, 1);
    ck_assert_uint_eq(ack->reserved_0 | ack->reserved_1 | ack->reserved_2 | ack->reserved_3, 0);
    ck_assert_uint_eq(solo_sent(s, FAL_BACK, 0)->out.len, 32);
    solo_free(s);
}
END_TEST

START_TEST(without_auto_ack_nothing_is_acknowledged_by_itself)
{
    struct solo *s = solo_new();

    s->open.auto_ack = false;
    solo_open(s);
    solo_feed_pull(s, 0, 1, true);
    solo_feed_push(s, 128, true);
    solo_feed_push(s, 0, true);
    solo_rnr(s, 0, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->out.op, FAL_OP_PUSH);
    solo_wait(s, 100 * COALESCING);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_PACKET), 0);
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, PEER_REQ + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_1_10_11_OWN_is_told_once)
{
    struct solo *s = solo();

    solo_feed_push(s, 128, false);
    solo_feed_pull(s, 64, 0, false);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->own, FAL_OWN_DATA | FAL_OWN_REQ);
    ck_assert_uint_eq(solo_state(s).own, 0);
    solo_forget(s);
    solo_feed_pull(s, 0, 0, true);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->own, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_1_10_a_NACK_or_data_packet_does_not_clear_OWN)
{
    struct solo *s = solo();

    solo_feed_push(s, 128, false);
    solo_feed_push(s, 0, false);
    solo_rnr(s, 0, 20000);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    ck_assert_uint_eq(solo_state(s).own, FAL_OWN_DATA);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->own, FAL_OWN_DATA);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ackgen 9.1.6");
    TCase *tc = tcase_create("ackgen");

    tcase_add_test(tc, FTP_9_1_6_01_and_07_the_coalescing_timer_runs_from_the_first_packet);
    tcase_add_test(tc, FTP_9_1_6_02_AR_is_answered_at_once);
    tcase_add_test(tc, FTP_9_1_6_03_AR_of_a_push_is_answered_when_its_ULP_acknowledges);
    tcase_add_test(tc, FTP_9_1_6_04_and_05_a_piggyback_that_says_all_ends_the_timer);
    tcase_add_test(tc, FTP_9_1_6_06_a_piggyback_that_cannot_say_all_does_not_end_the_timer);
    tcase_add_test(tc, FTP_9_1_6_09_t1_t2_and_congestion_metadata_of_the_newest_packet);
    tcase_add_test(tc, discarded_packets_count_for_t1_and_ECN_but_ACKs_do_not);
    tcase_add_test(tc, the_ECN_count_wraps_at_14_bits);
    tcase_add_test(tc, FTP_9_1_6_11_to_15_BACK_or_EACK);
    tcase_add_test(tc, FTP_7_7_2_06_bit_n_of_a_bitmap_is_base_plus_n);
    tcase_add_test(tc, an_ACK_is_addressed_to_the_peer_and_clean);
    tcase_add_test(tc, without_auto_ack_nothing_is_acknowledged_by_itself);
    tcase_add_test(tc, FTP_9_2_1_10_11_OWN_is_told_once);
    tcase_add_test(tc, FTP_9_2_1_10_a_NACK_or_data_packet_does_not_clear_OWN);
    suite_add_tcase(suite, tc);
    return suite;
}
