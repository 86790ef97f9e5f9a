/* SPDX-License-Identifier: Apache-2.0
 * translate_test.c - translation and splitting by numbers worked out by hand, and by the
 * pseudo-code of NVME 6.6.2 and 6.6.3. image_test.c compares with a model that divides. */
#include "oracles/nvme/translate.h"
#include "tests/testing.h"

#include <stddef.h>

/* The example of 6.6.1: stripes of 1 MiB (256 blocks), four chunks of 1 GiB in a group. */
static const struct fal_nv_geometry example = {
    .start = 10, .C = 0, .S = 2, .N = 2, .block_shift = 12};

START_TEST(nvme_6_6_2_11_stripes_go_round_the_chunks_of_a_group)
{
    const uint64_t stripe = 256, group = UINT64_C(4) << 18;

    ck_assert_uint_eq(fal_nv_row_index(&example, 0), 10);
    ck_assert_uint_eq(fal_nv_row_index(&example, stripe - 1), 10);
    ck_assert_uint_eq(fal_nv_row_index(&example, stripe), 11);
    ck_assert_uint_eq(fal_nv_row_index(&example, 3 * stripe), 13);
    ck_assert_uint_eq(fal_nv_row_index(&example, 4 * stripe), 10);
    ck_assert_uint_eq(fal_nv_row_index(&example, group - 1), 13);
    ck_assert_uint_eq(fal_nv_row_index(&example, group), 14);
    ck_assert_uint_eq(fal_nv_row_index(&example, 2 * group + stripe), 19);
}
END_TEST

START_TEST(nvme_6_6_2_14_blocks_lie_one_behind_the_other_in_a_chunk)
{
    const uint64_t stripe = 256, chunk = UINT64_C(7) << 18;

    ck_assert_uint_eq(fal_nv_target_lba(&example, 5, 7), chunk + 5);
    ck_assert_uint_eq(fal_nv_target_lba(&example, stripe + 5, 7), chunk + 5);
    ck_assert_uint_eq(fal_nv_target_lba(&example, 4 * stripe, 7), chunk + stripe);
    ck_assert_uint_eq(fal_nv_target_lba(&example, 9 * stripe + 1, 7), chunk + 2 * stripe + 1);
    /* Beyond 2^32 blocks. */
    ck_assert_uint_eq(fal_nv_target_lba(&example, 1, 1 << 20), (UINT64_C(1) << 38) + 1);
}
END_TEST

/* Exactly at a boundary, one before it and one after it. */
START_TEST(nvme_6_6_3_05_the_boundary_is_the_first_block_of_the_last_stripe)
{
    uint64_t boundary = 0;

    ck_assert(!fal_nv_is_split(&example, 200, 255, &boundary));
    ck_assert(fal_nv_is_split(&example, 200, 256, &boundary));
    ck_assert_uint_eq(boundary, 256);
    ck_assert(fal_nv_is_split(&example, 255, 300, &boundary));
    ck_assert_uint_eq(boundary, 256);
    ck_assert(!fal_nv_is_split(&example, 256, 511, &boundary));
    ck_assert(fal_nv_is_split(&example, (4 << 18) - 1, 4 << 18, &boundary));
    ck_assert_uint_eq(boundary, 4 << 18);
}
END_TEST

/* Chunk groups of one stripe: the stripe numbers are always equal (AMB-N14). */
START_TEST(nvme_6_6_3_01_a_change_of_the_chunk_alone_splits)
{
    const struct fal_nv_geometry g = {.C = 0, .S = 12, .N = 0, .block_shift = 9};
    uint64_t boundary = 0;

    ck_assert_ptr_null(fal_nv_geometry_wrong(&g));
    ck_assert_uint_eq(fal_nv_stripe(&g, 0), fal_nv_stripe(&g, UINT64_C(1) << 21));
    ck_assert(!fal_nv_is_split(&g, 0, (UINT64_C(1) << 21) - 1, &boundary));
    ck_assert(fal_nv_is_split(&g, (UINT64_C(1) << 21) - 1, UINT64_C(1) << 21, &boundary));
    ck_assert_uint_eq(boundary, UINT64_C(1) << 21);
}
END_TEST

START_TEST(nvme_6_6_1_04_geometries_that_cannot_be_are_refused)
{
    static const struct {
        struct fal_nv_geometry g;
        const char *wrong;
    } rows[] = {
        {{.block_shift = 9}, NULL},
        {{.block_shift = 12, .S = 12}, NULL},
        {{.block_shift = 12, .S = 13}, "S"},
        {{.block_shift = 12, .S = UINT32_MAX}, "S"},
        {{.block_shift = 10}, "block_shift"},
        {{.block_shift = 9, .C = 40, .N = 2}, NULL},
        {{.block_shift = 9, .C = 40, .N = 3}, "C + N"},
        {{.block_shift = 9, .C = UINT32_MAX, .N = UINT32_MAX}, "C + N"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *wrong = fal_nv_geometry_wrong(&rows[i].g);

        ck_assert_msg((wrong == NULL) == (rows[i].wrong == NULL), "row %zu", i);
        if (wrong != NULL)
            ck_assert_str_eq(wrong, rows[i].wrong);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("LBA translation");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, nvme_6_6_2_11_stripes_go_round_the_chunks_of_a_group);
    tcase_add_test(tc, nvme_6_6_2_14_blocks_lie_one_behind_the_other_in_a_chunk);
    tcase_add_test(tc, nvme_6_6_3_05_the_boundary_is_the_first_block_of_the_last_stripe);
    tcase_add_test(tc, nvme_6_6_3_01_a_change_of_the_chunk_alone_splits);
    tcase_add_test(tc, nvme_6_6_1_04_geometries_that_cannot_be_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
