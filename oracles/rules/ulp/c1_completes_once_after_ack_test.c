/* SPDX-License-Identifier: Apache-2.0
 * c1_completes_once_after_ack_test.c - completions: C1, once, and not too early; C2, in order;
 * C3, with a code that fits; C4, when; C5, at all. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH   "< push_data psn=0r rsn=0r len=4"
#define PUSH_1 "< push_data psn=1r rsn=1r len=4"
#define PULL   "< pull_request psn=0r rsn=0r len=4"
#define PULL_1 "< pull_request psn=0r rsn=1r len=4"
#define DATA   "> pull_data psn=0r rsn=0r payload_len=4"
#define FORGED "step > pull_data psn=0r rsn=0r payload_len=4"
#define RESYNC "< resync psn=0r rsn=0r code=1 of=push_data"
#define CIE    "> nack nack_psn=0r code=6 ulp_nack_code=9 w=data"
#define POST   "policy {}" /* any command: there is a control channel */

static struct outcome c1(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("C1", kind, lines);
}

START_TEST(once_and_not_too_early)
{
    ck_holds(c1(&lossy, LINES(PUSH, "> back dbase=1r", "done 0r")), 1);
    ck_holds(c1(&lossy, LINES(PUSH, PUSH_1, "> eack dack=0b10 drx=0b11", "done 1r")), 1);
    ck_holds(c1(&lossy, LINES(PULL, DATA, "completion 0r 4")), 1);
    ck_holds(c1(&lossy, LINES(PUSH, "done 0r 8")), 1); /* an error needs no acknowledgement */
    /* a packet after the later one was acknowledged with it, or by its bit */
    ck_holds(c1(&lossy, LINES(PUSH_1, "> back dbase=2r", PUSH, "done 0r")), 1);
    ck_breaks(c1(&lossy, LINES(PUSH_1, "> eack dack=0b10 drx=0b10", PUSH, "done 0r")),
              "FTP-8.4.3.3-10", 1);
}
END_TEST

START_TEST(FTP_8_4_3_3_10_before_its_acknowledgement)
{
    ck_breaks(c1(&lossy, LINES(PUSH, "done 0r", "> back dbase=1r")), "FTP-8.4.3.3-10", 1);
    ck_breaks(c1(&lossy, LINES(PUSH, PUSH_1, "> eack drx=0b11", "done 1r")), "FTP-8.4.3.3-10",
              1);
    ck_breaks(c1(&lossy, LINES(PULL, "done 0r", DATA)), "FTP-6.1.1.2-01", 1);
}
END_TEST

START_TEST(FTP_6_1_1_1_01_twice)
{
    ck_breaks(c1(&lossy, LINES(PUSH, "> back dbase=1r", "done 0r", "done 0r")),
              "FTP-6.1.1.1-01", 1);
    ck_breaks(c1(&lossy, LINES(PULL, DATA, "completion 0r 4", "done 0r")), "FTP-8.1-04", 1);
    ck_breaks(c1(&lossy, LINES(PUSH, "> back dbase=1r", "done 0r", "done 0r 8")),
              "FTP-6.1.1.1-01", 1);
    /* even of one whose packet was lost */
    ck_breaks(c1(&lossy, LINES("done 0r 8", "done 0r 8")), "FTP-6.1.1.1-01", 1);
}
END_TEST

/* Its RSN is that of the next one; those that a dead connection refuses may all bear it. */
START_TEST(FTP_11_34_a_refused_post_gives_its_rsn_back)
{
    ck_holds(c1(&lossy, LINES("done 0r 11", "done 0r 12", PUSH, "> back dbase=1r", "done 0r")),
             1);
    ck_undecided(c1(&lossy, LINES("done 0r 10", "done 0r 10")), 2);
    ck_breaks(c1(&lossy, LINES(PUSH, "done 0r 10", "done 0r 10")), "FTP-6.1.1.1-01", 1);
}
END_TEST

START_TEST(what_may_have_gone_unseen)
{
    ck_undecided(c1(&lossy, LINES("done 0r")), 1);
    ck_undecided(c1(&lossy, LINES("done 0r 10", "done 0r 10")), 2); /* refused: no RSN taken */
    ck_undecided(c1(&lossy, LINES(PUSH, "mark gap_in 1", "done 0r")), 1);
    ck_breaks(c1(&lossy, LINES("mark gap_in 1", PUSH, "done 0r")), "FTP-8.4.3.3-10", 1);
    ck_holds(c1(&lossy, LINES(PUSH, "step > back dbase=9r", "done 0r")),
             0); /* as it deserves */
}
END_TEST

/* ---- C2 ---- */

static struct outcome c2(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("C2", kind, lines);
}

START_TEST(in_rsn_order)
{
    ck_holds(c2(&told, LINES(PUSH, PUSH_1, "> back dbase=2r", "done 0r", "done 1r")), 1);
    ck_undecided(c2(&clean, LINES(PUSH, PUSH_1, "> back dbase=2r", "done 1r", "done 0r")), 2);
    /* a transaction that was never sent was refused, and no answer is due */
    ck_holds(c2(&told, LINES(PULL, "step > pull_data psn=1r rsn=4r payload_len=4", "done 1r 12",
                             DATA, "completion 0r 4")),
             0);
}
END_TEST

START_TEST(FTP_8_4_2_02_out_of_order)
{
    struct fal_connection c = script_connection(&told);

    ck_breaks(c2(&told, LINES(PUSH, PUSH_1, "> back dbase=2r", "done 1r", "done 0r")),
              "FTP-8.4.3.3-11", 1);
    ck_breaks(c2(&told, LINES(PUSH, PULL_1, "> back dbase=1r",
                              "> pull_data psn=0r rsn=1r payload_len=4", "completion 1r 4",
                              "done 0r")),
              "FTP-8.4.2-02", 1);
    ck_breaks(c2(&told, LINES(PULL, PUSH, "< pull_request psn=1r rsn=1r len=4",
                              "> pull_data psn=0r rsn=1r payload_len=4", "completion 1r 4",
                              DATA, "completion 0r 4")),
              "FTP-8.4.3.2-06", 1);
    ck_breaks(c2(&told, LINES(PUSH, PUSH_1, "> back dbase=2r", "done 1r", "done 0r 1")),
              "FTP-8.4.3.5-04", 1);
    c.params.ordered = false;
    ck_holds(script_run("C2", &told, &c, LINES(PUSH, PUSH_1, "done 1r", "done 0r")), 0);
}
END_TEST

/* ---- C3 ---- */

static struct outcome c3(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("C3", kind, lines);
}

START_TEST(codes_that_fit)
{
    ck_holds(c3(&lossy, LINES(PUSH, "> back dbase=1r", "done 0r")), 1);
    ck_holds(c3(&lossy, LINES(PUSH, CIE, RESYNC, "> back dbase=1r", "done 0r 1 9")), 1);
    ck_holds(c3(&lossy, LINES(PUSH, "> nack nack_psn=0r code=4 w=data", "done 0r 13")), 1);
    ck_undecided(c3(&lossy, LINES(PUSH, "done 0r 8")), 1);
}
END_TEST

/* AMB-59: what a NACK does to a pull is only recorded. AMB-48: so is when a pull ends whose
 * data were given up. */
START_TEST(codes_of_pulls_that_nobody_answers)
{
    ck_undecided(c3(&lossy, LINES(PULL, "> nack nack_psn=0r code=6 w=req", "done 0r 1")), 1);
    ck_breaks(c3(&lossy, LINES(PULL, "> nack nack_psn=0r code=7 w=req", "done 0r 1")),
              "FTP-11-34", 1);
    ck_undecided(c3(&lossy, LINES(POST, PULL, "> resync psn=0r rsn=0r code=3 of=pull_data",
                                  "done 0r 8")),
                 1);
}
END_TEST

/* When a target both refuses a pull and answers it, the completion code is not determined. */
START_TEST(the_code_of_a_pull_that_is_refused_and_answered)
{
    ck_undecided(c3(&lossy, LINES(PULL, "> nack nack_psn=0r code=4 w=req",
                                  "< resync psn=0r rsn=0r code=5 of=pull_request", DATA,
                                  "completion 0r 4")),
                 1);
}
END_TEST

START_TEST(FTP_11_29_without_its_nack)
{
    ck_breaks(c3(&lossy, LINES(PUSH, "done 0r 1")), "FTP-11-29", 1);
    ck_breaks(c3(&lossy, LINES(PUSH, CIE, "done 0r 3 9")), "FTP-11-30", 1);
    ck_breaks(c3(&lossy, LINES(PUSH, CIE, "done 0r 4 9")), "FTP-11-31", 1);
    ck_breaks(c3(&lossy, LINES(PUSH, CIE, "done 0r 13 9")), "FTP-11-28", 1);
    ck_breaks(c3(&lossy, LINES(PULL, "done 0r 1")), "FTP-11-34", 1);
    ck_undecided(c3(&lossy, LINES(PUSH, "mark gap_in 1", "done 0r 1")), 1);
    ck_undecided(c3(&capture, LINES(PUSH, "done 0r 1")), 1);
}
END_TEST

START_TEST(FTP_11_54_reserved_codes)
{
    ck_breaks(c3(&lossy, LINES(PUSH, "done 0r 2")), "FTP-11-54", 1);
    ck_breaks(c3(&lossy, LINES(PUSH, "done 0r 5", "done 0r 6", "done 0r 7", "done 0r 14",
                               "done 0r 16")),
              "FTP-11-54", 5);
}
END_TEST

START_TEST(FTP_7_8_30_the_ulp_code_of_the_nack)
{
    ck_breaks(c3(&lossy, LINES(PUSH, CIE, RESYNC, "done 0r 1 8")), "FTP-7.8-30", 1);
    /* another NACK may have gone unseen */
    ck_undecided(c3(&lossy, LINES(PUSH, CIE, "mark gap_in 1", RESYNC, "done 0r 1 8")), 1);
}
END_TEST

START_TEST(FTP_8_4_3_5_03_an_error_that_is_hidden)
{
    ck_breaks(c3(&lossy, LINES(PUSH, CIE, RESYNC, "> back dbase=1r", "done 0r")),
              "FTP-8.4.3.5-03", 1);
    /* the NACK may have been lost */
    ck_holds(c3(&lossy, LINES(PUSH, CIE, "> back dbase=1r", "done 0r")), 1);
}
END_TEST

/* ---- C4 ---- */

static struct outcome c4(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("C4", kind, lines);
}

START_TEST(after_the_acknowledgement)
{
    ck_holds(c4(&lossy, LINES(PUSH, CIE, RESYNC, "> back dbase=1r", "done 0r 1")), 1);
    /* with the connection all ends */
    ck_undecided(c4(&lossy, LINES(PUSH, CIE, RESYNC, "cm fatal", "done 0r 1")), 1);
}
END_TEST

START_TEST(reading_amb_47)
{
    struct outcome o = c4(&lossy, LINES(PUSH, CIE, "done 0r 1", RESYNC, "> back dbase=1r"));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_undecided(c4(&lossy, LINES(PUSH, CIE, "mark gap_in 1", "done 0r 1")), 1);
}
END_TEST

/* ---- C5 ---- */

static struct outcome c5(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("C5", kind, lines);
}

START_TEST(what_was_acknowledged_completes)
{
    ck_holds(c5(&clean, LINES(POST, PUSH, "> back dbase=1r", "done 0r", "barrier")), 1);
    ck_holds(
        c5(&lossy, LINES(POST, PULL, DATA, "< back dbase=1r", "completion 0r 4", "barrier")),
        1);
    ck_holds(
        c5(&lossy, LINES(POST, PULL, DATA, "completion 0r 4", "< back dbase=1r", "barrier")),
        1);
}
END_TEST

START_TEST(FTP_6_6_2_02_a_push_does_not)
{
    ck_breaks(c5(&clean, LINES(POST, PUSH, "> back dbase=1r", "wait 1us", "barrier")),
              "FTP-6.6.2-02", 1);
    ck_undecided(c5(&clean, LINES(POST, PUSH, "> back dbase=1r", "wait 1us")), 1);
    ck_undecided(
        c5(&clean, LINES("dropped", POST, PUSH, "> back dbase=1r", "wait 1us", "barrier")), 1);
    /* the acknowledgement may have been lost */
    ck_holds(c5(&lossy, LINES(POST, PUSH, "> back dbase=1r", "wait 1us", "barrier")), 0);
}
END_TEST

/* A push whose predecessor is not acknowledged may wait for it, on an unordered connection too.
 */
START_TEST(FTP_8_4_2_03_an_earlier_one_may_come_first)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    ck_undecided(script_run("C5", &clean, &c,
                            LINES(POST, PUSH, PUSH_1, "> eack dbase=0r dack=0b10 drx=0b11",
                                  "wait 1us", "barrier")),
                 1);
    ck_breaks(script_run("C5", &clean, &c,
                         LINES(POST, PUSH, PUSH_1, "> back dbase=2r", "wait 1us", "barrier")),
              "FTP-6.6.2-02", 1);
}
END_TEST

START_TEST(FTP_8_4_3_2_07_a_pull_does_not)
{
    ck_breaks(c5(&lossy, LINES(POST, PULL, DATA, "< back dbase=1r", "wait 1us", "barrier")),
              "FTP-8.4.3.2-07", 1);
    ck_holds(c5(&lossy, LINES(POST, PULL, DATA, "wait 1us", "barrier")), 0);
    /* more than was asked for need not be taken (AMB-25) */
    ck_holds(c5(&lossy, LINES(POST, PULL, "> pull_data psn=0r rsn=0r payload_len=5",
                              "< back dbase=1r", "wait 1us", "barrier")),
             0);
    /* data that arrived before the request was sent answer no request */
    ck_holds(c5(&lossy, LINES(FORGED, POST, PULL, "< back dbase=1r", "wait 1us", "barrier")),
             0);
}
END_TEST

/* The request base is newer than in the ACK before, then older: the second is discarded whole.
 */
#define APART PUSH, "< pull_request psn=0r rsn=1r len=4", "> back rbase=1r", "> back dbase=1r"

START_TEST(reading_amb_23_a_mixed_ack_completes_nothing)
{
    struct outcome o;

    ck_holds(c5(&clean, LINES(POST, APART, "wait 1us", "barrier")), 0);
    o = c5(&clean, LINES(POST, APART, "done 0r", "wait 1us", "barrier"));
    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* one that applies later makes it due; so does a base in a reliable packet */
    ck_breaks(c5(&clean, LINES(POST, APART, "> back dbase=1r rbase=1r", "wait 1us", "barrier")),
              "FTP-6.6.2-02", 1);
    ck_breaks(
        c5(&clean, LINES(POST, PUSH, "< pull_request psn=0r rsn=1r len=4", "> back rbase=1r",
                         "> push_data psn=0r rsn=0r len=4 dbase=1r", "wait 1us", "barrier")),
        "FTP-6.6.2-02", 1);
}
END_TEST

/* An EACK that another engine overtakes is discarded, with its bits. A base counts, as the
 * packet that overtakes has it, too. */
START_TEST(FTP_6_6_2_02_by_an_eack_that_may_be_overtaken)
{
    const char *first = "< push_data psn=0r rsn=1r len=4",
               *second = "< push_data psn=1r rsn=0r len=4";
    const char *pull = "< pull_request psn=0r rsn=2r len=4", *base = "> back rbase=1r";
    const char *eack = "> eack dbase=0r rbase=0r dack=0b10 drx=0b10", *end = "wait 20us";

    ck_breaks(
        c5(&lanes, LINES(POST, first, second, pull, eack, "wait 6us", base, end, "barrier")),
        "FTP-6.6.2-02", 1);
    ck_holds(
        c5(&lanes, LINES(POST, first, second, pull, eack, "wait 5us", base, end, "barrier")),
        0);
    ck_breaks(c5(&lanes, LINES(POST, first, second, pull, eack, "wait 5us",
                               "> back dbase=2r rbase=1r", end, "barrier")),
              "FTP-6.6.2-02", 1);
    /* nor is it surely discarded if the older one may be processed later */
    ck_holds(c5(&lanes, LINES(POST, APART, "done 0r", "wait 1us", "barrier")), 0);
}
END_TEST

/* Data that is shorter than the pull asked for may be dropped, but not the empty answer. */
START_TEST(reading_amb_25_shorter_data_is_dropped)
{
    ck_excused(c5(&lossy, LINES(POST, PULL, "> pull_data psn=0r rsn=0r payload_len=3",
                                "< back dbase=1r", "wait 1us", "barrier")),
               FAL_EXCUSE_READING, 1);
    /* and the pull times out; a completion without an error is the default */
    ck_excused(c5(&lossy, LINES(POST, PULL, "> pull_data psn=0r rsn=0r payload_len=3",
                                "< back dbase=1r", "wait 1us", "done 0r 8")),
               FAL_EXCUSE_READING, 1);
    ck_holds(c5(&lossy, LINES(POST, PULL, "> pull_data psn=0r rsn=0r payload_len=3",
                              "< back dbase=1r", "wait 1us", "done 0r")),
             1);
    ck_breaks(c5(&lossy, LINES(POST, PULL, "> pull_data psn=0r rsn=0r payload_len=0",
                               "< back dbase=1r", "wait 1us", "barrier")),
              "FTP-8.4.3.2-07", 1);
}
END_TEST

START_TEST(a_connection_that_ended_completes_nothing)
{
    /* it was alive after the acknowledgement */
    ck_breaks(
        c5(&clean, LINES(POST, PUSH, "> back dbase=1r", "+1us < push_data psn=1r rsn=1r len=4",
                         "cm fatal", "wait 1us", "barrier")),
        "FTP-6.6.2-02", 1);
    ck_undecided(
        c5(&clean, LINES(POST, PUSH, "> back dbase=1r", "cm fatal", "wait 1us", "barrier")), 1);
}
END_TEST

START_TEST(ordered_ones_wait)
{
    ck_undecided(c5(&clean, LINES(POST, PUSH, PULL_1, "> pull_data psn=0r rsn=1r payload_len=4",
                                  "< back dbase=1r", "wait 1us", "barrier")),
                 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules C1 to C5");
    TCase *tc = tcase_create("C1 to C5");

    tcase_add_test(tc, once_and_not_too_early);
    tcase_add_test(tc, FTP_8_4_3_3_10_before_its_acknowledgement);
    tcase_add_test(tc, FTP_6_1_1_1_01_twice);
    tcase_add_test(tc, FTP_11_34_a_refused_post_gives_its_rsn_back);
    tcase_add_test(tc, what_may_have_gone_unseen);
    tcase_add_test(tc, in_rsn_order);
    tcase_add_test(tc, FTP_8_4_2_02_out_of_order);
    tcase_add_test(tc, codes_that_fit);
    tcase_add_test(tc, codes_of_pulls_that_nobody_answers);
    tcase_add_test(tc, the_code_of_a_pull_that_is_refused_and_answered);
    tcase_add_test(tc, FTP_11_29_without_its_nack);
    tcase_add_test(tc, FTP_11_54_reserved_codes);
    tcase_add_test(tc, FTP_7_8_30_the_ulp_code_of_the_nack);
    tcase_add_test(tc, FTP_8_4_3_5_03_an_error_that_is_hidden);
    tcase_add_test(tc, after_the_acknowledgement);
    tcase_add_test(tc, reading_amb_47);
    tcase_add_test(tc, what_was_acknowledged_completes);
    tcase_add_test(tc, FTP_6_6_2_02_a_push_does_not);
    tcase_add_test(tc, FTP_8_4_2_03_an_earlier_one_may_come_first);
    tcase_add_test(tc, FTP_8_4_3_2_07_a_pull_does_not);
    tcase_add_test(tc, reading_amb_23_a_mixed_ack_completes_nothing);
    tcase_add_test(tc, reading_amb_25_shorter_data_is_dropped);
    tcase_add_test(tc, a_connection_that_ended_completes_nothing);
    tcase_add_test(tc, ordered_ones_wait);
    tcase_add_test(tc, FTP_6_6_2_02_by_an_eack_that_may_be_overtaken);
    suite_add_tcase(suite, tc);
    return suite;
}
