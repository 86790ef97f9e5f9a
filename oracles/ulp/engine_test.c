/* SPDX-License-Identifier: Apache-2.0
 * engine_test.c - what a queue pair does for those who use it: operations, their completions,
 * errors and states, between two engines. */
#include "oracles/ulp/rig/bench_verbs.h"
#include "tests/testing.h"

static struct bench *bench_of(enum fal_verbs_ordering ordering, enum fal_verbs_errors errors)
{
    return bench_new(&(struct bench_plan){
        .qp = {.ordering = ordering, .errors = errors, .path_mtu = 256}, .seed = 3});
}

static const enum fal_verbs_ordering orderings[] = {FAL_VERBS_STRONG, FAL_VERBS_WEAK,
                                                    FAL_VERBS_UNORDERED};

static enum fal_verbs_errors mode_of(enum fal_verbs_ordering ordering)
{
    return ordering == FAL_VERBS_UNORDERED ? FAL_VERBS_ERRORS_CIE : FAL_VERBS_ERRORS_VERBS;
}

START_TEST(RDMA_6_7_01_writes_of_any_length_arrive_whole)
{
    static const uint32_t lengths[] = {1, 2, 3, 4, 5, 255, 256, 257, 768, 769, 5000};
    struct bench *b = bench_of(orderings[_i], mode_of(orderings[_i]));

    bench_fill(b, 0, 0, 65536, 1);
    bench_fill(b, 1, 0, 65536, 2);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint64_t offset = 64 + 4096 * (uint64_t)i, guard[2];
        struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, offset, lengths[i]);

        guard[0] = bench_hash(b, 1, 0, offset);
        guard[1] = bench_hash(b, 1, offset + lengths[i], 64);
        ask.wr_id = i;
        (void)bench_do(b, 0, ask);
        bench_settle(b);
        ck_assert_uint_eq(bench_wc(b, 0, i, 0)->opcode, FAL_VERBS_DONE_WRITE);
        ck_assert_uint_eq(bench_hash(b, 0, offset, lengths[i]),
                          bench_hash(b, 1, offset, lengths[i]));
        ck_assert_uint_eq(guard[0], bench_hash(b, 1, 0, offset));
        ck_assert_uint_eq(guard[1], bench_hash(b, 1, offset + lengths[i], 64));
    }
    ck_assert_ptr_null(bench_event(b, 1, FAL_VERBS_WC));
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_7_10_a_read_goes_to_its_fragments)
{
    static const uint32_t fragments[] = {330, 100, 85, 256, 84};
    struct bench *b = bench_of(orderings[_i], mode_of(orderings[_i]));
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_READ, 0, 0), answer;
    uint64_t offset = 0;

    bench_fill(b, 1, 0, 4096, 7);
    ask.num_sge = 4; /* with the last fragment of the figure in the fourth */
    for (unsigned i = 0; i < 4; i++) {
        bench_name(ask.sgl[i].mr, b->ends[0].mr.mr);
        ask.sgl[i].offset = 1000 * (uint64_t)(i + 1);
        ask.sgl[i].length = fragments[i];
    }
    answer = bench_do(b, 0, ask);
    ck_assert_uint_eq(answer.rsn_count, 5); /* 256 and 74, 100, 85, 256 */
    bench_settle(b);
    ck_assert_uint_eq(bench_wc(b, 0, 0, 0)->opcode, FAL_VERBS_DONE_READ);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(bench_hash(b, 0, 1000 * (uint64_t)(i + 1), fragments[i]),
                          bench_hash(b, 1, offset, fragments[i]));
        offset += fragments[i];
    }
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_4_01_sends_fill_receive_requests_in_order)
{
    struct bench *b = bench_of(orderings[_i], mode_of(orderings[_i]));
    uint32_t length = orderings[_i] == FAL_VERBS_UNORDERED ? 256 : 1000;

    bench_fill(b, 0, 0, 8192, 1);
    for (unsigned i = 0; i < 3; i++)
        bench_recv(b, 1, 10 + i, 2048 * (uint64_t)i, 1024);
    for (unsigned i = 0; i < 3; i++) {
        struct fal_verbs ask = bench_send(b, 0, i == 1 ? FAL_VERBS_SEND_IMM : FAL_VERBS_SEND,
                                          2048 * (uint64_t)i, length - i);

        ask.wr_id = i;
        ask.imm = 0x01020304;
        (void)bench_do(b, 0, ask);
    }
    bench_settle(b);
    for (unsigned i = 0; i < 3; i++) {
        const struct fal_verbs *wc = bench_wc(b, 1, 10 + i, 0);

        ck_assert_uint_eq(wc->byte_len, length - i);
        ck_assert_int_eq(wc->has_imm, i == 1);
        ck_assert_uint_eq(wc->imm, i == 1 ? 0x01020304 : 0);
        (void)bench_wc(b, 0, i, 0);
        ck_assert_uint_eq(bench_hash(b, 0, 2048 * (uint64_t)i, length - i),
                          bench_hash(b, 1, 2048 * (uint64_t)i, length - i));
    }
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_3_5_02_a_write_with_immediate_data_takes_a_receive_request)
{
    struct bench *b = bench_of(orderings[_i], mode_of(orderings[_i]));
    uint32_t length = orderings[_i] == FAL_VERBS_UNORDERED ? 200 : 600;
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE_IMM, 0, length);

    bench_fill(b, 0, 0, 4096, 1);
    bench_recv(b, 1, 5, 8192, 0);
    ask.imm = 77;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    ck_assert_uint_eq(bench_wc(b, 1, 5, 0)->imm, 77);
    ck_assert_uint_eq(bench_hash(b, 0, 0, length), bench_hash(b, 1, 0, length));
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_3_6_06_atomics_return_the_old_value)
{
    struct bench *b = bench_of(orderings[_i], mode_of(orderings[_i]));
    struct fal_verbs word = {
        .kind = FAL_VERBS_MR_WORD, .offset = 64, .has_set = true, .set = 5};
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_FAA, 64, 8);

    bench_name(word.mr, b->ends[1].mr.mr);
    (void)bench_do(b, 1, word);
    word.has_set = false;
    ask.add = 3;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    ck_assert_uint_eq(bench_wc(b, 0, 0, 0)->opcode, FAL_VERBS_DONE_FAA);
    ck_assert_uint_eq(bench_do(b, 1, word).value, 8);
    ask.op = FAL_VERBS_CAS;
    ask.compare = 7; /* not what it is */
    ask.swap = 100;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    ck_assert_uint_eq(bench_do(b, 1, word).value, 8);
    bench_name(word.mr, b->ends[0].mr.mr);
    ck_assert_uint_eq(bench_do(b, 0, word).value, 8); /* the old value */
    ask.compare = 8;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    bench_name(word.mr, b->ends[1].mr.mr);
    ck_assert_uint_eq(bench_do(b, 1, word).value, 100);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_3_8_02_a_send_invalidates_the_key_that_it_names)
{
    struct bench *b = bench_of(FAL_VERBS_STRONG, FAL_VERBS_ERRORS_CIE);
    struct fal_verbs mr = bench_reg(b, 1, 256, FAL_VERBS_REMOTE_WRITE | FAL_VERBS_INVALIDATE);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_SEND_INV, 0, 16);
    struct fal_verbs write = bench_send(b, 0, FAL_VERBS_WRITE, 0, 16);

    bench_recv(b, 1, 1, 0, 64);
    bench_recv(b, 1, 2, 0, 64);
    write.remote = (struct fal_verbs_remote){mr.va, mr.rkey};
    write.wr_id = 1;
    (void)bench_do(b, 0, write);
    ask.inv = mr.rkey;
    ask.wr_id = 2;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    (void)bench_wc(b, 0, 1, 0);
    (void)bench_wc(b, 0, 2, 0);
    ck_assert_uint_eq(bench_wc(b, 1, 1, 0)->inv, mr.rkey);
    write.wr_id = 3;
    (void)bench_do(b, 0, write);
    ask.inv = b->ends[1].mr.rkey; /* it may not be invalidated */
    ask.wr_id = 4;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    (void)bench_wc(b, 0, 3, FAL_VERBS_REM_ACCESS);
    (void)bench_wc(b, 0, 4, FAL_VERBS_REM_ACCESS);
    bench_free(b);
}
END_TEST

/* ---- errors ---- */

enum { BAD_KEY, BAD_END, BAD_START, BAD_WRAP, BAD_RIGHT, BAD_PD, BAD_ENDED, BADS };

/* Makes a request wrong in one way. */
static void spoil(struct bench *b, unsigned how, struct fal_verbs *ask)
{
    const struct fal_verbs *mr = &b->ends[1].mr;
    struct fal_verbs other = {.kind = FAL_VERBS_MR_REG, .length = 64};
    uint32_t length = ask->sgl[0].length;

    switch (how) {
    case BAD_KEY: ask->remote.rkey ^= 0x100; return;
    case BAD_END: ask->remote.va = mr->va + 65536 - length + 1; return;
    case BAD_START: ask->remote.va = mr->va - 1; return;
    case BAD_WRAP: ask->remote.va = UINT64_MAX - length / 2; return;
    default: break;
    }
    bench_name(other.pd,
               how == BAD_PD
                   ? bench_do(b, 1, (struct fal_verbs){.kind = FAL_VERBS_PD_CREATE}).pd
                   : b->ends[1].pd);
    other.access = how == BAD_RIGHT ? FAL_VERBS_LOCAL_WRITE
                                    : FAL_VERBS_REMOTE_WRITE | FAL_VERBS_REMOTE_READ |
                                          FAL_VERBS_REMOTE_ATOMIC;
    other = bench_do(b, 1, other);
    ask->remote = (struct fal_verbs_remote){other.va, other.rkey};
    if (how == BAD_ENDED) {
        other.kind = FAL_VERBS_MR_DEREG;
        (void)bench_do(b, 1, other);
    }
}

START_TEST(RDMA_8_3_1_03_nothing_outside_the_rights_is_touched)
{
    static const enum fal_verbs_op ops[] = {FAL_VERBS_WRITE, FAL_VERBS_READ, FAL_VERBS_FAA};

    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct bench *b = bench_of(FAL_VERBS_WEAK, FAL_VERBS_ERRORS_CIE);
        struct fal_verbs ask = bench_send(b, 0, ops[i], 0, 8);
        uint64_t before, sink;

        bench_fill(b, 0, 0, 65536, 1);
        bench_fill(b, 1, 0, 65536, 2);
        before = bench_hash(b, 1, 0, 65536);
        sink = bench_hash(b, 0, 0, 65536);
        spoil(b, (unsigned)_i, &ask);
        (void)bench_do(b, 0, ask);
        bench_settle(b);
        ck_assert_uint_ne(bench_event(b, 0, FAL_VERBS_WC)->status, 0);
        ck_assert_uint_eq(before, bench_hash(b, 1, 0, 65536));
        ck_assert_uint_eq(sink, bench_hash(b, 0, 0, 65536));
        ck_assert_uint_eq(bench_state(b, 0), FAL_VERBS_RTS); /* RDMA-6.3-02 */
        ck_assert_uint_eq(bench_state(b, 1), FAL_VERBS_RTS);
        (void)bench_do(b, 0, bench_send(b, 0, ops[i], 0, 8)); /* a good one */
        bench_settle(b);
        (void)bench_wc(b, 0, 0, 0);
        bench_free(b);
    }
}
END_TEST

START_TEST(RDMA_6_3_01_an_error_of_verbs_ends_both_queue_pairs)
{
    struct bench *b =
        bench_of(_i == 0 ? FAL_VERBS_STRONG : FAL_VERBS_WEAK, FAL_VERBS_ERRORS_VERBS);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 600);

    bench_recv(b, 1, 9, 0, 64);
    ask.remote.rkey++;
    for (unsigned i = 0; i < 5; i++) {
        ask.wr_id = i;
        ask.flags = 0;
        (void)bench_do(b, 0, ask);
        ask.remote.rkey = b->ends[1].mr.rkey;
    }
    bench_settle(b);
    (void)bench_wc(b, 0, 0, FAL_VERBS_REM_ACCESS);
    for (unsigned i = 1; i < 5; i++)
        (void)bench_wc(b, 0, i, FAL_VERBS_FLUSH);
    ck_assert_uint_eq(bench_state(b, 0), FAL_VERBS_ERR);
    ck_assert_uint_eq(bench_state(b, 1), FAL_VERBS_ERR);
    (void)bench_wc(b, 1, 9, FAL_VERBS_FLUSH);
    b->ends[1].seen = 0;
    ck_assert_str_eq(bench_event(b, 1, FAL_VERBS_ASYNC)->what, "qp_access_err");
    (void)bench_do(b, 0, ask); /* posted later */
    (void)bench_wc(b, 0, 4, FAL_VERBS_FLUSH);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_3_02_a_send_too_long_fails_alone)
{
    struct bench *b = bench_of(orderings[_i], FAL_VERBS_ERRORS_CIE);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_SEND, 0, 200);

    bench_recv(b, 1, 1, 0, 199);
    bench_recv(b, 1, 2, 0, 200);
    (void)bench_do(b, 0, ask);
    ask.wr_id = 1;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    (void)bench_wc(b, 1, 1, FAL_VERBS_LOC_LEN);
    (void)bench_wc(b, 1, 2, 0);
    ck_assert_uint_eq(bench_state(b, 0), FAL_VERBS_RTS);
    ck_assert_uint_eq(bench_state(b, 1), FAL_VERBS_RTS);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_2_04_a_message_that_fails_here_ends_with_ce)
{
    struct bench *b =
        bench_of(_i == 0 ? FAL_VERBS_STRONG : FAL_VERBS_WEAK, FAL_VERBS_ERRORS_CIE);
    struct fal_verbs dead = bench_reg(b, 0, 1024, FAL_VERBS_LOCAL_WRITE);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_SEND, 0, 256);

    bench_recv(b, 1, 1, 0, 2000);
    bench_recv(b, 1, 2, 0, 2000);
    dead.kind = FAL_VERBS_MR_DEREG;
    (void)bench_do(b, 0, dead);
    ask.num_sge = 2;
    bench_name(ask.sgl[1].mr, dead.mr);
    ask.sgl[1].length = 700;
    (void)bench_do(b, 0, ask);
    ask.num_sge = 1;
    ask.wr_id = 1;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    (void)bench_wc(b, 0, 0, FAL_VERBS_LOC_PROT);
    (void)bench_wc(b, 0, 1, 0);
    (void)bench_wc(b, 1, 1, FAL_VERBS_REM_OP);
    (void)bench_wc(b, 1, 2, 0);
    bench_free(b);
}
END_TEST

START_TEST(an_empty_receive_queue_delays_a_send)
{
    struct bench *b = bench_new(&(struct bench_plan){
        .qp = {.ordering = orderings[_i], .errors = mode_of(orderings[_i]), .path_mtu = 256},
        .srq = _i < 2 ? 4 : 0,
        .seed = 3});
    struct fal_verbs recv = {.kind = FAL_VERBS_POST_RECV, .wr_id = 4, .num_sge = 1};

    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_SEND, 0, 100));
    bench_run(b, b->pair.now_ns + 100 * FAL_US);
    ck_assert_ptr_null(bench_event(b, 0, FAL_VERBS_WC));
    bench_name(recv.sgl[0].mr, b->ends[1].mr.mr);
    recv.sgl[0].length = 100;
    bench_name(_i < 2 ? recv.srq : recv.qp, _i < 2 ? "srq1" : b->ends[1].qp.qp);
    (void)bench_do(b, 1, recv);
    bench_settle(b);
    (void)bench_wc(b, 0, 0, 0);
    ck_assert_uint_eq(bench_wc(b, 1, 4, 0)->byte_len, 100);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_8_03_a_dead_link_ends_requests_in_error)
{
    struct bench *b = bench_new(&(struct bench_plan){
        .qp = {.path_mtu = 256}, .impairment = {.loss_ppm = 1000000}, .seed = 4});

    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_WRITE, 0, 100));
    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_READ, 0, 100));
    bench_settle(b);
    (void)bench_wc(b, 0, 0, FAL_VERBS_RETRY_EXC);
    (void)bench_wc(b, 0, 0, FAL_VERBS_FLUSH);
    ck_assert_uint_eq(bench_state(b, 0), FAL_VERBS_ERR);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_2_08_a_solicited_send_calls_the_handler)
{
    struct bench *b = bench_of(FAL_VERBS_STRONG, FAL_VERBS_ERRORS_VERBS);
    struct fal_verbs arm = {.kind = FAL_VERBS_CQ_ARM, .solicited_only = true};
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_SEND, 0, 600);

    bench_name(arm.cq, b->ends[1].recv_cq);
    (void)bench_do(b, 1, arm);
    for (unsigned i = 0; i < 3; i++)
        bench_recv(b, 1, i, 0, 600);
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    ck_assert_ptr_null(bench_event(b, 1, FAL_VERBS_CQ_EVENT));
    ask.flags |= FAL_VERBS_SOLICITED;
    (void)bench_do(b, 0, ask);
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    ck_assert_str_eq(bench_event(b, 1, FAL_VERBS_CQ_EVENT)->cq, arm.cq);
    ck_assert_ptr_null(bench_event(b, 1, FAL_VERBS_CQ_EVENT)); /* once */
    bench_free(b);
}
END_TEST

/* ---- credits ---- */

static uint32_t open_at(const struct bench *b, unsigned side)
{
    struct fal_endpoint_state state;

    ck_assert_int_eq(fal_endpoint_state(b->pair.ep[side], b->pair.conn[side], &state), 0);
    return state.open_initiated;
}

START_TEST(RDMA_6_5_01_requests_wait_for_credits)
{
    struct bench_plan plan = {
        .qp = {.ordering = orderings[_i], .errors = mode_of(orderings[_i]), .path_mtu = 256},
        .seed = 8,
        .impairment = {.latency_ns = 10000}};
    struct bench *b;

    fal_params_default(&plan.params, false);
    plan.params.credit_req_pkt_tx = 2;
    plan.params.credit_req_buf_tx = 4; /* cells of 256 bytes */
    plan.params.credit_data_pkt_tx = 1;
    b = bench_new(&plan);
    for (unsigned i = 0; i < 6; i++) {
        struct fal_verbs ask = bench_send(b, 0, i % 2 == 0 ? FAL_VERBS_WRITE : FAL_VERBS_READ,
                                          4096 * (uint64_t)i, 700);

        ask.wr_id = i;
        (void)bench_do(b, 0, ask);
        ck_assert_uint_le(open_at(b, 0), 2);
    }
    while (bench_deadline(b) != FAL_NEVER) {
        bench_run(b, bench_deadline(b));
        ck_assert_uint_le(open_at(b, 0), 2 + 2); /* pulls wait for answers without credits */
    }
    for (unsigned i = 0; i < 6; i++)
        ck_assert_uint_eq(bench_event(b, 0, FAL_VERBS_WC)->status, 0);
    bench_free(b);
}
END_TEST

/* ---- UD ---- */

static struct fal_verbs datagram(struct bench *b, uint32_t length, uint32_t qkey)
{
    struct fal_verbs ah = {.kind = FAL_VERBS_AH_CREATE}, ask;

    bench_name(ah.pd, b->ends[0].pd);
    bench_name(ah.conn, "c");
    ah = bench_do(b, 0, ah);
    ask = bench_send(b, 0, FAL_VERBS_SEND_IMM, 0, length);
    bench_name(ask.ah, ah.ah);
    ask.dest_qpn = b->ends[1].qp.qpn;
    ask.qkey = qkey;
    ask.imm = 6;
    return ask;
}

START_TEST(RDMA_8_3_10_02_a_datagram_needs_the_queue_key)
{
    struct bench *b = bench_new(&(struct bench_plan){
        .qp = {.type = FAL_VERBS_UD, .path_mtu = 256, .qkey = 0x1234, .has_qkey = true},
        .seed = 5});
    const struct fal_verbs *wc;
    struct fal_verbs answer;

    bench_fill(b, 0, 0, 4096, 1);
    bench_recv(b, 1, 1, 4096, 40 + 256);
    (void)bench_do(b, 0, datagram(b, 100, 0x1235));
    bench_settle(b);
    (void)bench_wc(b, 0, 0, 0);
    ck_assert_ptr_null(bench_event(b, 1, FAL_VERBS_WC));
    (void)bench_do(b, 0, datagram(b, 256, 0x1234));
    (void)bench_do(b, 0, datagram(b, 256, 0x1234)); /* nothing is posted for it */
    bench_settle(b);
    wc = bench_wc(b, 1, 1, 0);
    ck_assert_uint_eq(wc->src_qp, b->ends[0].qp.qpn); /* RDMA-8.3.10-04 */
    ck_assert_uint_eq(wc->imm, 6);
    ck_assert_uint_eq(wc->byte_len, 40 + 256);
    ck_assert_uint_eq(bench_hash(b, 1, 4096 + 40, 256), bench_hash(b, 0, 0, 256));
    ck_assert_ptr_null(bench_event(b, 1, FAL_VERBS_WC));
    ck_assert_int_eq(bench_word(b, 0, datagram(b, 257, 0x1234), &answer), FAL_ERR_RANGE);
    bench_free(b);
}
END_TEST

/* ---- the wrong connection ---- */

static void name_other(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    static uint8_t bytes[4096];

    (void)b;
    if (out->kind != (side == 1 ? FAL_OUT_REQUEST : FAL_OUT_COMPLETE) || out->payload_len < 12)
        return;
    if (side == 0 && b->ctx == NULL)
        return;
    if (side == 1 && b->ctx != NULL)
        return;
    memcpy(bytes, out->payload, out->payload_len);
    bytes[6] ^= 1; /* the last byte of Destination QP */
    out->payload = bytes;
}

START_TEST(RDMA_6_9_02_a_request_for_another_queue_pair_is_refused)
{
    struct bench *b = bench_of(FAL_VERBS_STRONG, FAL_VERBS_ERRORS_CIE);
    uint64_t before;

    bench_fill(b, 0, 0, 4096, 1);
    before = bench_hash(b, 1, 0, 65536);
    b->watch = name_other;
    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_WRITE, 0, 100));
    bench_settle(b);
    ck_assert_uint_eq(bench_wc(b, 0, 0, FAL_VERBS_REM_INV_REQ)->status, FAL_VERBS_REM_INV_REQ);
    ck_assert_uint_eq(bench_hash(b, 1, 0, 65536), before);
    ck_assert_uint_eq(bench_state(b, 1), FAL_VERBS_RTS); /* RDMA-6.9-03 */
    b->watch = NULL;
    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_WRITE, 0, 100));
    bench_settle(b);
    (void)bench_wc(b, 0, 0, 0);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_9_04_an_answer_for_another_queue_pair_is_dropped)
{
    struct bench *b = bench_of(FAL_VERBS_STRONG, FAL_VERBS_ERRORS_CIE);
    uint64_t before = bench_hash(b, 0, 0, 65536);

    bench_fill(b, 1, 0, 4096, 1);
    b->watch = name_other;
    b->ctx = b;
    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_READ, 0, 100));
    bench_settle(b);
    ck_assert_uint_eq(bench_hash(b, 0, 0, 65536), before);
    ck_assert_uint_ne(bench_event(b, 0, FAL_VERBS_WC)->status, 0);
    bench_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs engine");
    TCase *tc = tcase_create("operations");

    tcase_add_loop_test(tc, RDMA_6_7_01_writes_of_any_length_arrive_whole, 0, 3);
    tcase_add_loop_test(tc, RDMA_6_7_10_a_read_goes_to_its_fragments, 0, 3);
    tcase_add_loop_test(tc, RDMA_6_4_01_sends_fill_receive_requests_in_order, 0, 3);
    tcase_add_loop_test(tc, RDMA_8_3_5_02_a_write_with_immediate_data_takes_a_receive_request,
                        0, 3);
    tcase_add_loop_test(tc, RDMA_8_3_6_06_atomics_return_the_old_value, 0, 3);
    tcase_add_test(tc, RDMA_8_3_8_02_a_send_invalidates_the_key_that_it_names);
    tcase_add_loop_test(tc, RDMA_8_3_1_03_nothing_outside_the_rights_is_touched, 0, BADS);
    tcase_add_loop_test(tc, RDMA_6_3_01_an_error_of_verbs_ends_both_queue_pairs, 0, 2);
    tcase_add_loop_test(tc, RDMA_6_3_02_a_send_too_long_fails_alone, 0, 3);
    tcase_add_loop_test(tc, RDMA_8_2_04_a_message_that_fails_here_ends_with_ce, 0, 2);
    tcase_add_loop_test(tc, an_empty_receive_queue_delays_a_send, 0, 3);
    tcase_add_test(tc, RDMA_6_8_03_a_dead_link_ends_requests_in_error);
    tcase_add_test(tc, RDMA_8_2_08_a_solicited_send_calls_the_handler);
    tcase_add_loop_test(tc, RDMA_6_5_01_requests_wait_for_credits, 0, 3);
    tcase_add_test(tc, RDMA_8_3_10_02_a_datagram_needs_the_queue_key);
    tcase_add_test(tc, RDMA_6_9_02_a_request_for_another_queue_pair_is_refused);
    tcase_add_test(tc, RDMA_6_9_04_an_answer_for_another_queue_pair_is_dropped);
    suite_add_tcase(suite, tc);
    return suite;
}
