/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t3(const struct kind *kind, const char *const *lines)
{
    return judged("T3", kind, lines);
}

/* Packets of 1000, 2000 and 3000 us: 7629, 15258, 22888 units of 2^17 ps. */
#define SENT0 "iv 1000us", "@1000us > push_data psn=0r rsn=0r len=4"
#define SENT1 "iv 2000us", "@2000us > push_data psn=1r rsn=1r len=4"
#define SENT2 "iv 3000us", "@3000us > push_data psn=2r rsn=2r len=4"

START_TEST(times_that_rise_hold)
{
    /* forwards, and in pace with what was sent */
    ck_holds(t3(&clean, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                              "< back dbase=2r rbase=0r t1=15258 t2=7729")),
             2);
    /* without IVs only that they rise */
    ck_holds(
        t3(&clean, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r t2=100",
                         "< back dbase=1r rbase=0r t2=100", "< back dbase=1r rbase=0r t2=101")),
        1);
    ck_holds(
        t3(&clean, LINES("< back dbase=0r rbase=0r t2=0", "> push_data psn=0r rsn=0r len=4",
                         "< back dbase=1r rbase=0r t2=0xf0000000")),
        0);
}
END_TEST

START_TEST(FTP_7_7_1_10_t2_goes_back)
{
    struct outcome o =
        t3(&clean, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r t2=100",
                         "+1us < back dbase=1r rbase=0r t2=99"));

    ck_breaks(o, "FTP-7.7.1-10", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3);
    ck_assert_uint_eq(o.findings[0].evidence[1], 4);
    ck_breaks(
        t3(&clean, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r t2=100",
                         "< nack dbase=1r rbase=0r nack_psn=1r code=6 w=data t2=99")),
        "FTP-9.1.7-06", 1);
}
END_TEST

/* t2 wraps after 562 s. After a long silence the first ACK may still carry the old stamp; the
 * next one then has a stamp that seems to lie before it. */
START_TEST(a_stale_stamp_may_have_wrapped)
{
    ck_holds(
        t3(&clean, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r t2=11757",
                         "+288s < back dbase=1r rbase=0r t2=11758",
                         "+1ms < back dbase=1r rbase=0r t2=2195797652")),
        1);
    /* no stamp of this connection is that old */
    ck_breaks(
        t3(&clean, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r t2=11757",
                         "+80s < back dbase=1r rbase=0r t2=11758",
                         "+1ms < back dbase=1r rbase=0r t2=2195797652")),
        "FTP-7.7.1-10", 1);
}
END_TEST

START_TEST(excuse_out_reorder_and_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_holds(t3(&udp,
                LINES("< back dbase=0r rbase=0r t2=100", "+1s < back dbase=0r rbase=0r t2=99")),
             0);
    ck_holds(t3(&jitter, LINES("< back dbase=0r rbase=0r t2=100",
                               "+10us < back dbase=0r rbase=0r t2=99")),
             0);
    ck_breaks(t3(&jitter, LINES("< back dbase=0r rbase=0r t2=100",
                                "+10001ns < back dbase=0r rbase=0r t2=99")),
              "FTP-7.7.1-10", 1);
    ck_holds(t3(&piped, LINES("< back dbase=0r rbase=0r t2=100",
                              "+5us < back dbase=0r rbase=0r t2=99")),
             0);
    /* two packets that came within 5 us, by 39 units at most, may change places for good */
    ck_excused(t3(&piped, LINES("< back dbase=0r rbase=0r t2=100",
                                "+1s < back dbase=0r rbase=0r t2=61")),
               FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(t3(&piped, LINES("< back dbase=0r rbase=0r t2=100",
                               "+1s < back dbase=0r rbase=0r t2=60")),
              "FTP-7.7.1-10", 1);
}
END_TEST

/* The SUT's IVs keep pace with our clock, and t2 lies before them; then one does not. */
START_TEST(FTP_10_1_02_t2_after_the_departure)
{
    ck_breaks(
        t3(&udp, LINES(SENT0, "iv 1100us", "@1100us < back dbase=1r rbase=0r t1=7629 t2=8300",
                       SENT1, "iv 2001us", "@2001us < back dbase=2r rbase=0r t1=15258 t2=15260",
                       "iv 2100us", "@2100us < back dbase=2r rbase=0r t1=15258 t2=15260", SENT2,
                       "iv 3001us", "@3001us < back dbase=3r rbase=0r t1=22888 t2=22999")),
        "FTP-10.1-02", 1);
    /* of another clock from the start: no word about this */
    ck_holds(
        t3(&udp, LINES(SENT0, "iv 1100us", "@1100us < back dbase=1r rbase=0r t1=7629 t2=18300",
                       SENT1, "iv 2001us", "@2001us < back dbase=2r rbase=0r t1=15258 t2=25999",
                       "iv 3001us", "@3001us < back dbase=2r rbase=0r t1=15258 t2=39999")),
        2);
}
END_TEST

START_TEST(FTP_7_7_1_11_t2_out_of_pace)
{
    struct outcome o = t3(&clean, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                                        "< back dbase=2r rbase=0r t1=15258 t2=7800"));

    ck_breaks(o, "FTP-7.7.1-11", 1);
    /* microseconds, not units of 131.072 ns */
    ck_breaks(t3(&clean, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                               "< back dbase=2r rbase=0r t1=15258 t2=1100")),
              "FTP-7.7.1-11", 1);
}
END_TEST

START_TEST(excuse_jitter)
{
    /* 70 units are 9.2 us */
    ck_holds(t3(&jitter, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                               "< back dbase=2r rbase=0r t1=15258 t2=7800")),
             2);
    /* 90 are 11.8 us, 1 ms of two clocks 0.2 us, rounding 0.3 us */
    ck_breaks(t3(&jitter, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                                "< back dbase=2r rbase=0r t1=15258 t2=7819")),
              "FTP-7.7.1-11", 1);
    ck_holds(t3(&udp, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                            "< back dbase=2r rbase=0r t1=15258 t2=1100")),
             1);
}
END_TEST

START_TEST(excuse_clock_step)
{
    ck_holds(
        t3(&clean, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", "mark clock_step",
                         SENT1, "< back dbase=2r rbase=0r t1=15258 t2=1100")),
        1);
}
END_TEST

/* What came may have gone unseen: a copy, or another packet with the same t1. */
START_TEST(excuse_capture_gap)
{
    ck_holds(t3(&clean, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", "mark gap_in 1",
                              SENT1, "< back dbase=2r rbase=0r t1=15258 t2=1100")),
             1);
}
END_TEST

START_TEST(wrap_around)
{
    ck_holds(t3(&clean, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=0xfffff000", SENT1,
                              "< back dbase=2r rbase=0r t1=15258 t2=0xdcd")),
             2);
    ck_breaks(
        t3(&clean, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r t2=3",
                         "< back dbase=1r rbase=0r t2=0xffffffff")),
        "FTP-7.7.1-10", 1);
}
END_TEST

/* A clock that advances by the tick: 10 us are 76 units. */
START_TEST(FTP_7_7_1_11_a_step_of_the_clock)
{
    struct kind coarse = clean, engines = clean;

    coarse.tick_ns = engines.tick_ns = 10 * FAL_US;
    engines.pipeline_ns = 5 * FAL_US;
    /* 1 ms is 7629 units, two clocks may differ by 8, rounding is 2 */
    ck_holds(t3(&coarse, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                               "< back dbase=2r rbase=0r t1=15258 t2=7814")),
             2);
    ck_breaks(t3(&coarse, LINES(SENT0, "< back dbase=1r rbase=0r t1=7629 t2=100", SENT1,
                                "< back dbase=2r rbase=0r t1=15258 t2=7816")),
              "FTP-7.7.1-11", 1);
    /* two engines within 5 us, which is less than a step */
    ck_excused(t3(&engines, LINES("< back dbase=0r rbase=0r t2=200",
                                  "+1s < back dbase=0r rbase=0r t2=85")),
               FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(t3(&engines, LINES("< back dbase=0r rbase=0r t2=200",
                                 "+1s < back dbase=0r rbase=0r t2=84")),
              "FTP-7.7.1-10", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T3");
    TCase *tc = tcase_create("T3");

    tcase_add_test(tc, times_that_rise_hold);
    tcase_add_test(tc, FTP_7_7_1_10_t2_goes_back);
    tcase_add_test(tc, a_stale_stamp_may_have_wrapped);
    tcase_add_test(tc, excuse_out_reorder_and_pipeline);
    tcase_add_test(tc, FTP_10_1_02_t2_after_the_departure);
    tcase_add_test(tc, FTP_7_7_1_11_t2_out_of_pace);
    tcase_add_test(tc, excuse_jitter);
    tcase_add_test(tc, excuse_clock_step);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, wrap_around);
    tcase_add_test(tc, FTP_7_7_1_11_a_step_of_the_clock);
    suite_add_tcase(suite, tc);
    return suite;
}
