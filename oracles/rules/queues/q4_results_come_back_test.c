/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define ON     "cc_trace on"
#define TESTER "cc_engine tester"
#define LATER  "wait 2us"

static struct outcome q4(const char *const *lines)
{
    return queue_run("Q4", &clean, lines);
}

START_TEST(what_a_result_sets_comes_back)
{
    ck_holds(q4(LINES(ON, "entry event", "entry result rtt_state=5 cc_opaque=2", LATER,
                      "entry event rtt_state=5 cc_opaque=2")),
             1);
    ck_holds(q4(LINES(TESTER, "entry event", "cc_result ncwnd=3", "entry event ncwnd=3")), 1);
    /* the newest of them */
    ck_holds(q4(LINES(ON, "entry result ncwnd=3", "entry result ncwnd=4", LATER,
                      "entry event ncwnd=4")),
             1);
}
END_TEST

START_TEST(FTP_10_6_2_2_18_each_field)
{
    static const struct {
        const char *result, *requirement;
    } rows[] = {
        {"fcwnd_integer=9", "FTP-10.6.2.1-15"},
        {"fcwnd_fraction=9", "FTP-10.6.2.1-14"},
        {"inter_packet_gap=9", "FTP-10.6.2.1-16"},
        {"ncwnd=9", "FTP-10.6.2.1-17"},
        {"retransmit_timeout=9", "FTP-10.6.2.1-18"},
        {"fabric_window_time_marker=9", "FTP-10.6.2.1-25"},
        {"nic_window_time_marker=9", "FTP-10.6.2.1-26"},
        {"ncwnd_direction=1", "FTP-10.6.2.1-27"},
        {"base_delay_target=9", "FTP-10.6.2.1-28"},
        {"delay_state=9", "FTP-10.6.2.1-29"},
        {"rtt_state=9", "FTP-10.6.2.1-30"},
        {"cc_opaque=1", "FTP-10.6.2.1-31"},
    };
    char result[80], event[80];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(result, sizeof result, "entry result %s", rows[i].result);
        (void)snprintf(event, sizeof event, "entry event %s", rows[i].result);
        ck_breaks(q4(LINES(ON, result, LATER, "entry event")), rows[i].requirement, 1);
        ck_holds(q4(LINES(ON, result, LATER, event)), 1);
    }
}
END_TEST

/* Fields of two results do not mix. */
START_TEST(FTP_10_5_6_01_the_fields_of_one_result_belong_together)
{
    ck_breaks(q4(LINES(ON, "entry result ncwnd=3 rtt_state=3", LATER,
                       "entry result ncwnd=4 rtt_state=4", "entry event ncwnd=3 rtt_state=4")),
              "FTP-10.6.2.1-17", 1);
}
END_TEST

START_TEST(a_result_that_may_not_be_applied_yet)
{
    struct outcome o = q4(LINES(ON, "entry result ncwnd=3", "entry event ncwnd=9"));

    ck_assert_uint_eq(o.sut.broken, 0);
    ck_holds(q4(LINES(ON, "entry result ncwnd=3", LATER, "entry result ncwnd=4",
                      "entry event ncwnd=3", "entry event ncwnd=4")),
             2);
    ck_breaks(q4(LINES(ON, "entry result ncwnd=3", LATER, "entry result ncwnd=4", LATER,
                       "entry event ncwnd=3")),
              "FTP-10.6.2.1-17", 1);
    ck_holds(
        q4(LINES(TESTER, "cc_result ncwnd=3", "cc_result> ncwnd=4", "entry event ncwnd=3")), 1);
    ck_holds(
        q4(LINES(TESTER, "cc_result ncwnd=3", "cc_result> ncwnd=4", "entry event ncwnd=4")), 1);
    ck_breaks(
        q4(LINES(TESTER, "cc_result ncwnd=3", "cc_result ncwnd=4", "entry event ncwnd=3")),
        "FTP-10.6.2.1-17", 1);
}
END_TEST

START_TEST(other_commands_and_engines_that_are_not_seen)
{
    ck_holds(q4(LINES(ON, "entry result ncwnd=3", LATER, "set {\"params\": {\"ncwnd\": 9}}",
                      "entry event ncwnd=9")),
             0);
    ck_holds(q4(LINES(ON, "entry result", LATER, "cc_config {}", "entry event ncwnd=9")), 0);
    ck_holds(q4(LINES(ON, "entry result", LATER, "cc_trace off", ON, "entry event ncwnd=9")),
             0);
    ck_holds(q4(LINES(ON, "entry result", LATER, "dropped", "entry event ncwnd=9")), 0);
    /* a result of another connection */
    ck_holds(q4(LINES(TESTER, "cc_result ncwnd=3 connection_id=7", "entry event ncwnd=9")), 0);
}
END_TEST

START_TEST(more_results_than_are_kept)
{
#define R "cc_result> ncwnd=3"
    ck_holds(q4(LINES(TESTER, R, R, R, R, R, R, R, "entry event ncwnd=9")), 0);
    ck_assert_uint_eq(
        q4(LINES(TESTER, R, R, R, R, R, R, R, R, "entry event ncwnd=9")).sut.broken, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q4");
    TCase *tc = tcase_create("rule Q4");

    tcase_add_test(tc, what_a_result_sets_comes_back);
    tcase_add_test(tc, FTP_10_6_2_2_18_each_field);
    tcase_add_test(tc, FTP_10_5_6_01_the_fields_of_one_result_belong_together);
    tcase_add_test(tc, a_result_that_may_not_be_applied_yet);
    tcase_add_test(tc, other_commands_and_engines_that_are_not_seen);
    tcase_add_test(tc, more_results_than_are_kept);
    suite_add_tcase(suite, tc);
    return suite;
}
