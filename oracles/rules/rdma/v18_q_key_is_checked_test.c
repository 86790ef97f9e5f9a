/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...)                                                                                 \
    posted_judged(                                                                               \
        "V18", true,                                                                             \
        LINES(                                                                                   \
            "verbs qp_create {\"type\":\"ud\",\"pd\":\"p\",\"send_cq\":\"c\",\"recv_cq\":\"c\"," \
            "\"qkey\":3} -> {\"qp\":\"q\",\"qpn\":17}",                                          \
            "verbs ah_create {\"pd\":\"p\",\"conn\":\"c1\"} -> {\"ah\":\"a\"}", __VA_ARGS__))
#define IN(n, key) \
    "> push_data psn=" #n "r rsn=" #n "r / rdma ud_send_only dqp=17 queue_key=" #key " data=4"
#define WC(id) \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":" #id ",\"status\":0,\"opcode\":\"recv\"}"

START_TEST(RDMA_8_3_10_02_only_those_with_the_key)
{
    ck_breaks(RUN(IN(0, 4), WC(1)), "RDMA-8.3.10-02", 1);
    ck_breaks(RUN(IN(0, 4), IN(1, 3), WC(1), WC(2)), "RDMA-8.3.10-02", 1);
    ck_holds(RUN(IN(0, 4), IN(1, 3), WC(1)), 1);
    /* A copy is no other datagram. */
    ck_breaks(RUN(IN(0, 3), IN(0, 3), IN(1, 4), WC(1), WC(2)), "RDMA-8.3.10-02", 1);
}
END_TEST

START_TEST(where_no_key_was_wrong)
{
    ck_holds(RUN(IN(0, 3), WC(1), WC(2)), 0); /* a matter of rule V12 */
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V18");
    TCase *tcase = tcase_create("V18");

    tcase_add_test(tcase, RDMA_8_3_10_02_only_those_with_the_key);
    tcase_add_test(tcase, where_no_key_was_wrong);
    suite_add_tcase(suite, tcase);
    return suite;
}
