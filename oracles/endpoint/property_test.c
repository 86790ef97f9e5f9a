/* SPDX-License-Identifier: Apache-2.0
 * property_test.c - random runs of traffic_testing.h: loss to 30 %, duplication, heavy
 * reordering, corruption, numbers that wrap, ordered and unordered connections, every legal
 * twin on either end. */
#include "oracles/endpoint/rig/traffic_draw_testing.h"
#include "tests/allocator.h"

#include <stdio.h>

enum {
    SEEDS = 4000,
    SEEDS_OF_TOOLS = 500, /* under valgrind and sanitizers, which take their time */
    TRACED = 200,
    CONN_IDLE_BYTES = 4096,
    QUEUE_BYTES = 4 << 20,
    TXN_BYTES = 1024
};

/* The memory that the endpoints may use at most: the payload of all open transactions, and a
 * fixed amount for each transaction, connection and queue. */
static size_t bound(const struct traffic *t)
{
    size_t bytes = QUEUE_BYTES;

    for (unsigned k = 0; k < 2 * t->num_conns; k++) {
        const struct traffic_side *own = &t->conns[k / 2].sides[k % 2];

        bytes += CONN_IDLE_BYTES;
        for (unsigned n = 0; n < own->num; n++)
            bytes += 4 * (own->txns[n].length + (size_t)TXN_BYTES);
    }
    return bytes;
}

static uint64_t run_seed(uint64_t seed)
{
    struct traffic *t = calloc(1, sizeof *t);
    bool counted = allocator_in_charge();
    size_t before = allocator.bytes;
    long blocks = allocator.blocks;
    uint64_t trace;

    ck_assert_ptr_nonnull(t);
    traffic_draw(t, seed);
    traffic_open(t);
    allocator.most = allocator.bytes;
    traffic_run(t);
    TRAFFIC_HOLD(t, !counted || allocator.most - before <= bound(t));
    trace = t->trace;
    traffic_free(t);
    TRAFFIC_HOLD(t, !counted || allocator.blocks == blocks); /* all was given back */
    free(t);
    return trace;
}

START_TEST(every_transaction_completes_exactly_once_over_a_bad_network)
{
    uint64_t first = test_seed(1);
    unsigned long rounds = test_rounds(allocator_in_charge() ? SEEDS : SEEDS_OF_TOOLS);

    if (getenv("TALON_SEED") != NULL)
        rounds = 1;
    for (unsigned long i = 0; i < rounds; i++)
        (void)run_seed(first + i);
}
END_TEST

/* With TALON_TRACE, to hold compilers and sanitizers against each other (.ci/run). */
START_TEST(so_many_seeds_have_one_trace)
{
    uint64_t trace = 0;

    for (uint64_t seed = 1; seed <= TRACED; seed++)
        trace = trace * 31 + run_seed(seed);
    if (getenv("TALON_TRACE") != NULL)
        printf("trace of seeds 1..%d: %016llx\n", TRACED, (unsigned long long)trace);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_trace)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ck_assert_uint_eq(run_seed(seed), run_seed(seed));
        ck_assert_uint_ne(run_seed(seed), run_seed(seed + 1));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("endpoint properties");
    TCase *tc = tcase_create("properties"), *traces = tcase_create("traces");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, every_transaction_completes_exactly_once_over_a_bad_network);
    tcase_add_test(tc, the_same_seed_gives_the_same_trace);
    suite_add_tcase(suite, tc);
    tcase_set_timeout(traces, 0);
    tcase_add_test(traces, so_many_seeds_have_one_trace);
    suite_add_tcase(suite, traces);
    return suite;
}
