/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/sut_timer.h"
#include "harness/wire/ulp.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <stdlib.h>

START_TEST(open_requests_are_bounded_and_none_is_lost)
{
    struct fal_scripted ulp = {0};
    struct fal_scripted_request *request;
    json_t *rules = json_pack("[{s:s}]", "answer", "withhold");
    uint32_t first = 0xfffffff0;

    ck_assert_int_eq(tl_ulp_set_rules(&ulp, rules, NULL), 0);
    json_decref(rules);
    for (uint32_t i = 0; i < FAL_SCRIPTED_OPEN_MAX; i++) {
        ck_assert_int_eq(fal_scripted_deliver(&ulp, first + i, FAL_OP_PULL, i, &request),
                         FAL_SCRIPTED_WAIT);
        ck_assert_uint_eq(request->number, i + 1);
    }
    ck_assert_int_eq(
        fal_scripted_deliver(&ulp, first + FAL_SCRIPTED_OPEN_MAX, FAL_OP_PULL, 1, &request),
        FAL_SCRIPTED_FULL);
    for (uint32_t i = 0; i < FAL_SCRIPTED_OPEN_MAX; i++) {
        request = fal_scripted_find(&ulp, first + i);
        ck_assert_ptr_nonnull(request);
        ck_assert_uint_eq(request->length, i);
    }
    fal_scripted_answered(fal_scripted_find(&ulp, first), FAL_ANSWER_DATA);
    ck_assert_ptr_null(fal_scripted_find(&ulp, first));
    ck_assert_int_eq(
        fal_scripted_deliver(&ulp, first + FAL_SCRIPTED_OPEN_MAX, FAL_OP_PULL, 1, &request),
        FAL_SCRIPTED_WAIT);
    fal_scripted_free(&ulp);
}
END_TEST

/* RSNs far apart that fall on one slot: the table grows no further than its bound. */
START_TEST(hostile_rsns_do_not_grow_the_table_without_end)
{
    struct fal_scripted ulp = {0};
    struct fal_scripted_request *request;
    unsigned full = 0;

    for (uint32_t i = 0; i < 1000; i++)
        full +=
            fal_scripted_deliver(&ulp, i << 16, FAL_OP_PUSH, 1, &request) == FAL_SCRIPTED_FULL;
    ck_assert_uint_eq(full, 999);
    ck_assert_uint_le(ulp.cap, FAL_SCRIPTED_OPEN_MAX);
    fal_scripted_free(&ulp);
}
END_TEST

START_TEST(a_request_that_comes_again_while_it_waits_changes_nothing)
{
    struct fal_scripted ulp = {0};
    struct fal_scripted_request *request, *again;

    ck_assert_int_eq(fal_scripted_deliver(&ulp, 5, FAL_OP_PUSH, 10, &request),
                     FAL_SCRIPTED_ANSWER);
    ck_assert_int_eq(fal_scripted_deliver(&ulp, 5, FAL_OP_PUSH, 99, &again), FAL_SCRIPTED_WAIT);
    ck_assert_ptr_eq(request, again);
    ck_assert_uint_eq(request->length, 10);
    fal_scripted_free(&ulp);
}
END_TEST

START_TEST(too_many_rules_are_refused)
{
    struct fal_scripted ulp = {0};
    struct fal_error err;
    json_t *rules = json_array();

    for (unsigned i = 0; i <= FAL_SCRIPTED_RULES_MAX; i++)
        json_array_append_new(rules, json_pack("{s:s}", "answer", "ack"));
    ck_assert_int_eq(tl_ulp_set_rules(&ulp, rules, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "rules: expected at most 1024 elements, found 1025");
    json_array_remove(rules, 0);
    ck_assert_int_eq(tl_ulp_set_rules(&ulp, rules, &err), 0);
    json_decref(rules);
    fal_scripted_free(&ulp);
}
END_TEST

START_TEST(timers_come_out_by_time_then_by_order_and_are_dropped_by_connection)
{
    uint64_t seed = test_seed(1);

    for (unsigned long round = 0; round < test_rounds(200); round++) {
        struct fal_rng rng = fal_rng_split(seed, round);
        struct tl_sut_timers timers = {0};
        uint64_t count = fal_rng_below(&rng, 300), kept = 0, last_at = 0, last_order = 0;

        for (uint32_t i = 0; i < count; i++) {
            uint32_t conn = (uint32_t)fal_rng_below(&rng, 3);

            ck_assert_int_eq(tl_sut_timers_add(&timers, fal_rng_below(&rng, 50), conn, i), 0);
            kept += conn != 1;
        }
        tl_sut_timers_drop(&timers, 1);
        ck_assert_uint_eq(timers.count, kept);
        for (; kept > 0; kept--) {
            uint64_t next = tl_sut_timers_next(&timers);
            struct tl_sut_timer timer = tl_sut_timers_take(&timers);

            ck_assert_uint_eq(timer.at_ns, next);
            ck_assert_uint_ne(timer.conn, 1);
            ck_assert_msg(timer.at_ns > last_at ||
                              (timer.at_ns == last_at && timer.order >= last_order),
                          "TALON_SEED=%llu round %lu", (unsigned long long)seed, round);
            last_at = timer.at_ns;
            last_order = timer.order;
        }
        ck_assert_uint_eq(tl_sut_timers_next(&timers), FAL_NEVER);
        tl_sut_timers_free(&timers);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ulp");
    TCase *tc = tcase_create("ulp");

    tcase_add_test(tc, open_requests_are_bounded_and_none_is_lost);
    tcase_add_test(tc, hostile_rsns_do_not_grow_the_table_without_end);
    tcase_add_test(tc, a_request_that_comes_again_while_it_waits_changes_nothing);
    tcase_add_test(tc, too_many_rules_are_refused);
    tcase_add_test(tc, timers_come_out_by_time_then_by_order_and_are_dropped_by_connection);
    suite_add_tcase(suite, tc);
    return suite;
}
