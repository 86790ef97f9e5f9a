/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome o2(const struct kind *kind, const char *const *lines)
{
    return judged("O2", kind, lines);
}

#define LATER     "wait 1s", "mark barrier"
#define OVER_DATA "> push_data psn=128r rsn=128r len=4"
#define OVERRUN   "> pull_request psn=64r rsn=64r len=4"

START_TEST(own_holds)
{
    ck_holds(o2(&clean, LINES(OVERRUN, "+1us < eack dbase=0r rbase=0r own=1",
                              "+1us < back dbase=0r rbase=0r")),
             1);
    ck_holds(o2(&clean, LINES("> push_data psn=128r rsn=128r len=4", OVERRUN,
                              "+1us < eack dbase=0r rbase=0r own=3")),
             2);
    /* inside the window */
    ck_holds(o2(&clean,
                LINES("> pull_request psn=63r rsn=63r len=4",
                      "> push_data psn=127r rsn=127r len=4", "+1us < back dbase=0r rbase=0r")),
             0);
}
END_TEST

START_TEST(FTP_9_2_2_4_02_overrun_of_the_request_window_untold)
{
    struct outcome o = o2(&clean, LINES(OVERRUN, "+1us < back dbase=0r rbase=0r",
                                        "+1us < back dbase=0r rbase=0r"));

    ck_breaks(o, "FTP-9.2.2.4-02", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 2);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_breaks(o2(&clean, LINES(OVERRUN, "+1us < eack dbase=0r rbase=0r")), "FTP-9.2.2.4-02", 1);
}
END_TEST

START_TEST(FTP_9_2_2_4_03_overrun_of_the_data_window_untold)
{
    ck_breaks(o2(&clean, LINES("> push_data psn=128r rsn=128r len=4", OVERRUN,
                               "+1us < eack dbase=0r rbase=0r own=1")),
              "FTP-9.2.2.4-03", 1);
}
END_TEST

/* Every base acknowledges a PSN below the initial one: it is no proof that what was sent before
 * that PSN has arrived. */
START_TEST(FTP_9_2_2_4_03_an_old_psn_proves_nothing)
{
    ck_holds(
        o2(&clean, LINES("> pull_request psn=0r rsn=0r len=4 ar", OVER_DATA,
                         "> push_data psn=4294967295r rsn=2r len=4", "< back dbase=0r rbase=1r",
                         "+8us < eack dbase=0r rbase=1r own=2")),
        1);
}
END_TEST

/* NACKs and piggybacks carry no OWN; a base that has risen leaves it open. */
START_TEST(what_tells_nothing)
{
    ck_holds(o2(&clean, LINES(OVERRUN, "+1us < push_data psn=0r rsn=0r len=4",
                              "< nack dbase=0r rbase=0r nack_psn=64r code=1 w=req")),
             0);
    ck_holds(
        o2(&clean, LINES("> pull_request psn=0r rsn=0r len=4", OVERRUN,
                         "+1us < back dbase=0r rbase=1r", "+1us < back dbase=0r rbase=1r")),
        0);
}
END_TEST

START_TEST(reading_amb_06_the_other_bit)
{
    ck_excused(o2(&clean, LINES(OVERRUN, "+1us < eack dbase=0r rbase=0r own=2")),
               FAL_EXCUSE_READING, 1);
    /* it may be the data window's while the request is under way; a mark takes no reading */
    ck_undecided(o2(&jitter, LINES("> push_data psn=128r rsn=128r len=4", ("+20us " OVERRUN),
                                   "+1us < eack dbase=0r rbase=0r own=1",
                                   "+1us < eack dbase=0r rbase=0r", LATER)),
                 1);
}
END_TEST

/* One order of the bits must explain the whole run. */
START_TEST(reading_amb_06_fits_the_whole_run)
{
    struct kind loses = clean;
    struct outcome o;

    /* earlier bits show the order: one on its way does not stand for the other window */
    o = o2(&clean, LINES(OVERRUN, "+1us < eack dbase=0r rbase=0r own=1", OVER_DATA,
                         "< eack dbase=0r rbase=0r own=1", "+1us < eack dbase=0r rbase=0r"));
    ck_breaks(o, "FTP-9.2.2.4-03", 1);
    ck_assert_uint_eq(o.sut.excused[FAL_EXCUSE_READING], 0);
    /* later bits do */
    ck_breaks(o2(&clean, LINES(OVER_DATA, "< eack dbase=0r rbase=0r own=1",
                               "+1us < eack dbase=0r rbase=0r", OVERRUN,
                               "+1us < eack dbase=0r rbase=0r own=1")),
              "FTP-9.2.2.4-02", 1);
    /* swapped throughout */
    ck_excused(o2(&clean, LINES(OVER_DATA, "+1us < eack dbase=0r rbase=0r own=1", OVERRUN,
                                "+1us < eack dbase=0r rbase=0r own=2")),
               FAL_EXCUSE_READING, 2);
    /* a lost EACK explains it without another order */
    loses.run.lossless_out = false;
    o = o2(&loses, LINES(OVERRUN, "+1us < eack dbase=0r rbase=0r own=2"));
    ck_excused(o, FAL_EXCUSE_OUT_LOSS, 1);
    ck_assert_uint_eq(o.sut.excused[FAL_EXCUSE_READING], 0);
}
END_TEST

/* The same instances, and the packet that eliminates the reading of the first one comes before
 * it, or after it; or the first one is decided at a mark, which takes no reading. */
START_TEST(reading_amb_06_in_any_order_of_the_evidence)
{
#define SWAPPED                                                           \
    OVER_DATA, ("+20us " OVERRUN), "+1us < eack dbase=0r rbase=0r own=1", \
        "+1us < eack dbase=0r rbase=0r", LATER
#define PLAIN                                                                              \
    "> pull_request psn=65r rsn=65r len=4", "+50us < eack dbase=0r rbase=0r own=1", LATER, \
        "> push_data psn=129r rsn=129r len=4", "+50us < eack dbase=0r rbase=0r own=2",     \
        "+50us < eack dbase=0r rbase=0r", LATER, "+1us < eack dbase=0r rbase=0r"
    struct outcome first = o2(&jitter, LINES(SWAPPED, PLAIN));
    struct outcome last = o2(&jitter, LINES(PLAIN, SWAPPED));
    struct outcome alone = o2(&jitter, LINES(PLAIN));

    ck_assert_uint_eq(alone.sut.broken, 0);
    ck_assert_uint_gt(first.sut.broken, 0);
    ck_assert_uint_gt(last.sut.broken, 0);
    /* nothing eliminates it later: it stays a reading */
    ck_assert_uint_eq(o2(&jitter, LINES(SWAPPED, "+1us < eack dbase=0r rbase=0r")).sut.broken,
                      0);
}
END_TEST

START_TEST(excuse_out_loss)
{
    struct kind loses = clean;

    loses.run.lossless_out = false;
    ck_excused(o2(&loses, LINES(OVERRUN, "+1us < back dbase=0r rbase=0r")), FAL_EXCUSE_OUT_LOSS,
               1);
}
END_TEST

/* The packet may have been lost, or still be under way: no instance. */
START_TEST(without_a_witness_of_its_arrival)
{
    struct kind loses = clean;

    loses.run.lossless_in = false;
    ck_holds(o2(&loses, LINES(OVERRUN, "+1us < back dbase=0r rbase=0r")), 0);
    ck_holds(o2(&udp, LINES(OVERRUN, "+900ms < back dbase=0r rbase=0r", LATER)), 0);
    ck_holds(o2(&jitter, LINES(OVERRUN, "+20us < back dbase=0r rbase=0r", LATER)), 0);
    /* by a younger one that it acknowledges, where the path keeps order */
    ck_breaks(o2(&clean, LINES("> pull_request psn=65r rsn=65r len=4",
                               "> pull_request psn=0r rsn=0r len=4", "< back dbase=0r rbase=1r",
                               "< back dbase=0r rbase=0r")),
              "FTP-9.2.2.4-02", 1);
}
END_TEST

/* The EACK may be overtaken by the ACK after it. */
START_TEST(excuse_out_reorder_until_it_would_be_here)
{
    ck_holds(o2(&jitter, LINES(OVERRUN, "+20001ns < back dbase=0r rbase=0r",
                               "+10us < eack dbase=0r rbase=0r own=1")),
             1);
    ck_holds(
        o2(&jitter, LINES(OVERRUN, "+20001ns < back dbase=0r rbase=0r", "wait 10us", "close")),
        0);
    ck_breaks(o2(&jitter, LINES(OVERRUN, "+20001ns < back dbase=0r rbase=0r", "wait 10001ns",
                                "mark barrier")),
              "FTP-9.2.2.4-02", 1);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    /* it may be processed 5 us late, and the BACK may show a state of 5 us ago */
    ck_holds(o2(&piped, LINES(OVERRUN, "+10us < back dbase=0r rbase=0r", LATER)), 0);
    ck_holds(o2(&piped, LINES(OVERRUN, "+10001ns < back dbase=0r rbase=0r",
                              "+5us < eack dbase=0r rbase=0r own=1")),
             1);
    ck_breaks(o2(&piped, LINES(OVERRUN, "+10001ns < back dbase=0r rbase=0r",
                               "+6us < eack dbase=0r rbase=0r own=1")),
              "FTP-9.2.2.4-02", 1);
    /* another packet that was acknowledged, of another lane */
    ck_holds(o2(&piped, LINES(OVERRUN, "+5us > push_data psn=0r rsn=0r len=4",
                              "< back dbase=1r rbase=0r", LATER)),
             0);
    ck_breaks(o2(&piped, LINES(OVERRUN, "+5001ns > push_data psn=0r rsn=0r len=4",
                               "< back dbase=1r rbase=0r", LATER)),
              "FTP-9.2.2.4-02", 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_undecided(o2(&clean, LINES(OVERRUN, "mark gap_out 1", "+1us < back dbase=0r rbase=0r")),
                 1);
    ck_breaks(o2(&clean, LINES("mark gap_out 1", OVERRUN, "+1us < back dbase=0r rbase=0r")),
              "FTP-9.2.2.4-02", 1);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.req_psn = 0xfffffff0;
    ck_breaks(script_run("O2", &clean, &c, LINES(OVERRUN, "+1us < back dbase=0r rbase=0r")),
              "FTP-9.2.2.4-02", 1);
    ck_holds(script_run("O2", &clean, &c,
                        LINES("> pull_request psn=63r rsn=63r len=4",
                              "+1us < eack dbase=0r rbase=0r req=0x8000000000000000")),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule O2");
    TCase *tc = tcase_create("O2");

    tcase_add_test(tc, own_holds);
    tcase_add_test(tc, FTP_9_2_2_4_02_overrun_of_the_request_window_untold);
    tcase_add_test(tc, FTP_9_2_2_4_03_overrun_of_the_data_window_untold);
    tcase_add_test(tc, FTP_9_2_2_4_03_an_old_psn_proves_nothing);
    tcase_add_test(tc, what_tells_nothing);
    tcase_add_test(tc, reading_amb_06_the_other_bit);
    tcase_add_test(tc, reading_amb_06_fits_the_whole_run);
    tcase_add_test(tc, reading_amb_06_in_any_order_of_the_evidence);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, without_a_witness_of_its_arrival);
    tcase_add_test(tc, excuse_out_reorder_until_it_would_be_here);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, wrap_around);
    suite_add_tcase(suite, tc);
    return suite;
}
