/* SPDX-License-Identifier: Apache-2.0
 * hostile_test.c - packets that a peer makes up: whatever they say, no byte outside what their
 * keys name changes or is told, and the engine goes on. */
#include "oracles/rng.h"
#include "oracles/ulp/rig/bench_verbs.h"
#include "oracles/ulp/state.h"
#include "tests/testing.h"

enum { ROUNDS = 4000, WINDOW = 256, WINDOW_AT = 4096, REGION = 65536 };

/* A region whose middle alone the peer has rights to. */
struct window {
    struct bench *b;
    struct fal_verbs mr;
    uint64_t before, after; /* hashes of what lies around it */
};

static void open_window(struct window *w, enum fal_verbs_ordering ordering)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_REG,
                            .length = WINDOW,
                            .offset = WINDOW_AT,
                            .access = FAL_VERBS_LOCAL_WRITE | FAL_VERBS_REMOTE_WRITE |
                                      FAL_VERBS_REMOTE_READ | FAL_VERBS_REMOTE_ATOMIC};

    w->b = bench_new(&(struct bench_plan){
        .qp = {.ordering = ordering, .errors = FAL_VERBS_ERRORS_CIE, .path_mtu = 256},
        .seed = 6});
    bench_fill(w->b, 1, 0, REGION, 4);
    bench_name(ask.pd, w->b->ends[1].pd);
    bench_name(ask.within, w->b->ends[1].mr.mr);
    w->mr = bench_do(w->b, 1, ask);
    w->before = bench_hash(w->b, 1, 0, WINDOW_AT);
    w->after = bench_hash(w->b, 1, WINDOW_AT + WINDOW, REGION - WINDOW_AT - WINDOW);
}

static bool intact(const struct window *w)
{
    return bench_hash(w->b, 1, 0, WINDOW_AT) == w->before &&
           bench_hash(w->b, 1, WINDOW_AT + WINDOW, REGION - WINDOW_AT - WINDOW) == w->after;
}

/* Posts bytes below the engine of side 0. */
static void post(struct window *w, bool pull, const uint8_t *bytes, uint32_t len,
                 uint32_t asked)
{
    FAL_IGNORE(pair_input(&w->b->pair, 0,
                          (struct fal_endpoint_in){.kind = FAL_IN_POST,
                                                   .op = pull ? FAL_OP_PULL : FAL_OP_PUSH,
                                                   .tag = UINT64_MAX, /* no tag of the engine */
                                                   .length = pull ? asked : len,
                                                   .payload = bytes,
                                                   .payload_len = pull ? len : 0},
                          NULL));
}

/* A packet of any opcode, with members near what is right. */
static uint32_t make(struct window *w, struct fal_rng *rng, struct fal_ulp *ulp, uint8_t *bytes)
{
    static const uint32_t lengths[] = {0, 1, 3, 4, 8, 64, WINDOW - 1, WINDOW, WINDOW + 1, 4000};
    struct fal_rdma *rdma = &ulp->rdma;
    uint32_t len = lengths[fal_rng_below(rng, 10)];
    uint64_t va = w->mr.va + (uint64_t)((int64_t)fal_rng_below(rng, 2 * WINDOW) - WINDOW / 2);
    uint32_t rkey = w->mr.rkey ^ (fal_rng_below(rng, 4) == 0 ? (uint32_t)fal_rng_next(rng) : 0);
    int n;

    memset(ulp, 0, sizeof *ulp);
    ulp->state = FAL_ULP_READ;
    ulp->protocol = FAL_PROTOCOL_RDMA;
    do
        rdma->rbth.opcode = (uint8_t)fal_rng_below(rng, 256);
    while (fal_rdma_kind(rdma->rbth.opcode) == NULL);
    if (fal_rng_below(rng, 2) == 0)
        rdma->rbth.opcode %= FAL_VB_OP_atomic_fetch_add + 1;
    if (fal_rdma_kind(rdma->rbth.opcode) == NULL)
        rdma->rbth.opcode = FAL_VB_OP_write_only;
    rdma->rbth.version = fal_rng_below(rng, 20) != 0;
    rdma->rbth.pad = (uint8_t)fal_rng_below(rng, 4);
    rdma->rbth.complete_in_error = fal_rng_below(rng, 8) == 0;
    rdma->rbth.dest_qp =
        (w->b->ends[1].qp.qpn + (uint32_t)(fal_rng_below(rng, 10) == 0)) & 0xffffff;
    rdma->reth = (struct fal_reth){va, rkey, lengths[fal_rng_below(rng, 10)]};
    if (fal_rng_below(rng, 8) == 0)
        rdma->reth.virtual_address = UINT64_MAX - fal_rng_below(rng, 16);
    rdma->atomiceth = (struct fal_atomiceth){va & ~UINT64_C(7), rkey, 1, 0};
    rdma->seth.rmsn = (uint32_t)fal_rng_below(rng, 10);
    rdma->oeth.message_offset = fal_rng_below(rng, 4) == 0 ? (uint32_t)fal_rng_next(rng)
                                                           : (uint32_t)fal_rng_below(rng, 300);
    rdma->ieth.r_key = rkey;
    n = fal_ulp_encode(ulp, bytes, FAL_VB_PACKET_MAX, NULL);
    ck_assert_int_gt(n, 0);
    memset(bytes + n, 0xee, len);
    return (uint32_t)n + len;
}

START_TEST(RDMA_8_3_1_03_made_up_packets_keep_within_the_window)
{
    static uint8_t bytes[2 * FAL_VB_PACKET_MAX];
    uint64_t seed = test_seed(1);
    struct fal_rng rng = {seed};
    unsigned long rounds = test_rounds(ROUNDS);
    struct window w;

    open_window(&w, (enum fal_verbs_ordering)_i);
    for (unsigned long i = 0; i < rounds; i++) {
        struct fal_ulp ulp;
        uint32_t len = make(&w, &rng, &ulp, bytes);
        const struct fal_rdma_kind *kind = fal_rdma_kind(ulp.rdma.rbth.opcode);
        bool pull = kind->packet == FAL_PULL_REQUEST;

        if (fal_rng_below(&rng, 4) == 0) {
            struct fal_verbs recv = {.kind = FAL_VERBS_POST_RECV, .num_sge = 1}, answer;

            bench_name(recv.qp, w.b->ends[1].qp.qp);
            bench_name(recv.sgl[0].mr, w.mr.mr);
            recv.sgl[0].length = (uint32_t)fal_rng_below(&rng, WINDOW + 1);
            FAL_IGNORE(bench_word(w.b, 1, recv, &answer) == 0 ? 0 : -1);
        }
        if (fal_rng_below(&rng, 10) == 0)
            len = (uint32_t)fal_rng_below(&rng, len + 1);
        post(&w, pull ^ (fal_rng_below(&rng, 20) == 0), bytes, len,
             (uint32_t)fal_rng_below(&rng, 600));
        bench_run(w.b, w.b->pair.now_ns + 20 * FAL_US);
        ck_assert_msg(intact(&w), "round %lu; repeat with: %s", i, test_again(seed));
    }
    printf("made-up packets of seed %llu\n", (unsigned long long)seed);
    bench_free(w.b);
}
END_TEST

/* Each bound by itself: the answer has no bytes of the region. */
static void hold_back(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    uint32_t *most = b->ctx;

    if (side == 0 && out->kind == FAL_OUT_COMPLETE && out->payload_len > *most)
        *most = out->payload_len;
}

START_TEST(RDMA_8_3_1_03_a_read_beyond_a_bound_tells_nothing)
{
    static const int64_t moves[] = {-1, 1, -(int64_t)WINDOW, WINDOW, 65536};
    uint32_t most = 0;
    struct window w;

    open_window(&w, FAL_VERBS_WEAK);
    w.b->watch = hold_back;
    w.b->ctx = &most;
    for (unsigned i = 0; i < sizeof moves / sizeof *moves; i++) {
        struct fal_verbs ask = bench_send(w.b, 0, FAL_VERBS_READ, 0, WINDOW);

        ask.remote = (struct fal_verbs_remote){w.mr.va + (uint64_t)moves[i], w.mr.rkey};
        (void)bench_do(w.b, 0, ask);
        bench_settle(w.b);
        (void)bench_wc(w.b, 0, 0, FAL_VERBS_REM_ACCESS);
    }
    ck_assert_uint_le(most, 24);
    ck_assert(intact(&w));
    bench_free(w.b);
}
END_TEST

/* The answer of a pull names another place. */
static void wrong_sink(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    static uint8_t bytes[FAL_VB_PACKET_MAX];
    const unsigned *at = b->ctx;

    if (side != 0 || out->kind != FAL_OUT_COMPLETE || out->payload_len < 24)
        return;
    memcpy(bytes, out->payload, out->payload_len);
    bytes[*at] ^= 1;
    out->payload = bytes;
}

START_TEST(RDMA_8_3_4_03_an_answer_with_another_sink_is_not_placed)
{
    unsigned at = 12 + (unsigned)_i; /* each byte of STETH */
    struct bench *b = bench_new(&(struct bench_plan){
        .qp = {.errors = FAL_VERBS_ERRORS_CIE, .path_mtu = 256}, .seed = 6});
    uint64_t before = bench_hash(b, 0, 0, REGION);

    bench_fill(b, 1, 0, 256, 1);
    b->watch = wrong_sink;
    b->ctx = &at;
    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_READ, 0, 100));
    bench_settle(b);
    (void)bench_wc(b, 0, 0, FAL_VERBS_REM_OP);
    ck_assert_uint_eq(bench_hash(b, 0, 0, REGION), before);
    bench_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs hostile packets");
    TCase *tc = tcase_create("hostile");

    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, RDMA_8_3_1_03_made_up_packets_keep_within_the_window, 0, 3);
    tcase_add_test(tc, RDMA_8_3_1_03_a_read_beyond_a_bound_tells_nothing);
    tcase_add_loop_test(tc, RDMA_8_3_4_03_an_answer_with_another_sink_is_not_placed, 0, 12);
    suite_add_tcase(suite, tc);
    return suite;
}
