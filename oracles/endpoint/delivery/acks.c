/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/acks.h"

#include "codecs/header/headers.h"
#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"

static void acknowledged(struct fal_ep_conn *conn, struct fal_txwin *win,
                         struct fal_tx_packet *packet)
{
    if (packet->acked)
        return;
    fal_filter(conn, acknowledged, win, packet);
    fal_txwin_acked(win, packet);
    fal_rue_acked(conn, packet->payload_len);
    fal_pools_give_packet(conn, packet);
    if (packet->original == FAL_PULL_DATA)
        fal_target_acked(conn, packet);
    else
        fal_initiator_acked(conn, packet);
}

void fal_acks_move_base(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base)
{
    base = fal_decide(conn, acked_base, base, win);
    while (win->sent.base != base) {
        struct fal_tx_packet *packet = fal_txwin_get(win, win->sent.base);

        if (packet != NULL)
            acknowledged(conn, win, packet);
        fal_txwin_step(win);
    }
    fal_txwin_slide(win);
}

bool fal_acks_newer(const struct fal_txwin *win, uint32_t base)
{
    uint32_t ahead = base - win->sent.base;

    return ahead > 0 && ahead <= win->next - win->sent.base;
}

bool fal_acks_acceptable(const struct fal_txwin *win, uint32_t base)
{
    return base == win->sent.base || fal_acks_newer(win, base);
}

void fal_acks_piggyback(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    struct fal_txwin *req = &conn->tx[FAL_WINDOW_REQ], *data = &conn->tx[FAL_WINDOW_DATA];

    if (!fal_proceed(conn, piggyback, packet))
        return;
    if (fal_acks_newer(req, packet->recv_req_base_psn))
        fal_acks_move_base(conn, req, packet->recv_req_base_psn);
    if (fal_acks_newer(data, packet->recv_data_base_psn))
        fal_acks_move_base(conn, data, packet->recv_data_base_psn);
}

void fal_acks_move_bits(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                        fal_u128 bits)
{
    for (int high = fal_u128_top(bits), n = 0; n <= high; n++) {
        struct fal_tx_packet *packet = fal_txwin_get(win, base + (uint32_t)n);

        if (packet != NULL && fal_u128_test(bits, (unsigned)n))
            acknowledged(conn, win, packet);
    }
    fal_txwin_slide(win);
}

/* 9.2.3: the bitmaps acknowledge; what is only received tells which packets are lost (9.1.4).
 */
static void eack(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    struct fal_txwin *req = &conn->tx[FAL_WINDOW_REQ], *data = &conn->tx[FAL_WINDOW_DATA];
    fal_u128 requests = ack->req_bitmap;

    if (fal_decide(conn, bitmaps_acknowledge, true, ack)) {
        fal_acks_move_bits(conn, req, ack->recv_req_base_psn, requests);
        fal_acks_move_bits(conn, data, ack->recv_data_base_psn, ack->data_ack_bitmap);
    }
    fal_rue_eack(conn);
    fal_retransmit_early(conn, req, ack->recv_req_base_psn, requests,
                         (ack->own & FAL_OWN_REQ) != 0);
    fal_retransmit_early(conn, data, ack->recv_data_base_psn, ack->data_rx_bitmap,
                         (ack->own & FAL_OWN_DATA) != 0);
}

/* What follows from a refusal: the resync code, and how the transaction ends (9.2.4, 11). */
static void refused(struct fal_ep_conn *conn, const struct fal_falcon *nack,
                    uint8_t resync_code, enum fal_completion code)
{
    struct fal_tx_packet *packet = fal_txwin_get(&conn->tx[nack->window], nack->nack_psn);

    if (packet == NULL || packet->acked)
        return;
    fal_initiator_failed(conn, packet, code, nack->ulp_nack_code);
    if (fal_proceed(conn, refused, packet))
        fal_retransmit_resync(conn, packet, resync_code);
}

/* The ULP of a push is not ready (8.4.3.4): the push waits. */
static void not_ready(struct fal_ep_conn *conn, const struct fal_falcon *nack)
{
    struct fal_tx_packet *packet = fal_txwin_get(&conn->tx[nack->window], nack->nack_psn);

    if (packet != NULL && !packet->acked && packet->type == FAL_PUSH_DATA)
        fal_retransmit_rnr(conn, packet, nack->rnr_timeout);
}

static void nack(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    switch ((enum fal_nack_code)packet->nack_code) {
    case FAL_NACK_RESOURCE: break; /* retransmitted as normal, by timeout or early */
    case FAL_NACK_RNR: not_ready(conn, packet); break;
    case FAL_NACK_XLR: refused(conn, packet, FAL_RESYNC_REMOTE_XLR, FAL_CMPL_REMOTE_ERR); break;
    case FAL_NACK_CIE: refused(conn, packet, FAL_RESYNC_CIE, FAL_CMPL_TARGET_CIE); break;
    case FAL_NACK_NRE: refused(conn, packet, FAL_RESYNC_NRE, FAL_CMPL_TARGET_NRE); break;
    case FAL_NACK_CID: refused(conn, packet, FAL_RESYNC_CID, FAL_CMPL_TARGET_CID); break;
    }
}

bool fal_acks_packet(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    struct fal_falcon ack = *packet;
    bool in_order = fal_acks_acceptable(&conn->tx[FAL_WINDOW_REQ], ack.recv_req_base_psn) &&
                    fal_acks_acceptable(&conn->tx[FAL_WINDOW_DATA], ack.recv_data_base_psn);

    if (ack.packet_type == FAL_NACK && fal_name_of(&fal_names_nack_code, ack.nack_code) == NULL)
        return false; /* AMB-30 */
    /* 9.2.3, 9.2.4: an ACK with an older base, or with one beyond everything that was sent, is
     * discarded as a whole. */
    if (!fal_decide(conn, bases, in_order, &ack))
        return false;
    fal_acks_piggyback(conn, &ack);
    fal_measure_rtt(conn, &ack);
    if (!fal_proceed(conn, ack, &ack))
        return true;
    if (ack.packet_type == FAL_EACK)
        eack(conn, &ack);
    if (ack.packet_type == FAL_NACK)
        nack(conn, &ack);
    return true;
}
