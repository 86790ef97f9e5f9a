/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/nearest.h"

#include "tests/testing.h"

static const char *near(const char *word, const char *const *names)
{
    static char text[200];
    struct fal_nearest_list nearest = {.word = word};

    for (; *names != NULL; names++)
        fal_nearest_add(&nearest, *names);
    fal_nearest_print(&nearest, text, sizeof text);
    return text;
}

#define NEAR(word, ...) near(word, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(what_is_near_is_told_nearest_first)
{
    ck_assert_str_eq(NEAR("rtoo", "rto", "mtu", "ordered"), "rto");
    ck_assert_str_eq(NEAR("R11", "R2", "R1", "RN1"), "R1 or RN1");
    ck_assert_str_eq(NEAR("in-los", "out-loss", "in-loss", "in-dup"), "in-loss");
    ck_assert_str_eq(NEAR("acks-unsend", "acks-unsent", "ack-unset"),
                     "acks-unsent or ack-unset");
}
END_TEST

START_TEST(what_differs_in_case_alone_is_what_was_meant)
{
    ck_assert_str_eq(NEAR("r1", "R2", "R1", "R3"), "R1");
    ck_assert_str_eq(NEAR("r1", "R1", "R2"), "R1");
}
END_TEST

START_TEST(what_is_far_is_not_told_and_no_more_than_three_are)
{
    ck_assert_str_eq(NEAR("quite-another", "rto", "mtu"), "");
    ck_assert_str_eq(NEAR("abcd", "abce", "abcf", "abcg", "abch"), "abce, abcf or abcg");
    ck_assert_str_eq(NEAR("loss", "in-loss", "out-loss", "gap"), "in-loss or out-loss");
}
END_TEST

START_TEST(words_of_any_length)
{
    char word[4096];

    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    ck_assert_str_eq(NEAR(word, "rto", ""), "");
    ck_assert_str_eq(NEAR("", "rto"), "");
    ck_assert_str_eq(NEAR("rto", ""), "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("nearest");
    TCase *tc = tcase_create("nearest");

    tcase_add_test(tc, what_is_near_is_told_nearest_first);
    tcase_add_test(tc, what_differs_in_case_alone_is_what_was_meant);
    tcase_add_test(tc, what_is_far_is_not_told_and_no_more_than_three_are);
    tcase_add_test(tc, words_of_any_length);
    suite_add_tcase(suite, tc);
    return suite;
}
