/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* The timeout of these connections is 1 ms. */
#define P(n)      "< push_data psn=" #n "r rsn=" #n "r len=4"
#define AT(us, n) "@" #us "us < push_data psn=" #n "r rsn=" #n "r len=4 ar"
#define DATA(n)   "< pull_data psn=" #n "r rsn=" #n "r"
#define ALIVE(us) "@" #us "us < back dbase=0r rbase=0r"

static struct outcome e7(const struct kind *kind, const char *const *lines)
{
    return judged("E7", kind, lines);
}

static struct outcome with_windows(uint32_t fcwnd, uint32_t ncwnd, const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);

    c.params.fcwnd = fcwnd;
    c.params.ncwnd = ncwnd;
    return script_run("E7", &clean, &c, lines);
}

START_TEST(FTP_9_15_each_packet_has_its_timer)
{
    ck_holds(e7(&clean, LINES(P(0), P(1), AT(1000, 0), AT(1001, 1), AT(2001, 0), AT(2002, 1))),
             2);
    /* the base is not for this rule */
    ck_holds(e7(&clean, LINES(P(0), ALIVE(2101), ALIVE(3300))), 0);
}
END_TEST

START_TEST(FTP_9_1_2_08_it_never_is)
{
    struct outcome o = e7(&clean, LINES(P(0), P(1), AT(1000, 0), AT(2101, 0), AT(3300, 0)));

    ck_breaks(o, "FTP-9.1.2-08", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_breaks(e7(&clean, LINES("< pull_request psn=0r rsn=0r len=4",
                               "< pull_request psn=1r rsn=1r len=4", ALIVE(2101), ALIVE(3300))),
              "FTP-9.1.2-06", 1);
    ck_breaks(e7(&clean, LINES("> pull_request psn=0r rsn=0r len=4",
                               "> pull_request psn=1r rsn=1r len=4", DATA(0), DATA(1),
                               ALIVE(2101), ALIVE(3300))),
              "FTP-9.1.2-07", 1);
}
END_TEST

START_TEST(the_lowest_that_is_missing_counts)
{
    /* 1 was received, so the rule is about 2 */
    ck_breaks(e7(&clean, LINES(P(0), P(1), P(2), "> eack dbase=0r rbase=0r drx=0b10",
                               AT(1000, 0), AT(2101, 0), AT(3300, 0))),
              "FTP-9.1.2-08", 1);
    ck_holds(e7(&clean, LINES(P(0), P(1), "> eack dbase=0r rbase=0r drx=0b10", AT(1000, 0),
                              AT(2101, 0), AT(3300, 0))),
             0);
}
END_TEST

/* 9.1.2: PSN < base + fcwnd, and fewer than ncwnd retransmitted requests outstanding. */
START_TEST(FTP_9_1_2_08_the_windows_may_hold_it_back)
{
    const char *const *lines = LINES(P(0), P(1), AT(1000, 0), AT(2101, 0), AT(3300, 0));

    ck_holds(with_windows(1, 64, lines), 0);
    ck_breaks(with_windows(2, 64, lines), "FTP-9.1.2-08", 1);
    ck_holds(with_windows(64, 1, lines), 0);
    ck_breaks(with_windows(64, 2, lines), "FTP-9.1.2-08", 1);
}
END_TEST

/* The ACK of a retransmitted request gives its place back. */
START_TEST(FTP_9_1_2_11_what_is_acknowledged_counts_no_longer)
{
    ck_breaks(with_windows(64, 1,
                           LINES(P(0), P(1), P(2), AT(1000, 0), "> back dbase=1r rbase=0r",
                                 "@3400us < back dbase=0r rbase=0r",
                                 "@4600us < back dbase=0r rbase=0r")),
              "FTP-9.1.2-08", 1);
}
END_TEST

/* ncwnd must be open at both looks: a packet that may leave only now is not late. */
START_TEST(FTP_9_1_2_08_the_window_may_have_opened_just_now)
{
    /* 2 is retransmitted early, and takes the only place until its acknowledgement */
#define CLOSED \
    P(0), P(1), P(2), "@900us < push_data psn=2r rsn=2r len=4 ar", ALIVE(2101), ALIVE(3000)
    ck_holds(with_windows(64, 1,
                          LINES(CLOSED, "> eack dbase=0r rbase=0r drx=0b100 dack=0b100",
                                "@3300us < back dbase=0r rbase=0r",
                                "@4300us < back dbase=0r rbase=0r")),
             0);
    /* a timeout later it is */
    ck_breaks(with_windows(64, 1,
                           LINES(CLOSED, "> eack dbase=0r rbase=0r drx=0b100 dack=0b100",
                                 "@3300us < back dbase=0r rbase=0r",
                                 "@4400us < back dbase=0r rbase=0r")),
              "FTP-9.1.2-08", 1);
#undef CLOSED
}
END_TEST

/* A request whose timer has expired leaves the count until it is sent again. */
START_TEST(FTP_9_1_2_11_its_own_copies_do_not_count)
{
    ck_breaks(with_windows(64, 1,
                           LINES(P(0), P(1), AT(1000, 1), ALIVE(3101),
                                 "@4300us < back dbase=0r rbase=0r")),
              "FTP-9.1.2-08", 1);
}
END_TEST

/* 9.1.5: on an ordered connection both windows retransmit in one order. */
START_TEST(FTP_9_1_5_the_other_window_may_hold_it_back)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines =
        LINES("< pull_request psn=0r rsn=0r len=4", "< push_data psn=0r rsn=1r len=4",
              "< push_data psn=1r rsn=2r len=4", "@1000us < pull_request psn=0r rsn=0r len=4",
              ALIVE(2101), ALIVE(3300));

    c.params.ncwnd = 1;
    ck_holds(script_run("E7", &clean, &c, lines), 0);
    c.params.ordered = false;
    ck_breaks(script_run("E7", &clean, &c, lines), "FTP-9.1.2-08", 1);
}
END_TEST

START_TEST(FTP_9_1_5_fcwnd_of_the_other_window_may_hold_it_back)
{
    struct fal_connection c = script_connection(&clean);
#define PULL(n)   "< pull_request psn=" #n "r rsn=" #n "r len=4"
#define PULLS(us) "@" #us "us " PULL(0), PULL(1)
    const char *const *lines =
        LINES(PULL(0), PULL(1), PULL(2), "< push_data psn=0r rsn=3r len=4",
              "< push_data psn=1r rsn=4r len=4", PULLS(1000), PULLS(2101), PULLS(3300));

    c.params.fcwnd = 2;
    ck_holds(script_run("E7", &clean, &c, lines), 3);
    c.params.fcwnd = 3;
    ck_breaks(script_run("E7", &clean, &c, lines), "FTP-9.1.2-08", 1);
#undef PULLS
#undef PULL
}
END_TEST

/* Only a lower RSN comes before it. */
START_TEST(FTP_9_1_5_a_higher_rsn_of_the_other_window_does_not)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ncwnd = 1;
    ck_breaks(
        script_run("E7", &clean, &c,
                   LINES("< push_data psn=0r rsn=0r len=4", "< push_data psn=1r rsn=1r len=4",
                         "< pull_request psn=0r rsn=2r len=4",
                         "@1000us < pull_request psn=0r rsn=2r len=4", ALIVE(2101),
                         ALIVE(3300))),
        "FTP-9.1.2-08", 1);
    ck_breaks(e7(&clean,
                 LINES("< pull_request psn=0r rsn=0r len=4",
                       "< pull_request psn=1r rsn=1r len=4", "< push_data psn=0r rsn=2r len=4",
                       "> nack dbase=0r rbase=0r nack_psn=0r code=rnr rnr=10.24ms "
                       "w=data",
                       ALIVE(2101), ALIVE(3300))),
              "FTP-9.1.2-06", 1);
}
END_TEST

/* A push that waits for its RNR delay may hold up those that follow it. */
START_TEST(FTP_9_1_5_an_rnr_before_it_holds_it_back)
{
#define WAITS P(0), P(1), "> nack dbase=0r rbase=0r nack_psn=0r code=rnr rnr=10.24ms w=data"
    ck_holds(e7(&clean, LINES(WAITS, ALIVE(2101), ALIVE(3300), ALIVE(10000))), 0);
    /* until the delay is over */
    ck_breaks(e7(&clean, LINES(WAITS, ALIVE(11300), ALIVE(12500))), "FTP-9.1.2-08", 1);
#undef WAITS
    ck_breaks(e7(&clean,
                 LINES(P(0), P(1), P(2), "> nack dbase=0r rbase=0r nack_psn=2r code=rnr w=data",
                       ALIVE(2101), ALIVE(3300))),
              "FTP-9.1.2-08", 1);
}
END_TEST

/* 9.2.4: a NACK for lack of resources lowers ncwnd. */
START_TEST(FTP_9_2_4_a_resource_nack_lowers_ncwnd)
{
#define LOWERED P(0), P(1), "> nack dbase=0r rbase=0r nack_psn=0r code=resource w=data"
    ck_holds(e7(&clean, LINES(LOWERED, AT(1000, 0), AT(2101, 0), AT(3300, 0))), 0);
    ck_breaks(e7(&clean, LINES(LOWERED, ALIVE(2101), ALIVE(3300))), "FTP-9.1.2-08", 1);
#undef LOWERED
}
END_TEST

START_TEST(what_suspends_it)
{
    ck_holds(
        e7(&clean, LINES(P(0), P(1), "> nack dbase=0r rbase=0r nack_psn=1r code=rnr w=data",
                         ALIVE(2101), ALIVE(3300))),
        0);
    ck_holds(e7(&clean, LINES(P(0), P(1), "< resync psn=1r rsn=1r code=4 of=push_data",
                              ALIVE(2101), ALIVE(3300))),
             0);
    /* one that stood still may send something else first when it goes on */
    ck_holds(e7(&clean, LINES(P(0), P(1), ALIVE(9000), ALIVE(9500))), 0);
}
END_TEST

START_TEST(excuse_out_loss)
{
    struct kind out_only = clean;

    out_only.run.lossless_out = false;
    ck_holds(e7(&out_only, LINES(P(0), P(1), ALIVE(2101), ALIVE(9000))), 0);
    ck_excused(e7(&out_only, LINES(P(0), P(1), ALIVE(2101), ALIVE(11000), ALIVE(12000))),
               FAL_EXCUSE_OUT_LOSS, 1);
}
END_TEST

START_TEST(excuse_in_loss)
{
    ck_excused(e7(&lossy, LINES(P(0), P(1), ALIVE(2101), ALIVE(11000), ALIVE(12000))),
               FAL_EXCUSE_IN_LOSS, 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_holds(e7(&clean, LINES(P(0), P(1), "mark gap_out 1", ALIVE(2101), ALIVE(3300))), 0);
    ck_holds(e7(&clean, LINES(P(0), P(1), "mark gap_in 1", ALIVE(2101), ALIVE(3300))), 0);
    ck_holds(e7(&clean, LINES(P(0), P(1), "mark clock_step", ALIVE(2101), ALIVE(3300))), 0);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.sut.data_psn = UINT32_MAX;
    ck_breaks(script_run("E7", &clean, &c,
                         LINES(P(0), P(1), P(2), "> back dbase=1r rbase=0r", ALIVE(2101),
                               ALIVE(3300))),
              "FTP-9.1.2-08", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule E7");
    TCase *tc = tcase_create("E7");

    tcase_add_test(tc, FTP_9_15_each_packet_has_its_timer);
    tcase_add_test(tc, FTP_9_1_2_08_it_never_is);
    tcase_add_test(tc, the_lowest_that_is_missing_counts);
    tcase_add_test(tc, FTP_9_1_2_08_the_windows_may_hold_it_back);
    tcase_add_test(tc, FTP_9_1_2_11_what_is_acknowledged_counts_no_longer);
    tcase_add_test(tc, FTP_9_1_2_08_the_window_may_have_opened_just_now);
    tcase_add_test(tc, FTP_9_1_2_11_its_own_copies_do_not_count);
    tcase_add_test(tc, FTP_9_1_5_the_other_window_may_hold_it_back);
    tcase_add_test(tc, FTP_9_1_5_fcwnd_of_the_other_window_may_hold_it_back);
    tcase_add_test(tc, FTP_9_1_5_a_higher_rsn_of_the_other_window_does_not);
    tcase_add_test(tc, FTP_9_1_5_an_rnr_before_it_holds_it_back);
    tcase_add_test(tc, FTP_9_2_4_a_resource_nack_lowers_ncwnd);
    tcase_add_test(tc, what_suspends_it);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, excuse_in_loss);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, numbers_wrap);
    suite_add_tcase(suite, tc);
    return suite;
}
