/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/receive.h"

#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/acks.h"
#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"

enum { PROTOCOL_RDMA = 2, PROTOCOL_NVME = 3, CID_END = 4 /* bytes, through dest_cid */ };

/* The type that a resync stands for, or any other packet's own. */
static unsigned subject(const struct fal_falcon *packet)
{
    return packet->packet_type == FAL_RESYNC ? packet->resync_packet_type : packet->packet_type;
}

bool fal_receive_read(const struct fal_endpoint_in *in, struct fal_arrival *packet)
{
    struct fal_falcon *falcon = &packet->falcon;
    int header = in->header_len;

    if (in->falcon != NULL)
        *falcon = *in->falcon;
    else
        header = fal_falcon_decode(in->bytes, in->len, falcon);

    packet->payload = NULL;
    packet->payload_len = 0;
    if (header < 0 || falcon->version != 1)
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

/* 11: the transaction matches the drop filter of this end (AMB-51). */
static bool filtered(const struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    return conn->params.xlr_target > 0 && falcon->rsn % conn->params.xlr_target == 0;
}

void fal_receive_refuse(struct fal_ep_conn *conn, const struct fal_falcon *falcon,
                        enum fal_nack_code code)
{
    struct fal_refusal refusal = {
        .window = fal_falcon_window(falcon), .psn = falcon->psn, .code = code};

    if (fal_proceed(conn, refuse, falcon))
        fal_ackgen_nack(conn, &refusal);
}

void fal_receive_acknowledge(struct fal_ep_conn *conn, enum fal_window window, uint32_t psn)
{
    struct fal_rxwin *win = &conn->rx[window];
    uint32_t base = win->base;

    fal_rxwin_ack(win, psn);
    fal_filter(conn, base_moved, win, win->base - base);
}

/* 9.2.2.4: a push is acknowledged by its ULP, later; everything else by being received. */
static void received(struct fal_ep_conn *conn, struct fal_rxwin *win,
                     const struct fal_falcon *falcon)
{
    bool push = falcon->packet_type == FAL_PUSH_DATA;

    if (fal_decide(conn, ulp_acknowledges, push, falcon))
        fal_rxwin_receive(win, falcon->psn);
    else
        fal_receive_acknowledge(conn, fal_falcon_window(falcon), falcon->psn);
}

/* A push or pull whose PSN is new. */
static void request(struct fal_ep_conn *conn, struct fal_rxwin *win,
                    const struct fal_arrival *packet)
{
    const struct fal_falcon *falcon = &packet->falcon;
    enum fal_target_got got;

    if (filtered(conn, falcon)) {
        fal_receive_refuse(conn, falcon, FAL_NACK_XLR);
        return;
    }
    got = fal_target_request(conn, falcon, packet->payload, packet->payload_len);
    if (got == FAL_TARGET_NO_RESOURCES) {
        fal_receive_refuse(conn, falcon, FAL_NACK_RESOURCE);
        return;
    }
    received(conn, win, falcon);
    fal_ackgen_arrived(conn, falcon, true);
    if (got == FAL_TARGET_TAKEN)
        fal_target_arrived(conn, falcon);
    if (got == FAL_TARGET_AGAIN)
        fal_target_again(conn, falcon);
}

/* 9.2.5, 11: the packet that a resync stands for will not come. */
static void resynced(struct fal_ep_conn *conn, const struct fal_falcon *resync)
{
    if (subject(resync) == FAL_PULL_DATA)
        fal_initiator_response_lost(conn, resync->rsn);
    else
        fal_target_resync(conn, resync);
}

/* Pull data (9.2.2.4), or a resync, which stands for the packet that it names (9.2.5). */
static void accepted(struct fal_ep_conn *conn, struct fal_rxwin *win,
                     const struct fal_arrival *packet)
{
    const struct fal_falcon *falcon = &packet->falcon;

    received(conn, win, falcon);
    if (falcon->packet_type != FAL_RESYNC)
        fal_initiator_response(conn, falcon->rsn, packet->payload, packet->payload_len);
    else if (fal_proceed(conn, resync, falcon))
        resynced(conn, falcon);
    fal_ackgen_arrived(conn, falcon, true);
}

/* 9.2.2.4, 11: a duplicate, or a packet outside of the window. */
static void discarded(struct fal_ep_conn *conn, struct fal_rxwin *win,
                      const struct fal_arrival *packet, enum fal_rx place)
{
    if (fal_proceed(conn, discard, packet, place) && place == FAL_RX_BEYOND)
        win->own = true;
    fal_ackgen_arrived(conn, &packet->falcon, false);
}

static void reliable(struct fal_ep_conn *conn, const struct fal_arrival *packet)
{
    const struct fal_falcon *falcon = &packet->falcon;
    struct fal_rxwin *win = &conn->rx[fal_falcon_window(falcon)];
    enum fal_rx place = fal_rxwin_check(win, falcon->psn);

    place = fal_decide(conn, place, place, win, falcon);
    /* The bases that a packet carries count, whatever becomes of the packet (11). */
    fal_acks_piggyback(conn, falcon);
    if (!fal_proceed(conn, take, packet, &place))
        return;
    switch (place) {
    case FAL_RX_NEW:
        if (falcon->packet_type == FAL_PUSH_DATA || falcon->packet_type == FAL_PULL_REQUEST)
            request(conn, win, packet);
        else
            accepted(conn, win, packet);
        break;
    case FAL_RX_RECEIVED:
        if (falcon->packet_type != FAL_PUSH_DATA) {
            accepted(conn, win, packet);
            break;
        }
        fal_target_again(conn, falcon);
        discarded(conn, win, packet, place);
        break;
    case FAL_RX_DUPLICATE:
    case FAL_RX_OLD:
    case FAL_RX_BEYOND: discarded(conn, win, packet, place); break;
    }
}

/* An intact packet of a plain link, with nothing planted: nothing can be wrong with it. */
static bool plain(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in, bool formed)
{
    return fal_ep_conn_plain(conn) && formed && in->integrity == FAL_INTACT &&
           !in->seal.present;
}

void fal_receive_accepted(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                          const struct fal_arrival *packet)
{
    fal_measure_arrival(conn, in, &packet->falcon);
    if (!fal_falcon_is_ack(packet->falcon.packet_type))
        reliable(conn, packet);
    else
        fal_rue_ack(conn, in, &packet->falcon, fal_acks_packet(conn, &packet->falcon));
}

struct fal_ep_conn *fal_receive_packet(struct fal_endpoint *ep,
                                       const struct fal_endpoint_in *in)
{
    struct fal_arrival packet; /* the reader fills in the whole header */
    bool formed = fal_receive_read(in, &packet);
    uint32_t number =
        in->len >= CID_END ? fal_cidmap_find(&ep->cids, packet.falcon.dest_cid) : 0;
    struct fal_ep_conn *conn = number > 0 ? ep->conns[number - 1] : NULL;

    if (conn != NULL)
        fal_ahead_arrived(ep, number);
    if (conn == NULL || conn->dead)
        conn = fal_odd_addressee(ep, conn, formed);
    if (conn == NULL)
        return NULL;
    fal_filter(conn, arrives, in, &packet, &formed);
    if (!plain(conn, in, formed) && !fal_accept(conn, in, &packet.falcon, formed))
        return conn;
    if (fal_proceed(conn, engine, in, &packet))
        fal_receive_accepted(conn, in, &packet);
    return conn;
}
