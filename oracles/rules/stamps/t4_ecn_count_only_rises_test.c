/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t4(const struct kind *kind, const char *const *lines)
{
    return judged("T4", kind, lines);
}

#define SENT "> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4"

START_TEST(a_counter_that_rises_holds)
{
    ck_holds(
        t4(&clean, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                         "< back dbase=0r rbase=0r ecn_rx_count=8",
                         "< nack dbase=0r rbase=0r nack_psn=1r code=6 w=data ecn_rx_count=9")),
        2);
    ck_holds(t4(&clean, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=16383",
                              "< back dbase=0r rbase=0r ecn_rx_count=1")),
             1);
}
END_TEST

START_TEST(FTP_9_1_6_10_counter_goes_back)
{
    ck_breaks(t4(&clean, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                               "< back dbase=0r rbase=0r ecn_rx_count=6")),
              "FTP-9.1.6-10", 1);
    ck_breaks(t4(&clean, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=1",
                               "< eack dbase=0r rbase=0r ecn_rx_count=16383")),
              "FTP-9.1.6-10", 1);
}
END_TEST

START_TEST(FTP_9_1_7_07_counter_of_a_nack_goes_back)
{
    ck_breaks(
        t4(&clean, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                         "< nack dbase=0r rbase=0r nack_psn=1r code=6 w=data ecn_rx_count=0")),
        "FTP-9.1.7-07", 1);
}
END_TEST

START_TEST(FTP_7_7_1_14_more_than_were_sent)
{
    struct outcome o = t4(&clean, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                                        "< back dbase=0r rbase=0r ecn_rx_count=10"));

    ck_breaks(o, "FTP-7.7.1-14", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 4);
    ck_assert_uint_eq(o.findings[0].evidence[1], 5);
}
END_TEST

START_TEST(excuse_out_reorder)
{
    ck_holds(t4(&udp, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                            "< back dbase=0r rbase=0r ecn_rx_count=6")),
             0);
    ck_holds(t4(&jitter, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                               "+10us < back dbase=0r rbase=0r ecn_rx_count=6")),
             0);
    ck_breaks(t4(&jitter, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                                "+10001ns < back dbase=0r rbase=0r ecn_rx_count=6")),
              "FTP-9.1.6-10", 1);
}
END_TEST

START_TEST(excuse_in_dup)
{
    struct kind doubles = clean;

    doubles.run.no_duplicates_in = false;
    ck_assert_uint_eq(t4(&doubles, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7",
                                         "< back dbase=0r rbase=0r ecn_rx_count=10"))
                          .sut.excused[FAL_EXCUSE_IN_DUP],
                      1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_holds(t4(&clean, LINES(SENT, "< back dbase=0r rbase=0r ecn_rx_count=7", "mark gap_in 9",
                              "< back dbase=0r rbase=0r ecn_rx_count=10")),
             1);
}
END_TEST

enum { MANY = 4096 };

/* A counter of 7, n packets, and one of 6: it went back, or passed its range. Not cut short
 * after each of its events, as other timelines are (script_run): of thousands, that takes
 * minutes. Cut before the last one, nothing is broken yet. */
static struct outcome after_packets(size_t n)
{
    struct fal_connection connection = script_connection(&clean);
    const char *const first[] = {SENT, "< back dbase=0r rbase=0r ecn_rx_count=7"};
    struct script s;
    struct outcome whole;

    script_start(&s, &clean, &connection);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        script_line(&s, first[i]);
    for (size_t i = 0; i < n; i++)
        script_line(&s, "> back dbase=0r rbase=0r");
    ck_holds(script_judge(s.events, json_array_size(s.events), "T4"), 0);
    script_line(&s, "< back dbase=0r rbase=0r ecn_rx_count=6");
    whole = script_judge(s.events, json_array_size(s.events), "T4");
    json_decref(s.events);
    return whole;
}

START_TEST(FTP_9_1_6_10_a_counter_that_may_have_passed_its_range)
{
    ck_breaks(after_packets(MANY), "FTP-9.1.6-10", 1);
    ck_holds(after_packets(MANY + 1), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T4");
    TCase *tc = tcase_create("T4");

    tcase_add_test(tc, a_counter_that_rises_holds);
    tcase_add_test(tc, FTP_9_1_6_10_counter_goes_back);
    tcase_add_test(tc, FTP_9_1_7_07_counter_of_a_nack_goes_back);
    tcase_add_test(tc, FTP_7_7_1_14_more_than_were_sent);
    tcase_add_test(tc, excuse_out_reorder);
    tcase_add_test(tc, excuse_in_dup);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, FTP_9_1_6_10_a_counter_that_may_have_passed_its_range);
    suite_add_tcase(suite, tc);
    return suite;
}
