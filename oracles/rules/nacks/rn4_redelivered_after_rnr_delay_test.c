/* SPDX-License-Identifier: Apache-2.0
 * rn4_redelivered_after_rnr_delay_test.c - RN4, delivery again after the delay, and RN5, that
 * an RNR sticks. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PULL "> pull_request psn=0r rsn=0r len=4", "request 0r pull 4"
#define PUSH "> push_data psn=0r rsn=0r len=4", "request 0r push 4"

static struct outcome rn4(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("RN4", kind, lines);
}

START_TEST(after_the_delay)
{
    ck_holds(rn4(&udp, LINES(PULL, "respond 0r rnr 1280us", "wait 1280us",
                             "request 0r pull 4 again")),
             1);
    ck_holds(
        rn4(&udp, LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", "request 0r push 4 again")),
        1);
    /* a push upon its copy */
    ck_holds(rn4(&udp, LINES(PUSH, "respond 0r rnr 1280us", "> push_data psn=0r rsn=0r len=4",
                             "request 0r push 4 again")),
             1);
}
END_TEST

START_TEST(FTP_8_5_3_4_07_a_pull_too_early)
{
    struct outcome o =
        rn4(&udp, LINES(PULL, "respond 0r rnr 1280us", "wait 1ms", "request 0r pull 4 again"));

    ck_breaks(o, "FTP-8.5.3.4-07", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    /* each RNR has its own delay */
    ck_breaks(
        rn4(&udp, LINES(PULL, "respond 0r rnr 20us", "wait 20us", "request 0r pull 4 again",
                        "respond 0r rnr 1280us", "wait 1ms", "request 0r pull 4 again")),
        "FTP-8.5.3.4-07", 1);
}
END_TEST

START_TEST(FTP_8_5_3_4_07_how_early_a_timer_may_be)
{
    struct fal_connection c = script_connection(&udp);
    const char *const *early =
        LINES(PULL, "respond 0r rnr 1280us", "wait 1250us", "request 0r pull 4 again");

    ck_holds(rn4(&udp, LINES(PULL, "respond 0r rnr 1280us", "wait 1279us",
                             "request 0r pull 4 again")),
             1);
    ck_breaks(script_run("RN4", &udp, &c, early), "FTP-8.5.3.4-07", 1);
    c.params.tick_ns = 30 * FAL_US;
    ck_holds(script_run("RN4", &udp, &c, early), 1);
    c.params.tick_ns = 129 * FAL_US; /* more than a tenth */
    ck_undecided(script_run("RN4", &udp, &c, early), 1);
}
END_TEST

/* The steps of the field: what lies between two may be the lower one. */
START_TEST(delays_between_the_steps)
{
    ck_holds(
        rn4(&udp, LINES(PULL, "respond 0r rnr 1ms", "wait 960us", "request 0r pull 4 again")),
        1);
    ck_breaks(
        rn4(&udp, LINES(PULL, "respond 0r rnr 1ms", "wait 950us", "request 0r pull 4 again")),
        "FTP-8.5.3.4-07", 1);
}
END_TEST

START_TEST(FTP_11_39_a_push_too_early_without_a_copy)
{
    const char *const *lines =
        LINES(PUSH, "respond 0r rnr 1280us", "wait 1ms", "request 0r push 4 again");

    ck_breaks(rn4(&clean, lines), "FTP-11-39", 1);
    ck_excused(rn4(&udp, lines), FAL_EXCUSE_IN_DUP, 1);
}
END_TEST

START_TEST(which_rnr_is_open)
{
    /* two RNRs, and the event of the delivery between them comes late */
    ck_undecided(rn4(&udp, LINES(PULL, "respond 0r rnr 20us", "wait 20us",
                                 "respond 0r rnr 1280us", "request 0r pull 4 again")),
                 1);

    ck_undecided(rn4(&udp, LINES(PULL, "ulp_ack 0r rnr", "request 0r pull 4 again",
                                 "respond 0r rnr 1280us", "request 0r pull 4 again")),
                 1);
    ck_undecided(
        rn4(&udp, LINES("dropped", PULL, "respond 0r rnr 1280us", "request 0r pull 4 again")),
        1);
}
END_TEST

/* ---- RN5 ---- */

START_TEST(FTP_8_5_3_4_02_a_pull_that_does_not_come_again)
{
    ck_breaks(rn4(&clean, LINES(PULL, "respond 0r rnr 1280us", "wait 10ms", "barrier")),
              "FTP-8.5.3.4-02", 1);
    ck_holds(rn4(&clean, LINES(PULL, "respond 0r rnr 1280us", "wait 1280us",
                               "request 0r pull 4 again", "wait 10ms", "barrier")),
             1);
    /* it may be under way; a push comes with its copy; the initiator gave it up */
    ck_holds(rn4(&clean, LINES(PULL, "respond 0r rnr 1280us", "wait 3ms", "barrier")), 0);
    ck_holds(rn4(&clean, LINES(PUSH, "respond 0r rnr 1280us", "wait 10ms", "barrier")), 0);
    ck_holds(rn4(&clean, LINES(PULL, "respond 0r rnr 1280us", "wait 10ms",
                               "> resync psn=0r rsn=0r code=4 of=pull_request", "barrier")),
             0);
    ck_holds(
        rn4(&clean, LINES(PULL, "respond 0r rnr 1280us", "cm fatal", "wait 10ms", "barrier")),
        0);
    ck_holds(
        rn4(&clean, LINES(PULL, "cm fatal", "respond 0r rnr 1280us", "wait 10ms", "barrier")),
        0);
    /* the target gave it up, before its turn came */
    ck_holds(rn4(&clean, LINES(PULL, "respond 0r rnr 1280us", "wait 1s", "barrier")), 0);
    ck_undecided(
        rn4(&clean, LINES(PULL, "respond 0r rnr 1280us", "dropped", "wait 10ms", "barrier")),
        1);
}
END_TEST

/* At the latest the copy after the delay delivers it (11, AMB-16). */
START_TEST(FTP_11_39_a_push_that_does_not_come_again)
{
#define COPY "> push_data psn=0r rsn=0r len=4"
#define RNR  "< nack nack_psn=0r code=rnr w=data rnr=1280us"
    ck_breaks(rn4(&clean, LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", COPY, "wait 10ms",
                                "barrier")),
              "FTP-11-39", 1);
    ck_holds(rn4(&clean, LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", COPY,
                               "request 0r push 4 again", "wait 10ms", "barrier")),
             1);
    /* its sender goes on repeating it */
    ck_breaks(
        rn4(&clean, LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", COPY, "wait 3ms", COPY,
                          "wait 3ms", COPY, "wait 3ms", COPY, "wait 1ms", "barrier")),
        "FTP-11-39", 1);
    ck_holds(rn4(&clean, LINES(PUSH, "respond 0r rnr 1280us", "wait 1ms", COPY, "wait 7ms",
                               COPY, "wait 3ms", "barrier")),
             0);
    /* the upper layer answered by itself, and the NACK tells the delay */
    ck_breaks(rn4(&clean,
                  LINES(PUSH, "ulp_ack 0r rnr", RNR, "wait 2ms", COPY, "wait 10ms", "barrier")),
              "FTP-11-39", 1);
    ck_holds(rn4(&clean, LINES(PUSH, "ulp_ack 0r rnr", RNR, "wait 2ms", COPY,
                               "request 0r push 4 again", "wait 10ms", "barrier")),
             0);
    ck_holds(rn4(&clean,
                 LINES(PUSH, "ulp_ack 0r rnr", RNR, "wait 1ms", COPY, "wait 10ms", "barrier")),
             0);
    ck_holds(
        rn4(&clean, LINES(PUSH, "ulp_ack 0r rnr", "wait 2ms", COPY, "wait 10ms", "barrier")),
        0);
    /* events read in another order */
    ck_holds(rn4(&clean, LINES(PUSH, "request 0r push 4 again", "ulp_ack 0r rnr", RNR,
                               "wait 2ms", COPY, "wait 10ms", "barrier")),
             0);
    /* the copy came before the delay was over, or just now; it may be lost, or a resource NACK
     * answers it; a Resync ends it */
    ck_holds(rn4(&clean, LINES(PUSH, "respond 0r rnr 1280us", "wait 1ms", COPY, "wait 10ms",
                               "barrier")),
             0);
    ck_holds(rn4(&clean,
                 LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", COPY, "wait 4ms", "barrier")),
             0);
    ck_holds(rn4(&lossy, LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", COPY, "wait 10ms",
                               "barrier")),
             0);
    ck_holds(rn4(&clean, LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", COPY,
                               "< nack nack_psn=0r code=1 w=data", "wait 10ms", "barrier")),
             0);
    ck_holds(rn4(&clean,
                 LINES(PUSH, "respond 0r rnr 1280us", "wait 2ms", COPY,
                       "> resync psn=0r rsn=0r code=3 of=push_data", "wait 10ms", "barrier")),
             0);
#undef COPY
#undef RNR
}
END_TEST

#define NEXT "> push_data psn=1r rsn=1r len=4"

static struct outcome rn5(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("RN5", kind, lines);
}

START_TEST(the_first_comes_first)
{
    ck_holds(rn5(&told, LINES(PUSH, "respond 0r rnr 20us", NEXT, "request 0r push 4 again",
                              "request 1r push 4", "respond 0r ack", "respond 1r ack")),
             1);
    /* sent before the RNR was known: it may have been delivered before */
    ck_holds(rn5(&told, LINES("> push_data psn=0r rsn=0r len=4", NEXT, "request 0r push 4",
                              "respond 0r rnr 20us", "request 1r push 4", "respond 1r ack")),
             0);
    /* a Resync ends the wait */
    ck_holds(rn5(&told, LINES(PUSH, "respond 0r rnr 20us", NEXT,
                              "> resync psn=0r rsn=0r code=3 of=push_data", "request 1r push 4",
                              "respond 1r ack")),
             0);
    ck_holds(
        rn5(&told, LINES(PUSH, "> resync psn=0r rsn=0r code=3 of=push_data",
                         "respond 0r rnr 20us", NEXT, "request 1r push 4", "respond 1r ack")),
        0);
}
END_TEST

/* A target gives up what takes too long, and waits for it no more (6.4). */
START_TEST(what_was_given_up_holds_nothing)
{
    ck_holds(rn5(&told, LINES(PUSH, "respond 0r rnr 20us", "wait 1s", NEXT, "request 1r push 4",
                              "respond 1r ack")),
             0);
    ck_breaks(rn5(&told, LINES(PUSH, "respond 0r rnr 20us", "wait 900ms", NEXT,
                               "request 1r push 4", "respond 1r ack")),
              "FTP-8.5.3.4-04", 1);
    /* its departure time is not known */
    ck_holds(rn5(&told, LINES("mark gap_in 1", PUSH, "respond 0r rnr 20us", NEXT,
                              "request 1r push 4", "respond 1r ack")),
             0);
}
END_TEST

START_TEST(a_resync_that_was_missed)
{
    ck_holds(rn5(&told, LINES(PUSH, "respond 0r rnr 20us", "mark gap_in 1", "< back dbase=0r",
                              "> push_data psn=127r rsn=127r len=4", "request 127r push 4",
                              "respond 127r ack")),
             0);
}
END_TEST

START_TEST(FTP_8_5_3_4_04_taken_first)
{
    ck_breaks(rn5(&told, LINES(PUSH, "respond 0r rnr 20us", NEXT, "request 1r push 4",
                               "respond 1r ack")),
              "FTP-8.5.3.4-04", 1);
    ck_breaks(
        rn5(&told, LINES(PUSH, "respond 0r rnr 20us", "> pull_request psn=0r rsn=1r len=4",
                         "request 1r pull 4", "ulp_ack 1r data")),
        "FTP-8.5.3.4-04", 1);
}
END_TEST

START_TEST(reading_amb_49)
{
    struct outcome o = rn5(&told, LINES(PUSH, "respond 0r rnr 20us", NEXT, "request 1r push 4",
                                        "respond 1r rnr 20us"));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* nor is it accepted first if the upper layer, the tester's, refuses it in another way */
    o = rn5(&told,
            LINES(PUSH, "respond 0r rnr 20us", NEXT, "request 1r push 4", "respond 1r cie"));
    ck_excused(o, FAL_EXCUSE_READING, 1);
}
END_TEST

/* The RNR of an upper layer that answers by itself came before its event was read. */
START_TEST(FTP_8_5_3_4_04_after_an_rnr_by_itself)
{
    const char *rnr = "ulp_ack 0r rnr 20us", *again = "request 0r push 4 again";
    const char *follower = "request 1r push 4";
    struct outcome o;

    ck_holds(rn5(&told, LINES(PUSH, rnr, NEXT, again, "ulp_ack 0r ack", follower)), 1);
    ck_breaks(rn5(&told, LINES(PUSH, rnr, NEXT, follower, "ulp_ack 1r ack")), "FTP-8.5.3.4-04",
              1);
    o = rn5(&told, LINES(PUSH, rnr, NEXT, follower, "ulp_ack 1r rnr 20us"));
    ck_excused(o, FAL_EXCUSE_READING, 1);
    /* sent before the event was read: it may have been delivered before */
    ck_holds(rn5(&told, LINES("> push_data psn=0r rsn=0r len=4", NEXT, "request 0r push 4", rnr,
                              follower, "ulp_ack 1r ack")),
             0);
    /* Of two that got an RNR, the second may have been delivered again before the first got its
     * own: nobody knows when their delays began. */
    ck_holds(rn5(&told, LINES(PUSH, NEXT, follower, rnr, "ulp_ack 1r rnr 20us",
                              "request 1r push 4 again", "ulp_ack 1r ack")),
             1);
}
END_TEST

START_TEST(unordered_in_either_way)
{
    struct fal_connection c = script_connection(&told);
    const char *const *lines =
        LINES(PUSH, "respond 0r rnr 20us", NEXT, "request 1r push 4", "respond 1r ack");

    ck_undecided(rn5(&clean, lines), 1); /* the events may be */
    c.params.ordered = false;
    ck_holds(script_run("RN5", &told, &c, lines), 0);
}
END_TEST

/* Two were delivered before either got its RNR; the delivery again obeys the order. */
#define TWO_PULLS                                                                           \
    PULL, "> pull_request psn=1r rsn=1r len=4", "request 1r pull 4", "respond 0r rnr 20us", \
        "respond 1r rnr 20us", "wait 30us"
#define TWO_PUSHES PUSH, NEXT, "request 1r push 4", "respond 0r rnr 20us", "respond 1r rnr 20us"

START_TEST(again_in_order)
{
    ck_holds(rn5(&told, LINES(TWO_PULLS, "request 0r pull 4 again", "request 1r pull 4 again",
                              "respond 0r ack", "respond 1r ack")),
             2);
    ck_holds(rn5(&told, LINES(TWO_PUSHES, "> push_data psn=0r rsn=0r len=4", NEXT,
                              "request 0r push 4 again", "request 1r push 4 again",
                              "respond 0r ack", "respond 1r ack")),
             2);
    /* the second may have been delivered again before the first got its RNR */
    ck_holds(rn5(&told, LINES(PULL, "> pull_request psn=1r rsn=1r len=4", "request 1r pull 4",
                              "respond 1r rnr 20us", "wait 30us", "respond 0r rnr 20us",
                              "request 1r pull 4 again", "respond 1r ack")),
             1);
    ck_holds(
        rn5(&told, LINES(PUSH, NEXT, "request 1r push 4", "respond 1r rnr 20us", NEXT,
                         "respond 0r rnr 20us", "request 1r push 4 again", "respond 1r ack")),
        1);
}
END_TEST

START_TEST(FTP_8_5_3_4_04_again_in_the_wrong_order)
{
    ck_breaks(rn5(&told, LINES(TWO_PULLS, "request 1r pull 4 again", "respond 1r ack")),
              "FTP-8.5.3.4-04", 1);
    ck_breaks(rn5(&told, LINES(TWO_PUSHES, "wait 30us", "> push_data psn=0r rsn=0r len=4", NEXT,
                               "request 1r push 4 again", "respond 1r ack")),
              "FTP-8.5.3.4-04", 1);
    /* whichever got its RNR first */
    ck_breaks(rn5(&told, LINES(PULL, "> pull_request psn=1r rsn=1r len=4", "request 1r pull 4",
                               "respond 1r rnr 20us", "wait 10us", "respond 0r rnr 20us",
                               "wait 20us", "request 1r pull 4 again", "respond 1r ack")),
              "FTP-8.5.3.4-04", 1);
}
END_TEST

/* An upper layer that answers by itself, at a time that is known. */
START_TEST(FTP_8_5_3_4_07_after_an_rnr_by_itself)
{
    ck_breaks(rn4(&udp, LINES(PULL, "within 5us", "ulp_ack 0r rnr 1280us", "wait 1ms",
                              "request 0r pull 4 again")),
              "FTP-8.5.3.4-07", 1);
    /* the RNR may have come so much earlier */
    ck_undecided(rn4(&udp, LINES("wait 1ms", PULL, "within 281us", "ulp_ack 0r rnr 1280us",
                                 "wait 1ms", "request 0r pull 4 again")),
                 1);
    ck_holds(
        rn4(&udp, LINES(PULL, "ulp_ack 0r rnr 1280us", "wait 1ms", "request 0r pull 4 again")),
        0); /* its time is not known */
    ck_breaks(
        rn4(&clean, LINES(PULL, "within 5us", "ulp_ack 0r rnr 1280us", "wait 10ms", "barrier")),
        "FTP-8.5.3.4-02", 1);
    /* its word alone proves nothing, before the tester held an answer */
    ck_holds(rn4(&udp, LINES(PULL, "respond 0r rnr 1280us", "wait 1280us",
                             "request 0r pull 4 again", "within 5us", "ulp_ack 0r rnr 1280us",
                             "wait 1280us", "request 0r pull 4 again")),
             2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules RN4 and RN5");
    TCase *tc = tcase_create("RN4 RN5");

    tcase_add_test(tc, after_the_delay);
    tcase_add_test(tc, FTP_8_5_3_4_07_a_pull_too_early);
    tcase_add_test(tc, FTP_8_5_3_4_07_after_an_rnr_by_itself);
    tcase_add_test(tc, FTP_8_5_3_4_07_how_early_a_timer_may_be);
    tcase_add_test(tc, delays_between_the_steps);
    tcase_add_test(tc, FTP_11_39_a_push_too_early_without_a_copy);
    tcase_add_test(tc, FTP_11_39_a_push_that_does_not_come_again);
    tcase_add_test(tc, which_rnr_is_open);
    tcase_add_test(tc, the_first_comes_first);
    tcase_add_test(tc, what_was_given_up_holds_nothing);
    tcase_add_test(tc, a_resync_that_was_missed);
    tcase_add_test(tc, FTP_8_5_3_4_04_taken_first);
    tcase_add_test(tc, reading_amb_49);
    tcase_add_test(tc, FTP_8_5_3_4_04_after_an_rnr_by_itself);
    tcase_add_test(tc, again_in_order);
    tcase_add_test(tc, FTP_8_5_3_4_04_again_in_the_wrong_order);
    tcase_add_test(tc, unordered_in_either_way);
    tcase_add_test(tc, FTP_8_5_3_4_02_a_pull_that_does_not_come_again);
    suite_add_tcase(suite, tc);
    return suite;
}
