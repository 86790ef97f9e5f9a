/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/receive.h"
#include "oracles/endpoint/pools.h"

#include "oracles/endpoint/ackgen.h"
#include "oracles/endpoint/acks.h"
#include "oracles/endpoint/initiator.h"
#include "oracles/endpoint/measure.h"
#include "oracles/endpoint/target.h"

/* A packet in pieces. */
struct packet {
    struct fal_falcon falcon;
    const uint8_t *payload;
    uint32_t payload_len;
};

enum { PROTOCOL_RDMA = 2, PROTOCOL_NVME = 3, CID_END = 4 /* bytes, through dest_cid */ };

/* The type that a resync stands for, or any other packet's own. */
static unsigned subject(const struct fal_falcon *packet)
{
    return packet->packet_type == FAL_RESYNC ? packet->resync_packet_type : packet->packet_type;
}

/* 9.2.2.1: what a receiver can see to be no packet of this protocol. Reserved bits and reserved
 * resync codes are not looked at (AMB-27, AMB-30). */
static bool well_formed(const struct fal_endpoint_in *in, struct packet *packet,
                        bool any_version)
{
    struct fal_falcon *falcon = &packet->falcon;
    int header = fal_falcon_decode(in->bytes, in->len, falcon);

    if (header < 0 || (falcon->version != 1 && !any_version))
        return false;
    if (fal_falcon_is_ack(falcon->packet_type))
        return true;
    packet->payload = in->bytes + header;
    if (in->len - (size_t)header > UINT16_MAX)
        return false;
    packet->payload_len = (uint32_t)(in->len - (size_t)header);
    if (falcon->protocol_type != PROTOCOL_RDMA && falcon->protocol_type != PROTOCOL_NVME)
        return false;
    if (falcon->packet_type == FAL_PUSH_DATA)
        return packet->payload_len == falcon->request_length;
    return falcon->packet_type != FAL_RESYNC || subject(falcon) == FAL_PULL_REQUEST ||
           subject(falcon) == FAL_PULL_DATA || subject(falcon) == FAL_PUSH_DATA;
}

/* A reserved field of its header is not 0. */
static bool has_reserved_bits(const struct fal_falcon *falcon)
{
    const struct fal_layout *layout = fal_falcon_layout(falcon->packet_type);

    for (size_t i = 0; i < layout->num_fields; i++)
        if (layout->fields[i].kind == FAL_RSVD &&
            !fal_u128_zero(fal_field_get(&layout->fields[i], falcon)))
            return true;
    return false;
}

/* 11: the transaction matches the drop filter of this end (AMB-51). */
static bool filtered(const struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    return conn->params.xlr_target > 0 && falcon->rsn % conn->params.xlr_target == 0;
}

/* It has not been received, and the peer is told so (11, AMB-45). */
static void refused(struct fal_ep_conn *conn, struct fal_rxwin *win,
                    const struct fal_falcon *falcon, enum fal_nack_code code)
{
    if (fal_fault(conn, FAL_FAULT_RESOURCE_DROP_RECEIVED))
        fal_rxwin_ack(win, falcon->psn);
    if (!fal_fault(conn, FAL_FAULT_RESOURCE_DROP_SILENT))
        fal_ackgen_nack(conn, fal_falcon_window(falcon), falcon->psn, code, 0, 0);
}

/* A push or pull whose PSN is new. */
static void request(struct fal_ep_conn *conn, struct fal_rxwin *win,
                    const struct packet *packet)
{
    const struct fal_falcon *falcon = &packet->falcon;
    bool push = falcon->packet_type == FAL_PUSH_DATA;
    bool asks = falcon->ack_req != 0;
    enum fal_target_got got;

    if (filtered(conn, falcon)) {
        refused(conn, win, falcon, FAL_NACK_XLR);
        return;
    }
    got = fal_target_request(conn, falcon, packet->payload, packet->payload_len);
    if (got == FAL_TARGET_NO_RESOURCES) {
        refused(conn, win, falcon, FAL_NACK_RESOURCE);
        return;
    }
    if (push || fal_fault(conn, FAL_FAULT_PULL_UNACKNOWLEDGED))
        fal_rxwin_receive(win, falcon->psn); /* acknowledged by its ULP, later */
    else
        fal_rxwin_ack(win, falcon->psn);
    if (push && fal_fault(conn, FAL_FAULT_ACK_BEFORE_ULP))
        fal_rxwin_ack(win, falcon->psn);
    fal_ackgen_news(conn, asks && (!push || fal_fault(conn, FAL_FAULT_AR_OF_PUSH_AT_ONCE)));
    if (got == FAL_TARGET_TAKEN)
        fal_target_arrived(conn, falcon);
    if (got == FAL_TARGET_AGAIN)
        fal_target_again(conn, falcon);
}

/* 9.2.2.4: everything else is acknowledged by being received; 9.2.5 for a resync. */
static void accepted(struct fal_ep_conn *conn, struct fal_rxwin *win,
                     const struct packet *packet)
{
    const struct fal_falcon *falcon = &packet->falcon;
    bool resync = falcon->packet_type == FAL_RESYNC;

    if (resync && fal_fault(conn, FAL_FAULT_RESYNC_IGNORED))
        return;
    if (!resync && fal_pools_spent(conn, FAL_RES_NET_PKT_RX) &&
        fal_fault(conn, FAL_FAULT_RESPONSE_ROOM_LATE)) {
        refused(conn, win, falcon, FAL_NACK_RESOURCE);
        return;
    }
    if (!resync && fal_fault(conn, FAL_FAULT_PULL_DATA_UNACKNOWLEDGED))
        fal_rxwin_receive(win, falcon->psn);
    else
        fal_rxwin_ack(win, falcon->psn);
    conn->resynced |= resync;
    if (resync && fal_fault(conn, FAL_FAULT_RESYNC_DELIVERED))
        fal_target_deliver_twice(conn, falcon, NULL, 0);
    if (!resync)
        fal_initiator_response(conn, falcon->rsn, packet->payload, packet->payload_len);
    else if (subject(falcon) == FAL_PULL_DATA)
        fal_initiator_response_lost(conn, falcon->rsn);
    else if (!fal_fault(conn, FAL_FAULT_RESYNC_BLOCKS_RSN))
        fal_target_resync(conn, falcon);
    if (!resync || !fal_fault(conn, FAL_FAULT_RESYNC_UNACKNOWLEDGED))
        fal_ackgen_news(conn, falcon->ack_req != 0);
}

static void discarded(struct fal_ep_conn *conn, const struct packet *packet, enum fal_rx place)
{
    if (packet->falcon.packet_type == FAL_PUSH_DATA && place != FAL_RX_BEYOND &&
        (fal_fault(conn, FAL_FAULT_DUPLICATE_DELIVERED) ||
         (fal_target_refused(conn, packet->falcon.rsn) &&
          fal_fault(conn, FAL_FAULT_CIE_REDELIVERED))))
        fal_target_deliver_twice(conn, &packet->falcon, packet->payload, packet->payload_len);
    if (packet->falcon.packet_type == FAL_PULL_REQUEST && place != FAL_RX_BEYOND &&
        fal_fault(conn, FAL_FAULT_COPY_OF_PULL_DELIVERED))
        fal_target_deliver_twice(conn, &packet->falcon, NULL, 0);
    fal_ackgen_discarded(conn, packet->falcon.ack_req != 0);
}

static void beyond(struct fal_ep_conn *conn, struct fal_rxwin *win, const struct packet *packet)
{
    const struct fal_falcon *falcon = &packet->falcon;

    if (!fal_fault(conn, FAL_FAULT_OWN_NEVER_SET))
        win->own = true;
    if (fal_twin(conn, FAL_TWIN_NACK_BEYOND_WINDOW))
        fal_ackgen_nack(conn, fal_falcon_window(falcon), falcon->psn, FAL_NACK_RESOURCE, 0, 0);
    discarded(conn, packet, FAL_RX_BEYOND);
}

static void old(struct fal_ep_conn *conn, struct fal_rxwin *win, const struct packet *packet)
{
    if (fal_fault(conn, FAL_FAULT_OWN_ON_OLD))
        win->own = true;
    discarded(conn, packet, FAL_RX_OLD);
}

/* Where a receiver that cannot count its window sees a packet. */
static enum fal_rx misplaced(const struct fal_ep_conn *conn, struct fal_rxwin *win,
                             const struct fal_falcon *falcon, enum fal_rx place)
{
    bool req = fal_falcon_window(falcon) == FAL_WINDOW_REQ;
    uint32_t ahead = falcon->psn - win->base;

    if (falcon->psn < win->base && place != FAL_RX_OLD &&
        fal_fault(conn, FAL_FAULT_PSN_COMPARE_UNSIGNED))
        return FAL_RX_OLD;
    if (place == FAL_RX_BEYOND && req && ahead == FAL_RX_WINDOW_REQ &&
        fal_fault(conn, FAL_FAULT_REQUEST_WINDOW_WIDE)) {
        win->size = FAL_RX_WINDOW_REQ + 1;
        return FAL_RX_NEW;
    }
    if (place == FAL_RX_NEW &&
        ((ahead == win->size - 1 && fal_fault(conn, FAL_FAULT_WINDOW_EDGE_REFUSED)) ||
         (req && ahead >= FAL_RX_WINDOW_REQ / 2 &&
          fal_fault(conn, FAL_FAULT_REQUEST_WINDOW_SHORT)) ||
         (!req && ahead >= FAL_RX_WINDOW_DATA / 2 &&
          fal_fault(conn, FAL_FAULT_DATA_WINDOW_SHORT))))
        return FAL_RX_BEYOND;
    return place;
}

/* The bases that a packet carries count, whatever becomes of the packet (11). */
static void piggyback(struct fal_ep_conn *conn, const struct fal_falcon *falcon, bool new)
{
    if (fal_fault(conn, FAL_FAULT_PIGGYBACK_IGNORED) ||
        (!new &&fal_fault(conn, FAL_FAULT_PIGGYBACK_OF_DUPLICATE_IGNORED)))
        return;
    fal_acks_piggyback(conn, falcon);
}

static void reliable(struct fal_ep_conn *conn, const struct packet *packet)
{
    const struct fal_falcon *falcon = &packet->falcon;
    struct fal_rxwin *win = &conn->rx[fal_falcon_window(falcon)];
    enum fal_rx place = fal_rxwin_check(win, falcon->psn);

    if (fal_fault_any(&conn->ep->faulty.set))
        place = misplaced(conn, win, falcon, place);
    piggyback(conn, falcon, place == FAL_RX_NEW);
    switch (place) {
    case FAL_RX_NEW:
        if (falcon->packet_type == FAL_PUSH_DATA || falcon->packet_type == FAL_PULL_REQUEST)
            request(conn, win, packet);
        else
            accepted(conn, win, packet);
        break;
    case FAL_RX_RECEIVED:
        if (falcon->packet_type != FAL_PUSH_DATA &&
            !fal_fault(conn, FAL_FAULT_RESYNC_OF_RECEIVED_DROPPED)) {
            accepted(conn, win, packet);
            break;
        }
        fal_target_again(conn, falcon);
        discarded(conn, packet, place);
        break;
    case FAL_RX_DUPLICATE: discarded(conn, packet, place); break;
    case FAL_RX_OLD: old(conn, win, packet); break;
    case FAL_RX_BEYOND: beyond(conn, win, packet); break;
    }
}

enum { FRAME_MAX = FAL_HEADER_MAX + UINT16_MAX };

/* What a faulty receiver makes of a packet that is none: whether it takes it. What it makes of
 * it is in FRAME_MAX `bytes` of the caller's, which the packet then refers to. */
static bool taken_all_the_same(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                               struct packet *packet, uint8_t *bytes)
{
    enum { TYPE_AT = 7, TYPE_SHIFT = 1, TYPE_MASK = 15, PROTOCOL_SHIFT = 5 };
    struct fal_endpoint_in other = *in;
    const struct fal_layout *layout;

    if (fal_fault(conn, FAL_FAULT_VERSION_UNCHECKED))
        return well_formed(in, packet, true);
    if (in->len <= TYPE_AT || in->len > FRAME_MAX)
        return false;
    memset(bytes, 0, FAL_HEADER_MAX);
    memcpy(bytes, in->bytes, in->len);
    other.bytes = bytes;
    layout = fal_falcon_layout(bytes[TYPE_AT] >> TYPE_SHIFT & TYPE_MASK);
    if (layout == NULL && fal_fault(conn, FAL_FAULT_TYPE_UNCHECKED)) {
        bytes[TYPE_AT] = (uint8_t)((bytes[TYPE_AT] & ~(TYPE_MASK << TYPE_SHIFT)) |
                                   FAL_PUSH_DATA << TYPE_SHIFT);
        return well_formed(&other, packet, false);
    }
    if (layout == NULL)
        return false;
    if (in->len < layout->size_bytes && fal_fault(conn, FAL_FAULT_HEADER_CUT_TAKEN)) {
        other.len = layout->size_bytes;
        return well_formed(&other, packet, false);
    }
    if (in->len >= layout->size_bytes && fal_fault(conn, FAL_FAULT_PROTOCOL_UNCHECKED)) {
        bytes[TYPE_AT] = (uint8_t)((bytes[TYPE_AT] & ((1 << PROTOCOL_SHIFT) - 1)) |
                                   PROTOCOL_RDMA << PROTOCOL_SHIFT);
        return well_formed(&other, packet, false);
    }
    return false;
}

/* The connection that a faulty receiver takes packets of an unknown CID for; or NULL. */
static struct fal_ep_conn *taken_for(const struct fal_endpoint *ep)
{
    struct fal_ep_conn *conn = ep->num_conns > 0 ? ep->conns[0] : NULL;

    return conn != NULL && fal_fault(conn, FAL_FAULT_CID_IGNORED) ? conn : NULL;
}

struct fal_ep_conn *fal_receive_packet(struct fal_endpoint *ep,
                                       const struct fal_endpoint_in *in)
{
    uint8_t bytes[FRAME_MAX]; /* only what is faulty writes there */
    struct packet packet;     /* its header is filled in whole by whoever reads it */
    struct fal_ep_conn *conn;
    uint32_t number;
    bool formed;

    packet.payload = NULL;
    packet.payload_len = 0;
    formed = well_formed(in, &packet, false);
    number = in->len >= CID_END ? fal_cidmap_find(&ep->cids, packet.falcon.dest_cid) : 0;
    conn = number > 0 ? ep->conns[number - 1] : formed ? taken_for(ep) : NULL;
    if (conn == NULL || (conn->dead && !fal_fault(conn, FAL_FAULT_DEAD_CONNECTION_ANSWERS)))
        return NULL;
    if (!formed && fal_faulty(conn))
        formed = taken_all_the_same(conn, in, &packet, bytes);
    if (!fal_accept(conn, in, &packet.falcon, formed))
        return conn;
    if (fal_twin(conn, FAL_TWIN_RESERVED_BITS_REFUSED) && has_reserved_bits(&packet.falcon))
        return conn;
    fal_measure_arrival(conn, in, &packet.falcon);
    if (fal_falcon_is_ack(packet.falcon.packet_type)) {
        if (fal_acks_packet(conn, &packet.falcon))
            fal_rue_ack(conn, in, &packet.falcon);
        return conn;
    }
    reliable(conn, &packet);
    return conn;
}
