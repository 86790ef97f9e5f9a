/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...) posted_judged("V7", true, LINES(MEMORY, PAIR, __VA_ARGS__))
#define EVENT    ",\"flags\":[\"solicited\"]"

START_TEST(flags_as_posted)
{
    ck_holds(RUN(POST(1, "send", 300, EVENT), POST(2, "send", 4, ""),
                 PUSH(0, "send_first dqp=5 data=256"), PUSH(1, "send_last se dqp=5 data=44"),
                 PUSH(2, "send_only dqp=5 data=4")),
             3);
    ck_holds(RUN(POST(1, "write_imm", 5, REMOTE EVENT), POST(2, "write", 4, REMOTE EVENT),
                 PUSH(0, "write_only_imm se dqp=5 data=5"), PUSH(1, "write_only dqp=5 data=4")),
             2);
}
END_TEST

START_TEST(RDMA_8_2_08_solicited_event)
{
    ck_breaks(RUN(POST(1, "send", 4, EVENT), PUSH(0, "send_only dqp=5 data=4")), "RDMA-8.2-08",
              1);
    ck_breaks(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only se dqp=5 data=4")), "RDMA-8.2-08",
              1);
    ck_breaks(RUN(POST(1, "send", 300, EVENT), PUSH(0, "send_first se dqp=5 data=256"),
                  PUSH(1, "send_last se dqp=5 data=44")),
              "RDMA-8.2-08", 1);
    ck_breaks(RUN(POST(1, "write", 4, REMOTE EVENT), PUSH(0, "write_only se dqp=5 data=4")),
              "RDMA-8.2-08", 1);
    ck_breaks(RUN(POST(1, "read", 4, REMOTE EVENT), PULL(0, "read_request se dqp=5")),
              "RDMA-8.2-08", 1);
}
END_TEST

START_TEST(RDMA_8_2_04_complete_in_error)
{
    ck_breaks(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first ce dqp=5 data=256"),
                  PUSH(1, "send_last dqp=5 data=44")),
              "RDMA-8.2-04", 1);
    ck_holds(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first ce dqp=5 data=256"),
                 PUSH(1, "send_last ce dqp=5 data=44")),
             2);
}
END_TEST

START_TEST(RDMA_8_2_05_pad)
{
    ck_holds(RUN(POST(1, "send", 5, ""), PUSH(0, "send_only dqp=5 data=5")), 1);
    ck_breaks(RUN(POST(1, "send", 5, ""), PUSH(0, "send_only dqp=5 data=8")), "RDMA-8.2-05", 1);
    ck_breaks(RUN(POST(1, "send", 8, ""), PUSH(0, "send_only dqp=5 pad=3 data=5")),
              "RDMA-8.2-05", 1);
}
END_TEST

START_TEST(what_is_not_known)
{
    ck_undecided(RUN(POST(1, "send", 4, EVENT),
                     "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":10}",
                     PUSH(0, "send_only dqp=5 data=4")),
                 1);
    ck_holds(RUN(PUSH(0, "send_only se dqp=5 data=4")), 0);
}
END_TEST

#define ARM "verbs cq_arm {\"cq\":\"c\",\"solicited_only\":true}"
#define RECV(id) \
    "verbs post_recv {\"qp\":\"q\",\"wr_id\":" #id ",\"sgl\":[" SGE("m", 0, 512) "]}"
#define IN(n, text) "> push_data psn=" #n "r rsn=" #n "r / rdma " text
#define WC(id)                                                                                \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":" #id ",\"status\":0,\"opcode\":\"recv\"," \
    "\"byte_len\":4}"
#define CQ_EVENT "tells cq_event {\"cq\":\"c\"}"

START_TEST(RDMA_8_2_08_the_target_raises_the_event)
{
    ck_holds(RUN(RECV(1), ARM, IN(0, "send_only se dqp=17 data=4"), WC(1), CQ_EVENT, "barrier"),
             1);
    ck_holds(RUN(RECV(1), ARM, IN(0, "send_only se dqp=17 data=4"), CQ_EVENT, WC(1), "barrier"),
             1);
    ck_breaks(RUN(RECV(1), ARM, IN(0, "send_only se dqp=17 data=4"), WC(1), "barrier"),
              "RDMA-8.2-08", 1);
    ck_breaks(RUN(RECV(1), RECV(2), ARM, IN(0, "send_only dqp=17 data=4"), WC(1),
                  IN(1, "write_only_imm se dqp=17 va=0 imm=1"), WC(2), "barrier"),
              "RDMA-8.2-08", 1);
    /* without SE, or sent before the queue was armed */
    ck_holds(RUN(RECV(1), ARM, IN(0, "send_only dqp=17 data=4"), WC(1), "barrier"), 0);
    ck_holds(RUN(RECV(1), IN(0, "send_only se dqp=17 data=4"), ARM, WC(1), "barrier"), 0);
    /* another message may be the one that completed; none has; after the barrier was written */
    ck_holds(RUN(RECV(1), RECV(2), ARM, IN(0, "send_only dqp=17 data=4"),
                 IN(1, "send_only se dqp=17 data=4"), WC(1), "barrier"),
             0);
    ck_holds(RUN(RECV(1), ARM, IN(0, "send_only se dqp=17 data=4"), "barrier"), 0);
    ck_holds(
        RUN(RECV(1), ARM " -> failed", IN(0, "send_only se dqp=17 data=4"), WC(1), "barrier"),
        0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V7");
    TCase *tcase = tcase_create("V7");

    tcase_add_test(tcase, flags_as_posted);
    tcase_add_test(tcase, RDMA_8_2_08_solicited_event);
    tcase_add_test(tcase, RDMA_8_2_04_complete_in_error);
    tcase_add_test(tcase, RDMA_8_2_05_pad);
    tcase_add_test(tcase, RDMA_8_2_08_the_target_raises_the_event);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
