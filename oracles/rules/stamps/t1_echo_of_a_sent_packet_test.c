/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t1(const struct kind *kind, const char *const *lines)
{
    return judged("T1", kind, lines);
}

/* An IV of 1000 us is 7629 units of 2^17 ps, one of 2000 us 15258. */
#define SENT                                                             \
    "iv 1000us", "@1000us > push_data psn=0r rsn=0r len=4", "iv 2000us", \
        "@2000us > push_data psn=1r rsn=1r len=4"

START_TEST(an_echo_holds)
{
    ck_holds(t1(&lossy, LINES(SENT, "< eack dbase=0r rbase=0r t1=7629 drx=0b1",
                              "< nack dbase=0r rbase=0r nack_psn=0r code=6 w=data t1=15258")),
             2);
    /* before anything came */
    ck_holds(t1(&lossy, LINES(SENT, "< back dbase=0r rbase=0r t1=0 t2=0")), 0);
    /* plain links have no IV */
    ck_holds(
        t1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r t1=77")),
        0);
}
END_TEST

START_TEST(FTP_7_7_1_09_ack_that_echoes_nothing)
{
    struct outcome o = t1(&lossy, LINES(SENT, "< back dbase=1r rbase=0r t1=7629",
                                        "< back dbase=1r rbase=0r t1=7630"));

    ck_breaks(o, "FTP-7.7.1-09", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3);
    ck_assert_uint_eq(o.findings[0].evidence[1], 5);
    /* no bits of any IV */
    ck_breaks(t1(&lossy, LINES(SENT, "< back dbase=1r rbase=0r t1=0x12345678")), "FTP-7.7.1-09",
              1);
    /* sent only later */
    ck_breaks(t1(&lossy, LINES("iv 1000us", "@1000us > push_data psn=0r rsn=0r len=4",
                               "< eack dbase=0r rbase=0r drx=0b1 t1=7629",
                               "< eack dbase=0r rbase=0r drx=0b1 t1=15258", "iv 2000us",
                               "@2000us > push_data psn=1r rsn=1r len=4")),
              "FTP-7.7.1-09", 1);
}
END_TEST

START_TEST(FTP_9_1_7_06_nack_that_echoes_nothing)
{
    ck_breaks(t1(&lossy, LINES(SENT, "< back dbase=1r rbase=0r t1=7629",
                               "< nack dbase=1r rbase=0r nack_psn=1r code=6 w=data t1=1")),
              "FTP-9.1.7-06", 1);
}
END_TEST

/* AMB-32: other bits of the IV, here those from bit 20 on; but then always. */
START_TEST(excuse_config_other_bits_of_the_iv)
{
    ck_undecided(t1(&lossy, LINES(SENT, "< back dbase=1r rbase=0r t1=953",
                                  "< back dbase=1r rbase=0r t1=1907")),
                 2);
    ck_breaks(t1(&lossy, LINES(SENT, "< back dbase=1r rbase=0r t1=953",
                               "< back dbase=1r rbase=0r t1=954")),
              "FTP-7.7.1-09", 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    struct kind middle = lossy;

    ck_undecided(t1(&lossy, LINES(SENT, "mark gap_in 1", "< back dbase=1r rbase=0r t1=7630")),
                 1);
    middle.unknown = true;
    ck_undecided(t1(&middle, LINES(SENT, "< back dbase=1r rbase=0r t1=7000")), 1);
    ck_undecided(t1(&capture, LINES(SENT, "< back dbase=1r rbase=0r t1=7630")), 1);
}
END_TEST

START_TEST(our_own_side)
{
    ck_asked(t1(&lossy, LINES("iv 1000us", "@1000us < push_data psn=0r rsn=0r len=4",
                              "> eack dbase=0r rbase=0r drx=0b1 t1=7629",
                              "step > eack dbase=0r rbase=0r drx=0b1 t1=7630")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T1");
    TCase *tc = tcase_create("T1");

    tcase_add_test(tc, an_echo_holds);
    tcase_add_test(tc, FTP_7_7_1_09_ack_that_echoes_nothing);
    tcase_add_test(tc, FTP_9_1_7_06_nack_that_echoes_nothing);
    tcase_add_test(tc, excuse_config_other_bits_of_the_iv);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
