/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/series.h"

#include <stdlib.h>

enum { QUEUES = 8 };

static uint32_t column_of(const struct fal_lab_series *s, uint64_t at_ps)
{
    uint64_t column = s->until_ps > 0 ? at_ps * FAL_LAB_COLUMNS / s->until_ps : 0;

    return column < FAL_LAB_COLUMNS ? (uint32_t)column : FAL_LAB_COLUMNS - 1;
}

/* A curve keeps its value until it gets another one. */
static void hold(struct fal_lab_curve *c, uint32_t until)
{
    for (; c->filled < until; c->filled++)
        c->low[c->filled] = c->high[c->filled] = c->begun ? c->last : FAL_LAB_NOTHING;
}

static void put(struct fal_lab_curve *c, uint32_t column, uint64_t value)
{
    uint32_t v = value < FAL_LAB_NOTHING ? (uint32_t)value : FAL_LAB_NOTHING - 1;

    if (column >= c->filled) {
        hold(c, column);
        /* The value before is in this column, too, up to now. */
        c->low[column] = c->high[column] = c->begun ? c->last : v;
        c->filled = column + 1;
    }
    if (v < c->low[column])
        c->low[column] = v;
    if (v > c->high[column])
        c->high[column] = v;
    c->last = v;
    c->begun = true;
}

static struct fal_lab_curve *curve(struct fal_lab_series *s, uint32_t flow,
                                   enum fal_lab_curve_kind kind)
{
    return &s->flows[(size_t)flow * FAL_LAB_FLOW_KINDS + (size_t)kind];
}

/* At the first record: the lab says what there is. */
static bool begin(struct fal_lab_series *s, const struct fal_lab *lab)
{
    s->n_flows = lab->n_flows;
    s->n_queues = lab->fabric.n_queues < QUEUES ? lab->fabric.n_queues : QUEUES;
    s->rate_bps = lab->fabric.queues[0].rate_bps;
    s->flows = calloc((size_t)s->n_flows * FAL_LAB_FLOW_KINDS, sizeof *s->flows);
    s->queues = calloc(s->n_queues, sizeof *s->queues);
    s->bytes = calloc(s->n_flows, sizeof *s->bytes);
    s->start_ps = calloc(s->n_flows, sizeof *s->start_ps);
    s->stop_ps = calloc(s->n_flows, sizeof *s->stop_ps);
    s->unresponsive = calloc(s->n_flows, sizeof *s->unresponsive);
    s->foreign = calloc(s->n_flows, sizeof *s->foreign);
    if (s->flows == NULL || s->queues == NULL || s->bytes == NULL || s->start_ps == NULL ||
        s->stop_ps == NULL || s->unresponsive == NULL || s->foreign == NULL)
        return false;
    for (uint32_t i = 0; i < s->n_flows; i++) {
        const struct fal_lab_flow_config *config = &lab->flows[i].config;

        s->start_ps[i] = config->start_ps;
        s->stop_ps[i] = config->stop_ps;
        s->unresponsive[i] = config->unresponsive;
        s->foreign[i] = config->foreign;
        s->has_buffer = s->has_buffer || config->buffer > 0;
        s->has_paths = s->has_paths || lab->fabric.groups[config->groups[0]].count > 1;
    }
    for (uint32_t i = 0; i < s->n_queues; i++) {
        s->limit_bytes[i] = lab->fabric.queues[i].limit_bytes;
        s->ecn_bytes[i] = lab->fabric.queues[i].ecn_bytes;
        put(&s->queues[i], 0, 0);
    }
    return true;
}

/* A flow has a share from its start until it has nothing under way after its stop. */
static void share(struct fal_lab_series *s, uint32_t flow, uint64_t at_ps, uint64_t per_window)
{
    struct fal_lab_curve *c = curve(s, flow, FAL_LAB_SHARE);
    uint32_t column = column_of(s, at_ps);

    if (s->bytes[flow] == 0 && at_ps + FAL_LAB_WINDOW_PS <= s->start_ps[flow])
        return;
    if (s->bytes[flow] == 0 && at_ps >= s->stop_ps[flow]) {
        hold(c, column);
        c->begun = false;
        return;
    }
    put(c, column, per_window > 0 ? s->bytes[flow] * 10000 / per_window : 0);
    s->bytes[flow] = 0;
}

/* The windows of FAL_LAB_WINDOW_PS before `at_ps` are over: their bytes are known. */
static void close_windows(struct fal_lab_series *s, uint64_t at_ps)
{
    uint64_t per_window = s->rate_bps / 8 * (FAL_LAB_WINDOW_PS / FAL_LAB_US) / 1000000;

    for (; s->window < at_ps / FAL_LAB_WINDOW_PS; s->window++)
        for (uint32_t i = 0; i < s->n_flows; i++)
            share(s, i, s->window * FAL_LAB_WINDOW_PS, per_window);
}

static void tick(struct fal_lab_series *s, enum fal_lab_tick_kind kind, uint32_t column)
{
    s->ticks[kind][column]++;
    s->totals[kind]++;
}

static uint64_t ns_of(double ticks)
{
    return (uint64_t)(ticks * 131.072 + 0.5);
}

static void answered(struct fal_lab_series *s, const struct fal_lab_record *r, uint32_t column)
{
    double window = r->fcwnd > 0 ? r->fcwnd / 1024.0 : s->swift->params.min_fcwnd;

    put(curve(s, r->index, FAL_LAB_FCWND), column, r->fcwnd);
    put(curve(s, r->index, FAL_LAB_NCWND), column, r->ncwnd);
    put(curve(s, r->index, FAL_LAB_DELAY), column, ns_of(r->delay));
    put(curve(s, r->index, FAL_LAB_TARGET), column,
        ns_of(fal_swift_target(s->swift, (uint32_t)s->swift->params.base_delay_target, window,
                               r->hops)));
    put(curve(s, r->index, FAL_LAB_RTO), column, ns_of(r->rto));
    if (s->has_buffer)
        put(curve(s, r->index, FAL_LAB_LEVEL), column, r->level);
}

/* A flow has its first window from its start on; the first answer comes a round trip later. */
static void first_window(struct fal_lab_series *s, const struct fal_lab_record *r)
{
    const struct fal_lab_flow *flow = &r->lab->flows[r->index];
    struct fal_lab_curve *c = curve(s, r->index, FAL_LAB_FCWND);

    if (!c->begun)
        put(c, column_of(s, flow->config.start_ps),
            (uint64_t)flow->cc.fcwnd_integer * FAL_CC_FRACTION + flow->cc.fcwnd_fraction);
}

void fal_lab_series_record(void *series, const struct fal_lab_record *r)
{
    struct fal_lab_series *s = series;
    uint32_t column = column_of(s, r->at_ps);

    if (s->flows == NULL && (s->out_of_memory || !begin(s, r->lab))) {
        s->out_of_memory = true;
        return;
    }
    if (s->out_of_memory)
        return;
    close_windows(s, r->at_ps);
    switch (r->note) {
    case FAL_LAB_NOTE_ACK: answered(s, r, column); break;
    case FAL_LAB_NOTE_QUEUE:
        if (r->index < s->n_queues)
            put(&s->queues[r->index], column, r->value);
        break;
    case FAL_LAB_NOTE_DELIVERED: s->bytes[r->index] += r->value; break;
    case FAL_LAB_NOTE_PATH:
        first_window(s, r);
        put(curve(s, r->index, FAL_LAB_PATH), column, r->value + 1);
        break;
    case FAL_LAB_NOTE_DROPPED: tick(s, FAL_LAB_TICK_DROP, column); break;
    case FAL_LAB_NOTE_RETRANSMIT: tick(s, FAL_LAB_TICK_RETRANSMIT, column); break;
    case FAL_LAB_NOTE_TIMEOUT: tick(s, FAL_LAB_TICK_TIMEOUT, column); break;
    }
}

/* A flow that has stopped has no windows any more. */
static void end_curve(const struct fal_lab_series *s, struct fal_lab_curve *c, uint64_t stop_ps)
{
    if (stop_ps < s->until_ps)
        c->begun = false;
    hold(c, FAL_LAB_COLUMNS);
}

int fal_lab_series_end(struct fal_lab_series *s)
{
    if (s->out_of_memory || s->flows == NULL)
        return FAL_ERR_MEM;
    close_windows(s, s->until_ps);
    for (uint32_t i = 0; i < s->n_flows; i++)
        for (unsigned k = 0; k < FAL_LAB_FLOW_KINDS; k++)
            end_curve(s, &s->flows[(size_t)i * FAL_LAB_FLOW_KINDS + k],
                      k == FAL_LAB_SHARE ? FAL_LAB_NEVER : s->stop_ps[i]);
    for (uint32_t i = 0; i < s->n_queues; i++)
        end_curve(s, &s->queues[i], FAL_LAB_NEVER);
    return 0;
}

void fal_lab_series_free(struct fal_lab_series *s)
{
    free(s->flows);
    free(s->queues);
    free(s->bytes);
    free(s->start_ps);
    free(s->stop_ps);
    free(s->unresponsive);
    free(s->foreign);
}

const struct fal_lab_curve *fal_lab_series_flow(const struct fal_lab_series *s, uint32_t flow,
                                                enum fal_lab_curve_kind kind)
{
    return &s->flows[(size_t)flow * FAL_LAB_FLOW_KINDS + (size_t)kind];
}
