/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* The coalescing timeout is 8 us, the time to answer 0, in all of these; 800 ps more are what
 * clocks may differ by. */
static struct outcome a2(const struct kind *kind, const char *const *lines)
{
    return judged("A2", kind, lines);
}

#define PULL0 "> pull_request psn=0r rsn=0r len=4"
#define PULL1 "> pull_request psn=1r rsn=1r len=4"
#define PUSH0 "> push_data psn=0r rsn=0r len=4"
#define LATER "wait 1ms", "mark barrier"

START_TEST(an_ack_within_the_timeout_holds)
{
    ck_holds(a2(&clean, LINES(PULL0, "+8us < back dbase=0r rbase=1r", LATER)), 1);
    ck_holds(a2(&clean, LINES(PULL0, PULL1, "+8us < back dbase=0r rbase=2r", LATER)), 2);
    ck_holds(a2(&clean, LINES(PULL1, "+8us < eack dbase=0r rbase=0r req=0b10", LATER)), 1);
    /* a push that waits is no news; one that was taken is */
    ck_holds(a2(&clean, LINES(PUSH0, LATER)), 0);
    ck_holds(a2(&clean, LINES(PUSH0, "wait 1ms", "respond 0r ack",
                              "+8us < back dbase=1r rbase=0r", LATER)),
             1);
    ck_holds(a2(&clean, LINES("> pull_request psn=64r rsn=64r len=4",
                              "+8us < eack dbase=0r rbase=0r own=1", LATER)),
             1);
}
END_TEST

START_TEST(FTP_9_1_6_07_no_ack_by_the_timeout)
{
    struct outcome o = a2(&clean, LINES(PULL0, "+9us < back dbase=0r rbase=1r"));

    ck_breaks(o, "FTP-9.1.6-07", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_breaks(a2(&clean, LINES(PULL0, LATER)), "FTP-9.1.6-07", 1);
    ck_breaks(a2(&clean, LINES(PUSH0, "respond 0r ack", LATER)), "FTP-9.1.6-07", 1);
    /* the answer came when it had been given up */
    ck_holds(a2(&clean, LINES(PUSH0, "wait 1s", "respond 0r ack", "+10ms > back")), 0);
    ck_breaks(a2(&clean, LINES(PUSH0, "ulp_ack 0r ack", LATER)), "FTP-9.1.6-07", 1);
}
END_TEST

START_TEST(FTP_9_1_6_06_an_ack_that_tells_nothing_of_it)
{
    ck_breaks(a2(&clean, LINES(PULL0, "+1us < back dbase=0r rbase=0r", LATER)), "FTP-9.1.6-07",
              1);
    ck_breaks(a2(&clean, LINES(PULL0, PULL1, "+1us < back dbase=0r rbase=1r", LATER)),
              "FTP-9.1.6-07", 1);
}
END_TEST

/* The base of another packet acknowledges it: an ACK is still due by one reading. */
START_TEST(reading_amb_19_conveyed_by_a_base)
{
    struct outcome o = a2(
        &clean, LINES(PULL0, "+1us < nack dbase=0r rbase=1r nack_psn=9r code=6 w=data", LATER));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* data PSN 5 is acknowledged above the base: the piggyback does not say it all */
    o = a2(&clean, LINES("> push_data psn=5r rsn=5r len=4", "respond 5r ack",
                         "+1us < eack dbase=0r rbase=0r dack=0b100000 drx=0b100000", PULL0,
                         "+1us < push_data psn=0r rsn=0r len=4 rbase=1r", LATER));
    ck_excused(o, FAL_EXCUSE_READING, 1);
    /* an ACK in time needs no reading */
    ck_holds(a2(&clean, LINES(PULL0, "+1us < nack dbase=0r rbase=1r nack_psn=9r code=6 w=data",
                              "+7us < back dbase=0r rbase=1r", LATER)),
             1);
    /* a number at or above the base is not conveyed, nor is an overrun */
    ck_breaks(a2(&clean, LINES(PULL1, "+1us < nack dbase=0r rbase=0r nack_psn=9r code=6 w=data",
                               LATER)),
              "FTP-9.1.6-07", 1);
    ck_breaks(
        a2(&clean, LINES("> pull_request psn=64r rsn=64r len=4",
                         "+1us < nack dbase=0r rbase=0r nack_psn=9r code=6 w=data", LATER)),
        "FTP-9.2.2.4-06", 1);
}
END_TEST

START_TEST(FTP_9_1_6_05_06_a_piggyback_ends_it_or_not)
{
    ck_holds(a2(&clean, LINES(PULL0, "+1us < push_data psn=0r rsn=0r len=4 rbase=1r", LATER)),
             1);
    ck_breaks(a2(&clean, LINES(PULL0, "+1us < push_data psn=0r rsn=0r len=4 rbase=0r", LATER)),
              "FTP-9.1.6-07", 1);
    /* the base does not say that data PSN 5 is acknowledged */
    ck_breaks(a2(&clean, LINES("> push_data psn=5r rsn=5r len=4", "respond 5r ack",
                               "+1us < push_data psn=0r rsn=0r len=4", LATER)),
              "FTP-9.1.6-07", 1);
}
END_TEST

START_TEST(FTP_9_2_5_02_a_resync_unanswered)
{
    ck_breaks(a2(&clean, LINES("> resync psn=0r rsn=0r code=cie of=push_data", LATER)),
              "FTP-9.2.5-02", 1);
    ck_holds(a2(&clean, LINES("> resync psn=0r rsn=0r code=cie of=push_data",
                              "+8us < back dbase=1r rbase=0r", LATER)),
             1);
}
END_TEST

START_TEST(FTP_9_2_2_4_06_a_packet_beyond_the_window_unanswered)
{
    ck_breaks(a2(&clean, LINES("> pull_request psn=64r rsn=64r len=4", LATER)),
              "FTP-9.2.2.4-06", 1);
}
END_TEST

START_TEST(a_nack_refuses)
{
    ck_holds(a2(&clean,
                LINES(PULL0, "+1us < nack dbase=0r rbase=0r nack_psn=0r code=1 w=req", LATER)),
             0);
}
END_TEST

START_TEST(excuse_out_loss)
{
    struct kind loses = clean;

    loses.run.lossless_out = false;
    ck_excused(a2(&loses, LINES(PULL0, LATER)), FAL_EXCUSE_OUT_LOSS, 1);
    ck_holds(a2(&loses, LINES(PULL0, "+8us < back dbase=0r rbase=1r", LATER)), 1);
}
END_TEST

START_TEST(without_a_witness_of_its_arrival)
{
    struct kind loses = clean;

    loses.run.lossless_in = false;
    ck_holds(a2(&loses, LINES(PULL0, LATER)), 0);
    /* that the upper layer took it is one */
    ck_breaks(a2(&loses, LINES(PUSH0, "respond 0r ack", LATER)), "FTP-9.1.6-07", 1);
}
END_TEST

START_TEST(delays_and_the_time_to_answer_add_up)
{
    struct kind slow = jitter; /* 10 us each way */
    struct fal_connection c = script_connection(&slow);

    ck_holds(a2(&slow, LINES(PULL0, "+28400ns < back dbase=0r rbase=1r", LATER)), 1);
    ck_breaks(a2(&slow, LINES(PULL0, "+28401ns < back dbase=0r rbase=1r", LATER)),
              "FTP-9.1.6-07", 1);
    c.params.turnaround_ns = 3 * FAL_US;
    c.params.pipeline_ns = 2 * FAL_US;
    c.params.coalescing_ns = 28 * FAL_US; /* 4 x (3 + 2 x 2): the least that can be judged */
    ck_holds(
        script_run("A2", &slow, &c, LINES(PULL0, "+56402ns < back dbase=0r rbase=1r", LATER)),
        1);
    ck_breaks(
        script_run("A2", &slow, &c, LINES(PULL0, "+56403ns < back dbase=0r rbase=1r", LATER)),
        "FTP-9.1.6-07", 1);
    c.params.coalescing_ns--;
    ck_undecided(script_run("A2", &slow, &c, LINES(PULL0, LATER)), 1);
}
END_TEST

/* 8 us: 5 % and a tick late are free; a tick of more than a tenth of it judges nothing. */
START_TEST(FTP_9_1_6_07_how_late_a_timer_may_be)
{
    struct fal_connection c = script_connection(&clean);

    ck_holds(a2(&clean, LINES(PULL0, "+8400ns < back dbase=0r rbase=1r", LATER)), 1);
    ck_breaks(a2(&clean, LINES(PULL0, "+8401ns < back dbase=0r rbase=1r", LATER)),
              "FTP-9.1.6-07", 1);
    c.params.tick_ns = 800;
    ck_holds(
        script_run("A2", &clean, &c, LINES(PULL0, "+9200ns < back dbase=0r rbase=1r", LATER)),
        1);
    ck_breaks(
        script_run("A2", &clean, &c, LINES(PULL0, "+9201ns < back dbase=0r rbase=1r", LATER)),
        "FTP-9.1.6-07", 1);
    c.params.tick_ns = 801;
    ck_undecided(script_run("A2", &clean, &c, LINES(PULL0, LATER)), 1);
}
END_TEST

/* An ACK that left before the packet came says nothing, where the shortest delay is known. */
START_TEST(an_ack_that_crossed_ends_nothing)
{
    struct kind far = jitter;

    far.run.delay_min_ns = 5 * FAL_US;
    ck_breaks(a2(&far, LINES("> pull_request psn=64r rsn=64r len=4",
                             "+9us < back dbase=0r rbase=0r", LATER)),
              "FTP-9.2.2.4-06", 1);
    ck_holds(a2(&far, LINES("> pull_request psn=64r rsn=64r len=4",
                            "+10us < eack dbase=0r rbase=0r own=1", LATER)),
             1);
}
END_TEST

START_TEST(excuse_config_without_bounds)
{
    struct fal_connection c = script_connection(&clean);

    ck_undecided(a2(&udp, LINES(PUSH0, "respond 0r ack", LATER)), 1);
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_coalescing);
    ck_undecided(script_run("A2", &clean, &c, LINES(PULL0, LATER)), 1);
}
END_TEST

START_TEST(excuse_capture_gap_and_clock_step)
{
    ck_undecided(a2(&clean, LINES(PULL0, "mark gap_out 1", LATER)), 1);
    ck_undecided(a2(&clean, LINES(PULL0, "mark clock_step", LATER)), 1);
    ck_breaks(a2(&clean, LINES(PULL0, "mark gap_in 1", LATER)), "FTP-9.1.6-07", 1);
}
END_TEST

/* It has sent one packet so often that the connection may be over. */
START_TEST(a_connection_that_may_be_over_owes_nothing)
{
    struct fal_connection c = script_connection(&clean);

    c.params.max_attempts = 1;
    ck_holds(script_run("A2", &clean, &c,
                        LINES("< push_data psn=0r rsn=0r len=4",
                              "+1ms < push_data psn=0r rsn=0r len=4", PULL0, LATER)),
             0);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.req_psn = 0xffffffff;
    ck_holds(script_run("A2", &clean, &c,
                        LINES(PULL0, PULL1, "+8us < back dbase=0r rbase=2r", LATER)),
             2);
    ck_breaks(script_run("A2", &clean, &c,
                         LINES(PULL0, PULL1, "+8us < back dbase=0r rbase=1r", LATER)),
              "FTP-9.1.6-07", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule A2");
    TCase *tc = tcase_create("A2");

    tcase_add_test(tc, an_ack_within_the_timeout_holds);
    tcase_add_test(tc, FTP_9_1_6_07_no_ack_by_the_timeout);
    tcase_add_test(tc, FTP_9_1_6_06_an_ack_that_tells_nothing_of_it);
    tcase_add_test(tc, reading_amb_19_conveyed_by_a_base);
    tcase_add_test(tc, FTP_9_1_6_05_06_a_piggyback_ends_it_or_not);
    tcase_add_test(tc, FTP_9_2_5_02_a_resync_unanswered);
    tcase_add_test(tc, FTP_9_2_2_4_06_a_packet_beyond_the_window_unanswered);
    tcase_add_test(tc, a_nack_refuses);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, without_a_witness_of_its_arrival);
    tcase_add_test(tc, delays_and_the_time_to_answer_add_up);
    tcase_add_test(tc, FTP_9_1_6_07_how_late_a_timer_may_be);
    tcase_add_test(tc, an_ack_that_crossed_ends_nothing);
    tcase_add_test(tc, excuse_config_without_bounds);
    tcase_add_test(tc, excuse_capture_gap_and_clock_step);
    tcase_add_test(tc, a_connection_that_may_be_over_owes_nothing);
    tcase_add_test(tc, wrap_around);
    suite_add_tcase(suite, tc);
    return suite;
}
