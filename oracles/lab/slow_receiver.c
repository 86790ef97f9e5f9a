/* SPDX-License-Identifier: Apache-2.0
 * slow_receiver.c - L5: the receiver is slower than the fabric, and has a buffer. */
#include "oracles/lab/bench.h"

enum { DRAIN, BUFFER };

/* The level may be so far from its target; NACKs must have ended after so many round trips. */
enum { LEVELS = 4, ROUND_TRIPS = 10 };

#define MEASURED_PS  (3 * FAL_LAB_MS)
#define SETTLED_MOST (2000 * FAL_LAB_MS)

/* Of a packet, at the receiver. */
static uint64_t drain_ps(const struct fal_lab_ask *ask)
{
    return fal_lab_serial_ps(ask->rate_bps, FAL_LAB_PACKET) * ask->flows * 100 /
           ask->settings[DRAIN];
}

/* With a full buffer. */
static uint64_t round_trip_ps(const struct fal_lab_ask *ask)
{
    return FAL_LAB_BASE_PS + ask->settings[BUFFER] * drain_ps(ask);
}

/* ncwnd grows by one in a round trip, until it fills half of the buffer. */
static uint64_t settled_ps(const struct fal_lab_ask *ask)
{
    uint64_t settled = round_trip_ps(ask) * (ROUND_TRIPS + ask->settings[BUFFER] / 2);

    return settled < SETTLED_MOST ? settled : SETTLED_MOST;
}

uint64_t fal_lab_slow_receiver_time(const struct fal_lab_ask *ask)
{
    uint64_t measured = 20 * round_trip_ps(ask);

    measured = measured > MEASURED_PS ? measured : MEASURED_PS;
    /* In whole milliseconds. */
    return (settled_ps(ask) + measured + FAL_LAB_MS - 1) / FAL_LAB_MS * FAL_LAB_MS;
}

static void level(const struct fal_lab_ask *ask, const struct fal_lab_bench *bench,
                  struct fal_lab_outcome *out, const char *name, unsigned permille)
{
    int64_t target = (int64_t)(ask->swift->params.target_rx_buffer_level * 1000);
    int64_t found = (int64_t)fal_lab_histogram_quantile(&bench->levels, permille) * 1000;

    fal_lab_value_add(out, name, "", found);
    out->values[out->n_values - 1].whole = true;
    fal_lab_value_band(out, target > LEVELS * 1000 ? target - LEVELS * 1000 : 0,
                       target + LEVELS * 1000);
}

static void refusals(const struct fal_lab_bench *bench, uint64_t trip_ps,
                     struct fal_lab_outcome *out)
{
    uint64_t refused = 0, last = 0;

    for (uint32_t i = 0; i < bench->lab.n_flows; i++) {
        const struct fal_lab_flow *flow = &bench->lab.flows[i];

        refused += flow->counts.refused;
        if (flow->counts.refused > 0 &&
            flow->counts.last_refused_ps - flow->config.start_ps > last)
            last = flow->counts.last_refused_ps - flow->config.start_ps;
    }
    fal_lab_count_add(out, "resource NACKs", refused);
    fal_lab_value_add(out, "last NACK after", "round trips",
                      fal_lab_milli((double)last / (double)trip_ps));
    fal_lab_value_band(out, 0, ROUND_TRIPS * 1000);
}

/* Packets that the receivers took, against what they can take. */
static double use(const struct fal_lab_ask *ask, const struct fal_lab_bench *bench)
{
    const struct fal_lab *lab = &bench->lab;
    double can = (double)(lab->until_ps - lab->from_ps) / (double)drain_ps(ask);
    uint64_t taken = 0;

    for (uint32_t i = 0; i < lab->n_flows; i++)
        taken += lab->flows[i].counts.measured_taken;
    return (double)taken / (can * lab->n_flows);
}

int fal_lab_slow_receiver(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct fal_lab_bench *bench = fal_lab_bench_new(ask, settled_ps(ask));
    int rc;

    if (bench == NULL)
        return FAL_ERR_MEM;
    for (uint32_t i = 0; i < ask->flows; i++) {
        bench->lab.flows[i].config.drain_ps = drain_ps(ask);
        bench->lab.flows[i].config.buffer = ask->settings[BUFFER];
        bench->lab.flows[i].levels = &bench->levels;
    }
    rc = fal_lab_bench_run(bench, out);
    if (rc != 0) {
        fal_lab_bench_free(bench);
        return rc;
    }
    level(ask, bench, out, "level of the buffer, median", 500);
    level(ask, bench, out, "level of the buffer, p1", 10);
    level(ask, bench, out, "level of the buffer, p99", 990);
    refusals(bench, round_trip_ps(ask), out);
    fal_lab_value_add(out, "use of the receiver", "", fal_lab_milli(use(ask, bench)));
    fal_lab_value_band(out, 950, INT64_MAX);
    fal_lab_value_add(out, "queueing delay, p99", "us",
                      fal_lab_milli(fal_lab_bench_waited_us(bench, 990)));
    fal_lab_bench_foreign(bench, out);
    fal_lab_bench_counts(bench, out);
    fal_lab_bench_free(bench);
    return rc;
}
