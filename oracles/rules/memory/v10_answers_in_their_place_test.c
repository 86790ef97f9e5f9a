/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/memory/hash_testing.h"

static uint8_t image[REGION];
static char hash[160];

#define RUN(...)               \
    posted_judged("V10", true, \
                  LINES(MEMORY, PAIR, READ, __VA_ARGS__, hash_line(image, 0, 300, hash)))
#define READ                                                                               \
    POST(1, "read", 300, REMOTE),                                                          \
        PULL(0, "read_request dqp=5 reth.va=4096 reth.length=256 steth.va=65536 lkey=90"), \
        PULL(1, "read_request dqp=5 reth.va=4352 reth.length=44 steth.va=65792 lkey=90")
#define FIRST                                                                            \
    "> pull_data psn=0r rsn=0r / rdma read_response_only dqp=17 steth.va=65536 lkey=90 " \
    "data=256@9"
#define SECOND                                                                           \
    "> pull_data psn=1r rsn=1r / rdma read_response_only dqp=17 steth.va=65792 lkey=90 " \
    "data=44@9+256"
#define WC "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":0,\"opcode\":\"read\"}"

START_TEST(RDMA_6_7_15_by_their_tags)
{
    image_fill(image);
    image_data(image, 0, 300, 9, 0);
    ck_holds(RUN(FIRST, SECOND, WC), 1);
    ck_holds(RUN(SECOND, FIRST, WC), 1);
    image_data(image, 256, 44, 9, 0);
    ck_breaks(RUN(SECOND, FIRST, WC), "RDMA-6.7-15", 1);
}
END_TEST

START_TEST(what_is_not_known)
{
    image_fill(image);
    ck_undecided(RUN(FIRST, SECOND), 1); /* not completed */
    ck_holds(RUN("wait 1us"), 0);
}
END_TEST

/* The tester answers a READ whose packet it saw before an earlier request. */
START_TEST(an_answer_before_an_unseen_request)
{
    image_fill(image);
    image_data(image, 0, 64, 10, 0);
    ck_undecided(
        posted_judged(
            "V10", false,
            LINES(MEMORY, PAIR_OF("rc", "weak", "verbs"), POST(1, "read", 64, REMOTE),
                  POST(2, "read", 64, REMOTE),
                  PULL(0, "read_request dqp=5 reth.va=4096 reth.length=64 steth.va=65536 "
                          "lkey=90"),
                  "> pull_data psn=0r rsn=0r / rdma read_response_only dqp=17 steth.va=65536 "
                  "lkey=90 data=64@9",
                  WC,
                  PULL(2, "read_request dqp=5 reth.va=4096 reth.length=64 "
                          "steth.va=65536 lkey=90"),
                  "> pull_data psn=2r rsn=2r / rdma read_response_only dqp=17 steth.va=65536 "
                  "lkey=90 data=64@10",
                  hash_line(image, 0, 300, hash))),
        1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V10");
    TCase *tcase = tcase_create("V10");

    tcase_add_test(tcase, RDMA_6_7_15_by_their_tags);
    tcase_add_test(tcase, what_is_not_known);
    tcase_add_test(tcase, an_answer_before_an_unseen_request);
    suite_add_tcase(suite, tcase);
    return suite;
}
