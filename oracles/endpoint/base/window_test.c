/* SPDX-License-Identifier: Apache-2.0
 * window_test.c - the state of both sides of a window: what is numbered, kept, received and
 * acknowledged (9, 9.1.1, 9.1.3, 9.2.1, 9.2.2). */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

static struct solo *near_wrap(void)
{
    struct solo *s = solo_new();

    s->open.local.req_psn = UINT32_MAX - 1;
    s->open.local.data_psn = UINT32_MAX;
    solo_open(s);
    return s;
}

static void feed_bases(struct solo *s, uint32_t req, uint32_t data)
{
    struct fal_falcon p = solo_packet(FAL_BACK, 0, 0);

    p.recv_req_base_psn = req;
    p.recv_data_base_psn = data;
    solo_feed(s, &p, NULL, 0);
}

/* Answers the pull of that RSN. */
static void respond(struct solo *s, uint32_t rsn)
{
    struct fal_endpoint_in in = {.payload = (const uint8_t *)"data", .length = 4};

    ck_assert_int_eq(solo_answer(s, in, rsn, FAL_ANSWER_DATA), 0);
}

/* ---- the transmitter ---- */

START_TEST(FTP_9_01_requests_and_data_have_windows_of_their_own)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    solo_feed_pull(s, 0, 0, false);
    respond(s, 0);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.psn, SOLO_REQ);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->packet.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_state(s).tx_rnpsn, SOLO_REQ + 1);
    ck_assert_uint_eq(solo_state(s).tx_dnpsn, SOLO_DATA + 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_1_01_02_05_06_07_09_the_connection_manager_sets_base_and_next)
{
    struct solo *s = near_wrap();
    struct fal_endpoint_state state = solo_state(s);

    ck_assert_uint_eq(state.tx_rbpsn, UINT32_MAX - 1);
    ck_assert_uint_eq(state.tx_rnpsn, UINT32_MAX - 1);
    ck_assert_uint_eq(state.tx_dbpsn, UINT32_MAX);
    ck_assert_uint_eq(state.tx_dnpsn, UINT32_MAX);
    solo_post_many(s, FAL_OP_PULL, 3);
    solo_post_many(s, FAL_OP_PUSH, 3);
    state = solo_state(s); /* the oldest that are not acknowledged */
    ck_assert_uint_eq(state.tx_rbpsn, UINT32_MAX - 1);
    ck_assert_uint_eq(state.tx_dbpsn, UINT32_MAX);
    ck_assert_uint_eq(state.tx_rnpsn, 1);
    ck_assert_uint_eq(state.tx_dnpsn, 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_1_03_04_08_bases_move_over_what_is_acknowledged_round_the_wrap)
{
    struct solo *s = near_wrap();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    solo_post_many(s, FAL_OP_PULL, 4);
    solo_post_many(s, FAL_OP_PUSH, 4);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->packet.psn, UINT32_MAX - 1 + i);
    p.recv_req_base_psn = UINT32_MAX - 1;
    p.recv_data_base_psn = UINT32_MAX;
    p.req_bitmap = 0x6;
    p.data_ack_bitmap = p.data_rx_bitmap = 0x6;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).tx_rbpsn, UINT32_MAX - 1); /* 0 is not acknowledged */
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, UINT32_MAX);
    feed_bases(s, UINT32_MAX, 0); /* 0, and with it 1 and 2 */
    ck_assert_uint_eq(solo_state(s).tx_rbpsn, 1);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, 2);
    solo_free(s);
}
END_TEST

/* What is acknowledged out of order is neither repeated nor counted, up to the last bit. */
START_TEST(FTP_9_11_and_9_1_1_10_11_each_packet_is_known_to_be_acknowledged_or_not)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    s->open.params.fcwnd = s->open.params.ncwnd = s->open.params.tx_window_data = 200;
    s->open.params.tx_window_req = 200;
    solo_open(s);
    solo_post_many(s, FAL_OP_PULL, 64);
    solo_post_many(s, FAL_OP_PUSH, 128);
    p.req_bitmap = UINT64_C(1) << 63 | 0x10;
    p.data_ack_bitmap = p.data_rx_bitmap = fal_u128_with(fal_u128_with(0x20, 64), 127);
    solo_feed(s, &p, NULL, 0);
    solo_forget(s);
    solo_to(s, s->now_ns + RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 62);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 125);
    for (size_t i = 0; i < 62; i++)
        ck_assert(solo_sent(s, FAL_PULL_REQUEST, i)->packet.psn != SOLO_REQ + 4 &&
                  solo_sent(s, FAL_PULL_REQUEST, i)->packet.psn != SOLO_REQ + 63);
    for (size_t i = 0; i < 125; i++) {
        uint32_t n = solo_sent(s, FAL_PUSH_DATA, i)->packet.psn - SOLO_DATA;

        ck_assert(n != 5 && n != 64 && n != 127);
    }
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_12_and_9_1_3_05_06_a_packet_is_kept_whole_until_it_is_acknowledged)
{
    struct solo *s = solo();
    uint64_t start_ns = s->now_ns;

    solo_post(s, FAL_OP_PUSH, 40, 5);
    solo_to(s, start_ns + 5 * RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 6);
    ck_assert_mem_eq(solo_sent(s, FAL_PUSH_DATA, 5)->bytes,
                     solo_sent(s, FAL_PUSH_DATA, 0)->bytes, 40);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 1)->at_ns, start_ns + RTO);
    solo_feed_back(s, 0, 1);
    solo_wait(s, 5 * RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 6);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_13_14_16_losses_are_repaired_early_and_else_by_timeout)
{
    struct solo *s = solo();
    uint64_t start_ns = s->now_ns;

    solo_post_many(s, FAL_OP_PUSH, 6);
    solo_wait(s, 20000);
    solo_feed_eack(s, 0, 0x3e, 0x3e, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 7); /* upon the bitmap */
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 6)->at_ns, start_ns + 20000);
    solo_to(s, start_ns + 20000 + RTO); /* no EACK reports it as lost again */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 8);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 7)->packet.psn, SOLO_DATA);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_17_a_lost_ACK_is_made_good_by_a_later_one_or_by_the_timeout)
{
    struct solo *s = solo();

    solo_post_many(s, FAL_OP_PUSH, 2);
    solo_feed_back(s, 0, 2); /* that for 1 was lost */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    solo_feed_pull(s, 0, 0, true); /* and here as receiver: its ACK is lost */
    solo_forget(s);
    solo_wait(s, RTO);
    solo_feed_pull(s, 0, 0, true);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_req_base_psn, PEER_REQ + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_1_12_to_15_ncwnd_bounds_requests_and_fcwnd_packets_of_each_window)
{
    struct solo *s = solo_new();

    s->open.params.ncwnd = 2;
    s->open.params.fcwnd = 4;
    s->open.params.ordered = false;
    solo_open(s);
    for (uint32_t i = 0; i < 5; i++)
        solo_feed_pull(s, i, i, false);
    for (unsigned i = 0; i < 4; i++) {
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_post(s, FAL_OP_PULL, 4, 1);
    }
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 2);
    for (uint32_t i = 0; i < 5; i++)
        respond(s, i);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 2); /* no request: up to fcwnd */
    solo_feed_eack(s, 1, 0, 0, 0); /* one push acknowledged: DORC 1, and room for one packet */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA) + solo_packets(s, FAL_PULL_DATA), 5);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 2); /* RORC counts by itself */
    feed_bases(s, SOLO_REQ + 1, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 3);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_1_16_21_the_timeout_is_that_of_the_connection_and_starts_anew)
{
    for (uint64_t rto = 100000; rto <= 10000000; rto *= 10) {
        struct solo *s = solo_new();
        uint64_t start_ns = s->now_ns;

        s->open.params.rto_ns = rto;
        solo_open(s);
        solo_post(s, FAL_OP_PULL, 4, 1);
        solo_to(s, start_ns + 3 * rto);
        ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 4);
        for (size_t i = 0; i < 4; i++)
            ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->at_ns, start_ns + i * rto);
        solo_free(s);
    }
}
END_TEST

static void halve_rto(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                      const struct fal_cc_event *event, struct fal_cc_result *result)
{
    (void)ctx, (void)state, (void)now_ticks;
    result->retransmit_timeout = event->retransmit_timeout / 2;
}

START_TEST(FTP_9_1_1_17_the_RUE_may_change_the_timeout)
{
    struct solo *s = solo_new();
    uint64_t start_ns = s->now_ns;

    s->config.rue.policy.process = halve_rto;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    solo_feed_back(s, 0, 1);
    solo_to(s, start_ns + RTO / 2 + 131); /* half, in ticks rounded up */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_1_25_26_and_9_1_3_1_01_AR_by_threshold_and_percent)
{
    for (uint32_t fcwnd = 19; fcwnd < 22; fcwnd++) {
        struct solo *s = solo_new();
        unsigned asked = 0;

        s->open.params.fcwnd = fcwnd;
        s->open.params.ar_threshold = 20;
        s->open.params.ar_percent = 25;
        solo_open(s);
        solo_post_many(s, FAL_OP_PUSH, 16);
        for (size_t i = 0; i < 16; i++)
            asked += solo_sent(s, FAL_PUSH_DATA, i)->packet.ack_req;
        ck_assert_uint_eq(asked, fcwnd <= 20 ? 16 : 4);
        solo_free(s);
    }
}
END_TEST

/* What is configured stays so whatever happens: the same after a thousand packets, a resync and
 * RTT samples. */
START_TEST(FTP_9_1_1_27_28_what_is_configured_does_not_change)
{
    struct solo *s = solo_new();
    struct fal_falcon p;

    s->open.params.max_attempts = 2;
    s->open.params.ooo_threshold = 1;
    solo_open(s);
    for (uint32_t i = 0; i < 1000; i++) {
        solo_post(s, FAL_OP_PUSH, 4, i);
        solo_feed_back(s, 0, i + 1);
        solo_forget(s);
    }
    solo_post(s, FAL_OP_PUSH, 4, 1);
    p = solo_nack(SOLO_DATA + 1000, FAL_NACK_CIE);
    p.recv_data_base_psn += 1000;
    solo_feed(s, &p, NULL, 0);
    solo_feed_back(s, 0, 1001);
    solo_forget(s);
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_wait(s, 20000);
    solo_feed_eack(s, 1001, 0x4, 0x4, 0); /* 0 is more than 1 below 2, 1 is not */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4);
    solo_feed_back(s, 0, 1004);
    solo_forget(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 3 * RTO);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_3_02_to_04_new_packets_leave_gated_in_RSN_and_PSN_order)
{
    struct solo *s = solo_new();
    uint32_t rsn = SOLO_RSN, psn[2] = {SOLO_DATA, SOLO_REQ};

    s->open.params.ncwnd = s->open.params.fcwnd = 3;
    solo_open(s);
    for (unsigned i = 0; i < 24; i++)
        solo_post(s, i % 5 < 2 ? FAL_OP_PULL : FAL_OP_PUSH, 4, i);
    for (uint32_t round = 1; round < 24; round++)
        feed_bases(s, solo_state(s).tx_rnpsn, solo_state(s).tx_dnpsn);
    for (size_t i = 0; i < s->n; i++) {
        const struct fal_falcon *p = &s->outs[i].packet;

        if (s->outs[i].out.kind != FAL_OUT_PACKET)
            continue;
        ck_assert_uint_eq(p->rsn, rsn++);
        ck_assert_uint_eq(p->psn, psn[p->packet_type == FAL_PULL_REQUEST]++);
    }
    ck_assert_uint_eq(rsn, SOLO_RSN + 24);
    solo_free(s);
}
END_TEST

/* ---- the receiver ---- */

START_TEST(FTP_9_02_05_06_and_9_2_2_01_windows_of_64_and_128_deliver_what_falls_in)
{
    struct solo *s = solo_new();

    s->open.params.ordered = false;
    solo_open(s);
    solo_feed_pull(s, 63, 63, false);
    solo_feed_pull(s, 64, 64, false);
    solo_feed_push(s, 127, false);
    solo_feed_push(s, 128, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->out.rsn, PEER_RSN + 63);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 1)->out.rsn, PEER_RSN + 127);
    solo_feed_pull(s, 0, 0, false); /* the window is where it was */
    solo_feed_pull(s, 64, 64, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_03_04_and_9_2_1_07_to_09_three_bitmaps_of_received_and_acknowledged)
{
    struct solo *s = solo();
    struct fal_endpoint_state state = solo_state(s);

    ck_assert(state.req_bitmap == 0 && state.data_ack_bitmap == 0 && state.data_rx_bitmap == 0);
    solo_feed_pull(s, 5, 5, false);
    solo_feed_push(s, 3, false);
    solo_feed_pull_data(s, 100, 9, false);
    state = solo_state(s);
    ck_assert_uint_eq(state.req_bitmap, 1u << 5);
    ck_assert(state.data_rx_bitmap == fal_u128_with(8, 100));
    ck_assert(state.data_ack_bitmap == fal_u128_with(0, 100));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_1_01_to_06_bases_are_set_and_move_over_what_is_acknowledged)
{
    struct solo *s = solo_new();
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, 0, PEER_RSN + 1);

    s->open.peer.req_psn = s->open.peer.data_psn = UINT32_MAX;
    s->open.params.ordered = false;
    solo_open(s);
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, UINT32_MAX);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, UINT32_MAX);
    solo_feed(s, &p, NULL, 0); /* the one after the wrap */
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, UINT32_MAX);
    p.psn = UINT32_MAX;
    p.rsn = PEER_RSN;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, 1);
    ck_assert_uint_eq(solo_state(s).req_bitmap, 0);
    p.packet_type = FAL_PUSH_DATA;
    p.rsn = PEER_RSN + 2;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, UINT32_MAX); /* received is not acknowledged */
    solo_ack(s, 2);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, 0); /* AMB-02: not the request window's */
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, 1);
    ck_assert(solo_state(s).data_rx_bitmap == 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_07_08_one_BACK_may_tell_of_many_packets)
{
    struct solo *s = solo();

    for (uint32_t i = 0; i < 20; i++)
        solo_feed_pull(s, i, i, i == 19);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_req_base_psn, PEER_REQ + 20);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_09_and_9_1_1_20_a_piggyback_that_says_all_is_enough)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    respond(s, 0);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->packet.recv_req_base_psn, PEER_REQ + 1);
    solo_wait(s, 100000);
    solo_no_ack(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_1_1_18_19_24_the_coalescing_timer_starts_stops_and_fires)
{
    struct solo *s = solo();
    uint64_t start_ns = s->now_ns;

    solo_feed_push(s, 0, false);
    solo_to(s, start_ns + 7999);
    solo_no_ack(s);
    solo_to(s, start_ns + 8000);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA);
    solo_forget(s);
    solo_wait(s, 100000);
    solo_no_ack(s);
    start_ns = s->now_ns;
    solo_ack(s, 0); /* the ULP's ack starts it too */
    solo_to(s, start_ns + 8000);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 1);
    solo_forget(s);
    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, 5000);
    solo_feed_pull(s, 1, 1, true); /* an ACK that is sent stops it */
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_req_base_psn, PEER_REQ + 2);
    solo_forget(s);
    solo_wait(s, 100000);
    solo_no_ack(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_06_07_what_is_discarded_is_acknowledged_by_the_timer_not_by_AR)
{
    static const uint32_t psns[] = {PEER_REQ, PEER_REQ + 2, PEER_REQ + 100};
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 2, 2, true); /* 1 is missing */
    solo_wait(s, 10000);
    for (size_t i = 0; i < 3; i++) { /* old, a duplicate in the window, beyond */
        solo_forget(s);
        solo_feed_pull(s, psns[i] - PEER_REQ, psns[i] - PEER_REQ, true);
        solo_no_ack(s);
        solo_wait(s, 8000);
        ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->req_bitmap, 2);
    }
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("windows 9 9.1.1 9.1.3 9.2.1");
    TCase *tc = tcase_create("windows");

    tcase_add_test(tc, FTP_9_01_requests_and_data_have_windows_of_their_own);
    tcase_add_test(tc, FTP_9_1_1_01_02_05_06_07_09_the_connection_manager_sets_base_and_next);
    tcase_add_test(tc, FTP_9_1_1_03_04_08_bases_move_over_what_is_acknowledged_round_the_wrap);
    tcase_add_test(tc, FTP_9_11_and_9_1_1_10_11_each_packet_is_known_to_be_acknowledged_or_not);
    tcase_add_test(tc,
                   FTP_9_12_and_9_1_3_05_06_a_packet_is_kept_whole_until_it_is_acknowledged);
    tcase_add_test(tc, FTP_9_13_14_16_losses_are_repaired_early_and_else_by_timeout);
    tcase_add_test(tc, FTP_9_17_a_lost_ACK_is_made_good_by_a_later_one_or_by_the_timeout);
    tcase_add_test(tc,
                   FTP_9_1_1_12_to_15_ncwnd_bounds_requests_and_fcwnd_packets_of_each_window);
    tcase_add_test(tc, FTP_9_1_1_16_21_the_timeout_is_that_of_the_connection_and_starts_anew);
    tcase_add_test(tc, FTP_9_1_1_17_the_RUE_may_change_the_timeout);
    tcase_add_test(tc, FTP_9_1_1_25_26_and_9_1_3_1_01_AR_by_threshold_and_percent);
    tcase_add_test(tc, FTP_9_1_1_27_28_what_is_configured_does_not_change);
    tcase_add_test(tc, FTP_9_1_3_02_to_04_new_packets_leave_gated_in_RSN_and_PSN_order);
    tcase_add_test(tc, FTP_9_02_05_06_and_9_2_2_01_windows_of_64_and_128_deliver_what_falls_in);
    tcase_add_test(tc,
                   FTP_9_03_04_and_9_2_1_07_to_09_three_bitmaps_of_received_and_acknowledged);
    tcase_add_test(tc, FTP_9_2_1_01_to_06_bases_are_set_and_move_over_what_is_acknowledged);
    tcase_add_test(tc, FTP_9_07_08_one_BACK_may_tell_of_many_packets);
    tcase_add_test(tc, FTP_9_09_and_9_1_1_20_a_piggyback_that_says_all_is_enough);
    tcase_add_test(tc, FTP_9_1_1_18_19_24_the_coalescing_timer_starts_stops_and_fires);
    tcase_add_test(tc,
                   FTP_9_2_2_4_06_07_what_is_discarded_is_acknowledged_by_the_timer_not_by_AR);
    suite_add_tcase(suite, tc);
    return suite;
}
