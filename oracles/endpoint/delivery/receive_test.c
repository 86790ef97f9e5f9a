/* SPDX-License-Identifier: Apache-2.0
 * receive_test.c - what is taken and what is dropped: 9.2.1, 9.2.2, 9.2.5, 11. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { COALESCING = 8000 };

START_TEST(FTP_9_2_2_4_01_an_old_packet_is_discarded)
{
    struct solo *s = solo();

    solo_feed_push(s, 0, false);
    solo_ack(s, 0);
    solo_wait(s, COALESCING);
    solo_forget(s);
    solo_feed_push(s, 0, true);
    ck_assert_uint_eq(s->n, 0); /* not delivered; its AR is ignored (FTP-9.2.2.4-07) */
    solo_wait(s, COALESCING - 1);
    solo_no_ack(s);
    solo_wait(s, 1); /* FTP-9.2.2.4-06 */
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_02_a_request_beyond_the_window_sets_R_OWN)
{
    struct solo *s = solo();

    solo_feed_pull(s, 63, 63, false);
    ck_assert_uint_eq(solo_state(s).own, 0);
    solo_feed_pull(s, 64, 64, true);
    ck_assert_uint_eq(solo_state(s).own, FAL_OWN_REQ);
    ck_assert_uint_eq(solo_state(s).req_bitmap, UINT64_C(1) << 63);
    solo_no_ack(s); /* AR of a discarded packet */
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->own, FAL_OWN_REQ);
    ck_assert_uint_eq(solo_state(s).open_received, 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_03_a_data_packet_beyond_the_window_sets_D_OWN)
{
    struct solo *s = solo();

    solo_feed_push(s, 127, false);
    ck_assert_uint_eq(solo_state(s).own, 0);
    solo_feed_push(s, 128, true);
    ck_assert_uint_eq(solo_state(s).own, FAL_OWN_DATA);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->own, FAL_OWN_DATA);
    ck_assert_uint_eq(fal_u128_hi(solo_the_ack(s, FAL_EACK)->data_rx_bitmap), UINT64_C(1)
                                                                                  << 63);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_04_an_acknowledged_packet_in_the_window_is_a_duplicate)
{
    struct solo *s = solo();

    solo_feed_pull(s, 1, 0, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_wait(s, COALESCING);
    solo_forget(s);
    solo_feed_pull(s, 1, 0, true);
    ck_assert_uint_eq(s->n, 0);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->req_bitmap, 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_05_a_pending_push_is_not_delivered_twice)
{
    struct solo *s = solo();

    solo_feed_push(s, 0, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_wait(s, COALESCING);
    solo_forget(s);
    solo_feed_push(s, 0, true);
    ck_assert_uint_eq(s->n, 0);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA);
    solo_forget(s);
    solo_ack(s, 0); /* the first copy had no AR, and the second one's is ignored */
    solo_no_ack(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_08_a_push_is_acknowledged_only_after_its_ULP)
{
    struct solo *s = solo();

    solo_feed_push(s, 1, false);
    solo_feed_push(s, 0, false);
    solo_wait(s, 10 * COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA);
    ck_assert(solo_state(s).data_ack_bitmap == 0);
    ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_rx_bitmap), 3);
    solo_forget(s);
    solo_ack(s, 1);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(fal_u128_lo(solo_the_ack(s, FAL_EACK)->data_ack_bitmap), 2);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->recv_data_base_psn, PEER_DATA);
    solo_forget(s);
    solo_ack(s, 0);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_09_other_packets_are_acknowledged_on_receipt)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_forget(s);
    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull_data(s, 0, 0, false);
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA + 1, 1, false);
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, PEER_REQ + 1);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 2);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 2);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_req_base_psn, PEER_REQ + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_4_12_windows_and_RSNs_wrap)
{
    struct solo *s = solo_new();
    struct fal_falcon p;

    s->open.peer = (struct fal_end){SOLO_PEER_CID, 4, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX};
    solo_open(s);
    for (uint32_t n = 3; n-- > 0;) { /* PSNs 0, fff, ffe; RSNs 1, 0, fff */
        p = solo_packet(FAL_PUSH_DATA, UINT32_MAX - 1 + n, UINT32_MAX + n);
        solo_feed(s, &p, NULL, 0);
    }
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
    for (uint32_t n = 0; n < 3; n++)
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, n)->out.rsn, UINT32_MAX + n);
    for (uint32_t n = 0; n < 3; n++) {
        struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                     .conn = s->conn,
                                     .rsn = UINT32_MAX + n,
                                     .answer = FAL_ANSWER_ACK};

        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    }
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, 1);
    p = solo_packet(FAL_PULL_REQUEST, 62, 2);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).req_bitmap, UINT64_C(1) << 63);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_1_01_what_is_no_packet_is_dropped_in_silence)
{
    struct solo *s = solo();
    struct fal_endpoint_state before = solo_state(s), after;
    struct fal_falcon good = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN), bad;
    uint8_t bytes[128];
    int n;

    good.request_length = 4;
    good.ack_req = 1;
    n = fal_falcon_encode(&good, (const uint8_t *)"push", 4, bytes, sizeof bytes, NULL);
    for (size_t len = 0; len < (size_t)n; len++)
        solo_feed_bytes(s, bytes, len, (struct solo_arrival){.t1 = 3, .ecn = 3});
    for (unsigned version = 0; version < 16; version++) {
        bad = good;
        bad.version = (uint8_t)version;
        if (version != 1)
            solo_feed(s, &bad, "push", 4);
    }
    for (unsigned protocol = 0; protocol < 8; protocol++) {
        bad = good;
        bad.protocol_type = (uint8_t)protocol;
        if (protocol != 2 && protocol != 3)
            solo_feed(s, &bad, "push", 4);
    }
    for (unsigned type = 0; type < 16; type++)
        if (fal_falcon_layout(type) == NULL) {
            bytes[7] = (uint8_t)((bytes[7] & 0xe1u) | type << 1);
            solo_feed_bytes(s, bytes, (size_t)n, (struct solo_arrival){0});
        }
    bad = good;
    bad.dest_cid = SOLO_PEER_CID;
    solo_feed(s, &bad, "push", 4);
    bad = good;
    bad.request_length = 3;
    solo_feed(s, &bad, "push", 4);
    bad = solo_packet(FAL_RESYNC, PEER_DATA, PEER_RSN);
    for (unsigned type = 0; type < 16; type++) {
        bad.resync_packet_type = (uint8_t)type;
        if (type != FAL_PULL_REQUEST && type != FAL_PULL_DATA && type != FAL_PUSH_DATA)
            solo_feed(s, &bad, NULL, 0);
    }
    solo_wait(s, 100 * COALESCING);
    after = solo_state(s);
    ck_assert_uint_eq(after.rx_dbpsn, before.rx_dbpsn);
    ck_assert_uint_eq(after.rx_rbpsn, before.rx_rbpsn);
    ck_assert(after.data_rx_bitmap == 0);
    ck_assert_uint_eq(after.req_bitmap | after.own | after.open_received, 0);
    ck_assert_uint_eq(s->n, 0);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_feed(s, &good, "push", 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_free(s);
}
END_TEST

START_TEST(a_payload_longer_than_any_packet_is_dropped)
{
    static uint8_t bytes[FAL_HEADER_MAX + 65536];
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA, SOLO_RSN);
    int header = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

    solo_feed_bytes(s, bytes, (size_t)header + 65536, (struct solo_arrival){0});
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA);
    solo_feed_bytes(s, bytes, (size_t)header + 65535, (struct solo_arrival){0});
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(reserved_bits_are_not_looked_at)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN);

    p.reserved_0 = 15;
    p.reserved_1 = 0xffff;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_5_01_to_06_a_resync_takes_the_place_of_its_packet)
{
    struct solo *s = solo();

    solo_feed_push(s, 1, false);
    solo_feed_resync(s, FAL_PULL_REQUEST, PEER_REQ + 1, 3, false);
    ck_assert_uint_eq(s->n, 0);
    ck_assert_uint_eq(solo_state(s).req_bitmap, 2);
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, true);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    ck_assert_uint_eq(solo_the_ack(s, FAL_EACK)->recv_data_base_psn, PEER_DATA + 1);
    ck_assert_uint_eq(fal_u128_lo(solo_the_ack(s, FAL_EACK)->data_rx_bitmap), 1);
    /* FTP-9.2.5-06, FTP-9.2.5-07: only the push behind it is delivered */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->out.rsn, PEER_RSN + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_5_05_a_resync_of_a_received_push_is_processed)
{
    struct solo *s = solo();

    solo_feed_push(s, 0, false);
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, true);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 1);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){0}, 0, FAL_ANSWER_ACK),
                     FAL_ERR_RANGE);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_18_a_resync_of_what_is_acknowledged_is_acknowledged_again)
{
    struct solo *s = solo();

    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, false);
    solo_wait(s, COALESCING);
    solo_forget(s);
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, false);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(a_resync_with_a_reserved_code_moves_the_window)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_RESYNC, PEER_DATA, PEER_RSN);

    p.resync_code = 99;
    p.resync_packet_type = FAL_PUSH_DATA;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_5_07_RSNs_behind_a_resync_go_on)
{
    struct solo *s = solo();

    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA + 1, 1, false);
    solo_feed_resync(s, FAL_PULL_REQUEST, PEER_REQ, 2, false);
    solo_feed_push(s, 3, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    solo_feed_push(s, 0, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 1)->out.rsn, PEER_RSN + 3);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_19_20_without_resources_a_packet_has_not_come)
{
    struct solo *s = solo();
    struct fal_falcon p =
        solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN + FAL_ENDPOINT_OPEN_MAX);
    const struct fal_falcon *nack;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_forget(s);
    p.recv_data_base_psn++;
    solo_feed(s, &p, NULL, 0);
    nack = &solo_sent(s, FAL_NACK, 0)->packet;
    ck_assert_uint_eq(nack->nack_code, FAL_NACK_RESOURCE);
    ck_assert_uint_eq(nack->nack_psn, PEER_DATA);
    ck_assert_uint_eq(nack->window, FAL_WINDOW_DATA);
    ck_assert_uint_eq(nack->rnr_timeout, 0);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 1); /* its piggyback counts */
    ck_assert(solo_state(s).data_rx_bitmap == 0);
    p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + 2, PEER_RSN + FAL_ENDPOINT_OPEN_MAX);
    solo_feed(s, &p, NULL, 0);
    nack = &solo_sent(s, FAL_NACK, 1)->packet;
    ck_assert_uint_eq(nack->nack_code, FAL_NACK_RESOURCE);
    ck_assert_uint_eq(nack->nack_psn, PEER_REQ + 2);
    ck_assert_uint_eq(nack->window, FAL_WINDOW_REQ);
    ck_assert_uint_eq(solo_state(s).req_bitmap, 0);
    p.rsn--;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).req_bitmap, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_1_2_05_payload_is_bounded_but_the_head_of_the_line_is_taken)
{
    static uint8_t bytes[60000 + FAL_HEADER_MAX];
    struct solo *s = solo();
    uint32_t n;

    for (n = 0; solo_packets(s, FAL_NACK) == 0;
         n++) { /* pulls with long headers, behind RSN 0 */
        struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + n, PEER_RSN + 1 + n);
        int header = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

        ck_assert_uint_lt(n, 1000);
        solo_feed_bytes(s, bytes, (size_t)header + 60000, (struct solo_arrival){0});
    }
    ck_assert_uint_eq(solo_state(s).open_received, (16 << 20) / 60000);
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, PEER_REQ + n - 1);
    solo_feed_push(s, 0, false);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->out.rsn, PEER_RSN);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), n);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_16_17_the_piggyback_of_a_duplicate_counts)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN);

    solo_feed(s, &p, NULL, 0);
    solo_post(s, FAL_OP_PUSH, 4, 8);
    p.recv_data_base_psn++;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.tag, 8);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("receive 9.2");
    TCase *tc = tcase_create("receive");

    tcase_add_test(tc, FTP_9_2_2_4_01_an_old_packet_is_discarded);
    tcase_add_test(tc, FTP_9_2_2_4_02_a_request_beyond_the_window_sets_R_OWN);
    tcase_add_test(tc, FTP_9_2_2_4_03_a_data_packet_beyond_the_window_sets_D_OWN);
    tcase_add_test(tc, FTP_9_2_2_4_04_an_acknowledged_packet_in_the_window_is_a_duplicate);
    tcase_add_test(tc, FTP_9_2_2_4_05_a_pending_push_is_not_delivered_twice);
    tcase_add_test(tc, FTP_9_2_2_4_08_a_push_is_acknowledged_only_after_its_ULP);
    tcase_add_test(tc, FTP_9_2_2_4_09_other_packets_are_acknowledged_on_receipt);
    tcase_add_test(tc, FTP_9_2_2_4_12_windows_and_RSNs_wrap);
    tcase_add_test(tc, FTP_9_2_2_1_01_what_is_no_packet_is_dropped_in_silence);
    tcase_add_test(tc, a_payload_longer_than_any_packet_is_dropped);
    tcase_add_test(tc, reserved_bits_are_not_looked_at);
    tcase_add_test(tc, FTP_9_2_5_01_to_06_a_resync_takes_the_place_of_its_packet);
    tcase_add_test(tc, FTP_9_2_5_05_a_resync_of_a_received_push_is_processed);
    tcase_add_test(tc, FTP_11_18_a_resync_of_what_is_acknowledged_is_acknowledged_again);
    tcase_add_test(tc, a_resync_with_a_reserved_code_moves_the_window);
    tcase_add_test(tc, FTP_9_2_5_07_RSNs_behind_a_resync_go_on);
    tcase_add_test(tc, FTP_11_19_20_without_resources_a_packet_has_not_come);
    tcase_add_test(tc, FTP_8_2_1_2_05_payload_is_bounded_but_the_head_of_the_line_is_taken);
    tcase_add_test(tc, FTP_11_16_17_the_piggyback_of_a_duplicate_counts);
    suite_add_tcase(suite, tc);
    return suite;
}
