/* SPDX-License-Identifier: Apache-2.0
 * logic_lab.c - `talon logic lab`: flows of one logic from as many hosts share one bottleneck.
 */
#include "harness/logic/logic_run.h"

#include "reports/base/status.h"

#include <inttypes.h>
#include <stdio.h>

enum { QUEUE_SEGMENTS = 200, PAUSE_SEGMENTS = 150, PERCENT = 100 };

static const struct fal_dcqcn marks = {
    .kmin_bytes = 5000, .kmax_bytes = 200000, .pmax_ppm = 10000};

static struct fal_logic_bench_config config_of(const struct tl_logic_command *c,
                                               const struct tl_logic_plan *plan)
{
    const struct fal_logic_setup *setup = &plan->setup;

    return (struct fal_logic_bench_config){
        .logic = setup->logic,
        .flow = setup->flow,
        .receiver = setup->receiver,
        .fault = plan->fault,
        .flows = (uint32_t)c->flows,
        .hosts = (uint32_t)c->hosts,
        .bytes = UINT64_MAX,
        .stream = true,
        .seed = c->seed,
        .end_ns = c->time_ns,
        .stop = tl_logic_stop(&plan->subject),
        .net = {.loss_ppm = c->net.loss_ppm,
                .dup_ppm = c->net.dup_ppm,
                .reorder_ppm = c->net.reorder_ppm,
                .jitter_ns = c->net.jitter_ns,
                .reply_loss_ppm = c->net.reply_loss_ppm,
                .delay_ns = c->delay_ns,
                .link_bps = c->rate_bps,
                .queue_bytes = (QUEUE_SEGMENTS + (c->lossless ? (uint32_t)c->flows : 0)) *
                               setup->flow.segment_bytes,
                .kmin_bytes = (uint32_t)marks.kmin_bytes,
                .kmax_bytes = (uint32_t)marks.kmax_bytes,
                .pmax_ppm = marks.pmax_ppm,
                .pause_bytes = c->lossless ? PAUSE_SEGMENTS * setup->flow.segment_bytes : 0,
                .trims = setup->trims},
    };
}

static double mbps(uint64_t bytes, uint64_t ns)
{
    return ns == 0 ? 0 : (double)bytes * 8 * 1000 / (double)ns;
}

/* Throughput of all, the share of the link, Jain's index, the least and the most of one flow.
 */
static void print(const struct fal_logic_bench *bench,
                  const struct fal_logic_bench_config *config)
{
    double sum = 0, squares = 0, least = 0, most = 0;
    uint64_t sent = 0, copies = 0, timeouts = 0, lost = 0, trimmed = 0, marked = 0;

    for (uint32_t i = 0; i < config->flows; i++) {
        const struct fal_logic_flow_count *count = fal_logic_bench_count(bench, i);
        uint64_t ns = config->end_ns > count->start_ns ? config->end_ns - count->start_ns : 0;
        double rate = mbps(count->bytes, ns);

        sum += rate;
        squares += rate * rate;
        least = i == 0 || rate < least ? rate : least;
        most = rate > most ? rate : most;
        sent += count->sent;
        copies += count->copies;
        timeouts += count->timeouts;
        lost += count->lost;
        trimmed += count->trimmed;
        marked += count->marked;
    }
    printf("%s: %" PRIu32 " flows, %.3f ms, bottleneck %.0f Mb/s\n", config->logic->name,
           config->flows, (double)config->end_ns / 1e6, (double)config->net.link_bps / 1e6);
    printf("throughput %.1f Mb/s (%.1f %% of the link); a flow %.2f to %.2f Mb/s, fairness "
           "%.4f\n",
           sum, PERCENT * sum * 1e6 / (double)config->net.link_bps, least, most,
           squares > 0 ? sum * sum / (squares * config->flows) : 0);
    printf("sent %" PRIu64 " segments, %" PRIu64 " of them again (%.2f %%), %" PRIu64
           " timeouts; network lost %" PRIu64 ", trimmed %" PRIu64 ", marked %" PRIu64 "\n",
           sent, copies, sent > 0 ? PERCENT * (double)copies / (double)sent : 0, timeouts, lost,
           trimmed, marked);
}

int tl_logic_lab(const struct tl_logic_command *c)
{
    struct fal_error err = {{0}};
    struct tl_logic_plan plan;
    struct fal_logic_bench_config config;
    struct fal_logic_bench *bench;
    int rc = tl_logic_plan_open(&plan, c, &err);

    if (rc != 0) {
        fprintf(stderr, "talon logic: %s\n", err.text);
        return rc == FAL_ERR_FORM ? TL_STATUS_USAGE : TL_STATUS_ERROR;
    }
    config = config_of(c, &plan);
    bench = fal_logic_bench_new(&config);
    rc = bench != NULL ? fal_logic_bench_run(bench) : FAL_ERR_MEM;
    if (rc != 0)
        rc = fal_fail(&err, rc, "out of memory");
    else
        rc = tl_logic_failed(&plan.subject, &err);
    if (rc != 0)
        fprintf(stderr, "talon logic: %s\n", err.text);
    else
        print(bench, &config);
    fal_logic_bench_free(bench);
    tl_logic_plan_close(&plan);
    return rc != 0 ? TL_STATUS_ERROR : TL_STATUS_PASS;
}
