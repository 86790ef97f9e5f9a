/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/guard.h"
#include "oracles/params.h"
#include "tests/testing.h"

START_TEST(without_a_limit_all_leaves_at_once)
{
    struct tl_rate rate = {.per_s = 0};

    for (unsigned i = 0; i < 1000; i++) {
        ck_assert_uint_eq(tl_rate_due(&rate, 1, 5), 5);
        tl_rate_take(&rate, 1, 5);
    }
}
END_TEST

/* However it is asked: in no second more than is allowed, and a 100th of it at once. */
START_TEST(no_second_has_more_than_is_allowed)
{
    static const uint64_t rates[] = {1, 7, 1000, 100000, 3000000};
    uint64_t per_s = rates[_i], allowed = per_s + per_s / 100 + 1, now = 0, sent = 0;
    struct tl_rate rate = {.per_s = per_s};

    while (now < 2 * FAL_S && sent < 300000) {
        uint64_t due = tl_rate_due(&rate, 1, now);

        ck_assert_uint_ge(due, now);
        now = due;
        tl_rate_take(&rate, 1, now);
        sent++;
        ck_assert_uint_le(sent, allowed * (now / FAL_S + 1));
        /* And no slower than that: who is asked for all gives all. */
        ck_assert_uint_ge((sent + 1) * FAL_S / per_s + FAL_S, now);
    }
    ck_assert_uint_gt(sent, 1);
}
END_TEST

START_TEST(what_was_not_used_is_not_saved)
{
    struct tl_rate rate = {.per_s = 100};
    uint64_t now = 100 * FAL_S;

    tl_rate_take(&rate, 1, 0);
    for (unsigned i = 0; i < 100; i++) {
        now = tl_rate_due(&rate, 1, now);
        tl_rate_take(&rate, 1, now);
    }
    ck_assert_uint_ge(now, 100 * FAL_S + 98 * FAL_S / 100);
}
END_TEST

START_TEST(frames_and_bytes_both_count)
{
    const struct tl_live_options options = {.frames_per_s = 1000, .bytes_per_s = 1000000};
    struct tl_guard guard;
    uint64_t now = 0;

    tl_guard_init(&guard, &options);
    for (unsigned i = 0; i < 1000; i++)
        now = tl_guard_pass(&guard, 100, now);
    ck_assert_uint_ge(now, 980 * FAL_MS); /* the frames */
    tl_guard_init(&guard, &options);
    now = 0;
    for (unsigned i = 0; i < 1000; i++)
        now = tl_guard_pass(&guard, 4000, now);
    ck_assert_uint_ge(now, 3980 * FAL_MS); /* the bytes */
    ck_assert_uint_le(now, 4 * FAL_S);
}
END_TEST

START_TEST(a_parent_that_is_there_watches)
{
    const struct tl_live_options alone = {.outlive_parent = true};
    struct tl_guard guard;

    tl_guard_init(&guard, &(struct tl_live_options){.busy_poll = false});
    ck_assert(tl_guard_watched(&guard));
    guard.parent = 1 << 22; /* a process that is not ours */
    ck_assert(!tl_guard_watched(&guard));
    tl_guard_init(&guard, &alone);
    ck_assert_int_eq(guard.parent, 0);
    ck_assert(tl_guard_watched(&guard));
}
END_TEST

START_TEST(only_named_machines_are_allowed)
{
    struct tl_allowed allowed = {.count = 0};
    struct tl_address address;
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_allowed_add(&allowed, "203.0.113.9", &err), 0);
    ck_assert_int_eq(tl_allowed_add(&allowed, "2001:db8::9", &err), 0);
    ck_assert_int_ne(tl_allowed_add(&allowed, "example.org", &err), 0);
    ck_assert_int_ne(tl_allowed_add(&allowed, "255.255.255.255", &err), 0);
    ck_assert_int_ne(tl_allowed_add(&allowed, "0.0.0.0", &err), 0);
    ck_assert_int_ne(tl_allowed_add(&allowed, "ff02::1", &err), 0);
    ck_assert_int_ne(tl_allowed_add(&allowed, "::", &err), 0);
    ck_assert_uint_eq(allowed.count, 2);
    ck_assert_int_eq(tl_address_parse("203.0.113.9:7", &address, &err), 0);
    ck_assert(tl_address_allowed(&address, &allowed));
    ck_assert(!tl_address_allowed(&address, NULL));
    ck_assert_int_eq(tl_address_parse("203.0.113.8:7", &address, &err), 0);
    ck_assert(!tl_address_allowed(&address, &allowed));
    ck_assert_int_eq(tl_address_parse("[2001:db8::9]:7", &address, &err), 0);
    ck_assert(tl_address_allowed(&address, &allowed));
    ck_assert_int_eq(tl_address_parse("127.0.0.1:7", &address, &err), 0);
    ck_assert(tl_address_allowed(&address, NULL));
    while (allowed.count < TL_ALLOWED_MAX)
        ck_assert_int_eq(tl_allowed_add(&allowed, "203.0.113.1", &err), 0);
    ck_assert_int_ne(tl_allowed_add(&allowed, "203.0.113.1", &err), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("link_guard");
    TCase *tc = tcase_create("guard");

    tcase_add_test(tc, without_a_limit_all_leaves_at_once);
    tcase_add_loop_test(tc, no_second_has_more_than_is_allowed, 0, 5);
    tcase_add_test(tc, what_was_not_used_is_not_saved);
    tcase_add_test(tc, frames_and_bytes_both_count);
    tcase_add_test(tc, a_parent_that_is_there_watches);
    tcase_add_test(tc, only_named_machines_are_allowed);
    suite_add_tcase(suite, tc);
    return suite;
}
