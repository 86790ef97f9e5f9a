/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome a5(const struct kind *kind, const char *const *lines)
{
    return judged("A5", kind, lines);
}

START_TEST(a_current_base_holds)
{
    ck_holds(a5(&clean, LINES("> pull_request psn=0r rsn=0r len=4", "request 0r pull 4",
                              "+1us < pull_data psn=0r rsn=0r payload_len=4 dbase=0r rbase=1r",
                              "+1us < push_data psn=1r rsn=0r len=4 dbase=0r rbase=1r")),
             2);
    /* what lies above the base it cannot show */
    ck_holds(a5(&clean, LINES("> pull_request psn=0r rsn=0r len=4",
                              "> pull_request psn=1r rsn=1r len=4", "request 1r pull 4",
                              "+1us < push_data psn=0r rsn=0r len=4 dbase=0r rbase=0r")),
             0);
}
END_TEST

START_TEST(FTP_9_1_6_04_piggyback_with_an_old_base)
{
    ck_breaks(
        a5(&clean, LINES("> pull_request psn=0r rsn=0r len=4", "request 0r pull 4",
                         "+1us < pull_data psn=0r rsn=0r payload_len=4 dbase=0r rbase=0r")),
        "FTP-9.1.6-04", 1);
    ck_breaks(a5(&clean,
                 LINES("> push_data psn=0r rsn=0r len=4", "request 0r push 4", "respond 0r ack",
                       "+1us < push_data psn=0r rsn=0r len=4 dbase=0r rbase=0r")),
              "FTP-9.1.6-04", 1);
    /* a Resync carries bases too */
    ck_breaks(a5(&clean,
                 LINES("> push_data psn=0r rsn=0r len=4", "request 0r push 4", "respond 0r ack",
                       "+1us < resync psn=0r rsn=0r code=cie of=push_data dbase=0r rbase=0r")),
              "FTP-9.1.6-04", 1);
}
END_TEST

START_TEST(only_after_it_surely)
{
    ck_holds(a5(&udp, LINES("> pull_request psn=0r rsn=0r len=4", "request 0r pull 4",
                            "+900ms < push_data psn=0r rsn=0r len=4 dbase=0r rbase=0r")),
             0);
    ck_holds(a5(&clean,
                LINES("> push_data psn=0r rsn=0r len=4", "request 0r push 4", "respond> 0r ack",
                      "+1us < push_data psn=0r rsn=0r len=4 dbase=0r rbase=0r", "respond<")),
             0);
}
END_TEST

START_TEST(acks_are_not_its_matter)
{
    ck_holds(a5(&clean, LINES("> pull_request psn=0r rsn=0r len=4", "request 0r pull 4",
                              "+1us < back dbase=0r rbase=0r")),
             0);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.req_psn = 0xffffffff;
    ck_holds(script_run("A5", &clean, &c,
                        LINES("> pull_request psn=0r rsn=0r len=4", "request 0r pull 4",
                              "+1us < push_data psn=0r rsn=0r len=4 dbase=0r rbase=1r")),
             1);
    ck_breaks(script_run("A5", &clean, &c,
                         LINES("> pull_request psn=0r rsn=0r len=4", "request 0r pull 4",
                               "+1us < push_data psn=0r rsn=0r len=4 dbase=0r rbase=0r")),
              "FTP-9.1.6-04", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule A5");
    TCase *tc = tcase_create("A5");

    tcase_add_test(tc, a_current_base_holds);
    tcase_add_test(tc, FTP_9_1_6_04_piggyback_with_an_old_base);
    tcase_add_test(tc, only_after_it_surely);
    tcase_add_test(tc, acks_are_not_its_matter);
    tcase_add_test(tc, wrap_around);
    suite_add_tcase(suite, tc);
    return suite;
}
