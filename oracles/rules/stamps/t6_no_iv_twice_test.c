/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t6(const struct kind *kind, const char *const *lines)
{
    return judged("T6", kind, lines);
}

#define P(n)  "< push_data psn=" #n "r rsn=" #n "r len=4"
#define FIRST "spi 5", "iv 1000us", "@1000us " P(0)

START_TEST(each_has_its_own)
{
    ck_holds(t6(&clean, LINES(FIRST, "spi 5", "iv 1000001ns", P(1), "spi 5", "iv 2ms",
                              "@2ms < back dbase=0r rbase=0r")),
             2);
    /* reordered by the network */
    ck_holds(t6(&lossy, LINES(FIRST, "spi 5", "iv 3ms", P(2), "spi 5", "iv 2ms", P(1))), 1);
    /* duplicated by the network: the same packet */
    ck_holds(t6(&lossy, LINES(FIRST, "spi 5", "iv 1000us", P(0))), 0);
    ck_holds(t6(&lossy, LINES(FIRST, "spi 5", "iv 2ms", P(1), "spi 5", "iv 1000us", P(0))), 1);
    /* not sealed; of another key */
    ck_holds(t6(&clean, LINES("iv 1000us", P(0), "iv 1000us", P(1))), 0);
    ck_holds(t6(&clean, LINES(FIRST, "spi 6", "iv 1000us", P(1))), 0);
    ck_holds(t6(&clean, LINES(FIRST, "spi 5", "iv 2ms", P(1), "spi 6", "iv 3ms", P(2), "spi 6",
                              "iv 1000us", P(3))),
             1);
}
END_TEST

START_TEST(FTP_6_5_01_the_same_iv_in_one_moment)
{
    struct outcome o = t6(&clean, LINES(FIRST, "spi 5", "iv 1000us", P(1)));

    ck_breaks(o, "FTP-6.5-01", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    /* whatever the path does, and whatever the packets are */
    ck_breaks(t6(&lossy, LINES(FIRST, "spi 5", "iv 1000us", P(1))), "FTP-6.5-01", 1);
    ck_breaks(t6(&clean, LINES("spi 5", "iv 1000us", "< eack dbase=0r rbase=0r drx=0b10",
                               "spi 5", "iv 1000us", "< eack dbase=0r rbase=0r drx=0b110")),
              "FTP-6.5-01", 1);
    ck_breaks(t6(&clean, LINES(FIRST, "spi 5", "iv 1000us", "< back dbase=0r rbase=0r")),
              "FTP-6.5-01", 1);
    /* a retransmission that differs from its first copy */
    ck_breaks(t6(&clean, LINES(FIRST, "spi 5", "iv 1000us", P(0) " ar")), "FTP-6.5-01", 1);
}
END_TEST

START_TEST(FTP_6_5_01_the_iv_of_an_older_packet)
{
    ck_breaks(t6(&lossy, LINES(FIRST, "spi 5", "iv 2ms", P(1), "spi 5", "iv 1000us", P(2))),
              "FTP-6.5-01", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T6");
    TCase *tc = tcase_create("T6");

    tcase_add_test(tc, each_has_its_own);
    tcase_add_test(tc, FTP_6_5_01_the_same_iv_in_one_moment);
    tcase_add_test(tc, FTP_6_5_01_the_iv_of_an_older_packet);
    suite_add_tcase(suite, tc);
    return suite;
}
