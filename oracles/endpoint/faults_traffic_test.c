/* SPDX-License-Identifier: Apache-2.0
 * faults_traffic_test.c - under each fault the endpoint stays sound, and plain traffic flows
 * where it can. */
#include "oracles/endpoint/bench_pair.h"
#include "oracles/rng.h"
#include "tests/testing.h"

struct traffic {
    struct pair pair;
    struct fal_rng rng;
    bool rough; /* the ULPs refuse now and then */
    unsigned completed[2], good[2];
};

static void on_event(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct traffic *traffic = pair->ctx;
    static const enum fal_answer rough[] = {FAL_ANSWER_RNR, FAL_ANSWER_CIE, FAL_ANSWER_NRE};
    static const uint8_t data[64];
    struct fal_endpoint_in in = {.rsn = out->rsn, .payload = data, .length = 64, .code = 3};

    if (out->kind == FAL_OUT_COMPLETE) {
        traffic->completed[side]++;
        traffic->good[side] += out->code == FAL_CMPL_ACK;
    }
    if (out->kind != FAL_OUT_REQUEST)
        return;
    in.answer = out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
    if (traffic->rough && fal_rng_below(&traffic->rng, 4) == 0)
        in.answer = rough[fal_rng_below(&traffic->rng, 3)];
    in.rnr_ns = 50000;
    (void)pair_respond(pair, side, in); /* a fault may have delivered what nobody waits for */
}

static const struct pair_ops traffic_ops = {.event = on_event};

enum { POSTS = 60 };

/* 60 transactions each way; until all is quiet or dead. */
static struct traffic flow(int fault, uint32_t one_in, struct fal_impairment wire, bool rough,
                           uint64_t seed)
{
    const struct fal_impairment both[2] = {wire, wire};
    const struct fal_end ends[2] = {{1, 1, 0, 1000, 7}, {2, 2, 5000, 0, 70}};
    struct traffic traffic = {.rng = fal_rng_split(seed, 3), .rough = rough};
    static const uint8_t payload[64];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .length = 64, .payload = payload};

    pair_init(&traffic.pair, &traffic_ops, &traffic);
    for (unsigned side = 0; side < 2; side++)
        traffic.pair.open[side].params.transaction_timeout_ns = 20 * FAL_MS;
    if (fault >= 0)
        fal_fault_add(&traffic.pair.config[1].faults, (enum fal_fault_id)fault);
    traffic.pair.config[1].faults.one_in = one_in;
    pair_open(&traffic.pair, ends, both, seed);
    traffic.pair.ctx = &traffic;
    for (unsigned i = 0; i < POSTS; i++)
        for (unsigned side = 0; side < 2; side++) {
            in.op = fal_rng_below(&traffic.rng, 2) == 0 ? FAL_OP_PUSH : FAL_OP_PULL;
            in.payload_len = 0;
            ck_assert_int_eq(pair_input(&traffic.pair, side, in, NULL), 0);
            pair_run(&traffic.pair, traffic.pair.now_ns + 3000);
        }
    pair_run(&traffic.pair, 60 * FAL_S);
    ck_assert_uint_eq(pair_deadline(&traffic.pair), FAL_NEVER);
    pair_free(&traffic.pair);
    return traffic;
}

/* Faults that some transactions cannot survive on a good network. */
static bool harmful(int fault)
{
    return fault == FAL_FAULT_PSN_SKIPPED || fault == FAL_FAULT_EACK_BIT0_SET ||
           fault == FAL_FAULT_ACKS_UNSENT;
}

START_TEST(plain_traffic_flows_under_every_fault)
{
    for (int fault = -1; fault < FAL_FAULT_COUNT; fault++)
        for (uint32_t one_in = 1; one_in < 10; one_in += 4) {
            struct traffic t =
                flow(fault, one_in, (struct fal_impairment){.latency_ns = 5000}, false, one_in);
            unsigned due = fault == FAL_FAULT_COMPLETION_DOUBLED ? t.completed[1] : POSTS;

            ck_assert_uint_eq(t.completed[0], POSTS);
            ck_assert_uint_eq(t.completed[1], due);
            if (!harmful(fault)) {
                ck_assert_uint_eq(t.good[0], POSTS);
                ck_assert_uint_eq(t.good[1], due);
            }
        }
}
END_TEST

START_TEST(under_every_fault_a_rough_network_ends_in_peace)
{
    const struct fal_impairment rough = {.latency_ns = 3000,
                                         .jitter_ns = 8000,
                                         .loss_ppm = 100000,
                                         .duplicate_ppm = 100000,
                                         .reorder_ppm = 100000,
                                         .reorder_ns = 100000};
    unsigned long seeds = test_rounds(5);
    uint64_t first = test_seed(1);

    for (int fault = -1; fault < FAL_FAULT_COUNT; fault++)
        for (uint64_t seed = first; seed < first + seeds; seed++) {
            struct traffic t = flow(fault, 1 + (uint32_t)(seed % 3), rough, true, seed);

            if (t.completed[0] != POSTS || t.completed[1] < POSTS)
                ck_abort_msg("fault %d, TALON_SEED=%llu: %u and %u of %d completed", fault,
                             (unsigned long long)seed, t.completed[0], t.completed[1], POSTS);
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("traffic with faults");
    TCase *tc = tcase_create("faults");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, plain_traffic_flows_under_every_fault);
    tcase_add_test(tc, under_every_fault_a_rough_network_ends_in_peace);
    suite_add_tcase(suite, tc);
    return suite;
}
