/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome r1(const struct kind *kind, const char *const *lines)
{
    return judged("R1", kind, lines);
}

START_TEST(claims_of_what_was_sent_hold)
{
    ck_holds(
        r1(&clean, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                         "> pull_request psn=0r rsn=2r len=64", "< back dbase=1r rbase=1r",
                         "< eack dbase=1r rbase=1r drx=0b1", "< back dbase=2r rbase=1r")),
        3);
}
END_TEST

START_TEST(a_claim_that_says_nothing_new_is_no_instance)
{
    ck_holds(
        r1(&clean, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                         "< eack dbase=0r rbase=0r dack=0b10 drx=0b11",
                         "< eack dbase=0r rbase=0r dack=0b10 drx=0b11")),
        1);
    ck_holds(r1(&clean, LINES("< back dbase=0r rbase=0r", "< eack dbase=0r rbase=0r")), 0);
}
END_TEST

START_TEST(FTP_9_2_1_01_request_base_beyond_what_was_sent)
{
    ck_breaks(r1(&lossy, LINES("> pull_request psn=0r rsn=0r len=64",
                               "< back dbase=0r rbase=2r", "< back dbase=0r rbase=2r")),
              "FTP-9.2.1-01", 1);
}
END_TEST

START_TEST(FTP_9_2_1_04_data_base_beyond_what_was_sent)
{
    ck_breaks(r1(&udp, LINES("> push_data psn=0r rsn=0r len=4",
                             "< nack dbase=2r rbase=0r nack_psn=0r code=1 w=data")),
              "FTP-9.2.1-04", 1);
}
END_TEST

START_TEST(FTP_9_2_1_04_data_base_over_a_hole)
{
    /* Only the scenario left PSN 1r out: the tester asked for that, the SUT for its base did
     * not. */
    struct outcome o =
        r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4",
                         "step > push_data psn=2r rsn=2r len=4", "< back dbase=3r rbase=0r"));

    ck_breaks(o, "FTP-9.2.1-04", 1);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "PSN 1r"));
    ck_assert_ptr_nonnull(strstr(o.findings[0].seen, "dbase=3r"));
}
END_TEST

START_TEST(FTP_9_2_1_07_request_bit_of_what_was_not_sent)
{
    ck_breaks(r1(&lossy, LINES("> pull_request psn=0r rsn=0r len=64",
                               "> pull_request psn=1r rsn=1r len=64",
                               "< eack dbase=0r rbase=0r req=0b100")),
              "FTP-9.2.1-07", 1);
}
END_TEST

START_TEST(FTP_9_2_1_08_ack_bit_of_what_was_not_sent)
{
    ck_breaks(
        r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                         "< eack dbase=0r rbase=0r dack=0b100 drx=0b110")),
        "FTP-9.2.1-08", 1);
}
END_TEST

/* The bitmap one bit too far: AMB-03 C. */
START_TEST(FTP_9_2_1_09_rx_bit_of_what_was_not_sent)
{
    struct outcome o =
        r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                         "< eack dbase=0r rbase=0r drx=0b110"));

    ck_breaks(o, "FTP-9.2.1-09", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence,
                      2); /* the last that was sent, and the claim */
    ck_assert_uint_eq(o.findings[0].evidence[0], 3);
    ck_assert_uint_eq(o.findings[0].evidence[1], 4);
    ck_assert_uint_eq(o.findings[0].evidence_frames[1], 5);
}
END_TEST

START_TEST(a_lie_is_told_once_and_told_again_when_it_grows)
{
    ck_breaks(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=3r rbase=0r",
                               "< back dbase=3r rbase=0r", "> push_data psn=1r rsn=1r len=4",
                               "< back dbase=3r rbase=0r", "< back dbase=5r rbase=0r")),
              "FTP-9.2.1-04", 2);
}
END_TEST

START_TEST(FTP_9_2_1_09_bits_are_told_apart_as_the_base_moves)
{
    ck_breaks(r1(&lossy,
                 LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                       "> push_data psn=2r rsn=2r len=4", "< eack dbase=0r rbase=0r drx=0b110",
                       "< back dbase=1r rbase=0r", "< eack dbase=1r rbase=0r drx=0b110")),
              "FTP-9.2.1-09", 1);
}
END_TEST

START_TEST(a_copy_sent_after_the_claim_is_no_cause)
{
    ck_breaks(r1(&lossy, LINES("< back dbase=1r rbase=0r", "> push_data psn=0r rsn=0r len=4")),
              "FTP-9.2.1-04", 1);
}
END_TEST

START_TEST(a_resync_is_a_cause)
{
    ck_holds(
        r1(&clean,
           LINES("> resync psn=0r rsn=0r code=1 of=push_data", "< back dbase=1r rbase=0r",
                 "> resync psn=0r rsn=1r code=1 of=pull_request", "< back dbase=1r rbase=1r")),
        2);
}
END_TEST

/* A wrong version or a foreign CID never enters the window: claiming it is a break. */
START_TEST(a_packet_that_must_be_dropped_is_no_cause)
{
    ck_breaks(r1(&clean, LINES("step > push_data psn=0r rsn=0r len=4 version=2",
                               "< back dbase=1r rbase=0r")),
              "FTP-9.2.1-04", 1);
    ck_breaks(r1(&clean, LINES("step > push_data psn=0r rsn=0r len=4 cid=77",
                               "< back dbase=1r rbase=0r")),
              "FTP-9.2.1-04", 1);
}
END_TEST

/* Reserved bits are ignored on receipt, so such a packet may be taken (AMB-27). */
START_TEST(a_packet_that_may_be_taken_is_a_cause)
{
    ck_holds(r1(&clean, LINES("step > push_data psn=0r rsn=0r len=4 reserved_0=3",
                              "< back dbase=1r rbase=0r")),
             1);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.data_psn = c.tester.req_psn = UINT32_MAX - 1;
    ck_holds(
        script_run(
            "R1", &clean, &c,
            LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                  "> push_data psn=2r rsn=2r len=4", "> push_data psn=3r rsn=3r len=4",
                  "> pull_request psn=0r rsn=4r len=4", "> pull_request psn=1r rsn=5r len=4",
                  "> pull_request psn=2r rsn=6r len=4",
                  "< eack dbase=1r rbase=0r drx=0b111 req=0b110", "< eack dbase=4r rbase=3r")),
        2);
    ck_breaks(
        script_run("R1", &clean, &c,
                   LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                         "< eack dbase=0r rbase=0r drx=0b111")),
        "FTP-9.2.1-09", 1);
}
END_TEST

/* Hard case 1: an ACK crosses data in flight. */
START_TEST(hard_case_1_an_ack_crosses_data)
{
    ck_holds(
        r1(&udp,
           LINES("> push_data psn=0r rsn=0r len=4", "+5us > push_data psn=1r rsn=1r len=4",
                 "+7us < eack dbase=0r rbase=0r", "@900us < eack dbase=0r rbase=0r drx=0b10")),
        1);
}
END_TEST

/* Hard case 2: the ACK was lost, then a pull_data has the base. */
START_TEST(hard_case_2_lost_ack_then_piggyback)
{
    ck_holds(r1(&lossy, LINES("> pull_request psn=0r rsn=0r len=64 ar",
                              "> push_data psn=0r rsn=1r len=4 ar",
                              "< pull_data psn=0r rsn=0r payload_len=64 dbase=1r rbase=1r")),
             1);
}
END_TEST

/* Hard case 7: drops were counted, so the copy may have gone unseen. */
START_TEST(hard_case_7_a_counted_gap_undecides)
{
    ck_undecided(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "mark gap_in 2",
                                  "< back dbase=3r rbase=0r")),
                 1);
    ck_undecided(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "mark gap_in",
                                  "< back dbase=1000r rbase=0r")),
                 1);
}
END_TEST

/* Until a claim decides it: the sender cannot have been so far ahead of the claim. */
START_TEST(hard_case_7_a_gap_is_over_after_a_claim)
{
    ck_breaks(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "mark gap_in 2",
                               "< back dbase=0r rbase=0r", "< back dbase=5000r rbase=0r")),
              "FTP-9.2.1-04", 1);
    ck_undecided(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "mark gap_in 2",
                                  "< back dbase=0r rbase=0r", "< back dbase=3r rbase=0r")),
                 1);
    ck_breaks(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "mark gap_out 2",
                               "< back dbase=2r rbase=0r")),
              "FTP-9.2.1-04", 1);
}
END_TEST

/* A third party's stream with a hole: the capture missed it. Beyond the highest number seen
 * there is no excuse. */
START_TEST(hard_case_7_a_hole_of_a_third_party_undecides)
{
    ck_undecided(r1(&capture,
                    LINES("< back dbase=0r rbase=0r", "> push_data psn=5000r rsn=0r len=4",
                          "> push_data psn=5002r rsn=2r len=4", "< back dbase=5003r rbase=0r")),
                 1);
    ck_breaks(
        r1(&capture,
           LINES("< back dbase=0r rbase=0r", "> push_data psn=0r rsn=0r len=4",
                 "> push_data psn=5000r rsn=1r len=4", "< eack dbase=0r rbase=0r",
                 "> push_data psn=5001r rsn=1r len=4", "< eack dbase=5001r rbase=0r drx=0b10")),
        "FTP-9.2.1-09", 1);
}
END_TEST

/* A capture from the middle: packets that may have been sent before it began never make the
 * rule fail. */
START_TEST(a_start_in_the_middle_learns_first)
{
    ck_undecided(
        r1(&capture, LINES("< eack dbase=10r rbase=5r", "> push_data psn=20r rsn=0r len=4",
                           "< back dbase=25r rbase=5r")),
        1);
}
END_TEST

START_TEST(a_capture_of_one_direction_convicts_nobody)
{
    ck_undecided(
        r1(&capture, LINES("< back dbase=0r rbase=0r", "< back dbase=5000r rbase=5000r")), 1);
}
END_TEST

/* A step leaps far ahead: one leap is remembered apart, a run of them is a new place, where the
 * window is learned anew. */
START_TEST(leaps)
{
    struct script s;
    struct fal_connection c = script_connection(&lossy);
    struct outcome o;
    char text[64];

    ck_breaks(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4",
                               "step > push_data psn=100000r rsn=1r len=4",
                               "< back dbase=2r rbase=0r")),
              "FTP-9.2.1-04", 1);
    script_start(&s, &lossy, &c);
    script_line(&s, "> push_data psn=0r rsn=0r len=4");
    for (int i = 0; i < 20; i++) {
        (void)snprintf(text, sizeof text, "step > push_data psn=%dr rsn=%dr len=4", 100000 + i,
                       i);
        script_line(&s, text);
    }
    script_line(&s, "< back dbase=100020r rbase=0r");
    o = script_judge(s.events, json_array_size(s.events), "R1");
    json_decref(s.events);
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 0);
    /* in a gap the first jump is accepted */
    ck_holds(r1(&lossy,
                LINES("> push_data psn=0r rsn=0r len=4", "mark gap_in",
                      "> push_data psn=100000r rsn=9r len=4", "< back dbase=100001r rbase=0r")),
             0);
}
END_TEST

/* So long a gap may hide a turn of the numbers. */
START_TEST(a_long_gap_forgets_the_window)
{
    ck_breaks(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r",
                               "wait 100s", "mark gap_in", "< back dbase=1r rbase=0r",
                               "< back dbase=9000r rbase=0r")),
              "FTP-9.2.1-04", 1);
    ck_holds(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "mark gap_in 3000000000",
                              "< back dbase=2000000000r rbase=0r")),
             0);
    ck_holds(r1(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "wait 200s", "mark gap_in",
                              "< back dbase=2000000000r rbase=0r")),
             0);
}
END_TEST

/* Our own side: what a step asked for is no error, what none asked for is. */
START_TEST(the_tester_is_judged_too)
{
    struct outcome o = r1(&clean, LINES("step > back dbase=1r rbase=0r"));

    ck_asked(o);
    ck_assert_int_lt(o.verdict, FAL_VERDICT_FAIL);
    o = r1(&clean, LINES("> back dbase=1r rbase=0r"));
    ck_assert_int_eq(o.tester.verdict, FAL_VERDICT_ERROR);
    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR);
    ck_assert(!o.findings[0].asked);
    o = r1(&clean, LINES("< push_data psn=0r rsn=0r len=4", "> back dbase=1r rbase=0r"));
    ck_assert_int_eq(o.tester.verdict, FAL_VERDICT_PASS);
    ck_assert_uint_eq(o.tester.holds, 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R1");
    TCase *tc = tcase_create("R1");

    tcase_add_test(tc, claims_of_what_was_sent_hold);
    tcase_add_test(tc, a_claim_that_says_nothing_new_is_no_instance);
    tcase_add_test(tc, FTP_9_2_1_01_request_base_beyond_what_was_sent);
    tcase_add_test(tc, FTP_9_2_1_04_data_base_beyond_what_was_sent);
    tcase_add_test(tc, FTP_9_2_1_04_data_base_over_a_hole);
    tcase_add_test(tc, FTP_9_2_1_07_request_bit_of_what_was_not_sent);
    tcase_add_test(tc, FTP_9_2_1_08_ack_bit_of_what_was_not_sent);
    tcase_add_test(tc, FTP_9_2_1_09_rx_bit_of_what_was_not_sent);
    tcase_add_test(tc, a_lie_is_told_once_and_told_again_when_it_grows);
    tcase_add_test(tc, FTP_9_2_1_09_bits_are_told_apart_as_the_base_moves);
    tcase_add_test(tc, a_copy_sent_after_the_claim_is_no_cause);
    tcase_add_test(tc, a_resync_is_a_cause);
    tcase_add_test(tc, a_packet_that_must_be_dropped_is_no_cause);
    tcase_add_test(tc, a_packet_that_may_be_taken_is_a_cause);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, hard_case_1_an_ack_crosses_data);
    tcase_add_test(tc, hard_case_2_lost_ack_then_piggyback);
    tcase_add_test(tc, hard_case_7_a_counted_gap_undecides);
    tcase_add_test(tc, hard_case_7_a_gap_is_over_after_a_claim);
    tcase_add_test(tc, hard_case_7_a_hole_of_a_third_party_undecides);
    tcase_add_test(tc, a_start_in_the_middle_learns_first);
    tcase_add_test(tc, a_capture_of_one_direction_convicts_nobody);
    tcase_add_test(tc, leaps);
    tcase_add_test(tc, a_long_gap_forgets_the_window);
    tcase_add_test(tc, the_tester_is_judged_too);
    suite_add_tcase(suite, tc);
    return suite;
}
