/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/cidmap.h"

#include "oracles/rng.h"
#include "tests/testing.h"

START_TEST(an_empty_map_has_nothing)
{
    struct fal_cidmap map = {0};

    ck_assert_uint_eq(fal_cidmap_find(&map, 0), 0);
    fal_cidmap_remove(&map, 0);
    fal_cidmap_free(&map);
}
END_TEST

START_TEST(it_agrees_with_a_plain_array)
{
    enum { CIDS = 300 };
    struct fal_rng rng = {test_seed(1)};
    struct fal_cidmap map = {0};
    uint32_t model[CIDS] = {0};

    for (unsigned step = 0; step < 20000; step++) {
        uint32_t i = (uint32_t)fal_rng_below(&rng, CIDS), cid = i << 12;

        if (model[i] == 0) {
            model[i] = 1 + (uint32_t)fal_rng_below(&rng, 1000);
            ck_assert_int_eq(fal_cidmap_add(&map, cid, model[i]), 0);
        } else {
            model[i] = 0;
            fal_cidmap_remove(&map, cid);
        }
        for (uint32_t k = 0; k < CIDS; k++)
            if (fal_cidmap_find(&map, k << 12) != model[k])
                ck_abort_msg("step %u: cid %u", step, k << 12);
    }
    fal_cidmap_free(&map);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cidmap");
    TCase *tc = tcase_create("cidmap");

    tcase_add_test(tc, an_empty_map_has_nothing);
    tcase_add_test(tc, it_agrees_with_a_plain_array);
    suite_add_tcase(suite, tc);
    return suite;
}
