/* SPDX-License-Identifier: Apache-2.0
 * u3_requests_in_rsn_order_test.c - U3, requests in order; U4, taken before acknowledged, by
 * stamps; U5, what was acknowledged is delivered; U6, and acknowledged once it was taken. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH   "> push_data psn=0r rsn=0r len=4"
#define PUSH_1 "> push_data psn=1r rsn=1r len=4"
#define PULL_1 "> pull_request psn=0r rsn=1r len=4"

static struct outcome u3(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("U3", kind, lines);
}

START_TEST(in_rsn_order)
{
    ck_holds(u3(&told, LINES(PUSH_1, PUSH, "request 0r push 4", "request 1r push 4")), 1);
    /* again after an RNR */
    ck_holds(u3(&told, LINES(PUSH, PUSH_1, "request 0r push 4", "request 1r push 4",
                             "respond 0r rnr 10us", "request 0r push 4 again")),
             1);
    ck_holds(u3(&told, LINES(PUSH, PUSH_1, "request 0r push 4", "request 1r push 4",
                             "request 0r push 4")),
             1); /* U2's */
}
END_TEST

START_TEST(FTP_8_5_2_01_out_of_order)
{
    ck_breaks(u3(&told, LINES(PUSH, PUSH_1, "request 1r push 4", "request 0r push 4")),
              "FTP-8.5.2-01", 1);
}
END_TEST

/* What was not sent when the event was read cannot have been delivered before. */
START_TEST(FTP_8_5_2_01_before_a_lower_rsn_was_sent)
{
    struct kind middle = clean;

    ck_breaks(u3(&clean, LINES(PUSH_1, "request 1r push 4")), "FTP-8.5.2-01", 1);
    ck_undecided(u3(&clean, LINES(PUSH_1, "> resync psn=0r rsn=0r code=3 of=push_data",
                                  "request 1r push 4")),
                 1);
    ck_undecided(u3(&clean, LINES("mark gap_in 1", PUSH_1, "request 1r push 4")), 1);
    middle.unknown = true;
    ck_undecided(u3(&middle, LINES(PUSH_1, "request 1r push 4")), 1);
}
END_TEST

START_TEST(FTP_8_5_2_02_pushes_and_pulls_together)
{
    ck_breaks(u3(&told, LINES(PUSH, PULL_1, "request 1r pull 4", "request 0r push 4")),
              "FTP-8.5.2-02", 1);
}
END_TEST

START_TEST(where_order_says_nothing)
{
    struct fal_connection c = script_connection(&told);
    const char *const *lines = LINES(PUSH, PUSH_1, "request 1r push 4", "request 0r push 4");

    ck_undecided(u3(&clean, lines), 2);
    ck_undecided(
        u3(&told, LINES("dropped", PUSH, PUSH_1, "request 1r push 4", "request 0r push 4")), 2);
    c.params.ordered = false;
    ck_holds(script_run("U3", &told, &c, lines), 0);
    c.params.ordered = true;
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_ordered);
    ck_holds(script_run("U3", &told, &c, lines), 0);
}
END_TEST

/* ---- U4 ---- */

#define PACE "iv 1000us", "@1ms < back", "iv 3000us", "@3ms < back"

static struct outcome u4(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("U4", kind, lines);
}

START_TEST(taken_first)
{
    ck_holds(u4(&udp, LINES(PACE, PUSH, "stamp 4000us", "ulp_ack 0r ack", "iv 4001us",
                            "@4100us < back dbase=1r")),
             1);
    /* the event is read late, and within P the order is open */
    ck_holds(u4(&udp, LINES(PACE, PUSH, "iv 4000us", "@4100us < back dbase=1r", "wait 1ms",
                            "stamp 4100us", "ulp_ack 0r ack")),
             1);
}
END_TEST

START_TEST(FTP_8_1_06_acknowledged_first)
{
    ck_breaks(u4(&udp, LINES(PACE, PUSH, "iv 4000us", "@4100us < back dbase=1r", "wait 1ms",
                             "stamp 4101us", "ulp_ack 0r ack")),
              "FTP-8.1-06", 1);
    ck_breaks(u4(&udp, LINES(PACE, PUSH, "stamp 5000us", "ulp_ack 0r ack", "iv 4000us",
                             "@5100us < back dbase=1r")),
              "FTP-8.1-06", 1);
}
END_TEST

/* The IV of the claim may be older than its departure by a unit of 131.072 ns, or a tick. */
START_TEST(FTP_8_1_06_a_step_of_the_clock)
{
    struct kind coarse = udp;

    coarse.tick_ns = 10 * FAL_US;
#define CLAIMED PACE, PUSH, "iv 4000us", "@4100us < back dbase=1r", "wait 1ms"
    ck_assert_uint_eq(u4(&udp, LINES(CLAIMED, "stamp 4100130ns", "ulp_ack 0r ack")).sut.broken,
                      0);
    ck_breaks(u4(&udp, LINES(CLAIMED, "stamp 4100140ns", "ulp_ack 0r ack")), "FTP-8.1-06", 1);
    ck_assert_uint_eq(u4(&coarse, LINES(CLAIMED, "stamp 4110us", "ulp_ack 0r ack")).sut.broken,
                      0);
    ck_breaks(u4(&coarse, LINES(CLAIMED, "stamp 4111us", "ulp_ack 0r ack")), "FTP-8.1-06", 1);
}
END_TEST

START_TEST(no_stamp_no_order)
{
    ck_undecided(
        u4(&udp, LINES(PACE, PUSH, "iv 4000us", "@4100us < back dbase=1r", "ulp_ack 0r ack")),
        1);
    /* an IV that keeps no pace is no clock */
    ck_undecided(u4(&udp, LINES(PUSH, "stamp 5000us", "ulp_ack 0r ack", "iv 4000us",
                                "@5100us < back dbase=1r")),
                 1);
    ck_holds(
        u4(&udp, LINES(PACE, PUSH, "respond 0r ack", "iv 4000us", "@4100us < back dbase=1r")),
        0); /* R7's */
}
END_TEST

/* ---- U5 ---- */

static struct outcome u5(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("U5", kind, lines);
}

START_TEST(delivered)
{
    ck_holds(u5(&lossy, LINES(PUSH, "request 0r push 4", "respond 0r ack", "< back dbase=1r",
                              "barrier")),
             1);
    ck_holds(
        u5(&lossy, LINES("policy {}", PUSH, "< back dbase=1r", "request 0r push 4", "barrier")),
        1);
}
END_TEST

START_TEST(FTP_8_5_3_3_06_a_push_is_not)
{
    struct outcome o = u5(&lossy, LINES("policy {}", PUSH, "< back dbase=1r", "barrier"));

    ck_breaks(o, "FTP-8.5.3.3-06", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_breaks(u5(&lossy, LINES("policy {}", PUSH, PUSH_1, "< eack dack=0b10 drx=0b11",
                               "barrier", "barrier")),
              "FTP-8.5.3.3-06", 1);
}
END_TEST

/* A warning: on an unordered connection nothing waits for the transaction before. */
START_TEST(FTP_8_5_2_03_a_pull_waits_for_an_rsn)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    ck_breaks(script_run("U5", &clean, &c,
                         LINES("policy {}", "> pull_request psn=0r rsn=1r len=4",
                               "< back rbase=1r", "wait 1us", "barrier")),
              "FTP-8.5.2-03", 1);
    c.params.ordered = true;
    ck_undecided(script_run("U5", &clean, &c,
                            LINES("policy {}", "> pull_request psn=0r rsn=1r len=4",
                                  "< back rbase=1r", "wait 1us", "barrier")),
                 1);
}
END_TEST

START_TEST(FTP_8_5_3_1_06_a_pull_is_not)
{
    const char *pull = "> pull_request psn=0r rsn=0r len=4";

    ck_breaks(u5(&clean, LINES("policy {}", pull, "< back rbase=1r", "wait 1us", "barrier")),
              "FTP-8.5.3.1-06", 1);
    /* it may be on its way up for as long as P */
    ck_undecided(u5(&udp, LINES("policy {}", pull, "< back rbase=1r", "wait 99us", "barrier")),
                 1);
    ck_breaks(u5(&udp, LINES("policy {}", pull, "< back rbase=1r", "wait 101us", "barrier")),
              "FTP-8.5.3.1-06", 1);
}
END_TEST

START_TEST(an_ordered_pull_waits_for_earlier_ones)
{
    ck_undecided(
        u5(&clean, LINES("policy {}", PUSH, PULL_1, "< back rbase=1r", "wait 1us", "barrier")),
        1);
    ck_undecided(
        u5(&clean, LINES("policy {}", PULL_1, "< back rbase=1r", "wait 1us", "barrier")), 1);
    /* of an RSN before the first of all its turn never comes */
    ck_undecided(u5(&clean, LINES("policy {}", "> pull_request psn=0r rsn=-1024r len=4",
                                  "< back rbase=1r", "wait 1us", "barrier")),
                 1);
    ck_breaks(u5(&clean, LINES("policy {}", PUSH, PULL_1, "request 0r push 4",
                               "< back dbase=1r rbase=1r", "wait 1us", "barrier")),
              "FTP-8.5.3.1-06", 1);
}
END_TEST

/* An RSN below the first of all may be taken for one that is over, also without order. */
START_TEST(FTP_8_5_2_03_below_the_first_of_all)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    ck_undecided(script_run("U5", &clean, &c,
                            LINES("policy {}", "> pull_request psn=0r rsn=-256r len=4",
                                  "< back rbase=1r", "wait 1us", "barrier")),
                 1);
    ck_breaks(script_run("U5", &clean, &c,
                         LINES("policy {}", "> pull_request psn=0r rsn=256r len=4",
                               "< back rbase=1r", "wait 1us", "barrier")),
              "FTP-8.5.2-03", 1);
}
END_TEST

/* Half of the numbers above the first of all is as far above as below. */
START_TEST(FTP_8_5_2_03_as_far_above_as_below)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    ck_undecided(script_run("U5", &clean, &c,
                            LINES("policy {}", "> push_data psn=0r rsn=2147483647r len=0",
                                  "> pull_request psn=0r rsn=2147483648r len=4",
                                  "< back rbase=1r", "wait 1us", "barrier")),
                 1);
}
END_TEST

/* AMB-48: an RSN that a Resync replaced holds up nothing. */
START_TEST(FTP_9_2_5_07_after_a_resync)
{
    ck_breaks(u5(&clean, LINES("policy {}", "> resync psn=0r rsn=0r code=3 of=push_data",
                               PULL_1, "< back dbase=1r rbase=1r", "wait 1us", "barrier")),
              "FTP-9.2.5-07", 1);
}
END_TEST

START_TEST(silence_says_nothing)
{
    ck_undecided(u5(&lossy, LINES("policy {}", PUSH, "< back dbase=1r")), 1);
    /* a Resync of it may have gone unseen */
    ck_undecided(
        u5(&lossy, LINES("policy {}", PUSH, "mark gap_in 1", "< back dbase=1r", "barrier")), 1);
    ck_breaks(
        u5(&lossy, LINES("policy {}", "mark gap_in 1", PUSH, "< back dbase=1r", "barrier")),
        "FTP-8.5.3.3-06", 1);
    ck_undecided(u5(&lossy, LINES("policy {}", "dropped", PUSH, "< back dbase=1r", "barrier")),
                 1);
    ck_undecided(
        u5(&lossy, LINES("policy {}", PUSH, "barrier", "< back dbase=1r", "mark barrier")),
        1); /* asked for before */
    ck_holds(u5(&lossy, LINES("policy {}", PUSH, "> resync psn=0r rsn=0r code=3 of=push_data",
                              "< back dbase=1r", "barrier")),
             0);
    ck_holds(u5(&lossy, LINES("policy {}", PUSH, "< back dbase=1r",
                              "> resync psn=0r rsn=0r code=3 of=push_data", "barrier")),
             0);
    ck_holds(u5(&lossy, LINES(PUSH, "< back dbase=1r")), 0); /* deliveries are not observed */
}
END_TEST

/* A pull that waited for its turn for too long was given up (6.4). */
START_TEST(what_was_given_up_is_not_delivered)
{
    ck_undecided(u5(&clean, LINES("policy {}", PULL_1, "< back rbase=1r", "wait 1s",
                                  "> resync psn=0r rsn=0r code=4 of=push_data",
                                  "< back dbase=1r rbase=1r", "wait 1us", "barrier")),
                 1);
    ck_breaks(u5(&clean, LINES("policy {}", PULL_1, "< back rbase=1r", "wait 900ms",
                               "> resync psn=0r rsn=0r code=4 of=push_data",
                               "< back dbase=1r rbase=1r", "wait 1us", "barrier")),
              "FTP-9.2.5-07", 1);
}
END_TEST

/* ---- U6 ---- */

#define LATER "+1s > back"

static struct outcome u6(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("U6", kind, lines);
}

START_TEST(acknowledged_within_the_timeout)
{
    ck_holds(u6(&clean, LINES(PUSH, "respond 0r ack", "+8us < back dbase=1r", LATER)), 1);
    ck_holds(u6(&clean,
                LINES(PUSH, PUSH_1, "respond 1r ack", "+8us < eack dack=0b10 drx=0b11", LATER)),
             1);
    ck_holds(u6(&lossy, LINES(PUSH, "respond 0r ack", "+8ms < back dbase=1r")), 1);
}
END_TEST

START_TEST(FTP_8_5_3_3_09_not_acknowledged)
{
    ck_breaks(u6(&clean, LINES(PUSH, "respond 0r ack", LATER)), "FTP-8.5.3.3-09", 1);
    ck_breaks(u6(&clean, LINES(PUSH, "respond 0r ack", "+9us < back dbase=1r")),
              "FTP-8.5.3.3-09", 1);
    ck_breaks(u6(&clean, LINES(PUSH, PUSH_1, "respond 1r ack", "+8us < eack drx=0b11", LATER)),
              "FTP-8.5.3.3-09", 1);
}
END_TEST

START_TEST(why_it_may_not_be)
{
    ck_excused(u6(&lossy, LINES(PUSH, "respond 0r ack", LATER)), FAL_EXCUSE_OUT_LOSS, 1);
    ck_undecided(u6(&clean, LINES(PUSH, "respond 0r ack", "mark gap_out 1", LATER)), 1);
    ck_holds(u6(&clean, LINES(PUSH, "respond 0r rnr 10us", LATER)), 0);
    ck_holds(u6(&clean, LINES(PUSH, "respond 0r ack failed", LATER)), 0);
    ck_holds(u6(&clean, LINES("> pull_request psn=0r rsn=0r len=4", "respond 0r ack", LATER)),
             0);
    ck_undecided(u6(&clean, LINES(PUSH, "respond 0r ack")), 1); /* not over yet */
    /* it was given up before it was answered */
    ck_holds(u6(&clean, LINES(PUSH, "wait 1s", "respond 0r ack", LATER)), 0);
}
END_TEST

/* An upper layer that answers by itself, at a time that is known. */
START_TEST(FTP_8_5_3_3_09_taken_by_itself)
{
    ck_breaks(u6(&clean, LINES(PUSH, "within 1us", "ulp_ack 0r ack", LATER)), "FTP-8.5.3.3-09",
              1);
    ck_breaks(u6(&clean, LINES(PUSH, "within 1us", "ulp_ack 0r ack", "+9us < back dbase=1r")),
              "FTP-8.5.3.3-09", 1);
    ck_holds(u6(&clean, LINES(PUSH, "ulp_ack 0r ack", LATER)), 0); /* its time is not known */
    /* its word alone proves nothing, before the tester held an answer */
    ck_undecided(
        u6(&clean, LINES(PUSH, "within 1us", "ulp_ack 0r ack", "+8us < back dbase=1r", LATER)),
        1);
    ck_holds(u6(&clean, LINES(PUSH, "respond 0r ack", "+8us < back dbase=1r", PUSH_1,
                              "within 1us", "ulp_ack 1r ack", "+8us < back dbase=2r", LATER)),
             2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules U3 to U6");
    TCase *tc = tcase_create("U3 to U6");

    tcase_add_test(tc, in_rsn_order);
    tcase_add_test(tc, FTP_8_5_2_01_out_of_order);
    tcase_add_test(tc, FTP_8_5_2_01_before_a_lower_rsn_was_sent);
    tcase_add_test(tc, FTP_8_5_2_02_pushes_and_pulls_together);
    tcase_add_test(tc, where_order_says_nothing);
    tcase_add_test(tc, taken_first);
    tcase_add_test(tc, FTP_8_1_06_acknowledged_first);
    tcase_add_test(tc, FTP_8_1_06_a_step_of_the_clock);
    tcase_add_test(tc, no_stamp_no_order);
    tcase_add_test(tc, delivered);
    tcase_add_test(tc, FTP_8_5_3_3_06_a_push_is_not);
    tcase_add_test(tc, FTP_8_5_2_03_a_pull_waits_for_an_rsn);
    tcase_add_test(tc, FTP_8_5_3_1_06_a_pull_is_not);
    tcase_add_test(tc, an_ordered_pull_waits_for_earlier_ones);
    tcase_add_test(tc, FTP_9_2_5_07_after_a_resync);
    tcase_add_test(tc, silence_says_nothing);
    tcase_add_test(tc, what_was_given_up_is_not_delivered);
    tcase_add_test(tc, acknowledged_within_the_timeout);
    tcase_add_test(tc, FTP_8_5_3_3_09_not_acknowledged);
    tcase_add_test(tc, FTP_8_5_3_3_09_taken_by_itself);
    tcase_add_test(tc, why_it_may_not_be);
    tcase_add_test(tc, FTP_8_5_2_03_below_the_first_of_all);
    tcase_add_test(tc, FTP_8_5_2_03_as_far_above_as_below);
    suite_add_tcase(suite, tc);
    return suite;
}
