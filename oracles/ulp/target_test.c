/* SPDX-License-Identifier: Apache-2.0
 * target_test.c - what a target makes of packets and sequence numbers that do not come, of the
 * length of a Write that is cut, and of XRC. */
#include "oracles/ulp/rig/bench_verbs.h"
#include "oracles/ulp/state.h"
#include "tests/testing.h"

enum { MTU = 256, LONG = 4 * MTU, SN_AT = 8 };

/* The target's filter takes the third request away (xlr_target), if `filtered`. */
static struct bench *pair_with(enum fal_verbs_ordering ordering, bool filtered)
{
    struct bench_plan plan = {
        .qp = {.ordering = ordering, .errors = FAL_VERBS_ERRORS_CIE, .path_mtu = MTU},
        .seed = 3};

    fal_params_default(&plan.params, false);
    plan.params.xlr_target = filtered ? 3 : 0;
    return bench_new(&plan);
}

static void post_first(struct bench *b, enum fal_verbs_op op, uint64_t wr_id, uint32_t length)
{
    struct fal_verbs ask = bench_send(b, 0, op, 0, length);

    ask.wr_id = wr_id;
    ask.imm = 9;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
}

static void wc_failed(struct bench *b, unsigned side, uint64_t wr_id)
{
    const struct fal_verbs *wc = bench_event(b, side, FAL_VERBS_WC);

    ck_assert_ptr_nonnull(wc);
    ck_assert_uint_eq(wc->wr_id, wr_id);
    ck_assert_uint_ne(wc->status, FAL_VERBS_OK);
}

START_TEST(RDMA_6_8_03_a_message_without_one_of_its_packets_does_not_complete)
{
    static const enum fal_verbs_op ops[] = {FAL_VERBS_SEND, FAL_VERBS_WRITE_IMM};

    for (unsigned i = 0; i < 4; i++) {
        enum fal_verbs_op op = ops[i % 2];
        struct bench *b = pair_with(i < 2 ? FAL_VERBS_STRONG : FAL_VERBS_WEAK, true);

        bench_recv(b, 1, 5, 0, LONG);
        post_first(b, op, 1, LONG);
        wc_failed(b, 0, 1);
        wc_failed(b, 1, 5);
        bench_free(b);
    }
}
END_TEST

START_TEST(the_length_of_a_write_is_that_of_all_its_packets)
{
    static const uint32_t lengths[] = {0, 5, MTU, MTU + 1, LONG};

    for (unsigned i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        struct bench *b = pair_with(i % 2 == 0 ? FAL_VERBS_STRONG : FAL_VERBS_WEAK, false);

        bench_recv(b, 1, 5, 0, LONG);
        post_first(b, FAL_VERBS_WRITE, 1, LONG);
        post_first(b, FAL_VERBS_WRITE_IMM, 2, lengths[i / 2]);
        ck_assert_uint_eq(bench_wc(b, 1, 5, FAL_VERBS_OK)->byte_len, lengths[i / 2]);
        bench_free(b);
    }
}
END_TEST

/* ---- sequence numbers ---- */

struct shift {
    uint32_t by[8], n; /* what is added to the numbers of the requests, in turn */
    uint8_t bytes[FAL_VB_PACKET_MAX];
};

static void shift(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    struct shift *s = b->ctx;
    uint32_t sn = 0;

    if (side != 1 || out->kind != FAL_OUT_REQUEST || s->n == 8)
        return;
    memcpy(s->bytes, out->payload, out->payload_len);
    for (unsigned i = 0; i < 4; i++)
        sn = sn << 8 | s->bytes[SN_AT + i];
    sn += s->by[s->n++];
    for (unsigned i = 0; i < 4; i++)
        s->bytes[SN_AT + i] = (uint8_t)(sn >> (24 - 8 * i));
    out->payload = s->bytes;
}

/* Whether each of eight Writes is taken, as bits. */
static unsigned taken(enum fal_verbs_ordering ordering, const uint32_t by[8])
{
    struct bench *b = pair_with(ordering, false);
    struct shift s = {0};
    unsigned result = 0;

    memcpy(s.by, by, sizeof s.by);
    b->watch = shift;
    b->ctx = &s;
    for (unsigned i = 0; i < 8; i++) {
        const struct fal_verbs *wc;

        post_first(b, FAL_VERBS_WRITE, i, 16);
        wc = bench_event(b, 0, FAL_VERBS_WC);
        ck_assert_ptr_nonnull(wc);
        result |= (unsigned)(wc->status == FAL_VERBS_OK) << i;
    }
    bench_free(b);
    return result;
}

#define BY(...) ((const uint32_t[8]){__VA_ARGS__})

START_TEST(RDMA_8_2_15_a_gap_of_sequence_numbers_is_noticed)
{
    ck_assert_uint_eq(taken(FAL_VERBS_STRONG, BY(0)), 0xff);
    ck_assert_uint_eq(taken(FAL_VERBS_STRONG, BY(0, 0, 0, 2, 2, 2, 2, 2)), 0xf7);
    ck_assert_uint_eq(taken(FAL_VERBS_STRONG, BY(0, 0, 0, 2, 2, 5, 5, 5)), 0xd7);
    /* a step of its own, across the wrap */
    ck_assert_uint_eq(taken(FAL_VERBS_STRONG, BY(-9u, -7u, -5u, -3u, -1u, 1, 3, 5)), 0xff);
    /* a number that is used again leaves none out */
    ck_assert_uint_eq(taken(FAL_VERBS_STRONG, BY(0, 0, 0, -1u, -1u, -1u, -1u, -1u)), 0xff);
}
END_TEST

START_TEST(RDMA_8_2_16_on_weakly_ordered_queue_pairs_too)
{
    ck_assert_uint_eq(taken(FAL_VERBS_WEAK, BY(0, 0, 0, 2, 2, 2, 2, 2)), 0xf7);
    ck_assert_uint_eq(taken(FAL_VERBS_UNORDERED, BY(0, 0, 0, 2, 2, 2, 2, 2)), 0xff);
}
END_TEST

/* ---- XRC ---- */

enum { LENGTH = 64, SRQS = 2 };

/* An initiator queue pair at side 0, a target queue pair with two shared receive queues at side
 * 1, all on the second connection. */
struct xrc {
    struct bench *b;
    struct fal_verbs qp[2]; /* the replies, by side */
    struct fal_verbs srq[SRQS];
};

static struct fal_verbs pair_of(struct bench *b, unsigned side, enum fal_verbs_type type)
{
    struct fal_verbs ask = {
        .kind = FAL_VERBS_QP_CREATE, .type = type, .errors = FAL_VERBS_ERRORS_CIE};

    bench_name(ask.pd, b->ends[side].pd);
    bench_name(ask.send_cq, b->ends[side].send_cq);
    bench_name(ask.recv_cq, b->ends[side].recv_cq);
    return bench_do(b, side, ask);
}

static int connect(struct bench *b, unsigned side, const char *qp, uint32_t dest_qpn)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CONNECT, .dest_qpn = dest_qpn}, answer;

    bench_name(ask.qp, qp);
    bench_name(ask.conn, "d");
    return bench_word(b, side, ask, &answer);
}

static struct xrc xrc_new(void)
{
    struct xrc x = {.b = bench_new(&(struct bench_plan){.seed = 5})};

    bench_open_other(x.b);
    for (unsigned i = 0; i < SRQS; i++) {
        struct fal_verbs ask = {.kind = FAL_VERBS_SRQ_CREATE, .depth = 4, .xrc = true};

        bench_name(ask.pd, x.b->ends[1].pd);
        x.srq[i] = bench_do(x.b, 1, ask);
        ask = (struct fal_verbs){.kind = FAL_VERBS_POST_RECV, .wr_id = 10 + i, .num_sge = 1};
        bench_name(ask.srq, x.srq[i].srq);
        bench_name(ask.sgl[0].mr, x.b->ends[1].mr.mr);
        ask.sgl[0].offset = 4096 * (uint64_t)(i + 1);
        ask.sgl[0].length = LENGTH;
        (void)bench_do(x.b, 1, ask);
    }
    x.qp[0] = pair_of(x.b, 0, FAL_VERBS_XRC_INI);
    x.qp[1] = pair_of(x.b, 1, FAL_VERBS_XRC_TGT);
    for (unsigned side = 0; side < 2; side++)
        ck_assert_int_eq(connect(x.b, side, x.qp[side].qp, x.qp[1 - side].qpn), 0);
    return x;
}

static void post(struct xrc *x, enum fal_verbs_op op, uint64_t wr_id, uint32_t srqn)
{
    struct fal_verbs ask = bench_send(x->b, 0, op, 0, LENGTH);

    bench_name(ask.qp, x->qp[0].qp);
    ask.wr_id = wr_id;
    ask.srqn = srqn;
    (void)bench_do(x->b, 0, ask);
    bench_settle(x->b);
}

START_TEST(RDMA_8_3_9_01_a_message_takes_a_request_of_the_queue_it_names)
{
    struct xrc x = xrc_new();

    bench_fill(x.b, 0, 0, LENGTH, 3);
    post(&x, FAL_VERBS_SEND, 1, x.srq[1].srqn);
    (void)bench_wc(x.b, 0, 1, FAL_VERBS_OK);
    (void)bench_wc(x.b, 1, 11, FAL_VERBS_OK);
    ck_assert_uint_eq(bench_hash(x.b, 1, 8192, LENGTH), bench_hash(x.b, 0, 0, LENGTH));
    post(&x, FAL_VERBS_SEND, 2, x.srq[0].srqn);
    (void)bench_wc(x.b, 0, 2, FAL_VERBS_OK);
    (void)bench_wc(x.b, 1, 10, FAL_VERBS_OK);
    post(&x, FAL_VERBS_WRITE, 3, x.srq[0].srqn);
    (void)bench_wc(x.b, 0, 3, FAL_VERBS_OK);
    post(&x, FAL_VERBS_READ, 4, x.srq[0].srqn);
    (void)bench_wc(x.b, 0, 4, FAL_VERBS_OK);
    bench_free(x.b);
}
END_TEST

START_TEST(RDMA_8_3_9_01_a_queue_that_there_is_not)
{
    struct xrc x = xrc_new();

    post(&x, FAL_VERBS_SEND, 1, 77);
    (void)bench_wc(x.b, 0, 1, FAL_VERBS_REM_INV_REQ);
    ck_assert_ptr_null(bench_event(x.b, 1, FAL_VERBS_WC));
    post(&x, FAL_VERBS_SEND, 2, x.srq[0].srqn);
    (void)bench_wc(x.b, 0, 2, FAL_VERBS_OK);
    bench_free(x.b);
}
END_TEST

/* Datagrams aside, opcodes of one service do not act on a queue pair of another. */
START_TEST(RDMA_8_3_9_02_requests_of_another_service)
{
    struct bench *b = bench_new(&(struct bench_plan){.seed = 6});
    struct fal_verbs rc = pair_of(b, 0, FAL_VERBS_RC), tgt = pair_of(b, 1, FAL_VERBS_XRC_TGT);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, LENGTH);

    bench_open_other(b);
    ck_assert_int_eq(connect(b, 0, rc.qp, tgt.qpn), 0);
    ck_assert_int_eq(connect(b, 1, tgt.qp, rc.qpn), 0);
    bench_name(ask.qp, rc.qp);
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    (void)bench_wc(b, 0, 0, FAL_VERBS_REM_INV_REQ);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_6_2_01_an_initiator_queue_pair_has_its_connection_alone)
{
    struct bench *b = bench_new(&(struct bench_plan){.seed = 7});

    bench_open_other(b);
    ck_assert_int_eq(connect(b, 0, pair_of(b, 0, FAL_VERBS_XRC_INI).qp, 1), 0);
    ck_assert_int_ne(connect(b, 0, pair_of(b, 0, FAL_VERBS_XRC_INI).qp, 1), 0);
    ck_assert_int_ne(connect(b, 0, pair_of(b, 0, FAL_VERBS_RC).qp, 1), 0);
    ck_assert_int_eq(connect(b, 0, pair_of(b, 0, FAL_VERBS_XRC_TGT).qp, 1), 0);
    ck_assert_int_ne(connect(b, 0, pair_of(b, 0, FAL_VERBS_XRC_TGT).qp, 1), 0);
    /* the other way round */
    ck_assert_int_eq(connect(b, 1, pair_of(b, 1, FAL_VERBS_XRC_TGT).qp, 1), 0);
    ck_assert_int_ne(connect(b, 1, pair_of(b, 1, FAL_VERBS_RC).qp, 1), 0);
    ck_assert_int_eq(connect(b, 1, pair_of(b, 1, FAL_VERBS_XRC_INI).qp, 1), 0);
    bench_free(b);
}
END_TEST

START_TEST(posts_that_xrc_does_not_have)
{
    struct xrc x = xrc_new();
    struct fal_verbs ask = bench_send(x.b, 1, FAL_VERBS_SEND, 0, LENGTH), answer;

    bench_name(ask.qp, x.qp[1].qp);
    ck_assert_int_ne(bench_word(x.b, 1, ask, &answer), 0);
    ck_assert_ptr_nonnull(strstr(x.b->err.text, "sends nothing"));
    ask.kind = FAL_VERBS_POST_RECV;
    ck_assert_int_ne(bench_word(x.b, 1, ask, &answer), 0);
    ck_assert_ptr_nonnull(strstr(x.b->err.text, "shared receive queue"));
    ask = bench_send(x.b, 0, FAL_VERBS_SEND, 0, LENGTH);
    bench_name(ask.qp, x.qp[0].qp);
    ask.srqn = 0x1000000;
    ck_assert_int_ne(bench_word(x.b, 0, ask, &answer), 0);
    ck_assert_ptr_nonnull(strstr(x.b->err.text, "srqn 16777216"));
    bench_free(x.b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("targets of verbs");
    TCase *tc = tcase_create("target");

    tcase_add_test(tc, RDMA_6_8_03_a_message_without_one_of_its_packets_does_not_complete);
    tcase_add_test(tc, the_length_of_a_write_is_that_of_all_its_packets);
    tcase_add_test(tc, RDMA_8_2_15_a_gap_of_sequence_numbers_is_noticed);
    tcase_add_test(tc, RDMA_8_2_16_on_weakly_ordered_queue_pairs_too);
    tcase_add_test(tc, RDMA_8_3_9_01_a_message_takes_a_request_of_the_queue_it_names);
    tcase_add_test(tc, RDMA_8_3_9_01_a_queue_that_there_is_not);
    tcase_add_test(tc, RDMA_8_3_9_02_requests_of_another_service);
    tcase_add_test(tc, RDMA_6_6_2_01_an_initiator_queue_pair_has_its_connection_alone);
    tcase_add_test(tc, posts_that_xrc_does_not_have);
    suite_add_tcase(suite, tc);
    return suite;
}
