/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...) posted_judged("V13", true, LINES(MEMORY, PAIR, __VA_ARGS__))
#define RECV(id) \
    "verbs post_recv {\"qp\":\"q\",\"wr_id\":" #id ",\"sgl\":[" SGE("m", 0, 1000) "]}"
#define IN(n, text) "> push_data psn=" #n "r rsn=" #n "r / rdma " text
#define SEND(n)     IN(n, "send_only dqp=17 data=8")
#define RNR         "< nack nack_psn=0r w=data code=2"
#define ACK(base)   "< back dbase=" #base "r rbase=0r"
#define WC(id, status)                                   \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":" #id \
    ",\"opcode\":\"recv\",\"status\":" #status "}"
#define DONE "wait 1us", "barrier"

START_TEST(messages_that_waited)
{
    ck_holds(RUN(SEND(0), RNR, RECV(1), SEND(0), ACK(1), WC(1, 0), DONE), 1);
    /* held instead */
    ck_holds(RUN(SEND(0), "wait 1ms", RECV(1), ACK(1), WC(1, 0), DONE), 1);
    /* the receive requests were first */
    ck_holds(RUN(RECV(1), RECV(2), SEND(0), SEND(1), ACK(2), WC(1, 0), WC(2, 0), DONE), 0);
    ck_holds(RUN(SEND(0), RNR, DONE), 0);
}
END_TEST

START_TEST(RDMA_6_8_03_not_acknowledged_without_a_receive_request)
{
    ck_breaks(RUN(SEND(0), ACK(1)), "RDMA-6.8-03", 1);
    ck_breaks(RUN(RECV(1), SEND(0), SEND(1), ACK(2)), "RDMA-6.8-03", 1);
    ck_breaks(RUN(SEND(0), ACK(1), RECV(1), DONE), "RDMA-6.8-03", 1);
    ck_breaks(RUN(IN(0, "write_only_imm dqp=17 va=65536 rkey=91 reth.length=8 data=8"), ACK(1)),
              "RDMA-6.8-03", 1);
    /* one that was refused */
    ck_breaks(RUN("verbs post_recv {\"qp\":\"q\",\"wr_id\":1} -> failed", SEND(0), ACK(1)),
              "RDMA-6.8-03", 1);
    /* A WRITE needs none. */
    ck_holds(RUN(IN(0, "write_only dqp=17 va=65536 rkey=91 reth.length=8 data=8"), ACK(1)), 0);
    /* The rest of the message has not come. */
    ck_holds(RUN(IN(0, "send_first dqp=17 data=256"), ACK(1)), 0);
}
END_TEST

START_TEST(RDMA_6_8_03_acknowledged_messages_are_not_lost)
{
    ck_breaks(RUN(RECV(1), SEND(0), ACK(1), DONE), "RDMA-6.8-03", 1);
    ck_breaks(RUN(RECV(1), RECV(2), SEND(0), SEND(1), ACK(2), WC(1, 0), DONE), "RDMA-6.8-03",
              1);
    /* not acknowledged; or after the barrier was asked for */
    ck_holds(RUN(RECV(1), SEND(0), DONE), 0);
    /* One before it has not ended. */
    ck_holds(posted_judged("V13", false,
                           LINES(MEMORY, PAIR_OF("rc", "weak", "verbs"), RECV(1), SEND(0),
                                 SEND(1), "< eack dbase=0r rbase=0r data_ack_bitmap=2", DONE)),
             0);
}
END_TEST

START_TEST(what_may_end_otherwise)
{
    /* an error: of the message, of another request, of the queue pair */
    ck_holds(RUN(SEND(0), "< nack nack_psn=0r w=data code=6",
                 "> resync psn=0r rsn=0r resync_code=1 resync_packet_type=6", ACK(1), DONE),
             0);
    ck_holds(RUN(IN(0, "write_only dqp=17 va=65536 rkey=77 data=8"), SEND(1), ACK(2), DONE), 0);
    ck_holds(RUN(IN(1, "write_only dqp=17 va=65536 rkey=77 data=8"), SEND(0), ACK(1), DONE), 0);
    ck_holds(RUN(RECV(1), SEND(0), ACK(1), WC(1, 4), DONE), 0);
    /* longer than the receive request */
    ck_holds(RUN("verbs post_recv {\"qp\":\"q\",\"wr_id\":1,\"sgl\":[" SGE("m", 0, 4) "]}",
                 SEND(0), SEND(1), ACK(2), DONE),
             0);
    /* a key is invalidated; CE */
    ck_holds(RUN(RECV(1), IN(0, "send_only_inv dqp=17 rkey=91 data=8"), ACK(1), DONE), 0);
    ck_holds(RUN(RECV(1), IN(0, "send_only dqp=17 ce=1 data=8"), ACK(1), DONE), 0);
    /* a message that does not begin at its beginning */
    ck_holds(RUN(RECV(1), IN(0, "send_only dqp=17 off=8 data=8"), ACK(1), DONE), 0);
    ck_holds(RUN(RECV(1), IN(0, "send_first dqp=17 off=8 data=256"),
                 IN(1, "send_last dqp=17 off=264 data=8"), ACK(2), DONE),
             0);
    /* another queue pair */
    ck_holds(RUN(IN(0, "send_only dqp=3 data=8"), ACK(1), DONE), 0);
}
END_TEST

START_TEST(a_shared_receive_queue_is_not_counted)
{
    ck_holds(
        posted_judged(
            "V13", true,
            LINES(
                MEMORY,
                "verbs qp_create {\"type\":\"rc\",\"pd\":\"p\",\"send_cq\":\"c\","
                "\"recv_cq\":\"c\",\"srq\":\"s\"} -> {\"qp\":\"q\",\"qpn\":17,\"path_mtu\":256}",
                PAIR_CONNECT, SEND(0), ACK(1), DONE)),
        0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V13");
    TCase *tcase = tcase_create("V13");

    tcase_add_test(tcase, messages_that_waited);
    tcase_add_test(tcase, RDMA_6_8_03_not_acknowledged_without_a_receive_request);
    tcase_add_test(tcase, RDMA_6_8_03_acknowledged_messages_are_not_lost);
    tcase_add_test(tcase, what_may_end_otherwise);
    tcase_add_test(tcase, a_shared_receive_queue_is_not_counted);
    suite_add_tcase(suite, tcase);
    return suite;
}
