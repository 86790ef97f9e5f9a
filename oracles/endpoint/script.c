/* SPDX-License-Identifier: Apache-2.0
 * script.c - for scenarios: what the endpoint would send, what was sent in its name, what it
 * holds. */
#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/delivery/steer.h"
#include "oracles/endpoint/delivery/transmit.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/transaction/target.h"

#include <stdlib.h>

/* ---- draft ---- */

/* The oldest data packet that a resync could stand for. */
static const struct fal_tx_packet *oldest_data(const struct fal_ep_conn *conn)
{
    const struct fal_txwin *win = &conn->tx[FAL_WINDOW_DATA];

    for (uint32_t psn = win->sent.base; psn != win->next; psn++) {
        const struct fal_tx_packet *packet = fal_txwin_get(win, psn);

        if (packet != NULL && !packet->acked)
            return packet;
    }
    return NULL;
}

static void draft_resync(const struct fal_ep_conn *conn, struct fal_falcon *packet)
{
    const struct fal_tx_packet *oldest = oldest_data(conn);

    packet->resync_code = FAL_RESYNC_CIE;
    packet->resync_packet_type = oldest != NULL ? oldest->original : FAL_PUSH_DATA;
    packet->psn = oldest != NULL ? oldest->psn : conn->tx[FAL_WINDOW_DATA].next;
    packet->rsn = oldest != NULL ? oldest->rsn : conn->initiator.nrsn;
}

static void draft_nack(const struct fal_ep_conn *conn, struct fal_falcon *packet)
{
    packet->nack_psn = conn->rx[FAL_WINDOW_DATA].base;
    packet->nack_code = FAL_NACK_RESOURCE;
}

int fal_endpoint_seal(struct fal_endpoint *ep, uint32_t conn, uint64_t now_ns,
                      struct fal_seal *seal)
{
    struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    if (of == NULL)
        return FAL_ERR_RANGE;
    fal_measure_seal(of, now_ns, seal);
    return 0;
}

int fal_endpoint_steer_acks(struct fal_endpoint *ep, uint32_t conn,
                            const struct fal_steer *steer)
{
    struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);
    int rc = of != NULL && !of->dead ? fal_steer_set(of, steer) : 0;

    if (of == NULL)
        return FAL_ERR_RANGE;
    fal_ep_conn_settle(of);
    return rc;
}

int fal_endpoint_draft(struct fal_endpoint *ep, uint32_t conn, enum fal_packet_type type,
                       uint64_t now_ns, struct fal_falcon *packet)
{
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    (void)now_ns; /* t2 is that of the packet acknowledged, not of the ACK */
    if (of == NULL)
        return FAL_ERR_RANGE;
    if (fal_falcon_is_ack(type)) {
        fal_ackgen_fill(of, type, packet);
        packet->own = (uint8_t)fal_decide(of, own_bits, packet->own);
    } else {
        fal_transmit_header(of, type, packet);
    }
    packet->psn = fal_falcon_reliable(type) ? of->tx[fal_falcon_window(packet)].next : 0;
    switch (type) {
    case FAL_PULL_REQUEST:
    case FAL_PUSH_DATA: packet->rsn = of->initiator.nrsn; break;
    case FAL_PULL_DATA:
        if (!fal_target_unanswered(of, &packet->rsn))
            packet->rsn = of->peer.rsn;
        break;
    case FAL_RESYNC: draft_resync(of, packet); break;
    case FAL_NACK: draft_nack(of, packet); break;
    case FAL_BACK:
    case FAL_EACK: break;
    }
    return 0;
}

/* ---- adopt ---- */

static void adopt_ack(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    bool eack = ack->packet_type == FAL_EACK;
    fal_u128 none = 0, req = eack ? ack->req_bitmap : 0;

    fal_rxwin_claim(&conn->rx[FAL_WINDOW_REQ], ack->recv_req_base_psn, req, req);
    fal_rxwin_claim(&conn->rx[FAL_WINDOW_DATA], ack->recv_data_base_psn,
                    eack ? ack->data_ack_bitmap : none, eack ? ack->data_rx_bitmap : none);
    if (ack->packet_type != FAL_NACK)
        fal_ackgen_told(conn, eack ? fal_decide(conn, own_bits, ack->own) : 0);
}

/* A packet that is outstanding was sent once more, or a resync in its place. */
static void adopt_copy(struct fal_ep_conn *conn, struct fal_tx_packet *sent,
                       const struct fal_falcon *packet)
{
    if (sent->acked)
        return;
    if (packet->packet_type == FAL_RESYNC)
        fal_txwin_resync(&conn->tx[fal_tx_window(sent)], sent, packet->resync_code);
    fal_link_remove(&sent->link);
    sent->rnr = false;
    sent->last_tx_ns = conn->ep->now_ns;
    fal_retransmit_start(conn, sent, conn->params.rto_ns);
}

static int adopt_new(struct fal_ep_conn *conn, const struct fal_falcon *packet,
                     const uint8_t *payload, size_t payload_len)
{
    struct fal_txwin *win = &conn->tx[fal_falcon_window(packet)];
    unsigned type =
        packet->packet_type == FAL_RESYNC ? packet->resync_packet_type : packet->packet_type;
    struct fal_tx_packet *sent;
    int rc;

    if (payload_len > UINT16_MAX)
        return 0;
    sent = fal_tx_packet_new(&conn->ep->packets, type, packet->rsn, payload,
                             (uint32_t)payload_len);
    if (sent == NULL)
        return FAL_ERR_MEM;
    sent->psn = packet->psn;
    sent->request_length = packet->request_length;
    rc = fal_txwin_sent(win, sent);
    if (rc < 0) {
        fal_tx_packet_free(&conn->ep->packets, sent);
        return rc == FAL_ERR_RANGE ? 0 : rc; /* not of the window: nothing of the endpoint's */
    }
    if (packet->packet_type == FAL_RESYNC)
        fal_txwin_resync(win, sent, packet->resync_code);
    if (type == FAL_PULL_DATA)
        fal_target_adopt(conn, sent);
    else
        rc = fal_initiator_adopt(conn, sent);
    sent->last_tx_ns = conn->ep->now_ns;
    fal_retransmit_start(conn, sent, conn->params.rto_ns);
    return rc;
}

static int adopt_reliable(struct fal_ep_conn *conn, const struct fal_falcon *packet,
                          const uint8_t *payload, size_t payload_len)
{
    struct fal_tx_packet *sent;
    struct fal_falcon of = *packet;
    int rc = 0;

    if (packet->packet_type == FAL_RESYNC)
        of.packet_type = packet->resync_packet_type;
    if (!fal_falcon_reliable(of.packet_type) || of.packet_type == FAL_RESYNC)
        return 0;
    sent = fal_txwin_get(&conn->tx[fal_falcon_window(packet)], packet->psn);
    if (sent != NULL)
        adopt_copy(conn, sent, packet);
    else
        rc = adopt_new(conn, packet, payload, payload_len);
    fal_ackgen_piggybacked(conn);
    return rc;
}

int fal_endpoint_adopt(struct fal_endpoint *ep, uint32_t conn, const struct fal_falcon *packet,
                       const uint8_t *payload, size_t payload_len, uint64_t now_ns)
{
    struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);
    int rc = 0;

    if (of == NULL)
        return FAL_ERR_RANGE;
    if (now_ns > ep->now_ns)
        ep->now_ns = now_ns;
    if (of->dead)
        return 0;
    if (fal_falcon_is_ack(packet->packet_type))
        adopt_ack(of, packet);
    else if (fal_falcon_reliable(packet->packet_type))
        rc = adopt_reliable(of, packet, payload, payload_len);
    fal_ep_conn_settle(of);
    return rc;
}

/* ---- look ---- */

static bool queues_empty(const struct fal_ep_conn *conn)
{
    for (unsigned i = 0; i < FAL_QUEUE_COUNT; i++)
        if (!fal_link_alone(&conn->queue[i]))
            return false;
    return true;
}

bool fal_endpoint_quiet(const struct fal_endpoint *ep, uint32_t conn)
{
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    return of == NULL ||
           (of->tx[0].unacked == 0 && of->tx[1].unacked == 0 && queues_empty(of) &&
            of->initiator.open == 0 && of->target.open == 0 && of->coalesce_ns == FAL_NEVER &&
            of->held_ns == FAL_NEVER && fal_steer_deadline(of) == FAL_NEVER &&
            fal_decide(of, put_off, FAL_NEVER) == FAL_NEVER);
}

/* The oldest request that was delivered and whose ULP has not acknowledged it; where there is
 * none, the next one to be delivered (8.5.1). */
static uint32_t target_brsn(const struct fal_target *target)
{
    uint32_t rsn = target->txns.base;

    for (; rsn != target->nrsn && rsn - target->txns.base < target->txns.span; rsn++) {
        const struct fal_received *txn = fal_seqring_get(&target->txns, rsn);

        if (txn != NULL && txn->delivered &&
            (txn->state == FAL_TXN_PUSH_REQ_ULP_TX || txn->state == FAL_TXN_PULL_REQ_ULP_TX ||
             txn->rnr))
            return rsn;
    }
    return target->nrsn;
}

int fal_endpoint_state(const struct fal_endpoint *ep, uint32_t conn,
                       struct fal_endpoint_state *state)
{
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);
    const struct fal_rxwin *req, *data;

    if (of == NULL)
        return FAL_ERR_RANGE;
    req = &of->rx[FAL_WINDOW_REQ];
    data = &of->rx[FAL_WINDOW_DATA];
    *state = (struct fal_endpoint_state){
        .tx_rbpsn = of->tx[FAL_WINDOW_REQ].sent.base,
        .tx_rnpsn = of->tx[FAL_WINDOW_REQ].next,
        .tx_dbpsn = of->tx[FAL_WINDOW_DATA].sent.base,
        .tx_dnpsn = of->tx[FAL_WINDOW_DATA].next,
        .rx_rbpsn = req->base,
        .rx_dbpsn = data->base,
        .req_bitmap = fal_u128_lo(req->ack),
        .data_ack_bitmap = data->ack,
        .data_rx_bitmap = data->rx,
        .own = (uint8_t)((req->own ? FAL_OWN_REQ : 0) | (data->own ? FAL_OWN_DATA : 0)),
        .brsn = of->initiator.txns.base,
        .nrsn = of->initiator.nrsn,
        .target_brsn = target_brsn(&of->target),
        .target_nrsn = of->target.nrsn,
        .open_initiated = of->initiator.open,
        .open_received = of->target.open,
    };
    return 0;
}
