/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define ON "cc_trace on"
#define E  "entry event t1=1"
#define R  "entry result"

static struct outcome q3(const char *const *lines)
{
    return queue_run("Q3", &clean, lines);
}

START_TEST(a_result_for_each_event)
{
    ck_holds(q3(LINES(ON, E, R, E, R)), 2);
    ck_holds(q3(LINES(ON, E, E, R, R)), 2); /* in groups */
    ck_holds(q3(LINES(ON, "entry event connection_id=7", "entry result connection_id=7")), 1);
}
END_TEST

START_TEST(FTP_10_6_2_2_01_results_too_many_or_none)
{
    ck_breaks(q3(LINES(ON, E, R, R)), "FTP-10.6.2.2-01", 1);
    ck_breaks(q3(LINES(ON, R)), "FTP-10.6.2.2-01", 1);
    ck_breaks(q3(LINES(ON, E, "wait 2us", "close")), "FTP-10.6.2.2-01", 1);
    ck_breaks(q3(LINES(ON, E, R, "entry event t1=2", "wait 2us", "close")), "FTP-10.6.2.2-01",
              1);
}
END_TEST

START_TEST(FTP_10_6_2_2_02_of_another_connection)
{
    ck_breaks(q3(LINES(ON, E, "entry result connection_id=7")), "FTP-10.6.2.2-02", 1);
}
END_TEST

START_TEST(results_that_may_still_come_or_were_not_shown)
{
    struct outcome o = q3(LINES(ON, E)); /* within its latency */

    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
    /* its event came before the trace */
    o = q3(LINES("> back dbase=0r rbase=0r", ON, R));
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
    ck_holds(q3(LINES("cc_engine tester", E, R, R)), 0); /* the tester may give any */
    ck_holds(q3(LINES(ON, E, "cc_trace off", "wait 2us", "close")), 0);
    o = q3(LINES(ON, E, "dropped", "wait 2us", "close"));
    ck_assert_uint_eq(o.sut.broken, 0);
    /* the SUT dropped events of its control channel, perhaps the entry of an event */
    o = q3(LINES(ON, E, "dropped", R, R));
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
    o = q3(LINES(ON, E, "dropped", "entry result connection_id=7"));
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
}
END_TEST

START_TEST(without_a_declared_latency_none_is_late)
{
    struct fal_connection c = queue_connection(&clean);

    c.rue.has_latency = false;
    ck_assert_uint_eq(script_run("Q3", &clean, &c, LINES(ON, E, "wait 2s", "close")).sut.broken,
                      0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q3");
    TCase *tc = tcase_create("rule Q3");

    tcase_add_test(tc, a_result_for_each_event);
    tcase_add_test(tc, FTP_10_6_2_2_01_results_too_many_or_none);
    tcase_add_test(tc, FTP_10_6_2_2_02_of_another_connection);
    tcase_add_test(tc, results_that_may_still_come_or_were_not_shown);
    tcase_add_test(tc, without_a_declared_latency_none_is_late);
    suite_add_tcase(suite, tc);
    return suite;
}
