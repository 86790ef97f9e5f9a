/* SPDX-License-Identifier: Apache-2.0
 * theory_test.c - the lab against what is known without it: where Swift comes to rest, the wait
 * in an M/D/1 queue, equal parts of equal paths. Each mistake that can be planted in the fabric
 * must be detected by one of them. TALON_TIMES=40 plays 200 drawn cases. */
#include "oracles/lab/bench.h"
#include "oracles/lab/theory.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS = 5, DRAWS = 2000 };

struct found {
    bool within;
    char text[200];
};

/* ---- rest ---- */

struct drawn {
    struct fal_swift swift;
    struct fal_lab_case c;
    struct fal_lab_rest rest;
    uint64_t settled_ps;
};

static double between(struct fal_rng *rng, double least, double most)
{
    return least + (most - least) * (double)fal_rng_below(rng, 1000001) / 1000000;
}

/* A window counts whole packets. Where it holds less than two, or the queue less than one
 * packet of each flow, the theory of real numbers does not describe it. Delays count whole
 * ticks: the queue is at least 16 of them. */
static bool usable(const struct drawn *d)
{
    double round = (double)fal_lab_serial_ps(d->c.rate_bps, d->c.bytes) * d->c.flows;

    return d->rest.interior && d->rest.window >= 2 && d->rest.window < 500 &&
           d->rest.queue_ps >= round && d->rest.queue_ps >= 16 << FAL_LAB_TICK_SHIFT;
}

/* A case whose rest lies between the limits. */
static struct drawn draw(uint64_t seed)
{
    struct fal_rng rng = fal_rng_split(seed, 77);
    struct drawn d = {.settled_ps = 0};

    do {
        struct fal_swift_params params;

        fal_swift_params_default(&params);
        params.max_fcwnd = 2047;
        params.max_ncwnd = 2047;
        params.base_delay_target = (double)(100 + fal_rng_below(&rng, 300));
        params.topology_scaling_per_hop = between(&rng, 0, 12);
        params.max_flow_scaling = between(&rng, 200, 1500);
        params.fabric_multiplicative_decrease_factor = between(&rng, 0.4, 1);
        params.max_fabric_multiplicative_decrease_factor = between(&rng, 0.3, 0.6);
        params.fabric_additive_increment = between(&rng, 0.5, 1.5);
        ck_assert_int_eq(fal_swift_init(&d.swift, &params, true, NULL), 0);
        d.c = (struct fal_lab_case){.flows = 1 + (uint32_t)fal_rng_below(&rng, 128),
                                    .bytes = 1000 + (uint32_t)fal_rng_below(&rng, 8000),
                                    .rate_bps =
                                        (10 + fal_rng_below(&rng, 190)) * UINT64_C(1000000000),
                                    .base_ps = (4 + fal_rng_below(&rng, 20)) * FAL_LAB_US,
                                    .hops = (unsigned)fal_rng_below(&rng, 8)};
        d.rest = fal_lab_theory(&d.swift, &d.c);
    } while (!usable(&d));
    /* A window grows by about a packet in a round trip, and begins with 32. */
    d.settled_ps = 3 * FAL_LAB_MS + (uint64_t)((d.rest.queue_ps + (double)d.c.base_ps) *
                                               (2 * d.rest.window + 40));
    return d;
}

static struct found at_rest(uint64_t seed, enum fal_lab_fault fault)
{
    struct drawn d = draw(seed);
    struct fal_lab_ask ask = {.flows = d.c.flows,
                              .seed = seed,
                              .time_ps = d.settled_ps + 3 * FAL_LAB_MS,
                              .rate_bps = d.c.rate_bps,
                              .swift = &d.swift,
                              .fault = fault};
    struct fal_lab_bench *bench = fal_lab_bench_new(&ask, d.settled_ps);
    struct fal_lab_outcome out;
    struct found found;
    double ratio, most = d.c.flows > 32 || d.rest.window < 4 ? 1.4 : 1.25;

    ck_assert_ptr_nonnull(bench);
    bench->queues[0].delay_ps = d.c.base_ps / 2;
    for (uint32_t i = 0; i < d.c.flows; i++) {
        struct fal_lab_flow_config *config = &bench->lab.flows[i].config;

        config->bytes = d.c.bytes;
        config->hops = (uint8_t)d.c.hops;
        config->return_ps = d.c.base_ps - d.c.base_ps / 2;
        config->spacing_ps = fal_lab_serial_ps(d.c.rate_bps * 4, d.c.bytes);
    }
    ck_assert_int_eq(fal_lab_bench_run(bench, &out), 0);
    ratio = (double)fal_lab_histogram_quantile(&bench->lab.waited, 500) / d.rest.queue_ps;
    found.within = ratio >= 0.75 && ratio <= most;
    (void)snprintf(
        found.text, sizeof found.text,
        "%u flows of %u bytes at %.0f Gb/s, base %.0f us, window %.1f: queue %.1f us, "
        "ratio %.3f",
        d.c.flows, d.c.bytes, (double)d.c.rate_bps / 1e9, (double)d.c.base_ps / FAL_LAB_US,
        d.rest.window, d.rest.queue_ps / FAL_LAB_US, ratio);
    fal_lab_bench_free(bench);
    return found;
}

START_TEST(the_median_queue_is_where_swift_comes_to_rest)
{
    uint64_t seed = test_seed(1);

    for (unsigned long i = 0; i < test_rounds(ROUNDS); i++) {
        struct found found = at_rest(seed + i, FAL_LAB_CORRECT);

        ck_assert_msg(found.within, "%s: %s", test_again(seed + i), found.text);
        if (test_rounds(ROUNDS) > ROUNDS)
            printf("seed %lu: %s\n", (unsigned long)(seed + i), found.text);
    }
}
END_TEST

/* The numbers of the table of judging. */
START_TEST(the_rest_of_the_default_parameters)
{
    static const struct {
        uint32_t flows;
        double window, queue_us;
    } rows[] = {{1, 89, 19.3},   {2, 46, 20.6},    {8, 13.2, 24.7},
                {32, 4.0, 32.0}, {128, 1.3, 44.3}, {512, 0.44, 64.5}};
    struct fal_swift_params params;
    struct fal_swift swift;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_lab_case c = {.flows = rows[i].flows,
                                       .bytes = FAL_LAB_PACKET,
                                       .rate_bps = 100 * UINT64_C(1000000000),
                                       .base_ps = FAL_LAB_BASE_PS,
                                       .hops = FAL_LAB_HOPS};
        struct fal_lab_rest rest = fal_lab_theory(&swift, &c);

        ck_assert(rest.interior);
        ck_assert_msg(fabs(rest.window / rows[i].window - 1) < 0.02, "window %f", rest.window);
        ck_assert_msg(fabs(rest.queue_ps / FAL_LAB_US - rows[i].queue_us) < 0.1, "queue %f",
                      rest.queue_ps);
    }
}
END_TEST

/* ---- M/D/1 ---- */

enum { MD1_BYTES = 1000, MD1_PACKETS = 400000 };

struct md1 {
    struct fal_lab_fabric fabric;
    struct fal_rng rng;
    double mean_gap_ps;
    uint64_t left, count;
    double waited_ps;
};

static void md1_delivered(void *ctx, uint32_t packet)
{
    struct md1 *m = ctx;

    m->count++;
    m->waited_ps += (double)m->fabric.packets[packet].waited_ps;
}

/* The next packet comes after an exponential time. */
static void md1_event(void *ctx, const struct fal_lab_item *item)
{
    const struct fal_lab_packet packet = {.bytes = MD1_BYTES, .stages = 1};
    struct md1 *m = ctx;
    double u = ((double)(fal_rng_next(&m->rng) >> 11) + 1) / 9007199254740993.0;

    fal_lab_fabric_send(&m->fabric, &packet);
    if (m->left-- > 0)
        fal_lab_heap_push(&m->fabric.heap,
                          m->fabric.now_ps + (uint64_t)(-log(u) * m->mean_gap_ps),
                          FAL_LAB_TIMER, item->index);
}

static struct found md1(double load, enum fal_lab_fault fault)
{
    static const struct fal_lab_ops ops = {.delivered = md1_delivered, .event = md1_event};
    static const struct fal_lab_group group = {0, 1};
    struct fal_lab_queue queue = {.rate_bps = UINT64_C(10000000000), .delay_ps = FAL_LAB_US};
    const double serial = (double)fal_lab_serial_ps(queue.rate_bps, MD1_BYTES);
    struct md1 m = {.fabric = {.queues = &queue,
                               .groups = &group,
                               .n_queues = 1,
                               .n_groups = 1,
                               .fault = fault,
                               .ops = &ops},
                    .rng = {test_seed(11)},
                    .mean_gap_ps = serial / load,
                    .left = MD1_PACKETS};
    double theory = load / (2 * (1 - load)) * serial, mean;
    struct found found;

    m.fabric.ctx = &m;
    fal_lab_heap_push(&m.fabric.heap, 0, FAL_LAB_TIMER, 0);
    while (fal_lab_fabric_step(&m.fabric, FAL_LAB_NEVER) > 0)
        ;
    ck_assert_uint_eq(m.count, MD1_PACKETS + 1);
    mean = m.waited_ps / (double)m.count;
    found.within = mean > theory * 0.97 && mean < theory * 1.03;
    (void)snprintf(found.text, sizeof found.text,
                   "load %.2f: mean wait %.0f ps, theory %.0f ps", load, mean, theory);
    fal_lab_fabric_free(&m.fabric);
    return found;
}

START_TEST(poisson_input_waits_as_in_an_m_d_1_queue)
{
    static const double loads[] = {0.3, 0.5, 0.7};

    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct found found = md1(loads[i], FAL_LAB_CORRECT);

        ck_assert_msg(found.within, "%s", found.text);
    }
}
END_TEST

/* ---- equal paths ---- */

/* Each of M paths gets its part of drawn entropies, within five standard deviations. */
static struct found equal_paths(uint32_t paths, enum fal_lab_fault fault)
{
    const struct fal_lab_group group = {2, paths};
    const struct fal_lab_fabric fabric = {
        .groups = &group, .n_groups = 1, .seed = test_seed(5), .fault = fault};
    struct fal_rng rng = {test_seed(6)};
    double due = (double)DRAWS / paths, deviation = sqrt(due * (1 - 1.0 / paths));
    uint32_t counts[8] = {0};
    struct found found = {.within = true};

    for (unsigned i = 0; i < DRAWS; i++) {
        uint32_t queue = fal_lab_fabric_path(&fabric, 0, (uint32_t)fal_rng_next(&rng));

        ck_assert(queue >= 2 && queue < 2 + paths);
        counts[queue - 2]++;
    }
    for (uint32_t i = 0; i < paths; i++)
        if (fabs(counts[i] - due) > 5 * deviation) {
            found.within = false;
            (void)snprintf(found.text, sizeof found.text, "path %u of %u: %u of %u", i, paths,
                           counts[i], (unsigned)DRAWS);
        }
    return found;
}

START_TEST(equal_paths_get_equal_parts)
{
    for (uint32_t paths = 1; paths <= 8; paths++) {
        struct found found = equal_paths(paths, FAL_LAB_CORRECT);

        ck_assert_msg(found.within, "%s", found.text);
    }
}
END_TEST

/* ---- planted mistakes ---- */

/* The median of one flow of `talon lab incast` against its band. */
static bool incast_within(enum fal_lab_fault fault, bool endpoints)
{
    struct fal_swift_params params;
    struct fal_swift swift;
    const struct fal_lab_ask ask = {.flows = 1,
                                    .seed = test_seed(1),
                                    .time_ps = 10 * FAL_LAB_MS,
                                    .rate_bps = 100 * UINT64_C(1000000000),
                                    .swift = &swift,
                                    .fault = fault,
                                    .endpoints = endpoints};
    struct fal_lab_outcome out;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    ck_assert_int_eq(fal_lab_incast(&ask, &out), 0);
    return !fal_lab_outside(fal_lab_value_find(&out, "queueing delay, median"));
}

START_TEST(each_planted_mistake_is_detected)
{
    ck_assert(!md1(0.7, FAL_LAB_SLOW).within);
    for (int endpoints = 0; endpoints < 2; endpoints++) {
        ck_assert(incast_within(FAL_LAB_CORRECT, endpoints));
        ck_assert(!incast_within(FAL_LAB_DELAY_TWICE, endpoints));
    }
    ck_assert(!equal_paths(2, FAL_LAB_UNEQUAL_PATHS).within);
    ck_assert(!equal_paths(8, FAL_LAB_UNEQUAL_PATHS).within);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("theory");
    TCase *tc = tcase_create("theory");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, the_median_queue_is_where_swift_comes_to_rest);
    tcase_add_test(tc, the_rest_of_the_default_parameters);
    tcase_add_test(tc, poisson_input_waits_as_in_an_m_d_1_queue);
    tcase_add_test(tc, equal_paths_get_equal_parts);
    tcase_add_test(tc, each_planted_mistake_is_detected);
    suite_add_tcase(s, tc);
    return s;
}
