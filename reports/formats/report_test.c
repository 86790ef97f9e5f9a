/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/formats/report.h"

#include "tests/testing.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct tl_results results;
static struct tl_case cases[4];

/* Four cases, one of each kind that looks different; the last is hostile. */
static void setup(void)
{
    static const struct fal_requirement *covers[1];
    struct tl_problem *p;

    covers[0] = fal_requirement_find("FTP-9.1.6-03");
    memset(cases, 0, sizeof cases);
    results = (struct tl_results){
        .version = "1.2.3", .sut = "builtin", .seed = 7, .cases = cases, .num_cases = 4};
    cases[0] = (struct tl_case){
        .id = "first",
        .title = "It works",
        .file = "scenarios/9.1.6-acks/first.json",
        .kind = "valid",
        .version = 2,
        .covers = covers,
        .num_covers = 1,
        .seed = 0xabc,
        .verdict = FAL_VERDICT_PASS,
        .duration_ns = 1500000,
        .num_attempts = 1,
    };
    cases[0].attempts[0].verdict = FAL_VERDICT_PASS;
    cases[1] = cases[2] = cases[3] = cases[0];

    cases[1].id = "second";
    cases[1].verdict = FAL_VERDICT_FAIL;
    cases[1].reason = tl_reason_from("unmet");
    cases[1].repeat = strdup("talon run x --seed 7");
    p = tl_case_problem(&cases[1]);
    p->kind = TL_PROBLEM_STEP;
    p->verdict = FAL_VERDICT_FAIL;
    p->reason = tl_reason_from("unmet");
    p->step = 3;
    p->line = 21;
    p->t_ns = 8000;
    p->requirement = covers[0];
    p->text = strdup("<=8us < back dbase=1r");
    p->expected = strdup("<=8us < back dbase=1r");
    p->seen = strdup("@8us < back dbase=0r");
    p->why = strdup("recv_data_base_psn: due 1r, seen 0r");
    ck_assert(tl_ladder_add(&p->ladder, &p->num_ladder, "@0 > push_data psn=0r", false));
    ck_assert(tl_ladder_add(&p->ladder, &p->num_ladder, "@8us < back dbase=0r", true));

    cases[2].id = "third";
    cases[2].verdict = FAL_VERDICT_INCONC;
    cases[2].reason = tl_reason_from("late");
    cases[2].num_attempts = 2;
    cases[2].attempts[0] = cases[2].attempts[1] =
        (struct tl_attempt){FAL_VERDICT_INCONC, tl_reason(TL_REASON_LATE)};

    cases[3].id = "fourth";
    cases[3].title = "Quotes \" & <angles> ]]> \x01\x1b[31m";
    cases[3].verdict = FAL_VERDICT_ERROR;
    cases[3].reason = tl_reason_from("control-garbage");
    p = tl_case_problem(&cases[3]);
    p->kind = TL_PROBLEM_BENCH;
    p->verdict = FAL_VERDICT_ERROR;
    p->reason = tl_reason_from("control-garbage");
    p->seen = strdup("\xff\xfe<script>");
}

static void teardown(void)
{
    for (size_t i = 0; i < 4; i++)
        tl_case_clear(&cases[i]);
}

static char *written(tl_report_fn *write)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    ck_assert_int_eq(write(out, &results, NULL), 0);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

static const char console[] =
    "pass          first                      It works\n"
    "FAIL          second                     It works\n"
    "  step 4, scenarios/9.1.6-acks/first.json:21: unmet\n"
    "    expected  <=8us < back dbase=1r\n"
    "    seen      @8us < back dbase=0r\n"
    "    because   recv_data_base_psn: due 1r, seen 0r\n"
    "    FTP-9.1.6-03 For Push Data with AR=1 the receiver sends the ACK as soon as the ULP acknowledges.\n"
    "    packets   @0 > push_data psn=0r\n"
    "            * @8us < back dbase=0r\n"
    "    reproduce with: talon run x --seed 7\n"
    "inconclusive  third                      It works (attempt 2; before: inconclusive late)\n"
    "ERROR         fourth                     Quotes \" & <angles> ]]> ??[31m\n"
    "  bench, control-garbage\n"
    "    seen      ?\?<script>\n"
    "4 cases: 1 passed, 1 failed, 1 inconclusive, 1 in error (seed 7)\n";

START_TEST(console_shows_what_was_due_and_seen)
{
    char *text = written(tl_report_text);

    ck_assert_str_eq(text, console);
    free(text);
}
END_TEST

/* Of a fixed ambiguity a SUT must keep to one reading over all cases. */
START_TEST(console_shows_readings_that_contradict_each_other)
{
    struct fal_reading_result swapped = {"AMB-06", "swapped", true, 3, 4, 0};
    struct fal_reading_result plain = {"AMB-06", "plain", false, 5, 6, 0};
    struct fal_reading_result late = {"AMB-18", "at once", true, 7, 8, 0};
    struct tl_case *const with[] = {&cases[0], &cases[1], &cases[2]};
    struct fal_reading_result *const readings[] = {&swapped, &plain, &late};
    char *text;

    for (size_t i = 0; i < 3; i++) {
        with[i]->readings = calloc(1, sizeof swapped);
        ck_assert_ptr_nonnull(with[i]->readings);
        with[i]->readings[0] = *readings[i];
        with[i]->num_readings = 1;
    }
    tl_results_gather(&results);
    text = written(tl_report_text);
    ck_assert_ptr_nonnull(strstr(text, "AMB-06: swapped (1 case;"));
    ck_assert_ptr_nonnull(strstr(text, "took the other reading in 1 case, but must keep"));
    ck_assert_ptr_nonnull(strstr(text, "talon explain AMB-06"));
    ck_assert_ptr_null(strstr(text, "talon explain AMB-18"));
    free(text);
}
END_TEST

START_TEST(junit_keeps_fail_error_and_inconclusive_apart)
{
    static const char head[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites tests=\"4\" failures=\"1\" errors=\"2\" time=\"0.006000000\">\n"
        "  <testsuite name=\"talon\" tests=\"4\" failures=\"1\" errors=\"2\" skipped=\"0\" time=\"0.006000000\">\n";
    char *text = written(tl_report_junit);

    ck_assert_int_eq(strncmp(text, head, sizeof head - 1), 0);
    ck_assert_ptr_nonnull(strstr(
        text, "<testcase name=\"first\" classname=\"talon.9_1_6-acks\" time=\"0.001500000\">\n"
              "    </testcase>"));
    ck_assert_ptr_nonnull(strstr(
        text,
        "<failure type=\"FTP-9.1.6-03\" message=\"cause 1: The SUT does not meet FTP-9.1.6-03: "
        "AR on push waits for ULP. fail: unmet; expected &lt;=8us &lt; back "
        "dbase=1r; seen @8us &lt; back dbase=0r\">FAIL "));
    ck_assert_ptr_nonnull(
        strstr(text, "<error type=\"inconclusive\" message=\"inconclusive: late\">"));
    ck_assert_ptr_nonnull(strstr(text,
                                 "<error type=\"error\" message=\"error: control-garbage; seen "
                                 "\xef\xbf\xbd\xef\xbf\xbd&lt;script&gt;\">"));
    ck_assert_ptr_nonnull(strstr(text, "Quotes &quot; &amp; &lt;angles&gt; ]]&gt; ??[31m"));
    for (const char *c = text; *c != 0; c++)
        ck_assert((unsigned char)*c >= ' ' || *c == '\n');
    free(text);
}
END_TEST

START_TEST(junit_gives_a_warning_its_text_and_no_failure)
{
    char *text;

    cases[1].verdict = FAL_VERDICT_WARN;
    text = written(tl_report_junit);
    ck_assert_ptr_null(strstr(text, "<failure"));
    ck_assert_ptr_nonnull(strstr(text, "<system-out>warn "));
    free(text);
}
END_TEST

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    ck_assert_msg(text != NULL, "no %s", key);
    return text;
}

START_TEST(json_has_it_all)
{
    char *text = written(tl_report_json), *again = written(tl_report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *all = json_object_get(root, "cases"), *second = json_array_get(all, 1);
    const json_t *problem = json_array_get(json_object_get(second, "problems"), 0);
    const json_t *packets = json_object_get(problem, "packets");

    ck_assert_str_eq(text, again);
    ck_assert_str_eq(text_at(root, "schema"), "talon/results/1");
    ck_assert_str_eq(text_at(root, "verdict"), "error");
    ck_assert_str_eq(text_at(root, "seed"), "7");
    ck_assert_int_eq(
        json_integer_value(json_object_get(json_object_get(root, "counts"), "inconclusive")),
        1);
    ck_assert_uint_eq(json_array_size(all), 4);
    ck_assert_str_eq(text_at(second, "id"), "second");
    ck_assert_str_eq(text_at(second, "verdict"), "fail");
    ck_assert_str_eq(text_at(second, "reason"), "unmet");
    ck_assert_str_eq(text_at(second, "seed"), "0x0000000000000abc");
    ck_assert_str_eq(text_at(second, "repeat"), "talon run x --seed 7");
    ck_assert_int_eq(json_integer_value(json_object_get(problem, "step")), 3);
    ck_assert_int_eq(json_integer_value(json_object_get(problem, "line")), 21);
    ck_assert_str_eq(text_at(problem, "requirement"), "FTP-9.1.6-03");
    ck_assert_str_eq(text_at(problem, "expected"), "<=8us < back dbase=1r");
    ck_assert_uint_eq(json_array_size(packets), 2);
    ck_assert(json_is_true(json_object_get(json_array_get(packets, 1), "evidence")));
    ck_assert_uint_eq(json_array_size(json_object_get(json_array_get(all, 2), "attempts")), 2);
    json_decref(root);
    free(again);
    free(text);
}
END_TEST

START_TEST(results_are_as_bad_as_their_worst)
{
    ck_assert_int_eq(tl_results_verdict(&results), FAL_VERDICT_ERROR);
    ck_assert_uint_eq(tl_results_count(&results, FAL_VERDICT_FAIL), 1);
    ck_assert_uint_eq(tl_results_count(&results, FAL_VERDICT_WARN), 0);
    ck_assert(tl_report_find("json") == tl_report_json);
    ck_assert(tl_report_find("pdf") == NULL);
}
END_TEST

START_TEST(a_full_disk_is_told)
{
    FILE *full = fopen("/dev/full", "w");

    if (full == NULL)
        return;
    (void)setvbuf(full, NULL, _IONBF, 0);
    ck_assert_int_eq(tl_report_json(full, &results, NULL), FAL_ERR_IO);
    ck_assert_int_eq(tl_report_junit(full, &results, NULL), FAL_ERR_IO);
    ck_assert_int_eq(tl_report_summary(full, &results), FAL_ERR_IO);
    (void)fclose(full);
}
END_TEST

/* Each disposition on the first case; the others out of the way. */
static void dispose(enum tl_disposition disposition, const char *why)
{
    results.num_cases = 1;
    cases[0].disposition = disposition;
    free(cases[0].why);
    cases[0].why = strdup(why);
}

START_TEST(dispositions_stand_beside_the_verdict)
{
    static const struct {
        enum tl_disposition disposition;
        enum fal_verdict verdict;
        const char *console, *junit;
        int status;
    } rows[] = {
        {TL_NOT_APPLICABLE, FAL_VERDICT_NONE,
         "n/a           first                      It works (not applicable: w)\n",
         "<skipped type=\"not applicable\" message=\"not applicable: w\">", 2},
        {TL_SKIPPED, FAL_VERDICT_NONE,
         "skipped       first                      It works (skipped: w)\n",
         "<skipped type=\"skipped\" message=\"skipped: w\">", 2},
        {TL_NOT_RUN, FAL_VERDICT_NONE,
         "not run       first                      It works (not run: w)\n",
         "<skipped type=\"not run\" message=\"not run: w\">", 2},
        {TL_WAIVED, FAL_VERDICT_FAIL,
         "waived        first                      It works (waived: w; verdict fail)\n",
         "<skipped type=\"waived\" message=\"waived: w\">", 0},
        {TL_EXPECTED_FAILURE, FAL_VERDICT_INCONC,
         "expected      first                      It works (expected failure: w; verdict inconclusive)\n",
         "<skipped type=\"expected failure\" message=\"expected failure: w\">", 0},
        {TL_UNEXPECTED_PASS, FAL_VERDICT_PASS,
         "unexpected    first                      It works (unexpected pass: w)\n",
         "<system-out>unexpected    first", 0},
        {TL_FLAKY, FAL_VERDICT_FAIL,
         "flaky         first                      It works (flaky: w; verdict fail)\n",
         "<skipped type=\"flaky\" message=\"flaky: w\">", 0},
        {TL_RAN, FAL_VERDICT_FAIL, "FAIL          first                      It works\n",
         "<failure type=\"fail\"", 1},
        {TL_RAN, FAL_VERDICT_INCONC, "inconclusive  first                      It works\n",
         "<error type=\"inconclusive\"", 3},
        {TL_RAN, FAL_VERDICT_NONE, "none          first                      It works\n",
         "<error type=\"inconclusive\"", 0},
        {TL_RAN, FAL_VERDICT_ERROR, "ERROR         first                      It works\n",
         "<error type=\"error\"", 4},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *said, *xml;

        dispose(rows[i].disposition, "w");
        cases[0].verdict = rows[i].verdict;
        said = written(tl_report_text);
        xml = written(tl_report_junit);
        ck_assert_msg(strncmp(said, rows[i].console, strlen(rows[i].console)) == 0, "%s", said);
        ck_assert_msg(strstr(xml, rows[i].junit) != NULL, "%s", xml);
        ck_assert_int_eq(tl_results_status(&results), rows[i].status);
        free(said);
        free(xml);
    }
    dispose(TL_UNEXPECTED_PASS, "w");
    cases[0].verdict = FAL_VERDICT_PASS;
    results.strict = true;
    ck_assert_int_eq(tl_results_status(&results), 1);
}
END_TEST

START_TEST(entries_without_use_fail_a_strict_run)
{
    static const struct {
        const char *state;
        int status;
    } rows[] = {{"used", 0},      {"unused", 1},    {"expired", 1},
                {"not-tried", 0}, {"other-sut", 0}, {"unexpected-pass", 1}};
    struct tl_waiver_use use = {.id = "W", .kind = "waiver"};

    results.num_cases = 1;
    results.waivers = &use;
    results.num_waivers = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        use.state = rows[i].state;
        results.strict = false;
        ck_assert_int_eq(tl_results_status(&results), 0);
        results.strict = true;
        ck_assert_int_eq(tl_results_status(&results), rows[i].status);
    }
    results.bad_files = 1;
    ck_assert_int_eq(tl_results_status(&results), 2);
}
END_TEST

START_TEST(chapters_and_colours)
{
    char *text;

    cases[1].file = "scenarios/6-x/second.json";
    text = written(tl_report_text);
    ck_assert_ptr_nonnull(
        strstr(text, "\n9.1.6-acks        3        1        .        .        1        1"));
    ck_assert_ptr_nonnull(strstr(text, "\n6-x               1        .        .        1"));
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, console_shows_what_was_due_and_seen);
    tcase_add_test(tc, console_shows_readings_that_contradict_each_other);
    tcase_add_test(tc, junit_keeps_fail_error_and_inconclusive_apart);
    tcase_add_test(tc, junit_gives_a_warning_its_text_and_no_failure);
    tcase_add_test(tc, json_has_it_all);
    tcase_add_test(tc, results_are_as_bad_as_their_worst);
    tcase_add_test(tc, a_full_disk_is_told);
    tcase_add_test(tc, dispositions_stand_beside_the_verdict);
    tcase_add_test(tc, entries_without_use_fail_a_strict_run);
    tcase_add_test(tc, chapters_and_colours);
    suite_add_tcase(suite, tc);
    return suite;
}
