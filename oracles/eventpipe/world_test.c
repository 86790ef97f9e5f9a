/* SPDX-License-Identifier: Apache-2.0
 * world_test.c - runs of the random world: nothing is lost in them, and each planted bug and
 * variant changes the trace. TALON_TIMES multiplies the seeds. */
#include "oracles/eventpipe/ledger_testing.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 3000, FLOWS = 64 };

/* What a trace adds up to. */
struct sums {
    uint64_t hash;
    uint64_t sources[FLOWS][FAL_EP_KINDS], dropped[FLOWS][FAL_EP_KINDS];
    uint64_t merged[FLOWS], delivered[FLOWS], merged_bytes[FLOWS], delivered_bytes[FLOWS];
    enum fal_ep_state states[FAL_EP_SLICES_MAX];
    bool running[FLOWS];
    uint64_t written[FLOWS]; /* digest of the context */
    uint64_t overlaps, wrong_states, wrong_contexts, wrong_flows, seen[FAL_EP_WIRE + 1];
};

static void add_hash(struct sums *s, const struct fal_ep_event *e)
{
    const uint64_t words[] = {e->at_ns, e->point,    e->act,         e->kind,     e->flow,
                              e->slice, e->klass,    e->to,          e->seq,      e->last_seq,
                              e->bytes, e->rate_bps, e->rtt_request, e->digest,   e->count,
                              e->t3_ns, e->t2_ns,    e->occupancy,   e->processor};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        s->hash = (s->hash ^ words[i]) * UINT64_C(0x100000001b3);
}

static void take_run(struct sums *s, const struct fal_ep_event *e)
{
    if (e->act == FAL_EP_START) {
        s->overlaps += s->running[e->flow];
        s->delivered[e->flow] += e->count;
        s->delivered_bytes[e->flow] += e->bytes;
    }
    s->running[e->flow] = e->act == FAL_EP_START;
}

static void take(void *ctx, const struct fal_ep_event *e)
{
    struct sums *s = ctx;

    if (e->flow >= FLOWS) { /* an assertion here would write to a file for each line */
        s->wrong_flows++;
        return;
    }
    add_hash(s, e);
    s->seen[e->point]++;
    if (e->point == FAL_EP_SOURCE) {
        s->sources[e->flow][e->kind]++;
    } else if (e->point == FAL_EP_WRED) {
        s->dropped[e->flow][e->kind]++;
    } else if (e->point == FAL_EP_MERGE) {
        s->merged[e->flow]++;
        s->merged_bytes[e->flow] += e->bytes;
    } else if (e->point == FAL_EP_SLICE) {
        s->wrong_states += s->states[e->slice] != e->from;
        s->states[e->slice] = e->to;
    } else if (e->point == FAL_EP_CCP) {
        take_run(s, e);
    } else if (e->point == FAL_EP_CONTEXT) {
        s->wrong_contexts += e->act == FAL_EP_READ && e->digest != s->written[e->flow];
        s->written[e->flow] = e->digest;
    }
}

static struct fal_ep_counts play(struct sums *s, uint64_t seed, enum fal_ep_fault fault,
                                 uint32_t variants)
{
    const struct fal_ep_world_config config = {.seed = seed,
                                               .events = EVENTS,
                                               .fault = fault,
                                               .variants = variants,
                                               .trace = take,
                                               .ctx = s};
    struct fal_error err = {{0}};
    struct fal_ep_counts counts;

    memset(s, 0, sizeof *s);
    ck_assert_msg(fal_ep_world_run(&config, &counts, &err) == 0, "%s", err.text);
    return counts;
}

static uint64_t sum_of(const uint64_t kinds[FAL_EP_KINDS])
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < FAL_EP_KINDS; k++)
        sum += kinds[k];
    return sum;
}

/* Whether all events of the trace are accounted for. */
static bool whole(const struct sums *s)
{
    bool good = s->overlaps == 0 && s->wrong_states == 0 && s->wrong_contexts == 0 &&
                s->wrong_flows == 0;

    for (unsigned f = 0; f < FLOWS; f++)
        good = good && sum_of(s->sources[f]) == sum_of(s->dropped[f]) + s->merged[f] &&
               s->merged[f] == s->delivered[f] && s->merged_bytes[f] == s->delivered_bytes[f];
    for (unsigned i = 0; i < FAL_EP_SLICES_MAX; i++)
        good = good && s->states[i] == FAL_EP_IDLE;
    return good;
}

static struct sums a, b;

START_TEST(nothing_is_lost_without_a_fault)
{
    for (uint64_t seed = 1; seed <= test_rounds(2); seed++)
        for (unsigned v = 0; v <= FAL_EP_VARIANTS; v++) {
            uint32_t variants = v < FAL_EP_VARIANTS ? UINT32_C(1) << v : 0;

            (void)play(&a, seed, FAL_EP_SOUND, variants);
            ck_assert_msg(whole(&a), "seed %" PRIu64 ", variant %u", seed, v);
        }
}
END_TEST

START_TEST(a_run_has_all_that_the_model_can_do)
{
    const struct fal_ep_counts n = play(&a, 3, FAL_EP_SOUND, 0);

    for (unsigned p = 0; p <= FAL_EP_WIRE; p++)
        ck_assert_msg(a.seen[p] > 0, "point %u", p);
    ck_assert_uint_ge(n.sources, EVENTS);
    ck_assert_uint_gt(n.dropped, 50);
    ck_assert_uint_gt(n.merged, 30);
    ck_assert_uint_gt(n.overrides, 5);
    ck_assert_uint_gt(n.context_reloads, 5);
    ck_assert_uint_gt(n.context_news, 40);
}
END_TEST

START_TEST(a_seed_gives_one_trace)
{
    (void)play(&a, 7, FAL_EP_SOUND, 0);
    (void)play(&b, 7, FAL_EP_SOUND, 0);
    ck_assert_uint_eq(a.hash, b.hash);
    (void)play(&b, 8, FAL_EP_SOUND, 0);
    ck_assert_uint_ne(a.hash, b.hash);
}
END_TEST

START_TEST(each_fault_and_variant_changes_the_trace)
{
    (void)play(&a, 5, FAL_EP_SOUND, 0);
    for (unsigned f = 1; f < FAL_EP_FAULTS; f++) {
        (void)play(&b, 5, (enum fal_ep_fault)f, 0);
        ck_assert_msg(a.hash != b.hash, "%s", fal_ep_fault_rows[f].id);
    }
    for (unsigned v = 0; v < FAL_EP_VARIANTS; v++) {
        (void)play(&b, 5, FAL_EP_SOUND, UINT32_C(1) << v);
        ck_assert_msg(a.hash != b.hash, "%s", fal_ep_variant_rows[v].id);
    }
}
END_TEST

START_TEST(faults_that_lose_events_are_seen_in_the_sums)
{
    static const enum fal_ep_fault losing[] = {
        FAL_EP_MERGE_LOSES_BYTES,   FAL_EP_FIFO_LOSES_EVENT,     FAL_EP_CAM_STALE,
        FAL_EP_WAKEUP_LOST,         FAL_EP_MERGE_ACROSS_FLOWS,   FAL_EP_CONTEXT_STALE,
        FAL_EP_FW_OVERWRITTEN,      FAL_EP_EVICTION_LOSES_WRITE, FAL_EP_OVERRIDE_DROPS_MERGE,
        FAL_EP_RELEASE_FORGETS_MORE};

    for (size_t i = 0; i < sizeof losing / sizeof *losing; i++) {
        (void)play(&b, 5, losing[i], 0);
        ck_assert_msg(!whole(&b), "%s", fal_ep_fault_rows[losing[i]].id);
    }
}
END_TEST

/* ---- the books of each rule ---- */

static struct ledger ledger;

static void enter(void *ctx, const struct fal_ep_event *e)
{
    ledger_take(ctx, e);
}

static void keep_books(uint64_t seed, enum fal_ep_fault fault, uint32_t variants)
{
    const struct fal_ep_world_config config = {.seed = seed,
                                               .events = EVENTS,
                                               .fault = fault,
                                               .variants = variants,
                                               .trace = enter,
                                               .ctx = &ledger};
    struct fal_error err = {{0}};
    struct fal_ep_counts counts;

    ledger_begin(&ledger, &config);
    ck_assert_msg(fal_ep_world_run(&config, &counts, &err) == 0, "%s", err.text);
    ledger_end(&ledger);
}

START_TEST(the_books_of_each_rule_are_in_order_without_a_fault)
{
    for (uint64_t seed = 1; seed <= test_rounds(2); seed++)
        for (unsigned v = 0; v <= FAL_EP_VARIANTS; v++) {
            keep_books(seed, FAL_EP_SOUND, v < FAL_EP_VARIANTS ? UINT32_C(1) << v : 0);
            for (unsigned rule = 1; rule < LEDGER_RULES; rule++)
                ck_assert_msg(ledger.broken[rule] == 0, "EP%u, seed %" PRIu64 ", variant %u",
                              rule, seed, v);
        }
}
END_TEST

START_TEST(each_fault_shows_in_the_books_of_its_rule)
{
    for (unsigned f = 1; f < FAL_EP_FAULTS; f++) {
        unsigned rule = (unsigned)strtoul(fal_ep_fault_rows[f].rule + 2, NULL, 10);

        for (uint64_t seed = 5; seed < 5 + test_rounds(1); seed++) {
            keep_books(seed, (enum fal_ep_fault)f, 0);
            ck_assert_msg(ledger.broken[rule] > 0, "%s, seed %" PRIu64, fal_ep_fault_rows[f].id,
                          seed);
        }
    }
}
END_TEST

START_TEST(each_rule_has_a_fault)
{
    for (unsigned rule = 1; rule <= 13; rule++) {
        char id[8];
        unsigned found = 0;

        (void)snprintf(id, sizeof id, "EP%u", rule);
        for (unsigned f = 1; f < FAL_EP_FAULTS; f++)
            found += strcmp(fal_ep_fault_rows[f].rule, id) == 0;
        ck_assert_msg(found > 0, "%s", id);
    }
    ck_assert_uint_eq(fal_ep_row_find(fal_ep_fault_rows, FAL_EP_FAULTS, "cam-stale"),
                      FAL_EP_CAM_STALE);
    ck_assert_uint_eq(fal_ep_row_find(fal_ep_fault_rows, FAL_EP_FAULTS, "cam"), FAL_EP_FAULTS);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("world of an event pipeline");
    TCase *tc = tcase_create("world");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, nothing_is_lost_without_a_fault);
    tcase_add_test(tc, a_run_has_all_that_the_model_can_do);
    tcase_add_test(tc, a_seed_gives_one_trace);
    tcase_add_test(tc, each_fault_and_variant_changes_the_trace);
    tcase_add_test(tc, faults_that_lose_events_are_seen_in_the_sums);
    tcase_add_test(tc, the_books_of_each_rule_are_in_order_without_a_fault);
    tcase_add_test(tc, each_fault_shows_in_the_books_of_its_rule);
    tcase_add_test(tc, each_rule_has_a_fault);
    suite_add_tcase(suite, tc);
    return suite;
}
