/* SPDX-License-Identifier: Apache-2.0
 * ledger_testing.h - for tests: keeps books of a trace of the model, and counts what each of
 * EP1 to EP13 would object to. The rules of `talon check` are another reading, and share
 * nothing with it. */
#ifndef FAL_ORACLES_EVENTPIPE_LEDGER_TESTING_H
#define FAL_ORACLES_EVENTPIPE_LEDGER_TESTING_H

#include "oracles/eventpipe/world.h"

#include <math.h>
#include <string.h>

enum { LEDGER_FLOWS = 64, LEDGER_RULES = 14, LEDGER_SETTLE_NS = 50 };

struct ledger_flow {
    bool seen, runs, fresh;
    uint32_t runs_on;
    uint64_t digest;
    bool has_digest;
    uint64_t rate_bps, before_bps, rate_at_ns; /* before: the rate until rate_at_ns */
    uint64_t burst_at_ns, burst_bytes, burst_bps;
    int64_t open[FAL_EP_KINDS]; /* sources less drops less merges */
};

struct ledger_slice {
    enum fal_ep_state state;
    uint32_t flow;
    bool overridden; /* events were merged during override */
    struct fal_ep_event entries[FAL_EP_KINDS];
};

struct ledger {
    struct fal_ep_setup setup;
    uint32_t variants;
    uint64_t broken[LEDGER_RULES]; /* by the number of the rule */
    struct ledger_flow flows[LEDGER_FLOWS];
    struct ledger_slice slices[FAL_EP_SLICES_MAX];
    uint32_t classes[FAL_EP_KINDS], waiting[3], passed[3];
    uint32_t klass; /* of the event that was selected last */
    double drops, expected, variance;
};

static inline void ledger_begin(struct ledger *l, const struct fal_ep_world_config *config)
{
    memset(l, 0, sizeof *l);
    l->setup = fal_ep_world_setup(config);
    l->variants = config->variants;
    memcpy(l->classes, l->setup.classes, sizeof l->classes);
    for (unsigned f = 0; f < LEDGER_FLOWS; f++)
        l->flows[f].rate_bps = l->flows[f].before_bps = l->setup.default_rate_bps;
}

static inline void ledger_wred(struct ledger *l, const struct fal_ep_event *e, bool drop)
{
    double low = l->setup.th1[e->kind], high = l->setup.th2[e->kind];
    double p = (e->occupancy - low) / (high - low);

    if (e->queue == FAL_EP_FW_REGISTER || high <= 0)
        return;
    if (drop && e->occupancy < low)
        l->broken[3]++;
    if (!drop && e->occupancy >= high)
        l->broken[3]++;
    if (e->occupancy < low || e->occupancy >= high)
        return;
    l->drops += drop;
    l->expected += p;
    l->variance += p * (1 - p);
}

static inline void ledger_fifo(struct ledger *l, const struct fal_ep_event *e)
{
    if (e->act == FAL_EP_IN) {
        ledger_wred(l, e, false);
        l->broken[6] += e->queue == FAL_EP_FW_REGISTER && l->waiting[e->queue] > 0;
        l->waiting[e->queue]++;
        return;
    }
    l->flows[e->flow].seen = true;
    l->klass = l->classes[e->kind];
    for (unsigned q = 0; q < 3; q++) {
        l->passed[q] = q != e->queue && l->waiting[q] > 0 ? l->passed[q] + 1 : 0;
        l->broken[6] += l->passed[q] > 3;
    }
    if (l->waiting[e->queue] > 0)
        l->waiting[e->queue]--;
}

static inline void ledger_merge(struct ledger *l, const struct fal_ep_event *e)
{
    struct ledger_slice *s = &l->slices[e->slice];
    struct fal_ep_event *entry = &s->entries[e->klass];

    l->broken[8] += e->klass != l->klass;
    l->broken[4] += e->flow != s->flow;
    l->flows[e->flow].open[e->kind]--;
    s->overridden |= s->state == FAL_EP_OVERRIDE || s->state == FAL_EP_MORE_B;
    if (entry->count == 0)
        *entry = *e;
    else {
        entry->count += e->count;
        entry->bytes += e->bytes;
        entry->last_seq = e->last_seq;
    }
}

static inline void ledger_move(struct ledger *l, const struct fal_ep_event *e)
{
    static const char allowed[6][5][8] = {
        /* event, done, grant, fw, fw_release: letters of the next states */
        {"A", "", "", "O", ""}, {"A", "", "B", "", ""},  {"M", "I", "", "O", ""},
        {"M", "A", "", "", ""}, {"P", "*", "", "", "I"}, {"P", "*", "", "", "A"}};
    static const char letters[] = "IABMOP";
    struct ledger_slice *s = &l->slices[e->slice];
    const char *to = allowed[e->from][e->cause];

    l->broken[5] += e->from != s->state ||
                    (to[0] != '*' && (to[0] == 0 || strchr(to, letters[e->to]) == NULL));
    s->state = e->to;
    if (e->to != FAL_EP_IDLE)
        return;
    for (unsigned c = 0; c < FAL_EP_KINDS; c++) {
        if (s->entries[c].count > 0)
            l->broken[s->overridden ? 13 : 7]++;
        s->entries[c].count = 0;
    }
    s->overridden = false;
}

static inline void ledger_run(struct ledger *l, const struct fal_ep_event *e)
{
    struct ledger_flow *f = &l->flows[e->flow];
    struct fal_ep_event *entry = &l->slices[e->slice].entries[e->klass];

    if (e->act == FAL_EP_END) {
        f->runs = false;
        return;
    }
    l->broken[4] += f->runs;
    f->runs = true;
    f->runs_on = e->slice;
    l->broken[2] += entry->count != e->count || entry->bytes != e->bytes ||
                    entry->seq != e->seq || entry->last_seq != e->last_seq;
    entry->count = 0;
}

static inline void ledger_context(struct ledger *l, const struct fal_ep_event *e)
{
    struct ledger_flow *f = &l->flows[e->flow];

    if (e->act == FAL_EP_READ)
        l->broken[12] += !f->has_digest || e->digest != f->digest;
    f->fresh = e->act == FAL_EP_NEW || (f->fresh && e->act == FAL_EP_WRITE);
    f->digest = e->digest;
    f->has_digest = true;
}

static inline void ledger_rate(struct ledger *l, const struct fal_ep_event *e)
{
    struct ledger_flow *f = &l->flows[e->flow];

    l->broken[1] +=
        !f->seen || (e->processor < l->setup.processors && e->flow != l->slices[e->slice].flow);
    if (f->fresh)
        l->broken[11] += e->rate_bps != l->setup.default_rate_bps || !e->rtt_request;
    f->fresh = false;
    if (e->rate_bps == 0)
        return;
    if (e->at_ns > f->rate_at_ns + LEDGER_SETTLE_NS || e->rate_bps > f->before_bps)
        f->before_bps = f->rate_bps;
    f->rate_bps = e->rate_bps;
    f->rate_at_ns = e->at_ns;
}

/* The distance of two bursts is at least that of the rate at the first. */
static inline void ledger_wire(struct ledger *l, const struct fal_ep_event *e)
{
    struct ledger_flow *f = &l->flows[e->flow];
    uint64_t fastest = f->rate_bps;

    if (e->kind != FAL_EP_TX)
        return;
    if (f->burst_bytes > 0)
        l->broken[9] += (double)(e->at_ns - f->burst_at_ns + 2) * (double)f->burst_bps <
                        (double)f->burst_bytes * 8e9;
    if (e->at_ns <= f->rate_at_ns + LEDGER_SETTLE_NS && f->before_bps > fastest)
        fastest = f->before_bps;
    f->burst_at_ns = e->at_ns;
    f->burst_bytes = e->bytes;
    f->burst_bps = fastest;
}

static inline void ledger_source(struct ledger *l, const struct fal_ep_event *e)
{
    uint64_t away = e->t2_ns == 0 ? e->t3_ns : e->t3_ns - e->t2_ns;

    l->flows[e->flow].open[e->kind]++;
    if (e->kind == FAL_EP_RTT) /* T3 before T2 gives a difference beyond all bounds */
        l->broken[10] += away > l->setup.responder_ns || away > e->t4_ns - e->t1_ns;
}

static inline void ledger_map(struct ledger *l, const struct fal_ep_event *e)
{
    if (e->act == FAL_EP_WRITE)
        l->slices[e->slice].flow = e->flow;
}

static inline void ledger_take(struct ledger *l, const struct fal_ep_event *e)
{
    switch (e->point) {
    case FAL_EP_SOURCE: ledger_source(l, e); break;
    case FAL_EP_WRED:
        l->flows[e->flow].open[e->kind]--;
        ledger_wred(l, e, true);
        break;
    case FAL_EP_FIFO: ledger_fifo(l, e); break;
    case FAL_EP_TABLE: l->classes[e->kind] = e->klass; break;
    case FAL_EP_MAP: ledger_map(l, e); break;
    case FAL_EP_SLICE: ledger_move(l, e); break;
    case FAL_EP_MERGE: ledger_merge(l, e); break;
    case FAL_EP_CCP: ledger_run(l, e); break;
    case FAL_EP_CONTEXT: ledger_context(l, e); break;
    case FAL_EP_RATE: ledger_rate(l, e); break;
    case FAL_EP_WIRE: ledger_wire(l, e); break;
    }
}

/* The trace is over, and the world at rest. */
static inline void ledger_end(struct ledger *l)
{
    for (unsigned f = 0; f < LEDGER_FLOWS; f++)
        for (unsigned k = 0; k < FAL_EP_KINDS; k++)
            l->broken[2] += l->flows[f].open[k] != 0;
    if ((l->variants >> FAL_EP_RX_FIRST & 1) != 0)
        l->broken[6] = 0;
    /* Five standard deviations, and one for the approximation. */
    if ((l->variants >> FAL_EP_DROP_CURVE & 1) == 0 &&
        fabs(l->drops - l->expected) > 5 * sqrt(l->variance) + 1)
        l->broken[3]++;
}

#endif
