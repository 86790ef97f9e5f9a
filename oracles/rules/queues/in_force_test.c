/* SPDX-License-Identifier: Apache-2.0
 * in_force_test.c - X4, X5 and A6 where results of a Rate Update Engine, or `set`, move the
 * limits. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(n) "< push_data psn=" #n "r rsn=" #n "r len=4"

/* A SUT whose RUE takes up to 1 us; with `hidden`, one that moves limits. */
static struct fal_connection connection(bool hidden)
{
    struct fal_connection c = script_connection(&clean);

    c.rue = (struct fal_rue_facts){.known = true,
                                   .moves_limits = hidden,
                                   .has_latency = true,
                                   .latency_ns = FAL_US,
                                   .gap_tick_ps = 131072};
    c.params.fcwnd = 2;
    c.params.ncwnd = 64;
    return c;
}

static struct outcome moved(const char *rule, bool hidden, const char *const *lines)
{
    struct fal_connection c = connection(hidden);

    return script_run(rule, &clean, &c, lines);
}

START_TEST(limits_that_nobody_sees_convict_nobody)
{
    ck_breaks(moved("X4", false, LINES(P(0), P(1), P(2))), "FTP-9.1.2-04", 1);
    ck_holds(moved("X4", true, LINES(P(0), P(1), P(2))), 0);
    ck_holds(moved("X4", false, LINES("cc_config {}", P(0), P(1), P(2))), 0);
    /* The tester gives no result: they are those of open. */
    ck_breaks(moved("X4", false, LINES("cc_engine tester", P(0), P(1), P(2))), "FTP-9.1.2-04",
              1);
    /* What its own engine then does is not seen. */
    ck_holds(moved("X4", false, LINES("cc_engine tester", "cc_engine self", P(0), P(1), P(2))),
             0);
    /* Nor is what it did before. */
    ck_holds(moved("X4", true, LINES("cc_engine tester", P(0), P(1), P(2))), 0);
    ck_holds(moved("X4", true, LINES("cc_trace on", P(0), P(1), P(2))), 0);
}
END_TEST

START_TEST(FTP_10_6_2_2_18_results_of_the_tester_are_limits)
{
    ck_breaks(
        moved("X4", false,
              LINES("cc_engine tester", "cc_result fcwnd_integer=3", P(0), P(1), P(2), P(3))),
        "FTP-10.6.2.2-18", 1);
    ck_holds(moved("X4", false,
                   LINES("cc_engine tester", "cc_result fcwnd_integer=3", P(0), P(1), P(2))),
             1);
    /* Without a reply, the older window may hold, or the newer one. */
    ck_holds(moved("X4", false,
                   LINES("cc_engine tester", "cc_result> fcwnd_integer=3", P(0), P(1), P(2))),
             1);
    ck_holds(
        moved("X4", false, LINES("cc_engine tester", "cc_result> fcwnd_integer=1", P(0), P(1))),
        1);
    ck_breaks(
        moved("X4", false, LINES("cc_engine tester", "cc_result fcwnd_integer=1", P(0), P(1))),
        "FTP-10.6.2.2-18", 1);
    /* A result that the SUT refused was never in force. */
    ck_breaks(
        moved("X4", false,
              LINES("cc_engine tester", "cc_result fcwnd_integer=9 failed", P(0), P(1), P(2))),
        "FTP-10.6.2.2-18", 1);
    /* nor one of another connection */
    ck_breaks(moved("X4", false,
                    LINES("cc_engine tester", "cc_result fcwnd_integer=9 connection_id=5", P(0),
                          P(1), P(2))),
              "FTP-9.1.2-04", 1);
    ck_breaks(moved("X5", false,
                    LINES("cc_engine tester", "cc_result ncwnd=1 fcwnd_integer=9", P(0), P(1))),
              "FTP-10.6.2.2-18", 1);
}
END_TEST

START_TEST(results_of_the_sut_take_its_latency)
{
    ck_breaks(
        moved("X4", true,
              LINES("cc_trace on", "entry result fcwnd_integer=1", "wait 2us", P(0), P(1))),
        "FTP-10.6.2.2-18", 1);
    /* Before the latency is over, nobody knows what was in force before. */
    ck_holds(
        moved("X4", true, LINES("cc_trace on", "entry result fcwnd_integer=1", P(0), P(1))), 0);
    ck_holds(moved("X4", true,
                   LINES("cc_trace on", "entry result fcwnd_integer=1", "wait 2us",
                         "entry result fcwnd_integer=2", P(0), P(1))),
             1);
    ck_breaks(moved("X4", true,
                    LINES("cc_trace on", "entry result fcwnd_integer=1", "wait 2us",
                          "entry result fcwnd_integer=2", P(0), P(1), P(2))),
              "FTP-10.6.2.2-18", 1);
    /* Nothing is seen after the trace has ended. */
    ck_holds(moved("X4", true,
                   LINES("cc_trace on", "entry result fcwnd_integer=1", "wait 2us",
                         "cc_trace off", P(0), P(1))),
             0);
    ck_holds(moved("X4", true,
                   LINES("cc_trace on", "entry result fcwnd_integer=1", "wait 2us", "dropped",
                         P(0), P(1))),
             0);
}
END_TEST

START_TEST(after_a_fall_older_packets_stay_out)
{
    ck_holds(moved("X4", false,
                   LINES("cc_engine tester", "cc_result fcwnd_integer=4", P(0), P(1), P(2),
                         "cc_result fcwnd_integer=1", P(2), P(1))),
             0);
    ck_breaks(moved("X4", false,
                    LINES("cc_engine tester", "cc_result fcwnd_integer=4", P(0), P(1), P(2),
                          "cc_result fcwnd_integer=1", P(3))),
              "FTP-10.6.2.2-18", 1);
}
END_TEST

START_TEST(many_results_widen_the_range_and_hide_none)
{
    ck_holds(moved("X4", false,
                   LINES("cc_engine tester", "cc_result> fcwnd_integer=5",
                         "cc_result> fcwnd_integer=1", "cc_result> fcwnd_integer=1",
                         "cc_result> fcwnd_integer=1", "cc_result> fcwnd_integer=1",
                         "cc_result> fcwnd_integer=1", "cc_result> fcwnd_integer=1",
                         "cc_result> fcwnd_integer=1", "cc_result> fcwnd_integer=1", P(0), P(1),
                         P(2), P(3), P(4))),
             1);
}
END_TEST

START_TEST(AMB_11_a_fraction_of_a_result_may_let_one_more_out)
{
    struct outcome o = moved(
        "X4", false,
        LINES("cc_engine tester", "cc_result fcwnd_integer=1 fcwnd_fraction=512", P(0), P(1)));

    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.excused[FAL_EXCUSE_READING], 1);
    ck_breaks(moved("X4", false,
                    LINES("cc_engine tester", "cc_result fcwnd_integer=0 fcwnd_fraction=512",
                          P(0), P(1))),
              "FTP-10.6.2.2-18", 1);
}
END_TEST

START_TEST(set_moves_limits)
{
    ck_breaks(moved("X4", false, LINES("set {\"params\": {\"fcwnd\": 1}}", P(0), P(1))),
              "FTP-9.1.2-04", 1);
    ck_holds(moved("X4", false, LINES("set {\"params\": {\"fcwnd\": 3}}", P(0), P(1), P(2))),
             1);
    ck_holds(moved("X4", false, LINES("set {\"params\": {\"rto_ns\": 3}}", P(0), P(1))), 1);
    ck_breaks(
        moved("X5", false, LINES("set {\"params\": {\"ncwnd\": 1, \"fcwnd\": 9}}", P(0), P(1))),
        "FTP-9.1.2-05", 1);
    /* not where an engine changes it again unseen */
    ck_holds(moved("X4", true, LINES("set {\"params\": {\"fcwnd\": 1}}", P(0), P(1))), 0);
}
END_TEST

START_TEST(FTP_10_6_2_2_09_the_rto_of_a_result)
{
    /* 7630 ticks are 1 ms, 76300 are 10 ms; the RTO of open is 1 ms. */
    const char *longer = "cc_result retransmit_timeout=76300";

    ck_breaks(moved("E2", false, LINES("cc_engine tester", longer, P(0), "wait 2ms", P(0))),
              "FTP-10.6.2.2-09", 1);
    ck_holds(moved("E2", false, LINES("cc_engine tester", longer, P(0), "wait 11ms", P(0))), 1);
    /* It applies to packets that are outstanding. */
    ck_holds(moved("E2", false,
                   LINES("cc_engine tester", longer, P(0), "cc_result retransmit_timeout=7630",
                         "wait 2ms", P(0))),
             1);
    /* One that may have been in force meanwhile explains the copy. */
    ck_holds(moved("E2", false,
                   LINES("cc_engine tester", longer, P(0), "wait 1ms",
                         "cc_result> retransmit_timeout=7630", "wait 100us", longer,
                         "wait 900us", P(0))),
             1);
    ck_assert_uint_eq(moved("E2", true, LINES(P(0), "wait 10us", P(0))).sut.broken, 0);
}
END_TEST

START_TEST(FTP_9_1_3_1_02_packets_ask_at_small_windows_of_results)
{
    ck_breaks(moved("A6", false, LINES("cc_engine tester", "cc_result fcwnd_integer=8", P(0))),
              "FTP-9.1.3.1-02", 1);
    ck_holds(moved("A6", false, LINES("cc_engine tester", "cc_result fcwnd_integer=9", P(0))),
             0);
    ck_holds(moved("A6", false, LINES("cc_engine tester", "cc_result> fcwnd_integer=9", P(0))),
             0);
    ck_holds(moved("A6", true, LINES(P(0))), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("limits in force");
    TCase *tc = tcase_create("limits in force");

    tcase_add_test(tc, limits_that_nobody_sees_convict_nobody);
    tcase_add_test(tc, FTP_10_6_2_2_18_results_of_the_tester_are_limits);
    tcase_add_test(tc, results_of_the_sut_take_its_latency);
    tcase_add_test(tc, after_a_fall_older_packets_stay_out);
    tcase_add_test(tc, many_results_widen_the_range_and_hide_none);
    tcase_add_test(tc, AMB_11_a_fraction_of_a_result_may_let_one_more_out);
    tcase_add_test(tc, set_moves_limits);
    tcase_add_test(tc, FTP_10_6_2_2_09_the_rto_of_a_result);
    tcase_add_test(tc, FTP_9_1_3_1_02_packets_ask_at_small_windows_of_results);
    suite_add_tcase(suite, tc);
    return suite;
}
