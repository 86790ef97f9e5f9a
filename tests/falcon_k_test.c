/* SPDX-License-Identifier: Apache-2.0
 * falcon_k_test.c - K rules beside the rules of Falcon, on the same traffic: whatever breaks a
 * K rule breaks a rule of Falcon too, and conforming ends break no K rule. TALON_TIMES
 * multiplies the worlds, TALON_TELL=1 prints what was broken. */
#include "oracles/rules/transport/falcon_events.h"
#include "oracles/rules/transport/transport_judge.h"
#include "tests/testing.h"
#include "tests/world/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Worlds without a fault, and with one. */
enum { CONFORMING = 4, FAULTY = 6 };

struct beside {
    struct fal_falcon_events *events;
    struct fal_tp_judge *judges[FAL_FALCON_WINDOWS];
    struct fal_tally_row rows[FAL_K_RULES];
    struct fal_tally tally;
};

static void judge(void *ctx, enum fal_window window, const struct fal_tp_event *event)
{
    struct beside *b = ctx;

    ck_assert_int_eq(fal_tp_judge_event(b->judges[window], event), 0);
}

static void see(void *ctx, const struct fal_event *event)
{
    struct beside *b = ctx;

    ck_assert_int_eq(fal_falcon_events_take(b->events, event), 0);
}

static void run(struct world_config *config, struct beside *b, struct world_outcome *outcome)
{
    const struct fal_tp_view view = {.vantage = FAL_TP_MIDDLE, .complete = true};
    const struct fal_tp_row row = {.name = "falcon", .cumulative = true, .selective = true};
    const struct fal_falcon_events_sink sink = {judge, b};

    memset(b, 0, sizeof *b);
    b->tally.rules = fal_k_rules(&b->tally.num_rules);
    b->tally.rows = b->rows;
    b->events = fal_falcon_events_new(&sink);
    ck_assert_ptr_nonnull(b->events);
    for (unsigned w = 0; w < FAL_FALCON_WINDOWS; w++) {
        b->judges[w] = fal_tp_judge_new(&row, &view, &b->tally);
        ck_assert_ptr_nonnull(b->judges[w]);
    }
    config->recorder = (struct fal_recorder){see, b};
    ck_assert_int_eq(world_run(config, outcome), 0);
    for (unsigned w = 0; w < FAL_FALCON_WINDOWS; w++) {
        fal_tp_judge_end(b->judges[w], 0);
        fal_tp_judge_free(b->judges[w]);
    }
    fal_falcon_events_free(b->events);
}

/* The first rule that was broken, FAL_K_RULES: none. */
static unsigned first_broken(const struct beside *b)
{
    unsigned k = 0;

    while (k < FAL_K_RULES && b->rows[k].broken == 0)
        k++;
    return k;
}

START_TEST(conforming_ends_break_no_k_rule)
{
    const uint64_t seed = test_seed(1);
    uint64_t held[FAL_K_RULES] = {0};

    for (uint64_t i = 0; i < test_rounds(CONFORMING); i++) {
        struct world_config config = {.seed = seed + i, .clean = i % 4 == 0};
        static struct beside b;
        static struct world_outcome outcome;
        unsigned k;

        world_draw_twins(&config);
        run(&config, &b, &outcome);
        k = first_broken(&b);
        ck_assert_msg(k == FAL_K_RULES, "%s: %s\n%s", b.tally.rules[k % FAL_K_RULES].id,
                      b.rows[k % FAL_K_RULES].findings[0].what, test_again(seed + i));
        for (k = 0; k < FAL_K_RULES; k++)
            held[k] += b.rows[k].held;
    }
    if (test_stride() > 1)
        return; /* A part of the worlds may have no copies. */
    ck_assert_uint_gt(held[FAL_K3], 1000);
    ck_assert_uint_gt(held[FAL_K7], 10);
}
END_TEST

/* Each fault in turn; the first ones drawn are spread over the list. */
START_TEST(a_k_rule_is_broken_only_with_one_of_falcon)
{
    const uint64_t seed = test_seed(1);
    unsigned broken[FAL_K_RULES + 1] = {0};

    for (uint64_t i = 0; i < test_rounds(FAULTY); i++) {
        struct world_config config = {.seed = seed + i};
        const unsigned fault = (unsigned)((seed + i) * 97 % FAL_FAULT_COUNT);
        static struct beside b;
        static struct world_outcome outcome;
        unsigned k;

        fal_fault_add(&config.faults, (enum fal_fault_id)fault);
        run(&config, &b, &outcome);
        k = first_broken(&b);
        broken[k]++;
        if (k == FAL_K_RULES)
            continue;
        ck_assert_msg(outcome.num_kills > 0 || outcome.verdict >= FAL_VERDICT_FAIL,
                      "fault %u, seed %" PRIu64 ": %s: %s; no rule of Falcon", fault,
                      config.seed, b.tally.rules[k].id, b.rows[k].findings[0].what);
    }
    if (getenv("TALON_TELL") != NULL)
        printf("worlds in which a fault broke K3: %u, K7: %u, another: %u, none: %u\n",
               broken[FAL_K3], broken[FAL_K7],
               (unsigned)test_rounds(FAULTY) - broken[FAL_K3] - broken[FAL_K7] -
                   broken[FAL_K_RULES],
               broken[FAL_K_RULES]);
}
END_TEST

/* Faults that K rules surely see: they are not blind on Falcon. */
START_TEST(known_faults_break_their_k_rule)
{
    static const struct {
        const char *fault;
        enum fal_k_rule rule;
    } known[] = {{"acks-unsent", FAL_K3}, {"retransmit-payload-changed", FAL_K7}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct world_config config = {.seed = 1};
        static struct beside b;
        static struct world_outcome outcome;
        const int fault = fal_fault_find(known[i].fault);

        ck_assert_int_ge(fault, 0);
        fal_fault_add(&config.faults, (enum fal_fault_id)fault);
        run(&config, &b, &outcome);
        ck_assert_msg(b.rows[known[i].rule].broken > 0, "%s", known[i].fault);
        ck_assert_uint_gt(outcome.num_kills, 0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("falcon_k");
    TCase *tc = tcase_create("falcon_k");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, conforming_ends_break_no_k_rule);
    tcase_add_test(tc, a_k_rule_is_broken_only_with_one_of_falcon);
    tcase_add_test(tc, known_faults_break_their_k_rule);
    suite_add_tcase(suite, tc);
    return suite;
}
