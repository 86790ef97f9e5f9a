/* SPDX-License-Identifier: Apache-2.0
 * k_world_testing.h - a small conforming sender and receiver on a network that loses,
 * duplicates and reorders, for the property test of the K rules. It is written from the RFCs
 * for this test and shares nothing with oracles/logic. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_K_WORLD_TESTING_H
#define FAL_ORACLES_RULES_TRANSPORT_K_WORLD_TESTING_H

#include "oracles/rng.h"
#include "oracles/rules/transport/transport_judge.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum world_mode { RENO, NEWRENO, SACK, GBN, TOKENS, WORLD_MODES };
enum { WORLD_SEGS = 120, WORLD_QUEUE = 8192 };

enum world_what { W_SEGMENT_MIDDLE, W_SEGMENT, W_REPLY_MIDDLE, W_REPLY, W_POST, W_SEND, W_RTO };

struct world_item {
    uint64_t at_ns, order;
    enum world_what what;
    uint64_t seg;
    bool trimmed, dies;
    struct fal_tp_reply reply;
};

/* Where events go: one for the ends, one for the observer in the middle. */
struct world_sink {
    void (*event)(void *ctx, bool middle, const struct fal_tp_event *event);
    void *ctx;
};

struct world {
    enum world_mode mode;
    struct fal_rng rng;
    struct fal_tp_row row;
    struct world_sink sink;
    uint64_t now_ns, order, number;
    struct world_item queue[WORLD_QUEUE];
    unsigned queued;
    /* The network, in percent and nanoseconds. */
    unsigned loss, twice;
    uint64_t base_ns, jitter_ns;
    /* The sender. */
    uint64_t segs, posted, next, cum, point, dups, recover, window;
    bool in_recovery, done, send_due;
    uint64_t rto_ns, rto_at_ns, backoff, sent_ns[WORLD_SEGS];
    bool acked[WORLD_SEGS], resent[WORLD_SEGS], queued_again[WORLD_SEGS], nacked[WORLD_SEGS];
    uint64_t tokens, grant;
    /* The receiver. */
    bool got[WORLD_SEGS];
    uint64_t expected, granted, delivered;
    bool nak_sent;
};

static inline bool world_chance(struct world *w, unsigned percent)
{
    return fal_rng_below(&w->rng, 100) < percent;
}

static inline void world_put(struct world *w, uint64_t at_ns, const struct world_item *item)
{
    ck_assert_uint_lt(w->queued, WORLD_QUEUE);
    w->queue[w->queued] = *item;
    w->queue[w->queued].at_ns = at_ns;
    w->queue[w->queued++].order = ++w->order;
}

static inline struct world_item world_take(struct world *w)
{
    unsigned best = 0;
    struct world_item item;

    for (unsigned i = 1; i < w->queued; i++)
        if (w->queue[i].at_ns < w->queue[best].at_ns ||
            (w->queue[i].at_ns == w->queue[best].at_ns &&
             w->queue[i].order < w->queue[best].order))
            best = i;
    item = w->queue[best];
    w->queue[best] = w->queue[--w->queued];
    return item;
}

static inline void world_tell(struct world *w, bool middle, enum fal_tp_kind kind, uint64_t seg,
                              const struct world_item *of)
{
    struct fal_tp_event e = {
        .at_ns = w->now_ns, .number = ++w->number, .flow = 7, .kind = kind};

    e.seg = seg;
    e.bytes = kind == FAL_TP_SEND || kind == FAL_TP_ARRIVE ? 100 + (uint32_t)seg % 7 : 0;
    e.digest = seg * 77 + 1;
    if (of != NULL) {
        e.trimmed = of->trimmed;
        e.reply = of->reply;
    }
    if (e.trimmed)
        e.bytes = 0;
    w->sink.event(w->sink.ctx, middle, &e);
}

/* Through the middle to the other end; it may die before or behind the middle. */
static inline void world_travel(struct world *w, struct world_item item, enum world_what middle)
{
    const unsigned copies = 1 + world_chance(w, w->twice);

    for (unsigned i = 0; i < copies; i++) {
        uint64_t at_ns = w->now_ns + w->base_ns + fal_rng_below(&w->rng, w->jitter_ns + 1);

        item.what = middle;
        item.dies = false;
        item.trimmed = false;
        if (world_chance(w, w->loss)) {
            if (w->mode == TOKENS && middle == W_SEGMENT_MIDDLE && world_chance(w, 70))
                item.trimmed = true;
            else if (world_chance(w, 50))
                continue;
            else
                item.dies = true;
        }
        world_put(w, at_ns, &item);
    }
}

/* ---- the receiver ---- */

static inline void world_answer(struct world *w, struct world_item *item)
{
    world_tell(w, false, FAL_TP_REPLY, 0, item);
    world_travel(w, *item, W_REPLY_MIDDLE);
}

static inline void world_ranges(const struct world *w, struct fal_tp_reply *r)
{
    for (uint64_t i = w->expected; i < w->segs && r->num_got < 4; i++) {
        if (!w->got[i])
            continue;
        r->got[r->num_got].first = i;
        while (i < w->segs && w->got[i])
            i++;
        r->got[r->num_got++].end = i;
    }
}

static inline void world_deliver(struct world *w, uint64_t seg)
{
    if (w->mode == TOKENS) {
        world_tell(w, false, FAL_TP_DELIVER, seg, NULL);
        return;
    }
    while (w->expected < w->segs && w->got[w->expected])
        world_tell(w, false, FAL_TP_DELIVER, w->expected++, NULL);
}

static inline void world_arrive(struct world *w, const struct world_item *in)
{
    struct world_item out = {0};
    const uint64_t seg = in->seg;
    bool fresh = !w->got[seg] && !in->trimmed;

    world_tell(w, false, FAL_TP_ARRIVE, seg, in);
    if (w->mode == GBN) {
        fresh = fresh && seg == w->expected;
        if (seg > w->expected && w->nak_sent)
            return;
        out.reply.nack = w->nak_sent = seg > w->expected;
        out.reply.nack_seg = w->expected;
    }
    if (fresh) {
        w->got[seg] = true;
        world_deliver(w, seg);
    }
    out.reply.has_cum = w->mode != TOKENS;
    out.reply.cum = w->expected;
    if (w->mode == SACK)
        world_ranges(w, &out.reply);
    if (w->mode == TOKENS) {
        if (in->trimmed && !w->got[seg]) {
            out.reply.nack = true;
            out.reply.nack_seg = seg;
        } else {
            out.reply.got[0] = (struct fal_tp_range){seg, seg + 1};
            out.reply.num_got = 1;
        }
        out.reply.grant = ++w->granted;
    }
    world_answer(w, &out);
}

/* ---- the sender ---- */

static inline void world_arm(struct world *w)
{
    struct world_item item = {.what = W_RTO};

    w->rto_at_ns = w->now_ns + w->rto_ns * w->backoff;
    world_put(w, w->rto_at_ns, &item);
}

static inline void world_send(struct world *w, uint64_t seg)
{
    struct world_item item = {.seg = seg};

    world_tell(w, false, FAL_TP_SEND, seg, NULL);
    w->sent_ns[seg] = w->now_ns;
    w->resent[seg] = seg < w->next;
    w->nacked[seg] = false;
    if (w->next <= seg)
        w->next = seg + 1;
    world_travel(w, item, W_SEGMENT_MIDDLE);
    if (w->rto_at_ns == 0)
        world_arm(w);
}

static inline uint64_t world_flight(const struct world *w)
{
    uint64_t n = 0;

    for (uint64_t i = w->cum; i < w->next; i++)
        n += !w->acked[i];
    return n;
}

/* The next segment of a sender with a scoreboard: lost ones first. */
static inline bool world_hole(struct world *w, uint64_t *seg)
{
    uint64_t above = 0;

    for (uint64_t i = w->cum; i < w->next; i++)
        above += w->acked[i];
    for (uint64_t i = w->cum; i < w->next; i++) {
        above -= w->acked[i];
        if (!w->acked[i] && (w->queued_again[i] || (above >= 3 && !w->resent[i]))) {
            w->queued_again[i] = false;
            *seg = i;
            return true;
        }
    }
    return false;
}

static inline bool world_next(struct world *w, uint64_t *seg)
{
    if (w->mode == TOKENS) {
        for (uint64_t i = 0; i < w->next && w->tokens > 0; i++)
            if (w->nacked[i] && !w->acked[i]) {
                w->tokens--;
                *seg = i;
                return true;
            }
        *seg = w->next;
        return w->next < w->posted && w->tokens > 0 && w->tokens-- > 0;
    }
    if (w->mode == SACK && world_hole(w, seg))
        return true;
    if (w->mode == SACK) {
        *seg = w->next;
        return w->next < w->posted && w->next < w->cum + w->window;
    }
    w->point = w->point < w->cum ? w->cum : w->point;
    *seg = w->point;
    return w->point < w->posted && w->point < w->cum + w->window;
}

/* Go-back-N is paced, so that the rate holds: 107 bytes each 100 ns. */
static inline void world_sends(struct world *w)
{
    uint64_t seg;

    if (w->mode == GBN) {
        struct world_item item = {.what = W_SEND};

        if (!w->send_due)
            world_put(w, w->now_ns, &item);
        w->send_due = true;
        return;
    }
    while (world_next(w, &seg)) {
        w->point = seg + 1;
        world_send(w, seg);
    }
}

static inline void world_paced(struct world *w)
{
    struct world_item item = {.what = W_SEND};
    uint64_t seg;

    w->send_due = world_next(w, &seg);
    if (!w->send_due)
        return;
    w->point = seg + 1;
    world_send(w, seg);
    world_put(w, w->now_ns + 107, &item);
}

static inline void world_send_oldest(struct world *w)
{
    world_send(w, w->cum);
    w->point = w->point > w->cum ? w->point : w->cum + 1;
}

static inline void world_moved(struct world *w, uint64_t cum)
{
    w->cum = cum;
    w->dups = 0;
    w->backoff = 1;
    if (cum < w->next)
        world_arm(w);
    else
        w->rto_at_ns = 0;
    if (w->in_recovery && (cum >= w->recover || w->mode == RENO))
        w->in_recovery = false;
    else if (w->in_recovery && w->mode == NEWRENO)
        world_send_oldest(w);
}

static inline void world_fast(struct world *w)
{
    w->dups++;
    if (w->dups != 3 || w->in_recovery || w->cum < w->recover || w->mode == GBN ||
        w->mode == SACK)
        return; /* SACK goes by its scoreboard */
    w->in_recovery = true;
    w->recover = w->next;
    world_send_oldest(w);
}

static inline void world_feedback(struct world *w, const struct world_item *in)
{
    const struct fal_tp_reply *r = &in->reply;

    world_tell(w, false, FAL_TP_FEEDBACK, 0, in);
    for (unsigned i = 0; i < r->num_got; i++)
        for (uint64_t s = r->got[i].first; s < r->got[i].end; s++)
            w->acked[s] = true;
    if (r->has_cum && r->cum > w->cum)
        world_moved(w, r->cum);
    else if (r->has_cum && r->cum == w->cum && w->cum < w->next)
        world_fast(w);
    for (uint64_t i = 0; i < w->cum; i++)
        w->acked[i] = true;
    while (w->mode == TOKENS && w->cum < w->next && w->acked[w->cum])
        w->cum++;
    if (r->nack && w->mode == GBN && r->nack_seg >= w->cum)
        w->point = r->nack_seg;
    if (r->nack && w->mode == TOKENS && !w->acked[r->nack_seg])
        w->nacked[r->nack_seg] = true;
    if (r->grant > w->grant) {
        w->tokens += r->grant - w->grant;
        w->grant = r->grant;
    }
    world_sends(w);
    if (w->posted == w->segs && world_flight(w) == 0 && w->next == w->segs && !w->done) {
        w->done = true;
        world_tell(w, false, FAL_TP_DONE, 0, NULL);
    }
}

/* A timer of its own for each segment where tokens are used: those that are due are sent. */
static inline void world_each_timer(struct world *w)
{
    for (uint64_t i = 0; i < w->next; i++)
        if (!w->acked[i] && w->now_ns >= w->sent_ns[i] + w->rto_ns)
            world_send(w, i);
    if (world_flight(w) > 0)
        world_arm(w);
    else
        w->rto_at_ns = 0;
}

static inline void world_timeout(struct world *w)
{
    if (w->rto_at_ns != w->now_ns)
        return; /* the timer was set anew */
    w->rto_at_ns = 0;
    if (w->mode == TOKENS) {
        world_each_timer(w);
        return;
    }
    world_tell(w, false, FAL_TP_TIMEOUT, 0, NULL);
    w->backoff = w->backoff < 4 ? w->backoff * 2 : 4;
    w->in_recovery = false;
    w->recover = w->next;
    w->dups = 0;
    w->point = w->cum;
    for (uint64_t i = w->cum; w->mode == SACK && i < w->next; i++)
        w->queued_again[i] = !w->acked[i];
    if (w->mode != SACK && w->mode != GBN) {
        w->point = w->cum + 1;
        world_send(w, w->cum);
    }
    world_arm(w);
    world_sends(w);
}

static inline void world_post(struct world *w)
{
    struct world_item item = {.what = W_POST};

    w->posted += 1 + fal_rng_below(&w->rng, 40);
    w->posted = w->posted < w->segs ? w->posted : w->segs;
    world_tell(w, false, FAL_TP_POST, w->posted, NULL);
    if (w->posted < w->segs)
        world_put(w, w->now_ns + fal_rng_below(&w->rng, 20000), &item);
    world_sends(w);
}

static inline void world_middle(struct world *w, struct world_item item, enum fal_tp_kind kind,
                                enum world_what next)
{
    world_tell(w, true, kind, item.seg, &item);
    item.what = next;
    if (!item.dies)
        world_put(w, w->now_ns + w->base_ns + fal_rng_below(&w->rng, w->jitter_ns + 1), &item);
}

static inline void world_begin(struct world *w, uint64_t seed)
{
    struct world_item post = {.what = W_POST};

    w->rng = (struct fal_rng){seed};
    w->mode = (enum world_mode)fal_rng_below(&w->rng, WORLD_MODES);
    w->segs = 2 + fal_rng_below(&w->rng, WORLD_SEGS - 2);
    w->loss = (unsigned)fal_rng_below(&w->rng, 25);
    w->twice = (unsigned)fal_rng_below(&w->rng, 15);
    w->base_ns = fal_rng_below(&w->rng, 300);
    w->jitter_ns = fal_rng_below(&w->rng, 2) * fal_rng_below(&w->rng, 1500);
    w->window = 1 + fal_rng_below(&w->rng, 24);
    w->tokens = w->window;
    w->rto_ns = 2000 + fal_rng_below(&w->rng, 4000);
    w->backoff = 1;
    w->row = (struct fal_tp_row){.name = "world",
                                 .cumulative = w->mode != TOKENS,
                                 .selective = w->mode == SACK || w->mode == TOKENS,
                                 .in_order = w->mode != TOKENS,
                                 .nacks = w->mode == GBN || w->mode == TOKENS,
                                 .dup_threshold = w->mode <= SACK ? 3 : 0,
                                 .partial_acks = w->mode == NEWRENO,
                                 .rto_min_ns = w->rto_ns,
                                 .rto_max_ns = w->rto_ns * 4,
                                 .liveness_ns = w->mode == GBN ? 107 : 1,
                                 .max_window = w->mode == TOKENS ? 0 : w->window,
                                 .initial_tokens = w->tokens};
    if (w->mode == GBN) {
        w->row.repair = FAL_TP_GO_BACK_N;
        w->row.credit = FAL_TP_RATE;
        w->row.rate_bps = 8000000000;
        w->row.burst_bytes = 220;
    }
    if (w->mode == TOKENS)
        w->row.credit = FAL_TP_TOKENS;
    world_put(w, 0, &post);
}

/* Plays one transfer to its end. Returns whether all was acknowledged. */
static inline bool world_play(struct world *w, unsigned steps)
{
    while (w->queued > 0 && !w->done && steps-- > 0) {
        struct world_item item = world_take(w);

        w->now_ns = item.at_ns;
        switch (item.what) {
        case W_POST: world_post(w); break;
        case W_SEND: world_paced(w); break;
        case W_RTO: world_timeout(w); break;
        case W_SEGMENT_MIDDLE: world_middle(w, item, FAL_TP_SEND, W_SEGMENT); break;
        case W_SEGMENT: world_arrive(w, &item); break;
        case W_REPLY_MIDDLE: world_middle(w, item, FAL_TP_REPLY, W_REPLY); break;
        case W_REPLY: world_feedback(w, &item); break;
        }
    }
    return w->done;
}

#endif
