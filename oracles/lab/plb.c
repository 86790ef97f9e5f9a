/* SPDX-License-Identifier: Apache-2.0
 * plb.c - L3: one flow with equal paths. An unresponsive load has the whole rate of the first
 * path and keeps a queue there that no window can mend, so only PLB helps. */
#include "oracles/lab/bench.h"
#include "oracles/rng.h"

#include <math.h>

enum { PATHS, QUEUE, RUNS };
enum { FLOW, LOAD };
enum { DRAWS = 3 };

#define QUIET_PS (5 * FAL_LAB_MS) /* on a good path, so long without a draw */

uint64_t fal_lab_plb_time(const struct fal_lab_ask *ask)
{
    (void)ask;
    return 20 * FAL_LAB_MS;
}

/* The result of one run: the path after each draw. */
struct watch {
    const struct fal_lab_ask *ask;
    uint32_t draws, path; /* path: of the flow, now */
    uint64_t good_ps;     /* when it left the loaded path; 0: not yet */
    uint32_t restless;    /* draws on a good path, before QUIET_PS were over */
    bool loaded[DRAWS];   /* after draw k + 1 */
};

struct totals {
    uint64_t first_ps; /* of the latest first draw */
    uint32_t least_rounds, most_rounds, none, restless;
    uint32_t drawn[DRAWS],
        loaded[DRAWS];     /* runs with draw k + 1; on the loaded path after it */
    uint64_t marked, told; /* ECN */
    uint64_t trace, events;
};

static void watched(void *ctx, const struct fal_lab_record *record)
{
    struct watch *w = ctx;

    if (record->note == FAL_LAB_NOTE_PATH && record->index == FLOW && record->at_ps > 0) {
        if (w->draws < DRAWS)
            w->loaded[w->draws] = record->value == 0;
        w->draws++;
        if (w->path != 0 && record->at_ps - w->good_ps < QUIET_PS)
            w->restless++;
        if (w->path == 0 && record->value != 0)
            w->good_ps = record->at_ps;
        w->path = (uint32_t)record->value;
    }
    if (w->ask->record != NULL)
        w->ask->record(w->ask->record_ctx, record);
}

/* Group 0 has all paths, group 1 the first one alone. */
static void set_up(const struct fal_lab_ask *ask, struct fal_lab_bench *bench)
{
    struct fal_rng rng = fal_rng_split(ask->seed, 2);
    struct fal_lab_flow_config *flow = &bench->lab.flows[FLOW].config;
    struct fal_lab_flow_config *load = &bench->lab.flows[LOAD].config;
    uint64_t serial = fal_lab_serial_ps(ask->rate_bps, FAL_LAB_PACKET);

    for (uint32_t i = 1; i < ask->settings[PATHS]; i++)
        bench->queues[i] = bench->queues[0];
    bench->groups[0] = (struct fal_lab_group){0, ask->settings[PATHS]};
    bench->groups[1] = (struct fal_lab_group){0, 1};
    bench->lab.fabric.n_queues = ask->settings[PATHS];
    bench->lab.fabric.n_groups = 2;
    bench->lab.fabric.seed = ask->seed; /* as fal_lab_begin sets it: it decides the paths */
    do
        flow->entropy = (uint32_t)fal_rng_next(&rng);
    while (fal_lab_fabric_path(&bench->lab.fabric, 0, flow->entropy) != 0);
    load->groups[0] = 1;
    load->unresponsive = true;
    load->start_ps = 0;
    load->spacing_ps = serial;
    load->burst = (uint32_t)(ask->settings[QUEUE] * FAL_LAB_US / serial);
}

static void add(struct totals *t, const struct fal_lab_bench *bench, const struct watch *w)
{
    const struct fal_lab_counts *counts = &bench->lab.flows[FLOW].counts;

    t->trace = (t->trace ^ bench->lab.trace) * UINT64_C(0x100000001b3);
    t->events += bench->lab.fabric.heap.order;
    t->marked += fal_lab_bench_marked(bench);
    t->told += counts->marks_told;
    t->restless += w->restless;
    t->none += counts->repaths == 0;
    if (counts->repaths == 0)
        return;
    if (counts->first_repath_ps > t->first_ps)
        t->first_ps = counts->first_repath_ps;
    if (counts->rounds < t->least_rounds)
        t->least_rounds = counts->rounds;
    if (counts->rounds > t->most_rounds)
        t->most_rounds = counts->rounds;
    for (uint32_t k = 0; k < DRAWS && k < w->draws; k++) {
        t->drawn[k]++;
        t->loaded[k] += w->loaded[k];
        if (!w->loaded[k])
            break;
    }
}

static int one_run(const struct fal_lab_ask *asked, uint32_t run, struct totals *t)
{
    struct fal_lab_ask ask = *asked;
    struct watch w = {.ask = asked};
    struct watch quiet = {.ask = &ask};
    struct fal_lab_bench *bench;
    struct fal_lab_outcome out;
    int rc;

    ask.flows = 2;
    ask.seed += run;
    ask.record = NULL;
    bench = fal_lab_bench_new(&ask, 0);
    if (bench == NULL)
        return FAL_ERR_MEM;
    set_up(&ask, bench);
    /* Plots show the first run. */
    bench->lab.record = watched;
    bench->lab.record_ctx = run == 0 ? &w : &quiet;
    rc = fal_lab_bench_run(bench, &out);
    add(t, bench, run == 0 ? &w : &quiet);
    fal_lab_bench_free(bench);
    return rc;
}

/* Each draw gives each path with the same probability: so many of `n` runs are still on the
 * loaded path, within three standard deviations. */
static void chance_band(struct fal_lab_outcome *out, uint32_t n, uint32_t paths)
{
    double mean = (double)n / paths, deviation = sqrt(mean * (1 - 1.0 / paths));
    double least = ceil(mean - 3 * deviation), most = floor(mean + 3 * deviation);

    fal_lab_value_band(out, least > 0 ? (int64_t)least * 1000 : 0,
                       (int64_t)(most < n ? most : n) * 1000);
}

static void values(const struct fal_lab_ask *ask, const struct totals *t,
                   struct fal_lab_outcome *out)
{
    static const char *const names[DRAWS][2] = {
        {"runs with draw 1", "on the loaded path after draw 1"},
        {"runs with draw 2", "on the loaded path after draw 2"},
        {"runs with draw 3", "on the loaded path after draw 3"}};
    int64_t threshold = (int64_t)ask->swift->params.plb_attempt_threshold;

    fal_lab_count_add(out, "runs without a draw", t->none);
    fal_lab_value_band(out, 0, 0);
    if (t->most_rounds > 0) {
        fal_lab_count_add(out, "rounds before the first draw, least", t->least_rounds);
        fal_lab_value_band(out, threshold * 1000, INT64_MAX);
        fal_lab_count_add(out, "rounds before the first draw, most", t->most_rounds);
        fal_lab_value_band(out, 0, (threshold + 1) * 1000);
        fal_lab_value_add(out, "first draw, latest", "us",
                          fal_lab_milli((double)t->first_ps / FAL_LAB_US));
    }
    for (unsigned k = 0; k < DRAWS && t->drawn[k] > 0; k++) {
        fal_lab_count_add(out, names[k][0], t->drawn[k]);
        fal_lab_count_add(out, names[k][1], t->loaded[k]);
        chance_band(out, t->drawn[k], ask->settings[PATHS]);
    }
    fal_lab_count_add(out, "draws within 5 ms of a good path", t->restless);
    fal_lab_value_band(out, 0, 0);
    if (ask->settings[FAL_LAB_ECN_KB] > 0)
        fal_lab_marks_add(out, t->marked, t->told);
}

int fal_lab_plb(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct totals t = {.least_rounds = UINT32_MAX};
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < ask->settings[RUNS]; i++)
        rc = one_run(ask, i, &t);
    *out = (struct fal_lab_outcome){.trace = t.trace, .events = t.events};
    values(ask, &t, out);
    return rc;
}
