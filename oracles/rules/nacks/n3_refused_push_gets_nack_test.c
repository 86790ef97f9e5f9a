/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH  "> push_data psn=0r rsn=0r len=4"
#define RNR   "< nack nack_psn=0r code=2 rnr=20us w=data"
#define CIE   "< nack nack_psn=0r code=6 w=data"
#define LATER "+5s > back"

static struct outcome n3(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("N3", kind, lines);
}

/* Lossless, with delays of 10 us at most, and 100 us for the SUT. */
static const struct kind lab = {
    .run = {.live = true, .lossless_in = true, .lossless_out = true, .delay_max_ns = 10000},
    .pipeline_ns = 5000};

START_TEST(a_nack_comes)
{
    ck_holds(n3(&clean, LINES(PUSH, "respond 0r rnr 20us", RNR)), 1);
    ck_holds(n3(&lab, LINES(PUSH, "respond 0r cie 1", "+14us < nack nack_psn=0r code=6 w=data",
                            LATER)),
             1);
    ck_holds(
        n3(&lossy, LINES(PUSH, "respond 0r cie 1", "+5s < nack nack_psn=0r code=6 w=data")), 1);
}
END_TEST

START_TEST(FTP_8_5_3_4_10_none_comes)
{
    ck_breaks(n3(&clean, LINES(PUSH, "respond 0r rnr 20us", "+1us > back")), "FTP-8.5.3.4-10",
              1);
    ck_breaks(n3(&clean, LINES(PUSH, "respond 0r cie 1", "+1us > back")), "FTP-8.5.3.5-04", 1);
    /* given up before */
    ck_holds(n3(&clean, LINES(PUSH, "wait 1s", "respond 0r cie 1", "+1us > back")), 0);
    ck_breaks(n3(&clean, LINES(PUSH, "respond 0r nre 1", "+1us > back")), "FTP-11-37", 1);
    ck_breaks(n3(&clean, LINES(PUSH, "respond 0r cid 1", "+1us > back")), "FTP-11-38", 1);
    /* a NACK with another code does not count; a late one is reported as late */
    ck_breaks(n3(&clean, LINES(PUSH, "respond 0r cie 1", RNR, "+1us > back")), "FTP-8.5.3.5-04",
              1);
    ck_breaks(
        n3(&lab, LINES(PUSH, "respond 0r cie 1", "+16us < nack nack_psn=0r code=6 w=data")),
        "FTP-8.5.3.5-04", 1);
}
END_TEST

START_TEST(out_loss)
{
    ck_excused(n3(&lossy, LINES(PUSH, "respond 0r cie 1", LATER)), FAL_EXCUSE_OUT_LOSS, 1);
    ck_excused(n3(&udp, LINES(PUSH, "respond 0r cie 1", LATER)), FAL_EXCUSE_OUT_LOSS, 1);
    /* the counters of both ends say that nothing was */
    ck_breaks(n3(&lossy, LINES(PUSH, "respond 0r cie 1", LATER, "mark lossless_out 3")),
              "FTP-8.5.3.5-04", 1);
}
END_TEST

START_TEST(a_gap_undecides)
{
    ck_undecided(n3(&clean, LINES(PUSH, "respond 0r cie 1", "mark gap_out 1", "+1us > back")),
                 1);
    ck_undecided(n3(&clean, LINES(PUSH, "respond 0r cie 1", "mark clock_step", "+1us > back")),
                 1);
}
END_TEST

START_TEST(no_duty)
{
    ck_holds(n3(&clean, LINES(PUSH, "respond 0r ack", LATER)), 0);
    ck_holds(
        n3(&clean, LINES("> pull_request psn=0r rsn=0r len=4", "respond 0r rnr 10us", LATER)),
        0);
    ck_holds(n3(&clean, LINES(PUSH, "respond 0r cie 1 failed", LATER)), 0);
    /* a Resync came first, or comes while the NACK is due */
    ck_holds(n3(&clean, LINES(PUSH, "> resync psn=0r rsn=0r code=3 of=push_data",
                              "respond 0r cie 1", LATER)),
             0);
    ck_holds(n3(&clean, LINES(PUSH, "respond 0r cie 1",
                              "> resync psn=0r rsn=0r code=3 of=push_data", LATER)),
             0);
}
END_TEST

/* Each copy of a push that ended in an error is NACKed again. */
START_TEST(FTP_6_6_5_01_again_for_each_copy)
{
    ck_holds(n3(&clean, LINES(PUSH, "respond 0r cie 1", CIE,
                              "+1us > push_data psn=0r rsn=0r len=4", CIE, LATER)),
             2);
    ck_breaks(n3(&clean, LINES(PUSH, "respond 0r cie 1", CIE,
                               "+1us > push_data psn=0r rsn=0r len=4", "+1us > back")),
              "FTP-6.6.5-01", 1);
    /* the copy may need resources that are short now */
    ck_excused(
        n3(&clean, LINES(PUSH, "respond 0r cie 1", CIE, "+1us > push_data psn=0r rsn=0r len=4",
                         "< nack nack_psn=0r code=1 w=data", LATER)),
        FAL_EXCUSE_RESOURCE_DROP, 1);
    /* the target keeps the answer for the transaction timeout (6.4) */
    ck_holds(n3(&clean, LINES(PUSH, "respond 0r cie 1", CIE,
                              "+2s > push_data psn=0r rsn=0r len=4", "+1us > back")),
             1);
    /* on a path that loses packets it need not have come */
    ck_holds(n3(&lossy, LINES(PUSH, "respond 0r cie 1", CIE,
                              "+1us > push_data psn=0r rsn=0r len=4", "+1us > back")),
             1);
}
END_TEST

/* An upper layer that answers by itself, at a time that is known. */
START_TEST(FTP_8_5_3_4_10_answered_by_itself)
{
    const char *const *none = LINES(PUSH, "within 1us", "ulp_ack 0r rnr 20us", LATER);

    ck_breaks(n3(&clean, none), "FTP-8.5.3.4-10", 1);
    ck_excused(n3(&lossy, none), FAL_EXCUSE_OUT_LOSS, 1);
    ck_holds(n3(&clean, LINES(PUSH, "ulp_ack 0r rnr", LATER)), 0); /* its time is not known */
    /* its word alone proves nothing, before the tester held an answer */
    ck_undecided(n3(&clean, LINES(PUSH, "within 1us", "ulp_ack 0r rnr 20us", RNR)), 1);
    ck_holds(n3(&clean,
                LINES(PUSH, "respond 0r rnr 20us", RNR, "+20us > push_data psn=0r rsn=0r len=4",
                      "within 1us", "ulp_ack 0r rnr 20us", RNR)),
             2);
}
END_TEST

/* The same at a time that is not known: the event is read no sooner than the answer was given.
 */
START_TEST(FTP_8_5_3_5_04_an_error_given_by_itself)
{
    ck_breaks(n3(&clean, LINES(PUSH, "ulp_ack 0r cie 1", "+1us > back")), "FTP-8.5.3.5-04", 1);
    ck_breaks(n3(&clean, LINES(PUSH, "ulp_ack 0r nre 1", "+1us > back")), "FTP-11-37", 1);
    ck_breaks(n3(&clean, LINES(PUSH, RNR, "ulp_ack 0r cid 1", "+1us > back")), "FTP-11-38", 1);
    ck_holds(n3(&clean, LINES(PUSH, "ulp_ack 0r cie 1", CIE, LATER)), 0);
    ck_holds(n3(&clean, LINES(PUSH, CIE, "ulp_ack 0r cie 1", LATER)), 0); /* read late */
    ck_holds(n3(&clean, LINES(PUSH, "ulp_ack 0r cie 1")), 0);
    ck_holds(n3(&clean, LINES(PUSH, "mark gap_out 1", "ulp_ack 0r cie 1", LATER)), 0);
    ck_holds(n3(&lossy, LINES(PUSH, "ulp_ack 0r cie 1", LATER)), 0);
}
END_TEST

/* The NACK may be seen before the event that explains it is placed. */
START_TEST(which_answer_a_nack_answers)
{
    ck_undecided(n3(&clean, LINES(PUSH, RNR, "within 1us", "ulp_ack 0r rnr 20us", LATER)), 1);
    /* one NACK is not the effect of two answers, nor of a later one */
    ck_breaks(n3(&clean, LINES(PUSH, RNR, "within 1us", "ulp_ack 0r rnr 20us",
                               "+20us > push_data psn=0r rsn=0r len=4", "within 1us",
                               "ulp_ack 0r rnr 20us", LATER)),
              "FTP-8.5.3.4-10", 1);
    ck_breaks(
        n3(&clean, LINES(PUSH, RNR, "wait 20us", "within 1us", "ulp_ack 0r rnr 20us", LATER)),
        "FTP-8.5.3.4-10", 1);
}
END_TEST

START_TEST(FTP_6_6_5_01_each_copy_of_what_ended_by_itself)
{
    ck_breaks(n3(&clean, LINES(PUSH, "within 1us", "ulp_ack 0r cie 1", CIE,
                               "+1us > push_data psn=0r rsn=0r len=4", "+1us > back")),
              "FTP-6.6.5-01", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule N3");
    TCase *tc = tcase_create("N3");

    tcase_add_test(tc, a_nack_comes);
    tcase_add_test(tc, FTP_8_5_3_4_10_none_comes);
    tcase_add_test(tc, out_loss);
    tcase_add_test(tc, a_gap_undecides);
    tcase_add_test(tc, no_duty);
    tcase_add_test(tc, FTP_6_6_5_01_again_for_each_copy);
    tcase_add_test(tc, FTP_8_5_3_4_10_answered_by_itself);
    tcase_add_test(tc, FTP_8_5_3_5_04_an_error_given_by_itself);
    tcase_add_test(tc, which_answer_a_nack_answers);
    tcase_add_test(tc, FTP_6_6_5_01_each_copy_of_what_ended_by_itself);
    suite_add_tcase(suite, tc);
    return suite;
}
