/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(n) "< push_data psn=" #n "r rsn=" #n "r len=4"
#define D(n) "< pull_data psn=" #n "r rsn=" #n "r"
#define R(n) "< pull_request psn=" #n "r rsn=" #n "r len=4"

enum { GIVEN_NONE = 0, GIVEN_FCWND = 1, GIVEN_WINDOW = 2 };

static struct fal_connection connection(const struct kind *kind, unsigned given)
{
    struct fal_connection c = script_connection(kind);

    c.params.fcwnd = 4;
    c.params.tx_window_data = 6;
    c.params.tx_window_req = 3;
    if ((given & GIVEN_FCWND) == 0)
        c.unknown_params |= FAL_PARAM_BIT(FAL_PARAM_AT_fcwnd);
    if ((given & GIVEN_WINDOW) == 0)
        c.unknown_params |= FAL_PARAM_BIT(FAL_PARAM_AT_tx_window_data) |
                            FAL_PARAM_BIT(FAL_PARAM_AT_tx_window_req);
    return c;
}

static struct outcome x4(const struct kind *kind, unsigned given, const char *const *lines)
{
    struct fal_connection c = connection(kind, given);

    return script_run("X4", kind, &c, lines);
}

START_TEST(the_last_number_of_the_window)
{
    /* further below the edge nothing is put to the test */
    ck_holds(x4(&udp, GIVEN_FCWND, LINES(P(0), P(1), P(2))), 0);
    ck_holds(x4(&udp, GIVEN_FCWND,
                LINES(P(3), P(3), "> back dbase=2r rbase=0r", P(5), R(3),
                      "< resync psn=5r rsn=5r code=1 of=push_data")),
             5);
    ck_holds(x4(&udp, GIVEN_NONE, LINES(P(0), P(1000))), 0);
}
END_TEST

START_TEST(FTP_9_1_2_04_a_push_beyond_fcwnd)
{
    struct outcome o = x4(&udp, GIVEN_FCWND, LINES(P(0), P(4)));

    ck_breaks(o, "FTP-9.1.2-04", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2); /* the base's packet */
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "below 4r"));
    /* what is acknowledged out of order moves no base */
    ck_breaks(
        x4(&udp, GIVEN_FCWND, LINES(P(0), P(1), "> eack dbase=0r rbase=0r dack=0b10", P(4))),
        "FTP-9.1.2-04", 1);
    /* until what is below it is acknowledged, too: then the base moves past both, no further */
    ck_holds(x4(&udp, GIVEN_FCWND,
                LINES(P(0), P(1), "> eack dbase=0r rbase=0r dack=0b10",
                      "> back dbase=1r rbase=0r", P(5))),
             1);
    ck_breaks(x4(&udp, GIVEN_FCWND,
                 LINES(P(0), P(1), P(3), "> eack dbase=0r rbase=0r dack=0b1010",
                       "> back dbase=1r rbase=0r", P(6))),
              "FTP-9.1.2-04", 1);
}
END_TEST

/* A base that comes after the bits above it carries the sender beyond them. */
START_TEST(bits_in_a_row_above_the_base)
{
    ck_holds(x4(&udp, GIVEN_FCWND,
                LINES(P(0), P(1), "> eack dbase=0r rbase=0r dack=0b10 drx=0b10",
                      "step > back dbase=1r rbase=0r", P(5))),
             1);
    ck_breaks(x4(&udp, GIVEN_FCWND,
                 LINES(P(0), P(1), "> eack dbase=0r rbase=0r dack=0b10 drx=0b10",
                       "step > back dbase=1r rbase=0r", P(6))),
              "FTP-9.1.2-04", 1);
}
END_TEST

START_TEST(FTP_9_1_2_01_03_8_06_each_type)
{
    ck_breaks(x4(&udp, GIVEN_FCWND, LINES(R(4))), "FTP-9.1.2-01", 1);
    ck_breaks(x4(&udp, GIVEN_FCWND, LINES(D(4))), "FTP-9.1.2-03", 1);
    ck_breaks(x4(&udp, GIVEN_FCWND, LINES("< resync psn=4r rsn=4r code=4 of=push_data")),
              "FTP-9.1.8-06", 1);
}
END_TEST

/* A further copy is one that the gate of retransmissions had to hold. */
START_TEST(FTP_9_1_2_06_07_08_again)
{
    ck_assert_str_eq(x4(&udp, GIVEN_FCWND, LINES(P(4), P(4))).findings[1].requirement,
                     "FTP-9.1.2-08");
    ck_assert_str_eq(x4(&udp, GIVEN_FCWND, LINES(R(4), R(4))).findings[1].requirement,
                     "FTP-9.1.2-06");
    ck_assert_str_eq(x4(&udp, GIVEN_FCWND, LINES(D(4), D(4))).findings[1].requirement,
                     "FTP-9.1.2-07");
}
END_TEST

START_TEST(FTP_9_1_2_13_below_one_is_one)
{
    struct fal_connection c = connection(&udp, GIVEN_FCWND);

    c.params.fcwnd = 0;
    ck_holds(script_run("X4", &udp, &c, LINES(P(0))), 1);
    ck_breaks(script_run("X4", &udp, &c, LINES(P(0), P(1))), "FTP-9.1.2-04", 1);
}
END_TEST

START_TEST(FTP_9_1_2_13_the_fraction_does_not_count)
{
    struct fal_connection c = connection(&udp, GIVEN_FCWND);
    struct outcome o;

    c.params.fcwnd = 1;
    c.params.fcwnd_fraction = 512;
    ck_holds(script_run("X4", &udp, &c, LINES(P(0))), 1);
    o = script_run("X4", &udp, &c, LINES(P(0), P(1))); /* AMB-11 */
    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_breaks(script_run("X4", &udp, &c, LINES(P(0), P(2))), "FTP-9.1.2-04", 1);
    c.params.fcwnd = 0; /* 0.5 */
    ck_breaks(script_run("X4", &udp, &c, LINES(P(0), P(1))), "FTP-9.1.2-04", 1);
}
END_TEST

START_TEST(FTP_9_10_the_transmit_window)
{
    ck_holds(x4(&udp, GIVEN_WINDOW, LINES(P(0), P(5))), 1);
    ck_breaks(x4(&udp, GIVEN_WINDOW, LINES(P(0), P(7))), "FTP-9-10", 1);
    ck_breaks(x4(&udp, GIVEN_WINDOW, LINES(R(0), R(4))), "FTP-9-10", 1);
    /* the smaller of the two counts */
    ck_breaks(x4(&udp, GIVEN_WINDOW | GIVEN_FCWND, LINES(P(5))), "FTP-9.1.2-04", 1);
    ck_holds(x4(&udp, GIVEN_WINDOW | GIVEN_FCWND, LINES(R(2))), 1);
}
END_TEST

START_TEST(amb_10_the_right_edge_may_count)
{
    struct outcome o = x4(&udp, GIVEN_WINDOW, LINES(P(0), P(6)));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
}
END_TEST

/* An ACK counts from the moment it was sent, taken or not. */
START_TEST(no_ack_counts_before_it_was_sent)
{
    ck_breaks(
        x4(&lossy, GIVEN_FCWND, LINES(P(0), P(4), "> back dbase=1r rbase=0r", P(4), P(5))),
        "FTP-9.1.2-04", 2);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = connection(&udp, GIVEN_FCWND);

    c.sut.data_psn = UINT32_MAX - 1;
    ck_holds(script_run("X4", &udp, &c, LINES(P(0), P(3), "> back dbase=3r rbase=0r", P(6))),
             2);
    ck_breaks(script_run("X4", &udp, &c, LINES(P(0), P(4))), "FTP-9.1.2-04", 1);
}
END_TEST

/* ACKs may have gone unseen; the next one that is surely younger tells the base again. */
START_TEST(excuse_capture_gap)
{
    ck_undecided(x4(&lossy, GIVEN_FCWND, LINES(P(0), "mark gap_in 1", P(4))), 1);
    ck_breaks(x4(&lossy, GIVEN_FCWND, LINES(P(0), "mark gap_out 1", P(4))), "FTP-9.1.2-04", 1);
    ck_breaks(
        x4(&lossy, GIVEN_FCWND, LINES(P(0), "mark gap_in 1", "> back dbase=1r rbase=0r", P(5))),
        "FTP-9.1.2-04", 1);
    /* on the way to the observer they overtake each other: this one may be the older */
    struct kind middle = lossy;

    middle.run.vantage = FAL_VANTAGE_MIDDLE;
    ck_undecided(x4(&middle, GIVEN_FCWND,
                    LINES(P(0), "mark gap_in 1", "> back dbase=1r rbase=0r", P(5))),
                 1);
    ck_breaks(x4(&middle, GIVEN_FCWND,
                 LINES(P(0), "mark gap_in 1", P(1), "> back dbase=2r rbase=0r", P(6))),
              "FTP-9.1.2-04", 1);
    /* numbers that may have wrapped are learned anew, but not the base, from an old packet */
    ck_undecided(
        x4(&lossy, GIVEN_FCWND,
           LINES(P(0), "wait 200s", "mark gap_out", "step > back dbase=1r rbase=0r", P(5))),
        1);
    ck_breaks(x4(&lossy, GIVEN_FCWND,
                 LINES(P(0), "wait 200s", "mark gap_out", "step > back dbase=1r rbase=0r", P(3),
                       "> back dbase=2r rbase=0r", P(6))),
              "FTP-9.1.2-04", 1);
}
END_TEST

START_TEST(a_start_in_the_middle)
{
    struct kind middle = clean;

    middle.unknown = true;
    ck_undecided(x4(&middle, GIVEN_FCWND, LINES(P(9))), 1);
    ck_breaks(x4(&middle, GIVEN_FCWND, LINES("> back dbase=1r rbase=0r", P(9), P(5))),
              "FTP-9.1.2-04", 2);
}
END_TEST

/* A step acknowledged what was never sent: where the SUT's base stands is its own affair. */
START_TEST(assumes_base_not_beyond_sent)
{
    ck_holds(x4(&udp, GIVEN_FCWND, LINES(P(0), "step > back dbase=9r rbase=0r", P(12))), 0);
}
END_TEST

START_TEST(our_own_side)
{
    ck_assert_int_eq(x4(&udp, GIVEN_FCWND, LINES("> push_data psn=4r rsn=0r len=4")).verdict,
                     FAL_VERDICT_ERROR);
    ck_asked(x4(&udp, GIVEN_FCWND, LINES("step > push_data psn=4r rsn=0r len=4")));
}
END_TEST

/* Only the base of a mixed ACK lets 5 out: it is newer for the data, older for the requests. */
START_TEST(reading_amb_23_a_mixed_ack_moves_the_window)
{
    ck_assert_int_eq(x4(&clean, GIVEN_FCWND,
                        LINES(R(0), P(0), P(1), P(2), P(3), "> back dbase=1r rbase=1r", P(4),
                              "> back dbase=3r rbase=0r", P(5)))
                         .sut.verdict,
                     FAL_VERDICT_WARN);
    /* a SUT of several engines may process the mixed one first */
    ck_assert_int_ne(x4(&lanes, GIVEN_FCWND,
                        LINES(R(0), P(0), P(1), P(2), P(3), "> back dbase=1r rbase=1r", P(4),
                              "+1us > back dbase=3r rbase=0r", P(5)))
                         .sut.verdict,
                     FAL_VERDICT_WARN);
    /* a later ACK says so, too; or it may have been lost before */
    ck_holds(x4(&clean, GIVEN_FCWND,
                LINES(R(0), P(0), P(1), P(2), P(3), "> back dbase=1r rbase=1r", P(4),
                      "> back dbase=3r rbase=0r", "> back dbase=3r rbase=1r", P(5), P(6))),
             3);
    ck_assert_int_ne(x4(&lossy, GIVEN_FCWND,
                        LINES(R(0), P(0), P(1), P(2), P(3), "> back dbase=1r rbase=1r", P(4),
                              "> back dbase=3r rbase=0r", P(5)))
                         .sut.verdict,
                     FAL_VERDICT_WARN);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule X4");
    TCase *tc = tcase_create("X4");

    tcase_add_test(tc, the_last_number_of_the_window);
    tcase_add_test(tc, FTP_9_1_2_04_a_push_beyond_fcwnd);
    tcase_add_test(tc, bits_in_a_row_above_the_base);
    tcase_add_test(tc, FTP_9_1_2_01_03_8_06_each_type);
    tcase_add_test(tc, FTP_9_1_2_06_07_08_again);
    tcase_add_test(tc, FTP_9_1_2_13_below_one_is_one);
    tcase_add_test(tc, FTP_9_1_2_13_the_fraction_does_not_count);
    tcase_add_test(tc, FTP_9_10_the_transmit_window);
    tcase_add_test(tc, amb_10_the_right_edge_may_count);
    tcase_add_test(tc, no_ack_counts_before_it_was_sent);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_start_in_the_middle);
    tcase_add_test(tc, assumes_base_not_beyond_sent);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, reading_amb_23_a_mixed_ack_moves_the_window);
    suite_add_tcase(suite, tc);
    return suite;
}
