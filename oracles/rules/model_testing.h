/* SPDX-License-Identifier: Apache-2.0
 * model_testing.h - for tests only: two naive but lawful Falcon nodes over a bad network,
 * written from the sentences of chapters 8 and 9 for this test alone, and what an observer sees
 * of them. Every freedom that the text leaves is drawn at random: EACK always or only when due,
 * ACKs at once or late, bases piggybacked, packets swapped inside a node within P, resource
 * drops, either reading of AMB-65.
 *
 * Packets are numbered from 0 in each window; only on the wire do the initial numbers come in.
 */
#ifndef FAL_ORACLES_RULES_MODEL_TESTING_H
#define FAL_ORACLES_RULES_MODEL_TESTING_H

#include "oracles/payload.h"
#include "oracles/rng.h"
#include "oracles/timeline.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_PACKETS = 300, MODEL_LEN_MAX = 64, MODEL_BYTES = FAL_HEADER_MAX + MODEL_LEN_MAX };
/* The delay of every RNR; no retransmission comes sooner. */
#define MODEL_RNR_NS (20 * FAL_US)
#define MODEL_RTO_NS (200 * FAL_US)

enum model_push { MODEL_NEW, MODEL_PENDING, MODEL_RNRED, MODEL_CIE, MODEL_DONE };
enum model_what {
    M_ARRIVE,
    M_OBSERVE,
    M_RECORD,
    M_ANSWER,
    M_APPLY,
    M_REDELIVER,
    M_ACK,
    M_RTO,
    M_POST
};

/* A request that waits for those before it. */
struct model_held {
    bool here, pull;
    uint32_t x, len;
    struct fal_falcon f;
    uint8_t payload[MODEL_LEN_MAX];
};

/* Something that will happen. */
struct model_item {
    uint64_t at_ns, order;
    enum model_what what;
    int node; /* 0 the tester, 1 the SUT */
    uint32_t x, rsn;
    enum fal_answer answer;
    bool pull;
    uint64_t left_ns;       /* ARRIVE: when it left */
    bool marked;            /* and whether the network marked it */
    struct fal_event event; /* OBSERVE, RECORD */
    uint8_t bytes[MODEL_BYTES];
    uint32_t len;
};

struct model_sent {
    uint8_t type;
    uint32_t rsn, len;
    bool acked, resync, rnr;
    uint8_t code;      /* of the Resync */
    uint32_t attempts; /* by the timer, and the first */
    uint64_t last_ns, next_ns, not_before_ns;
};

/* A packet that waits for its congestion windows. */
struct model_queued {
    uint8_t type;
    uint32_t rsn, len;
};

struct model_node {
    struct model_sent sent[2][MODEL_PACKETS];
    uint32_t next[2], una[2], next_rsn;
    struct model_queued queue[3 * MODEL_PACKETS];
    uint32_t queued, unqueued;
    uint32_t fcwnd, ncwnd, attempts;
    bool early, failed[MODEL_PACKETS]; /* of its pulls, by RSN from the first */
    bool rx[2][MODEL_PACKETS + 256], ack[2][MODEL_PACKETS + 256], own[2];
    uint32_t base[2];
    enum model_push push[MODEL_PACKETS + 256];
    uint32_t push_rsn[MODEL_PACKETS + 256];
    bool ack_due, ack_timer;
    struct model_held held[MODEL_PACKETS]; /* ordered: by RSN, from the first */
    uint32_t want;                         /* the next to hand up */
    uint64_t pipeline_ns;
    uint32_t t1, t2;
    uint16_t ecn;
    bool eack_always, ack_at_once, clear_rx, t_any; /* twins */
};

struct model_config {
    uint64_t seed;
    bool lossy, doubles;
    uint64_t delay_min_ns, delay_max_ns;
    bool bounds_declared, iv;
    enum fal_vantage vantage;
    bool middle;    /* the capture starts late, and the initial numbers are not known */
    bool gaps;      /* the observer misses packets, and says so */
    bool ordered;   /* requests are handed up by RSN, and never refused */
    bool commanded; /* the tester writes the answers of the SUT's upper layer */
    uint64_t pipeline_ns;
};

struct model {
    struct model_config config;
    struct fal_rng rng;
    struct model_node node[2];
    struct fal_connection connection;
    struct model_item *heap;
    size_t num, cap;
    uint64_t now_ns, order, ulp_ns;
    uint32_t posts_left;
    int64_t command_id;
    uint64_t lost;
    bool over; /* a Resync ran out of attempts */
    /* the observer */
    bool watching;
    uint32_t unseen[2];
    uint64_t index, events;
    void (*event)(void *ctx, const struct fal_event *event);
    void *ctx;
};

static inline uint64_t m_below(struct model *m, uint64_t n)
{
    return n == 0 ? 0 : fal_rng_below(&m->rng, n);
}

static inline bool m_chance(struct model *m, unsigned percent)
{
    return m_below(m, 100) < percent;
}

/* ---- what will happen, in order ---- */

static inline bool m_before(const struct model_item *a, const struct model_item *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static inline void m_push(struct model *m, uint64_t at_ns, struct model_item item)
{
    size_t i = m->num;

    if (m->num == m->cap) {
        m->cap = m->cap == 0 ? 256 : 2 * m->cap;
        m->heap = realloc(m->heap, m->cap * sizeof *m->heap);
        ck_assert_ptr_nonnull(m->heap);
    }
    item.at_ns = at_ns;
    item.order = m->order++;
    for (m->num++; i > 0 && m_before(&item, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = item;
}

static inline struct model_item m_pop(struct model *m)
{
    struct model_item top = m->heap[0], last = m->heap[--m->num];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < m->num) {
        if (child + 1 < m->num && m_before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!m_before(&m->heap[child], &last))
            break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = last;
    return top;
}

/* ---- the observer ---- */

static inline void m_say_gaps(struct model *m);

/* Nothing comes on the timeline before the gap that it may show. */
static inline void m_record(struct model *m, struct fal_event *event)
{
    m_say_gaps(m);
    event->index = m->index++;
    event->t_ns = m->now_ns;
    m->event(m->ctx, event);
}

static inline void m_say_gaps(struct model *m)
{
    for (int d = 0; d < 2; d++) {
        struct fal_event event = {.kind = FAL_EV_MARK, .conn = 1};

        if (m->unseen[d] == 0)
            continue;
        event.u.mark.mark = d == FAL_TO_SUT ? FAL_MARK_GAP_IN : FAL_MARK_GAP_OUT;
        event.u.mark.value = m_chance(m, 50) ? m->unseen[d] : 0;
        m->unseen[d] = 0;
        m_record(m, &event);
    }
}

static inline void m_observe(struct model *m, struct model_item *item)
{
    struct fal_ev_packet *p = &item->event.u.packet;

    if (!m->watching && m->now_ns > 300 * FAL_US)
        m->watching = true;
    if (!m->watching)
        return;
    if (m->config.gaps && m_chance(m, 3)) {
        m->unseen[p->dir]++;
        return;
    }
    p->bytes = item->bytes;
    p->len = item->len;
    fal_event_packet(p);
    m_record(m, &item->event);
}

/* A ULP event is read a while after it happened, in order. */
static inline void m_ulp(struct model *m, struct fal_ev_ulp ulp)
{
    struct model_item item = {.what = M_RECORD, .event = {.kind = FAL_EV_ULP, .conn = 1}};
    uint64_t at = m->now_ns + m_below(m, 100 * FAL_US);

    item.event.u.ulp = ulp;
    if (at < m->ulp_ns)
        at = m->ulp_ns;
    m->ulp_ns = at;
    m_push(m, at, item);
}

/* ---- sending ---- */

static inline const struct fal_end *m_end(const struct model *m, int node)
{
    return node == 0 ? &m->connection.tester : &m->connection.sut;
}

static inline uint32_t m_first(const struct model *m, int node, int w)
{
    return w == FAL_WINDOW_REQ ? m_end(m, node)->req_psn : m_end(m, node)->data_psn;
}

static inline void m_observe_at(struct model *m, uint64_t at, int node,
                                const struct fal_falcon *f, const uint8_t *payload,
                                uint32_t len, uint64_t departure_ns)
{
    struct model_item item = {.what = M_OBSERVE, .event = {.kind = FAL_EV_PACKET, .conn = 1}};

    item.event.u.packet = (struct fal_ev_packet){
        .dir = node == 0 ? FAL_TO_SUT : FAL_FROM_SUT,
        .origin =
            m->config.vantage == FAL_VANTAGE_TESTER ? FAL_ORIGIN_ENDPOINT : FAL_ORIGIN_FOREIGN,
        .step = -1,
        .has_iv = m->config.iv,
        .iv = departure_ns * 1000};
    item.len =
        (uint32_t)fal_falcon_encode(f, payload, len, item.bytes, sizeof item.bytes, NULL);
    m_push(m, at, item);
}

/* Once over the path: lost, or there after a while; seen on its way where the observer stands.
 */
static inline void m_travel(struct model *m, int node, const struct fal_falcon *f,
                            const uint8_t *payload, uint32_t len, uint64_t departure_ns)
{
    const struct model_config *c = &m->config;
    struct model_item arrive = {.what = M_ARRIVE, .node = 1 - node};
    uint64_t delay = c->delay_min_ns + m_below(m, c->delay_max_ns - c->delay_min_ns + 1);
    bool lost = c->lossy && m_chance(m, 12), late = m_chance(m, 50);
    bool at_sender = (c->vantage == FAL_VANTAGE_TESTER) == (node == 0);
    uint64_t seen = departure_ns + delay;

    if (c->vantage == FAL_VANTAGE_MIDDLE)
        seen = departure_ns + delay / 2; /* keeps what order the path keeps */
    m->lost += lost;
    /* at the sender's port it is seen once, when it leaves (m_send) */
    if (c->vantage == FAL_VANTAGE_MIDDLE ? !lost || late : !at_sender && !lost)
        m_observe_at(m, seen, node, f, payload, len, departure_ns);
    if (lost)
        return;
    arrive.left_ns = departure_ns;
    arrive.marked = m_chance(m, 5);
    arrive.len =
        (uint32_t)fal_falcon_encode(f, payload, len, arrive.bytes, sizeof arrive.bytes, NULL);
    m_push(m, departure_ns + delay, arrive);
}

static inline fal_u128 m_bits(const bool *set, uint32_t base, unsigned size)
{
    fal_u128 bits = fal_u128_from(0);

    for (unsigned n = 0; n < size; n++)
        if (set[base + n])
            bits = fal_u128_with(bits, n);
    return bits;
}

/* Every packet carries the newest bases; an EACK the whole state. */
static inline void m_send(struct model *m, int node, struct fal_falcon *f,
                          const uint8_t *payload, uint32_t len)
{
    struct model_node *n = &m->node[node];
    uint64_t departure = m->now_ns + m_below(m, n->pipeline_ns + 1);

    f->dest_cid = m_end(m, 1 - node)->cid;
    if (fal_falcon_reliable(f->packet_type))
        f->dest_function = m_end(m, 1 - node)->function;
    f->recv_data_base_psn = m_first(m, 1 - node, FAL_WINDOW_DATA) + n->base[FAL_WINDOW_DATA];
    f->recv_req_base_psn = m_first(m, 1 - node, FAL_WINDOW_REQ) + n->base[FAL_WINDOW_REQ];
    if (fal_falcon_is_ack(f->packet_type)) {
        f->t1 = m->config.iv ? n->t1 : 0;
        f->t2 = n->t2;
        f->ecn_rx_count = n->ecn & 0x3fff;
    }
    if (f->packet_type == FAL_EACK) {
        f->data_ack_bitmap = m_bits(n->ack[FAL_WINDOW_DATA], n->base[FAL_WINDOW_DATA], 128);
        f->data_rx_bitmap = m_bits(n->rx[FAL_WINDOW_DATA], n->base[FAL_WINDOW_DATA], 128);
        f->req_bitmap = m_bits(n->ack[FAL_WINDOW_REQ], n->base[FAL_WINDOW_REQ], 64).lo;
        f->own = (uint8_t)((n->own[FAL_WINDOW_REQ] ? FAL_OWN_REQ : 0) |
                           (n->own[FAL_WINDOW_DATA] ? FAL_OWN_DATA : 0));
        n->own[0] = n->own[1] = false;
    }
    if (m->config.vantage != FAL_VANTAGE_MIDDLE &&
        (m->config.vantage == FAL_VANTAGE_TESTER) == (node == 0))
        m_observe_at(m, departure, node, f, payload, len, departure);
    m_travel(m, node, f, payload, len, departure);
    if (m->config.doubles && m_chance(m, 8))
        m_travel(m, node, f, payload, len, departure);
}

static inline void m_transmit(struct model *m, int node, int w, uint32_t x)
{
    struct model_sent *s = &m->node[node].sent[w][x];
    struct model_item rto = {.what = M_RTO, .node = node, .x = x, .pull = w == FAL_WINDOW_REQ};
    uint8_t payload[MODEL_LEN_MAX];
    struct fal_falcon f;
    uint32_t len = s->type == FAL_PULL_REQUEST ? 0 : s->len;

    fal_falcon_init(&f, s->resync ? FAL_RESYNC : (enum fal_packet_type)s->type);
    f.psn = m_first(m, node, w) + x;
    f.rsn = s->rsn;
    f.ack_req = m->connection.params.fcwnd <= m->connection.params.ar_threshold ||
                m_chance(m, m->connection.params.ar_percent);
    if (s->resync) {
        f.resync_code = s->code;
        f.resync_packet_type = s->type;
        len = 0;
    } else if (s->type != FAL_PULL_DATA) {
        f.request_length = (uint16_t)s->len;
    }
    fal_payload_fill(s->rsn, s->type, payload, len);
    m_send(m, node, &f, payload, len);
    s->last_ns = m->now_ns;
    /* late by an amount that what was sent together shares: it runs out together */
    s->next_ns = m->now_ns + MODEL_RTO_NS + (m->now_ns * UINT64_C(2654435761)) % (100 * FAL_US);
    m_push(m, s->next_ns, rto);
}

/* The gate of 9.1.2. */
static inline bool m_may_send(const struct model_node *n, unsigned type)
{
    int w = type == FAL_PULL_REQUEST ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;
    uint32_t outstanding = 0;

    if (n->next[w] >= n->una[w] + n->fcwnd)
        return false;
    for (uint32_t x = n->una[w]; x < n->next[w]; x++)
        outstanding += !n->sent[w][x].acked && n->sent[w][x].type != FAL_PULL_DATA;
    return type == FAL_PULL_DATA || outstanding < n->ncwnd;
}

static inline void m_pump(struct model *m, int node)
{
    struct model_node *n = &m->node[node];

    for (; n->unqueued < n->queued; n->unqueued++) {
        const struct model_queued *q = &n->queue[n->unqueued];
        int w = q->type == FAL_PULL_REQUEST ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;

        if (!m_may_send(n, q->type))
            return;
        n->sent[w][n->next[w]] =
            (struct model_sent){.type = q->type, .rsn = q->rsn, .len = q->len, .attempts = 1};
        m_transmit(m, node, w, n->next[w]++);
    }
}

static inline void m_new_packet(struct model *m, int node, unsigned type, uint32_t rsn,
                                uint32_t len)
{
    struct model_node *n = &m->node[node];
    int w = type == FAL_PULL_REQUEST ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;
    uint32_t waiting = 0;

    for (uint32_t i = n->unqueued; i < n->queued; i++)
        waiting += (n->queue[i].type == FAL_PULL_REQUEST) == (w == FAL_WINDOW_REQ);
    if (n->next[w] + waiting >= MODEL_PACKETS)
        return;
    n->queue[n->queued++] = (struct model_queued){(uint8_t)type, rsn, len};
    m_pump(m, node);
}

/* The timer of a packet ran out. */
static inline void m_timeout(struct model *m, int node, int w, uint32_t x)
{
    struct model_sent *s = &m->node[node].sent[w][x];

    if (!s->resync && !s->rnr && s->attempts >= m->node[node].attempts) {
        s->resync = true;
        s->attempts = 0;
        s->code = FAL_RESYNC_EXHAUSTED;
        if (s->type == FAL_PULL_REQUEST)
            m->node[node].failed[s->rsn - m_end(m, node)->rsn] = true;
    }
    if (s->resync && s->attempts >= m->node[node].attempts) {
        m->over = true; /* the connection is dead, and so ends the run */
        return;
    }
    if (s->rnr) /* a wait that the receiver asked for is no attempt */
        s->rnr = false;
    else
        s->attempts++;
    m_transmit(m, node, w, x);
}

/* 9.1.4: what the EACK shows missing, if a round trip has passed. */
static inline void m_early(struct model *m, int node, const struct fal_falcon *f)
{
    struct model_node *n = &m->node[node];

    for (int w = 0; w < 2; w++) {
        uint32_t base = (w == FAL_WINDOW_REQ ? f->recv_req_base_psn : f->recv_data_base_psn) -
                        m_first(m, node, w);
        fal_u128 bits = w == FAL_WINDOW_REQ ? fal_u128_from(f->req_bitmap) : f->data_rx_bitmap;
        bool own = (f->own & (w == FAL_WINDOW_REQ ? FAL_OWN_REQ : FAL_OWN_DATA)) != 0;
        int high = fal_u128_top(bits) - (int)m->connection.params.ooo_threshold;

        for (uint32_t x = base; x < n->next[w]; x++) {
            struct model_sent *s = &n->sent[w][x];
            bool set = x - base < 128 && fal_u128_test(bits, x - base);

            if (!set && !s->acked && !s->resync && ((int)(x - base) < high || own) &&
                s->last_ns + m->connection.params.initial_rtt_ns < m->now_ns &&
                s->not_before_ns <= m->now_ns)
                m_transmit(m, node, w, x);
        }
    }
}

/* ---- acknowledging ---- */

static inline bool m_eack_due(const struct model_node *n)
{
    fal_u128 rx = m_bits(n->rx[FAL_WINDOW_DATA], n->base[FAL_WINDOW_DATA], 128);
    fal_u128 ack = m_bits(n->ack[FAL_WINDOW_DATA], n->base[FAL_WINDOW_DATA], 128);
    fal_u128 req = m_bits(n->ack[FAL_WINDOW_REQ], n->base[FAL_WINDOW_REQ], 64);

    return !fal_u128_zero(ack) || !fal_u128_zero(req) || n->own[0] || n->own[1] ||
           !fal_u128_eq(rx, fal_u128_ones((unsigned)(fal_u128_top(rx) + 1)));
}

static inline void m_send_ack(struct model *m, int node)
{
    struct model_node *n = &m->node[node];
    bool eack = n->eack_always || m_eack_due(n) || m_chance(m, 10);
    struct fal_falcon f;

    fal_falcon_init(&f, eack ? FAL_EACK : FAL_BACK);
    n->ack_due = false;
    m_send(m, node, &f, NULL, 0);
}

static inline void m_ack_event(struct model *m, int node)
{
    struct model_node *n = &m->node[node];
    struct model_item item = {.what = M_ACK, .node = node};

    n->ack_due = true;
    if (n->ack_timer)
        return;
    n->ack_timer = true;
    m_push(m, m->now_ns + (n->ack_at_once ? 0 : m_below(m, 20 * FAL_US)), item);
}

static inline void m_nack(struct model *m, int node, int w, uint32_t x, enum fal_nack_code code)
{
    struct fal_falcon f;

    fal_falcon_init(&f, FAL_NACK);
    f.nack_psn = m_first(m, 1 - node, w) + x;
    f.nack_code = (uint8_t)code;
    f.window = w == FAL_WINDOW_REQ;
    f.rnr_timeout = code == FAL_NACK_RNR ? 2 : 0;
    m_send(m, node, &f, NULL, 0);
}

static inline void m_acknowledge(struct model *m, int node, int w, uint32_t x)
{
    struct model_node *n = &m->node[node];

    n->ack[w][x] = n->rx[w][x] = true;
    while (n->ack[w][n->base[w]])
        n->base[w]++;
    m_ack_event(m, node);
}

/* ---- receiving ---- */

static inline void m_hand_up(struct model *m, int node, uint32_t x, uint32_t rsn, bool pull,
                             const struct fal_falcon *f, const uint8_t *payload, uint32_t len,
                             bool again)
{
    struct model_item item = {.what = M_ANSWER, .node = node, .x = x, .rsn = rsn, .pull = pull};
    unsigned dice = m->config.ordered ? 100 : (unsigned)m_below(m, 100);

    if (node == 1)
        m_ulp(m, (struct fal_ev_ulp){.kind = FAL_ULP_REQUEST,
                                     .rsn = rsn,
                                     .op = pull ? FAL_OP_PULL : FAL_OP_PUSH,
                                     .length = pull ? f->request_length : len,
                                     .has_hash = !pull,
                                     .hash = fal_payload_hash(payload, len),
                                     .redelivery = again});
    item.answer = dice < 10   ? FAL_ANSWER_RNR
                  : pull      ? FAL_ANSWER_DATA
                  : dice < 15 ? FAL_ANSWER_CIE
                              : FAL_ANSWER_ACK;
    item.event.u.ulp.length = pull ? f->request_length : 0; /* what to answer with */
    m_push(m, m->now_ns + (m_chance(m, 50) ? 0 : m_below(m, 60 * FAL_US)), item);
}

static inline void m_request(struct model *m, int node, uint32_t x, uint32_t rsn, bool pull,
                             const struct fal_falcon *f, const uint8_t *payload, uint32_t len,
                             bool again)
{
    struct model_node *n = &m->node[node];
    uint32_t first = m_end(m, 1 - node)->rsn;
    struct model_held *h = &n->held[rsn - first];

    if (!m->config.ordered) {
        m_hand_up(m, node, x, rsn, pull, f, payload, len, again);
        return;
    }
    *h = (struct model_held){.here = true, .pull = pull, .x = x, .len = len, .f = *f};
    if (len > 0)
        memcpy(h->payload, payload, len);
    for (h = &n->held[n->want]; h->here; h = &n->held[++n->want])
        m_hand_up(m, node, h->x, first + n->want, h->pull, &h->f, h->payload, h->len, false);
}

static inline void m_take_push(struct model *m, int node, uint32_t x,
                               const struct fal_falcon *f, const uint8_t *payload, uint32_t len)
{
    struct model_node *n = &m->node[node];
    bool again = n->push[x] == MODEL_RNRED;

    switch (n->push[x]) {
    case MODEL_NEW:
    case MODEL_RNRED:
        n->rx[FAL_WINDOW_DATA][x] = true;
        n->push[x] = MODEL_PENDING;
        n->push_rsn[x] = f->rsn;
        m_request(m, node, x, f->rsn, false, f, payload, len, again);
        m_ack_event(m, node);
        break;
    case MODEL_CIE: m_nack(m, node, FAL_WINDOW_DATA, x, FAL_NACK_CIE); break;
    case MODEL_PENDING:
    case MODEL_DONE: m_ack_event(m, node); break;
    }
}

static inline void m_take_reliable(struct model *m, int node, const struct fal_falcon *f,
                                   const uint8_t *payload, uint32_t len)
{
    struct model_node *n = &m->node[node];
    int w = (int)fal_falcon_window(f);
    uint32_t x = f->psn - m_first(m, 1 - node, w);
    uint32_t size = w == FAL_WINDOW_REQ ? 64 : 128;

    if (x < n->base[w]) {
        m_ack_event(m, node);
    } else if (x >= n->base[w] + size) {
        n->own[w] = true;
        m_ack_event(m, node);
    } else if (n->ack[w][x]) {
        m_ack_event(m, node);
    } else if (f->packet_type == FAL_RESYNC) {
        if (w == FAL_WINDOW_DATA)
            n->push[x] = MODEL_DONE;
        m_acknowledge(m, node, w, x);
    } else if (f->packet_type != FAL_PULL_DATA && !n->rx[w][x] && m_chance(m, 3)) {
        m_nack(m, node, w, x, FAL_NACK_RESOURCE);
    } else if (f->packet_type == FAL_PUSH_DATA) {
        m_take_push(m, node, x, f, payload, len);
    } else {
        m_acknowledge(m, node, w, x);
        if (f->packet_type == FAL_PULL_REQUEST)
            m_request(m, node, x, f->rsn, true, f, payload, len, false);
        else if (node == 1 && !n->failed[f->rsn - m_end(m, node)->rsn])
            m_ulp(m, (struct fal_ev_ulp){.kind = FAL_ULP_COMPLETION,
                                         .rsn = f->rsn,
                                         .length = len,
                                         .has_hash = true,
                                         .hash = fal_payload_hash(payload, len)});
    }
}

/* A push completes with its acknowledgement, in error when it ended with a Resync. */
static inline void m_acknowledged(struct model *m, int node, struct model_sent *s)
{
    if (!s->acked && node == 1 && s->type == FAL_PUSH_DATA)
        m_ulp(m, (struct fal_ev_ulp){.kind = FAL_ULP_COMPLETION,
                                     .rsn = s->rsn,
                                     .code = !s->resync                        ? 0
                                             : s->code == FAL_RESYNC_EXHAUSTED ? 8
                                                                               : s->code});
    s->acked = true;
}

static inline void m_take_claims(struct model *m, int node, const struct fal_falcon *f)
{
    struct model_node *n = &m->node[node];

    for (int w = 0; w < 2 && f->packet_type == FAL_NACK; w++) /* stale: discarded whole */
        if (n->una[w] > (w == FAL_WINDOW_REQ ? f->recv_req_base_psn : f->recv_data_base_psn) -
                            m_first(m, node, w))
            return;
    for (int w = 0; w < 2; w++) {
        uint32_t base = (w == FAL_WINDOW_REQ ? f->recv_req_base_psn : f->recv_data_base_psn) -
                        m_first(m, node, w);
        fal_u128 bits = w == FAL_WINDOW_REQ ? fal_u128_from(f->req_bitmap) : f->data_ack_bitmap;

        if (base > n->una[w])
            n->una[w] = base;
        for (uint32_t x = 0; x < n->next[w]; x++)
            if (x < base ||
                (f->packet_type == FAL_EACK && x - base < 128 && fal_u128_test(bits, x - base)))
                m_acknowledged(m, node, &n->sent[w][x]);
    }
    if (f->packet_type == FAL_NACK) {
        int w = f->window ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;
        uint32_t x = f->nack_psn - m_first(m, node, w);

        if (x < n->next[w] && !n->sent[w][x].acked && f->nack_code == FAL_NACK_CIE &&
            !n->sent[w][x].resync) {
            n->sent[w][x].resync = true;
            n->sent[w][x].attempts = 1;
            n->sent[w][x].code = FAL_RESYNC_CIE;
            m_transmit(m, node, w, x);
        }
        if (x < n->next[w] && f->nack_code == FAL_NACK_RNR) {
            n->sent[w][x].not_before_ns = m->now_ns + MODEL_RNR_NS;
            n->sent[w][x].rnr = true;
        }
    }
    if (f->packet_type == FAL_EACK && n->early)
        m_early(m, node, f);
    m_pump(m, node);
}

static inline void m_arrive(struct model *m, struct model_item *item)
{
    struct fal_falcon f;
    int header = fal_falcon_decode(item->bytes, item->len, &f);
    struct model_node *n = &m->node[item->node];

    if (n->t_any || fal_falcon_reliable(f.packet_type)) { /* AMB-61 */
        n->t1 = (uint32_t)(item->left_ns * 1000 / FAL_TICK_PS);
        n->t2 = (uint32_t)(m->now_ns * 1000 / FAL_TICK_PS);
        n->ecn = (uint16_t)(n->ecn + item->marked);
    }
    m_take_claims(m, item->node, &f);
    if (fal_falcon_reliable(f.packet_type))
        m_take_reliable(m, item->node, &f, item->bytes + header, item->len - (uint32_t)header);
}

/* ---- the upper layer ---- */

static inline void m_reply(struct model *m, int64_t id)
{
    struct fal_event event = {.kind = FAL_EV_REPLY};

    event.u.reply = (struct fal_ev_reply){.id = id, .ok = true};
    m_record(m, &event);
}

/* The answer takes effect. */
static inline void m_apply(struct model *m, struct model_item *item)
{
    struct model_node *n = &m->node[item->node];
    bool sut = item->node == 1, commanded = item->event.u.command.id != 0;
    bool gone = !item->pull && n->push[item->x] != MODEL_PENDING; /* a Resync came between */

    if (sut && !commanded)
        m_ulp(m, (struct fal_ev_ulp){.kind = FAL_ULP_ACK,
                                     .rsn = item->rsn,
                                     .answer = item->answer,
                                     .has_stamp = m->config.iv,
                                     .stamp_ns = m->now_ns});
    if (commanded)
        m_reply(m, item->event.u.command.id);
    if (gone)
        return;
    if (item->pull && item->answer == FAL_ANSWER_RNR) {
        item->what = M_REDELIVER;
        m_push(m, m->now_ns + MODEL_RNR_NS, *item);
    } else if (item->pull) {
        m_new_packet(m, item->node, FAL_PULL_DATA, item->rsn, item->event.u.ulp.length);
    } else if (item->answer == FAL_ANSWER_RNR) {
        n->push[item->x] = MODEL_RNRED;
        if (n->clear_rx)
            n->rx[FAL_WINDOW_DATA][item->x] = false;
        m_nack(m, item->node, FAL_WINDOW_DATA, item->x, FAL_NACK_RNR);
    } else if (item->answer == FAL_ANSWER_CIE) {
        n->push[item->x] = MODEL_CIE;
        m_nack(m, item->node, FAL_WINDOW_DATA, item->x, FAL_NACK_CIE);
    } else {
        n->push[item->x] = MODEL_DONE;
        m_acknowledge(m, item->node, FAL_WINDOW_DATA, item->x);
    }
}

/* A pull that was RNRed, when its delay has passed. */
static inline void m_redeliver(struct model *m, struct model_item *item)
{
    struct fal_falcon f = {.request_length = (uint16_t)item->event.u.ulp.length};

    m_request(m, item->node, item->x, item->rsn, true, &f, NULL, 0, true);
}

/* The answer is decided: the tester writes it, or the upper layer gives it by itself. */
static inline void m_answer(struct model *m, struct model_item *item)
{
    struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = 1};
    uint32_t length = item->event.u.ulp.length;

    item->what = M_APPLY;
    memset(&item->event, 0, sizeof item->event);
    if (item->node == 0 || !m->config.commanded) {
        item->event.u.ulp.length = length;
        m_apply(m, item);
        return;
    }
    event.u.command = (struct fal_ev_command){
        .id = ++m->command_id, .verb = "respond", .rsn = item->rsn, .answer = item->answer};
    if (item->answer == FAL_ANSWER_RNR)
        event.u.command.rnr_ns = MODEL_RNR_NS;
    m_record(m, &event);
    item->event.u.command.id = m->command_id;
    item->event.u.ulp.length = length;
    m_push(m, m->now_ns + m_below(m, 10 * FAL_US), *item);
}

static inline void m_post(struct model *m)
{
    struct model_item again = {.what = M_POST};
    unsigned burst = m_chance(m, 15) ? (unsigned)m_below(m, 150) : 1 + (unsigned)m_below(m, 3);
    int node = (int)m_below(m, 2);
    struct model_node *n = &m->node[node];

    for (; burst > 0 && m->posts_left > 0; burst--, m->posts_left--) {
        bool pull = m_chance(m, 35);

        m_new_packet(m, node, pull ? FAL_PULL_REQUEST : FAL_PUSH_DATA, n->next_rsn++,
                     (uint32_t)m_below(m, MODEL_LEN_MAX));
    }
    if (m->posts_left > 0)
        m_push(m, m->now_ns + m_below(m, 60 * FAL_US), again);
}

static inline void m_step(struct model *m)
{
    struct model_item item = m_pop(m);
    struct model_node *n = &m->node[item.node];
    int w = item.pull ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;

    m->now_ns = item.at_ns;
    switch (item.what) {
    case M_ARRIVE: m_arrive(m, &item); break;
    case M_OBSERVE: m_observe(m, &item); break;
    case M_RECORD: m_record(m, &item.event); break;
    case M_ANSWER: m_answer(m, &item); break;
    case M_APPLY: m_apply(m, &item); break;
    case M_REDELIVER: m_redeliver(m, &item); break;
    case M_ACK:
        n->ack_timer = false;
        if (n->ack_due)
            m_send_ack(m, item.node);
        break;
    case M_RTO:
        if (!n->sent[w][item.x].acked && n->sent[w][item.x].next_ns == m->now_ns)
            m_timeout(m, item.node, w, item.x);
        break;
    case M_POST: m_post(m); break;
    }
}

static inline struct fal_end m_random_end(struct model *m, uint32_t cid)
{
    uint32_t any = (uint32_t)fal_rng_next(&m->rng);

    return (struct fal_end){.cid = cid,
                            .function = 7,
                            .req_psn = m_chance(m, 50) ? UINT32_MAX - any % 30 : any,
                            .data_psn = m_chance(m, 50) ? UINT32_MAX - any % 40 : any / 3,
                            .rsn = m_chance(m, 50) ? UINT32_MAX - any % 20 : any / 7};
}

static inline void m_start(struct model *m)
{
    const struct model_config *c = &m->config;
    struct fal_event run = {.kind = FAL_EV_RUN}, open = {.kind = FAL_EV_CONNECTION, .conn = 1};
    bool steady = c->delay_min_ns == c->delay_max_ns;
    struct fal_ev_run *r = &run.u.run;

    r->live = true;
    r->vantage = c->vantage;
    r->lossless_in = r->lossless_out = !c->lossy && !c->gaps;
    r->no_duplicates_in = r->no_duplicates_out = !c->doubles;
    r->in_order_in = r->in_order_out = steady;
    r->delay_min_ns = c->bounds_declared ? c->delay_min_ns : 0;
    r->delay_max_ns = c->bounds_declared ? c->delay_max_ns : FAL_NEVER;
    m_record(m, &run);
    fal_params_default(&m->connection.params, true);
    m->connection.params.ordered = c->ordered;
    m->connection.params.rto_ns = MODEL_RTO_NS;
    m->connection.params.initial_rtt_ns = 100 * FAL_US;
    m->connection.params.fcwnd = 1 + (uint32_t)m_below(m, m_chance(m, 50) ? 40 : 300);
    m->connection.params.ncwnd = 1 + (uint32_t)m_below(m, m_chance(m, 50) ? 20 : 300);
    m->connection.params.tx_window_req = m->connection.params.tx_window_data = MODEL_PACKETS;
    m->connection.params.max_attempts = m_chance(m, 20) ? 2 : 7;
    m->connection.params.pipeline_ns = c->pipeline_ns;
    m->connection.tester = m_random_end(m, 0x111111);
    m->connection.sut = m_random_end(m, 0x222222);
    m->connection.initial_known = !c->middle;
    open.u.connection = m->connection;
    if (c->middle) {
        open.u.connection.tester = (struct fal_end){.cid = 0x111111};
        open.u.connection.sut = (struct fal_end){.cid = 0x222222};
    }
    m_record(m, &open);
}

/* Runs one world to its end, every event to `event`. */
static inline void model_run(const struct model_config *config,
                             void (*event)(void *ctx, const struct fal_event *event), void *ctx)
{
    struct model *m = calloc(1, sizeof *m);
    struct fal_event end = {.kind = FAL_EV_MARK, .conn = 1};

    ck_assert_ptr_nonnull(m);
    m->config = *config;
    m->rng = fal_rng_split(config->seed, 5);
    m->event = event;
    m->ctx = ctx;
    m->watching = !config->middle;
    m_start(m);
    for (int i = 0; i < 2; i++) {
        struct model_node *n = &m->node[i];

        n->next_rsn = m_end(m, i)->rsn;
        n->fcwnd = m->connection.params.fcwnd;
        n->ncwnd = m->connection.params.ncwnd;
        n->attempts = m->connection.params.max_attempts + (m_chance(m, 50) ? 1 : 0);
        n->early = m_chance(m, 50);
        n->eack_always = m_chance(m, 30);
        n->ack_at_once = m_chance(m, 30);
        n->clear_rx = m_chance(m, 40);
        n->t_any = m_chance(m, 30);
        n->ecn = (uint16_t)m_below(m, 0x4000); /* wraps round */
        n->pipeline_ns = i == 1 ? config->pipeline_ns : 0;
    }
    m->posts_left = 20 + (uint32_t)m_below(m, 250);
    m_push(m, 0, (struct model_item){.what = M_POST});
    while (m->num > 0 && m->now_ns < 50 * FAL_MS && !m->over)
        m_step(m);
    m_say_gaps(m);
    end.u.mark.mark = FAL_MARK_BARRIER;
    if (!m->over)
        m_record(m, &end);
    if (m->num == 0 && m->lost == 0 && !config->gaps && !config->middle) {
        end.u.mark.mark = FAL_MARK_LOSSLESS_OUT;
        m_record(m, &end);
    }
    free(m->heap);
    free(m);
}

#endif
