/* SPDX-License-Identifier: Apache-2.0
 * ep_toy_testing.h - a small event pipeline of the tests of the rules, with mistakes that can
 * be planted. It is written for these tests alone: one event is selected a tick, and a tick is
 * TICK nanoseconds. */
#ifndef FAL_ORACLES_RULES_EVENTPIPE_EP_TOY_TESTING_H
#define FAL_ORACLES_RULES_EVENTPIPE_EP_TOY_TESTING_H

#include "oracles/beyond/eventpipe.h"
#include "oracles/rng.h"

#include <string.h>

enum toy_mistake {
    TOY_NONE,
    TOY_WRONG_FLOW,   /* EP1: an answer goes to the next flow */
    TOY_FIRST_LOST,   /* EP2: the last number replaces the first, too */
    TOY_EVENT_LOST,   /* EP2: an event that is merged is not counted */
    TOY_INVERTED,     /* EP3: the share of drops falls with occupancy */
    TOY_STALE,        /* EP4: the map gives the slice of another flow */
    TOY_STARVED,      /* EP6: RX waits for TX */
    TOY_ASLEEP,       /* EP7: done in more_a leads to idle */
    TOY_SHIFTED,      /* EP8: classes are shifted by one */
    TOY_FAST,         /* EP9: bursts ignore a lower rate */
    TOY_STAMPS,       /* EP10: T3 lies before T2 */
    TOY_NO_REQUEST,   /* EP11: a new flow gets no RTT request */
    TOY_OLD_CONTEXT,  /* EP12: now and then the context before the last is read */
    TOY_OVERRIDE_LOST /* EP13: override empties the entries of the slice */
};

enum { TICK = 4, TOY_FLOWS = 12, TOY_SLICES = 4, TOY_QUEUE = 24, TOY_CLASSES = 5 };

struct toy_entry {
    uint32_t count;
    uint64_t first, last, bytes;
    bool has_rtt;
};
struct toy_slice {
    enum fal_ep_state state;
    int flow; /* -1: none yet */
    struct toy_entry entries[TOY_CLASSES];
    unsigned left; /* ticks of the run, or of the override */
    bool runs;
};
struct toy {
    struct fal_rng rng;
    enum toy_mistake mistake;
    struct fal_ep_setup setup;
    void (*put)(void *ctx, const struct fal_ep_event *event);
    void *ctx;
    uint64_t now, lines, seq, digest;
    struct {
        struct fal_ep_event items[TOY_QUEUE];
        unsigned len;
    } queues[3];
    struct fal_ep_event held; /* selected, and waits for a slice */
    bool holds;
    unsigned turn;
    uint32_t classes[FAL_EP_KINDS];
    struct toy_slice slices[TOY_SLICES];
    struct {
        uint64_t digest, older, rate, due;
        bool known, kept;
    } flows[TOY_FLOWS];
};

static inline void toy_put(struct toy *t, struct fal_ep_event event)
{
    event.at_ns = t->now;
    event.number = ++t->lines;
    t->put(t->ctx, &event);
}

static inline unsigned toy_below(struct toy *t, unsigned n)
{
    return (unsigned)fal_rng_below(&t->rng, n);
}

static inline void toy_init(struct toy *t, uint64_t seed, enum toy_mistake mistake)
{
    static const uint32_t classes[FAL_EP_KINDS] = {0, 1, 1, 2, 3, 0, 4};

    memset(t, 0, sizeof *t);
    t->rng.state = seed;
    t->mistake = mistake;
    t->now = 100;
    for (int k = 0; k < FAL_EP_KINDS; k++) {
        t->classes[k] = t->setup.classes[k] = classes[k];
        t->setup.th1[k] = k == FAL_EP_FW ? 0 : 6;
        t->setup.th2[k] = k == FAL_EP_FW ? 0 : 20;
    }
    for (int i = 0; i < TOY_SLICES; i++)
        t->slices[i].flow = -1;
    t->setup.slices = t->setup.processors = TOY_SLICES;
    t->setup.default_rate_bps = UINT64_C(8000000000);
    t->setup.responder_ns = 50;
    t->setup.round_robin = t->setup.all_points = true;
    t->setup.pipeline_ns = 3 * TICK;
}

/* ---- sources and queues ---- */

static inline bool toy_drops(struct toy *t, const struct fal_ep_event *e, unsigned len)
{
    uint32_t th1 = t->setup.th1[e->kind], th2 = t->setup.th2[e->kind];
    unsigned draw = toy_below(t, th2 - th1 + (th2 == th1));

    if (e->kind == FAL_EP_FW || len < th1)
        return false;
    if (t->mistake == TOY_INVERTED && len > th1 && len < th2)
        return draw >= len - th1;
    return len >= th2 || draw < len - th1;
}

static inline void toy_source(struct toy *t, enum fal_ep_kind kind, uint32_t flow)
{
    struct fal_ep_event e = {.kind = kind, .flow = flow, .seq = ++t->seq};
    unsigned q = kind == FAL_EP_FW                              ? FAL_EP_FW_REGISTER
                 : kind == FAL_EP_TX || kind == FAL_EP_RTT_SENT ? FAL_EP_TX_FIFO
                                                                : FAL_EP_RX_FIFO;
    unsigned len = t->queues[q].len;

    if (q == FAL_EP_FW_REGISTER && len > 0)
        return;
    if (kind == FAL_EP_TX)
        e.bytes = 1000 + toy_below(t, 3) * 24;
    if (kind == FAL_EP_RTT) {
        e.t1_ns = t->now - 90;
        e.t2_ns = 1000000 + t->now;
        e.t3_ns = e.t2_ns + 20 - (t->mistake == TOY_STAMPS ? 21 : 0);
        e.t4_ns = t->now;
    }
    e.point = FAL_EP_SOURCE;
    toy_put(t, e);
    e.queue = (enum fal_ep_queue)q;
    e.occupancy = len;
    e.point = FAL_EP_WRED;
    e.act = FAL_EP_DROP;
    if (toy_drops(t, &e, len)) {
        toy_put(t, e);
        return;
    }
    e.point = FAL_EP_FIFO;
    e.act = FAL_EP_IN;
    toy_put(t, e);
    t->queues[q].items[t->queues[q].len++] = e;
}

/* ---- slices ---- */

static inline void toy_move(struct toy *t, unsigned s, enum fal_ep_cause cause,
                            enum fal_ep_state to)
{
    struct fal_ep_event e = {.point = FAL_EP_SLICE, .act = FAL_EP_MOVE, .slice = s};

    e.flow = (uint32_t)(t->slices[s].flow < 0 ? 0 : t->slices[s].flow);
    e.from = t->slices[s].state;
    e.to = to;
    e.cause = cause;
    t->slices[s].state = to;
    toy_put(t, e);
}

static inline int toy_find(const struct toy *t, uint32_t flow)
{
    for (int i = 0; i < TOY_SLICES; i++)
        if (t->slices[i].flow == (int)flow)
            return i;
    return -1;
}

static inline int toy_free_slice(struct toy *t)
{
    unsigned from = toy_below(t, TOY_SLICES);

    for (unsigned i = 0; i < TOY_SLICES; i++)
        if (t->slices[(from + i) % TOY_SLICES].state == FAL_EP_IDLE)
            return (int)((from + i) % TOY_SLICES);
    return -1;
}

static inline void toy_merge(struct toy *t, unsigned s, struct fal_ep_event e)
{
    static const enum fal_ep_state after[] = {FAL_EP_ARB,    FAL_EP_ARB,    FAL_EP_MORE_A,
                                              FAL_EP_MORE_A, FAL_EP_MORE_B, FAL_EP_MORE_B};
    uint32_t class = t->classes[e.kind];
    struct toy_entry *entry;

    if (t->mistake == TOY_SHIFTED)
        class = (class + 1) % TOY_CLASSES;
    entry = &t->slices[s].entries[class];
    e.point = FAL_EP_MERGE;
    e.act = FAL_EP_NOT;
    e.slice = s;
    e.klass = class;
    e.count = 1;
    toy_put(t, e);
    toy_move(t, s, FAL_EP_BY_EVENT, after[t->slices[s].state]);
    if (t->mistake == TOY_EVENT_LOST && entry->count > 0 && toy_below(t, 8) == 0)
        return;
    if (entry->count++ == 0 || t->mistake == TOY_FIRST_LOST)
        entry->first = e.seq;
    entry->last = e.seq;
    entry->bytes += e.bytes;
    entry->has_rtt = entry->has_rtt || e.kind == FAL_EP_RTT;
}

/* The event that was selected gets its slice, or waits. */
static inline void toy_map(struct toy *t)
{
    int s = toy_find(t, t->held.flow);
    struct fal_ep_event e = {.point = FAL_EP_MAP, .flow = t->held.flow};

    if (t->mistake == TOY_STALE && s >= 0 && toy_below(t, 50) == 0)
        s = (s + 1) % TOY_SLICES;
    e.act = s >= 0 ? FAL_EP_HIT : FAL_EP_MISS;
    e.slice = s >= 0 ? (uint32_t)s : 0;
    toy_put(t, e);
    if (s < 0) {
        s = toy_free_slice(t);
        if (s < 0)
            return;
        e.act = FAL_EP_WRITE;
        e.slice = (uint32_t)s;
        t->slices[s].flow = (int)t->held.flow;
        toy_put(t, e);
    }
    t->holds = false;
    toy_merge(t, (unsigned)s, t->held);
}

static inline void toy_select(struct toy *t)
{
    for (unsigned i = 0; i < 3 && !t->holds; i++) {
        unsigned q = (t->turn + i) % 3;

        if (t->mistake == TOY_STARVED)
            q = i;
        if (t->queues[q].len == 0)
            continue;
        t->held = t->queues[q].items[0];
        t->queues[q].len--;
        memmove(t->queues[q].items, t->queues[q].items + 1, t->queues[q].len * sizeof t->held);
        t->turn = q + 1;
        t->holds = true;
        t->held.act = FAL_EP_OUT;
        t->held.occupancy = t->queues[q].len + 1;
        toy_put(t, t->held);
    }
    if (t->holds)
        toy_map(t);
}

/* ---- processors ---- */

static inline void toy_context(struct toy *t, uint32_t flow, bool *is_new)
{
    struct fal_ep_event e = {.point = FAL_EP_CONTEXT, .flow = flow};

    *is_new = !t->flows[flow].known;
    if (t->flows[flow].kept && toy_below(t, 40) == 0) {
        e.act = FAL_EP_EVICT;
        e.digest = t->flows[flow].digest;
        toy_put(t, e);
        *is_new = toy_below(t, 2) == 0;
    }
    e.act = *is_new ? FAL_EP_NEW : FAL_EP_READ;
    e.digest = *is_new                                                 ? 0
               : t->mistake == TOY_OLD_CONTEXT && toy_below(t, 9) == 0 ? t->flows[flow].older
                                                                       : t->flows[flow].digest;
    toy_put(t, e);
    e.act = FAL_EP_WRITE;
    e.digest = ++t->digest;
    t->flows[flow].older = t->flows[flow].digest;
    t->flows[flow].digest = e.digest;
    t->flows[flow].known = t->flows[flow].kept = true;
    toy_put(t, e);
}

static inline void toy_answer(struct toy *t, unsigned s, uint32_t flow, bool is_new, bool due)
{
    struct fal_ep_event e = {.point = FAL_EP_RATE, .flow = flow, .processor = s};

    if (!is_new && !due && toy_below(t, 3) != 0)
        return;
    e.rate_bps =
        is_new ? t->setup.default_rate_bps : UINT64_C(1000000000) * (1 + toy_below(t, 20));
    e.rtt_request = is_new && t->mistake != TOY_NO_REQUEST;
    t->flows[flow].rate = e.rate_bps;
    if (t->mistake == TOY_WRONG_FLOW && toy_below(t, 9) == 0)
        e.flow = (flow + 1) % TOY_FLOWS;
    toy_put(t, e);
}

static inline void toy_grant(struct toy *t, unsigned s)
{
    struct toy_slice *slice = &t->slices[s];
    struct fal_ep_event e = {.point = FAL_EP_CCP, .slice = s, .processor = s};

    toy_move(t, s, FAL_EP_BY_GRANT, FAL_EP_BUSY);
    slice->left = 1 + toy_below(t, 6);
    slice->runs = true;
    e.flow = (uint32_t)slice->flow;
    for (unsigned c = 0; c < TOY_CLASSES; c++) {
        struct toy_entry *entry = &slice->entries[c];
        bool is_new;

        if (entry->count == 0)
            continue;
        e.act = FAL_EP_START;
        e.klass = c;
        e.seq = entry->first;
        e.last_seq = entry->last;
        e.bytes = entry->bytes;
        e.count = entry->count;
        toy_put(t, e);
        toy_context(t, e.flow, &is_new);
        toy_answer(t, s, e.flow, is_new, entry->has_rtt);
        e.act = FAL_EP_END;
        toy_put(t, e);
        *entry = (struct toy_entry){.count = 0};
    }
}

static inline void toy_slice_tick(struct toy *t, unsigned s)
{
    struct toy_slice *slice = &t->slices[s];

    if (slice->left > 0 && --slice->left > 0)
        return;
    switch (slice->state) {
    case FAL_EP_BUSY: toy_move(t, s, FAL_EP_BY_DONE, FAL_EP_IDLE); break;
    case FAL_EP_MORE_A:
        toy_move(t, s, FAL_EP_BY_DONE, t->mistake == TOY_ASLEEP ? FAL_EP_IDLE : FAL_EP_ARB);
        break;
    case FAL_EP_ARB: toy_grant(t, s); break;
    case FAL_EP_OVERRIDE: toy_move(t, s, FAL_EP_BY_FW_RELEASE, FAL_EP_IDLE); break;
    case FAL_EP_MORE_B:
        if (t->mistake == TOY_OVERRIDE_LOST)
            memset(slice->entries, 0, sizeof slice->entries);
        toy_move(t, s, FAL_EP_BY_FW_RELEASE, FAL_EP_ARB);
        break;
    case FAL_EP_IDLE: break;
    }
}

/* ---- */

static inline void toy_wire(struct toy *t, uint32_t flow)
{
    struct fal_ep_event e = {.point = FAL_EP_WIRE, .flow = flow, .bytes = 1000};
    uint64_t rate = t->mistake == TOY_FAST ? 20 * UINT64_C(1000000000) : t->flows[flow].rate;

    if (rate == 0 || t->now < t->flows[flow].due || toy_below(t, 50) == 0)
        return;
    t->flows[flow].due = t->now + 8000 * UINT64_C(1000000000) / rate;
    toy_put(t, e);
}

/* One tick: events come, one is selected, slices work. */
static inline void toy_tick(struct toy *t)
{
    static const enum fal_ep_kind kinds[] = {
        FAL_EP_TX,   FAL_EP_TX,  FAL_EP_TX, FAL_EP_ACK, FAL_EP_ACK,      FAL_EP_CNP,
        FAL_EP_NACK, FAL_EP_RTT, FAL_EP_FW, FAL_EP_ACK, FAL_EP_RTT_SENT, FAL_EP_TX};
    unsigned busy = (unsigned)(t->now / TICK / 400 % 3); /* loads come and go */

    t->now += TICK;
    for (unsigned i = 0; i < 1 + busy; i++)
        if (toy_below(t, 3) != 0)
            toy_source(t, kinds[toy_below(t, 12)], toy_below(t, TOY_FLOWS));
    if (toy_below(t, 900) == 0) {
        struct fal_ep_event e = {.point = FAL_EP_TABLE, .act = FAL_EP_WRITE};

        e.kind = kinds[toy_below(t, 12)];
        e.klass = t->classes[e.kind] = toy_below(t, TOY_CLASSES);
        toy_put(t, e);
    }
    toy_select(t);
    for (unsigned s = 0; s < TOY_SLICES; s++) {
        if (toy_below(t, 60) == 0 &&
            (t->slices[s].state == FAL_EP_IDLE || t->slices[s].state == FAL_EP_BUSY)) {
            toy_move(t, s, FAL_EP_BY_FW, FAL_EP_OVERRIDE);
            t->slices[s].left = 1 + toy_below(t, 8);
        }
        toy_slice_tick(t, s);
    }
    toy_wire(t, toy_below(t, TOY_FLOWS));
}

#endif
