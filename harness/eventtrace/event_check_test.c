/* SPDX-License-Identifier: Apache-2.0
 * event_check_test.c - files of event traces are read, judged and reported; errors name line,
 * member and what was expected. */
#include "harness/eventtrace/event_check.h"
#include "harness/eventtrace/trace_read.h"
#include "harness/tally/tally_print.h"
#include "reports/base/status.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *line, *error; /* NULL: none */
} lines[] = {
    {"{\"at_ns\": 1, \"point\": \"source\", \"flow\": 7}", NULL},
    {"{\"at_ns\": 1, \"point\": \"fifo\", \"act\": \"in\", \"queue\": \"rx\"}", NULL},
    {"{\"at_ns\": 1, \"point\": \"fifo\"}",
     "act: expected in or out at point fifo, found none"},
    {"{\"at_ns\": 1, \"point\": \"ccp\", \"act\": \"hit\"}",
     "act: expected start or end at point ccp, found another act"},
    {"{\"at_ns\": 1, \"point\": \"ccp\", \"act\": \"done\"}", "act: expected in, out"},
    {"{\"at_ns\": 1}", "point: "},
    {"{\"point\": \"source\"}", "at_ns: "},
    {"{\"at_ns\": -1, \"point\": \"source\"}", "at_ns: expected"},
    {"{\"at_ns\": 1, \"point\": \"source\", \"flow\": 4294967296}", "flow: expected"},
    {"{\"at_ns\": 1, \"point\": \"source\", \"kind\": \"tx\"}", "kind: expected TX, CNP"},
    {"{\"at_ns\": 1, \"point\": \"source\", \"flows\": 1}",
     "flows: unknown; did you mean 'flow'?"},
    {"{\"at_ns\": 1, \"at_ns\": 2}", "column 20: expected a JSON object: duplicate"},
    {"[1]", "expected a JSON object"},
    {"", "column 0: expected a JSON object"},
};

START_TEST(a_line_is_read_or_refused)
{
    struct fal_ep_event event;
    struct fal_error err = {{0}};
    int rc = tl_event_line_read(lines[_i].line, strlen(lines[_i].line), &event, &err);

    if (lines[_i].error == NULL) {
        ck_assert_msg(rc == 0, "%s", err.text);
        ck_assert_uint_eq(event.at_ns, 1);
    } else {
        ck_assert_int_eq(rc, FAL_ERR_FORM);
        ck_assert_msg(strncmp(err.text, lines[_i].error, strlen(lines[_i].error)) == 0,
                      "expected '%s', found '%s'", lines[_i].error, err.text);
    }
}
END_TEST

static const struct {
    const char *text, *error;
} setups[] = {
    {"{}", NULL},
    {"{\"slices\": 4, \"classes\": [0, 1, 1, 2, 3, 0, 4], \"ends_at_rest\": true}", NULL},
    {"{\"classes\": [0, 1, 1, 2, 3, 0, 8]}",
     "classes: expected a class below 8 for FW, found 8"},
    {"{\"classes\": [0, 1]}", "classes: expected a list of 7 numbers"},
    {"{\"th1\": [0, 9, 0, 0, 0, 0, 0], \"th2\": [0, 8, 0, 0, 0, 0, 0]}",
     "th1, th2: expected TH1 of CNP not above TH2, found 9 and 8"},
    {"{\"slice\": 4}", "slice: unknown; did you mean 'slices'?"},
    {"{\n\"slices\": }", "line 2, column 11: expected a JSON object"},
};

START_TEST(a_setup_is_read_or_refused)
{
    struct fal_ep_setup setup;
    struct fal_error err = {{0}};
    int rc = tl_event_setup_parse(setups[_i].text, strlen(setups[_i].text), &setup, &err);

    ck_assert_msg(setups[_i].error == NULL
                      ? rc == 0
                      : rc == FAL_ERR_FORM &&
                            strncmp(err.text, setups[_i].error, strlen(setups[_i].error)) == 0,
                  "%s: found '%s'", setups[_i].text, err.text);
}
END_TEST

/* Writes a file; its name is valid until the next call with that index. */
static const char *file_of(int index, const char *text)
{
    static char names[2][40];
    int fd;

    strcpy(names[index], "/tmp/event_check_test_XXXXXX");
    fd = mkstemp(names[index]);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    ck_assert_int_eq(close(fd), 0);
    return names[index];
}

static int check(const char *trace, const char *setup, bool json, char **report,
                 struct fal_error *err)
{
    const char *trace_file = file_of(0, trace), *setup_file = file_of(1, setup);
    struct tl_event_check *command = tl_event_check_new(setup_file, err);
    size_t len;
    FILE *out = open_memstream(report, &len);
    int rc;

    ck_assert_ptr_nonnull(command);
    rc = tl_event_check_file(command, trace_file, err);
    if (rc == 0) {
        tl_event_check_end(command);
        ck_assert_int_eq(tl_event_check_print(command, json, out), 0);
        rc = tl_tally_exit_status(tl_event_check_tally(command));
    }
    tl_event_check_free(command);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(unlink(trace_file), 0);
    ck_assert_int_eq(unlink(setup_file), 0);
    return rc;
}

#define SETUP "{\"classes\": [0, 1, 1, 2, 3, 0, 4]}"
#define BURSTS                                                                         \
    "{\"at_ns\": 1, \"point\": \"source\", \"flow\": 7, \"seq\": 1, \"bytes\": 9}\n\n" \
    "{\"at_ns\": 2, \"point\": \"source\", \"flow\": 7, \"seq\": 2, \"bytes\": 9}\n"
#define MERGED(bytes)                                                                  \
    "{\"at_ns\": 3, \"point\": \"ccp\", \"act\": \"start\", \"flow\": 7, \"seq\": 1, " \
    "\"last_seq\": 2, \"count\": 2, \"bytes\": " bytes "}\n"

START_TEST(a_trace_is_judged)
{
    struct fal_error err = {{0}};
    char *report;

    ck_assert_int_eq(check(BURSTS MERGED("18"), SETUP, false, &report, &err), TL_STATUS_PASS);
    ck_assert_msg(strstr(report, "3 events: pass\n") != NULL, "%s", report);
    free(report);
    ck_assert_int_eq(check(BURSTS MERGED("9"), SETUP, false, &report, &err), TL_STATUS_FAIL);
    ck_assert_msg(strstr(report, "number 4, flow 7: class event of class 0, count 2: bytes: "
                                 "expected 18, found 9") != NULL,
                  "%s", report);
    free(report);
    ck_assert_int_eq(
        check("{\"at_ns\": 1, \"point\": \"table\"}\n", SETUP, false, &report, &err),
        TL_STATUS_INCONC);
    free(report);
}
END_TEST

START_TEST(the_report_in_JSON_fits_its_table)
{
    struct fal_error err = {{0}};
    struct fal_misfit wrong = {.depth = 0};
    char *text;
    json_t *report;

    ck_assert_int_eq(check(BURSTS MERGED("9"), SETUP, true, &text, &err), TL_STATUS_FAIL);
    report = json_loads(text, 0, NULL);
    ck_assert_msg(fal_shape_read(&tl_event_check_shape, report, NULL, false, &wrong) == 0, "%s",
                  wrong.text);
    ck_assert_str_eq(json_string_value(json_object_get(report, "verdict")), "fail");
    ck_assert_int_eq(json_integer_value(json_object_get(report, "events")), 3);
    json_decref(report);
    free(text);
}
END_TEST

static void ck_refused(const char *trace, const char *setup, const char *expected)
{
    struct fal_error err = {{0}};
    char *report;

    ck_assert_int_eq(check(trace, setup, false, &report, &err), FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, expected) != NULL, "expected '%s', found '%s'", expected,
                  err.text);
    ck_assert_str_eq(report, "");
    free(report);
}

START_TEST(errors_name_the_line)
{
    ck_refused(BURSTS "{\"at_ns\": 1, \"point\": \"source\"}\n", SETUP,
               ":4: at_ns: expected at least 2, the time of the line before, found 1; sort");
    ck_refused(BURSTS "{\"at_ns\": 2, \"point\": \"sources\"}\n", SETUP,
               ":4: point: expected source, wred");
    ck_refused("\n", SETUP, ": the trace has no line");
    ck_refused(BURSTS, "{\"slices\": \"four\"}", ": slices: expected");
}
END_TEST

START_TEST(a_missing_file_is_named)
{
    struct fal_error err = {{0}};
    struct tl_event_check *command = tl_event_check_new(NULL, &err);

    ck_assert_ptr_nonnull(command);
    ck_assert_int_eq(tl_event_check_file(command, "/nonexistent/trace.jsonl", &err),
                     FAL_ERR_IO);
    ck_assert_str_eq(err.text, "/nonexistent/trace.jsonl: No such file or directory");
    tl_event_check_free(command);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("talon check --event-trace");
    TCase *tc = tcase_create("event traces");

    tcase_add_loop_test(tc, a_line_is_read_or_refused, 0, (int)(sizeof lines / sizeof *lines));
    tcase_add_loop_test(tc, a_setup_is_read_or_refused, 0,
                        (int)(sizeof setups / sizeof *setups));
    tcase_add_test(tc, a_trace_is_judged);
    tcase_add_test(tc, the_report_in_JSON_fits_its_table);
    tcase_add_test(tc, errors_name_the_line);
    tcase_add_test(tc, a_missing_file_is_named);
    suite_add_tcase(suite, tc);
    return suite;
}
