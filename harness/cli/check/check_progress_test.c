/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/check/check_progress.h"

#include "oracles/params.h"
#include "tests/testing.h"

START_TEST(says_share_rate_and_time_left)
{
    char line[TL_CHECK_PROGRESS_LINE];

    tl_check_progress_line(3000000, 25, 100, 2 * FAL_S, line);
    ck_assert_str_eq(line, "25 % of the file, 3000000 frames, 1.50 million a second, 6 s left");
}
END_TEST

/* A pipe has no size; a file that grows may be read beyond the size that it had. */
START_TEST(without_a_size_there_is_no_share)
{
    char line[TL_CHECK_PROGRESS_LINE];

    tl_check_progress_line(500000, 0, 0, FAL_S, line);
    ck_assert_str_eq(line, "500000 frames, 0.50 million a second");
    tl_check_progress_line(500000, 101, 100, FAL_S, line);
    ck_assert_str_eq(line, "500000 frames, 0.50 million a second");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("progress of talon check");
    TCase *tc = tcase_create("line");

    tcase_add_test(tc, says_share_rate_and_time_left);
    tcase_add_test(tc, without_a_size_there_is_no_share);
    suite_add_tcase(suite, tc);
    return suite;
}
