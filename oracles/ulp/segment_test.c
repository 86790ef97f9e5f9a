/* SPDX-License-Identifier: Apache-2.0
 * segment_test.c - the packets that requests become: their parts, headers and numbers. */
#include "oracles/ulp/rig/bench_verbs.h"
#include "oracles/ulp/state.h"
#include "tests/testing.h"

enum { LOG = 128 };

struct seen {
    struct fal_ulp ulp;
    uint32_t rsn, length, data_len, payload_len;
    enum fal_ulp_op op;
};

struct log {
    struct seen packets[LOG]; /* by RSN, from the first */
    uint32_t num;
};

static void note(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    const struct fal_falcon packet = {.packet_type = out->op == FAL_OP_PUSH ? FAL_PUSH_DATA
                                                                            : FAL_PULL_REQUEST,
                                      .protocol_type = FAL_PROTOCOL_RDMA};
    struct log *log = b->ctx;
    struct seen *seen = &log->packets[(out->rsn - 1) % LOG];

    if (side != 1 || out->kind != FAL_OUT_REQUEST)
        return;
    fal_ulp_decode(&packet, out->payload, out->payload_len, &seen->ulp);
    ck_assert_int_eq(seen->ulp.state, FAL_ULP_READ);
    seen->rsn = out->rsn;
    seen->op = out->op;
    seen->length = out->length;
    seen->payload_len = out->payload_len;
    seen->data_len = (uint32_t)fal_ulp_data_len(&seen->ulp, out->payload_len);
    if (out->rsn > log->num)
        log->num = out->rsn;
}

static struct bench *logged(struct log *log, enum fal_verbs_ordering ordering, uint32_t mtu)
{
    struct bench *b = bench_new(&(struct bench_plan){
        .qp = {.ordering = ordering, .errors = FAL_VERBS_ERRORS_CIE, .path_mtu = mtu},
        .seed = 11});

    *log = (struct log){0};
    b->watch = note;
    b->ctx = log;
    return b;
}

static const struct fal_rbth *rbth(const struct log *log, uint32_t at)
{
    return &log->packets[at].ulp.rdma.rbth;
}

static void check_train(const struct log *log, uint32_t length, uint32_t mtu, bool write)
{
    uint32_t count = length == 0 ? 1 : (length + mtu - 1) / mtu;

    ck_assert_uint_eq(log->num, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct seen *seen = &log->packets[i];
        const struct fal_rdma *rdma = &seen->ulp.rdma;
        uint32_t due = i + 1 < count ? mtu : length - i * mtu;
        unsigned place = count == 1 ? (write ? 10 : 4) : i == 0 ? 0 : i + 1 < count ? 1 : 2;

        ck_assert_uint_eq(seen->data_len, due);
        ck_assert_uint_eq(rdma->rbth.pad, -due & 3u);
        ck_assert_uint_eq(rdma->rbth.opcode, count == 1 || !write ? place : 6 + place);
        ck_assert_uint_eq(rdma->rbth.sequence_number, i + 1);
        if (write) {
            ck_assert_uint_eq(rdma->reth.length, due);
            ck_assert_uint_eq(rdma->reth.virtual_address -
                                  log->packets[0].ulp.rdma.reth.virtual_address,
                              i * mtu);
        } else {
            ck_assert_uint_eq(rdma->oeth.message_offset, i * mtu); /* RDMA-8.3.3-01 */
            ck_assert_uint_eq(rdma->seth.rmsn, 1);
        }
    }
}

START_TEST(RDMA_6_7_04_segments_are_an_mtu_but_the_last)
{
    static const uint32_t mtus[] = {256, 1024, 4096};
    uint32_t mtu = mtus[_i];
    const uint32_t lengths[] = {0, 1, mtu - 1, mtu, mtu + 1, 3 * mtu, 3 * mtu + 1};

    for (unsigned i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        bool write = i % 2 == 1;
        struct log log;
        struct bench *b = logged(&log, FAL_VERBS_STRONG, mtu);

        bench_recv(b, 1, 0, 0, 65536);
        (void)bench_do(
            b, 0,
            bench_send(b, 0, write ? FAL_VERBS_WRITE : FAL_VERBS_SEND, 0, lengths[i / 2]));
        bench_settle(b);
        (void)bench_wc(b, 0, 0, 0);
        check_train(&log, lengths[i / 2], mtu, write);
        bench_free(b);
    }
}
END_TEST

START_TEST(RDMA_6_7_12_a_pull_keeps_within_a_fragment)
{
    /* The figure of 6.7: 1.28, .39, .33, 1, .33 MTU. */
    static const uint32_t fragments[] = {1311, 399, 338, 1024, 338};
    static const uint32_t pulls[] = {1024, 287, 399, 338, 1024, 338};
    static const unsigned of[] = {0, 0, 1, 2, 3, 4};
    struct fal_verbs mrs[5], ask;
    uint32_t before = 0;
    struct log log;
    struct bench *b =
        bench_new(&(struct bench_plan){.qp = {.path_mtu = 1024, .sge = 5}, .seed = 11});

    log = (struct log){0};
    b->watch = note;
    b->ctx = &log;
    ask = bench_send(b, 0, FAL_VERBS_READ, 64, 0);
    ask.num_sge = 5;
    for (unsigned i = 0; i < 5; i++) {
        mrs[i] = bench_reg(b, 0, 2048, FAL_VERBS_LOCAL_WRITE);
        bench_name(ask.sgl[i].mr, mrs[i].mr);
        ask.sgl[i].offset = 8 * (uint64_t)i;
        ask.sgl[i].length = fragments[i];
    }
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    (void)bench_wc(b, 0, 0, 0);
    ck_assert_uint_eq(log.num, 6);
    for (unsigned i = 0; i < 6; i++) {
        const struct seen *seen = &log.packets[i];
        const struct fal_rdma *rdma = &seen->ulp.rdma;
        uint64_t in = i == 1 ? 1024 : 0;

        ck_assert_int_eq(seen->op, FAL_OP_PULL);
        ck_assert_uint_eq(rdma->reth.length, pulls[i]);
        ck_assert_uint_eq(rdma->reth.virtual_address, b->ends[1].mr.va + 64 + before);
        ck_assert_uint_eq(rdma->steth.l_key, mrs[of[i]].lkey);
        ck_assert_uint_eq(rdma->steth.virtual_address, mrs[of[i]].va + 8 * of[i] + in);
        ck_assert_uint_eq(seen->length, 24 + ((pulls[i] + 3) & ~3u));
        ck_assert_uint_eq(rdma->seth.rmsn, i + 1);
        before += pulls[i];
    }
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_3_2_07_messages_and_pulls_are_counted_apart)
{
    static const enum fal_verbs_op ops[] = {
        FAL_VERBS_SEND,      FAL_VERBS_SEND, FAL_VERBS_READ,  FAL_VERBS_READ,
        FAL_VERBS_WRITE_IMM, FAL_VERBS_SEND, FAL_VERBS_WRITE, FAL_VERBS_FAA};
    static const uint32_t lengths[] = {10, 10, 10, 10, 300, 700, 10, 8};
    static const uint32_t numbers[] = {1, 2, 1, 2, 0, 3, 4, 4, 4, 0, 3};
    struct log log;
    struct bench *b = logged(&log, _i == 0 ? FAL_VERBS_STRONG : FAL_VERBS_WEAK, 256);

    for (unsigned i = 0; i < 4; i++)
        bench_recv(b, 1, i, 0, 1024);
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        (void)bench_do(b, 0, bench_send(b, 0, ops[i], 0, lengths[i]));
    bench_settle(b);
    ck_assert_uint_eq(log.num, sizeof numbers / sizeof *numbers);
    for (uint32_t i = 0; i < log.num; i++) {
        ck_assert_uint_eq(log.packets[i].ulp.rdma.seth.rmsn, numbers[i]);
        ck_assert_uint_eq(rbth(&log, i)->sequence_number, i + 1); /* RDMA-8.2-12 */
        ck_assert_uint_eq(log.packets[i].rsn, i + 1);
    }
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_2_08_the_last_packet_alone_asks_for_an_event)
{
    static const enum fal_verbs_op ops[] = {FAL_VERBS_SEND, FAL_VERBS_WRITE_IMM,
                                            FAL_VERBS_WRITE};
    struct log log;
    struct bench *b = logged(&log, FAL_VERBS_STRONG, 256);
    struct fal_verbs ask = bench_send(b, 0, ops[_i], 0, 700);

    bench_recv(b, 1, 0, 0, 1024);
    ask.flags |= FAL_VERBS_SOLICITED;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    ck_assert_uint_eq(rbth(&log, 0)->solicited_event, 0);
    ck_assert_uint_eq(rbth(&log, 1)->solicited_event, 0);
    ck_assert_uint_eq(rbth(&log, 2)->solicited_event, _i < 2);
    bench_free(b);
}
END_TEST

START_TEST(RDMA_8_3_1_01_headers_say_what_was_posted)
{
    struct log log;
    struct bench *b = logged(&log, FAL_VERBS_STRONG, 256);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_CAS, 0, 8);
    const struct fal_rdma *rdma = &log.packets[0].ulp.rdma;

    ask.remote = (struct fal_verbs_remote){UINT64_C(0x1122334455667788), 0xa1b2c3d4};
    ask.compare = 5;
    ask.swap = 6;
    (void)bench_do(b, 0, ask);
    bench_settle(b);
    ck_assert_uint_eq(rdma->rbth.version, 1);
    ck_assert_uint_eq(rdma->rbth.dest_qp, b->ends[1].qp.qpn);
    ck_assert_uint_eq(rdma->atomiceth.virtual_address, ask.remote.va);
    ck_assert_uint_eq(rdma->atomiceth.r_key, ask.remote.rkey);
    ck_assert_uint_eq(rdma->atomiceth.compare, 5);
    ck_assert_uint_eq(rdma->atomiceth.swap_or_add, 6);
    ck_assert_uint_eq(log.packets[0].length, 32);
    bench_free(b);
}
END_TEST

START_TEST(a_fence_waits_for_reads)
{
    struct log log;
    struct bench *b = logged(&log, FAL_VERBS_STRONG, 256);
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 10);

    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_READ, 0, 10));
    ck_assert(bench_do(b, 0, ask).has_rsn);
    ask.flags |= FAL_VERBS_FENCE;
    ck_assert(!bench_do(b, 0, ask).has_rsn);
    bench_settle(b);
    for (unsigned i = 0; i < 3; i++)
        (void)bench_wc(b, 0, 0, 0);
    bench_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs segments");
    TCase *tc = tcase_create("segments");

    tcase_add_loop_test(tc, RDMA_6_7_04_segments_are_an_mtu_but_the_last, 0, 3);
    tcase_add_test(tc, RDMA_6_7_12_a_pull_keeps_within_a_fragment);
    tcase_add_loop_test(tc, RDMA_8_3_2_07_messages_and_pulls_are_counted_apart, 0, 2);
    tcase_add_loop_test(tc, RDMA_8_2_08_the_last_packet_alone_asks_for_an_event, 0, 3);
    tcase_add_test(tc, RDMA_8_3_1_01_headers_say_what_was_posted);
    tcase_add_test(tc, a_fence_waits_for_reads);
    suite_add_tcase(suite, tc);
    return suite;
}
