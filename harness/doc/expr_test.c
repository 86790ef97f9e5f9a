/* SPDX-License-Identifier: Apache-2.0
 * Expressions: precedence, types, wrap-around, and what must be refused. */
#include "harness/doc/expr.h"

#include "tests/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool get(const void *ctx, const char *name, struct tl_expr_value *out)
{
    static const struct {
        const char *name;
        struct tl_expr_value value;
    } vars[] = {
        {"psn", {TL_SEQUENCE, 0xfffffffe}}, {"first", {TL_SEQUENCE, 0xfffffff0}},
        {"rto", {TL_TIME, 1000000}},        {"n", {TL_INTEGER, 7}},
        {"zero", {TL_INTEGER, 0}},          {"big", {TL_INTEGER, ~(fal_u128)0}},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++)
        if (strcmp(vars[i].name, name) == 0) {
            *out = vars[i].value;
            return true;
        }
    return false;
}

/* "ok: type value", or the error. */
static void compute(const char *text, char *out, size_t cap)
{
    struct fal_arena arena = {0};
    struct tl_expr expr = {0};
    struct tl_expr_value value = {TL_INTEGER, 0};
    struct fal_error err = {{0}};
    enum tl_expr_type type;
    int rc = tl_expr_parse_all(text, &arena, &expr, &err);

    if (rc == 0)
        rc = tl_expr_eval(&expr, get, NULL, &value, &err);
    if (rc != 0) {
        (void)snprintf(out, cap, "%s", err.text);
    } else {
        (void)snprintf(out, cap, "%d %" PRIu64, (int)value.type, fal_u128_lo(value.value));
        ck_assert_int_eq(tl_expr_type(&expr, get, NULL, &type, NULL), 0);
        ck_assert_int_eq(type, value.type);
    }
    fal_arena_free(&arena);
}

START_TEST(computes)
{
    static const struct {
        const char *text, *due;
    } cases[] = {
        {"1 + 2 * 3", "0 7"},
        {"(1 + 2) * 3", "0 9"},
        {"7 - 2 - 1", "0 4"},
        {"0x10 | 0b11", "0 19"},
        {"1 << 4 & 0xff ^ 1", "0 17"},
        {"17 % 5", "0 2"},
        {"17%5", "0 2"},
        {"$psn + 3", "1 1"},
        {"3 + $psn", "1 1"},
        {"$psn - 0xffffffff", "1 4294967295"},
        {"$psn - $first", "0 14"},
        {"$first - $psn", "0 4294967282"},
        {"$psn & 0xff", "0 254"},
        {"~$psn", "1 1"},
        {"$rto * 2", "2 2000000"},
        {"2 * $rto", "2 2000000"},
        {"$rto + 10%", "2 1100000"},
        {"$rto - 10%", "2 900000"},
        {"$rto * 0.6", "2 600000"},
        {"$rto / 3", "2 333333"},
        {"$rto / 250us", "0 4"},
        {"$rto % 300us", "2 100000"},
        {"1.5us", "2 1500"},
        {"10%", "3 100000000"},
        {"0.5 * 0.5", "3 250000000"},
        {"$n * 50%", "0 4"},
        {"(($n))", "0 7"},
        {"$rto + 250us * 2", "2 1500000"},
        {"~0 & 0xf", "0 15"},
        {"1 << 200", "0 0"},
        {"min($n, 5)", "0 5"},
        {"max($n, 5) + 1", "0 8"},
        {"2 * max( $n , min(9, 8) )", "0 16"},
        {"min($rto, 250us)", "2 250000"},
        {"(max($rto, 2ms * 2))", "2 4000000"},
        {"max(10%, 0.5)", "3 500000000"},
    };
    char out[400];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compute(cases[i].text, out, sizeof out);
        ck_assert_msg(strcmp(out, cases[i].due) == 0, "%s: due %s, got %s", cases[i].text,
                      cases[i].due, out);
    }
}
END_TEST

START_TEST(refuses)
{
    static const struct {
        const char *text, *due;
    } cases[] = {
        {"", "is not a value"},
        {"$", "must be followed by a name"},
        {"$1", "must be followed by a name"},
        {"(1", "without a matching ')'"},
        {"1)", "unexpected"},
        {"1 +", "unexpected"},
        {"$rto + 5", "a time + a number cannot be combined"},
        {"min($rto, 5)", "a time min a number cannot be combined"},
        {"max($psn, 5)", "a sequence number max a number cannot be combined"},
        {"min(1)", "min and max take two values"},
        {"min(1, 2", "without a matching ')'"},
        {"min(1, 2, 3)", "without a matching ')'"},
        {"min 1", "is not a value"},
        {"$rto * $rto", "cannot be combined"},
        {"$psn * 2", "cannot be combined"},
        {"$psn + $psn", "cannot be combined"},
        {"$rto << 1", "cannot be combined"},
        {"~$rto", "cannot be applied"},
        {"$n / $zero", "division by 0"},
        {"$n % $zero", "division by 0"},
        {"$n - 8", "negative"},
        {"$rto - 110%", "negative"},
        {"$big + 1", "128 bits"},
        {"$big * 2", "128 bits"},
        {"$rto * 0xffffffffffffffff", "64 bits"},
        {"$none", "unknown variable $none"},
        {"18446744073709551616", "64 bits"},
        {"5 parsecs", "unexpected"},
        {"5parsecs", "expected a unit"},
        {"0.1234567891", "9 digits"},
        {"0.5ns", "whole number"},
        {"0x", "without digits"},
        {"$abcdefghijklmnopqrstuvwxyzabcdefg", "more than 31"},
        {"((((((((((((((((((((((((((((1))))))))))))))))))))))))))))", "deep"},
        {"~~~~~~~~~~~~~~~~~~~~~~~~~~~~1", "deep"},
    };
    char out[400];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compute(cases[i].text, out, sizeof out);
        ck_assert_msg(strstr(out, cases[i].due) != NULL, "%s: due %s, got %s", cases[i].text,
                      cases[i].due, out);
    }
}
END_TEST

START_TEST(takes_the_longest_and_no_more)
{
    static const char *const cases[][2] = {
        {"$rto < back", " < back"}, {"$rto > push", " > push"},
        {"$n..5", "..5"},           {"$rto + 10% < back", " < back"},
        {"$n ar", " ar"},           {"$n % 4 rsn=1", " rsn=1"},
        {"$n,5}", ",5}"},           {"($n+1)r", "r"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fal_arena arena = {0};
        struct tl_expr expr;
        const char *at = cases[i][0];

        ck_assert_int_eq(tl_expr_parse(&at, &arena, &expr, NULL), 0);
        ck_assert_str_eq(at, cases[i][1]);
        fal_arena_free(&arena);
    }
}
END_TEST

START_TEST(long_expressions_are_refused)
{
    char text[500] = "1", out[400];

    for (int i = 0; i < 100; i++)
        memcpy(text + strlen(text), "+1", 3);
    compute(text, out, sizeof out);
    ck_assert_ptr_nonnull(strstr(out, "more than 64 parts"));
}
END_TEST

START_TEST(hidden_names)
{
    struct fal_arena arena = {0};
    struct tl_exprs exprs = {0};
    struct tl_expr expr;
    char name[FAL_VAR_MAX], text[100];

    for (int i = 0; i < 100; i++) {
        (void)snprintf(text, sizeof text, "%d+$n", i);
        ck_assert_int_eq(tl_expr_parse_all(text, &arena, &expr, NULL), 0);
        ck_assert_int_eq(tl_exprs_add(&exprs, &arena, &expr, name), 0);
        ck_assert_str_eq(tl_exprs_find(&exprs, name)->text, text);
    }
    ck_assert_ptr_null(tl_exprs_find(&exprs, "_e100"));
    ck_assert_ptr_null(tl_exprs_find(&exprs, "_e"));
    ck_assert_ptr_null(tl_exprs_find(&exprs, "rto"));
    ck_assert(tl_expr_mentions(tl_exprs_find(&exprs, "_e5"), "n"));
    ck_assert(!tl_expr_mentions(tl_exprs_find(&exprs, "_e5"), "m"));
    tl_exprs_reveal(&exprs, "psn: $_e5 does $_e999 not fit", text, sizeof text);
    ck_assert_str_eq(text, "psn: 5+$n does $_e999 not fit");
    tl_exprs_reveal(&exprs, "$_e5", text, 3);
    ck_assert_str_eq(text, "5+");
    fal_arena_free(&arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario_expr");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, computes);
    tcase_add_test(tc, refuses);
    tcase_add_test(tc, takes_the_longest_and_no_more);
    tcase_add_test(tc, long_expressions_are_refused);
    tcase_add_test(tc, hidden_names);
    suite_add_tcase(suite, tc);
    return suite;
}
