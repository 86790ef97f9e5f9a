/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/overview.h"

#include "reports/results/results_testing.h"

static const struct fal_requirement *covered[1];

static struct tl_case covering(const char *id, enum fal_verdict verdict)
{
    struct tl_case c = a_case(id, verdict);

    covered[0] = fal_requirement_find("FTP-9.1.6-03");
    c.covers = covered;
    c.num_covers = 1;
    return c;
}

/* What is known of FTP-9.1.6-03 after these cases. */
static enum tl_proof proof(struct tl_case *cases, size_t n)
{
    struct tl_results results = some(cases, n);
    struct tl_overview o;
    enum tl_proof is = TL_PROOF_KINDS;
    size_t sum = 0;

    ck_assert_int_eq(tl_overview_make(&results, &o, NULL), 0);
    for (size_t i = 0; i < o.num_requirements; i++)
        if (strcmp(o.requirements[i].requirement->id, "FTP-9.1.6-03") == 0)
            is = o.requirements[i].proof;
    for (int p = 0; p < TL_PROOF_KINDS; p++)
        sum += o.proofs[p];
    ck_assert_uint_eq(sum, o.num_requirements);
    tl_overview_free(&o);
    return is;
}

START_TEST(what_is_known_of_a_requirement)
{
    static const struct {
        enum fal_verdict one, other;
        enum tl_proof due;
    } rows[] = {
        {FAL_VERDICT_PASS, FAL_VERDICT_PASS, TL_PROOF_PASS},
        {FAL_VERDICT_PASS, FAL_VERDICT_INCONC, TL_PROOF_PASS},
        {FAL_VERDICT_INCONC, FAL_VERDICT_INCONC, TL_PROOF_UNDECIDED},
        {FAL_VERDICT_ERROR, FAL_VERDICT_INCONC, TL_PROOF_UNDECIDED},
        {FAL_VERDICT_PASS, FAL_VERDICT_WARN, TL_PROOF_WARN},
        {FAL_VERDICT_PASS, FAL_VERDICT_FAIL, TL_PROOF_FAIL},
        {FAL_VERDICT_WARN, FAL_VERDICT_FAIL, TL_PROOF_FAIL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_case cases[] = {covering("a", rows[i].one), covering("b", rows[i].other)};

        ck_assert_int_eq(proof(cases, 2), rows[i].due);
        tl_case_clear(&cases[0]);
        tl_case_clear(&cases[1]);
    }
    ck_assert_int_eq(proof(NULL, 0), TL_PROOF_NOT_EXERCISED);
}
END_TEST

/* A pass elsewhere does not make good what was agreed to. */
START_TEST(what_was_agreed_to_is_no_pass)
{
    struct tl_case cases[] = {covering("a", FAL_VERDICT_PASS), covering("b", FAL_VERDICT_FAIL)};

    cases[1].problems[0].waiver = "W-1"; /* the case has other failures that are not waived */
    ck_assert_int_eq(proof(cases, 2), TL_PROOF_WAIVED);
    cases[1].problems[0].waiver = NULL;
    ck_assert_int_eq(proof(cases, 2), TL_PROOF_FAIL);
    cases[1].disposition = TL_EXPECTED_FAILURE;
    ck_assert_int_eq(proof(cases, 2), TL_PROOF_WAIVED);
    cases[1].disposition = TL_SKIPPED; /* it did not run */
    ck_assert_int_eq(proof(cases, 1), TL_PROOF_PASS);
    tl_case_clear(&cases[1]);
}
END_TEST

START_TEST(a_rule_that_held_is_no_case_about_it)
{
    struct tl_case c = a_case("a", FAL_VERDICT_PASS);
    const struct fal_rule *const *rules;
    const char *ids[8];
    size_t n;

    rules = fal_rules(&n);
    ck_assert_uint_gt(tl_rules_of(fal_requirement_find("FTP-9.1.6-03"), ids, 8), 0);
    c.rules = calloc(1, sizeof *c.rules);
    c.num_rules = 1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i]->id, ids[0]) == 0)
            c.rules[0] = (struct fal_rule_result){.rule = rules[i], .holds = 3};
    ck_assert_int_eq(proof(&c, 1), TL_PROOF_WATCHED);
    c.rules[0].excused[FAL_EXCUSE_OUT_LOSS] = 1; /* 3 of 4 decided are too few */
    ck_assert_int_eq(proof(&c, 1), TL_PROOF_UNDECIDED);
    c.rules[0].holds = 59;
    ck_assert_int_eq(proof(&c, 1), TL_PROOF_WATCHED);
    c.rules[0].excused[FAL_EXCUSE_OUT_LOSS] = 60;
    ck_assert_int_eq(proof(&c, 1), TL_PROOF_UNDECIDED);
    c.rules[0].subject = FAL_SUBJECT_TESTER;
    ck_assert_int_eq(proof(&c, 1), TL_PROOF_NOT_EXERCISED);
    tl_case_clear(&c);
}
END_TEST

static enum tl_proof proof_in(const struct tl_overview *o, const char *requirement)
{
    for (size_t i = 0; i < o->num_requirements; i++)
        if (strcmp(o->requirements[i].requirement->id, requirement) == 0)
            return o->requirements[i].proof;
    return TL_PROOF_NOT_EXERCISED;
}

/* Each requirement of a rule that held is watched, however many the rule has. */
START_TEST(all_requirements_of_a_rule_are_watched)
{
    struct tl_case c = a_case("a", FAL_VERDICT_PASS);
    const struct fal_rule *const *rules;
    size_t n;

    rules = fal_rules(&n);
    c.rules = calloc(1, sizeof *c.rules);
    c.num_rules = 1;
    for (size_t i = 0; i < n; i++) {
        struct tl_results results = some(&c, 1);
        struct tl_overview o;

        c.rules[0] = (struct fal_rule_result){.rule = rules[i], .holds = 59};
        ck_assert_int_eq(tl_overview_make(&results, &o, NULL), 0);
        for (const char *const *id = rules[i]->requirements; *id != NULL; id++)
            ck_assert_msg(proof_in(&o, *id) == TL_PROOF_WATCHED ||
                              proof_in(&o, *id) == TL_PROOF_PASS,
                          "%s of %s", *id, rules[i]->id);
        tl_overview_free(&o);
    }
    tl_case_clear(&c);
}
END_TEST

/* 3,000 packets with AR, of which so many were not answered: lost, says the rule, one by one.
 */
static struct tl_overview lossy(struct tl_case *c, uint64_t lost, struct fal_trials path)
{
    struct tl_results results = some(c, 1);
    struct tl_overview o;

    c->rules[0] = (struct fal_rule_result){.rule = fal_rule_find("A3"), .holds = 3000 - lost};
    c->rules[0].excused[FAL_EXCUSE_OUT_LOSS] = c->rules[0].events[FAL_EXCUSE_OUT_LOSS] = lost;
    results.path = path;
    ck_assert_int_eq(tl_overview_make(&results, &o, NULL), 0);
    ck_assert_int_eq(tl_results_status(&results), o.num_suspects > 0 ? 3 : 0);
    c->verdict = FAL_VERDICT_FAIL; /* no rule makes the status of a failure another one */
    ck_assert_int_eq(tl_results_status(&results), 1);
    c->verdict = FAL_VERDICT_PASS;
    return o;
}

START_TEST(FTP_9_1_6_03_excuses_do_not_add_up_to_a_pass)
{
    static const struct {
        uint64_t lost;
        struct fal_trials path;
        enum tl_proof due;
        size_t suspects; /* measured or not */
    } rows[] = {
        {2970, {0, 0}, TL_PROOF_UNDECIDED, 1},     {2970, {10000, 0}, TL_PROOF_UNDECIDED, 1},
        {2970, {100, 99}, TL_PROOF_UNDECIDED, 1},  {2970, {3000, 2970}, TL_PROOF_UNDECIDED, 0},
        {150, {0, 0}, TL_PROOF_WATCHED, 0},        {151, {0, 0}, TL_PROOF_UNDECIDED, 1},
        {9, {10000, 0}, TL_PROOF_WATCHED, 0},      {10, {10000, 0}, TL_PROOF_UNDECIDED, 1},
        {300, {10000, 1000}, TL_PROOF_WATCHED, 0},
    };
    struct tl_case c = a_case("a", FAL_VERDICT_PASS);

    c.rules = calloc(1, sizeof *c.rules);
    c.num_rules = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_overview o = lossy(&c, rows[i].lost, rows[i].path);
        char text[TL_SPENT_TEXT];

        ck_assert_msg(o.num_suspects == rows[i].suspects, "row %zu", i);
        for (size_t k = 0; k < o.num_requirements; k++)
            if (strcmp(o.requirements[k].requirement->id, "FTP-9.1.6-03") == 0)
                ck_assert_msg(o.requirements[k].proof == rows[i].due, "row %zu", i);
        if (o.num_suspects > 0) {
            tl_spent_text(&o.suspects[0], text);
            ck_assert_ptr_nonnull(strstr(text, "rule A3 reads inconclusive over the run"));
        }
        tl_overview_free(&o);
    }
    tl_case_clear(&c);
}
END_TEST

/* Probes during the cases count like those before the run, and each direction by itself: a loss
 * on the way to the SUT excuses no ACK on the way from it. */
START_TEST(FTP_9_1_6_03_a_case_measures_its_path)
{
    static const struct {
        struct fal_trials to_sut, from_sut;
        size_t suspects;
        const char *text;
    } rows[] = {
        {{0, 0}, {0, 0}, 0, NULL}, /* one in 20 is believed of a path that was not measured */
        {{3000, 60},
         {3000, 60},
         0,
         "the path lost 60 of 3000 probes on the way to the SUT and "
         "60 of 3000 on the way from the SUT"},
        {{3000, 60},
         {3000, 0},
         1,
         "the path lost 60 of 3000 probes on the way to the SUT and 0 "
         "of 3000 on the way from the SUT"},
        {{0, 0},
         {299, 0},
         0,
         "the path lost 0 of 299 probes on the way from the SUT; fewer than "
         "300 probes are no measurement"},
    };
    struct tl_case c = a_case("a", FAL_VERDICT_PASS);

    c.rules = calloc(1, sizeof *c.rules);
    c.num_rules = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TL_SPENT_TEXT];
        struct tl_overview o;

        c.path =
            (struct tl_case_path){.known = true, .way = {rows[i].to_sut, rows[i].from_sut}};
        o = lossy(&c, 60, (struct fal_trials){0, 0});
        ck_assert_msg(o.num_suspects == rows[i].suspects, "row %zu", i);
        ck_assert(tl_path_text(o.path, text) == (rows[i].text != NULL));
        if (rows[i].text != NULL)
            ck_assert_str_eq(text, rows[i].text);
        tl_overview_free(&o);
    }
    tl_case_clear(&c);
}
END_TEST

START_TEST(chapters_and_profiles_are_counted)
{
    struct tl_case cases[] = {a_case("a", FAL_VERDICT_PASS), a_case("b", FAL_VERDICT_FAIL),
                              a_case("c", FAL_VERDICT_PASS)};
    struct tl_results results;
    struct tl_overview o;

    cases[1].file = "scenarios/other/b.json";
    cases[2].profile = "security";
    results = some(cases, 3);
    results.profile = "core";
    ck_assert_int_eq(tl_overview_make(&results, &o, NULL), 0);
    ck_assert_uint_eq(o.chapters.count, 2);
    ck_assert_str_eq(o.chapters.list[0].name, "9.1.6-acks");
    ck_assert_uint_eq(o.chapters.list[0].cases, 2);
    ck_assert_uint_eq(o.chapters.list[1].counted[FAL_VERDICT_FAIL], 1);
    ck_assert_uint_eq(o.profiles.count, 2);
    ck_assert_str_eq(o.profiles.list[0].name, "core");
    ck_assert_uint_eq(o.profiles.list[1].cases, 1);
    ck_assert_uint_eq(o.num_failing, 1);
    ck_assert_str_eq(o.failing[0], "b");
    tl_overview_free(&o);
    tl_case_clear(&cases[1]);
}
END_TEST

/* ---- cases that cannot be had ---- */

static int begin(void *ctx, struct fal_error *err)
{
    (void)err;
    *(int *)ctx = 0;
    return 0;
}

static int two_and_no_more(void *ctx, struct tl_case *c, struct fal_error *err)
{
    int *given = ctx;

    if ((*given)++ == 2)
        return fal_fail(err, FAL_ERR_IO, "the disk is gone");
    *c = a_case("x", FAL_VERDICT_PASS);
    return 1;
}

START_TEST(a_source_that_breaks_off_is_no_end)
{
    static tl_report_fn *const all[] = {tl_report_html,     tl_report_junit, tl_report_sarif,
                                        tl_report_markdown, tl_report_tap,   tl_report_text,
                                        tl_report_json};
    int given = 0;
    struct tl_case_source source = {begin, two_and_no_more, &given};
    struct tl_results results = {.version = "1", .sut = "x", .source = &source};
    struct tl_tally tally;
    struct fal_error err = {{0}};
    FILE *null = fopen("/dev/null", "we");

    ck_assert_int_eq(tl_results_tally(&results, &tally, &err), FAL_ERR_IO);
    ck_assert_str_eq(err.text, "the disk is gone");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_int_eq(all[i](null, &results, NULL), FAL_ERR_IO);
    results.tally = &tally; /* known: they find out when they write */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_int_eq(all[i](null, &results, NULL), FAL_ERR_IO);
    (void)fclose(null);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("overview");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, what_is_known_of_a_requirement);
    tcase_add_test(tc, what_was_agreed_to_is_no_pass);
    tcase_add_test(tc, a_rule_that_held_is_no_case_about_it);
    tcase_add_test(tc, all_requirements_of_a_rule_are_watched);
    tcase_add_test(tc, FTP_9_1_6_03_excuses_do_not_add_up_to_a_pass);
    tcase_add_test(tc, FTP_9_1_6_03_a_case_measures_its_path);
    tcase_add_test(tc, chapters_and_profiles_are_counted);
    tcase_add_test(tc, a_source_that_breaks_off_is_no_end);
    suite_add_tcase(suite, tc);
    return suite;
}
