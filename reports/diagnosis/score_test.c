/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/diagnosis/diagnosis.h"

#include "reports/results/results_testing.h"

/* The faults that fail more come first: where scenarios that passed do not count, they win. */
static const struct fal_suite_kill suite[] = {
    {"wide", "a", FAL_VERDICT_FAIL},   {"wide", "b", FAL_VERDICT_FAIL},
    {"wide", "c", FAL_VERDICT_FAIL},   {"wide", "d", FAL_VERDICT_FAIL},
    {"wide", "e", FAL_VERDICT_WARN},   {"acks", "a", FAL_VERDICT_FAIL},
    {"acks", "b", FAL_VERDICT_FAIL},   {"acks", "c", FAL_VERDICT_FAIL},
    {"window", "e", FAL_VERDICT_FAIL}, {"twin", "e", FAL_VERDICT_FAIL},
};
static const struct fal_kill rules[] = {{"twin", "A2", "FTP-9.1.6-03", 1}};
static const struct tl_known_faults known = {suite, sizeof suite / sizeof *suite, rules, 1};

/* Scenarios by letter; capitals failed. */
static struct tl_diagnosis scored(const char *letters, const char *rule)
{
    struct tl_scenario_seen list[16] = {{.failed = false}};
    struct tl_seen seen = {.scenarios = list};
    struct tl_diagnosis out;
    size_t n;
    const struct fal_rule *const *all = fal_rules(&n);

    for (; letters[seen.count] != 0; seen.count++) {
        list[seen.count].id[0] = (char)(letters[seen.count] | 0x20);
        list[seen.count].failed = letters[seen.count] < 'a';
    }
    for (size_t i = 0; rule != NULL && i < n; i++)
        seen.rules[i] = strcmp(all[i]->id, rule) == 0;
    tl_diagnosis_score(&seen, &known, &out);
    return out;
}

START_TEST(the_fault_that_fails_the_same_scenarios_is_first)
{
    struct tl_diagnosis d = scored("ABCdefgh", NULL);

    ck_assert_str_eq(d.fits[0].fault, "acks");
    ck_assert_uint_eq(d.fits[0].explained, 3);
    ck_assert_uint_eq(d.fits[0].due, 3);
    ck_assert(tl_fit_good(&d, &d.fits[0]));
    ck_assert(!tl_fit_good(&d, &d.fits[1]));
    d = scored("ABCDEfgh", NULL);
    ck_assert_str_eq(d.fits[0].fault, "wide");
}
END_TEST

START_TEST(what_was_not_played_does_not_count)
{
    struct tl_diagnosis d = scored("ABCfgh", NULL); /* not d, not e: both fit as well */

    ck_assert_uint_eq(d.count, 2);
    ck_assert(d.fits[0].score == d.fits[1].score);
    ck_assert_uint_eq(d.fits[1].due, 3);
}
END_TEST

START_TEST(a_violated_rule_decides_between_equal_faults)
{
    struct tl_diagnosis d = scored("abcdEfgh", "A2");

    ck_assert_str_eq(d.fits[0].fault, "twin");
    ck_assert(d.fits[0].score > d.fits[1].score);
    d = scored("abcdEfgh", NULL);
    ck_assert(d.fits[0].score == d.fits[1].score);
}
END_TEST

START_TEST(nothing_fits_what_no_fault_does)
{
    struct tl_diagnosis d = scored("abcdEFGH", NULL);

    ck_assert_uint_gt(d.count, 0);
    ck_assert(!tl_fit_good(&d, &d.fits[0]));
    d = scored("abcdeFGH", NULL);
    ck_assert_uint_eq(d.count, 0);
    ck_assert_uint_eq(d.failed, 3);
}
END_TEST

START_TEST(nothing_fits_where_nothing_failed)
{
    struct tl_diagnosis d = scored("abcdefgh", NULL);

    ck_assert_uint_eq(d.count, 0);
    d = scored("", NULL);
    ck_assert_uint_eq(d.count, 0);
}
END_TEST

START_TEST(cases_of_a_scenario_count_as_one)
{
    struct tl_case cases[] = {
        a_case("b@n=1", FAL_VERDICT_PASS),   a_case("a@n=1", FAL_VERDICT_PASS),
        a_case("a@n=2", FAL_VERDICT_FAIL),   a_case("b@n=2", FAL_VERDICT_PASS),
        a_case("c@n=1", FAL_VERDICT_INCONC),
    };
    struct tl_results results = {.cases = cases, .num_cases = 5};
    struct tl_seen seen;

    ck_assert_int_eq(tl_seen_gather(&results, &seen, NULL), 0);
    ck_assert_uint_eq(seen.count, 2);
    ck_assert_str_eq(seen.scenarios[0].id, "a");
    ck_assert(seen.scenarios[0].failed);
    ck_assert_str_eq(seen.scenarios[1].id, "b");
    ck_assert(!seen.scenarios[1].failed);
    free(seen.scenarios);
    for (size_t i = 0; i < 5; i++)
        tl_case_clear(&cases[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("score");
    TCase *tc = tcase_create("score");

    tcase_add_test(tc, the_fault_that_fails_the_same_scenarios_is_first);
    tcase_add_test(tc, what_was_not_played_does_not_count);
    tcase_add_test(tc, a_violated_rule_decides_between_equal_faults);
    tcase_add_test(tc, nothing_fits_what_no_fault_does);
    tcase_add_test(tc, nothing_fits_where_nothing_failed);
    tcase_add_test(tc, cases_of_a_scenario_count_as_one);
    suite_add_tcase(s, tc);
    return s;
}
