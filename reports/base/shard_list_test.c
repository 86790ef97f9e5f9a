/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/base/shard_list.h"

#include "tests/testing.h"

#include <string.h>

START_TEST(a_list_of_shards_names_ranges)
{
    static const unsigned numbers[] = {2, 4, 5, 7, 8, 9, 11};
    struct tl_shard_list list = {.first = 0}, many = {.first = 0};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tl_shard_list_add(&list, numbers[i]);
    ck_assert_str_eq(list.text, "2, 4-5, 7-9, 11");
    for (unsigned n = 1; n < 10000; n += 2)
        tl_shard_list_add(&many, n);
    ck_assert_uint_lt(strlen(many.text), sizeof many.text);
    ck_assert_str_eq(many.text + strlen(many.text) - 5, ", ...");
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("shard_list");
    TCase *tc = tcase_create("shard_list");

    tcase_add_test(tc, a_list_of_shards_names_ranges);
    suite_add_tcase(s, tc);
    return s;
}
