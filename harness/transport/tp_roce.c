/* SPDX-License-Identifier: Apache-2.0
 * tp_roce.c - see tp_roce.h. Packets are kept as records; when it is known which flows belong
 * together, the records become events. */
#include "harness/transport/tp_roce.h"

#include "codecs/text/roce_text.h"

#include <stdlib.h>

#define NONE UINT32_MAX
enum { KNOWN = 16, BEHIND = 4096, AHEAD = 64, SEQUENCE = 0x60 };
/* Segments of a flow that was not seen from its start count from here. */
#define MIDWAY (UINT64_C(1) << 32)

/* All packets from one host to a queue pair of another. */
struct flow {
    fal_u128 src, dst;
    uint32_t qp;
    bool requests, reads;
    uint32_t twin; /* of requests: the flow of their answers; of answers: the requests */
    /* Of answers: which flows of requests they fit. */
    struct {
        uint32_t flow;
        uint64_t fits;
    } candidates[KNOWN];
    unsigned num_candidates;
    uint64_t answers;
    /* The highest number of the requests so far, while records are read and while events are
     * made. */
    bool known;
    uint32_t psn;
    uint64_t seg;
    bool begun;
    uint64_t cum; /* the highest that was acknowledged */
};

struct record {
    uint64_t at_ns, number, digest;
    uint32_t flow, psn, len;
    enum fal_roce_class kind;
    bool ce, fatal;
};

struct tl_tp_roce {
    struct tl_tp_roce_setup setup;
    struct flow *flows;
    size_t num_flows, flows_room;
    struct record *records;
    size_t num, room;
};

struct tl_tp_roce *tl_tp_roce_new(const struct tl_tp_roce_setup *setup)
{
    struct tl_tp_roce *t = calloc(1, sizeof *t);

    if (t != NULL)
        t->setup = *setup;
    return t;
}

void tl_tp_roce_free(struct tl_tp_roce *t)
{
    if (t == NULL)
        return;
    free(t->flows);
    free(t->records);
    free(t);
}

/* An array of `size` bytes a member with room for one more; NULL: out of memory. */
static void *room_for(void *list, size_t num, size_t *room, size_t size)
{
    const size_t more = *room > 0 ? *room * 2 : 64;
    void *grown = list;

    if (num < *room)
        return list;
    grown = realloc(list, more * size);
    if (grown != NULL)
        *room = more;
    return grown;
}

/* a - b of numbers of 24 bits. */
static int32_t psn_diff(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) >> 8;
}

/* ---- flows ---- */

/* The flow to that queue pair; FAL_ERR_MEM, or FAL_ERR_RANGE: there are too many. */
static int flow_of(struct tl_tp_roce *t, const struct fal_roce_route *route, uint32_t qp)
{
    struct flow *grown;

    for (size_t i = t->num_flows; i > 0; i--) {
        const struct flow *f = &t->flows[i - 1];

        if (f->qp == qp && f->src == route->src && f->dst == route->dst)
            return (int)(i - 1);
    }
    if (t->num_flows == TL_TP_ROCE_FLOWS)
        return FAL_ERR_RANGE;
    grown = room_for(t->flows, t->num_flows, &t->flows_room, sizeof *grown);
    if (grown == NULL)
        return FAL_ERR_MEM;
    t->flows = grown;
    t->flows[t->num_flows] =
        (struct flow){.src = route->src, .dst = route->dst, .qp = qp, .twin = NONE};
    return (int)t->num_flows++;
}

/* The number of a segment; of a flow that is new, `first`. */
static uint64_t unwrap(struct flow *f, uint32_t psn, uint64_t first)
{
    int32_t ahead;

    if (!f->known) {
        f->known = true;
        f->psn = psn;
        f->seg = first;
    }
    ahead = psn_diff(psn, f->psn);
    if (ahead > 0) {
        f->psn = psn;
        f->seg += (uint64_t)ahead;
        return f->seg;
    }
    return f->seg - (uint64_t)-ahead;
}

static bool is_answer_to(const struct flow *answers, const struct flow *requests)
{
    return requests->requests && requests->src == answers->dst && requests->dst == answers->src;
}

/* An answer has a number that the requests of its connection have had, or nearly. */
static void learn(struct tl_tp_roce *t, struct flow *answers, uint32_t psn)
{
    answers->answers++;
    for (size_t i = 0; i < t->num_flows; i++) {
        int32_t behind = psn_diff(t->flows[i].psn, psn);
        unsigned k = 0;

        if (!is_answer_to(answers, &t->flows[i]) || !t->flows[i].known || behind < -AHEAD ||
            behind >= BEHIND)
            continue;
        while (k < answers->num_candidates && answers->candidates[k].flow != i)
            k++;
        if (k == KNOWN)
            continue;
        if (k == answers->num_candidates) {
            answers->candidates[k].flow = (uint32_t)i;
            answers->candidates[k].fits = 0;
            answers->num_candidates++;
        }
        answers->candidates[k].fits++;
    }
}

/* ---- frames ---- */

static uint64_t digest_of(const uint8_t *bytes, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < len; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h != 0 ? h : 1;
}

static void note(struct tl_tp_roce *t, struct record *r, const struct fal_roce_packet *packet)
{
    struct flow *f = &t->flows[r->flow];
    unsigned opcode = packet->bth.opcode;

    r->psn = packet->bth.psn;
    if (r->kind == FAL_ROCE_REQUEST) {
        f->requests = true;
        f->reads |= opcode == FAL_ROCE_OP_rc_read_request ||
                    opcode == FAL_ROCE_OP_rc_compare_swap || opcode == FAL_ROCE_OP_rc_fetch_add;
        (void)unwrap(f, r->psn, 0);
        r->len = (uint32_t)packet->data_len;
        r->digest = r->len > 0 ? digest_of(packet->data, packet->data_len) : 0;
        return;
    }
    r->fatal = r->kind == FAL_ROCE_NAK && packet->aeth.syndrome != SEQUENCE;
    learn(t, f, r->psn);
}

/* Whether the packet is one that events are made of. */
static bool of_interest(const struct fal_roce_packet *packet)
{
    enum fal_roce_class kind = fal_roce_class_of(packet);

    return packet->state == FAL_ROCE_READ &&
           packet->bth.opcode <= FAL_ROCE_OP_rc_send_only_inv &&
           (kind == FAL_ROCE_REQUEST || kind == FAL_ROCE_ACK || kind == FAL_ROCE_NAK ||
            kind == FAL_ROCE_RNR);
}

int tl_tp_roce_frame(struct tl_tp_roce *t, const struct fal_captured *captured, uint64_t at_ns,
                     uint64_t number)
{
    struct fal_roce_packet packet;
    struct fal_roce_route route;
    enum fal_icrc_state icrc;
    struct record *r;
    int flow;

    if (!fal_roce_frame_decode(captured, &packet, &route, &icrc) || !of_interest(&packet))
        return 0;
    if (icrc == FAL_ICRC_BAD && packet.icrc != 0)
        return 0; /* every receiver drops it */
    if (t->num >= TL_TP_ROCE_PACKETS)
        return FAL_ERR_RANGE;
    flow = flow_of(t, &route, packet.bth.dest_qp);
    if (flow < 0)
        return flow == FAL_ERR_RANGE ? 0 : flow;
    r = room_for(t->records, t->num, &t->room, sizeof *r);
    if (r == NULL)
        return FAL_ERR_MEM;
    t->records = r;
    r = &t->records[t->num++];
    *r = (struct record){.at_ns = at_ns,
                         .number = number,
                         .flow = (uint32_t)flow,
                         .kind = fal_roce_class_of(&packet),
                         .ce = route.ecn == 3};
    note(t, r, &packet);
    return 0;
}

/* ---- which flows belong together ---- */

static void join(struct tl_tp_roce *t, uint32_t answers, uint32_t requests)
{
    t->flows[answers].twin = requests;
    t->flows[requests].twin = answers;
}

/* The only flow of requests that most of the answers fit; NONE without one or with several. */
static uint32_t fitting(const struct flow *answers)
{
    uint32_t only = NONE;

    for (unsigned i = 0; i < answers->num_candidates; i++) {
        if (answers->candidates[i].fits * 2 <= answers->answers)
            continue;
        if (only != NONE)
            return NONE;
        only = answers->candidates[i].flow;
    }
    return only;
}

static void join_learned(struct tl_tp_roce *t)
{
    for (uint32_t i = 0; i < t->num_flows; i++) {
        uint32_t requests = fitting(&t->flows[i]);
        bool claimed = false;

        for (uint32_t k = 0; requests != NONE && k < t->num_flows; k++)
            claimed |= k != i && fitting(&t->flows[k]) == requests;
        if (requests != NONE && !claimed)
            join(t, i, requests);
    }
}

/* The pair that the flow belongs to, and which of its ends the flow goes to. */
static const struct fal_rj_pair *pair_of(const struct tl_tp_roce *t, const struct flow *f,
                                         unsigned *to)
{
    for (size_t i = 0; i < t->setup.num_pairs; i++) {
        const struct fal_rj_pair *p = &t->setup.pairs[i];

        for (*to = 0; *to < 2; ++*to)
            if (f->qp == p->qp[*to] && f->dst == p->host[*to].ip && f->src == p->host[!*to].ip)
                return p;
    }
    return NULL;
}

static void join_given(struct tl_tp_roce *t)
{
    for (uint32_t i = 0; i < t->num_flows; i++) {
        unsigned to;
        const struct fal_rj_pair *p = pair_of(t, &t->flows[i], &to);

        for (uint32_t k = 0; p != NULL && k < t->num_flows; k++)
            if (t->flows[k].qp == p->qp[!to] && t->flows[k].dst == p->host[!to].ip &&
                t->flows[k].src == p->host[to].ip)
                join(t, i, k);
    }
}

/* ---- events ---- */

struct making {
    struct tl_tp_roce *t;
    int (*event)(void *ctx, const struct fal_tp_event *event);
    void *ctx;
};

static bool is_judged(const struct tl_tp_roce *t, const struct flow *requests)
{
    if (!requests->requests || requests->reads || requests->twin == NONE)
        return false;
    if (t->setup.vantage == FAL_TP_SENDER)
        return requests->src == t->setup.sut;
    return t->setup.vantage != FAL_TP_RECEIVER || requests->dst == t->setup.sut;
}

static int give(const struct making *m, const struct record *r, uint32_t requests,
                struct fal_tp_event *e)
{
    struct flow *f = &m->t->flows[requests];
    uint64_t start_ns = m->t->records[0].at_ns;
    int rc = 0;

    e->at_ns = r->at_ns > start_ns ? r->at_ns - start_ns : 0;
    e->number = r->number;
    e->flow = requests;
    if (!f->begun && !m->t->setup.from_start) {
        const struct fal_tp_event lost = {
            .kind = FAL_TP_LOST_VIEW, .at_ns = e->at_ns, .flow = e->flow};

        rc = m->event(m->ctx, &lost);
    }
    f->begun = true;
    return rc != 0 ? rc : m->event(m->ctx, e);
}

static int request(const struct making *m, const struct record *r)
{
    struct flow *f = &m->t->flows[r->flow];
    uint64_t first = m->t->setup.from_start ? 0 : MIDWAY;
    struct fal_tp_event e = {.kind = m->t->setup.vantage == FAL_TP_RECEIVER ? FAL_TP_ARRIVE
                                                                            : FAL_TP_SEND,
                             .seg = unwrap(f, r->psn, first),
                             .bytes = r->len,
                             .digest = r->digest,
                             .ce = r->ce};

    /* A number before the first one is a late packet of another connection. */
    return e.seg > UINT64_MAX / 2 ? 0 : give(m, r, r->flow, &e);
}

/* What the answer says of the requests, in their segments. False: nothing. */
static bool read_answer(const struct record *r, struct flow *f, struct fal_tp_event *e)
{
    uint64_t seg = f->seg + (uint64_t)(int64_t)psn_diff(r->psn, f->psn);

    if (r->kind == FAL_ROCE_RNR) { /* the packet arrived, and comes again after a while */
        e->kind = FAL_TP_LOST_VIEW;
        return true;
    }
    if (r->fatal) {
        e->kind = FAL_TP_RESET;
        return true;
    }
    e->reply.nack = r->kind == FAL_ROCE_NAK;
    e->reply.nack_seg = seg;
    e->reply.has_cum = true;
    e->reply.cum = seg + (r->kind == FAL_ROCE_ACK ? 1 : 0);
    /* The answer to a duplicate may repeat an old acknowledgement; and a number before the
     * first one is of another connection. */
    if (seg > UINT64_MAX / 2 || e->reply.cum < f->cum)
        return false;
    if (e->reply.cum <= f->seg + 1) /* else it is false, and says nothing about what follows */
        f->cum = e->reply.cum;
    return true;
}

static int answer(const struct making *m, const struct record *r)
{
    uint32_t requests = m->t->flows[r->flow].twin;
    struct fal_tp_event e = {.kind = m->t->setup.vantage == FAL_TP_SENDER ? FAL_TP_FEEDBACK
                                                                          : FAL_TP_REPLY};
    struct flow *f = requests != NONE ? &m->t->flows[requests] : NULL;

    if (f == NULL || !is_judged(m->t, f) || !f->known || !read_answer(r, f, &e))
        return 0;
    return give(m, r, requests, &e);
}

int tl_tp_roce_events(struct tl_tp_roce *t,
                      int (*event)(void *ctx, const struct fal_tp_event *event), void *ctx,
                      size_t *left_out)
{
    const struct making m = {t, event, ctx};
    int rc = 0;

    if (t->setup.num_pairs > 0)
        join_given(t);
    else
        join_learned(t);
    *left_out = 0;
    for (size_t i = 0; i < t->num_flows; i++) {
        t->flows[i].known = false; /* numbers begin again */
        *left_out += t->flows[i].requests && (t->flows[i].reads || t->flows[i].twin == NONE);
    }
    for (size_t i = 0; i < t->num && rc == 0; i++) {
        const struct record *r = &t->records[i];

        if (r->kind != FAL_ROCE_REQUEST)
            rc = answer(&m, r);
        else if (is_judged(t, &t->flows[r->flow]))
            rc = request(&m, r);
    }
    return rc;
}
