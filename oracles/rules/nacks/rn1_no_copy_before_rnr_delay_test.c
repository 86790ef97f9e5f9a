/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH "< push_data psn=0r rsn=0r len=4"
/* 10 ms: far longer than the RTO of 1 ms */
#define RNR      "> nack nack_psn=0r code=2 rnr=10.24ms w=data"
#define DOUBTFUL "step > nack nack_psn=0r code=2 rnr=10.24ms w=data reserved_3=1"
#define SHORT    "> nack nack_psn=0r code=2 rnr=20us w=data"

/* Reorders by 10 us at most, and duplicates nothing. */
static const struct kind lab = {.run = {.lossless_in = true,
                                        .lossless_out = true,
                                        .no_duplicates_out = true,
                                        .delay_max_ns = 10 * FAL_US}};

static struct outcome rn1(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("RN1", kind, lines);
}

START_TEST(not_before_the_delay)
{
    ck_holds(rn1(&clean, LINES(PUSH, RNR, "+10240us < push_data psn=0r rsn=0r len=4")), 1);
    ck_holds(rn1(&lossy, LINES(PUSH, RNR, "+11ms < push_data psn=0r rsn=0r len=4")), 1);
    ck_holds(rn1(&clean, LINES(PUSH, SHORT, "+1ms < push_data psn=0r rsn=0r len=4")), 1);
    /* clocks may differ by a thousandth */
    ck_holds(rn1(&clean, LINES(PUSH, RNR, "+10231us < push_data psn=0r rsn=0r len=4")), 1);
    /* only copies that follow a NACK count */
    ck_holds(rn1(&clean, LINES(PUSH, "+1us < push_data psn=0r rsn=0r len=4")), 0);
}
END_TEST

/* 10.24 ms: the clocks may differ by a thousandth, and a tick is free. */
START_TEST(FTP_8_4_3_4_03_how_early_a_timer_may_be)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *at_10230 = LINES(PUSH, RNR, "+10229us < push_data psn=0r rsn=0r len=4");

    ck_breaks(rn1(&clean, at_10230), "FTP-8.4.3.4-03", 1);
    c.params.tick_ns = FAL_US;
    ck_holds(script_run("RN1", &clean, &c, at_10230), 1);
    ck_breaks(script_run("RN1", &clean, &c,
                         LINES(PUSH, RNR, "+10228us < push_data psn=0r rsn=0r len=4")),
              "FTP-8.4.3.4-03", 1);
    c.params.tick_ns = 1025 * FAL_US; /* more than a tenth of the delay */
    ck_undecided(
        script_run("RN1", &clean, &c, LINES(PUSH, RNR, "+5ms < push_data psn=0r rsn=0r len=4")),
        1);
}
END_TEST

/* A copy within the delay: the SUT may have dropped the NACK, or discarded it as stale. */
START_TEST(FTP_8_4_3_4_03_a_nack_that_may_have_no_effect)
{
    const char *pull = "< pull_request psn=0r rsn=1r len=4", *base = "> back rbase=1r";
    const char *copy = "+5ms < push_data psn=0r rsn=0r len=4";

    ck_breaks(rn1(&lanes, LINES(PUSH, pull, RNR, "wait 6us", base, copy)), "FTP-8.4.3.4-03", 1);
    ck_excused(rn1(&lanes, LINES(PUSH, pull, RNR, "wait 5us", base, copy)),
               FAL_EXCUSE_STALE_NACK, 1);
    ck_excused(rn1(&clean, LINES(PUSH, DOUBTFUL, copy)), FAL_EXCUSE_STALE_NACK, 1);
}
END_TEST

START_TEST(FTP_8_4_3_4_03_before_the_delay)
{
    struct outcome o =
        rn1(&clean, LINES(PUSH, "wait 1us", RNR, "+5ms < push_data psn=0r rsn=0r len=4"));

    ck_breaks(o, "FTP-8.4.3.4-03", 1);
    ck_breaks(rn1(&clean, LINES(PUSH, "wait 1us", RNR, "+1us < push_data psn=0r rsn=0r len=4")),
              "FTP-8.4.3.4-03", 1);
    /* no timer of 1 ms explains a copy after 20 us: the NACK was processed, wherever */
    ck_breaks(rn1(&lab, LINES(PUSH, "wait 1us", RNR, "+20us < push_data psn=0r rsn=0r len=4")),
              "FTP-8.4.3.4-03", 1);
}
END_TEST

/* An RNR NACK for a pull is a violation, so a forged one never makes this rule fail. */
START_TEST(FTP_8_4_3_4_04_a_pull_has_no_delay)
{
    ck_holds(rn1(&clean, LINES("< pull_request psn=0r rsn=0r len=4", "wait 1us",
                               "> nack nack_psn=0r code=2 rnr=10.24ms w=req",
                               "+1ms < pull_request psn=0r rsn=0r len=4")),
             0);
}
END_TEST

/* Late enough from the copy before, or between delay and RTO. */
START_TEST(reading_amb_15)
{
    const char *const *from_copy =
        LINES(PUSH, "wait 5ms", RNR, "+6ms < push_data psn=0r rsn=0r len=4");

    ck_excused(rn1(&clean, from_copy), FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(rn1(&clean, from_copy).sut.verdict, FAL_VERDICT_WARN);
    ck_excused(rn1(&clean, LINES(PUSH, SHORT, "+500us < push_data psn=0r rsn=0r len=4")),
               FAL_EXCUSE_READING, 1);
}
END_TEST

START_TEST(in_loss)
{
    ck_excused(
        rn1(&lossy, LINES(PUSH, "wait 1us", RNR, "+2ms < push_data psn=0r rsn=0r len=4")),
        FAL_EXCUSE_OUT_DUP, 1);
    ck_excused(
        rn1(&(struct kind){.run = {.no_duplicates_out = true, .delay_max_ns = FAL_NEVER}},
            LINES(PUSH, "wait 1us", RNR, "+2ms < push_data psn=0r rsn=0r len=4")),
        FAL_EXCUSE_IN_LOSS, 1);
}
END_TEST

/* The second NACK may have come too late, or never: the delay of the first had passed. */
START_TEST(an_earlier_nack_asked_for_less)
{
    const char *const *lines = LINES(PUSH, "wait 1us", SHORT, "+22us > back", RNR,
                                     "+5us < push_data psn=0r rsn=0r len=4");

    ck_excused(rn1(&lab, lines), FAL_EXCUSE_IN_LOSS, 1);
    ck_breaks(rn1(&clean, lines), "FTP-8.4.3.4-03", 1);
    ck_breaks(rn1(&lab, LINES(PUSH, "wait 1us", SHORT, "+1us > back", RNR,
                              "+5us < push_data psn=0r rsn=0r len=4")),
              "FTP-8.4.3.4-03", 1);
}
END_TEST

START_TEST(stale_nack)
{
    ck_excused(rn1(&clean, LINES(PUSH, "< push_data psn=1r rsn=1r len=4",
                                 "< pull_request psn=0r rsn=2r len=4", "> back rbase=1r",
                                 "wait 1us", RNR, "+5ms < push_data psn=0r rsn=0r len=4")),
               FAL_EXCUSE_STALE_NACK, 1);
    /* an EACK that acknowledges its own base, which is invalid, moves the SUT's base, too */
    ck_excused(rn1(&clean, LINES(PUSH, "< push_data psn=1r rsn=1r len=4",
                                 "> eack dbase=0r dack=0b1 drx=0b1", "wait 1us",
                                 "> nack dbase=0r nack_psn=1r w=data code=rnr rnr=10.24ms",
                                 "+5ms < push_data psn=1r rsn=1r len=4")),
               FAL_EXCUSE_STALE_NACK, 1);
}
END_TEST

/* Whether a push under RNR delay may be retransmitted early is unclear. The out-of-order
 * threshold is 3. */
START_TEST(reading_amb_55_an_eack_may_license)
{
    const char *const *lines =
        LINES(PUSH, "< push_data psn=3r rsn=3r len=4", "wait 1us", RNR,
              "+1us > eack drx=0b1000", "+5ms < push_data psn=0r rsn=0r len=4");
    struct kind unbounded = lab;

    ck_assert_int_eq(rn1(&clean, lines).sut.verdict, FAL_VERDICT_WARN);
    ck_assert_int_eq(rn1(&clean, LINES(PUSH, "wait 1us", RNR, "+1us > eack own=2",
                                       "+5ms < push_data psn=0r rsn=0r len=4"))
                         .sut.verdict,
                     FAL_VERDICT_WARN);
    unbounded.run.delay_max_ns = FAL_NEVER;
    unbounded.run.lossless_in = true;
    ck_assert_int_ne(rn1(&unbounded, lines).sut.verdict, FAL_VERDICT_FAIL);
    ck_assert_int_ne(rn1(&unbounded, lines).sut.verdict, FAL_VERDICT_WARN);
}
END_TEST

/* The copy leaves after the EACK came and before the acknowledgement does. */
START_TEST(reading_amb_55_an_acknowledgement_crosses_the_copy)
{
    ck_excused(rn1(&lab, LINES(PUSH, "< push_data psn=3r rsn=3r len=4", "wait 1us", RNR,
                               "+500us > eack drx=0b1000", "> back dbase=4r",
                               "+5us < push_data psn=0r rsn=0r len=4")),
               FAL_EXCUSE_IN_LOSS, 1);
}
END_TEST

/* 9.1.4: an EACK asks for what it shows missing, far enough below what it shows received. */
START_TEST(FTP_9_1_4_an_eack_that_asks_for_nothing_is_no_license)
{
    ck_breaks(
        rn1(&clean, LINES(PUSH, "< push_data psn=2r rsn=2r len=4", "wait 1us", RNR,
                          "+1us > eack drx=0b100", "+5ms < push_data psn=0r rsn=0r len=4")),
        "FTP-8.4.3.4-03", 1);
    ck_breaks(
        rn1(&clean, LINES(PUSH, "< push_data psn=3r rsn=3r len=4", "wait 1us", RNR,
                          "+1us > eack drx=0b1001", "+5ms < push_data psn=0r rsn=0r len=4")),
        "FTP-8.4.3.4-03", 1);
}
END_TEST

START_TEST(rack_tlp_claimed_is_a_license)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines =
        LINES(PUSH, "wait 1us", RNR, "+5ms < push_data psn=0r rsn=0r len=4");

    c.params.rack_tlp = true;
    ck_undecided(script_run("RN1", &clean, &c, lines), 1);
    c.params.rack_tlp = false;
    ck_breaks(script_run("RN1", &clean, &c, lines), "FTP-8.4.3.4-03", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule RN1");
    TCase *tc = tcase_create("RN1");

    tcase_add_test(tc, not_before_the_delay);
    tcase_add_test(tc, FTP_8_4_3_4_03_how_early_a_timer_may_be);
    tcase_add_test(tc, FTP_8_4_3_4_03_before_the_delay);
    tcase_add_test(tc, FTP_8_4_3_4_04_a_pull_has_no_delay);
    tcase_add_test(tc, reading_amb_15);
    tcase_add_test(tc, in_loss);
    tcase_add_test(tc, an_earlier_nack_asked_for_less);
    tcase_add_test(tc, rack_tlp_claimed_is_a_license);
    tcase_add_test(tc, stale_nack);
    tcase_add_test(tc, reading_amb_55_an_eack_may_license);
    tcase_add_test(tc, reading_amb_55_an_acknowledgement_crosses_the_copy);
    tcase_add_test(tc, FTP_8_4_3_4_03_a_nack_that_may_have_no_effect);
    tcase_add_test(tc, FTP_9_1_4_an_eack_that_asks_for_nothing_is_no_license);
    suite_add_tcase(suite, tc);
    return suite;
}
