/* SPDX-License-Identifier: Apache-2.0
 * rue_swift_test.c - an endpoint that runs on Swift and PLB through the seam of rue_policy.h,
 * over a bottleneck. */
#include "oracles/cc/swift.h"
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/rig/bench_pair.h"
#include "tests/testing.h"

enum { LENGTH = 1000, BACKLOG = 64, STEPS_MAX = 1000000 };

#define RATE_BPS (1000 * UINT64_C(1000000))

/* One flow, and what Swift decided in the second half of it. */
struct flow {
    struct pair pair;
    struct fal_swift swift;
    uint64_t from_ns;
    unsigned backlog, posted, completed, failed;
    unsigned events, falls, repaths; /* of the second half */
    double fcwnd, delay, target;     /* sums */
};

static void record(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                   const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct flow *flow = ctx;
    double before = event->fcwnd_integer + event->fcwnd_fraction / 1024.0, after;

    fal_swift_process(&flow->swift, state, now_ticks, event, result);
    if (flow->pair.now_ns < flow->from_ns)
        return;
    after = result->fcwnd_integer + result->fcwnd_fraction / 1024.0;
    flow->events++;
    flow->falls += after < before;
    flow->repaths += result->randomize_path;
    flow->fcwnd += after;
    flow->delay += result->delay_state;
    flow->target +=
        fal_swift_target(&flow->swift, event->base_delay_target, before, event->forward_hops);
}

static void on_event(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct flow *flow = pair->ctx;

    if (out->kind == FAL_OUT_COMPLETE) {
        flow->completed++;
        flow->failed += out->code != FAL_CMPL_ACK;
    }
    if (out->kind == FAL_OUT_REQUEST)
        (void)pair_respond(pair, side,
                           (struct fal_endpoint_in){.rsn = out->rsn, .answer = FAL_ANSWER_ACK});
}

static const struct pair_ops flow_ops = {.event = on_event};

static void set_up(struct flow *flow, const struct fal_impairment *wire, bool swift)
{
    const struct fal_impairment back = {.latency_ns = wire->latency_ns};
    const struct fal_impairment both[2] = {*wire, back};
    const struct fal_end ends[2] = {{1, 1, 0, 1000, 7}, {2, 2, 5000, 0, 70}};
    struct fal_swift_params params;

    *flow = (struct flow){.backlog = BACKLOG};
    pair_init(&flow->pair, &flow_ops, flow);
    flow->pair.sealed = true;
    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&flow->swift, &params, true, NULL), 0);
    for (unsigned side = 0; side < 2; side++) {
        fal_cc_start(&flow->pair.open[side].params);
        flow->pair.config[side].clock_ps = side * 3 * FAL_S * 1000;
    }
    if (swift)
        flow->pair.config[0].rue = (struct fal_rue_config){
            .policy = {.process = record, .ctx = flow}, .delay = FAL_CC_DELAY_FABRIC};
    pair_open(&flow->pair, ends, both, test_seed(1));
}

/* Keeps a backlog of pushes until `until_ns`, then waits for their completions. */
static void run(struct flow *flow, uint64_t until_ns)
{
    static const uint8_t payload[LENGTH];
    const struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .op = FAL_OP_PUSH, .length = LENGTH, .payload = payload};
    unsigned steps = 0;

    flow->from_ns = until_ns / 2;
    do {
        while (flow->pair.now_ns < until_ns && flow->posted - flow->completed < flow->backlog) {
            ck_assert_int_eq(pair_input(&flow->pair, 0, in, NULL), 0);
            flow->posted++;
        }
        pair_at(&flow->pair, pair_deadline(&flow->pair));
        ck_assert_uint_lt(steps++, STEPS_MAX);
    } while (pair_deadline(&flow->pair) != FAL_NEVER);
    ck_assert_uint_eq(flow->completed, flow->posted);
    ck_assert_uint_eq(flow->failed, 0);
}

START_TEST(FTP_10_3_01_swift_holds_the_delay_of_a_bottleneck_at_its_target)
{
    const struct fal_impairment wire = {.latency_ns = 3000, .rate_bps = RATE_BPS, .hops = 3};
    static struct flow flow, fixed;
    double delay, target, fcwnd;

    set_up(&flow, &wire, true);
    run(&flow, 20 * FAL_MS);
    ck_assert_uint_gt(flow.events, 500);
    delay = flow.delay / flow.events;
    target = flow.target / flow.events;
    fcwnd = flow.fcwnd / flow.events;
    ck_assert_msg(delay > 0.75 * target && delay < 1.25 * target, "delay %f, target %f", delay,
                  target);
    ck_assert_msg(fcwnd > 2 && fcwnd < 10, "fcwnd %f", fcwnd);
    ck_assert_uint_gt(flow.falls, 10);
    /* The bottleneck is busy: as many packets as with a window of 32, within 10 %. */
    set_up(&fixed, &wire, false);
    run(&fixed, 20 * FAL_MS);
    ck_assert_uint_gt(flow.completed * 10, fixed.completed * 9);
    pair_free(&flow.pair);
    pair_free(&fixed.pair);
}
END_TEST

START_TEST(FTP_10_3_02_FTP_10_4_11_below_a_window_of_one_packets_are_paced_and_paths_drawn)
{
    /* A delay that no window can reduce. */
    const struct fal_impairment wire = {.latency_ns = 150 * FAL_US, .rate_bps = RATE_BPS};
    static struct flow flow;
    uint32_t path;

    set_up(&flow, &wire, true);
    flow.backlog = 8; /* the gaps are long, and transactions have a timeout */
    path = fal_ep_conn_find(flow.pair.ep[0], flow.pair.conn[0])->cc.path;
    run(&flow, 20 * FAL_MS);
    ck_assert_uint_gt(flow.events, 5);
    ck_assert_msg(flow.fcwnd / flow.events < 1, "fcwnd %f", flow.fcwnd / flow.events);
    ck_assert_uint_gt(flow.repaths, 0);
    ck_assert_uint_ne(fal_ep_conn_find(flow.pair.ep[0], flow.pair.conn[0])->cc.path, path);
    pair_free(&flow.pair);
}
END_TEST

START_TEST(FTP_10_3_2_01_to_03_a_flow_with_losses_comes_to_its_end)
{
    const struct fal_impairment wire = {
        .latency_ns = 3000, .rate_bps = RATE_BPS, .loss_ppm = 10000};
    static struct flow flow;

    set_up(&flow, &wire, true);
    run(&flow, 20 * FAL_MS);
    ck_assert_uint_gt(flow.completed, 100);
    ck_assert_uint_gt(flow.falls, 0);
    pair_free(&flow.pair);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("Swift behind the seam");
    TCase *tc = tcase_create("flows");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, FTP_10_3_01_swift_holds_the_delay_of_a_bottleneck_at_its_target);
    tcase_add_test(
        tc, FTP_10_3_02_FTP_10_4_11_below_a_window_of_one_packets_are_paced_and_paths_drawn);
    tcase_add_test(tc, FTP_10_3_2_01_to_03_a_flow_with_losses_comes_to_its_end);
    suite_add_tcase(suite, tc);
    return suite;
}
