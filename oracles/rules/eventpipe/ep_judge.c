/* SPDX-License-Identifier: Apache-2.0
 * ep_judge.c - takes the lines of a trace, all of one time together: those of sources and
 * queues go before the others, and checks that a later line of the same time may still explain
 * wait for its end (ep_judge.h says which order a trace must have). */
#include "oracles/rules/eventpipe/ep_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- findings ---- */

void fal_ep_held(struct fal_ep_judge *j, enum fal_ep_rule rule)
{
    fal_tally_held(&j->tally, rule);
}

void fal_ep_excused(struct fal_ep_judge *j, enum fal_ep_rule rule, const char *reason)
{
    fal_tally_excused(&j->tally, rule, reason);
}

static void found(struct fal_ep_judge *j, enum fal_ep_rule rule, struct fal_tally_finding *at,
                  const struct fal_ep_event *event)
{
    if (j->crowded || j->no_memory) {
        fal_ep_excused(j, rule, j->crowded ? "too-many-at-once" : "no-memory");
        return;
    }
    at->at_ns = event != NULL ? event->at_ns : j->now_ns;
    at->number = event != NULL ? event->number : j->number;
    at->flow = event != NULL ? event->flow : 0;
    fal_tally_found(&j->tally, rule, at, "%s", at->what);
}

void fal_ep_broken(struct fal_ep_judge *j, enum fal_ep_rule rule,
                   const struct fal_ep_event *event, const char *format, ...)
{
    struct fal_tally_finding at = {.verdict = FAL_VERDICT_FAIL};
    va_list args;

    va_start(args, format);
    (void)vsnprintf(at.what, sizeof at.what, format, args);
    va_end(args);
    found(j, rule, &at, event);
}

void fal_ep_warn(struct fal_ep_judge *j, enum fal_ep_rule rule,
                 const struct fal_ep_event *event, const char *format, ...)
{
    struct fal_tally_finding at = {.verdict = FAL_VERDICT_WARN};
    va_list args;

    va_start(args, format);
    (void)vsnprintf(at.what, sizeof at.what, format, args);
    va_end(args);
    found(j, rule, &at, event);
}

const char *fal_ep_kind_name(enum fal_ep_kind kind)
{
    static const char *const names[FAL_EP_KINDS] = {"TX",  "CNP",      "NACK", "ACK",
                                                    "RTT", "RTT_SENT", "FW"};

    return names[kind];
}

const char *fal_ep_state_name(enum fal_ep_state state)
{
    static const char *const names[] = {"idle", "arb", "busy", "more_a", "override", "more_b"};

    return names[state];
}

/* ---- the lines of one time ---- */

/* Doubles an array of at most FAL_EP_AT_ONCE_MAX. False: no room. */
static bool grow(struct fal_ep_judge *j, void **array, size_t *cap, size_t size)
{
    size_t larger = *cap == 0 ? 16 : 2 * *cap;
    void *grown = larger <= FAL_EP_AT_ONCE_MAX ? realloc(*array, larger * size) : NULL;

    if (grown == NULL) {
        j->no_memory = j->no_memory || larger <= FAL_EP_AT_ONCE_MAX;
        return false;
    }
    *array = grown;
    *cap = larger;
    return true;
}

void fal_ep_defer(struct fal_ep_judge *j, struct fal_ep_deferred deferred)
{
    if (j->num_deferred == j->cap_deferred) {
        void *array = j->deferred;
        bool grown = grow(j, &array, &j->cap_deferred, sizeof *j->deferred);

        j->deferred = array;
        if (!grown)
            return;
    }
    j->deferred[j->num_deferred++] = deferred;
}

static void check(struct fal_ep_judge *j, const struct fal_ep_deferred *d)
{
    switch (d->check) {
    case FAL_EP_CHECK_SLICE:
    case FAL_EP_CHECK_MAP:
    case FAL_EP_CHECK_LEFT: fal_ep_map_check(j, d); break;
    case FAL_EP_CHECK_READ:
    case FAL_EP_CHECK_OPEN: fal_ep_context_check(j, d); break;
    case FAL_EP_CHECK_RUN: fal_ep_run_check(j, d); break;
    }
}

static unsigned sight_of(const struct fal_ep_event *e)
{
    switch (e->point) {
    case FAL_EP_SOURCE: return FAL_EP_SAW_SOURCE;
    case FAL_EP_WRED: return FAL_EP_SAW_DROP;
    case FAL_EP_FIFO:
        return e->act == FAL_EP_IN ? FAL_EP_SAW_IN : e->act == FAL_EP_OUT ? FAL_EP_SAW_OUT : 0;
    case FAL_EP_TABLE: return 0;
    case FAL_EP_MAP: return FAL_EP_SAW_MAP;
    case FAL_EP_SLICE: return FAL_EP_SAW_SLICE;
    case FAL_EP_MERGE: return FAL_EP_SAW_MERGE;
    case FAL_EP_CCP:
        return e->act == FAL_EP_START ? FAL_EP_SAW_START
               : e->act == FAL_EP_END ? FAL_EP_SAW_END
                                      : 0;
    case FAL_EP_CONTEXT: return FAL_EP_SAW_CONTEXT;
    case FAL_EP_RATE: return FAL_EP_SAW_RATE;
    case FAL_EP_WIRE: return FAL_EP_SAW_WIRE;
    }
    return 0;
}

static void see(struct fal_ep_judge *j, const struct fal_ep_event *e)
{
    j->seen |= sight_of(e);
    if (e->occupancy != 0)
        j->seen |= FAL_EP_SAW_OCCUPANCY;
    if (e->point == FAL_EP_CCP && e->processor != 0)
        j->seen |= FAL_EP_SAW_PROCESSOR_ID;
    if (e->point == FAL_EP_CCP && e->act == FAL_EP_START && e->slice != 0)
        j->seen |= FAL_EP_SAW_SLICE_ID;
}

/* Sources go first, then what enters queues, what leaves them, what is merged, the others. */
enum { PASSES = 5 };
static int pass_of(const struct fal_ep_event *e)
{
    switch (e->point) {
    case FAL_EP_SOURCE: return 0;
    case FAL_EP_TABLE:
    case FAL_EP_WRED: return 1;
    case FAL_EP_FIFO: return e->act == FAL_EP_OUT ? 2 : 1;
    case FAL_EP_MERGE: return 3;
    case FAL_EP_MAP:
    case FAL_EP_SLICE:
    case FAL_EP_CCP:
    case FAL_EP_CONTEXT:
    case FAL_EP_RATE:
    case FAL_EP_WIRE: break;
    }
    return PASSES - 1;
}

static void take(struct fal_ep_judge *j, const struct fal_ep_event *e)
{
    switch (e->point) {
    case FAL_EP_SOURCE: fal_ep_source(j, e); break;
    case FAL_EP_WRED: fal_ep_drop(j, e); break;
    case FAL_EP_FIFO: fal_ep_fifo(j, e); break;
    case FAL_EP_TABLE: fal_ep_table_write(j, e); break;
    case FAL_EP_MAP: fal_ep_map(j, e); break;
    case FAL_EP_SLICE: fal_ep_slice(j, e); break;
    case FAL_EP_MERGE: fal_ep_merge(j, e); break;
    case FAL_EP_CCP: fal_ep_ccp(j, e); break;
    case FAL_EP_CONTEXT: fal_ep_context(j, e); break;
    case FAL_EP_RATE: fal_ep_rate(j, e); break;
    case FAL_EP_WIRE: fal_ep_wire(j, e); break;
    }
}

static void judge_batch(struct fal_ep_judge *j)
{
    for (size_t i = 0; i < j->num_batch; i++)
        see(j, &j->batch[i]);
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < j->num_batch; i++)
            if (pass_of(&j->batch[i]) == pass)
                take(j, &j->batch[i]);
    for (size_t i = 0; i < j->num_deferred; i++)
        check(j, &j->deferred[i]);
    fal_ep_fifo_moment(j);
    fal_ep_slice_moment(j);
    j->num_batch = j->num_deferred = 0;
}

void fal_ep_judge_event(struct fal_ep_judge *judge, const struct fal_ep_event *event)
{
    struct fal_ep_judge *j = judge;

    if (event->at_ns > j->now_ns) {
        judge_batch(j);
        j->now_ns = event->at_ns;
        j->crowded = false;
    }
    if (j->num_batch == j->cap_batch) {
        void *array = j->batch;
        bool grown = grow(j, &array, &j->cap_batch, sizeof *j->batch);

        j->batch = array;
        if (!grown) {
            judge_batch(j);
            j->crowded = true;
        }
    }
    if (j->num_batch == j->cap_batch) /* no memory at all */
        return;
    j->number = event->number;
    j->batch[j->num_batch] = *event;
    j->batch[j->num_batch++].at_ns = j->now_ns;
}

/* ---- begin and end ---- */

struct fal_ep_judge *fal_ep_judge_new(const struct fal_ep_setup *setup)
{
    struct fal_ep_judge *j = calloc(1, sizeof *j);
    size_t n;

    if (j == NULL)
        return NULL;
    j->setup = *setup;
    j->tally.rules = fal_ep_rules(&n);
    j->tally.rows = j->rows;
    j->tally.num_rules = n;
    j->slices = calloc(FAL_EP_JUDGED_SLICES, sizeof *j->slices);
    j->processors = calloc(FAL_EP_JUDGED_SLICES, sizeof *j->processors);
    if (j->slices == NULL || j->processors == NULL) {
        fal_ep_judge_free(j);
        return NULL;
    }
    fal_ep_classes_start(j);
    fal_ep_wred_start(j);
    j->seen |= setup->round_robin ? FAL_EP_SAW_ROUND_ROBIN : 0;
    j->seen |= setup->default_rate_bps != 0 ? FAL_EP_SAW_DEFAULT : 0;
    return j;
}

void fal_ep_judge_end(struct fal_ep_judge *judge)
{
    judge_batch(judge);
    fal_ep_wred_end(judge);
    fal_ep_slice_end(judge);
    if (judge->setup.ends_at_rest && (judge->seen & FAL_EP_SAW_START) != 0)
        fal_ep_rest(judge);
    fal_ep_excuse_idle_rules(judge);
}

const struct fal_tally *fal_ep_judge_tally(const struct fal_ep_judge *judge)
{
    return &judge->tally;
}

void fal_ep_judge_free(struct fal_ep_judge *judge)
{
    if (judge == NULL)
        return;
    fal_ep_flows_free(judge);
    free(judge->slices);
    free(judge->processors);
    free(judge->batch);
    free(judge->deferred);
    free(judge);
}
