/* SPDX-License-Identifier: Apache-2.0
 * words_test.c - words of the control protocol that an engine refuses, with the sentence that
 * says why, and what the words about memory do. */
#include "oracles/ulp/rig/bench_verbs.h"
#include "tests/testing.h"

static struct bench *plain(void)
{
    return bench_new(&(struct bench_plan){.qp = {.path_mtu = 256}, .seed = 3});
}

/* The word is refused, and the sentence has that in it. */
static void refused(struct bench *b, struct fal_verbs ask, const char *part)
{
    struct fal_verbs answer;
    int rc = bench_word(b, 0, ask, &answer);

    ck_assert_msg(rc == FAL_ERR_RANGE || rc == FAL_ERR_FORM, "%s: %d",
                  fal_verbs_names[ask.kind], rc);
    ck_assert_msg(strstr(b->err.text, part) != NULL, "'%s' has no '%s'", b->err.text, part);
}

START_TEST(handles_that_do_not_exist_are_named)
{
    static const char *const bad[] = {
        "", "mr", "mr0", "mr2", "mr01", "qp1", "mr1234567890123456789", "mr1x"};
    struct bench *b = plain();

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fal_verbs ask = {.kind = FAL_VERBS_MR_HASH};

        bench_name(ask.mr, bad[i]);
        refused(b, ask, "mr '");
    }
    bench_free(b);
}
END_TEST

START_TEST(memory_keeps_within_its_bounds)
{
    struct bench *b = plain();
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_FILL, .offset = 65530, .length = 7};

    bench_name(ask.mr, b->ends[0].mr.mr);
    refused(b, ask, "offset");
    ask.length = 6;
    (void)bench_do(b, 0, ask);
    ask.offset = UINT64_MAX;
    refused(b, ask, "offset");
    ask.kind = FAL_VERBS_MR_WORD;
    ask.offset = 65529;
    refused(b, ask, "offset");
    ask = (struct fal_verbs){.kind = FAL_VERBS_MR_REG, .length = UINT64_MAX};
    bench_name(ask.pd, b->ends[0].pd);
    refused(b, ask, "length");
    ask.length = 0;
    refused(b, ask, "length");
    ask.length = 16;
    ask.has_va = true;
    ask.va = UINT64_MAX - 14;
    refused(b, ask, "va");
    ask.va--;
    ck_assert_uint_eq(bench_do(b, 0, ask).va, ask.va);
    bench_free(b);
}
END_TEST

START_TEST(a_region_within_another_shows_its_bytes)
{
    struct bench *b = plain();
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_REG, .length = 64, .offset = 128};
    struct fal_verbs inner, hash = {.kind = FAL_VERBS_MR_HASH, .length = 64};
    struct fal_verbs end = {.kind = FAL_VERBS_MR_DEREG};

    bench_fill(b, 0, 0, 4096, 9);
    bench_name(ask.pd, b->ends[0].pd);
    bench_name(ask.within, b->ends[0].mr.mr);
    inner = bench_do(b, 0, ask);
    ck_assert_uint_eq(inner.va, b->ends[0].mr.va + 128);
    ck_assert_uint_ne(inner.rkey, b->ends[0].mr.rkey);
    bench_name(hash.mr, inner.mr);
    ck_assert_uint_eq(bench_do(b, 0, hash).hash, bench_hash(b, 0, 128, 64));
    ask.offset = 65536 - 63;
    refused(b, ask, "within");
    bench_name(end.mr, b->ends[0].mr.mr); /* the larger one ends; the bytes stay */
    (void)bench_do(b, 0, end);
    (void)bench_do(b, 0, hash);
    refused(b, end, "has ended");
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_4_07_modes_that_do_not_go_together_are_refused)
{
    struct bench *b = plain();
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CREATE, .ordering = FAL_VERBS_UNORDERED};

    bench_name(ask.pd, b->ends[0].pd);
    bench_name(ask.send_cq, b->ends[0].send_cq);
    bench_name(ask.recv_cq, b->ends[0].recv_cq);
    refused(b, ask, "errors");
    ask.errors = FAL_VERBS_ERRORS_CIE;
    ask.path_mtu = 300;
    refused(b, ask, "path_mtu");
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_6_1_01_a_connection_has_one_queue_pair)
{
    struct bench *b = plain();
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CREATE},
                     connect = {.kind = FAL_VERBS_QP_CONNECT, .dest_qpn = 4};

    bench_name(ask.pd, b->ends[0].pd);
    bench_name(ask.send_cq, b->ends[0].send_cq);
    bench_name(ask.recv_cq, b->ends[0].recv_cq);
    bench_name(connect.qp, bench_do(b, 0, ask).qp);
    bench_name(connect.conn, "c");
    refused(b, connect, "RDMA 6.6.1");
    ask.ordering = FAL_VERBS_WEAK;
    bench_name(connect.qp, bench_do(b, 0, ask).qp);
    refused(b, connect, "RDMA 6.2"); /* an ordered connection */
    bench_name(connect.qp, b->ends[0].qp.qp);
    refused(b, connect, "already");
    connect.conn[0] = 0;
    refused(b, connect, "conn");
    bench_free(b);
}
END_TEST

START_TEST(RDMA_6_4_09_requests_that_a_queue_pair_cannot_do_are_refused)
{
    struct bench *b = bench_new(&(struct bench_plan){.qp = {.ordering = FAL_VERBS_UNORDERED,
                                                            .errors = FAL_VERBS_ERRORS_CIE,
                                                            .path_mtu = 256},
                                                     .seed = 3});
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_SEND, 0, 257);

    refused(b, ask, "256");
    ask.op = FAL_VERBS_WRITE_IMM;
    refused(b, ask, "256");
    ask.op = FAL_VERBS_FAA;
    refused(b, ask, "8 bytes");
    ask.op = FAL_VERBS_READ;
    ask.has_remote = false;
    refused(b, ask, "remote");
    ask.has_remote = true;
    ask.num_sge = 5;
    refused(b, ask, "sgl");
    bench_free(b);
}
END_TEST

START_TEST(a_full_queue_is_busy)
{
    struct bench *b =
        bench_new(&(struct bench_plan){.qp = {.path_mtu = 256, .sq = 3, .rq = 2}, .seed = 3});
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 8), answer;

    for (unsigned i = 0; i < 3; i++)
        (void)bench_do(b, 0, ask);
    ck_assert_int_eq(bench_word(b, 0, ask, &answer), FAL_VERBS_BUSY);
    bench_settle(b);
    (void)bench_do(b, 0, ask);
    for (unsigned i = 0; i < 2; i++)
        bench_recv(b, 0, i, 0, 8);
    ask = (struct fal_verbs){.kind = FAL_VERBS_POST_RECV};
    bench_name(ask.qp, b->ends[0].qp.qp);
    ck_assert_int_eq(bench_word(b, 0, ask, &answer), FAL_VERBS_BUSY);
    bench_free(b);
}
END_TEST

START_TEST(a_reset_ends_all_handles)
{
    struct bench *b = plain();
    struct fal_verbs ask = bench_send(b, 0, FAL_VERBS_WRITE, 0, 8);

    (void)bench_do(b, 0, ask);
    fal_verbs_reset(b->ends[0].engine);
    refused(b, ask, "qp");
    bench_settle(b);
    ck_assert_ptr_null(bench_event(b, 0, FAL_VERBS_WC));
    ck_assert_int_eq(
        fal_verbs_attach(b->ends[0].engine, b->pair.conn[0], &b->pair.open[0].params), 0);
    ck_assert_int_eq(
        fal_verbs_attach(b->ends[0].engine, b->pair.conn[0], &b->pair.open[0].params),
        FAL_ERR_RANGE);
    bench_free(b);
}
END_TEST

START_TEST(a_connection_that_closes_ends_its_queue_pair)
{
    struct bench *b = plain();

    (void)bench_do(b, 0, bench_send(b, 0, FAL_VERBS_WRITE, 0, 8));
    fal_verbs_detach(b->ends[0].engine, b->pair.conn[0]);
    bench_collect(b, 0);
    (void)bench_wc(b, 0, 0, FAL_VERBS_RETRY_EXC);
    ck_assert_uint_eq(bench_state(b, 0), FAL_VERBS_ERR);
    bench_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs words");
    TCase *tc = tcase_create("words");

    tcase_add_test(tc, handles_that_do_not_exist_are_named);
    tcase_add_test(tc, memory_keeps_within_its_bounds);
    tcase_add_test(tc, a_region_within_another_shows_its_bytes);
    tcase_add_test(tc, RDMA_6_4_07_modes_that_do_not_go_together_are_refused);
    tcase_add_test(tc, RDMA_6_6_1_01_a_connection_has_one_queue_pair);
    tcase_add_test(tc, RDMA_6_4_09_requests_that_a_queue_pair_cannot_do_are_refused);
    tcase_add_test(tc, a_full_queue_is_busy);
    tcase_add_test(tc, a_reset_ends_all_handles);
    tcase_add_test(tc, a_connection_that_closes_ends_its_queue_pair);
    suite_add_tcase(suite, tc);
    return suite;
}
