/* SPDX-License-Identifier: Apache-2.0
 * dcqcn_test.c - the three points of DCQCN, by numbers that were calculated by hand. */
#include "oracles/cc/dcqcn.h"

#include "oracles/cc/dcqcn_net.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <math.h>

static const uint64_t line_bps = UINT64_C(40000000000);

static struct fal_dcqcn_rp sender(const char *preset)
{
    struct fal_dcqcn params = *fal_dcqcn_preset(preset);
    struct fal_dcqcn_rp rp;

    params.line_rate_bps = line_bps;
    fal_dcqcn_rp_init(&rp, &params, 0);
    return rp;
}

static void near(double is, double wanted)
{
    ck_assert_msg(fabs(is - wanted) <= fabs(wanted) * 1e-9, "%.12g, not %.12g", is, wanted);
}

START_TEST(the_first_cnp_of_the_paper_halves_the_rate)
{
    struct fal_dcqcn_rp rp = sender("paper");

    fal_dcqcn_rp_until(&rp, 1000000);
    ck_assert_uint_eq(fal_dcqcn_rp_rate_bps(&rp), line_bps);
    ck_assert_uint_eq(fal_dcqcn_rp_next_ns(&rp), UINT64_MAX);
    fal_dcqcn_rp_cnp(&rp, 1000000);
    near(rp.rate, 20e9);
    near(rp.target, 40e9);
    near(rp.alpha, 1);
    ck_assert_uint_eq(fal_dcqcn_rp_next_ns(&rp), 1055000);
    fal_dcqcn_rp_until(&rp, 1055000);
    near(rp.rate, 30e9);
    near(rp.alpha, 1020.0 / 1024);
    fal_dcqcn_rp_until(&rp, 1110000);
    near(rp.rate, 35e9);
}
END_TEST

START_TEST(a_second_cnp_of_the_paper_cuts_by_the_faded_alpha)
{
    struct fal_dcqcn_rp rp = sender("paper");
    double alpha = 1020.0 / 1024 * 1020 / 1024;

    fal_dcqcn_rp_cnp(&rp, 0);
    fal_dcqcn_rp_cnp(&rp, 110000);
    near(rp.target, 35e9);
    near(rp.rate, 35e9 * (1 - alpha / 2));
    near(rp.alpha, alpha * 1020 / 1024 + 4.0 / 1024);
}
END_TEST

START_TEST(a_nic_changes_alpha_at_the_end_of_a_slot)
{
    struct fal_dcqcn_rp rp = sender("nic");
    double alpha = 1023.0 / 1024;

    fal_dcqcn_rp_cnp(&rp, 500);
    near(rp.rate, 40e9 * (1 - alpha / 2));
    near(rp.alpha, alpha);
    fal_dcqcn_rp_until(&rp, 1499);
    near(rp.alpha, alpha);
    fal_dcqcn_rp_until(&rp, 1500);
    near(rp.alpha, alpha * 1019 / 1024 + 5.0 / 1024);
    fal_dcqcn_rp_until(&rp, 2500);
    near(rp.alpha, (alpha * 1019 / 1024 + 5.0 / 1024) * 1019 / 1024);
}
END_TEST

START_TEST(one_decrease_in_m_and_the_next_at_its_end)
{
    struct fal_dcqcn_rp rp = sender("nic");
    double first;

    fal_dcqcn_rp_cnp(&rp, 0);
    first = rp.rate;
    fal_dcqcn_rp_cnp(&rp, 1200);
    fal_dcqcn_rp_cnp(&rp, 3999);
    near(rp.rate, first);
    ck_assert_uint_eq(fal_dcqcn_rp_next_ns(&rp), 4000);
    fal_dcqcn_rp_until(&rp, 4000);
    ck_assert_uint_eq(rp.decreases, 2);
    ck_assert(rp.rate < first * 0.51);
    near(rp.target, 40e9); /* no increase between them, and the target is not clamped */
    fal_dcqcn_rp_until(&rp, 9000);
    ck_assert_uint_eq(rp.decreases, 2);

    rp = sender("nic");
    rp.faults = FAL_DCQCN_DECREASE_PER_CNP;
    fal_dcqcn_rp_cnp(&rp, 0);
    fal_dcqcn_rp_cnp(&rp, 1200);
    ck_assert_uint_eq(rp.decreases, 2);
}
END_TEST

START_TEST(stages_follow_the_counters)
{
    struct fal_dcqcn_rp rp = sender("nic"); /* F = 1: additive from the first event */
    double rate;

    fal_dcqcn_rp_cnp(&rp, 0);
    fal_dcqcn_rp_cnp(&rp, 4000);
    rp.params.clamp_target = true;
    fal_dcqcn_rp_cnp(&rp, 8000);
    rate = rp.rate;
    double target = rp.target;

    fal_dcqcn_rp_until(&rp, 308000);
    near(rp.target, target + 5e6);
    near(rp.rate, (rate + target + 5e6) / 2);
    fal_dcqcn_rp_sent(&rp, UINT64_C(2) * 32767 * 64, 308000);
    near(rp.target, target + 15e6); /* 2 of bytes, 1 of time: not both above F */
    fal_dcqcn_rp_until(&rp, 608000);
    near(rp.target, target + 65e6);
    ck_assert_uint_eq(rp.increases, 4);
}
END_TEST

/* A decrease begins the counters, the bytes and the timer anew; without an increase since the
 * last one the target stays where it is. */
START_TEST(a_decrease_begins_anew)
{
    struct fal_dcqcn_rp rp = sender("nic");
    double rate, target;

    fal_dcqcn_rp_cnp(&rp, 0);
    fal_dcqcn_rp_sent(&rp, UINT64_C(2) * 32767 * 64 + 100, 100); /* two events and a part */
    ck_assert(rp.increased);
    rate = rp.rate;
    fal_dcqcn_rp_cnp(&rp, 100000);
    near(rp.target, rate); /* there was an increase */
    ck_assert_uint_eq(rp.by_bytes + rp.by_timer, 0);
    target = rp.target;
    fal_dcqcn_rp_cnp(&rp, 200000);
    near(rp.target, target); /* there was none */
    fal_dcqcn_rp_sent(&rp, UINT64_C(32767) * 64 - 1, 300000);
    ck_assert_uint_eq(rp.by_bytes, 0);
    fal_dcqcn_rp_until(&rp, 499999);
    ck_assert_uint_eq(rp.by_timer, 0);
    fal_dcqcn_rp_until(&rp, 500000);
    ck_assert_uint_eq(rp.by_timer, 1);
}
END_TEST

START_TEST(rates_stay_between_their_bounds)
{
    struct fal_dcqcn_rp rp = sender("nic");

    for (uint64_t i = 0; i < 100; i++)
        fal_dcqcn_rp_cnp(&rp, i * 4000);
    ck_assert_uint_eq(fal_dcqcn_rp_rate_bps(&rp), 1000000);
    rp = sender("paper"); /* no least rate was published */
    for (uint64_t i = 0; i < 4000; i++)
        fal_dcqcn_rp_cnp(&rp, i);
    ck_assert_uint_eq(fal_dcqcn_rp_rate_bps(&rp), 1);
    rp = sender("nic");
    fal_dcqcn_rp_cnp(&rp, 0);
    fal_dcqcn_rp_until(&rp, UINT64_C(3600000000000));
    ck_assert_uint_eq(fal_dcqcn_rp_rate_bps(&rp), line_bps);
    ck_assert_double_eq(rp.alpha, 0);
}
END_TEST

/* Many small steps of time give the same as one great step. */
START_TEST(times_between_change_nothing)
{
    static const char *const presets[] = {"paper", "nic"};

    for (size_t k = 0; k < 2; k++) {
        struct fal_rng rng = fal_rng_split(22, k);
        struct fal_dcqcn_rp a = sender(presets[k]), b = a;
        uint64_t now = 0;

        for (unsigned i = 0; i < 2000; i++) {
            uint64_t next = now + fal_rng_below(&rng, i % 10 == 0 ? 3000000 : 3000);

            for (; now < next; now += 1 + (next - now) / 4)
                fal_dcqcn_rp_until(&a, now);
            now = next;
            if (fal_rng_below(&rng, 3) == 0) {
                fal_dcqcn_rp_cnp(&a, now);
                fal_dcqcn_rp_cnp(&b, now);
            } else {
                fal_dcqcn_rp_sent(&a, 100000, now);
                fal_dcqcn_rp_sent(&b, 100000, now);
            }
            ck_assert_msg(fal_dcqcn_rp_rate_bps(&a) == fal_dcqcn_rp_rate_bps(&b), "%s, step %u",
                          presets[k], i);
            ck_assert_uint_le(fal_dcqcn_rp_rate_bps(&a), line_bps);
        }
    }
}
END_TEST

/* Each fault changes the rate after the second CNP, and never before the first. */
START_TEST(each_fault_shows)
{
    for (uint32_t bit = 0; bit < 5; bit++) {
        struct fal_dcqcn_rp good = sender("nic"), bad = good;

        good.params.clamp_target = bad.params.clamp_target = true;
        bad.faults = 1U << bit;
        for (uint64_t i = 0; i < 4; i++) {
            ck_assert(i > 0 || bad.rate == good.rate);
            fal_dcqcn_rp_cnp(&good, i * 400001);
            fal_dcqcn_rp_cnp(&bad, i * 400001);
            fal_dcqcn_rp_cnp(&good, i * 400001 + 100);
            fal_dcqcn_rp_cnp(&bad, i * 400001 + 100);
        }
        ck_assert_msg(bad.rate != good.rate, "fault %u", bit);
    }
}
END_TEST

START_TEST(marks_follow_the_line_between_the_thresholds)
{
    const struct fal_dcqcn *paper = fal_dcqcn_preset("paper");
    const struct fal_dcqcn none = {0};

    ck_assert_uint_eq(fal_dcqcn_mark_ppm(paper, 4999), 0);
    ck_assert_uint_eq(fal_dcqcn_mark_ppm(paper, 5000), 0);
    ck_assert_uint_eq(fal_dcqcn_mark_ppm(paper, 102500), 5000);
    ck_assert_uint_eq(fal_dcqcn_mark_ppm(paper, 199999), 9999);
    ck_assert_uint_eq(fal_dcqcn_mark_ppm(paper, 200000), FAL_DCQCN_PPM);
    ck_assert_uint_eq(fal_dcqcn_mark_ppm(&none, UINT64_MAX), 0);
    ck_assert_uint_eq(fal_dcqcn_mark(paper, 102500, FAL_ECN_ECT0, 4999), FAL_ECN_CE);
    ck_assert_uint_eq(fal_dcqcn_mark(paper, 102500, FAL_ECN_ECT0, 5000), FAL_ECN_ECT0);
    ck_assert_uint_eq(fal_dcqcn_mark(paper, 300000, FAL_ECN_NOT_ECT, 0), FAL_ECN_NOT_ECT);
    ck_assert_uint_eq(fal_dcqcn_mark(paper, 0, FAL_ECN_CE, 0), FAL_ECN_CE);
}
END_TEST

START_TEST(cnps_keep_their_distance)
{
    const struct fal_dcqcn params = {.cnp_interval_ns = 50000};
    struct fal_dcqcn_np np = {0};

    ck_assert(fal_dcqcn_np_marked(&np, &params, 100));
    ck_assert_uint_eq(fal_dcqcn_np_next_ns(&np), UINT64_MAX);
    ck_assert(!fal_dcqcn_np_marked(&np, &params, 200));
    ck_assert(!fal_dcqcn_np_marked(&np, &params, 50099));
    ck_assert_uint_eq(fal_dcqcn_np_next_ns(&np), 50100);
    ck_assert(!fal_dcqcn_np_due(&np, &params, 50099));
    ck_assert(fal_dcqcn_np_due(&np, &params, 50100));
    ck_assert(!fal_dcqcn_np_due(&np, &params, 200000));
    ck_assert(fal_dcqcn_np_marked(&np, &params, 200000));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("dcqcn");
    TCase *tc = tcase_create("dcqcn");

    tcase_add_test(tc, the_first_cnp_of_the_paper_halves_the_rate);
    tcase_add_test(tc, a_second_cnp_of_the_paper_cuts_by_the_faded_alpha);
    tcase_add_test(tc, a_nic_changes_alpha_at_the_end_of_a_slot);
    tcase_add_test(tc, one_decrease_in_m_and_the_next_at_its_end);
    tcase_add_test(tc, stages_follow_the_counters);
    tcase_add_test(tc, a_decrease_begins_anew);
    tcase_add_test(tc, rates_stay_between_their_bounds);
    tcase_add_test(tc, times_between_change_nothing);
    tcase_add_test(tc, each_fault_shows);
    tcase_add_test(tc, marks_follow_the_line_between_the_thresholds);
    tcase_add_test(tc, cnps_keep_their_distance);
    suite_add_tcase(suite, tc);
    return suite;
}
