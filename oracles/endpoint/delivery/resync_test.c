/* SPDX-License-Identifier: Apache-2.0
 * resync_test.c - every reason to give a packet up: who sends the resync, what it says, and
 * what it does at the other end (7.6, 9.1.8, 9.2.4, 9.2.5, 11). */
#include "oracles/endpoint/rig/bench_pair.h"
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

/* ---- the reasons ---- */

/* Posts push 0, gives push 1 up for a reason, posts push 2; the resync is out, if gates let it.
 */
static struct solo *given_up(enum fal_resync_code code, enum fal_ulp_op op)
{
    static const enum fal_nack_code nacks[] = {[FAL_RESYNC_CIE] = FAL_NACK_CIE,
                                               [FAL_RESYNC_REMOTE_XLR] = FAL_NACK_XLR,
                                               [FAL_RESYNC_NRE] = FAL_NACK_NRE,
                                               [FAL_RESYNC_CID] = FAL_NACK_CID};
    struct solo *s = solo_new();
    struct fal_falcon p = solo_packet(FAL_NACK, 0, 0);

    s->open.params.max_attempts = code == FAL_RESYNC_EXHAUSTED ? 1 : 5000;
    if (code == FAL_RESYNC_LOCAL_XLR)
        s->open.params.xlr_initiator = SOLO_RSN + 1;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed_back(s, 0, 1);
    solo_post(s, op, 4, 2);
    p.recv_data_base_psn = SOLO_DATA + 1;
    p.nack_psn = op == FAL_OP_PUSH ? SOLO_DATA + 1 : SOLO_REQ;
    p.window = op == FAL_OP_PULL;
    p.ulp_nack_code = 77;
    switch (code) {
    case FAL_RESYNC_CIE:
    case FAL_RESYNC_REMOTE_XLR:
    case FAL_RESYNC_NRE:
    case FAL_RESYNC_CID:
        p.nack_code = (uint8_t)nacks[code];
        solo_feed(s, &p, NULL, 0);
        break;
    case FAL_RESYNC_EXHAUSTED: solo_wait(s, 2 * RTO); break;
    case FAL_RESYNC_TIMED_OUT: solo_wait(s, s->open.params.transaction_timeout_ns); break;
    case FAL_RESYNC_LOCAL_XLR: break;
    }
    return s;
}

static const struct {
    enum fal_resync_code code;
    enum fal_completion completion;
} reasons[] = {
    {FAL_RESYNC_CIE, FAL_CMPL_TARGET_CIE},        {FAL_RESYNC_LOCAL_XLR, FAL_CMPL_LOCAL_XLR},
    {FAL_RESYNC_EXHAUSTED, FAL_CMPL_LOCAL_TO},    {FAL_RESYNC_TIMED_OUT, FAL_CMPL_LOCAL_TO},
    {FAL_RESYNC_REMOTE_XLR, FAL_CMPL_REMOTE_ERR}, {FAL_RESYNC_NRE, FAL_CMPL_TARGET_NRE},
    {FAL_RESYNC_CID, FAL_CMPL_TARGET_CID},
};

START_TEST(FTP_7_6_03_to_09_and_9_1_8_03_to_05_a_resync_says_what_it_stands_for_and_why)
{
    for (unsigned op = 0; op < 2; op++) {
        enum fal_ulp_op kind = op == 0 ? FAL_OP_PUSH : FAL_OP_PULL;
        struct solo *s = given_up(reasons[_i].code, kind);
        const struct fal_falcon *p = &solo_sent(s, FAL_RESYNC, 0)->packet;

        ck_assert_uint_eq(p->resync_code, reasons[_i].code);
        ck_assert_uint_eq(p->resync_packet_type,
                          kind == FAL_OP_PUSH ? FAL_PUSH_DATA : FAL_PULL_REQUEST);
        ck_assert_uint_eq(p->psn, kind == FAL_OP_PUSH ? SOLO_DATA + 1 : SOLO_REQ);
        ck_assert_uint_eq(p->rsn, SOLO_RSN + 1);
        ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->out.len, 32);
        solo_free(s);
    }
}
END_TEST

/* FTP-11-25 and 28 to 31 with it: how the transaction completes. */
START_TEST(FTP_11_10_and_9_1_8_02_it_repeats_until_acknowledged_and_completes_in_error)
{
    struct solo *s = given_up(reasons[_i].code, FAL_OP_PUSH);
    uint64_t at_ns = solo_sent(s, FAL_RESYNC, 0)->at_ns;
    size_t last;

    solo_to(s, at_ns + RTO); /* the counter began anew */
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 1)->packet.psn, SOLO_DATA + 1);
    solo_feed_back(s, 0, 2);
    last = solo_count(s, FAL_OUT_COMPLETE) - 1;
    ck_assert_uint_eq(last, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.code, reasons[_i].completion);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.rsn, SOLO_RSN + 1);
    solo_forget(s);
    solo_wait(s, 10 * RTO);
    ck_assert_uint_eq(s->n, 0);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_8_06_a_resync_waits_for_the_gate)
{
    struct solo *s = solo_new();

    s->open.params.fcwnd = 2;
    s->open.params.xlr_initiator = SOLO_RSN + 2; /* the third */
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    solo_feed_eack(s, 0, 0x2, 0x2, 0); /* the base does not move */
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.psn, SOLO_DATA + 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_8_01_a_resync_fills_the_hole_and_lets_the_window_go_on)
{
    struct solo *s = solo();
    const struct fal_falcon *ack;

    solo_feed_push(s, 1, false); /* waits for 0, whose push is lost for good */
    solo_feed_pull(s, 1, 3, false);
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, false);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->out.rsn, PEER_RSN + 1);
    solo_ack(s, 1);
    solo_feed_resync(s, FAL_PULL_REQUEST, PEER_REQ, 2, true); /* AMB-13: in its own window */
    ack = solo_the_ack(s, FAL_BACK);
    ck_assert_uint_eq(ack->recv_data_base_psn, PEER_DATA + 2);
    ck_assert_uint_eq(ack->recv_req_base_psn, PEER_REQ + 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 1)->out.rsn, PEER_RSN + 3);
    solo_free(s);
}
END_TEST

/* ---- the drop filters (11, AMB-51) ---- */

START_TEST(FTP_11_21_what_matches_the_filter_is_refused_with_NACK_4)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN);

    s->open.params.xlr_target = PEER_RSN;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    p.request_length = 4;
    p.recv_data_base_psn = SOLO_DATA + 1;
    for (size_t i = 0; i < 2; i++) { /* and again: it was never received */
        solo_feed(s, &p, "push", 4);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, i)->packet.nack_code, FAL_NACK_XLR);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, i)->packet.nack_psn, PEER_DATA);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, i)->packet.window, FAL_WINDOW_DATA);
    }
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1); /* its piggyback counts */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA);
    ck_assert_uint_eq(solo_state(s).open_received, 0); /* FTP-11-35 */
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, false);
    solo_feed_push(s, 1, false); /* does not match */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_21_a_pull_request_is_refused_in_its_window)
{
    struct solo *s = solo_new();

    s->open.params.xlr_target = 1;
    solo_open(s);
    solo_feed_pull(s, 0, 0, true);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.nack_code, FAL_NACK_XLR);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.window, FAL_WINDOW_REQ);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_25_what_matches_the_own_filter_never_leaves)
{
    struct solo *s = solo_new();

    s->open.params.xlr_initiator = 2;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 6);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 3);
    solo_feed_back(s, 0, 6);
    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, i)->out.code,
                          (SOLO_RSN + i) % 2 == 0 ? FAL_CMPL_LOCAL_XLR : FAL_CMPL_ACK);
    solo_free(s);
}
END_TEST

/* ---- both ends ---- */

struct lossy {
    struct pair pair;
    unsigned codes[16], delivered;
};

static void on_event(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct lossy *lossy = pair->ctx;
    struct fal_endpoint_in in = {.rsn = out->rsn, .answer = FAL_ANSWER_ACK};

    if (out->kind == FAL_OUT_COMPLETE)
        lossy->codes[out->code]++;
    if (out->kind != FAL_OUT_REQUEST)
        return;
    lossy->delivered++;
    if (out->op == FAL_OP_PULL) {
        in.answer = FAL_ANSWER_DATA;
        in.payload = (const uint8_t *)"data";
        in.length = 4;
    }
    ck_assert_int_eq(pair_respond(pair, side, in), 0);
}

/* Every packet of RSN 10 is lost, but resyncs. */
static uint64_t lose_one(struct pair *pair, unsigned side, const struct fal_falcon *packet)
{
    (void)pair;
    return side == 0 && packet->packet_type <= FAL_PUSH_DATA && packet->rsn == 10 &&
                   !fal_falcon_is_ack(packet->packet_type) && packet->packet_type != FAL_RESYNC
               ? FAL_NEVER
               : 0;
}

START_TEST(FTP_11_05_the_resync_keeps_the_connection_going_whatever_was_lost)
{
    static const struct pair_ops ops = {.event = on_event, .packet = lose_one};
    const struct fal_impairment wire[2] = {{.latency_ns = 5000}, {.latency_ns = 5000}};
    const struct fal_end ends[2] = {{1, 1, 0, 0, 7}, {2, 2, 0, 0, 70}};

    for (unsigned op = 0; op < 2; op++) {
        struct lossy lossy = {.delivered = 0};

        pair_init(&lossy.pair, &ops, &lossy);
        lossy.pair.open[0].params.max_attempts = 3;
        /* Ordered, what waits at the target behind the lost one would be given up with it. */
        lossy.pair.open[0].params.ordered = lossy.pair.open[1].params.ordered = false;
        pair_open(&lossy.pair, ends, wire, 1);
        lossy.pair.ctx = &lossy;
        for (unsigned i = 0; i < 100; i++) {
            struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                         .op = op == 0 ? FAL_OP_PUSH : FAL_OP_PULL,
                                         .length = 4,
                                         .payload = (const uint8_t *)"push"};

            ck_assert_int_eq(pair_input(&lossy.pair, 0, in, NULL), 0);
        }
        pair_run(&lossy.pair, FAL_S);
        ck_assert_uint_eq(lossy.codes[FAL_CMPL_ACK], 99);
        ck_assert_uint_eq(lossy.codes[FAL_CMPL_LOCAL_TO], 1);
        ck_assert_uint_eq(lossy.delivered, 99);
        ck_assert(fal_endpoint_quiet(lossy.pair.ep[0], lossy.pair.conn[0]));
        ck_assert(fal_endpoint_quiet(lossy.pair.ep[1], lossy.pair.conn[1]));
        pair_free(&lossy.pair);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("resync 7.6 9.1.8 11");
    TCase *tc = tcase_create("resync");
    int n = (int)(sizeof reasons / sizeof *reasons);

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, FTP_7_6_03_to_09_and_9_1_8_03_to_05_a_resync_says_what_it_stands_for_and_why, 0, n);
    tcase_add_loop_test(
        tc, FTP_11_10_and_9_1_8_02_it_repeats_until_acknowledged_and_completes_in_error, 0, n);
    tcase_add_test(tc, FTP_9_1_8_06_a_resync_waits_for_the_gate);
    tcase_add_test(tc, FTP_9_1_8_01_a_resync_fills_the_hole_and_lets_the_window_go_on);
    tcase_add_test(tc, FTP_11_21_what_matches_the_filter_is_refused_with_NACK_4);
    tcase_add_test(tc, FTP_11_21_a_pull_request_is_refused_in_its_window);
    tcase_add_test(tc, FTP_11_25_what_matches_the_own_filter_never_leaves);
    tcase_add_test(tc, FTP_11_05_the_resync_keeps_the_connection_going_whatever_was_lost);
    suite_add_tcase(suite, tc);
    return suite;
}
