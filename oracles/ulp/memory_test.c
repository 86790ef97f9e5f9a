/* SPDX-License-Identifier: Apache-2.0
 * memory_test.c - what queue pairs cost: 2,048 connections with 8 queue pairs each; and what
 * happens when memory runs out. */
#include "oracles/ulp/rig/bench_verbs.h"
#include "oracles/ulp/state.h"
#include "tests/allocator.h"
#include "tests/testing.h"

enum { CONNS = 2048, QPS = 8, QP_BYTES = 512, CONN_BYTES = 256 };

struct crowd {
    struct fal_endpoint *ep;
    struct fal_verbs_engine *engine;
    struct fal_error err;
};

static struct fal_verbs ask_of(struct crowd *crowd, struct fal_verbs ask)
{
    struct fal_verbs answer;

    ck_assert_msg(fal_verbs_command(crowd->engine, 0, &ask, &answer, 0, &crowd->err) == 0, "%s",
                  crowd->err.text);
    return answer;
}

static void open_all(struct crowd *crowd, struct fal_verbs_config *config)
{
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    uint32_t conn;

    fal_params_default(&open.params, false);
    crowd->ep = fal_endpoint_new(&(struct fal_endpoint_config){.max_connections = CONNS});
    ck_assert_ptr_nonnull(crowd->ep);
    for (uint32_t i = 0; i < CONNS; i++) {
        open.local.cid = 1 + i;
        open.peer.cid = 1 + i;
        ck_assert_int_eq(fal_endpoint_open(crowd->ep, &open, 0, &conn), 0);
    }
    config->endpoint = crowd->ep;
    crowd->engine = fal_verbs_new(config);
    ck_assert_ptr_nonnull(crowd->engine);
}

START_TEST(a_queue_pair_is_small)
{
    struct fal_verbs_config config = {.seed = 1};
    struct fal_verbs qp = {.kind = FAL_VERBS_QP_CREATE, .type = FAL_VERBS_UD};
    struct crowd crowd = {0};
    struct fal_params params;
    size_t before, attached, made;

    open_all(&crowd, &config);
    fal_params_default(&params, false);
    before = allocator.bytes;
    for (uint32_t conn = 1; conn <= CONNS; conn++)
        ck_assert_int_eq(fal_verbs_attach(crowd.engine, conn, &params), 0);
    attached = allocator.bytes;
    bench_name(qp.pd, ask_of(&crowd, (struct fal_verbs){.kind = FAL_VERBS_PD_CREATE}).pd);
    bench_name(qp.send_cq,
               ask_of(&crowd, (struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = 8}).cq);
    bench_name(qp.recv_cq, qp.send_cq);
    for (uint32_t i = 0; i < CONNS * QPS; i++)
        (void)ask_of(&crowd, qp);
    made = allocator.bytes;
    printf(
        "%d connections with %d queue pairs each: %zu bytes a connection, %zu a queue pair\n",
        CONNS, QPS, (attached - before) / CONNS, (made - attached) / (CONNS * QPS));
    if (allocator_in_charge()) {
        ck_assert_uint_le((attached - before) / CONNS, CONN_BYTES);
        ck_assert_uint_le((made - attached) / (CONNS * QPS), QP_BYTES);
    }
    fal_verbs_free(crowd.engine);
    fal_endpoint_free(crowd.ep);
}
END_TEST

/* Words that post each operation, and no more: the network of the test needs memory itself. */
static void post_all(struct bench *b)
{
    struct fal_verbs answer;

    for (unsigned op = 0; op < FAL_VERBS_OPS; op++) {
        struct fal_verbs ask =
            bench_send(b, 0, (enum fal_verbs_op)op, 64, op < FAL_VERBS_CAS ? 600 : 8);
        struct fal_verbs recv = {.kind = FAL_VERBS_POST_RECV, .num_sge = 1};
        struct fal_verbs reg = {.kind = FAL_VERBS_MR_REG, .length = 600};

        bench_name(recv.qp, b->ends[0].qp.qp);
        bench_name(recv.sgl[0].mr, b->ends[0].mr.mr);
        bench_name(reg.pd, b->ends[0].pd);
        FAL_IGNORE(fal_verbs_command(b->ends[0].engine, 0, &recv, &answer, 0, &b->err));
        FAL_IGNORE(fal_verbs_command(b->ends[0].engine, 0, &reg, &answer, 0, &b->err));
        FAL_IGNORE(fal_verbs_command(b->ends[0].engine, 0, &ask, &answer, 0, &b->err));
    }
}

START_TEST(memory_that_runs_out_ends_nothing_badly)
{
    bool failed = true;

    if (!allocator_in_charge())
        return;
    for (long n = 1; failed; n++) {
        long blocks = allocator.blocks;
        struct bench *b = bench_new(&(struct bench_plan){
            .qp = {.ordering = FAL_VERBS_WEAK, .errors = FAL_VERBS_ERRORS_CIE, .path_mtu = 256},
            .seed = 3});

        allocator.failed = false;
        allocator.countdown = n;
        post_all(b);
        allocator.countdown = 0;
        failed = allocator.failed;
        bench_free(b);
        if (allocator.blocks != blocks)
            abort();
        ck_assert(n < 1000);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs memory");
    TCase *tc = tcase_create("memory");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, a_queue_pair_is_small);
    tcase_add_test(tc, memory_that_runs_out_ends_nothing_badly);
    suite_add_tcase(suite, tc);
    return suite;
}
