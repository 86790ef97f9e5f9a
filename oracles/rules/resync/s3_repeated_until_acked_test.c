/* SPDX-License-Identifier: Apache-2.0
 * s3_repeated_until_acked_test.c - S3, a Resync comes again; S4, its packet does not; S5, it is
 * due; S6, it is taken. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH   "< push_data psn=0r rsn=0r len=4"
#define PUSH_1 "< push_data psn=1r rsn=1r len=4"
#define RESYNC "< resync psn=0r rsn=0r code=1 of=push_data"
#define CIE    "> nack nack_psn=0r code=6 w=data"
#define SILENT "+1s > back"
#define LATER  "+1s > back", "< back"

static struct outcome s3(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("S3", kind, lines);
}

START_TEST(a_resync_comes_again)
{
    ck_holds(s3(&clean, LINES(PUSH, RESYNC, "+1ms < resync psn=0r rsn=0r code=1 of=push_data",
                              "> back dbase=1r", LATER)),
             1);
    ck_holds(s3(&clean, LINES(PUSH, RESYNC, "> back dbase=1r", "+1s < back", LATER)), 0);
}
END_TEST

START_TEST(FTP_9_1_8_02_it_does_not)
{
    ck_breaks(s3(&clean, LINES(PUSH, RESYNC, "+1ms < back", LATER)), "FTP-9.1.8-02", 1);
}
END_TEST

START_TEST(why_it_may_not)
{
    /* a bit acknowledged the packet before its Resync was seen */
    ck_holds(s3(&clean, LINES(PUSH, "> eack dbase=0r rbase=0r dack=0b1 drx=0b1", RESYNC,
                              "+1ms < back", LATER)),
             0);
    ck_undecided(s3(&clean, LINES(PUSH, RESYNC, SILENT)), 1);                /* dead */
    ck_undecided(s3(&clean, LINES(PUSH, RESYNC, "+1ms < back", SILENT)), 1); /* since then */
    ck_undecided(s3(&clean, LINES(PUSH, PUSH_1, "< resync psn=1r rsn=1r code=1 of=push_data",
                                  "+1ms < back", LATER)),
                 1); /* not at the base */
    ck_undecided(s3(&clean, LINES(PUSH, RESYNC, "mark gap_out 1", "+1ms < back", LATER)), 1);
    ck_holds(s3(&clean, LINES(PUSH, RESYNC, "cm fatal", "+1ms < back", LATER)), 0);
    ck_holds(s3(&lossy, LINES(PUSH, RESYNC, "+1ms < back", LATER)), 0);
    ck_holds(s3(&clean, LINES(PUSH, RESYNC, "+1ms < back", "+2ms > back", "< back")), 0);
}
END_TEST

/* ---- S4 ---- */

static struct outcome s4(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("S4", kind, lines);
}

START_TEST(the_packet_is_not_sent_again)
{
    ck_holds(s4(&clean, LINES(PUSH, PUSH, RESYNC, "> back dbase=1r")), 1);
    ck_holds(s4(&clean, LINES(PUSH, PUSH_1, RESYNC, PUSH_1, "> back dbase=1r")), 1);
}
END_TEST

START_TEST(FTP_9_2_4_11_it_is)
{
    ck_breaks(s4(&clean, LINES(PUSH, RESYNC, PUSH)), "FTP-9.2.4-11", 1);
    ck_breaks(s4(&clean, LINES(PUSH, "< resync psn=0r rsn=0r code=3 of=push_data", PUSH)),
              "FTP-11-07", 1);
    ck_breaks(s4(&clean, LINES(PUSH, "< resync psn=0r rsn=0r code=5 of=push_data", PUSH)),
              "FTP-9.2.4-10", 1);
    ck_breaks(s4(&clean, LINES(PUSH, "< resync psn=0r rsn=0r code=6 of=push_data", PUSH)),
              "FTP-9.2.4-13", 1);
    ck_breaks(s4(&clean, LINES(PUSH, "< resync psn=0r rsn=0r code=7 of=push_data", PUSH)),
              "FTP-9.2.4-15", 1);
    ck_breaks(s4(&lossy, LINES("iv 1000us", "@1ms < back", "iv 3000us", "@3ms < back",
                               "iv 4000us", "@4ms < resync psn=0r rsn=0r code=1 of=push_data",
                               "iv 4200us", "@4200us < push_data psn=0r rsn=0r len=4")),
              "FTP-9.2.4-11", 1);
}
END_TEST

START_TEST(doubled_or_late)
{
    ck_excused(s4(&lossy, LINES(PUSH, RESYNC, PUSH)), FAL_EXCUSE_OUT_DUP, 1);
    ck_excused(s4(&(struct kind){.run = {.no_duplicates_out = true, .delay_max_ns = 10000}},
                  LINES(PUSH, RESYNC, "+5us < push_data psn=0r rsn=0r len=4")),
               FAL_EXCUSE_OUT_REORDER, 1);
    /* by its IV it left before the Resync */
    ck_holds(s4(&lossy, LINES("iv 1000us", "@1ms < back", "iv 3000us", "@3ms < back",
                              "iv 4000us", "@4ms < resync psn=0r rsn=0r code=1 of=push_data",
                              "iv 3900us", "@5ms < push_data psn=0r rsn=0r len=4")),
             0);
}
END_TEST

/* ---- S5 ---- */

static struct outcome s5(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("S5", kind, lines);
}

START_TEST(a_resync_follows)
{
    ck_holds(s5(&clean, LINES(PUSH, CIE, RESYNC, LATER)), 1);
    ck_holds(s5(&lossy, LINES(PUSH, CIE, "+5s < resync psn=0r rsn=0r code=1 of=push_data")), 1);
}
END_TEST

START_TEST(FTP_9_2_4_11_none_follows)
{
    ck_breaks(s5(&clean, LINES(PUSH, CIE, LATER)), "FTP-9.2.4-11", 1);
    ck_breaks(s5(&clean, LINES(PUSH, "> nack nack_psn=0r code=4 w=data", LATER)),
              "FTP-9.2.4-10", 1);
    ck_breaks(s5(&clean, LINES(PUSH, "> nack nack_psn=0r code=7 w=data", LATER)),
              "FTP-9.2.4-13", 1);
    ck_breaks(s5(&clean, LINES(PUSH, "> nack nack_psn=0r code=8 w=data", LATER)),
              "FTP-9.2.4-15", 1);
}
END_TEST

/* Where packets may be lost, the error completion shows that the NACK came. */
START_TEST(FTP_9_2_4_11_by_the_completion)
{
    const struct kind one_way = {.run = {.lossless_out = true, .delay_max_ns = 10000}};

    ck_breaks(s5(&one_way, LINES(PUSH, CIE, "done 0r 1", LATER)), "FTP-9.2.4-11", 1);
    ck_excused(s5(&one_way, LINES(PUSH, CIE, LATER)), FAL_EXCUSE_IN_LOSS, 1);
    ck_excused(s5(&one_way, LINES(PUSH, CIE, "done 0r 9", LATER)), FAL_EXCUSE_IN_LOSS, 1);
    ck_excused(s5(&lossy, LINES(PUSH, CIE, "done 0r 1", LATER)), FAL_EXCUSE_IN_LOSS, 1);
}
END_TEST

START_TEST(why_none_may_follow)
{
    ck_undecided(s5(&clean, LINES(PUSH, CIE, "< back", SILENT)), 1); /* dead */
    ck_undecided(s5(&jitter, LINES(PUSH, CIE, LATER)), 1); /* a newer ACK may have overtaken */
    ck_undecided(s5(&clean, LINES(PUSH, PUSH_1, "> nack nack_psn=1r code=6 w=data", LATER)), 1);
    ck_undecided(s5(&clean, LINES(PUSH, CIE, "mark gap_out 1", LATER)), 1);
    /* a window of one held it back until it was the base */
    ck_holds(
        s5(&clean, LINES(PUSH, PUSH_1, "> nack nack_psn=1r code=6 w=data",
                         "+1s > back dbase=1r", "< resync psn=1r rsn=1r code=1 of=push_data")),
        1);
    ck_breaks(s5(&clean, LINES(PUSH, PUSH_1, "> nack nack_psn=1r code=6 w=data",
                               "+1s > back dbase=1r", "+1s > back dbase=1r", "< back")),
              "FTP-9.2.4-11", 1);
    ck_holds(s5(&clean, LINES(PUSH, CIE, "> back dbase=1r", LATER)), 0);
    ck_holds(s5(&clean, LINES(PUSH, "< pull_request psn=0r rsn=1r len=4", "> back rbase=1r",
                              CIE, LATER)),
             0); /* stale */
    ck_holds(s5(&clean, LINES(PUSH, CIE, "cm fatal", LATER)), 0);
    ck_undecided(s5(&clean, LINES(PUSH, CIE, "mark clock_step", LATER)), 1);
    /* an answer of the upper layer does not apply to a pull (AMB-59) */
    ck_holds(s5(&clean, LINES("< pull_request psn=0r rsn=0r len=4",
                              "> nack nack_psn=0r code=6 w=req", LATER)),
             0);
    ck_breaks(s5(&clean, LINES("< pull_request psn=0r rsn=0r len=4",
                               "> nack nack_psn=0r code=4 w=req", LATER)),
              "FTP-9.2.4-10", 1);
    /* congestion control may pace what it sends */
    struct fal_connection paced = script_connection(&clean);

    paced.params.fcwnd = 0;
    ck_undecided(script_run("S5", &clean, &paced, LINES(PUSH, CIE, LATER)), 1);
    ck_holds(s5(&clean, LINES(PUSH, "> nack nack_psn=0r code=1 w=data", LATER)), 0);
}
END_TEST

/* A pull request that is sent again instead: no Resync has a PSN of its window (AMB-13). */
START_TEST(reading_amb_13_a_pull_is_sent_again)
{
    const char *pull = "< pull_request psn=0r rsn=1r len=4";
    const char *copy = "@1ms < pull_request psn=0r rsn=1r len=4";
    const char *second = "@2200us < pull_request psn=0r rsn=1r len=4";
    const char *dropped = "> nack nack_psn=0r code=4 w=req", *later = "@2200us < back";
    const char *resync = "@2200us < resync psn=0r rsn=1r code=5 of=pull_request";

    ck_assert_int_eq(s5(&clean, LINES(pull, dropped, copy, second)).sut.verdict,
                     FAL_VERDICT_WARN);
    ck_assert_int_eq(s5(&clean, LINES(pull, dropped, copy, later)).sut.verdict,
                     FAL_VERDICT_WARN);
    /* no copy left after the NACK had come; a Resync came, too late; a push */
    ck_breaks(s5(&clean, LINES(copy, dropped, pull, later)), "FTP-9.2.4-10", 1);
    ck_breaks(s5(&clean, LINES(pull, dropped, copy, resync)), "FTP-9.2.4-10", 1);
    ck_breaks(s5(&clean, LINES(PUSH, "> nack nack_psn=0r code=4 w=data",
                               "@1000us < push_data psn=0r rsn=0r len=4", later)),
              "FTP-9.2.4-10", 1);
    /* in time */
    ck_holds(s5(&clean, LINES(pull, dropped, copy,
                              "@1001us < resync psn=0r rsn=1r code=5 of=pull_request")),
             1);
    /* the copy may wait behind a push that waits for its RNR delay (AMB-58) */
    ck_undecided(s5(&clean, LINES(PUSH, pull, dropped,
                                  "> nack nack_psn=0r code=2 rnr=655.36ms w=data", later)),
                 1);
}
END_TEST

/* A packet with a higher base that is processed before the NACK makes it stale. */
START_TEST(FTP_9_2_4_11_a_nack_that_may_be_overtaken)
{
    const char *pull = "< pull_request psn=0r rsn=1r len=4", *base = "> back rbase=1r";

    ck_breaks(s5(&lanes, LINES(PUSH, pull, CIE, "wait 6us", base, LATER)), "FTP-9.2.4-11", 1);
    ck_holds(s5(&lanes, LINES(PUSH, pull, CIE, "wait 5us", base, LATER)), 0);
    ck_breaks(s5(&clean, LINES(PUSH, pull, CIE, "wait 5us", base, LATER)), "FTP-9.2.4-11", 1);
}
END_TEST

/* A NACK with a reserved bit that is not 0 may be dropped (AMB-27). */
START_TEST(FTP_9_2_4_11_a_nack_with_an_error_asks_for_nothing)
{
    ck_holds(
        s5(&clean, LINES(PUSH, "step > nack nack_psn=0r code=6 w=data reserved_3=1", LATER)),
        0);
}
END_TEST

/* ---- S6 ---- */

#define IN     "> resync psn=0r rsn=0r code=3 of=push_data"
#define IN_1   "> resync psn=1r rsn=1r code=3 of=push_data"
#define SENT_0 "> push_data psn=0r rsn=0r len=4"

static struct outcome s6(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("S6", kind, lines);
}

START_TEST(a_resync_is_acknowledged)
{
    ck_holds(s6(&clean, LINES(IN, "+1us < back dbase=1r")), 1);
    ck_holds(s6(&clean, LINES(SENT_0, IN_1, "+1us < eack dack=0b10 drx=0b11")), 1);
    ck_holds(s6(&lossy, LINES(IN, "+1us < back", "+1ms < back dbase=1r")), 1);
}
END_TEST

START_TEST(FTP_9_2_5_03_the_base_stays)
{
    ck_breaks(s6(&clean, LINES(IN, "+1us < back")), "FTP-9.2.5-03", 1);
    ck_breaks(s6(&clean, LINES(IN, "+1us < push_data psn=0r rsn=0r len=4")), "FTP-9.2.5-03", 1);
}
END_TEST

/* The Resync may be processed 5 us late, and the BACK may show a state of 5 us ago. */
START_TEST(FTP_9_2_5_03_lanes_within_the_pipeline_allowance)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_undecided(s6(&piped, LINES(IN, "+10us < back")), 1);
    ck_breaks(s6(&piped, LINES(IN, "+10001ns < back")), "FTP-9.2.5-03", 1);
}
END_TEST

START_TEST(FTP_9_2_5_01_no_bit)
{
    ck_breaks(s6(&clean, LINES(SENT_0, IN_1, "+1us < eack drx=0b1")), "FTP-9.2.5-01", 1);
    ck_breaks(s6(&clean, LINES(SENT_0, IN_1, "+1us < eack drx=0b11")), "FTP-9.2.5-01", 1);
    ck_breaks(s6(&clean, LINES(SENT_0, IN_1, "+1us < back")), "FTP-9.2.5-01", 1);
    /* a packet that bears bases only says nothing about a later number */
    ck_undecided(s6(&clean, LINES(SENT_0, IN_1, "+1us < push_data psn=0r rsn=0r len=4")), 1);
}
END_TEST

START_TEST(FTP_9_2_5_05_of_a_push_that_was_received)
{
    ck_breaks(
        s6(&clean,
           LINES(SENT_0, "> push_data psn=1r rsn=1r len=4", "+1us < eack drx=0b11",
                 "+1us > resync psn=1r rsn=1r code=1 of=push_data", "+1us < eack drx=0b11")),
        "FTP-9.2.5-05", 1);
}
END_TEST

START_TEST(it_may_not_have_come)
{
    const struct kind ordered_in = {
        .run = {.in_order_in = true, .no_duplicates_in = true, .delay_max_ns = FAL_NEVER}};

    ck_undecided(s6(&lossy, LINES(IN, "+1s < back")), 1);
    ck_undecided(s6(&jitter, LINES(IN, "+15us < back")), 1); /* still under way */
    ck_breaks(s6(&jitter, LINES(IN, "+25us < back")), "FTP-9.2.5-03", 1);
    /* a later packet came, and the Resync did, if it was not lost */
    ck_undecided(
        s6(&ordered_in, LINES(IN, "> push_data psn=1r rsn=1r len=4", "< eack drx=0b10")), 1);
    ck_breaks(s6(&clean, LINES(IN, "> push_data psn=1r rsn=1r len=4", "< eack drx=0b10")),
              "FTP-9.2.5-03", 1);
    /* beside the window */
    ck_holds(
        s6(&clean, LINES("step > resync psn=128r rsn=0r code=3 of=push_data", "+1us < back")),
        0);
}
END_TEST

/* ncwnd is 2: two pushes were retransmitted when the NACK comes. */
START_TEST(reading_amb_53_ncwnd_holds_back_a_resync)
{
#define BOTH PUSH, PUSH_1, "@1ms < push_data psn=0r rsn=0r len=4", PUSH_1, CIE
    struct fal_connection c = script_connection(&clean);

    c.params.ncwnd = 2;
    ck_assert_int_eq(
        script_run("S5", &clean, &c,
                   LINES(BOTH, "@1500us < resync psn=0r rsn=0r code=1 of=push_data"))
            .sut.verdict,
        FAL_VERDICT_WARN);
    /* at once; or ncwnd was open */
    ck_holds(script_run("S5", &clean, &c, LINES(BOTH, RESYNC)), 1);
    c.params.ncwnd = 3;
    ck_holds(script_run("S5", &clean, &c,
                        LINES(BOTH, "@1500us < resync psn=0r rsn=0r code=1 of=push_data")),
             1);
    /* a Resync that does not come again: only other requests can hold it back */
    c.params.ncwnd = 1;
    ck_assert_int_eq(
        script_run("S3", &clean, &c, LINES(BOTH, RESYNC, "@3100us < back", LATER)).sut.verdict,
        FAL_VERDICT_WARN);
    ck_breaks(script_run("S3", &clean, &c, LINES(PUSH, CIE, RESYNC, "@3100us < back", LATER)),
              "FTP-9.1.8-02", 1);
#undef BOTH
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules S3 to S6");
    TCase *tc = tcase_create("S3 to S6");

    tcase_add_test(tc, a_resync_comes_again);
    tcase_add_test(tc, FTP_9_1_8_02_it_does_not);
    tcase_add_test(tc, why_it_may_not);
    tcase_add_test(tc, the_packet_is_not_sent_again);
    tcase_add_test(tc, FTP_9_2_4_11_it_is);
    tcase_add_test(tc, doubled_or_late);
    tcase_add_test(tc, a_resync_follows);
    tcase_add_test(tc, FTP_9_2_4_11_none_follows);
    tcase_add_test(tc, FTP_9_2_4_11_by_the_completion);
    tcase_add_test(tc, why_none_may_follow);
    tcase_add_test(tc, reading_amb_13_a_pull_is_sent_again);
    tcase_add_test(tc, a_resync_is_acknowledged);
    tcase_add_test(tc, FTP_9_2_5_03_the_base_stays);
    tcase_add_test(tc, FTP_9_2_5_03_lanes_within_the_pipeline_allowance);
    tcase_add_test(tc, FTP_9_2_5_01_no_bit);
    tcase_add_test(tc, FTP_9_2_5_05_of_a_push_that_was_received);
    tcase_add_test(tc, it_may_not_have_come);
    tcase_add_test(tc, FTP_9_2_4_11_a_nack_that_may_be_overtaken);
    tcase_add_test(tc, FTP_9_2_4_11_a_nack_with_an_error_asks_for_nothing);
    tcase_add_test(tc, reading_amb_53_ncwnd_holds_back_a_resync);
    suite_add_tcase(suite, tc);
    return suite;
}
