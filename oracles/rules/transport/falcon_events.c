/* SPDX-License-Identifier: Apache-2.0
 * falcon_events.c - see falcon_events.h. */
#include "oracles/rules/transport/falcon_events.h"

#include <stdlib.h>
#include <string.h>

/* A flow whose initial PSN is not known begins with its first number in the middle. */
enum { MIDDLE = 1 << 20, DIRS = 2 };

/* What is needed to unwrap the PSNs of a flow. */
struct flow {
    bool known;
    uint32_t psn; /* the last one seen, and */
    uint64_t seg; /* its segment */
};

struct conn {
    uint32_t id;
    struct flow flows[DIRS][FAL_FALCON_WINDOWS];
};

struct fal_falcon_events {
    struct fal_falcon_events_sink sink;
    struct conn *conns;
    size_t num, room;
    uint64_t number;
};

struct fal_falcon_events *fal_falcon_events_new(const struct fal_falcon_events_sink *sink)
{
    struct fal_falcon_events *e = calloc(1, sizeof *e);

    if (e != NULL)
        e->sink = *sink;
    return e;
}

void fal_falcon_events_free(struct fal_falcon_events *e)
{
    if (e == NULL)
        return;
    free(e->conns);
    free(e);
}

static struct conn *find(const struct fal_falcon_events *e, uint32_t id)
{
    for (size_t i = e->num; i > 0; i--)
        if (e->conns[i - 1].id == id)
            return &e->conns[i - 1];
    return NULL;
}

/* ---- connections ---- */

static void tell_lost(struct fal_falcon_events *e, const struct conn *c, enum fal_dir dir,
                      uint64_t t_ns)
{
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        const struct fal_tp_event lost = {
            .kind = FAL_TP_LOST_VIEW, .at_ns = t_ns, .flow = fal_falcon_flow(c->id, dir, w)};

        e->sink.event(e->sink.ctx, w, &lost);
    }
}

static void begin_flow(struct flow *flow, uint32_t psn)
{
    *flow = (struct flow){.known = true, .psn = psn};
}

static int connect(struct fal_falcon_events *e, const struct fal_event *event)
{
    const struct fal_connection *c = &event->u.connection;
    struct conn *conn = find(e, event->conn);

    if (conn == NULL) {
        if (e->num == e->room) {
            const size_t room = e->room > 0 ? e->room * 2 : 8;
            struct conn *more = realloc(e->conns, room * sizeof *more);

            if (more == NULL)
                return FAL_ERR_MEM;
            e->conns = more;
            e->room = room;
        }
        conn = &e->conns[e->num++];
    }
    *conn = (struct conn){.id = event->conn};
    if (!c->initial_known) {
        tell_lost(e, conn, FAL_TO_SUT, event->t_ns);
        tell_lost(e, conn, FAL_FROM_SUT, event->t_ns);
        return 0;
    }
    begin_flow(&conn->flows[FAL_TO_SUT][FAL_WINDOW_DATA], c->tester.data_psn);
    begin_flow(&conn->flows[FAL_TO_SUT][FAL_WINDOW_REQ], c->tester.req_psn);
    begin_flow(&conn->flows[FAL_FROM_SUT][FAL_WINDOW_DATA], c->sut.data_psn);
    begin_flow(&conn->flows[FAL_FROM_SUT][FAL_WINDOW_REQ], c->sut.req_psn);
    return 0;
}

/* The segment of a PSN: the one nearest to the last. A PSN before the first one is that of no
 * segment: false. */
static bool unwrap(struct flow *flow, uint32_t psn, bool keep, uint64_t *seg)
{
    const int32_t step = (int32_t)(psn - flow->psn);

    if (!flow->known) {
        *flow = (struct flow){.known = true, .psn = psn, .seg = MIDDLE};
        *seg = MIDDLE;
        return true;
    }
    if (step < 0 && (uint64_t)(-(int64_t)step) > flow->seg)
        return false;
    *seg = flow->seg + (uint64_t)(int64_t)step;
    if (keep && step > 0) {
        flow->psn = psn;
        flow->seg = *seg;
    }
    return true;
}

/* ---- packets ---- */

static uint64_t mix(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static void segment(struct fal_falcon_events *e, struct conn *c, const struct fal_event *event)
{
    const struct fal_ev_packet *p = &event->u.packet;
    const struct fal_falcon *f = &p->falcon;
    const enum fal_window w = fal_falcon_window(f);
    struct fal_tp_event out = {.kind = FAL_TP_SEND, .at_ns = event->t_ns, .number = e->number};

    out.flow = fal_falcon_flow(c->id, p->dir, w);
    if (!unwrap(&c->flows[p->dir][w], f->psn, true, &out.seg))
        return;
    if (f->packet_type != FAL_RESYNC) { /* which stands for another packet of that PSN */
        out.bytes = p->payload_len + 1;
        out.digest = mix(mix(mix(p->payload_hash, f->rsn), f->packet_type), f->request_length);
    }
    e->sink.event(e->sink.ctx, w, &out);
}

/* Ranges of the bits from `base` on; as many events as they need. */
static void bits(struct fal_falcon_events *e, enum fal_window w, struct fal_tp_event *out,
                 fal_u128 bitmap)
{
    const uint64_t base = out->reply.cum;

    for (unsigned i = 0; i < 128; i++) {
        struct fal_tp_range *r = &out->reply.got[out->reply.num_got];

        if ((uint64_t)(bitmap >> i & 1) == 0)
            continue;
        r->first = base + i;
        while (i < 128 && (uint64_t)(bitmap >> i & 1) != 0)
            i++;
        r->end = base + i;
        if (++out->reply.num_got == FAL_TP_RANGES) {
            e->sink.event(e->sink.ctx, w, out);
            out->reply.num_got = 0;
        }
    }
    e->sink.event(e->sink.ctx, w, out);
}

static void feedback(struct fal_falcon_events *e, struct conn *c, const struct fal_event *event,
                     enum fal_window w)
{
    const struct fal_ev_packet *p = &event->u.packet;
    const struct fal_falcon *f = &p->falcon;
    const enum fal_dir back = p->dir == FAL_TO_SUT ? FAL_FROM_SUT : FAL_TO_SUT;
    const uint32_t base = w == FAL_WINDOW_REQ ? f->recv_req_base_psn : f->recv_data_base_psn;
    const fal_u128 none = 0;
    fal_u128 bitmap = none;
    struct fal_tp_event out = {.kind = FAL_TP_REPLY, .at_ns = event->t_ns, .number = e->number};

    if (f->packet_type == FAL_EACK)
        bitmap = w == FAL_WINDOW_REQ ? (fal_u128)f->req_bitmap
                                     : (f->data_ack_bitmap | f->data_rx_bitmap);
    out.flow = fal_falcon_flow(c->id, back, w);
    out.reply.has_cum = unwrap(&c->flows[back][w], base, false, &out.reply.cum);
    if (out.reply.has_cum)
        bits(e, w, &out, bitmap);
}

static void packet(struct fal_falcon_events *e, struct conn *c, const struct fal_event *event)
{
    const struct fal_ev_packet *p = &event->u.packet;

    if (p->header_len < 0 || p->bad != FAL_BAD_NOT || p->truncated)
        return;
    feedback(e, c, event, FAL_WINDOW_DATA);
    feedback(e, c, event, FAL_WINDOW_REQ);
    if (fal_falcon_reliable(p->falcon.packet_type))
        segment(e, c, event);
}

static void mark(struct fal_falcon_events *e, const struct fal_event *event)
{
    const enum fal_mark what = event->u.mark.mark;

    if (what != FAL_MARK_GAP_IN && what != FAL_MARK_GAP_OUT)
        return;
    for (size_t i = 0; i < e->num; i++) {
        tell_lost(e, &e->conns[i], FAL_TO_SUT, event->t_ns);
        tell_lost(e, &e->conns[i], FAL_FROM_SUT, event->t_ns);
    }
}

int fal_falcon_events_take(struct fal_falcon_events *e, const struct fal_event *event)
{
    struct conn *c;

    e->number++;
    if (event->kind == FAL_EV_CONNECTION)
        return connect(e, event);
    if (event->kind == FAL_EV_MARK)
        mark(e, event);
    if (event->kind != FAL_EV_PACKET)
        return 0;
    c = find(e, event->conn);
    if (c != NULL)
        packet(e, c, event);
    return 0;
}
