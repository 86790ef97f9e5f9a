/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

/* A gap of 7630 ticks is 1.000079 ms. */
#define TESTER "cc_engine tester"
#define SLOW   "cc_result fcwnd_integer=0 fcwnd_fraction=512 inter_packet_gap=7630"
#define P(n)   "push_data psn=" #n "r rsn=" #n "r len=4"
#define ACK(n) "> back dbase=" #n "r rbase=0r"

static struct outcome q6(const char *const *lines)
{
    return queue_run("Q6", &clean, lines);
}

START_TEST(the_gap_lies_between_first_copies)
{
    ck_holds(q6(LINES(TESTER, SLOW, "+1us < " P(0), ACK(1), "+1001us < " P(1))), 1);
    ck_holds(q6(LINES(TESTER, SLOW, "+1us < " P(0), ACK(1), "+960us < " P(1))), 1); /* 5 % */
    /* a copy, or a packet of the other window, may follow at once */
    ck_holds(q6(LINES(TESTER, SLOW, "+1us < " P(0), "< " P(0),
                      "< pull_request psn=0r rsn=1r len=4")),
             0);
}
END_TEST

START_TEST(FTP_10_3_5_02_too_close)
{
    struct fal_connection c = queue_connection(&clean);

    ck_breaks(q6(LINES(TESTER, SLOW, "+1us < " P(0), ACK(1), "+900us < " P(1))),
              "FTP-10.6.2.2-07", 1);
    ck_breaks(q6(LINES("set {\"params\": {\"fcwnd\": 0, \"packet_gap_ns\": 1000000}}",
                       "+1us < " P(0), ACK(1), "+900us < " P(1))),
              "FTP-10.3.5-02", 1);
    c.params.fcwnd = 0;
    c.params.packet_gap_ns = FAL_MS;
    ck_breaks(script_run("Q6", &clean, &c, LINES("< " P(0), ACK(1), "+900us < " P(1))),
              "FTP-10.3.5-02", 1);
    /* IVs tell the times where the path does not */
    ck_breaks(queue_run("Q6", &jitter,
                        LINES(TESTER, SLOW, "iv 0ms", "@0ms < " P(0), ACK(1), "iv 2ms",
                              "@2ms < " P(1), "iv 2900us", "@2900us < " P(2))),
              "FTP-10.6.2.2-07", 1);
}
END_TEST

START_TEST(limits_that_may_be_others)
{
    /* the window may be one packet, the gap shorter */
    ck_holds(
        q6(LINES(TESTER, SLOW, "+1us < " P(0), "cc_result> fcwnd_integer=1", "+9us < " P(1))),
        0);
    ck_holds(q6(LINES(TESTER, SLOW, "+1us < " P(0),
                      "cc_result> fcwnd_integer=0 fcwnd_fraction=9 inter_packet_gap=76",
                      "+11us < " P(1))),
             1);
    /* the gap came after the first packet, at the same time */
    ck_holds(q6(LINES("< " P(0), TESTER, SLOW, ACK(1), "+500us < " P(1))), 0);
    ck_holds(
        q6(LINES("cc_config {}", "set {\"params\": {\"fcwnd\": 0, \"packet_gap_ns\": 1000000}}",
                 "< " P(0), "+9us < " P(1))),
        0);
}
END_TEST

START_TEST(what_the_path_hides)
{
    struct outcome o =
        queue_run("Q6", &lossy, LINES(TESTER, SLOW, "+1us < " P(0), ACK(1), "+9us < " P(1)));

    ck_assert_uint_eq(o.sut.broken, 0);
    ck_holds(
        queue_run("Q6", &jitter, LINES(TESTER, SLOW, "+1ms < " P(0), ACK(1), "+945us < " P(1))),
        1);
    o = q6(LINES(TESTER, SLOW, "+1us < " P(0), "mark gap_out 1", "+9us < " P(1)));
    ck_assert_uint_eq(o.sut.broken, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q6");
    TCase *tc = tcase_create("rule Q6");

    tcase_add_test(tc, the_gap_lies_between_first_copies);
    tcase_add_test(tc, FTP_10_3_5_02_too_close);
    tcase_add_test(tc, limits_that_may_be_others);
    tcase_add_test(tc, what_the_path_hides);
    suite_add_tcase(suite, tc);
    return suite;
}
