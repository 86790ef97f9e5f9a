/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH     "> push_data psn=0r rsn=0r len=4"
#define WITHHOLD "policy {\"do\": \"policy\", \"rules\": [{\"answer\": \"withhold\"}]}"

static struct outcome r7(const struct kind *kind, const char *const *lines)
{
    return judged("R7", kind, lines);
}

START_TEST(acknowledged_after_the_answer)
{
    ck_holds(r7(&udp, LINES(PUSH, "request 0r push 4", "+1ms < eack dbase=0r rbase=0r drx=0b1",
                            "wait 10ms", "respond 0r ack", "< back dbase=1r rbase=0r")),
             1);
    ck_holds(r7(&udp, LINES(PUSH, "> push_data psn=1r rsn=1r len=4", "respond 1r ack",
                            "< eack dbase=0r rbase=0r dack=0b10 drx=0b11", "respond 0r ack",
                            "< back dbase=2r rbase=0r")),
             2);
}
END_TEST

/* The SUT applied the answer: it had not been given before. */
START_TEST(FTP_6_1_1_1_02_base_before_the_answer)
{
    struct outcome o = r7(&udp, LINES(PUSH, "request 0r push 4", "< back dbase=1r rbase=0r",
                                      "wait 1ms", "respond 0r ack"));

    ck_breaks(o, "FTP-6.1.1.1-02", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2); /* the push */
    ck_assert_uint_eq(o.findings[0].evidence[1], 4); /* the claim */
}
END_TEST

START_TEST(FTP_6_1_1_1_02_whatever_the_answer)
{
    ck_breaks(r7(&udp, LINES(PUSH, "< back dbase=1r rbase=0r", "respond 0r rnr")),
              "FTP-6.1.1.1-02", 1);
    ck_breaks(r7(&udp, LINES(PUSH, "< back dbase=1r rbase=0r", "respond 0r cie")),
              "FTP-6.1.1.1-02", 1);
}
END_TEST

/* Under a policy that withholds all it is certain at once, even if the answer never comes. */
START_TEST(FTP_9_2_2_4_08_bit_while_withheld)
{
    ck_breaks(r7(&udp, LINES(WITHHOLD, "> push_data psn=0r rsn=0r len=4",
                             "> push_data psn=1r rsn=1r len=4",
                             "< eack dbase=0r rbase=0r dack=0b10 drx=0b11")),
              "FTP-9.2.2.4-08", 1);
    ck_breaks(r7(&udp, LINES(WITHHOLD, PUSH, "respond 0r rnr", "< back dbase=1r rbase=0r")),
              "FTP-6.1.1.1-02", 1);
}
END_TEST

/* An upper layer that answers by itself, at a time that is known by the clock of the capture.
 */
START_TEST(FTP_6_1_1_1_02_before_the_upper_layer_answered_by_itself)
{
    struct outcome o = r7(&udp, LINES(PUSH, "+1ms < back dbase=1r rbase=0r", "wait 5001us",
                                      "within 5ms", "ulp_ack 0r ack"));

    ck_breaks(o, "FTP-6.1.1.1-02", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2); /* the push */
    ck_assert_uint_eq(o.findings[0].evidence[1], 3); /* the claim */
    /* it may have answered before */
    ck_undecided(r7(&udp, LINES(PUSH, "+1ms < back dbase=1r rbase=0r", "wait 4999us",
                                "within 5ms", "ulp_ack 0r ack")),
                 1);
    ck_undecided(
        r7(&udp, LINES(PUSH, "+1ms < back dbase=1r rbase=0r", "wait 9s", "ulp_ack 0r ack")),
        1); /* read late, or it happened late */
    ck_undecided(
        r7(&udp, LINES(PUSH, "within 0us", "ulp_ack 0r ack", "+1ms < back dbase=1r rbase=0r")),
        1); /* it says so itself */
}
END_TEST

START_TEST(where_its_time_says_nothing)
{
    const char *const *lines = LINES(PUSH, "+1ms < back dbase=1r rbase=0r", "wait 5ms",
                                     "within 1us", "ulp_ack 0r ack");
    struct kind vague = udp;

    ck_breaks(r7(&udp, lines), "FTP-6.1.1.1-02", 1);
    vague.run.clock_error_ns = 6 * FAL_MS;
    ck_undecided(r7(&vague, lines), 1);
    ck_undecided(r7(&udp, LINES(PUSH, "+1ms < back dbase=1r rbase=0r", "mark clock_step",
                                "wait 5ms", "within 1us", "ulp_ack 0r ack")),
                 1);
    /* a Resync, seen or not, is acknowledged without the upper layer */
    ck_undecided(r7(&udp, LINES(PUSH, "+1ms < back dbase=1r rbase=0r",
                                "> resync psn=0r rsn=0r code=1 of=push_data", "wait 5ms",
                                "within 1us", "ulp_ack 0r ack")),
                 1);
    ck_undecided(r7(&udp, LINES(PUSH, "+1ms < back dbase=1r rbase=0r", "mark gap_in 1",
                                "wait 5ms", "within 1us", "ulp_ack 0r ack")),
                 1);
}
END_TEST

/* A policy that delays all answers: none of them comes sooner after the push was sent. */
#define DELAY(rules) "policy {\"do\": \"policy\", \"rules\": [" rules "]}"
#define ACK_IN_50MS  "{\"answer\": \"ack\", \"after_ns\": 50000000}"
#define IN_50MS \
    "policy {\"do\": \"policy\", \"rules\": [{\"answer\": \"ack\", \"after_ns\": 50000000}]}"
#define IN_200US \
    "policy {\"do\": \"policy\", \"rules\": [{\"answer\": \"ack\", \"after_ns\": 200000}]}"
#define IN_199US \
    "policy {\"do\": \"policy\", \"rules\": [{\"answer\": \"ack\", \"after_ns\": 199000}]}"
#define AT_ONCE "policy {\"do\": \"policy\", \"rules\": [{\"answer\": \"ack\"}]}"

START_TEST(FTP_6_1_1_1_02_sooner_than_the_policy_answers)
{
    struct outcome o = r7(&udp, LINES(IN_50MS, "wait 1ms", PUSH,
                                      "+1us < back dbase=1r rbase=0r", "ulp_ack 0r ack"));

    ck_breaks(o, "FTP-6.1.1.1-02", 1);
    ck_assert(!o.findings[0].warn);
    ck_breaks(r7(&udp, LINES(IN_50MS, "> push_data psn=0r rsn=0r len=4",
                             "> push_data psn=1r rsn=1r len=4",
                             "+20ms < eack dbase=0r rbase=0r dack=0b10 drx=0b11")),
              "FTP-9.2.2.4-08", 1);
    /* the adapter's timer: from half the time on */
    o = r7(&udp, LINES(IN_50MS, PUSH, "+26ms < back dbase=1r rbase=0r"));
    ck_assert_uint_eq(o.sut.broken, 1);
    ck_assert(o.findings[0].warn);
    ck_assert_int_eq(o.verdict, FAL_VERDICT_WARN);
    ck_holds(r7(&udp, LINES(IN_50MS, PUSH, "+50ms < back dbase=1r rbase=0r")), 1);
    ck_holds(r7(&udp, LINES(IN_50MS, PUSH, "wait 50ms", "ulp_ack 0r ack",
                            "< back dbase=1r rbase=0r")),
             1);
}
END_TEST

/* Another rule, an earlier push, a new policy, a short time, a Resync: no bound. */
START_TEST(a_delay_that_is_no_bound)
{
    static const char *const policies[] = {
        DELAY(ACK_IN_50MS ", {\"request\": 1, \"answer\": \"ack\"}"),
        DELAY("{\"every\": 2, \"answer\": \"ack\", \"after_ns\": 50000000}"),
        DELAY("{\"answer\": \"rnr\", \"after_ns\": 50000000, \"times\": 1}"),
        DELAY("{\"op\": \"pull\", \"answer\": \"data\", \"after_ns\": 50000000}"),
        DELAY("{\"answer\": \"data\", \"after_ns\": 50000000}"), /* decides pulls only */
        DELAY("{\"answer\": \"ack\", \"after_ns\": 19999999}"),  /* too short for a machine */
    };

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        ck_undecided(r7(&udp, LINES(policies[i], PUSH, "+1us < back dbase=1r rbase=0r",
                                    "ulp_ack 0r ack")),
                     1);
    ck_undecided(
        r7(&udp, LINES(PUSH, IN_50MS, "+1us < back dbase=1r rbase=0r", "ulp_ack 0r ack")), 1);
    ck_undecided(r7(&udp, LINES(IN_50MS, PUSH, AT_ONCE, "+1us < back dbase=1r rbase=0r",
                                "ulp_ack 0r ack")),
                 1);
    ck_undecided(
        r7(&jitter, LINES(IN_199US, PUSH, "+1us < back dbase=1r rbase=0r", "ulp_ack 0r ack")),
        1); /* less than ten round trips of 20 us */
    ck_breaks(r7(&jitter, LINES(IN_200US, PUSH, "+1us < back dbase=1r rbase=0r")),
              "FTP-6.1.1.1-02", 1);
    ck_assert_int_eq(r7(&udp, LINES(IN_50MS, PUSH, "> resync psn=0r rsn=0r code=1 of=push_data",
                                    "+1us < back dbase=1r rbase=0r"))
                         .verdict,
                     FAL_VERDICT_NONE);
}
END_TEST

/* A Resync, which acknowledges by itself, may have gone unseen. */
START_TEST(excuse_capture_gap)
{
    ck_undecided(
        r7(&udp, LINES(PUSH, "mark gap_in 1", "< back dbase=1r rbase=0r", "respond 0r rnr")),
        1);
    ck_undecided(
        r7(&udp, LINES(PUSH, "< back dbase=1r rbase=0r", "mark gap_in 1", "respond 0r rnr")),
        1);
    ck_undecided(r7(&udp, LINES(WITHHOLD, PUSH, "mark gap_in 1", "< back dbase=1r rbase=0r")),
                 1);
    ck_breaks(r7(&udp, LINES("mark gap_in 1", PUSH, "mark gap_out 1",
                             "< back dbase=1r rbase=0r", "respond 0r rnr")),
              "FTP-6.1.1.1-02", 1);
}
END_TEST

START_TEST(a_break_is_told_once)
{
    ck_breaks(r7(&udp, LINES(WITHHOLD, PUSH, "< back dbase=1r rbase=0r",
                             "< back dbase=1r rbase=0r", "respond 0r ack")),
              "FTP-6.1.1.1-02", 1);
}
END_TEST

START_TEST(a_push_sent_before_the_policy_may_have_been_answered)
{
    ck_undecided(r7(&udp, LINES(PUSH, WITHHOLD, "< back dbase=1r rbase=0r")), 1);
}
END_TEST

START_TEST(a_policy_that_answers_some_proves_nothing)
{
    ck_undecided(
        r7(&udp,
           LINES(
               "policy {\"rules\": [{\"request\": 1, \"answer\": \"ack\"}, {\"answer\": \"withhold\"}]}",
               PUSH, "< back dbase=1r rbase=0r")),
        1);
    ck_undecided(
        r7(&udp, LINES("policy {\"rules\": [{\"request\": 1, \"answer\": \"withhold\"}]}", PUSH,
                       "< back dbase=1r rbase=0r")),
        1);
    ck_undecided(
        r7(&udp, LINES("policy {\"rules\": [{\"op\": \"pull\", \"answer\": \"withhold\"}]}",
                       PUSH, "< back dbase=1r rbase=0r")),
        1);
    ck_undecided(
        r7(&udp, LINES(WITHHOLD, PUSH, "policy> {\"rules\": []}", "< back dbase=1r rbase=0r")),
        1);
    ck_undecided(
        r7(&udp, LINES(WITHHOLD, PUSH, "policy {\"rules\": []}", "< back dbase=1r rbase=0r")),
        1);
    /* rules for pulls take nothing from it */
    ck_breaks(
        r7(&udp, LINES("policy {\"rules\": [{\"op\": \"pull\", \"answer\": \"data\"}, {\"op\": "
                       "\"push\", \"answer\": \"withhold\"}]}",
                       PUSH, "< back dbase=1r rbase=0r")),
        "FTP-6.1.1.1-02", 1);
}
END_TEST

/* Hard case 4: the upper layer answers by itself, and its event is read late. */
START_TEST(hard_case_4_autonomous_upper_layer)
{
    struct outcome o =
        r7(&udp, LINES("policy {\"rules\": []}", PUSH, "+50us < back dbase=1r rbase=0r",
                       "wait 250us", "ulp_ack 0r ack"));

    ck_undecided(o, 1);
    ck_assert_uint_eq(o.sut.holds, 0);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_INCONC);
    ck_assert_int_eq(o.verdict, FAL_VERDICT_NONE); /* it lacked what it needs, that is all */
    ck_undecided(r7(&udp, LINES(PUSH, "ulp_ack 0r ack", "< back dbase=1r rbase=0r")), 1);
    ck_undecided(r7(&udp, LINES("policy {}", PUSH, "< back dbase=1r rbase=0r")), 1);
}
END_TEST

/* The command failed: the request had been answered otherwise. */
START_TEST(an_answer_that_was_not_applied_proves_nothing)
{
    ck_undecided(r7(&udp, LINES(PUSH, "< back dbase=1r rbase=0r", "respond 0r ack failed")), 1);
}
END_TEST

/* A claim read between the command and its reply was seen after the writing. */
START_TEST(the_writing_counts_not_the_reply)
{
    ck_holds(r7(&udp, LINES(PUSH, "respond> 0r ack", "< back dbase=1r rbase=0r", "respond<")),
             1);
}
END_TEST

/* An RNR was on its way when the claim came: of what followed it nothing is known. */
START_TEST(a_claim_after_the_writing_of_another_answer_proves_nothing)
{
    ck_undecided(
        r7(&udp, LINES(PUSH, "respond> 0r rnr", "< back dbase=1r rbase=0r", "respond<")), 1);
}
END_TEST

START_TEST(a_resync_acknowledges_by_itself)
{
    ck_holds(r7(&udp, LINES(WITHHOLD, PUSH, "respond 0r cie",
                            "> resync psn=0r rsn=0r code=1 of=push_data",
                            "< back dbase=1r rbase=0r")),
             0);
    ck_undecided(
        r7(&udp, LINES(PUSH, "< back dbase=1r rbase=0r",
                       "> resync psn=0r rsn=0r code=3 of=push_data", "respond 0r ack")),
        1);
}
END_TEST

START_TEST(without_a_control_channel_it_is_not_exercised)
{
    ck_holds(r7(&udp, LINES(PUSH, "< back dbase=1r rbase=0r")), 0);
}
END_TEST

START_TEST(pulls_are_acknowledged_on_receipt)
{
    ck_holds(r7(&udp, LINES(WITHHOLD, "> pull_request psn=0r rsn=0r len=4",
                            "< back dbase=0r rbase=1r")),
             0);
}
END_TEST

/* It assumes that a PSN is one packet: when a step breaks that, it is off. */
START_TEST(assumes_same_packet_and_one_psn)
{
    ck_holds(r7(&udp, LINES(WITHHOLD, PUSH, "step > push_data psn=0r rsn=7r len=4",
                            "< back dbase=1r rbase=0r")),
             0);
    ck_holds(r7(&udp, LINES(WITHHOLD, PUSH, "step > push_data psn=1r rsn=0r len=4",
                            "< back dbase=1r rbase=0r")),
             0);
}
END_TEST

START_TEST(many_claims_wait_within_bounds)
{
    struct script s;
    struct fal_connection c = script_connection(&udp);
    struct outcome o;
    char line[64];

    script_start(&s, &udp, &c);
    script_line(&s, "policy {}");
    for (int i = 0; i < 100; i++) {
        (void)snprintf(line, sizeof line, "> push_data psn=%dr rsn=%dr len=4", i, i);
        script_line(&s, line);
    }
    script_line(&s, "< back dbase=100r rbase=0r");
    for (int i = 0; i < 100; i++) {
        (void)snprintf(line, sizeof line, "ulp_ack %dr ack", i);
        script_line(&s, line);
    }
    o = script_judge(s.events, json_array_size(s.events), "R7");
    json_decref(s.events);
    ck_undecided(o, 100);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R7");
    TCase *tc = tcase_create("R7");

    tcase_add_test(tc, acknowledged_after_the_answer);
    tcase_add_test(tc, FTP_6_1_1_1_02_base_before_the_answer);
    tcase_add_test(tc, FTP_6_1_1_1_02_whatever_the_answer);
    tcase_add_test(tc, FTP_9_2_2_4_08_bit_while_withheld);
    tcase_add_test(tc, FTP_6_1_1_1_02_sooner_than_the_policy_answers);
    tcase_add_test(tc, a_delay_that_is_no_bound);
    tcase_add_test(tc, FTP_6_1_1_1_02_before_the_upper_layer_answered_by_itself);
    tcase_add_test(tc, where_its_time_says_nothing);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_break_is_told_once);
    tcase_add_test(tc, a_push_sent_before_the_policy_may_have_been_answered);
    tcase_add_test(tc, a_policy_that_answers_some_proves_nothing);
    tcase_add_test(tc, hard_case_4_autonomous_upper_layer);
    tcase_add_test(tc, an_answer_that_was_not_applied_proves_nothing);
    tcase_add_test(tc, the_writing_counts_not_the_reply);
    tcase_add_test(tc, a_claim_after_the_writing_of_another_answer_proves_nothing);
    tcase_add_test(tc, a_resync_acknowledges_by_itself);
    tcase_add_test(tc, without_a_control_channel_it_is_not_exercised);
    tcase_add_test(tc, pulls_are_acknowledged_on_receipt);
    tcase_add_test(tc, assumes_same_packet_and_one_psn);
    tcase_add_test(tc, many_claims_wait_within_bounds);
    suite_add_tcase(suite, tc);
    return suite;
}
