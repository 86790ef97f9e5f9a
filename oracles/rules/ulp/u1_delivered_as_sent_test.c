/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome u1(const struct kind *kind, const char *const *lines)
{
    return judged("U1", kind, lines);
}

START_TEST(what_came_is_delivered)
{
    ck_holds(u1(&udp,
                LINES("> push_data psn=0r rsn=0r len=40", "> pull_request psn=0r rsn=1r len=64",
                      "request 0r push 40", "request 1r pull 64", "request 0r push 40 again")),
             3);
    ck_holds(u1(&udp,
                LINES("< pull_request psn=0r rsn=0r len=64", "payload 5",
                      "> pull_data psn=0r rsn=6000 payload_len=64", "completion 0r 64 seed 5")),
             1);
}
END_TEST

START_TEST(FTP_9_2_2_01_delivered_before_a_copy_was_sent)
{
    struct outcome o =
        u1(&udp, LINES("request 0r push 40", "> push_data psn=0r rsn=0r len=40"));

    ck_breaks(o, "FTP-9.2.2-01", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_breaks(u1(&lossy, LINES("> push_data psn=0r rsn=0r len=40", "request 1r push 40")),
              "FTP-9.2.2-01", 1);
}
END_TEST

START_TEST(FTP_9_2_2_01_of_another_kind)
{
    ck_breaks(u1(&udp, LINES("> push_data psn=0r rsn=0r len=40", "request 0r pull 40")),
              "FTP-9.2.2-01", 1);
    ck_breaks(u1(&udp, LINES("> pull_request psn=0r rsn=0r len=40", "request 0r push 40")),
              "FTP-9.2.2-01", 1);
}
END_TEST

START_TEST(FTP_8_5_3_3_06_push_of_another_length_or_payload)
{
    ck_breaks(u1(&udp, LINES("> push_data psn=0r rsn=0r len=40", "request 0r push 39")),
              "FTP-8.5.3.3-06", 1);
    ck_breaks(u1(&udp, LINES("> push_data psn=0r rsn=0r len=40", "request 0r push 40 seed 1")),
              "FTP-8.5.3.3-06", 1);
}
END_TEST

START_TEST(FTP_8_5_3_1_06_pull_of_another_length)
{
    ck_breaks(u1(&udp, LINES("> pull_request psn=0r rsn=0r len=40", "request 0r pull 41")),
              "FTP-8.5.3.1-06", 1);
}
END_TEST

START_TEST(FTP_9_2_5_06_a_resync_is_not_delivered)
{
    ck_breaks(
        u1(&udp, LINES("> resync psn=0r rsn=0r code=3 of=push_data", "request 0r push 40")),
        "FTP-9.2.5-06", 1);
    ck_holds(
        u1(&udp, LINES("> push_data psn=0r rsn=0r len=40",
                       "> resync psn=0r rsn=0r code=3 of=push_data", "request 0r push 40")),
        1);
}
END_TEST

START_TEST(FTP_8_4_3_2_07_pulled_data_of_another_length_or_payload)
{
    ck_breaks(u1(&udp, LINES("< pull_request psn=0r rsn=0r len=64",
                             "> pull_data psn=0r rsn=6000 payload_len=64", "completion 0r 63")),
              "FTP-8.4.3.2-07", 1);
    ck_breaks(u1(&udp, LINES("< pull_request psn=0r rsn=0r len=64",
                             "> pull_data psn=0r rsn=6000 payload_len=64",
                             "completion 0r 64 seed 9")),
              "FTP-8.4.3.2-07", 1);
}
END_TEST

START_TEST(FTP_6_1_1_2_01_data_before_a_pull_data_was_sent)
{
    ck_breaks(u1(&udp, LINES("< pull_request psn=0r rsn=0r len=64", "completion 0r 64")),
              "FTP-6.1.1.2-01", 1);
    /* a completion in error has none */
    ck_holds(u1(&udp, LINES("< pull_request psn=0r rsn=0r len=64", "completion 0r 0 error")),
             0);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_undecided(u1(&lossy, LINES("mark gap_in 1", "request 0r push 40")), 1);
    ck_undecided(u1(&lossy, LINES("< pull_request psn=0r rsn=0r len=64", "mark gap_in 1",
                                  "completion 0r 64")),
                 1);
    ck_breaks(u1(&lossy, LINES("mark gap_out 1", "request 0r push 40")), "FTP-9.2.2-01", 1);
    /* the pull_request went unseen, but no pull_data can have */
    ck_breaks(u1(&lossy, LINES("mark gap_out 1", "completion 0r 64")), "FTP-6.1.1.2-01", 1);
}
END_TEST

/* A payload that was not seen whole, or a packet that is wrong in itself, cannot be compared.
 */
START_TEST(a_doubtful_packet_is_not_compared)
{
    ck_undecided(u1(&udp, LINES("truncated", "> push_data psn=0r rsn=0r len=40 payload_len=10",
                                "request 0r push 40")),
                 1);
    ck_undecided(u1(&udp, LINES("step > push_data psn=0r rsn=0r len=40 payload_len=10",
                                "request 0r push 10")),
                 1);
}
END_TEST

START_TEST(assumes_same_packet_and_one_psn)
{
    ck_holds(
        u1(&udp, LINES("> push_data psn=0r rsn=0r len=40", "payload 1",
                       "step > push_data psn=0r rsn=0r len=40", "request 0r push 40 seed 2")),
        0);
    ck_holds(u1(&udp, LINES("> push_data psn=0r rsn=0r len=40",
                            "step > push_data psn=1r rsn=0r len=41", "request 0r push 41")),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule U1");
    TCase *tc = tcase_create("U1");

    tcase_add_test(tc, what_came_is_delivered);
    tcase_add_test(tc, FTP_9_2_2_01_delivered_before_a_copy_was_sent);
    tcase_add_test(tc, FTP_9_2_2_01_of_another_kind);
    tcase_add_test(tc, FTP_8_5_3_3_06_push_of_another_length_or_payload);
    tcase_add_test(tc, FTP_8_5_3_1_06_pull_of_another_length);
    tcase_add_test(tc, FTP_9_2_5_06_a_resync_is_not_delivered);
    tcase_add_test(tc, FTP_8_4_3_2_07_pulled_data_of_another_length_or_payload);
    tcase_add_test(tc, FTP_6_1_1_2_01_data_before_a_pull_data_was_sent);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_doubtful_packet_is_not_compared);
    tcase_add_test(tc, assumes_same_packet_and_one_psn);
    suite_add_tcase(suite, tc);
    return suite;
}
