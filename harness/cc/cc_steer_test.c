/* SPDX-License-Identifier: Apache-2.0
 * cc_steer_test.c - parameters of Swift are measured on the built-in SUT, through its
 * link and its control channel. */
#include "harness/cc/cc_measure_testing.h"
#include "harness/cc/cc_steer.h"
#include "harness/run/run_sut.h"
#include "tests/testing.h"

#include <string.h>

static json_t *all_params(const struct fal_swift_params *params)
{
    json_t *object = json_object();
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);

    for (size_t i = 0; i < n; i++) {
        double value = fal_swift_param_get(&table[i], params);

        ck_assert_int_eq(json_object_set_new(object, table[i].name,
                                             table[i].whole ? json_integer((json_int_t)value)
                                                            : json_real(value)),
                         0);
    }
    return object;
}

/* Measures a SUT that is given parameters first. */
static struct tl_cc_measure measured(const char *sut, const struct tl_cc_declared *real)
{
    struct tl_target target = {.kind = TL_TARGET_BUILTIN};
    struct tl_cc_steer steer = {.encap = FAL_ENCAP_PSP_TRANSPORT, .seed = 1};
    struct tl_bench bench;
    struct tl_cc_measure m;
    struct fal_error err = {{0}};
    json_t *set = all_params(&real->params);

    ck_assert_int_eq(tl_run_sut_read(sut, &target, &err), 0);
    ck_assert_int_eq(tl_bench_open(&bench, &target, 1, &err), 0);
    steer.bench = &bench;
    steer.set = set;
    ck_assert_msg(tl_cc_steer_run(&steer, real, &m, &err) == 0, "%s", err.text);
    tl_bench_close(&bench);
    json_decref(set);
    return m;
}

/* A measurement takes a minute or two under sanitizers: with TALON_TIMES below a tenth there is
 * one, of drawn parameters. */
enum { FEW = 10 };

/* TALON_TIMES=100 plays 200 sets. */
START_TEST(FTP_10_3_01_drawn_parameters_are_inside_and_wrong_ones_are_not)
{
    uint64_t seed = test_seed(281131);
    unsigned long sets = test_rounds(2);
    unsigned long inside[TL_CC_MEASURED] = {0};

    for (unsigned long i = 0; i < sets; i++) {
        struct tl_cc_declared real;
        struct tl_cc_measure m;

        drawn(seed + i, &real.params);
        real = declared_all(&real.params);
        m = measured("builtin:cc=swift", &real);
        for (int p = 0; p < TL_CC_MEASURED; p++) {
            enum tl_cc_measured which = (enum tl_cc_measured)p;
            double value = tl_cc_measured_declared(&real, which);

            inside[p] += !tl_cc_measured_outside(&m, which);
            if (which == TL_CC_LEVEL && value < 5)
                continue; /* 20 % are less than a level. */
            ck_assert_msg(excludes_wrong(&m.of[p], value), "%s, set %lu: %s: %f in %f to %f",
                          test_again(seed), i, tl_cc_measured_name(which), value, m.of[p].lo,
                          m.of[p].hi);
        }
    }
    for (int p = 0; p < TL_CC_MEASURED; p++)
        ck_assert_msg(100 * inside[p] >= 95 * sets, "%s: %s: inside %lu of %lu",
                      test_again(seed), tl_cc_measured_name((enum tl_cc_measured)p), inside[p],
                      sets);
}
END_TEST

/* An engine with a mistake is outside where the mistake is. */
START_TEST(mistakes_of_an_engine_show)
{
    static const struct {
        const char *sut;
        enum tl_cc_measured which;
    } rows[] = {
        {"builtin:cc=swift,fault=hops-not-scaled", TL_CC_PER_HOP},
        {"builtin:cc=swift,fault=level-ignored", TL_CC_LEVEL},
        {"builtin:cc=swift,fault=fall-without-bound", TL_CC_MDF},
        {"builtin:cc=swift,fault=rise-by-event", TL_CC_INCREMENT},
    };
    struct tl_cc_declared real;

    if (test_stride() > FEW)
        return;
    fal_swift_params_default(&real.params);
    real = declared_all(&real.params);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += test_stride()) {
        struct tl_cc_measure m = measured(rows[i].sut, &real);

        ck_assert_msg(tl_cc_measured_outside(&m, rows[i].which), "%s: %s: %f to %f",
                      rows[i].sut, tl_cc_measured_name(rows[i].which), m.of[rows[i].which].lo,
                      m.of[rows[i].which].hi);
    }
}
END_TEST

/* Other readings and another policy of events are no other parameters. */
START_TEST(variants_are_inside)
{
    static const char *const suts[] = {
        "builtin:cc=swift-isekai", "builtin:cc=swift,reading=target-rounded",
        "builtin:cc=swift:twin=eack-always", "builtin:cc=swift:twin=rue-event-each-time"};
    struct tl_cc_declared real;

    if (test_stride() > FEW)
        return;
    fal_swift_params_default(&real.params);
    real = declared_all(&real.params);
    for (size_t i = 0; i < sizeof suts / sizeof *suts; i += test_stride()) {
        struct tl_cc_measure m = measured(suts[i], &real);

        for (int p = 0; p < TL_CC_MEASURED; p++)
            ck_assert_msg(!tl_cc_measured_outside(&m, (enum tl_cc_measured)p),
                          "%s: %s: %f to %f", suts[i],
                          tl_cc_measured_name((enum tl_cc_measured)p), m.of[p].lo, m.of[p].hi);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cc_steer");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, FTP_10_3_01_drawn_parameters_are_inside_and_wrong_ones_are_not);
    tcase_add_test(tc, mistakes_of_an_engine_show);
    tcase_add_test(tc, variants_are_inside);
    suite_add_tcase(suite, tc);
    return suite;
}
