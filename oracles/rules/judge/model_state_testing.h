/* SPDX-License-Identifier: Apache-2.0
 * model_state_testing.h - for tests only: two naive but conforming Falcon nodes over a bad
 * network, their queue of what will happen, and the observer; model_testing.h runs them. They
 * are written from the sentences of chapters 8 and 9 for this test alone, and what an observer
 * sees of them. Every freedom that the text leaves is drawn at random: EACK always or only when
 * due, ACKs at once or late, bases piggybacked, packets swapped inside a node within P,
 * resource drops, either reading of AMB-65.
 *
 * Packets are numbered from 0 in each window; only on the wire do the initial numbers come in.
 */
#ifndef FAL_ORACLES_RULES_JUDGE_MODEL_STATE_TESTING_H
#define FAL_ORACLES_RULES_JUDGE_MODEL_STATE_TESTING_H

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

#endif
