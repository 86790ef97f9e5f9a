/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH     "> push_data psn=0r rsn=0r len=4"
#define PUSH_1   "> push_data psn=1r rsn=1r len=4"
#define PULL     "> pull_request psn=0r rsn=0r len=4"
#define RNR      "< nack nack_psn=0r code=2 rnr=20us w=data"
#define CIE      "< nack nack_psn=0r code=6 ulp_nack_code=9 w=data"
#define WITHHOLD "policy {\"do\": \"policy\", \"rules\": [{\"answer\": \"withhold\"}]}"

static struct outcome n2(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("N2", kind, lines);
}

START_TEST(as_the_upper_layer_said)
{
    ck_holds(n2(&udp, LINES(PUSH, "request 0r push 4", "respond 0r rnr 20us", RNR)), 1);
    ck_holds(n2(&udp, LINES(PUSH, "request 0r push 4", "respond 0r rnr 15us", RNR)), 1);
    ck_holds(n2(&udp, LINES(PUSH, "request 0r push 4", "respond 0r cie 9", CIE)), 1);
    ck_holds(n2(&udp, LINES(PUSH, "ulp_ack 0r cie 9", CIE)), 1);
    ck_holds(n2(&udp, LINES(PUSH, CIE, "ulp_ack 0r cie 9")), 1); /* read late */
    ck_holds(n2(&lossy, LINES(PUSH, RNR)), 1);                   /* answers are not observed */
    ck_holds(n2(&udp, LINES(PULL, "respond 0r data", "< nack nack_psn=0r code=1 w=req")), 1);
}
END_TEST

START_TEST(FTP_8_4_3_4_04_no_rnr_for_a_pull)
{
    ck_breaks(n2(&lossy, LINES(PULL, "< nack nack_psn=0r code=2 rnr=10us w=req")),
              "FTP-8.4.3.4-04", 1);
    ck_breaks(n2(&lossy, LINES(PULL, "< nack nack_psn=0r code=6 w=req")), "FTP-8.5.3.5-02", 1);
    ck_breaks(n2(&lossy, LINES(PULL, "< nack nack_psn=0r code=7 w=req")), "FTP-11-40", 1);
}
END_TEST

START_TEST(FTP_7_8_17_codes_that_pull_data_never_gets)
{
    static const struct {
        const char *nack, *requirement;
    } rows[] = {
        {"< nack nack_psn=0r code=1 w=data", "FTP-7.8-17"},
        {"< nack nack_psn=0r code=2 rnr=10us w=data", "FTP-7.8-18"},
        {"< nack nack_psn=0r code=6 w=data", "FTP-7.8-20"},
        {"< nack nack_psn=0r code=7 w=data", "FTP-7.8-21"},
        {"< nack nack_psn=0r code=8 w=data", "FTP-7.8-22"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_breaks(n2(&lossy, LINES("< pull_request psn=0r rsn=0r len=4",
                                   "> pull_data psn=0r rsn=0r payload_len=4", rows[i].nack)),
                  rows[i].requirement, 1);
}
END_TEST

/* The base stands at 0, so 128 lies beyond the window when it comes, 127 does not. */
START_TEST(reading_amb_12)
{
    static const char pull[] = "< pull_request psn=0r rsn=0r len=4";
    struct outcome o = n2(&lossy, LINES(pull, "> pull_data psn=128r rsn=0r payload_len=4",
                                        "< nack nack_psn=128r code=1 w=data"));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_breaks(n2(&lossy, LINES(pull, "> pull_data psn=127r rsn=0r payload_len=4",
                               "< nack nack_psn=127r code=1 w=data")),
              "FTP-7.8-17", 1);
    ck_breaks(n2(&lossy, LINES(pull, "> pull_data psn=128r rsn=0r payload_len=4",
                               "< nack nack_psn=128r code=6 w=data")),
              "FTP-7.8-20", 1);
    /* the window had moved before it was sent */
    ck_breaks(n2(&lossy, LINES("> push_data psn=0r rsn=0r len=4", pull, "< back dbase=1r",
                               "> pull_data psn=128r rsn=0r payload_len=4",
                               "< nack nack_psn=128r code=1 w=data")),
              "FTP-7.8-17", 1);
}
END_TEST

START_TEST(reading_amb_59)
{
    struct outcome o = n2(&lossy, LINES(PULL, "< nack nack_psn=0r code=8 w=req"));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
}
END_TEST

START_TEST(FTP_8_5_3_4_10_before_the_answer)
{
    ck_breaks(n2(&udp, LINES(WITHHOLD, PUSH, RNR)), "FTP-8.5.3.4-10", 1);
    ck_breaks(n2(&udp, LINES(PUSH, RNR, "respond 0r rnr 20us")), "FTP-8.5.3.4-10", 1);
    ck_breaks(n2(&udp, LINES(PUSH, RNR, "respond 0r ack")), "FTP-8.5.3.4-10", 1);
    ck_breaks(n2(&udp, LINES(PUSH, CIE, "respond 0r rnr 20us")), "FTP-8.5.3.5-04", 1);
    ck_breaks(n2(&udp, LINES(PUSH, "< nack nack_psn=0r code=7 w=data", "respond 0r nre")),
              "FTP-11-37", 1);
    ck_breaks(n2(&udp, LINES(PUSH, "< nack nack_psn=0r code=8 w=data", "respond 0r cid")),
              "FTP-11-38", 1);
    /* another answer was given before */
    ck_breaks(n2(&udp, LINES(PUSH, "respond 0r rnr 20us", CIE, "respond 0r ack")),
              "FTP-8.5.3.5-04", 1);
}
END_TEST

/* A SUT that reports its answers reported none that fits. */
START_TEST(FTP_8_5_3_5_04_at_the_barrier)
{
    ck_breaks(n2(&udp, LINES(PUSH, PUSH_1, "ulp_ack 1r ack", CIE, "barrier")), "FTP-8.5.3.5-04",
              1);
    ck_undecided(n2(&udp, LINES(PUSH, PUSH_1, "ulp_ack 1r ack", CIE)), 1);
    ck_undecided(n2(&udp, LINES(PUSH, "respond 1r ack", CIE, "barrier")), 1);
    /* every delivery has another answer */
    ck_breaks(n2(&udp, LINES(PUSH, "request 0r push 4", "respond 0r ack", CIE, "barrier")),
              "FTP-8.5.3.5-04", 1);
    ck_undecided(n2(&udp, LINES(PUSH, PUSH_1, "ulp_ack 1r ack", "dropped", CIE, "barrier")), 1);
}
END_TEST

START_TEST(an_answer_that_was_not_applied_is_open)
{
    ck_undecided(n2(&udp, LINES(PUSH, RNR, "respond 0r ack failed")), 1);
    /* or was written before the NACK, and may have been applied after it */
    ck_undecided(n2(&udp, LINES(PUSH, "respond> 0r ack", CIE, "respond<")), 1);
    /* what comes after the barrier was asked for is not covered by it */
    ck_undecided(
        n2(&udp, LINES(PUSH, PUSH_1, "ulp_ack 1r ack", "barrier", CIE, "mark barrier")), 1);
}
END_TEST

/* Answers that are read late, or that were before the capture. */
START_TEST(FTP_8_5_3_4_10_a_follower_of_an_rnr_that_is_read_late)
{
    struct fal_connection c = script_connection(&udp);
    const char *const *late = LINES(PUSH, PUSH_1, "< nack nack_psn=1r code=2 rnr=20us w=data",
                                    "request 0r push 4", "ulp_ack 0r rnr", "barrier");

    ck_holds(script_run("N2", &udp, &c, late), 1);
    c.params.ordered = false;
    ck_breaks(script_run("N2", &udp, &c, late), "FTP-8.5.3.4-10", 1);
}
END_TEST

START_TEST(an_answer_from_before_the_capture)
{
    ck_undecided(n2(&capture, LINES("> push_data psn=9r rsn=9r len=4",
                                    "< nack nack_psn=9r code=6 ulp_nack_code=9 w=data",
                                    "ulp_ack 20r cie 9", "barrier")),
                 1);
}
END_TEST

START_TEST(FTP_9_1_7_05_what_the_upper_layer_gave)
{
    ck_breaks(n2(&clean, LINES(PUSH, "respond 0r rnr 1ms", RNR)), "FTP-9.1.7-05", 1);
    ck_breaks(n2(&clean, LINES(PUSH, "respond 0r rnr 10us", RNR)), "FTP-9.1.7-05", 1);
    ck_breaks(n2(&clean, LINES(PUSH, "respond 0r rnr 30us", RNR)), "FTP-9.1.7-05", 1);
    ck_breaks(n2(&udp, LINES(PUSH, "respond 0r cie 8", CIE)), "FTP-9.1.7-05", 1);
    ck_breaks(n2(&udp, LINES(PUSH, "ulp_ack 0r cie 8", CIE)), "FTP-9.1.7-05", 1);
    /* a copy may have brought it again, and its upper layer given another answer: known at the
     * barrier */
    ck_undecided(n2(&udp, LINES(PUSH, "request 0r push 4", "respond 0r rnr 1ms", RNR)), 1);
    ck_undecided(
        n2(&clean, LINES(PUSH, "request 0r push 4", "respond 0r rnr 1ms", ("+1us " PUSH), RNR)),
        1);
    ck_breaks(n2(&udp, LINES(PUSH, "request 0r push 4", "respond 0r rnr 1ms", RNR, "barrier")),
              "FTP-9.1.7-05", 1);
    ck_holds(n2(&udp, LINES(PUSH, "request 0r push 4", "respond 0r rnr 1ms", RNR,
                            "request 0r push 4 again", "ulp_ack 0r rnr", "barrier")),
             1);
    /* either of two answers */
    ck_holds(n2(&udp, LINES(PUSH, "respond 0r rnr 1ms", "respond 0r rnr 20us", RNR)), 1);
    /* also when a later RSN is so far ahead that the request is forgotten */
    ck_holds(n2(&clean, LINES(PUSH, "> push_data psn=1r rsn=900r len=4", "ulp_ack 0r rnr",
                              "respond 0r rnr 1ms", RNR)),
             1);
}
END_TEST

/* A follower of an RNR is RNRed without its upper layer, if the connection is ordered. */
START_TEST(reading_amb_49_followers)
{
    struct fal_connection c = script_connection(&udp);
    const char *const *lines = LINES(WITHHOLD, PUSH, PUSH_1, "respond 0r rnr 20us",
                                     "< nack nack_psn=1r code=2 rnr=20us w=data");

    ck_holds(script_run("N2", &udp, &c, lines), 1);
    c.params.ordered = false;
    ck_breaks(script_run("N2", &udp, &c, lines), "FTP-8.5.3.4-10", 1);
}
END_TEST

/* Until the upper layer accepts the earlier one (8.5.3.4). */
START_TEST(FTP_8_5_3_4_10_no_follower_after_the_acceptance)
{
#define ACCEPTED \
    WITHHOLD, PUSH, "respond 0r rnr 20us", RNR, PUSH, "respond 0r ack", "< back dbase=1r"
#define REFUSED "< nack dbase=1r nack_psn=1r code=2 rnr=20us w=data"
    ck_breaks(n2(&udp, LINES(ACCEPTED, PUSH_1, REFUSED)), "FTP-8.5.3.4-10", 1);
    /* it was sent before the SUT acknowledged the earlier one */
    ck_holds(n2(&udp, LINES(WITHHOLD, PUSH, "respond 0r rnr 20us", RNR, PUSH, PUSH_1,
                            "respond 0r ack", "< back dbase=1r", REFUSED)),
             2);
    /* a pull that was answered */
    ck_breaks(
        n2(&udp, LINES(WITHHOLD, PULL, "respond 0r rnr 20us", "wait 1ms", "respond 0r data 4",
                       "< pull_data psn=0r rsn=0r", "> push_data psn=0r rsn=1r len=4",
                       "< nack nack_psn=0r code=2 rnr=20us w=data")),
        "FTP-8.5.3.4-10", 1);
#undef ACCEPTED
#undef REFUSED
}
END_TEST

START_TEST(FTP_7_8_19_code_4_needs_its_filter)
{
    struct fal_connection c = script_connection(&clean);

    ck_breaks(n2(&clean, LINES(PUSH, "< nack nack_psn=0r code=4 w=data")), "FTP-7.8-19", 1);
    c.params.xlr_target = 3000; /* the first RSN */
    ck_holds(script_run("N2", &clean, &c, LINES(PUSH, "< nack nack_psn=0r code=4 w=data")), 1);
}
END_TEST

START_TEST(FTP_11_21_what_the_filter_matches_is_not_delivered)
{
    struct fal_connection c = script_connection(&clean);

    c.params.xlr_target = 3000;
    ck_breaks(script_run("N2", &clean, &c, LINES(PUSH, "request 0r push 4")), "FTP-11-21", 1);
    ck_holds(script_run("N2", &clean, &c, LINES(PUSH, PUSH_1, "request 1r push 4")), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule N2");
    TCase *tc = tcase_create("N2");

    tcase_add_test(tc, as_the_upper_layer_said);
    tcase_add_test(tc, FTP_8_4_3_4_04_no_rnr_for_a_pull);
    tcase_add_test(tc, FTP_7_8_17_codes_that_pull_data_never_gets);
    tcase_add_test(tc, reading_amb_12);
    tcase_add_test(tc, reading_amb_59);
    tcase_add_test(tc, FTP_8_5_3_4_10_before_the_answer);
    tcase_add_test(tc, FTP_8_5_3_5_04_at_the_barrier);
    tcase_add_test(tc, an_answer_that_was_not_applied_is_open);
    tcase_add_test(tc, FTP_8_5_3_4_10_a_follower_of_an_rnr_that_is_read_late);
    tcase_add_test(tc, FTP_8_5_3_4_10_no_follower_after_the_acceptance);
    tcase_add_test(tc, an_answer_from_before_the_capture);
    tcase_add_test(tc, FTP_9_1_7_05_what_the_upper_layer_gave);
    tcase_add_test(tc, reading_amb_49_followers);
    tcase_add_test(tc, FTP_7_8_19_code_4_needs_its_filter);
    tcase_add_test(tc, FTP_11_21_what_the_filter_matches_is_not_delivered);
    suite_add_tcase(suite, tc);
    return suite;
}
