/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/verbs/index.h"

#include "oracles/rng.h"
#include "tests/testing.h"

enum { ITEMS = 3000 };

/* The newest position at or before `from` whose key is that one; FAL_INDEX_NONE: there is none.
 */
static uint32_t searched(const uint32_t *keys, uint32_t from, uint32_t key)
{
    while (from-- > 0)
        if (keys[from] == key)
            return from;
    return FAL_INDEX_NONE;
}

START_TEST(items_are_found_as_by_a_search_from_the_newest_on)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 0);
    struct fal_index index = {0};
    uint32_t keys[ITEMS] = {0};

    for (uint32_t n = 0; n < ITEMS; n++) {
        uint32_t key = (uint32_t)fal_rng_below(&rng, 1 + n / 4), at;

        at = fal_index_first(&index, key);
        ck_assert_uint_eq(at, searched(keys, n, key));
        while (at != FAL_INDEX_NONE) {
            uint32_t older = fal_index_next(&index, at);

            ck_assert_uint_eq(older, searched(keys, at, key));
            at = older;
        }
        keys[n] = key;
        ck_assert(fal_index_add(&index, key));
    }
    fal_index_free(&index);
    ck_assert_uint_eq(fal_index_first(&index, keys[0]), FAL_INDEX_NONE);
}
END_TEST

START_TEST(names_and_numbers_make_keys)
{
    ck_assert_uint_eq(fal_index_name("qp1"), fal_index_name("qp1"));
    ck_assert_uint_ne(fal_index_name("qp1"), fal_index_name("qp2"));
    ck_assert_uint_ne(fal_index_number(1), fal_index_number(2));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("index");
    TCase *tc = tcase_create("index");

    tcase_add_test(tc, items_are_found_as_by_a_search_from_the_newest_on);
    tcase_add_test(tc, names_and_numbers_make_keys);
    suite_add_tcase(suite, tc);
    return suite;
}
