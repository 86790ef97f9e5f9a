/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/error.h"
#include "oracles/params.h"
#include "tests/testing.h"

#include <string.h>

START_TEST(every_row_is_found_by_name_and_key)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    ck_assert_uint_gt(n, 10);
    for (size_t i = 0; i < n; i++) {
        ck_assert_ptr_eq(fal_param_find(table[i].name), &table[i]);
        ck_assert_ptr_eq(fal_param_find(table[i].key), &table[i]);
        ck_assert_int_ne(table[i].doc[0], 0);
        if (table[i].kind == FAL_PARAM_DURATION)
            ck_assert_str_eq(table[i].key + strlen(table[i].name), "_ns");
        else
            ck_assert_str_eq(table[i].key, table[i].name);
    }
    ck_assert_ptr_null(fal_param_find("rto_"));
    ck_assert_ptr_null(fal_param_find(""));
}
END_TEST

/* Each row reaches its own member and no other. */
START_TEST(every_row_has_a_member_of_its_own)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    struct fal_params params = {0};

    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(fal_param_set(&table[i], &params, 1), 0);
        for (size_t k = 0; k < n; k++)
            ck_assert_uint_eq(fal_param_get(&table[k], &params), k == i);
        ck_assert_int_eq(fal_param_set(&table[i], &params, 0), 0);
    }
    ck_assert_int_eq(fal_param_set(fal_param_find("fcwnd"), &params, 17), 0);
    ck_assert_uint_eq(params.fcwnd, 17);
    ck_assert_int_eq(fal_param_set(fal_param_find("rto"), &params, UINT64_MAX), 0);
    ck_assert_uint_eq(params.rto_ns, UINT64_MAX);
    ck_assert_int_eq(fal_param_set(fal_param_find("ordered"), &params, 1), 0);
    ck_assert(params.ordered);
}
END_TEST

START_TEST(values_that_do_not_fit_are_refused)
{
    struct fal_params params;

    fal_params_default(&params, false);
    ck_assert_int_eq(fal_param_set(fal_param_find("ordered"), &params, 2), FAL_ERR_RANGE);
    ck_assert_int_eq(fal_param_set(fal_param_find("fcwnd"), &params, UINT64_C(1) << 32),
                     FAL_ERR_RANGE);
    ck_assert(params.ordered);
    ck_assert_uint_eq(params.fcwnd, 64);
}
END_TEST

/* The table of the design: the same for endpoint, scenarios and tests. */
START_TEST(defaults)
{
    struct fal_params virtual, live;

    fal_params_default(&virtual, false);
    fal_params_default(&live, true);
    ck_assert_uint_eq(virtual.rto_ns, FAL_MS);
    ck_assert_uint_eq(live.rto_ns, 50 * FAL_MS);
    ck_assert_uint_eq(virtual.coalescing_ns, 8 * FAL_US);
    ck_assert_uint_eq(live.coalescing_ns, 5 * FAL_MS);
    ck_assert_uint_eq(virtual.pipeline_ns, 0);
    ck_assert_uint_eq(live.pipeline_ns, 100 * FAL_US);
    ck_assert_uint_eq(virtual.ooo_threshold, 3);
    ck_assert_uint_eq(virtual.max_attempts, 7);
    ck_assert_uint_eq(virtual.tx_window_req, 128);
    ck_assert_uint_eq(virtual.tx_window_data, 256);
    ck_assert_uint_eq(virtual.initial_rtt_ns, 10 * FAL_US);
    ck_assert_uint_eq(virtual.transaction_timeout_ns, FAL_S);
    ck_assert(virtual.ordered);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("params");
    TCase *tc = tcase_create("params");

    tcase_add_test(tc, every_row_is_found_by_name_and_key);
    tcase_add_test(tc, every_row_has_a_member_of_its_own);
    tcase_add_test(tc, values_that_do_not_fit_are_refused);
    tcase_add_test(tc, defaults);
    suite_add_tcase(suite, tc);
    return suite;
}
