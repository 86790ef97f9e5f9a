/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_engine.h"
#include "harness/cc/cc_judge.h"
#include "harness/cc/cc_traffic.h"
#include "oracles/catalogue.h"
#include "oracles/cc/cc_fault.h"
#include "tests/testing.h"

#include <string.h>

enum { EVENTS = 4000, EVENTS_OF_FAULT = 1000, ROUNDS = 3, ROUNDS_OF_READING = 1 };

/* A judged run of the model, perhaps with a fault. */
struct trial {
    uint64_t judged, outside;
    bool named; /* some result violates a requirement of the fault */
    struct tl_cc_finding first;
};

static void play(struct tl_cc_judge *judge, const char *name, uint64_t seed, unsigned round,
                 const char *requirement, struct trial *trial)
{
    struct fal_swift_params params;
    struct tl_cc_engine *engine;
    struct tl_cc_traffic traffic;
    struct tl_cc_line line = {.format = FAL_CC_TABLE_MSB};
    struct fal_error err = {{0}};

    fal_swift_params_default(&params);
    if (round > 0)
        tl_cc_traffic_params(seed + round, &params);
    line.params = params;
    ck_assert_msg(tl_cc_engine_open(&engine, name, FAL_CC_TABLE_MSB, &params, 1, &err) == 0,
                  "%s", err.text);
    tl_cc_traffic_begin(&traffic, seed + round, &params);
    for (uint64_t i = 0; i < (requirement != NULL ? EVENTS_OF_FAULT : test_rounds(EVENTS));
         i++) {
        struct tl_cc_finding finding;
        int rc;

        tl_cc_traffic_next(&traffic, &line);
        ck_assert_int_eq(tl_cc_engine_ask(engine, &line, &err), 0);
        rc = tl_cc_judge_line(judge, &line, &finding);
        ck_assert_int_ge(rc, 0);
        trial->judged++;
        if (rc == 0) {
            if (trial->outside++ == 0)
                trial->first = finding;
            trial->named |= requirement != NULL && finding.requirement != NULL &&
                            strstr(requirement, finding.requirement) != NULL;
        }
        tl_cc_traffic_result(&traffic, &line);
    }
    tl_cc_engine_close(engine);
}

/* `requirement`: ids with spaces between; or NULL. */
static struct trial judged(const char *name, uint64_t seed, const char *requirement,
                           unsigned rounds)
{
    struct tl_cc_judge *judge = tl_cc_judge_new(0);
    struct trial trial = {0};

    ck_assert_ptr_nonnull(judge);
    /* Of a fault one result is enough. */
    for (unsigned round = 0; round < rounds && !trial.named; round++)
        play(judge, name, seed, round, requirement, &trial);
    tl_cc_judge_free(judge);
    return trial;
}

/* Whether an engine gives another result than the model to some event. */
static bool differs(const char *name, uint64_t seed)
{
    struct fal_swift_params params;
    struct tl_cc_engine *engine, *model;
    struct tl_cc_traffic traffic;
    struct tl_cc_line line = {.format = FAL_CC_TABLE_MSB}, own;
    uint8_t bytes[2][FAL_CC_ENTRY_LEN] = {{0}};
    struct fal_error err = {{0}};
    bool other = false;

    tl_cc_traffic_params(seed + 1, &params);
    line.params = params;
    ck_assert_int_eq(tl_cc_engine_open(&engine, name, FAL_CC_TABLE_MSB, &params, 1, &err), 0);
    ck_assert_int_eq(tl_cc_engine_open(&model, "model", FAL_CC_TABLE_MSB, &params, 1, &err), 0);
    tl_cc_traffic_begin(&traffic, seed + 1, &params);
    for (unsigned i = 0; i < EVENTS && !other; i++) {
        tl_cc_traffic_next(&traffic, &line);
        own = line;
        ck_assert_int_eq(tl_cc_engine_ask(engine, &own, &err), 0);
        ck_assert_int_eq(tl_cc_engine_ask(model, &line, &err), 0);
        ck_assert_int_gt(
            fal_cc_encode(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_RESULT, &own.result, bytes[0], NULL),
            0);
        ck_assert_int_gt(
            fal_cc_encode(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_RESULT, &line.result, bytes[1], NULL),
            0);
        other = memcmp(bytes[0], bytes[1], FAL_CC_ENTRY_LEN) != 0;
        tl_cc_traffic_result(&traffic, &line);
    }
    tl_cc_engine_close(engine);
    tl_cc_engine_close(model);
    return other;
}

/* The model and the judge are two readings of 10.3 and 10.4 by two hands. */
START_TEST(the_model_is_inside_the_band)
{
    uint64_t seed = test_seed(281123);
    struct trial trial;

    trial = judged("model", seed, NULL, ROUNDS);
    ck_assert_msg(trial.outside == 0, "%s: %llu of %llu: %s %s", test_again(seed),
                  (unsigned long long)trial.outside, (unsigned long long)trial.judged,
                  trial.first.requirement != NULL ? trial.first.requirement : "",
                  trial.first.what);
}
END_TEST

/* The other readings, each alone and those of isekai together: the judge fails none, and each
 * shows itself. Not so two of them: events of this traffic state the count that an engine
 * counts by itself, and no average is 0. */
START_TEST(each_reading_of_the_model_is_inside_the_band)
{
    uint64_t seed = test_seed(281126);
    size_t n;
    const struct fal_cc_reading_row *readings = fal_cc_readings(&n);

    for (size_t i = 0; i <= n; i++) {
        char name[80];
        struct trial trial;

        (void)snprintf(name, sizeof name, "model:reading=%s",
                       i < n ? readings[i].name : "swift-isekai");
        trial = judged(name, seed, NULL, ROUNDS_OF_READING);
        ck_assert_msg(trial.outside == 0, "%s: %s: %llu of %llu: %s %s", test_again(seed), name,
                      (unsigned long long)trial.outside, (unsigned long long)trial.judged,
                      trial.first.requirement != NULL ? trial.first.requirement : "",
                      trial.first.what);
        ck_assert_msg(i == FAL_CC_READING_COUNTS_REPEATS || i == FAL_CC_READING_FIRST_SAMPLE ||
                          differs(name, seed),
                      "%s: %s: as the default", test_again(seed), name);
    }
}
END_TEST

/* The events of this traffic do not reach these mistakes, or no result shows them.
 * tests/rue_suite.sh detects them. */
static bool is_beyond(const char *fault)
{
    return strcmp(fault, "max-fcwnd-ignored") == 0 || strcmp(fault, "max-ncwnd-ignored") == 0 ||
           strcmp(fault, "reserved-bits-set") == 0;
}

START_TEST(each_fault_is_outside_and_its_requirement_is_named)
{
    uint64_t seed = test_seed(281124);
    size_t n;
    const struct fal_cc_fault *faults = fal_cc_faults(&n);

    for (size_t i = 0; i < n; i++) {
        char name[80], ids[160];
        struct trial trial;

        if (is_beyond(faults[i].name))
            continue;
        (void)snprintf(ids, sizeof ids, "%s %s %s", faults[i].requirement,
                       faults[i].also != NULL ? faults[i].also : "",
                       faults[i].by_judge != NULL ? faults[i].by_judge : "");

        ck_assert_ptr_nonnull(fal_requirement_find(faults[i].requirement));
        (void)snprintf(name, sizeof name, "model:fault=%s", faults[i].name);
        trial = judged(name, seed, ids, ROUNDS);
        ck_assert_msg(trial.outside > 0, "%s: %s is not detected", test_again(seed), name);
        ck_assert_msg(trial.named, "%s: %s: none of %llu results names %s; the first: %s %s",
                      test_again(seed), name, (unsigned long long)trial.outside, ids,
                      trial.first.requirement != NULL ? trial.first.requirement : "",
                      trial.first.what);
    }
}
END_TEST

START_TEST(events_depend_on_the_seed_alone)
{
    struct fal_swift_params params;
    struct tl_cc_traffic a, b;
    struct tl_cc_line one = {.now = 0}, two = {.now = 0};
    uint8_t a_bytes[FAL_CC_ENTRY_LEN], b_bytes[FAL_CC_ENTRY_LEN];

    fal_swift_params_default(&params);
    tl_cc_traffic_begin(&a, 7, &params);
    tl_cc_traffic_begin(&b, 7, &params);
    for (int i = 0; i < 100; i++) {
        tl_cc_traffic_next(&a, &one);
        tl_cc_traffic_next(&b, &two);
        ck_assert_int_gt(
            fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_EVENT, &one.event, a_bytes, NULL), 0);
        ck_assert_int_gt(
            fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_EVENT, &two.event, b_bytes, NULL), 0);
        ck_assert_mem_eq(a_bytes, b_bytes, sizeof a_bytes);
        fal_cc_unchanged(&one.event, &one.result);
        fal_cc_unchanged(&two.event, &two.result);
        tl_cc_traffic_result(&a, &one);
        tl_cc_traffic_result(&b, &two);
    }
}
END_TEST

START_TEST(drawn_parameters_are_within_their_ranges)
{
    uint64_t seed = test_seed(281125);
    struct fal_error err = {{0}};

    for (uint64_t i = 0; i < test_rounds(2000); i++) {
        struct fal_swift_params params;

        tl_cc_traffic_params(seed + i, &params);
        ck_assert_msg(fal_swift_params_check(&params, &err) == 0, "%s: %s", test_again(seed),
                      err.text);
    }
}
END_TEST

START_TEST(more_connections_than_are_kept_are_refused)
{
    struct tl_cc_judge *judge = tl_cc_judge_new(0);
    struct tl_cc_line line = {.keep = true};
    struct tl_cc_finding finding;
    int rc = 1;

    fal_swift_params_default(&line.params);
    ck_assert_ptr_nonnull(judge);
    for (uint32_t i = 0; i <= TL_CC_CONNECTIONS; i++) {
        line.event = (struct fal_cc_event){.connection_id = i, .fcwnd_integer = 1, .ncwnd = 1};
        fal_cc_unchanged(&line.event, &line.result);
        rc = tl_cc_judge_line(judge, &line, &finding);
        ck_assert_int_eq(rc == FAL_ERR_RANGE, i == TL_CC_CONNECTIONS);
    }
    tl_cc_judge_free(judge);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cc_judge");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_model_is_inside_the_band);
    tcase_add_test(tc, each_reading_of_the_model_is_inside_the_band);
    tcase_add_test(tc, each_fault_is_outside_and_its_requirement_is_named);
    tcase_add_test(tc, events_depend_on_the_seed_alone);
    tcase_add_test(tc, drawn_parameters_are_within_their_ranges);
    tcase_add_test(tc, more_connections_than_are_kept_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
