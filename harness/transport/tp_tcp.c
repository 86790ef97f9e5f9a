/* SPDX-License-Identifier: Apache-2.0
 * tp_tcp.c - see tp_tcp.h. Frames are kept as records; when all boundaries are known, the
 * records become events. */
#include "harness/transport/tp_tcp.h"

#include "codecs/header/tcp.h"
#include "harness/transport/tp_damage.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of bytes grow from here, so that they can also be a little lower. */
#define FIRST_BYTE (UINT64_C(1) << 32)

struct record {
    uint64_t at_ns, number, digest;
    uint64_t seq, ack; /* unwrapped */
    uint64_t sack_first[FAL_TCP_SACKS], sack_end[FAL_TCP_SACKS];
    uint32_t conn, len, window; /* window in bytes */
    uint8_t side, flags, num_sacks;
    bool ce;
};

/* One direction: what its end sends. */
struct side {
    bool known;
    bool from_start; /* its SYN was seen */
    uint32_t seq32;  /* and the byte that it is: */
    uint64_t seq;
    uint8_t scale;
    bool scaled;
    uint64_t *edges; /* boundaries of segments, sorted and each once */
    size_t num_edges, room;
    /* While events are made. */
    bool begun;
    uint64_t last_ack;
    uint32_t last_window;
    bool has_last_ack;
};

struct conn {
    fal_u128 address[2];
    uint16_t port[2];
    struct side side[2];
};

struct tl_tp_tcp {
    enum fal_tp_vantage vantage;
    fal_u128 sut;
    struct conn *conns;
    size_t num_conns, conns_room;
    struct record *records;
    size_t num, room;
};

struct tl_tp_tcp *tl_tp_tcp_new(enum fal_tp_vantage vantage, fal_u128 sut)
{
    struct tl_tp_tcp *t = calloc(1, sizeof *t);

    if (t != NULL) {
        t->vantage = vantage;
        t->sut = sut;
    }
    return t;
}

void tl_tp_tcp_free(struct tl_tp_tcp *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->num_conns; i++) {
        free(t->conns[i].side[0].edges);
        free(t->conns[i].side[1].edges);
    }
    free(t->conns);
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

/* ---- frames ---- */

struct ends {
    fal_u128 address[2];
    uint16_t port[2];
};

/* The connection of these ends; *side is the end that sends. NULL: out of memory. */
static struct conn *find(struct tl_tp_tcp *t, const struct ends *e, uint8_t *side)
{
    struct conn *more;

    for (size_t i = t->num_conns; i > 0; i--) {
        struct conn *c = &t->conns[i - 1];

        for (*side = 0; *side < 2; ++*side)
            if (c->address[*side] == e->address[0] && c->port[*side] == e->port[0] &&
                c->address[1 - *side] == e->address[1] && c->port[1 - *side] == e->port[1])
                return c;
    }
    more = room_for(t->conns, t->num_conns, &t->conns_room, sizeof *more);
    if (more == NULL)
        return NULL;
    t->conns = more;
    more = &t->conns[t->num_conns++];
    *more = (struct conn){.address = {e->address[0], e->address[1]},
                          .port = {e->port[0], e->port[1]}};
    *side = 0;
    return more;
}

static uint64_t unwrap(struct side *s, uint32_t seq32)
{
    if (!s->known) {
        s->known = true;
        s->seq32 = seq32;
        s->seq = FIRST_BYTE;
        return s->seq;
    }
    return s->seq + (uint64_t)(int64_t)(int32_t)(seq32 - s->seq32);
}

static void moved(struct side *s, uint32_t seq32, uint64_t seq)
{
    if (seq <= s->seq)
        return;
    s->seq = seq;
    s->seq32 = seq32;
}

static uint64_t digest_of(const uint8_t *bytes, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < len; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h != 0 ? h : 1;
}

/* The ends and the length of what IP carries; false: no TCP. */
static bool ip_of(const struct fal_frame *f, struct ends *e, size_t *len, bool *ce)
{
    if (f->fragment || !fal_frame_has(f, FAL_LAYER_RAW))
        return false;
    if (fal_frame_has(f, FAL_LAYER_IPV4) && f->ipv4.protocol == FAL_PROTOCOL_TCP &&
        f->ipv4.total_length >= f->ipv4.ihl * 4) {
        e->address[0] = f->ipv4.src;
        e->address[1] = f->ipv4.dst;
        *len = (size_t)(f->ipv4.total_length - f->ipv4.ihl * 4);
        *ce = f->ipv4.ecn == 3;
        return true;
    }
    if (!fal_frame_has(f, FAL_LAYER_IPV6) || f->ipv6.next_header != FAL_PROTOCOL_TCP)
        return false;
    e->address[0] = f->ipv6.src;
    e->address[1] = f->ipv6.dst;
    *len = f->ipv6.payload_length;
    *ce = f->ipv6.ecn == 3;
    return true;
}

static void starts(struct side *s, const struct fal_tcp *h)
{
    s->known = false;
    (void)unwrap(s, h->seq + 1);
    s->from_start = true;
    s->scaled = h->has_scale;
    s->scale = h->scale;
}

static void fill(struct conn *c, struct record *r, const struct fal_tcp *h)
{
    struct side *mine = &c->side[r->side], *other = &c->side[1 - r->side];
    const bool scaled = mine->scaled && other->scaled && !(h->flags & FAL_TCP_SYN);

    if (h->flags & FAL_TCP_SYN)
        starts(mine, h);
    r->flags = h->flags;
    r->seq = unwrap(mine, h->seq + (h->flags & FAL_TCP_SYN ? 1 : 0));
    moved(mine, h->seq, r->seq);
    r->ack = h->flags & FAL_TCP_ACK ? unwrap(other, h->ack) : 0;
    r->window = (uint32_t)h->window << (scaled ? mine->scale : 0);
    for (unsigned i = 0; i < h->num_sacks; i++) {
        r->sack_first[i] = unwrap(other, h->sack_first[i]);
        r->sack_end[i] = unwrap(other, h->sack_end[i]);
    }
    r->num_sacks = (uint8_t)h->num_sacks;
}

static int edge(struct side *s, uint64_t at)
{
    uint64_t *edges;

    if (s->num_edges > 0 && s->edges[s->num_edges - 1] == at)
        return 0;
    edges = room_for(s->edges, s->num_edges, &s->room, sizeof *edges);
    if (edges == NULL)
        return FAL_ERR_MEM;
    s->edges = edges;
    s->edges[s->num_edges++] = at;
    return 0;
}

int tl_tp_tcp_frame(struct tl_tp_tcp *t, const struct fal_frame *frame)
{
    struct ends ends;
    struct fal_tcp h;
    struct record *r;
    struct conn *c;
    size_t len;
    bool ce;

    if (!ip_of(frame, &ends, &len, &ce) ||
        fal_tcp_decode(frame->raw.bytes, frame->raw.len, &h) < 0 || h.header_len > len ||
        tl_tp_damaged(frame, len))
        return 0;
    if (t->num >= TL_TP_TCP_FRAMES)
        return FAL_ERR_RANGE;
    r = room_for(t->records, t->num, &t->room, sizeof *r);
    if (r == NULL)
        return FAL_ERR_MEM;
    t->records = r;
    ends.port[0] = h.src_port;
    ends.port[1] = h.dst_port;
    r = &t->records[t->num];
    *r = (struct record){.at_ns = frame->ts_ns, .number = frame->number, .ce = ce};
    c = find(t, &ends, &r->side);
    if (c == NULL)
        return FAL_ERR_MEM;
    r->conn = (uint32_t)(c - t->conns);
    r->len = (uint32_t)(len - h.header_len);
    fill(c, r, &h);
    if (r->len > 0 && frame->raw.len >= len)
        r->digest = digest_of(frame->raw.bytes + h.header_len, r->len);
    t->num++;
    if (r->len == 0)
        return 0;
    return edge(&c->side[r->side], r->seq) != 0 || edge(&c->side[r->side], r->seq + r->len) != 0
               ? FAL_ERR_MEM
               : 0;
}

/* ---- events ---- */

struct making {
    struct tl_tp_tcp *t;
    int (*event)(void *ctx, const struct fal_tp_event *event);
    void *ctx;
    int rc;
};

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void sort_edges(struct side *s)
{
    size_t n = 0;

    if (s->num_edges == 0)
        return;
    qsort(s->edges, s->num_edges, sizeof *s->edges, compare);
    for (size_t i = 0; i < s->num_edges; i++)
        if (n == 0 || s->edges[n - 1] != s->edges[i])
            s->edges[n++] = s->edges[i];
    s->num_edges = n;
}

/* The number of segments that end at `byte` or before it. */
static uint64_t ended(const struct side *s, uint64_t byte)
{
    size_t low = 0, high = s->num_edges;

    while (low < high) {
        const size_t mid = low + (high - low) / 2;

        if (s->edges[mid] <= byte)
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 ? low - 1 : 0;
}

/* Whether events of what `side` sends are wanted, and of which kind. */
static bool wanted(const struct making *m, const struct conn *c, unsigned side)
{
    if (m->t->vantage == FAL_TP_SENDER)
        return c->address[side] == m->t->sut;
    return m->t->vantage != FAL_TP_RECEIVER || c->address[1 - side] == m->t->sut;
}

static void give(struct making *m, const struct record *r, unsigned side,
                 struct fal_tp_event *e)
{
    struct side *s = &m->t->conns[r->conn].side[side];

    const uint64_t start_ns = m->t->records[0].at_ns;

    e->at_ns = r->at_ns > start_ns ? r->at_ns - start_ns : 0;
    e->number = r->number;
    e->flow = r->conn * 2 + side;
    if (!s->begun && !s->from_start && m->rc == 0) {
        const struct fal_tp_event lost = {
            .kind = FAL_TP_LOST_VIEW, .at_ns = e->at_ns, .flow = e->flow};

        m->rc = m->event(m->ctx, &lost);
    }
    s->begun = true;
    if (m->rc == 0)
        m->rc = m->event(m->ctx, e);
}

/* A keep-alive, or a probe of a closed window: at most a byte that was acknowledged before. */
static bool probes(const struct record *r, const struct side *other)
{
    return r->len <= 1 && other->has_last_ack && r->seq + r->len <= other->last_ack;
}

static void data(struct making *m, const struct record *r)
{
    struct conn *c = &m->t->conns[r->conn];
    const struct side *s = &c->side[r->side];
    const uint64_t first = ended(s, r->seq), end = ended(s, r->seq + r->len);

    if (!wanted(m, c, r->side) || probes(r, &c->side[1 - r->side]))
        return;
    for (uint64_t seg = first; seg < end; seg++) {
        struct fal_tp_event e = {.kind = m->t->vantage == FAL_TP_RECEIVER ? FAL_TP_ARRIVE
                                                                          : FAL_TP_SEND,
                                 .seg = seg,
                                 .bytes = (uint32_t)(s->edges[seg + 1] - s->edges[seg]),
                                 .ce = r->ce};

        e.digest = end - first == 1 ? r->digest : 0;
        give(m, r, r->side, &e);
    }
}

/* An acknowledgement of the other side's bytes. One with data, or with another window, is no
 * duplicate acknowledgement (RFC 5681 2). */
static void acknowledges(struct making *m, const struct record *r)
{
    struct conn *c = &m->t->conns[r->conn];
    struct side *mine = &c->side[r->side];
    const struct side *s = &c->side[1 - r->side];
    const bool again = mine->has_last_ack && r->ack == mine->last_ack;
    struct fal_tp_event e = {.kind = m->t->vantage == FAL_TP_SENDER ? FAL_TP_FEEDBACK
                                                                    : FAL_TP_REPLY};
    uint64_t edge_seg;

    e.reply.update = again && (r->len > 0 || r->window != mine->last_window);
    if (!mine->has_last_ack || r->ack >= mine->last_ack) { /* others came too late */
        mine->last_ack = r->ack;
        mine->last_window = r->window;
        mine->has_last_ack = true;
    }
    if (!wanted(m, c, 1U - r->side) || s->num_edges == 0)
        return;
    e.reply.has_cum = !(again && r->len > 0);
    e.reply.cum = ended(s, r->ack);
    edge_seg = ended(s, r->ack + r->window);
    /* All that was ever sent is below the edge: the window is as large as can be told. */
    e.reply.window = edge_seg + 1 == s->num_edges ? UINT32_MAX : edge_seg - e.reply.cum;
    if ((r->flags & FAL_TCP_SYN) || !s->from_start || !mine->from_start)
        e.reply.window = 0; /* its scale is not known */
    for (unsigned i = 0; i < r->num_sacks; i++) {
        const uint64_t first = ended(s, r->sack_first[i]), end = ended(s, r->sack_end[i]);

        if (first >= end || r->sack_end[i] <= r->ack)
            continue; /* a D-SACK reports a duplicate (RFC 2883) */
        e.reply.got[e.reply.num_got].first = first;
        e.reply.got[e.reply.num_got++].end = end;
    }
    give(m, r, 1U - r->side, &e);
}

static void resets(struct making *m, const struct record *r)
{
    for (unsigned side = 0; side < 2; side++) {
        struct fal_tp_event e = {.kind = FAL_TP_RESET};

        if (wanted(m, &m->t->conns[r->conn], side))
            give(m, r, side, &e);
    }
}

int tl_tp_tcp_events(struct tl_tp_tcp *t,
                     int (*event)(void *ctx, const struct fal_tp_event *event), void *ctx)
{
    struct making m = {.t = t, .event = event, .ctx = ctx};

    for (size_t i = 0; i < t->num_conns; i++) {
        sort_edges(&t->conns[i].side[0]);
        sort_edges(&t->conns[i].side[1]);
    }
    for (size_t i = 0; i < t->num && m.rc == 0; i++) {
        const struct record *r = &t->records[i];

        if (r->flags & FAL_TCP_RST) {
            resets(&m, r);
            continue;
        }
        if (r->len > 0)
            data(&m, r);
        if (r->flags & FAL_TCP_ACK)
            acknowledges(&m, r);
    }
    return m.rc;
}
