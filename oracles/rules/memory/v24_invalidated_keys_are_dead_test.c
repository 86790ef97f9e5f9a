/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...) posted_judged("V24", true, LINES(MEMORY, PAIR, __VA_ARGS__))
#define GONE                                                                                \
    "verbs post_recv {\"qp\":\"q\",\"wr_id\":4}",                                           \
        "> push_data psn=0r rsn=0r / rdma send_only_inv dqp=17 rkey=91",                    \
        "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":4,\"status\":0,\"opcode\":\"recv\"," \
        "\"inv\":91}"
#define WRITE     "> push_data psn=1r rsn=1r / rdma write_only dqp=17 va=65536 rkey=91 data=8"
#define ACK(base) "< back dbase=" #base "r rbase=0r"

START_TEST(RDMA_8_3_8_02_no_access_with_the_key)
{
    ck_breaks(RUN(GONE, WRITE, ACK(2)), "RDMA-8.3.8-02", 1);
    ck_holds(RUN(GONE, WRITE, "< nack nack_psn=1r code=6"), 1);
    ck_breaks(RUN(GONE,
                  "> pull_request psn=0r rsn=1r len=32 / rdma read_request dqp=17 "
                  "reth.va=65536 reth.rkey=91 reth.length=8",
                  "< pull_data psn=0r rsn=1r / rdma read_response_only data=8"),
              "RDMA-8.3.8-02", 1);
}
END_TEST

START_TEST(before_it_has_completed_the_key_lives)
{
    ck_holds(
        RUN("> push_data psn=0r rsn=0r / rdma send_only_inv dqp=17 rkey=91", WRITE, ACK(2)), 0);
    ck_holds(RUN(GONE, ACK(1)), 0);
}
END_TEST

START_TEST(what_is_not_known)
{
    struct fal_connection c = script_connection(&lossy);

    ck_undecided(script_run("V24", &lossy, &c, LINES(MEMORY, PAIR, GONE, WRITE, ACK(2))), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V24");
    TCase *tcase = tcase_create("V24");

    tcase_add_test(tcase, RDMA_8_3_8_02_no_access_with_the_key);
    tcase_add_test(tcase, before_it_has_completed_the_key_lives);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
