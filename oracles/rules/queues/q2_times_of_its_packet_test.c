/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

/* 10 ms are 76293 ticks. The clock of IVs is verified by two packets. */
#define ON    "cc_trace on"
#define P(n)  "< push_data psn=" #n "r rsn=" #n "r len=4"
#define BEGIN ON, "iv 0ms", "@0ms " P(0), "iv 5ms", "@5ms " P(1), "iv 10ms", "@10ms " P(2)
#define ACK   "iv 10ms", "> back dbase=1r rbase=0r t1=7 t2=9"
#define EVENT "entry event event_type=0 now=76300 "

static struct outcome q2(const char *const *lines)
{
    return queue_run("Q2", &clean, lines);
}

START_TEST(the_times_of_the_packet)
{
    ck_holds(q2(LINES(BEGIN, ACK, EVENT "t1=7 t2=9 t3=76293 t4=76300")), 1);
    ck_holds(q2(LINES(BEGIN, ACK, EVENT "t1=7 t2=9 t3=76293 t4=76293")), 1);
    /* The clock may advance in steps. */
    ck_holds(q2(LINES(BEGIN, ACK, EVENT "t1=7 t2=9 t3=76293 t4=76292")), 1);
}
END_TEST

START_TEST(FTP_10_6_2_1_07_times_that_cannot_be)
{
    ck_breaks(q2(LINES(BEGIN, ACK, EVENT "t1=8 t2=9 t3=76293 t4=76300")), "FTP-10.6.2.1-04", 1);
    ck_breaks(q2(LINES(BEGIN, ACK, EVENT "t1=7 t2=8 t3=76293 t4=76300")), "FTP-10.6.2.1-05", 1);
    ck_breaks(q2(LINES(BEGIN, ACK, EVENT "t1=7 t2=9 t3=76294 t4=76300")), "FTP-10.6.2.1-06", 1);
    ck_breaks(q2(LINES(BEGIN, ACK, EVENT "t1=7 t2=9 t3=76293 t4=76301")), "FTP-10.6.2.1-07", 1);
    ck_breaks(q2(LINES(BEGIN, ACK, EVENT "t1=7 t2=9 t3=76293 t4=76280")), "FTP-10.6.2.1-07", 1);
}
END_TEST

START_TEST(what_is_not_known)
{
    /* without IVs there is neither t3 nor the clock */
    ck_holds(
        q2(LINES(ON, P(0), "> back dbase=1r rbase=0r t1=7 t2=9", EVENT "t1=7 t2=9 t3=5 t4=3")),
        1);
    /* an event of no packet is for Q1 */
    ck_assert_uint_eq(q2(LINES(BEGIN, EVENT "t1=7 t2=9 t3=76293 t4=76300")).sut.broken, 0);
    /* a retransmission has no times */
    ck_holds(q2(LINES(BEGIN, "entry event event_type=2 t4=99")), 0);
    /* 24 bits wrap: a second later, nothing is compared */
    ck_holds(q2(LINES(BEGIN, ACK, "wait 1200ms",
                      "entry event event_type=0 now=9231800 t1=7 t2=9 "
                      "t3=76293 t4=70000")),
             1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q2");
    TCase *tc = tcase_create("rule Q2");

    tcase_add_test(tc, the_times_of_the_packet);
    tcase_add_test(tc, FTP_10_6_2_1_07_times_that_cannot_be);
    tcase_add_test(tc, what_is_not_known);
    suite_add_tcase(suite, tc);
    return suite;
}
