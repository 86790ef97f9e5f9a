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
    tcase_add_test(tc, what_suspends_it);
    tcase_add_test(tc, excuse_out_loss);
    tcase_add_test(tc, excuse_in_loss);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, numbers_wrap);
    suite_add_tcase(suite, tc);
    return suite;
}
