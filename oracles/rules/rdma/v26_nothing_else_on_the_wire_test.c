/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome v26(const char *const *lines)
{
    return judged("V26", &clean, lines);
}

START_TEST(data_of_their_length)
{
    ck_holds(v26(LINES("< push_data psn=0r rsn=0r / rdma write_only reth.length=8 data=8",
                       "< push_data psn=1r rsn=1r / rdma write_only pad=3 reth.length=5 data=5",
                       "< push_data psn=2r rsn=2r / rdma send_only data=12")),
             2);
    ck_holds(v26(LINES("> pull_request psn=0r rsn=0r len=32 / rdma read_request reth.length=8",
                       "< pull_data psn=0r rsn=0r / rdma read_response_only data=8")),
             1);
    ck_holds(v26(LINES("< pull_request psn=0r rsn=0r len=32 / rdma atomic_fetch_add",
                       "< pull_request psn=1r rsn=1r len=32 / rdma read_request "
                       "reth.length=8")),
             2);
}
END_TEST

START_TEST(RDMA_6_8_06_no_icrc)
{
    ck_breaks(v26(LINES("< push_data psn=0r rsn=0r / rdma write_only reth.length=8 data=12")),
              "RDMA-6.8-06", 1);
    ck_breaks(v26(LINES("< push_data psn=0r rsn=0r / rdma write_only reth.length=0 data=4")),
              "RDMA-6.8-06", 1);
    ck_breaks(v26(LINES("< pull_request psn=0r rsn=0r len=32 / rdma read_request reth.length=8 "
                        "data=4")),
              "RDMA-6.8-06", 1);
    ck_breaks(v26(LINES("> pull_request psn=0r rsn=0r len=32 / rdma read_request reth.length=8",
                        "< pull_data psn=0r rsn=0r / rdma read_response_only data=12")),
              "RDMA-6.8-06", 1);
    ck_breaks(v26(LINES("> pull_request psn=0r rsn=0r len=32 / rdma atomic_cmp_swap",
                        "< pull_data psn=0r rsn=0r / rdma atomic_response data=4")),
              "RDMA-6.8-06", 1);
}
END_TEST

/* An answer whose request was not seen, one in error, and a packet that was captured short. */
START_TEST(RDMA_6_8_06_lengths_that_are_not_known)
{
    ck_holds(v26(LINES("< pull_data psn=0r rsn=0r / rdma read_response_only data=12")), 0);
    ck_holds(v26(LINES("> pull_request psn=0r rsn=0r len=32 / rdma read_request reth.length=8",
                       "< pull_data psn=0r rsn=0r / rdma read_response_only ce data=12")),
             0);
    ck_undecided(
        v26(LINES("truncated", "< push_data psn=0r rsn=0r / rdma write_only reth.length=8 "
                               "data=8")),
        1);
}
END_TEST

START_TEST(RDMA_8_02_no_acknowledgement)
{
    ck_breaks(v26(LINES("< push_data psn=0r rsn=0r / rdma rbth opcode=0x11")), "RDMA-8-02", 1);
    ck_breaks(v26(LINES("< push_data psn=0r rsn=0r / rdma rbth opcode=0xb1")), "RDMA-8-02", 1);
    ck_holds(v26(LINES("< push_data psn=0r rsn=0r / rdma rbth opcode=0x71",
                       "> push_data psn=0r rsn=0r / rdma rbth opcode=0x11")),
             0);
}
END_TEST

START_TEST(RDMA_6_8_07_no_congestion_notification)
{
    ck_breaks(v26(LINES("< push_data psn=0r rsn=0r / rdma rbth opcode=0x81")), "RDMA-6.8-07",
              1);
    ck_holds(v26(LINES("< push_data psn=0r rsn=0r / rdma rbth opcode=0x80")), 0);
}
END_TEST

/* A retransmission is no second instance. */
START_TEST(copies_count_once)
{
    ck_breaks(v26(LINES("< push_data psn=0r rsn=0r / rdma write_only reth.length=8 data=12",
                        "< push_data psn=0r rsn=0r / rdma write_only reth.length=8 data=12")),
              "RDMA-6.8-06", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V26");
    TCase *tcase = tcase_create("V26");

    tcase_add_test(tcase, data_of_their_length);
    tcase_add_test(tcase, RDMA_6_8_06_no_icrc);
    tcase_add_test(tcase, RDMA_6_8_06_lengths_that_are_not_known);
    tcase_add_test(tcase, RDMA_8_02_no_acknowledgement);
    tcase_add_test(tcase, RDMA_6_8_07_no_congestion_notification);
    tcase_add_test(tcase, copies_count_once);
    suite_add_tcase(suite, tcase);
    return suite;
}
