/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/timers.h"

#include "oracles/endpoint/base/sound_testing.h"
#include "oracles/params.h"
#include "oracles/rng.h"
#include "tests/testing.h"

START_TEST(the_first_is_the_earliest_and_ties_go_by_number)
{
    struct fal_timers timers = {0};

    ck_assert_uint_eq(fal_timers_first(&timers).at_ns, FAL_NEVER);
    ck_assert_int_eq(fal_timers_reserve(&timers, 20), 0);
    for (uint32_t id = 20; id-- > 0;)
        fal_timers_set(&timers, id, 1000 + id % 5);
    for (uint32_t i = 0; i < 20; i++) {
        struct fal_timer first = fal_timers_first(&timers);

        ck_assert_uint_eq(first.at_ns, 1000 + i / 4);
        ck_assert_uint_eq(first.id, i / 4 + 5 * (i % 4));
        fal_timers_set(&timers, first.id, FAL_NEVER);
    }
    ck_assert_uint_eq(fal_timers_first(&timers).at_ns, FAL_NEVER);
    fal_timers_free(&timers);
}
END_TEST

START_TEST(removing_one_that_is_not_set_changes_nothing)
{
    struct fal_timers timers = {0};

    ck_assert_int_eq(fal_timers_reserve(&timers, 3), 0);
    fal_timers_set(&timers, 1, FAL_NEVER);
    fal_timers_set(&timers, 2, 7);
    fal_timers_set(&timers, 1, FAL_NEVER);
    ck_assert_uint_eq(timers.count, 1);
    ck_assert_uint_eq(fal_timers_first(&timers).id, 2);
    fal_timers_free(&timers);
}
END_TEST

START_TEST(it_agrees_with_a_plain_search)
{
    enum { IDS = 200 };
    struct fal_rng rng = {test_seed(1)};
    struct fal_timers timers = {0};
    uint64_t model[IDS];

    for (uint32_t id = 0; id < IDS; id++) {
        model[id] = FAL_NEVER;
        ck_assert_int_eq(fal_timers_reserve(&timers, id + 1), 0);
    }
    for (unsigned step = 0; step < 20000; step++) {
        uint32_t id = (uint32_t)fal_rng_below(&rng, IDS), first = 0;

        model[id] = fal_rng_below(&rng, 4) == 0 ? FAL_NEVER : fal_rng_below(&rng, 500);
        fal_timers_set(&timers, id, model[id]);
        for (uint32_t i = 1; i < IDS; i++)
            if (model[i] < model[first])
                first = i;
        ck_assert(timers_sound(&timers));
        ck_assert_uint_eq(fal_timers_first(&timers).at_ns, model[first]);
        if (model[first] != FAL_NEVER)
            ck_assert_uint_eq(fal_timers_first(&timers).id, first);
    }
    fal_timers_free(&timers);
}
END_TEST

START_TEST(a_heap_out_of_order_is_caught)
{
    struct fal_timers timers = {0};

    ck_assert_int_eq(fal_timers_reserve(&timers, 2), 0);
    fal_timers_set(&timers, 0, 10);
    fal_timers_set(&timers, 1, 20);
    timers.heap[1].at_ns = 5;
    ck_assert(!timers_sound(&timers));
    fal_timers_set(&timers, 1, FAL_NEVER);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timers");
    TCase *tc = tcase_create("timers");

    tcase_add_test(tc, the_first_is_the_earliest_and_ties_go_by_number);
    tcase_add_test(tc, removing_one_that_is_not_set_changes_nothing);
    tcase_add_test(tc, it_agrees_with_a_plain_search);
    test_add_assertion(tc, a_heap_out_of_order_is_caught);
    suite_add_tcase(suite, tc);
    return suite;
}
