/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define ON   "cc_trace on"
#define P(n) "< push_data psn=" #n "r rsn=" #n "r len=4"

static struct outcome q5(const char *const *lines)
{
    return queue_run("Q5", &clean, lines);
}

START_TEST(what_was_acknowledged)
{
    ck_holds(q5(LINES(ON, P(0), P(1), "> back dbase=2r rbase=0r t1=7 t2=9",
                      "entry event t1=7 t2=9 num_packets_acked=2")),
             1);
    /* by bits, in both windows, added up over events */
    ck_holds(q5(LINES(ON, P(0), P(1), "< pull_request psn=0r rsn=2r len=4",
                      "> eack dbase=0r rbase=0r dack=0b10 drx=0b10 t1=7 t2=9",
                      "entry event t1=7 t2=9 num_packets_acked=1",
                      "> back dbase=2r rbase=1r t1=8 t2=9",
                      "entry event t1=8 t2=9 num_packets_acked=2")),
             2);
    /* with what a data packet acknowledges, or without */
    ck_holds(q5(LINES(ON, P(0), P(1), "> push_data psn=0r rsn=0r len=4 dbase=1r",
                      "> back dbase=2r rbase=0r t1=7 t2=9",
                      "entry event t1=7 t2=9 num_packets_acked=2")),
             1);
    ck_holds(q5(LINES(ON, P(0), P(1), "> push_data psn=0r rsn=0r len=4 dbase=1r",
                      "> back dbase=2r rbase=0r t1=7 t2=9",
                      "entry event t1=7 t2=9 num_packets_acked=1")),
             1);
}
END_TEST

START_TEST(FTP_10_6_2_1_19_a_sum_that_is_too_high)
{
    ck_breaks(q5(LINES(ON, P(0), "> back dbase=1r rbase=0r t1=7 t2=9",
                       "entry event t1=7 t2=9 num_packets_acked=2")),
              "FTP-10.6.2.1-19", 1);
    /* the number was not reset */
    ck_breaks(q5(LINES(ON, P(0), P(1), "> back dbase=1r rbase=0r t1=7 t2=9",
                       "entry event t1=7 t2=9 num_packets_acked=1",
                       "> back dbase=2r rbase=0r t1=8 t2=9",
                       "entry event t1=8 t2=9 num_packets_acked=2")),
              "FTP-10.6.2.1-19", 1);
    ck_breaks(q5(LINES(ON, P(0), "entry event event_type=2 num_packets_acked=1")),
              "FTP-10.6.2.1-19", 1);
}
END_TEST

START_TEST(FTP_10_6_2_1_19_a_sum_that_is_too_low)
{
    ck_breaks(q5(LINES(ON, P(0), P(1), "> back dbase=2r rbase=0r t1=7 t2=9",
                       "entry event t1=7 t2=9 num_packets_acked=1")),
              "FTP-10.6.2.1-19", 1);
    /* packets that a skipped event has left */
    ck_breaks(q5(LINES(ON, P(0), P(1), "> back dbase=1r rbase=0r t1=7 t2=9",
                       "> back dbase=2r rbase=0r t1=8 t2=9",
                       "entry event t1=8 t2=9 num_packets_acked=1")),
              "FTP-10.6.2.1-19", 1);
}
END_TEST

START_TEST(what_may_be_missing)
{
    struct outcome o;

    /* of an older ACK: another event follows */
    ck_holds(q5(LINES(ON, P(0), P(1), "> back dbase=1r rbase=0r t1=7 t2=9",
                      "> back dbase=2r rbase=0r t1=8 t2=9",
                      "entry event t1=7 t2=9 num_packets_acked=1")),
             1);
    /* of which ACK the event is cannot be told */
    ck_holds(q5(LINES(ON, P(0), P(1), "> back dbase=1r rbase=0r t1=7 t2=9",
                      "> back dbase=2r rbase=0r t1=7 t2=9",
                      "entry event t1=7 t2=9 num_packets_acked=1")),
             1);
    /* an event came before the trace */
    ck_holds(q5(LINES(P(0), P(1), "> back dbase=1r rbase=0r t1=7 t2=9", ON,
                      "> back dbase=2r rbase=0r t1=8 t2=9",
                      "entry event t1=8 t2=9 num_packets_acked=1")),
             1);
    /* a repeated packet, a lossy path, a saturated number */
    ck_holds(q5(LINES(ON, P(0), P(0), P(1), "> back dbase=2r rbase=0r t1=7 t2=9",
                      "entry event t1=7 t2=9 num_packets_acked=1")),
             1);
    ck_holds(queue_run("Q5", &lossy,
                       LINES(ON, P(0), P(1), "> back dbase=2r rbase=0r t1=7 t2=9",
                             "entry event t1=7 t2=9 num_packets_acked=1")),
             1);
    o = q5(LINES(ON, P(0), P(1), "mark gap_in 1", "entry event num_packets_acked=1"));
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q5");
    TCase *tc = tcase_create("rule Q5");

    tcase_add_test(tc, what_was_acknowledged);
    tcase_add_test(tc, FTP_10_6_2_1_19_a_sum_that_is_too_high);
    tcase_add_test(tc, FTP_10_6_2_1_19_a_sum_that_is_too_low);
    tcase_add_test(tc, what_may_be_missing);
    suite_add_tcase(suite, tc);
    return suite;
}
