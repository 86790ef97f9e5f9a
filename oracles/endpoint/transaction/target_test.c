/* SPDX-License-Identifier: Apache-2.0
 * target_test.c - transactions of the peer: 8.5, chapter 11. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

static struct solo *unordered(void)
{
    struct solo *s = solo_new();

    s->open.params.ordered = false;
    solo_open(s);
    return s;
}

static int answer(struct solo *s, uint32_t rsn, enum fal_answer what)
{
    return solo_answer(s, (struct fal_endpoint_in){.code = 0x5a}, rsn, what);
}

static int respond(struct solo *s, uint32_t rsn, uint32_t length)
{
    static const uint8_t payload[4096] = "response";

    return solo_answer(s, (struct fal_endpoint_in){.length = length, .payload = payload}, rsn,
                       FAL_ANSWER_DATA);
}

static void delivered(const struct solo *s, size_t n, uint32_t rsn, bool again)
{
    const struct solo_out *out = solo_nth(s, FAL_OUT_REQUEST, n);

    ck_assert_uint_eq(out->out.rsn, PEER_RSN + rsn);
    ck_assert(out->out.redelivery == again);
}

static void refused(const struct solo *s, size_t n, uint32_t psn, enum fal_nack_code code)
{
    const struct fal_falcon *nack = &solo_sent(s, FAL_NACK, n)->packet;

    ck_assert_uint_eq(nack->nack_psn, PEER_DATA + psn);
    ck_assert_uint_eq(nack->nack_code, code);
    ck_assert_uint_eq(nack->window, FAL_WINDOW_DATA);
}

/* ---- delivery ---- */

START_TEST(FTP_8_5_2_01_02_requests_of_both_kinds_are_delivered_in_RSN_order)
{
    struct solo *s = solo();

    solo_feed_push(s, 3, false);
    solo_feed_pull(s, 1, 2, false);
    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    solo_feed_pull(s, 0, 0, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 4);
    for (uint32_t i = 0; i < 4; i++)
        delivered(s, i, i, false);
    ck_assert_int_eq(solo_nth(s, FAL_OUT_REQUEST, 2)->out.op, FAL_OP_PULL);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 2)->out.length, 8);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 3)->out.length, 4);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_REQUEST, 3)->bytes, "push", 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_2_03_unordered_connections_deliver_as_it_comes)
{
    struct solo *s = unordered();

    solo_feed_push(s, 3, false);
    solo_feed_pull(s, 1, 2, false);
    delivered(s, 0, 3, false);
    delivered(s, 1, 2, false);
    solo_free(s);
}
END_TEST

START_TEST(an_RSN_that_was_used_before_is_not_delivered_again)
{
    for (unsigned ordered = 0; ordered < 2; ordered++) {
        struct solo *s = ordered ? solo() : unordered();
        struct fal_falcon p;

        solo_feed_push(s, 0, false);
        p = solo_packet(FAL_PUSH_DATA, PEER_DATA + 1, PEER_RSN);
        solo_feed(s, &p, NULL, 0); /* open */
        solo_ack(s, 0);
        p.psn++;
        solo_feed(s, &p, NULL, 0); /* done */
        p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN - 1);
        solo_feed(s, &p, NULL, 0); /* never given out */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
        ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1); /* never acknowledged */
        solo_free(s);
    }
}
END_TEST

START_TEST(a_closed_RSN_of_an_unordered_connection_is_remembered)
{
    struct solo *s = unordered();
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + 6, PEER_RSN + 5);

    solo_feed_push(s, 5, false);
    solo_ack(s, 5);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(a_copy_under_another_PSN_is_not_that_push)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + 1, PEER_RSN);

    solo_feed_push(s, 0, false);
    solo_rnr(s, 0, 10000);
    solo_feed(s, &p, NULL, 0);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    p = solo_packet(FAL_RESYNC, PEER_DATA + 1, PEER_RSN); /* nor is its resync */
    p.resync_packet_type = FAL_PUSH_DATA;
    solo_feed(s, &p, NULL, 0);
    p = solo_packet(FAL_RESYNC, PEER_REQ, PEER_RSN);
    p.resync_packet_type = FAL_PULL_REQUEST;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).open_received, 1);
    solo_feed_push(s, 0, false);
    delivered(s, 1, 0, true);
    solo_ack(s, 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 2);
    solo_free(s);
}
END_TEST

START_TEST(payload_that_is_done_with_makes_room)
{
    static uint8_t bytes[60000 + FAL_HEADER_MAX];
    struct solo *s = solo();

    for (uint32_t n = 0; n < 600; n++) {
        struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + n, PEER_RSN + n);
        int header = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

        solo_feed_bytes(s, bytes, (size_t)header + 60000, (struct solo_arrival){0});
        ck_assert_int_eq(answer(s, n, FAL_ANSWER_CID), 0);
    }
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
    for (uint32_t n = 601; n < 860; n++) { /* of 60,000 bytes each, 16 MiB hold 279 */
        struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + n - 1, PEER_RSN + n);
        int header = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

        solo_feed_bytes(s, bytes, (size_t)header + 60000, (struct solo_arrival){0});
    }
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
    solo_free(s);
}
END_TEST

START_TEST(the_answer_to_one_request_decides_about_the_next)
{
    struct solo *s = solo();
    struct fal_endpoint_out out;
    struct fal_falcon p;
    uint8_t bytes[FAL_HEADER_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET, .bytes = bytes};

    for (uint32_t i = 2; i-- > 0;) {
        p = solo_packet(FAL_PUSH_DATA, PEER_DATA + i, PEER_RSN + i);
        in.len = (size_t)fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);
        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    }
    ck_assert(fal_endpoint_next(s->ep, &out));
    ck_assert_int_eq(out.kind, FAL_OUT_REQUEST);
    ck_assert_uint_eq(out.rsn, PEER_RSN);
    in = (struct fal_endpoint_in){.kind = FAL_IN_RESPOND,
                                  .conn = s->conn,
                                  .rsn = PEER_RSN,
                                  .answer = FAL_ANSWER_RNR,
                                  .rnr_ns = 1};
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    solo_drain(s);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    solo_free(s);
}
END_TEST

/* ---- pulls ---- */

START_TEST(FTP_7_4_03_a_response_carries_the_RSN_of_its_request)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 1, 1, false);
    ck_assert_int_eq(respond(s, 1, 8), 0);
    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_ACK), 0); /* taken; data follow */
    ck_assert_int_eq(respond(s, 0, 0), 0);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->packet.rsn, PEER_RSN + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->packet.psn, SOLO_DATA);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->out.len, 24 + 8);
    ck_assert_mem_eq(solo_sent(s, FAL_PULL_DATA, 0)->bytes, "response", 8);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 1)->packet.rsn, PEER_RSN);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 1)->out.len, 24);
    ck_assert_uint_eq(solo_state(s).open_received, 2);
    solo_feed_back(s, 0, 2); /* FTP-8.5.3.2-09 */
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(answers_that_do_not_fit_are_refused)
{
    struct solo *s = solo();

    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_ACK), FAL_ERR_RANGE); /* no such request */
    solo_feed_push(s, 1, false);
    ck_assert_int_eq(answer(s, 1, FAL_ANSWER_ACK), FAL_ERR_RANGE); /* not delivered */
    solo_feed_pull(s, 0, 0, false);
    ck_assert_int_eq(respond(s, 1, 4), FAL_ERR_RANGE); /* data for a push */
    ck_assert_int_eq(respond(s, 0, 4097), FAL_ERR_RANGE);
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){.length = 4}, 0, FAL_ANSWER_DATA),
                     FAL_ERR_RANGE);
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){.code = 256}, 1, FAL_ANSWER_CIE),
                     FAL_ERR_RANGE);
    ck_assert_int_eq(answer(s, 1, FAL_ANSWER_WITHHOLD), 0);
    ck_assert_int_eq(answer(s, 1, FAL_ANSWER_ACK), 0);
    ck_assert_int_eq(answer(s, 1, FAL_ANSWER_ACK), FAL_ERR_RANGE); /* twice */
    ck_assert_int_eq(respond(s, 0, 4096),
                     0); /* more than asked for: the initiator's to judge */
    ck_assert_int_eq(respond(s, 0, 4), FAL_ERR_RANGE);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_5_02_a_pull_in_error_is_an_empty_response)
{
    struct solo *s = solo();

    for (uint32_t i = 0; i < 3; i++)
        solo_feed_pull(s, i, i, false);
    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_CIE), 0);
    ck_assert_int_eq(answer(s, 1, FAL_ANSWER_NRE), 0);
    ck_assert_int_eq(answer(s, 2, FAL_ANSWER_CID), 0); /* FTP-11-41: nothing at all */
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 2);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 1)->out.len, 24);
    ck_assert_uint_eq(solo_state(s).open_received, 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_4_10_a_pull_without_response_is_given_up)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, true);
    solo_feed_pull(s, 1, 1, true);
    ck_assert_int_eq(respond(s, 1, 4), 0);
    solo_feed_back(s, 0, 1);
    solo_wait(s, s->open.params.transaction_timeout_ns - 1);
    ck_assert_uint_eq(solo_state(s).open_received, 1);
    solo_wait(s, 1);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    ck_assert_int_eq(respond(s, 0, 4), FAL_ERR_RANGE);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_feed_push(s, 0, false); /* RSN 0 is used up */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    solo_free(s);
}
END_TEST

START_TEST(a_response_that_cannot_be_delivered_is_resynced)
{
    struct solo *s = solo_new();

    s->open.params.max_attempts = 1;
    solo_open(s);
    solo_feed_pull(s, 0, 0, true);
    ck_assert_int_eq(respond(s, 0, 4), 0);
    solo_wait(s, 2 * RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.resync_packet_type, FAL_PULL_DATA);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.rsn, PEER_RSN);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_free(s);
}
END_TEST

/* ---- CIE, NRE, CID ---- */

START_TEST(FTP_8_5_3_5_04_and_11_37_38_a_push_in_error_is_refused_until_its_resync)
{
    static const struct {
        enum fal_answer answer;
        enum fal_nack_code code;
    } rows[] = {{FAL_ANSWER_CIE, FAL_NACK_CIE},
                {FAL_ANSWER_NRE, FAL_NACK_NRE},
                {FAL_ANSWER_CID, FAL_NACK_CID}};

    for (unsigned i = 0; i < 3; i++) {
        struct solo *s = solo();
        struct fal_falcon p = solo_packet(FAL_RESYNC, PEER_DATA, PEER_RSN);

        solo_feed_push(s, 0, true);
        ck_assert_int_eq(answer(s, 0, rows[i].answer), 0);
        refused(s, 0, 0, rows[i].code);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.ulp_nack_code, 0x5a);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.rnr_timeout, 0);
        solo_feed_push(s, 0, true); /* FTP-6.6.5-01 */
        refused(s, 1, 0, rows[i].code);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, 1)->packet.ulp_nack_code, 0x5a);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
        ck_assert_int_eq(answer(s, 0, FAL_ANSWER_ACK), FAL_ERR_RANGE);
        ck_assert(solo_state(s).data_ack_bitmap == 0);
        ck_assert_uint_eq(solo_state(s).open_received, 1);
        p.resync_packet_type = FAL_PUSH_DATA; /* FTP-6.6.5-03 */
        solo_feed(s, &p, NULL, 0);
        ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
        ck_assert_uint_eq(solo_state(s).open_received, 0);
        solo_feed_push(s, 0, true);
        ck_assert_uint_eq(solo_packets(s, FAL_NACK), 2);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_9_1_7_a_NACK_holds_the_newest_bases_and_times)
{
    struct solo *s = solo();
    uint8_t bytes[FAL_HEADER_MAX];
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN + 2);
    const struct fal_falcon *nack;
    int n = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

    solo_feed_push(s, 0, false);
    solo_feed_push(s, 1, false);
    solo_ack(s, 0);
    solo_wait(s, 3000);
    solo_feed_bytes(s, bytes, (size_t)n,
                    (struct solo_arrival){.t1 = 4242, .ecn = 3, .ttl = 60});
    solo_rnr(s, 1, 1);
    nack = &solo_sent(s, FAL_NACK, 0)->packet;
    ck_assert_uint_eq(nack->recv_data_base_psn, PEER_DATA + 1);
    ck_assert_uint_eq(nack->recv_req_base_psn, PEER_REQ + 1);
    ck_assert_uint_eq(nack->t1, 4242);
    ck_assert_uint_eq(nack->t2, s->now_ns * 1000 / FAL_TICK_PS);
    ck_assert_uint_eq(nack->hop_count, 4);
    ck_assert_uint_eq(nack->ecn_rx_count, 1);
    ck_assert_uint_eq(nack->dest_cid, SOLO_PEER_CID);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->out.len, 40);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_1_07_to_15_states_have_their_names)
{
    static const char *const due[] = {
        "target rsn 1001: PushDataRx",     "target rsn 1001: PushReqUlpTx",
        "target rsn 1002: PullReqRx",      "target rsn 1002: PullReqUlpTx",
        "target rsn 1001: PushReqUlpAckd", "target rsn 1001: Closed",
        "target rsn 1002: PullReqUlpAckd", "target rsn 1002: PullDataUlpRx",
        "target rsn 1002: PullDataTx",     "target rsn 1002: PullDataAckd",
        "target rsn 1002: Closed"};
    struct solo *s = solo_new();

    s->config.internal_notes = true;
    solo_open(s);
    solo_feed_push(s, 0, false);
    solo_feed_pull(s, 0, 1, false);
    solo_ack(s, 0);
    solo_ack(s, 1);
    ck_assert_int_eq(respond(s, 1, 4), 0);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_NOTE), sizeof due / sizeof *due);
    for (size_t i = 0; i < sizeof due / sizeof *due; i++)
        ck_assert_str_eq(solo_nth(s, FAL_OUT_NOTE, i)->what, due[i]);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("target 8.5");
    TCase *tc = tcase_create("target");

    tcase_add_test(tc, FTP_8_5_2_01_02_requests_of_both_kinds_are_delivered_in_RSN_order);
    tcase_add_test(tc, FTP_8_5_2_03_unordered_connections_deliver_as_it_comes);
    tcase_add_test(tc, an_RSN_that_was_used_before_is_not_delivered_again);
    tcase_add_test(tc, a_closed_RSN_of_an_unordered_connection_is_remembered);
    tcase_add_test(tc, a_copy_under_another_PSN_is_not_that_push);
    tcase_add_test(tc, payload_that_is_done_with_makes_room);
    tcase_add_test(tc, the_answer_to_one_request_decides_about_the_next);
    tcase_add_test(tc, FTP_7_4_03_a_response_carries_the_RSN_of_its_request);
    tcase_add_test(tc, answers_that_do_not_fit_are_refused);
    tcase_add_test(tc, FTP_8_5_3_5_02_a_pull_in_error_is_an_empty_response);
    tcase_add_test(tc, FTP_6_4_10_a_pull_without_response_is_given_up);
    tcase_add_test(tc, a_response_that_cannot_be_delivered_is_resynced);
    tcase_add_test(tc, FTP_8_5_3_5_04_and_11_37_38_a_push_in_error_is_refused_until_its_resync);
    tcase_add_test(tc, FTP_9_1_7_a_NACK_holds_the_newest_bases_and_times);
    tcase_add_test(tc, FTP_8_5_1_07_to_15_states_have_their_names);
    suite_add_tcase(suite, tc);
    return suite;
}
