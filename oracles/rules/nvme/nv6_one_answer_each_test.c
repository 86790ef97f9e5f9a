/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define WRITE(n, tag, more) \
    "> push_data psn=" #n "r rsn=" #n "r / nvme write_request ifn=5 itag=" #tag " icmd=3 " more
#define READ(n, tag, more) \
    "> push_data psn=" #n "r rsn=" #n "r / nvme read_request ifn=5 itag=" #tag " icmd=3 " more
#define PULL(n, rsn, tag)                                                                \
    "< pull_request psn=" #n "r rsn=" #rsn "r len=4132 / nvme write_data_request ifn=5 " \
    "itag=" #tag " icmd=3 ttag=9"
#define DATA(n, rsn, tag)                                                               \
    "> pull_data psn=" #n "r rsn=" #rsn "r / nvme write_data_response ifn=5 itag=" #tag \
    " icmd=3 ttag=9 data=4096"
#define DONE(n, rsn, tag, more)                                                      \
    "< push_data psn=" #n "r rsn=" #rsn "r / nvme write_completion ifn=5 itag=" #tag \
    " icmd=3 " more
#define ANSWER(n, rsn, tag, more)                                                 \
    "< push_data psn=" #n "r rsn=" #rsn "r / nvme read_response ifn=5 itag=" #tag \
    " icmd=3 " more

static struct outcome nv6(const struct kind *kind, const char *const *lines)
{
    return judged("NV6", kind, lines);
}

START_TEST(NVME_6_3_02_a_write_is_pulled_and_completed)
{
    ck_holds(
        nv6(&clean, LINES(WRITE(0, 1, ""), PULL(0, 0, 1), DATA(1, 0, 1), DONE(0, 1, 1, ""))),
        2);
    /* an error needs no data (AMB-N23) */
    ck_holds(nv6(&clean, LINES(WRITE(0, 1, ""), DONE(0, 0, 1, "status=4"))), 1);
    ck_breaks(nv6(&clean, LINES(PULL(0, 0, 1))), "NVME-6.3-02", 1);
    ck_breaks(nv6(&clean, LINES(READ(0, 1, ""), PULL(0, 0, 1))), "NVME-6.3-02", 1);
    ck_breaks(nv6(&clean, LINES(WRITE(0, 1, ""), PULL(0, 0, 1), DATA(1, 0, 1), PULL(1, 1, 1))),
              "NVME-6.3-02", 1);
}
END_TEST

START_TEST(NVME_6_3_01_a_read_has_one_response)
{
    ck_holds(nv6(&clean, LINES(READ(0, 1, ""), ANSWER(0, 0, 1, "data=4096"))), 1);
    ck_breaks(nv6(&clean, LINES(READ(0, 1, ""), ANSWER(0, 0, 1, "data=4096"),
                                ANSWER(1, 1, 1, "data=4096"))),
              "NVME-6.3-01", 1);
    ck_breaks(
        nv6(&clean,
            LINES(
                READ(0, 1, ""),
                "< push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=2 icmd=9 data=4096")),
        "NVME-6.3-01", 1);
    ck_breaks(nv6(&clean, LINES(WRITE(0, 1, ""), ANSWER(0, 0, 1, "data=4096"))), "NVME-6.3-01",
              1);
    /* the tag is used again */
    ck_holds(nv6(&clean, LINES(READ(0, 1, ""), ANSWER(0, 0, 1, "data=4096"), READ(1, 1, ""),
                               ANSWER(1, 1, 1, "data=4096"))),
             2);
}
END_TEST

START_TEST(NVME_6_3_05_one_completion_after_the_data)
{
    ck_breaks(nv6(&clean, LINES(WRITE(0, 1, ""), PULL(0, 0, 1), DATA(1, 0, 1),
                                DONE(0, 1, 1, ""), DONE(1, 2, 1, ""))),
              "NVME-6.3-05", 1);
    ck_breaks(nv6(&clean, LINES(WRITE(0, 1, ""), PULL(0, 0, 1), DONE(0, 1, 1, ""))),
              "NVME-6.3-05", 1);
    ck_breaks(
        nv6(&clean, LINES(WRITE(0, 1, "total=1 ncmd=0"), WRITE(1, 2, "total=1 ncmd=1"),
                          PULL(0, 0, 1), DATA(2, 0, 1), DONE(0, 1, 1, ""), DONE(1, 2, 2, ""))),
        "NVME-6.3-05", 1);
}
END_TEST

/* Not the last of its command. */
START_TEST(reading_amb_n12_a_completion_before_its_data)
{
    ck_warns(nv6(&clean, LINES(WRITE(0, 1, "total=1 ncmd=0"), WRITE(1, 2, "total=1 ncmd=1"),
                               PULL(0, 0, 1), DONE(0, 1, 1, "total=1"))),
             "NVME-6.3-05");
}
END_TEST

/* The initiator is the SUT. */
#define OUT_WRITE "< push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1 icmd=3"
#define OUT_DATA(n, rsn)                                                                    \
    "< pull_data psn=" #n "r rsn=" #rsn "r / nvme write_data_response ifn=5 itag=1 icmd=3 " \
    "ttag=9 data=4096"
#define IN_PULL(n, more)                                                               \
    "> pull_request psn=" #n "r rsn=" #n "r len=4132 / nvme write_data_request ifn=5 " \
    "itag=1 icmd=3 ttag=9" more

START_TEST(NVME_6_3_03_data_are_sent_when_pulled)
{
    ck_holds(nv6(&clean, LINES(OUT_WRITE, IN_PULL(0, ""), OUT_DATA(1, 0))), 1);
    ck_breaks(
        nv6(&clean, LINES(OUT_WRITE, "> pull_request psn=0r rsn=0r len=4132", OUT_DATA(1, 0))),
        "NVME-6.3-03", 1);
}
END_TEST

START_TEST(NVME_7_2_03_one_response_with_the_rsn_of_the_request)
{
    ck_breaks(nv6(&clean, LINES(OUT_WRITE, IN_PULL(0, ""), OUT_DATA(1, 0),
                                "> pull_request psn=1r rsn=1r len=4132", OUT_DATA(2, 1))),
              "NVME-7.2-03", 1);
}
END_TEST

/* Nothing is known of the beginning; and a request in between was not seen. */
START_TEST(requests_that_were_not_seen_decide_nothing)
{
    ck_undecided(nv6(&capture, LINES(ANSWER(5, 5, 1, "data=4096"))), 1);
    ck_undecided(nv6(&clean, LINES(READ(0, 1, ""), ANSWER(0, 0, 1, "data=4096"), READ(2, 7, ""),
                                   ANSWER(1, 1, 1, "data=4096"))),
                 1);
}
END_TEST

/* The packet that is missing is newer than all that were seen, as far as their numbers say. */
START_TEST(the_newest_requests_may_be_in_a_gap)
{
    ck_undecided(nv6(&clean, LINES("mark gap_in 1", ANSWER(0, 0, 1, "data=4096"))), 1);
    ck_undecided(nv6(&clean, LINES("mark gap_in 1", PULL(0, 0, 1))), 1);
    /* the tag is used again */
    ck_undecided(nv6(&clean, LINES(READ(0, 1, ""), ANSWER(0, 0, 1, "data=4096"),
                                   "mark gap_in 1", ANSWER(1, 1, 1, "data=4096"))),
                 1);
    /* the nCMD, or the Write Data Request */
    ck_undecided(nv6(&clean, LINES("mark gap_out 1", IN_PULL(0, ""), OUT_DATA(1, 0))), 1);
    ck_undecided(nv6(&clean, LINES(OUT_WRITE, "mark gap_in 1", OUT_DATA(1, 0))), 1);
    ck_undecided(nv6(&clean, LINES(OUT_WRITE, IN_PULL(0, ""), OUT_DATA(1, 0), "mark gap_in 1",
                                   OUT_DATA(2, 1))),
                 1);
}
END_TEST

START_TEST(answers_may_be_in_a_gap)
{
    /* the data */
    ck_undecided(
        nv6(&clean, LINES(WRITE(0, 1, ""), PULL(0, 0, 1), "mark gap_in 1", DONE(0, 1, 1, ""))),
        1);
    /* a Resync of the first Write Data Request */
    ck_undecided(nv6(&clean, LINES(WRITE(0, 1, ""), PULL(0, 0, 1), DATA(1, 0, 1),
                                   "mark gap_out 1", PULL(1, 1, 1))),
                 1);
    /* a gap before it explains nothing */
    ck_breaks(nv6(&clean, LINES("mark gap_out 1", WRITE(0, 1, ""), PULL(0, 0, 1), DATA(1, 0, 1),
                                PULL(1, 1, 1))),
              "NVME-6.3-02", 1);
}
END_TEST

/* The target was told to answer by the tester, so its headers are the tester's. */
START_TEST(answers_that_the_tester_wrote_are_not_judged)
{
    ck_holds(nv6(&clean, LINES("post 0r push 4 seed 7", ANSWER(0, 0, 2, "data=4096"))), 0);
}
END_TEST

static const char fill[] = "nvme dev_fill {\"nsid\":9,\"slba\":0,\"nlb0\":0,\"tag\":7} -> {}";

START_TEST(NVME_6_3_01_an_answer_that_never_comes)
{
    const char *request = READ(0, 1, "tnsid=9");

    ck_breaks(nv6(&clean, LINES(fill, request, "< back dbase=1r", "wait 10s", "barrier")),
              "NVME-6.3-01", 1);
    ck_holds(nv6(&clean, LINES(fill, request, "< back dbase=1r", "barrier")), 0);
    ck_holds(nv6(&lossy, LINES(fill, request, "< back dbase=1r", "wait 10s", "barrier")), 0);
    /* devices hold it */
    ck_holds(nv6(&clean, LINES(fill, "nvme dev_policy {\"hold\":true} -> {}", request,
                               "< back dbase=1r", "wait 10s", "barrier")),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV6");
    TCase *tcase = tcase_create("NV6");

    tcase_add_test(tcase, NVME_6_3_02_a_write_is_pulled_and_completed);
    tcase_add_test(tcase, NVME_6_3_01_a_read_has_one_response);
    tcase_add_test(tcase, NVME_6_3_05_one_completion_after_the_data);
    tcase_add_test(tcase, reading_amb_n12_a_completion_before_its_data);
    tcase_add_test(tcase, NVME_6_3_03_data_are_sent_when_pulled);
    tcase_add_test(tcase, NVME_7_2_03_one_response_with_the_rsn_of_the_request);
    tcase_add_test(tcase, requests_that_were_not_seen_decide_nothing);
    tcase_add_test(tcase, the_newest_requests_may_be_in_a_gap);
    tcase_add_test(tcase, answers_may_be_in_a_gap);
    tcase_add_test(tcase, answers_that_the_tester_wrote_are_not_judged);
    tcase_add_test(tcase, NVME_6_3_01_an_answer_that_never_comes);
    suite_add_tcase(suite, tcase);
    return suite;
}
