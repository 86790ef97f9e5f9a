/* SPDX-License-Identifier: Apache-2.0
 * steps_test.c - the transaction sublayer step by step, as in 8.4.3 and 8.5.3: the state of a
 * transaction after each step, and the packets sent. A log records one word for each. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#include <stdio.h>

#define RTO UINT64_C(1000000)

static struct solo *noted(bool ordered)
{
    struct solo *s = solo_new();

    s->config.internal_notes = true;
    s->open.params.ordered = ordered;
    solo_open(s);
    return s;
}

/* What has happened since the last look: states by name, packets with PSN and RSN, requests and
 * completions by RSN; RSNs count from the first of their side. */
static const char *diary(struct solo *s)
{
    static char text[4096];
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < s->n; i++) {
        const struct solo_out *out = &s->outs[i];
        const struct fal_falcon *p = &out->packet;
        const char *state = out->out.kind == FAL_OUT_NOTE ? strstr(out->what, ": ") : NULL;

        if (n > 0 && text[n - 1] != ' ')
            n += (size_t)snprintf(text + n, sizeof text - n, " ");
        if (state != NULL && strstr(out->what, " rsn ") != NULL)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", state + 2);
        else if (out->out.kind == FAL_OUT_PACKET && fal_falcon_reliable(p->packet_type))
            n += (size_t)snprintf(text + n, sizeof text - n, "%s(%u,%u)",
                                  fal_falcon_type_name(p->packet_type), p->psn, p->rsn);
        else if (out->out.kind == FAL_OUT_PACKET && p->packet_type == FAL_NACK)
            n += (size_t)snprintf(text + n, sizeof text - n, "nack(%u,%u)", p->nack_psn,
                                  p->nack_code);
        else if (out->out.kind == FAL_OUT_PACKET)
            n += (size_t)snprintf(text + n, sizeof text - n, "ack(%u,%u)", p->recv_req_base_psn,
                                  p->recv_data_base_psn);
        else if (out->out.kind == FAL_OUT_REQUEST)
            n += (size_t)snprintf(text + n, sizeof text - n, "request(%u)",
                                  out->out.rsn - PEER_RSN);
        else if (out->out.kind == FAL_OUT_COMPLETE)
            n += (size_t)snprintf(text + n, sizeof text - n, "complete(%u,%u)",
                                  out->out.rsn - SOLO_RSN, (unsigned)out->out.code);
    }
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
    solo_forget(s);
    return text;
}

#define DIARY(s, due) ck_assert_str_eq(diary(s), due)

static void answer(struct solo *s, uint32_t rsn, enum fal_answer what)
{
    static const uint8_t payload[8] = "payload";

    ck_assert_int_eq(
        solo_answer(s,
                    (struct fal_endpoint_in){
                        .payload = payload, .length = 8, .rnr_ns = 100000, .code = 7},
                    rsn, what),
        0);
}

static void feed_nack(struct solo *s, uint32_t psn, enum fal_nack_code code)
{
    struct fal_falcon nack = solo_nack(SOLO_DATA + psn, code);

    nack.ulp_nack_code = 9;
    nack.rnr_timeout = 12; /* 0.64 ms */
    solo_feed(s, &nack, NULL, 0);
}

/* ---- 8.4.3: the initiator ---- */

START_TEST(FTP_8_4_3_1_02_to_09_a_pull_request)
{
    struct solo *s = noted(true);

    solo_post(s, FAL_OP_PULL, 4, 0);
    DIARY(s, "PullReqUlpRx PullReqTx pull_request(100,1)");
    ck_assert_uint_eq(solo_state(s).nrsn, SOLO_RSN + 1);
    solo_feed_back(s, 1, 0);
    DIARY(s, "PullReqAckd");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_3_1_05_06_a_request_waits_for_its_gate_and_gets_its_header_there)
{
    struct solo *s = solo_cwnd(1, 1);

    solo_post_many(s, FAL_OP_PULL, 2);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 1);
    solo_feed_push(s, 0, false); /* moves a base meanwhile */
    solo_ack(s, 0);
    solo_forget(s);
    solo_feed_back(s, 1, 0);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.recv_data_base_psn,
                      PEER_DATA + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.psn, SOLO_REQ + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_3_2_05_to_08_pull_data)
{
    struct solo *s = noted(true);

    solo_post_many(s, FAL_OP_PULL, 2);
    (void)diary(s);
    solo_feed_pull_data(s, 1, 1, true);
    DIARY(s, "PullDataRx ack(1100,1200)"); /* the first one is missing */
    solo_feed_pull_data(s, 0, 0, true);
    DIARY(s,
          "PullDataRx complete(0,0) PullDataUlpTx complete(1,0) PullDataUlpTx ack(1100,1202)");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_1_03_and_8_4_3_2_03_shorter_pull_data_may_be_discarded_but_not_empty_ones)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();

        if (twin)
            fal_twin_add(&s->open.twins, FAL_TWIN_PULL_DATA_SHORT_DROPPED);
        s->open.params.ordered = false;
        solo_open(s);
        for (uint32_t i = 0; i < 2; i++)
            solo_post(s, FAL_OP_PULL, 200, i);
        for (uint32_t i = 0; i < 2; i++) {
            struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA + i, SOLO_RSN + i);
            static const uint8_t payload[199];

            solo_feed(s, &p, payload, i == 0 ? 199 : 0);
        }
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), twin ? 1 : 2);
        ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 2); /* arrived nevertheless */
        solo_wait(s, FAL_S);
        ck_assert_int_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.code,
                         twin ? FAL_CMPL_LOCAL_TO : FAL_CMPL_ACK);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_8_4_3_3_01_03_05_to_12_push_data)
{
    struct solo *s = noted(true);

    solo_post(s, FAL_OP_PUSH, 4, 0);
    DIARY(s, "PushReqUlpRx PushDataTx push_data(200,1)");
    solo_post(s, FAL_OP_PUSH, 4, 1);
    (void)diary(s);
    solo_feed_eack(s, 0, 2, 2, 0); /* the second one is acknowledged first */
    DIARY(s, "PushDataAckd");
    solo_feed_back(s, 0, 1);
    DIARY(s, "PushDataAckd complete(0,0) PushCplTx complete(1,0) PushCplTx");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_3_4_01_02_03_an_RNR_delays_the_push_of_its_PSN)
{
    struct solo *s = solo_new();

    s->open.params.rto_ns = RTO / 4;
    s->open.params.max_attempts = 100;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_forget(s);
    feed_nack(s, 1, FAL_NACK_RNR);
    solo_wait(s, 599999);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 4); /* the others, twice */
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_ne(solo_sent(s, FAL_PUSH_DATA, i)->packet.psn, SOLO_DATA + 1);
    solo_forget(s);
    solo_wait(s, 60000);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.rsn, SOLO_RSN + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_3_5_01_02_03_a_CIE_NACK_leads_to_a_resync_and_an_error)
{
    struct solo *s = noted(true);

    solo_post_many(s, FAL_OP_PUSH, 2);
    (void)diary(s);
    feed_nack(s, 0, FAL_NACK_CIE);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.psn, SOLO_DATA);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.rsn, SOLO_RSN);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0); /* AMB-47 */
    solo_forget(s);
    solo_feed_back(s, 0, 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.ulp_nack_code, 9);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code, FAL_CMPL_TARGET_CIE);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.code, FAL_CMPL_ACK);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_4_1_01_03_BRSN_is_the_oldest_that_is_not_completed)
{
    struct solo *s = solo_new();

    s->open.params.ordered = false;
    s->open.local.rsn = UINT32_MAX - 1; /* over the wrap */
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 4);
    ck_assert_uint_eq(solo_state(s).brsn, UINT32_MAX - 1);
    ck_assert_uint_eq(solo_state(s).nrsn, 2);
    solo_feed_eack(s, 0, 6, 6, 0);
    ck_assert_uint_eq(solo_state(s).brsn, UINT32_MAX - 1);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_state(s).brsn, 1);
    solo_feed_back(s, 0, 4);
    ck_assert_uint_eq(solo_state(s).brsn, 2);
    solo_free(s);
}
END_TEST

/* ---- 8.5.3: the target ---- */

START_TEST(FTP_8_5_3_1_04_to_08_a_pull_request)
{
    struct solo *s = noted(true);

    solo_feed_pull(s, 1, 1, true);
    DIARY(s, "PullReqRx ack(1100,1200)");
    solo_feed_pull(s, 0, 0, true);
    DIARY(s, "PullReqRx ack(1102,1200) request(0) PullReqUlpTx request(1) PullReqUlpTx");
    answer(s, 0, FAL_ANSWER_ACK);
    DIARY(s, "PullReqUlpAckd");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_2_01_03_05_to_09_pull_data)
{
    struct solo *s = noted(true);

    solo_feed_pull(s, 0, 0, false);
    answer(s, 0, FAL_ANSWER_ACK);
    (void)diary(s);
    answer(s, 0, FAL_ANSWER_DATA);
    DIARY(s, "PullDataUlpRx PullDataTx pull_data(200,1001)");
    ck_assert_uint_eq(solo_state(s).open_received, 1);
    solo_feed_back(s, 0, 1);
    DIARY(s, "PullDataAckd Closed");
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_1_1_1_02_and_8_1_06_and_8_5_3_3_04_to_09_push_data)
{
    struct solo *s = noted(true);

    solo_feed_push(s, 1, true);
    solo_feed_push(s, 0, true);
    DIARY(s, "PushDataRx PushDataRx request(0) PushReqUlpTx request(1) PushReqUlpTx");
    answer(s, 0, FAL_ANSWER_ACK);
    DIARY(s, "PushReqUlpAckd Closed ack(1100,1201)");
    answer(s, 1, FAL_ANSWER_ACK);
    DIARY(s, "PushReqUlpAckd Closed ack(1100,1202)");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_4_02_05_08_an_RNRed_pull)
{
    struct solo *s = noted(false);

    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 1, 1, false);
    (void)diary(s);
    answer(s, 1, FAL_ANSWER_RNR);
    solo_wait(s, 7000);
    DIARY(s, ""); /* nothing on the wire */
    solo_wait(s, 93000);
    DIARY(s, "ack(1102,1200) request(1) PullReqUlpTx");
    answer(s, 1, FAL_ANSWER_ACK);
    DIARY(s, "PullReqUlpAckd");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_4_03_09_an_RNRed_push)
{
    struct solo *s = noted(false);

    solo_feed_push(s, 0, false);
    solo_feed_push(s, 1, false);
    (void)diary(s);
    answer(s, 1, FAL_ANSWER_RNR);
    DIARY(s, "nack(1201,2)");
    solo_wait(s, 10 * RTO);
    (void)diary(s);
    solo_feed_push(s, 1, false);
    DIARY(s, "request(1) PushReqUlpTx");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_5_03_a_push_in_error)
{
    struct solo *s = noted(false);

    solo_feed_push(s, 0, false);
    solo_feed_push(s, 1, false);
    (void)diary(s);
    answer(s, 1, FAL_ANSWER_CIE);
    DIARY(s, "PushReqUlpAckd nack(1201,6)");
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA + 1, 1, true);
    DIARY(s, "Closed ack(1100,1200)");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_1_01_03_04_06_BRSN_and_NRSN_of_the_target)
{
    struct solo *s = solo_new();
    struct fal_falcon p;

    s->open.peer.rsn = UINT32_MAX;
    solo_open(s);
    for (uint32_t i = 0; i < 4; i++) {
        p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + i, UINT32_MAX + i);
        if (i != 2)
            solo_feed(s, &p, NULL, 0);
    }
    ck_assert_uint_eq(solo_state(s).target_brsn, UINT32_MAX);
    ck_assert_uint_eq(solo_state(s).target_nrsn, 1);
    solo_answer(s, (struct fal_endpoint_in){0}, 0u - PEER_RSN, FAL_ANSWER_ACK);
    ck_assert_uint_eq(solo_state(s).target_brsn, UINT32_MAX);
    solo_answer(s, (struct fal_endpoint_in){0}, UINT32_MAX - PEER_RSN, FAL_ANSWER_ACK);
    ck_assert_uint_eq(solo_state(s).target_brsn, 1);
    p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + 2, 1);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_state(s).target_brsn, 1);
    ck_assert_uint_eq(solo_state(s).target_nrsn, 3);
    solo_free(s);
}
END_TEST

/* ---- connections ---- */

/* Both peers have chosen the same CID; the local one tells the connections apart. */
START_TEST(FTP_6_2_02_03_and_8_4_3_1_01_and_8_4_3_2_01_and_8_4_3_3_02_by_CID)
{
    struct solo *s = solo();
    uint32_t first = s->conn, second;
    struct fal_falcon p;

    s->open.local.cid = 77;
    s->open.local.rsn = 500;
    s->open.peer.function = 66;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &second), 0);
    s->conn = second;
    solo_post(s, FAL_OP_PULL, 4, 1);
    s->conn = first;
    solo_post(s, FAL_OP_PUSH, 4, 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.dest_cid, SOLO_PEER_CID);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.dest_function, 66);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.rsn, 500);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.dest_cid, SOLO_PEER_CID);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.rsn, SOLO_RSN);
    p = solo_packet(FAL_PULL_DATA, PEER_DATA, 500);
    solo_feed(s, &p, "data", 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    p.dest_cid = 77;
    solo_feed(s, &p, "data", 4);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.conn, second);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_5_3_1_01_and_8_5_3_3_01_and_8_5_3_2_02_requests_and_answers_by_CID)
{
    struct solo *s = solo();
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN);
    uint32_t first = s->conn;

    s->open.local.cid = 77;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    solo_feed_pull(s, 0, 0, false);
    p.dest_cid = 77;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->out.conn, first);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_REQUEST, 1)->out.conn, s->conn);
    answer(s, 0, FAL_ANSWER_ACK); /* the push, on the second one */
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    s->conn = first;
    answer(s, 0, FAL_ANSWER_DATA);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_DATA), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_01_both_ends_are_initiator_and_target_at_once)
{
    struct solo *s = solo();

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PULL, 4, 2);
    solo_feed_push(s, 0, false);
    solo_feed_pull(s, 0, 1, false);
    answer(s, 0, FAL_ANSWER_ACK);
    answer(s, 1, FAL_ANSWER_DATA);
    solo_feed_pull_data(s, 1, 1, false);
    solo_feed_back(s, 1, 2);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert_uint_eq(solo_state(s).open_initiated + solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_1_2_01_03_and_8_2_1_2_03_windows_have_PSNs_of_their_own)
{
    struct solo *s = solo();

    for (uint32_t i = 0; i < 5; i++) {
        solo_post(s, FAL_OP_PULL, 4, 1);
        solo_post(s, FAL_OP_PUSH, 4, 2);
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->packet.psn, SOLO_REQ + i);
        ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, i)->packet.psn, SOLO_DATA + 2 * i);
        solo_feed_pull(s, i, i, false);
        answer(s, i, FAL_ANSWER_DATA);
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, i)->packet.psn, SOLO_DATA + 2 * i + 1);
    }
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_1_1_1_03_and_6_1_2_04_one_ACK_for_several_or_a_piggyback)
{
    struct solo *s = solo();

    for (uint32_t i = 0; i < 3; i++)
        solo_feed_push(s, i, false);
    for (uint32_t i = 0; i < 3; i++)
        answer(s, i, FAL_ANSWER_ACK);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_the_ack(s, FAL_BACK)->recv_data_base_psn, PEER_DATA + 3);
    solo_forget(s);
    solo_feed_push(s, 3, false);
    answer(s, 3, FAL_ANSWER_ACK);
    solo_post(s, FAL_OP_PULL, 4, 1);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, 0)->packet.recv_data_base_psn,
                      PEER_DATA + 4);
    solo_wait(s, 100000);
    solo_no_ack(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_3_01_congestion_windows_are_those_of_a_connection)
{
    struct solo *s = solo_cwnd(2, 2);
    uint32_t first = s->conn;

    s->open.local.cid = 77;
    s->open.params.fcwnd = s->open.params.ncwnd = 5;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    solo_post_many(s, FAL_OP_PUSH, 10);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 5);
    s->conn = first;
    solo_post_many(s, FAL_OP_PUSH, 10);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 7);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_4_04_an_empty_response_is_as_reliable_as_any)
{
    struct solo *s = solo();

    solo_feed_pull(s, 0, 0, false);
    answer(s, 0, FAL_ANSWER_CIE);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 0)->packet.psn, SOLO_DATA);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 1)->packet.psn, SOLO_DATA);
    ck_assert_uint_eq(solo_sent(s, FAL_PULL_DATA, 1)->out.payload_len, 0);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_state(s).open_received, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_2_04_no_packet_is_longer_than_an_MTU)
{
    static const uint8_t payload[4097];
    struct solo *s = solo();
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .conn = s->conn, .payload = payload};

    for (in.length = 4096; in.length < 4098; in.length++) {
        int due = in.length > 4096 ? FAL_ERR_RANGE : 0;

        in.op = FAL_OP_PUSH;
        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), due);
        in.op = FAL_OP_PULL; /* its response could not be sent */
        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), due);
        solo_feed_pull(s, in.length - 4096, in.length - 4096, false);
        ck_assert_int_eq(
            solo_answer(s, (struct fal_endpoint_in){.payload = payload, .length = in.length},
                        in.length - 4096, FAL_ANSWER_DATA),
            due);
    }
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("steps of 8.4.3 and 8.5.3");
    TCase *tc = tcase_create("steps");

    tcase_add_test(tc, FTP_8_4_3_1_02_to_09_a_pull_request);
    tcase_add_test(tc,
                   FTP_8_4_3_1_05_06_a_request_waits_for_its_gate_and_gets_its_header_there);
    tcase_add_test(tc, FTP_8_4_3_2_05_to_08_pull_data);
    tcase_add_test(
        tc, FTP_8_1_03_and_8_4_3_2_03_shorter_pull_data_may_be_discarded_but_not_empty_ones);
    tcase_add_test(tc, FTP_8_4_3_3_01_03_05_to_12_push_data);
    tcase_add_test(tc, FTP_8_4_3_4_01_02_03_an_RNR_delays_the_push_of_its_PSN);
    tcase_add_test(tc, FTP_8_4_3_5_01_02_03_a_CIE_NACK_leads_to_a_resync_and_an_error);
    tcase_add_test(tc, FTP_8_4_1_01_03_BRSN_is_the_oldest_that_is_not_completed);
    tcase_add_test(tc, FTP_8_5_3_1_04_to_08_a_pull_request);
    tcase_add_test(tc, FTP_8_5_3_2_01_03_05_to_09_pull_data);
    tcase_add_test(tc, FTP_6_1_1_1_02_and_8_1_06_and_8_5_3_3_04_to_09_push_data);
    tcase_add_test(tc, FTP_8_5_3_4_02_05_08_an_RNRed_pull);
    tcase_add_test(tc, FTP_8_5_3_4_03_09_an_RNRed_push);
    tcase_add_test(tc, FTP_8_5_3_5_03_a_push_in_error);
    tcase_add_test(tc, FTP_8_5_1_01_03_04_06_BRSN_and_NRSN_of_the_target);
    tcase_add_test(tc, FTP_6_2_02_03_and_8_4_3_1_01_and_8_4_3_2_01_and_8_4_3_3_02_by_CID);
    tcase_add_test(tc,
                   FTP_8_5_3_1_01_and_8_5_3_3_01_and_8_5_3_2_02_requests_and_answers_by_CID);
    tcase_add_test(tc, FTP_8_01_both_ends_are_initiator_and_target_at_once);
    tcase_add_test(tc, FTP_6_1_2_01_03_and_8_2_1_2_03_windows_have_PSNs_of_their_own);
    tcase_add_test(tc, FTP_6_1_1_1_03_and_6_1_2_04_one_ACK_for_several_or_a_piggyback);
    tcase_add_test(tc, FTP_6_3_01_congestion_windows_are_those_of_a_connection);
    tcase_add_test(tc, FTP_6_4_04_an_empty_response_is_as_reliable_as_any);
    tcase_add_test(tc, FTP_6_2_04_no_packet_is_longer_than_an_MTU);
    suite_add_tcase(suite, tc);
    return suite;
}
