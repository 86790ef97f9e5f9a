/* SPDX-License-Identifier: Apache-2.0
 * acks_test.c - what arriving ACKs and NACKs do: 9.2.3, 9.2.4. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

START_TEST(FTP_9_2_3_02_04_an_ACK_with_an_older_base_is_discarded_whole)
{
    struct solo *s = solo();

    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_post_many(s, FAL_OP_PULL, 4);
    solo_feed_back(s, 2, 2);
    solo_feed_back(s, 4, 1);
    solo_feed_back(s, 1, 4);
    ck_assert_uint_eq(solo_state(s).tx_rbpsn, SOLO_REQ + 2);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 2);
    solo_feed_eack(s, 1, 0xc, 0xc, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    solo_feed_back(s, 2, 4); /* FTP-9.2.3-05 */
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 4);
    solo_free(s);
}
END_TEST

START_TEST(AMB_09_a_base_half_the_numbers_away_is_not_newer)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);

    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_feed_back(s, 0, 1u << 31);
    solo_feed_back(s, 1u << 31, 0);
    p.recv_data_base_psn += 1u << 31;
    p.recv_req_base_psn += 1u << 31;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    ck_assert_uint_eq(solo_state(s).tx_rbpsn, SOLO_REQ);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_free(s);
}
END_TEST

START_TEST(AMB_23_bases_beyond_what_was_sent_are_discarded)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_post_many(s, FAL_OP_PUSH, 4);
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
    solo_post_many(s, FAL_OP_PUSH, 6);
    solo_feed_eack(s, 0, 0, 0x3e, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_feed_eack(s, 0, 0x14, 0x3e, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.rsn, SOLO_RSN + 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.rsn, SOLO_RSN + 4);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    solo_feed_eack(s, 0, UINT64_MAX & ~1u, UINT64_MAX, 0); /* bits beyond what was sent */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 5);
    solo_feed_eack(s, 0, 1, 1, 0); /* no receiver should; then the base moves over all */
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA + 6);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_3_09_the_request_bitmap_acknowledges)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    solo_post_many(s, FAL_OP_PULL, 3);
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

START_TEST(FTP_9_2_4_01_03_an_older_NACK_is_discarded)
{
    struct solo *s = solo();
    struct fal_falcon p;

    solo_post_many(s, FAL_OP_PUSH, 3);
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

    solo_post_many(s, FAL_OP_PUSH, 2);
    p.rnr_timeout = 0;
    solo_feed(s, &p, NULL, 0);
    solo_post_many(s, FAL_OP_PUSH, 1);
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

START_TEST(AMB_55_an_RNRed_push_is_not_repeated_early)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    solo_post_many(s, FAL_OP_PUSH, 6);
    p.rnr_timeout = 20;
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, 50000);
    solo_forget(s);
    solo_feed_eack(s, 0, 0, 0x20, FAL_OWN_DATA);
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
        solo_post_many(s, FAL_OP_PUSH, 3);
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
    struct solo *s = solo_cwnd(100, 1);
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_CIE);

    solo_post_many(s, FAL_OP_PUSH, 2);
    solo_wait(s, RTO); /* its copy fills DORRC */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 2)->packet.psn, SOLO_DATA + 1);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("acks 9.2.3 9.2.4");
    TCase *tc = tcase_create("acks");

    tcase_add_test(tc, FTP_9_2_3_02_04_an_ACK_with_an_older_base_is_discarded_whole);
    tcase_add_test(tc, AMB_09_a_base_half_the_numbers_away_is_not_newer);
    tcase_add_test(tc, AMB_23_bases_beyond_what_was_sent_are_discarded);
    tcase_add_test(tc, FTP_9_2_3_10_11_the_ack_bitmap_acknowledges_the_rx_bitmap_does_not);
    tcase_add_test(tc, FTP_9_2_3_09_the_request_bitmap_acknowledges);
    tcase_add_test(tc, FTP_8_4_3_4_04_RNR_is_for_pushes_only);
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
