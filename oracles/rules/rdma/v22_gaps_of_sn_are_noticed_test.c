/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define ORDERED(mode, ...)                            \
    posted_judged("V22", strcmp(mode, "strong") == 0, \
                  LINES(MEMORY, PAIR_OF("rc", mode, "verbs"), __VA_ARGS__))
#define RUN(...) ORDERED("strong", __VA_ARGS__)
#define SEND(n, sn) \
    "step > push_data psn=" #n "r rsn=" #n "r / rdma send_only dqp=17 sn=" #sn " data=8"
#define ACK(base) "< back dbase=" #base "r rbase=0r"
#define HELD      "wait 50ms", "barrier"

START_TEST(RDMA_8_2_15_16_a_gap_that_is_not_noticed)
{
    ck_warns(RUN(SEND(0, 1), SEND(1, 3), ACK(2)), "RDMA-8.2-15");
    ck_warns(ORDERED("weak", SEND(0, 1), SEND(1, 3), ACK(2)), "RDMA-8.2-16");
    ck_warns(RUN(SEND(0, 1),
                 "step > pull_request psn=0r rsn=1r len=32 / rdma read_request dqp=17 sn=9 "
                 "reth.va=65536 reth.rkey=91 reth.length=8",
                 "< pull_data psn=0r rsn=1r / rdma read_response_only sn=9 data=8"),
             "RDMA-8.2-15");
}
END_TEST

START_TEST(RDMA_8_2_15_16_a_gap_that_is_noticed)
{
    ck_holds(RUN(SEND(0, 1), SEND(1, 3), ACK(1), "< nack nack_psn=1r w=data code=7"), 1);
    ck_holds(RUN(SEND(0, 1), SEND(1, 3), ACK(1), HELD), 1);
    ck_holds(ORDERED("weak", SEND(0, 1), SEND(1, 3), ACK(1), HELD), 1);
    ck_holds(RUN(SEND(0, 1), SEND(1, 3), ACK(1), "barrier"), 0); /* too soon to know */
}
END_TEST

START_TEST(what_is_no_gap)
{
    ck_holds(RUN(SEND(0, 1), SEND(1, 2), SEND(2, 3), ACK(3), HELD), 0);
    /* The order of the packets does not matter. */
    ck_holds(RUN(SEND(0, 1), SEND(2, 3), SEND(1, 2), ACK(3), HELD), 0);
    /* steps of another size, another start; numbers that stay, or go back */
    ck_holds(RUN(SEND(0, 0), SEND(1, 0), SEND(2, 5), ACK(3), HELD), 0);
    ck_holds(RUN(SEND(0, 7), SEND(1, 9), ACK(2), HELD), 0);
    ck_holds(RUN(SEND(0, 1), SEND(1, 1), ACK(2), HELD), 0);
    /* The order of unordered ones is free, and a peer's own numbers are no test. */
    ck_holds(ORDERED("unordered", SEND(0, 1), SEND(1, 3), ACK(2)), 0);
    ck_holds(RUN("> push_data psn=0r rsn=0r / rdma send_only dqp=17 sn=1 data=8",
                 "> push_data psn=1r rsn=1r / rdma send_only dqp=17 sn=3 data=8", ACK(2)),
             0);
    /* refused for another reason */
    ck_holds(RUN(SEND(0, 1),
                 "step > push_data psn=1r rsn=1r / rdma write_only dqp=17 sn=3 rkey=77 data=8",
                 "< nack nack_psn=1r w=data code=7"),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V22");
    TCase *tcase = tcase_create("V22");

    tcase_add_test(tcase, RDMA_8_2_15_16_a_gap_that_is_not_noticed);
    tcase_add_test(tcase, RDMA_8_2_15_16_a_gap_that_is_noticed);
    tcase_add_test(tcase, what_is_no_gap);
    suite_add_tcase(suite, tcase);
    return suite;
}
