/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/tables_testing.h"

static struct outcome nv13(const struct kind *kind, const char *const *lines)
{
    return judged("NV13", kind, lines);
}

/* A read of two blocks. */
#define BEGIN                                                                      \
    TABLES(""), POST(1, "read", 0, 1, ""), READS(0, FIRST_OF_10 " nlb=1 total=1"), \
        READS(1, FIRST_OF_10 " nlb=1 total=1 ncmd=1")

START_TEST(NVME_7_1_07_after_all_answers)
{
    ck_holds(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, ""), COMPLETES(1, 0))),
             1);
    ck_breaks(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), COMPLETES(1, 0))), "NVME-7.1-07", 1);
    ck_breaks(nv13(&clean, LINES(TABLES(""), POST(1, "write", 0, 0, ""), WRITES(0, FIRST_OF_10),
                                 COMPLETES(1, 0))),
              "NVME-7.2-09", 1);
    ck_breaks(nv13(&clean, LINES(TABLES(""), POST(1, "write", 0, 0, ""), COMPLETES(1, 0))),
              "NVME-7.2-09", 1);
}
END_TEST

/* A step sent something else under the number of an answer. */
START_TEST(assumes_same_packet_on_retransmit)
{
    const char *other = "step > push_data psn=1r rsn=1r len=9";

    ck_assert_uint_eq(
        nv13(&clean, LINES(BEGIN, other, ANSWERS(0, 0, ""), ANSWERS(1, 1, ""), COMPLETES(1, 0)))
            .sut.broken,
        0);
}
END_TEST

START_TEST(NVME_6_5_03_once)
{
    ck_breaks(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, ""), COMPLETES(1, 0),
                                 COMPLETES(1, 0))),
              "NVME-6.5-03", 1);
    ck_breaks(
        nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, ""), "wait 10s", "barrier")),
        "NVME-6.5-03", 1);
    ck_holds(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), "wait 10s", "barrier")), 0);
    ck_holds(
        nv13(&lossy, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, ""), "wait 10s", "barrier")),
        0);
}
END_TEST

START_TEST(NVME_8_4_02_the_status_is_that_of_an_answer)
{
    ck_holds(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, "status=0x281"),
                                COMPLETES(1, 641))),
             1);
    ck_holds(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, "status=4"), ANSWERS(1, 1, "status=0x281"),
                                COMPLETES(1, 4))),
             1); /* any of them (AMB-N20) */
    ck_holds(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, "status=0x4281"),
                                COMPLETES(1, 641))),
             1); /* other bits are recorded */
    ck_breaks(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, "status=0x281"),
                                 COMPLETES(1, 0))),
              "NVME-8.4-02", 1);
    ck_breaks(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, ""), COMPLETES(1, 4))),
              "NVME-8.4-02", 1);
    ck_breaks(nv13(&clean, LINES(TABLES(""), POST(1, "write", 0, 0, ""), WRITES(0, FIRST_OF_10),
                                 DONE(0, 0, "status=4"), COMPLETES(1, 5))),
              "NVME-8.8-02", 1);
}
END_TEST

/* The initiator may find protection information wrong, or have given a request up although its
 * answer was sent; two commands that are the same. */
START_TEST(what_is_not_known_decides_nothing)
{
    ck_undecided(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, ""),
                                    "< resync psn=1r rsn=1r code=exhausted of=push_data",
                                    COMPLETES(1, 768))),
                 1);
    ck_undecided(nv13(&clean, LINES(TABLES(",\"pi\":\"insert\""), POST(1, "read", 0, 0, ""),
                                    READS(0, FIRST_OF_10), ANSWERS(0, 0, ""), COMPLETES(1, 4))),
                 1);
    ck_undecided(
        nv13(&clean, LINES(TABLES(""), POST(1, "read", 0, 0, ""), POST(2, "read", 0, 0, ""),
                           READS(0, FIRST_OF_10), ANSWERS(0, 0, ""), COMPLETES(2, 0))),
        1);
}
END_TEST

/* It fails before its second request is seen: that one is no request without a command. */
START_TEST(a_request_may_come_after_its_command_failed)
{
    ck_holds(judged("NV2", &lossy,
                    LINES(TABLES(""), POST(1, "read", 0, 1, ""),
                          READS(0, FIRST_OF_10 " nlb=1 total=1"), COMPLETES(1, 768),
                          READS(1, FIRST_OF_10 " nlb=1 total=1 ncmd=1"))),
             2);
    ck_breaks(judged("NV2", &lossy,
                     LINES(SPACE(",\"exclusive\":true"), ROWS, POST(1, "read", 0, 1, ""),
                           READS(0, FIRST_OF_10 " nlb=1 total=1"), ANSWERS(0, 0, ""),
                           COMPLETES(1, 0), READS(1, FIRST_OF_10 " nlb=1 total=1 ncmd=1"))),
              "NVME-6.3-01", 1);
}
END_TEST

/* Falcon may give up where packets get lost: 0x300 is an error of the path. */
START_TEST(a_command_may_fail_with_its_connection)
{
    ck_undecided(nv13(&lossy, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, "status=0x281"),
                                    COMPLETES(1, 768))),
                 1);
    ck_undecided(nv13(&lossy, LINES(BEGIN, ANSWERS(0, 0, "status=0x281"), COMPLETES(1, 768))),
                 1);
    ck_breaks(nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), ANSWERS(1, 1, "status=0x281"),
                                 COMPLETES(1, 768))),
              "NVME-8.4-02", 1);
}
END_TEST

/* The second row names a connection that another judge has. */
START_TEST(a_part_may_leave_on_another_connection)
{
    ck_undecided(
        nv13(&clean, LINES(SPACE(""), ROW(10, true, 3, 9, 5), POST(1, "read", 63, 1, ""),
                           READS(0, "s=1 slba=0x14003f tnsid=9 sqid=3 total=1"),
                           ANSWERS(0, 0, "s=1 total=1"), COMPLETES(1, 0))),
        1);
}
END_TEST

/* The tester asks for the same blocks of the SUT's own device. */
START_TEST(a_request_of_the_tester_is_no_command_of_the_host)
{
    ck_holds(nv13(&clean,
                  LINES(TABLES(""), POST(1, "read", 0, 0, ""),
                        "> push_data psn=0r rsn=0r / nvme read_request ifn=5 insid=1 itag=0 "
                        "eilbrt=0xffffffff elbatm=0xffff elbat=0xffff " FIRST_OF_10,
                        "< push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=0 status=4",
                        READS(1, FIRST_OF_10),
                        "> push_data psn=1r rsn=1r / nvme read_response ifn=5 itag=1",
                        COMPLETES(1, 0))),
             1);
}
END_TEST

/* The newest packet, which nothing follows, may be the answer. */
START_TEST(NVME_7_1_07_answers_may_go_unseen)
{
    ck_undecided(
        nv13(&clean, LINES(BEGIN, ANSWERS(0, 0, ""), "mark gap_in 1", COMPLETES(1, 0))), 1);
    ck_undecided(nv13(&clean, LINES(TABLES(""), POST(1, "write", 0, 0, ""), "mark gap_out 1",
                                    COMPLETES(1, 0))),
                 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV13");
    TCase *tcase = tcase_create("NV13");

    tcase_add_test(tcase, NVME_7_1_07_after_all_answers);
    tcase_add_test(tcase, assumes_same_packet_on_retransmit);
    tcase_add_test(tcase, NVME_6_5_03_once);
    tcase_add_test(tcase, NVME_8_4_02_the_status_is_that_of_an_answer);
    tcase_add_test(tcase, what_is_not_known_decides_nothing);
    tcase_add_test(tcase, a_request_may_come_after_its_command_failed);
    tcase_add_test(tcase, a_command_may_fail_with_its_connection);
    tcase_add_test(tcase, a_part_may_leave_on_another_connection);
    tcase_add_test(tcase, a_request_of_the_tester_is_no_command_of_the_host);
    tcase_add_test(tcase, NVME_7_1_07_answers_may_go_unseen);
    suite_add_tcase(suite, tcase);
    return suite;
}
