/* SPDX-License-Identifier: Apache-2.0
 * model_send_testing.h - for tests only: how a node of the model sends, acknowledges and
 * refuses. */
#ifndef FAL_ORACLES_RULES_JUDGE_MODEL_SEND_TESTING_H
#define FAL_ORACLES_RULES_JUDGE_MODEL_SEND_TESTING_H

#include "oracles/rules/judge/model_state_testing.h"

/* ---- sending ---- */

static inline const struct fal_end *m_end(const struct model *m, int node)
{
    return node == 0 ? &m->connection.tester : &m->connection.sut;
}

static inline uint32_t m_first(const struct model *m, int node, int w)
{
    return w == FAL_WINDOW_REQ ? m_end(m, node)->req_psn : m_end(m, node)->data_psn;
}

/* A packet of a node: its header, its payload (borrowed). */
struct model_packet {
    const struct fal_falcon *f;
    const uint8_t *payload;
    uint32_t len;
};

static inline void m_observe_at(struct model *m, uint64_t at, int node, struct model_packet p,
                                uint64_t departure_ns)
{
    const struct fal_falcon *f = p.f;
    const uint8_t *payload = p.payload;
    uint32_t len = p.len;
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
        m_observe_at(m, seen, node, (struct model_packet){f, payload, len}, departure_ns);
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
    fal_u128 bits = 0;

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
        f->req_bitmap =
            fal_u128_lo(m_bits(n->ack[FAL_WINDOW_REQ], n->base[FAL_WINDOW_REQ], 64));
        f->own = (uint8_t)((n->own[FAL_WINDOW_REQ] ? FAL_OWN_REQ : 0) |
                           (n->own[FAL_WINDOW_DATA] ? FAL_OWN_DATA : 0));
        n->own[0] = n->own[1] = false;
    }
    if (m->config.vantage != FAL_VANTAGE_MIDDLE &&
        (m->config.vantage == FAL_VANTAGE_TESTER) == (node == 0))
        m_observe_at(m, departure, node, (struct model_packet){f, payload, len}, departure);
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
        fal_u128 bits = w == FAL_WINDOW_REQ ? (fal_u128)f->req_bitmap : f->data_rx_bitmap;
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

    return ack != 0 || req != 0 || n->own[0] || n->own[1] ||
           rx != fal_u128_ones((unsigned)(fal_u128_top(rx) + 1));
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

#endif
