/* SPDX-License-Identifier: Apache-2.0
 * judge_test.c - libtalon finds in frames and events that are handed in what it finds in their
 * file; and what callers may do wrong is an error. */
#include "harness/check/check_testing.h"
#include "harness/lib/feed_testing.h"

static struct talon_error err;

static struct talon_judge *new_judge(struct talon_setup *settings)
{
    struct talon_judge *judge = talon_judge_new(settings, NULL, &err);

    ck_assert_msg(judge != NULL, "%s", err.text);
    return judge;
}

static struct talon_setup *new_setup(const char *const *words, size_t count)
{
    struct talon_setup *settings = talon_setup_new(words, count, &err);

    ck_assert_msg(settings != NULL, "%s", err.text);
    return settings;
}
#define SETUP(...)                                \
    new_setup((const char *const[]){__VA_ARGS__}, \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* The report of a judge that has ended; the caller frees it. */
static char *report_of(struct talon_judge *judge, enum talon_report kind)
{
    struct feed_text text = {NULL, 0};

    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    ck_assert_int_eq(talon_judge_report(judge, kind, feed_write, &text), 0);
    talon_judge_free(judge);
    ck_assert_ptr_nonnull(text.text);
    return text.text;
}

/* ---- the same as of a file ---- */

static const char *const samples[] = {
    "tests/data/field.pcap",
    "tests/data/sample.pcap",
    "tests/data/captures/bare.pcap",
    "tests/data/captures/cooked2.pcapng",
    "tests/data/captures/extensions.pcap",
    "tests/data/captures/layers.pcap",
    "tests/data/captures/malformed.pcapng",
    "tests/data/captures/nvme.pcapng",
    "tests/data/captures/rdma.pcap",
    "tests/data/captures/udp-4.pcap",
    "tests/data/captures/udp-6.pcap",
    "tests/data/captures/psp_transport-4.pcapng",
    "tests/data/captures/psp_tunnel-6.pcap",
    "tests/data/captures/esp_transport-4.pcap",
    "tests/data/captures/esp_tunnel-6.pcap",
};

START_TEST(frames_are_judged_as_their_file)
{
    struct talon_setup *settings = SETUP("--psp-keys", "tests/data/psp-keys.json", "--esp-keys",
                                         "tests/data/esp-keys.json");
    struct talon_judge *from_file = new_judge(settings), *from_frames = new_judge(settings);
    int of_file = talon_judge_file(from_file, samples[_i], &err);
    char *a, *b;

    ck_assert_int_eq(feed_capture(from_frames, samples[_i], NULL, &err), 0);
    if (of_file != 0) /* it may have no Falcon packet */
        ck_assert_msg(strstr(err.text, "no Falcon packet") != NULL, "%s", err.text);
    a = report_of(from_file, TALON_REPORT_TEXT);
    b = report_of(from_frames, TALON_REPORT_TEXT);
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
    talon_setup_free(settings);
}
END_TEST

/* Fills r with the report that `talon check` prints. */
START_TEST(findings_are_those_of_the_command)
{
    struct scene scene = plain;
    struct talon_setup *settings;
    struct talon_judge *judge;
    char *text;

    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("a", &scene);
    ck_assert_int_eq(
        CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json"), "--complete-capture"), 1);
    settings = SETUP("--connections", in_dir("a.json"), "--complete-capture");
    judge = new_judge(settings);
    ck_assert_int_eq(feed_capture(judge, in_dir("a.pcap"), NULL, &err), 0);
    text = report_of(judge, TALON_REPORT_TEXT);
    ck_assert_str_eq(text, report);
    free(text);
    talon_setup_free(settings);
}
END_TEST

/* ---- findings ---- */

struct told {
    unsigned num;
    char rule[8], seen[200];
    uint64_t frame;
};

static void tell(void *ctx, const struct talon_finding *finding)
{
    struct told *told = ctx;

    if (told->num++ > 0)
        return;
    (void)snprintf(told->rule, sizeof told->rule, "%s", finding->rule);
    (void)snprintf(told->seen, sizeof told->seen, "%s", finding->seen);
    told->frame = finding->num_frames > 0 ? finding->frames[finding->num_frames - 1] : 0;
}

static void count_broken(void *ctx, const struct talon_result *result)
{
    *(uint64_t *)ctx += result->broken;
}

START_TEST(a_finding_is_told_at_once_and_listed)
{
    struct scene scene = plain;
    struct told told = {0};
    const struct talon_judge_options options = {
        .size = sizeof options, .finding = tell, .finding_ctx = &told};
    struct talon_setup *settings;
    struct talon_judge *judge;
    const struct talon_finding *finding;
    uint64_t broken = 0;
    size_t num = 0;

    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("a", &scene);
    settings = SETUP("--connections", in_dir("a.json"), "--complete-capture");
    judge = talon_judge_new(settings, &options, &err);
    ck_assert_ptr_nonnull(judge);
    ck_assert_int_eq(feed_capture(judge, in_dir("a.pcap"), NULL, &err), 0);
    ck_assert_uint_ge(told.num, 1);
    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    ck_assert_int_eq(talon_judge_verdict(judge), TALON_VERDICT_FAIL);
    finding = talon_judge_finding(judge, 0);
    ck_assert_ptr_nonnull(finding);
    ck_assert_str_eq(finding->rule, told.rule);
    ck_assert_str_eq(finding->seen, told.seen);
    ck_assert_str_eq(finding->requirement, "FTP-9.2.1-09");
    ck_assert_ptr_nonnull(finding->requirement_text);
    ck_assert_int_eq(finding->verdict, TALON_VERDICT_FAIL);
    ck_assert_uint_eq(finding->frames[finding->num_frames - 1], told.frame);
    ck_assert_uint_gt(told.frame, 0);
    while (talon_judge_finding(judge, num) != NULL)
        num++;
    ck_assert_uint_eq(num, told.num);
    talon_judge_results(judge, count_broken, &broken);
    ck_assert_uint_eq(broken, num);
    ck_assert_uint_gt(talon_judge_counts(judge)->packets, 0);
    ck_assert_uint_eq(talon_judge_counts(judge)->packets, talon_judge_counts(judge)->frames);
    talon_judge_free(judge);
    talon_setup_free(settings);
}
END_TEST

/* ---- events ---- */

static const char ulp_lines[] =
    "{\"schema\": \"talon/ulp/1\", \"ordered_events\": true, \"complete\": true}\n"
    "{\"t_ns\": 1700000000000000100, \"event\": \"ulp\", \"what\": \"post\"}\n";

START_TEST(events_need_a_named_sut_and_come_before_frames)
{
    struct talon_judge *judge = new_judge(NULL);
    struct talon_setup *settings = SETUP("--sut", "10.0.0.2");

    ck_assert_int_eq(talon_judge_event(judge, ulp_lines, strcspn(ulp_lines, "\n"), &err),
                     TALON_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "--sut"));
    talon_judge_free(judge);
    judge = new_judge(settings);
    ck_assert_int_eq(talon_judge_event(judge, "{\"schema\": \"talon/ulp/2\"}", 25, &err),
                     TALON_ERR_FORM);
    ck_assert_msg(talon_judge_event(judge, ulp_lines, strcspn(ulp_lines, "\n") + 1, &err) == 0,
                  "%s", err.text);
    ck_assert_int_eq(talon_judge_event(judge, "{}", 2, &err), TALON_ERR_FORM);
    ck_assert_msg(strncmp(err.text, "events:2: ", 10) == 0, "%s", err.text);
    ck_assert_int_eq(feed_capture(judge, "tests/data/sample.pcap", NULL, &err), 0);
    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    talon_judge_free(judge);
    judge = new_judge(settings);
    ck_assert_int_eq(feed_capture(judge, "tests/data/sample.pcap", NULL, &err), 0);
    ck_assert_int_eq(talon_judge_event(judge, ulp_lines, strcspn(ulp_lines, "\n"), &err),
                     TALON_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "before the first frame"));
    talon_judge_free(judge);
    talon_setup_free(settings);
}
END_TEST

START_TEST(a_timeline_comes_line_by_line)
{
    struct talon_judge *judge = new_judge(NULL);

    ck_assert_int_eq(talon_judge_event(judge, "{\"schema\": \"talon/timeline/1\"}", 30, &err),
                     0);
    ck_assert_int_eq(talon_judge_event(judge, "{\"event\": \"nothing\"}\n", 21, &err),
                     TALON_ERR_FORM);
    ck_assert_msg(strncmp(err.text, "line 2: ", 8) == 0, "%s", err.text);
    ck_assert_int_eq(talon_judge_file(judge, "tests/data/sample.pcap", &err), TALON_ERR_FORM);
    ck_assert_int_eq(talon_judge_frames(judge, NULL, 0, &err), TALON_ERR_FORM);
    ck_assert_int_eq(talon_judge_end(judge, NULL), 0);
    ck_assert_int_eq(talon_judge_event(judge, "", 0, &err), TALON_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "talon_judge_end"));
    talon_judge_free(judge);
}
END_TEST

/* ---- what callers do wrong ---- */

static const struct {
    const char *words[4];
    const char *error;
} wrong[] = {
    {{"--no-such"}, "--no-such"},
    {{"capture.pcap"}, "talon_judge_file"},
    {{"--join"}, "--join"},
    {{"--format", "json"}, "talon_judge_report"},
    {{"--report", "text:x"}, "talon_judge_report"},
    {{"--event-trace", "x"}, "talon_trace_new"},
    {{"--help"}, "--help"},
    {{"--param", "rto=fast"}, "rto=fast"},
    {{"--delay-min", "2us", "--delay-max", "1us"}, "above the longest"},
    {{"--connections", "/nonexistent"}, "/nonexistent"},
};

START_TEST(wrong_settings_are_refused)
{
    size_t count = 0;

    while (count < 4 && wrong[_i].words[count] != NULL)
        count++;
    ck_assert_ptr_null(talon_setup_new(wrong[_i].words, count, &err));
    ck_assert_int_eq(err.code, TALON_ERR_FORM);
    ck_assert_msg(strstr(err.text, wrong[_i].error) != NULL, "%s", err.text);
    ck_assert_ptr_null(talon_setup_new(wrong[_i].words, count, NULL));
}
END_TEST

START_TEST(wrong_frames_are_refused)
{
    static const uint8_t bytes[4];
    const struct talon_frame long_one = {.bytes = bytes, .captured = 262145},
                             unknown = {.bytes = bytes, .captured = 4, .linktype = 2},
                             short_one = {.bytes = bytes, .captured = 4, .length = 2};
    struct talon_judge *judge = new_judge(NULL);

    ck_assert_int_eq(talon_judge_frames(judge, &long_one, 1, &err), TALON_ERR_RANGE);
    ck_assert_int_eq(talon_judge_frames(judge, &unknown, 1, &err), TALON_ERR_TYPE);
    ck_assert_int_eq(talon_judge_frames(judge, &short_one, 1, &err), 0);
    ck_assert_int_eq(talon_judge_frames(judge, &(struct talon_frame){0}, 1, NULL), 0);
    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    ck_assert_uint_eq(talon_judge_counts(judge)->frames, 2);
    ck_assert_uint_eq(talon_judge_counts(judge)->no_falcon, 2);
    ck_assert_int_eq(talon_judge_verdict(judge), TALON_VERDICT_NONE);
    ck_assert_ptr_null(talon_judge_finding(judge, 0));
    talon_judge_free(judge);
    talon_judge_free(NULL);
    talon_setup_free(NULL);
}
END_TEST

/* A caller of an older header has a shorter structure: what follows it is not read. */
START_TEST(options_have_the_size_of_the_caller)
{
    struct scene scene = plain;
    struct told told = {0};
    const struct talon_judge_options options = {
        .size = offsetof(struct talon_judge_options, finding),
        .finding = tell,
        .finding_ctx = &told};
    struct talon_setup *settings;
    struct talon_judge *judge;

    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("a", &scene);
    settings = SETUP("--connections", in_dir("a.json"), "--complete-capture");
    judge = talon_judge_new(settings, &options, &err);
    ck_assert_ptr_nonnull(judge);
    ck_assert_int_eq(talon_judge_file(judge, in_dir("a.pcap"), &err), 0);
    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    ck_assert_int_eq(talon_judge_verdict(judge), TALON_VERDICT_FAIL);
    ck_assert_uint_eq(told.num, 0);
    talon_judge_free(judge);
    talon_setup_free(settings);
}
END_TEST

static int refuse(void *ctx, const char *bytes, size_t length)
{
    (void)ctx;
    (void)bytes;
    (void)length;
    return -1;
}

START_TEST(reports_are_written)
{
    struct talon_judge *judge = new_judge(NULL);
    struct talon_results *results = talon_results_new(NULL);
    char text[200];

    ck_assert_ptr_nonnull(results);
    ck_assert_int_eq(talon_judge_file(judge, "tests/data/field.pcap", &err), 0);
    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    ck_assert_int_eq(talon_judge_report(judge, TALON_REPORT_TEXT, refuse, NULL), TALON_ERR_IO);
    ck_assert_int_eq(talon_results_add(results, judge, "field", NULL), 0);
    ck_assert_int_eq(talon_results_add(results, judge, "again", "it ended early"), 0);
    talon_judge_free(judge);
    (void)snprintf(text, sizeof text, "tap:%s", in_dir("out"));
    ck_assert_int_eq(talon_results_write(results, text, NULL, &err), 0);
    slurp("out", report, sizeof report);
    ck_assert_ptr_nonnull(strstr(report, "1..2"));
    ck_assert_ptr_nonnull(strstr(report, "it ended early"));
    ck_assert_int_eq(talon_results_write(results, "pdf:x", NULL, &err), TALON_ERR_FORM);
    ck_assert_int_eq(talon_results_write(results, "junit:x", "hudson", &err), TALON_ERR_FORM);
    ck_assert_int_eq(talon_results_write(results, "text:/nonexistent/x", NULL, &err),
                     TALON_ERR_IO);
    talon_results_free(results);
    talon_results_free(NULL);
}
END_TEST

/* `size` 0 asks only whether there is one. */
static int hint(const char *sut, char *text, size_t size)
{
    struct talon_setup *settings = SETUP("--sut", sut);
    struct talon_judge *judge = new_judge(settings);
    int there;

    ck_assert_int_eq(talon_judge_file(judge, "tests/data/field.pcap", &err), 0);
    ck_assert_int_eq(talon_judge_end(judge, &err), 0);
    there = talon_judge_hint(judge, text, size);
    talon_judge_free(judge);
    talon_setup_free(settings);
    return there;
}

START_TEST(a_sut_that_is_not_there_is_hinted_at)
{
    char text[400] = "untouched";

    ck_assert_int_eq(hint("10.0.0.2", text, sizeof text), 0);
    ck_assert_str_eq(text, "untouched");
    ck_assert_int_eq(hint("10.9.9.9", text, sizeof text), 1);
    ck_assert_ptr_nonnull(strstr(text, "packets of 10.0.0.2 and 10.0.0.1"));
    ck_assert_int_eq(hint("10.9.9.9", text, 4), 1);
    ck_assert_str_eq(text, "no ");
    ck_assert_int_eq(hint("10.9.9.9", NULL, 0), 1);
}
END_TEST

START_TEST(names_of_verdicts)
{
    ck_assert_str_eq(talon_verdict_name(TALON_VERDICT_NONE), "none");
    ck_assert_str_eq(talon_verdict_name(TALON_VERDICT_ERROR), "error");
    ck_assert_ptr_null(talon_verdict_name((enum talon_verdict)6));
    ck_assert_ptr_nonnull(talon_version());
}
END_TEST

/* ---- event pipelines ---- */

START_TEST(a_trace_is_judged_line_by_line)
{
    static const char *const lines[] = {
        "{\"at_ns\": 1, \"point\": \"source\", \"flow\": 7, \"seq\": 1, \"bytes\": 9}\n",
        "",
        ("{\"at_ns\": 3, \"point\": \"ccp\", \"act\": \"start\", \"flow\": 7, \"seq\": 1, "
         "\"last_seq\": 1, \"count\": 1, \"bytes\": 8}"),
    };
    struct talon_trace *trace = talon_trace_new(NULL, &err);
    const struct talon_finding *finding;
    struct feed_text text = {NULL, 0};

    ck_assert_ptr_nonnull(trace);
    ck_assert_int_eq(talon_trace_verdict(trace), TALON_VERDICT_NONE);
    ck_assert_ptr_null(talon_trace_finding(trace, 0));
    for (size_t i = 0; i < 3; i++)
        ck_assert_msg(talon_trace_line(trace, lines[i], strlen(lines[i]), &err) == 0, "%s",
                      err.text);
    ck_assert_int_eq(talon_trace_line(trace, lines[0], strlen(lines[0]), &err), TALON_ERR_FORM);
    ck_assert_msg(strncmp(err.text, "at_ns: ", 7) == 0, "%s", err.text);
    ck_assert_int_eq(talon_trace_line(trace, "{}", 2, NULL), TALON_ERR_FORM);
    talon_trace_end(trace);
    ck_assert_int_eq(talon_trace_verdict(trace), TALON_VERDICT_FAIL);
    finding = talon_trace_finding(trace, 0);
    ck_assert_ptr_nonnull(finding);
    ck_assert_int_eq(strncmp(finding->rule, "EP", 2), 0);
    ck_assert_uint_eq(finding->connection, 7);
    ck_assert_uint_eq(finding->num_frames, 1);
    ck_assert_uint_eq(finding->frames[0], 3);
    ck_assert_int_eq(talon_trace_report(trace, TALON_REPORT_JSON, feed_write, &text), 0);
    ck_assert_ptr_nonnull(strstr(text.text, "talon/event-check/1"));
    ck_assert_int_eq(talon_trace_line(trace, lines[0], strlen(lines[0]), &err), TALON_ERR_FORM);
    ck_assert_int_eq(talon_trace_file(trace, "x", &err), TALON_ERR_FORM);
    free(text.text);
    talon_trace_free(trace);
    talon_trace_free(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("judge of libtalon");
    TCase *tc = tcase_create("judge");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, frames_are_judged_as_their_file, 0,
                        sizeof samples / sizeof *samples);
    tcase_add_test(tc, findings_are_those_of_the_command);
    tcase_add_test(tc, a_finding_is_told_at_once_and_listed);
    tcase_add_test(tc, events_need_a_named_sut_and_come_before_frames);
    tcase_add_test(tc, a_timeline_comes_line_by_line);
    tcase_add_loop_test(tc, wrong_settings_are_refused, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(tc, wrong_frames_are_refused);
    tcase_add_test(tc, options_have_the_size_of_the_caller);
    tcase_add_test(tc, reports_are_written);
    tcase_add_test(tc, a_sut_that_is_not_there_is_hinted_at);
    tcase_add_test(tc, names_of_verdicts);
    tcase_add_test(tc, a_trace_is_judged_line_by_line);
    suite_add_tcase(suite, tc);
    return suite;
}
