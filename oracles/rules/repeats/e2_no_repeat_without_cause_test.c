/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* The timeout of these connections is 1 ms. */
#define P(n)      "< push_data psn=" #n "r rsn=" #n "r len=4"
#define AT(us, n) "@" #us "us < push_data psn=" #n "r rsn=" #n "r len=4 ar"
#define R(us, n)  "@" #us "us < pull_request psn=" #n "r rsn=" #n "r len=4 ar"

static struct outcome e2(const struct kind *kind, const char *const *lines)
{
    return judged("E2", kind, lines);
}

START_TEST(each_timeout)
{
    ck_holds(e2(&clean, LINES(P(0), AT(1000, 0), AT(2000, 0))), 2);
    ck_holds(e2(&clean, LINES(P(0), "> back dbase=0r rbase=0r", AT(1500, 0))), 1);
}
END_TEST

START_TEST(FTP_9_15_before_its_timeout)
{
    struct outcome o = e2(&clean, LINES(P(0), AT(940, 0), AT(1880, 0)));

    ck_breaks(o, "FTP-9-15", 2);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_assert_uint_eq(o.findings[1].evidence[0], 3); /* the timer runs anew from each copy */
    ck_breaks(e2(&clean, LINES(R(0, 0), R(500, 0))), "FTP-9-15", 1);
}
END_TEST

/* A BACK, an empty EACK and one that shows no more than reordering allow nothing. */
START_TEST(FTP_9_1_4_02_04_05_9_2_3_14_what_allows_nothing)
{
    ck_breaks(e2(&clean, LINES(P(0), P(1), "> back dbase=0r rbase=0r", AT(500, 0))), "FTP-9-15",
              1);
    ck_breaks(e2(&clean, LINES(P(0), P(1), "> eack dbase=0r rbase=0r", AT(500, 0))), "FTP-9-15",
              1);
    ck_breaks(e2(&clean, LINES(P(0), P(2), "> eack dbase=0r rbase=0r drx=0b100", AT(500, 0))),
              "FTP-9-15", 1);
    /* above the highest that came, too */
    ck_breaks(
        e2(&clean, LINES(P(0), P(4), P(5), "> eack dbase=0r rbase=0r drx=0b10000", AT(500, 5))),
        "FTP-9-15", 1);
    /* acknowledged ones above, but it was received itself: the rx bitmap counts */
    ck_breaks(e2(&clean, LINES(P(0), P(4), "> eack dbase=0r rbase=0r dack=0b10000 drx=0b10001",
                               AT(500, 0))),
              "FTP-9.1.4-12", 1);
    /* an old EACK reports old numbers: 2 and 3 at most */
    ck_breaks(e2(&clean, LINES(P(0), P(5), P(6), "> back dbase=2r rbase=0r",
                               "> eack dbase=0r rbase=0r drx=0b1000000", AT(500, 5))),
              "FTP-9-15", 1);
    /* the other window */
    ck_breaks(e2(&clean, LINES(P(0), P(4), R(10, 0), "> eack dbase=0r rbase=0r drx=0b10000",
                               R(500, 0))),
              "FTP-9-15", 1);
}
END_TEST

START_TEST(what_allows_it_early)
{
    /* by the threshold of 3: equality is not settled (AMB-55) */
    ck_holds(e2(&clean, LINES(P(0), P(3), "> eack dbase=0r rbase=0r drx=0b1000", AT(500, 0))),
             0);
    ck_holds(e2(&clean, LINES(P(0), R(0, 4), "> eack dbase=0r rbase=0r req=0b10000", R(0, 0),
                              R(500, 0))),
             0);
    ck_holds(e2(&clean, LINES(P(0), "> eack dbase=0r rbase=0r own=2", AT(500, 0))), 0);
    ck_holds(e2(&clean, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data",
                              AT(500, 0))),
             0);
    /* it lasts: the gate may hold it back for a while */
    ck_holds(e2(&clean, LINES(P(0), P(4), "> eack dbase=0r rbase=0r drx=0b10000",
                              "> eack dbase=0r rbase=0r drx=0b10001", AT(500, 0), AT(900, 0))),
             0);
    /* once acknowledged it is rule X6's */
    ck_holds(e2(&clean, LINES(P(0), "> back dbase=1r rbase=0r", AT(500, 0))), 0);
}
END_TEST

/* The packets of a notification are known when it arrives: numbers sent since it was seen may
 * have left before. */
START_TEST(own_allows_what_was_not_seen_yet)
{
    ck_holds(e2(&clean, LINES("> eack dbase=0r rbase=0r own=2", P(0), AT(500, 0))), 0);
    /* but only up to a window above the base that it shows */
    ck_breaks(e2(&clean, LINES("> eack dbase=0r rbase=0r own=2", P(0),
                               "> back dbase=1r rbase=0r", P(64), AT(500, 64))),
              "FTP-9-15", 1);
}
END_TEST

START_TEST(a_threshold_that_nobody_gave)
{
    struct fal_connection c = script_connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_ooo_threshold);
    ck_holds(script_run("E2", &clean, &c,
                        LINES(P(0), P(1), "> eack dbase=0r rbase=0r drx=0b10", AT(500, 0))),
             0);
}
END_TEST

START_TEST(undecided_config)
{
    struct fal_connection c = script_connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_rto);
    ck_undecided(script_run("E2", &clean, &c, LINES(P(0), AT(5, 0))), 1);
    c.unknown_params = 0;
    c.params.rack_tlp = true;
    ck_undecided(script_run("E2", &clean, &c, LINES(P(0), AT(5, 0))), 1);
}
END_TEST

/* Tail probes that the ICS does not deny. */
START_TEST(not_denied_is_a_warning)
{
    struct fal_connection c = script_connection(&clean);
    struct outcome o;

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_rack_tlp);
    o = script_run("E2", &clean, &c, LINES(P(0), AT(5, 0)));
    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_holds(script_run("E2", &clean, &c, LINES(P(0), AT(1000, 0))), 1);
}
END_TEST

START_TEST(excuse_jitter)
{
    struct kind once = jitter;

    once.run.no_duplicates_out = true; /* 10 us of jitter */
    ck_holds(e2(&once, LINES(P(0), AT(990, 0))), 1);
    ck_breaks(e2(&once, LINES(P(0), AT(939, 0))), "FTP-9-15", 1);
    struct kind unbounded = once;

    unbounded.run.delay_max_ns = FAL_NEVER;
    ck_undecided(e2(&unbounded, LINES(P(0), AT(5, 0))), 1);
}
END_TEST

START_TEST(by_the_iv)
{
    ck_breaks(e2(&lossy, LINES("iv 1us", P(0), "iv 200us", "@200us < back dbase=0r rbase=0r",
                               "iv 500us", AT(5000, 0))),
              "FTP-9-15", 1);
    ck_holds(e2(&lossy, LINES("iv 1us", P(0), "iv 200us", "@200us < back dbase=0r rbase=0r",
                              "iv 1001us", AT(900, 0))),
             1);
    /* not yet known to be a clock */
    ck_undecided(e2(&lossy, LINES("iv 1us", P(0), "iv 500us", AT(5000, 0))), 1);
}
END_TEST

START_TEST(excuse_out_dup)
{
    ck_excused(e2(&jitter, LINES(P(0), "@50us " P(0))), FAL_EXCUSE_OUT_DUP, 1);
    ck_breaks(e2(&jitter, LINES(P(0), AT(50, 0))), "FTP-9-15", 1);
    /* it cannot be known which of several packets it repeats */
    ck_excused(e2(&jitter, LINES(P(0), AT(1200, 0), "@1250us " P(0))), FAL_EXCUSE_OUT_DUP, 1);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_holds(e2(&piped, LINES(P(0), AT(994, 0))), 1);
    ck_warns(e2(&piped, LINES(P(0), AT(993, 0))), "FTP-9-15");
    ck_warns(e2(&piped, LINES(P(0), AT(945, 0))), "FTP-9-15");
    ck_breaks(e2(&piped, LINES(P(0), AT(944, 0))), "FTP-9-15", 1);
    piped.pipeline_ns = 63 * FAL_US; /* the RTO is less than 8 x 2 pipelines */
    ck_undecided(e2(&piped, LINES(P(0), AT(5, 0))), 1);
}
END_TEST

/* The RTO is 1 ms: down to 5 % early is a warning, a tick is free, and the clocks may differ by
 * 1/1000. A tick of more than a tenth judges nothing. */
START_TEST(FTP_9_15_how_early_a_timer_may_be)
{
    struct fal_connection c = script_connection(&clean);

    ck_holds(e2(&clean, LINES(P(0), AT(999, 0))), 1);
    ck_warns(e2(&clean, LINES(P(0), AT(998, 0))), "FTP-9-15");
    ck_warns(e2(&clean, LINES(P(0), AT(950, 0))), "FTP-9-15");
    ck_breaks(e2(&clean, LINES(P(0), AT(949, 0))), "FTP-9-15", 1);
    c.params.tick_ns = 100 * FAL_US;
    ck_holds(script_run("E2", &clean, &c, LINES(P(0), AT(899, 0))), 1);
    ck_breaks(script_run("E2", &clean, &c, LINES(P(0), AT(898, 0))), "FTP-9-15", 1);
    c.params.tick_ns++;
    ck_undecided(script_run("E2", &clean, &c, LINES(P(0), AT(5, 0))), 1);
}
END_TEST

/* Set by the SUT's own congestion control: its shortest value counts. */
START_TEST(FTP_9_15_an_rto_that_varies)
{
    struct fal_connection c = script_connection(&clean);

    c.params.rto_varies = true;
    ck_undecided(script_run("E2", &clean, &c, LINES(P(0), AT(5, 0))), 1);
    c.params.rto_lo_ns = 400 * FAL_US;
    c.params.rto_hi_ns = 3 * FAL_MS;
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_rto);
    ck_holds(script_run("E2", &clean, &c, LINES(P(0), AT(400, 0))), 1);
    ck_warns(script_run("E2", &clean, &c, LINES(P(0), AT(380, 0))), "FTP-9-15");
    ck_breaks(script_run("E2", &clean, &c, LINES(P(0), AT(379, 0))), "FTP-9-15", 1);
}
END_TEST

/* The EACK that allowed it may have gone unseen. */
START_TEST(excuse_capture_gap)
{
    ck_undecided(e2(&clean, LINES(P(0), "mark gap_in 1", AT(500, 0))), 1);
    ck_breaks(e2(&clean, LINES("mark gap_in 1", P(0), AT(500, 0))), "FTP-9-15", 1);
    ck_undecided(e2(&capture, LINES(P(0), AT(500, 0))), 1);
}
END_TEST

START_TEST(across_a_step_of_the_clock_nothing_is_known)
{
    ck_undecided(e2(&clean, LINES(P(0), "mark clock_step", AT(500, 0))), 1);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.sut.data_psn = UINT32_MAX - 1;
    ck_breaks(script_run("E2", &clean, &c, LINES(P(0), P(1), P(2), AT(500, 2))), "FTP-9-15", 1);
    ck_holds(script_run("E2", &clean, &c,
                        LINES(P(0), P(5), "> eack dbase=0r rbase=0r drx=0b100000", AT(500, 1),
                              AT(700, 1), AT(700, 0))),
             0);
}
END_TEST

/* A Resync is another packet, on its own timer (rule S3). */
START_TEST(resyncs_are_no_copies)
{
    ck_holds(e2(&clean, LINES(P(0), "@10us < resync psn=0r rsn=0r code=4 of=push_data",
                              "@20us < resync psn=0r rsn=0r code=4 of=push_data")),
             0);
}
END_TEST

START_TEST(our_own_side)
{
    ck_assert_int_eq(e2(&clean, LINES("> push_data psn=0r rsn=0r len=4",
                                      "@500us > push_data psn=0r rsn=0r len=4"))
                         .verdict,
                     FAL_VERDICT_ERROR);
    ck_asked(e2(&clean, LINES("> push_data psn=0r rsn=0r len=4", "wait 500us",
                              "step > push_data psn=0r rsn=0r len=4",
                              "@1000us > push_data psn=0r rsn=0r len=4")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule E2");
    TCase *tc = tcase_create("E2");

    tcase_add_test(tc, each_timeout);
    tcase_add_test(tc, FTP_9_15_before_its_timeout);
    tcase_add_test(tc, FTP_9_1_4_02_04_05_9_2_3_14_what_allows_nothing);
    tcase_add_test(tc, what_allows_it_early);
    tcase_add_test(tc, own_allows_what_was_not_seen_yet);
    tcase_add_test(tc, a_threshold_that_nobody_gave);
    tcase_add_test(tc, undecided_config);
    tcase_add_test(tc, not_denied_is_a_warning);
    tcase_add_test(tc, excuse_jitter);
    tcase_add_test(tc, by_the_iv);
    tcase_add_test(tc, excuse_out_dup);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, FTP_9_15_how_early_a_timer_may_be);
    tcase_add_test(tc, FTP_9_15_an_rto_that_varies);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, across_a_step_of_the_clock_nothing_is_known);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, resyncs_are_no_copies);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
