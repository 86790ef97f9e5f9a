/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome o1(const struct kind *kind, const char *const *lines)
{
    return judged("O1", kind, lines);
}

/* One overrun of the data window, one of the request window. */
#define OVER_DATA "step > push_data psn=128r rsn=128r len=4"
#define OVER_REQ  "step > pull_request psn=64r rsn=64r len=4"

START_TEST(one_overrun_one_notification)
{
    ck_holds(o1(&clean,
                LINES(OVER_DATA, "< eack dbase=0r rbase=0r d-own", "< eack dbase=0r rbase=0r")),
             1);
    ck_holds(o1(&clean, LINES(OVER_REQ, "< eack dbase=0r rbase=0r r-own")), 1);
    ck_holds(o1(&udp, LINES(OVER_DATA, OVER_REQ, "< eack dbase=0r rbase=0r r-own d-own")), 2);
}
END_TEST

START_TEST(FTP_9_2_1_10_request_own_without_cause)
{
    ck_breaks(o1(&udp, LINES("> pull_request psn=0r rsn=0r len=4",
                             "step > pull_request psn=63r rsn=63r len=4",
                             "< eack dbase=0r rbase=0r r-own")),
              "FTP-9.2.1-10", 1);
}
END_TEST

START_TEST(FTP_9_2_1_11_data_own_without_cause)
{
    ck_breaks(o1(&lossy, LINES("step > push_data psn=127r rsn=127r len=4",
                               "< eack dbase=0r rbase=0r d-own")),
              "FTP-9.2.1-11", 1);
}
END_TEST

/* The window has moved: what would have been beyond it is inside. */
START_TEST(FTP_9_2_1_11_the_highest_base_seen_counts)
{
    ck_breaks(o1(&udp, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r",
                             OVER_DATA, "< eack dbase=1r rbase=0r d-own")),
              "FTP-9.2.1-11", 1);
    /* it was sent before the base was seen, and may have come before */
    ck_holds(o1(&udp, LINES("> push_data psn=0r rsn=0r len=4", OVER_DATA,
                            "< back dbase=1r rbase=0r", "< eack dbase=1r rbase=0r d-own")),
             1);
}
END_TEST

START_TEST(FTP_9_2_1_11_never_cleared)
{
    struct outcome o =
        o1(&clean, LINES("> push_data psn=0r rsn=0r len=4", OVER_DATA,
                         "< eack dbase=0r rbase=0r d-own", "< eack dbase=0r rbase=0r d-own"));

    ck_breaks(o, "FTP-9.2.1-11", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3); /* the overrun */
    ck_assert_uint_eq(o.findings[0].evidence[1], 4); /* the EACK that told it */
    ck_assert_uint_eq(o.findings[0].evidence[2], 5);
}
END_TEST

START_TEST(a_second_overrun_sets_it_again)
{
    ck_holds(o1(&clean, LINES(OVER_DATA, "< eack dbase=0r rbase=0r d-own", OVER_DATA,
                              "< eack dbase=0r rbase=0r d-own")),
             2);
    /* two that were told together leave nothing for a third */
    ck_breaks(o1(&clean, LINES(OVER_DATA, OVER_DATA, "+1us < eack dbase=0r rbase=0r d-own",
                               "+1us < eack dbase=0r rbase=0r d-own")),
              "FTP-9.2.1-11", 1);
    /* unless the second may still have been under way */
    ck_holds(o1(&jitter, LINES(OVER_DATA, OVER_DATA, "+15us < eack dbase=0r rbase=0r d-own",
                               "+15us < eack dbase=0r rbase=0r d-own")),
             2);
}
END_TEST

/* A path that keeps order: what acknowledges a younger packet has seen the older ones. */
START_TEST(FTP_9_2_1_11_told_by_order)
{
    struct kind ordered = clean;

    ordered.run.delay_max_ns = FAL_NEVER;
    ck_breaks(
        o1(&ordered, LINES(OVER_DATA, OVER_DATA, "> push_data psn=0r rsn=0r len=4",
                           "< eack dbase=1r rbase=0r d-own", "< eack dbase=1r rbase=0r d-own")),
        "FTP-9.2.1-11", 1);
    ck_holds(
        o1(&ordered, LINES("> push_data psn=0r rsn=0r len=4", OVER_DATA, OVER_DATA,
                           "< eack dbase=1r rbase=0r d-own", "< eack dbase=1r rbase=0r d-own")),
        2);
}
END_TEST

/* Where order is not kept, one that was sent early may come late. */
START_TEST(an_overrun_may_be_late)
{
    struct kind once = udp;

    once.run.no_duplicates_in = true;
    ck_holds(
        o1(&once, LINES(OVER_DATA, OVER_DATA, "> push_data psn=0r rsn=0r len=4",
                        "< eack dbase=1r rbase=0r d-own", "> push_data psn=1r rsn=1r len=4",
                        "< eack dbase=2r rbase=0r d-own")),
        2);
}
END_TEST

START_TEST(excuse_in_dup)
{
    struct kind doubles = clean;

    doubles.run.no_duplicates_in = false;
    ck_excused(o1(&doubles, LINES(OVER_DATA, "+1us < eack dbase=0r rbase=0r d-own",
                                  "+1us < eack dbase=0r rbase=0r d-own")),
               FAL_EXCUSE_IN_DUP, 1);
    /* but there is no packet to duplicate */
    ck_breaks(o1(&doubles, LINES("< eack dbase=0r rbase=0r d-own")), "FTP-9.2.1-11", 1);
}
END_TEST

/* Two EACKs of which the order is open may be one that the network duplicated. */
START_TEST(excuse_out_reorder)
{
    struct kind once = udp;

    once.run.no_duplicates_in = true;
    ck_excused(o1(&once, LINES(OVER_DATA, "< eack dbase=0r rbase=0r d-own",
                               "+1ms < eack dbase=0r rbase=0r d-own")),
               FAL_EXCUSE_OUT_REORDER, 1);
    /* a witness puts them in order */
    ck_breaks(
        o1(&once, LINES(OVER_DATA, "< eack dbase=0r rbase=0r d-own",
                        "> push_data psn=0r rsn=0r len=4", "< eack dbase=1r rbase=0r d-own")),
        "FTP-9.2.1-11", 1);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_excused(o1(&piped, LINES(OVER_DATA, "+20us < eack dbase=0r rbase=0r d-own",
                                "+5us < eack dbase=0r rbase=0r d-own")),
               FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(o1(&piped, LINES(OVER_DATA, "+20us < eack dbase=0r rbase=0r d-own",
                               "+6us < eack dbase=0r rbase=0r d-own")),
              "FTP-9.2.1-11", 1);
}
END_TEST

/* The two bits in the other order, throughout (AMB-06). */
START_TEST(reading_amb_06)
{
    struct outcome o = o1(&clean, LINES(OVER_DATA, "< eack dbase=0r rbase=0r r-own"));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_breaks(o1(&clean, LINES(OVER_DATA, "+1us < eack dbase=0r rbase=0r r-own",
                               "+1us < eack dbase=0r rbase=0r r-own")),
              "FTP-9.2.1-11", 1);
}
END_TEST

START_TEST(reading_amb_06_is_kept_to)
{
    ck_breaks(
        o1(&clean, LINES(OVER_DATA, "< eack dbase=0r rbase=0r d-own", OVER_DATA,
                         "< eack dbase=0r rbase=0r r-own", "< eack dbase=0r rbase=0r d-own")),
        "FTP-9.2.1-10", 1);
    ck_breaks(o1(&clean, LINES(OVER_DATA, "< eack dbase=0r rbase=0r d-own", OVER_DATA,
                               "< eack dbase=0r rbase=0r r-own")),
              "FTP-9.2.1-10", 1);
}
END_TEST

/* One bit is too many under either order. */
START_TEST(FTP_9_2_1_11_both_bits_for_one_overrun)
{
    struct outcome o = o1(&clean, LINES("> pull_request psn=64r rsn=64r len=4",
                                        "< eack dbase=0r rbase=0r own=3"));

    ck_breaks(o, "FTP-9.2.1-11", 1);
    ck_assert_uint_eq(o.sut.excused[FAL_EXCUSE_READING], 0);
    ck_holds(o1(&clean, LINES("> pull_request psn=64r rsn=64r len=4", OVER_DATA,
                              "< eack dbase=0r rbase=0r own=3")),
             2);
}
END_TEST

/* What went unseen may have set OWN; an EACK told it, or that there was none. */
START_TEST(gaps_and_starts_undecide_until_it_was_told)
{
    ck_undecided(o1(&clean, LINES("mark gap_in", "< eack dbase=0r rbase=0r d-own")), 1);
    ck_undecided(o1(&capture, LINES("@5s < eack dbase=0r rbase=0r d-own")), 1);
    ck_undecided(o1(&clean, LINES("mark gap_in", "@2s < eack dbase=0r rbase=0r d-own")), 1);
    ck_breaks(o1(&clean, LINES("mark gap_in", "@2s < eack dbase=0r rbase=0r",
                               "< eack dbase=0r rbase=0r d-own")),
              "FTP-9.2.1-11", 1);
    /* which EACK told it is open where order is */
    ck_undecided(o1(&lossy, LINES("mark gap_in", "@2s < eack dbase=0r rbase=0r",
                                  "< eack dbase=0r rbase=0r d-own")),
                 1);
    ck_breaks(o1(&lossy, LINES("mark gap_out", "< eack dbase=0r rbase=0r d-own")),
              "FTP-9.2.1-11", 1);
}
END_TEST

START_TEST(a_capture_of_one_direction_convicts_nobody)
{
    struct kind one = {
        .run = {RUN_VIRTUAL, .delay_max_ns = 0}, .unknown = true, .foreign = true};

    ck_undecided(o1(&one, LINES("@5s < eack dbase=0r rbase=0r", "@8s < eack dbase=0r rbase=0r",
                                "@9s < eack dbase=0r rbase=0r d-own")),
                 1);
}
END_TEST

START_TEST(many_overruns_stay_bounded)
{
    struct script s;
    struct fal_connection c = script_connection(&lossy);
    struct outcome o;

    script_start(&s, &lossy, &c);
    for (int i = 0; i < 100; i++)
        script_line(&s, OVER_DATA);
    for (int i = 0; i < 100; i++)
        script_line(&s, "+1us < eack dbase=0r rbase=0r d-own");
    o = script_judge(s.events, json_array_size(s.events), "O1");
    json_decref(s.events);
    ck_holds(o, 100);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule O1");
    TCase *tc = tcase_create("O1");

    tcase_add_test(tc, one_overrun_one_notification);
    tcase_add_test(tc, FTP_9_2_1_10_request_own_without_cause);
    tcase_add_test(tc, FTP_9_2_1_11_data_own_without_cause);
    tcase_add_test(tc, FTP_9_2_1_11_the_highest_base_seen_counts);
    tcase_add_test(tc, FTP_9_2_1_11_never_cleared);
    tcase_add_test(tc, a_second_overrun_sets_it_again);
    tcase_add_test(tc, FTP_9_2_1_11_told_by_order);
    tcase_add_test(tc, an_overrun_may_be_late);
    tcase_add_test(tc, excuse_in_dup);
    tcase_add_test(tc, excuse_out_reorder);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, reading_amb_06);
    tcase_add_test(tc, reading_amb_06_is_kept_to);
    tcase_add_test(tc, FTP_9_2_1_11_both_bits_for_one_overrun);
    tcase_add_test(tc, gaps_and_starts_undecide_until_it_was_told);
    tcase_add_test(tc, a_capture_of_one_direction_convicts_nobody);
    tcase_add_test(tc, many_overruns_stay_bounded);
    suite_add_tcase(suite, tc);
    return suite;
}
