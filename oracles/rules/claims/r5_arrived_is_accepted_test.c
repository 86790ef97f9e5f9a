/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome r5(const struct kind *kind, const char *const *lines)
{
    return judged("R5", kind, lines);
}

#define PUSH0 "> push_data psn=0r rsn=0r len=4"
#define PUSH1 "> push_data psn=1r rsn=1r len=4"

START_TEST(accepted_or_refused_holds)
{
    ck_holds(r5(&clean, LINES(PUSH0, PUSH1, "+1us < eack dbase=0r rbase=0r drx=0b11")), 2);
    ck_holds(r5(&clean, LINES(PUSH0, "< nack dbase=0r rbase=0r nack_psn=0r code=1 w=data",
                              "+1us < eack dbase=0r rbase=0r")),
             1);
    /* the NACK comes later, but in time: twice the coalescing timeout */
    ck_holds(r5(&clean, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r",
                              "+16us < nack dbase=0r rbase=0r nack_psn=0r code=1 w=data",
                              "wait 1s", "mark barrier")),
             1);
}
END_TEST

START_TEST(FTP_9_02_arrived_and_neither_accepted_nor_refused)
{
    struct outcome o = r5(&clean, LINES(PUSH0, PUSH1, "+1us < eack dbase=0r rbase=0r drx=0b10",
                                        "wait 17us", "mark barrier"));

    ck_breaks(o, "FTP-9-02", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 4);
    ck_breaks(r5(&clean, LINES("> pull_request psn=0r rsn=0r len=4",
                               "+1us < eack dbase=0r rbase=0r", "wait 17us", "close")),
              "FTP-9-02", 1);
    /* known by a younger number that it shows */
    ck_breaks(r5(&clean, LINES(PUSH0, PUSH1, "< eack dbase=0r rbase=0r drx=0b10", "wait 17us",
                               "mark barrier")),
              "FTP-9-02", 1);
}
END_TEST

/* Engines of the receiver may be 1 us apart, and a packet may show a state of 1 us ago. */
START_TEST(FTP_9_02_lanes_within_the_pipeline_allowance)
{
    struct kind piped = clean;

    piped.pipeline_ns = FAL_US;
    ck_holds(
        r5(&piped, LINES(PUSH0, "+2us < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
        0);
    ck_breaks(
        r5(&piped, LINES(PUSH0, "+2001ns < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
        "FTP-9-02", 1);
    /* the younger one was acknowledged by another engine */
    ck_holds(r5(&piped, LINES(PUSH0, "wait 1us", PUSH1, "< eack dbase=0r rbase=0r drx=0b10",
                              "wait 1s", "mark barrier")),
             0);
    ck_breaks(r5(&piped, LINES(PUSH0, "wait 1001ns", PUSH1, "< eack dbase=0r rbase=0r drx=0b10",
                               "wait 1s", "mark barrier")),
              "FTP-9-02", 1);
}
END_TEST

/* A later acknowledgement shows that it was accepted, unless another copy may be what it is
 * about. */
START_TEST(FTP_9_02_withdrawn_by_a_later_claim)
{
    ck_holds(
        r5(&clean, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r",
                         "+5us < eack dbase=0r rbase=0r drx=0b1", "wait 1s", "mark barrier")),
        0);
    ck_holds(r5(&clean, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r",
                              "+5us < back dbase=1r rbase=0r", "wait 1s", "mark barrier")),
             0);
    ck_breaks(r5(&clean, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r", PUSH0,
                               "+5us < back dbase=1r rbase=0r", "wait 1s", "mark barrier")),
              "FTP-9-02", 1);
    ck_breaks(r5(&clean, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r",
                               "> resync psn=0r rsn=0r code=3 of=push_data",
                               "+5us < back dbase=1r rbase=0r", "wait 1s", "mark barrier")),
              "FTP-9-02", 1);
}
END_TEST

START_TEST(excuse_resource_drop)
{
    struct kind loses = clean;

    loses.run.lossless_out = false;
    ck_excused(
        r5(&loses, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
        FAL_EXCUSE_RESOURCE_DROP, 1);
    ck_holds(r5(&loses, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r drx=0b1")), 1);
}
END_TEST

START_TEST(without_a_witness_of_its_arrival)
{
    struct kind loses = clean;

    loses.run.lossless_in = false;
    ck_holds(r5(&loses, LINES(PUSH0, PUSH1, "+1us < eack dbase=0r rbase=0r drx=0b10", "wait 1s",
                              "mark barrier")),
             0);
    ck_holds(
        r5(&jitter, LINES(PUSH0, "+20us < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
        0);
    ck_breaks(r5(&jitter,
                 LINES(PUSH0, "+20001ns < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
              "FTP-9-02", 1);
}
END_TEST

/* Beyond the window as far as was known when it was sent, or malformed. */
START_TEST(what_need_not_be_accepted)
{
    ck_holds(r5(&clean, LINES("> pull_request psn=64r rsn=64r len=4",
                              "+1us < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
             0);
    ck_holds(r5(&clean, LINES("step > push_data psn=0r rsn=0r len=5 payload_len=4",
                              "+1us < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
             0);
}
END_TEST

/* The first copy of 128 was beyond, whatever the base is now. */
START_TEST(what_was_beyond_when_it_was_sent)
{
    char text[129][64];
    const char *lines[129 + 4];

    for (unsigned i = 0; i < 129; i++) {
        (void)snprintf(text[i], sizeof text[i], "> push_data psn=%ur rsn=%ur len=4", i, i);
        lines[i] = text[i];
    }
    lines[129] = "+1us < eack dbase=1r rbase=0r drx=0x7fffffffffffffffffffffffffffffff";
    lines[130] = "wait 1s";
    lines[131] = "mark barrier";
    lines[132] = NULL;
    ck_holds(r5(&clean, lines), 127);
}
END_TEST

START_TEST(excuse_capture_gap_of_the_nack)
{
    ck_undecided(r5(&clean, LINES(PUSH0, "+1us < eack dbase=0r rbase=0r", "mark gap_out 1",
                                  "wait 1s", "mark barrier")),
                 1);
}
END_TEST

START_TEST(excuse_config_turnaround_not_given)
{
    struct fal_connection c = script_connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_turnaround);
    ck_undecided(
        script_run("R5", &clean, &c,
                   LINES(PUSH0, "+1us < eack dbase=0r rbase=0r", "wait 1s", "mark barrier")),
        1);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.data_psn = 0xffffffff;
    ck_breaks(script_run("R5", &clean, &c,
                         LINES(PUSH0, PUSH1, "+1us < eack dbase=0r rbase=0r drx=0b1", "wait 1s",
                               "mark barrier")),
              "FTP-9-02", 1);
    ck_holds(script_run("R5", &clean, &c,
                        LINES(PUSH0, PUSH1, "+1us < eack dbase=1r rbase=0r drx=0b1")),
             1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R5");
    TCase *tc = tcase_create("R5");

    tcase_add_test(tc, accepted_or_refused_holds);
    tcase_add_test(tc, FTP_9_02_arrived_and_neither_accepted_nor_refused);
    tcase_add_test(tc, FTP_9_02_lanes_within_the_pipeline_allowance);
    tcase_add_test(tc, FTP_9_02_withdrawn_by_a_later_claim);
    tcase_add_test(tc, excuse_resource_drop);
    tcase_add_test(tc, without_a_witness_of_its_arrival);
    tcase_add_test(tc, what_need_not_be_accepted);
    tcase_add_test(tc, what_was_beyond_when_it_was_sent);
    tcase_add_test(tc, excuse_capture_gap_of_the_nack);
    tcase_add_test(tc, excuse_config_turnaround_not_given);
    tcase_add_test(tc, wrap_around);
    suite_add_tcase(suite, tc);
    return suite;
}
