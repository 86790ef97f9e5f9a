/* SPDX-License-Identifier: Apache-2.0
 * initiator_test.c - transactions of the local ULP: 8.4, chapter 11. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

static void feed_data(struct solo *s, uint32_t n, uint32_t rsn, const void *payload, size_t len)
{
    struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA + n, SOLO_RSN + rsn);

    solo_feed(s, &p, payload, len);
}

static void completed(const struct solo *s, size_t n, uint32_t rsn, enum fal_completion code)
{
    const struct solo_out *out = solo_nth(s, FAL_OUT_COMPLETE, n);

    ck_assert_uint_eq(out->out.rsn, SOLO_RSN + rsn);
    ck_assert_uint_eq(out->out.code, code);
}

START_TEST(FTP_8_4_1_04_06_pushes_and_pulls_share_one_RSN_space)
{
    struct solo *s = solo();

    ck_assert_uint_eq(solo_post(s, FAL_OP_PUSH, 1, 1), SOLO_RSN);
    ck_assert_uint_eq(solo_post(s, FAL_OP_PULL, 1, 1), SOLO_RSN + 1);
    ck_assert_uint_eq(solo_post(s, FAL_OP_PUSH, 1, 1), SOLO_RSN + 2);
    ck_assert_uint_eq(solo_state(s).open_initiated, 3);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_2_01_02_completions_of_both_kinds_come_in_RSN_order)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PULL, 8, 10);
    solo_post(s, FAL_OP_PUSH, 8, 11);
    solo_post(s, FAL_OP_PULL, 8, 12);
    solo_post(s, FAL_OP_PUSH, 8, 13);
    solo_feed_back(s, 2, 2);
    feed_data(s, 0, 2, "third", 5);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    feed_data(s, 1, 0, "first", 5);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 4);
    for (uint32_t i = 0; i < 4; i++) {
        completed(s, i, i, FAL_CMPL_ACK);
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, i)->out.tag, 10 + i);
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, i)->out.length, 8);
    }
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->bytes, "first", 5);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_COMPLETE, 2)->bytes, "third", 5);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.payload_len, 0);
    ck_assert_uint_eq(solo_state(s).open_initiated, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_2_03_unordered_connections_complete_as_it_comes)
{
    struct solo *s = solo_new();

    s->open.params.ordered = false;
    solo_open(s);
    solo_post(s, FAL_OP_PULL, 8, 1);
    solo_post(s, FAL_OP_PUSH, 8, 2);
    solo_feed_back(s, 1, 1);
    completed(s, 0, 1, FAL_CMPL_ACK);
    feed_data(s, 0, 0, NULL, 0);
    completed(s, 1, 0, FAL_CMPL_ACK);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_3_2_02_pull_data_that_nobody_waits_for_is_discarded)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PUSH, 8, 1);
    feed_data(s, 0, 0, "x", 1); /* a push's RSN */
    feed_data(s, 1, 1, "x", 1); /* none */
    feed_data(s, 2, UINT32_MAX, "x", 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 3); /* but acknowledged */
    solo_post(s, FAL_OP_PULL, 8, 1);
    solo_feed_back(s, 1, 1);
    feed_data(s, 3, 1, "x", 1);
    feed_data(s, 4, 1, "y", 1); /* answered already */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    solo_free(s);
}
END_TEST

START_TEST(pull_data_for_a_pull_that_was_not_sent_is_discarded)
{
    struct solo *s = solo_new();

    s->open.params.fcwnd = 1;
    solo_open(s);
    solo_post(s, FAL_OP_PULL, 8, 1);
    solo_post(s, FAL_OP_PULL, 8, 1);
    feed_data(s, 0, 1, "x", 1);
    feed_data(s, 1, 0, "x", 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    solo_feed_back(s, 1, 0);
    feed_data(s, 2, 1, "z", 1);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->bytes, "z", 1);
    solo_free(s);
}
END_TEST

START_TEST(the_first_response_counts_while_it_waits_for_its_turn)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PULL, 8, 1);
    solo_post(s, FAL_OP_PULL, 8, 1);
    feed_data(s, 0, 1, "one", 3);
    feed_data(s, 1, 1, "other", 5);
    feed_data(s, 2, 0, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.payload_len, 3);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->bytes, "one", 3);
    solo_free(s);
}
END_TEST

START_TEST(a_late_ACK_does_not_take_a_state_back)
{
    struct solo *s = solo_new();

    s->config.internal_notes = true;
    solo_open(s);
    solo_post(s, FAL_OP_PULL, 8, 1);
    solo_post(s, FAL_OP_PULL, 8, 1);
    feed_data(s, 0, 1, NULL, 0);
    solo_forget(s);
    solo_feed_back(s, 2, 0);
    ck_assert_uint_eq(s->n, 1);
    ck_assert_str_eq(s->outs[0].what, "initiator rsn 1: PullReqAckd");
    solo_free(s);
}
END_TEST

START_TEST(a_response_may_overtake_the_ACK_of_its_request)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PULL, 8, 1);
    feed_data(s, 0, 0, "12345678", 8);
    completed(s, 0, 0, FAL_CMPL_ACK);
    ck_assert(!fal_endpoint_quiet(s->ep, s->conn));
    solo_forget(s);
    solo_wait(s, s->open.params.rto_ns); /* the request is still to be acknowledged */
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 1);
    solo_feed_back(s, 1, 0);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_27_a_shorter_response_is_as_good_a_longer_one_is_an_error)
{
    struct solo *s = solo();

    for (unsigned i = 0; i < 4; i++)
        solo_post(s, FAL_OP_PULL, 4, i);
    feed_data(s, 0, 0, NULL, 0);
    feed_data(s, 1, 1, "123", 3);
    feed_data(s, 2, 2, "1234", 4);
    feed_data(s, 3, 3, "12345", 5);
    completed(s, 0, 0, FAL_CMPL_ACK);
    completed(s, 1, 1, FAL_CMPL_ACK);
    completed(s, 2, 2, FAL_CMPL_ACK);
    completed(s, 3, 3, FAL_CMPL_OP_ERR); /* FTP-11-26 */
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.payload_len, 0);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.payload_len, 3);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 3)->out.payload_len, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_23_24_an_acknowledged_pull_times_out_on_its_own)
{
    struct solo *s = solo();
    uint64_t start_ns = s->now_ns;

    solo_post(s, FAL_OP_PULL, 4, 3);
    solo_feed_back(s, 1, 0);
    solo_to(s, start_ns + s->open.params.transaction_timeout_ns - 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_wait(s, 1);
    completed(s, 0, 0, FAL_CMPL_LOCAL_TO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    feed_data(s, 0, 0, "late", 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_7_6_06_a_push_that_times_out_leaves_its_PSN_to_a_resync)
{
    struct solo *s = solo_new();

    s->open.params.transaction_timeout_ns = 500000;
    s->open.params.fcwnd = 1;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 3);
    solo_post(s, FAL_OP_PUSH, 4, 4); /* waits for the gate */
    solo_forget(s);
    solo_wait(s, 500000);
    completed(s, 0, 0, FAL_CMPL_LOCAL_TO);
    completed(s, 1, 1, FAL_CMPL_LOCAL_TO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.resync_code, FAL_RESYNC_TIMED_OUT);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.psn, SOLO_DATA);
    solo_feed_back(s, 0,
                   1); /* the packet that was never sent uses up its PSN and RSN nevertheless */
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 1)->packet.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 1)->packet.rsn, SOLO_RSN + 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 0);
    solo_feed_back(s, 0, 2);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_post(s, FAL_OP_PUSH, 4, 5); /* DORC has not suffered */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_3_5_04_an_error_keeps_its_place_in_the_order)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_CIE);

    solo_post(s, FAL_OP_PUSH, 4, 0);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed(s, &p, NULL, 0);
    p = solo_packet(FAL_EACK, 0, 0);
    p.data_ack_bitmap = p.data_rx_bitmap = 2;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_feed_back(s, 0, 2);
    completed(s, 0, 0, FAL_CMPL_TARGET_CIE);
    completed(s, 1, 1, FAL_CMPL_ACK);
    solo_free(s);
}
END_TEST

START_TEST(a_refusal_that_is_known_outlives_the_timeout)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_NRE);

    s->open.params.transaction_timeout_ns = 500000;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 0);
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, 500000);
    completed(s, 0, 0, FAL_CMPL_TARGET_NRE);
    solo_wait(s, 400000);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1); /* it is the same resync still */
    solo_wait(s, 100000);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 1)->packet.resync_code, FAL_RESYNC_NRE);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    solo_free(s);
}
END_TEST

START_TEST(AMB_48_a_resync_of_the_response_ends_the_pull)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_RESYNC, PEER_DATA, SOLO_RSN);

    solo_post(s, FAL_OP_PULL, 4, 0);
    p.resync_packet_type = FAL_PULL_DATA;
    p.resync_code = FAL_RESYNC_EXHAUSTED;
    solo_feed(s, &p, NULL, 0);
    completed(s, 0, 0, FAL_CMPL_LOCAL_TO);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_32_too_many_open_transactions_complete_at_once)
{
    struct solo *s = solo();
    unsigned rejected = 0;

    for (unsigned i = 0; i < FAL_ENDPOINT_OPEN_MAX + 2; i++) {
        solo_post(s, FAL_OP_PULL, 0, i);
        if (i >= FAL_ENDPOINT_OPEN_MAX) {
            ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_LOCAL_RSRC);
            ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.tag, i);
            rejected++;
        }
        solo_forget(s);
    }
    ck_assert_uint_eq(rejected, 2);
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN + FAL_ENDPOINT_OPEN_MAX);
    feed_data(s, 0, 0, NULL, 0); /* one ends, one more may come */
    ck_assert_uint_eq(solo_post(s, FAL_OP_PULL, 0, 0), SOLO_RSN + FAL_ENDPOINT_OPEN_MAX);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    solo_free(s);
}
END_TEST

START_TEST(posts_that_cannot_be_are_refused)
{
    struct solo *s = solo();
    uint8_t payload[5000] = {0};
    struct fal_endpoint_in rows[] = {
        {.op = FAL_OP_PUSH, .length = 4097, .payload = payload},
        {.op = FAL_OP_PULL, .length = 4097},
        {.op = FAL_OP_PULL, .length = 1, .payload = payload, .payload_len = 4097},
        {.op = FAL_OP_PUSH, .length = 1},
        {.op = FAL_OP_PULL, .length = 1, .payload_len = 1},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].kind = FAL_IN_POST;
        rows[i].conn = s->conn;
        ck_assert_int_eq(fal_endpoint_input(s->ep, &rows[i], s->now_ns, NULL), FAL_ERR_RANGE);
    }
    rows[0].length = 4096;
    for (uint32_t conn = 0; conn < 3; conn++) {
        rows[0].conn = conn;
        ck_assert_int_eq(fal_endpoint_input(s->ep, &rows[0], s->now_ns, NULL),
                         conn == s->conn ? 0 : FAL_ERR_RANGE);
    }
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_1_07_to_15_states_have_their_names)
{
    static const char *const due[] = {
        "initiator rsn 1: PushReqUlpRx", "initiator rsn 1: PushDataTx",
        "initiator rsn 2: PullReqUlpRx", "initiator rsn 2: PullReqTx",
        "initiator rsn 2: PullReqAckd",  "initiator rsn 1: PushDataAckd",
        "initiator rsn 1: PushCplTx",    "initiator rsn 2: PullDataRx",
        "initiator rsn 2: PullDataUlpTx"};
    struct solo *s = solo_new();

    s->config.internal_notes = true;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 0);
    solo_post(s, FAL_OP_PULL, 4, 0);
    solo_feed_back(s, 1, 1);
    feed_data(s, 0, 1, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_NOTE), sizeof due / sizeof *due);
    for (size_t i = 0; i < sizeof due / sizeof *due; i++)
        ck_assert_str_eq(solo_nth(s, FAL_OUT_NOTE, i)->what, due[i]);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("initiator 8.4");
    TCase *tc = tcase_create("initiator");

    tcase_add_test(tc, FTP_8_4_1_04_06_pushes_and_pulls_share_one_RSN_space);
    tcase_add_test(tc, FTP_8_4_2_01_02_completions_of_both_kinds_come_in_RSN_order);
    tcase_add_test(tc, FTP_8_4_2_03_unordered_connections_complete_as_it_comes);
    tcase_add_test(tc, FTP_8_4_3_2_02_pull_data_that_nobody_waits_for_is_discarded);
    tcase_add_test(tc, pull_data_for_a_pull_that_was_not_sent_is_discarded);
    tcase_add_test(tc, the_first_response_counts_while_it_waits_for_its_turn);
    tcase_add_test(tc, a_late_ACK_does_not_take_a_state_back);
    tcase_add_test(tc, a_response_may_overtake_the_ACK_of_its_request);
    tcase_add_test(tc, FTP_11_27_a_shorter_response_is_as_good_a_longer_one_is_an_error);
    tcase_add_test(tc, FTP_11_23_24_an_acknowledged_pull_times_out_on_its_own);
    tcase_add_test(tc, FTP_7_6_06_a_push_that_times_out_leaves_its_PSN_to_a_resync);
    tcase_add_test(tc, FTP_8_4_3_5_04_an_error_keeps_its_place_in_the_order);
    tcase_add_test(tc, a_refusal_that_is_known_outlives_the_timeout);
    tcase_add_test(tc, AMB_48_a_resync_of_the_response_ends_the_pull);
    tcase_add_test(tc, FTP_11_32_too_many_open_transactions_complete_at_once);
    tcase_add_test(tc, posts_that_cannot_be_are_refused);
    tcase_add_test(tc, FTP_8_4_1_07_to_15_states_have_their_names);
    suite_add_tcase(suite, tc);
    return suite;
}
