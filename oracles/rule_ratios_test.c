/* SPDX-License-Identifier: Apache-2.0
 * rule_ratios_test.c - each ratio at its value and below it. The coalescing timeout is 8 us and
 * the RTO 1 ms. */
#include "oracles/rule_ratios.h"
#include "tests/testing.h"

#include <string.h>

static struct fal_params with(uint64_t turnaround_ns, uint64_t pipeline_ns)
{
    struct fal_params params;

    fal_params_default(&params, false);
    params.turnaround_ns = turnaround_ns;
    params.pipeline_ns = pipeline_ns;
    return params;
}

static bool kept(enum fal_ratio_at at, uint64_t turnaround_ns, uint64_t pipeline_ns)
{
    struct fal_params params = with(turnaround_ns, pipeline_ns);

    return fal_ratio_kept(at, &params);
}

START_TEST(values_of_zero_keep_all)
{
    for (enum fal_ratio_at at = 0; at < FAL_RATIO_COUNT; at++)
        ck_assert_msg(kept(at, 0, 0), "%s", fal_ratio(at)->rule);
}
END_TEST

START_TEST(each_at_its_value)
{
    ck_assert(kept(FAL_RATIO_A1, 1000, 500));
    ck_assert(!kept(FAL_RATIO_A1, 1001, 500));
    ck_assert(!kept(FAL_RATIO_A2, 1000, 501));
    ck_assert(kept(FAL_RATIO_A3, 400, 5000));
    ck_assert(!kept(FAL_RATIO_A3, 401, 0));
    ck_assert(kept(FAL_RATIO_E2, 25 * FAL_US, 50 * FAL_US));
    ck_assert(!kept(FAL_RATIO_E2, 25 * FAL_US, 50 * FAL_US + 1));
    ck_assert(!kept(FAL_RATIO_E4, 125 * FAL_US + 1, 0));
    for (enum fal_ratio_at at = FAL_RATIO_R3; at <= FAL_RATIO_R6; at++) {
        ck_assert(kept(at, FAL_S, 7999));
        ck_assert(!kept(at, 0, 8000));
    }
    ck_assert(!kept(FAL_RATIO_A3, FAL_NEVER / 2, 0));
}
END_TEST

START_TEST(a_coarse_tick_or_an_unknown_rto)
{
    struct fal_params params = with(0, 0);
    char text[FAL_RATIO_TEXT_MAX];

    params.tick_ns = 801;
    ck_assert(!fal_ratio_kept(FAL_RATIO_A1, &params));
    ck_assert(fal_ratio_kept(FAL_RATIO_E2, &params));
    ck_assert(fal_ratio_kept(FAL_RATIO_R3, &params));
    fal_ratio_text(FAL_RATIO_A1, &params, text);
    ck_assert_str_eq(text, "tick 801 ns is more than a tenth of the coalescing timeout, 8 us: "
                           "use a longer one");
    params.rto_varies = true;
    ck_assert(!fal_ratio_kept(FAL_RATIO_E4, &params));
    fal_ratio_text(FAL_RATIO_E4, &params, text);
    ck_assert_str_eq(text, "the RTO varies: declare rto_lo and rto_hi in the IXIT");
}
END_TEST

START_TEST(words_name_the_values)
{
    struct fal_params params = with(1001, 500);
    char text[FAL_RATIO_TEXT_MAX];

    fal_ratio_text(FAL_RATIO_A2, &params, text);
    ck_assert_str_eq(text,
                     "coalescing timeout 8 us is less than 4 x (turnaround + 2 "
                     "pipeline) (turnaround 1.001 us, pipeline 500 ns): use a longer one, "
                     "at least 8.004 us");
    fal_ratio_text(FAL_RATIO_A3, &params, text);
    ck_assert_ptr_nonnull(strstr(text, "less than 20 x turnaround"));
    params.pipeline_ns = 8000;
    fal_ratio_text(FAL_RATIO_R5, &params, text);
    ck_assert_str_eq(text, "pipeline 8 us is not shorter than the coalescing timeout, 8 us: "
                           "use a longer one");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule ratios");
    TCase *tc = tcase_create("ratios");

    tcase_add_test(tc, values_of_zero_keep_all);
    tcase_add_test(tc, each_at_its_value);
    tcase_add_test(tc, a_coarse_tick_or_an_unknown_rto);
    tcase_add_test(tc, words_name_the_values);
    suite_add_tcase(suite, tc);
    return suite;
}
