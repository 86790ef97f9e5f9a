/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/firmware.h"

#include "tests/testing.h"

#include <string.h>

START_TEST(versions_have_an_order)
{
    static const char *const ascending[] = {"0",     "1.2-rc1", "1.2-rc2", "1.2", "1.2.1",
                                            "1.2.9", "1.2.10",  "1.10",    "2.0", "20261121"};
    size_t n = sizeof ascending / sizeof *ascending;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            int order = tl_firmware_compare(ascending[i], ascending[k]);

            ck_assert_msg((order < 0) == (i < k) && (order > 0) == (i > k), "%s %s %d",
                          ascending[i], ascending[k], order);
        }
    ck_assert_int_eq(tl_firmware_compare("1.2", "1.2.0"), 0);
    ck_assert_int_eq(tl_firmware_compare("1.02", "1.2"), 0);
    ck_assert_int_lt(tl_firmware_compare("1.99999999999999999999", "1.100000000000000000000"),
                     0);
}
END_TEST

START_TEST(ranges)
{
    static const struct {
        const char *range, *version;
        bool due;
    } rows[] = {{">=1.2 <2.0", "1.2", true},  {">=1.2 <2.0", "1.9.9", true},
                {">=1.2 <2.0", "2.0", false}, {">=1.2,<2.0", "1.1.9", false},
                {"1.2", "1.2.0", true},       {"= 1.2", "1.2.1", false},
                {"<=1.2", "1.2-rc1", true},   {">1.2", "1.2", false},
                {">= 0", "", false},          {"> 1 < 3 <= 2", "2", true}};
    struct fal_error err;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(tl_firmware_range_check(rows[i].range, &err), 0);
        ck_assert_msg(tl_firmware_in(rows[i].range, rows[i].version) == rows[i].due, "%s %s",
                      rows[i].range, rows[i].version);
    }
}
END_TEST

START_TEST(what_is_no_range_is_told)
{
    static const char *const wrong[] = {
        "", " ", "<", "><1", ">=", "~1.2", "1 <", "=<1", "!1", "<=>1"};
    struct fal_error err;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(tl_firmware_range_check(wrong[i], &err) == FAL_ERR_FORM, "%s", wrong[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("firmware");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, versions_have_an_order);
    tcase_add_test(tc, ranges);
    tcase_add_test(tc, what_is_no_range_is_told);
    suite_add_tcase(suite, tc);
    return suite;
}
