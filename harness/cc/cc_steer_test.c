/* SPDX-License-Identifier: Apache-2.0
 * cc_steer_test.c - parameters of Swift are measured on the built-in endpoint. */
#include "harness/cc/cc_measure_testing.h"
#include "harness/cc/cc_steer.h"
#include "tests/testing.h"

#include <string.h>

static struct tl_cc_measure measured(const char *sut, const struct fal_swift_params *real)
{
    struct tl_builtin builtin = {.twins = {.random = false}};
    const struct tl_cc_steer steer = {.sut = &builtin, .params = real, .seed = 1};
    struct tl_cc_measure m;
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_builtin_read(&builtin, sut, &err), 0);
    ck_assert_msg(tl_cc_steer_run(&steer, real, &m, &err) == 0, "%s", err.text);
    return m;
}

/* TALON_TIMES=40 plays 200 sets. */
START_TEST(FTP_10_3_01_drawn_parameters_are_inside_and_wrong_ones_are_not)
{
    uint64_t seed = test_seed(281131);
    unsigned long sets = test_rounds(5);
    unsigned long inside[TL_CC_MEASURED] = {0};

    for (unsigned long i = 0; i < sets; i++) {
        struct fal_swift_params real;
        struct tl_cc_measure m;

        drawn(seed + i, &real);
        m = measured(":cc=swift", &real);
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
        {":cc=swift,fault=hops-not-scaled", TL_CC_PER_HOP},
        {":cc=swift,fault=level-ignored", TL_CC_LEVEL},
        {":cc=swift,fault=fall-without-bound", TL_CC_MDF},
        {":cc=swift,fault=rise-by-event", TL_CC_INCREMENT},
    };
    struct fal_swift_params real;

    fal_swift_params_default(&real);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
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
    static const char *const suts[] = {":cc=swift-isekai", ":cc=swift,reading=target-rounded",
                                       ":cc=swift:twin=eack-always",
                                       ":cc=swift:twin=rue-event-each-time"};
    struct fal_swift_params real;

    fal_swift_params_default(&real);
    for (size_t i = 0; i < sizeof suts / sizeof *suts; i++) {
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
