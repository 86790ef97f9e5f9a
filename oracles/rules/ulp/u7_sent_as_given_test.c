/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome u7(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("U7", kind, lines);
}

START_TEST(FTP_8_1_02_as_it_was_given)
{
    ck_holds(u7(&lossy, LINES("post 0r push 4", "< push_data psn=0r rsn=0r len=4",
                              "post 1r pull 9", "< pull_request psn=0r rsn=1r len=9")),
             2);
    /* the reply came after the packet */
    ck_holds(u7(&lossy, LINES("< push_data psn=0r rsn=0r len=4", "post 0r push 4")), 1);
    ck_holds(u7(&lossy, LINES("post 0r push 4 failed", "< push_data psn=0r rsn=0r len=5")), 0);
    ck_holds(u7(&lossy, LINES("post 0r push 4")), 0);
}
END_TEST

START_TEST(FTP_8_1_02_another_request_length)
{
    ck_breaks(u7(&lossy, LINES("post 0r pull 9", "< pull_request psn=0r rsn=0r len=8")),
              "FTP-8.1-02", 1);
}
END_TEST

START_TEST(FTP_7_5_05_another_length_or_payload)
{
    ck_breaks(u7(&lossy, LINES("post 0r push 4", "< push_data psn=0r rsn=0r len=5")),
              "FTP-7.5-05", 1);
    ck_breaks(
        u7(&lossy, LINES("post 0r push 40", "payload 7", "< push_data psn=0r rsn=0r len=40")),
        "FTP-7.5-05", 1);
    ck_breaks(
        u7(&lossy, LINES("payload 7", "< push_data psn=0r rsn=0r len=40", "post 0r push 40")),
        "FTP-7.5-05", 1);
    /* what was captured short says nothing of its payload */
    ck_undecided(u7(&lossy, LINES("post 0r push 40", "payload 7", "truncated",
                                  "< push_data psn=0r rsn=0r len=40")),
                 1);
}
END_TEST

/* A post that is refused gives its RSN back, and the reply to the next one may be read late. */
START_TEST(the_rsn_of_a_refused_post_is_another_s)
{
    ck_holds(u7(&lossy, LINES("post 0r push 4", "post> 0r push 9",
                              "< push_data psn=0r rsn=0r len=9", "post< 0r", "done 0r")),
             1);
    ck_holds(u7(&lossy, LINES("post 0r push 4", "done 0r 11", "post 0r push 9",
                              "< push_data psn=0r rsn=0r len=9")),
             1);
    ck_holds(u7(&lossy, LINES("post 0r push 4", "post> 0r push 9",
                              "< push_data psn=0r rsn=0r len=9", "done 0r 12", "post< 0r")),
             1);
    /* another completion gives nothing back */
    ck_breaks(
        u7(&lossy, LINES("post 0r push 4", "post> 1r push 9", "< push_data psn=0r rsn=0r len=9",
                         "post< 1r", "> back dbase=1r", "done 0r")),
        "FTP-7.5-05", 1);
    ck_breaks(u7(&lossy,
                 LINES("post 0r push 4", "post 1r push 9", "< push_data psn=0r rsn=0r len=9")),
              "FTP-7.5-05", 1);
}
END_TEST

START_TEST(FTP_8_1_01_another_kind)
{
    ck_breaks(u7(&lossy, LINES("post 0r pull 4", "< push_data psn=0r rsn=0r len=4")),
              "FTP-8.1-01", 1);
}
END_TEST

#define PULL "> pull_request psn=0r rsn=0r len=40", "request 0r pull 40"

START_TEST(FTP_7_4_02_the_data_of_the_answer)
{
    ck_holds(u7(&lossy,
                LINES(PULL, "respond 0r data 40", "< pull_data psn=0r rsn=0r payload_len=40")),
             1);
    ck_breaks(u7(&lossy, LINES(PULL, "respond 0r data 40", "payload 7",
                               "< pull_data psn=0r rsn=0r payload_len=40")),
              "FTP-7.4-02", 1);
    ck_breaks(u7(&lossy,
                 LINES(PULL, "respond 0r data 30", "< pull_data psn=0r rsn=0r payload_len=40")),
              "FTP-8.1-03", 1);
    /* more than was asked for must not be sent whole (rule X1) */
    ck_holds(u7(&lossy,
                LINES(PULL, "respond 0r data 50", "< pull_data psn=0r rsn=0r payload_len=40")),
             0);
    ck_holds(u7(&lossy,
                LINES(PULL, "< pull_data psn=0r rsn=0r payload_len=0", "respond 0r data 50")),
             0);
    /* a Resync takes its place */
    ck_holds(u7(&lossy, LINES("post 0r push 4", "< resync psn=0r rsn=0r code=2 of=push_data")),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule U7");
    TCase *tc = tcase_create("U7");

    tcase_add_test(tc, FTP_8_1_02_as_it_was_given);
    tcase_add_test(tc, FTP_8_1_02_another_request_length);
    tcase_add_test(tc, FTP_7_5_05_another_length_or_payload);
    tcase_add_test(tc, the_rsn_of_a_refused_post_is_another_s);
    tcase_add_test(tc, FTP_8_1_01_another_kind);
    tcase_add_test(tc, FTP_7_4_02_the_data_of_the_answer);
    suite_add_tcase(suite, tc);
    return suite;
}
