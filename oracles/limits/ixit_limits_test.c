/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/limits/ixit_limits.h"
#include "oracles/rules/judge/judge.h"
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

static struct fal_params values(void)
{
    struct fal_params params;

    fal_params_default(&params, false);
    params.initial_rtt_ns = FAL_US;
    return params;
}

/* With the defaults nothing is beyond its limit, in virtual time and live. */
START_TEST(the_defaults_are_within)
{
    for (int live = 0; live <= 1; live++) {
        struct fal_params params;

        fal_params_default(&params, live);
        for (enum fal_limit_at at = 0; at < FAL_LIMIT_COUNT; at++)
            ck_assert_msg(fal_limit_kept(at, &params), "live %d: row %d", live, (int)at);
    }
}
END_TEST

/* Each value below its limit, at it and above it. */
START_TEST(at_below_and_above)
{
    size_t n;
    const struct fal_param *params = fal_param_table(&n);

    for (enum fal_limit_at at = 0; at < FAL_LIMIT_COUNT; at++) {
        const struct fal_limit *limit = fal_limit(at);
        const struct fal_param *param = &params[limit->param];
        struct fal_params p = values();
        bool least = limit->kind == FAL_LIMIT_ATTEMPTS;
        char text[FAL_LIMIT_TEXT_MAX];
        uint64_t bound;

        p.rto_varies = limit->kind == FAL_LIMIT_SPAN;
        p.rto_lo_ns = p.rto_hi_ns = p.rto_ns;
        bound = fal_limit_of(at, &p);
        ck_assert_uint_ne(bound, FAL_NEVER);
        ck_assert_uint_gt(bound, 0);
        ck_assert_int_eq(fal_param_set(param, &p, bound - 1), 0);
        ck_assert_msg(fal_limit_kept(at, &p) == !least, "%s below", param->name);
        ck_assert_int_eq(fal_param_set(param, &p, bound), 0);
        ck_assert_msg(fal_limit_kept(at, &p), "%s at its limit", param->name);
        ck_assert_int_eq(fal_param_set(param, &p, bound + 1), 0);
        ck_assert_msg(fal_limit_kept(at, &p) == least, "%s above", param->name);
        fal_limit_text(at, &p, text);
        ck_assert_ptr_nonnull(strstr(text, param->name));
        ck_assert_ptr_nonnull(strstr(text, limit->rules));
        ck_assert_ptr_nonnull(strstr(text, "configure"));
        ck_assert_uint_lt(strlen(text), FAL_LIMIT_TEXT_MAX - 1);
    }
}
END_TEST

START_TEST(every_rule_exists)
{
    for (enum fal_limit_at at = 0; at < FAL_LIMIT_COUNT; at++) {
        char rules[200], *state = NULL;

        (void)snprintf(rules, sizeof rules, "%s", fal_limit(at)->rules);
        for (char *id = strtok_r(rules, " ", &state); id != NULL;
             id = strtok_r(NULL, " ", &state))
            ck_assert_msg(fal_rule_find(id) != NULL, "row %d: no rule %s", (int)at, id);
    }
}
END_TEST

START_TEST(an_rto_that_varies)
{
    struct fal_params p = values();

    p.rto_varies = true; /* within unknown limits: no limit can be stated */
    ck_assert_uint_eq(fal_limit_of(FAL_LIMIT_AT_turnaround_RTO, &p), FAL_NEVER);
    ck_assert_uint_eq(fal_limit_of(FAL_LIMIT_AT_transaction_timeout_ATTEMPTS, &p), 0);
    p.rto_lo_ns = 400 * FAL_US;
    p.rto_hi_ns = 3200 * FAL_US;
    ck_assert_uint_eq(fal_limit_of(FAL_LIMIT_AT_turnaround_RTO, &p), 50 * FAL_US);
    ck_assert(fal_limit_kept(FAL_LIMIT_AT_rto_hi_SPAN, &p));
    p.rto_hi_ns++;
    ck_assert(!fal_limit_kept(FAL_LIMIT_AT_rto_hi_SPAN, &p));
}
END_TEST

START_TEST(plausible_against_measured_answers)
{
    ck_assert_uint_eq(fal_plausible_ns(0), 8 * FAL_US);
    ck_assert_uint_eq(fal_plausible_ns(FAL_US), 8 * FAL_US);
    ck_assert_uint_eq(fal_plausible_ns(12 * FAL_US), 96 * FAL_US);
    ck_assert_uint_eq(fal_plausible_ns(FAL_NEVER / 2), FAL_NEVER);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("limits of declared values");
    TCase *tc = tcase_create("limits");

    tcase_add_test(tc, the_defaults_are_within);
    tcase_add_test(tc, at_below_and_above);
    tcase_add_test(tc, every_rule_exists);
    tcase_add_test(tc, an_rto_that_varies);
    tcase_add_test(tc, plausible_against_measured_answers);
    suite_add_tcase(suite, tc);
    return suite;
}
