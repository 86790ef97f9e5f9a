/* SPDX-License-Identifier: Apache-2.0
 * mixed_rtt.c - L6: flows with a short and with a long round trip share a bottleneck. */
#include "oracles/lab/bench.h"

enum { NEAR, FAR };

#define SETTLED_PS (8 * FAL_LAB_MS)

uint64_t fal_lab_mixed_rtt_time(const struct fal_lab_ask *ask)
{
    (void)ask;
    return SETTLED_PS + 12 * FAL_LAB_MS;
}

int fal_lab_mixed_rtt(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct fal_lab_bench *bench = fal_lab_bench_new(ask, SETTLED_PS);
    uint32_t half = (ask->flows + 1) / 2;
    double near = 0, far = 0;
    int rc;

    if (bench == NULL)
        return FAL_ERR_MEM;
    for (uint32_t i = 0; i < ask->flows; i++)
        bench->lab.flows[i].config.return_ps =
            ask->settings[i < half ? NEAR : FAR] * FAL_LAB_US - bench->queues[0].delay_ps;
    rc = fal_lab_bench_run(bench, out);
    if (rc != 0) {
        fal_lab_bench_free(bench);
        return rc;
    }
    for (uint32_t i = 0; i < ask->flows; i++)
        *(i < half ? &near : &far) += (double)bench->lab.flows[i].counts.measured_bytes;
    if (near > 0 && ask->flows > half)
        fal_lab_value_add(out, "share of a far flow to a near one", "x",
                          fal_lab_milli(far / (ask->flows - half) / (near / half)));
    fal_lab_value_add(out, "utilisation", "", fal_lab_milli(fal_lab_bench_utilisation(bench)));
    fal_lab_value_band(out, 950, INT64_MAX);
    fal_lab_value_add(out, "queueing delay, median", "us",
                      fal_lab_milli(fal_lab_bench_waited_us(bench, 500)));
    fal_lab_value_add(out, "queueing delay, p99", "us",
                      fal_lab_milli(fal_lab_bench_waited_us(bench, 990)));
    fal_lab_value_add(out, "Jain's index of the near flows", "",
                      fal_lab_milli(fal_lab_jain(&bench->lab, 0, half)));
    fal_lab_value_band(out, ask->flows <= 128 ? 950 : 900, INT64_MAX);
    if (ask->flows > half) {
        fal_lab_value_add(out, "Jain's index of the far flows", "",
                          fal_lab_milli(fal_lab_jain(&bench->lab, half, ask->flows)));
        fal_lab_value_band(out, ask->flows <= 128 ? 950 : 900, INT64_MAX);
    }
    fal_lab_bench_foreign(bench, out);
    fal_lab_bench_counts(bench, out);
    fal_lab_bench_free(bench);
    return rc;
}
