/* SPDX-License-Identifier: Apache-2.0
 * d1_dropped_has_no_effect_test.c - security drops: D1, nothing comes of a bad packet; D3,
 * replays; D4, the signal for a wrong SPI. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH "> push_data psn=0r rsn=0r len=4"
#define BAD  "step > push_data psn=0r rsn=0r len=4"

static struct outcome d1(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("D1", kind, lines);
}

START_TEST(nothing_comes_of_it)
{
    ck_holds(d1(&clean, LINES("bad seal", BAD, "< back", PUSH, "< back dbase=1r")), 1);
    /* it may not have come */
    ck_excused(d1(&lossy, LINES("bad seal", BAD, "< back", PUSH, "< back dbase=1r")),
               FAL_EXCUSE_IN_LOSS, 1);
    /* it is not known whether the SUT would have accepted it */
    ck_undecided(d1(&clean, LINES("bad seal", BAD, "< back")), 1);
}
END_TEST

START_TEST(FTP_9_2_2_1_05_its_psn)
{
    static const struct {
        const char *bad, *requirement;
    } rows[] = {
        {"bad checksum", "FTP-9.2.2.1-03"}, {"bad length", "FTP-9.2.2.1-04"},
        {"bad seal", "FTP-9.2.2.1-05"},     {"bad spi", "FTP-9.2.2.3-03"},
        {"bad pcid", "FTP-9.2.2.3-15"},     {"bad replay", "FTP-9.2.2.2-03"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_breaks(d1(&lossy, LINES(rows[i].bad, BAD, "< back dbase=1r")), rows[i].requirement,
                  1);
        ck_breaks(d1(&lossy, LINES(rows[i].bad, BAD, "< eack drx=0b1")), rows[i].requirement,
                  1);
        ck_breaks(d1(&lossy, LINES(rows[i].bad, BAD, "< nack nack_psn=0r code=1 w=data")),
                  rows[i].requirement, 1);
        ck_breaks(d1(&lossy, LINES(rows[i].bad, BAD, "request 0r push 4")), rows[i].requirement,
                  1);
    }
}
END_TEST

START_TEST(FTP_9_2_2_1_01_a_wrong_version)
{
    ck_breaks(
        d1(&lossy, LINES("step > push_data version=3 psn=0r rsn=0r len=4", "< back dbase=1r")),
        "FTP-9.2.2.1-01", 1);
}
END_TEST

/* t1 is the IV in units of 131.072 ns: 131072 us are 1,000,000 of them. */
START_TEST(FTP_9_2_2_1_05_its_t1)
{
    ck_breaks(d1(&lossy, LINES("iv 131072us", "bad seal", "step > back", "< back t1=1000000")),
              "FTP-9.2.2.1-05", 1);
    /* a good packet left in the same unit of time */
    ck_holds(d1(&lossy, LINES("iv 131072us", "bad seal", "step > back", "iv 131072us", "> back",
                              "< back t1=1000000")),
             0);
    ck_holds(d1(&lossy, LINES("iv 131072us", "> back", "iv 131072us", "bad seal", "step > back",
                              "< back t1=1000000")),
             0);
    /* or may have, unseen */
    ck_undecided(d1(&lossy, LINES("iv 131072us", "bad seal", "step > back", "mark gap_in 1",
                                  "< back t1=1000000")),
                 1);
    ck_holds(d1(&lossy, LINES(PUSH, "mark gap_in 1", "iv 131072us", "bad seal", "step > back",
                              "< back t1=1000000")),
             0);
}
END_TEST

START_TEST(a_number_that_good_packets_have_is_no_mark)
{
    ck_holds(d1(&lossy, LINES(PUSH, "bad seal", BAD, "< back dbase=1r")), 0);
    /* the RSN, under another PSN */
    ck_undecided(
        d1(&lossy, LINES("bad seal", BAD, "> pull_request psn=0r rsn=0r request_length=4",
                         "request 0r pull 4")),
        1);
    ck_holds(d1(&lossy, LINES("mark gap_in 1", "bad seal", BAD, "< back dbase=1r")), 0);
    /* a number before the first, behind every base */
    ck_holds(d1(&lossy, LINES("step > push_data version=3 psn=-5r rsn=-5r len=4", "< back")),
             0);
}
END_TEST

/* ---- D3 ---- */

static struct outcome d3(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("D3", kind, lines);
}

#define YOUNG "spi 7", "iv 5000us", PUSH, "< back dbase=1r"

START_TEST(FTP_9_2_2_2_02_a_replay_is_taken)
{
    ck_breaks(d3(&lossy, LINES(YOUNG, "spi 7", "iv 4900us",
                               "step > push_data psn=1r rsn=1r len=4", "< back dbase=2r")),
              "FTP-9.2.2.2-02", 1);
    /* a younger copy was sent too */
    ck_holds(d3(&lossy, LINES(YOUNG, "spi 7", "iv 4000us",
                              "step > push_data psn=1r rsn=1r len=4", "spi 7", "iv 5100us",
                              "> push_data psn=1r rsn=1r len=4", "< back dbase=2r")),
             1);
    /* and this may have been, unseen */
    ck_undecided(
        d3(&lossy, LINES(YOUNG, "spi 7", "iv 4000us", "step > push_data psn=1r rsn=1r len=4",
                         "mark gap_in 1", "< back dbase=2r")),
        1);
}
END_TEST

START_TEST(FTP_9_2_2_2_04_a_little_old)
{
    ck_holds(d3(&lossy, LINES(YOUNG, "spi 7", "iv 4901us",
                              "step > push_data psn=1r rsn=1r len=4", "< back dbase=2r")),
             1);
}
END_TEST

/* Between what was accepted and what was sent, either may be right. */
START_TEST(remote_time_may_be_older)
{
    ck_holds(d3(&lossy, LINES("spi 7", "iv 5000us", PUSH, "spi 7", "iv 1000us",
                              "step > push_data psn=1r rsn=1r len=4", "< back dbase=2r")),
             0);
    ck_holds(d3(&lossy, LINES("iv 5000us", PUSH, "< back dbase=1r", "iv 1000us",
                              "step > push_data psn=1r rsn=1r len=4", "< back dbase=2r")),
             0); /* nothing is sealed */
    /* sent before a younger one was accepted, it may have come before it */
    ck_holds(d3(&lossy, LINES(YOUNG, "spi 7", "iv 4950us", "> push_data psn=1r rsn=1r len=4",
                              "spi 7", "iv 6000us", "> push_data psn=2r rsn=2r len=4",
                              "< eack dbase=1r dack=0b10 drx=0b10", "< back dbase=3r")),
             1);
}
END_TEST

/* Half the number space ahead of what was accepted is behind it, but not behind what was sent
 * in between, which may have been accepted. */
#define STEP_BY_STEP                                                           \
    "spi 7", "iv 4000000000000us", "> push_data psn=1r rsn=1r len=4", "spi 7", \
        "iv 8000000000000us", "> push_data psn=2r rsn=2r len=4"

START_TEST(FTP_9_2_2_2_02_half_the_number_space)
{
    ck_holds(d3(&lossy, LINES(YOUNG, STEP_BY_STEP, "spi 7", "iv 9300000000000us",
                              "step > push_data psn=3r rsn=3r len=4",
                              "< eack dbase=2r dack=0b10 drx=0b10")),
             0);
    ck_breaks(d3(&lossy, LINES(YOUNG, "spi 7", "iv 9300000000000us",
                               "step > push_data psn=1r rsn=1r len=4", "< back dbase=2r")),
              "FTP-9.2.2.2-02", 1);
    ck_breaks(d3(&lossy, LINES(YOUNG, STEP_BY_STEP, "< back dbase=3r", "spi 7", "iv 5000us",
                               "step > push_data psn=3r rsn=3r len=4", "< back dbase=4r")),
              "FTP-9.2.2.2-02", 1);
}
END_TEST

/* ---- D4 ---- */

static struct outcome d4(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("D4", kind, lines);
}

START_TEST(the_signal_comes)
{
    ck_holds(d4(&clean, LINES("bad spi", BAD, "cm spi", "barrier")), 1);
    ck_holds(d4(&lossy, LINES("bad spi", BAD, "cm spi", "barrier")), 1);
}
END_TEST

START_TEST(FTP_9_2_2_3_02_it_does_not)
{
    ck_breaks(d4(&clean, LINES("bad spi", BAD, "wait 1us", "barrier")), "FTP-9.2.2.3-02", 1);
    ck_excused(d4(&lossy, LINES("bad spi", BAD, "wait 1us", "barrier")), FAL_EXCUSE_IN_LOSS, 1);
    ck_undecided(d4(&clean, LINES("bad spi", BAD, "wait 1us")), 1);
    ck_undecided(d4(&clean, LINES("bad spi", BAD, "dropped", "wait 1us", "barrier")), 1);
    ck_holds(d4(&clean, LINES("bad seal", BAD, "wait 1us", "barrier")), 0); /* AMB-64 */
    /* a connection that died drops all in silence */
    ck_holds(d4(&clean, LINES("cm fatal", "bad spi", BAD, "wait 1us", "barrier")), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules D1, D3 and D4");
    TCase *tc = tcase_create("D");

    tcase_add_test(tc, nothing_comes_of_it);
    tcase_add_test(tc, FTP_9_2_2_1_05_its_psn);
    tcase_add_test(tc, FTP_9_2_2_1_01_a_wrong_version);
    tcase_add_test(tc, FTP_9_2_2_1_05_its_t1);
    tcase_add_test(tc, a_number_that_good_packets_have_is_no_mark);
    tcase_add_test(tc, FTP_9_2_2_2_02_a_replay_is_taken);
    tcase_add_test(tc, FTP_9_2_2_2_04_a_little_old);
    tcase_add_test(tc, remote_time_may_be_older);
    tcase_add_test(tc, FTP_9_2_2_2_02_half_the_number_space);
    tcase_add_test(tc, the_signal_comes);
    tcase_add_test(tc, FTP_9_2_2_3_02_it_does_not);
    suite_add_tcase(suite, tc);
    return suite;
}
