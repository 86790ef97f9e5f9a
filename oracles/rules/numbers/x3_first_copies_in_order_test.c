/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(psn, rsn) "< push_data psn=" #psn "r rsn=" #rsn "r len=4"
#define R(psn, rsn) "< pull_request psn=" #psn "r rsn=" #rsn "r len=4"
#define D(psn, rsn) "< pull_data psn=" #psn "r rsn=" #rsn "r"

static struct outcome x3(const struct kind *kind, const char *const *lines)
{
    return judged("X3", kind, lines);
}

static struct outcome unordered(const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    return script_run("X3", &clean, &c, lines);
}

START_TEST(first_copies_in_order)
{
    /* one instance in its window and one among all RSNs; pull_data has RSNs of the other side
     */
    ck_holds(x3(&clean, LINES(P(0, 0), R(0, 1), P(1, 2), D(2, 0))), 7);
    ck_holds(unordered(LINES(P(0, 1), R(0, 0), P(1, 2))), 3);
}
END_TEST

START_TEST(FTP_9_1_3_04_a_psn_overtakes)
{
    struct outcome o = unordered(LINES(P(0, 0), P(2, 2), P(1, 1)));

    ck_breaks(o, "FTP-9.1.3-04", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 2);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3);
    ck_assert_uint_eq(o.findings[0].evidence[1], 4);
    ck_breaks(unordered(LINES(R(1, 1), R(0, 0))), "FTP-9.1.3-04", 1);
    /* the windows have no order between them where the connection has none */
    ck_holds(unordered(LINES(R(0, 1), P(0, 0))), 2);
}
END_TEST

START_TEST(FTP_9_1_3_03_an_rsn_overtakes_across_windows)
{
    struct outcome o = x3(&clean, LINES(P(0, 1), R(0, 0)));

    ck_breaks(o, "FTP-9.1.3-03", 1);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "RSN 0r"));
    /* answers to pulls follow the order of the other side's upper layer */
    ck_holds(x3(&clean, LINES(D(0, 1), D(1, 0))), 2);
    /* a second copy is not a first copy */
    ck_holds(x3(&clean, LINES(P(0, 0), "+1us < push_data psn=1r rsn=1r len=4",
                              "+1ms < push_data psn=0r rsn=0r len=4")),
             4);
}
END_TEST

/* Transactions are sent in RSN order, so none is missing below one that was seen. */
START_TEST(FTP_9_1_3_03_8_4_1_04_an_rsn_is_left_out)
{
    struct outcome o = x3(&clean, LINES(P(0, 0), P(1, 2)));

    ck_breaks(o, "FTP-9.1.3-03", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_breaks(x3(&clean, LINES(P(0, 1))), "FTP-9.1.3-03", 1);
    ck_holds(unordered(LINES(P(0, 0), P(1, 2))), 2);
    /* a Resync names its transaction as well; an answer has an RSN of the other side */
    ck_holds(x3(&clean, LINES(P(0, 0), "< resync psn=1r rsn=1r code=2 of=push_data", P(2, 2),
                              D(3, 70))),
             6);
    /* it may be lost, or late, or have gone unseen */
    ck_holds(x3(&lossy, LINES(P(0, 0), P(1, 2))), 4);
    ck_holds(x3(&jitter, LINES(P(0, 0), P(1, 2))), 4);
    ck_holds(x3(&clean, LINES(P(0, 0), "mark gap_out 1", P(1, 2))), 4);
    struct kind kind = clean;

    kind.pipeline_ns = FAL_US;
    ck_holds(x3(&kind, LINES(P(0, 0), P(1, 2))), 4);
    kind = clean;
    kind.unknown = true;
    ck_holds(x3(&kind, LINES(P(0, 5), P(1, 7))), 4);
    kind = clean;
    kind.foreign = true;
    ck_holds(x3(&kind, LINES(P(0, 0), P(1, 2))), 4);
}
END_TEST

/* A transaction may be given up in the scheduler when its time is over (chapter 11). */
START_TEST(reading_amb_74_an_rsn_is_given_up)
{
    struct outcome o = x3(&clean, LINES(P(0, 0), "wait 1s", P(1, 2), P(2, 3)));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* it was not given up if it comes later, and cannot be before its time is over */
    ck_breaks(x3(&clean, LINES(P(0, 0), "wait 1s", P(1, 2), P(2, 1))), "FTP-9.1.3-03", 1);
    ck_breaks(x3(&clean, LINES(P(0, 0), "wait 940ms", P(1, 2))), "FTP-9.1.3-03", 1);
}
END_TEST

START_TEST(unknown_whether_ordered)
{
    struct fal_connection c = script_connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_ordered);
    ck_holds(script_run("X3", &clean, &c, LINES(P(0, 1), R(0, 0))), 2);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.sut.data_psn = c.sut.rsn = UINT32_MAX;
    ck_holds(script_run("X3", &clean, &c, LINES(P(0, 0), P(1, 1), P(2, 2))), 6);
    ck_breaks(script_run("X3", &clean, &c, LINES(P(0, 0), P(2, 1), P(1, 2))), "FTP-9.1.3-04",
              1);
}
END_TEST

/* What was seen first need not have been sent first. */
START_TEST(excuse_out_loss)
{
    struct outcome o = x3(&lossy, LINES(P(1, 1), P(0, 0)));

    ck_excused(o, FAL_EXCUSE_OUT_LOSS, 2);
    ck_assert_uint_eq(o.sut.holds, 2);
    /* not where the SUT's own port is watched */
    struct kind port = lossy;

    port.run.vantage = FAL_VANTAGE_SUT;
    ck_breaks(x3(&port, LINES(P(1, 1), P(0, 0))), "FTP-9.1.3-03", 2);
}
END_TEST

START_TEST(excuse_out_reorder)
{
    struct kind once = jitter;

    once.run.no_duplicates_out = true;
    /* within the jitter: they may have left in order */
    ck_excused(x3(&once, LINES(P(1, 1), "+10us < push_data psn=0r rsn=0r len=4",
                               "+1ms < push_data psn=2r rsn=2r len=4")),
               FAL_EXCUSE_OUT_REORDER, 2);
    ck_breaks(x3(&once, LINES(P(1, 1), "+11us < push_data psn=0r rsn=0r len=4",
                              "+1ms < push_data psn=2r rsn=2r len=4")),
              "FTP-9.1.3-04", 2);
}
END_TEST

/* Seen first, sent second: the copy that was sent first may still be under way. */
START_TEST(a_decision_waits_for_what_may_still_come)
{
    /* no time has passed since: nothing older can be excluded */
    ck_undecided(x3(&jitter, LINES(P(1, 1), "+11us < push_data psn=0r rsn=0r len=4",
                                   "+5us < push_data psn=2r rsn=2r len=4")),
                 2);
    /* it comes after all, and left in time */
    struct kind unbounded = jitter;

    unbounded.run.delay_max_ns = FAL_NEVER;
    ck_excused(x3(&unbounded,
                  LINES("iv 1us", P(0, 0), "iv 500us", "@500us < push_data psn=2r rsn=2r len=4",
                        "iv 900us", "@900us < push_data psn=1r rsn=1r len=4", "iv 499us",
                        "@950us < push_data psn=1r rsn=1r len=4")),
               FAL_EXCUSE_OUT_REORDER, 2);
    /* a packet that left late changes nothing, but the time to wait is not known */
    ck_undecided(x3(&unbounded, LINES("iv 1us", P(0, 0), "iv 500us",
                                      "@500us < push_data psn=2r rsn=2r len=4", "iv 900us",
                                      "@900us < push_data psn=1r rsn=1r len=4", "iv 901us",
                                      "@950us < push_data psn=1r rsn=1r len=4")),
                 2);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_excused(x3(&piped, LINES(P(1, 1), "+5us < push_data psn=0r rsn=0r len=4")),
               FAL_EXCUSE_PIPELINE, 2);
    ck_breaks(x3(&piped, LINES(P(1, 1), "+6us < push_data psn=0r rsn=0r len=4")),
              "FTP-9.1.3-04", 2);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    /* the first copy of 1 may have been in the gap */
    ck_undecided(unordered(LINES(P(0, 0), P(2, 2), "mark gap_out 1", P(1, 1))), 1);
    ck_breaks(unordered(LINES(P(0, 0), P(2, 2), "mark gap_in 1", P(1, 1))), "FTP-9.1.3-04", 1);
    /* what waits for a decision is dropped */
    ck_undecided(
        x3(&jitter, LINES(P(1, 1), "+11us < push_data psn=0r rsn=0r len=4", "mark gap_out 1")),
        2);
}
END_TEST

START_TEST(a_third_partys_packets_may_be_missed)
{
    struct kind seen = clean;

    seen.foreign = true;
    ck_undecided(x3(&seen, LINES(P(1, 1), P(0, 0))), 2);
}
END_TEST

/* ---- repeats ---- */

#define AGAIN(psn, rsn) "< push_data psn=" #psn "r rsn=" #rsn "r len=4 ar"

START_TEST(FTP_9_1_5_06_repeats_of_one_burst_in_order)
{
    ck_holds(unordered(LINES(P(0, 0), P(1, 1), "wait 1ms", AGAIN(0, 0), AGAIN(1, 1))), 3);
    ck_breaks(unordered(LINES(P(0, 0), P(1, 1), "wait 1ms", AGAIN(1, 1), AGAIN(0, 0))),
              "FTP-9.1.5-06", 1);
    /* first sent at different moments, they run out at different moments */
    ck_holds(unordered(LINES(P(0, 0), "+1us < push_data psn=1r rsn=1r len=4", "wait 1ms",
                             AGAIN(1, 1), AGAIN(0, 0))),
             2);
    /* timers that were started together may expire one after the other: none is exact */
    ck_holds(
        unordered(LINES(P(0, 0), P(1, 1), "wait 1ms", AGAIN(1, 1), "wait 3ns", AGAIN(0, 0))),
        2);
}
END_TEST

/* Whatever may move one of the two in time frees them from the order (AMB-58). */
START_TEST(repeats_with_a_reason_of_their_own)
{
    ck_holds(unordered(LINES(P(0, 0), P(1, 1),
                             "> nack dbase=0r rbase=0r nack_psn=0r code=rnr rnr=20us w=data",
                             "wait 1ms", AGAIN(1, 1), AGAIN(0, 0))),
             2);
    ck_holds(unordered(LINES(P(0, 0), P(1, 1), "> eack dbase=0r rbase=0r own=2", "wait 1ms",
                             AGAIN(1, 1), AGAIN(0, 0))),
             2);
    ck_holds(unordered(LINES(P(0, 0), R(0, 1), "wait 1ms",
                             "< pull_request psn=0r rsn=1r len=4 ar", AGAIN(0, 0))),
             2);
}
END_TEST

START_TEST(memory_is_bounded)
{
    struct script s;
    struct fal_connection c = script_connection(&jitter);
    struct outcome o;
    char line[64];

    c.params.ordered = false;
    script_start(&s, &jitter, &c);
    script_line(&s, P(99, 99));
    script_line(&s, "wait 20us");
    for (int i = 0; i < 90; i++) {
        (void)snprintf(line, sizeof line, "< push_data psn=%dr rsn=%dr len=4", i, i);
        script_line(&s, line);
    }
    o = script_judge(s.events, json_array_size(s.events), "X3");
    json_decref(s.events);
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 90);
}
END_TEST

START_TEST(our_own_side)
{
    struct outcome o =
        unordered(LINES("> push_data psn=1r rsn=1r len=4", "> push_data psn=0r rsn=0r len=4"));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR);
    ck_asked(unordered(
        LINES("step > push_data psn=1r rsn=1r len=4", "> push_data psn=0r rsn=0r len=4")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule X3");
    TCase *tc = tcase_create("X3");

    tcase_add_test(tc, first_copies_in_order);
    tcase_add_test(tc, FTP_9_1_3_04_a_psn_overtakes);
    tcase_add_test(tc, FTP_9_1_3_03_an_rsn_overtakes_across_windows);
    tcase_add_test(tc, FTP_9_1_3_03_8_4_1_04_an_rsn_is_left_out);
    tcase_add_test(tc, reading_amb_74_an_rsn_is_given_up);
    tcase_add_test(tc, unknown_whether_ordered);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, excuse_out_reorder);
    tcase_add_test(tc, a_decision_waits_for_what_may_still_come);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_third_partys_packets_may_be_missed);
    tcase_add_test(tc, FTP_9_1_5_06_repeats_of_one_burst_in_order);
    tcase_add_test(tc, repeats_with_a_reason_of_their_own);
    tcase_add_test(tc, memory_is_bounded);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
