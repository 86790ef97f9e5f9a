/* SPDX-License-Identifier: Apache-2.0
 * target_rnr_test.c - requests that the ULP is not ready for: 8.5.3.4. */
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

START_TEST(FTP_8_5_3_4_10_an_RNRed_push_is_refused_with_the_rounded_timeout)
{
    static const struct {
        uint64_t ns;
        unsigned code;
    } rows[] = {{0, 1},         {10000, 1},     {10001, 2},
                {655360000, 0}, {491520001, 0}, {UINT64_MAX, 0}};

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = solo();

        solo_feed_push(s, 0, true);
        solo_rnr(s, 0, rows[i].ns);
        refused(s, 0, 0, FAL_NACK_RNR);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.rnr_timeout, rows[i].code);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.ulp_nack_code, 0);
        ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.recv_data_base_psn, PEER_DATA);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_6_6_3_02_each_RNR_is_followed_by_one_redelivery)
{
    struct solo *s = solo();

    solo_feed_push(s, 0, false);
    for (unsigned i = 1; i < 4; i++) {
        solo_rnr(s, 0, 10000);
        solo_wait(s, 10 * RTO); /* not by itself (AMB-16) */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), i);
        solo_feed_push(s, 0, false);
        delivered(s, i, 0, true);
        solo_feed_push(s, 0, false); /* pending */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), i + 1);
        ck_assert_uint_eq(solo_packets(s, FAL_NACK), i);
        ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_rx_bitmap), 1); /* AMB-65 */
    }
    solo_ack(s, 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_4_06_07_an_RNRed_pull_is_redelivered_after_the_timeout)
{
    for (unsigned ordered = 0; ordered < 2; ordered++) {
        struct solo *s = ordered ? solo() : unordered();

        solo_feed_pull(s, 0, 0, true);
        solo_forget(s);
        solo_rnr(s, 0, 123456);
        solo_feed_pull(s, 0, 0, false); /* a copy is only a duplicate */
        solo_wait(s, 123455);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
        solo_wait(s, 1);
        delivered(s, 0, 0, true);
        ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0); /* FTP-8.4.3.4-04 */
        solo_rnr(s, 0, 0);                               /* never without a delay */
        solo_wait(s, 9999);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
        solo_wait(s, 1);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
        ck_assert_int_eq(respond(s, 0, 4), 0);
        solo_free(s);
    }
}
END_TEST

START_TEST(RNRed_pulls_come_back_in_the_order_of_their_delays)
{
    struct solo *s = unordered();
    static const uint64_t delays[] = {50000, 20000, 80000, 20000};

    for (uint32_t i = 0; i < 4; i++) {
        solo_feed_pull(s, i, i, false);
        solo_rnr(s, i, delays[i]);
    }
    solo_forget(s);
    solo_wait(s, 100000);
    delivered(s, 0, 1, true);
    delivered(s, 1, 3, true);
    delivered(s, 2, 0, true);
    delivered(s, 3, 2, true);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_4_04_followers_of_an_RNRed_push_wait_for_it)
{
    struct solo *s = solo();

    solo_feed_push(s, 2, false); /* held: RSN 1 is missing */
    solo_feed_push(s, 0, false);
    solo_rnr(s, 0, 20000);
    solo_feed_push(s, 1, false); /* AMB-49: refused with the timeout of the first */
    refused(s, 1, 1, FAL_NACK_RNR);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 1)->packet.rnr_timeout, 2);
    solo_feed_pull(s, 0, 3, false); /* held */
    solo_feed_push(s, 2, false);
    refused(s, 2, 2, FAL_NACK_RNR);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 3);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_feed_push(s, 0, false); /* the retry: still nothing else until it is taken */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    solo_feed_push(s, 1, false);
    refused(s, 3, 1, FAL_NACK_RNR);
    solo_ack(s, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 5);
    delivered(s, 2, 1, false);
    delivered(s, 3, 2, false);
    delivered(s, 4, 3, false);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_4_04_followers_of_an_RNRed_pull_wait_for_it)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    solo_rnr(s, 0, 300000);
    solo_feed_push(s, 1, false);
    refused(s, 0, 1, FAL_NACK_RNR);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.rnr_timeout,
                      fal_rnr_timeout_code(300000));
    solo_wait(s, 300000);
    delivered(s, 1, 0, true);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    ck_assert_int_eq(answer(s, 0, FAL_ANSWER_ACK), 0); /* taken */
    delivered(s, 2, 1, false);
    solo_free(s);
}
END_TEST

START_TEST(several_RNRed_requests_come_back_in_RSN_order)
{
    struct solo *s = solo();

    for (uint32_t i = 0; i < 4; i++)
        solo_feed_push(s, i, false);
    solo_rnr(s, 2, 10000);
    solo_rnr(s, 1, 40000);
    solo_rnr(s, 3, 10000);
    solo_ack(s, 0);
    solo_forget(s);
    solo_feed_push(s, 2, false); /* its copy comes first, but it is not its turn */
    refused(s, 0, 2, FAL_NACK_RNR);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.rnr_timeout, 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    solo_feed_push(s, 1, false);
    delivered(s, 0, 1, true);
    solo_ack(s, 1);
    delivered(s, 1, 2, true);
    solo_ack(s, 2);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2); /* no copy of 3 yet */
    solo_feed_push(s, 3, false);
    delivered(s, 2, 3, true);
    solo_free(s);
}
END_TEST

START_TEST(an_RNR_that_ends_in_error_or_resync_frees_the_followers)
{
    for (unsigned how = 0; how < 3; how++) {
        struct solo *s = solo();

        solo_feed_push(s, 0, false);
        solo_rnr(s, 0, 10000);
        solo_feed_push(s, 1, false);
        if (how == 0) {
            struct fal_falcon p = solo_packet(FAL_RESYNC, PEER_DATA, PEER_RSN);

            p.resync_packet_type = FAL_PUSH_DATA;
            solo_feed(s, &p, NULL, 0);
        } else {
            solo_feed_push(s, 0, false);
            ck_assert_int_eq(answer(s, 0, how == 1 ? FAL_ANSWER_CIE : FAL_ANSWER_NRE), 0);
        }
        ck_assert_uint_eq(
            solo_nth(s, FAL_OUT_REQUEST, solo_count(s, FAL_OUT_REQUEST) - 1)->out.rsn,
            PEER_RSN + 1);
        solo_free(s);
    }
}
END_TEST

START_TEST(on_an_unordered_connection_RNR_holds_nobody_else)
{
    struct solo *s = unordered();

    solo_feed_push(s, 0, false);
    solo_rnr(s, 0, 10000);
    solo_feed_push(s, 1, false);
    delivered(s, 1, 1, false);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    solo_feed_push(s, 0, false);
    delivered(s, 2, 0, true);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("target 8.5.3.4");
    TCase *tc = tcase_create("rnr");

    tcase_add_test(tc, FTP_8_5_3_4_10_an_RNRed_push_is_refused_with_the_rounded_timeout);
    tcase_add_test(tc, FTP_6_6_3_02_each_RNR_is_followed_by_one_redelivery);
    tcase_add_test(tc, FTP_8_5_3_4_06_07_an_RNRed_pull_is_redelivered_after_the_timeout);
    tcase_add_test(tc, RNRed_pulls_come_back_in_the_order_of_their_delays);
    tcase_add_test(tc, FTP_8_5_3_4_04_followers_of_an_RNRed_push_wait_for_it);
    tcase_add_test(tc, FTP_8_5_3_4_04_followers_of_an_RNRed_pull_wait_for_it);
    tcase_add_test(tc, several_RNRed_requests_come_back_in_RSN_order);
    tcase_add_test(tc, an_RNR_that_ends_in_error_or_resync_frees_the_followers);
    tcase_add_test(tc, on_an_unordered_connection_RNR_holds_nobody_else);
    suite_add_tcase(suite, tc);
    return suite;
}
