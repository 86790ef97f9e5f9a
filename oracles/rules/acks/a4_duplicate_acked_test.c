/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome a4(const struct kind *kind, const char *const *lines)
{
    return judged("A4", kind, lines);
}

#define PULL0  "> pull_request psn=0r rsn=0r len=4"
#define DONE   PULL0, "+1us < back dbase=0r rbase=1r", "wait 100us"
#define WAITED "wait 100us", PULL0, "+8us < back dbase=0r rbase=1r", "wait 100us"
#define LATER  "wait 1ms", "mark barrier"

START_TEST(a_coalesced_ack_holds)
{
    ck_holds(a4(&clean, LINES(DONE, PULL0, "+8us < back dbase=0r rbase=1r", LATER)), 1);
    ck_holds(a4(&clean, LINES(DONE, (PULL0 " ar"), "+8us < back dbase=0r rbase=1r", LATER)), 1);
    /* without AR it may be early */
    ck_holds(a4(&clean, LINES(DONE, PULL0, "+1us < back dbase=0r rbase=1r", LATER)), 1);
    /* acknowledged by a bit */
    ck_holds(a4(&clean, LINES("> pull_request psn=1r rsn=1r len=4",
                              "+1us < eack dbase=0r rbase=0r req=0b10", "wait 100us",
                              "> pull_request psn=1r rsn=1r len=4",
                              "+8us < eack dbase=0r rbase=0r req=0b10", LATER)),
             1);
    /* not known to be a duplicate */
    ck_holds(a4(&clean, LINES(PULL0, PULL0, LATER)), 0);
}
END_TEST

START_TEST(FTP_9_2_2_4_06_a_duplicate_unanswered)
{
    struct outcome o = a4(&clean, LINES(DONE, PULL0, LATER));

    ck_breaks(o, "FTP-9.2.2.4-06", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 4);
    ck_breaks(a4(&clean, LINES(DONE, PULL0, "+9us < back dbase=0r rbase=1r")), "FTP-9.2.2.4-06",
              1);
}
END_TEST

START_TEST(reading_amb_18_answered_at_once)
{
    struct outcome o =
        a4(&clean, LINES(WAITED, (PULL0 " ar"), "+7us < back dbase=0r rbase=1r", LATER));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* an early ACK is allowed, and is no reading of a SUT that does not wait otherwise */
    ck_holds(a4(&clean, LINES(DONE, (PULL0 " ar"), "+7us < back dbase=0r rbase=1r", LATER)), 1);
    ck_holds(a4(&clean, LINES((PULL0 " ar"), "+8us < back dbase=0r rbase=1r", "wait 100us",
                              (PULL0 " ar"), "+7us < back dbase=0r rbase=1r", LATER)),
             1);
}
END_TEST

/* A timer that ran already, or other news, explains an early ACK. */
START_TEST(an_early_ack_that_something_else_explains)
{
    ck_holds(a4(&clean, LINES(PULL0, "+1us < back dbase=0r rbase=1r", (PULL0 " ar"),
                              "+1us < back dbase=0r rbase=1r", LATER)),
             1);
    ck_holds(a4(&clean, LINES(DONE, (PULL0 " ar"), "> pull_request psn=1r rsn=1r len=4 ar",
                              "+1us < back dbase=0r rbase=2r", LATER)),
             1);
    ck_holds(a4(&clean, LINES("> push_data psn=0r rsn=1r len=4", DONE, (PULL0 " ar"),
                              "+1us < back dbase=0r rbase=1r", LATER)),
             1);
    ck_holds(a4(&clean, LINES(DONE, "mark gap_in 1", (PULL0 " ar"),
                              "+1us < back dbase=0r rbase=1r", LATER)),
             1);
}
END_TEST

START_TEST(excuse_out_loss)
{
    struct kind loses = clean;

    loses.run.lossless_out = false;
    ck_excused(a4(&loses, LINES(DONE, PULL0, LATER)), FAL_EXCUSE_OUT_LOSS, 1);
}
END_TEST

START_TEST(without_a_witness_of_its_arrival)
{
    struct kind loses = clean;

    loses.run.lossless_in = false;
    ck_holds(a4(&loses, LINES(DONE, PULL0, LATER)), 0);
}
END_TEST

START_TEST(excuse_config_without_bounds)
{
    struct kind far = clean;

    far.run.delay_max_ns = FAL_NEVER;
    ck_undecided(a4(&far, LINES(DONE, PULL0, LATER)), 1);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.req_psn = 0xffffffff;
    ck_breaks(script_run("A4", &clean, &c, LINES(DONE, PULL0, LATER)), "FTP-9.2.2.4-06", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule A4");
    TCase *tc = tcase_create("A4");

    tcase_add_test(tc, a_coalesced_ack_holds);
    tcase_add_test(tc, FTP_9_2_2_4_06_a_duplicate_unanswered);
    tcase_add_test(tc, reading_amb_18_answered_at_once);
    tcase_add_test(tc, an_early_ack_that_something_else_explains);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, without_a_witness_of_its_arrival);
    tcase_add_test(tc, excuse_config_without_bounds);
    tcase_add_test(tc, wrap_around);
    suite_add_tcase(suite, tc);
    return suite;
}
