/* SPDX-License-Identifier: Apache-2.0
 * flows_test.c - the six example flows of 6.6, packet by packet, with the PSNs and RSNs of the
 * specification. A is the initiator, B the target; one way takes 10 us, the coalescing timeout
 * is 8 us, the RTO 1 ms. A line is: microseconds, who, what it sends or what its ULP sees.
 *
 * Beside what the figures draw there are ACKs without news: the coalescing timer starts when a
 * push arrives, even if nothing can be acknowledged when it fires (AMB-19). */
#include "oracles/endpoint/rig/bench_pair.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINES_MAX = 64, LINE_MAX_LEN = 96 };

struct flow {
    struct pair pair;
    char lines[LINES_MAX][LINE_MAX_LEN];
    unsigned num_lines;
    /* the target's ULP: answers in this order, then the last one for ever */
    enum fal_answer answers[4];
    unsigned answered;
    uint32_t req_psn, data_psn; /* of A's first packets */
    uint32_t response_psn;      /* of B's first one */
    uint64_t think_ns;          /* before an answer; one at a time */
    struct {
        uint64_t at_ns;
        uint32_t rsn;
    } thinking[8];
    unsigned num_thinking;
    /* what the network does to the n-th packet of a side (from 0) */
    struct {
        unsigned side, n;
        uint64_t delay_ns;
    } mishaps[4];
    unsigned sent[2];
};

static void line(struct flow *flow, unsigned side, const char *text)
{
    ck_assert_uint_lt(flow->num_lines, LINES_MAX);
    snprintf(flow->lines[flow->num_lines++], LINE_MAX_LEN, "%" PRIu64 " %c %s",
             flow->pair.now_ns / 1000, "AB"[side], text);
}

static uint64_t on_packet(struct pair *pair, unsigned side, const struct fal_falcon *p)
{
    struct flow *flow = pair->ctx;
    const char *type = fal_falcon_type_name(p->packet_type);
    char text[LINE_MAX_LEN];
    unsigned n = flow->sent[side]++;

    if (p->packet_type == FAL_NACK)
        snprintf(text, sizeof text, "nack psn=%u code=%u rnr=%u ulp=%u", p->nack_psn,
                 p->nack_code, p->rnr_timeout, p->ulp_nack_code);
    else if (p->packet_type == FAL_EACK)
        snprintf(text, sizeof text, "eack dbase=%u rbase=%u drx=%#" PRIx64 " dack=%#" PRIx64,
                 p->recv_data_base_psn, p->recv_req_base_psn, fal_u128_lo(p->data_rx_bitmap),
                 fal_u128_lo(p->data_ack_bitmap));
    else if (p->packet_type == FAL_BACK)
        snprintf(text, sizeof text, "back dbase=%u rbase=%u", p->recv_data_base_psn,
                 p->recv_req_base_psn);
    else if (p->packet_type == FAL_RESYNC)
        snprintf(text, sizeof text, "resync psn=%u rsn=%u code=%u of=%u", p->psn, p->rsn,
                 p->resync_code, p->resync_packet_type);
    else
        snprintf(text, sizeof text, "%s psn=%u rsn=%u", type, p->psn, p->rsn);
    for (unsigned i = 0; i < 4; i++)
        if (flow->mishaps[i].delay_ns != 0 && flow->mishaps[i].side == side &&
            flow->mishaps[i].n == n) {
            strcat(text, flow->mishaps[i].delay_ns == FAL_NEVER ? " (lost)" : " (late)");
            line(flow, side, text);
            return flow->mishaps[i].delay_ns;
        }
    line(flow, side, text);
    return 0;
}

static void answer(struct flow *flow, uint32_t rsn)
{
    struct fal_endpoint_in in = {.rsn = rsn, .answer = flow->answers[flow->answered]};
    static const uint8_t data[8];

    if (flow->answers[flow->answered] != flow->answers[3])
        flow->answered++;
    in.rnr_ns = 2 * FAL_MS;
    in.code = 77;
    in.payload = data;
    in.length = in.answer == FAL_ANSWER_DATA ? 8 : 0;
    ck_assert_int_eq(pair_respond(&flow->pair, 1, in), 0);
}

static void on_event(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct flow *flow = pair->ctx;
    char text[LINE_MAX_LEN];

    if (out->kind == FAL_OUT_REQUEST) {
        snprintf(text, sizeof text, "request rsn=%u%s", out->rsn,
                 out->redelivery ? " again" : "");
        line(flow, side, text);
        if (flow->think_ns == 0) {
            answer(flow, out->rsn);
        } else {
            flow->thinking[flow->num_thinking].at_ns = pair->now_ns + flow->think_ns;
            flow->thinking[flow->num_thinking++].rsn = out->rsn;
        }
        return;
    }
    ck_assert_int_eq(out->kind, FAL_OUT_COMPLETE);
    snprintf(text, sizeof text, "complete rsn=%u code=%u ulp=%u", out->rsn, (unsigned)out->code,
             out->ulp_nack_code);
    line(flow, side, text);
}

static const struct pair_ops ops = {.event = on_event, .packet = on_packet};

static void run(struct flow *flow, enum fal_ulp_op op, unsigned n)
{
    const struct fal_end ends[2] = {{10, 1, flow->req_psn, flow->data_psn, 1},
                                    {5, 2, 900, flow->response_psn, 1}};
    const struct fal_impairment wire[2] = {{.latency_ns = 10000}, {.latency_ns = 10000}};
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .op = op, .length = 8};
    static const uint8_t payload[8];
    uint64_t at_ns;

    in.payload = payload;
    pair_open(&flow->pair, ends, wire, 1);
    for (unsigned i = 0; i < n; i++)
        ck_assert_int_eq(pair_input(&flow->pair, 0, in, NULL), 0);
    for (;;) {
        unsigned first = 0;

        at_ns = pair_deadline(&flow->pair);
        if (flow->num_thinking > 0 && flow->thinking[0].at_ns < at_ns)
            at_ns = flow->thinking[0].at_ns;
        if (at_ns == FAL_NEVER)
            break;
        pair_at(&flow->pair, at_ns);
        while (first < flow->num_thinking && flow->thinking[first].at_ns <= at_ns) {
            answer(flow, flow->thinking[first++].rsn);
            pair_drain(&flow->pair, 1);
        }
        flow->num_thinking -= first;
        memmove(flow->thinking, flow->thinking + first,
                flow->num_thinking * sizeof flow->thinking[0]);
    }
    for (unsigned side = 0; side < 2; side++)
        ck_assert(fal_endpoint_quiet(flow->pair.ep[side], flow->pair.conn[side]));
    pair_free(&flow->pair);
}

static struct flow *flow_new(enum fal_answer a, enum fal_answer b, enum fal_answer last)
{
    struct flow *flow = calloc(1, sizeof *flow);

    ck_assert_ptr_nonnull(flow);
    pair_init(&flow->pair, &ops, flow);
    flow->req_psn = 100;
    flow->data_psn = 300;
    flow->response_psn = 200;
    flow->answers[0] = a;
    flow->answers[1] = b;
    flow->answers[2] = flow->answers[3] = last;
    return flow;
}

static void mishap(struct flow *flow, unsigned i, unsigned side, unsigned n, uint64_t delay_ns)
{
    flow->mishaps[i].side = side;
    flow->mishaps[i].n = n;
    flow->mishaps[i].delay_ns = delay_ns;
}

static void expect(struct flow *flow, const char *const *due, unsigned n)
{
    for (unsigned i = 0; i < n || i < flow->num_lines; i++)
        ck_assert_str_eq(i < flow->num_lines ? flow->lines[i] : "(nothing)",
                         i < n ? due[i] : "(nothing)");
    free(flow);
}

#define EXPECT(flow, due) expect(flow, due, sizeof due / sizeof *due)

START_TEST(FTP_6_6_1_01_to_03_read)
{
    static const char *const due[] = {
        "0 A pull_request psn=100 rsn=1 (late)",
        "0 A pull_request psn=101 rsn=2",
        "15 B request rsn=1",
        "15 B request rsn=2",
        "18 B back dbase=300 rbase=102",
        "35 B pull_data psn=200 rsn=1",
        "35 B pull_data psn=201 rsn=2",
        "45 A complete rsn=1 code=0 ulp=0",
        "45 A complete rsn=2 code=0 ulp=0",
        "53 A back dbase=202 rbase=900",
    };
    struct flow *flow = flow_new(FAL_ANSWER_DATA, FAL_ANSWER_DATA, FAL_ANSWER_DATA);

    flow->think_ns = 20000;
    mishap(flow, 0, 0, 0, 5000);
    run(flow, FAL_OP_PULL, 2);
    EXPECT(flow, due);
}
END_TEST

START_TEST(FTP_6_6_2_01_02_write)
{
    static const char *const due[] = {
        "0 A push_data psn=300 rsn=1 (late)",
        "0 A push_data psn=301 rsn=2",
        "15 B request rsn=1",
        "15 B request rsn=2",
        "18 B back dbase=302 rbase=100",
        "28 A complete rsn=1 code=0 ulp=0",
        "28 A complete rsn=2 code=0 ulp=0",
    };
    struct flow *flow = flow_new(FAL_ANSWER_ACK, FAL_ANSWER_ACK, FAL_ANSWER_ACK);

    mishap(flow, 0, 0, 0, 5000);
    run(flow, FAL_OP_PUSH, 2);
    EXPECT(flow, due);
}
END_TEST

START_TEST(FTP_6_6_3_01_02_push_RNR)
{
    static const char *const due[] = {
        "0 A push_data psn=301 rsn=1",
        "10 B request rsn=1",
        "10 B nack psn=301 code=2 rnr=16 ulp=0 (lost)",
        "18 B back dbase=301 rbase=100",
        "1000 A push_data psn=301 rsn=1",
        "1010 B request rsn=1 again",
        "1010 B nack psn=301 code=2 rnr=16 ulp=0",
        "1018 B back dbase=301 rbase=100",
        "3580 A push_data psn=301 rsn=1", /* 1020 + 2560 */
        "3590 B request rsn=1 again",
        "3598 B back dbase=302 rbase=100",
        "3608 A complete rsn=1 code=0 ulp=0",
    };
    struct flow *flow = flow_new(FAL_ANSWER_RNR, FAL_ANSWER_RNR, FAL_ANSWER_ACK);

    flow->answers[1] = FAL_ANSWER_RNR;
    flow->data_psn = 301;
    mishap(flow, 0, 1, 0, FAL_NEVER);
    run(flow, FAL_OP_PUSH, 1);
    EXPECT(flow, due);
}
END_TEST

START_TEST(FTP_6_6_4_01_pull_RNR)
{
    static const char *const due[] = {
        "0 A pull_request psn=101 rsn=1",  "10 B request rsn=1",
        "18 B back dbase=300 rbase=102",   "2010 B request rsn=1 again",
        "2010 B pull_data psn=201 rsn=1",  "2020 A complete rsn=1 code=0 ulp=0",
        "2028 A back dbase=202 rbase=900",
    };
    struct flow *flow = flow_new(FAL_ANSWER_RNR, FAL_ANSWER_DATA, FAL_ANSWER_DATA);

    flow->req_psn = 101;
    flow->response_psn = 201;
    run(flow, FAL_OP_PULL, 1);
    EXPECT(flow, due);
}
END_TEST

START_TEST(FTP_6_4_07_and_6_6_5_01_to_04_push_CIE)
{
    static const char *const due[] = {
        "0 A push_data psn=301 rsn=1",
        "10 B request rsn=1",
        "10 B nack psn=301 code=6 rnr=0 ulp=77 (lost)",
        "18 B back dbase=301 rbase=100",
        "1000 A push_data psn=301 rsn=1",
        "1010 B nack psn=301 code=6 rnr=0 ulp=77",
        "1018 B back dbase=301 rbase=100",
        "1020 A resync psn=301 rsn=1 code=1 of=5",
        "1038 B back dbase=302 rbase=100",
        "1048 A complete rsn=1 code=1 ulp=77",
    };
    struct flow *flow = flow_new(FAL_ANSWER_CIE, FAL_ANSWER_CIE, FAL_ANSWER_CIE);

    flow->data_psn = 301;
    mishap(flow, 0, 1, 0, FAL_NEVER);
    run(flow, FAL_OP_PUSH, 1);
    EXPECT(flow, due);
}
END_TEST

START_TEST(FTP_6_1_2_05_and_6_6_6_01_to_03_early_retransmission)
{
    static const char *const due[] = {
        "0 A push_data psn=300 rsn=1 (lost)",
        "0 A push_data psn=301 rsn=2",
        "0 A push_data psn=302 rsn=3",
        "0 A push_data psn=303 rsn=4",
        "18 B eack dbase=300 rbase=100 drx=0xe dack=0", /* AMB-03 */
        "28 A push_data psn=300 rsn=1",
        "38 B request rsn=1",
        "38 B request rsn=2",
        "38 B request rsn=3",
        "38 B request rsn=4",
        "46 B back dbase=304 rbase=100",
        "56 A complete rsn=1 code=0 ulp=0",
        "56 A complete rsn=2 code=0 ulp=0",
        "56 A complete rsn=3 code=0 ulp=0",
        "56 A complete rsn=4 code=0 ulp=0",
    };
    struct flow *flow = flow_new(FAL_ANSWER_ACK, FAL_ANSWER_ACK, FAL_ANSWER_ACK);

    flow->pair.open[0].params.ooo_threshold = 2;
    mishap(flow, 0, 0, 0, FAL_NEVER);
    run(flow, FAL_OP_PUSH, 4);
    EXPECT(flow, due);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("flows 6.6");
    TCase *tc = tcase_create("flows");

    tcase_add_test(tc, FTP_6_6_1_01_to_03_read);
    tcase_add_test(tc, FTP_6_6_2_01_02_write);
    tcase_add_test(tc, FTP_6_6_3_01_02_push_RNR);
    tcase_add_test(tc, FTP_6_6_4_01_pull_RNR);
    tcase_add_test(tc, FTP_6_4_07_and_6_6_5_01_to_04_push_CIE);
    tcase_add_test(tc, FTP_6_1_2_05_and_6_6_6_01_to_03_early_retransmission);
    suite_add_tcase(suite, tc);
    return suite;
}
