/* SPDX-License-Identifier: Apache-2.0
 * join_leave.c - L2: a second flow joins, shares the bottleneck, and leaves. */
#include "oracles/lab/bench.h"

enum { JOIN, STAY };

#define AFTER_PS  (6 * FAL_LAB_MS) /* of the flow that stays, alone again */
#define FAIR_PS   (2 * FAL_LAB_MS) /* after so long, both have their part */
#define ALONE_PS  (1 * FAL_LAB_MS) /* and after so long, the last one has it all */
#define PS_PER_US ((int64_t)FAL_LAB_US)

static uint64_t joins_ps(const struct fal_lab_ask *ask)
{
    return ask->settings[JOIN] * FAL_LAB_US;
}

static uint64_t leaves_ps(const struct fal_lab_ask *ask)
{
    return joins_ps(ask) + ask->settings[STAY] * FAL_LAB_US;
}

uint64_t fal_lab_join_leave_time(const struct fal_lab_ask *ask)
{
    return leaves_ps(ask) + AFTER_PS;
}

/* The first window that begins at or after this time. */
static uint32_t window_from(const struct fal_lab *lab, uint64_t ps)
{
    uint64_t window = (ps + FAL_LAB_WINDOW_PS - 1) / FAL_LAB_WINDOW_PS;
    uint64_t whole = lab->until_ps / FAL_LAB_WINDOW_PS; /* the last one may be cut off */

    return (uint32_t)(window < whole ? window : whole);
}

/* The bytes of the flow that stays, against the rate. */
static double part_of_rate(const struct fal_lab_bench *bench, uint32_t window)
{
    return (double)bench->lab.windows[window] * 8e12 /
           ((double)bench->queues[0].rate_bps * (double)FAL_LAB_WINDOW_PS);
}

/* An ACK of several packets measures the delay seldom, so endpoints swing more than model
 * flows. */
static double swing(const struct fal_lab_ask *ask)
{
    return ask->endpoints ? 0.2 : 0.1;
}

static void fairness(const struct fal_lab_ask *ask, const struct fal_lab_bench *bench,
                     struct fal_lab_outcome *out)
{
    const struct fal_lab *lab = &bench->lab;
    uint32_t joined = window_from(lab, joins_ps(ask)), fair = joined;
    uint32_t settled = window_from(lab, joins_ps(ask) + FAIR_PS);
    uint32_t end = window_from(lab, leaves_ps(ask));
    double least = 1, most = 0;

    for (uint32_t w = joined; w < end; w++) {
        double share = fal_lab_share(lab, 1, w);

        if (share < 0.5 - swing(ask) || share > 0.5 + swing(ask))
            fair = w + 1;
        if (w >= settled && share < least)
            least = share;
        if (w >= settled && share > most)
            most = share;
    }
    fal_lab_value_add(out, "equal shares after joining", "us",
                      (int64_t)((fair - joined) * FAL_LAB_WINDOW_PS / FAL_LAB_US) * 1000);
    fal_lab_value_band(out, 0, (int64_t)FAIR_PS / PS_PER_US * 1000);
    if (settled >= end)
        return;
    fal_lab_value_add(out, "smallest share after 2 ms", "", fal_lab_milli(least));
    fal_lab_value_band(out, fal_lab_milli(0.5 - swing(ask)), INT64_MAX);
    fal_lab_value_add(out, "largest share after 2 ms", "", fal_lab_milli(most));
    fal_lab_value_band(out, 0, fal_lab_milli(0.5 + swing(ask)));
}

static void recovery(const struct fal_lab_ask *ask, const struct fal_lab_bench *bench,
                     struct fal_lab_outcome *out)
{
    const struct fal_lab *lab = &bench->lab;
    uint32_t left = window_from(lab, leaves_ps(ask)), alone = left;
    uint32_t end = window_from(lab, lab->until_ps);

    if (left >= end)
        return;
    for (uint32_t w = left; w < end; w++)
        if (part_of_rate(bench, w) < 0.9)
            alone = w + 1;
    fal_lab_value_add(out, "0.9 of the rate after leaving", "us",
                      (int64_t)((alone - left) * FAL_LAB_WINDOW_PS / FAL_LAB_US) * 1000);
    fal_lab_value_band(out, 0, (int64_t)ALONE_PS / PS_PER_US * 1000);
}

int fal_lab_join_leave(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct fal_lab_bench *bench = fal_lab_bench_new(ask, FAL_LAB_MS);
    int rc;

    if (bench == NULL)
        return FAL_ERR_MEM;
    bench->lab.flows[1].config.start_ps += joins_ps(ask);
    bench->lab.flows[1].config.stop_ps = leaves_ps(ask);
    rc = fal_lab_bench_run(bench, out);
    if (rc != 0) {
        fal_lab_bench_free(bench);
        return rc;
    }
    fairness(ask, bench, out);
    recovery(ask, bench, out);
    fal_lab_value_add(out, "utilisation", "", fal_lab_milli(fal_lab_bench_utilisation(bench)));
    fal_lab_value_band(out, 950, INT64_MAX);
    fal_lab_value_add(out, "queueing delay, p99", "us",
                      fal_lab_milli(fal_lab_bench_waited_us(bench, 990)));
    fal_lab_bench_counts(bench, out);
    fal_lab_bench_free(bench);
    return rc;
}
