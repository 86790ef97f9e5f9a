/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* The timeout of these connections is 1 ms, their first round trip 10 us. */
#define P(n)      "< push_data psn=" #n "r rsn=" #n "r len=4"
#define AT(us, n) "@" #us "us < push_data psn=" #n "r rsn=" #n "r len=4 ar"
/* a short round trip, and much later number 5 */
#define QUIET    P(0), "@5us > back dbase=0r rbase=0r", AT(300, 5)
#define EACK(us) "@" #us "us > eack dbase=0r rbase=0r drx=0b100000"

static struct outcome e3(const struct kind *kind, const char *const *lines)
{
    return judged("E3", kind, lines);
}

START_TEST(repeated_when_called_for)
{
    ck_holds(e3(&clean, LINES(QUIET, EACK(305), AT(306, 0))), 1);
}
END_TEST

START_TEST(FTP_9_2_3_13_only_at_its_timeout)
{
    struct outcome o = e3(&clean, LINES(QUIET, EACK(305), AT(1000, 0)));

    ck_breaks(o, "FTP-9.2.3-13", 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_assert_uint_eq(o.findings[0].evidence[1], 5);
}
END_TEST

/* An EACK that is stale in one window is discarded whole (AMB-23), also one that a younger
 * packet may overtake. */
START_TEST(FTP_9_2_3_13_a_stale_eack_calls_for_nothing)
{
    const char *pull = "@300us < pull_request psn=0r rsn=9r len=4";

    ck_holds(e3(&clean,
                LINES(QUIET, pull, "@304us > back dbase=0r rbase=1r", EACK(305), AT(1000, 0))),
             0);
    ck_breaks(e3(&clean, LINES(QUIET, pull, EACK(305),
                               "@306us > push_data psn=0r rsn=0r len=4 "
                               "dbase=0r rbase=1r",
                               AT(1000, 0))),
              "FTP-9.2.3-13", 1);
    ck_holds(e3(&jitter, LINES(QUIET, pull, EACK(305),
                               "@306us > push_data psn=0r rsn=0r len=4 "
                               "dbase=0r rbase=1r",
                               AT(1000, 0))),
             0);
}
END_TEST

/* ncwnd holds early retransmissions back (9.1.2), and a NACK may have lowered it. */
START_TEST(FTP_9_2_3_13_what_holds_it_back)
{
    const char *const *lines = LINES(QUIET, AT(303, 5), EACK(305), AT(1000, 0));
    struct fal_connection c = script_connection(&clean);

    c.params.ncwnd = 6; /* number 5 came again, and 1 to 4, which were not seen, may have */
    ck_breaks(script_run("E3", &clean, &c, lines), "FTP-9.2.3-13", 1);
    c.params.ncwnd = 5;
    ck_holds(script_run("E3", &clean, &c, lines), 0);
    ck_holds(e3(&clean, LINES(QUIET, "@303us > nack nack_psn=5r code=1 w=data", EACK(305),
                              AT(1000, 0))),
             0);
}
END_TEST

/* Too soon after its last copy an EACK calls for nothing, one too late before the timeout
 * proves nothing. */
START_TEST(only_a_call_in_good_time_counts)
{
    ck_holds(e3(&clean, LINES(P(0), P(5), EACK(15), AT(1000, 0))), 0);
    ck_holds(e3(&clean, LINES(P(0), "@5us > back dbase=0r rbase=0r", AT(900, 5), EACK(905),
                              AT(1000, 0))),
             0);
    /* a long round trip */
    ck_holds(e3(&clean, LINES(P(0), P(5), EACK(305), AT(1000, 0))), 0);
    /* no more than reordering, or not the base */
    ck_holds(
        e3(&clean, LINES(QUIET, "@305us > eack dbase=0r rbase=0r drx=0b1000", AT(1000, 0))), 0);
    ck_holds(e3(&clean, LINES(QUIET, P(1), "@305us > eack dbase=0r rbase=0r drx=0b1000001",
                              AT(1000, 1))),
             0);
}
END_TEST

/* Each ACK that answers nothing new echoes the time of the same packet, so the round trip that
 * the subject measures grows. */
START_TEST(FTP_10_1_11_repeated_acks_are_longer_samples)
{
    ck_breaks(e3(&clean,
                 LINES(P(0), "@5us > back dbase=0r rbase=0r", "@100us > back dbase=0r rbase=0r",
                       AT(300, 5), EACK(305), AT(1000, 0))),
              "FTP-9.2.3-13", 1);
    ck_holds(e3(&clean,
                LINES(P(0), "@5us > back dbase=0r rbase=0r", "@100us > back dbase=0r rbase=0r",
                      "@200us > back dbase=0r rbase=0r", AT(300, 5), EACK(305), AT(1000, 0))),
             0);
}
END_TEST

START_TEST(what_delays_it)
{
    ck_holds(
        e3(&clean, LINES(QUIET, EACK(305),
                         "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data", AT(1000, 0))),
        0);
    ck_holds(e3(&clean, LINES(QUIET, EACK(305), "> back dbase=1r rbase=0r", AT(1000, 0))), 0);
}
END_TEST

/* The EACK may be lost, or come any time. */
START_TEST(needs_a_path_that_brings_it)
{
    ck_holds(e3(&lossy, LINES(QUIET, EACK(305), AT(1000, 0))), 0);
    struct kind unbounded = clean;

    unbounded.run.delay_max_ns = FAL_NEVER;
    ck_holds(e3(&unbounded, LINES(QUIET, EACK(305), AT(1000, 0))), 0);
    /* and a copy that was repeated early may be lost the other way */
    unbounded = clean;
    unbounded.run.lossless_out = false;
    ck_holds(e3(&unbounded, LINES(QUIET, EACK(305), AT(1000, 0))), 0);
}
END_TEST

START_TEST(undecided_config)
{
    struct fal_connection c = script_connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_fcwnd);
    ck_undecided(script_run("E3", &clean, &c, LINES(QUIET, EACK(305), AT(1000, 0))), 1);
    c.unknown_params = 0;
    c.params.rack_tlp = true; /* it goes by times */
    ck_undecided(script_run("E3", &clean, &c, LINES(QUIET, EACK(305), AT(1000, 0))), 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_holds(e3(&clean, LINES(QUIET, EACK(305), "mark gap_out 1", AT(1000, 0))), 0);
}
END_TEST

#define OWN(us, bits) "@" #us "us > eack dbase=0r rbase=0r " bits
#define OTHER(us)     "@" #us "us < back dbase=0r rbase=0r"

/* OWN asks for what is outstanding in its window (9.1.4). */
START_TEST(FTP_9_1_4_10_own_asks_for_the_base)
{
    ck_holds(e3(&clean, LINES(QUIET, OWN(305, "d-own"), AT(306, 0))), 1);
    ck_breaks(e3(&clean, LINES(QUIET, OWN(305, "d-own"), AT(1000, 0))), "FTP-9.2.3-13", 1);
    ck_breaks(e3(&clean, LINES(QUIET, OWN(305, "r-own d-own"), AT(1000, 0))), "FTP-9.2.3-13",
              1);
    ck_holds(e3(&clean, LINES(QUIET, OWN(305, "r-own"), AT(1000, 0))), 0);
    /* a push that waits for its upper layer arrived */
    ck_holds(e3(&clean, LINES(QUIET, OWN(305, "d-own drx=0b1"), AT(1000, 0))), 0);
}
END_TEST

/* A SUT that showed the other order of the bits is judged by that order (AMB-06). */
START_TEST(FTP_9_1_4_10_the_order_of_the_own_bits_is_that_of_the_subject)
{
    const char *beyond = "> pull_request psn=64r rsn=0r len=4";
    const char *shown = "< eack dbase=0r rbase=0r d-own";

    ck_holds(e3(&clean, LINES(beyond, shown, QUIET, OWN(305, "r-own"), AT(1000, 0))), 0);
}
END_TEST

/* The copy never comes, while the SUT sends other packets. */
START_TEST(FTP_9_1_4_10_never_repeated)
{
    struct outcome o = e3(&clean, LINES(QUIET, OWN(305, "d-own"), OTHER(700)));

    ck_breaks(o, "FTP-9.2.3-13", 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_breaks(e3(&clean, LINES(QUIET, EACK(305), OTHER(700))), "FTP-9.2.3-13", 1);
    /* once for one copy, whoever asks again, and when it comes at its timeout */
    ck_breaks(e3(&clean, LINES(QUIET, OWN(305, "d-own"), OTHER(700), OWN(701, "d-own"),
                               OTHER(980), AT(1000, 0))),
              "FTP-9.2.3-13", 1);
    /* not a quarter of a timeout later, or nothing was sent after that */
    ck_holds(e3(&clean, LINES(QUIET, OWN(305, "d-own"), OTHER(500))), 0);
    ck_holds(e3(&clean, LINES(QUIET, OWN(305, "d-own"))), 0);
    /* acknowledged, refused or under RNR meanwhile */
    ck_holds(
        e3(&clean, LINES(QUIET, OWN(305, "d-own"), "> back dbase=1r rbase=0r", OTHER(700))), 0);
    ck_holds(
        e3(&clean, LINES(QUIET, OWN(305, "d-own"),
                         "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data", OTHER(700))),
        0);
    /* what it sent may be lost */
    ck_holds(e3(&lossy, LINES(QUIET, OWN(305, "d-own"), OTHER(700))), 0);
}
END_TEST

/* A base of an ordered connection may wait behind a lower RSN of the other window that waits
 * for its RNR delay (AMB-58). */
START_TEST(FTP_9_1_5_05_behind_an_rnr_of_the_other_window)
{
    ck_holds(
        e3(&clean,
           LINES("< pull_request psn=0r rsn=9r len=4", "< push_data psn=0r rsn=10r len=4",
                 "@5us > back dbase=0r rbase=0r", "@300us < push_data psn=5r rsn=15r len=4 ar",
                 "@303us > nack dbase=0r rbase=0r nack_psn=0r code=rnr w=req",
                 OWN(305, "d-own"), OTHER(700))),
        0);
}
END_TEST

/* Or behind one that a congestion window holds back. */
START_TEST(FTP_9_1_5_05_behind_a_closed_fcwnd_of_the_other_window)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines =
        LINES("< pull_request psn=0r rsn=8r len=4", "< pull_request psn=1r rsn=9r len=4",
              "< push_data psn=0r rsn=10r len=4", "@5us > back dbase=0r rbase=0r",
              "@300us < push_data psn=5r rsn=15r len=4 ar", OWN(305, "d-own"), OTHER(700));

    c.params.fcwnd = 1;
    ck_holds(script_run("E3", &clean, &c, lines), 0);
    c.params.fcwnd = 2;
    ck_breaks(script_run("E3", &clean, &c, lines), "FTP-9.2.3-13", 1);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.sut.data_psn = UINT32_MAX - 2;
    ck_breaks(script_run("E3", &clean, &c, LINES(QUIET, EACK(305), AT(1000, 0))),
              "FTP-9.2.3-13", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule E3");
    TCase *tc = tcase_create("E3");

    tcase_add_test(tc, repeated_when_called_for);
    tcase_add_test(tc, FTP_9_2_3_13_only_at_its_timeout);
    tcase_add_test(tc, FTP_9_1_4_10_own_asks_for_the_base);
    tcase_add_test(tc, FTP_9_1_4_10_the_order_of_the_own_bits_is_that_of_the_subject);
    tcase_add_test(tc, FTP_9_1_4_10_never_repeated);
    tcase_add_test(tc, FTP_9_1_5_05_behind_an_rnr_of_the_other_window);
    tcase_add_test(tc, FTP_9_1_5_05_behind_a_closed_fcwnd_of_the_other_window);
    tcase_add_test(tc, only_a_call_in_good_time_counts);
    tcase_add_test(tc, FTP_10_1_11_repeated_acks_are_longer_samples);
    tcase_add_test(tc, what_delays_it);
    tcase_add_test(tc, needs_a_path_that_brings_it);
    tcase_add_test(tc, undecided_config);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, FTP_9_2_3_13_a_stale_eack_calls_for_nothing);
    tcase_add_test(tc, FTP_9_2_3_13_what_holds_it_back);
    suite_add_tcase(suite, tc);
    return suite;
}
