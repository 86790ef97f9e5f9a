/* SPDX-License-Identifier: Apache-2.0
 * choices_test.c - choices that the text leaves open: each as the endpoint makes it by itself,
 * and as the variant makes it. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

/* AMB-75: which check comes first, that of the window or that of the resources. */
START_TEST(AMB_75_a_copy_meets_the_resource_check_first)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();

        s->open.params.net_pkt_rx = 1;
        if (twin == 1)
            fal_twin_add(&s->open.twins, FAL_TWIN_RESOURCES_BEFORE_WINDOW);
        solo_open(s);
        solo_feed_pull(s, 0, 0, true);
        ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
        solo_feed_pull(s, 0, 0, false);
        ck_assert_uint_eq(solo_packets(s, FAL_NACK), twin);
        if (twin == 1) {
            const struct fal_falcon *nack = &solo_sent(s, FAL_NACK, 0)->packet;

            ck_assert_uint_eq(nack->nack_code, FAL_NACK_RESOURCE);
            ck_assert_uint_eq(nack->nack_psn, PEER_REQ);
        }
        solo_free(s);
    }
}
END_TEST

/* AMB-74: what becomes of an RSN whose transaction times out before it was sent. */
START_TEST(AMB_74_a_transaction_that_was_never_sent_is_given_up)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();

        s->open.params.fcwnd = 1;
        s->open.params.transaction_timeout_ns = 100 * FAL_US;
        if (twin == 1)
            fal_twin_add(&s->open.twins, FAL_TWIN_UNSENT_GIVEN_UP);
        solo_open(s);
        solo_post_many(s, FAL_OP_PUSH, 2);
        solo_wait(s, 100 * FAL_US);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
        ck_assert_int_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.code, FAL_CMPL_LOCAL_TO);
        solo_forget(s);
        solo_feed_back(s, 0, 1);
        ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1 - twin);
        solo_feed_back(s, 0, 2 - twin);
        solo_post(s, FAL_OP_PUSH, 4, 3);
        ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.rsn, SOLO_RSN + 2);
        solo_free(s);
    }
}
END_TEST

/* AMB-19: bits that an earlier EACK has reported do not keep the timer running. */
START_TEST(AMB_19_a_base_that_acknowledges_all_news_stops_the_timer)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();

        if (twin == 1)
            fal_twin_add(&s->open.twins, FAL_TWIN_CONVEYED_STOPS_TIMER);
        s->open.params.ordered = false;
        solo_open(s);
        solo_feed_pull(s, 2, 2, true); /* its bit is reported at once */
        ck_assert_uint_eq(solo_packets(s, FAL_EACK), 1);
        solo_feed_pull(s, 0, 0, false); /* starts the timer; the base moves past it */
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_wait(s, 10 * s->open.params.coalescing_ns);
        ck_assert_uint_eq(solo_packets(s, FAL_EACK), 2 - twin);
        solo_forget(s);
        solo_feed_pull(s, 4, 4, false); /* a bit that no ACK has reported keeps it running */
        solo_post(s, FAL_OP_PUSH, 4, 2);
        solo_wait(s, 10 * s->open.params.coalescing_ns);
        ck_assert_uint_eq(solo_packets(s, FAL_EACK), 1);
        solo_free(s);
    }
}
END_TEST

/* FTP-8.1-03: the length of pull data is that of the request. */
START_TEST(FTP_8_1_03_a_longer_answer_is_cut)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();
        struct fal_endpoint_in answer = {.payload = (const uint8_t *)"longer than asked for"};
        uint32_t asked;

        if (twin == 1)
            fal_twin_add(&s->open.twins, FAL_TWIN_ANSWER_CUT);
        solo_open(s);
        solo_feed_pull(s, 0, 0, false);
        asked = solo_nth(s, FAL_OUT_REQUEST, 0)->out.length;
        answer.length = asked + 1;
        ck_assert_int_eq(solo_answer(s, answer, 0, FAL_ANSWER_DATA), 0);
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->out.payload_len, asked + 1 - twin);
        solo_free(s);
    }
}
END_TEST

/* AMB-47: a completion at the NACK may come late, when the Resync is acknowledged already. */
START_TEST(AMB_47_a_completion_at_the_nack_comes_late_now_and_then)
{
    unsigned at_once = 0, late = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct solo *s = solo_new();
        struct fal_falcon nack = solo_nack(SOLO_DATA, FAL_NACK_CIE);

        s->config.seed = seed;
        fal_twin_add(&s->open.twins, FAL_TWIN_COMPLETION_LATE);
        solo_open(s);
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_feed(s, &nack, NULL, 0);
        at_once += solo_count(s, FAL_OUT_COMPLETE) == 1;
        late += solo_count(s, FAL_OUT_COMPLETE) == 0;
        solo_feed_back(s, 0, 1);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
        solo_free(s);
    }
    ck_assert_uint_gt(at_once, 5);
    ck_assert_uint_gt(late, 2);
}
END_TEST

/* On an unordered connection several pushes complete by one ACK, the last first: by a base, and
 * by bits. On an ordered one the first does. */
START_TEST(FTP_8_4_2_03_unordered_completions_have_no_order)
{
    for (unsigned ordered = 0; ordered < 2; ordered++) {
        for (unsigned bits = 0; bits < 2; bits++) {
            struct solo *s = solo_new();
            uint32_t first;

            s->open.params.ordered = ordered == 1;
            fal_twin_add(&s->open.twins, FAL_TWIN_COMPLETIONS_BACKWARDS);
            solo_open(s);
            first = solo_post(s, FAL_OP_PUSH, 4, 1);
            solo_post_many(s, FAL_OP_PUSH, 2);
            if (bits == 1)
                solo_feed_eack(s, 0, 7, 7, 0);
            else
                solo_feed_back(s, 0, 3);
            ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 3);
            for (unsigned n = 0; n < 3; n++)
                ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, n)->out.rsn,
                                  first + (ordered == 1 ? n : 2 - n));
            solo_free(s);
        }
    }
}
END_TEST

/* A device that completes in RSN order everywhere: the first is not acknowledged yet. */
START_TEST(FTP_8_4_2_03_completions_in_order_without_need)
{
    struct solo *s = solo_new();
    uint32_t first;

    s->open.params.ordered = false;
    fal_twin_add(&s->open.twins, FAL_TWIN_COMPLETIONS_IN_ORDER);
    solo_open(s);
    first = solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post_many(s, FAL_OP_PUSH, 2);
    solo_feed_eack(s, 0, 6, 6, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    solo_feed_back(s, 0, 3);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 3);
    for (unsigned n = 0; n < 3; n++)
        ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, n)->out.rsn, first + n);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("choices that the text leaves open");
    TCase *tc = tcase_create("choices");

    tcase_add_test(tc, AMB_75_a_copy_meets_the_resource_check_first);
    tcase_add_test(tc, AMB_74_a_transaction_that_was_never_sent_is_given_up);
    tcase_add_test(tc, AMB_19_a_base_that_acknowledges_all_news_stops_the_timer);
    tcase_add_test(tc, FTP_8_1_03_a_longer_answer_is_cut);
    tcase_add_test(tc, AMB_47_a_completion_at_the_nack_comes_late_now_and_then);
    tcase_add_test(tc, FTP_8_4_2_03_unordered_completions_have_no_order);
    tcase_add_test(tc, FTP_8_4_2_03_completions_in_order_without_need);
    suite_add_tcase(suite, tc);
    return suite;
}
