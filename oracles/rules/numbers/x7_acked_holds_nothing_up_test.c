/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome x7(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("X7", kind, lines);
}

#define FIRST "post 0r push 4", "< push_data psn=0r rsn=0r len=4"
#define DONE  "> back dbase=1r", "done 0r"
#define LATER "@20ms > back dbase=1r"

START_TEST(FTP_9_2_3_07_what_was_given_leaves)
{
    ck_holds(x7(&clean,
                LINES(FIRST, DONE, "post 1r push 4", "< push_data psn=1r rsn=1r len=4", LATER)),
             2);
    /* something is not acknowledged, or not complete */
    ck_holds(x7(&clean, LINES(FIRST, "post 1r push 4", LATER, "@40ms > back dbase=1r")), 1);
}
END_TEST

START_TEST(FTP_9_2_3_07_what_was_given_does_not_leave)
{
    struct outcome o = x7(&clean, LINES(FIRST, DONE, "post 1r push 4", LATER));

    ck_breaks(o, "FTP-9.2.3-07", 1);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "1r"));
    ck_holds(x7(&clean, LINES(FIRST, DONE, "post 1r push 4", "@1ms > back dbase=1r")), 1);
    /* on a path that may lose it nothing is known */
    ck_holds(x7(&lossy, LINES(FIRST, DONE, "post 1r push 4", LATER)), 0);
    ck_holds(x7(&clean, LINES(FIRST, DONE, "mark gap_out", "post 1r push 4", LATER)), 1);
    ck_holds(x7(&clean, LINES(FIRST, DONE, "post 1r push 4", "cm fatal", LATER)), 1);
}
END_TEST

START_TEST(FTP_9_2_3_12_what_was_accepted_is_accepted_again)
{
    ck_breaks(x7(&clean, LINES(FIRST, DONE, "wait 20ms", "post 1r push 4 failed")),
              "FTP-9.2.3-12", 1);
    ck_holds(x7(&clean, LINES(FIRST, DONE, "wait 20ms", "post 1r push 5 failed")), 1);
    ck_holds(x7(&clean, LINES(FIRST, DONE, "wait 20ms", "post 1r pull 4 failed")), 1);
    ck_holds(x7(&clean, LINES(FIRST, DONE, "post 1r push 4 failed")), 1);
    ck_holds(x7(&clean, LINES(FIRST, "wait 20ms", "post 1r push 4 failed")), 1);
}
END_TEST

/* A pool may belong to the whole device: another connection, or another user, may hold it. */
START_TEST(FTP_9_2_3_12_pools_may_be_shared)
{
    struct kind live = clean;
    struct fal_connection c = script_connection(&clean);
    struct fal_event other = {.kind = FAL_EV_CONNECTION, .conn = 2};
    const char *const *lines =
        LINES(FIRST, DONE, "wait 20ms", "post 1r push 4 failed", "close");
    struct script s;

    live.run.live = true;
    ck_holds(x7(&live, lines), 1);
    script_start(&s, &clean, &c);
    other.u.connection = c;
    other.u.connection.sut.cid += 7;
    other.u.connection.tester.cid += 7;
    script_add(&s, &other);
    for (; *lines != NULL; lines++)
        script_line(&s, *lines);
    ck_assert_int_lt(script_judge(s.events, json_array_size(s.events), "X7").verdict,
                     FAL_VERDICT_FAIL);
    json_decref(s.events);
}
END_TEST

/* Credits may be fewer, and packets paced. */
START_TEST(FTP_9_2_3_07_as_configured)
{
    struct fal_connection c = script_connection(&clean);

    c.params.fcwnd = 0;
    c.params.packet_gap_ns = 30 * FAL_MS;
    ck_holds(script_run("X7", &clean, &c, LINES(FIRST, DONE, "post 1r push 4", LATER)), 1);
    c.unknown_params = UINT64_C(1) << FAL_PARAM_AT_fcwnd;
    ck_holds(script_run("X7", &clean, &c, LINES(FIRST, DONE, "post 1r push 4", LATER)), 0);
}
END_TEST

#define PULL "> pull_request psn=0r rsn=0r len=40", "request 0r pull 40"

START_TEST(FTP_7_3_06_the_data_of_a_pull_leaves)
{
    ck_holds(x7(&clean,
                LINES(PULL, "respond 0r data 40", "< pull_data psn=0r rsn=0r payload_len=40")),
             1);
    ck_breaks(x7(&clean, LINES(PULL, "respond 0r data 40", "@20ms > back")), "FTP-7.3-06", 1);
    ck_holds(x7(&clean, LINES(PULL, "respond 0r ack", "@20ms > back")), 0);
    /* a target gives up what takes too long */
    ck_undecided(
        x7(&clean, LINES(PULL, "wait 990ms", "respond 0r data 40", "wait 20ms", "> back")), 1);
}
END_TEST

/* fcwnd is 2: two pushes are outstanding, and the pull waits for one of them. */
START_TEST(reading_amb_11_both_windows_share_fcwnd)
{
#define PUSHES                                                             \
    "post 0r push 4", "< push_data psn=0r rsn=0r len=4", "post 1r push 4", \
        "< push_data psn=1r rsn=1r len=4", "post 2r pull 4"
#define OTHER "< pull_request psn=0r rsn=2r len=4"
    struct fal_connection c = script_connection(&clean);
    const char *const *waits = LINES(PUSHES, "@5ms > back dbase=1r", OTHER);

    c.params.fcwnd = 2;
    ck_assert_int_eq(script_run("X7", &clean, &c, waits).sut.verdict, FAL_VERDICT_WARN);
    /* it does not wait; it leaves some time after the ACK; the ACK is of its own window, too */
    ck_assert_int_eq(script_run("X7", &clean, &c, LINES(PUSHES, OTHER)).sut.verdict,
                     FAL_VERDICT_PASS);
    ck_assert_int_eq(
        script_run("X7", &clean, &c, LINES(PUSHES, "@5ms > back dbase=1r", "wait 1ms", OTHER))
            .sut.verdict,
        FAL_VERDICT_PASS);
    /* the request before it was sent only now */
    ck_assert_int_eq(
        script_run("X7", &clean, &c,
                   LINES("post 0r push 4", "< push_data psn=0r rsn=0r len=4", "post 1r push 4",
                         "post 2r pull 4", "@5ms > back dbase=1r",
                         "< push_data psn=1r rsn=1r len=4", OTHER))
            .sut.verdict,
        FAL_VERDICT_PASS);
    /* together they hold less than fcwnd */
    c.params.fcwnd = 3;
    ck_assert_int_eq(script_run("X7", &clean, &c, waits).sut.verdict, FAL_VERDICT_PASS);
    /* ncwnd may hold it back */
    c.params.fcwnd = 2;
    c.params.ncwnd = 0;
    ck_assert_int_eq(script_run("X7", &clean, &c, waits).sut.verdict, FAL_VERDICT_PASS);
#undef PUSHES
#undef OTHER
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule X7");
    TCase *tc = tcase_create("X7");

    tcase_add_test(tc, FTP_9_2_3_07_what_was_given_leaves);
    tcase_add_test(tc, FTP_9_2_3_07_what_was_given_does_not_leave);
    tcase_add_test(tc, FTP_9_2_3_12_what_was_accepted_is_accepted_again);
    tcase_add_test(tc, FTP_9_2_3_12_pools_may_be_shared);
    tcase_add_test(tc, FTP_9_2_3_07_as_configured);
    tcase_add_test(tc, FTP_7_3_06_the_data_of_a_pull_leaves);
    tcase_add_test(tc, reading_amb_11_both_windows_share_fcwnd);
    suite_add_tcase(suite, tc);
    return suite;
}
