/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome x1(const struct kind *kind, const char *const *lines)
{
    return judged("X1", kind, lines);
}

#define PUSH "< push_data psn=0r rsn=0r len=64"

START_TEST(equal_copies_hold)
{
    ck_holds(x1(&udp, LINES(PUSH, "< push_data psn=0r rsn=0r len=64 ar dbase=0r rbase=0r", PUSH,
                            "< pull_request psn=0r rsn=1r len=9",
                            "< pull_request psn=0r rsn=1r len=9")),
             3);
    /* AR, bases and IV may differ */
    ck_holds(x1(&udp, LINES("> push_data psn=0r rsn=0r len=4", "iv 3us", PUSH, "iv 7us",
                            "< push_data psn=0r rsn=0r len=64 ar dbase=1r")),
             1);
}
END_TEST

START_TEST(first_copies_are_no_instance)
{
    ck_holds(x1(&udp, LINES(PUSH, "< push_data psn=1r rsn=1r len=4")), 0);
}
END_TEST

START_TEST(FTP_9_1_3_01_two_packets_with_one_psn)
{
    struct outcome o = x1(&udp, LINES(PUSH, "< push_data psn=0r rsn=1r len=64"));

    ck_breaks(o, "FTP-9.1.3-01", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_breaks(x1(&udp, LINES("> pull_request psn=0r rsn=0r len=64", PUSH,
                             "< pull_data psn=0r rsn=0r payload_len=64")),
              "FTP-9.1.3-01", 1);
}
END_TEST

START_TEST(FTP_9_12_copies_of_different_length_or_payload)
{
    ck_breaks(x1(&udp, LINES(PUSH, "< push_data psn=0r rsn=0r len=63")), "FTP-9-12", 1);
    ck_breaks(x1(&udp, LINES(PUSH, "payload 1", PUSH)), "FTP-9-12", 1);
    ck_breaks(x1(&udp, LINES("< pull_request psn=0r rsn=0r len=9",
                             "< pull_request psn=0r rsn=0r len=8")),
              "FTP-9-12", 1);
}
END_TEST

START_TEST(a_payload_captured_short_is_not_compared)
{
    ck_holds(
        x1(&udp, LINES(PUSH, "truncated", "< push_data psn=0r rsn=0r len=64 payload_len=10")),
        1);
    ck_holds(
        x1(&udp, LINES("truncated", "< push_data psn=0r rsn=0r len=64 payload_len=10", PUSH)),
        1);
}
END_TEST

START_TEST(FTP_9_16_a_retransmission_with_a_new_psn)
{
    ck_breaks(x1(&udp, LINES(PUSH, "< push_data psn=1r rsn=0r len=64",
                             "< push_data psn=1r rsn=0r len=64")),
              "FTP-9-16", 1);
    /* one RSN in both windows */
    ck_breaks(x1(&udp, LINES(PUSH, "< pull_request psn=0r rsn=0r len=64")), "FTP-9-16", 1);
    ck_breaks(x1(&udp, LINES("> pull_request psn=0r rsn=0r len=64",
                             "< pull_data psn=0r rsn=0r payload_len=64",
                             "< pull_data psn=1r rsn=0r payload_len=64")),
              "FTP-9-16", 1);
}
END_TEST

/* The RSNs of the two directions are two spaces. */
START_TEST(rsn_spaces_are_apart)
{
    ck_holds(x1(&udp, LINES("> pull_request psn=0r rsn=0r len=64",
                            "< pull_data psn=0r rsn=0r payload_len=64",
                            "< push_data psn=1r rsn=0r len=4")),
             1);
}
END_TEST

START_TEST(FTP_8_5_3_2_03_pull_data_without_a_pull_request)
{
    ck_breaks(x1(&lossy, LINES("> pull_request psn=0r rsn=0r len=64",
                               "< pull_data psn=0r rsn=1r payload_len=64")),
              "FTP-8.5.3.2-03", 1);
    ck_breaks(x1(&lossy, LINES("> push_data psn=0r rsn=0r len=64",
                               "< pull_data psn=0r rsn=0r payload_len=64")),
              "FTP-8.5.3.2-03", 1);
    ck_breaks(x1(&lossy, LINES("< pull_data psn=0r rsn=0r payload_len=4",
                               "> pull_request psn=0r rsn=0r len=4")),
              "FTP-8.5.3.2-03", 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_undecided(x1(&lossy, LINES("mark gap_in 1", "< pull_data psn=0r rsn=1r payload_len=64")),
                 1);
    ck_undecided(x1(&capture, LINES("< pull_data psn=0r rsn=1r payload_len=64")), 1);
    ck_breaks(x1(&lossy, LINES("mark gap_out 1", "< pull_data psn=0r rsn=1r payload_len=64")),
              "FTP-8.5.3.2-03", 1);
}
END_TEST

/* The Resync is S2's; the original was lost on its way to us, and comes late. */
START_TEST(a_resync_of_the_same_packet_holds)
{
    ck_holds(x1(&udp, LINES("< resync psn=0r rsn=0r code=3 of=push_data", PUSH)), 1);
    ck_breaks(x1(&udp, LINES("< resync psn=0r rsn=1r code=3 of=push_data", PUSH)),
              "FTP-9.1.3-01", 1);
}
END_TEST

/* A copy that comes long after it was acknowledged is still compared. */
START_TEST(late_copies_are_remembered)
{
    struct script s;
    struct fal_connection c = script_connection(&udp);
    struct outcome o;
    char line[96];

    script_start(&s, &udp, &c);
    for (int i = 0; i < 600; i++) {
        (void)snprintf(line, sizeof line, "< push_data psn=%dr rsn=%dr len=32", i, i);
        script_line(&s, line);
        (void)snprintf(line, sizeof line, "> back dbase=%dr rbase=0r", i + 1);
        script_line(&s, line);
    }
    script_line(&s, "< push_data psn=400r rsn=400r len=32");
    script_line(&s, "payload 3");
    script_line(&s, "< push_data psn=400r rsn=400r len=32");
    o = script_judge(s.events, json_array_size(s.events), "X1");
    json_decref(s.events);
    ck_assert_uint_eq(o.sut.holds, 1);
    ck_breaks(o, "FTP-9-12", 1);
}
END_TEST

/* A step put one RSN on two PSNs: both may be answered. */
START_TEST(assumes_one_psn_per_rsn)
{
    ck_holds(x1(&udp, LINES("> pull_request psn=0r rsn=0r len=4",
                            "step > pull_request psn=1r rsn=0r len=4",
                            "< pull_data psn=0r rsn=0r payload_len=4",
                            "< pull_data psn=1r rsn=0r payload_len=4")),
             0);
    /* its own copies must still agree */
    ck_breaks(x1(&udp, LINES("> pull_request psn=0r rsn=0r len=4",
                             "step > pull_request psn=1r rsn=0r len=4", PUSH,
                             "< push_data psn=0r rsn=0r len=63")),
              "FTP-9-12", 1);
}
END_TEST

START_TEST(our_own_side)
{
    struct outcome o =
        x1(&udp, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=0r rsn=0r len=5"));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR);
    ck_asked(x1(&udp, LINES("> push_data psn=0r rsn=0r len=4",
                            "step > push_data psn=0r rsn=0r len=5")));
    /* the copy of a step's lie by our endpoint is the step's doing */
    ck_asked(x1(&udp, LINES("step > push_data psn=0r rsn=0r len=4",
                            "> push_data psn=0r rsn=0r len=5")));
}
END_TEST

START_TEST(FTP_8_1_03_more_data_than_was_asked_for)
{
    ck_holds(x1(&lossy, LINES("> pull_request psn=0r rsn=0r len=8",
                              "< pull_data psn=0r rsn=0r payload_len=8")),
             1);
    ck_holds(x1(&lossy, LINES("> pull_request psn=0r rsn=0r len=8", /* AMB-25 */
                              "< pull_data psn=0r rsn=0r payload_len=0")),
             1);
    ck_breaks(x1(&lossy, LINES("> pull_request psn=0r rsn=0r len=8",
                               "< pull_data psn=0r rsn=0r payload_len=9")),
              "FTP-8.1-03", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule X1");
    TCase *tc = tcase_create("X1");

    tcase_add_test(tc, equal_copies_hold);
    tcase_add_test(tc, first_copies_are_no_instance);
    tcase_add_test(tc, FTP_9_1_3_01_two_packets_with_one_psn);
    tcase_add_test(tc, FTP_9_12_copies_of_different_length_or_payload);
    tcase_add_test(tc, a_payload_captured_short_is_not_compared);
    tcase_add_test(tc, FTP_9_16_a_retransmission_with_a_new_psn);
    tcase_add_test(tc, rsn_spaces_are_apart);
    tcase_add_test(tc, FTP_8_5_3_2_03_pull_data_without_a_pull_request);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_resync_of_the_same_packet_holds);
    tcase_add_test(tc, late_copies_are_remembered);
    tcase_add_test(tc, assumes_one_psn_per_rsn);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, FTP_8_1_03_more_data_than_was_asked_for);
    suite_add_tcase(suite, tc);
    return suite;
}
