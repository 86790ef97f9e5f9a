/* SPDX-License-Identifier: Apache-2.0
 * pools_test.c - an endpoint with limited resources: credits of its ULP, the region of the
 * network, the levels of connection, function and host (8.2.1.2 to 8.2.4, 11). */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { CELL = 256 };

static struct fal_endpoint_credits credits_of(const struct solo *s, uint32_t conn)
{
    struct fal_endpoint_credits left;

    ck_assert_int_eq(fal_endpoint_credits(s->ep, conn, &left), 0);
    return left;
}

static uint32_t left(const struct solo *s, enum fal_resource which)
{
    return credits_of(s, s->conn).connection[which];
}

/* Limits for all six counters of the ULP. */
static struct solo *with_credits(uint32_t packets, uint32_t cells)
{
    struct solo *s = solo_new();
    struct fal_params *p = &s->open.params;

    p->credit_req_pkt_tx = p->credit_req_pkt_rx = p->credit_data_pkt_tx = packets;
    p->credit_req_buf_tx = p->credit_req_buf_rx = p->credit_data_buf_tx = cells;
    solo_open(s);
    return s;
}

static enum fal_completion last_code(const struct solo *s)
{
    return solo_nth(s, FAL_OUT_COMPLETE, solo_count(s, FAL_OUT_COMPLETE) - 1)->out.code;
}

static void holds_nothing(const struct solo *s, uint32_t packets, uint32_t cells)
{
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), packets);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_RX), packets);
    ck_assert_uint_eq(left(s, FAL_RES_DATA_PKT_TX), packets);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_TX), cells);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_RX), cells);
    ck_assert_uint_eq(left(s, FAL_RES_DATA_BUF_TX), cells);
}

START_TEST(FTP_8_2_3_15_and_8_4_3_3_04_a_push_gives_its_credits_back_when_it_is_acknowledged)
{
    struct solo *s = with_credits(2, 8);

    solo_post(s, FAL_OP_PUSH, 5 * CELL, 1);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), 1);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_TX), 3);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_RX), 1);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_RX), 8);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CREDITS), 0);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CREDITS), 1);
    holds_nothing(s, 2, 8);
    solo_free(s);
}
END_TEST

START_TEST(
    FTP_8_2_2_12_14_15_and_8_4_3_1_04_and_8_4_3_2_04_a_pull_holds_its_response_buffers_until_it_completes)
{
    struct solo *s = with_credits(2, 8);

    solo_post(s, FAL_OP_PULL, 5 * CELL, 1);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_TX), 7);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_RX), 3);
    solo_feed_back(s, 1, 0); /* transmit part: acknowledged */
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), 2);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_TX), 8);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_BUF_RX), 3);
    solo_feed_pull_data(s, 0, 0, true);
    holds_nothing(s, 2, 8);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_3_01_and_11_51_a_ULP_that_overruns_its_credits_is_told)
{
    struct solo *s = with_credits(2, 4);
    uint32_t rsn = solo_post(s, FAL_OP_PUSH, 2 * CELL, 1);

    solo_post(s, FAL_OP_PUSH, 2 * CELL + 1, 2); /* three cells, two left */
    ck_assert_int_eq(last_code(s), FAL_CMPL_CDT_ERR);
    ck_assert_uint_eq(solo_post(s, FAL_OP_PUSH, CELL, 3), rsn + 1); /* took no RSN */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_post(s, FAL_OP_PULL, 1, 4); /* no packet left */
    ck_assert_int_eq(last_code(s), FAL_CMPL_CDT_ERR);
    solo_feed_back(s, 0, 2); /* the connection goes on */
    ck_assert_int_eq(last_code(s), FAL_CMPL_ACK);
    holds_nothing(s, 2, 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_3_03_and_11_32_without_flow_control_it_completes_in_error_and_goes_on)
{
    struct solo *s = solo_new();

    s->open.params.flow_control = false;
    s->open.params.credit_req_pkt_tx = 1;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    ck_assert_int_eq(last_code(s), FAL_CMPL_LOCAL_RSRC);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CREDITS), 0); /* FTP-8.2.3-02 */
    solo_post(s, FAL_OP_PUSH, 4, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_free(s);
}
END_TEST

START_TEST(AMB_54_exhaustion_may_complete_as_an_error_of_the_target)
{
    struct solo *s = solo_new();

    fal_twin_add(&s->open.twins, FAL_TWIN_EXHAUSTION_AS_CIE);
    s->open.params.credit_req_pkt_tx = 1;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    ck_assert_int_eq(last_code(s), FAL_CMPL_TARGET_CIE);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_2_04_a_response_takes_data_credits)
{
    static const uint8_t payload[1024];
    struct fal_endpoint_in in = {.payload = payload, .length = 3 * CELL};
    struct solo *s = with_credits(4, 4);

    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 1, 1, false);
    ck_assert_int_eq(solo_answer(s, in, 0, FAL_ANSWER_DATA), 0);
    ck_assert_uint_eq(left(s, FAL_RES_DATA_PKT_TX), 3);
    ck_assert_uint_eq(left(s, FAL_RES_DATA_BUF_TX), 1);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), 4);
    ck_assert_int_eq(solo_answer(s, in, 1, FAL_ANSWER_DATA), FAL_ERR_RANGE);
    solo_feed_back(s, 0, 1);
    ck_assert_int_eq(solo_answer(s, in, 1, FAL_ANSWER_DATA), 0); /* it has waited */
    solo_feed_back(s, 0, 2);
    holds_nothing(s, 4, 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_23_a_timeout_gives_receive_resources_back_its_resync_the_others)
{
    struct solo *s = solo_new();

    s->open.params.rto_ns = 10 * FAL_S;
    s->open.params.credit_req_pkt_tx = s->open.params.credit_req_pkt_rx = 2;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, CELL, 1);
    solo_wait(s, FAL_S);
    ck_assert_int_eq(last_code(s), FAL_CMPL_LOCAL_TO);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_RX), 2);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), 1);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_13_what_waits_too_long_for_the_scheduler_gives_all_back)
{
    struct solo *s = solo_new();

    s->open.params.fcwnd = s->open.params.ncwnd = 1;
    s->open.params.credit_req_pkt_tx = s->open.params.credit_req_pkt_rx = 4;
    s->open.params.max_attempts = 5000;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), 2);
    solo_wait(s, FAL_S);
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_TX), 3); /* the other one is on its way */
    ck_assert_uint_eq(left(s, FAL_RES_REQ_PKT_RX), 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_09_14_a_dead_connection_holds_nothing)
{
    struct solo *s = solo_new();

    s->open.params.credit_req_pkt_tx = s->open.params.credit_req_pkt_rx = 8;
    s->open.params.net_pkt_rx = 8;
    s->open.params.max_attempts = 1;
    solo_open(s);
    solo_post_many(s, FAL_OP_PULL, 4);
    solo_feed_push(s, 1, false);
    solo_feed_push(s, 2, false);
    ck_assert_uint_eq(left(s, FAL_RES_NET_PKT_RX), 6);
    solo_wait(s, 10 * FAL_MS);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 1);
    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        ck_assert(left(s, i) == UINT32_MAX || left(s, i) == 8);
    solo_free(s);
}
END_TEST

/* ---- the region of the network ---- */

static struct solo *with_net(uint32_t packets)
{
    struct solo *s = solo_new();

    s->open.params.net_pkt_rx = packets;
    solo_open(s);
    return s;
}

START_TEST(
    FTP_8_5_3_1_02_03_and_8_5_3_3_02_03_without_resources_a_request_is_dropped_with_code_1)
{
    struct solo *s = with_net(2);
    const struct fal_falcon *nack;

    solo_feed_push(s, 1, false);
    solo_feed_push(s, 2, true); /* the last one is kept for RSN 0 */
    nack = &solo_sent(s, FAL_NACK, 0)->packet;
    ck_assert_uint_eq(nack->nack_code, FAL_NACK_RESOURCE);
    ck_assert_uint_eq(nack->nack_psn, PEER_DATA + 2);
    ck_assert_uint_eq(nack->window, FAL_WINDOW_DATA);
    solo_feed_pull(s, 0, 3, true);
    nack = &solo_sent(s, FAL_NACK, 1)->packet;
    ck_assert_uint_eq(nack->nack_code, FAL_NACK_RESOURCE);
    ck_assert_uint_eq(nack->nack_psn, PEER_REQ);
    ck_assert_uint_eq(nack->window, FAL_WINDOW_REQ);
    ck_assert_uint_eq(fal_u128_lo(solo_state(s).data_rx_bitmap), 2); /* FTP-11-20 */
    ck_assert_uint_eq(solo_state(s).rx_rbpsn, PEER_REQ);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_1_2_05_the_head_of_the_line_is_taken)
{
    struct solo *s = with_net(2);

    solo_feed_push(s, 1, false);
    solo_feed_push(s, 0, false);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    solo_feed_push(s, 2, false); /* head of line now; but those before it are with the ULP */
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    solo_ack(s, 0);
    ck_assert_uint_eq(left(s, FAL_RES_NET_PKT_RX), 1);
    solo_feed_push(s, 2, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
    solo_ack(s, 1);
    solo_ack(s, 2);
    ck_assert_uint_eq(left(s, FAL_RES_NET_PKT_RX), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_1_2_05_where_nothing_is_in_order_one_request_is_always_taken)
{
    struct solo *s = solo_new();

    s->open.params.net_pkt_rx = 1;
    s->open.params.ordered = false;
    solo_open(s);
    solo_feed_push(s, 0, false);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    solo_ack(s, 0);
    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_1_2_05_an_open_pull_that_its_ULP_has_holds_no_place)
{
    struct solo *s = solo_new();

    s->open.params.net_pkt_rx = 1;
    s->open.params.ordered = false;
    solo_open(s);
    solo_feed_pull(s, 0, 0, false);
    solo_ack(s, 0);
    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_4_01_a_pull_frees_its_place_when_its_ULP_has_it)
{
    struct solo *s = with_net(2);

    solo_feed_pull(s, 0, 0, false);
    ck_assert_uint_eq(left(s, FAL_RES_NET_PKT_RX), 1);
    solo_ack(s, 0);
    ck_assert_uint_eq(left(s, FAL_RES_NET_PKT_RX), 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_36_a_push_that_ends_in_error_frees_its_place)
{
    struct solo *s = with_net(2);

    solo_feed_push(s, 0, false);
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){.code = 7}, 0, FAL_ANSWER_CIE), 0);
    ck_assert_uint_eq(left(s, FAL_RES_NET_PKT_RX), 2);
    solo_feed_push(s, 0, false); /* its code is kept until the resync (AMB-52) */
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 1)->packet.ulp_nack_code, 7);
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, false);
    ck_assert_uint_eq(left(s, FAL_RES_NET_PKT_RX), 2);
    solo_free(s);
}
END_TEST

/* ---- levels ---- */

/* Another connection of the endpoint, of that function. */
static uint32_t another(struct solo *s, uint32_t n, uint32_t function)
{
    uint32_t conn;

    s->open.local.cid = SOLO_CID + n;
    s->open.local.function = function;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &conn), 0);
    return conn;
}

static enum fal_completion post_on(struct solo *s, uint32_t conn)
{
    struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .conn = conn, .op = FAL_OP_PULL, .length = 8};
    size_t before = solo_count(s, FAL_OUT_COMPLETE);

    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    solo_drain(s);
    return solo_count(s, FAL_OUT_COMPLETE) > before ? last_code(s) : FAL_CMPL_ACK;
}

START_TEST(FTP_8_2_3_04_05_06_functions_and_the_host_have_limits_too)
{
    struct solo *s = solo_new();
    uint32_t b, c;

    s->config.function_limits.units[FAL_RES_REQ_PKT_TX] = 3;
    s->config.host_limits.units[FAL_RES_REQ_PKT_TX] = 4;
    s->open.params.credit_req_pkt_tx = 3; /* nine in sum */
    solo_open(s);
    b = another(s, 1, 3);
    c = another(s, 2, 77);
    ck_assert_int_eq(post_on(s, s->conn), FAL_CMPL_ACK);
    ck_assert_int_eq(post_on(s, s->conn), FAL_CMPL_ACK);
    ck_assert_int_eq(post_on(s, b), FAL_CMPL_ACK);
    ck_assert_int_eq(post_on(s, b), FAL_CMPL_LOCAL_RSRC); /* function 3 */
    ck_assert_uint_eq(credits_of(s, b).connection[FAL_RES_REQ_PKT_TX], 2);
    ck_assert_uint_eq(credits_of(s, b).function[FAL_RES_REQ_PKT_TX], 0);
    ck_assert_uint_eq(credits_of(s, b).host[FAL_RES_REQ_PKT_TX], 1);
    ck_assert_int_eq(post_on(s, c), FAL_CMPL_ACK);
    ck_assert_int_eq(post_on(s, c), FAL_CMPL_LOCAL_RSRC); /* the host */
    fal_endpoint_close(s->ep, s->conn);                   /* leaves nothing behind */
    ck_assert_uint_eq(credits_of(s, b).function[FAL_RES_REQ_PKT_TX], 2);
    ck_assert_uint_eq(credits_of(s, b).host[FAL_RES_REQ_PKT_TX], 2);
    ck_assert_int_eq(post_on(s, b), FAL_CMPL_ACK);
    fal_endpoint_close(s->ep, b);
    fal_endpoint_close(s->ep, c);
    b = another(s, 3, 77);
    ck_assert_uint_eq(credits_of(s, b).function[FAL_RES_REQ_PKT_TX], 3);
    ck_assert_uint_eq(credits_of(s, b).host[FAL_RES_REQ_PKT_TX], 4);
    solo_free(s);
}
END_TEST

/* Two connections have two credits each, and the device has two in all. */
START_TEST(FTP_8_2_3_05_connections_may_share_what_there_is)
{
    struct solo *s = solo_new();
    uint32_t b;

    fal_twin_add(&s->open.twins, FAL_TWIN_POOLS_OF_DEVICE);
    s->open.params.credit_req_pkt_tx = 2;
    solo_open(s);
    b = another(s, 1, 3);
    ck_assert_int_eq(post_on(s, s->conn), FAL_CMPL_ACK);
    ck_assert_int_eq(post_on(s, b), FAL_CMPL_ACK);
    ck_assert_int_eq(post_on(s, b),
                     FAL_CMPL_LOCAL_RSRC); /* it holds one, and so does the other */
    ck_assert_uint_eq(credits_of(s, b).connection[FAL_RES_REQ_PKT_TX], 1);
    solo_feed_back(s, 1, 0);
    ck_assert_int_eq(post_on(s, b), FAL_CMPL_ACK);
    ck_assert_int_eq(post_on(s, s->conn), FAL_CMPL_LOCAL_RSRC); /* an idle connection */
    solo_free(s);
}
END_TEST

/* Requests of many connections want the last places; the first request of each queue is served.
 */
START_TEST(FTP_8_2_1_2_05_a_head_of_line_is_refused_only_where_another_was_admitted)
{
    struct solo *s = solo_new();
    struct fal_falcon p;

    s->config.host_limits = (struct fal_limits){.red_pkt = 1};
    s->config.host_limits.units[FAL_RES_NET_PKT_RX] = 3;
    solo_open(s);
    another(s, 1, 3);
    another(s, 2, 3);
    solo_feed_push(s, 1, false);
    solo_feed_push(s, 2, false); /* green is full */
    solo_feed_push(s, 3, false);
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);
    p.request_length = 4;
    p.dest_cid = SOLO_CID + 1;
    solo_feed(s, &p, NULL, 0); /* the head of another line takes the red place */
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_feed_push(s, 0, false); /* a head, too late */
    ck_assert_uint_eq(solo_packets(s, FAL_NACK), 2);
    FAL_IGNORE(fal_endpoint_input(s->ep,
                                  &(struct fal_endpoint_in){.kind = FAL_IN_RESPOND,
                                                            .conn = s->conn + 1,
                                                            .rsn = PEER_RSN,
                                                            .answer = FAL_ANSWER_ACK},
                                  s->now_ns, NULL));
    solo_drain(s);
    solo_feed_push(s, 0, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_2_1_2_01_02_04_what_comes_and_what_goes_do_not_compete)
{
    struct solo *s = solo_new();

    s->config.host_limits = (struct fal_limits){.red_pkt = 1};
    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        s->config.host_limits.units[i] = 2;
    s->config.host_limits.red_buf = 2;
    s->config.cell = 4096;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 2); /* no request can be posted any more */
    ck_assert_int_eq(post_on(s, s->conn), FAL_CMPL_LOCAL_RSRC);
    solo_feed_pull(s, 0, 0, false); /* but requests arrive, and are answered */
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){.length = 0}, 0, FAL_ANSWER_DATA),
                     0);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 1);
    solo_free(s);
}
END_TEST

START_TEST(limits_without_room_for_the_longest_request_are_refused)
{
    struct solo *s = solo();
    uint32_t conn;

    s->open.local.cid++;
    s->open.params.net_buf_rx = 15; /* 4096 bytes are 16 cells */
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &conn), FAL_ERR_RANGE);
    s->open.params.net_buf_rx = 16;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &conn), 0);
    solo_free(s);
    s = solo_new();
    s->config.host_limits.units[FAL_RES_NET_PKT_RX] = 3; /* no part for heads of line */
    s->ep = fal_endpoint_new(&s->config);
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &conn), FAL_ERR_RANGE);
    ck_assert_int_eq(fal_endpoint_credits(s->ep, 1, &(struct fal_endpoint_credits){0}),
                     FAL_ERR_RANGE);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("pools");
    TCase *tc = tcase_create("pools");

    tcase_add_test(
        tc, FTP_8_2_3_15_and_8_4_3_3_04_a_push_gives_its_credits_back_when_it_is_acknowledged);
    tcase_add_test(
        tc,
        FTP_8_2_2_12_14_15_and_8_4_3_1_04_and_8_4_3_2_04_a_pull_holds_its_response_buffers_until_it_completes);
    tcase_add_test(tc, FTP_8_2_3_01_and_11_51_a_ULP_that_overruns_its_credits_is_told);
    tcase_add_test(
        tc, FTP_8_2_3_03_and_11_32_without_flow_control_it_completes_in_error_and_goes_on);
    tcase_add_test(tc, AMB_54_exhaustion_may_complete_as_an_error_of_the_target);
    tcase_add_test(tc, FTP_8_5_3_2_04_a_response_takes_data_credits);
    tcase_add_test(tc, FTP_11_23_a_timeout_gives_receive_resources_back_its_resync_the_others);
    tcase_add_test(tc, FTP_11_13_what_waits_too_long_for_the_scheduler_gives_all_back);
    tcase_add_test(tc, FTP_11_09_14_a_dead_connection_holds_nothing);
    tcase_add_test(
        tc,
        FTP_8_5_3_1_02_03_and_8_5_3_3_02_03_without_resources_a_request_is_dropped_with_code_1);
    tcase_add_test(tc, FTP_8_2_1_2_05_the_head_of_the_line_is_taken);
    tcase_add_test(tc, FTP_8_2_1_2_05_where_nothing_is_in_order_one_request_is_always_taken);
    tcase_add_test(tc, FTP_8_2_1_2_05_an_open_pull_that_its_ULP_has_holds_no_place);
    tcase_add_test(tc, FTP_8_2_4_01_a_pull_frees_its_place_when_its_ULP_has_it);
    tcase_add_test(tc, FTP_11_36_a_push_that_ends_in_error_frees_its_place);
    tcase_add_test(tc, FTP_8_2_3_04_05_06_functions_and_the_host_have_limits_too);
    tcase_add_test(tc,
                   FTP_8_2_1_2_05_a_head_of_line_is_refused_only_where_another_was_admitted);
    tcase_add_test(tc, FTP_8_2_1_2_01_02_04_what_comes_and_what_goes_do_not_compete);
    tcase_add_test(tc, limits_without_room_for_the_longest_request_are_refused);
    tcase_add_test(tc, FTP_8_2_3_05_connections_may_share_what_there_is);
    suite_add_tcase(suite, tc);
    return suite;
}
