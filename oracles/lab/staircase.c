/* SPDX-License-Identifier: Apache-2.0
 * staircase.c - L4: the number of flows doubles from one to N, and halves again to one. */
#include "oracles/lab/bench.h"
#include "oracles/lab/theory.h"

enum { STEP };

/* The values that all steps have in common are within these limits. */
struct extremes {
    double utilisation, jain; /* the least */
    double low, high;         /* median of the queueing delay to that of the theory */
};

static uint32_t doublings(uint32_t flows)
{
    uint32_t n = 0;

    while (UINT32_C(1) << n < flows)
        n++;
    return n;
}

static uint32_t steps(uint32_t flows)
{
    return 2 * doublings(flows) + 1;
}

/* Returns the number of flows that send in a step. */
static uint32_t flows_in(uint32_t flows, uint32_t step)
{
    uint32_t top = doublings(flows), height = step;

    if (step > top)
        height = step < 2 * top ? 2 * top - step : 0;
    return UINT32_C(1) << height < flows ? UINT32_C(1) << height : flows;
}

static uint64_t step_ps(const struct fal_lab_ask *ask)
{
    return ask->settings[STEP] * FAL_LAB_US;
}

uint64_t fal_lab_staircase_time(const struct fal_lab_ask *ask)
{
    return steps(ask->flows) * step_ps(ask);
}

static void begin_and_end(const struct fal_lab_ask *ask, struct fal_lab_bench *bench)
{
    for (uint32_t i = 0; i < ask->flows; i++) {
        struct fal_lab_flow_config *config = &bench->lab.flows[i].config;
        uint32_t first = 0, end = steps(ask->flows);

        while (flows_in(ask->flows, first) <= i)
            first++;
        while (flows_in(ask->flows, end - 1) <= i)
            end--;
        config->start_ps += first * step_ps(ask);
        config->stop_ps = end * step_ps(ask);
    }
}

/* The second half of a step was measured. */
static void step_done(const struct fal_lab_ask *ask, const struct fal_lab_bench *bench,
                      uint32_t flows, struct extremes *x)
{
    const struct fal_lab_case c = {.flows = flows,
                                   .bytes = FAL_LAB_PACKET,
                                   .rate_bps = ask->rate_bps,
                                   .base_ps = FAL_LAB_BASE_PS,
                                   .hops = FAL_LAB_HOPS};
    const struct fal_lab_rest rest = fal_lab_theory(ask->swift, &c);
    uint64_t half_ps = step_ps(ask) / 2;
    double jain = fal_lab_jain(&bench->lab, 0, flows), used;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < flows; i++)
        bytes += bench->lab.flows[i].counts.measured_bytes;
    used = (double)bytes * 8e12 / ((double)ask->rate_bps * (double)half_ps);
    x->utilisation = used < x->utilisation ? used : x->utilisation;
    x->jain = jain < x->jain ? jain : x->jain;
    if (rest.interior) {
        double ratio = fal_lab_bench_waited_us(bench, 500) * (double)FAL_LAB_US / rest.queue_ps;

        x->low = ratio < x->low ? ratio : x->low;
        x->high = ratio > x->high ? ratio : x->high;
    }
}

static int climb(const struct fal_lab_ask *ask, struct fal_lab_bench *bench, struct extremes *x)
{
    uint64_t half = step_ps(ask) / 2;
    int rc = 0;

    for (uint32_t s = 0; rc == 0 && s < steps(ask->flows); s++) {
        uint64_t end = (s + 1) * step_ps(ask);

        if (end > ask->time_ps)
            return fal_lab_bench_until(bench, ask->time_ps);
        rc = fal_lab_bench_until(bench, end - half);
        fal_lab_bench_measure(bench);
        if (rc == 0)
            rc = fal_lab_bench_until(bench, end);
        step_done(ask, bench, flows_in(ask->flows, s), x);
    }
    return rc;
}

int fal_lab_staircase(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct fal_lab_bench *bench = fal_lab_bench_new(ask, 0);
    struct extremes x = {.utilisation = 2, .jain = 1, .low = 1000, .high = 0};
    bool few = ask->flows <= 32;
    int rc;

    if (bench == NULL)
        return FAL_ERR_MEM;
    begin_and_end(ask, bench);
    rc = fal_lab_bench_begin(bench);
    if (rc == 0)
        rc = climb(ask, bench, &x);
    *out = fal_lab_bench_outcome(bench);
    if (x.utilisation <= 1.5) {
        fal_lab_value_add(out, "utilisation, least of the steps", "",
                          fal_lab_milli(x.utilisation));
        fal_lab_value_band(out, 950, INT64_MAX);
        fal_lab_value_add(out, "Jain's index, least", "", fal_lab_milli(x.jain));
        fal_lab_value_band(out, ask->flows <= 128 ? 950 : 900, INT64_MAX);
    }
    if (x.high > 0) {
        fal_lab_value_add(out, "median delay to theory, least", "x", fal_lab_milli(x.low));
        fal_lab_value_band(out, 750, INT64_MAX);
        fal_lab_value_add(out, "median delay to theory, most", "x", fal_lab_milli(x.high));
        fal_lab_value_band(out, 0, few ? 1250 : 1750);
    }
    fal_lab_bench_counts(bench, out);
    fal_lab_bench_free(bench);
    return rc;
}
