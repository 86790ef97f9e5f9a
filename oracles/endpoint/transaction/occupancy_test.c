/* SPDX-License-Identifier: Apache-2.0
 * occupancy_test.c - moving averages and levels: 10.2. */
#include "oracles/endpoint/transaction/occupancy.h"
#include "oracles/rng.h"
#include "tests/testing.h"

START_TEST(FTP_10_2_02_03_alpha_weighs_each_change)
{
    struct fal_occupancy pool;

    fal_occupancy_init(&pool, 1000, 256);
    fal_occupancy_update(&pool, 400);
    ck_assert_uint_eq(pool.average, 100 * FAL_ALPHA_ONE);
    fal_occupancy_update(&pool, 400);
    ck_assert_uint_eq(pool.average, 175 * FAL_ALPHA_ONE);
    fal_occupancy_update(&pool, 0);
    ck_assert_uint_eq(pool.average, 131 * FAL_ALPHA_ONE + FAL_ALPHA_ONE / 4);
    fal_occupancy_init(&pool, 1000, 0); /* alpha 1: the momentary one */
    fal_occupancy_update(&pool, 900);
    fal_occupancy_update(&pool, 7);
    ck_assert_uint_eq(pool.average, 7 * FAL_ALPHA_ONE);
}
END_TEST

START_TEST(FTP_10_2_04_32_levels_from_31_thresholds)
{
    struct fal_occupancy pool;

    fal_occupancy_init(&pool, 3200, 0);
    for (unsigned used = 0; used <= 4000; used++) {
        unsigned level = used / 100 < 31 ? used / 100 : 31;

        fal_occupancy_update(&pool, used);
        ck_assert_uint_eq(fal_occupancy_level(&pool, false), level);
        /* At equality the text allows both neighbours (AMB-44). */
        ck_assert_uint_eq(fal_occupancy_level(&pool, true),
                          used > 0 && used % 100 == 0 && used <= 3100 ? level - 1 : level);
    }
}
END_TEST

START_TEST(FTP_10_2_05_thresholds_are_free)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 1);

    for (unsigned long round = 0; round < test_rounds(300); round++) {
        struct fal_occupancy pool;
        uint32_t at = 0;

        fal_occupancy_init(&pool, 1, 0);
        for (unsigned i = 0; i < FAL_LEVEL_THRESHOLDS; i++)
            pool.threshold[i] = at += 1 + (uint32_t)fal_rng_below(&rng, 50);
        for (unsigned i = 0; i < FAL_LEVEL_THRESHOLDS; i++) {
            fal_occupancy_update(&pool, pool.threshold[i] - 1);
            ck_assert_uint_eq(fal_occupancy_level(&pool, false), i);
            fal_occupancy_update(&pool, pool.threshold[i]);
            ck_assert_uint_eq(fal_occupancy_level(&pool, false), i + 1);
        }
    }
}
END_TEST

START_TEST(large_pools_do_not_overflow)
{
    struct fal_occupancy pool;

    fal_occupancy_init(&pool, UINT32_MAX, 1000);
    fal_occupancy_update(&pool, UINT64_C(1) << 40);
    ck_assert_uint_eq(fal_occupancy_level(&pool, false), 31);
    for (unsigned i = 0; i < 10; i++)
        fal_occupancy_update(&pool, 0);
    ck_assert_uint_eq(fal_occupancy_level(&pool, false), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("occupancy");
    TCase *tc = tcase_create("occupancy");

    tcase_add_test(tc, FTP_10_2_02_03_alpha_weighs_each_change);
    tcase_add_test(tc, FTP_10_2_04_32_levels_from_31_thresholds);
    tcase_add_test(tc, FTP_10_2_05_thresholds_are_free);
    tcase_add_test(tc, large_pools_do_not_overflow);
    suite_add_tcase(suite, tc);
    return suite;
}
