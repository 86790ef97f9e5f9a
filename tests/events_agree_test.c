/* SPDX-License-Identifier: Apache-2.0
 * events_agree_test.c - the rules of event pipelines judge the model (oracles/eventpipe), which
 * was written apart from them: each planted bug is found by the rule that it names, no variant
 * gives a finding, nor does a model without a bug. TALON_TIMES=50 plays a million events of the
 * last. */
#include "oracles/eventpipe/faults.h"
#include "oracles/eventpipe/world.h"
#include "oracles/rules/eventpipe/ep_judge.h"
#include "tests/testing.h"

#include <inttypes.h>

/* A world is at rest at its end, and no time passes between a queue and its slice. */
static struct fal_ep_judge *judge_world(struct fal_ep_world_config *config)
{
    struct fal_ep_setup setup = fal_ep_world_setup(config);
    struct fal_ep_judge *judge;
    struct fal_ep_counts counts;
    struct fal_error err = {{0}};

    setup.ends_at_rest = true;
    setup.pipeline_ns = 1;
    judge = fal_ep_judge_new(&setup);
    ck_assert_ptr_nonnull(judge);
    config->ctx = judge;
    ck_assert_msg(fal_ep_world_run(config, &counts, &err) == 0, "%s", err.text);
    fal_ep_judge_end(judge);
    return judge;
}

static uint64_t lines;

static void put(void *ctx, const struct fal_ep_event *event)
{
    struct fal_ep_event numbered = *event;

    numbered.number = ++lines;
    fal_ep_judge_event(ctx, &numbered);
}

static void ck_silent(const struct fal_tally *tally, const char *name, uint64_t seed)
{
    for (size_t i = 0; i < tally->num_rules; i++)
        ck_assert_msg(tally->rows[i].num_findings == 0,
                      "%s: %s: line %" PRIu64 ": %s (and %" PRIu64 " more); %s", name,
                      tally->rules[i].id, tally->rows[i].findings[0].number,
                      tally->rows[i].findings[0].what, tally->rows[i].broken, test_again(seed));
}

START_TEST(a_model_without_a_bug_gives_no_finding)
{
    uint64_t seed = test_seed(1);

    for (unsigned long round = 0; round < test_rounds(1); round++) {
        struct fal_ep_world_config config = {
            .seed = seed + round, .events = 20000, .trace = put};
        struct fal_ep_judge *judge = judge_world(&config);
        const struct fal_tally *tally = fal_ep_judge_tally(judge);

        ck_silent(tally, "no bug", config.seed);
        for (size_t i = 0; i < tally->num_rules; i++)
            ck_assert_msg(tally->rows[i].held > 0, "%s never held; %s", tally->rules[i].id,
                          test_again(config.seed));
        fal_ep_judge_free(judge);
    }
}
END_TEST

START_TEST(each_bug_is_found_by_its_rule)
{
    const struct fal_ep_row *bug = &fal_ep_fault_rows[_i];
    struct fal_ep_world_config config = {
        .seed = test_seed(1), .events = 8000, .fault = (enum fal_ep_fault)_i, .trace = put};
    struct fal_ep_judge *judge = judge_world(&config);
    const struct fal_tally *tally = fal_ep_judge_tally(judge);
    size_t rule = fal_tally_rule_of(tally, bug->rule);

    ck_assert_msg(rule < tally->num_rules && tally->rows[rule].broken > 0,
                  "%s: %s finds nothing; %s", bug->id, bug->rule, test_again(config.seed));
    fal_ep_judge_free(judge);
}
END_TEST

START_TEST(no_variant_gives_a_finding)
{
    struct fal_ep_world_config config = {
        .seed = test_seed(1), .events = 4000, .variants = 1U << _i, .trace = put};
    struct fal_ep_judge *judge = judge_world(&config);

    ck_silent(fal_ep_judge_tally(judge), fal_ep_variant_rows[_i].id, config.seed);
    fal_ep_judge_free(judge);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event pipelines: rules and model");
    TCase *tc = tcase_create("agree");

    tcase_add_test(tc, a_model_without_a_bug_gives_no_finding);
    tcase_add_loop_test(tc, each_bug_is_found_by_its_rule, FAL_EP_SOUND + 1, FAL_EP_FAULTS);
    tcase_add_loop_test(tc, no_variant_gives_a_finding, 0, FAL_EP_VARIANTS);
    tcase_set_timeout(tc, 600);
    suite_add_tcase(suite, tc);
    return suite;
}
