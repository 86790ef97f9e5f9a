/* SPDX-License-Identifier: Apache-2.0
 * slab_test.c - items that are taken from a slab and given back. */
#include "oracles/endpoint/base/slab.h"

#include "oracles/rng.h"
#include "tests/allocator.h"
#include "tests/testing.h"

enum { MANY = 4000, SIZE = 100 };

static void *items[MANY];

/* Fills the item, so that two items which overlap are found. */
static void mark(unsigned i)
{
    memset(items[i], (int)(i % 251), SIZE);
}

static void check(unsigned i)
{
    const uint8_t *bytes = items[i];

    for (unsigned k = 0; k < SIZE; k++)
        ck_assert_uint_eq(bytes[k], i % 251);
}

static void take_many(struct fal_slab *slab, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        items[i] = fal_slab_take(slab);
        if (items[i] == NULL) /* ck_assert allocates even where all is well */
            ck_abort_msg("out of memory");
        mark(i);
    }
}

static void give_many(struct fal_slab *slab, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        fal_slab_give(slab, items[i]);
}

START_TEST(items_are_distinct_and_keep_their_content)
{
    struct fal_rng rng = fal_rng_split(7, 1);

    for (unsigned separate = 0; separate < 2; separate++) {
        struct fal_slab slab;

        fal_slab_init(&slab, SIZE, separate != 0);
        take_many(&slab, MANY);
        for (unsigned turn = 0; turn < MANY; turn++) {
            unsigned i = (unsigned)fal_rng_below(&rng, MANY);

            check(i);
            fal_slab_give(&slab, items[i]);
            items[i] = fal_slab_take(&slab);
            mark(i);
        }
        for (unsigned i = 0; i < MANY; i++)
            check(i);
        ck_assert_uint_eq(slab.in_use, MANY);
        give_many(&slab, MANY);
        ck_assert_uint_eq(slab.in_use, 0);
        fal_slab_free(&slab);
    }
}
END_TEST

START_TEST(an_item_begins_at_a_line_of_the_cache)
{
    struct fal_slab slab;

    fal_slab_init(&slab, SIZE, false);
    if (slab.separate)
        return; /* a build with sanitizers */
    take_many(&slab, 100);
    for (unsigned i = 0; i < 100; i++)
        ck_assert_uint_eq((uintptr_t)items[i] % 64, 0);
    give_many(&slab, 100);
    fal_slab_free(&slab);
}
END_TEST

START_TEST(an_item_that_was_given_back_is_taken_next_without_an_allocation)
{
    struct fal_slab slab;
    void *item;
    long calls;

    fal_slab_init(&slab, SIZE, false);
    if (slab.separate)
        return;
    take_many(&slab, 100);
    item = items[50];
    calls = allocator.calls;
    for (unsigned i = 0; i < 1000; i++) {
        fal_slab_give(&slab, item);
        if (fal_slab_take(&slab) != item)
            ck_abort_msg("another item was taken");
    }
    give_many(&slab, 100);
    take_many(&slab, 100);
    ck_assert_int_eq(allocator.calls - calls, 0);
    give_many(&slab, 100);
    fal_slab_free(&slab);
}
END_TEST

START_TEST(an_idle_slab_holds_no_more_than_1_MiB)
{
    struct fal_slab slab;
    size_t before = allocator.bytes;

    fal_slab_init(&slab, 1024, false);
    take_many(&slab, MANY);
    if (allocator_in_charge())
        ck_assert_uint_gt(allocator.bytes - before, MANY * 1024);
    give_many(&slab, MANY);
    if (allocator_in_charge())
        ck_assert_uint_lt(allocator.bytes - before, 1100 << 10);
    take_many(&slab, 10); /* it can be used again */
    give_many(&slab, 10);
    fal_slab_free(&slab);
    if (allocator_in_charge())
        ck_assert_uint_eq(allocator.bytes, before);
}
END_TEST

START_TEST(separate_items_are_blocks_of_their_own)
{
    struct fal_slab slab;
    long blocks = allocator.blocks;

    if (!allocator_in_charge())
        return;
    fal_slab_init(&slab, SIZE, true);
    take_many(&slab, 100);
    ck_assert_int_eq(allocator.blocks - blocks, 100);
    give_many(&slab, 100);
    ck_assert_int_eq(allocator.blocks, blocks);
    fal_slab_free(&slab);
}
END_TEST

START_TEST(without_memory_there_is_no_item)
{
    if (!allocator_in_charge())
        return;
    for (unsigned separate = 0; separate < 2; separate++) {
        struct fal_slab slab;

        fal_slab_init(&slab, SIZE, separate != 0);
        allocator.countdown = 1;
        items[0] = fal_slab_take(&slab);
        allocator.countdown = 0;
        ck_assert_ptr_null(items[0]);
        ck_assert_uint_eq(slab.in_use, 0);
        take_many(&slab, 1);
        give_many(&slab, 1);
        fal_slab_free(&slab);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("slab");
    TCase *tc = tcase_create("slab");

    tcase_add_test(tc, items_are_distinct_and_keep_their_content);
    tcase_add_test(tc, an_item_begins_at_a_line_of_the_cache);
    tcase_add_test(tc, an_item_that_was_given_back_is_taken_next_without_an_allocation);
    tcase_add_test(tc, an_idle_slab_holds_no_more_than_1_MiB);
    tcase_add_test(tc, separate_items_are_blocks_of_their_own);
    tcase_add_test(tc, without_memory_there_is_no_item);
    suite_add_tcase(suite, tc);
    return suite;
}
