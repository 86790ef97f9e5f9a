/* SPDX-License-Identifier: Apache-2.0
 * lab_test.c - the simulated fabric: no byte is lost, the same seed gives the same bytes, and
 * the experiments give the values of the table of judging. */
#include "oracles/lab/bench.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#define RATE (100 * UINT64_C(1000000000))

static struct fal_swift swift_default(void)
{
    struct fal_swift_params params;
    struct fal_swift swift;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    return swift;
}

/* ---- the heap and the histogram ---- */

START_TEST(events_come_in_the_order_of_time_then_of_entry)
{
    struct fal_lab_heap heap = {0};
    struct fal_rng rng = {test_seed(3)};
    struct fal_lab_item item, last = {0};
    unsigned n = 0;

    for (unsigned i = 0; i < 3000; i++)
        fal_lab_heap_push(&heap, fal_rng_below(&rng, 200), FAL_LAB_TIMER, i);
    while (fal_lab_heap_pop(&heap, &item)) {
        ck_assert(n == 0 || last.due_ps < item.due_ps ||
                  (last.due_ps == item.due_ps && last.order < item.order));
        last = item;
        n++;
    }
    ck_assert_uint_eq(n, 3000);
    fal_lab_heap_free(&heap);
}
END_TEST

START_TEST(a_quantile_is_right_within_a_256th)
{
    static struct fal_lab_histogram histogram;

    for (uint64_t i = 1; i <= 100000; i++)
        fal_lab_histogram_add(&histogram, i * 1000);
    for (unsigned permille = 10; permille < 1000; permille += 10) {
        uint64_t value = fal_lab_histogram_quantile(&histogram, permille);

        ck_assert_uint_ge(value * 256, permille * UINT64_C(100000) * 255);
        ck_assert_uint_le(value * 256, permille * UINT64_C(100000) * 257 + 256000);
    }
    ck_assert_uint_eq(histogram.sum, UINT64_C(100000) * 100001 / 2 * 1000);
    /* The largest value has a bin. */
    fal_lab_histogram_add(&histogram, UINT64_MAX);
}
END_TEST

/* ---- conservation ---- */

START_TEST(bytes_in_are_bytes_out_dropped_and_queued_at_each_event)
{
    struct fal_swift swift = swift_default();
    struct fal_lab_ask ask = {.flows = 12, .rate_bps = RATE, .swift = &swift};
    uint64_t dropped = 0, refused = 0;

    ask.time_ps = FAL_LAB_MS;
    for (unsigned long round = 0; round < test_rounds(4); round++) {
        struct fal_lab_bench *bench;
        int rc;

        ask.seed = test_seed(1) + round;
        bench = fal_lab_bench_new(&ask, 0);
        bench->queues[0].limit_bytes = 300000;
        /* A second stage with two paths, the second of them slower. */
        bench->queues[1] = (struct fal_lab_queue){.rate_bps = RATE, .delay_ps = 1000};
        bench->queues[2] = (struct fal_lab_queue){
            .rate_bps = RATE / 3, .limit_bytes = 100000, .delay_ps = 20000};
        bench->groups[1] = (struct fal_lab_group){1, 2};
        bench->lab.fabric.n_queues = 3;
        bench->lab.fabric.n_groups = 2;
        for (uint32_t i = 0; i < ask.flows; i++) {
            bench->lab.flows[i].config.stages = 2;
            bench->lab.flows[i].config.groups[1] = 1;
        }
        /* Two flows have a slow receiver, two are unresponsive, one joins and leaves. */
        for (uint32_t i = 0; i < 2; i++) {
            bench->lab.flows[i].config.drain_ps = 3 * FAL_LAB_US;
            bench->lab.flows[i].config.buffer = 4;
            bench->lab.flows[2 + i].config.unresponsive = true;
            bench->lab.flows[2 + i].config.burst = 10;
            bench->lab.flows[2 + i].config.spacing_ps = 3 * FAL_LAB_US;
        }
        bench->lab.flows[4].config.start_ps = FAL_LAB_MS / 4;
        bench->lab.flows[4].config.stop_ps = FAL_LAB_MS / 2;
        ck_assert_int_eq(fal_lab_begin(&bench->lab), 0);
        while ((rc = fal_lab_step(&bench->lab)) > 0)
            ck_assert_msg(fal_lab_fabric_balanced(&bench->lab.fabric), "%s at %lu ps",
                          test_again(ask.seed), (unsigned long)bench->lab.fabric.now_ps);
        ck_assert_int_eq(rc, 0);
        dropped += bench->lab.fabric.bytes_dropped;
        refused += bench->lab.flows[0].counts.refused;
        ck_assert_uint_gt(bench->lab.fabric.bytes_out, 1000000);
        fal_lab_bench_free(bench);
    }
    ck_assert_uint_gt(dropped, 0);
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* A flow knows of each packet of its own whether it is under way: nothing is left behind. */
START_TEST(a_flow_that_has_stopped_has_nothing_under_way)
{
    struct fal_swift swift = swift_default();
    struct fal_lab_ask ask = {
        .flows = 20, .rate_bps = RATE, .swift = &swift, .seed = test_seed(1)};
    struct fal_lab_bench *bench;

    ask.time_ps = 20 * FAL_LAB_MS;
    bench = fal_lab_bench_new(&ask, 0);
    bench->queues[0].limit_bytes = 200000;
    for (uint32_t i = 0; i < ask.flows; i++)
        bench->lab.flows[i].config.stop_ps = 2 * FAL_LAB_MS;
    ck_assert_int_eq(fal_lab_begin(&bench->lab), 0);
    ck_assert_int_eq(fal_lab_run(&bench->lab), 0);
    for (uint32_t i = 0; i < ask.flows; i++) {
        const struct fal_lab_flow *flow = &bench->lab.flows[i];

        ck_assert_uint_eq(flow->in_flight, 0);
        ck_assert_uint_eq(flow->counts.sent * FAL_LAB_PACKET,
                          flow->counts.delivered_bytes + flow->counts.dropped * FAL_LAB_PACKET);
    }
    ck_assert_uint_eq(bench->queues[0].bytes, 0);
    ck_assert_uint_gt(bench->queues[0].dropped, 0);
    fal_lab_bench_free(bench);
}
END_TEST

/* ---- experiments ---- */

static struct fal_lab_outcome outcome(const char *name, uint32_t flows, uint64_t seed,
                                      uint64_t time_ps)
{
    const struct fal_lab_experiment *e = fal_lab_experiment_find(name);
    struct fal_swift swift = swift_default();
    struct fal_lab_ask ask = fal_lab_ask_of(e, flows);
    struct fal_lab_outcome out;

    ask.seed = seed;
    ask.rate_bps = RATE;
    ask.swift = &swift;
    ask.time_ps = time_ps > 0 ? time_ps : e->time_ps(&ask);
    ck_assert_int_eq(e->run(&ask, &out), 0);
    return out;
}

static void within(const struct fal_lab_outcome *out, const char *name, uint32_t flows)
{
    for (unsigned i = 0; i < out->n_values; i++)
        ck_assert_msg(!fal_lab_outside(&out->values[i]),
                      "%s, %u flows: %s is %ld/1000, band %ld to %ld", name, flows,
                      out->values[i].name, (long)out->values[i].milli,
                      (long)out->values[i].least, (long)out->values[i].most);
}

START_TEST(the_same_seed_gives_the_same_bytes)
{
    struct fal_lab_outcome a = outcome("incast", 8, 5, FAL_LAB_MS);
    struct fal_lab_outcome b = outcome("incast", 8, 5, FAL_LAB_MS);
    struct fal_lab_outcome c = outcome("incast", 8, 6, FAL_LAB_MS);

    ck_assert_uint_eq(a.trace, b.trace);
    ck_assert_uint_ne(a.trace, c.trace);
    for (unsigned i = 0; i < a.n_values; i++)
        ck_assert_int_eq(a.values[i].milli, b.values[i].milli);
}
END_TEST

START_TEST(each_experiment_is_within_its_bands)
{
    size_t n;
    const struct fal_lab_experiment *e = fal_lab_experiments(&n);

    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < FAL_LAB_CASES_MAX && e[i].cases[k] > 0; k++) {
            struct fal_lab_outcome out = outcome(e[i].name, e[i].cases[k], test_seed(1), 0);

            ck_assert_uint_gt(out.n_values, 0);
            within(&out, e[i].name, e[i].cases[k]);
        }
}
END_TEST

/* L1: median and 99th percentile in thousandths of a microsecond, as another model has them. */
START_TEST(incast_has_the_delays_of_another_model)
{
    static const struct {
        uint32_t flows;
        int64_t median[2], p99[2];
    } rows[] = {
        {1, {19000, 19700}, {19000, 19700}},   {2, {20500, 21500}, {20500, 21500}},
        {8, {24700, 25900}, {26000, 28000}},   {32, {31400, 33300}, {37500, 41500}},
        {128, {49000, 55000}, {75000, 82000}}, {512, {70000, 92000}, {120000, 143000}},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_lab_outcome out = outcome("incast", rows[i].flows, test_seed(1), 0);
        int64_t median = fal_lab_value_find(&out, "queueing delay, median")->milli;
        int64_t p99 = fal_lab_value_find(&out, "queueing delay, p99")->milli;

        ck_assert_msg(median >= rows[i].median[0] && median <= rows[i].median[1],
                      "%u flows: median %ld", rows[i].flows, (long)median);
        ck_assert_msg(p99 >= rows[i].p99[0] && p99 <= rows[i].p99[1], "%u flows: p99 %ld",
                      rows[i].flows, (long)p99);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("lab");
    TCase *tc = tcase_create("lab");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, events_come_in_the_order_of_time_then_of_entry);
    tcase_add_test(tc, a_quantile_is_right_within_a_256th);
    tcase_add_test(tc, bytes_in_are_bytes_out_dropped_and_queued_at_each_event);
    tcase_add_test(tc, a_flow_that_has_stopped_has_nothing_under_way);
    tcase_add_test(tc, the_same_seed_gives_the_same_bytes);
    tcase_add_test(tc, each_experiment_is_within_its_bands);
    tcase_add_test(tc, incast_has_the_delays_of_another_model);
    suite_add_tcase(s, tc);
    return s;
}
