/* SPDX-License-Identifier: Apache-2.0
 * rate_test.c - the edges of a sender's rate, by values calculated by hand; RP1 to RP4 and CP1
 * violated, and near misses spared. */
#include "oracles/rules/roce/proportion.h"
#include "oracles/rules/roce/rate.h"
#include "oracles/rules/roce/roce_testing.h"

#include "oracles/rng.h"

#include <math.h>

static struct fal_rj_setup setup;
static struct fal_roce_rate rate;

static void start(void)
{
    setup = full_setup(HOST_A);
    begin(&setup);
}

static void stop(void)
{
    fal_roce_judge_free(judge);
    judge = NULL;
}

#define LINE 10e9

static void ck_near(double found, double due)
{
    ck_assert_msg(fabs(found - due) <= fabs(due) * 1e-6, "%.9g instead of %.9g", found, due);
}

/* ---- the edges ---- */

START_TEST(a_cut_halves_a_rate_at_full_alpha)
{
    setup.alpha_from_cnp = true;
    fal_rj_rate_begin(&rate, &setup, 0, true);
    fal_rj_rate_cnp(&rate, &setup, 1000);
    fal_rj_rate_advance(&rate, &setup, 1001);
    ck_near(rate.upper.rate, LINE / 2);
    ck_near(rate.upper.target, LINE);
    ck_near(rate.lower.rate, LINE / 2);
    /* fast recovery: halfway with each T */
    fal_rj_rate_advance(&rate, &setup, 1000 + 55 * US);
    ck_near(rate.upper.rate, LINE * 3 / 4);
    fal_rj_rate_advance(&rate, &setup, 1000 + 110 * US);
    ck_near(rate.upper.rate, LINE * 7 / 8);
}
END_TEST

START_TEST(alpha_is_at_least_what_its_decays_leave)
{
    double g = 1020.0 / 1024;

    setup.dcqcn.line_rate_bps = UINT64_C(10000000000);
    fal_rj_rate_begin(&rate, &setup, 0, true);
    /* Before the first CNP the phase of K is not known: 10 whole periods, and a decay more. */
    fal_rj_rate_cnp(&rate, &setup, 550 * US);
    ck_near(rate.upper.cuts[0].factor, 1 - pow(g, 10 * 55000.0 / 54999 + 1) / 2);
    /* A CNP begins K anew: none ends in 54 us, one in 56 us. */
    double alpha = rate.upper.alpha;

    fal_rj_rate_cnp(&rate, &setup, 604 * US);
    ck_near(rate.upper.alpha, g * alpha + 1 - g);
    alpha = rate.upper.alpha;
    fal_rj_rate_cnp(&rate, &setup, 660 * US);
    ck_near(rate.upper.alpha, g * g * alpha + 1 - g);
}
END_TEST

START_TEST(additive_increase_begins_after_f_events)
{
    uint64_t t = 55 * US;

    setup.dcqcn.rai_bps = 100;
    fal_rj_rate_begin(&rate, &setup, 0, true);
    for (unsigned i = 0; i < 3; i++) {
        fal_rj_rate_cnp(&rate, &setup, 1000 + i);
        fal_rj_rate_advance(&rate, &setup, 1500 + i);
    }
    double target = rate.upper.target;

    fal_rj_rate_advance(&rate, &setup, 1002 + 4 * t);
    ck_near(rate.upper.target, target);
    fal_rj_rate_advance(&rate, &setup, 1002 + 5 * t);
    ck_near(rate.upper.target, target + 100);
    /* The lower edge counts an event after it has decided. */
    ck_assert(rate.lower.target < rate.upper.target);
}
END_TEST

START_TEST(the_byte_counter_increases)
{
    setup.dcqcn.byte_counter = 10000;
    setup.alpha_from_cnp = true;
    fal_rj_rate_begin(&rate, &setup, 0, true);
    fal_rj_rate_cnp(&rate, &setup, 1000);
    fal_rj_rate_advance(&rate, &setup, 1001);
    for (unsigned i = 0; i < 9; i++)
        ck_assert(!fal_rj_rate_sent(&rate, &setup, 1100, 10, 1000));
    ck_near(rate.upper.rate, LINE / 2);
    ck_assert(!fal_rj_rate_sent(&rate, &setup, 1100, 10, 1000));
    ck_near(rate.upper.rate, LINE * 3 / 4);
}
END_TEST

START_TEST(cnps_within_m_may_count_once)
{
    setup.dcqcn = *fal_dcqcn_preset("nic");
    setup.dcqcn.line_rate_bps = UINT64_C(10000000000);
    fal_rj_rate_begin(&rate, &setup, 0, true);
    fal_rj_rate_cnp(&rate, &setup, 10 * US);
    fal_rj_rate_cnp(&rate, &setup, 13 * US);
    ck_assert_uint_eq(rate.upper.num_cuts, 1);
    fal_rj_rate_cnp(&rate, &setup, 18 * US);
    ck_assert_uint_eq(rate.upper.num_cuts, 1); /* the first was taken in between */
    ck_assert(rate.upper.limited);
}
END_TEST

START_TEST(a_cut_is_no_deeper_than_alpha_allows)
{
    double g = 1020.0 / 1024;

    setup.dcqcn.line_rate_bps = UINT64_C(10000000000);
    fal_rj_rate_begin(&rate, &setup, 0, true);
    fal_rj_rate_cnp(&rate, &setup, 1000);
    ck_near(fal_rj_rate_left(&setup, &rate.slot.cnps), 0.5);
    /* 12 periods, of which 11 surely were whole ones without a CNP. */
    rate.slot.cnps = (struct fal_roce_cnps_of){.count = 0};
    fal_rj_rate_cnp(&rate, &setup, 1000 + 12 * 55 * US + 1000);
    ck_near(rate.alpha, g * pow(g, 11) + 1 - g);
    ck_near(fal_rj_rate_left(&setup, &rate.slot.cnps), 1 - rate.alpha / 2);
}
END_TEST

START_TEST(cnps_within_m_cut_twice_at_most)
{
    setup.dcqcn = *fal_dcqcn_preset("nic");
    setup.dcqcn.line_rate_bps = UINT64_C(10000000000);
    setup.dcqcn.max_cut_percent = 40;
    fal_rj_rate_begin(&rate, &setup, 0, true);
    for (unsigned i = 0; i < 5; i++)
        fal_rj_rate_cnp(&rate, &setup, 10 * US + i * 500);
    ck_assert_uint_eq(rate.slot.cnps.count, 5);
    ck_near(fal_rj_rate_left(&setup, &rate.slot.cnps), 0.6 * 0.6);
    for (unsigned i = 0; i < 5; i++)
        fal_rj_rate_cnp(&rate, &setup, 20 * US + i * 500);
    ck_near(fal_rj_rate_left(&setup, &rate.slot.cnps), pow(0.6, 5)); /* 12 us, M is 4 us */
}
END_TEST

START_TEST(long_times_end)
{
    setup.dcqcn.rai_bps = 1;
    fal_rj_rate_begin(&rate, &setup, 0, true);
    fal_rj_rate_cnp(&rate, &setup, 1000);
    fal_rj_rate_advance(&rate, &setup, UINT64_MAX / 2);
    ck_assert(rate.upper.rate <= LINE);
}
END_TEST

/* ---- RP1 ---- */

/* Packets of 1,024 bytes at so many bit/s. */
static void pace(double bps, unsigned packets, uint32_t *psn)
{
    for (unsigned i = 0; i < packets; i++) {
        data((*psn)++);
        after((uint64_t)(1024 * 8e9 / bps));
    }
}

START_TEST(rp1_finds_a_sender_that_does_not_slow_down)
{
    uint32_t psn = 0;

    pace(9.9e9, 40, &psn);
    ack(psn - 1);
    cnp();
    after(US);
    pace(9.9e9, 60, &psn);
    finish();
    only_broken("RP1");
}
END_TEST

START_TEST(rp1_spares_a_sender_at_the_edge)
{
    uint32_t psn = 0;

    pace(9.9e9, 40, &psn);
    ack(psn - 1);
    cnp();
    after(US);
    pace(5e9, 20, &psn);
    ack(psn - 1);
    pace(5e9, 60, &psn);
    finish();
    only_broken("");
    ck_assert_uint_ge(row("RP1")->held, 0);
}
END_TEST

START_TEST(rp1_spares_a_declared_burst)
{
    uint32_t psn = 0;

    setup.burst_bytes = 64 * 1024;
    begin(&setup);
    pace(9.9e9, 40, &psn);
    ack(psn - 1);
    cnp();
    after(US);
    pace(9.9e9, 60, &psn);
    finish();
    only_broken("");
}
END_TEST

static const char *const rp_excuses[] = {"rp-parameters-undeclared", "line-rate-undeclared",
                                         "burst-undeclared",         "rp-parameters-incomplete",
                                         "rp-parameters-incomplete", "rcm-not-claimed",
                                         "delay-undeclared"};

START_TEST(rp1_names_its_excuses)
{
    uint32_t psn = 0;

    switch (_i) {
    case 0: setup.have_dcqcn = false; break;
    case 1: setup.dcqcn.line_rate_bps = 0; break;
    case 2: setup.have_burst = false; break;
    case 3: setup.dcqcn.timer_ns = 0; break;
    case 4: setup.dcqcn.gd = 0; break;
    case 5: setup.congestion_management = FAL_ROCE_NOT_CLAIMED; break;
    default: setup.vantage = FAL_ROCE_AT_MIDDLE; break;
    }
    begin(&setup);
    pace(9.9e9, 40, &psn);
    ack(psn - 1);
    cnp();
    pace(9.9e9, 60, &psn);
    finish();
    only_broken("");
    ck_excused("RP1", rp_excuses[_i]);
}
END_TEST

START_TEST(rp1_is_inconclusive_where_the_capture_may_miss_packets)
{
    uint32_t psn = 0;

    setup.complete = false;
    begin(&setup);
    pace(9.9e9, 40, &psn);
    ack(psn - 1);
    cnp();
    after(US);
    pace(9.9e9, 60, &psn);
    finish();
    only_broken("");
    ck_assert_int_eq((int)row("RP1")->verdict, FAL_VERDICT_INCONC);
}
END_TEST

/* ---- RP2 to RP4 ---- */

START_TEST(rp2_warns_of_too_deep_a_fall)
{
    uint32_t psn = 0;

    setup.backlogged = true;
    begin(&setup);
    pace(9.9e9, 1, &psn);
    ack(0);
    pace(9.9e9, 70, &psn);
    ack(psn - 1);
    cnp();
    pace(1e9, 80, &psn);
    finish();
    only_broken("RP2");
    ck_assert_int_eq((int)row("RP2")->verdict, FAL_VERDICT_WARN);
    setup.backlogged = false;
    begin(&setup);
    psn = 0;
    pace(9.9e9, 1, &psn);
    ack(0);
    pace(9.9e9, 70, &psn);
    ack(psn - 1);
    cnp();
    pace(1e9, 80, &psn);
    finish();
    only_broken("");
    ck_excused("RP2", "app-limited");
}
END_TEST

START_TEST(rp2_knows_that_alpha_has_decayed)
{
    for (int pause_us = 1; pause_us <= 30000; pause_us += 29999) {
        uint32_t psn = 0;

        setup.backlogged = setup.alpha_from_cnp = true;
        begin(&setup);
        pace(9.9e9, 1, &psn);
        ack(0);
        pace(9.9e9, 70, &psn);
        ack(psn - 1);
        cnp();
        pace(5e9, 70, &psn);
        after((uint64_t)pause_us * US);
        pace(8e9, 100, &psn);
        cnp();
        pace(4e9, 100, &psn);
        finish();
        ck_assert_int_eq((int)row("RP2")->verdict,
                         pause_us > 1 ? FAL_VERDICT_WARN : FAL_VERDICT_PASS);
    }
}
END_TEST

START_TEST(rp3_wants_the_rate_back)
{
    for (int again = 0; again < 2; again++) {
        uint32_t psn = 0;

        setup.backlogged = true;
        setup.virtual_link = again == 1;
        begin(&setup);
        pace(9.9e9, 70, &psn);
        ack(psn - 1);
        cnp();
        pace(5e9, 100, &psn);
        after(1200 * US);
        pace(1e9, 100, &psn);
        finish();
        ck_assert_int_eq((int)row("RP3")->verdict,
                         again == 1 ? FAL_VERDICT_FAIL : FAL_VERDICT_INCONC);
    }
}
END_TEST

START_TEST(rp4_wants_other_queue_pairs_left_alone)
{
    for (int own = 0; own < 2; own++) {
        static const struct fal_rj_pair pairs[2] = {
            {{{HOST_A, false}, {HOST_B, false}}, {QP_A, QP_B}},
            {{{HOST_A, false}, {HOST_B, false}}, {0x1a, 0x1b}}};
        struct fal_roce_seen other;
        uint32_t psn = 0;

        setup.backlogged = setup.virtual_link = true;
        setup.separate_scheduler = own == 1;
        setup.pairs = pairs;
        setup.num_pairs = 2;
        begin(&setup);
        other = from_a(OP_MIDDLE, 0);
        other.dest_qp = 0x1b;
        show(other);
        pace(5e9, 1, &psn);
        ack(0);
        pace(5e9, 70, &psn);
        other = from_b(OP_ACK, 0);
        other.dest_qp = 0x1a;
        other.has_aeth = true;
        show(other);
        other = a_cnp();
        other.dest_qp = 0x1a;
        show(other);
        pace(2e9, 100, &psn);
        finish();
        if (own == 1)
            ck_assert_int_eq((int)row("RP4")->verdict, FAL_VERDICT_FAIL);
        else
            ck_excused("RP4", "shared-scheduler");
    }
}
END_TEST

/* ---- CP1 ---- */

START_TEST(bands_of_proportions_are_those_of_tables)
{
    /* Clopper and Pearson at 95 %: 0 of 10, 3 of 10, 10 of 10; 12 of 400. */
    static const struct {
        uint64_t hits, trials;
        double lo, hi;
    } rows[] = {{0, 10, 0, 0.30850},
                {3, 10, 0.06674, 0.65245},
                {10, 10, 0.69150, 1},
                {12, 400, 0.01560, 0.05182}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_roce_band band = fal_rj_proportion(rows[i].hits, rows[i].trials, 0.05);

        ck_assert_msg(fabs(band.lo - rows[i].lo) < 1e-4 && fabs(band.hi - rows[i].hi) < 1e-4,
                      "%d of %d: %.5f to %.5f", (int)rows[i].hits, (int)rows[i].trials, band.lo,
                      band.hi);
    }
}
END_TEST

static void at_switch(uint8_t before, uint8_t behind)
{
    struct fal_roce_seen seen = from_a(OP_MIDDLE, (uint32_t)frame_number);

    seen.ecn = before;
    seen.point = FAL_ROCE_BEFORE;
    show(seen);
    seen.ecn = behind;
    seen.point = FAL_ROCE_AFTER;
    show(seen);
}

static void start_switch(void)
{
    setup = full_setup(0x7f000001);
    setup.vantage = FAL_ROCE_AT_SWITCH;
    begin(&setup);
}

START_TEST(cp1_finds_marks_that_may_not_be)
{
    static const struct {
        uint8_t before, behind;
        bool good;
    } rows[] = {{0, 0, true}, {2, 2, true},  {2, 3, true}, {1, 3, true},
                {3, 3, true}, {0, 3, false}, {3, 2, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start_switch();
        at_switch(rows[i].before, rows[i].behind);
        finish();
        only_broken(rows[i].good ? "" : "CP1");
    }
}
END_TEST

START_TEST(cp1_compares_the_share_with_the_queue)
{
    for (int factor = 0; factor < 4; factor++) { /* 1: as declared */
        struct fal_rng rng = {77};

        start_switch();
        setup.dcqcn.pmax_ppm = 100000;
        begin(&setup);
        for (int i = 0; i < 20000; i++) {
            uint64_t queue = fal_rng_below(&rng, 220000);
            double p = queue <= 5000    ? 0
                       : queue > 200000 ? 1
                                        : factor * 0.1 * (double)(queue - 5000) / 195000;

            fal_roce_judge_queue(judge, now_ns, queue);
            at_switch(2, (double)fal_rng_below(&rng, 1000000) < p * 1e6 ? 3 : 2);
        }
        finish();
        only_broken(factor == 1 ? "" : "CP1");
    }
}
END_TEST

START_TEST(cp1_excuses_a_queue_that_nobody_knows)
{
    start_switch();
    at_switch(2, 3);
    finish();
    only_broken("");
    ck_excused("CP1", "queue-unknown");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce: rates and marks");
    TCase *tc = tcase_create("rate");

    tcase_add_checked_fixture(tc, start, stop);
    tcase_add_test(tc, a_cut_halves_a_rate_at_full_alpha);
    tcase_add_test(tc, alpha_is_at_least_what_its_decays_leave);
    tcase_add_test(tc, additive_increase_begins_after_f_events);
    tcase_add_test(tc, the_byte_counter_increases);
    tcase_add_test(tc, cnps_within_m_may_count_once);
    tcase_add_test(tc, long_times_end);
    tcase_add_test(tc, rp1_finds_a_sender_that_does_not_slow_down);
    tcase_add_test(tc, rp1_spares_a_sender_at_the_edge);
    tcase_add_test(tc, rp1_spares_a_declared_burst);
    tcase_add_loop_test(tc, rp1_names_its_excuses, 0, sizeof rp_excuses / sizeof *rp_excuses);
    tcase_add_test(tc, rp1_is_inconclusive_where_the_capture_may_miss_packets);
    tcase_add_test(tc, a_cut_is_no_deeper_than_alpha_allows);
    tcase_add_test(tc, cnps_within_m_cut_twice_at_most);
    tcase_add_test(tc, rp2_warns_of_too_deep_a_fall);
    tcase_add_test(tc, rp2_knows_that_alpha_has_decayed);
    tcase_add_test(tc, rp3_wants_the_rate_back);
    tcase_add_test(tc, rp4_wants_other_queue_pairs_left_alone);
    tcase_add_test(tc, bands_of_proportions_are_those_of_tables);
    tcase_add_test(tc, cp1_finds_marks_that_may_not_be);
    tcase_add_test(tc, cp1_compares_the_share_with_the_queue);
    tcase_add_test(tc, cp1_excuses_a_queue_that_nobody_knows);
    suite_add_tcase(suite, tc);
    return suite;
}
