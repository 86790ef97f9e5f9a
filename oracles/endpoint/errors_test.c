/* SPDX-License-Identifier: Apache-2.0
 * errors_test.c - the rows of chapter 11 that belong to the transaction sublayer, and 6.4. Rows
 * of packet delivery are in receive_test.c, acks_test.c and retransmit_test.c; those of
 * resource pools in pools_test.c. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

static enum fal_completion code(const struct solo *s)
{
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    return solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code;
}

static void feed_nack(struct solo *s, enum fal_window window, uint32_t psn,
                      enum fal_nack_code nack_code, uint8_t ulp)
{
    struct fal_falcon nack = solo_nack(psn, nack_code);

    nack.window = (uint8_t)window;
    nack.ulp_nack_code = ulp;
    nack.rnr_timeout = 1;
    solo_feed(s, &nack, NULL, 0);
}

static int answer(struct solo *s, uint32_t rsn, enum fal_answer what)
{
    return solo_answer(s, (struct fal_endpoint_in){.code = 7, .rnr_ns = 100000}, rsn, what);
}

static void feed_push(struct solo *s, uint32_t psn, uint32_t rsn)
{
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + psn, PEER_RSN + rsn);

    solo_feed(s, &p, NULL, 0);
}

/* ---- the initiator's table ---- */

/* With the resync's code that the peer sees, and the ULP's code that the ULP is told. */
/* By hand from chapter 11; whatever is not there is reserved (AMB-50: numbers count). */
START_TEST(FTP_11_43_to_54_completion_codes_are_those_of_the_table)
{
    static const enum fal_completion codes[16] = {
        [0x0] = FAL_CMPL_ACK,        [0x1] = FAL_CMPL_TARGET_CIE, [0x3] = FAL_CMPL_TARGET_NRE,
        [0x4] = FAL_CMPL_TARGET_CID, [0x8] = FAL_CMPL_LOCAL_TO,   [0x9] = FAL_CMPL_OP_ERR,
        [0xa] = FAL_CMPL_DEAD_CONN,  [0xb] = FAL_CMPL_LOCAL_RSRC, [0xc] = FAL_CMPL_CDT_ERR,
        [0xd] = FAL_CMPL_REMOTE_ERR, [0xf] = FAL_CMPL_LOCAL_XLR,
    };
    static const bool reserved[16] = {
        [0x2] = true, [0x5] = true, [0x6] = true, [0x7] = true, [0xe] = true};

    for (unsigned i = 0; i < 16; i++)
        ck_assert_uint_eq((unsigned)codes[i], reserved[i] ? 0 : i);
}
END_TEST

START_TEST(FTP_6_4_06_and_11_10_28_29_30_31_refused_pushes_have_their_codes)
{
    static const struct {
        enum fal_nack_code nack;
        enum fal_resync_code resync;
        enum fal_completion code;
    } rows[] = {
        {FAL_NACK_XLR, FAL_RESYNC_REMOTE_XLR, FAL_CMPL_REMOTE_ERR},
        {FAL_NACK_CIE, FAL_RESYNC_CIE, FAL_CMPL_TARGET_CIE},
        {FAL_NACK_NRE, FAL_RESYNC_NRE, FAL_CMPL_TARGET_NRE},
        {FAL_NACK_CID, FAL_RESYNC_CID, FAL_CMPL_TARGET_CID},
    };

    for (unsigned i = 0; i < 4; i++) {
        struct solo *s = solo();

        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_wait(s, 5 * RTO + RTO / 2); /* near the last attempt */
        feed_nack(s, FAL_WINDOW_DATA, SOLO_DATA, rows[i].nack, 9);
        ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.resync_code, rows[i].resync);
        ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.psn, SOLO_DATA);
        solo_wait(s, 6 * RTO); /* its attempts begin anew */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 0);
        solo_feed_back(s, 0, 1);
        ck_assert_int_eq(code(s), rows[i].code);
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.ulp_nack_code, 9);
        solo_free(s);
    }
}
END_TEST

START_TEST(AMB_47_a_refused_push_may_complete_at_once)
{
    static const enum fal_nack_code nacks[] = {FAL_NACK_XLR, FAL_NACK_CIE, FAL_NACK_NRE,
                                               FAL_NACK_CID};

    for (unsigned i = 0; i < 4; i++) {
        struct solo *s = solo_new();

        fal_twin_add(&s->open.twins, FAL_TWIN_COMPLETION_AT_NACK);
        solo_open(s);
        solo_post(s, FAL_OP_PUSH, 4, 1);
        feed_nack(s, FAL_WINDOW_DATA, SOLO_DATA, nacks[i], 9);
        ck_assert_uint_ne(code(s), FAL_CMPL_ACK);
        feed_nack(s, FAL_WINDOW_DATA, SOLO_DATA, nacks[i], 9); /* once in any case */
        ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
        solo_feed_back(s, 0, 1);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
        ck_assert(fal_endpoint_quiet(s->ep, s->conn));
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_11_25_a_local_filter_completes_with_local_xLR)
{
    struct solo *s = solo_new();

    s->open.params.xlr_initiator = 1;
    s->open.params.credit_req_pkt_rx = s->open.params.credit_req_pkt_tx = 1;
    solo_open(s);
    solo_post(s, FAL_OP_PULL, 4, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 0);
    solo_feed_back(s, 1, 0);
    ck_assert_int_eq(code(s), FAL_CMPL_LOCAL_XLR);
    solo_forget(s);
    solo_post(s, FAL_OP_PULL, 4, 2); /* its resources are back */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_26_too_long_a_response_is_an_error_at_once_or_at_the_timeout)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();

        if (twin)
            fal_twin_add(&s->open.twins, FAL_TWIN_PULL_DATA_LONG_TIMES_OUT);
        solo_open(s);
        solo_post(s, FAL_OP_PULL, 3, 1);
        solo_feed_pull_data(s, 0, 0, false); /* four bytes */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), !twin);
        solo_wait(s, FAL_S);
        ck_assert_int_eq(code(s), twin ? FAL_CMPL_LOCAL_TO : FAL_CMPL_OP_ERR);
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.payload_len, 0);
        solo_free(s);
    }
}
END_TEST

START_TEST(AMB_48_a_lost_response_ends_its_pull_at_once_or_at_the_timeout)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();

        if (twin)
            fal_twin_add(&s->open.twins, FAL_TWIN_RESPONSE_LOST_TIMES_OUT);
        solo_open(s);
        solo_post(s, FAL_OP_PULL, 3, 1);
        solo_feed_back(s, 1, 0);
        solo_feed_resync(s, FAL_PULL_DATA, PEER_DATA, 0u - (PEER_RSN - SOLO_RSN), false);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), !twin);
        ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
        solo_wait(s, FAL_S);
        ck_assert_int_eq(code(s), FAL_CMPL_LOCAL_TO);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_6_4_01_an_RNR_is_no_matter_of_the_initiators_ULP)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PUSH, 4, 1);
    for (unsigned i = 0; i < 30; i++) { /* far more than attempts */
        feed_nack(s, FAL_WINDOW_DATA, SOLO_DATA, FAL_NACK_RNR, 0);
        solo_wait(s, RTO);
        ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), i + 2);
    }
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_feed_back(s, 0, 1);
    ck_assert_int_eq(code(s), FAL_CMPL_ACK);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_4_08_09_and_11_05_failure_is_told_and_others_go_on)
{
    struct solo *s = solo();
    uint32_t first = s->conn;

    s->open.local.cid = 77;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    s->conn = first;
    solo_wait(s, 40 * RTO);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 1);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 8); /* itself and seven attempts */
    solo_forget(s);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_free(s);
}
END_TEST

/* ---- the target's table ---- */

START_TEST(FTP_11_35_21_what_the_filter_drops_holds_nothing)
{
    struct solo *s = solo_new();
    struct fal_endpoint_credits left;

    s->open.params.xlr_target = 1;
    s->open.params.net_pkt_rx = 2;
    solo_open(s);
    solo_feed_push(s, 0, true);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.nack_code, FAL_NACK_XLR);
    ck_assert_int_eq(fal_endpoint_credits(s->ep, s->conn, &left), 0);
    ck_assert_uint_eq(left.connection[FAL_RES_NET_PKT_RX], 2);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_39_an_RNRed_push_may_come_again_by_a_timer)
{
    for (unsigned ordered = 0; ordered < 2; ordered++) {
        struct solo *s = solo_new();

        fal_twin_add(&s->open.twins, FAL_TWIN_RNR_PUSH_BY_TIMER);
        s->open.params.ordered = ordered;
        solo_open(s);
        solo_feed_push(s, 0, false);
        ck_assert_int_eq(answer(s, 0, FAL_ANSWER_RNR), 0);
        ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
        solo_wait(s, 99999);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
        solo_wait(s, 1);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
        ck_assert(solo_nth(s, FAL_OUT_REQUEST, 1)->out.redelivery);
        solo_feed_push(s, 0, false); /* too late: the ULP has it */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
        ck_assert_int_eq(answer(s, 0, FAL_ANSWER_RNR), 0);
        solo_feed_push(s, 0, false); /* this time the copy is first */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
        solo_wait(s, RTO); /* and the timer has nothing to do */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
        solo_ack(s, 0);
        ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
        solo_wait(s, RTO);
        ck_assert(fal_endpoint_quiet(s->ep, s->conn));
        solo_free(s);
    }
}
END_TEST

START_TEST(AMB_65_an_RNRed_push_may_be_as_good_as_never_received)
{
    struct solo *s = solo_new();

    fal_twin_add(&s->open.twins, FAL_TWIN_RNR_CLEARS_RX);
    solo_open(s);
    solo_feed_push(s, 0, false);
    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_rx_bitmap), 3);
    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_RNR), 0);
    ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_rx_bitmap), 2);
    solo_feed_push(s, 0, false);
    ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_rx_bitmap), 3);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
    ck_assert(solo_nth(s, FAL_OUT_REQUEST, 2)->out.redelivery);
    solo_feed_push(s, 0, false); /* pending: discarded */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
    solo_ack(s, 0);
    solo_ack(s, 1);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 2);
    solo_free(s);
}
END_TEST

START_TEST(AMB_49_followers_of_an_RNRed_request_may_be_held_in_silence)
{
    struct solo *s = solo_new();

    fal_twin_add(&s->open.twins, FAL_TWIN_RNR_FOLLOWERS_HELD);
    solo_open(s);
    solo_feed_push(s, 0, false);
    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_RNR), 0);
    solo_feed_push(s, 1, false);
    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_feed_push(s, 0, false);
    solo_ack(s, 0);
    solo_ack(s, 1);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 2);
    solo_free(s);
}
END_TEST

/* Which requests the upper layer will answer with RNR. */
static bool not_ready(const void *ulp, uint32_t conn, uint32_t rsn, enum fal_ulp_op op)
{
    (void)conn;
    (void)op;
    return rsn - PEER_RSN < 4 && ((const bool *)ulp)[rsn - PEER_RSN];
}

START_TEST(AMB_49_followers_of_an_RNRed_request_may_be_delivered_if_they_get_an_RNR)
{
    struct solo *s = solo_new();
    bool refused[4] = {true, true, false, true};

    s->config.not_ready = not_ready;
    s->config.ulp = refused;
    fal_twin_add(&s->open.twins, FAL_TWIN_RNR_FOLLOWERS_DELIVERED);
    solo_open(s);
    solo_feed_push(s, 0, false);
    solo_rnr(s, 0, 40960);
    solo_feed_push(s, 1, false); /* delivered: no NACK before the ULP's */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    solo_rnr(s, 1, 20480);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 1)->packet.rnr_timeout,
                      fal_rnr_timeout_code(20480));
    solo_feed_push(s, 2, false); /* it would be accepted, so it is held, and 3 behind it */
    solo_feed_pull(s, 0, 3, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 3);
    solo_feed_push(s, 1, false); /* a copy */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
    ck_assert(solo_nth(s, FAL_OUT_REQUEST, 2)->out.redelivery);
    solo_rnr(s, 1, 20480);
    refused[0] = refused[1] = refused[3] = false;
    solo_feed_push(s, 0, false);
    solo_ack(s, 0);
    solo_feed_push(s, 1, false);
    solo_ack(s, 1);
    solo_ack(s, 2);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 7);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 6)->out.rsn, PEER_RSN + 3);
    solo_free(s);
}
END_TEST

START_TEST(AMB_45_now_and_then_a_request_is_dropped_but_no_head_of_line)
{
    for (unsigned ordered = 0; ordered < 2; ordered++) {
        struct solo *s = solo_new();
        unsigned dropped = 0;

        fal_twin_add(&s->open.twins, FAL_TWIN_RESOURCE_DROPS);
        s->open.params.ordered = ordered;
        solo_open(s);
        for (uint32_t i = 0; i < 8; i++) /* its load */
            solo_feed_pull(s, i, i, false);
        for (uint32_t i = 0; i < 400; i++) {
            solo_forget(s);
            feed_push(s, i, 8 + i);
            dropped += solo_packets(s, FAL_NACK) > 0;
            while (solo_packets(s, FAL_NACK) > 0) { /* comes again until it is taken */
                solo_forget(s);
                feed_push(s, i, 8 + i);
            }
            solo_ack(s, 8 + i);
        }
        ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 400);
        if (ordered)
            ck_assert_uint_eq(dropped, 0); /* each was the head of its line */
        else
            ck_assert_uint_gt(dropped, 5);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_11_41_a_pull_for_a_wrong_CID_is_reclaimed_in_silence)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, RTO);
    solo_forget(s);
    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_CID), 0);
    solo_wait(s, 3 * RTO);
    ck_assert_uint_eq(s->n, 0);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_4_02_and_11_42_an_RNRed_pull_is_redelivered_by_the_target)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_RNR), 0);
    solo_wait(s, 100000);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_34_40_a_refusal_of_a_pull_is_no_NACK)
{
    static const enum fal_answer errors[] = {FAL_ANSWER_CIE, FAL_ANSWER_NRE};

    for (unsigned i = 0; i < 2; i++) {
        struct solo *s = solo();

        solo_feed_pull(s, 0, 0, false);
        ck_assert_int_eq(answer(s, 0, errors[i]), 0);
        ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->out.payload_len, 0);
        solo_free(s);
    }
}
END_TEST

/* ---- reclaim ---- */

START_TEST(FTP_11_04_transactions_outlive_the_attempts_of_packets)
{
    for (unsigned live = 0; live < 2; live++) {
        struct fal_params p;

        fal_params_default(&p, live != 0);
        /* the packet, its copies; a resync, its copies */
        ck_assert_uint_gt(p.transaction_timeout_ns, 2 * (p.max_attempts + 1) * p.rto_ns);
    }
}
END_TEST

START_TEST(FTP_11_01_02_what_a_peer_leaves_behind_is_reclaimed_in_time)
{
    struct solo *s = solo_new();
    struct fal_endpoint_credits left;

    s->open.params.net_pkt_rx = 8;
    solo_open(s);
    solo_feed_push(s, 1, false); /* waits for a request that never comes */
    solo_feed_pull(s, 0, 2, false);
    solo_wait(s, FAL_S - 1);
    ck_assert_uint_eq(solo_state(s).open_received, 2);
    solo_wait(s, 1);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    ck_assert_int_eq(fal_endpoint_credits(s->ep, s->conn, &left), 0);
    ck_assert_uint_eq(left.connection[FAL_RES_NET_PKT_RX], 8);
    solo_feed_push(s, 1, false); /* a late copy belongs to no open transaction */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    solo_feed_push(s, 0, false); /* the line goes on */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_03_13_a_response_that_waits_too_long_is_given_up)
{
    static const uint8_t payload[4];
    struct solo *s = solo_new();
    struct fal_endpoint_credits left;

    s->open.params.fcwnd = 1;
    s->open.params.rto_ns = 10 * FAL_S;
    s->open.params.credit_data_pkt_tx = 8;
    solo_open(s);
    for (uint32_t i = 0; i < 3; i++) {
        solo_feed_pull(s, i, i, false);
        ck_assert_int_eq(solo_answer(s,
                                     (struct fal_endpoint_in){.payload = payload, .length = 4},
                                     i, FAL_ANSWER_DATA),
                         0);
    }
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 1);
    solo_wait(s, FAL_S);
    ck_assert_int_eq(fal_endpoint_credits(s->ep, s->conn, &left), 0);
    ck_assert_uint_eq(left.connection[FAL_RES_DATA_PKT_TX], 7);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 1); /* the others never leave */
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("errors 11");
    TCase *tc = tcase_create("errors");

    tcase_add_test(tc, FTP_11_43_to_54_completion_codes_are_those_of_the_table);
    tcase_add_test(tc, FTP_6_4_06_and_11_10_28_29_30_31_refused_pushes_have_their_codes);
    tcase_add_test(tc, AMB_47_a_refused_push_may_complete_at_once);
    tcase_add_test(tc, FTP_11_25_a_local_filter_completes_with_local_xLR);
    tcase_add_test(tc, FTP_11_26_too_long_a_response_is_an_error_at_once_or_at_the_timeout);
    tcase_add_test(tc, AMB_48_a_lost_response_ends_its_pull_at_once_or_at_the_timeout);
    tcase_add_test(tc, FTP_6_4_01_an_RNR_is_no_matter_of_the_initiators_ULP);
    tcase_add_test(tc, FTP_6_4_08_09_and_11_05_failure_is_told_and_others_go_on);
    tcase_add_test(tc, FTP_11_35_21_what_the_filter_drops_holds_nothing);
    tcase_add_test(tc, FTP_11_39_an_RNRed_push_may_come_again_by_a_timer);
    tcase_add_test(tc, AMB_65_an_RNRed_push_may_be_as_good_as_never_received);
    tcase_add_test(tc, AMB_49_followers_of_an_RNRed_request_may_be_held_in_silence);
    tcase_add_test(tc,
                   AMB_49_followers_of_an_RNRed_request_may_be_delivered_if_they_get_an_RNR);
    tcase_add_test(tc, AMB_45_now_and_then_a_request_is_dropped_but_no_head_of_line);
    tcase_add_test(tc, FTP_11_41_a_pull_for_a_wrong_CID_is_reclaimed_in_silence);
    tcase_add_test(tc, FTP_6_4_02_and_11_42_an_RNRed_pull_is_redelivered_by_the_target);
    tcase_add_test(tc, FTP_11_34_40_a_refusal_of_a_pull_is_no_NACK);
    tcase_add_test(tc, FTP_11_04_transactions_outlive_the_attempts_of_packets);
    tcase_add_test(tc, FTP_11_01_02_what_a_peer_leaves_behind_is_reclaimed_in_time);
    tcase_add_test(tc, FTP_11_03_13_a_response_that_waits_too_long_is_given_up);
    suite_add_tcase(suite, tc);
    return suite;
}
