/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome r4(const struct kind *kind, const char *const *lines)
{
    return judged("R4", kind, lines);
}

#define PULL   "> pull_request psn=0r rsn=0r len=4"
#define PULLS  PULL, "> pull_request psn=1r rsn=1r len=4"
#define PUSH   "> push_data psn=0r rsn=0r len=4"
#define PUSHES PUSH, "> push_data psn=1r rsn=1r len=4", "> push_data psn=2r rsn=2r len=4"
/* IVs that keep pace with our clock. */
#define PACE                                                      \
    "iv 1000us", "@1000us < back dbase=0r rbase=0r", "iv 3000us", \
        "@3000us < back dbase=0r rbase=0r"

START_TEST(what_was_accepted_is_covered)
{
    ck_holds(
        r4(&clean, LINES(PULLS, "request 1r pull 4", "+1us < eack dbase=0r rbase=0r req=0b10",
                         "request 0r pull 4", "+1us < back dbase=0r rbase=2r")),
        2);
    ck_holds(
        r4(&clean, LINES(PUSHES, "request 1r push 4", "+1us < eack dbase=0r rbase=0r drx=0b10",
                         "respond 1r ack", "+1us < eack dbase=0r rbase=0r dack=0b10 drx=0b10")),
        2);
    /* a BACK says nothing of a push that waits, nor a NACK of what lies above the base */
    ck_holds(r4(&clean,
                LINES(PUSHES, "request 1r push 4", "+1us < back dbase=0r rbase=0r",
                      "respond 1r ack", "< nack dbase=0r rbase=0r nack_psn=0r code=6 w=data")),
             0);
}
END_TEST

START_TEST(FTP_9_2_1_03_request_base_not_moved)
{
    struct outcome o =
        r4(&clean, LINES(PULL, "request 0r pull 4", "+1us < back dbase=0r rbase=0r"));

    ck_breaks(o, "FTP-9.2.1-03", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_assert_uint_eq(o.findings[0].evidence[2], 4);
    ck_breaks(r4(&clean, LINES(PULL, "< pull_data psn=0r rsn=0r payload_len=4 rbase=1r",
                               "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.1-03", 1);
}
END_TEST

START_TEST(FTP_9_2_1_06_data_base_not_moved)
{
    ck_breaks(r4(&clean, LINES(PUSH, "request 0r push 4", "respond 0r ack",
                               "+1us < eack dbase=0r rbase=0r drx=0b1")),
              "FTP-9.2.1-06", 1);
    ck_breaks(r4(&clean, LINES(PUSH, "ulp_ack 0r ack", "+1us < back dbase=0r rbase=0r")),
              "FTP-9.2.1-06", 1);
    /* an answer to what was given up by then acknowledges nothing */
    ck_holds(
        r4(&clean, LINES(PUSH, "wait 1s", "ulp_ack 0r ack", "+1us < back dbase=0r rbase=0r")),
        0);
    /* the SUT's own pull: its data came, as the completion says */
    ck_breaks(r4(&clean, LINES("< pull_request psn=0r rsn=0r len=4",
                               "> pull_data psn=0r rsn=0r payload_len=4 rbase=1r",
                               "completion 0r 4", "+1us < back dbase=0r rbase=0r")),
              "FTP-9.2.1-06", 1);
    ck_holds(r4(&clean, LINES("< pull_request psn=0r rsn=0r len=4",
                              "> pull_data psn=0r rsn=0r payload_len=4 rbase=1r",
                              "completion 0r 4", "+1us < back dbase=1r rbase=0r")),
             1);
    /* whether it was a pull is not known where its request was not sent */
    ck_holds(r4(&clean, LINES("> pull_data psn=0r rsn=0r payload_len=4", "completion 0r 4",
                              "+1us < back dbase=0r rbase=0r")),
             0);
}
END_TEST

START_TEST(FTP_9_1_6_11_back_instead_of_an_eack)
{
    ck_breaks(r4(&clean, LINES(PULLS, "request 1r pull 4", "+1us < back dbase=0r rbase=0r")),
              "FTP-9.1.6-11", 1);
}
END_TEST

START_TEST(FTP_9_1_6_12_back_instead_of_an_eack)
{
    ck_breaks(r4(&clean, LINES(PUSHES, "request 1r push 4", "respond 1r ack",
                               "+1us < back dbase=0r rbase=0r")),
              "FTP-9.1.6-12", 1);
}
END_TEST

START_TEST(FTP_9_2_1_08_09_bits_missing)
{
    ck_breaks(r4(&clean, LINES(PUSHES, "request 1r push 4", "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.1-09", 1);
    ck_breaks(r4(&clean, LINES(PUSHES, "request 1r push 4", "respond 1r ack",
                               "+1us < eack dbase=0r rbase=0r drx=0b10")),
              "FTP-9.2.1-08", 1);
}
END_TEST

START_TEST(FTP_9_2_2_4_09_request_bit_missing)
{
    ck_breaks(r4(&clean, LINES(PULLS, "request 1r pull 4", "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.2.4-09", 1);
}
END_TEST

START_TEST(FTP_9_1_7_02_nack_with_a_base_that_was_acknowledged)
{
    ck_breaks(r4(&clean, LINES(PULL, "> push_data psn=0r rsn=1r len=4", "request 0r pull 4",
                               "+1us < nack dbase=0r rbase=0r nack_psn=0r code=6 w=data")),
              "FTP-9.1.7-02", 1);
}
END_TEST

/* A push that its upper layer refused was received. */
START_TEST(a_nack_for_the_upper_layer_is_a_word)
{
    ck_breaks(r4(&clean, LINES(PUSHES, "< nack dbase=0r rbase=0r nack_psn=1r code=6 w=data",
                               "+1us < eack dbase=0r rbase=0r drx=0b100")),
              "FTP-9.2.1-09", 1);
    ck_holds(r4(&clean, LINES(PUSHES, "< nack dbase=0r rbase=0r nack_psn=1r code=7 w=data",
                              "+1us < eack dbase=0r rbase=0r drx=0b110")),
             1);
    /* a resource drop received nothing */
    ck_holds(r4(&clean, LINES(PUSHES, "< nack dbase=0r rbase=0r nack_psn=1r code=1 w=data",
                              "+1us < eack dbase=0r rbase=0r drx=0b100")),
             0);
}
END_TEST

START_TEST(reading_amb_65_after_a_nack_of_the_push)
{
    ck_excused(r4(&clean, LINES(PUSHES, "request 1r push 4",
                                "< nack dbase=0r rbase=0r nack_psn=1r code=2 rnr=10us w=data",
                                "+1us < eack dbase=0r rbase=0r")),
               FAL_EXCUSE_READING, 1);
    /* once it took the push there is no going back */
    ck_breaks(r4(&clean, LINES(PUSHES, "request 1r push 4",
                               "< nack dbase=0r rbase=0r nack_psn=1r code=2 rnr=10us w=data",
                               "request 1r push 4 again", "respond 1r ack",
                               "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.1-08", 1);
}
END_TEST

START_TEST(excuse_out_loss_of_the_nack)
{
    struct kind loses = clean;

    loses.run.lossless_out = false;
    ck_excused(r4(&loses, LINES(PUSHES, "request 1r push 4", "+1us < eack dbase=0r rbase=0r")),
               FAL_EXCUSE_OUT_LOSS, 1);
    ck_breaks(r4(&loses, LINES(PULLS, "request 1r pull 4", "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.2.4-09", 1);
}
END_TEST

START_TEST(excuse_out_reorder_of_the_nack)
{
    ck_excused(
        r4(&jitter, LINES(PUSHES, "request 1r push 4", "+11us < eack dbase=0r rbase=0r")),
        FAL_EXCUSE_OUT_REORDER, 1);
}
END_TEST

START_TEST(excuse_pipeline_of_the_nack)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_excused(
        r4(&piped, LINES(PUSHES, "request 1r push 4", "+10001ns < eack dbase=0r rbase=0r")),
        FAL_EXCUSE_PIPELINE, 1);
    /* the event may be of another lane than the window, and the state 5 us old */
    ck_holds(r4(&piped, LINES(PULLS, "request 1r pull 4", "+10us < eack dbase=0r rbase=0r")),
             0);
    ck_breaks(
        r4(&piped, LINES(PULLS, "request 1r pull 4", "+10001ns < eack dbase=0r rbase=0r")),
        "FTP-9.2.2.4-09", 1);
}
END_TEST

START_TEST(excuse_capture_gap_of_the_nack)
{
    ck_excused(r4(&clean, LINES(PUSHES, "request 1r push 4", "mark gap_out 1",
                                "+1us < eack dbase=0r rbase=0r")),
               FAL_EXCUSE_CAPTURE_GAP, 1);
    /* the event may have been read after it */
    ck_excused(r4(&clean, LINES(PUSHES, "mark gap_out 1", "request 1r push 4",
                                "+1us < eack dbase=0r rbase=0r")),
               FAL_EXCUSE_CAPTURE_GAP, 1);
    ck_breaks(r4(&clean, LINES("mark gap_out 1", PUSHES, "request 1r push 4",
                               "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.1-09", 1);
}
END_TEST

/* Hard case 1: an ACK that crosses is older than the word; without bounds only a witness tells.
 */
START_TEST(an_ack_that_crosses_says_nothing)
{
    ck_holds(r4(&udp, LINES(PULLS, "request 1r pull 4", "+900ms < eack dbase=0r rbase=0r")), 0);
    /* a witness, younger than the event by the pipeline allowance of 100 us */
    ck_holds(
        r4(&udp, LINES(PULLS, "request 1r pull 4", "+100us > pull_request psn=2r rsn=2r len=4",
                       "+10us < eack dbase=0r rbase=0r req=0b100")),
        0);
    ck_breaks(r4(&udp, LINES(PULLS, "request 1r pull 4",
                             "+100001ns > pull_request psn=2r rsn=2r len=4",
                             "+10us < eack dbase=0r rbase=0r req=0b100")),
              "FTP-9.2.2.4-09", 1);
    ck_holds(r4(&jitter, LINES(PULLS, "request 1r pull 4", "+10us < eack dbase=0r rbase=0r")),
             0);
    ck_breaks(
        r4(&jitter, LINES(PULLS, "request 1r pull 4", "+10001ns < eack dbase=0r rbase=0r")),
        "FTP-9.2.2.4-09", 1);
    /* a packet and its word, by the SUT's own clock */
    ck_breaks(r4(&lossy, LINES(PULLS, PACE, "iv 3010us",
                               "+10us < pull_data psn=0r rsn=1r payload_len=4", "iv 3011us",
                               "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.2.4-09", 1);
    ck_holds(r4(&lossy,
                LINES(PULLS, PACE, "iv 3011us", "+10us < pull_data psn=0r rsn=1r payload_len=4",
                      "iv 3010us", "+1us < eack dbase=0r rbase=0r")),
             0);
}
END_TEST

START_TEST(across_a_step_of_the_clock_nothing_is_known)
{
    ck_holds(r4(&clean, LINES(PULLS, "request 1r pull 4", "mark clock_step",
                              "+1us < eack dbase=0r rbase=0r")),
             0);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.req_psn = c.tester.data_psn = 0xffffffff;
    ck_breaks(script_run("R4", &clean, &c,
                         LINES(PULLS, "request 1r pull 4", "+1us < eack dbase=0r rbase=0r")),
              "FTP-9.2.2.4-09", 1);
    ck_holds(
        script_run("R4", &clean, &c,
                   LINES(PULLS, "request 1r pull 4", "+1us < eack dbase=0r rbase=0r req=0b10",
                         "request 0r pull 4", "+1us < back dbase=0r rbase=2r")),
        2);
}
END_TEST

/* A number that stands for two packets proves nothing. */
START_TEST(facts_that_vary_are_no_word)
{
    ck_holds(r4(&clean, LINES(PULL, "step > pull_request psn=1r rsn=0r len=4",
                              "request 0r pull 4", "+1us < back dbase=0r rbase=0r")),
             0);
}
END_TEST

START_TEST(our_own_side)
{
    struct outcome o = r4(&clean, LINES("< pull_request psn=0r rsn=0r len=4",
                                        "> pull_data psn=0r rsn=0r payload_len=4 rbase=1r",
                                        "+1us > back dbase=0r rbase=0r"));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR);
    ck_asked(r4(&clean, LINES("< pull_request psn=0r rsn=0r len=4",
                              "> pull_data psn=0r rsn=0r payload_len=4 rbase=1r", "wait 1us",
                              "step > back dbase=0r rbase=0r")));
}
END_TEST

/* More waits than is kept: the oldest is forgotten, nothing else. */
START_TEST(memory_is_bounded)
{
    const char *lines[2 * 100 + 2];
    char text[200][80];

    for (int i = 0; i < 100; i++) {
        (void)snprintf(text[2 * i], sizeof text[0], "> push_data psn=%dr rsn=%dr len=4", i, i);
        (void)snprintf(text[2 * i + 1], sizeof text[0], "request %dr push 4", i);
        lines[2 * i] = text[2 * i];
        lines[2 * i + 1] = text[2 * i + 1];
    }
    lines[200] = "+1us < eack dbase=0r rbase=0r";
    lines[201] = NULL;
    ck_breaks(r4(&clean, lines), "FTP-9.2.1-09", 64);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R4");
    TCase *tc = tcase_create("R4");

    tcase_add_test(tc, what_was_accepted_is_covered);
    tcase_add_test(tc, FTP_9_2_1_03_request_base_not_moved);
    tcase_add_test(tc, FTP_9_2_1_06_data_base_not_moved);
    tcase_add_test(tc, FTP_9_1_6_11_back_instead_of_an_eack);
    tcase_add_test(tc, FTP_9_1_6_12_back_instead_of_an_eack);
    tcase_add_test(tc, FTP_9_2_1_08_09_bits_missing);
    tcase_add_test(tc, FTP_9_2_2_4_09_request_bit_missing);
    tcase_add_test(tc, FTP_9_1_7_02_nack_with_a_base_that_was_acknowledged);
    tcase_add_test(tc, a_nack_for_the_upper_layer_is_a_word);
    tcase_add_test(tc, reading_amb_65_after_a_nack_of_the_push);
    tcase_add_test(tc, excuse_out_loss_of_the_nack);
    tcase_add_test(tc, excuse_out_reorder_of_the_nack);
    tcase_add_test(tc, excuse_pipeline_of_the_nack);
    tcase_add_test(tc, excuse_capture_gap_of_the_nack);
    tcase_add_test(tc, an_ack_that_crosses_says_nothing);
    tcase_add_test(tc, across_a_step_of_the_clock_nothing_is_known);
    tcase_add_test(tc, wrap_around);
    tcase_add_test(tc, facts_that_vary_are_no_word);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, memory_is_bounded);
    suite_add_tcase(suite, tc);
    return suite;
}
