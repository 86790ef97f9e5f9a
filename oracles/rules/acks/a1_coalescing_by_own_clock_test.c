/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* The coalescing timeout of 8 us are 61 units of 2^17 ps; two more are lost in rounding. */
static struct outcome a1(const struct kind *kind, const char *const *lines)
{
    return judged("A1", kind, lines);
}

/* A path without bounds that loses nothing and keeps order; and IVs of the SUT that keep pace
 * with our clock. */
static const struct kind far = {.run = {RUN_VIRTUAL, .delay_max_ns = FAL_NEVER}};
#define PACE                                                     \
    "iv 100us", "@1000us < back dbase=0r rbase=0r", "iv 2100us", \
        "@3000us < back dbase=0r rbase=0r"
/* 3010 us: t1 22964; it comes at 2200 us of the SUT's clock: t2 16784 */
#define PULL0 "iv 3010us", "@3010us > pull_request psn=0r rsn=0r len=4"
#define ACK   "< back dbase=0r rbase=1r t1=22964 t2=16784"

START_TEST(in_time_it_holds)
{
    ck_holds(a1(&far, LINES(PACE, PULL0, "iv 2208us", ("@4000us " ACK))), 1);
    /* a second ACK of it is no instance, nor is a push, nor a packet without an IV */
    ck_holds(a1(&far, LINES(PACE, PULL0, "iv 2208us", ("@4000us " ACK), "iv 2300us",
                            ("@4100us " ACK))),
             1);
    ck_holds(a1(&far, LINES(PACE, "iv 3010us", "@3010us > push_data psn=0r rsn=0r len=4",
                            "iv 2300us", "@4000us < back dbase=1r rbase=0r t1=22964 t2=16784")),
             0);
    ck_holds(a1(&far, LINES(PACE, PULL0, ("@4000us " ACK))), 0);
}
END_TEST

START_TEST(FTP_9_1_6_07_held_for_too_long)
{
    struct outcome o = a1(&far, LINES(PACE, PULL0, "iv 2209us", ("@4000us " ACK)));

    ck_breaks(o, "FTP-9.1.6-07", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 4);
    ck_assert_uint_eq(o.findings[0].evidence[1], 5);
}
END_TEST

START_TEST(excuse_out_loss_and_reorder)
{
    struct kind path = far;

    path.run.lossless_out = false;
    ck_excused(a1(&path, LINES(PACE, PULL0, "iv 2300us", ("@4000us " ACK))),
               FAL_EXCUSE_OUT_LOSS, 1);
    path = far;
    path.run.in_order_out = false;
    ck_excused(a1(&path, LINES(PACE, PULL0, "iv 2300us", ("@4000us " ACK))),
               FAL_EXCUSE_OUT_REORDER, 1);
}
END_TEST

START_TEST(excuse_clock_t2_of_another_clock)
{
    ck_undecided(a1(&far, LINES(PACE, PULL0, "iv 2300us",
                                "@4000us < back dbase=0r rbase=1r t1=22964 t2=1000")),
                 1);
    ck_undecided(a1(&far, LINES(PACE, PULL0, "iv 2300us",
                                "@4000us < back dbase=0r rbase=1r t1=22964 t2=20000")),
                 1);
}
END_TEST

START_TEST(excuse_config_the_timeout_is_not_given)
{
    struct fal_connection c = script_connection(&far);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_coalescing);
    ck_undecided(script_run("A1", &far, &c, LINES(PACE, PULL0, "iv 2300us", ("@4000us " ACK))),
                 1);
    c.unknown_params = 0;
    c.params.pipeline_ns = 46 * FAL_US; /* below the ratio: 4 x (turnaround + 2 pipeline) */
    ck_undecided(script_run("A1", &far, &c, LINES(PACE, PULL0, "iv 2300us", ("@4000us " ACK))),
                 1);
    c.params.pipeline_ns = 0;
    c.params.tick_ns = 801; /* more than a tenth of the timeout */
    ck_undecided(script_run("A1", &far, &c, LINES(PACE, PULL0, "iv 2300us", ("@4000us " ACK))),
                 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_undecided(a1(&far, LINES(PACE, PULL0, "mark gap_out 1", "iv 2300us", ("@4000us " ACK))),
                 1);
}
END_TEST

/* A piggybacked acknowledgement came before: the ACK is for another packet. */
START_TEST(a_piggyback_that_told_ends_the_duty)
{
    ck_holds(a1(&far, LINES(PACE, PULL0, "iv 2203us",
                            "@3500us < push_data psn=0r rsn=0r len=4 dbase=0r rbase=1r",
                            "iv 2300us", ("@4000us " ACK))),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule A1");
    TCase *tc = tcase_create("A1");

    tcase_add_test(tc, in_time_it_holds);
    tcase_add_test(tc, FTP_9_1_6_07_held_for_too_long);
    tcase_add_test(tc, excuse_out_loss_and_reorder);
    tcase_add_test(tc, excuse_clock_t2_of_another_clock);
    tcase_add_test(tc, excuse_config_the_timeout_is_not_given);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_piggyback_that_told_ends_the_duty);
    suite_add_tcase(suite, tc);
    return suite;
}
