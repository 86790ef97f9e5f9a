/* SPDX-License-Identifier: Apache-2.0
 * model_testing.h - for tests only: how a node of the model receives, its upper layer, and the
 * whole model run. */
#ifndef FAL_ORACLES_RULES_JUDGE_MODEL_TESTING_H
#define FAL_ORACLES_RULES_JUDGE_MODEL_TESTING_H

#include "oracles/rules/judge/model_send_testing.h"

/* ---- receiving ---- */

/* A request that arrived; `again`: it was delivered before. */
struct model_arrived {
    uint32_t x, rsn;
    bool pull, again;
};

static inline void m_hand_up(struct model *m, int node, struct model_arrived r,
                             struct model_packet p)
{
    const struct fal_falcon *f = p.f;
    const uint8_t *payload = p.payload;
    uint32_t len = p.len, x = r.x, rsn = r.rsn;
    bool pull = r.pull, again = r.again;
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

static inline void m_request(struct model *m, int node, struct model_arrived r,
                             struct model_packet p)
{
    struct model_node *n = &m->node[node];
    uint32_t first = m_end(m, 1 - node)->rsn;
    struct model_held *h = &n->held[r.rsn - first];

    if (!m->config.ordered) {
        m_hand_up(m, node, r, p);
        return;
    }
    *h = (struct model_held){.here = true, .pull = r.pull, .x = r.x, .len = p.len, .f = *p.f};
    if (p.len > 0)
        memcpy(h->payload, p.payload, p.len);
    for (h = &n->held[n->want]; h->here; h = &n->held[++n->want])
        m_hand_up(m, node, (struct model_arrived){h->x, first + n->want, h->pull, false},
                  (struct model_packet){&h->f, h->payload, h->len});
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
        m_request(m, node, (struct model_arrived){x, f->rsn, false, again},
                  (struct model_packet){f, payload, len});
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
            m_request(m, node, (struct model_arrived){x, f->rsn, true, false},
                      (struct model_packet){f, payload, len});
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
        fal_u128 bits = w == FAL_WINDOW_REQ ? (fal_u128)f->req_bitmap : f->data_ack_bitmap;

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

    m_request(m, item->node, (struct model_arrived){item->x, item->rsn, true, true},
              (struct model_packet){&f, NULL, 0});
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
    m->connection.params.turnaround_ns = MODEL_RTO_NS / 8; /* E2 decides up to here */
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
