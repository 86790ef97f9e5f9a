/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/time_text.h"

#include "tests/testing.h"

START_TEST(a_time_has_the_unit_that_fits)
{
    static const struct {
        uint64_t ns;
        const char *exact, *rounded;
    } rows[] = {
        {0, "0 ns", "0 ns"},
        {1, "1 ns", "1 ns"},
        {999, "999 ns", "999 ns"},
        {1000, "1 us", "1 us"},
        {8000, "8 us", "8 us"},
        {1050, "1.05 us", "1.05 us"},
        {5250525, "5.250525 ms", "5.25 ms"},
        {735251525, "735.251525 ms", "735.251 ms"},
        {1000000000, "1 s", "1 s"},
        {59999999999, "59.999999999 s", "59.999 s"},
        {60000000000, "60 s", "1 min 0 s"},
        {2178039042997, "2178.039042997 s", "36 min 18 s"},
        {7500000000000, "7500 s", "2 h 5 min"},
        {UINT64_MAX, "18446744073.709551615 s", "5124095 h 34 min"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_str_eq(fal_time_text(rows[i].ns).text, rows[i].exact);
        ck_assert_str_eq(fal_time_rounded(rows[i].ns).text, rows[i].rounded);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("time_text");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, a_time_has_the_unit_that_fits);
    suite_add_tcase(suite, tc);
    return suite;
}
