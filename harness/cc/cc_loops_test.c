/* SPDX-License-Identifier: Apache-2.0
 * cc_loops_test.c - many random events: the judge fails the model under no reading.
 * TALON_TIMES=1 plays one event in a hundred; `TALON_TIMES=100` plays them all: a million
 * events by default, a million of each reading by itself, a million of 1,000 combinations of
 * readings. */
#include "harness/cc/cc_engine.h"
#include "harness/cc/cc_judge.h"
#include "harness/cc/cc_traffic.h"
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

enum { EVENTS = 1000, RUNS = 10 /* of EVENTS events: a hundredth of a million */ };

struct loop {
    const char *what;
    uint64_t seed, runs, events;
};

/* A run of the model with that name. The first parameters are the defaults. */
static void play(struct loop *loop, const char *name)
{
    uint64_t seed = loop->seed + loop->runs;
    struct tl_cc_judge *judge = tl_cc_judge_new((uint32_t)(seed % 3));
    struct tl_cc_line line = {.format = FAL_CC_TABLE_MSB};
    struct fal_error err = {{0}};
    struct tl_cc_engine *engine;
    struct tl_cc_traffic traffic;

    fal_swift_params_default(&line.params);
    if (loop->runs++ > 0)
        tl_cc_traffic_params(seed, &line.params);
    ck_assert_ptr_nonnull(judge);
    ck_assert_msg(tl_cc_engine_open(&engine, name, FAL_CC_TABLE_MSB, &line.params, 1, &err) ==
                      0,
                  "%s", err.text);
    tl_cc_traffic_begin(&traffic, seed, &line.params);
    for (int i = 0; i < EVENTS; i++) {
        struct tl_cc_finding finding;

        tl_cc_traffic_next(&traffic, &line);
        ck_assert_int_eq(tl_cc_engine_ask(engine, &line, &err), 0);
        ck_assert_msg(tl_cc_judge_line(judge, &line, &finding) == 1,
                      "%s: %s, run %llu, event %d: %s %s", test_again(loop->seed), name,
                      (unsigned long long)loop->runs, i,
                      finding.requirement != NULL ? finding.requirement : "", finding.what);
        tl_cc_traffic_result(&traffic, &line);
        loop->events++;
    }
    tl_cc_engine_close(engine);
    tl_cc_judge_free(judge);
}

static void print(const struct loop *loop)
{
    printf("# %s: seed %llu, %llu runs, %llu events inside the band\n", loop->what,
           (unsigned long long)loop->seed, (unsigned long long)loop->runs,
           (unsigned long long)loop->events);
}

START_TEST(the_model_is_inside_the_band)
{
    struct loop loop = {.what = "the model", .seed = test_seed(301126)};

    for (uint64_t i = 0; i < test_rounds(RUNS); i++)
        play(&loop, "model");
    print(&loop);
}
END_TEST

START_TEST(each_reading_is_inside_the_band)
{
    struct loop loop = {.what = "each reading", .seed = test_seed(301127)};
    size_t n;
    const struct fal_cc_reading_row *readings = fal_cc_readings(&n);
    char name[80];

    for (size_t i = 0; i <= n; i++) {
        (void)snprintf(name, sizeof name, "model:reading=%s",
                       i < n ? readings[i].name : "swift-isekai");
        for (uint64_t run = 0; run < test_rounds(RUNS); run++)
            play(&loop, name);
    }
    print(&loop);
}
END_TEST

/* Pairs that no engine can have together, or that no reading of the specification gives: one
 * target has one rounding; a gap that grows has the unit and the form that it had. */
static bool is_possible(fal_cc_reading_set set)
{
    static const fal_cc_reading_set apart[] = {
        1U << FAL_CC_READING_TARGET_TRUNCATED | 1U << FAL_CC_READING_TARGET_ROUNDED,
        1U << FAL_CC_READING_GAP_GROWS | 1U << FAL_CC_READING_GAP_LESS_RTT,
        1U << FAL_CC_READING_GAP_GROWS | 1U << FAL_CC_READING_GAP_WHEEL,
    };

    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        if ((set & apart[i]) == apart[i])
            return false;
    return true;
}

/* Each reading in one of two, or one of eight, combinations. */
static void draw(struct fal_rng *rng, char *name, size_t size)
{
    size_t n;
    const struct fal_cc_reading_row *readings = fal_cc_readings(&n);
    fal_cc_reading_set set;
    size_t len;

    do {
        uint64_t seldom = fal_rng_below(rng, 2) == 0 ? 2 : 8;

        set = 0;
        for (size_t i = 0; i < n; i++)
            if (fal_rng_below(rng, seldom) == 0)
                set |= 1U << i;
    } while (set == 0 || !is_possible(set));
    len = (size_t)snprintf(name, size, "model:reading=");
    for (size_t i = 0; i < n; i++)
        if ((set >> i & 1) != 0)
            len += (size_t)snprintf(name + len, size - len, "%s%s",
                                    name[len - 1] == '=' ? "" : ",", readings[i].name);
    ck_assert_uint_lt(len, size);
}

START_TEST(combinations_of_readings_are_inside_the_band)
{
    struct loop loop = {.what = "combinations of readings", .seed = test_seed(301128)};
    struct fal_rng rng = fal_rng_split(loop.seed, 1);
    char name[500];

    for (uint64_t i = 0; i < test_rounds(RUNS); i++) {
        draw(&rng, name, sizeof name);
        play(&loop, name);
    }
    print(&loop);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("many events of the model");
    TCase *tc = tcase_create("loops");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, the_model_is_inside_the_band);
    tcase_add_test(tc, each_reading_is_inside_the_band);
    tcase_add_test(tc, combinations_of_readings_are_inside_the_band);
    suite_add_tcase(suite, tc);
    return suite;
}
