/* SPDX-License-Identifier: Apache-2.0
 * s1_cause_of_its_code_test.c - S1, the cause of a Resync, and S2, its content. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH "< push_data psn=0r rsn=0r len=4"
#define PULL "< pull_request psn=0r rsn=1r len=4"

static struct outcome s1(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("S1", kind, lines);
}

START_TEST(after_its_nack)
{
    ck_holds(s1(&lossy, LINES(PUSH, "> nack nack_psn=0r code=6 w=data",
                              "< resync psn=0r rsn=0r code=1 of=push_data",
                              "< resync psn=0r rsn=0r code=1 of=push_data")),
             1);
    ck_holds(s1(&lossy, LINES(PULL, "> nack nack_psn=0r code=4 w=req",
                              "< resync psn=0r rsn=1r code=5 of=pull_request")),
             1);
    /* a Resync of a pull in the data window (AMB-13) answers the NACK of its packet */
    ck_holds(s1(&lossy, LINES(PULL, "> nack nack_psn=0r code=4 w=req",
                              "< resync psn=2100 rsn=1r code=5 of=pull_request")),
             1);
    /* the packet was not seen, the NACK was */
    ck_holds(s1(&lossy, LINES("> nack nack_psn=0r code=6 w=data",
                              "< resync psn=0r rsn=0r code=1 of=push_data")),
             1);
}
END_TEST

START_TEST(FTP_9_2_4_11_without_its_nack)
{
    static const struct {
        const char *resync, *requirement;
    } rows[] = {
        {"< resync psn=0r rsn=0r code=1 of=push_data", "FTP-9.2.4-11"},
        {"< resync psn=0r rsn=0r code=5 of=push_data", "FTP-9.2.4-10"},
        {"< resync psn=0r rsn=0r code=6 of=push_data", "FTP-9.2.4-13"},
        {"< resync psn=0r rsn=0r code=7 of=push_data", "FTP-9.2.4-15"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_breaks(s1(&lossy, LINES(PUSH, rows[i].resync)), rows[i].requirement, 1);
        /* that of another packet, or another code, or too late */
        ck_breaks(s1(&lossy, LINES(PUSH, "> nack nack_psn=1r code=6 w=data",
                                   "> nack nack_psn=0r code=2 rnr=10us w=data", rows[i].resync,
                                   "> nack nack_psn=0r code=6 w=data")),
                  rows[i].requirement, 1);
    }
}
END_TEST

START_TEST(FTP_9_2_4_08_for_lack_of_resources)
{
    ck_breaks(s1(&lossy, LINES(PUSH, "> nack nack_psn=0r code=1 w=data",
                               "< resync psn=0r rsn=0r code=1 of=push_data")),
              "FTP-9.2.4-08", 1);
}
END_TEST

START_TEST(FTP_11_07_before_the_attempts_are_used_up)
{
    const char *late = "+7ms < resync psn=0r rsn=0r code=3 of=push_data";
    const char *early = "+6ms < resync psn=0r rsn=0r code=3 of=push_data";

    ck_holds(s1(&clean, LINES(PUSH, late)), 1);
    ck_breaks(s1(&clean, LINES(PUSH, early)), "FTP-11-07", 1);
    /* each of the seven timeouts may be 5 % early */
    ck_holds(s1(&clean, LINES(PUSH, "+6650us < resync psn=0r rsn=0r code=3 of=push_data")), 1);
    ck_breaks(s1(&clean, LINES(PUSH, "+6649us < resync psn=0r rsn=0r code=3 of=push_data")),
              "FTP-11-07", 1);
    ck_excused(s1(&lossy, LINES(PUSH, early)), FAL_EXCUSE_OUT_LOSS, 1);
    ck_undecided(s1(&clean, LINES(PUSH, "mark clock_step", early)), 1);
    /* an RNR changes the timeout */
    ck_undecided(s1(&clean, LINES(PUSH, "> nack nack_psn=0r code=2 rnr=10us w=data", early)),
                 1);
}
END_TEST

START_TEST(what_cannot_be_seen)
{
    ck_undecided(s1(&clean, LINES(PUSH, "< resync psn=0r rsn=0r code=4 of=push_data")), 1);
    ck_undecided(
        s1(&clean, LINES(PUSH, "mark gap_in 1", "< resync psn=0r rsn=0r code=1 of=push_data")),
        1);
    ck_undecided(s1(&capture, LINES(PUSH, "< resync psn=0r rsn=0r code=1 of=push_data")), 1);
    /* a gap before the packet was sent hides no NACK of it */
    ck_breaks(
        s1(&clean, LINES("mark gap_in 1", PUSH, "< resync psn=0r rsn=0r code=1 of=push_data")),
        "FTP-9.2.4-11", 1);
}
END_TEST

START_TEST(what_was_not_given_does_not_convict)
{
    struct fal_connection c = script_connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_rto);
    ck_undecided(script_run("S1", &clean, &c,
                            LINES(PUSH, "+1us < resync psn=0r rsn=0r code=3 of=push_data")),
                 1);
}
END_TEST

/* ---- S2 ---- */

static struct outcome s2(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("S2", kind, lines);
}

START_TEST(a_resync_of_the_same_packet)
{
    ck_holds(s2(&udp, LINES(PUSH, "< resync psn=0r rsn=0r code=1 of=push_data",
                            "< resync psn=0r rsn=0r code=1 of=push_data")),
             2);
    ck_holds(s2(&udp, LINES(PULL, "< resync psn=0r rsn=1r code=3 of=pull_request")), 1);
}
END_TEST

START_TEST(FTP_9_1_8_03_other_numbers)
{
    ck_breaks(s2(&udp, LINES(PUSH, "< resync psn=1r rsn=0r code=1 of=push_data")),
              "FTP-9.1.8-03", 1);
    ck_breaks(s2(&udp, LINES(PUSH, "< resync psn=0r rsn=1r code=1 of=push_data")),
              "FTP-9.1.8-03", 1);
    ck_breaks(s2(&udp, LINES("> pull_request psn=0r rsn=5r len=64",
                             "< pull_data psn=0r rsn=5r payload_len=64",
                             "< resync psn=0r rsn=6r code=3 of=pull_data")),
              "FTP-9.1.8-03", 1);
}
END_TEST

START_TEST(FTP_9_1_8_04_another_type)
{
    ck_breaks(judged("S2", &udp,
                     LINES("> pull_request psn=0r rsn=0r len=64", PUSH,
                           "< resync psn=0r rsn=6000 code=1 of=pull_data")),
              "FTP-9.1.8-04", 1);
}
END_TEST

/* AMB-52: nothing was ever sent with that number. */
START_TEST(FTP_9_1_8_03_of_nothing)
{
    const char *resync = "< resync psn=0r rsn=0r code=1 of=push_data";

    ck_breaks(s2(&clean, LINES(resync)), "FTP-9.1.8-03", 1);
    ck_excused(s2(&lossy, LINES(resync)), FAL_EXCUSE_OUT_LOSS, 1);
    ck_excused(s2(&jitter, LINES(resync)), FAL_EXCUSE_OUT_REORDER, 1);
    ck_undecided(s2(&capture, LINES(resync)), 1);
    ck_undecided(s2(&clean, LINES("< resync psn=0r rsn=0r code=2 of=push_data")), 1);
}
END_TEST

/* A Resync of a pull_request in the data window: always, or never. */
START_TEST(reading_amb_13)
{
    const char *other = "< resync psn=3r rsn=1r code=4 of=pull_request";
    struct outcome o = s2(&udp, LINES(PULL, other));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    o = s2(&udp, LINES(PULL, "< resync psn=0r rsn=1r code=3 of=pull_request", other));
    ck_breaks(o, "FTP-9.1.8-03", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3); /* the one that told the reading */
}
END_TEST

/* A pull request that a filter dropped has no PSN but that of its Resync. */
START_TEST(reading_amb_13_of_a_pull_that_was_never_sent)
{
    const char *dropped = "< resync psn=0r rsn=1r code=2 of=pull_request";

    ck_excused(s2(&udp, LINES(dropped, dropped, "< pull_request psn=1r rsn=2r len=4",
                              "< resync psn=5r rsn=2r code=4 of=pull_request")),
               FAL_EXCUSE_READING, 1);
}
END_TEST

START_TEST(FTP_7_6_04_code_2_needs_its_filter)
{
    struct fal_connection c = script_connection(&lossy);

    ck_breaks(s1(&lossy, LINES(PUSH, "< resync psn=0r rsn=0r code=2 of=push_data")),
              "FTP-7.6-04", 1);
    c.params.xlr_initiator = 6000; /* the first RSN */
    ck_holds(
        script_run("S1", &lossy, &c, LINES(PUSH, "< resync psn=0r rsn=0r code=2 of=push_data")),
        1);
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_xlr_initiator);
    ck_undecided(
        script_run("S1", &lossy, &c, LINES(PUSH, "< resync psn=0r rsn=0r code=2 of=push_data")),
        1);
}
END_TEST

START_TEST(FTP_7_6_06_code_4_needs_its_timeout)
{
    static const char post[] = "post 0r push 4",
                      resync[] = "+1us < resync psn=0r rsn=0r code=4 of=push_data",
                      take[] = "respond 5r data",
                      asked[] = "> pull_request psn=0r rsn=5r len=64",
                      data[] = "< pull_data psn=0r rsn=5r payload_len=64",
                      instead[] = "< resync psn=0r rsn=5r code=4 of=pull_data";
    struct fal_connection c = script_connection(&lossy);

    ck_breaks(s1(&lossy, LINES(post, PUSH, resync)), "FTP-7.6-06", 1);
    ck_breaks(s1(&lossy, LINES(post, PUSH, "wait 900ms", resync)), "FTP-7.6-06", 1);
    ck_holds(s1(&lossy, LINES(post, PUSH, "wait 1s", resync)), 1);
    ck_holds(s1(&lossy, LINES(post, "wait 900ms", PUSH, "wait 100ms", resync)), 1);
    ck_breaks(s1(&lossy, LINES(asked, take, data, "wait 900ms", instead)), "FTP-7.6-06", 1);
    ck_holds(s1(&lossy, LINES(asked, take, "wait 900ms", data, "wait 100ms", instead)), 1);
    /* nobody knows when it began, or how long it may take */
    ck_undecided(s1(&lossy, LINES(PUSH, resync)), 1);
    ck_undecided(s1(&lossy, LINES("post 1r push 4", PUSH, resync)), 1);
    ck_undecided(s1(&lossy, LINES(asked, data, instead)), 1);
    ck_undecided(s1(&capture, LINES(asked, data, instead)), 1);
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_transaction_timeout);
    ck_undecided(script_run("S1", &lossy, &c, LINES(post, PUSH, resync)), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules S1 and S2");
    TCase *tc = tcase_create("S1 S2");

    tcase_add_test(tc, after_its_nack);
    tcase_add_test(tc, FTP_9_2_4_11_without_its_nack);
    tcase_add_test(tc, FTP_9_2_4_08_for_lack_of_resources);
    tcase_add_test(tc, FTP_11_07_before_the_attempts_are_used_up);
    tcase_add_test(tc, what_cannot_be_seen);
    tcase_add_test(tc, what_was_not_given_does_not_convict);
    tcase_add_test(tc, a_resync_of_the_same_packet);
    tcase_add_test(tc, FTP_9_1_8_03_other_numbers);
    tcase_add_test(tc, FTP_9_1_8_04_another_type);
    tcase_add_test(tc, FTP_9_1_8_03_of_nothing);
    tcase_add_test(tc, reading_amb_13);
    tcase_add_test(tc, reading_amb_13_of_a_pull_that_was_never_sent);
    tcase_add_test(tc, FTP_7_6_04_code_2_needs_its_filter);
    tcase_add_test(tc, FTP_7_6_06_code_4_needs_its_timeout);
    suite_add_tcase(suite, tc);
    return suite;
}
