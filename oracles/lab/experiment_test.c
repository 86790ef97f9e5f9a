/* SPDX-License-Identifier: Apache-2.0
 * experiment_test.c - the experiments: within their bands for many seeds, near the values of
 * another model, and outside a band when Swift or PLB is out of order. */
#include "oracles/lab/bench.h"
#include "tests/testing.h"

#define RATE (100 * UINT64_C(1000000000))

enum { SEEDS = 5 };

static struct fal_lab_outcome played(const char *name, const struct fal_swift_params *params,
                                     bool plb, uint64_t seed)
{
    const struct fal_lab_experiment *e = fal_lab_experiment_find(name);
    struct fal_lab_ask ask;
    struct fal_lab_outcome out;
    struct fal_swift swift;

    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(fal_swift_init(&swift, params, plb, NULL), 0);
    ask = fal_lab_ask_of(e, e->cases[0]);
    ask.seed = seed;
    ask.rate_bps = RATE;
    ask.swift = &swift;
    ask.time_ps = e->time_ps(&ask);
    ck_assert_int_eq(e->run(&ask, &out), 0);
    return out;
}

START_TEST(experiments_are_within_their_bands_for_many_seeds)
{
    static const char *const names[] = {"join-leave", "staircase", "slow-receiver",
                                        "mixed-rtt"};
    struct fal_swift_params params;

    fal_swift_params_default(&params);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (uint64_t k = 0; k < test_rounds(SEEDS); k++) {
            uint64_t seed = test_seed(1) + k;
            struct fal_lab_outcome out = played(names[i], &params, true, seed);

            for (unsigned v = 0; v < out.n_values; v++)
                ck_assert_msg(!fal_lab_outside(&out.values[v]), "%s, %s: %s is %ld/1000",
                              names[i], test_again(seed), out.values[v].name,
                              (long)out.values[v].milli);
        }
}
END_TEST

/* Another model has 0.53 after 0.6 ms, and 0.9 of the rate 0.2 ms after the leave; and a first
 * new path after 0.64 ms. */
START_TEST(values_are_those_of_another_model)
{
    static const struct {
        const char *experiment, *value;
        int64_t least, most;
    } rows[] = {
        {"join-leave", "equal shares after joining", 200000, 800000},
        {"join-leave", "0.9 of the rate after leaving", 0, 200000},
        {"plb", "first draw, latest", 600000, 700000},
        {"plb", "runs with draw 1", 20000, 20000},
    };
    struct fal_swift_params params;

    fal_swift_params_default(&params);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_lab_outcome out = played(rows[i].experiment, &params, true, test_seed(1));
        const struct fal_lab_value *value = fal_lab_value_find(&out, rows[i].value);

        ck_assert_ptr_nonnull(value);
        ck_assert_msg(value->milli >= rows[i].least && value->milli <= rows[i].most,
                      "%s: %s is %ld/1000", rows[i].experiment, rows[i].value,
                      (long)value->milli);
    }
}
END_TEST

/* A band that nothing leaves would say nothing: each is left for a mistake. */
START_TEST(a_mistake_leaves_the_band)
{
    static const struct {
        const char *experiment, *value, *param;
        double number;
        bool plb;
    } rows[] = {
        {"join-leave", "equal shares after joining", "fabric_additive_increment", 0.05, true},
        {"join-leave", "smallest share after 2 ms", "fabric_additive_increment", 0.05, true},
        {"join-leave", "0.9 of the rate after leaving", "max_fcwnd", 20, true},
        {"join-leave", "utilisation", "max_fcwnd", 20, true},
        {"plb", "runs without a draw", "plb_attempt_threshold", 5, false},
        {"plb", "draws within 5 ms of a good path", "plb_target_delay_multiplier", 0.25, true},
        {"staircase", "utilisation, least of the steps", "base_delay_target", 20, true},
        {"staircase", "median delay to theory, most", "fabric_additive_increment", 16, true},
        {"slow-receiver", "level of the buffer, median", "max_ncwnd", 8, true},
        {"slow-receiver", "level of the buffer, p1", "min_ncwnd", 64, true},
        {"slow-receiver", "level of the buffer, p99", "nic_additive_increment", 16, true},
        {"slow-receiver", "last NACK after", "nic_additive_increment", 16, true},
        {"slow-receiver", "use of the receiver", "max_ncwnd", 1, true},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_swift_param *param = fal_swift_param_find(rows[i].param);
        const struct fal_lab_value *value;
        struct fal_swift_params params;
        struct fal_lab_outcome out;

        fal_swift_params_default(&params);
        ck_assert_int_eq(fal_swift_param_set(param, &params, rows[i].number), 0);
        out = played(rows[i].experiment, &params, rows[i].plb, test_seed(1));
        value = fal_lab_value_find(&out, rows[i].value);
        ck_assert_ptr_nonnull(value);
        ck_assert_msg(fal_lab_outside(value), "%s with %s: %s is %ld/1000", rows[i].experiment,
                      rows[i].param, rows[i].value, (long)value->milli);
    }
}
END_TEST

/* A time that ends before an experiment does is no reason to crash or to measure nothing. */
START_TEST(any_time_can_be_asked_for)
{
    static const uint64_t times_us[] = {1, 7, 199, 200, 201, 1000, 3333, 5001, 12100};
    struct fal_swift_params params;
    struct fal_swift swift;
    size_t n;
    const struct fal_lab_experiment *e = fal_lab_experiments(&n);

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < sizeof times_us / sizeof *times_us; k++) {
            struct fal_lab_ask ask = fal_lab_ask_of(&e[i], e[i].cases[0]);
            struct fal_lab_outcome out;

            ask.rate_bps = RATE;
            ask.swift = &swift;
            ask.time_ps = times_us[k] * FAL_LAB_US;
            ck_assert_int_eq(e[i].run(&ask, &out), 0);
            ck_assert_uint_lt(out.n_values, FAL_LAB_VALUES_MAX);
        }
}
END_TEST

/* The defaults of the settings are within their limits, and all limits can be played. */
START_TEST(each_limit_of_a_setting_can_be_played)
{
    struct fal_swift_params params;
    struct fal_swift swift;
    size_t n;
    const struct fal_lab_experiment *e = fal_lab_experiments(&n);

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < FAL_LAB_SETTINGS_MAX; k++) {
            const struct fal_lab_setting s = fal_lab_setting_at(&e[i], k);
            struct fal_lab_ask ask = fal_lab_ask_of(&e[i], e[i].cases[0]);
            struct fal_lab_outcome out;

            if (s.name == NULL)
                continue;
            ck_assert(s.least <= s.value && s.value <= s.most);
            ask.rate_bps = RATE;
            ask.swift = &swift;
            for (unsigned most = 0; most < 2; most++) {
                ask.settings[k] = most ? s.most : s.least;
                ask.time_ps = 6 * FAL_LAB_MS;
                ck_assert_uint_gt(e[i].time_ps(&ask), 0);
                ck_assert_uint_le(e[i].time_ps(&ask), 10000 * FAL_LAB_MS);
                ck_assert_int_eq(e[i].run(&ask, &out), 0);
            }
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("experiments");
    TCase *tc = tcase_create("experiments");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, experiments_are_within_their_bands_for_many_seeds);
    tcase_add_test(tc, values_are_those_of_another_model);
    tcase_add_test(tc, a_mistake_leaves_the_band);
    tcase_add_test(tc, any_time_can_be_asked_for);
    tcase_add_test(tc, each_limit_of_a_setting_can_be_played);
    suite_add_tcase(s, tc);
    return s;
}
