/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH "> push_data psn=0r rsn=0r len=4"
#define PULL "> pull_request psn=0r rsn=1r len=4"

static struct outcome u2(const char *const *lines)
{
    return judged("U2", &udp, lines);
}

START_TEST(once_each)
{
    ck_holds(u2(LINES(PUSH, PULL, "request 0r push 4", "request 1r pull 4", "mark barrier")),
             2);
}
END_TEST

START_TEST(once_more_for_each_rnr)
{
    ck_holds(u2(LINES(PUSH, "request 0r push 4", "respond 0r rnr", "request 0r push 4 again",
                      "respond 0r rnr", "request 0r push 4 again", "respond 0r ack",
                      "mark barrier")),
             3);
    ck_holds(u2(LINES(PULL, "request 1r pull 4", "ulp_ack 1r rnr", "request 1r pull 4 again",
                      "mark barrier")),
             2);
}
END_TEST

START_TEST(FTP_9_2_2_4_05_a_push_delivered_twice)
{
    struct outcome o =
        u2(LINES(PUSH, "request 0r push 4", "request 0r push 4", "mark barrier"));

    ck_breaks(o, "FTP-9.2.2.4-05", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 4); /* the delivery, not the barrier */
}
END_TEST

START_TEST(FTP_9_2_2_4_04_a_pull_delivered_twice)
{
    ck_breaks(u2(LINES(PULL, "request 1r pull 4", "respond 1r data", "request 1r pull 4",
                       "mark barrier")),
              "FTP-9.2.2.4-04", 1);
}
END_TEST

/* Hard case 3: the network duplicated the packet; that excuses nothing. */
START_TEST(hard_case_3_a_network_duplicate_excuses_nothing)
{
    ck_breaks(u2(LINES(PUSH, PUSH, "request 0r push 4", "request 0r push 4", "mark barrier")),
              "FTP-9.2.2.4-05", 1);
}
END_TEST

START_TEST(FTP_9_2_2_4_05_one_rnr_two_redeliveries)
{
    ck_breaks(u2(LINES(PUSH, "request 0r push 4", "respond 0r rnr", "request 0r push 4 again",
                       "request 0r push 4 again", "mark barrier")),
              "FTP-9.2.2.4-05", 1);
}
END_TEST

/* All deliveries are known to be answered, and too few by RNR: no barrier is needed. */
START_TEST(FTP_9_2_2_4_05_known_by_the_answers)
{
    ck_breaks(u2(LINES(PUSH, "request 0r push 4", "respond 0r ack", "request 0r push 4",
                       "ulp_ack 0r ack")),
              "FTP-9.2.2.4-05", 1);
    ck_breaks(u2(LINES(PUSH, "request 0r push 4", "request 0r push 4", "respond 0r cie",
                       "respond 0r ack")),
              "FTP-9.2.2.4-05", 1);
}
END_TEST

/* The RNR's event is read after the redelivery. */
/* What the target gave up comes anew (6.4), but not what it acknowledged. */
START_TEST(FTP_9_2_2_4_05_after_the_transaction_timeout)
{
    ck_undecided(u2(LINES(PUSH, "request 0r push 4", "wait 1s", PUSH, "request 0r push 4",
                          "mark barrier")),
                 1);
    ck_breaks(u2(LINES(PUSH, "request 0r push 4", "wait 900ms", PUSH, "request 0r push 4",
                       "mark barrier")),
              "FTP-9.2.2.4-05", 1);
    ck_breaks(u2(LINES(PUSH, "request 0r push 4", "respond 0r ack", "< back dbase=1r",
                       "wait 1s", PUSH, "request 0r push 4", "mark barrier")),
              "FTP-9.2.2.4-05", 1);
}
END_TEST

START_TEST(a_late_answer_explains)
{
    ck_holds(u2(LINES(PUSH, "request 0r push 4", "request 0r push 4 again", "ulp_ack 0r rnr",
                      "mark barrier")),
             2);
    ck_holds(u2(LINES(PUSH, "request 0r push 4", "request 0r push 4 again", "ulp_ack 0r ack",
                      "ulp_ack 0r rnr", "mark barrier")),
             2);
}
END_TEST

START_TEST(without_barrier_or_answers_it_is_open)
{
    ck_undecided(u2(LINES(PUSH, "request 0r push 4", "request 0r push 4")), 1);
    /* an RNR that the SUT did not apply has no effect, but it may have been in flight at the
     * redelivery */
    ck_undecided(
        u2(LINES(PUSH, "request 0r push 4", "respond 0r ack failed", "request 0r push 4")), 1);
}
END_TEST

START_TEST(lost_events_undecide)
{
    ck_undecided(
        u2(LINES(PUSH, "dropped", "request 0r push 4", "request 0r push 4", "mark barrier")),
        1);
}
END_TEST

START_TEST(assumes_one_psn_per_rsn)
{
    ck_holds(u2(LINES(PUSH, "step > push_data psn=1r rsn=0r len=4", "request 0r push 4",
                      "request 0r push 4", "mark barrier")),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule U2");
    TCase *tc = tcase_create("U2");

    tcase_add_test(tc, once_each);
    tcase_add_test(tc, once_more_for_each_rnr);
    tcase_add_test(tc, FTP_9_2_2_4_05_a_push_delivered_twice);
    tcase_add_test(tc, FTP_9_2_2_4_04_a_pull_delivered_twice);
    tcase_add_test(tc, hard_case_3_a_network_duplicate_excuses_nothing);
    tcase_add_test(tc, FTP_9_2_2_4_05_one_rnr_two_redeliveries);
    tcase_add_test(tc, FTP_9_2_2_4_05_known_by_the_answers);
    tcase_add_test(tc, FTP_9_2_2_4_05_after_the_transaction_timeout);
    tcase_add_test(tc, a_late_answer_explains);
    tcase_add_test(tc, without_barrier_or_answers_it_is_open);
    tcase_add_test(tc, lost_events_undecide);
    tcase_add_test(tc, assumes_one_psn_per_rsn);
    suite_add_tcase(suite, tc);
    return suite;
}
