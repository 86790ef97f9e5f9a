/* SPDX-License-Identifier: Apache-2.0
 * explainer_testing.h - for tests only: the slow explainer. It tries every history of a short
 * trace: each packet to the SUT lost, duplicated, overtaken or late, each packet of the SUT
 * made at any moment before it was seen, lost or duplicated, the upper layer answering whenever
 * and however it may, resources running short. The SUT in it follows the sentences
 * of 9.1.2, 9.1.3, 9.1.4, 9.1.6, 9.2.2.4, 9.2.3 and 9.2.5 as they stand. A trace that no
 * history explains shows a break.
 *
 * Numbers count from 0 in each window. Time passes only where the trace waits, a whole
 * retransmit timeout each time; no other timer is modelled, and no round trip. */
#ifndef FAL_ORACLES_RULES_JUDGE_EXPLAINER_TESTING_H
#define FAL_ORACLES_RULES_JUDGE_EXPLAINER_TESTING_H

#include "oracles/timeline.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Numbers from 0 to NEAR_MAX - 1, and one far ahead in each window. */
enum { NEAR_MAX = 7, FAR_AT = NEAR_MAX, NUMBERS = NEAR_MAX + 1, TRACE_MAX = 12 };
enum { FAR_DATA = 128, FAR_REQ = 64 };

/* What the network may do, to packets in either direction. */
struct x_path {
    bool loses, doubles, reorders;
    bool immediate; /* nothing is ever under way */
};

/* One event of a trace: a packet, or a wait (kind WAIT). */
struct x_event {
    bool wait, from_sut;
    uint16_t symbol;     /* equal ones are the same bytes */
    struct fal_falcon f; /* numbers relative to the initial ones */
};

struct x_config {
    struct x_path path;
    uint32_t fcwnd, ncwnd, threshold;
    bool ordered;
};

/* The SUT, and what is under way; one byte each, so that states can be compared. */
struct x_state {
    uint8_t pos, epoch;
    uint16_t in_flight; /* in-events that may still arrive */
    uint16_t made;      /* out-events that the SUT has sent */
    /* receiver, by window */
    uint8_t base[2], rx[2], ack[2], own[2];
    uint8_t dropped[2]; /* for lack of resources, so a NACK may say so */
    uint8_t rnr, cie;   /* pushes that their upper layer answered so; a NACK may say so */
    uint8_t refused;    /* pushes that ended with CIE */
    uint8_t nacked;     /* pushes whose rx bit may go */
    /* transmitter, by window */
    uint8_t next[2], una[2], acked[2], may_early[2], rsn;
    uint8_t sent_at[2][NUMBERS]; /* epoch of the last copy */
    uint8_t is_push;             /* of the data window's numbers */
};

/* One search; its memory serves the next one too. */
struct x_search {
    const struct x_config *config;
    const struct x_event *trace;
    unsigned len;
    struct x_state *seen; /* a hash set: of this search are the slots with its number */
    uint32_t *slot, number;
    size_t cap, num;
    struct x_state *todo;
    size_t todo_num, todo_cap;
};

/* ---- sets of states ---- */

static inline uint64_t x_hash(const struct x_state *s)
{
    uint64_t words[(sizeof *s + 7) / 8] = {0}, h = 0;

    memcpy(words, s, sizeof *s);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

static inline bool x_insert(struct x_search *q, const struct x_state *s)
{
    size_t i = x_hash(s) & (q->cap - 1);

    while (q->slot[i] == q->number) {
        if (memcmp(&q->seen[i], s, sizeof *s) == 0)
            return false;
        i = (i + 1) & (q->cap - 1);
    }
    q->seen[i] = *s;
    q->slot[i] = q->number;
    q->num++;
    return true;
}

static inline void x_grow(struct x_search *q)
{
    struct x_search old = *q;

    q->cap = old.cap == 0 ? 1024 : 2 * old.cap;
    q->seen = malloc(q->cap * sizeof *q->seen);
    q->slot = calloc(q->cap, sizeof *q->slot);
    ck_assert(q->seen != NULL && q->slot != NULL);
    q->num = 0;
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i] == q->number)
            (void)x_insert(q, &old.seen[i]);
    free(old.seen);
    free(old.slot);
}

/* A state that can be reached. */
static inline void x_reach(struct x_search *q, const struct x_state *s)
{
    if (2 * q->num >= q->cap)
        x_grow(q);
    if (!x_insert(q, s))
        return;
    if (q->todo_num == q->todo_cap) {
        q->todo_cap = q->todo_cap == 0 ? 256 : 2 * q->todo_cap;
        q->todo = realloc(q->todo, q->todo_cap * sizeof *q->todo);
        ck_assert_ptr_nonnull(q->todo);
    }
    q->todo[q->todo_num++] = *s;
}

/* ---- numbers ---- */

static inline uint32_t x_number(int w, unsigned i)
{
    return i < FAR_AT ? i : w == FAL_WINDOW_REQ ? FAR_REQ : FAR_DATA;
}

static inline unsigned x_index(uint32_t x)
{
    return x < FAR_AT ? x : FAR_AT;
}

static inline uint32_t x_size(int w)
{
    return w == FAL_WINDOW_REQ ? 64 : 128;
}

/* The bits of a window as an EACK shows them. */
static inline fal_u128 x_bits(const struct x_state *s, int w, uint8_t set)
{
    fal_u128 bits = 0;

    for (unsigned i = 0; i < NUMBERS; i++) {
        uint32_t x = x_number(w, i);

        if ((set >> i & 1) != 0 && x >= s->base[w] && x - s->base[w] < x_size(w))
            bits = fal_u128_with(bits, x - s->base[w]);
    }
    return bits;
}

/* ---- the receiver ---- */

/* 9.2.2.4: acknowledged at the base, the base moves to the next that is not. */
static inline void x_acknowledge(struct x_state *s, int w, unsigned i)
{
    s->ack[w] |= (uint8_t)(1u << i);
    s->rx[w] |= (uint8_t)(1u << i);
    while (s->base[w] < FAR_AT && (s->ack[w] >> s->base[w] & 1) != 0)
        s->base[w]++;
}

/* Whether a NACK with that code may still be made of the trace: only then its cause matters. */
static inline bool x_nack_ahead(const struct x_search *q, const struct x_state *s, int w,
                                unsigned i, enum fal_nack_code code)
{
    for (unsigned j = s->pos; j < q->len; j++) {
        const struct fal_falcon *f = &q->trace[j].f;

        if (q->trace[j].from_sut && f->packet_type == FAL_NACK && f->nack_code == code &&
            (int)f->window == w && x_index(f->nack_psn) == i && (s->made >> j & 1) == 0)
            return true;
    }
    return false;
}

/* A reliable packet arrives; each way that it may go. */
static inline void x_take_reliable(struct x_search *q, struct x_state s,
                                   const struct fal_falcon *f)
{
    int w = (int)fal_falcon_window(f);
    unsigned i = x_index(f->psn);
    uint8_t bit = (uint8_t)(1u << i);
    bool push = f->packet_type == FAL_PUSH_DATA;

    if (f->psn < s.base[w]) {
        x_reach(q, &s);
    } else if (f->psn >= s.base[w] + x_size(w)) {
        s.own[w] = 1;
        x_reach(q, &s);
    } else if ((s.ack[w] & bit) != 0) {
        x_reach(q, &s);
    } else if (f->packet_type == FAL_RESYNC) {
        x_acknowledge(&s, w, i);
        x_reach(q, &s);
    } else if (push && (s.rx[w] & bit) != 0) {
        if ((s.refused & bit) != 0 && x_nack_ahead(q, &s, w, i, FAL_NACK_CIE))
            s.cie |= bit; /* the same answer again (6.6.5) */
        x_reach(q, &s);
    } else {
        struct x_state dropped = s;

        if (x_nack_ahead(q, &s, w, i, FAL_NACK_RESOURCE))
            dropped.dropped[w] |= bit;
        x_reach(q, &dropped);
        if (push)
            s.rx[w] |= bit;
        else
            x_acknowledge(&s, w, i);
        x_reach(q, &s);
    }
}

/* The upper layer answers a push that it has. */
static inline void x_upper_layer(struct x_search *q, const struct x_state *s)
{
    for (unsigned i = 0; i < NUMBERS; i++) {
        uint8_t bit = (uint8_t)(1u << i);
        struct x_state next = *s;

        if ((s->rx[FAL_WINDOW_DATA] & bit) == 0 || (s->ack[FAL_WINDOW_DATA] & bit) != 0 ||
            (s->refused & bit) != 0)
            continue;
        x_acknowledge(&next, FAL_WINDOW_DATA, i);
        x_reach(q, &next);
        next = *s;
        next.refused |= bit;
        if (x_nack_ahead(q, s, FAL_WINDOW_DATA, i, FAL_NACK_CIE)) {
            next.cie |= bit;
            x_reach(q, &next);
        }
        next = *s;
        if (x_nack_ahead(q, s, FAL_WINDOW_DATA, i, FAL_NACK_RNR)) {
            next.rnr |= bit;
            x_reach(q, &next);
        }
        next = *s;
        if (x_nack_ahead(q, s, FAL_WINDOW_DATA, i, FAL_NACK_RESOURCE)) {
            next.dropped[FAL_WINDOW_DATA] |= bit;
            x_reach(q, &next);
        }
        /* Once it was NACKed for lack of room or with RNR: whether the rx bit stays is not said
         * (AMB-65). The NACK may be lost. */
        next = *s;
        if ((s->nacked & bit) != 0 || q->config->path.loses) {
            next.rx[FAL_WINDOW_DATA] &= (uint8_t)~bit;
            next.nacked &= (uint8_t)~bit;
            x_reach(q, &next);
        }
    }
}

/* ---- the transmitter ---- */

static inline void x_acked_below(struct x_state *s, int w, uint32_t base)
{
    for (; s->una[w] < base && s->una[w] < FAR_AT; s->una[w]++)
        s->acked[w] |= (uint8_t)(1u << s->una[w]);
}

/* 9.1.4: what the EACK lets it repeat early. */
static inline void x_licence(const struct x_config *c, struct x_state *s, int w, uint32_t base,
                             fal_u128 received, bool own)
{
    int top = fal_u128_top(received);

    for (unsigned i = 0; i < s->next[w]; i++) {
        bool in = i >= base, set = in && fal_u128_test(received, i - base);

        if (in && !set && (own || (int)(i - base) <= top - (int)c->threshold))
            s->may_early[w] |= (uint8_t)(1u << i);
    }
}

static inline void x_take_bits(const struct x_config *c, struct x_state *s,
                               const struct fal_falcon *f)
{
    fal_u128 req = f->req_bitmap;

    for (unsigned i = 0; i < FAR_AT; i++) {
        if (i >= f->recv_data_base_psn &&
            fal_u128_test(f->data_ack_bitmap, i - f->recv_data_base_psn))
            s->acked[FAL_WINDOW_DATA] |= (uint8_t)(1u << i);
        if (i >= f->recv_req_base_psn && fal_u128_test(req, i - f->recv_req_base_psn))
            s->acked[FAL_WINDOW_REQ] |= (uint8_t)(1u << i);
    }
    x_licence(c, s, FAL_WINDOW_DATA, f->recv_data_base_psn,
              f->data_rx_bitmap | f->data_ack_bitmap, f->own != 0);
    x_licence(c, s, FAL_WINDOW_REQ, f->recv_req_base_psn, req, f->own != 0);
}

/* 9.2.3 and 9.2.4: with a lower base an ACK is discarded whole. */
static inline void x_take_claims(const struct x_config *c, struct x_state *s,
                                 const struct fal_falcon *f)
{
    bool reliable = fal_falcon_reliable(f->packet_type);

    if (!reliable && (f->recv_data_base_psn < s->una[FAL_WINDOW_DATA] ||
                      f->recv_req_base_psn < s->una[FAL_WINDOW_REQ]))
        return;
    x_acked_below(s, FAL_WINDOW_DATA, f->recv_data_base_psn);
    x_acked_below(s, FAL_WINDOW_REQ, f->recv_req_base_psn);
    if (f->packet_type == FAL_EACK)
        x_take_bits(c, s, f);
    for (int w = 0; w < 2; w++) /* to the next that is not acknowledged (9.1.1) */
        while (s->una[w] < FAR_AT && (s->acked[w] >> s->una[w] & 1) != 0)
            s->una[w]++;
    if (f->packet_type == FAL_NACK)
        s->may_early[f->window & 1] |= (uint8_t)(1u << x_index(f->nack_psn));
}

/* Whether the SUT may send this packet of its own now, and what it is then. */
static inline bool x_may_send(const struct x_config *c, struct x_state *s,
                              const struct fal_falcon *f)
{
    int w = (int)fal_falcon_window(f);
    unsigned x = f->psn;
    uint8_t bit;
    unsigned requests = 0;

    if (x >= FAR_AT || x > s->next[w])
        return false;
    bit = (uint8_t)(1u << x);
    if (x < s->next[w]) {
        if ((s->acked[w] & bit) != 0 ||
            ((s->may_early[w] & bit) == 0 && s->epoch == s->sent_at[w][x]))
            return false;
    } else {
        for (unsigned i = 0; i < s->next[w]; i++)
            requests += (s->acked[w] >> i & 1) == 0 &&
                        (w == FAL_WINDOW_REQ || (s->is_push >> i & 1) != 0);
        if (x >= s->una[w] + c->fcwnd || requests >= c->ncwnd)
            return false;
        if (f->rsn < s->rsn || (c->ordered && f->rsn != s->rsn))
            return false;
        s->next[w]++;
        s->rsn = (uint8_t)(f->rsn + 1);
        if (w == FAL_WINDOW_DATA)
            s->is_push |= bit;
    }
    s->sent_at[w][x] = s->epoch;
    return true;
}

/* ---- what it sends ---- */

/* 9.1.6. */
static inline bool x_eack_due(const struct x_state *s)
{
    fal_u128 rx = x_bits(s, FAL_WINDOW_DATA, s->rx[FAL_WINDOW_DATA]);
    int top = fal_u128_top(rx);

    return s->own[0] != 0 || s->own[1] != 0 ||
           x_bits(s, FAL_WINDOW_REQ, s->ack[FAL_WINDOW_REQ]) != 0 ||
           x_bits(s, FAL_WINDOW_DATA, s->ack[FAL_WINDOW_DATA]) != 0 ||
           rx != (top < 0 ? (fal_u128)0 : fal_u128_ones((unsigned)top + 1));
}

static inline bool x_shows(const struct x_state *s, const struct fal_falcon *f)
{
    unsigned own = (s->own[FAL_WINDOW_REQ] != 0 ? FAL_OWN_REQ : 0) |
                   (s->own[FAL_WINDOW_DATA] != 0 ? FAL_OWN_DATA : 0);

    return f->data_ack_bitmap == x_bits(s, FAL_WINDOW_DATA, s->ack[FAL_WINDOW_DATA]) &&
           f->data_rx_bitmap == x_bits(s, FAL_WINDOW_DATA, s->rx[FAL_WINDOW_DATA]) &&
           f->req_bitmap == fal_u128_lo(x_bits(s, FAL_WINDOW_REQ, s->ack[FAL_WINDOW_REQ])) &&
           f->own == own;
}

static inline bool x_may_nack(struct x_state *s, const struct fal_falcon *f)
{
    uint8_t bit = (uint8_t)(1u << x_index(f->nack_psn)), *cause = NULL;

    switch ((enum fal_nack_code)f->nack_code) {
    case FAL_NACK_RESOURCE: cause = &s->dropped[f->window & 1]; break;
    case FAL_NACK_RNR: cause = &s->rnr; break;
    case FAL_NACK_CIE: cause = &s->cie; break;
    case FAL_NACK_XLR:
    case FAL_NACK_NRE:
    case FAL_NACK_CID: break;
    }
    if (cause == NULL || (*cause & bit) == 0)
        return false;
    *cause &= (uint8_t)~bit;
    if (f->window == FAL_WINDOW_DATA && f->nack_code != FAL_NACK_CIE)
        s->nacked |= bit;
    return true;
}

/* Whether the SUT may make this packet now; it is another state then. */
static inline bool x_make(const struct x_config *c, struct x_state *s,
                          const struct fal_falcon *f)
{
    if (f->recv_data_base_psn != s->base[FAL_WINDOW_DATA] ||
        f->recv_req_base_psn != s->base[FAL_WINDOW_REQ])
        return false; /* the newest bases in every packet */
    switch ((enum fal_packet_type)f->packet_type) {
    case FAL_BACK: return !x_eack_due(s);
    case FAL_EACK:
        if (!x_shows(s, f))
            return false;
        s->own[0] = s->own[1] = 0;
        return true;
    case FAL_NACK: return x_may_nack(s, f);
    case FAL_PULL_REQUEST:
    case FAL_PUSH_DATA: return x_may_send(c, s, f);
    case FAL_PULL_DATA:
    case FAL_RESYNC: break;
    }
    return false;
}

/* ---- histories ---- */

static inline void x_arrivals(struct x_search *q, const struct x_state *s)
{
    const struct x_path *path = &q->config->path;

    for (unsigned i = 0; i < s->pos; i++) {
        struct x_state next = *s;
        const struct fal_falcon *f = &q->trace[i].f;

        if ((s->in_flight >> i & 1) == 0)
            continue;
        if (!path->doubles)
            next.in_flight &= (uint16_t) ~(1u << i);
        x_take_claims(q->config, &next, f);
        if (fal_falcon_reliable(f->packet_type))
            x_take_reliable(q, next, f);
        else
            x_reach(q, &next);
        if (!path->reorders)
            return; /* the oldest first */
    }
}

/* Whether this packet may be a duplicate of an older one with the same bytes. */
static inline bool x_doubled(const struct x_search *q, const struct x_state *s, unsigned j)
{
    for (unsigned i = 0; i < j && q->config->path.doubles; i++)
        if ((s->made >> i & 1) != 0 && q->trace[i].from_sut &&
            q->trace[i].symbol == q->trace[j].symbol)
            return true;
    return false;
}

/* Each packet seen from here on may be made now. */
static inline void x_makings(struct x_search *q, const struct x_state *s)
{
    for (unsigned j = s->pos; j < q->len; j++) {
        struct x_state next = *s;

        if (!q->trace[j].from_sut || q->trace[j].wait || (s->made >> j & 1) != 0)
            continue;
        next.made |= (uint16_t)(1u << j);
        if (x_doubled(q, s, j))
            x_reach(q, &next);
        if (x_make(q->config, &next, &q->trace[j].f))
            x_reach(q, &next);
        if (!q->config->path.reorders)
            return;
    }
}

/* Packets that the explainer sends and that are never observed. Of an EACK only the cleared OWN
 * bit matters, of its own packets only that they were sent. */
static inline void x_lost(struct x_search *q, const struct x_state *s)
{
    struct x_state next = *s;

    if (!q->config->path.loses)
        return;
    next.own[0] = next.own[1] = 0;
    x_reach(q, &next);
    for (unsigned j = s->pos; j < q->len; j++) {
        struct fal_falcon f = q->trace[j].f;

        if (!q->trace[j].from_sut || q->trace[j].wait || !fal_falcon_reliable(f.packet_type))
            continue;
        f.recv_data_base_psn = s->base[FAL_WINDOW_DATA];
        f.recv_req_base_psn = s->base[FAL_WINDOW_REQ];
        next = *s;
        if (x_make(q->config, &next, &f))
            x_reach(q, &next);
    }
    /* numbers and transactions of which no copy is ever seen */
    for (int w = 0; w < 2; w++) {
        struct fal_falcon f = {.packet_type =
                                   w == FAL_WINDOW_REQ ? FAL_PULL_REQUEST : FAL_PUSH_DATA,
                               .recv_data_base_psn = s->base[FAL_WINDOW_DATA],
                               .recv_req_base_psn = s->base[FAL_WINDOW_REQ],
                               .psn = s->next[w],
                               .rsn = s->rsn};

        next = *s;
        if (s->rsn < NUMBERS && x_make(q->config, &next, &f))
            x_reach(q, &next);
    }
}

/* The next event of the trace happens. */
static inline void x_event_happens(struct x_search *q, const struct x_state *s)
{
    const struct x_event *e = &q->trace[s->pos];
    struct x_state next = *s;

    next.pos++;
    if (e->wait)
        next.epoch++;
    else if (!e->from_sut)
        next.in_flight |= (uint16_t)(1u << s->pos);
    else if ((s->made >> s->pos & 1) == 0)
        return;
    if (q->config->path.immediate && (s->made >> next.pos) != 0)
        return; /* nothing is made before it is seen */
    x_reach(q, &next);
}

static inline void x_free(struct x_search *q)
{
    free(q->seen);
    free(q->slot);
    free(q->todo);
    *q = (struct x_search){0};
}

/* Whether some history explains the trace. `q` is zeroed before its first use. */
static inline bool explain(struct x_search *q, const struct x_config *config,
                           const struct x_event *trace, unsigned len)
{
    struct x_state start;

    memset(&start, 0, sizeof start); /* padding too: states are compared as bytes */
    ck_assert_uint_le(len, TRACE_MAX);
    q->config = config;
    q->trace = trace;
    q->len = len;
    q->number++;
    q->num = q->todo_num = 0;
    x_reach(q, &start);
    while (q->todo_num > 0) {
        struct x_state s = q->todo[--q->todo_num];

        if (s.pos == len)
            return true;
        x_arrivals(q, &s);
        if (config->path.immediate && s.in_flight != 0)
            continue; /* it arrives before anything else happens */
        x_upper_layer(q, &s);
        x_lost(q, &s);
        x_makings(q, &s);
        x_event_happens(q, &s);
    }
    return false;
}

#endif
