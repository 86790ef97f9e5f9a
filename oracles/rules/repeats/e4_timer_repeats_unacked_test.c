/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* The timeout of these connections is 1 ms. */
#define P(n)      "< push_data psn=" #n "r rsn=" #n "r len=4"
#define AT(us, n) "@" #us "us < push_data psn=" #n "r rsn=" #n "r len=4 ar"
#define ALIVE(us) "@" #us "us < back dbase=0r rbase=0r"

static struct outcome e4(const struct kind *kind, const char *const *lines)
{
    return judged("E4", kind, lines);
}

START_TEST(the_timer_repeats_it)
{
    ck_holds(e4(&clean, LINES(P(0), AT(1000, 0), AT(2000, 0), ALIVE(2500))), 2);
    ck_holds(e4(&clean,
                LINES(P(0), ALIVE(900), "> back dbase=1r rbase=0r", ALIVE(5000), ALIVE(9000))),
             0);
}
END_TEST

START_TEST(FTP_9_1_1_21_it_never_does)
{
    struct outcome o = e4(&clean, LINES(P(0), ALIVE(2101), ALIVE(3300), ALIVE(9000)));

    ck_breaks(o, "FTP-9.1.1-21", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_assert_uint_eq(o.findings[0].evidence[2], 4);
    ck_breaks(e4(&clean, LINES("< pull_request psn=0r rsn=0r len=4", AT(2101, 0), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
}
END_TEST

/* One that stood still may send something else first when it goes on. */
START_TEST(alive_once_is_not_enough)
{
    ck_holds(e4(&clean, LINES(P(0), ALIVE(9000), ALIVE(9500))), 0);
    ck_holds(e4(&clean, LINES(P(0), ALIVE(2101), AT(2900, 0), ALIVE(3900))), 0);
    ck_holds(e4(&clean, LINES(P(0), "wait 1s", "mark barrier")), 0);
}
END_TEST

/* Only the base is surely not held back. */
START_TEST(above_the_base_windows_may_hold_it)
{
    ck_holds(e4(&clean, LINES(P(0), P(1), AT(1000, 0), AT(2000, 0), AT(3000, 0), AT(4000, 0),
                              AT(5000, 0), AT(6000, 0))),
             6);
}
END_TEST

START_TEST(what_suspends_it)
{
    ck_holds(e4(&clean, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data",
                              ALIVE(2101), ALIVE(3300))),
             0);
    ck_holds(e4(&clean, LINES(P(0), "< resync psn=0r rsn=0r code=4 of=push_data", ALIVE(2101),
                              ALIVE(3300))),
             0);
    struct fal_connection c = script_connection(&clean);

    c.params.max_attempts = 2; /* then the connection fails, or a Resync follows: rule E5 */
    ck_holds(script_run("E4", &clean, &c, LINES(P(0), AT(1000, 0), ALIVE(5000), ALIVE(9000))),
             1);
}
END_TEST

#define RNR(delay) "> nack dbase=0r rbase=0r nack_psn=0r code=rnr rnr=" delay " w=data"

/* Only an acknowledgement ends the timer (9), not the received bit of a push that waits for its
 * upper layer. */
START_TEST(FTP_9_1_1_21_received_is_not_acknowledged)
{
    ck_breaks(
        e4(&clean, LINES(P(0), "> eack dbase=0r rbase=0r drx=0b1", ALIVE(2101), ALIVE(3300))),
        "FTP-9.1.1-21", 1);
    ck_holds(
        e4(&clean, LINES(P(0), "> eack dbase=0r rbase=0r drx=0b1", AT(1000, 0), ALIVE(1900))),
        1);
}
END_TEST

/* An RNR NACK allows its delay from its latest possible arrival, once. */
START_TEST(FTP_9_1_1_21_an_rnr_nack_allows_its_delay_once)
{
    /* the late one is at 10.24 ms + 5 %, and a timeout more: 11.803 ms */
    ck_holds(e4(&clean, LINES(P(0), "+1us " RNR("10.24ms"), ALIVE(11803), ALIVE(11804))), 0);
    ck_breaks(e4(&clean, LINES(P(0), "+1us " RNR("10.24ms"), ALIVE(11804), ALIVE(12805))),
              "FTP-9.1.1-21", 1);
    /* after the next copy its timeout counts again */
    ck_breaks(e4(&clean,
                 LINES(P(0), "+1us " RNR("10.24ms"), AT(10300, 0), ALIVE(12401), ALIVE(13402))),
              "FTP-9.1.1-21", 1);
}
END_TEST

/* The NACK and the push cross on the wire, 10 us each way: it may have come after the push had
 * left, even if it was sent before the push was seen. */
START_TEST(FTP_9_1_1_21_an_rnr_nack_may_cross_the_push)
{
    ck_holds(e4(&jitter, LINES(RNR("10.24ms"), "+19us " P(0), ALIVE(2200), ALIVE(3300))), 0);
    ck_breaks(e4(&jitter, LINES(RNR("10.24ms"), "+21us " P(0), ALIVE(2200), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
    /* of another number */
    ck_breaks(e4(&jitter, LINES("> nack dbase=0r rbase=0r nack_psn=1r code=rnr rnr=10.24ms "
                                "w=data",
                                "+19us " P(0), ALIVE(2200), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
}
END_TEST

/* The same within the SUT: 2 us each way. */
START_TEST(FTP_9_1_1_21_an_rnr_nack_may_cross_the_push_within_the_sender)
{
    struct kind slow = clean;

    ck_breaks(e4(&slow, LINES(RNR("10.24ms"), "+3us " P(0), ALIVE(2200), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
    slow.pipeline_ns = 2 * FAL_US;
    ck_holds(e4(&slow, LINES(RNR("10.24ms"), "+3us " P(0), ALIVE(2200), ALIVE(3300))), 0);
    ck_breaks(e4(&slow, LINES(RNR("10.24ms"), "+5us " P(0), ALIVE(2200), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
}
END_TEST

/* 9.1.5: on an ordered connection, retransmissions are in RSN order over both windows. Whether
 * one waits behind another that waits for its RNR delay is open (AMB-58). */
#define PULL(n, rsn) "< pull_request psn=" #n "r rsn=" #rsn "r len=4"
START_TEST(reading_amb_58_behind_an_rnr_of_the_other_window)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines =
        LINES(P(0), PULL(0, 1), "+1us " RNR("10.24ms"), ALIVE(2101), ALIVE(3300));
    struct outcome o = e4(&clean, lines);

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* it is alive only once; the other RSN is higher; the delay is over */
    ck_holds(e4(&clean, LINES(P(0), PULL(0, 1), "+1us " RNR("10.24ms"), ALIVE(2101))), 0);
    ck_breaks(e4(&clean, LINES(PULL(0, 0), "< push_data psn=0r rsn=1r len=4",
                               "+1us " RNR("10.24ms"), ALIVE(2101), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
    ck_breaks(e4(&clean, LINES(P(0), PULL(0, 1), "+1us " RNR("10.24ms"), AT(10500, 0),
                               "> back dbase=1r rbase=0r", ALIVE(11800), ALIVE(12900))),
              "FTP-9.1.1-21", 1);
    c.params.ordered = false;
    ck_breaks(script_run("E4", &clean, &c, lines), "FTP-9.1.1-21", 1);
}
END_TEST

START_TEST(reading_amb_58_behind_a_closed_ncwnd_of_the_other_window)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines =
        LINES(PULL(0, 0), PULL(1, 1), "< push_data psn=0r rsn=2r len=4", "@1000us " PULL(0, 0),
              "@2000us " PULL(0, 0), "@2101us " PULL(0, 0), "@3300us " PULL(0, 0));

    c.params.ncwnd = 1;
    ck_assert_int_eq(script_run("E4", &clean, &c, lines).sut.verdict, FAL_VERDICT_WARN);
    c.params.ncwnd = 2;
    ck_breaks(script_run("E4", &clean, &c, lines), "FTP-9.1.1-21", 1);
}
END_TEST

START_TEST(reading_amb_58_behind_a_closed_fcwnd_of_the_other_window)
{
    struct fal_connection c = script_connection(&clean);
#define PUSH_2 "< push_data psn=0r rsn=2r len=4"
    const char *const *lines =
        LINES(PULL(0, 0), PULL(1, 1), PUSH_2, "@1000us " PULL(0, 0), "@2000us " PULL(0, 0),
              "@2101us " PULL(0, 0), "@3300us " PULL(0, 0));

    c.params.fcwnd = 1;
    ck_assert_int_eq(script_run("E4", &clean, &c, lines).sut.verdict, FAL_VERDICT_WARN);
    c.params.fcwnd = 2;
    ck_breaks(script_run("E4", &clean, &c, lines), "FTP-9.1.1-21", 1);
    /* the other base, which fcwnd lets out, is the only lower RSN */
    c.params.fcwnd = 1;
    ck_breaks(
        script_run("E4", &clean, &c,
                   LINES(PULL(0, 0), PULL(1, 1), PUSH_2, "@1000us > back dbase=0r rbase=1r",
                         "@1001us " PULL(1, 1), "@2101us " PULL(1, 1), "@3300us " PULL(1, 1))),
        "FTP-9.1.1-21", 1);
    /* nobody gave fcwnd: the rule does not decide */
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_fcwnd);
    ck_undecided(script_run("E4", &clean, &c, lines), 1);
#undef PUSH_2
}
END_TEST

/* A request that was retransmitted counts until its RNR delay is over (9.1.2). */
START_TEST(FTP_9_1_2_ncwnd_may_be_taken_by_one_that_waits)
{
#define TAKEN                                                                            \
    P(0), P(1), "> nack dbase=0r rbase=0r nack_psn=1r code=resource w=data", AT(100, 1), \
        "> nack dbase=0r rbase=0r nack_psn=1r code=rnr rnr=10.24ms w=data"
    ck_holds(e4(&clean, LINES(TAKEN, ALIVE(2101), ALIVE(3300))), 0);
    ck_breaks(e4(&clean, LINES(TAKEN, ALIVE(11800), ALIVE(12900))), "FTP-9.1.1-21", 1);
#undef TAKEN
}
END_TEST

/* A SUT that missed the ACK takes another packet for the base, and ncwnd may hold this one. */
START_TEST(excuse_in_loss)
{
    struct fal_connection c = script_connection(&clean);
    struct kind loses = clean;

#define UNAWARE                                                                        \
    P(0), P(1), "@1000us < push_data psn=0r rsn=0r len=4", "> back dbase=1r rbase=0r", \
        AT(2000, 0), AT(3000, 0), AT(4000, 0), AT(5200, 0)
    ck_breaks(e4(&clean, LINES(UNAWARE)), "FTP-9.1.1-21", 1);
    loses.run.lossless_in = false;
    c.params.ncwnd = 1;
    ck_holds(script_run("E4", &loses, &c, LINES(UNAWARE)), 1);
    ck_excused(script_run("E4", &loses, &c, LINES(UNAWARE, ALIVE(11000), ALIVE(12000))),
               FAL_EXCUSE_IN_LOSS, 1);
    /* it may have discarded the ACK, too (AMB-23) */
    ck_holds(
        script_run("E4", &clean, &c,
                   LINES("< pull_request psn=0r rsn=0r len=4",
                         "< push_data psn=0r rsn=1r len=4", "< push_data psn=1r rsn=2r len=4",
                         "> back dbase=0r rbase=1r", "@1000us < push_data psn=0r rsn=1r len=4",
                         "> back dbase=1r rbase=0r", ALIVE(2101), ALIVE(3300))),
        1);
#undef UNAWARE
}
END_TEST

START_TEST(FTP_9_1_1_21_nacks_with_other_codes_allow_nothing)
{
    ck_breaks(e4(&clean, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=0r code=1 w=data",
                               ALIVE(2101), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
    ck_breaks(e4(&clean, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=0r code=6 w=data",
                               ALIVE(2101), ALIVE(3300))),
              "FTP-9.1.1-21", 1);
}
END_TEST

/* 1 ms, 5 % and a tick late: the time of a timeout and of one more. */
START_TEST(FTP_9_1_1_21_how_late_a_timer_may_be)
{
    struct fal_connection c = script_connection(&clean);

    ck_holds(e4(&clean, LINES(P(0), ALIVE(2100), ALIVE(3100))), 0);
    c.params.tick_ns = 100 * FAL_US;
    ck_holds(script_run("E4", &clean, &c, LINES(P(0), ALIVE(2300), ALIVE(3300))), 0);
    ck_breaks(script_run("E4", &clean, &c, LINES(P(0), ALIVE(2301), ALIVE(3302))),
              "FTP-9.1.1-21", 1);
    c.params.tick_ns++;
    ck_undecided(script_run("E4", &clean, &c, LINES(P(0), ALIVE(2301), ALIVE(3302))), 1);
    c.params.tick_ns = 0;
    c.params.rto_varies = true;
    ck_undecided(script_run("E4", &clean, &c, LINES(P(0), ALIVE(2101), ALIVE(3302))), 1);
    c.params.rto_lo_ns = FAL_MS;
    c.params.rto_hi_ns = 2 * FAL_MS;
    ck_holds(script_run("E4", &clean, &c, LINES(P(0), ALIVE(4200), ALIVE(6200))), 0);
    ck_breaks(script_run("E4", &clean, &c, LINES(P(0), ALIVE(4201), ALIVE(6202))),
              "FTP-9.1.1-21", 1);
}
END_TEST

START_TEST(excuse_out_loss)
{
    ck_holds(e4(&lossy, LINES(P(0), ALIVE(2101), ALIVE(9000))), 0);
    ck_excused(e4(&lossy, LINES(P(0), ALIVE(2101), ALIVE(11000), ALIVE(12000))),
               FAL_EXCUSE_OUT_LOSS, 1);
}
END_TEST

START_TEST(excuse_out_reorder)
{
    struct kind unbounded = jitter;

    unbounded.run.delay_max_ns = FAL_NEVER;
    ck_excused(e4(&unbounded, LINES(P(0), ALIVE(2101), ALIVE(11000), ALIVE(12000))),
               FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(e4(&jitter, LINES(P(0), ALIVE(2130), ALIVE(3300))), "FTP-9.1.1-21", 1);
}
END_TEST

#define RTO(us)  "set {\"params\": {\"rto_ns\": " #us "000}}"
#define FCWND(n) "set {\"params\": {\"fcwnd\": " #n "}}"

/* The packet was sent when the RTO was 20 ms. */
START_TEST(FTP_10_6_2_2_09_a_new_timeout_is_for_packets_in_flight_too)
{
    struct outcome o = e4(&clean, LINES(RTO(20000), P(0), RTO(500), ALIVE(1700), ALIVE(2300)));

    ck_breaks(o, "FTP-9.1.1-21", 1);
    /* it is repeated by the new one */
    ck_holds(e4(&clean, LINES(RTO(20000), P(0), RTO(500), AT(500, 0), ALIVE(900))), 0);
    ck_holds(e4(&clean, LINES(RTO(20000), P(0), RTO(500), AT(500, 0), AT(1000, 0), AT(1500, 0),
                              AT(2000, 0), ALIVE(2200))),
             1);
    /* the old one may have been in force shortly before */
    ck_holds(e4(&clean, LINES(RTO(20000), P(0), RTO(500), ALIVE(900), ALIVE(1500))), 0);
    /* a longer one: the old timeout is none */
    ck_holds(e4(&clean, LINES(P(0), RTO(20000), ALIVE(2101), ALIVE(3300), ALIVE(9000))), 0);
}
END_TEST

START_TEST(a_moved_timeout_needs_open_windows)
{
    ck_breaks(e4(&clean, LINES(RTO(20000), FCWND(2), P(0), RTO(500), ALIVE(1700), ALIVE(2300))),
              "FTP-9.1.1-21", 1);
    /* below one packet, a gap may delay it */
    ck_holds(e4(&clean, LINES(RTO(20000), FCWND(0), P(0), RTO(500), ALIVE(1700), ALIVE(2300))),
             0);
    /* the command is not answered: nobody knows whether it is in force */
    ck_holds(e4(&clean, LINES(RTO(20000), P(0), "mark barrier", ALIVE(1700), ALIVE(2300))), 0);
    /* a packet of the other window may be in front of it */
    ck_holds(e4(&clean,
                LINES(RTO(20000), "< pull_request psn=0r rsn=0r len=4",
                      "< push_data psn=0r rsn=1r len=4", RTO(500), ALIVE(1700), ALIVE(2300))),
             0);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_holds(e4(&clean, LINES(P(0), "mark gap_out 1", ALIVE(2101), ALIVE(3300))), 0);
    ck_holds(e4(&clean, LINES(P(0), "mark gap_in 1", ALIVE(2101), ALIVE(3300))), 0);
    ck_holds(e4(&capture, LINES(P(0), ALIVE(2101), ALIVE(3300))), 0);
}
END_TEST

START_TEST(undecided_config)
{
    struct fal_connection c = script_connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_rto);
    ck_undecided(script_run("E4", &clean, &c, LINES(P(0), ALIVE(2101), ALIVE(3300))), 1);
}
END_TEST

START_TEST(across_a_step_of_the_clock_nothing_is_known)
{
    ck_holds(e4(&clean, LINES(P(0), "mark clock_step", ALIVE(2101), ALIVE(3300))), 0);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.sut.data_psn = UINT32_MAX;
    ck_breaks(
        script_run("E4", &clean, &c,
                   LINES(P(0), P(1), "> back dbase=1r rbase=0r", ALIVE(2101), ALIVE(3300))),
        "FTP-9.1.1-21", 1);
}
END_TEST

/* A tester that was late is not a tester that forgot. */
START_TEST(our_own_side)
{
    const char *const *forgotten =
        LINES("> push_data psn=0r rsn=0r len=4", "@2101us > back dbase=0r rbase=0r",
              "@3300us > back dbase=0r rbase=0r");

    ck_assert_int_eq(e4(&clean, forgotten).verdict, FAL_VERDICT_ERROR);
    ck_assert_int_lt(e4(&clean, LINES("> push_data psn=0r rsn=0r len=4", "mark tester_late 9",
                                      "@2101us > back dbase=0r rbase=0r",
                                      "@3300us > back dbase=0r rbase=0r"))
                         .verdict,
                     FAL_VERDICT_FAIL);
    /* what a step sent has no timer of ours */
    ck_assert_int_lt(e4(&clean, LINES("step > push_data psn=0r rsn=0r len=4",
                                      "@2101us > back dbase=0r rbase=0r",
                                      "@3300us > back dbase=0r rbase=0r"))
                         .verdict,
                     FAL_VERDICT_FAIL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule E4");
    TCase *tc = tcase_create("E4");

    tcase_add_test(tc, the_timer_repeats_it);
    tcase_add_test(tc, FTP_9_1_1_21_it_never_does);
    tcase_add_test(tc, alive_once_is_not_enough);
    tcase_add_test(tc, above_the_base_windows_may_hold_it);
    tcase_add_test(tc, what_suspends_it);
    tcase_add_test(tc, FTP_9_1_1_21_received_is_not_acknowledged);
    tcase_add_test(tc, FTP_9_1_1_21_an_rnr_nack_allows_its_delay_once);
    tcase_add_test(tc, FTP_9_1_1_21_an_rnr_nack_may_cross_the_push);
    tcase_add_test(tc, FTP_9_1_1_21_an_rnr_nack_may_cross_the_push_within_the_sender);
    tcase_add_test(tc, FTP_9_1_1_21_nacks_with_other_codes_allow_nothing);
    tcase_add_test(tc, FTP_9_1_1_21_how_late_a_timer_may_be);
    tcase_add_test(tc, reading_amb_58_behind_an_rnr_of_the_other_window);
    tcase_add_test(tc, reading_amb_58_behind_a_closed_ncwnd_of_the_other_window);
    tcase_add_test(tc, reading_amb_58_behind_a_closed_fcwnd_of_the_other_window);
    tcase_add_test(tc, FTP_9_1_2_ncwnd_may_be_taken_by_one_that_waits);
    tcase_add_test(tc, excuse_in_loss);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, excuse_out_reorder);
    tcase_add_test(tc, FTP_10_6_2_2_09_a_new_timeout_is_for_packets_in_flight_too);
    tcase_add_test(tc, a_moved_timeout_needs_open_windows);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, undecided_config);
    tcase_add_test(tc, across_a_step_of_the_clock_nothing_is_known);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
