/* SPDX-License-Identifier: Apache-2.0
 * packet.c - packets: finds the connection, asks each rule for each side, then adds the packet
 * to the facts. */
#include "oracles/rules/events/events.h"
#include "oracles/rules/facts/nvme.h"
#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/judge/ask.h"
#include "oracles/rules/judge/order.h"
#include "oracles/rules/verbs/atomics.h"

/* For this long a packet of an earlier connection may still be in flight on a live path. */
#define STRAY_NS FAL_S

/* The connection of that number. Most events concern the one that was used last: if it is open,
 * no newer one has its number. */
static struct fal_conn *find(const struct fal_judge *judge, uint32_t number)
{
    const struct fal_live *last = judge->conns.last;

    if (last != NULL && last->of->number == number && last->of->open)
        return last->of;
    return fal_conns_find(&judge->conns, number);
}

/* The connection that a packet belongs to by its CID, or by where it was seen; the strays when
 * neither says so; NULL when the packet comes after the end of its connection. */
static struct fal_conn *connection_of(struct fal_judge *judge, const struct fal_event *event,
                                      enum fal_fit *fit)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    struct fal_conn *conn = find(judge, event->conn), *named;
    bool parsed = packet->header_len > 0 && packet->falcon.version == 1;
    uint32_t cid = packet->falcon.dest_cid;

    *fit = parsed ? FAL_FITS : FAL_MALFORMED;
    if (conn != NULL && !conn->open)
        return NULL;
    if (conn != NULL && (!parsed || fal_conn_cid(conn, packet->dir) == cid ||
                         fal_conn_cid(conn, packet->dir) > 0xffffff))
        return conn; /* A CID above 24 bits stands for an unknown one. */
    named = parsed ? fal_conns_by_cid(&judge->conns, packet->dir, cid) : NULL;
    if (named != NULL)
        return named->open ? named : NULL;
    if (parsed)
        *fit = FAL_STRAY;
    if (conn == NULL && judge->conns.num == 1 && judge->conns.list[0]->open)
        conn = judge->conns.list[0];
    return conn != NULL ? conn : judge->strays;
}

/* Whether a stray from the SUT may have been sent on a connection of an earlier run. */
static bool may_be_old(const struct fal_judge *judge, const struct fal_event *event)
{
    const struct fal_bench *bench = &judge->bench;

    if (!bench->run.live || event->u.packet.dir != FAL_FROM_SUT)
        return false;
    return !(bench->run.in_order_out && judge->good_seen) &&
           event->t_ns - bench->start_ns < STRAY_NS;
}

/* Tells the rules which posts explain the SUT's request packets, as far as they were seen
 * without a hole. */
static void explain(struct fal_judge *judge, struct fal_conn *conn)
{
    struct fal_track *track = &conn->live->track;
    struct fal_rdma_facts *rdma = track->rdma;
    const struct fal_rdma_fact *seen;
    struct fal_explained e;

    if (rdma == NULL)
        return;
    if (!track->setup.initial_known) {
        fal_objects_vague(judge->bench.objects, conn->number);
        return;
    }
    if (!rdma->explaining)
        rdma->explain = track->rsn_first[FAL_FROM_SUT];
    rdma->explaining = true;
    while ((seen = fal_rdma_request(track, FAL_FROM_SUT, rdma->explain)) != NULL) {
        struct fal_rdma_fact fact = *seen;

        rdma->explain++;
        if ((fact.flags & (FAL_RDMA_PARTIAL | FAL_RDMA_OTHER)) != 0) {
            fal_objects_vague(judge->bench.objects, conn->number);
            continue;
        }
        fal_objects_explain(judge->bench.objects, conn->number, &fact, &e);
        fal_ask(judge, conn, FAL_ASK_EXPLAINED, &(struct fal_asked){.explained = &e});
        fal_objects_take(&e);
    }
}

/* Tells the objects of the verbs about a packet, and the rules which posts explain it. */
static void take_words(struct fal_judge *judge, struct fal_conn *conn,
                       const struct fal_seen *seen, const struct fal_ulp *ulp)
{
    if (judge->bench.objects == NULL)
        return;
    if (conn->live->track.rsn_doubt[FAL_TO_SUT])
        fal_objects_unseen(judge->bench.objects);
    if (seen->dir == FAL_TO_SUT && fal_rdma_has(seen) && seen->prior == NULL)
        fal_objects_sent(judge->bench.objects, conn->number, seen);
    if (seen->dir == FAL_FROM_SUT && seen->reliable && seen->prior == NULL &&
        seen->falcon->packet_type == FAL_PULL_DATA)
        fal_objects_answered(judge->bench.objects, conn->number, seen,
                             fal_rdma_has(seen) ? ulp->rdma.atomicacketh.original_data : 0);
    explain(judge, conn);
}

/* Returns the index of the first event at which a packet of a higher number was seen;
 * UINT64_MAX: none was. First copies leave in order, so the first copy of this packet left
 * before it. */
static uint64_t sent_before(const struct fal_track *track, const struct fal_seen *seen)
{
    enum { LOOK = 256 };
    const struct fal_stream *stream = &track->stream[seen->dir][seen->window];
    uint64_t first = UINT64_MAX;

    for (int64_t x = seen->x + 1; x < stream->next && x <= seen->x + LOOK; x++) {
        const struct fal_sent *sent = fal_stream_sent(stream, x);

        if (sent != NULL && sent->first.index < first)
            first = sent->first.index;
    }
    return first;
}

/* What a packet with headers of NVMe is about, if it is its first copy. */
static void read_nvme(struct fal_judge *judge, struct fal_conn *conn, const struct fal_ulp *ulp,
                      struct fal_seen *seen, struct fal_nvme_seen *out)
{
    struct fal_blocks *blocks;

    if (ulp->state != FAL_ULP_READ || !seen->reliable || seen->prior != NULL ||
        seen->falcon->packet_type == FAL_RESYNC)
        return;
    blocks = fal_take_blocks(judge);
    if (blocks == NULL)
        return;
    if (!conn->live->track.setup.initial_known) /* it may have begun before the capture */
        fal_blocks_unseen(blocks);
    out->sent_before = judge->bench.unseen ? sent_before(&conn->live->track, seen) : UINT64_MAX;
    fal_blocks_read(blocks, seen, conn->number, ulp, out);
    seen->nvme = out;
}

/* A packet that becomes a fact. */
static void take_fact(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                      const struct fal_event *event)
{
    struct fal_track *track = &conn->live->track;
    struct fal_nvme_seen nvme;
    struct fal_seen seen, other;

    if (event->u.packet.issues.count > 0 && judge->asking->both_ends && conn->apart == NULL &&
        fal_track_parts(&event->u.packet))
        judge->oom = !fal_conn_part(conn) || judge->oom;
    fal_track_read(track, event, c->ulp, &seen);
    if (c->ulp != NULL && c->ulp->protocol == FAL_PROTOCOL_NVME)
        read_nvme(judge, conn, c->ulp, &seen, &nvme);
    fal_ask_seen(judge, conn, c, conn->apart != NULL ? 0 : FAL_EVERY_END, &seen);
    fal_measure(judge->measured, track, &seen);
    fal_track_commit(track, &seen);
    if (seen.nvme != NULL)
        fal_blocks_commit(judge->bench.blocks, &seen, conn->number);
    if (track->verbs)
        take_words(judge, conn, &seen, c->ulp);
    else if (judge->bench.objects != NULL && seen.dir == FAL_TO_SUT && fal_rdma_has(&seen))
        fal_objects_unseen(judge->bench.objects); /* The verbs may hear of it all the same. */
    judge->oom = judge->oom || track->oom;
    if (track->missed.found && !judge->missed.found) {
        judge->missed = track->missed;
        judge->missed.conn = conn->number;
    }
    if (conn->apart == NULL)
        return;
    fal_track_read(conn->apart, event, c->ulp, &other);
    other.nvme = seen.nvme;
    fal_ask_seen(judge, conn, c, 1, &other);
    fal_track_commit(conn->apart, &other);
}

void fal_take_packet(struct fal_judge *judge, const struct fal_event *event)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    enum fal_fit fit;
    struct fal_conn *conn = connection_of(judge, event, &fit);
    struct fal_ulp ulp;
    struct fal_ctx c;

    if (conn == NULL || (conn->open && !fal_use(judge, conn)))
        return;
    fal_doubt(judge, conn, judge->now_index);
    fal_wake_due(judge, conn);
    if (fit == FAL_STRAY && may_be_old(judge, event))
        fit = FAL_STRAY_OLD;
    if (fit == FAL_FITS && event->u.packet.bad != FAL_BAD_NOT)
        fit = FAL_BAD;
    fal_ask_begin(judge, conn, &c);
    if (fit == FAL_FITS && (fal_rdma_likely(packet) || fal_nvme_likely(packet))) {
        fal_ulp_decode(&packet->falcon, packet->payload, packet->payload_len, &ulp);
        c.ulp = &ulp;
    }
    fal_ask_raw(judge, conn, &c, event, fit);
    if (fit != FAL_FITS)
        return;
    judge->good_seen = judge->good_seen || event->u.packet.dir == FAL_FROM_SUT;
    take_fact(judge, conn, &c, event);
}
