/* SPDX-License-Identifier: Apache-2.0
 * ecn_test.c - ECN marks: a queue marks at its threshold and below it never, and each mark
 * reaches the sender by the counter of ACKs (FTP-10.6.2.1-32), with model flows and endpoints.
 */
#include "oracles/lab/bench.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#define STOP_PS (3 * FAL_LAB_MS)

enum { THRESHOLD = 100000, BYTES = 4000, PACKETS = 60 };

/* ---- a queue ---- */

struct marks {
    struct fal_lab_fabric fabric;
    unsigned marked, delivered;
};

static void delivered(void *ctx, uint32_t packet)
{
    struct marks *m = ctx;
    const struct fal_lab_packet *p = &m->fabric.packets[packet];

    /* All packets came at once: the queue held `number` of them. */
    ck_assert_int_eq(p->marked, p->number * BYTES >= THRESHOLD);
    m->marked += p->marked;
    m->delivered++;
}

START_TEST(a_queue_marks_from_its_threshold_on)
{
    static const struct fal_lab_ops ops = {.delivered = delivered};
    static const struct fal_lab_group group = {0, 1};
    struct fal_lab_queue queue = {.rate_bps = UINT64_C(10000000000), .ecn_bytes = THRESHOLD};
    struct marks m = {
        .fabric = {
            .queues = &queue, .groups = &group, .n_queues = 1, .n_groups = 1, .ops = &ops}};

    m.fabric.ctx = &m;
    for (uint32_t i = 0; i < PACKETS; i++)
        fal_lab_fabric_send(&m.fabric,
                            &(struct fal_lab_packet){.bytes = BYTES, .stages = 1, .number = i});
    while (fal_lab_fabric_step(&m.fabric, FAL_LAB_NEVER) > 0)
        ;
    ck_assert_uint_eq(m.delivered, PACKETS);
    ck_assert_uint_eq(m.marked, PACKETS - THRESHOLD / BYTES);
    ck_assert_uint_eq(queue.marked, m.marked);
    fal_lab_fabric_free(&m.fabric);
}
END_TEST

/* ---- the ends ---- */

struct played {
    uint64_t marked, told;
};

/* Flows that stop early: at the end nothing is under way. */
static struct played play(uint32_t flows, uint32_t ecn_kb, bool endpoints, uint64_t limit_bytes,
                          uint64_t stop_ps)
{
    struct fal_swift_params params;
    struct fal_swift swift;
    struct fal_lab_ask ask = {.flows = flows,
                              .seed = test_seed(1),
                              .time_ps = 40 * FAL_LAB_MS,
                              .rate_bps = 100 * UINT64_C(1000000000),
                              .swift = &swift,
                              .endpoints = endpoints};
    struct played played = {0, 0};
    struct fal_lab_bench *bench;
    struct fal_lab_outcome out;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    ask.settings[FAL_LAB_ECN_KB] = ecn_kb;
    bench = fal_lab_bench_new(&ask, 0);
    ck_assert_ptr_nonnull(bench);
    bench->queues[0].limit_bytes = limit_bytes;
    for (uint32_t i = 0; i < flows; i++)
        bench->lab.flows[i].config.stop_ps = stop_ps;
    ck_assert_int_eq(fal_lab_bench_run(bench, &out), 0);
    ck_assert_uint_eq(bench->queues[0].bytes, 0);
    played.marked = fal_lab_bench_marked(bench);
    for (uint32_t i = 0; i < flows; i++)
        played.told += bench->lab.flows[i].counts.marks_told;
    fal_lab_bench_free(bench);
    return played;
}

START_TEST(FTP_10_6_2_1_32_each_mark_reaches_its_sender)
{
    static const uint32_t thresholds_kb[] = {20, 200, 800};
    uint64_t last = UINT64_MAX;

    for (int endpoints = 0; endpoints < 2; endpoints++, last = UINT64_MAX)
        for (unsigned i = 0; i < sizeof thresholds_kb / sizeof *thresholds_kb; i++) {
            struct played p = play(8, thresholds_kb[i], endpoints, 0, STOP_PS);

            ck_assert_uint_gt(p.marked, 0);
            ck_assert_uint_lt(p.marked, last); /* the higher the threshold, the fewer */
            ck_assert_uint_eq(p.told, p.marked);
            last = p.marked;
        }
}
END_TEST

/* The counter has 14 bits: one flow gets more marks than it can show. */
START_TEST(the_counter_of_marks_may_wrap)
{
    struct played p = play(1, 1, false, 0, 9 * FAL_LAB_MS);

    ck_assert_uint_gt(p.marked, 20000);
    ck_assert_uint_eq(p.told, p.marked);
}
END_TEST

START_TEST(without_a_threshold_or_below_it_nothing_is_marked)
{
    for (int endpoints = 0; endpoints < 2; endpoints++) {
        ck_assert_uint_eq(play(8, 0, endpoints, 0, STOP_PS).marked, 0);
        ck_assert_uint_eq(play(8, 400, endpoints, 300000, STOP_PS).marked, 0);
        ck_assert_uint_eq(play(8, 400, endpoints, 300000, STOP_PS).told, 0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("ecn");
    TCase *tc = tcase_create("ecn");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_queue_marks_from_its_threshold_on);
    tcase_add_test(tc, FTP_10_6_2_1_32_each_mark_reaches_its_sender);
    tcase_add_test(tc, the_counter_of_marks_may_wrap);
    tcase_add_test(tc, without_a_threshold_or_below_it_nothing_is_marked);
    suite_add_tcase(s, tc);
    return s;
}
