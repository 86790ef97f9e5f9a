/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSHES                                                            \
    "< push_data psn=0r rsn=0r len=4", "< push_data psn=1r rsn=1r len=4", \
        "< push_data psn=2r rsn=2r len=4"
#define CIE    "> nack nack_psn=1r code=6 w=data"
#define RESYNC "< resync psn=1r rsn=1r code=1 of=push_data"

static struct outcome n4(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("N4", kind, lines);
}

START_TEST(a_fresh_nack_has_its_effect)
{
    ck_holds(n4(&clean, LINES(PUSHES, CIE, RESYNC)), 1);
    ck_holds(n4(&lossy, LINES(PUSHES, CIE, RESYNC, RESYNC)), 2);
    /* fresh once, and stale later */
    ck_holds(n4(&clean, LINES(PUSHES, CIE, "> back dbase=1r", CIE, RESYNC)), 1);
    /* a packet that must be dropped acknowledges nothing */
    ck_holds(n4(&clean, LINES(PUSHES, "step > push_data proto=0 psn=0r rsn=0r dbase=2r len=4",
                              CIE, RESYNC)),
             1);
}
END_TEST

START_TEST(FTP_9_2_4_03_a_stale_nack_has_none)
{
    const char *const *lines = LINES(PUSHES, "> back dbase=1r", CIE, RESYNC);

    ck_breaks(n4(&clean, lines), "FTP-9.2.4-03", 1);
    ck_excused(n4(&lossy, lines), FAL_EXCUSE_IN_LOSS, 1);
    ck_excused(n4(&jitter, lines), FAL_EXCUSE_IN_REORDER, 1);
}
END_TEST

START_TEST(FTP_9_2_4_01_stale_by_the_request_window)
{
    ck_breaks(n4(&clean, LINES(PUSHES, "< pull_request psn=0r rsn=3r len=4",
                               "> back rbase=1r dbase=1r", CIE, RESYNC)),
              "FTP-9.2.4-01", 1);
}
END_TEST

START_TEST(reading_amb_23)
{
    struct outcome o = n4(&clean, LINES(PUSHES, "< pull_request psn=0r rsn=3r len=4",
                                        "> back rbase=1r", CIE, RESYNC));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
}
END_TEST

/* What may have been discarded whole makes nothing stale. */
START_TEST(a_mixed_ack_makes_no_nack_stale)
{
    ck_holds(n4(&clean,
                LINES(PUSHES, "< pull_request psn=0r rsn=3r len=4", "> back rbase=1r",
                      "> back dbase=1r", "> nack rbase=1r nack_psn=1r code=6 w=data", RESYNC)),
             1);
    /* the bases of a data packet count each for itself */
    ck_breaks(n4(&clean, LINES(PUSHES, "< pull_request psn=0r rsn=3r len=4", "> back rbase=1r",
                               "> push_data psn=0r rsn=0r len=4 dbase=1r",
                               "> nack rbase=1r nack_psn=1r code=6 w=data", RESYNC)),
              "FTP-9.2.4-03", 1);
}
END_TEST

START_TEST(FTP_9_2_4_04_below_the_base_of_a_nack)
{
    const char *nack = "> nack dbase=1r nack_psn=1r code=6 w=data";

    ck_breaks(n4(&clean, LINES(PUSHES, nack, RESYNC, "+1us < push_data psn=0r rsn=0r len=4")),
              "FTP-9.2.4-04", 1);
    ck_holds(n4(&clean, LINES(PUSHES, nack, "< push_data psn=0r rsn=0r len=4", RESYNC)), 1);
    ck_holds(n4(&clean, LINES(PUSHES, "> nack dbase=1r nack_psn=2r code=6 w=data",
                              "< resync psn=2r rsn=2r code=1 of=push_data",
                              "+1us < push_data psn=1r rsn=1r len=4")),
             1); /* the base itself */
    ck_excused(n4(&lossy, LINES(PUSHES, nack, RESYNC, "< push_data psn=0r rsn=0r len=4")),
               FAL_EXCUSE_OUT_DUP, 1);
    ck_breaks(n4(&clean, LINES(PUSHES, "< pull_request psn=0r rsn=3r len=4",
                               "> nack rbase=1r nack_psn=1r code=6 w=data", RESYNC,
                               "+1us < pull_request psn=0r rsn=3r len=4")),
              "FTP-9.2.4-02", 1);
}
END_TEST

START_TEST(a_capture_may_miss_the_cause)
{
    ck_undecided(judged("N4", &capture,
                        LINES(PUSHES, "> back dbase=5000", "> back dbase=5001",
                              "> nack dbase=5000 nack_psn=5001 code=6 w=data", RESYNC)),
                 1);
    ck_undecided(n4(&clean, LINES(PUSHES, "> back dbase=1r", CIE, "mark gap_in 1", RESYNC)), 1);
}
END_TEST

/* Another engine may have processed the NACK before the acknowledgement. */
START_TEST(FTP_9_2_4_03_within_the_pipeline_allowance)
{
    ck_excused(n4(&lanes, LINES(PUSHES, "+10us > back dbase=1r", CIE, RESYNC)),
               FAL_EXCUSE_PIPELINE, 1);
    ck_excused(n4(&lanes, LINES(PUSHES, "+10us > back dbase=1r", "wait 5us", CIE, RESYNC)),
               FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(n4(&lanes, LINES(PUSHES, "+10us > back dbase=1r", "wait 6us", CIE, RESYNC)),
              "FTP-9.2.4-03", 1);
    /* the push may have been processed first, and the ACK discarded, as it is mixed then */
    ck_excused(
        n4(&lanes, LINES(PUSHES, "< pull_request psn=0r rsn=3r len=4", "+10us > back dbase=1r",
                         "+1us > push_data psn=0r rsn=0r len=4 dbase=0r rbase=1r", "wait 9us",
                         "> nack rbase=1r nack_psn=1r code=6 w=data", RESYNC)),
        FAL_EXCUSE_PIPELINE, 1);
    /* an ACK that repeats the bases leaves no doubt */
    ck_breaks(n4(&lanes, LINES(PUSHES, "+10us > back dbase=1r", "+1us > back dbase=2r",
                               "+6us > back dbase=2r", "wait 6us", CIE, RESYNC)),
              "FTP-9.2.4-03", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule N4");
    TCase *tc = tcase_create("N4");

    tcase_add_test(tc, a_fresh_nack_has_its_effect);
    tcase_add_test(tc, FTP_9_2_4_03_a_stale_nack_has_none);
    tcase_add_test(tc, FTP_9_2_4_01_stale_by_the_request_window);
    tcase_add_test(tc, reading_amb_23);
    tcase_add_test(tc, a_mixed_ack_makes_no_nack_stale);
    tcase_add_test(tc, FTP_9_2_4_04_below_the_base_of_a_nack);
    tcase_add_test(tc, a_capture_may_miss_the_cause);
    tcase_add_test(tc, FTP_9_2_4_03_within_the_pipeline_allowance);
    suite_add_tcase(suite, tc);
    return suite;
}
