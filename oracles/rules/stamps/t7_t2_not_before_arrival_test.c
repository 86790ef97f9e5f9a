/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t7(const struct kind *kind, const char *const *lines)
{
    return judged("T7", kind, lines);
}

/* 1000 us are 7629 units; the ACK of the first push left when 7629 units had passed. */
#define P(us, n) "@" #us "us > push_data psn=" #n "r rsn=" #n "r len=4"
#define A(us, n) "@" #us "us < back dbase=" #n "r rbase=0r "
#define FIRST    P(900, 0), A(1000, 1) "t2=7629", P(2000, 1)

START_TEST(no_older_holds)
{
    ck_holds(t7(&clean, LINES(FIRST, A(2100, 2) "t2=15258")), 1);
    /* on any path, with any clock, and if t2 wraps */
    ck_holds(t7(&lossy, LINES(FIRST, A(9000, 2) "t2=20000")), 1);
    ck_holds(t7(&clean,
                LINES(P(900, 0), A(1000, 1) "t2=0xfffffff0", P(2000, 1), A(2100, 2) "t2=7620")),
             1);
    /* it acknowledges nothing new, or has no time stamps */
    ck_holds(t7(&clean, LINES(FIRST, A(2100, 1) "t2=7629")), 1);
    ck_holds(t7(&clean,
                LINES(P(900, 0), A(1000, 1) "t1=0 t2=0", P(2000, 1), A(2100, 2) "t1=0 t2=0")),
             0);
}
END_TEST

START_TEST(FTP_7_7_1_10_older_than_its_packet)
{
    struct outcome o = t7(&clean, LINES(FIRST, A(2100, 2) "t2=7629"));

    ck_breaks(o, "FTP-7.7.1-10", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3);
    ck_breaks(t7(&lossy, LINES(FIRST, A(9000, 2) "t2=7629")), "FTP-7.7.1-10", 1);
    ck_breaks(t7(&clean, LINES(P(900, 0), A(1000, 1) "t2=0xfffffff0", P(2000, 1),
                               A(2100, 2) "t2=7000")),
              "FTP-7.7.1-10", 1);
}
END_TEST

START_TEST(FTP_7_8_09_in_a_nack)
{
    ck_breaks(t7(&clean, LINES(FIRST, "@2100us < nack dbase=2r rbase=0r nack_psn=2r code=1 "
                                      "w=data t2=7629")),
              "FTP-7.8-09", 1);
}
END_TEST

/* The engine that keeps t2 may lag by the pipeline allowance; clocks drift; time stamps have
 * errors and steps. */
START_TEST(what_it_may_be_older_by)
{
    struct kind coarse = clean, error = clean;

    coarse.tick_ns = 50 * FAL_US;
    error.run.clock_error_ns = 10 * FAL_US;
    ck_holds(t7(&clean, LINES(FIRST, A(2100, 2) "t2=15182")), 1);
    ck_breaks(t7(&clean, LINES(FIRST, A(2100, 2) "t2=15170")), "FTP-7.7.1-10", 1);
    ck_holds(t7(&lanes, LINES(FIRST, A(2100, 2) "t2=15184")), 1);
    ck_breaks(t7(&lanes, LINES(FIRST, A(2100, 2) "t2=15082")), "FTP-7.7.1-10", 1);
    ck_holds(t7(&coarse, LINES(FIRST, A(2100, 2) "t2=14880")), 1);
    ck_breaks(t7(&coarse, LINES(FIRST, A(2100, 2) "t2=14780")), "FTP-7.7.1-10", 1);
    ck_holds(t7(&error, LINES(FIRST, A(2100, 2) "t2=15110")), 1);
    ck_breaks(t7(&error, LINES(FIRST, A(2100, 2) "t2=15010")), "FTP-7.7.1-10", 1);
    /* beyond half of the range of t2 nothing is older */
    error.run.clock_error_ns = 150 * FAL_S;
    ck_holds(t7(&error, LINES(FIRST, A(2100, 2) "t2=15258")), 0);
}
END_TEST

/* Clocks may differ by 1/1000. */
START_TEST(FTP_7_7_1_10_clocks_drift)
{
#define LATER P(900, 0), A(1000, 1) "t2=7629", P(101000, 1), P(101001000, 2)
    /* 101 s after the first ACK a clock that is slow by 1/1100 lags by 91.8 ms */
    ck_holds(t7(&clean, LINES(LATER, A(101001100, 3) "t2=769871917")), 1);
    /* by 1/900 it lags by 112 ms */
    ck_breaks(t7(&clean, LINES(LATER, A(101001100, 3) "t2=769715000")), "FTP-7.7.1-10", 1);
#undef LATER
}
END_TEST

/* If t1 echoes an older packet, t1 and t2 are not the newest ones. */
START_TEST(FTP_9_1_6_09_of_the_packet_that_t1_echoes)
{
#define SEALED "iv 900us", P(900, 0), A(1000, 1) "t2=7629 t1=6866", "iv 2000us", P(2000, 1)
    ck_breaks(t7(&clean, LINES(SEALED, A(2100, 2) "t1=15258 t2=7629")), "FTP-7.7.1-10", 1);
    ck_breaks(t7(&clean, LINES(SEALED, A(2100, 2) "t1=6866 t2=7629")), "FTP-9.1.6-09", 1);
    ck_breaks(t7(&clean, LINES(SEALED, "@2100us < nack dbase=2r rbase=0r nack_psn=2r code=1 "
                                       "w=data t1=6866 t2=7629")),
              "FTP-9.1.7-06", 1);
    ck_breaks(t7(&clean, LINES(SEALED, "@2100us < nack dbase=2r rbase=0r nack_psn=2r code=1 "
                                       "w=data t1=15258 t2=7629")),
              "FTP-7.8-09", 1);
#undef SEALED
}
END_TEST

/* The engine that keeps t2 may not know yet what another one acknowledges: its t2 may be as old
 * as the packet before. Once an older ACK showed the packet, it does. */
START_TEST(FTP_7_7_1_10_an_engine_that_knows_of_it_later)
{
    struct kind far = lanes;

    ck_holds(t7(&lanes, LINES(FIRST, A(2009, 2) "t2=7629")), 1);
    ck_breaks(t7(&lanes, LINES(FIRST, A(2011, 2) "t2=7629")), "FTP-7.7.1-10", 1);
    /* With an allowance of minutes t2 may wrap: 140.1 s are 1068878174 units. */
    far.pipeline_ns = 130 * FAL_S;
    ck_holds(t7(&far, LINES(P(900, 0), A(1000, 1) "t2=7629", P(140000000, 1),
                            A(140100000, 2) "t2=1068878174")),
             0);
    far.pipeline_ns = lanes.pipeline_ns;
    /* with delays that are not known */
    far.run.delay_max_ns = FAL_NEVER;
    ck_holds(t7(&far, LINES(FIRST, A(2100, 2) "t2=7629")), 1);
    ck_holds(t7(&far, LINES(FIRST, A(2100, 2) "t2=15184", P(3000, 2), A(3001, 3) "t2=15258")),
             2);
    ck_breaks(t7(&far, LINES(FIRST, A(2100, 2) "t2=15184", P(3000, 2), A(3001, 3) "t2=7629")),
              "FTP-7.7.1-10", 1);
}
END_TEST

/* 300 s after the packet that an older ACK showed, t2 may have wrapped. */
START_TEST(FTP_7_7_1_10_a_packet_that_was_shown_long_ago)
{
    struct kind far = lanes;

    far.run.delay_max_ns = FAL_NEVER;
    ck_holds(t7(&far, LINES(FIRST, A(2100, 2) "t2=15184", P(300000000, 2),
                            "@300000000us < back dbase=2r rbase=0r t2=2288818359",
                            A(300000001, 3) "t2=2288818359")),
             1);
}
END_TEST

START_TEST(a_step_of_the_clock)
{
    ck_holds(t7(&clean, LINES(P(900, 0), A(1000, 1) "t2=7629", "mark clock_step", P(2000, 1),
                              A(2100, 2) "t2=99")),
             0);
    ck_holds(t7(&clean, LINES(FIRST, "mark clock_step", A(2100, 2) "t2=99")), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T7");
    TCase *tc = tcase_create("T7");

    tcase_add_test(tc, no_older_holds);
    tcase_add_test(tc, FTP_7_7_1_10_older_than_its_packet);
    tcase_add_test(tc, FTP_7_8_09_in_a_nack);
    tcase_add_test(tc, what_it_may_be_older_by);
    tcase_add_test(tc, FTP_7_7_1_10_clocks_drift);
    tcase_add_test(tc, FTP_9_1_6_09_of_the_packet_that_t1_echoes);
    tcase_add_test(tc, FTP_7_7_1_10_an_engine_that_knows_of_it_later);
    tcase_add_test(tc, FTP_7_7_1_10_a_packet_that_was_shown_long_ago);
    tcase_add_test(tc, a_step_of_the_clock);
    suite_add_tcase(suite, tc);
    return suite;
}
