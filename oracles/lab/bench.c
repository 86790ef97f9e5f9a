/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/bench.h"

#include "oracles/lab/ends.h"
#include "oracles/lab/pacer.h"
#include "oracles/rng.h"

#include <stdlib.h>

/* A sender is so many times as fast as the bottleneck. */
enum { SENDER_SPEED = 4 };

struct fal_lab_bench *fal_lab_bench_new(const struct fal_lab_ask *ask, uint64_t from_ps)
{
    struct fal_lab_bench *bench = calloc(1, sizeof *bench);
    struct fal_lab_flow *flows = calloc(ask->flows, sizeof *flows);
    struct fal_rng rng = fal_rng_split(ask->seed, 1);

    if (bench == NULL || flows == NULL) {
        free(bench);
        free(flows);
        return NULL;
    }
    for (uint32_t i = 0; i < ask->flows; i++)
        flows[i].config = (struct fal_lab_flow_config){
            .bytes = FAL_LAB_PACKET,
            .stages = 1,
            .hops = FAL_LAB_HOPS,
            .start_ps = fal_rng_below(&rng, FAL_LAB_US),
            .stop_ps = FAL_LAB_NEVER,
            .spacing_ps = fal_lab_serial_ps(ask->rate_bps * SENDER_SPEED, FAL_LAB_PACKET),
            .return_ps = FAL_LAB_BASE_PS / 2,
            .entropy = (uint32_t)fal_rng_next(&rng)};
    bench->endpoints = ask->endpoints || ask->foreign != NULL;
    bench->foreign = ask->foreign;
    bench->swift = *ask->swift;
    bench->queues[0] =
        (struct fal_lab_queue){.rate_bps = ask->rate_bps,
                               .ecn_bytes = ask->settings[FAL_LAB_ECN_KB] * UINT64_C(1000),
                               .delay_ps = FAL_LAB_BASE_PS / 2};
    bench->groups[0].count = 1;
    bench->lab =
        (struct fal_lab){.fabric = {.queues = bench->queues,
                                    .groups = bench->groups,
                                    .n_queues = 1,
                                    .n_groups = 1,
                                    .fault = ask->fault},
                         .flows = flows,
                         .n_flows = ask->flows,
                         .policy = {fal_swift_process, &bench->swift},
                         .pacer = ask->pacer,
                         .base_delay_target = (uint32_t)ask->swift->params.base_delay_target,
                         .seed = ask->seed,
                         .from_ps = from_ps < ask->time_ps ? from_ps : ask->time_ps / 2,
                         .until_ps = ask->time_ps,
                         .record = ask->record,
                         .record_ctx = ask->record_ctx};
    return bench;
}

void fal_lab_bench_free(struct fal_lab_bench *bench)
{
    fal_lab_ends_free(bench->ends);
    fal_lab_end(&bench->lab);
    free(bench->lab.flows);
    free(bench);
}

int fal_lab_bench_begin(struct fal_lab_bench *bench)
{
    return bench->endpoints ? fal_lab_ends_begin(bench) : fal_lab_begin(&bench->lab);
}

/* The first error of a player; 0: none. */
static int error_of(const struct fal_lab_bench *bench)
{
    const struct fal_lab_pacer *pacer = bench->lab.pacer;

    return pacer != NULL ? pacer->error(pacer->ctx) : fal_lab_ends_error(bench->ends);
}

int fal_lab_bench_until(struct fal_lab_bench *bench, uint64_t until_ps)
{
    int rc;

    do
        rc = fal_lab_fabric_step(&bench->lab.fabric, until_ps);
    while (rc > 0 && error_of(bench) == 0);
    return rc < 0 ? rc : error_of(bench);
}

struct fal_lab_outcome fal_lab_bench_outcome(const struct fal_lab_bench *bench)
{
    return (struct fal_lab_outcome){.trace = bench->lab.trace,
                                    .events = bench->lab.fabric.heap.order};
}

int fal_lab_bench_run(struct fal_lab_bench *bench, struct fal_lab_outcome *out)
{
    int rc = fal_lab_bench_begin(bench);

    if (rc == 0)
        rc = fal_lab_bench_until(bench, bench->lab.until_ps);
    *out = fal_lab_bench_outcome(bench);
    return rc;
}

void fal_lab_bench_measure(struct fal_lab_bench *bench)
{
    for (uint32_t i = 0; i < bench->lab.n_flows; i++)
        bench->lab.flows[i].counts.measured_bytes = 0;
    bench->lab.waited = (struct fal_lab_histogram){0};
}

void fal_lab_value_add(struct fal_lab_outcome *out, const char *name, const char *unit,
                       int64_t milli)
{
    if (out->n_values < FAL_LAB_VALUES_MAX)
        out->values[out->n_values++] =
            (struct fal_lab_value){.name = name, .unit = unit, .milli = milli};
}

void fal_lab_count_add(struct fal_lab_outcome *out, const char *name, uint64_t count)
{
    fal_lab_value_add(out, name, "", (int64_t)count * 1000);
    out->values[out->n_values - 1].whole = true;
}

void fal_lab_value_band(struct fal_lab_outcome *out, int64_t least, int64_t most)
{
    struct fal_lab_value *value = &out->values[out->n_values - 1];

    value->banded = true;
    value->least = least;
    value->most = most;
}

bool fal_lab_outside(const struct fal_lab_value *value)
{
    return value->banded && (value->milli < value->least || value->milli > value->most);
}

int64_t fal_lab_milli(double value)
{
    return (int64_t)(value * 1000 + 0.5);
}

double fal_lab_bench_utilisation(const struct fal_lab_bench *bench)
{
    const struct fal_lab *lab = &bench->lab;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < lab->n_flows; i++)
        bytes += lab->flows[i].counts.measured_bytes;
    return (double)bytes * 8e12 /
           ((double)bench->queues[0].rate_bps * (double)(lab->until_ps - lab->from_ps));
}

double fal_lab_bench_waited_us(const struct fal_lab_bench *bench, unsigned permille)
{
    return (double)fal_lab_histogram_quantile(&bench->lab.waited, permille) / FAL_LAB_US;
}

uint64_t fal_lab_bench_marked(const struct fal_lab_bench *bench)
{
    uint64_t marked = 0;

    for (uint32_t i = 0; i < bench->lab.fabric.n_queues; i++)
        marked += bench->queues[i].marked;
    return marked;
}

void fal_lab_marks_add(struct fal_lab_outcome *out, uint64_t marked, uint64_t told)
{
    fal_lab_count_add(out, "ECN marks", marked);
    fal_lab_count_add(out, "ECN marks told by ACKs", told);
}

void fal_lab_bench_foreign(const struct fal_lab_bench *bench, struct fal_lab_outcome *out)
{
    uint32_t foreign = 0, flows = bench->lab.n_flows;
    double bytes = 0, all = 0;

    for (uint32_t i = 0; i < flows; i++) {
        const struct fal_lab_flow *flow = &bench->lab.flows[i];

        foreign += flow->config.foreign;
        all += (double)flow->counts.measured_bytes;
        bytes += flow->config.foreign ? (double)flow->counts.measured_bytes : 0;
    }
    if (foreign == 0 || foreign == flows || all <= 0)
        return;
    fal_lab_value_add(out, "share of the foreign flows", "x mean",
                      fal_lab_milli(bytes / foreign / (all / flows)));
    fal_lab_value_band(out, 700, 1400);
}

void fal_lab_bench_counts(const struct fal_lab_bench *bench, struct fal_lab_outcome *out)
{
    struct fal_lab_counts sum = {0};

    for (uint32_t i = 0; i < bench->lab.n_flows; i++) {
        const struct fal_lab_counts *counts = &bench->lab.flows[i].counts;

        sum.dropped += counts->dropped;
        sum.retransmitted += counts->retransmitted;
        sum.timeouts += counts->timeouts;
        sum.repaths += counts->repaths;
        sum.marks_told += counts->marks_told;
    }
    fal_lab_count_add(out, "drops", sum.dropped);
    fal_lab_count_add(out, "retransmissions", sum.retransmitted);
    fal_lab_count_add(out, "timeouts", sum.timeouts);
    fal_lab_count_add(out, "repaths", sum.repaths);
    if (bench->queues[0].ecn_bytes > 0)
        fal_lab_marks_add(out, fal_lab_bench_marked(bench), sum.marks_told);
}
