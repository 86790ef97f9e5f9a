/* SPDX-License-Identifier: Apache-2.0
 * transmit_test.c - numbers, headers, AR, gates: 9.1.2, 9.1.3, 8.3. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

START_TEST(FTP_9_1_3_01_PSNs_and_RSNs_count_up_per_window_and_wrap)
{
    struct solo *s = solo_new();

    s->open.local = (struct fal_end){SOLO_CID, 3, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX};
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_post_many(s, FAL_OP_PULL, 2);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, i)->packet.psn, UINT32_MAX - 1 + i);
        ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, i)->packet.rsn, UINT32_MAX + i);
    }
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->packet.psn, UINT32_MAX + i);
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->packet.rsn, 2 + i);
    }
    ck_assert_uint_eq(solo_state(s).tx_dnpsn, 1);
    ck_assert_uint_eq(solo_state(s).nrsn, 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_7_5_a_push_has_the_header_of_its_connection)
{
    struct solo *s = solo();
    const struct solo_out *push;
    uint8_t due[33];

    solo_post(s, FAL_OP_PUSH, sizeof due, 77);
    push = solo_sent(s, FAL_PUSH_DATA, 0);
    ck_assert_uint_eq(push->out.len, 28 + sizeof due);
    ck_assert_uint_eq(push->packet.version, 1);
    ck_assert_uint_eq(push->packet.dest_cid, SOLO_PEER_CID);
    ck_assert_uint_eq(push->packet.dest_function, 4);
    ck_assert_uint_eq(push->packet.protocol_type, 2);
    ck_assert_uint_eq(push->packet.request_length, sizeof due);
    ck_assert_uint_eq(push->packet.recv_data_base_psn, PEER_DATA);
    ck_assert_uint_eq(push->packet.recv_req_base_psn, PEER_REQ);
    ck_assert_uint_eq(push->packet.reserved_0 | push->packet.reserved_1, 0);
    fal_payload_fill(77, 1, due, sizeof due);
    ck_assert_mem_eq(push->bytes, due, sizeof due);
    solo_free(s);
}
END_TEST

START_TEST(FTP_7_3_a_pull_request_carries_its_ULP_header)
{
    struct solo *s = solo();
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .conn = s->conn,
                                 .op = FAL_OP_PULL,
                                 .length = 900,
                                 .payload = (const uint8_t *)"header",
                                 .payload_len = 6};

    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    solo_drain(s);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->out.len, 38);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.request_length, 900);
    ck_assert_mem_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->bytes, "header", 6);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_3_1_02_03_AR_by_window_and_percentage)
{
    static const struct {
        uint32_t fcwnd, threshold, percent, due;
    } rows[] = {{8, 8, 10, 200},  {9, 8, 10, 20},  {9, 8, 0, 0},
                {9, 8, 100, 200}, {64, 8, 33, 66}, {1, 0, 50, 100}};

    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct solo *s = solo_new();
        unsigned asked = 0;

        s->open.params.fcwnd = rows[r].fcwnd;
        s->open.params.ar_threshold = rows[r].threshold;
        s->open.params.ar_percent = rows[r].percent;
        solo_open(s);
        for (uint32_t i = 0; i < 200; i++) {
            solo_post(s, FAL_OP_PUSH, 0, i);
            asked += solo_sent(s, FAL_PUSH_DATA, i)->packet.ack_req;
            solo_feed_back(s, 0, i + 1);
        }
        ck_assert_uint_eq(asked, rows[r].due);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_9_1_2_01_04_fcwnd_gates_each_window)
{
    struct solo *s = solo_cwnd(5, 100);

    solo_post_many(s, FAL_OP_PUSH, 8);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    solo_post_many(s, FAL_OP_PULL, 8); /* behind pushes that wait: RSN order (FTP-9.1.3-03) */
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 0);
    solo_feed_back(s, 0, 2);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 7);
    solo_feed_back(s, 0, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 8);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 5);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->packet.rsn, SOLO_RSN + 8 + i);
    solo_feed_back(s, 1, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 6);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_fcwnd_counts_from_the_base_not_what_is_outstanding)
{
    struct solo *s = solo_cwnd(5, 100);

    solo_post_many(s, FAL_OP_PUSH, 8);
    solo_feed_eack(s, 0, 0x1e, 0x1e, 0); /* all but the first */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    solo_feed_back(s, 0, 5);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 8);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_13_fcwnd_and_ncwnd_of_0_let_one_packet_out)
{
    struct solo *s = solo_cwnd(0, 0);

    solo_post_many(s, FAL_OP_PUSH, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_02_05_ncwnd_gates_requests)
{
    struct solo *s = solo_cwnd(100, 3);

    solo_post_many(s, FAL_OP_PUSH, 5);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    solo_feed_eack(s, 0, 2, 3, 0); /* outstanding ones count, wherever the base is */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4);
    solo_feed_back(s, 0, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    solo_post_many(s, FAL_OP_PULL, 5);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 3);
    solo_feed_back(s, 1, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_03_pull_data_are_not_gated_by_ncwnd)
{
    struct solo *s = solo_cwnd(4, 1);

    solo_post_many(s, FAL_OP_PUSH, 2);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    for (uint32_t i = 0; i < 5; i++) {
        solo_feed_pull(s, i, i, false);
        ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){0}, i, FAL_ANSWER_DATA), 0);
    }
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 3); /* the data window has 4 */
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->packet.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->packet.rsn, PEER_RSN);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA) + solo_packets(s, FAL_PUSH_DATA), 5);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_3_03_pushes_and_pull_data_take_turns)
{
    struct solo *s = solo_cwnd(1, 100);

    solo_post(s, FAL_OP_PUSH, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        solo_feed_pull(s, i, i, false);
        ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){0}, i, FAL_ANSWER_DATA), 0);
        solo_post(s, FAL_OP_PUSH, 0, 0);
    }
    for (uint32_t i = 1; i <= 6; i++)
        solo_feed_back(s, 0, i);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 3);
    for (uint32_t i = 0; i < 3; i++) /* PSNs 0 2 4 6 and 1 3 5 */
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, i)->packet.psn, SOLO_DATA + 1 + 2 * i);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_1_2_06_the_transmit_window_bounds_PSNs)
{
    struct solo *s = solo_new();

    s->open.params.fcwnd = s->open.params.ncwnd = 1000;
    s->open.params.tx_window_data = 20;
    s->open.params.tx_window_req = 17;
    solo_open(s);
    solo_post_many(s, FAL_OP_PULL, 30);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 17);
    solo_feed_back(s, 17, 0);
    solo_feed_back(s, 30, 0);
    solo_post_many(s, FAL_OP_PUSH, 30);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 20);
    solo_feed_back(s, 30, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 21);
    solo_free(s);
}
END_TEST

/* More requests outstanding than ncwnd allows: a script may do that. */
static struct solo *crowded(uint32_t ncwnd, uint32_t n)
{
    struct solo *s = solo_cwnd(100, ncwnd);

    for (uint32_t i = 0; i < n; i++) {
        struct fal_falcon p;

        ck_assert_int_eq(fal_endpoint_draft(s->ep, s->conn, FAL_PUSH_DATA, s->now_ns, &p), 0);
        ck_assert_int_eq(fal_endpoint_adopt(s->ep, s->conn, &p, NULL, 0, s->now_ns), 0);
    }
    return s;
}

START_TEST(FTP_9_1_2_06_08_to_11_ncwnd_gates_repeated_requests)
{
    struct solo *s = crowded(2, 4);

    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 1)->packet.psn, SOLO_DATA + 1);
    solo_post(s, FAL_OP_PUSH, 0, 1); /* new: gated by DORC */
    solo_feed_back(s, 0, 1);         /* FTP-9.1.2-11 */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    solo_feed_back(s, 0, 3); /* what is due goes before what is new */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 3)->packet.psn, SOLO_DATA + 3);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 4)->packet.psn, SOLO_DATA + 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_12_a_repeated_request_that_is_due_again_does_not_count)
{
    struct solo *s = crowded(2, 3);

    solo_wait(s, 2 * RTO - 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_forget(s);
    solo_wait(s, 1); /* 0 and 1 are due again, and before 2 */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transmit 9.1.2 9.1.3");
    TCase *tc = tcase_create("transmit");

    tcase_add_test(tc, FTP_9_1_3_01_PSNs_and_RSNs_count_up_per_window_and_wrap);
    tcase_add_test(tc, FTP_7_5_a_push_has_the_header_of_its_connection);
    tcase_add_test(tc, FTP_7_3_a_pull_request_carries_its_ULP_header);
    tcase_add_test(tc, FTP_9_1_3_1_02_03_AR_by_window_and_percentage);
    tcase_add_test(tc, FTP_9_1_2_01_04_fcwnd_gates_each_window);
    tcase_add_test(tc, FTP_9_1_2_fcwnd_counts_from_the_base_not_what_is_outstanding);
    tcase_add_test(tc, FTP_9_1_2_13_fcwnd_and_ncwnd_of_0_let_one_packet_out);
    tcase_add_test(tc, FTP_9_1_2_02_05_ncwnd_gates_requests);
    tcase_add_test(tc, FTP_9_1_2_03_pull_data_are_not_gated_by_ncwnd);
    tcase_add_test(tc, FTP_8_3_03_pushes_and_pull_data_take_turns);
    tcase_add_test(tc, FTP_6_1_2_06_the_transmit_window_bounds_PSNs);
    tcase_add_test(tc, FTP_9_1_2_06_08_to_11_ncwnd_gates_repeated_requests);
    tcase_add_test(tc, FTP_9_1_2_12_a_repeated_request_that_is_due_again_does_not_count);
    suite_add_tcase(suite, tc);
    return suite;
}
