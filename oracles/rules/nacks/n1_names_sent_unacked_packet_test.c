/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH "> push_data psn=0r rsn=0r len=4"
#define PULL "> pull_request psn=0r rsn=1r len=4"

static struct outcome n1(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("N1", kind, lines);
}

START_TEST(names_a_packet_that_was_sent)
{
    ck_holds(n1(&lossy, LINES(PUSH, "< nack nack_psn=0r code=2 rnr=10us w=data")), 1);
    ck_holds(n1(&lossy, LINES(PULL, "< nack nack_psn=0r code=1 w=req")), 1);
    /* a Resync counts as sent, and an earlier packet may be acknowledged */
    ck_holds(
        n1(&lossy, LINES(PUSH, "> push_data psn=1r rsn=1r len=4", "< back dbase=1r rbase=0r",
                         "< nack dbase=1r nack_psn=1r code=2 rnr=10us w=data")),
        1);
}
END_TEST

START_TEST(FTP_9_1_7_03_nothing_sent)
{
    struct outcome o = n1(&lossy, LINES(PUSH, "< nack nack_psn=1r code=2 rnr=10us w=data"));

    ck_breaks(o, "FTP-9.1.7-03", 1);
    /* sent later is too late */
    ck_breaks(n1(&lossy, LINES("< nack nack_psn=0r code=2 rnr=10us w=data", PUSH)),
              "FTP-9.1.7-03", 1);
}
END_TEST

START_TEST(FTP_9_1_7_04_the_other_window)
{
    ck_breaks(judged("N1", &lossy, LINES(PUSH, "< nack nack_psn=2000 code=2 rnr=10us w=req")),
              "FTP-9.1.7-04", 1);
}
END_TEST

START_TEST(FTP_9_1_7_03_acknowledged_before)
{
    ck_breaks(n1(&clean, LINES(PUSH, "+1us < back dbase=1r rbase=0r",
                               "+1us < nack dbase=1r nack_psn=0r code=2 rnr=10us w=data")),
              "FTP-9.1.7-03", 1);
    /* over 10 us of jitter the claim may be the younger one; after 50 us it is not */
    ck_excused(n1(&jitter, LINES(PUSH, "+1us < back dbase=1r rbase=0r",
                                 "+1us < nack nack_psn=0r code=2 rnr=10us w=data")),
               FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(n1(&jitter, LINES(PUSH, "+1us < back dbase=1r rbase=0r",
                                "+50us < nack nack_psn=0r code=2 rnr=10us w=data")),
              "FTP-9.1.7-03", 1);
}
END_TEST

/* No other packet tells that it was acknowledged. */
START_TEST(FTP_9_1_7_03_its_own_base_acknowledges_it)
{
    ck_breaks(n1(&lossy, LINES(PUSH, "< nack dbase=1r nack_psn=0r code=2 rnr=10us w=data")),
              "FTP-9.1.7-03", 1);
    ck_breaks(n1(&lossy, LINES(PULL, "< nack rbase=1r nack_psn=0r code=5 w=req")),
              "FTP-9.1.7-03", 1);
    ck_holds(
        n1(&lossy, LINES(PUSH, PULL, "< nack dbase=0r rbase=1r nack_psn=0r code=6 w=data")), 1);
    /* a late copy of what a Resync replaced */
    ck_breaks(n1(&lossy, LINES(PUSH, "> resync psn=0r rsn=0r code=6 of=push_data",
                               "< nack dbase=1r nack_psn=0r code=6 w=data")),
              "FTP-9.1.7-03", 1);
}
END_TEST

/* The NACK carries the base of the moment at which it leaves (9.1.7): a copy that came within
 * the pipeline allowance may have been accepted since. */
START_TEST(excuse_pipeline_a_copy_accepted_before_the_nack_left)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *again =
        LINES(PUSH, PUSH, "< nack dbase=1r nack_psn=0r code=2 rnr=10us w=data");

    ck_breaks(script_run("N1", &clean, &c, again), "FTP-9.1.7-03", 1);
    c.params.pipeline_ns = 5 * FAL_US;
    ck_excused(script_run("N1", &clean, &c, again), FAL_EXCUSE_PIPELINE, 1);
    ck_excused(script_run("N1", &clean, &c,
                          LINES(PUSH, PUSH, "< nack dbase=1r nack_psn=0r code=1 w=data")),
               FAL_EXCUSE_PIPELINE, 1);
    /* the same push gets the same error again, and one copy is accepted once */
    ck_breaks(script_run("N1", &clean, &c,
                         LINES(PUSH, PUSH, "< nack dbase=1r nack_psn=0r code=6 w=data")),
              "FTP-9.1.7-03", 1);
    ck_breaks(script_run("N1", &clean, &c,
                         LINES(PUSH, "< nack dbase=1r nack_psn=0r code=2 rnr=10us w=data")),
              "FTP-9.1.7-03", 1);
    /* the receiver's own timer offers it again (AMB-16) */
    c.params.pipeline_ns = 10 * FAL_US + 240;
    ck_excused(script_run("N1", &clean, &c,
                          LINES(PUSH, "< nack dbase=1r nack_psn=0r code=2 rnr=10us w=data")),
               FAL_EXCUSE_PIPELINE, 1);
}
END_TEST

/* A receiver may check its resources before its window, when the packet comes once more. */
START_TEST(reading_amb_75_a_resource_nack_for_a_duplicate)
{
    struct kind doubles = clean;
    struct outcome o = n1(&clean, LINES(PUSH, "+1us < back dbase=1r rbase=0r", PUSH,
                                        "+1us < nack dbase=1r nack_psn=0r code=1 w=data"));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* no other code, and not if the packet came only once */
    ck_breaks(n1(&clean, LINES(PUSH, "+1us < back dbase=1r rbase=0r", PUSH,
                               "+1us < nack dbase=1r nack_psn=0r code=2 rnr=10us w=data")),
              "FTP-9.1.7-03", 1);
    ck_breaks(n1(&clean, LINES(PUSH, "+1us < back dbase=1r rbase=0r",
                               "+1us < nack dbase=1r nack_psn=0r code=1 w=data")),
              "FTP-9.1.7-03", 1);
    doubles.run.no_duplicates_in = false;
    ck_excused(n1(&doubles, LINES(PUSH, "+1us < back dbase=1r rbase=0r",
                                  "+1us < nack dbase=1r nack_psn=0r code=1 w=data")),
               FAL_EXCUSE_READING, 1);
}
END_TEST

START_TEST(a_gap_undecides)
{
    ck_undecided(
        n1(&lossy, LINES("mark gap_in 1", "< nack nack_psn=0r code=2 rnr=10us w=data")), 1);
    ck_undecided(n1(&capture, LINES("< nack nack_psn=0r code=2 rnr=10us w=data")), 1);
    ck_breaks(n1(&lossy, LINES("mark gap_out 1", "< nack nack_psn=0r code=2 rnr=10us w=data")),
              "FTP-9.1.7-03", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule N1");
    TCase *tc = tcase_create("N1");

    tcase_add_test(tc, names_a_packet_that_was_sent);
    tcase_add_test(tc, FTP_9_1_7_03_nothing_sent);
    tcase_add_test(tc, FTP_9_1_7_04_the_other_window);
    tcase_add_test(tc, FTP_9_1_7_03_acknowledged_before);
    tcase_add_test(tc, FTP_9_1_7_03_its_own_base_acknowledges_it);
    tcase_add_test(tc, excuse_pipeline_a_copy_accepted_before_the_nack_left);
    tcase_add_test(tc, reading_amb_75_a_resource_nack_for_a_duplicate);
    tcase_add_test(tc, a_gap_undecides);
    suite_add_tcase(suite, tc);
    return suite;
}
