/* SPDX-License-Identifier: Apache-2.0
 * soak_test.c - no false alarm, no blindness: random traffic over bad simulated networks,
 * judged. */
#include "oracles/rules/judge/unexercised_testing.h"
#include "tests/testing.h"
#include "tests/world/world.h"
#include "tests/world/world_trials.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* TALON_TIMES=4 makes them four times as many; `make soak` plays any number. */
enum {
    SEEDS = 600,
    VIEWS = 400,
    FAULT_SEEDS = 300,
    SWIFT_SEEDS = 100,
    VERBS_SEEDS = 60,
    NVME_SEEDS = 100,
    NVME_VIEWS = 50
};

static void run(uint64_t seed, bool clean, int fault, struct world_outcome *outcome)
{
    struct world_config config = {.seed = seed, .clean = clean};

    if (fault < 0)
        world_draw_twins(&config);
    else
        fal_fault_add(&config.faults, (enum fal_fault_id)fault);
    ck_assert_int_eq(world_run(&config, outcome), 0);
}

/* How to see a world again. */
static const char *again(uint64_t seed, char text[120])
{
    (void)snprintf(text, 120, "again: build/tests/soak --twins random --seed %" PRIu64 "%s",
                   seed, seed % 4 == 0 ? " --clean" : "");
    return text;
}

START_TEST(lawful_traffic_over_bad_networks_never_fails)
{
    uint64_t first = test_seed(1);
    uint64_t exercised[FAL_RULES_MAX] = {0};
    char command[120];
    size_t num_rules;
    const struct fal_rule *const *rules = fal_rules(&num_rules);

    for (uint64_t seed = first; seed < first + test_rounds(SEEDS); seed++) {
        struct world_outcome outcome;

        run(seed, seed % 4 == 0, -1, &outcome);
        ck_assert_msg(outcome.verdict < FAL_VERDICT_FAIL, "%s: verdict %s: %s",
                      again(seed, command), fal_verdict_name(outcome.verdict), outcome.why);
        ck_assert_msg(!outcome.suspect, "%s: an excuse is suspect", again(seed, command));
        ck_assert_msg(!outcome.stuck, "%s: did not get quiet", again(seed, command));
        ck_assert_msg(outcome.completed == outcome.posted,
                      "%s: %" PRIu64 " of %" PRIu64 " completed", again(seed, command),
                      outcome.completed, outcome.posted);
        for (size_t i = 0; i < num_rules; i++)
            exercised[i] += outcome.exercised[i];
    }
    for (size_t i = 0; i < num_rules && first == 1 && test_rounds(SEEDS) >= SEEDS; i++)
        ck_assert_msg(exercised[i] > 0 || unexercised(rules[i]->id, IN_SOAK),
                      "rule %s was never decided", rules[i]->id);
}
END_TEST

/* From any vantage, from any time on, with packets missed, without events, with late ones. */
static void look_on(unsigned views, unsigned trials, const char *options)
{
    uint64_t first = test_seed(1);

    for (uint64_t seed = first; seed < first + test_rounds(views); seed++) {
        struct world_config config = {.seed = seed, .clean = seed % 4 == 0, .trials = trials};
        struct world_outcome outcome;
        char command[120];

        world_draw_twins(&config);
        world_draw_view(&config);
        ck_assert_int_eq(world_run(&config, &outcome), 0);
        if ((config.trials & WORLD_TESTER_ERRS) != 0)
            outcome.verdict = outcome.sut;
        ck_assert_msg(outcome.verdict < FAL_VERDICT_FAIL, "%s%s --views: verdict %s: %s",
                      again(seed, command), options, fal_verdict_name(outcome.verdict),
                      outcome.why);
    }
}

START_TEST(whoever_looks_on_sees_nothing_that_fails)
{
    look_on(VIEWS, 0, "");
}
END_TEST

START_TEST(whoever_looks_on_at_nvme_sees_nothing_that_fails)
{
    look_on(NVME_VIEWS, WORLD_NVME, " --nvme");
}
END_TEST

/* Both ends run on Swift and PLB with parameters and readings of their own, and the SUT shows
 * its queues: no variant and no network makes a rule fail (chapter 10). */
START_TEST(swift_on_both_ends_never_fails)
{
    static const char *const decided[] = {"Q1", "Q2", "Q3", "Q4", "Q5", "Q8"};
    uint64_t first = test_seed(1), exercised[FAL_RULES_MAX] = {0};
    size_t num_rules;
    const struct fal_rule *const *rules = fal_rules(&num_rules);

    for (uint64_t seed = first; seed < first + test_rounds(SWIFT_SEEDS); seed++) {
        struct world_config config = {.seed = seed, .clean = seed % 4 == 0};
        struct world_outcome outcome;

        config.trials = WORLD_SWIFT | (seed % 3 != 0 ? WORLD_SEALS : 0);
        world_draw_twins(&config);
        ck_assert_int_eq(world_run(&config, &outcome), 0);
        ck_assert_msg(outcome.sut < FAL_VERDICT_FAIL,
                      "again: build/tests/soak --twins random --trials %u --seed %" PRIu64
                      "%s: verdict %s: %s",
                      config.trials, seed, config.clean ? " --clean" : "",
                      fal_verdict_name(outcome.sut), outcome.why);
        for (size_t i = 0; i < num_rules; i++)
            exercised[i] += outcome.exercised[i];
    }
    for (size_t i = 0; i < num_rules; i++)
        for (size_t k = 0; k < sizeof decided / sizeof *decided; k++)
            ck_assert_msg(exercised[i] > 0 || strcmp(rules[i]->id, decided[k]) != 0 ||
                              test_rounds(SWIFT_SEEDS) < SWIFT_SEEDS,
                          "rule %s was never decided", rules[i]->id);
}
END_TEST

/* Random programs of RDMA verbs: RC and UD, all operations, shared receive queues, all modes,
 * errors, shared memory, over networks that lose, duplicate and reorder, with variants at both
 * ends. `build/tests/soak --verbs` plays any number. */
START_TEST(random_programs_of_verbs_never_fail)
{
    static const char *const decided[] = {"V1",  "V2",  "V3",  "V4",  "V5",  "V6",
                                          "V7",  "V8",  "V9",  "V11", "V12", "V13",
                                          "V14", "V15", "V19", "V25", "V26"};
    uint64_t first = test_seed(1), exercised[FAL_RULES_MAX] = {0};
    size_t num_rules;
    const struct fal_rule *const *rules = fal_rules(&num_rules);

    for (uint64_t seed = first; seed < first + test_rounds(VERBS_SEEDS); seed++) {
        struct world_config config = {
            .seed = seed, .clean = seed % 4 == 0, .trials = WORLD_VERBS};
        struct world_outcome outcome;
        char command[120];

        world_draw_twins(&config);
        ck_assert_int_eq(world_run(&config, &outcome), 0);
        ck_assert_msg(outcome.verdict < FAL_VERDICT_FAIL, "%s --verbs: verdict %s: %s",
                      again(seed, command), fal_verdict_name(outcome.verdict), outcome.why);
        ck_assert_msg(!outcome.stuck && outcome.completed == outcome.posted,
                      "%s --verbs: %" PRIu64 " of %" PRIu64 " completed", again(seed, command),
                      outcome.completed, outcome.posted);
        for (size_t i = 0; i < num_rules; i++)
            exercised[i] += outcome.exercised[i];
    }
    for (size_t i = 0; i < num_rules && test_rounds(VERBS_SEEDS) >= VERBS_SEEDS; i++)
        for (size_t k = 0; k < sizeof decided / sizeof *decided; k++)
            ck_assert_msg(exercised[i] > 0 || strcmp(rules[i]->id, decided[k]) != 0,
                          "rule %s was never decided", rules[i]->id);
}
END_TEST

/* Random programs of NVMe commands of both ends: block sizes, protection, encryption, split
 * commands, rows that move, devices that hold commands or fail, over such networks, with
 * variants at both ends. `build/tests/soak --nvme` plays any number. Every command completes,
 * and every rule about NVMe is decided. */
START_TEST(random_programs_of_nvme_never_fail)
{
    uint64_t first = test_seed(1), exercised[FAL_RULES_MAX] = {0};
    size_t num_rules;
    const struct fal_rule *const *rules = fal_rules(&num_rules);

    for (uint64_t seed = first; seed < first + test_rounds(NVME_SEEDS); seed++) {
        struct world_config config = {
            .seed = seed, .clean = seed % 4 == 0, .trials = WORLD_NVME};
        struct world_outcome outcome;
        char command[120];

        world_draw_twins(&config);
        ck_assert_int_eq(world_run(&config, &outcome), 0);
        ck_assert_msg(outcome.verdict < FAL_VERDICT_FAIL, "%s --nvme: verdict %s: %s",
                      again(seed, command), fal_verdict_name(outcome.verdict), outcome.why);
        ck_assert_msg(outcome.posted > 0 && world_all_done(&outcome),
                      "%s --nvme: %" PRIu64 " of %" PRIu64 " completed", again(seed, command),
                      outcome.completed, outcome.posted);
        for (size_t i = 0; i < num_rules; i++)
            exercised[i] += outcome.exercised[i];
    }
    for (size_t i = 0; i < num_rules && first == 1 && test_rounds(NVME_SEEDS) >= NVME_SEEDS;
         i++)
        ck_assert_msg(exercised[i] > 0 || unexercised(rules[i]->id, IN_NVME),
                      "rule %s was never decided", rules[i]->id);
}
END_TEST

/* Each rule has a fault of its own that it alone, on random traffic, brings to light. */
static const struct {
    const char *rule, *fault;
} proofs[] = {
    {"R1", "rx-bitmap-shifted"},    {"R2", "eack-bit0-set"},
    {"R3", "base-goes-back"},       {"R7", "ack-before-ulp"},
    {"O1", "own-never-cleared"},    {"X1", "retransmit-new-psn"},
    {"X2", "psn-skipped"},          {"U1", "payload-corrupted"},
    {"U2", "duplicate-delivered"},  {"N1", "ack-before-ulp"},
    {"N2", "cie-nack-wrong-code"},  {"N3", "duplicate-delivered"},
    {"RN1", "rnr-timeout-ignored"}, {"RN2", "retransmit-new-psn"},
    {"RN5", "delivery-unordered"},  {"S1", "resync-wrong-psn"},
    {"S2", "resync-wrong-psn"},     {"S4", "resync-wrong-psn"},
    {"S5", "resync-wrong-psn"},     {"U3", "delivery-unordered"},
    {"U5", "delivery-lost"},        {"U6", "coalescing-never"},
    {"C1", "completion-doubled"},   {"C2", "completion-unordered"},
    {"C3", "resync-wrong-psn"},     {"L1", "reserved-bits-set"},
    {"R4", "rx-bitmap-shifted"},    {"R5", "rx-bitmap-shifted"},
    {"R6", "eack-omitted-on-hole"}, {"O2", "own-never-set"},
    {"A2", "coalescing-never"},     {"A3", "ar-ignored"},
    {"A4", "coalescing-never"},     {"A5", "duplicate-delivered"},
    {"X4", "retransmit-new-psn"},   {"X5", "retransmit-new-psn"},
    {"X6", "resync-wrong-psn"},     {"E1", "recency-ignored"},
};

START_TEST(each_rule_is_broken_by_its_fault)
{
    size_t num_rules, rule = 0;
    const struct fal_rule *const *rules = fal_rules(&num_rules);
    int fault = fal_fault_find(proofs[_i].fault);
    bool caught = false;

    if ((unsigned long)_i % test_stride() != 0)
        return;
    ck_assert_int_ge(fault, 0);
    while (rule < num_rules && strcmp(rules[rule]->id, proofs[_i].rule) != 0)
        rule++;
    ck_assert_uint_lt(rule, num_rules);
    for (uint64_t seed = 1; seed <= FAULT_SEEDS && !caught; seed++) {
        struct world_outcome outcome;

        run(seed, seed % 2 == 0, fault, &outcome);
        caught = outcome.broken[rule];
    }
    ck_assert_msg(caught, "%s does not catch %s in %d seeds", proofs[_i].rule, proofs[_i].fault,
                  FAULT_SEEDS);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("soak");
    TCase *tc = tcase_create("soak");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, lawful_traffic_over_bad_networks_never_fails);
    tcase_add_test(tc, whoever_looks_on_sees_nothing_that_fails);
    tcase_add_test(tc, whoever_looks_on_at_nvme_sees_nothing_that_fails);
    tcase_add_test(tc, swift_on_both_ends_never_fails);
    tcase_add_test(tc, random_programs_of_verbs_never_fail);
    tcase_add_test(tc, random_programs_of_nvme_never_fail);
    tcase_add_loop_test(tc, each_rule_is_broken_by_its_fault, 0,
                        (int)(sizeof proofs / sizeof *proofs));
    suite_add_tcase(suite, tc);
    return suite;
}
