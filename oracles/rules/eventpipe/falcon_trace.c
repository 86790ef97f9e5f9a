/* SPDX-License-Identifier: Apache-2.0
 * falcon_trace.c - see falcon_trace.h. */
#include "oracles/rules/eventpipe/falcon_trace.h"

#include <stdlib.h>

/* Classes of the events of a RUE. */
enum { CLASS_ACK, CLASS_NACK, CLASS_RETRANSMIT };

/* How far back the packet of an event is searched: among this many ACKs, and no further than so
 * many ACKs or NACKs of the connection without an event. So the time for an event is bounded.
 */
enum { BACK = 256, CANDIDATES = 512, NONE = 0, HASH_FIRST = 64 };

/* The occupancy of an empty queue counts the ACK itself: 0 would mean that it is not known. */
enum { EMPTY = 1 };

/* An ACK is surely processed that long after it came, beyond path, pipeline and turnaround. */
static const uint64_t processed_ns = 1000;

/* An ACK or NACK to the SUT. */
struct ack {
    uint64_t at_ns, number, total; /* total: newly acknowledged by ACKs up to this one */
    size_t conn;
    uint32_t t1, t2;
    bool nack, used;
    bool due; /* an event must be made of it */
    /* Its neighbours among those of its connection and kind of which no event was made: index
     * + 1, or NONE. */
    size_t older, newer;
};

struct conn {
    uint32_t id, cid; /* of the timeline; of the SUT's end */
    uint64_t slack_ns;
    struct fal_rue_facts rue;
    uint32_t ack_base[2]; /* of the newest ACK; with acked_once */
    bool acked_once;
    uint32_t base[2], sent[2]; /* of the SUT's windows: acknowledged up to, sent up to */
    uint64_t open;             /* events that were shown and have no result */
    uint64_t total, reported;  /* newly acknowledged by ACKs; of these told by events */
    bool known, exact, synced; /* synced: `reported` is right */
    size_t newest[2];          /* unused ACK and NACK: index + 1, or NONE */
    uint64_t asked, shown;     /* the counts of the trace that it has taken into account */
};

/* The newest connection with a number: index + 1 in each place, the places a power of two. */
struct by_number {
    size_t *places, num_places;
};

struct fal_falcon_trace {
    struct fal_ev_run run;
    bool gap, asked, traced;
    int64_t asked_id;
    bool ever; /* entries were shown at some time */
    struct conn *conns;
    size_t num_conns, room_conns;
    struct by_number by_id, by_cid;
    uint64_t asked_times, shown_times; /* commands about the trace; those that turned it on */
    struct ack *acks;
    size_t num_acks, room_acks;
    struct fal_ep_event *lines;
    size_t num_lines, room_lines;
    uint64_t now_ns, number;
    uint64_t waiting; /* events without a result */
    /* Events may wait that were not shown: a packet came or left that may have brought one
     * while nothing was shown. `heard`: there was such a packet at some time. */
    bool heard, hidden;
    bool tester; /* the tester gives the results, or may do so */
    bool no_memory;
};

struct fal_ep_setup fal_falcon_trace_setup(void)
{
    return (struct fal_ep_setup){
        .slices = 1,
        .processors = 1,
        .classes = {CLASS_RETRANSMIT, 0, CLASS_NACK, CLASS_ACK, 0, 0, 0},
        .th1 = {[FAL_EP_ACK] = EMPTY + 1},
        .th2 = {[FAL_EP_ACK] = UINT32_MAX},
        .other_drop_curve = true,
        .rate_per_event = true,
    };
}

struct fal_falcon_trace *fal_falcon_trace_new(void)
{
    return calloc(1, sizeof(struct fal_falcon_trace));
}

void fal_falcon_trace_free(struct fal_falcon_trace *t)
{
    if (t == NULL)
        return;
    free(t->conns);
    free(t->by_id.places);
    free(t->by_cid.places);
    free(t->acks);
    free(t->lines);
    free(t);
}

/* Room for one more of a list; NULL, and no_memory, when memory is out. */
static void *more(struct fal_falcon_trace *t, void **list, size_t *num, size_t *room,
                  size_t size)
{
    if (*num == *room) {
        size_t wanted = *room > 0 ? 2 * *room : 64;
        void *grown = realloc(*list, wanted * size);

        if (grown == NULL) {
            t->no_memory = true;
            return NULL;
        }
        *list = grown;
        *room = wanted;
    }
    return (char *)*list + size * (*num)++;
}

static void line(struct fal_falcon_trace *t, const struct fal_ep_event *line)
{
    struct fal_ep_event *l =
        more(t, (void **)&t->lines, &t->num_lines, &t->room_lines, sizeof *l);

    if (l != NULL)
        *l = *line;
}

/* Whether every packet to the SUT is known, as it came, and when. */
static bool sure(const struct fal_falcon_trace *t)
{
    return !t->gap && !t->run.live && !t->run.may_miss && !t->run.undeclared &&
           t->run.vantage == FAL_VANTAGE_TESTER && t->run.no_duplicates_in &&
           t->run.lossless_in && t->run.in_order_in;
}

/* ---- connections ---- */

/* Takes into account what commands changed for all connections since the last look. */
static void refresh(const struct fal_falcon_trace *t, struct conn *c)
{
    if (c->asked != t->asked_times)
        c->open = 0; /* what waits then is not known */
    if (c->shown != t->shown_times)
        c->synced = c->known && c->total == 0;
    c->asked = t->asked_times;
    c->shown = t->shown_times;
}

static uint32_t number_of(const struct fal_falcon_trace *t, const struct by_number *by,
                          size_t conn)
{
    return by == &t->by_id ? t->conns[conn].id : t->conns[conn].cid;
}

/* The place of the number, or the free one where it belongs. */
static size_t place_of(const struct fal_falcon_trace *t, const struct by_number *by,
                       uint32_t number)
{
    size_t at = (number * UINT32_C(2654435769)) & (by->num_places - 1);

    while (by->places[at] != NONE && number_of(t, by, by->places[at] - 1) != number)
        at = (at + 1) & (by->num_places - 1);
    return at;
}

/* Adds the newest connection; half of the places stay free. */
static void number(struct fal_falcon_trace *t, struct by_number *by)
{
    if (2 * t->num_conns > by->num_places) {
        struct by_number grown = {.num_places =
                                      by->num_places > 0 ? 2 * by->num_places : HASH_FIRST};

        grown.places = calloc(grown.num_places, sizeof *grown.places);
        if (grown.places == NULL) {
            t->no_memory = true;
            return;
        }
        free(by->places);
        *by = grown;
        for (size_t i = 0; i + 1 < t->num_conns; i++)
            by->places[place_of(t, by, number_of(t, by, i))] = i + 1;
    }
    by->places[place_of(t, by, number_of(t, by, t->num_conns - 1))] = t->num_conns;
}

static struct conn *find(const struct fal_falcon_trace *t, const struct by_number *by,
                         uint32_t number)
{
    size_t at = by->num_places > 0 ? place_of(t, by, number) : 0;
    struct conn *c;

    if (by->num_places == 0 || by->places[at] == NONE)
        return NULL;
    c = &t->conns[by->places[at] - 1];
    refresh(t, c);
    return c;
}

static struct conn *conn_of(const struct fal_falcon_trace *t, uint32_t id)
{
    return find(t, &t->by_id, id);
}

static struct conn *conn_of_cid(const struct fal_falcon_trace *t, uint32_t cid)
{
    return find(t, &t->by_cid, cid);
}

static void connect(struct fal_falcon_trace *t, const struct fal_event *event)
{
    const struct fal_connection *c = &event->u.connection;
    struct conn *conn =
        more(t, (void **)&t->conns, &t->num_conns, &t->room_conns, sizeof *conn);

    if (conn == NULL)
        return;
    *conn = (struct conn){.id = event->conn,
                          .cid = c->sut.cid,
                          .slack_ns = processed_ns + t->run.delay_max_ns +
                                      c->params.pipeline_ns + c->params.turnaround_ns,
                          .rue = c->rue,
                          .base = {c->sut.data_psn, c->sut.req_psn},
                          .sent = {c->sut.data_psn, c->sut.req_psn},
                          .known = c->initial_known,
                          .exact = c->initial_known,
                          .synced = t->traced,
                          .asked = t->asked_times,
                          .shown = t->shown_times};
    number(t, &t->by_id);
    number(t, &t->by_cid);
}

/* ---- packets ---- */

/* How many windows of `base` are behind `known`, and how many PSNs it newly acknowledges. */
static unsigned behind(const uint32_t known[2], const uint32_t base[2], uint64_t *newly)
{
    unsigned n = 0;

    *newly = 0;
    for (unsigned w = 0; w < 2; w++) {
        const int32_t step = (int32_t)(base[w] - known[w]);

        n += step < 0;
        *newly += step > 0 ? (uint64_t)step : 0;
    }
    return n;
}

/* Whether the SUT surely discards the ACK: both bases are older than those of an ACK that it
 * had (9.2.3). */
static bool stale(const struct fal_falcon_trace *t, struct conn *c, const uint32_t base[2],
                  bool unsent)
{
    uint64_t newly;
    const unsigned older = c->acked_once ? behind(c->ack_base, base, &newly) : 0;

    if (older == 0 && !unsent) {
        c->acked_once = true;
        memcpy(c->ack_base, base, sizeof c->ack_base);
    }
    return older == 2 && sure(t) && c->slack_ns == processed_ns;
}

static bool claims_unsent(const struct conn *c, const uint32_t base[2])
{
    return (int32_t)(base[0] - c->sent[0]) > 0 || (int32_t)(base[1] - c->sent[1]) > 0;
}

/* The newest ACK or NACK joins those of which no event was made. */
static void join(struct fal_falcon_trace *t, struct conn *c, struct ack *a)
{
    size_t at = (size_t)(a - t->acks) + 1;

    a->older = c->newest[a->nack];
    if (a->older != NONE)
        t->acks[a->older - 1].newer = at;
    c->newest[a->nack] = at;
}

static void use(struct fal_falcon_trace *t, struct conn *c, struct ack *a)
{
    a->used = true;
    if (a->older != NONE)
        t->acks[a->older - 1].newer = a->newer;
    if (a->newer != NONE)
        t->acks[a->newer - 1].older = a->older;
    else
        c->newest[a->nack] = a->older;
}

static void to_sut(struct fal_falcon_trace *t, struct conn *c, const struct fal_falcon *f)
{
    const uint32_t base[2] = {f->recv_data_base_psn, f->recv_req_base_psn};
    const bool bits = f->packet_type == FAL_EACK &&
                      (f->data_ack_bitmap | f->data_rx_bitmap | (fal_u128)f->req_bitmap) != 0;
    const bool unsent = claims_unsent(c, base), ack = fal_falcon_is_ack(f->packet_type);
    uint64_t newly;
    const unsigned older = behind(c->base, base, &newly);
    struct ack *a;

    /* What counts as newly acknowledged is certain for cumulative ACKs alone. */
    c->exact = c->exact && !bits && !unsent && older == 0 &&
               (newly == 0 || (ack && f->packet_type != FAL_NACK));
    if (!unsent && older == 0)
        memcpy(c->base, base, sizeof c->base);
    if (!ack)
        return;
    c->total += newly;
    if (stale(t, c, base, unsent))
        return;
    a = more(t, (void **)&t->acks, &t->num_acks, &t->room_acks, sizeof *a);
    if (a == NULL)
        return;
    *a = (struct ack){.at_ns = t->now_ns,
                      .number = t->number,
                      .total = c->total,
                      .conn = (size_t)(c - t->conns),
                      .t1 = f->t1 & FAL_CC_TIME_MAX,
                      .t2 = f->t2 & FAL_CC_TIME_MAX,
                      .nack = f->packet_type == FAL_NACK};
    join(t, c, a);
    a->due = t->traced && sure(t) && c->exact && newly > 0 && t->waiting == 0 &&
             c->rue.has_policy && c->rue.when_empty == FAL_RUE_ALWAYS && t->run.alone;
}

static void packet(struct fal_falcon_trace *t, const struct fal_event *event)
{
    const struct fal_ev_packet *p = &event->u.packet;
    struct conn *c = conn_of(t, event->conn);
    unsigned w;

    t->heard = true;
    t->hidden |= !t->traced;
    if (c == NULL || p->header_len < 0 || p->bad != FAL_BAD_NOT || p->truncated)
        return;
    if (p->dir == FAL_TO_SUT) {
        to_sut(t, c, &p->falcon);
    } else if (fal_falcon_reliable(p->falcon.packet_type)) {
        w = fal_falcon_window(&p->falcon) == FAL_WINDOW_REQ;
        if ((int32_t)(p->falcon.psn + 1 - c->sent[w]) > 0)
            c->sent[w] = p->falcon.psn + 1;
    }
}

/* ---- entries ---- */

static bool same_times(const struct ack *a, const struct fal_cc_event *e)
{
    return a->t1 == e->t1 && a->t2 == e->t2;
}

/* The newest ACK or NACK of which no event was made, with the times of the event; without one,
 * any. If several are possible, the counts of the connection cannot be compared any more. */
static struct ack *cause_of(struct fal_falcon_trace *t, struct conn *c,
                            const struct fal_cc_event *e)
{
    struct ack *found = NULL;
    unsigned looked = 0;

    for (size_t i = c->newest[e->event_type == FAL_CC_NACK]; i != NONE && looked < CANDIDATES;
         i = t->acks[i - 1].older, looked++) {
        struct ack *a = &t->acks[i - 1];

        if (found == NULL || (same_times(a, e) && !same_times(found, e)))
            found = a;
        else if (same_times(a, e) == same_times(found, e) && a->total != found->total)
            c->exact = false;
        if (same_times(found, e) && t->num_acks - i >= BACK)
            break;
    }
    if (found != NULL && !same_times(found, e))
        c->exact = false;
    return found;
}

/* What the event should tell; without certainty, what it tells. */
static uint64_t acked(struct conn *c, uint64_t total, uint32_t told)
{
    const uint64_t due = total - c->reported;

    if (!c->synced || !c->exact || due >= FAL_CC_ACKED_MAX) {
        c->synced = true;
        c->reported = total;
        return told;
    }
    c->reported = total;
    return due;
}

static void queue_event(struct fal_falcon_trace *t, const struct fal_ev_cc *cc,
                        const struct conn *of)
{
    static const enum fal_ep_kind kinds[] = {FAL_EP_ACK, FAL_EP_NACK, FAL_EP_TX};
    struct fal_cc_event e;
    struct fal_ep_event l = {.at_ns = t->now_ns, .number = t->number, .count = 1};
    struct conn *c;
    struct ack *cause = NULL;

    if (fal_cc_decode(of->rue.format, FAL_CC_ENTRY_EVENT, cc->entry, FAL_CC_ENTRY_LEN, &e) <
        0) {
        t->hidden = true;
        return;
    }
    t->ever = true;
    t->waiting++;
    l.flow = e.connection_id;
    l.kind = kinds[e.event_type <= FAL_CC_RETRANSMIT ? e.event_type : 0];
    l.point = FAL_EP_SOURCE;
    c = conn_of_cid(t, e.connection_id);
    if (c != NULL)
        c->open++;
    if (c != NULL && e.event_type <= FAL_CC_NACK)
        cause = cause_of(t, c, &e);
    if (cause != NULL) {
        use(t, c, cause);
        if (c->exact) /* else its place among others is not certain */
            l.at_ns = cause->at_ns;
    }
    l.bytes = c == NULL
                  ? e.num_packets_acked
                  : acked(c, cause != NULL ? cause->total : c->total, e.num_packets_acked);
    if (cause != NULL || e.event_type == FAL_CC_RETRANSMIT || !sure(t) ||
        (c == NULL && !t->run.alone))
        line(t, &l);
    l.at_ns = t->now_ns;
    l.point = FAL_EP_CCP;
    l.act = FAL_EP_START;
    l.bytes = e.num_packets_acked;
    l.klass = l.kind == FAL_EP_ACK    ? CLASS_ACK
              : l.kind == FAL_EP_NACK ? CLASS_NACK
                                      : CLASS_RETRANSMIT;
    line(t, &l);
}

static void queue_result(struct fal_falcon_trace *t, const uint8_t entry[FAL_CC_ENTRY_LEN],
                         const struct conn *of)
{
    struct fal_cc_result r;
    struct fal_ep_event l = {.at_ns = t->now_ns, .number = t->number, .point = FAL_EP_RATE};
    struct conn *c;

    t->waiting -= t->waiting > 0;
    if (fal_cc_decode(of->rue.format, FAL_CC_ENTRY_RESULT, entry, FAL_CC_ENTRY_LEN, &r) < 0)
        return;
    l.flow = r.connection_id;
    c = conn_of_cid(t, r.connection_id);
    if ((t->hidden || t->tester) && (c == NULL || c->open == 0))
        return;
    if (c != NULL)
        c->open -= c->open > 0;
    line(t, &l);
}

/* ---- events ---- */

static void command(struct fal_falcon_trace *t, const struct fal_ev_command *c)
{
    if (strcmp(c->verb, "cc_trace") == 0 || strcmp(c->verb, "cc_engine") == 0) {
        t->hidden |= t->heard || t->waiting > 0;
        t->tester |= strcmp(c->verb, "cc_engine") == 0;
        t->asked_times++;
        t->asked = c->on;
        t->asked_id = c->id;
    }
    /* A result of the tester may be about any connection, so it only counts. */
    if (strcmp(c->verb, "cc_result") == 0)
        t->waiting -= t->waiting > 0;
}

static void reply(struct fal_falcon_trace *t, const struct fal_ev_reply *r)
{
    if (t->asked_id == 0 || r->id != t->asked_id || !r->ok)
        return;
    t->traced = t->asked;
    t->ever |= t->traced;
    t->shown_times++;
}

int fal_falcon_trace_take(struct fal_falcon_trace *t, const struct fal_event *event)
{
    const struct conn *any = t->num_conns > 0 ? &t->conns[t->num_conns - 1] : NULL;

    t->number++;
    t->now_ns = event->t_ns;
    if (event->kind == FAL_EV_RUN)
        t->run = event->u.run;
    else if (event->kind == FAL_EV_CONNECTION)
        connect(t, event);
    else if (event->kind == FAL_EV_PACKET)
        packet(t, event);
    else if (event->kind == FAL_EV_COMMAND)
        command(t, &event->u.command);
    else if (event->kind == FAL_EV_REPLY)
        reply(t, &event->u.reply);
    else if (event->kind == FAL_EV_CM)
        t->hidden |= strcmp(event->u.cm.what, "dropped") == 0;
    else if (event->kind == FAL_EV_MARK)
        t->gap |= event->u.mark.mark == FAL_MARK_GAP_IN;
    else if (event->kind == FAL_EV_CC && any != NULL && any->rue.known) {
        if (event->u.cc.queue == FAL_CC_QUEUE_EVENT)
            queue_event(t, &event->u.cc, any);
        else
            queue_result(t, event->u.cc.entry, any);
    }
    return t->no_memory ? FAL_ERR_MEM : 0;
}

/* ---- the end ---- */

static int by_time(const void *a, const void *b)
{
    const struct fal_ep_event *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (int)x->point - (int)y->point;
}

static void dropped(struct fal_falcon_trace *t, const struct ack *a)
{
    const struct conn *c = &t->conns[a->conn];
    struct fal_ep_event l = {
        .at_ns = a->at_ns, .number = a->number, .flow = c->cid, .kind = FAL_EP_ACK, .count = 1};

    if (a->used || !a->due || !sure(t) || t->run.delay_max_ns == FAL_NEVER ||
        t->now_ns - a->at_ns <= c->slack_ns)
        return;
    l.point = FAL_EP_SOURCE;
    line(t, &l);
    l.point = FAL_EP_WRED;
    l.act = FAL_EP_DROP;
    l.occupancy = EMPTY;
    line(t, &l);
}

int fal_falcon_trace_end(struct fal_falcon_trace *t,
                         void (*take)(void *ctx, const struct fal_ep_event *line), void *ctx)
{
    for (size_t i = 0; i < t->num_acks; i++)
        dropped(t, &t->acks[i]);
    if (t->no_memory)
        return FAL_ERR_MEM;
    if (t->num_lines > 0)
        qsort(t->lines, t->num_lines, sizeof *t->lines, by_time);
    for (size_t i = 0; i < t->num_lines; i++)
        take(ctx, &t->lines[i]);
    return t->ever;
}
