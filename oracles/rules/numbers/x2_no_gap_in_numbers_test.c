/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(n) "< push_data psn=" #n "r rsn=" #n "r len=4"
#define R(n) "< pull_request psn=" #n "r rsn=" #n "r len=4"

static struct outcome x2(const struct kind *kind, const char *const *lines)
{
    return judged("X2", kind, lines);
}

START_TEST(numbers_run_on)
{
    ck_holds(x2(&clean, LINES(P(0), P(1), P(1), "< pull_request psn=0r rsn=2r len=4", P(0),
                              "< resync psn=2r rsn=3r code=4 of=push_data")),
             4);
}
END_TEST

START_TEST(FTP_9_1_1_09_a_data_psn_is_skipped)
{
    struct outcome o = x2(&clean, LINES(P(0), P(2), P(3)));

    ck_breaks(o, "FTP-9.1.1-09", 1);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "PSN 1r before PSN 2r"));
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_breaks(x2(&clean, LINES(P(1))), "FTP-9.1.1-09", 1); /* the first one too */
}
END_TEST

START_TEST(FTP_9_1_1_04_a_request_psn_is_skipped)
{
    ck_breaks(x2(&clean, LINES(R(0), "< pull_request psn=7r rsn=1r len=4")), "FTP-9.1.1-04", 1);
}
END_TEST

START_TEST(FTP_9_1_1_05_09_below_the_initial_number)
{
    ck_breaks(x2(&udp, LINES("< push_data psn=4999 rsn=0r len=4")), "FTP-9.1.1-09", 1);
    ck_breaks(x2(&udp, LINES("< pull_request psn=0 rsn=0r len=4")), "FTP-9.1.1-05", 1);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.sut.data_psn = UINT32_MAX;
    ck_holds(script_run("X2", &clean, &c, LINES(P(0), P(1), P(2))), 3);
    ck_breaks(script_run("X2", &clean, &c, LINES(P(0), P(2))), "FTP-9.1.1-09", 1);
}
END_TEST

START_TEST(excuse_out_loss)
{
    ck_excused(x2(&udp, LINES(P(0), P(2))), FAL_EXCUSE_OUT_LOSS, 1);
    /* the first copy was lost, a later one came */
    ck_excused(x2(&udp, LINES(P(0), P(2), "+1ms < push_data psn=1r rsn=1r len=4")),
               FAL_EXCUSE_OUT_LOSS, 1);
    ck_excused(x2(&udp, LINES(P(0), P(4), P(2))), FAL_EXCUSE_OUT_LOSS, 3);
}
END_TEST

/* The counters of both ends agree at the end: nothing was lost, so the number was not sent. */
START_TEST(FTP_9_1_1_09_by_the_counters)
{
    ck_breaks(x2(&udp, LINES(P(0), P(2), "wait 1s", "mark lossless_out")), "FTP-9.1.1-09", 1);
    ck_holds(x2(&udp, LINES(P(0), P(1), "wait 1s", "mark lossless_out")), 2);
    ck_excused(x2(&udp, LINES(P(0), P(2), "wait 1s", "mark lossless_in")), FAL_EXCUSE_OUT_LOSS,
               1);
}
END_TEST

/* A path that loses nothing but reorders: after the longest delay. */
START_TEST(declared_jitter_decides)
{
    ck_excused(x2(&jitter, LINES(P(0), P(2), "+10us < push_data psn=1r rsn=1r len=4",
                                 "+1ms < push_data psn=3r rsn=3r len=4")),
               FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(x2(&jitter, LINES(P(0), P(2), "+10us < push_data psn=3r rsn=3r len=4",
                                "+1us < push_data psn=4r rsn=4r len=4")),
              "FTP-9.1.1-09", 1);
    /* too early to say when the run ends: it may still be under way */
    ck_undecided(x2(&jitter, LINES(P(0), P(2), "+10us < push_data psn=3r rsn=3r len=4")), 1);
}
END_TEST

START_TEST(without_a_longest_delay_it_may_be_under_way)
{
    struct kind unbounded = jitter;

    unbounded.run.delay_max_ns = FAL_NEVER;
    ck_undecided(x2(&unbounded, LINES(P(0), P(2), "+10s < push_data psn=3r rsn=3r len=4")), 1);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_excused(x2(&piped, LINES(P(1), "+5us < push_data psn=0r rsn=0r len=4")),
               FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(x2(&piped, LINES(P(1), "+6us < push_data psn=2r rsn=2r len=4")), "FTP-9.1.1-09",
              1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_undecided(x2(&clean, LINES(P(0), "mark gap_out 1", P(2))), 1);
    ck_breaks(x2(&clean, LINES(P(0), "mark gap_in 1", P(2))), "FTP-9.1.1-09", 1);
    ck_breaks(x2(&clean, LINES(P(0), "mark gap_out 1", "> back dbase=1r rbase=0r",
                               "< push_data psn=5000r rsn=0r len=4")),
              "FTP-9.1.1-09", 1);
    ck_undecided(x2(&udp, LINES(P(0), P(2), "mark gap_out")), 1);
    ck_undecided(x2(&udp, LINES(P(0), "mark gap_out", "< push_data psn=20000r rsn=0r len=4")),
                 1);
}
END_TEST

/* A capture from the middle: its first packet may be a retransmission. */
START_TEST(a_start_in_the_middle)
{
    struct kind middle = clean;

    middle.unknown = true;
    ck_undecided(x2(&middle, LINES(P(5), "> back dbase=0r rbase=0r", P(9), P(10))), 1);
    ck_breaks(x2(&middle,
                 LINES(P(5), "> back dbase=6r rbase=0r", "< push_data psn=5000r rsn=0r len=4")),
              "FTP-9.1.1-09", 1);
}
END_TEST

/* A step acknowledged what the SUT has not sent: what it makes of that is its own affair. */
START_TEST(assumes_base_not_beyond_sent)
{
    ck_holds(x2(&clean, LINES(P(0), "step > back dbase=2r rbase=0r", P(5))), 1);
    ck_breaks(x2(&clean, LINES(P(0), "step > back dbase=1r rbase=0r", P(5))), "FTP-9.1.1-09",
              1);
    ck_holds(x2(&clean, LINES(P(0), "step > back dbase=5r rbase=0r", P(5))), 1);
}
END_TEST

START_TEST(many_holes_stay_bounded)
{
    struct script s;
    struct fal_connection c = script_connection(&udp);
    struct outcome o;
    char line[64];

    script_start(&s, &udp, &c);
    for (int i = 0; i < 100; i++) {
        (void)snprintf(line, sizeof line, "< push_data psn=%dr rsn=%dr len=4", 2 * i, i);
        script_line(&s, line);
    }
    script_line(&s, "< push_data psn=100000000r rsn=100r len=4");
    script_line(&s, "< push_data psn=2000000000r rsn=101r len=4");
    o = script_judge(s.events, json_array_size(s.events), "X2");
    json_decref(s.events);
    ck_excused(o, FAL_EXCUSE_OUT_LOSS, 101);
}
END_TEST

START_TEST(our_own_side)
{
    struct outcome o =
        x2(&udp, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=2r rsn=2r len=4"));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR);
    ck_asked(x2(&udp,
                LINES("> push_data psn=0r rsn=0r len=4", "step > push_data psn=2r rsn=2r len=4",
                      "> push_data psn=1r rsn=1r len=4")));
}
END_TEST

/* NVME 7.2: write data and Write Completions count in the data window (AMB-N07). */
START_TEST(NVME_7_2_04_write_data_follow_the_pushes)
{
    ck_breaks(x2(&clean, LINES("< push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1",
                               "> pull_request psn=0r rsn=0r len=4132 / nvme "
                               "write_data_request ifn=5 itag=1",
                               "< pull_data psn=2r rsn=0r / nvme write_data_response ifn=5 "
                               "itag=1 data=4096",
                               "< back")),
              "NVME-7.2-04", 1);
    ck_breaks(x2(&clean, LINES("> push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1",
                               "< push_data psn=1r rsn=0r / nvme write_completion ifn=5 itag=1 "
                               "status=1",
                               "< back")),
              "NVME-7.2-06", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule X2");
    TCase *tc = tcase_create("X2");

    tcase_add_test(tc, numbers_run_on);
    tcase_add_test(tc, FTP_9_1_1_09_a_data_psn_is_skipped);
    tcase_add_test(tc, FTP_9_1_1_04_a_request_psn_is_skipped);
    tcase_add_test(tc, FTP_9_1_1_05_09_below_the_initial_number);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, FTP_9_1_1_09_by_the_counters);
    tcase_add_test(tc, declared_jitter_decides);
    tcase_add_test(tc, without_a_longest_delay_it_may_be_under_way);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_start_in_the_middle);
    tcase_add_test(tc, assumes_base_not_beyond_sent);
    tcase_add_test(tc, many_holes_stay_bounded);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, NVME_7_2_04_write_data_follow_the_pushes);
    suite_add_tcase(suite, tc);
    return suite;
}
