/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/blocks/map.h"

#include "oracles/rng.h"
#include "tests/testing.h"

/* Chunks of 2 GiB, stripes of 1 MiB, 4 chunks in a group, blocks of 4096 bytes. */
static const struct fal_map map = {
    .start = 100, .chunk = 1, .stripe = 2, .group = 2, .block = 12};

/* The figure of 6.6.1: four stripes go to four chunks, the fifth behind the first. */
START_TEST(NVME_6_6_1_05_stripes_go_round_the_chunks)
{
    enum { STRIPE = 256, CHUNK = 1 << 19 }; /* blocks */

    ck_assert(fal_map_valid(&map));
    for (uint64_t stripe = 0; stripe < 12; stripe++) {
        uint64_t lba = stripe * STRIPE + 7;

        ck_assert_uint_eq(fal_map_row(&map, lba), 100 + stripe % 4);
        ck_assert_uint_eq(fal_map_target(&map, 9, lba), 9 * CHUNK + stripe / 4 * STRIPE + 7);
    }
    ck_assert_uint_eq(fal_map_row(&map, 4 * CHUNK), 104);
    ck_assert_uint_eq(fal_map_row(&map, 4 * CHUNK - 1), 103);
}
END_TEST

/* A walk through the namespace, stripe by stripe, with counters in place of shifts. */
START_TEST(NVME_6_6_2_14_translation_is_that_of_a_walk)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 0);

    for (unsigned round = 0; round < 2000; round++) {
        struct fal_map m = {.start = (uint32_t)fal_rng_below(&rng, 1000),
                            .chunk = (uint32_t)fal_rng_below(&rng, 9),
                            .stripe = (uint32_t)fal_rng_below(&rng, 12),
                            .group = (uint32_t)fal_rng_below(&rng, 6),
                            .block = fal_rng_below(&rng, 2) == 0 ? 9 : 12};
        uint64_t stripe = (UINT64_C(256) << 10 << m.stripe) >> m.block;
        uint64_t chunk = (UINT64_C(1) << 30 << m.chunk) >> m.block, chunks = 1U << m.group;
        uint64_t lba = fal_rng_next(&rng) >> 20, target = fal_rng_below(&rng, 1 << 20);
        uint64_t number, group;

        if (!fal_map_valid(&m))
            continue;
        group = lba / (chunk * chunks);
        number = lba % (chunk * chunks) / stripe;
        ck_assert_uint_eq(fal_map_row(&m, lba), m.start + group * chunks + number % chunks);
        ck_assert_uint_eq(fal_map_target(&m, target, lba),
                          target * chunk + number / chunks * stripe + lba % stripe);
    }
}
END_TEST

START_TEST(NVME_6_6_3_01_commands_are_split_at_boundaries)
{
    struct fal_map_part parts[2];
    struct fal_map single = map, alone = {.chunk = 0, .stripe = 12, .group = 0, .block = 12};
    bool free;

    ck_assert_uint_eq(fal_map_split(&map, 250, 5, parts, &free), 1); /* ends before it */
    ck_assert_uint_eq(parts[0].blocks, 6);
    ck_assert_uint_eq(fal_map_split(&map, 250, 6, parts, &free), 2);
    ck_assert_uint_eq(parts[0].blocks, 6);
    ck_assert_uint_eq(parts[1].first, 256);
    ck_assert_uint_eq(parts[1].blocks, 1);
    ck_assert(!free);
    ck_assert_uint_eq(fal_map_split(&map, 0, 511, parts, &free), 2);
    ck_assert_uint_eq(fal_map_split(&map, 0, 512, parts, &free), 0);
    ck_assert_uint_eq(fal_map_split(&map, UINT64_MAX, 1, parts, &free), 0);
    single.group = 0;
    ck_assert_uint_eq(fal_map_split(&single, 250, 6, parts, &free), 2);
    ck_assert(free);
    ck_assert_uint_eq(fal_map_split(&single, (1 << 19) - 1, 1, parts, &free), 2);
    ck_assert(!free); /* between chunks */
    /* AMB-N14: a group of one stripe */
    ck_assert(fal_map_valid(&alone));
    ck_assert_uint_eq(fal_map_split(&alone, (1 << 18) - 1, 1, parts, &free), 2);
    ck_assert(!free);
}
END_TEST

START_TEST(shifts_that_mean_nothing_are_refused)
{
    ck_assert(!fal_map_valid(&(struct fal_map){.stripe = 13, .block = 12}));
    ck_assert(!fal_map_valid(&(struct fal_map){.chunk = 33, .group = 33, .block = 9}));
    ck_assert(!fal_map_valid(&(struct fal_map){.chunk = UINT32_MAX, .group = 2, .block = 9}));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("map");
    TCase *tcase = tcase_create("map");

    tcase_add_test(tcase, NVME_6_6_1_05_stripes_go_round_the_chunks);
    tcase_add_test(tcase, NVME_6_6_2_14_translation_is_that_of_a_walk);
    tcase_add_test(tcase, NVME_6_6_3_01_commands_are_split_at_boundaries);
    tcase_add_test(tcase, shifts_that_mean_nothing_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
