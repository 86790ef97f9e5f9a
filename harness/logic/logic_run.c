/* SPDX-License-Identifier: Apache-2.0
 * logic_run.c - `talon logic run`: random transfers of one logic, and their events as lines of
 * JSON. */
#include "harness/logic/logic_run.h"

#include "harness/logic/logic_json.h"
#include "oracles/logic/transfer.h"
#include "reports/base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 20 }; /* transfers that have a line each */

struct run {
    const struct tl_logic_command *c;
    const struct tl_logic_judge *judge;
    FILE *events;
    bool write_failed;
    uint32_t flow;             /* of the transfer that runs */
    uint64_t start_ns, number; /* where it begins in the time and count of all */
    uint64_t last_ns;
    struct fal_logic_flow_count total;
    uint64_t complete, given_up;
};

static void write_line(struct run *run, json_t *object)
{
    run->write_failed |= object == NULL || json_dumpf(object, run->events, JSON_COMPACT) != 0 ||
                         fputc('\n', run->events) == EOF;
    json_decref(object);
}

static void take(void *ctx, const struct fal_tp_event *event)
{
    struct run *run = ctx;
    struct fal_tp_event mine = *event;

    mine.flow = run->flow;
    mine.at_ns += run->start_ns;
    mine.number = ++run->number;
    run->last_ns = mine.at_ns;
    if (run->events != NULL)
        write_line(run, tl_logic_event_json(&mine));
    if (run->judge != NULL)
        run->judge->event(run->judge->ctx, &mine);
}

static void print_one(const struct run *run, const struct fal_logic_transfer *t,
                      const struct fal_logic_outcome *out)
{
    const struct fal_logic_flow_count *count = &out->count;

    printf("transfer %" PRIu32 ": %s, %" PRIu64 " bytes in %" PRIu64 " us, sent %" PRIu64
           " segments, %" PRIu64 " of them again, %" PRIu64 " timeouts, network lost %" PRIu64
           ", trimmed %" PRIu64 ", marked %" PRIu64 "\n",
           run->flow,
           count->done       ? "complete"
           : count->given_up ? "given up"
                             : "not complete",
           t->bytes, (count->done ? count->done_ns : out->end_ns) / 1000, count->sent,
           count->copies, count->timeouts, count->lost, count->trimmed, count->marked);
}

static void add(struct run *run, const struct fal_logic_flow_count *count)
{
    run->complete += count->done;
    run->given_up += count->given_up;
    run->total.sent += count->sent;
    run->total.copies += count->copies;
    run->total.timeouts += count->timeouts;
    run->total.lost += count->lost;
    run->total.trimmed += count->trimmed;
    run->total.marked += count->marked;
}

static int transfer(struct run *run, const struct tl_logic_plan *plan, struct fal_error *err)
{
    const struct tl_logic_command *c = run->c;
    struct fal_logic_transfer t = {.setup = plan->setup,
                                   .fault = plan->fault,
                                   .seed = c->seed + run->flow,
                                   .sink = {take, run},
                                   .stop = tl_logic_stop(&plan->subject)};
    struct fal_logic_outcome out;
    struct fal_tp_row row;
    uint64_t end_ns;
    int rc = 0;

    fal_logic_transfer_random(&t);
    if (c->net_given)
        t.net = c->net;
    if (c->net_given || c->delay_given)
        t.net.delay_ns = c->delay_ns;
    if (c->bytes != 0)
        t.bytes = c->bytes;
    fal_logic_setup_row(&t.setup, &row);
    if (run->events != NULL)
        write_line(run, json_pack("{s:I, s:o}", "flow", (json_int_t)run->flow, "transport",
                                  tl_logic_row_json(&row)));
    if (run->judge != NULL)
        rc = run->judge->begin(run->judge->ctx, run->flow, &row, err);
    if (rc == 0 && fal_logic_transfer_run(&t, &out) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (rc == 0)
        rc = tl_logic_failed(&plan->subject, err);
    if (rc != 0)
        return rc;
    end_ns = run->start_ns + out.end_ns;
    if (run->events != NULL)
        write_line(run, json_pack("{s:I, s:I}", "flow", (json_int_t)run->flow, "end_ns",
                                  (json_int_t)end_ns));
    if (run->judge != NULL)
        run->judge->end(run->judge->ctx, run->flow, end_ns);
    run->start_ns = end_ns;
    add(run, &out.count);
    if (c->count <= LINES_MAX && !c->quiet)
        print_one(run, &t, &out);
    return 0;
}

static int all_transfers(struct run *run, const struct tl_logic_plan *plan,
                         struct fal_error *err)
{
    int rc = 0;

    for (; run->flow < run->c->count && rc == 0; run->flow++)
        rc = transfer(run, plan, err);
    if (rc == 0 && run->write_failed)
        rc = fal_fail(err, FAL_ERR_IO, "--events: cannot write %s", run->c->events);
    return rc;
}

static int open_events(struct run *run, struct fal_error *err)
{
    if (run->c->events == NULL)
        return 0;
    run->events = strcmp(run->c->events, "-") == 0 ? stdout : fopen(run->c->events, "we");
    return run->events != NULL
               ? 0
               : fal_fail(err, FAL_ERR_IO, "--events: cannot write %s: %s", run->c->events,
                          strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
}

static void print_total(const struct run *run, const struct tl_logic_plan *plan)
{
    const struct tl_logic_command *c = run->c;

    printf("%s%s%s: %" PRIu64 " of %" PRIu64 " transfers complete, %" PRIu64
           " given up; sent %" PRIu64 " segments, %" PRIu64 " of them again, %" PRIu64
           " timeouts; network lost %" PRIu64 ", trimmed %" PRIu64 ", marked %" PRIu64
           "; seed %" PRIu64 "\n",
           plan->subject.logic->name, c->fault != NULL ? " with fault " : "",
           c->fault != NULL ? c->fault : "", run->complete, c->count, run->given_up,
           run->total.sent, run->total.copies, run->total.timeouts, run->total.lost,
           run->total.trimmed, run->total.marked, c->seed);
}

int tl_logic_run(const struct tl_logic_command *c, const struct tl_logic_judge *judge)
{
    struct run run = {.c = c, .judge = judge};
    struct fal_error err = {{0}};
    struct tl_logic_plan plan;
    int rc = tl_logic_plan_open(&plan, c, &err);

    if (rc != 0) {
        fprintf(stderr, "talon logic: %s\n", err.text);
        return rc == FAL_ERR_FORM ? TL_STATUS_USAGE : TL_STATUS_ERROR;
    }
    rc = open_events(&run, &err);
    if (rc == 0)
        rc = all_transfers(&run, &plan, &err);
    if (run.events != NULL && run.events != stdout && fclose(run.events) != 0 && rc == 0)
        rc = fal_fail(&err, FAL_ERR_IO, "--events: cannot write %s", c->events);
    if (rc == 0 && run.events != stdout)
        print_total(&run, &plan);
    tl_logic_plan_close(&plan);
    if (rc != 0) {
        fprintf(stderr, "talon logic: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    if (judge != NULL)
        return judge->report(judge->ctx);
    return run.complete == c->count ? TL_STATUS_PASS : TL_STATUS_FAIL;
}
