/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/nearest.h"
#include "tests/testing.h"

START_TEST(nearest_knows_a_slip_from_another_word)
{
    static const char *const words[] = {"expect", "expect_none", "expect_ulp", "send", "wait"};
    static const struct {
        const char *word, *due;
    } rows[] = {
        {"expct", "expect"},
        {"exepct", "expect"},
        {"sned", "send"},
        {"expect_upl", "expect_ulp"},
        {"expectnone", "expect_none"},
        {"dance", NULL},
        {"", NULL},
        {"send_at", "send"},
        {"wiat", "wait"},
        {"none", "expect_none"},
        {"xpe", NULL},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *near = fal_nearest(rows[i].word, words, 5);

        if (rows[i].due == NULL)
            ck_assert_ptr_null(near);
        else
            ck_assert_str_eq(near, rows[i].due);
    }
}
END_TEST

START_TEST(a_list_holds_each_name_once)
{
    struct fal_nearest_list nearest = {.word = "ecn-conted"};
    char out[100];

    for (int i = 0; i < 4; i++)
        fal_nearest_add(&nearest, i < 3 ? "ecn-counted" : "ecn-counter");
    fal_nearest_print(&nearest, out, sizeof out);
    ck_assert_str_eq(out, "ecn-counted or ecn-counter");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("nearest");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, nearest_knows_a_slip_from_another_word);
    tcase_add_test(tc, a_list_holds_each_name_once);
    suite_add_tcase(suite, tc);
    return suite;
}
