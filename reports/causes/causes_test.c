/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/causes/causes.h"

#include "reports/causes/evidence.h"
#include "reports/formats/wrap.h"
#include "reports/results/overview.h"
#include "reports/results/results_testing.h"

/* ---- cases ---- */

enum { CASES_MAX = 40 };

struct run {
    struct tl_case cases[CASES_MAX];
    char ids[CASES_MAX][16];
    const struct fal_requirement *covers[CASES_MAX];
    size_t count;
};

static struct tl_case *add_case(struct run *run, enum fal_verdict verdict, uint64_t frames)
{
    struct tl_case *c = &run->cases[run->count];

    ck_assert_uint_lt(run->count, CASES_MAX);
    (void)snprintf(run->ids[run->count], sizeof run->ids[0], "case-%zu", run->count);
    *c = (struct tl_case){.id = run->ids[run->count],
                          .title = "A title",
                          .file = "scenarios/9.1.6-acks/a.json",
                          .verdict = verdict,
                          .reason = tl_reason(TL_REASON_RULE),
                          .frames = frames};
    run->count++;
    return c;
}

static struct tl_problem *add_problem(struct tl_case *c, const char *rule,
                                      const char *requirement)
{
    struct tl_problem *p = tl_case_problem(c);

    p->kind = rule != NULL ? TL_PROBLEM_RULE : TL_PROBLEM_STEP;
    p->verdict = c->verdict;
    p->reason = tl_reason(rule != NULL ? TL_REASON_RULE : TL_REASON_UNMET);
    p->rule = rule != NULL ? fal_rule_find(rule) : NULL;
    p->requirement = fal_requirement_find(requirement);
    return p;
}

/* Failed cases that a rule found. */
static void add_failed(struct run *run, size_t n, const char *rule, const char *requirement)
{
    for (; n > 0; n--)
        add_problem(add_case(run, FAL_VERDICT_FAIL, 10), rule, requirement);
}

static void add_passed(struct run *run, size_t n, const char *requirement)
{
    for (; n > 0; n--) {
        struct tl_case *c = add_case(run, FAL_VERDICT_PASS, 10);

        run->covers[run->count - 1] = fal_requirement_find(requirement);
        c->covers = &run->covers[run->count - 1];
        c->num_covers = 1;
    }
}

static struct tl_results results_of(struct run *run)
{
    return some(run->cases, run->count);
}

static void find(struct run *run, struct tl_causes *causes)
{
    struct tl_results results = results_of(run);

    ck_assert_int_eq(tl_causes_make(&results, causes, NULL), 0);
}

static void drop(struct run *run, struct tl_causes *causes)
{
    tl_causes_free(causes);
    for (size_t i = 0; i < run->count; i++)
        tl_case_clear(&run->cases[i]);
}

static void ck_cause(const struct tl_cause *cause, const char *requirement, size_t cases,
                     int follows)
{
    ck_assert_str_eq(cause->requirement->id, requirement);
    ck_assert_uint_eq(cause->cases, cases);
    ck_assert_int_eq(cause->follows, follows);
}

/* ---- ranking ---- */

START_TEST(one_requirement_is_one_cause)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    add_failed(&run, 5, "R3", "FTP-9.1.6-08");
    add_case(&run, FAL_VERDICT_PASS, 1);
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 1);
    ck_assert_uint_eq(causes.failed, 5);
    ck_cause(&causes.list[0], "FTP-9.1.6-08", 5, -1);
    ck_assert_str_eq(causes.list[0].rule->id, "R3");
    ck_assert_ptr_null(tl_causes_of(&causes, 5));
    ck_assert_ptr_eq(tl_causes_of(&causes, 4), &causes.list[0]);
    drop(&run, &causes);
}
END_TEST

START_TEST(what_cases_that_pass_cover_is_less_suspect)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    for (int i = 0; i < 4; i++) {
        struct tl_case *c = add_case(&run, FAL_VERDICT_FAIL, 10);

        add_problem(c, "R3", "FTP-9.1.6-08");
        add_problem(c, "R1", "FTP-9.2.1-04");
    }
    add_passed(&run, 9, "FTP-9.1.6-08");
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 1);
    ck_cause(&causes.list[0], "FTP-9.2.1-04", 4, -1);
    drop(&run, &causes);
}
END_TEST

START_TEST(a_deed_weighs_more_than_that_nothing_came)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    for (int i = 0; i < 4; i++) {
        struct tl_case *c = add_case(&run, FAL_VERDICT_FAIL, 10);

        add_problem(c, "A2", "FTP-9.1.6-07");
        add_problem(c, "A5", "FTP-9.1.6-04");
    }
    add_failed(&run, 2, "A2", "FTP-9.1.6-07");
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 2);
    ck_cause(&causes.list[0], "FTP-9.1.6-04", 4, -1);
    ck_cause(&causes.list[1], "FTP-9.1.6-07", 2, 0); /* two of three show both */
    drop(&run, &causes);
}
END_TEST

START_TEST(a_symptom_replaces_what_the_rule_names)
{
    struct run run = {.count = 0};
    struct tl_causes causes;
    char sentence[TL_CAUSE_TEXT];

    for (int i = 0; i < 3; i++) {
        struct tl_problem *p =
            add_problem(add_case(&run, FAL_VERDICT_FAIL, 10), "A2", "FTP-9.1.6-07");

        p->symptoms[0] = TL_SYMPTOM_REQ_BIT_MISSING;
        p->num_symptoms = 1;
    }
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 1);
    ck_cause(&causes.list[0], "FTP-9.2.1-07", 3, -1);
    ck_assert_int_eq(causes.list[0].symptom, TL_SYMPTOM_REQ_BIT_MISSING);
    tl_cause_sentence(&causes.list[0], sentence);
    ck_assert_str_eq(sentence, "The req_bitmap of the SUT's EACK lacks the bit of a request "
                               "that has arrived.");
    ck_assert_ptr_eq(tl_cause_problem(&run.cases[0], &causes.list[0]),
                     &run.cases[0].problems[0]);
    drop(&run, &causes);
}
END_TEST

START_TEST(of_equals_the_basic_chapter_is_named)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    for (int i = 0; i < 3; i++) {
        struct tl_case *c = add_case(&run, FAL_VERDICT_FAIL, 10);

        add_problem(c, NULL, "FTP-6.6.6-01")->field = "data_rx_bitmap";
        add_problem(c, NULL, "FTP-9.2.1-09")->field = "data_rx_bitmap";
    }
    find(&run, &causes);
    ck_cause(&causes.list[0], "FTP-9.2.1-09", 3, -1);
    drop(&run, &causes);
}
END_TEST

START_TEST(two_requirements_of_a_kind_are_the_general_one)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    add_failed(&run, 4, "C2", "FTP-8.4.3.2-06");
    add_failed(&run, 4, "C2", "FTP-8.4.3.3-11");
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 1);
    ck_cause(&causes.list[0], "FTP-8.4.2-01", 8, -1);
    ck_assert_uint_eq(causes.list[0].num_also, 2);
    ck_assert(tl_causes_broken(&causes, fal_requirement_find("FTP-8.4.3.2-06")));
    ck_assert(!tl_causes_broken(&causes, fal_requirement_find("FTP-8.4.3.5-04")));
    drop(&run, &causes);
}
END_TEST

/* A timer that a piggyback stops sends no ACK in time: that is the root, if a third of the
 * cases shows it. */
START_TEST(a_root_comes_before_what_follows_from_it)
{
    for (unsigned shown = 0; shown < 2; shown++) {
        struct run run = {.count = 0};
        struct tl_causes causes;

        add_failed(&run, 6, "A2", "FTP-9.1.6-07");
        for (unsigned i = 0; i < 1 + shown; i++)
            (void)add_problem(&run.cases[i], NULL, "FTP-9.1.6-06");
        find(&run, &causes);
        if (shown == 0) {
            ck_assert_uint_eq(causes.count, 1);
            ck_cause(&causes.list[0], "FTP-9.1.6-07", 6, -1);
        } else {
            ck_assert_uint_eq(causes.count, 2);
            ck_cause(&causes.list[0], "FTP-9.1.6-06", 2, -1);
            ck_cause(&causes.list[1], "FTP-9.1.6-07", 4, 0);
        }
        drop(&run, &causes);
    }
}
END_TEST

/* Cases with Pull Data of a wrong length: n with NVMe, and others without it. */
static void add_lengths(struct run *run, size_t n, size_t others)
{
    for (size_t i = 0; i < n; i++) {
        struct tl_case *c = add_case(run, FAL_VERDICT_FAIL, 10);

        add_problem(c, "X1", "FTP-8.1-03");
        add_problem(c, "NV19", i % 2 == 0 ? "NVME-8.7-02" : "NVME-8.7-03");
    }
    add_failed(run, others, "X1", "FTP-8.1-03");
}

START_TEST(an_upper_layer_explains_what_is_seen_with_it_alone)
{
    struct run run = {.count = 0}, mixed = {.count = 0};
    struct tl_causes causes;

    add_lengths(&run, 20, 1);
    find(&run, &causes);
    ck_assert_str_eq(causes.list[0].requirement->spec, "NVME");
    ck_assert_str_eq(causes.list[0].rule->id, "NV19");
    ck_assert_uint_eq(causes.list[0].cases, 20);
    drop(&run, &causes);
    add_lengths(&mixed, 20, 10); /* the transport cuts the data of others, too */
    find(&mixed, &causes);
    ck_cause(&causes.list[0], "FTP-8.1-03", 30, -1);
    drop(&mixed, &causes);
}
END_TEST

START_TEST(malformed_packets_explain_other_rules)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    for (int i = 0; i < 6; i++) {
        struct tl_case *c = add_case(&run, FAL_VERDICT_FAIL, 10);

        add_problem(c, "R3", "FTP-9.1.6-08");
        add_problem(c, "L1", i < 3 ? "FTP-7.2-03" : "FTP-7.2-04");
    }
    find(&run, &causes);
    ck_assert_str_eq(causes.list[0].rule->id, "L1");
    drop(&run, &causes);
}
END_TEST

/* ---- independent causes and consequences ---- */

START_TEST(apart_means_independent)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    add_failed(&run, 6, "R3", "FTP-9.1.6-08");
    add_failed(&run, 4, "T1", "FTP-9.1.6-09");
    add_problem(add_case(&run, FAL_VERDICT_FAIL, 10), NULL, "FTP-9.1.4-08");
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 3);
    ck_cause(&causes.list[0], "FTP-9.1.6-08", 6, -1);
    ck_cause(&causes.list[1], "FTP-9.1.6-09", 4, -1);
    ck_cause(&causes.list[2], "FTP-9.1.4-08", 1, 0); /* only a step that saw nothing */
    ck_assert(!tl_causes_broken(&causes, fal_requirement_find("FTP-9.1.4-08")));
    drop(&run, &causes);
}
END_TEST

START_TEST(only_what_is_violated_is_booked)
{
    struct run run = {.count = 0};
    struct tl_causes causes;
    struct tl_overview overview;
    struct tl_results results;
    size_t failed = 0, follow = 0;

    add_failed(&run, 6, "R3", "FTP-9.1.6-08");
    add_problem(add_case(&run, FAL_VERDICT_FAIL, 10), NULL, "FTP-9.1.4-08");
    find(&run, &causes);
    results = results_of(&run);
    ck_assert_int_eq(tl_overview_make(&results, &overview, NULL), 0);
    ck_assert_uint_eq(overview.proofs[TL_PROOF_FAIL], 2);
    tl_causes_book(&causes, &overview);
    for (size_t i = 0; i < overview.num_requirements; i++) {
        failed += overview.requirements[i].proof == TL_PROOF_FAIL;
        follow += overview.requirements[i].proof == TL_PROOF_FOLLOWS;
    }
    ck_assert_uint_eq(failed, 1);
    ck_assert_uint_eq(follow, 1);
    ck_assert_uint_eq(overview.proofs[TL_PROOF_FAIL], 1);
    ck_assert_uint_eq(overview.proofs[TL_PROOF_FOLLOWS], 1);
    tl_overview_free(&overview);
    drop(&run, &causes);
}
END_TEST

START_TEST(other_verdicts_are_causes_by_their_reason)
{
    struct run run = {.count = 0};
    struct tl_causes causes;
    struct tl_case *c = add_case(&run, FAL_VERDICT_ERROR, 0);

    c->reason = tl_reason(TL_REASON_CONTROL_CLOSED);
    add_case(&run, FAL_VERDICT_ERROR, 0)->reason = tl_reason(TL_REASON_CONTROL_CLOSED);
    add_case(&run, FAL_VERDICT_INCONC, 0)->reason = tl_reason(TL_REASON_IN_LOSS);
    add_case(&run, FAL_VERDICT_FAIL, 0)->disposition = TL_WAIVED; /* counts for nothing */
    find(&run, &causes);
    ck_assert_uint_eq(causes.failed, 0);
    ck_assert_uint_eq(causes.count, 2);
    ck_assert_int_eq(causes.list[0].verdict, FAL_VERDICT_ERROR);
    ck_assert_int_eq(causes.list[0].reason, TL_REASON_CONTROL_CLOSED);
    ck_assert_uint_eq(causes.list[0].cases, 2);
    ck_assert_int_eq(causes.list[1].verdict, FAL_VERDICT_INCONC);
    ck_assert_int_eq(causes.list[1].follows, -1);
    drop(&run, &causes);
}
END_TEST

START_TEST(the_simplest_case_is_the_example)
{
    struct run run = {.count = 0};
    struct tl_causes causes;
    static const uint64_t frames[] = {9, 4, 7, 4, 30, 2};

    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        add_problem(add_case(&run, FAL_VERDICT_FAIL, frames[i]), "R3", "FTP-9.1.6-08");
    find(&run, &causes);
    ck_assert_uint_eq(causes.list[0].num_examples, 4);
    ck_assert_str_eq(causes.list[0].examples[0], "case-5");
    ck_assert_str_eq(causes.list[0].examples[1], "case-1"); /* the earlier of two */
    ck_assert_str_eq(causes.list[0].examples[2], "case-3");
    ck_assert_str_eq(causes.list[0].examples[3], "case-2");
    drop(&run, &causes);
}
END_TEST

/* Failures of many rules; packets were sent in each case, and `heard` of them got an answer. */
static void add_silent(struct run *run, int cases, int heard)
{
    static const char *const requirements[] = {"FTP-9.1.6-08", "FTP-9.2.2.4-08"};

    for (int i = 0; i < cases; i++) {
        add_failed(run, 1, i % 2 == 0 ? "R3" : "A3", requirements[i % 2]);
        run->cases[run->count - 1].silent = i >= heard;
    }
    add_case(run, FAL_VERDICT_INCONC, 2)->silent = true;
    add_case(run, FAL_VERDICT_PASS, 0); /* nothing was sent */
}

START_TEST(a_silent_sut_is_one_cause)
{
    struct run run = {.count = 0};
    struct tl_causes causes;
    char sentence[TL_CAUSE_TEXT];

    add_silent(&run, 7, 0);
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 1);
    ck_assert(tl_causes_silent(&causes));
    ck_assert_ptr_null(causes.list[0].requirement);
    ck_assert_uint_eq(causes.list[0].cases, 8);
    ck_assert_int_eq(causes.list[0].verdict, FAL_VERDICT_FAIL);
    ck_assert_ptr_eq(tl_causes_of(&causes, 7), &causes.list[0]);
    tl_cause_sentence(&causes.list[0], sentence);
    ck_assert_ptr_nonnull(strstr(sentence, "The SUT sent no packet in this run: "));
    drop(&run, &causes);
}
END_TEST

START_TEST(one_packet_is_no_silence)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    add_silent(&run, 20, 1);
    find(&run, &causes);
    ck_assert(!tl_causes_silent(&causes));
    ck_assert_ptr_nonnull(causes.list[0].requirement);
    drop(&run, &causes);
}
END_TEST

START_TEST(few_cases_prove_no_silence)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    add_silent(&run, 6, 0);
    find(&run, &causes);
    ck_assert(!tl_causes_silent(&causes));
    drop(&run, &causes);
}
END_TEST

START_TEST(no_failure_no_cause)
{
    struct run run = {.count = 0};
    struct tl_causes causes;

    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 0);
    drop(&run, &causes);
    add_case(&run, FAL_VERDICT_PASS, 3);
    find(&run, &causes);
    ck_assert_uint_eq(causes.count, 0);
    drop(&run, &causes);
}
END_TEST

/* ---- tables ---- */

START_TEST(each_symptom_has_a_requirement_and_a_word_of_its_own)
{
    for (int s = TL_SYMPTOM_NONE + 1; s < TL_SYMPTOM_COUNT; s++) {
        const struct tl_symptom_about *about = tl_symptom_about((enum tl_symptom)s);

        ck_assert_msg(fal_requirement_find(about->requirement) != NULL, "%s: no %s",
                      about->word, about->requirement);
        ck_assert_int_eq(tl_symptom_from(about->word), s);
    }
    ck_assert_int_eq(tl_symptom_from("of another version"), TL_SYMPTOM_NONE);
    ck_assert_ptr_null(tl_symptom_about(TL_SYMPTOM_NONE));
}
END_TEST

START_TEST(suspects_are_requirements_rules_and_reasons)
{
    size_t n;

    (void)fal_catalogue(&n);
    ck_assert_ptr_nonnull(tl_suspect_requirement(0));
    ck_assert_ptr_null(tl_suspect_requirement((tl_suspect)n));
    ck_assert_ptr_nonnull(tl_suspect_rule((tl_suspect)n));
    ck_assert_ptr_null(tl_suspect_rule(0));
    ck_assert_int_eq(tl_suspect_reason(0), TL_REASON_NONE);
}
END_TEST

/* ---- paragraphs ---- */

static void ck_paragraph(const char *text, const char *more, const char *due)
{
    char *out = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&out, &len);

    tl_put_paragraph(file, &(struct tl_paragraph){2, 10, "label", more}, text);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(out, due);
    free(out);
}

START_TEST(lines_have_at_most_100_columns)
{
    char words[101] = "", line[200] = "", due[300];

    ck_paragraph("a b  c", NULL, "  label   a b c\n");
    ck_paragraph("", NULL, "  label   \n");
    memset(words, 'w', 90);
    (void)snprintf(line, sizeof line, "%s v", words);
    (void)snprintf(due, sizeof due, "  label   %s\n          v\n", words);
    ck_paragraph(line, NULL, due);
    words[88] = 0;
    (void)snprintf(line, sizeof line, "%s v", words);
    (void)snprintf(due, sizeof due, "  label   %s \\\n          v\n", words);
    ck_paragraph(line, " \\", due);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("causes");
    TCase *tc = tcase_create("causes");

    tcase_add_test(tc, one_requirement_is_one_cause);
    tcase_add_test(tc, what_cases_that_pass_cover_is_less_suspect);
    tcase_add_test(tc, a_deed_weighs_more_than_that_nothing_came);
    tcase_add_test(tc, a_symptom_replaces_what_the_rule_names);
    tcase_add_test(tc, of_equals_the_basic_chapter_is_named);
    tcase_add_test(tc, two_requirements_of_a_kind_are_the_general_one);
    tcase_add_test(tc, a_root_comes_before_what_follows_from_it);
    tcase_add_test(tc, an_upper_layer_explains_what_is_seen_with_it_alone);
    tcase_add_test(tc, malformed_packets_explain_other_rules);
    tcase_add_test(tc, apart_means_independent);
    tcase_add_test(tc, only_what_is_violated_is_booked);
    tcase_add_test(tc, other_verdicts_are_causes_by_their_reason);
    tcase_add_test(tc, the_simplest_case_is_the_example);
    tcase_add_test(tc, a_silent_sut_is_one_cause);
    tcase_add_test(tc, one_packet_is_no_silence);
    tcase_add_test(tc, few_cases_prove_no_silence);
    tcase_add_test(tc, no_failure_no_cause);
    tcase_add_test(tc, each_symptom_has_a_requirement_and_a_word_of_its_own);
    tcase_add_test(tc, suspects_are_requirements_rules_and_reasons);
    tcase_add_test(tc, lines_have_at_most_100_columns);
    suite_add_tcase(suite, tc);
    return suite;
}
