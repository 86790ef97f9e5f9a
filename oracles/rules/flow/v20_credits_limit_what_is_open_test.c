/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

enum credit { PKT_TX, BUF_TX, PKT_RX, BUF_RX };

/* Two credits of that kind. */
static struct outcome run(enum credit credit, const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);
    uint32_t *of[] = {&c.params.credit_req_pkt_tx, &c.params.credit_req_buf_tx,
                      &c.params.credit_req_pkt_rx, &c.params.credit_req_buf_rx};

    *of[credit] = 2;
    return script_run("V20", &clean, &c, lines);
}

#define RUN(credit, ...) run(credit, LINES(MEMORY, PAIR, __VA_ARGS__))
#define SEND(n)          PUSH(n, "send_only dqp=5 data=4")
#define READ(n)          PULL(n, "read_request dqp=5 reth.length=4 steth.va=65536 lkey=90")
#define ACK(data, req)   "> back dbase=" #data "r rbase=" #req "r"
#define ANSWER(n)        "> pull_data psn=" #n "r rsn=" #n "r / rdma read_response_only data=4"

START_TEST(RDMA_6_5_01_no_more_than_the_credits)
{
    for (enum credit credit = PKT_TX; credit <= PKT_RX; credit++) {
        ck_holds(RUN(credit, SEND(0), SEND(1)), 1);
        ck_holds(RUN(credit, SEND(0), ACK(1, 0), SEND(1)), 0);
        ck_holds(RUN(credit, SEND(0), SEND(1), ACK(1, 0), SEND(2)), 2);
        ck_breaks(RUN(credit, SEND(0), SEND(1), SEND(2)), "RDMA-6.5-01", 1);
        ck_breaks(RUN(credit, READ(0), READ(1), READ(2)), "RDMA-6.5-01", 1);
        ck_holds(RUN(credit, READ(0), READ(1), ANSWER(0), READ(2)), 2);
    }
}
END_TEST

START_TEST(RDMA_6_5_01_a_pull_keeps_room_for_its_answer)
{
    ck_breaks(RUN(PKT_RX, READ(0), READ(1), ACK(0, 2), READ(2)), "RDMA-6.5-01", 1);
    ck_breaks(RUN(BUF_RX, READ(0), READ(1), ACK(0, 2), READ(2)), "RDMA-6.5-01", 1);
    /* but may have given back what it needed for sending */
    ck_holds(RUN(PKT_TX, READ(0), READ(1), ACK(0, 2), READ(2)), 1);
    /* Pushes have no answer. */
    ck_holds(RUN(BUF_RX, SEND(0), SEND(1), SEND(2)), 0);
}
END_TEST

START_TEST(what_may_have_ended)
{
    ck_holds(RUN(PKT_TX, SEND(0), SEND(1), "> nack nack_psn=1r w=data code=6", SEND(2)), 2);
    ck_holds(RUN(PKT_TX, SEND(0), SEND(1),
                 "< resync psn=1r rsn=1r resync_code=1 resync_packet_type=6", SEND(2)),
             2);
    ck_holds(RUN(PKT_TX, SEND(0), SEND(1), "wait 600ms", SEND(2)), 1);
    /* RNR ends nothing. */
    ck_breaks(RUN(PKT_TX, SEND(0), SEND(1), "> nack nack_psn=1r w=data code=2", SEND(2)),
              "RDMA-6.5-01", 1);
    /* A retransmission takes no credit. */
    ck_holds(RUN(PKT_TX, SEND(0), SEND(1), SEND(1)), 1);
}
END_TEST

START_TEST(where_no_credits_are_known)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines = LINES(MEMORY, PAIR, SEND(0), SEND(1));

    ck_holds(script_run("V20", &clean, &c, lines), 0);
    c.params.credit_req_pkt_tx = 1;
    c.params.flow_control = false;
    ck_holds(script_run("V20", &clean, &c, lines), 0);
    c.params.flow_control = true;
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_credit_req_pkt_tx);
    ck_holds(script_run("V20", &clean, &c, lines), 0);
    c.unknown_params = 0;
    ck_breaks(script_run("V20", &clean, &c, lines), "RDMA-6.5-01", 1);
    /* `set` may change them at any time. */
    ck_holds(script_run("V20", &clean, &c,
                        LINES(MEMORY, PAIR, "set {\"credit_req_pkt_tx\":4}", SEND(0), SEND(1))),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V20");
    TCase *tcase = tcase_create("V20");

    tcase_add_test(tcase, RDMA_6_5_01_no_more_than_the_credits);
    tcase_add_test(tcase, RDMA_6_5_01_a_pull_keeps_room_for_its_answer);
    tcase_add_test(tcase, what_may_have_ended);
    tcase_add_test(tcase, where_no_credits_are_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
