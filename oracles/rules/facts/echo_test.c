/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/echo.h"
#include "tests/testing.h"

#include <check.h>

static void note(struct fal_echoes *echoes, uint64_t index, uint64_t iv)
{
    bool oom = false;

    fal_echo_note(echoes, &(struct fal_echo){.iv = iv, .at = {.index = index}}, &oom);
    ck_assert(!oom);
}

START_TEST(finds_the_newest_and_says_whether_it_is_alone)
{
    struct fal_echoes echoes;
    bool unsent, alone;

    fal_echoes_init(&echoes, false);
    note(&echoes, 1, UINT64_C(5) << 17);
    note(&echoes, 4, UINT64_C(6) << 17);
    note(&echoes, 7, (UINT64_C(6) << 17) + 1);
    ck_assert_uint_eq(fal_echo_find(&echoes, 5, 17, &unsent, &alone)->at.index, 1);
    ck_assert(alone && !unsent);
    ck_assert_uint_eq(fal_echo_find(&echoes, 6, 17, &unsent, &alone)->at.index, 7);
    ck_assert(!alone && !unsent);
    ck_assert_ptr_null(fal_echo_find(&echoes, 7, 17, &unsent, &alone));
    ck_assert(!alone && unsent);
    ck_assert_uint_eq(fal_echo_find(&echoes, 10, 16, &unsent, NULL)->at.index, 1);
    ck_assert_uint_eq(fal_echo_of(&echoes, 4)->at.index, 4);
    ck_assert_ptr_null(fal_echo_of(&echoes, 5));
    fal_echoes_free(&echoes);
}
END_TEST

/* A forgotten packet may have been sent; a packet newer than every kept one was not. */
START_TEST(forgets_the_oldest)
{
    struct fal_echoes echoes;
    bool unsent, alone;

    fal_echoes_init(&echoes, false);
    for (uint64_t i = 0; i < 1000; i++)
        note(&echoes, i, (10 + 2 * i) << 17);
    ck_assert_uint_le(echoes.ring.cap, 256);
    ck_assert_ptr_null(fal_echo_find(&echoes, 10, 17, &unsent, NULL));
    ck_assert(!unsent);
    ck_assert_ptr_null(fal_echo_find(&echoes, 11 + 2 * 998, 17, &unsent, NULL));
    ck_assert(unsent);
    ck_assert_ptr_nonnull(fal_echo_find(&echoes, 10 + 2 * 900, 17, &unsent, &alone));
    ck_assert(alone);
    note(&echoes, 1000, 20 << 17); /* what is gone had that t1, too */
    ck_assert_ptr_nonnull(fal_echo_find(&echoes, 20, 17, &unsent, &alone));
    ck_assert(!alone);
    fal_echoes_gap(&echoes);
    ck_assert_ptr_null(fal_echo_find(&echoes, 10 + 2 * 999, 17, &unsent, NULL));
    ck_assert(!unsent);
    note(&echoes, 2000, UINT64_C(5000) << 17);
    ck_assert_ptr_null(fal_echo_find(&echoes, 4999, 17, &unsent, NULL));
    ck_assert(!unsent);
    ck_assert_ptr_null(fal_echo_find(&echoes, 5001, 17, &unsent, NULL));
    ck_assert(unsent);
    fal_echoes_free(&echoes);
}
END_TEST

/* A straggler is the oldest that is kept: what was forgotten may be younger than it. */
START_TEST(forgets_what_came_before_a_straggler)
{
    struct fal_echoes echoes;
    bool unsent;
    uint64_t i = 0;

    fal_echoes_init(&echoes, false);
    for (; i < 2000; i++) { /* two of three are late */
        note(&echoes, i, (i % 3 != 0 ? i : 10000 + i) << 17);
        ck_assert_ptr_null(fal_echo_find(&echoes, 20000, 17, &unsent, NULL));
        ck_assert(unsent);
        if (i < 400)
            continue;
        ck_assert_ptr_null(fal_echo_find(&echoes, 10003, 17, &unsent, NULL));
        ck_assert(!unsent);
    }
    fal_echoes_free(&echoes);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_echoes echoes;
    bool unsent;

    fal_echoes_init(&echoes, true);
    note(&echoes, 1, UINT64_C(0xfffffffe) << 17);
    note(&echoes, 2, UINT64_C(0x100000001) << 17);
    ck_assert_uint_eq(fal_echo_find(&echoes, 1, 17, &unsent, NULL)->at.index, 2);
    ck_assert_ptr_null(fal_echo_find(&echoes, 0, 17, &unsent, NULL));
    ck_assert(unsent);
    ck_assert_ptr_null(fal_echo_find(&echoes, 0xfffffffd, 17, &unsent, NULL));
    ck_assert(!unsent);
    ck_assert_int_eq(fal_ticks_ns(1000), 131072);
    ck_assert_int_eq(fal_ticks_ns(-1000), -131072);
    fal_echoes_free(&echoes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("echoes");
    TCase *tc = tcase_create("echoes");

    tcase_add_test(tc, finds_the_newest_and_says_whether_it_is_alone);
    tcase_add_test(tc, forgets_the_oldest);
    tcase_add_test(tc, forgets_what_came_before_a_straggler);
    tcase_add_test(tc, wrap_around);
    suite_add_tcase(suite, tc);
    return suite;
}
