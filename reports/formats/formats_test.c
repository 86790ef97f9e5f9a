/* SPDX-License-Identifier: Apache-2.0
 * What each format makes of verdicts and dispositions, and of texts that want to be markup. */
#include "reports/results/results_testing.h"

#include "reports/base/utf8.h"

#include <jansson.h>

static const char hostile[] =
    "]]> --> <script>alert(1)</script> \"'><img src=x onerror=alert(2)> "
    "\x01\x1b[31m\xff\xfe \xe2\x80\xae | `x` # @all \\ %s\n...\nBail out!";

static struct tl_case cases[8];
static struct tl_results results;

/* One of each kind, every text of them hostile. */
static void setup(void)
{
    static struct tl_step_line steps[1];
    static struct tl_waiver_use waiver;
    static const enum fal_verdict verdicts[] = {
        FAL_VERDICT_PASS,  FAL_VERDICT_WARN, FAL_VERDICT_INCONC, FAL_VERDICT_FAIL,
        FAL_VERDICT_ERROR, FAL_VERDICT_FAIL, FAL_VERDICT_NONE,   FAL_VERDICT_PASS};
    static const char *const ids[] = {"c0<&\"'>", "c1#", "c2|", "c3*",
                                      "c4\\",     "c5",  "c6",  "c7"};
    char *megabyte = malloc((1 << 20) + 1);

    memset(megabyte, '<', 1 << 20);
    megabyte[1 << 20] = 0;
    for (size_t i = 0; i < 8; i++) {
        struct tl_flow_item *item;

        cases[i] = a_case(ids[i], verdicts[i]);
        cases[i].title = hostile;
        cases[i].file = "a/]]>\"'<script>/x\n.json";
        cases[i].evidence = strdup("javascript:alert(1)");
        cases[i].repeat = strdup(hostile);
        steps[0] = (struct tl_step_line){hostile, 3};
        cases[i].steps = malloc(sizeof *steps);
        cases[i].steps[0] = steps[0];
        cases[i].num_steps = 1;
        for (size_t k = 0; k < cases[i].num_problems; k++) {
            free(cases[i].problems[k].seen);
            free(cases[i].problems[k].expected);
            cases[i].problems[k].seen = strdup(hostile);
            cases[i].problems[k].expected = strdup(i == 3 ? megabyte : hostile);
            cases[i].problems[k].reason = tl_reason_from(hostile);
            cases[i].reason = tl_reason_from(hostile);
        }
        item = tl_case_flow(&cases[i]);
        item->kind = TL_FLOW_PACKET;
        item->text = strdup(hostile);
    }
    cases[5].disposition = TL_WAIVED;
    cases[5].why = strdup(hostile);
    cases[5].problems[0].waiver = hostile;
    cases[6].disposition = TL_NOT_APPLICABLE;
    cases[6].why = strdup("psp");
    cases[7].disposition = TL_UNEXPECTED_PASS;
    waiver =
        (struct tl_waiver_use){hostile, "waiver", hostile, "javascript:alert(3)", "used", 1};
    results = some(cases, 8);
    results.sut = hostile;
    results.waivers = &waiver;
    results.num_waivers = 1;
    free(megabyte);
}

static void teardown(void)
{
    for (size_t i = 0; i < 8; i++)
        tl_case_clear(&cases[i]);
}

static size_t times(const char *text, const char *word)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    return n;
}

/* Blanks what Markdown takes as code: between two runs of as many backticks. */
static void blank_code(char *text)
{
    while ((text = strchr(text, '`')) != NULL) {
        size_t ticks = strspn(text, "`"), run = 0;
        char *end = text + ticks;

        while ((end = strchr(end, '`')) != NULL && (run = strspn(end, "`")) != ticks)
            end += run;
        ck_assert_ptr_nonnull(end);
        memset(text, ' ', (size_t)(end - text) + ticks);
        text = end + ticks;
    }
}

START_TEST(nothing_hostile_is_markup_anywhere)
{
    static const struct {
        tl_report_fn *write;
        size_t scripts; /* elements of its own */
    } all[] = {{tl_report_html, 1}, {tl_report_junit, 0},    {tl_report_sarif, 0},
               {tl_report_tap, 0},  {tl_report_markdown, 0}, {tl_report_text, 0},
               {tl_report_json, 0}};
    const struct tl_report_options options = {.evidence = "ev/"};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = document(all[i].write, &results, &options);
        size_t len = strlen(text);

        ck_assert(tl_utf8_valid(text, len));
        for (size_t k = 0; k < len; k++)
            ck_assert((unsigned char)text[k] >= ' ' || text[k] == '\n' || text[k] == '\t');
        if (all[i].write == tl_report_markdown)
            blank_code(text);
        if (all[i].write == tl_report_html || all[i].write == tl_report_junit ||
            all[i].write == tl_report_markdown) {
            ck_assert_uint_eq(times(text, "<script"), all[i].scripts);
            ck_assert_uint_eq(times(text, "<img"), 0);
            ck_assert_uint_eq(times(text, "]]>"), 0);
        }
        if (all[i].write != tl_report_json)
            ck_assert_uint_lt(len, 1 << 20); /* a text of a megabyte is cut */
        free(text);
    }
}
END_TEST

START_TEST(links_of_a_page_lead_nowhere_else)
{
    const struct tl_report_options options = {.evidence = "ev/"};
    char *text = document(tl_report_html, &results, &options);

    ck_assert_ptr_null(strstr(text, "href=\"javascript"));
    ck_assert_ptr_nonnull(
        strstr(text, "href=\"./ev/javascript%3Aalert%281%29/packets.pcapng\""));
    for (const char *at = text; (at = strstr(at, " href=\"")) != NULL; at++)
        ck_assert_msg(strncmp(at + 7, "#", 1) == 0 || strncmp(at + 7, "./", 2) == 0 ||
                          strncmp(at + 7, "data:,", 6) == 0 || at[7] == '\'',
                      "%.60s", at);
    ck_assert_ptr_null(strstr(text, "http://"));
    ck_assert_ptr_null(strstr(text, "https://"));
    free(text);
}
END_TEST

START_TEST(sarif_holds_the_SUT_against_nothing_of_ours)
{
    char *text = document(tl_report_sarif, &results, NULL);
    json_error_t err;
    json_t *sarif = json_loads(text, 0, &err), *run, *result;
    size_t i, suppressed = 0, open = 0;

    ck_assert_msg(sarif != NULL, "%s", err.text);
    run = json_array_get(json_object_get(sarif, "runs"), 0);
    /* the causes of a warning, an inconclusive, a failure; a problem that is waived */
    ck_assert_uint_eq(json_array_size(json_object_get(run, "results")), 4);
    json_array_foreach(json_object_get(run, "results"), i, result)
    {
        suppressed += json_object_get(result, "suppressions") != NULL;
        open += strcmp(json_string_value(json_object_get(result, "kind")), "open") == 0;
        ck_assert_str_eq(json_string_value(json_object_get(result, "ruleId")), "FTP-9.1.6-03");
        ck_assert((json_object_get(result, "occurrenceCount") == NULL) ==
                  (json_object_get(result, "suppressions") != NULL));
    }
    ck_assert_uint_eq(suppressed, 1);
    ck_assert_uint_eq(open, 1);
    run = json_array_get(json_object_get(run, "invocations"), 0);
    ck_assert(json_is_false(json_object_get(run, "executionSuccessful")));
    ck_assert_uint_eq(json_array_size(json_object_get(run, "toolExecutionNotifications")), 1);
    json_decref(sarif);
    free(text);
}
END_TEST

START_TEST(tap_counts_what_it_planned)
{
    char *text = document(tl_report_tap, &results, NULL);

    ck_assert_int_eq(strncmp(text, "TAP version 14\n1..8\n", 20), 0);
    ck_assert_uint_eq(times(text, "\nok "), 4);     /* pass, warn, not applicable, unexpected */
    ck_assert_uint_eq(times(text, "\nnot ok "), 4); /* inconclusive, fail, error, waived */
    ck_assert_uint_eq(times(text, " # TODO waived"), 1);
    ck_assert_uint_eq(times(text, " # SKIP not applicable: psp"), 1);
    ck_assert_uint_eq(times(text, "\nBail out!"), 0);
    ck_assert_uint_eq(times(text, "\n  ---\n"), 6);
    ck_assert_uint_eq(times(text, "\n  ...\n"), 6);
    free(text);
    results.interrupted = true;
    results.strict = true;
    text = document(tl_report_tap, &results, NULL);
    ck_assert_uint_eq(times(text, "\nBail out! the run was interrupted\n"), 1);
    ck_assert_uint_eq(times(text, "\nnot ok "), 5);
    free(text);
}
END_TEST

START_TEST(junit_of_each_flavor)
{
    static const struct {
        enum tl_junit_flavor flavor;
        size_t files, properties, attachments;
    } rows[] = {
        {TL_JUNIT_JENKINS, 0, 1, 0}, {TL_JUNIT_GITLAB, 8, 1, 8}, {TL_JUNIT_RICH, 8, 9, 0}};

    for (size_t i = 0; i < 3; i++) {
        const struct tl_report_options options = {.junit = rows[i].flavor, .evidence = "ev/"};
        char *text = document(tl_report_junit, &results, &options);

        ck_assert_uint_eq(times(text, "<testcase "), 8);
        ck_assert_uint_eq(times(text, " file=\""), rows[i].files);
        ck_assert_uint_eq(times(text, "<properties>"), rows[i].properties);
        ck_assert_uint_eq(times(text, "[[ATTACHMENT|ev/"), rows[i].attachments);
        ck_assert_uint_eq(times(text, "<failure "), 1);
        ck_assert_uint_eq(times(text, "<error type=\"inconclusive\""), 1);
        ck_assert_uint_eq(times(text, "<error type=\"error\""), 1);
        ck_assert_uint_eq(times(text, "<skipped "), 2);
        free(text);
    }
    ck_assert_int_eq(tl_junit_flavor_from("gitlab"), TL_JUNIT_GITLAB);
    ck_assert_int_eq(tl_junit_flavor_from("other"), -1);
}
END_TEST

START_TEST(markdown_says_the_verdict_first)
{
    char *text = document(tl_report_markdown, &results, NULL);

    ck_assert_ptr_eq(strstr(text, "# "), text);
    ck_assert_ptr_nonnull(strstr(text, "Talon: error\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "**8 cases: 1 failed, 1 in error, 1 inconclusive, 1 with a warning"));
    ck_assert_uint_eq(times(text, "<details>"), 3);
    free(text);
}
END_TEST

/* A page of very many that failed stays of its size; what is left out is said. */
START_TEST(a_page_has_a_size)
{
    enum { MANY = 700, ITEMS = 60 };
    struct tl_case *many = calloc(MANY, sizeof *many);
    struct tl_case one = a_case("x", FAL_VERDICT_FAIL);
    struct tl_results all;
    char *text;

    for (size_t i = 0; i < ITEMS; i++) {
        struct tl_flow_item *item = tl_case_flow(&one);

        item->text = strdup("push_data dbase=0r rbase=0r psn=1r rsn=1r len=64");
        item->head_len = TL_FLOW_HEAD;
    }
    for (size_t i = 0; i < MANY; i++)
        many[i] = one;
    all = some(many, MANY);
    text = document(tl_report_html, &all, NULL);
    ck_assert_uint_lt(strlen(text), 10000000);
    ck_assert_uint_gt(times(text, "<figure>"), 100);
    ck_assert_uint_gt(times(text, "The page has grown to its size"), 100);
    ck_assert_uint_eq(times(text, "<figure>") + times(text, "The page has grown to its size"),
                      MANY);
    ck_assert_ptr_nonnull(strstr(text, "diagrams are left out for the size of the page"));
    free(text);
    free(many);
    tl_case_clear(&one);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("formats");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, nothing_hostile_is_markup_anywhere);
    tcase_add_test(tc, links_of_a_page_lead_nowhere_else);
    tcase_add_test(tc, sarif_holds_the_SUT_against_nothing_of_ours);
    tcase_add_test(tc, tap_counts_what_it_planned);
    tcase_add_test(tc, junit_of_each_flavor);
    tcase_add_test(tc, markdown_says_the_verdict_first);
    tcase_add_test(tc, a_page_has_a_size);
    suite_add_tcase(suite, tc);
    return suite;
}
