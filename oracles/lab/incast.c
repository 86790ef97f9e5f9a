/* SPDX-License-Identifier: Apache-2.0
 * incast.c - L1: N flows that begin together share a bottleneck. */
#include "oracles/lab/bench.h"
#include "oracles/lab/theory.h"

enum { BUFFER = 1000000 };

#define AFTER_LOSS_PS (10 * FAL_LAB_MS)

/* The packets of 512 windows at the beginning are a queue of 5.4 ms. */
static uint64_t settled_ps(uint32_t flows)
{
    return (flows > 128 ? 12 : 5) * FAL_LAB_MS;
}

uint64_t fal_lab_incast_time(const struct fal_lab_ask *ask)
{
    return settled_ps(ask->flows) + 13 * FAL_LAB_MS;
}

/* The median may be so far from that of the theory, in percent. With few packets in a window
 * the windows are no longer whole numbers of packets. */
static void median_band(struct fal_lab_outcome *out, uint32_t flows, double queue_ps)
{
    int least = flows <= 8 ? 85 : 75;
    int most = flows <= 8 ? 115 : flows <= 32 ? 125 : flows <= 128 ? 140 : 175;

    fal_lab_value_band(out, fal_lab_milli(queue_ps * least / 100 / FAL_LAB_US),
                       fal_lab_milli(queue_ps * most / 100 / FAL_LAB_US));
}

/* A flow that has lost several packets may be at its least window for 8 ms. */
uint64_t fal_lab_incast_loss_time(const struct fal_lab_ask *ask)
{
    (void)ask;
    return AFTER_LOSS_PS + 13 * FAL_LAB_MS;
}

/* Beyond 128 flows a window is below one packet: a flow sends some 80 packets while it is
 * measured, and its share varies by chance. */
static void shares(const struct fal_lab *lab, struct fal_lab_outcome *out)
{
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    bool many = lab->n_flows > 128;

    for (uint32_t i = 0; i < lab->n_flows; i++) {
        uint64_t bytes = lab->flows[i].counts.measured_bytes;

        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
        sum += bytes;
    }
    if (sum == 0)
        return;
    fal_lab_value_add(out, "smallest share", "x mean",
                      (int64_t)(least * lab->n_flows * 1000 / sum));
    fal_lab_value_band(out, many ? 350 : 700, INT64_MAX);
    fal_lab_value_add(out, "largest share", "x mean",
                      (int64_t)(most * lab->n_flows * 1000 / sum));
    fal_lab_value_band(out, 0, many ? 1800 : 1400);
}

static void values(const struct fal_lab_ask *ask, const struct fal_lab_bench *bench,
                   struct fal_lab_outcome *out)
{
    const struct fal_lab_case c = {.flows = ask->flows,
                                   .bytes = FAL_LAB_PACKET,
                                   .rate_bps = ask->rate_bps,
                                   .base_ps = FAL_LAB_BASE_PS,
                                   .hops = FAL_LAB_HOPS};
    const struct fal_lab_rest rest = fal_lab_theory(ask->swift, &c);
    const struct fal_lab *lab = &bench->lab;
    uint64_t p50 = fal_lab_histogram_quantile(&lab->waited, 500);
    uint64_t p99 = fal_lab_histogram_quantile(&lab->waited, 990);

    fal_lab_value_add(out, "utilisation", "", fal_lab_milli(fal_lab_bench_utilisation(bench)));
    fal_lab_value_band(out, 950, INT64_MAX);
    fal_lab_value_add(out, "queueing delay, median", "us",
                      fal_lab_milli((double)p50 / FAL_LAB_US));
    if (rest.interior)
        median_band(out, ask->flows, rest.queue_ps);
    fal_lab_value_add(out, "queueing delay, p99", "us",
                      fal_lab_milli((double)p99 / FAL_LAB_US));
    fal_lab_value_band(out, 0, fal_lab_milli(2 * (double)p50 / FAL_LAB_US));
    fal_lab_value_add(out, "Jain's index", "",
                      fal_lab_milli(fal_lab_jain(lab, 0, lab->n_flows)));
    fal_lab_value_band(out, ask->flows <= 128 ? 950 : 900, INT64_MAX);
    shares(lab, out);
    fal_lab_bench_foreign(bench, out);
    fal_lab_bench_counts(bench, out);
}

int fal_lab_incast(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct fal_lab_bench *bench = fal_lab_bench_new(ask, settled_ps(ask->flows));
    int rc;

    if (bench == NULL)
        return FAL_ERR_MEM;
    rc = fal_lab_bench_run(bench, out);
    if (rc != 0) {
        fal_lab_bench_free(bench);
        return rc;
    }
    values(ask, bench, out);
    fal_lab_bench_free(bench);
    return rc;
}

int fal_lab_incast_loss(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct fal_lab_bench *bench = fal_lab_bench_new(ask, AFTER_LOSS_PS);
    uint64_t last = 0;
    int rc;

    if (bench == NULL)
        return FAL_ERR_MEM;
    bench->queues[0].limit_bytes = BUFFER;
    rc = fal_lab_bench_run(bench, out);
    if (rc != 0) {
        fal_lab_bench_free(bench);
        return rc;
    }
    values(ask, bench, out);
    for (uint32_t i = 0; i < ask->flows; i++)
        if (bench->lab.flows[i].counts.last_drop_ps > last)
            last = bench->lab.flows[i].counts.last_drop_ps;
    fal_lab_value_add(out, "last drop at", "ms", fal_lab_milli((double)last / FAL_LAB_MS));
    fal_lab_value_band(out, 0, 10000);
    fal_lab_bench_free(bench);
    return rc;
}
