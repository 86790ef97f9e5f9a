/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(type, ordering, errors, ordered, ...) \
    posted_judged("V25", ordered, LINES(MEMORY, PAIR_OF(type, ordering, errors), __VA_ARGS__))
#define SENT POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4")

START_TEST(modes_that_go_together)
{
    ck_holds(RUN("rc", "strong", "verbs", true, SENT), 1);
    ck_holds(RUN("rc", "weak", "verbs", false, SENT), 1);
    ck_holds(RUN("rc", "unordered", "cie", false, SENT), 1);
    /* not so before anything is sent */
    ck_holds(RUN("rc", "strong", "verbs", false, POST(1, "send", 4, "")), 0);
}
END_TEST

START_TEST(RDMA_6_2_04_05_06_ordering_of_the_connection)
{
    ck_breaks(RUN("rc", "strong", "verbs", false, SENT), "RDMA-6.2-04", 1);
    ck_breaks(RUN("rc", "weak", "verbs", true, SENT), "RDMA-6.2-05", 1);
    ck_breaks(RUN("rc", "unordered", "cie", true, SENT), "RDMA-6.2-06", 1);
}
END_TEST

START_TEST(RDMA_6_4_07_errors_of_unordered)
{
    ck_breaks(RUN("rc", "unordered", "verbs", false, SENT), "RDMA-6.4-07", 1);
}
END_TEST

START_TEST(RDMA_6_4_09_a_long_send_of_unordered)
{
    ck_breaks(RUN("rc", "unordered", "cie", false, POST(1, "send", 300, ""),
                  PUSH(0, "send_first dqp=5 data=256")),
              "RDMA-6.4-09", 1);
    ck_holds(RUN("rc", "unordered", "cie", false, POST(1, "send", 300, "") " -> failed"), 1);
}
END_TEST

#define UD(op, length, packet)                                              \
    RUN("ud", "strong", "verbs", true,                                      \
        "verbs ah_create {\"pd\":\"p\",\"conn\":\"c1\"} -> {\"ah\":\"a\"}", \
        POST(1, op, length, ",\"ah\":\"a\",\"dest_qpn\":6,\"qkey\":3"), packet)

START_TEST(RDMA_6_4_02_04_06_10_datagrams)
{
    ck_holds(UD("send", 4, PUSH(0, "ud_send_only source_qp=17 data=4")), 1);
    ck_breaks(UD("send", 300, PUSH(0, "ud_send_only source_qp=17 data=300")), "RDMA-6.4-02", 1);
    ck_holds(UD("write", 4, "wait 1us"), 0);
    ck_breaks(UD("write", 4, "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":0}"),
              "RDMA-6.4-04", 1);
    ck_holds(UD("write", 4, "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":2}"),
             0);
    ck_breaks(RUN("ud", "weak", "verbs", false, POST(1, "read", 4, ""),
                  "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":0}"),
              "RDMA-6.4-06", 1);
    ck_breaks(RUN("ud", "unordered", "cie", false, POST(1, "faa", 8, ""),
                  "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":0}"),
              "RDMA-6.4-10", 1);
}
END_TEST

START_TEST(RDMA_6_6_2_01_one_xrc_initiator_of_a_connection)
{
    ck_breaks(RUN("xrc_ini", "strong", "verbs", true,
                  "verbs qp_create {\"type\":\"xrc_ini\",\"pd\":\"p\",\"send_cq\":\"c\","
                  "\"recv_cq\":\"c\"} -> {\"qp\":\"r\",\"qpn\":18}",
                  "verbs qp_connect {\"qp\":\"r\",\"conn\":\"c1\",\"dest_qpn\":6}",
                  "verbs post_send {\"qp\":\"r\",\"wr_id\":1,\"op\":\"send\"}",
                  PUSH(0, "xrc_send_only dqp=6")),
              "RDMA-6.6.2-01", 1);
    /* an initiator and a target may share one */
    ck_holds(RUN("xrc_ini", "strong", "verbs", true,
                 "verbs qp_create {\"type\":\"xrc_tgt\",\"pd\":\"p\",\"send_cq\":\"c\","
                 "\"recv_cq\":\"c\"} -> {\"qp\":\"r\",\"qpn\":18}",
                 "verbs qp_connect {\"qp\":\"r\",\"conn\":\"c1\",\"dest_qpn\":6}",
                 POST(1, "send", 4, ""), PUSH(0, "xrc_send_only dqp=5 data=4")),
             1);
}
END_TEST

START_TEST(RDMA_6_6_1_01_one_queue_pair_of_a_connection)
{
    ck_breaks(
        RUN("rc", "strong", "verbs", true,
            "verbs qp_create {\"type\":\"rc\",\"pd\":\"p\",\"send_cq\":\"c\",\"recv_cq\":\"c\"} "
            "-> {\"qp\":\"r\",\"qpn\":18}",
            "verbs qp_connect {\"qp\":\"r\",\"conn\":\"c1\",\"dest_qpn\":6}",
            "verbs post_send {\"qp\":\"r\",\"wr_id\":1,\"op\":\"send\"}",
            PUSH(0, "send_only dqp=6")),
        "RDMA-6.6.1-01", 1);
    ck_holds(
        RUN("rc", "strong", "verbs", true,
            "verbs qp_create {\"type\":\"rc\",\"pd\":\"p\",\"send_cq\":\"c\",\"recv_cq\":\"c\"} "
            "-> {\"qp\":\"r\",\"qpn\":18}",
            "verbs qp_connect {\"qp\":\"r\",\"conn\":\"c1\",\"dest_qpn\":6} -> failed", SENT),
        1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V25");
    TCase *tcase = tcase_create("V25");

    tcase_add_test(tcase, modes_that_go_together);
    tcase_add_test(tcase, RDMA_6_2_04_05_06_ordering_of_the_connection);
    tcase_add_test(tcase, RDMA_6_4_07_errors_of_unordered);
    tcase_add_test(tcase, RDMA_6_4_09_a_long_send_of_unordered);
    tcase_add_test(tcase, RDMA_6_4_02_04_06_10_datagrams);
    tcase_add_test(tcase, RDMA_6_6_2_01_one_xrc_initiator_of_a_connection);
    tcase_add_test(tcase, RDMA_6_6_1_01_one_queue_pair_of_a_connection);
    suite_add_tcase(suite, tcase);
    return suite;
}
