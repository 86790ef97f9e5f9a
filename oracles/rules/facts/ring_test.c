/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/ring.h"
#include "tests/testing.h"

#include <stdlib.h>

enum { MAX = 64 };

static uint64_t *reach(struct fal_ring *ring, int64_t x, int64_t keep)
{
    bool oom = false;
    uint64_t *item = fal_ring_reach(ring, x, keep, &oom);

    ck_assert(!oom);
    return item;
}

START_TEST(items_stay_where_they_are)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), MAX);
    ck_assert_ptr_null(fal_ring_at(&ring, 0));
    for (int64_t x = 1000; x < 1000 + MAX; x++)
        *reach(&ring, x, INT64_MIN) = (uint64_t)x;
    for (int64_t x = 1000; x < 1000 + MAX; x++)
        ck_assert_uint_eq(*(uint64_t *)fal_ring_at(&ring, x), (uint64_t)x);
    ck_assert_ptr_null(fal_ring_at(&ring, 999));
    ck_assert_ptr_null(fal_ring_at(&ring, 1000 + MAX));
    fal_ring_free(&ring);
}
END_TEST

START_TEST(new_items_are_zero_even_where_others_were)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), MAX);
    for (int64_t x = 0; x < 10 * MAX; x++) {
        uint64_t *item = reach(&ring, x, x - 5);

        ck_assert_uint_eq(*item, 0);
        *item = 7;
    }
    ck_assert_uint_le(ring.cap, 16); /* what may be forgotten makes room before memory grows */
    fal_ring_free(&ring);
}
END_TEST

START_TEST(the_stretch_grows_downwards_into_what_never_was)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), MAX);
    *reach(&ring, 100, INT64_MIN) = 1;
    ck_assert_uint_eq(*reach(&ring, 60, INT64_MIN), 0);
    ck_assert_uint_eq(*reach(&ring, 100, INT64_MIN), 1);
    ck_assert_ptr_null(reach(&ring, 100 - MAX, INT64_MIN)); /* longer than the longest */
    ck_assert(!fal_ring_forgot(&ring, 100 - MAX));
    fal_ring_free(&ring);
}
END_TEST

START_TEST(what_was_forgotten_stays_forgotten)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), MAX);
    for (int64_t x = 0; x < 3 * MAX; x++)
        *reach(&ring, x, INT64_MIN) = 7; /* nothing may be forgotten, but the stretch is full */
    ck_assert_int_eq(ring.lo, 2 * MAX);
    ck_assert(fal_ring_forgot(&ring, 2 * MAX - 1));
    ck_assert(!fal_ring_forgot(&ring, 2 * MAX));
    ck_assert_ptr_null(reach(&ring, 2 * MAX - 1, INT64_MIN));
    fal_ring_free(&ring);
}
END_TEST

START_TEST(a_leap_is_refused)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), MAX);
    for (int64_t x = 0; x < MAX; x++)
        *reach(&ring, x, INT64_MIN) = 7;
    ck_assert_ptr_null(reach(&ring, 2 * MAX, INT64_MIN));
    ck_assert_ptr_null(reach(&ring, INT64_C(1) << 40, INT64_MIN));
    ck_assert_uint_eq(*reach(&ring, MAX - 1, INT64_MIN), 7); /* and harms nothing */
    ck_assert_ptr_nonnull(reach(&ring, MAX + MAX / 2 - 1, INT64_MIN));
    fal_ring_reset(&ring);
    ck_assert_uint_eq(*reach(&ring, INT64_C(1) << 40, INT64_MIN), 0);
    fal_ring_free(&ring);
}
END_TEST

/* Below `keep` a whole stretch may go at once. */
START_TEST(keep_above_the_stretch)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), MAX);
    for (int64_t x = 0; x < MAX; x++)
        *reach(&ring, x, INT64_MIN) = 7;
    ck_assert_uint_eq(*reach(&ring, MAX + 10, MAX + 5), 0);
    ck_assert_int_eq(ring.lo, MAX + 5);
    ck_assert_ptr_null(fal_ring_at(&ring, MAX - 1));
    ck_assert_uint_eq(*(uint64_t *)fal_ring_at(&ring, MAX + 5), 0);
    fal_ring_free(&ring);
}
END_TEST

/* Its table is long, and nearly empty. */
START_TEST(a_leap_is_packed)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), 4096);
    *reach(&ring, 1000, INT64_MIN) = 1;
    *reach(&ring, 3000, INT64_MIN) = 3;
    fal_ring_pack(&ring);
    ck_assert_uint_eq(ring.pages->listed, 2);
    fal_ring_pack(&ring);
    fal_ring_unpack(&ring);
    fal_ring_unpack(&ring);
    ck_assert_uint_eq(*(uint64_t *)fal_ring_at(&ring, 1000), 1);
    ck_assert_uint_eq(*(uint64_t *)fal_ring_at(&ring, 2000), 0);
    ck_assert_uint_eq(*(uint64_t *)fal_ring_at(&ring, 3000), 3);
    fal_ring_pack(&ring);
    fal_ring_free(&ring);
}
END_TEST

START_TEST(packed_items_come_back)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), MAX);
    for (int64_t x = 3; x < 5 * MAX; x++) {
        *reach(&ring, x, x - 40) = (uint64_t)(x * x);
        if (x % 7 == 0)
            fal_ring_pack(&ring);
        fal_ring_unpack(&ring);
        for (int64_t y = ring.lo; y < ring.hi; y += 1 + x % 5)
            ck_assert_uint_eq(*(uint64_t *)fal_ring_at(&ring, y), (uint64_t)(y * y));
    }
    ck_assert_uint_eq(ring.hi - ring.lo > 40, 1);
    fal_ring_pack(&ring);
    fal_ring_unpack(&ring);
    *reach(&ring, ring.lo, INT64_MIN) = 1; /* not only to be read */
    fal_ring_pack(&ring);
    fal_ring_unpack(&ring);
    ck_assert_uint_eq(*(uint64_t *)fal_ring_at(&ring, ring.lo), 1);
    ck_assert(!fal_ring_oom(&ring));
    fal_ring_free(&ring);
}
END_TEST

START_TEST(a_packed_ring_is_not_to_be_asked)
{
    struct fal_ring ring;

    fal_ring_init(&ring, sizeof(uint64_t), 4096);
    *reach(&ring, 0, INT64_MIN) = 1;
    *reach(&ring, 2000, INT64_MIN) = 1;
    fal_ring_pack(&ring);
    (void)fal_ring_at(&ring, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ring");
    TCase *tc = tcase_create("ring");

    tcase_add_test(tc, items_stay_where_they_are);
    tcase_add_test(tc, new_items_are_zero_even_where_others_were);
    tcase_add_test(tc, the_stretch_grows_downwards_into_what_never_was);
    tcase_add_test(tc, what_was_forgotten_stays_forgotten);
    tcase_add_test(tc, a_leap_is_refused);
    tcase_add_test(tc, keep_above_the_stretch);
    tcase_add_test(tc, a_leap_is_packed);
    tcase_add_test(tc, packed_items_come_back);
    test_add_assertion(tc, a_packed_ring_is_not_to_be_asked);
    suite_add_tcase(suite, tc);
    return suite;
}
