/* SPDX-License-Identifier: Apache-2.0
 * logic_engine.c - `talon logic engine`: flows of one logic in the cycle model of a NIC, with a
 * path whose end acknowledges each segment. Prints how far the link is filled. */
#include "codecs/base/nearest.h"
#include "harness/logic/logic_run.h"
#include "oracles/logic/engine.h"
#include "reports/base/status.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS_MAX = 8, SEGMENT = 128, BURST = 4 * SEGMENT, DELAY_MAX_NS = 100000 };

struct reply_at {
    bool due;
    uint32_t flow;
    struct fal_logic_reply reply;
};

struct engine_run {
    struct fal_logic_engine *engine;
    const struct tl_logic_engine_judge *judge;
    uint32_t *cum;         /* of each flow */
    struct reply_at *back; /* by cycle, a ring of `round_trip` */
    uint64_t round_trip, bytes, addresses, merges, dropped, longest, most_ring;
};

/* The path loses nothing and keeps the order, so each segment is the expected one or a copy. */
static void transmit(void *ctx, uint32_t flow, const struct fal_logic_packet *packet)
{
    struct engine_run *run = ctx;
    struct reply_at *at = &run->back[fal_logic_engine_cycle(run->engine) % run->round_trip];

    run->bytes += packet->bytes;
    run->addresses++;
    if (packet->id == run->cum[flow])
        run->cum[flow]++;
    *at = (struct reply_at){
        true, flow, {.has_cum = true, .cum = run->cum[flow], .grant = run->addresses}};
}

static void observe(void *ctx, const struct fal_en_event *event)
{
    struct engine_run *run = ctx;

    if (event->kind == FAL_EN_MERGE) {
        run->merges++;
        run->dropped += event->merge->timeout_dropped;
    }
    if (event->kind == FAL_EN_TRANSMIT && event->cycle - event->since > run->longest)
        run->longest = event->cycle - event->since;
    if (event->kind == FAL_EN_STATE && event->outstanding > run->most_ring)
        run->most_ring = event->outstanding;
    if (run->judge != NULL)
        run->judge->event(run->judge->ctx, event);
}

static int fault_of(const char *id, enum fal_logic_engine_fault *fault, struct fal_error *err)
{
    size_t n;
    const struct fal_logic_engine_fault_row *rows = fal_logic_engine_faults(&n);
    const char *names[FAULTS_MAX];

    *fault = FAL_LOGIC_ENGINE_SOUND;
    for (size_t i = 0; i < n && i < FAULTS_MAX; i++) {
        names[i] = rows[i].id;
        if (id != NULL && strcmp(id, rows[i].id) == 0)
            *fault = rows[i].fault;
    }
    if (id == NULL || *fault != FAL_LOGIC_ENGINE_SOUND)
        return 0;
    return fal_fail(err, FAL_ERR_FORM,
                    "--fault: the engine has no fault '%.60s'%s; see talon logic list", id,
                    fal_hint(fal_nearest(id, names, n), "").text);
}

static int cycle(struct engine_run *run, uint32_t flows)
{
    uint64_t now = fal_logic_engine_cycle(run->engine);
    struct reply_at *at = &run->back[now % run->round_trip];
    int rc = at->due ? fal_logic_engine_feedback(run->engine, at->flow, &at->reply) : 0;

    assert(flows > 0);
    at->due = false;
    while (fal_logic_engine_post(run->engine, (uint32_t)(now % flows), SEGMENT)) {
    }
    return rc != 0 ? rc : fal_logic_engine_step(run->engine);
}

static int play(struct engine_run *run, const struct tl_logic_command *c,
                const struct tl_logic_plan *plan, struct fal_error *err)
{
    const bool *stop = tl_logic_stop(&plan->subject);
    struct fal_logic_engine_config config = {.logic = plan->setup.logic,
                                             .flow = plan->setup.flow,
                                             .setup = fal_logic_engine_usual(),
                                             .sink = {observe, run},
                                             .transmit = transmit,
                                             .ctx = run};
    uint64_t cycles = c->time_ns / config.setup.cycle_ns;
    int rc = fault_of(c->fault, &config.fault, err);

    if (rc == 0 && c->delay_ns > DELAY_MAX_NS)
        rc = fal_fail(err, FAL_ERR_FORM, "engine: --delay is at most 100us");
    if (rc != 0)
        return rc;
    config.flow.segment_bytes = SEGMENT;
    config.flow.burst_bytes = BURST;
    config.flow.max_window = FAL_LOGIC_WINDOW;
    config.flow.line_rate_bps = c->rate_bps;
    config.setup.burst_bytes = BURST;
    config.setup.flows = (uint32_t)c->flows;
    run->round_trip = 2 * c->delay_ns / config.setup.cycle_ns + 1;
    run->cum = calloc(c->flows, sizeof *run->cum);
    run->back = calloc(run->round_trip, sizeof *run->back);
    run->engine = fal_logic_engine_new(&config);
    if (run->cum == NULL || run->back == NULL || run->engine == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (run->judge != NULL)
        rc = run->judge->begin(run->judge->ctx, &config.setup, err);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < config.setup.flows; i++)
        fal_logic_engine_add(run->engine, i, 0);
    for (uint64_t i = 0; i < cycles && rc == 0 && (stop == NULL || !*stop); i++)
        rc = cycle(run, config.setup.flows);
    if (rc != 0)
        return fal_fail(err, rc, "out of memory");
    return tl_logic_failed(&plan->subject, err);
}

static void print(const struct engine_run *run, const struct tl_logic_command *c,
                  const struct tl_logic_plan *plan)
{
    printf("%s: %" PRIu64 " flows of %d-byte segments, %" PRIu64 " cycles of 10 ns\n",
           plan->subject.logic->name, c->flows, SEGMENT, c->time_ns / 10);
    printf(
        "throughput %.2f Gb/s; %.4f addresses a cycle; longest way through the engine %" PRIu64
        " cycles, fullest ring %" PRIu64 "\n",
        (double)run->bytes * 8 / (double)c->time_ns,
        (double)run->addresses * 10 / (double)c->time_ns, run->longest, run->most_ring);
    printf("%" PRIu64 " merges, %" PRIu64 " timeouts dropped in them\n", run->merges,
           run->dropped);
}

int tl_logic_engine(const struct tl_logic_command *c, const struct tl_logic_engine_judge *judge)
{
    struct engine_run run = {.judge = judge};
    struct tl_logic_command without = *c;
    struct fal_error err = {{0}};
    struct tl_logic_plan plan;
    int rc;

    without.fault = NULL; /* it is the engine's */
    rc = tl_logic_plan_open(&plan, &without, &err);
    if (rc == 0) {
        rc = play(&run, c, &plan, &err);
        if (rc == 0)
            print(&run, c, &plan);
        tl_logic_plan_close(&plan);
    }
    fal_logic_engine_free(run.engine);
    free(run.back);
    free(run.cum);
    if (rc != 0) {
        fprintf(stderr, "talon logic: %s\n", err.text);
        return rc == FAL_ERR_FORM ? TL_STATUS_USAGE : TL_STATUS_ERROR;
    }
    return judge != NULL ? judge->report(judge->ctx) : TL_STATUS_PASS;
}
