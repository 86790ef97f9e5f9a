/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/ring.h"
#include "tests/testing.h"

#include <stdlib.h>

START_TEST(numbers_stay_while_the_ring_grows)
{
    struct fal_vb_ring ring = {.head = 100, .tail = 100};
    int *items[40];

    for (unsigned i = 0; i < 40; i++) {
        items[i] = malloc(sizeof(int));
        ck_assert_ptr_nonnull(items[i]);
        ck_assert_int_eq(fal_vb_ring_put(&ring, ring.tail, items[i]), 0);
    }
    for (unsigned i = 0; i < 40; i++)
        ck_assert_ptr_eq(fal_vb_ring_get(&ring, 100 + i), items[i]);
    ck_assert_ptr_null(fal_vb_ring_get(&ring, 99));
    ck_assert_ptr_null(fal_vb_ring_get(&ring, 140));
    free(fal_vb_ring_clear(&ring, 101));
    fal_vb_ring_trim(&ring, ring.tail);
    ck_assert_uint_eq(ring.head, 100); /* 100 is still there */
    free(fal_vb_ring_clear(&ring, 100));
    fal_vb_ring_trim(&ring, ring.tail);
    ck_assert_uint_eq(ring.head, 102);
    fal_vb_ring_free(&ring);
    ck_assert_ptr_null(fal_vb_ring_get(&ring, 0));
}
END_TEST

START_TEST(a_number_may_come_before_those_below_it)
{
    struct fal_vb_ring ring = {0};
    int *item = malloc(sizeof *item);

    ck_assert_int_eq(fal_vb_ring_put(&ring, 9, item), 0);
    ck_assert_uint_eq(ring.tail, 10);
    for (unsigned i = 0; i < 9; i++)
        ck_assert_ptr_null(fal_vb_ring_get(&ring, i));
    ck_assert_ptr_eq(fal_vb_ring_get(&ring, 9), item);
    fal_vb_ring_trim(&ring, 5);
    ck_assert_uint_eq(ring.head, 5);
    fal_vb_ring_free(&ring);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs ring");
    TCase *tc = tcase_create("ring");

    tcase_add_test(tc, numbers_stay_while_the_ring_grows);
    tcase_add_test(tc, a_number_may_come_before_those_below_it);
    suite_add_tcase(suite, tc);
    return suite;
}
