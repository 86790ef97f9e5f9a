/* SPDX-License-Identifier: Apache-2.0
 * script_test.c - drafts, adopted packets and the view from outside: what scenarios stand on.
 */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

static struct fal_falcon draft(struct solo *s, enum fal_packet_type type)
{
    struct fal_falcon p;

    ck_assert_int_eq(fal_endpoint_draft(s->ep, s->conn, type, s->now_ns, &p), 0);
    ck_assert_uint_eq(p.packet_type, type);
    ck_assert_uint_eq(p.version, 1);
    ck_assert_uint_eq(p.dest_cid, SOLO_PEER_CID);
    return p;
}

static void adopt(struct solo *s, const struct fal_falcon *p, const char *payload)
{
    ck_assert_int_eq(fal_endpoint_adopt(s->ep, s->conn, p, (const uint8_t *)payload,
                                        strlen(payload), s->now_ns),
                     0);
    solo_drain(s);
}

/* Sends a push with PSN and RSN so far from the first ones, as a script does. */
static void send_push(struct solo *s, uint32_t psn, uint32_t rsn)
{
    struct fal_falcon p = draft(s, FAL_PUSH_DATA);

    p.psn = SOLO_DATA + psn;
    p.rsn = SOLO_RSN + rsn;
    p.request_length = 4;
    adopt(s, &p, "push");
}

START_TEST(a_draft_of_a_request_has_the_next_numbers)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_feed_pull(s, 0, 0, false);
    p = draft(s, FAL_PUSH_DATA);
    ck_assert_uint_eq(p.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(p.rsn, SOLO_RSN + 2);
    ck_assert_uint_eq(p.dest_function, 4);
    ck_assert_uint_eq(p.protocol_type, 2);
    ck_assert_uint_eq(p.ack_req, 0);
    ck_assert_uint_eq(p.recv_req_base_psn, PEER_REQ + 1);
    ck_assert_uint_eq(p.recv_data_base_psn, PEER_DATA);
    p = draft(s, FAL_PULL_REQUEST);
    ck_assert_uint_eq(p.psn, SOLO_REQ + 1);
    ck_assert_uint_eq(p.rsn, SOLO_RSN + 2);
    solo_free(s);
}
END_TEST

START_TEST(a_draft_of_pull_data_answers_the_oldest_pull)
{
    struct solo *s = solo();

    ck_assert_uint_eq(draft(s, FAL_PULL_DATA).rsn, PEER_RSN);
    for (uint32_t i = 0; i < 3; i++)
        solo_feed_pull(s, i, i, false);
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){0}, 0, FAL_ANSWER_DATA), 0);
    ck_assert_uint_eq(draft(s, FAL_PULL_DATA).rsn, PEER_RSN + 1);
    ck_assert_uint_eq(draft(s, FAL_PULL_DATA).psn, SOLO_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(a_draft_of_a_resync_stands_for_the_oldest_data_packet)
{
    struct solo *s = solo();
    struct fal_falcon p = draft(s, FAL_RESYNC);

    ck_assert_uint_eq(p.psn, SOLO_DATA);
    ck_assert_uint_eq(p.rsn, SOLO_RSN);
    ck_assert_uint_eq(p.resync_packet_type, FAL_PUSH_DATA);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed_back(s, 0, 1);
    p = draft(s, FAL_RESYNC);
    ck_assert_uint_eq(p.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(p.rsn, SOLO_RSN + 1);
    solo_free(s);
}
END_TEST

START_TEST(a_draft_of_an_ACK_is_what_would_be_sent_and_changes_nothing)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_feed_push(s, 1, false);
    solo_feed_push(s, 128, false);
    solo_feed_pull(s, 2, 2, false);
    for (unsigned i = 0; i < 2; i++) {
        p = draft(s, FAL_EACK);
        ck_assert_uint_eq(p.recv_data_base_psn, PEER_DATA);
        ck_assert_uint_eq(fal_u128_lo(p.data_rx_bitmap), 2);
        ck_assert_uint_eq(p.req_bitmap, 4);
        ck_assert_uint_eq(p.own, FAL_OWN_DATA);
        ck_assert_uint_eq(p.t2, s->now_ns * 1000 / FAL_TICK_PS);
        ck_assert_uint_eq(draft(s, FAL_BACK).own, 0);
        p = draft(s, FAL_NACK);
        ck_assert_uint_eq(p.nack_psn, PEER_DATA);
        ck_assert_uint_eq(p.nack_code, FAL_NACK_RESOURCE);
    }
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_packets(s, FAL_EACK), 1);
    solo_free(s);
}
END_TEST

START_TEST(an_adopted_push_is_a_transaction_like_any_other)
{
    struct solo *s = solo();

    send_push(s, 0, 0);
    ck_assert_uint_eq(s->n, 0); /* the script has sent it */
    ck_assert_uint_eq(solo_state(s).tx_dnpsn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN + 1);
    ck_assert_uint_eq(solo_state(s).open_initiated, 1);
    ck_assert(!fal_endpoint_quiet(s->ep, s->conn));
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.request_length, 4);
    ck_assert_mem_eq(solo_sent(s, FAL_PUSH_DATA, 0)->bytes, "push", 4);
    ck_assert_uint_eq(solo_post(s, FAL_OP_PUSH, 4, 1), SOLO_RSN + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 1)->packet.psn, SOLO_DATA + 1);
    solo_feed_back(s, 0, 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.rsn, SOLO_RSN);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(an_adopted_pull_completes_with_its_response)
{
    struct solo *s = solo();
    struct fal_falcon p = draft(s, FAL_PULL_REQUEST);

    p.request_length = 4;
    adopt(s, &p, "");
    p = solo_packet(FAL_PULL_DATA, PEER_DATA, SOLO_RSN);
    p.recv_req_base_psn++;
    solo_feed(s, &p, "data", 4);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_ACK);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->bytes, "data", 4);
    solo_free(s);
}
END_TEST

START_TEST(PSNs_and_RSNs_that_a_script_leaves_out_are_not_sent_but_may_be)
{
    struct solo *s = solo();

    send_push(s, 3, 3);
    send_push(s, 1, 1);
    ck_assert_uint_eq(solo_state(s).tx_dnpsn, SOLO_DATA + 4);
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN + 4);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 1)->packet.psn, SOLO_DATA + 3);
    send_push(s, 0, 0);
    send_push(s, 2, 2);
    solo_feed_back(s, 0, 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 4);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, i)->out.rsn, SOLO_RSN + i);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(holes_do_not_keep_others_from_completing)
{
    struct solo *s = solo();

    send_push(s, 2, 2);
    solo_feed_back(s, 0, 3);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.rsn, SOLO_RSN + 2);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    ck_assert_uint_eq(solo_post(s, FAL_OP_PUSH, 4, 1), SOLO_RSN + 3);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA + 3);
    send_push(s, 4, 0); /* a hole that is filled late */
    solo_feed_back(s, 0, 5);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 3);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(what_is_not_of_the_window_is_not_the_endpoints)
{
    struct solo *s = solo();
    struct fal_falcon p = draft(s, FAL_RESYNC);

    send_push(s, 256, 0); /* the transmit window has 256 */
    send_push(s, UINT32_MAX, 0);
    p.resync_packet_type = FAL_BACK;
    adopt(s, &p, "");
    p.resync_packet_type = FAL_RESYNC;
    adopt(s, &p, "");
    p.packet_type = 15;
    adopt(s, &p, "");
    ck_assert_uint_eq(solo_state(s).tx_dnpsn, SOLO_DATA);
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    send_push(s, 255, 0);
    ck_assert_uint_eq(solo_state(s).tx_dnpsn, SOLO_DATA + 256);
    solo_free(s);
}
END_TEST

START_TEST(RSNs_out_of_reach_are_no_transactions)
{
    struct solo *s = solo();

    struct fal_falcon p;

    send_push(s, 0, 0);
    solo_feed_back(s, 0, 1);
    solo_forget(s);
    send_push(s, 1, UINT32_MAX); /* before the first */
    ck_assert_uint_eq(solo_state(s).open_initiated, 0);
    send_push(s, 2, 1000000); /* nothing is open: a new beginning */
    ck_assert_uint_eq(solo_state(s).open_initiated, 1);
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN + 1000001);
    send_push(s, 3, 5); /* too far from what is open */
    send_push(s, 4, 1000000);
    send_push(s, 5, 1000000 + FAL_ENDPOINT_OPEN_MAX);
    ck_assert_uint_eq(solo_state(s).open_initiated, 1);
    p = solo_packet(FAL_EACK, 0, 0);
    p.recv_data_base_psn += 1;
    p.data_ack_bitmap = p.data_rx_bitmap = 0x1c; /* 3, 4, 5: not the one that was first */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_feed_back(s, 0, 6);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(a_copy_that_a_script_sends_restarts_the_timer)
{
    struct solo *s = solo();

    send_push(s, 0, 0);
    solo_wait(s, RTO / 2);
    send_push(s, 0, 0);
    solo_wait(s, RTO - 1);
    ck_assert_uint_eq(s->n, 0);
    solo_wait(s, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_feed_back(s, 0, 1);
    send_push(s, 0, 0); /* acknowledged long ago */
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(a_copy_that_a_script_sends_ends_the_RNR_delay)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    s->open.params.max_attempts = 0;
    solo_open(s);
    p.rnr_timeout = 0;
    send_push(s, 0, 0);
    solo_feed(s, &p, NULL, 0);
    send_push(s, 0, 0);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1); /* a timeout like any other */
    solo_free(s);
}
END_TEST

START_TEST(a_dead_connection_adopts_nothing)
{
    struct solo *s = solo_new();

    s->open.params.max_attempts = 0;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 2 * RTO);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 1);
    send_push(s, 1, 1);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    ck_assert_uint_eq(fal_endpoint_deadline(s->ep), FAL_NEVER);
    solo_free(s);
}
END_TEST

START_TEST(an_adopted_resync_takes_the_place_of_the_packet)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    p = draft(s, FAL_RESYNC);
    p.resync_code = FAL_RESYNC_NRE;
    adopt(s, &p, "");
    solo_forget(s);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 0);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_TARGET_NRE);
    solo_free(s);
}
END_TEST

START_TEST(every_resync_code_of_a_script_has_its_completion)
{
    static const struct {
        uint8_t code;
        enum fal_completion due;
    } rows[] = {{1, FAL_CMPL_TARGET_CIE}, {2, FAL_CMPL_LOCAL_XLR},  {3, FAL_CMPL_LOCAL_TO},
                {4, FAL_CMPL_LOCAL_TO},   {5, FAL_CMPL_REMOTE_ERR}, {6, FAL_CMPL_TARGET_NRE},
                {7, FAL_CMPL_TARGET_CID}, {99, FAL_CMPL_REMOTE_ERR}};

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = solo();
        struct fal_falcon p;

        solo_post(s, FAL_OP_PUSH, 4, 1);
        p = draft(s, FAL_RESYNC);
        p.resync_code = rows[i].code;
        adopt(s, &p, "");
        solo_feed_back(s, 0, 1);
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, rows[i].due);
        solo_free(s);
    }
}
END_TEST

START_TEST(an_adopted_resync_of_what_was_never_sent_uses_up_its_numbers)
{
    struct solo *s = solo();
    struct fal_falcon p = draft(s, FAL_RESYNC);

    adopt(s, &p, "");
    ck_assert_uint_eq(solo_state(s).tx_dnpsn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN + 1);
    ck_assert_uint_eq(solo_state(s).open_initiated, 0);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed_back(s, 0, 2);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    solo_free(s);
}
END_TEST

START_TEST(adopted_pull_data_answers_the_pull)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 1, 2, false); /* held: RSN 1 is missing */
    p = draft(s, FAL_PULL_DATA);
    adopt(s, &p, "data");
    p = draft(s, FAL_PULL_DATA);
    ck_assert_uint_eq(p.rsn, PEER_RSN + 2);
    adopt(s, &p, "early"); /* before its ULP has even seen it */
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){0}, 0, FAL_ANSWER_DATA),
                     FAL_ERR_RANGE);
    solo_forget(s);
    solo_feed_push(s, 1, false);
    solo_feed_push(s, 3, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2); /* 1 and 3 */
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 2);
    ck_assert_mem_eq(solo_sent(s, FAL_PULL_DATA, 0)->bytes, "data", 4);
    solo_feed_back(s, 0, 2);
    ck_assert_uint_eq(solo_state(s).open_received, 2);
    solo_free(s);
}
END_TEST

START_TEST(an_adopted_ACK_is_what_the_endpoint_has_said)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_feed_push(s, 0, true);
    solo_feed_push(s, 128, true);
    p = draft(s, FAL_EACK);
    p.recv_data_base_psn++;
    p.data_rx_bitmap = 8;
    p.data_ack_bitmap = 4;
    adopt(s, &p, "");
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_ack_bitmap), 4);
    ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_rx_bitmap), 12);
    ck_assert_uint_eq(solo_state(s).own, 0); /* the script told it */
    solo_wait(s, 8000);
    ck_assert_uint_eq(s->n, 1); /* only the request: the timer has stopped */
    ck_assert_uint_eq(solo_post(s, FAL_OP_PUSH, 4, 1), SOLO_RSN);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.recv_data_base_psn, PEER_DATA + 1);
    solo_ack(s, 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(an_adopted_NACK_does_not_end_the_coalescing_timer)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_feed_pull(s, 0, 0, false);
    p = draft(s, FAL_NACK);
    p.recv_data_base_psn += 2;
    adopt(s, &p, "");
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 2);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    solo_free(s);
}
END_TEST

START_TEST(an_adopted_data_packet_piggybacks)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    send_push(s, 0, 0);
    solo_wait(s, 100000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 0);
    solo_free(s);
}
END_TEST

START_TEST(quiet_means_nothing_is_under_way)
{
    struct solo *s = solo();

    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_feed_push(s, 0, false);
    ck_assert(!fal_endpoint_quiet(s->ep, s->conn));
    solo_wait(s, 8000);
    ck_assert(!fal_endpoint_quiet(s->ep, s->conn)); /* its ULP has it */
    solo_ack(s, 0);
    ck_assert(!fal_endpoint_quiet(s->ep, s->conn)); /* coalescing */
    solo_wait(s, 8000);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_feed_back(s, 1, 0);
    ck_assert(!fal_endpoint_quiet(s->ep, s->conn)); /* no response yet */
    solo_free(s);
}
END_TEST

START_TEST(an_unknown_connection_is_an_error_of_the_caller)
{
    struct solo *s = solo();
    struct fal_endpoint_state state;
    struct fal_falcon p = draft(s, FAL_BACK);

    for (uint32_t conn = 0; conn < 3; conn += 2) {
        ck_assert_int_eq(fal_endpoint_draft(s->ep, conn, FAL_BACK, 0, &p), FAL_ERR_RANGE);
        ck_assert_int_eq(fal_endpoint_adopt(s->ep, conn, &p, NULL, 0, 0), FAL_ERR_RANGE);
        ck_assert_int_eq(fal_endpoint_state(s->ep, conn, &state), FAL_ERR_RANGE);
        ck_assert(fal_endpoint_quiet(s->ep, conn));
        fal_endpoint_close(s->ep, conn);
    }
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scripts");
    TCase *tc = tcase_create("scripts");

    tcase_add_test(tc, a_draft_of_a_request_has_the_next_numbers);
    tcase_add_test(tc, a_draft_of_pull_data_answers_the_oldest_pull);
    tcase_add_test(tc, a_draft_of_a_resync_stands_for_the_oldest_data_packet);
    tcase_add_test(tc, a_draft_of_an_ACK_is_what_would_be_sent_and_changes_nothing);
    tcase_add_test(tc, an_adopted_push_is_a_transaction_like_any_other);
    tcase_add_test(tc, an_adopted_pull_completes_with_its_response);
    tcase_add_test(tc, PSNs_and_RSNs_that_a_script_leaves_out_are_not_sent_but_may_be);
    tcase_add_test(tc, holes_do_not_keep_others_from_completing);
    tcase_add_test(tc, what_is_not_of_the_window_is_not_the_endpoints);
    tcase_add_test(tc, RSNs_out_of_reach_are_no_transactions);
    tcase_add_test(tc, a_copy_that_a_script_sends_restarts_the_timer);
    tcase_add_test(tc, a_copy_that_a_script_sends_ends_the_RNR_delay);
    tcase_add_test(tc, a_dead_connection_adopts_nothing);
    tcase_add_test(tc, an_adopted_resync_takes_the_place_of_the_packet);
    tcase_add_test(tc, every_resync_code_of_a_script_has_its_completion);
    tcase_add_test(tc, an_adopted_resync_of_what_was_never_sent_uses_up_its_numbers);
    tcase_add_test(tc, adopted_pull_data_answers_the_pull);
    tcase_add_test(tc, an_adopted_ACK_is_what_the_endpoint_has_said);
    tcase_add_test(tc, an_adopted_NACK_does_not_end_the_coalescing_timer);
    tcase_add_test(tc, an_adopted_data_packet_piggybacks);
    tcase_add_test(tc, quiet_means_nothing_is_under_way);
    tcase_add_test(tc, an_unknown_connection_is_an_error_of_the_caller);
    suite_add_tcase(suite, tc);
    return suite;
}
