/* SPDX-License-Identifier: Apache-2.0
 * choices_test.c - two choices that chapter 11 leaves open. */
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("choices of chapter 11");
    TCase *tc = tcase_create("choices");

    tcase_add_test(tc, AMB_75_a_copy_meets_the_resource_check_first);
    tcase_add_test(tc, AMB_74_a_transaction_that_was_never_sent_is_given_up);
    suite_add_tcase(suite, tc);
    return suite;
}
