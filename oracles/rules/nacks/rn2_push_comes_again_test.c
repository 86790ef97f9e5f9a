/* SPDX-License-Identifier: Apache-2.0
 * rn2_push_comes_again_test.c - RN2, that a push comes again, and RN3, that waiting is no
 * failed attempt.
 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH     "< push_data psn=0r rsn=0r len=4"
#define RNR      "> nack nack_psn=0r code=2 rnr=10.24ms w=data"
#define DOUBTFUL "step > nack nack_psn=0r code=2 rnr=10.24ms w=data reserved_3=1"
#define LATER    "+1s > back", "< back"

static struct outcome rn2(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("RN2", kind, lines);
}

START_TEST(it_comes_again)
{
    ck_holds(rn2(&clean, LINES(PUSH, RNR, "+10240us < push_data psn=0r rsn=0r len=4", LATER)),
             1);
    ck_holds(rn2(&lossy, LINES(PUSH, RNR, "+1s < push_data psn=0r rsn=0r len=4")), 1);
    ck_holds(rn2(&clean, LINES(PUSH, RNR, "< resync psn=0r rsn=0r code=3 of=push_data")), 1);
}
END_TEST

START_TEST(FTP_6_6_3_01_it_does_not)
{
    ck_breaks(rn2(&clean, LINES(PUSH, RNR, LATER)), "FTP-6.6.3-01", 1);
    ck_breaks(rn2(&clean, LINES(PUSH, RNR, "+30ms < push_data psn=0r rsn=0r len=4")),
              "FTP-6.6.3-01", 1);
}
END_TEST

/* A packet with a higher base may make the NACK stale, or the NACK may be dropped. */
START_TEST(FTP_6_6_3_01_a_nack_that_may_have_no_effect)
{
    const char *pull = "< pull_request psn=0r rsn=1r len=4", *base = "> back rbase=1r";

    ck_breaks(rn2(&lanes, LINES(PUSH, pull, RNR, "wait 6us", base, LATER)), "FTP-6.6.3-01", 1);
    ck_holds(rn2(&lanes, LINES(PUSH, pull, RNR, "wait 5us", base, LATER)), 0);
    ck_holds(rn2(&clean, LINES(PUSH, DOUBTFUL, LATER)), 0);
}
END_TEST

START_TEST(what_lets_it_wait)
{
    ck_undecided(rn2(&clean, LINES(PUSH, RNR, "+1ms < back", "+1s > back")), 1); /* dead */
    ck_undecided(rn2(&lossy, LINES(PUSH, RNR, LATER)), 1);
    ck_undecided(rn2(&jitter, LINES(PUSH, RNR, LATER)), 1); /* a newer ACK may have overtaken */
    ck_undecided(rn2(&clean, LINES(PUSH, RNR, "mark gap_out 1", LATER)), 1);
    /* the RTO is another one meanwhile */
    ck_undecided(
        rn2(&clean, LINES(PUSH, RNR, "set {\"params\": {\"rto_ns\": 9000000000}}", LATER)), 1);
    ck_holds(rn2(&clean, LINES(PUSH, RNR, "> back dbase=1r", LATER)), 0);
    ck_holds(rn2(&clean, LINES(PUSH, "< pull_request psn=0r rsn=1r len=4", "> back rbase=1r",
                               RNR, LATER)),
             0); /* stale */
    /* not at the base: the windows may hold it back */
    ck_undecided(
        rn2(&clean, LINES("< push_data psn=0r rsn=0r len=4", "< push_data psn=1r rsn=1r len=4",
                          "> nack nack_psn=1r code=2 rnr=20us w=data", LATER)),
        1);
    /* and before its time nothing is overdue */
    ck_undecided(rn2(&clean, LINES(PUSH, RNR, "+1ms > back")), 1);
}
END_TEST

/* Another push waits for its RNR delay, and takes the only place in ncwnd (9.1.2, 9.2.4). */
START_TEST(FTP_9_1_2_ncwnd_may_hold_it_back)
{
#define TAKEN                                                                    \
    PUSH, "< push_data psn=1r rsn=1r len=4", "> nack nack_psn=1r code=1 w=data", \
        "+100us < push_data psn=1r rsn=1r len=4",                                \
        "> nack nack_psn=1r code=2 rnr=655.36ms w=data"
    ck_undecided(rn2(&clean, LINES(TAKEN, RNR, "+40ms < back")), 2);
    ck_breaks(rn2(&clean, LINES(TAKEN, RNR, "+700ms < back")), "FTP-6.6.3-01", 1);
#undef TAKEN
}
END_TEST

START_TEST(reading_amb_58_behind_a_pull_that_ncwnd_holds_back)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines =
        LINES("< pull_request psn=0r rsn=0r len=4", "< pull_request psn=1r rsn=1r len=4",
              "< push_data psn=0r rsn=2r len=4", "@1ms < pull_request psn=0r rsn=0r len=4", RNR,
              "+40ms < pull_request psn=0r rsn=0r len=4");

    c.params.ncwnd = 1;
    ck_assert_int_eq(script_run("RN2", &clean, &c, lines).sut.verdict, FAL_VERDICT_WARN);
    c.params.ncwnd = 2;
    ck_breaks(script_run("RN2", &clean, &c, lines), "FTP-6.6.3-01", 1);
}
END_TEST

START_TEST(reading_amb_58_behind_a_pull_with_an_rnr_or_beyond_fcwnd)
{
    struct fal_connection c = script_connection(&clean);
#define PULL(n) "< pull_request psn=" #n "r rsn=" #n "r len=4"
    const char *const *nacked =
        LINES(PULL(0), "< push_data psn=0r rsn=1r len=4",
              "> nack nack_psn=0r code=2 rnr=655.36ms w=req", RNR, "+40ms < back");
    const char *const *beyond =
        LINES(PULL(0), PULL(1), "< push_data psn=0r rsn=2r len=4", RNR, "+40ms < back");

    ck_assert_int_eq(script_run("RN2", &clean, &c, nacked).sut.verdict, FAL_VERDICT_WARN);
    ck_breaks(script_run("RN2", &clean, &c, beyond), "FTP-6.6.3-01", 1);
    c.params.fcwnd = 1;
    ck_assert_int_eq(script_run("RN2", &clean, &c, beyond).sut.verdict, FAL_VERDICT_WARN);
    c.params.ordered = false;
    ck_breaks(script_run("RN2", &clean, &c, nacked), "FTP-6.6.3-01", 1);
    ck_breaks(script_run("RN2", &clean, &c, beyond), "FTP-6.6.3-01", 1);
#undef PULL
}
END_TEST

/* ---- RN3 ---- */

static struct outcome rn3(const struct kind *kind, const char *const *lines)
{
    struct fal_connection c = script_connection(kind);

    c.params.max_attempts = 2;
    return script_run("RN3", kind, &c, lines);
}

#define SHORT  "> nack nack_psn=0r code=2 rnr=20us w=data"
#define RESYNC "< resync psn=0r rsn=0r code=3 of=push_data"

START_TEST(as_many_timeouts_as_allowed)
{
    ck_holds(rn3(&clean, LINES(PUSH, SHORT, PUSH, PUSH, RESYNC)), 1);
    ck_holds(rn3(&lossy, LINES(PUSH, SHORT, PUSH, PUSH, RESYNC)), 1);
    ck_holds(rn3(&clean, LINES(PUSH, SHORT, PUSH, SHORT, PUSH, SHORT, PUSH)), 1);
}
END_TEST

START_TEST(reading_amb_15_rnrs_count)
{
    const char *const *lines = LINES(PUSH, SHORT, PUSH, SHORT, PUSH, RESYNC);

    ck_excused(rn3(&clean, lines), FAL_EXCUSE_READING, 1);
    ck_excused(rn3(&lossy, lines), FAL_EXCUSE_OUT_LOSS, 1);
}
END_TEST

START_TEST(FTP_11_07_too_few_in_any_reading)
{
    ck_breaks(rn3(&clean, LINES(PUSH, SHORT, RESYNC)), "FTP-11-07", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules RN2 and RN3");
    TCase *tc = tcase_create("RN2 RN3");

    tcase_add_test(tc, it_comes_again);
    tcase_add_test(tc, FTP_6_6_3_01_it_does_not);
    tcase_add_test(tc, what_lets_it_wait);
    tcase_add_test(tc, FTP_9_1_2_ncwnd_may_hold_it_back);
    tcase_add_test(tc, reading_amb_58_behind_a_pull_that_ncwnd_holds_back);
    tcase_add_test(tc, reading_amb_58_behind_a_pull_with_an_rnr_or_beyond_fcwnd);
    tcase_add_test(tc, as_many_timeouts_as_allowed);
    tcase_add_test(tc, reading_amb_15_rnrs_count);
    tcase_add_test(tc, FTP_11_07_too_few_in_any_reading);
    tcase_add_test(tc, FTP_6_6_3_01_a_nack_that_may_have_no_effect);
    suite_add_tcase(suite, tc);
    return suite;
}
