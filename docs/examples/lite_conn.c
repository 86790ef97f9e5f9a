/* SPDX-License-Identifier: Apache-2.0 */
#include "lite_conn.h"

#include <stdlib.h>
#include <string.h>

enum { REQ_REACH = 64, DATA_REACH = 128, TICK_PS = 131072, CE = 3 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Payload that says what it is: docs/sut-protocol.md, "The ULP". */
void lite_fill(uint64_t tag, uint64_t seed, uint8_t *out, size_t len)
{
    uint8_t head[16] = {'T', 'A', 'L', 'N'};
    uint64_t state = seed ^ tag;

    lite_put64(head + 4, tag);
    memcpy(out, head, len < sizeof head ? len : sizeof head);
    for (size_t at = sizeof head; at < len; at += 8) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
        for (size_t i = 0; i < 8 && at + i < len; i++)
            out[at + i] = (uint8_t)(z >> (8 * i));
    }
}

uint64_t lite_hash(const uint8_t *bytes, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

void lite_begin(struct lite_conn *conn)
{
    for (unsigned w = 0; w < 2; w++) {
        conn->base[w] = conn->psn[w] = conn->local.psn[w];
        conn->rx_base[w] = conn->peer.psn[w];
    }
    conn->rsn = conn->complete = conn->local.rsn;
    conn->deliver = conn->peer.rsn;
    conn->ack_due_ns = LITE_NEVER;
}

void lite_free(struct lite_conn *conn)
{
    for (unsigned w = 0; w < 2; w++) {
        for (unsigned i = 0; i < LITE_WINDOW; i++)
            free(conn->sent[w][i].payload);
        for (unsigned i = 0; i < LITE_HELD; i++)
            free(conn->waiting[w][i].payload);
    }
    free(conn);
}

/* ---- acknowledging (9.1.6) ---- */

/* The bitmaps of both windows as an EACK has them. True when they show a hole, or a packet that
 * was out of window: then it must be an EACK. */
static bool fill_bitmaps(const struct lite_conn *conn, struct lite_packet *p)
{
    bool gap = false, hole = false;

    for (uint32_t i = 0; i < DATA_REACH; i++) {
        uint32_t psn = conn->rx_base[LITE_DATA] + i;
        uint64_t bit = UINT64_C(1) << i % 64;

        if (conn->acked[LITE_DATA][psn % LITE_WINDOW])
            p->data_ack[1 - i / 64] |= bit;
        if (conn->received[LITE_DATA][psn % LITE_WINDOW])
            p->data_rx[1 - i / 64] |= bit;
        hole |= gap && conn->received[LITE_DATA][psn % LITE_WINDOW];
        gap |= !conn->received[LITE_DATA][psn % LITE_WINDOW];
    }
    for (uint32_t i = 0; i < REQ_REACH; i++)
        if (conn->acked[LITE_REQ][(conn->rx_base[LITE_REQ] + i) % LITE_WINDOW])
            p->req |= UINT64_C(1) << i;
    return hole || p->req != 0 || (p->data_ack[0] | p->data_ack[1]) != 0 ||
           conn->out_of_window != 0;
}

static void send_ack(struct lite_conn *conn)
{
    struct lite_packet p = {.cid = conn->peer.cid,
                            .dbase = conn->rx_base[LITE_DATA],
                            .rbase = conn->rx_base[LITE_REQ],
                            .t2 = conn->t2,
                            .hops = conn->hops,
                            .ecn_count = conn->ecn_count,
                            .own = conn->out_of_window};
    uint8_t bytes[LITE_HEADER_MAX];

    p.type = fill_bitmaps(conn, &p) ? LITE_EACK : LITE_BACK;
    conn->calls->send(conn->ctx, bytes, lite_encode(&p, bytes));
    conn->out_of_window = 0;
    conn->ack_now = false;
    conn->ack_due_ns = LITE_NEVER;
}

/* Another packet wants to be acknowledged: within the coalescing time, or at once. */
static void want_ack(struct lite_conn *conn, bool at_once)
{
    conn->ack_now |= at_once;
    if (conn->ack_due_ns == LITE_NEVER)
        conn->ack_due_ns = conn->now_ns + conn->params.coalescing_ns;
}

/* ---- sending (9.1.2, 9.1.3, 9.1.5) ---- */

static void transmit(struct lite_conn *conn, struct lite_sent *sent)
{
    uint8_t bytes[LITE_PACKET_MAX];
    struct lite_packet *p = &sent->packet, shown = {.type = LITE_BACK};
    size_t header;

    p->dbase = conn->rx_base[LITE_DATA];
    p->rbase = conn->rx_base[LITE_REQ];
    header = lite_encode(p, bytes);
    if (p->payload_len > 0)
        memcpy(bytes + header, sent->payload, p->payload_len);
    conn->calls->send(conn->ctx, bytes, header + p->payload_len);
    sent->due_ns = conn->now_ns + conn->params.rto_ns;
    /* Bases travel with it; bitmaps do not. */
    if (!conn->ack_now && !fill_bitmaps(conn, &shown) &&
        (shown.data_rx[0] | shown.data_rx[1]) == 0)
        conn->ack_due_ns = LITE_NEVER;
}

static unsigned window_of(enum lite_type type)
{
    return type == LITE_PULL_REQUEST ? LITE_REQ : LITE_DATA;
}

static bool may_send(const struct lite_conn *conn, enum lite_type type)
{
    unsigned w = window_of(type);
    uint32_t ahead = conn->psn[w] - conn->base[w];

    return ahead < conn->params.fcwnd && ahead < conn->params.tx_window[w] &&
           ahead < (w == LITE_REQ ? REQ_REACH : DATA_REACH) &&
           (type == LITE_PULL_DATA || ahead < conn->params.ncwnd);
}

/* Whether this packet asks for an acknowledgement (9.1.3.1). */
static bool asks(struct lite_conn *conn)
{
    uint32_t percent = conn->params.ar_percent;

    conn->packets++;
    if (conn->params.fcwnd <= conn->params.ar_threshold)
        return true;
    return percent > 0 && conn->packets * percent / 100 != (conn->packets - 1) * percent / 100;
}

/* Sends what may be sent: requests in RSN order, and pull data beside them. */
static void send_waiting(struct lite_conn *conn)
{
    for (unsigned q = 0; q < 2 && !conn->is_dead; q++) {
        while (conn->num_waiting[q] > 0) {
            struct lite_sent *head = &conn->waiting[q][conn->first_waiting[q] % LITE_HELD];
            unsigned w = window_of(head->packet.type);
            struct lite_sent *slot = &conn->sent[w][conn->psn[w] % LITE_WINDOW];

            if (!may_send(conn, head->packet.type))
                break;
            *slot = *head;
            *head = (struct lite_sent){.used = false};
            conn->first_waiting[q]++;
            conn->num_waiting[q]--;
            slot->used = true;
            slot->packet.psn = conn->psn[w]++;
            slot->packet.ar = asks(conn);
            transmit(conn, slot);
        }
    }
}

/* Queues a packet with a payload of its own. False: there is no room. */
static bool queue(struct lite_conn *conn, enum lite_type type, uint32_t rsn, uint32_t length,
                  uint64_t tag, uint64_t seed)
{
    unsigned q = type == LITE_PULL_DATA;
    struct lite_sent *slot =
        &conn->waiting[q][(conn->first_waiting[q] + conn->num_waiting[q]) % LITE_HELD];
    size_t payload = type == LITE_PULL_REQUEST ? 0 : length;

    if (conn->num_waiting[q] == LITE_HELD || payload > LITE_MTU)
        return false;
    *slot = (struct lite_sent){.packet = {.type = type,
                                          .cid = conn->peer.cid,
                                          .function = conn->peer.function,
                                          .protocol = (uint8_t)conn->params.protocol_type,
                                          .rsn = rsn,
                                          .length = (uint16_t)length,
                                          .payload_len = payload}};
    slot->payload = malloc(payload + 1);
    if (slot->payload == NULL)
        return false;
    lite_fill(tag, seed, slot->payload, payload);
    conn->num_waiting[q]++;
    return true;
}

/* ---- initiator (8.4) ---- */

bool lite_post(struct lite_conn *conn, const struct lite_order *order, uint32_t *rsn,
               uint64_t now_ns)
{
    struct lite_own *own = &conn->own[conn->rsn % LITE_HELD];

    conn->now_ns = now_ns;
    if (conn->is_dead || own->used ||
        !queue(conn, order->pull ? LITE_PULL_REQUEST : LITE_PUSH_DATA, conn->rsn, order->length,
               order->tag, order->seed))
        return false;
    *own = (struct lite_own){
        .used = true, .pull = order->pull, .tag = order->tag, .length = order->length};
    *rsn = conn->rsn++;
    send_waiting(conn);
    return true;
}

/* A transaction has come to its end; completions are told in RSN order where that is asked for.
 */
static void done(struct lite_conn *conn, uint32_t rsn)
{
    struct lite_own *own = &conn->own[rsn % LITE_HELD];

    if (!own->used || own->done)
        return;
    own->done = true;
    if (!conn->params.ordered) {
        conn->calls->completion(conn->ctx, conn, rsn, own);
        own->used = false;
    }
    while (conn->complete != conn->rsn) {
        struct lite_own *next = &conn->own[conn->complete % LITE_HELD];

        if (next->used && !next->done)
            return;
        if (next->used)
            conn->calls->completion(conn->ctx, conn, conn->complete, next);
        next->used = false;
        conn->complete++;
    }
}

static void acknowledged(struct lite_conn *conn, struct lite_sent *sent)
{
    if (!sent->used || sent->acked)
        return;
    sent->acked = true;
    free(sent->payload);
    sent->payload = NULL;
    if (sent->packet.type == LITE_PUSH_DATA)
        done(conn, sent->packet.rsn);
}

/* Bases and bitmaps of the peer's receiving side (9.2.3). */
static bool stale(const struct lite_conn *conn, unsigned w, uint32_t base)
{
    return base - conn->base[w] > conn->psn[w] - conn->base[w]; /* or of what was never sent */
}

static void take_base(struct lite_conn *conn, unsigned w, uint32_t base)
{
    while (conn->base[w] != base) {
        acknowledged(conn, &conn->sent[w][conn->base[w] % LITE_WINDOW]);
        conn->sent[w][conn->base[w] % LITE_WINDOW].used = false;
        conn->base[w]++;
    }
}

static void take_bits(struct lite_conn *conn, unsigned w, uint32_t base, uint64_t high,
                      uint64_t low)
{
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t psn = base + i;

        if (((i < 64 ? low : high) >> i % 64 & 1) != 0 &&
            psn - conn->base[w] < conn->psn[w] - conn->base[w])
            acknowledged(conn, &conn->sent[w][psn % LITE_WINDOW]);
    }
}

/* What bits have acknowledged, the base passes over. */
static void pass_over(struct lite_conn *conn, unsigned w)
{
    struct lite_sent *first = &conn->sent[w][conn->base[w] % LITE_WINDOW];

    while (conn->base[w] != conn->psn[w] && first->acked) {
        first->used = false;
        first = &conn->sent[w][++conn->base[w] % LITE_WINDOW];
    }
}

static void take_ack(struct lite_conn *conn, const struct lite_packet *p)
{
    if (stale(conn, LITE_REQ, p->rbase) || stale(conn, LITE_DATA, p->dbase))
        return;
    take_base(conn, LITE_REQ, p->rbase);
    take_base(conn, LITE_DATA, p->dbase);
    if (p->type == LITE_EACK) {
        take_bits(conn, LITE_REQ, p->rbase, 0, p->req);
        take_bits(conn, LITE_DATA, p->dbase, p->data_ack[0], p->data_ack[1]);
    }
    pass_over(conn, LITE_REQ);
    pass_over(conn, LITE_DATA);
}

/* ---- target (8.5) ---- */

static void move_base(struct lite_conn *conn, unsigned w)
{
    while (conn->acked[w][conn->rx_base[w] % LITE_WINDOW]) {
        conn->acked[w][conn->rx_base[w] % LITE_WINDOW] = 0;
        conn->received[w][conn->rx_base[w] % LITE_WINDOW] = 0;
        conn->rx_base[w]++;
    }
}

/* The upper layer's answer is there. */
static bool give(struct lite_conn *conn, uint32_t rsn, struct lite_theirs *t,
                 const struct lite_rule *answer)
{
    if (t->pull && answer->answer == LITE_GIVE_DATA) {
        uint32_t length =
            answer->has_length && answer->length < t->length ? answer->length : t->length;

        length = length < LITE_MTU ? length : LITE_MTU;
        if (!queue(conn, LITE_PULL_DATA, rsn, length, answer->has_tag ? answer->tag : rsn,
                   answer->seed))
            return false;
        t->used = false;
    } else if (!t->pull) {
        conn->acked[LITE_DATA][t->psn % LITE_WINDOW] = 1;
        move_base(conn, LITE_DATA);
        want_ack(conn, t->ar);
        t->used = false;
    }
    t->answered = true;
    return true;
}

static const struct lite_rule *rule_for(const struct lite_conn *conn, bool pull)
{
    for (size_t i = 0; i < conn->num_rules; i++) {
        const struct lite_rule *r = &conn->rules[i];

        if (r->op >= 0 && r->op != pull)
            continue;
        if (r->answer == LITE_GIVE_DATA && !pull)
            continue;
        if ((r->request == 0 || r->request == conn->requests) &&
            (r->every == 0 || conn->requests % r->every == 0))
            return r;
    }
    return NULL;
}

static void deliver(struct lite_conn *conn, uint32_t rsn, struct lite_theirs *t)
{
    struct lite_rule plain = {.answer = t->pull ? LITE_GIVE_DATA : LITE_ACK};
    const struct lite_rule *rule;

    t->delivered = true;
    conn->requests++;
    conn->calls->request(conn->ctx, conn, rsn, t);
    rule = rule_for(conn, t->pull);
    t->answer = rule != NULL ? *rule : plain;
    t->answer_at_ns =
        t->answer.answer == LITE_WITHHOLD ? LITE_NEVER : conn->now_ns + t->answer.after_ns;
}

/* Hands over what has its turn, and carries out the answers that are due. */
static void serve(struct lite_conn *conn)
{
    for (;;) {
        struct lite_theirs *t = &conn->theirs[conn->deliver % LITE_HELD];

        if (!t->used || t->delivered)
            break;
        if (t->skipped)
            t->used = false;
        else
            deliver(conn, conn->deliver, t);
        conn->deliver++;
    }
    for (uint32_t i = LITE_HELD; i-- > 0;) {
        uint32_t rsn = conn->deliver - 1 - i;
        struct lite_theirs *t = &conn->theirs[rsn % LITE_HELD];

        if (!t->used || !t->delivered || t->answered || t->answer_at_ns > conn->now_ns)
            continue;
        conn->calls->ulp_ack(conn->ctx, conn, rsn, t->answer.answer);
        (void)give(conn, rsn, t, &t->answer);
    }
}

bool lite_respond(struct lite_conn *conn, uint32_t rsn, const struct lite_rule *answer,
                  uint64_t now_ns)
{
    struct lite_theirs *t = &conn->theirs[rsn % LITE_HELD];

    conn->now_ns = now_ns;
    if (!t->used || !t->delivered || (!t->answered && t->answer_at_ns != LITE_NEVER) ||
        (answer->answer == LITE_GIVE_DATA ? !t->pull : t->answered) ||
        !give(conn, rsn, t, answer))
        return false;
    send_waiting(conn);
    if (conn->ack_now)
        send_ack(conn);
    return true;
}

/* ---- receiving (9.2.2) ---- */

static void take_transaction(struct lite_conn *conn, const struct lite_packet *p)
{
    struct lite_theirs *t = &conn->theirs[p->rsn % LITE_HELD];

    *t = (struct lite_theirs){.used = true,
                              .pull = p->type == LITE_PULL_REQUEST,
                              .skipped = p->type == LITE_RESYNC,
                              .ar = p->ar,
                              .psn = p->psn,
                              .length = p->length,
                              .answer_at_ns = LITE_NEVER};
    if (t->pull || t->skipped)
        return;
    t->hash = lite_hash(p->payload, p->payload_len);
    t->has_tag = p->payload_len >= 16 && memcmp(p->payload, "TALN", 4) == 0;
    if (t->has_tag)
        t->tag = lite_get64(p->payload + 4);
}

static void take_data(struct lite_conn *conn, const struct lite_packet *p)
{
    struct lite_own *own = &conn->own[p->rsn % LITE_HELD];

    if (p->rsn - conn->complete >= conn->rsn - conn->complete || !own->used || own->done ||
        !own->pull || p->payload_len > own->length)
        return;
    own->length = (uint32_t)p->payload_len;
    own->hash = lite_hash(p->payload, p->payload_len);
    done(conn, p->rsn);
}

/* A push that came and waits for its turn is given up by its sender. */
static void skip(struct lite_conn *conn, unsigned w, const struct lite_packet *p)
{
    struct lite_theirs *t = &conn->theirs[p->rsn % LITE_HELD];

    if (w != LITE_DATA || !t->used || t->delivered || t->psn != p->psn)
        return;
    t->skipped = true;
    conn->acked[w][p->psn % LITE_WINDOW] = 1;
    move_base(conn, w);
    serve(conn);
}

static void take_reliable(struct lite_conn *conn, const struct lite_packet *p)
{
    enum lite_type type = p->type == LITE_RESYNC ? p->of : p->type;
    unsigned w = window_of(type);
    uint32_t ahead = p->psn - conn->rx_base[w];
    bool push = p->type == LITE_PUSH_DATA;

    if (ahead >= UINT32_C(1) << 31) { /* before the window: once more, please */
        want_ack(conn, p->ar);
        return;
    }
    if (ahead >= (w == LITE_REQ ? REQ_REACH : DATA_REACH)) {
        conn->out_of_window |= w == LITE_REQ ? 1 : 2;
        want_ack(conn, p->ar);
        return;
    }
    if (conn->received[w][p->psn % LITE_WINDOW]) {
        want_ack(conn, p->ar);
        if (p->type == LITE_RESYNC)
            skip(conn, w, p);
        return;
    }
    if (type != LITE_PULL_DATA &&
        (p->rsn - conn->deliver >= LITE_HELD / 2 || conn->theirs[p->rsn % LITE_HELD].used))
        return; /* no room: it will come again */
    conn->received[w][p->psn % LITE_WINDOW] = 1;
    if (!push) {
        conn->acked[w][p->psn % LITE_WINDOW] = 1;
        move_base(conn, w);
    }
    if (!push || !p->ar)
        want_ack(conn, p->ar);
    if (p->type == LITE_PULL_DATA)
        take_data(conn, p);
    else if (type != LITE_PULL_DATA)
        take_transaction(conn, p);
    serve(conn);
}

void lite_take(struct lite_conn *conn, const struct lite_packet *p, uint8_t ecn, uint8_t ttl,
               uint64_t now_ns)
{
    conn->now_ns = now_ns;
    if (conn->is_dead)
        return;
    conn->ecn_count += ecn == CE;
    conn->hops = ttl > 0 ? (uint8_t)(conn->params.initial_ttl - ttl) & 15 : 0;
    take_ack(conn, p);
    if (p->type < LITE_NACK) {
        conn->t2 = (uint32_t)(now_ns * 1000 / TICK_PS);
        take_reliable(conn, p);
    }
    send_waiting(conn);
    if (conn->ack_now)
        send_ack(conn);
}

/* ---- time ---- */

/* Sends again what is due: what has an RSN of ours in its order, then pull data. */
static void retransmit(struct lite_conn *conn)
{
    for (;;) {
        struct lite_sent *first = NULL;

        for (unsigned w = 0; w < 2; w++) {
            for (uint32_t psn = conn->base[w]; psn != conn->psn[w]; psn++) {
                struct lite_sent *s = &conn->sent[w][psn % LITE_WINDOW];
                bool data = s->packet.type == LITE_PULL_DATA;

                if (s->acked || s->due_ns > conn->now_ns ||
                    psn - conn->base[w] >= conn->params.fcwnd)
                    continue;
                if (first == NULL || (first->packet.type == LITE_PULL_DATA && !data) ||
                    (!data && s->packet.rsn - first->packet.rsn >= UINT32_C(1) << 31))
                    first = s;
            }
        }
        if (first == NULL)
            return;
        if (first->attempts++ == conn->params.max_attempts) {
            conn->is_dead = true;
            conn->ack_due_ns = LITE_NEVER;
            conn->calls->dead(conn->ctx, conn);
            return;
        }
        transmit(conn, first);
    }
}

void lite_tick(struct lite_conn *conn, uint64_t now_ns)
{
    conn->now_ns = now_ns;
    if (conn->is_dead)
        return;
    serve(conn);
    send_waiting(conn);
    retransmit(conn);
    if (!conn->is_dead && (conn->ack_now || conn->ack_due_ns <= now_ns))
        send_ack(conn);
}

uint64_t lite_deadline(const struct lite_conn *conn)
{
    uint64_t due = conn->ack_due_ns;

    if (conn->is_dead)
        return LITE_NEVER;
    for (unsigned w = 0; w < 2; w++)
        for (uint32_t psn = conn->base[w]; psn != conn->psn[w]; psn++)
            if (!conn->sent[w][psn % LITE_WINDOW].acked &&
                psn - conn->base[w] < conn->params.fcwnd)
                due = least(due, conn->sent[w][psn % LITE_WINDOW].due_ns);
    for (unsigned i = 0; i < LITE_HELD; i++)
        if (conn->theirs[i].used && conn->theirs[i].delivered && !conn->theirs[i].answered)
            due = least(due, conn->theirs[i].answer_at_ns);
    return due;
}
