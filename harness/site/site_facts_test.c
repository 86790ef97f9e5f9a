/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/site/site_facts.h"

#include "harness/site/path_check.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tl_bench_facts facts;
static struct fal_error err;
static char file[] = "/tmp/talon-facts-XXXXXX";

static const char *write_file(const char *text)
{
    int fd;

    (void)snprintf(file, sizeof file, "/tmp/talon-facts-XXXXXX");
    fd = mkstemp(file);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    ck_assert_int_eq(close(fd), 0);
    return file;
}

START_TEST(a_host_is_told_in_words)
{
    char wrong[TL_FACT_TEXT];
    const char *name = write_file(
        "{\"schema\": \"talon/host-check/1\", \"interface\": \"va\", \"mtu\": 1500, "
        "\"stamp_error_ns\": 50000, \"findings\": [{\"id\": \"gro\", \"ok\": false, \"weight\": \"falsifies\"},"
        "{\"id\": \"lro\", \"ok\": true, \"weight\": \"falsifies\"},"
        "{\"id\": \"rss\", \"ok\": false, \"weight\": \"limits\"}]}");

    ck_assert_int_eq(tl_site_facts_load(&facts, name, NULL, NULL, &err), 0);
    ck_assert_str_eq(facts.host,
                     "host-check: va, MTU 1500; may falsify verdicts: gro; limits tests: rss");
    ck_assert_uint_eq(facts.stamp_error_ns, 50000);
    tl_site_facts_wrong(&facts, wrong);
    ck_assert_str_eq(wrong, "gro");
    ck_assert(!facts.has_limits);
    tl_site_facts_free(&facts);
    (void)unlink(file);
}
END_TEST

START_TEST(a_measured_path_sets_limits)
{
    struct tl_path_report report = {
        .method = TL_PATH_BY_ECHO,
        .num_paths = 2,
        .paths = {{.sent = 10, .received = 9, .rtt_max_ns = 1000},
                  {.sent = 10, .received = 10, .rtt_max_ns = 3000, .duplicates = 1}}};
    json_t *document = tl_path_report_json(&report, "udp:127.0.0.1:7777");
    char *text = json_dumps(document, 0);

    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(tl_site_facts_load(&facts, NULL, write_file(text), NULL, &err), 0);
    ck_assert(facts.has_limits && facts.limits.in_order && !facts.limits.no_duplicates);
    ck_assert_uint_eq(facts.limits.round_trip_ns, 3000);
    ck_assert_uint_eq(facts.limits.delay_max_ns, 4 * 3000 + 50 * FAL_MS);
    ck_assert_str_eq(
        facts.path,
        "path-check: round trip at most 3 us, 19 of 20 probes came back, in order, duplicates");
    ck_assert_str_eq(facts.host, "");
    tl_site_facts_free(&facts);
    free(text);
    json_decref(document);
    (void)unlink(file);
}
END_TEST

START_TEST(order_is_no_limit_where_something_was_overtaken_or_nothing_known)
{
    struct tl_path_report report = {.num_paths = 1,
                                    .paths = {{.sent = 10, .received = 10, .rtt_max_ns = 1}}};

    ck_assert(tl_path_limits(&report).in_order);
    report.paths[0].reordered_to = 1;
    ck_assert(!tl_path_limits(&report).in_order);
    report.paths[0].reordered_to = 0;
    report.paths[0].reordered_back = 1;
    ck_assert(!tl_path_limits(&report).in_order);
    report.paths[0].reordered_back = 0;
    report.method = TL_PATH_BY_FALCON;
    ck_assert(!tl_path_limits(&report).in_order);
    report.paths[0].rtt_max_ns = FAL_NEVER;
    ck_assert_uint_eq(tl_path_limits(&report).delay_max_ns, FAL_NEVER);
}
END_TEST

static const struct {
    bool path;
    const char *text, *why;
} bad[] = {
    {true, "", ":"},
    {true, "[]", "not a file that talon path-check"},
    {true, "{\"schema\": \"talon/host-check/1\"}", "not a file that talon path-check"},
    {true, "{\"schema\": \"talon/path-check/1\"}", "not a file that talon path-check"},
    {true, "{\"schema\": \"talon/path-check/1\", \"limits\": {\"round_trip_ns\": -1}}",
     "not a file that talon path-check"},
    {false, "{\"schema\": \"talon/path-check/1\"}", "not a file that talon host-check"},
    {false, "{", ":"},
};

START_TEST(other_files_are_refused)
{
    const char *name = write_file(bad[_i].text);

    ck_assert_int_eq(tl_site_facts_load(&facts, bad[_i].path ? NULL : name,
                                        bad[_i].path ? name : NULL, NULL, &err),
                     FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, bad[_i].why) != NULL, "%s", err.text);
    tl_site_facts_free(&facts);
    (void)unlink(file);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bench_facts");
    TCase *tc = tcase_create("facts");

    tcase_add_test(tc, a_host_is_told_in_words);
    tcase_add_test(tc, a_measured_path_sets_limits);
    tcase_add_test(tc, order_is_no_limit_where_something_was_overtaken_or_nothing_known);
    tcase_add_loop_test(tc, other_files_are_refused, 0, sizeof bad / sizeof *bad);
    suite_add_tcase(suite, tc);
    return suite;
}
