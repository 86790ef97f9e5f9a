/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* Half of the coalescing timeout are 4 us in all of these. */
static struct outcome a3(const struct kind *kind, const char *const *lines)
{
    return judged("A3", kind, lines);
}

#define PULL0 "> pull_request psn=0r rsn=0r len=4 ar"
#define PUSH0 "> push_data psn=0r rsn=0r len=4 ar"
#define LATER "wait 1ms", "mark barrier"

START_TEST(an_ack_at_once_holds)
{
    ck_holds(a3(&clean, LINES(PULL0, "+4us < back dbase=0r rbase=1r", LATER)), 1);
    ck_holds(a3(&clean, LINES(PUSH0, "wait 1ms", "respond 0r ack",
                              "+4us < back dbase=1r rbase=0r", LATER)),
             1);
    /* one answers many */
    ck_holds(a3(&clean, LINES(PULL0, "> pull_request psn=1r rsn=1r len=4 ar",
                              "+4us < back dbase=0r rbase=2r", LATER)),
             2);
    /* no AR, no duty; nor of a push that waits */
    ck_holds(a3(&clean, LINES("> pull_request psn=0r rsn=0r len=4", LATER)), 0);
    ck_holds(a3(&clean, LINES(PUSH0, LATER)), 0);
}
END_TEST

START_TEST(FTP_9_1_6_02_ar_not_answered)
{
    ck_breaks(a3(&clean, LINES(PULL0, "+5us < back dbase=0r rbase=1r")), "FTP-9.1.6-02", 1);
    ck_breaks(a3(&clean, LINES(PULL0, LATER)), "FTP-9.1.6-02", 1);
    /* a piggyback is no ACK packet */
    ck_breaks(a3(&clean, LINES(PULL0, "+1us < push_data psn=0r rsn=0r len=4 rbase=1r", LATER)),
              "FTP-9.1.6-02", 1);
    ck_breaks(a3(&clean, LINES("> resync psn=0r rsn=0r code=cie of=push_data ar", LATER)),
              "FTP-9.1.6-02", 1);
}
END_TEST

START_TEST(FTP_9_1_6_03_ar_of_a_push_not_answered)
{
    ck_breaks(a3(&clean, LINES(PUSH0, "respond 0r ack", LATER)), "FTP-9.1.6-03", 1);
    ck_breaks(a3(&clean, LINES(PUSH0, "respond 0r ack", "+1us < eack dbase=0r rbase=0r drx=0b1",
                               LATER)),
              "FTP-9.1.6-03", 1);
    /* the answer came when it had been given up */
    ck_holds(a3(&clean, LINES(PUSH0, "wait 1s", "respond 0r ack", "+10ms > back")), 0);
    /* of two copies the one without AR may have been taken */
    ck_holds(
        a3(&clean, LINES(PUSH0, "> push_data psn=0r rsn=0r len=4", "respond 0r ack", LATER)),
        0);
}
END_TEST

/* Where half the timeout is no clear lateness. */
START_TEST(excuse_config_the_timeout_is_too_short)
{
    struct fal_connection c = script_connection(&clean);

    c.params.turnaround_ns = 401;
    ck_undecided(script_run("A3", &clean, &c, LINES(PULL0, LATER)), 1);
    c.params.turnaround_ns = 400;
    ck_breaks(script_run("A3", &clean, &c, LINES(PULL0, LATER)), "FTP-9.1.6-02", 1);
    c.params.coalescing_ns = 0;
    ck_undecided(script_run("A3", &clean, &c, LINES(PULL0, LATER)), 1);
}
END_TEST

START_TEST(excuse_out_loss)
{
    struct kind loses = clean;

    loses.run.lossless_out = false;
    ck_excused(a3(&loses, LINES(PULL0, LATER)), FAL_EXCUSE_OUT_LOSS, 1);
}
END_TEST

/* The AR bit of a duplicate is ignored, and which copy is one is open on a path that reorders.
 */
START_TEST(copies)
{
    ck_holds(a3(&clean, LINES("> pull_request psn=0r rsn=0r len=4",
                              "> pull_request psn=0r rsn=0r len=4 ar", LATER)),
             0);
    ck_holds(a3(&jitter, LINES(PULL0, "> pull_request psn=0r rsn=0r len=4", LATER)), 0);
    ck_breaks(a3(&clean, LINES(PULL0, "> pull_request psn=0r rsn=0r len=4", LATER)),
              "FTP-9.1.6-02", 1);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.req_psn = 0xffffffff;
    ck_holds(script_run("A3", &clean, &c, LINES(PULL0, "+4us < back dbase=0r rbase=1r", LATER)),
             1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule A3");
    TCase *tc = tcase_create("A3");

    tcase_add_test(tc, an_ack_at_once_holds);
    tcase_add_test(tc, FTP_9_1_6_02_ar_not_answered);
    tcase_add_test(tc, FTP_9_1_6_03_ar_of_a_push_not_answered);
    tcase_add_test(tc, excuse_config_the_timeout_is_too_short);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, copies);
    tcase_add_test(tc, wrap_around);
    suite_add_tcase(suite, tc);
    return suite;
}
