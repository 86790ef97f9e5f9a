/* SPDX-License-Identifier: Apache-2.0
 * timer_bounds_test.c - each bound at its value and one nanosecond beside it is for the rules'
 * tests; here the values themselves. */
#include "oracles/timer_bounds.h"
#include "tests/testing.h"

START_TEST(a_late_timer_is_free_up_to_five_percent_a_tick_and_the_pipeline)
{
    struct fal_params params;

    fal_params_default(&params, false);
    params.rto_ns = 50 * FAL_MS;
    ck_assert_uint_eq(fal_rto_bounds(&params).late_ns, 52500 * FAL_US);
    params.tick_ns = FAL_MS;
    params.pipeline_ns = 3 * FAL_US;
    ck_assert_uint_eq(fal_rto_bounds(&params).late_ns, 53503 * FAL_US);
    params.coalescing_ns = 100 * FAL_US;
    ck_assert_uint_eq(fal_coalescing_bounds(&params).late_ns, 1108 * FAL_US);
    ck_assert_uint_eq(fal_rnr_bounds(&params, 20 * FAL_MS).late_ns, 22003 * FAL_US);
}
END_TEST

START_TEST(an_early_rto_is_free_for_a_tick_and_a_warning_down_to_five_percent)
{
    struct fal_params params;

    fal_params_default(&params, false);
    params.rto_ns = 50 * FAL_MS;
    ck_assert_uint_eq(fal_rto_bounds(&params).free_ns, 49950 * FAL_US);
    ck_assert_uint_eq(fal_rto_bounds(&params).least_ns, 47500 * FAL_US);
    params.tick_ns = FAL_MS;
    ck_assert_uint_eq(fal_rto_bounds(&params).free_ns, 48950 * FAL_US);
    ck_assert_uint_eq(fal_rto_bounds(&params).least_ns, 47500 * FAL_US);
    params.tick_ns = 4 * FAL_MS; /* more than 5 %: what is not free is a violation */
    ck_assert_uint_eq(fal_rto_bounds(&params).free_ns, 45950 * FAL_US);
    ck_assert_uint_eq(fal_rto_bounds(&params).least_ns, 45950 * FAL_US);
    params.rto_ns = 10;
    ck_assert_uint_eq(fal_rto_bounds(&params).least_ns, 0);
}
END_TEST

START_TEST(an_early_rnr_delay_is_a_violation_and_early_coalescing_is_free)
{
    struct fal_params params;

    fal_params_default(&params, false);
    ck_assert_uint_eq(fal_rnr_bounds(&params, 20 * FAL_MS).least_ns, 19980 * FAL_US);
    params.tick_ns = FAL_MS;
    params.pipeline_ns = FAL_MS; /* does not make a delay shorter */
    ck_assert_uint_eq(fal_rnr_bounds(&params, 20 * FAL_MS).least_ns, 18980 * FAL_US);
    ck_assert_uint_eq(fal_rnr_bounds(&params, 20 * FAL_MS).free_ns, 18980 * FAL_US);
    ck_assert_uint_eq(fal_coalescing_bounds(&params).least_ns, 0);
    ck_assert_uint_eq(fal_coalescing_bounds(&params).free_ns, 0);
}
END_TEST

START_TEST(a_tick_beyond_a_tenth_of_the_timer_judges_nothing)
{
    struct fal_params params;

    fal_params_default(&params, false);
    params.rto_ns = 50 * FAL_MS;
    params.tick_ns = 5 * FAL_MS;
    ck_assert(!fal_rto_bounds(&params).coarse);
    params.tick_ns++;
    ck_assert(fal_rto_bounds(&params).coarse);
    ck_assert(!fal_rnr_bounds(&params, 60 * FAL_MS).coarse);
    ck_assert(fal_coalescing_bounds(&params).coarse);
}
END_TEST

START_TEST(an_rto_that_varies_has_two_values)
{
    struct fal_params params;
    struct fal_timer_bounds b;

    fal_params_default(&params, false);
    params.rto_varies = true;
    ck_assert(!fal_rto_bounds(&params).known);
    params.rto_lo_ns = 10 * FAL_MS;
    ck_assert(!fal_rto_bounds(&params).known);
    params.rto_hi_ns = 40 * FAL_MS;
    b = fal_rto_bounds(&params);
    ck_assert(b.known);
    ck_assert_uint_eq(b.least_ns, 9500 * FAL_US);
    ck_assert_uint_eq(b.late_ns, 42 * FAL_MS);
    params.rto_hi_ns = 9 * FAL_MS;
    ck_assert(!fal_rto_bounds(&params).known);
    params.rto_varies = false; /* then the limits mean nothing */
    ck_assert_uint_eq(fal_rto_bounds(&params).hi_ns, params.rto_ns);
}
END_TEST

/* A time that never comes stays one. */
START_TEST(sums_do_not_wrap)
{
    struct fal_timer_bounds b =
        fal_timer_bounds(FAL_TIMED_RTO, FAL_NEVER, FAL_NEVER, FAL_NEVER, FAL_NEVER);

    ck_assert_uint_eq(b.late_ns, FAL_NEVER);
    ck_assert_uint_eq(b.least_ns, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timer bounds");
    TCase *tc = tcase_create("bounds");

    tcase_add_test(tc, a_late_timer_is_free_up_to_five_percent_a_tick_and_the_pipeline);
    tcase_add_test(tc, an_early_rto_is_free_for_a_tick_and_a_warning_down_to_five_percent);
    tcase_add_test(tc, an_early_rnr_delay_is_a_violation_and_early_coalescing_is_free);
    tcase_add_test(tc, a_tick_beyond_a_tenth_of_the_timer_judges_nothing);
    tcase_add_test(tc, an_rto_that_varies_has_two_values);
    tcase_add_test(tc, sums_do_not_wrap);
    suite_add_tcase(suite, tc);
    return suite;
}
