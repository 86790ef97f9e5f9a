/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define TESTER "cc_engine tester"
#define DRAW   "cc_result randomize_path=1"
#define P(n)   "< push_data psn=" #n "r rsn=" #n "r len=4"

static struct outcome q7(const char *const *lines)
{
    return queue_run("Q7", &clean, lines);
}

START_TEST(a_path_that_changes_when_asked)
{
    ck_holds(q7(LINES(TESTER, "path 5", P(0), DRAW, "path 6", P(1))), 1);
    ck_holds(q7(LINES(TESTER, "path 5", P(0), "path 5", P(1))), 0);
    /* a draw may give the same */
    ck_holds(q7(LINES(TESTER, "path 5", P(0), DRAW, "path 5", P(1))), 0);
    /* each window has its path; copies and packets without one say nothing */
    ck_holds(q7(LINES(TESTER, "path 5", P(0), "path 6", "< pull_request psn=0r rsn=1r len=4",
                      "path 7", P(0), P(1))),
             0);
}
END_TEST

/* Commands ask for a path, too, and need no queues: changes that nobody sees are allowed. */
START_TEST(FTP_10_6_2_2_03_twenty_commands_without_a_change)
{
    const char *lines[70];
    char packets[22][64];
    unsigned n = 0;

    for (unsigned i = 0; i < 21; i++) {
        (void)snprintf(packets[i], sizeof packets[i], "< push_data psn=%ur rsn=%ur len=4", i,
                       i);
        lines[n++] = "path 5";
        lines[n++] = packets[i];
        lines[n++] = "set {\"randomize_path\": true}";
    }
    lines[n] = NULL;
    ck_breaks(q7(lines), "FTP-10.6.2.2-03", 1);
    lines[n - 3] = "path 6"; /* the last one changes */
    ck_holds(q7(lines), 1);
    lines[n - 3] = "path 5";
    lines[2] = "set {\"randomize_path\": false}"; /* one less */
    ck_holds(q7(lines), 0);
}
END_TEST

START_TEST(FTP_10_6_2_2_03_twenty_draws_without_a_change)
{
    const char *lines[70];
    char packets[22][64];
    unsigned n = 0;

    lines[n++] = TESTER;
    for (unsigned i = 0; i < 21; i++) {
        (void)snprintf(packets[i], sizeof packets[i], "< push_data psn=%ur rsn=%ur len=4", i,
                       i);
        lines[n++] = "path 5";
        lines[n++] = packets[i];
        lines[n++] = DRAW;
    }
    lines[n] = NULL;
    ck_breaks(q7(lines), "FTP-10.6.2.2-03", 1);
    lines[n - 3] = "path 6"; /* the last one changes */
    ck_holds(q7(lines), 1);
}
END_TEST

START_TEST(FTP_10_4_11_a_change_that_nobody_asked_for_is_a_warning)
{
    ck_warns(q7(LINES(TESTER, "path 5", P(0), "path 6", P(1))), "FTP-10.4-11");
    ck_warns(q7(LINES(TESTER, DRAW, "path 5", P(0), "path 6", P(1))), "FTP-10.4-11");
    ck_holds(
        q7(LINES(TESTER, "path 5", P(0), "set {\"randomize_path\": true}", "path 6", P(1))), 1);
    ck_warns(
        q7(LINES(TESTER, "path 5", P(0), "set {\"params\": {\"fcwnd\": 9}}", "path 6", P(1))),
        "FTP-10.4-11");
    ck_holds(q7(LINES("path 5", P(0), "path 6", P(1))), 0); /* its own engine may have */
}
END_TEST

START_TEST(a_result_may_be_applied_later)
{
    ck_holds(q7(LINES(TESTER, "path 5", P(0), "cc_result> randomize_path=1", "path 5", P(1),
                      "path 6", P(2))),
             1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q7");
    TCase *tc = tcase_create("rule Q7");

    tcase_add_test(tc, a_path_that_changes_when_asked);
    tcase_add_test(tc, FTP_10_6_2_2_03_twenty_draws_without_a_change);
    tcase_add_test(tc, FTP_10_6_2_2_03_twenty_commands_without_a_change);
    tcase_add_test(tc, FTP_10_4_11_a_change_that_nobody_asked_for_is_a_warning);
    tcase_add_test(tc, a_result_may_be_applied_later);
    suite_add_tcase(suite, tc);
    return suite;
}
