/* SPDX-License-Identifier: Apache-2.0
 * transmitter_test.c - what the endpoint sends, when it sends it again, and what
 * acknowledgements do: 9.1.1 to 9.1.5, 9.1.8, 9.2.3, 9.2.4, 11. */
#include "oracles/endpoint/bench.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

static struct solo *solo_with(uint32_t fcwnd, uint32_t ncwnd)
{
    struct solo *s = solo_new();

    s->open.params.fcwnd = fcwnd;
    s->open.params.ncwnd = ncwnd;
    solo_open(s);
    return s;
}

static void post_many(struct solo *s, enum fal_ulp_op op, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        solo_post(s, op, 4, i);
}

static void feed_eack(struct solo *s, uint32_t base, uint64_t ack, uint64_t rx, unsigned own)
{
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    p.recv_data_base_psn += base;
    p.data_ack_bitmap.lo = ack;
    p.data_rx_bitmap.lo = rx;
    p.own = (uint8_t)own;
    solo_feed(s, &p, NULL, 0);
}

/* ---- headers, numbers, AR ---- */

START_TEST(FTP_9_1_3_01_PSNs_and_RSNs_count_up_per_window_and_wrap)
{
    struct solo *s = solo_new();

    s->open.local = (struct fal_end){SOLO_CID, 3, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX};
    solo_open(s);
    post_many(s, FAL_OP_PUSH, 3);
    post_many(s, FAL_OP_PULL, 2);
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

/* ---- 9.1.2 ---- */

START_TEST(FTP_9_1_2_01_04_fcwnd_gates_each_window)
{
    struct solo *s = solo_with(5, 100);

    post_many(s, FAL_OP_PUSH, 8);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    post_many(s, FAL_OP_PULL, 8); /* behind pushes that wait: RSN order (FTP-9.1.3-03) */
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
    struct solo *s = solo_with(5, 100);

    post_many(s, FAL_OP_PUSH, 8);
    feed_eack(s, 0, 0x1e, 0x1e, 0); /* all but the first */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    solo_feed_back(s, 0, 5);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 8);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_13_fcwnd_and_ncwnd_of_0_let_one_packet_out)
{
    struct solo *s = solo_with(0, 0);

    post_many(s, FAL_OP_PUSH, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_02_05_ncwnd_gates_requests)
{
    struct solo *s = solo_with(100, 3);

    post_many(s, FAL_OP_PUSH, 5);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    feed_eack(s, 0, 2, 3, 0); /* outstanding ones count, wherever the base is */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4);
    solo_feed_back(s, 0, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    post_many(s, FAL_OP_PULL, 5);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 3);
    solo_feed_back(s, 1, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_2_03_pull_data_are_not_gated_by_ncwnd)
{
    struct solo *s = solo_with(4, 1);

    post_many(s, FAL_OP_PUSH, 2);
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
    struct solo *s = solo_with(1, 100);

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
    post_many(s, FAL_OP_PULL, 30);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 17);
    solo_feed_back(s, 17, 0);
    solo_feed_back(s, 30, 0);
    post_many(s, FAL_OP_PUSH, 30);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 20);
    solo_feed_back(s, 30, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 21);
    solo_free(s);
}
END_TEST

/* ---- 9.1.5 ---- */

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

/* More requests outstanding than ncwnd allows: a script may do that. */
static struct solo *crowded(uint32_t ncwnd, uint32_t n)
{
    struct solo *s = solo_with(100, ncwnd);

    for (uint32_t i = 0; i < n; i++) {
        struct fal_falcon p;

        ck_assert_int_eq(fal_endpoint_draft(s->ep, s->conn, FAL_PUSH_DATA, s->now_ns, &p), 0);
        ck_assert_int_eq(fal_endpoint_adopt(s->ep, s->conn, &p, NULL, 0, s->now_ns), 0);
    }
    return s;
}

START_TEST(FTP_9_1_2_06_08_ncwnd_gates_repeated_requests)
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
    post_many(s, FAL_OP_PUSH, 200);
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
    post_many(s, FAL_OP_PUSH, 8);
    solo_forget(s);
    p = solo_nack(SOLO_DATA + 1, FAL_NACK_CIE);
    solo_feed(s, &p, NULL, 0);
    p = solo_nack(SOLO_DATA + 2, FAL_NACK_RNR);
    p.rnr_timeout = 1;
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, 100000);
    feed_eack(s, 0, 0, 0xf0, FAL_OWN_DATA);
    solo_wait(s, 20 * RTO);
    ck_assert_uint_eq(s->n, 0);
    solo_feed_back(s, 0, 8); /* the refused one completes with the reason given */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 8);
    solo_free(s);
}
END_TEST

/* ---- 9.2.3 ---- */

START_TEST(FTP_9_2_3_02_04_an_ACK_with_an_older_base_is_discarded_whole)
{
    struct solo *s = solo();

    post_many(s, FAL_OP_PUSH, 4);
    post_many(s, FAL_OP_PULL, 4);
    solo_feed_back(s, 2, 2);
    solo_feed_back(s, 4, 1);
    solo_feed_back(s, 1, 4);
    ck_assert_uint_eq(solo_state(s).tx_rbpsn, SOLO_REQ + 2);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 2);
    feed_eack(s, 1, 0xc, 0xc, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    solo_feed_back(s, 2, 4); /* FTP-9.2.3-05 */
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 4);
    solo_free(s);
}
END_TEST

START_TEST(AMB_23_bases_beyond_what_was_sent_are_discarded)
{
    struct solo *s = solo();
    struct fal_falcon p;

    post_many(s, FAL_OP_PUSH, 4);
    solo_feed_back(s, 0, 5);
    solo_feed_back(s, 1, 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN); /* piggyback: only the wrong one */
    p.recv_req_base_psn += 1;
    p.recv_data_base_psn += 3;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 3);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + 1, PEER_RSN + 1); /* an older one is no harm */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 3);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_3_10_11_the_ack_bitmap_acknowledges_the_rx_bitmap_does_not)
{
    struct solo *s = solo_new();

    s->open.params.ordered = false;
    solo_open(s);
    post_many(s, FAL_OP_PUSH, 6);
    feed_eack(s, 0, 0, 0x3e, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    feed_eack(s, 0, 0x14, 0x3e, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.rsn, SOLO_RSN + 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.rsn, SOLO_RSN + 4);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    feed_eack(s, 0, UINT64_MAX & ~1u, UINT64_MAX, 0); /* bits beyond what was sent */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 5);
    feed_eack(s, 0, 1, 1, 0); /* no receiver should; then the base moves over all */
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 6);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_3_09_the_request_bitmap_acknowledges)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    post_many(s, FAL_OP_PULL, 3);
    solo_forget(s);
    p.req_bitmap = 6;
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.psn, SOLO_REQ);
    solo_feed_back(s, 1, 0); /* the base of an ACK, not the bits: 101 */
    ck_assert_uint_eq(solo_state(s).tx_rbpsn, SOLO_REQ + 3);
    solo_free(s);
}
END_TEST

/* ---- 9.1.4 ---- */

START_TEST(FTP_9_1_4_04_the_out_of_order_distance_is_strict)
{
    for (uint32_t threshold = 0; threshold < 5; threshold++) {
        struct solo *s = solo_new();
        uint32_t high = 10;

        s->open.params.ooo_threshold = threshold;
        solo_open(s);
        post_many(s, FAL_OP_PUSH, 12);
        solo_wait(s, 20000);
        solo_forget(s);
        feed_eack(s, 0, 0, 1u << high, 0);
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

    post_many(s, FAL_OP_PULL, 9);
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

    post_many(s, FAL_OP_PUSH, 9);
    solo_wait(s, 20000);
    solo_forget(s);
    feed_eack(s, 0, 0, 0, 0);
    solo_feed_back(s, 0, 0);
    ck_assert_uint_eq(s->n, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_4_06_07_only_after_a_round_trip)
{
    struct solo *s = solo(); /* initial RTT 10 us */

    post_many(s, FAL_OP_PUSH, 5);
    solo_forget(s);
    solo_wait(s, 10000);
    feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(s->n, 0); /* not later than it: strict */
    solo_wait(s, 1);
    feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 10000);
    feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 1);
    feed_eack(s, 0, 0, 0x10, 0);
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

    post_many(s, FAL_OP_PUSH, 5);
    solo_wait(s, 800000);
    solo_forget(s);
    p.t1 = (uint32_t)((s->now_ns - 800000) * 1000 / FAL_TICK_PS);
    p.t2 = 1;                  /* whatever the other clock says */
    solo_feed(s, &p, NULL, 0); /* 10 us - 10/8 + 800/8: about 108 us */
    feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 108000);
    feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 1500);
    feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_4_10_11_12_OWN_repeats_within_and_beyond_the_bitmap)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    s->open.params.fcwnd = s->open.params.ncwnd = 200;
    solo_open(s);
    post_many(s, FAL_OP_PUSH, 140);
    post_many(s, FAL_OP_PULL, 3);
    solo_wait(s, 20000);
    solo_forget(s);
    p.data_rx_bitmap = fal_u128_not(fal_u128_from(0x11)); /* all but 0 and 4 */
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
    post_many(s, FAL_OP_PUSH, 5);
    for (unsigned i = 0; i < 10; i++) {
        solo_wait(s, 20000);
        feed_eack(s, 0, 0, 0x1f & ~1u, 0);
    }
    solo_forget(s);
    solo_wait(s, 2 * RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    solo_free(s);
}
END_TEST

/* ---- 9.2.4 ---- */

START_TEST(FTP_9_2_4_01_03_an_older_NACK_is_discarded)
{
    struct solo *s = solo();
    struct fal_falcon p;

    post_many(s, FAL_OP_PUSH, 3);
    solo_feed_back(s, 0, 1);
    solo_forget(s);
    p = solo_nack(SOLO_DATA + 1, FAL_NACK_CIE);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(s->n, 0);
    p.recv_data_base_psn += 2; /* FTP-9.2.4-04, -05: newer ones count; the named one is acked */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_ACK);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_4_08_a_resource_drop_is_retransmitted_as_normal)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RESOURCE);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_forget(s);
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, RTO - 1);
    ck_assert_uint_eq(s->n, 0);
    solo_wait(s, 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_11_an_RNRed_push_waits_the_longer_of_RTO_and_RNR_timeout)
{
    static const struct {
        uint8_t code;
        uint64_t due_ns;
    } rows[] = {{1, RTO}, {15, 1920000}, {0, 655360000}, {31, 491520000}};

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = solo();
        struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

        p.rnr_timeout = rows[i].code;
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_wait(s, RTO / 2);
        solo_feed(s, &p, NULL, 0);
        solo_forget(s);
        solo_wait(s, rows[i].due_ns - 1); /* from its receipt (AMB-15) */
        ck_assert_uint_eq(s->n, 0);
        solo_wait(s, 1);
        ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA);
        solo_wait(s, RTO - 1);
        ck_assert_uint_eq(s->n, 1);
        solo_wait(s, 1); /* the next timeout is an RTO again */
        ck_assert_uint_eq(s->n, 2);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_9_15_a_long_delay_holds_up_no_other_timer)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    post_many(s, FAL_OP_PUSH, 2);
    p.rnr_timeout = 0;
    solo_feed(s, &p, NULL, 0);
    post_many(s, FAL_OP_PUSH, 1);
    solo_forget(s);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 1)->packet.psn, SOLO_DATA + 2);
    solo_free(s);
}
END_TEST

START_TEST(AMB_15_RNR_retries_are_no_attempts)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    s->open.params.max_attempts = 1;
    solo_open(s);
    p.rnr_timeout = 1;
    solo_post(s, FAL_OP_PUSH, 4, 1);
    for (unsigned i = 0; i < 20; i++) {
        solo_feed(s, &p, NULL, 0);
        solo_wait(s, RTO);
    }
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 21);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_3_4_04_RNR_is_for_pushes_only)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_REQ, FAL_NACK_RNR);

    p.rnr_timeout = 20;
    p.window = FAL_WINDOW_REQ;
    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 2);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    p = solo_nack(SOLO_DATA, FAL_NACK_CIE);
    solo_feed(s, &p, NULL, 0);
    p.nack_code = FAL_NACK_RNR;
    p.rnr_timeout = 20;
    solo_feed(s, &p, NULL, 0); /* late: the push has become a resync */
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 2);
    solo_free(s);
}
END_TEST

START_TEST(AMB_55_an_RNRed_push_is_not_repeated_early)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    post_many(s, FAL_OP_PUSH, 6);
    p.rnr_timeout = 20;
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, 50000);
    solo_forget(s);
    feed_eack(s, 0, 0, 0x20, FAL_OWN_DATA);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4); /* 1 to 4 */
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_4_10_to_16_a_refused_packet_is_resynced_and_completes_in_error)
{
    static const struct {
        enum fal_nack_code nack;
        enum fal_resync_code resync;
        enum fal_completion code;
    } rows[] = {{FAL_NACK_XLR, FAL_RESYNC_REMOTE_XLR, FAL_CMPL_REMOTE_ERR},
                {FAL_NACK_CIE, FAL_RESYNC_CIE, FAL_CMPL_TARGET_CIE},
                {FAL_NACK_NRE, FAL_RESYNC_NRE, FAL_CMPL_TARGET_NRE},
                {FAL_NACK_CID, FAL_RESYNC_CID, FAL_CMPL_TARGET_CID}};

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = solo();
        struct fal_falcon p = solo_nack(SOLO_DATA + 1, rows[i].nack);
        const struct fal_falcon *resync;

        p.ulp_nack_code = 0xa5;
        post_many(s, FAL_OP_PUSH, 3);
        solo_forget(s);
        solo_feed(s, &p, NULL, 0);
        ck_assert_uint_eq(s->n, 1);
        resync = &solo_sent(s, FAL_RESYNC, 0)->packet;
        ck_assert_uint_eq(resync->resync_code, rows[i].resync);
        ck_assert_uint_eq(resync->resync_packet_type, FAL_PUSH_DATA);
        ck_assert_uint_eq(resync->psn, SOLO_DATA + 1);
        ck_assert_uint_eq(resync->rsn, SOLO_RSN + 1);
        ck_assert_uint_eq(resync->vendor_defined, 0);
        p.nack_code = FAL_NACK_XLR; /* another reason comes too late */
        solo_feed(s, &p, NULL, 0);
        ck_assert_uint_eq(s->n, 1);
        solo_wait(s, RTO); /* FTP-9.1.8-02; and the original never again */
        ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 2);
        ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
        solo_feed_back(s, 0, 1);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
        solo_feed_back(s, 0, 2); /* AMB-47 */
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.code, rows[i].code);
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.ulp_nack_code, 0xa5);
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.rsn, SOLO_RSN + 1);
        solo_free(s);
    }
}
END_TEST

START_TEST(AMB_13_a_refused_pull_request_is_resynced_in_its_own_window)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_REQ, FAL_NACK_CID);

    solo_post(s, FAL_OP_PULL, 4, 1);
    p.window = FAL_WINDOW_REQ;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.resync_packet_type, FAL_PULL_REQUEST);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.psn, SOLO_REQ);
    solo_feed_back(s, 1, 0);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_TARGET_CID);
    solo_free(s);
}
END_TEST

START_TEST(AMB_30_reserved_NACK_codes_and_foreign_PSNs_change_nothing)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_forget(s);
    for (unsigned code = 0; code < 256; code++) {
        struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_CIE);

        if (code == 1 || code == 2 || code == 4 || (code >= 6 && code <= 8))
            continue;
        p.nack_code = (uint8_t)code;
        p.recv_data_base_psn++;
        solo_feed(s, &p, NULL, 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t psns[] = {SOLO_DATA - 1, SOLO_DATA + 1, 0, UINT32_MAX};
        struct fal_falcon p = solo_nack(psns[i], FAL_NACK_CIE);

        solo_feed(s, &p, NULL, 0);
        p.nack_psn = SOLO_DATA;
        p.window = FAL_WINDOW_REQ;
        solo_feed(s, &p, NULL, 0);
    }
    ck_assert_uint_eq(s->n, 0);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    solo_free(s);
}
END_TEST

START_TEST(a_resync_passes_a_full_ncwnd)
{
    struct solo *s = solo_with(100, 1);
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_CIE);

    post_many(s, FAL_OP_PUSH, 2);
    solo_wait(s, RTO); /* its copy fills DORRC */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 2)->packet.psn, SOLO_DATA + 1);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transmitter 9.1 9.2.3 9.2.4");
    TCase *tc = tcase_create("transmitter");

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
    tcase_add_test(tc, FTP_9_1_5_04_08_timeouts_repeat_the_packet_with_its_PSN);
    tcase_add_test(tc, FTP_9_1_5_05_06_retransmissions_go_in_RSN_and_PSN_order);
    tcase_add_test(tc, FTP_9_1_2_06_08_ncwnd_gates_repeated_requests);
    tcase_add_test(tc, FTP_9_1_2_12_a_repeated_request_that_is_due_again_does_not_count);
    tcase_add_test(tc, FTP_8_4_3_4_04_RNR_is_for_pushes_only);
    tcase_add_test(tc, FTP_11_06_07_08_attempts_then_a_resync_then_the_end);
    tcase_add_test(tc, FTP_11_22_33_a_dead_connection_takes_and_sends_nothing);
    tcase_add_test(tc, AMB_47_exhaustion_completes_when_the_resync_is_acknowledged);
    tcase_add_test(tc, without_auto_retransmit_nothing_is_repeated);
    tcase_add_test(tc, FTP_9_2_3_02_04_an_ACK_with_an_older_base_is_discarded_whole);
    tcase_add_test(tc, AMB_23_bases_beyond_what_was_sent_are_discarded);
    tcase_add_test(tc, FTP_9_2_3_10_11_the_ack_bitmap_acknowledges_the_rx_bitmap_does_not);
    tcase_add_test(tc, FTP_9_2_3_09_the_request_bitmap_acknowledges);
    tcase_add_test(tc, FTP_9_1_4_04_the_out_of_order_distance_is_strict);
    tcase_add_test(tc, FTP_9_1_4_02_the_request_window_goes_by_its_bitmap);
    tcase_add_test(tc, FTP_9_1_4_05_and_9_2_3_14_without_a_bit_or_an_EACK_nothing_is_repeated);
    tcase_add_test(tc, FTP_9_1_4_06_07_only_after_a_round_trip);
    tcase_add_test(tc, FTP_9_2_3_08_the_round_trip_is_T4_minus_T1);
    tcase_add_test(tc, FTP_9_1_4_10_11_12_OWN_repeats_within_and_beyond_the_bitmap);
    tcase_add_test(tc, FTP_9_1_1_22_early_copies_are_no_attempts);
    tcase_add_test(tc, FTP_9_2_4_01_03_an_older_NACK_is_discarded);
    tcase_add_test(tc, FTP_9_2_4_08_a_resource_drop_is_retransmitted_as_normal);
    tcase_add_test(tc, FTP_11_11_an_RNRed_push_waits_the_longer_of_RTO_and_RNR_timeout);
    tcase_add_test(tc, FTP_9_15_a_long_delay_holds_up_no_other_timer);
    tcase_add_test(tc, AMB_15_RNR_retries_are_no_attempts);
    tcase_add_test(tc, AMB_55_an_RNRed_push_is_not_repeated_early);
    tcase_add_test(tc, FTP_9_2_4_10_to_16_a_refused_packet_is_resynced_and_completes_in_error);
    tcase_add_test(tc, AMB_13_a_refused_pull_request_is_resynced_in_its_own_window);
    tcase_add_test(tc, AMB_30_reserved_NACK_codes_and_foreign_PSNs_change_nothing);
    tcase_add_test(tc, a_resync_passes_a_full_ncwnd);
    suite_add_tcase(suite, tc);
    return suite;
}
