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

START_TEST(FTP_9_1_7_06_in_a_nack)
{
    ck_breaks(t7(&clean, LINES(FIRST, "@2100us < nack dbase=2r rbase=0r nack_psn=2r code=1 "
                                      "w=data t2=7629")),
              "FTP-9.1.7-06", 1);
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
    ck_breaks(t7(&lanes, LINES(FIRST, A(2100, 2) "t2=15090")), "FTP-7.7.1-10", 1);
    ck_holds(t7(&coarse, LINES(FIRST, A(2100, 2) "t2=14880")), 1);
    ck_breaks(t7(&coarse, LINES(FIRST, A(2100, 2) "t2=14780")), "FTP-7.7.1-10", 1);
    ck_holds(t7(&error, LINES(FIRST, A(2100, 2) "t2=15110")), 1);
    ck_breaks(t7(&error, LINES(FIRST, A(2100, 2) "t2=15010")), "FTP-7.7.1-10", 1);
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
    tcase_add_test(tc, FTP_9_1_7_06_in_a_nack);
    tcase_add_test(tc, what_it_may_be_older_by);
    tcase_add_test(tc, a_step_of_the_clock);
    suite_add_tcase(suite, tc);
    return suite;
}
