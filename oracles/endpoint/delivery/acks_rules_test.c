/* SPDX-License-Identifier: Apache-2.0
 * acks_rules_test.c - what ACKs and NACKs say (9.1.6, 9.1.7), what they do (9.2.3, 9.2.4), and
 * what is sent again because of them or for want of them (9.1.4, 9.1.5). */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

static void refuse(struct solo *s, uint32_t rsn, enum fal_answer answer, uint32_t code)
{
    struct fal_endpoint_in in = {.code = code, .rnr_ns = 1280000};

    ck_assert_int_eq(solo_answer(s, in, rsn, answer), 0);
}

/* Feeds a push whose PSN is not its RSN's. */
static void feed_push(struct solo *s, uint32_t psn, uint32_t rsn, struct solo_arrival how)
{
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + psn, PEER_RSN + rsn);
    uint8_t bytes[FAL_HEADER_MAX + 4];
    int n;

    p.request_length = 4;
    n = fal_falcon_encode(&p, (const uint8_t *)"push", 4, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(n, 0);
    solo_feed_bytes(s, bytes, (size_t)n, how);
}

/* ---- what is said ---- */

START_TEST(FTP_9_1_6_08_10_an_ACK_holds_the_newest_bases_and_congestion_metadata)
{
    struct solo *s = solo();
    const struct fal_falcon *ack;

    feed_push(s, 0, 0, (struct solo_arrival){.t1 = 5, .ecn = 3, .ttl = 60});
    feed_push(s, 1, 1, (struct solo_arrival){.t1 = 6, .ecn = 3, .ttl = 61});
    solo_ack(s, 0);
    solo_feed_pull(s, 0, 2, false);
    solo_wait(s, 8000);
    ack = solo_the_ack(s, FAL_BACK);
    ck_assert_uint_eq(ack->recv_data_base_psn, PEER_DATA + 1);
    ck_assert_uint_eq(ack->recv_req_base_psn, PEER_REQ + 1);
    ck_assert_uint_eq(ack->ecn_rx_count, 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_6_16_17_an_EACK_may_stand_for_any_BACK_and_must_with_RACK_TLP)
{
    static const int twins[] = {FAL_TWIN_EACK_ALWAYS, FAL_TWIN_RACK_TLP};

    for (size_t i = 0; i < 2; i++) {
        struct solo *s = solo_new();

        fal_twin_add(&s->open.twins, (enum fal_twin_id)twins[i]);
        solo_open(s);
        solo_feed_push(s, 0, false); /* in order, and waiting */
        solo_wait(s, 8000);
        ck_assert_uint_eq(fal_u128_lo(solo_the_ack(s, FAL_EACK)->data_rx_bitmap), 1);
        solo_forget(s);
        solo_ack(s, 0);
        solo_wait(s, 8000);
        (void)solo_the_ack(s, i == 0 ? FAL_EACK : FAL_BACK); /* no rx bit is left */
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_9_1_7_01_to_05_a_NACK_tells_bases_packet_window_and_reason)
{
    static const struct {
        enum fal_answer answer;
        enum fal_nack_code code;
        uint8_t ulp, rnr;
    } rows[] = {
        {FAL_ANSWER_RNR, FAL_NACK_RNR, 0, 14},
        {FAL_ANSWER_CIE, FAL_NACK_CIE, 7, 0},
        {FAL_ANSWER_NRE, FAL_NACK_NRE, 255, 0},
        {FAL_ANSWER_CID, FAL_NACK_CID, 9, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = solo();
        const struct fal_falcon *nack;

        solo_feed_pull(s, 0, 0, false);
        feed_push(s, 0, 1, (struct solo_arrival){0});
        feed_push(s, 1, 2, (struct solo_arrival){0});
        solo_ack(s, 1);
        refuse(s, 2, rows[i].answer, rows[i].ulp);
        nack = &solo_sent(s, FAL_NACK, 0)->packet;
        ck_assert_uint_eq(nack->recv_req_base_psn, PEER_REQ + 1);
        ck_assert_uint_eq(nack->recv_data_base_psn, PEER_DATA + 1);
        ck_assert_uint_eq(nack->nack_psn, PEER_DATA + 1);
        ck_assert_uint_eq(nack->window, FAL_WINDOW_DATA);
        ck_assert_uint_eq(nack->nack_code, rows[i].code);
        ck_assert_uint_eq(nack->ulp_nack_code, rows[i].ulp);
        ck_assert_uint_eq(nack->rnr_timeout, rows[i].rnr);
        ck_assert_uint_eq(nack->dest_cid, SOLO_PEER_CID);
        solo_free(s);
    }
}
END_TEST

/* The receiver itself refuses a request, in the window that it is of. */
START_TEST(FTP_9_1_7_01_04_a_NACK_of_the_receiver_names_the_request_window)
{
    struct solo *s = solo();
    const struct fal_falcon *nack;

    solo_feed_pull(s, 3, FAL_ENDPOINT_OPEN_MAX, false);
    nack = &solo_sent(s, FAL_NACK, 0)->packet;
    ck_assert_uint_eq(nack->nack_code, FAL_NACK_RESOURCE);
    ck_assert_uint_eq(nack->window, FAL_WINDOW_REQ);
    ck_assert_uint_eq(nack->nack_psn, PEER_REQ + 3);
    ck_assert_uint_eq(nack->ulp_nack_code + nack->rnr_timeout, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_7_06_07_a_NACK_holds_the_newest_times_and_metadata)
{
    struct solo *s = solo();
    const struct fal_falcon *nack;

    feed_push(s, 0, 0, (struct solo_arrival){.t1 = 5, .ecn = 3});
    solo_wait(s, 500000);
    feed_push(s, 1, 1, (struct solo_arrival){.t1 = 17, .ecn = 3});
    refuse(s, 0, FAL_ANSWER_CIE, 1);
    nack = &solo_sent(s, FAL_NACK, 0)->packet;
    ck_assert_uint_eq(nack->t1, 17);
    ck_assert_uint_eq(nack->t2, (uint32_t)(s->now_ns * 1000 / FAL_TICK_PS));
    ck_assert_uint_eq(nack->ecn_rx_count, 2);
    solo_free(s);
}
END_TEST

/* ---- what is done ---- */

START_TEST(FTP_9_2_3_01_an_ACK_acts_on_the_connection_of_its_CID_alone)
{
    struct solo *s = solo();
    struct fal_endpoint_conn other = s->open;
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .length = 0, .op = FAL_OP_PUSH};
    struct fal_falcon p = solo_packet(FAL_BACK, 0, 0);
    struct fal_endpoint_state state;
    uint32_t conn;

    other.local.cid = SOLO_CID + 1;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &other, s->now_ns, &conn), 0);
    in.conn = conn;
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    p.dest_cid = SOLO_CID + 1;
    p.recv_data_base_psn++;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    ck_assert_int_eq(fal_endpoint_state(s->ep, conn, &state), 0);
    ck_assert_uint_eq(state.tx_dbpsn, SOLO_DATA + 1);
    p.dest_cid = SOLO_PEER_CID; /* no connection here has this CID */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    solo_free(s);
}
END_TEST

/* BACK, EACK and NACK alike: _i. */
START_TEST(FTP_9_2_3_03_05_07_and_9_2_4_02_04_05_newer_bases_move_and_free)
{
    static const enum fal_packet_type types[] = {FAL_BACK, FAL_EACK, FAL_NACK};
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(types[_i], 0, 0);

    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_post_many(s, FAL_OP_PULL, 3);
    if (types[_i] == FAL_NACK)
        p = solo_nack(SOLO_DATA + 2, FAL_NACK_RESOURCE);
    p.recv_req_base_psn = SOLO_REQ + 3;
    p.recv_data_base_psn = SOLO_DATA + 2;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).tx_rbpsn, SOLO_REQ + 3);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 2);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    solo_forget(s);
    solo_wait(s, RTO); /* what was freed is not sent again */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_3_06_12_an_ACK_with_the_bases_of_now_counts)
{
    struct solo *s = solo();

    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_feed_eack(s, 0, 0x4, 0x4, 0);
    solo_feed_eack(s, 0, 0x2, 0x2, 0); /* the same bases again */
    solo_forget(s);
    solo_wait(s, RTO); /* 1 and 2 were freed */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_4_06_the_times_of_a_NACK_are_a_sample_too)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RESOURCE);

    solo_post_many(s, FAL_OP_PUSH, 5);
    solo_wait(s, 800000);
    p.t1 = (uint32_t)((s->now_ns - 800000) * 1000 / FAL_TICK_PS);
    p.t2 = p.t1;               /* t2 - t1 would be nothing (AMB-22) */
    solo_feed(s, &p, NULL, 0); /* 10 us - 10/8 + 800/8: about 108 us */
    solo_feed_eack(s, 0, 0, 0x10, 0);
    solo_forget(s);
    solo_wait(s, 107000);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 0);
    solo_wait(s, 2500);
    solo_feed_eack(s, 0, 0, 0x10, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_free(s);
}
END_TEST

static void lower_ncwnd(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                        const struct fal_cc_event *event, struct fal_cc_result *result)
{
    (void)ctx, (void)state, (void)now_ticks;
    if (event->event_type == FAL_CC_NACK && event->nack_code == FAL_NACK_RESOURCE)
        result->ncwnd = 1;
}

START_TEST(FTP_11_12_and_9_2_4_07_a_resource_drop_is_told_to_the_RUE)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RESOURCE);

    s->config.rue.policy.process = lower_ncwnd;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed(s, &p, NULL, 0);
    solo_post(s, FAL_OP_PUSH, 4, 2); /* one is out already */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_4_09_RNR_delays_the_packet_by_the_timeout_of_the_NACK)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);
    uint64_t nack_ns;

    p.rnr_timeout = 14; /* 1.28 ms, more than the RTO */
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 700000);
    nack_ns = s->now_ns;
    solo_feed(s, &p, NULL, 0);
    solo_to(s, nack_ns + 1279999);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_to(s, nack_ns + 1280000);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_to(s, nack_ns + 1280000 + RTO); /* the next timeout is the RTO again */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    solo_free(s);
}
END_TEST

/* ---- what is sent again ---- */

START_TEST(FTP_9_1_4_01_03_08_09_and_9_2_3_13_an_EACK_repeats_what_seems_lost)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    solo_post_many(s, FAL_OP_PUSH, 8);
    solo_post_many(s, FAL_OP_PULL, 8);
    solo_wait(s, 20000);
    solo_forget(s);
    p.req_bitmap = 0x40;                         /* top 6: 0 to 2 */
    p.data_rx_bitmap = p.data_ack_bitmap = 0xa8; /* top 7, 3 is there: 0 to 2 */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->packet.psn, SOLO_REQ + i);
        ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, i)->packet.psn, SOLO_DATA + i);
    }
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_4_15_what_is_received_and_waits_for_its_ULP_is_not_repeated_early)
{
    struct solo *s = solo();

    solo_post_many(s, FAL_OP_PUSH, 8);
    solo_wait(s, 20000);
    solo_forget(s);
    solo_feed_eack(s, 0, 0x80, 0xff, 0);
    solo_feed_eack(s, 0, 0x80, 0xff, FAL_OWN_DATA);
    ck_assert_uint_eq(s->n, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_5_01_02_and_9_1_1_23_attempts_are_counted_and_end_the_connection)
{
    for (uint32_t max = 1; max < 6; max++) {
        struct solo *s = solo_new();

        s->open.params.max_attempts = max;
        solo_open(s);
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_wait(s, (2 * max + 2) * RTO - 1);
        ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), max + 1);
        ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), max + 1);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 0);
        solo_wait(s, 1);
        ck_assert_str_eq(solo_nth(s, FAL_OUT_CM, 0)->what, "fatal");
        solo_free(s);
    }
}
END_TEST

static void shrink(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                   const struct fal_cc_event *event, struct fal_cc_result *result)
{
    (void)ctx, (void)state, (void)now_ticks, (void)event;
    result->fcwnd_integer = 2;
}

START_TEST(FTP_9_1_5_03_and_9_1_2_07_retransmissions_obey_a_window_that_has_shrunk)
{
    struct solo *s = solo_new();
    struct fal_endpoint_in in = {.payload = (const uint8_t *)"data", .length = 4};
    uint64_t rto_ns;

    s->config.rue.policy.process = shrink;
    solo_open(s);
    for (uint32_t i = 0; i < 6; i++)
        solo_feed_pull(s, i, i, false);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_int_eq(solo_answer(s, in, i, FAL_ANSWER_DATA), 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 6);
    solo_feed_back(s, 0, 1); /* fcwnd is 2 from now on: 1 and 2 may go */
    solo_forget(s);
    rto_ns = s->open.params.rto_ns;
    solo_wait(s, rto_ns);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 1)->packet.psn, SOLO_DATA + 2);
    solo_feed_back(s, 0, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 4);
    solo_free(s);
}
END_TEST

/* The ACK comes while retransmissions leave one by one: what has not left does not. */
START_TEST(FTP_9_1_5_07_an_ACK_amid_retransmissions_harms_nothing)
{
    struct solo *s = solo_new();

    s->open.params.fcwnd = s->open.params.ncwnd = 4;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 8);
    solo_feed_back(s, 0, 4); /* of the first copies */
    solo_feed_back(s, 0, 4); /* of the second */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 4);
    solo_wait(s, 5 * RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 8);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ACK rules 9.1.4 to 9.1.7, 9.2.3, 9.2.4");
    TCase *tc = tcase_create("acks");

    tcase_add_test(tc, FTP_9_1_6_08_10_an_ACK_holds_the_newest_bases_and_congestion_metadata);
    tcase_add_test(tc, FTP_9_1_6_16_17_an_EACK_may_stand_for_any_BACK_and_must_with_RACK_TLP);
    tcase_add_test(tc, FTP_9_1_7_01_to_05_a_NACK_tells_bases_packet_window_and_reason);
    tcase_add_test(tc, FTP_9_1_7_01_04_a_NACK_of_the_receiver_names_the_request_window);
    tcase_add_test(tc, FTP_9_1_7_06_07_a_NACK_holds_the_newest_times_and_metadata);
    tcase_add_test(tc, FTP_9_2_3_01_an_ACK_acts_on_the_connection_of_its_CID_alone);
    tcase_add_loop_test(tc, FTP_9_2_3_03_05_07_and_9_2_4_02_04_05_newer_bases_move_and_free, 0,
                        3);
    tcase_add_test(tc, FTP_9_2_3_06_12_an_ACK_with_the_bases_of_now_counts);
    tcase_add_test(tc, FTP_9_2_4_06_the_times_of_a_NACK_are_a_sample_too);
    tcase_add_test(tc, FTP_11_12_and_9_2_4_07_a_resource_drop_is_told_to_the_RUE);
    tcase_add_test(tc, FTP_9_2_4_09_RNR_delays_the_packet_by_the_timeout_of_the_NACK);
    tcase_add_test(tc, FTP_9_1_4_01_03_08_09_and_9_2_3_13_an_EACK_repeats_what_seems_lost);
    tcase_add_test(tc,
                   FTP_9_1_4_15_what_is_received_and_waits_for_its_ULP_is_not_repeated_early);
    tcase_add_test(tc,
                   FTP_9_1_5_01_02_and_9_1_1_23_attempts_are_counted_and_end_the_connection);
    tcase_add_test(tc, FTP_9_1_5_03_and_9_1_2_07_retransmissions_obey_a_window_that_has_shrunk);
    tcase_add_test(tc, FTP_9_1_5_07_an_ACK_amid_retransmissions_harms_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
