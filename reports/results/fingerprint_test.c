/* SPDX-License-Identifier: Apache-2.0
 * Waiver files hold fingerprints: those of commit e30394d must stay, and no change of words may
 * change one. */
#include "reports/results/results.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static struct fal_rule rule;
static struct fal_requirement requirement;
static struct tl_case one;
static struct tl_problem *problem;

static void setup(void)
{
    rule = (struct fal_rule){.id = "A3", .title = "t", .doc = "d", .role = "any"};
    requirement = *fal_requirement_find("FTP-9.1.6-03");
    one = (struct tl_case){.id = "a@x=1", .title = "t"};
    problem = tl_case_problem(&one);
    ck_assert_ptr_nonnull(problem);
}

static void teardown(void)
{
    tl_case_clear(&one);
}

/* As the program of commit e30394d printed them. */
START_TEST(each_kind_of_problem_has_the_fingerprint_of_e30394d)
{
    static const struct golden {
        enum tl_problem_kind kind;
        enum fal_verdict verdict;
        const char *scenario, *step_code, *reason;
        bool rule, requirement;
        const char *fingerprint;
    } golden[] = {
        {TL_PROBLEM_STEP, FAL_VERDICT_FAIL, "second", "<=8us < back dbase=1r", "unmet", false,
         true, "c63ef3930a4a1e56"},
        {TL_PROBLEM_STEP, FAL_VERDICT_INCONC, "second", "none for 1ms: < nack", "unexpected",
         false, false, "507e077edde97d43"},
        {TL_PROBLEM_RULE, FAL_VERDICT_WARN, "a.b_1", NULL, "rule", true, true,
         "d3a675aba738f343"},
        {TL_PROBLEM_EXERCISE, FAL_VERDICT_INCONC, "a.b_1", NULL, "not-exercised", true, false,
         "1b9f390965757a12"},
        {TL_PROBLEM_BENCH, FAL_VERDICT_ERROR, "a.b_1", NULL, "control-silent", false, false,
         "47be25a04176abab"},
    };

    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const struct golden *g = &golden[i];

        free(problem->step_code);
        *problem = (struct tl_problem){.kind = g->kind, .verdict = g->verdict};
        problem->reason = tl_reason_from(g->reason);
        problem->step_code = g->step_code != NULL ? strdup(g->step_code) : NULL;
        problem->rule = g->rule ? &rule : NULL;
        problem->requirement = g->requirement ? &requirement : NULL;
        tl_case_fingerprint(&one, g->scenario);
        ck_assert_msg(strcmp(problem->fingerprint, g->fingerprint) == 0, "%zu: %s", i,
                      problem->fingerprint);
    }
}
END_TEST

/* Other words in each place that has any. */
static void reword(void)
{
    static const char *const others = "other words";

    rule.title = rule.role = rule.needs = rule.assumes = rule.doc = others;
    requirement.spec = requirement.section = requirement.title = requirement.level = others;
    requirement.role = requirement.layer = requirement.text = requirement.observable = others;
    requirement.stimulus = requirement.verdict = requirement.on_breach = others;
    requirement.alt = requirement.ics = others;
    one.id = one.title = one.purpose = one.file = one.kind = others;
    one.reason = tl_reason_from(others);
    free(one.why);
    one.why = strdup(others);
    free(problem->text);
    problem->text = strdup(others);
    free(problem->expected);
    problem->expected = strdup(others);
    free(problem->seen);
    problem->seen = strdup(others);
    free(problem->why);
    problem->why = strdup(others);
    problem->waiver = others;
    problem->line = 77;
    problem->step = 5;
    problem->t_ns = 1;
    ck_assert(tl_ladder_add(&problem->ladder, &problem->num_ladder, others, true));
}

START_TEST(no_words_change_a_fingerprint)
{
    static const enum tl_problem_kind kinds[] = {TL_PROBLEM_STEP, TL_PROBLEM_RULE,
                                                 TL_PROBLEM_EXERCISE, TL_PROBLEM_BENCH};
    char before[TL_FINGERPRINT_LEN + 1];

    problem->kind = kinds[_i];
    problem->verdict = FAL_VERDICT_FAIL;
    problem->reason = tl_reason_from("unmet");
    problem->requirement = &requirement;
    problem->step_code = strdup("< back");
    if (kinds[_i] != TL_PROBLEM_STEP)
        problem->rule = &rule;
    tl_case_fingerprint(&one, "a");
    memcpy(before, problem->fingerprint, sizeof before);
    ck_assert_uint_eq(strlen(before), TL_FINGERPRINT_LEN);
    reword();
    tl_case_fingerprint(&one, "a");
    ck_assert_str_eq(problem->fingerprint, before);
}
END_TEST

START_TEST(what_went_wrong_changes_the_fingerprint)
{
    static const char *const scenarios[] = {"a", "b"}, *const codes[] = {"< back", "< eack"},
                             *const reasons[] = {"unmet", "late"};
    static const enum fal_verdict verdicts[] = {FAL_VERDICT_FAIL, FAL_VERDICT_WARN};
    char prints[32][TL_FINGERPRINT_LEN + 1];

    for (size_t i = 0; i < 32; i++) {
        problem->kind = TL_PROBLEM_STEP;
        free(problem->step_code);
        problem->step_code = strdup(codes[i & 1]);
        problem->reason = tl_reason_from(reasons[i >> 1 & 1]);
        problem->verdict = verdicts[i >> 2 & 1];
        problem->requirement = (i & 8) != 0 ? &requirement : NULL;
        tl_case_fingerprint(&one, scenarios[i >> 4 & 1]);
        memcpy(prints[i], problem->fingerprint, sizeof prints[i]);
        for (size_t n = 0; n < i; n++)
            ck_assert_str_ne(prints[i], prints[n]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fingerprint");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, each_kind_of_problem_has_the_fingerprint_of_e30394d);
    tcase_add_loop_test(tc, no_words_change_a_fingerprint, 0, 4);
    tcase_add_test(tc, what_went_wrong_changes_the_fingerprint);
    suite_add_tcase(suite, tc);
    return suite;
}
