/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t8(const struct kind *kind, const char *const *lines)
{
    return judged("T8", kind, lines);
}

/* "iv 1ns" is an IV of 1000. */
#define IV(ms, ns) "spi 5", "iv " #ns "ns", "@" #ms "ms < back dbase=0r rbase=0r"

START_TEST(at_one_pace)
{
    /* picoseconds are the matter of T5 */
    ck_holds(t8(&clean, LINES(IV(1, 1000000), IV(2, 2000000), IV(3, 3000000))), 0);
    /* Units of 131.072 ns: 7629 in 1 ms. The first pair shows that they are no picoseconds. */
    ck_holds(t8(&clean, LINES(IV(1, 0), IV(3, 15), IV(5, 30), IV(9, 61), IV(11, 76))), 3);
    /* units of 1 ns */
    ck_holds(t8(&clean, LINES(IV(1, 1000), IV(3, 3000), IV(5, 5000), IV(20, 20000))), 2);
    /* too close together, of two keys, on a path of unknown delay */
    ck_holds(t8(&clean, LINES(IV(1, 1), IV(3, 1), "spi 5", "iv 1ns", "@3500us < back")), 0);
    ck_holds(t8(&clean, LINES(IV(1, 1), IV(3, 1), "spi 6", "iv 1ns", "@5ms < back")), 0);
    ck_holds(t8(&lossy, LINES(IV(1, 1), IV(3, 2), IV(5, 3), IV(7, 4))), 0);
    ck_holds(t8(&clean, LINES(IV(1, 1), IV(3, 1), "mark clock_step", IV(5, 1))), 0);
}
END_TEST

START_TEST(FTP_10_1_03_it_counts_packets)
{
    struct outcome o = t8(&clean, LINES(IV(1, 1), IV(3, 2), IV(5, 3)));

    ck_breaks(o, "FTP-10.1-03", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3);
    ck_assert_uint_eq(o.findings[0].evidence[1], 4);
    /* three quarters of 15258 units */
    ck_holds(t8(&clean, LINES(IV(1, 0), IV(3, 0), "spi 5", "iv 12us", "@5ms < back")), 1);
    ck_breaks(t8(&clean, LINES(IV(1, 0), IV(3, 0), "spi 5", "iv 11ns", "@5ms < back")),
              "FTP-10.1-03", 1);
}
END_TEST

START_TEST(FTP_10_1_01_it_changes_its_pace)
{
#define PUSH(ms, ns) "spi 5", "iv " #ns "ns", "@" #ms "ms < push_data psn=0r rsn=0r len=4"
    ck_breaks(t8(&clean, LINES(IV(1, 0), IV(3, 200), IV(5, 400), PUSH(7, 1300))), "FTP-10.1-01",
              1);
    ck_breaks(t8(&clean, LINES(IV(1, 0), IV(3, 200), IV(5, 400), PUSH(7, 440))), "FTP-10.1-01",
              1);
    ck_holds(t8(&clean, LINES(IV(1, 0), IV(3, 200), IV(5, 400), PUSH(7, 1100), IV(9, 1300))),
             3);
}
END_TEST

/* The time between two packets is known to the jitter of the path. */
/* The upper 32 bits count packets, the lower ones units of 131.072 ns (AMB-32): 4294975 ns are
 * 2^32 + 7704. */
START_TEST(FTP_10_1_01_other_bits_may_be_anything)
{
    ck_holds(t8(&clean,
                LINES(IV(1, 4294975), IV(3, 21474859), IV(5, 2147483686), IV(7, 2151778669))),
             2);
    /* the lower ones do not advance in the last 2 ms */
    ck_breaks(t8(&clean,
                 LINES(IV(1, 4294975), IV(3, 21474859), IV(5, 2147483686), IV(7, 2151778653))),
              "FTP-10.1-03", 1);
}
END_TEST

START_TEST(the_error_of_the_time)
{
    struct kind once = jitter;

    once.run.no_duplicates_out = true;
    once.run.delay_max_ns = 300 * FAL_US;
    ck_holds(t8(&once, LINES(IV(1, 1), IV(4, 2), IV(6, 3))), 0);
    ck_breaks(t8(&once, LINES(IV(1, 1), IV(4, 2), IV(6, 3), IV(9, 4))), "FTP-10.1-03", 1);
}
END_TEST

/* A step may choose the IV of its packet, here far ahead of the tester's clock. */
START_TEST(FTP_10_1_01_the_ivs_of_steps_tell_nothing)
{
#define OWN(ms, ns) "spi 5", "iv " #ns "ns", "@" #ms "ms > back dbase=0r rbase=0r"
    static const char *const ahead[] = {OWN(1, 0), OWN(3, 200), OWN(5, 400), OWN(7, 9000),
                                        NULL};
    static const char *const chosen[] = {
        OWN(1, 0),   OWN(3, 200),   OWN(5, 400),
        "spi 5",     "iv 9000ns",   "step @7ms > back dbase=0r rbase=0r",
        OWN(9, 800), OWN(11, 1000), NULL};

    ck_assert_uint_eq(t8(&clean, ahead).tester.broken, 1);
    ck_assert_uint_eq(t8(&clean, chosen).tester.broken, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T8");
    TCase *tc = tcase_create("T8");

    tcase_add_test(tc, at_one_pace);
    tcase_add_test(tc, FTP_10_1_03_it_counts_packets);
    tcase_add_test(tc, FTP_10_1_01_it_changes_its_pace);
    tcase_add_test(tc, FTP_10_1_01_other_bits_may_be_anything);
    tcase_add_test(tc, the_error_of_the_time);
    tcase_add_test(tc, FTP_10_1_01_the_ivs_of_steps_tell_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
