/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/acks.h"

#include "codecs/headers.h"
#include "oracles/endpoint/ackgen.h"
#include "oracles/endpoint/initiator.h"
#include "oracles/endpoint/measure.h"
#include "oracles/endpoint/pools.h"
#include "oracles/endpoint/rack.h"
#include "oracles/endpoint/retransmit.h"
#include "oracles/endpoint/target.h"

static void acknowledged(struct fal_ep_conn *conn, struct fal_txwin *win,
                         struct fal_tx_packet *packet)
{
    if (packet->acked)
        return;
    fal_txwin_acked(win, packet);
    fal_rue_acked(conn);
    fal_pools_give_packet(conn, packet);
    if (packet->original == FAL_PULL_DATA)
        fal_target_acked(conn, packet);
    else
        fal_initiator_acked(conn, packet);
}

/* All before `base` has arrived. */
static void move_base(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base)
{
    while (win->sent.base != base) {
        struct fal_tx_packet *packet = fal_txwin_get(win, win->sent.base);

        if (packet != NULL)
            acknowledged(conn, win, packet);
        fal_txwin_step(win);
    }
    fal_txwin_slide(win);
}

/* A base that says something new, and nothing of packets that were never sent. */
static bool newer(const struct fal_txwin *win, uint32_t base)
{
    uint32_t ahead = base - win->sent.base;

    return ahead > 0 && ahead <= win->next - win->sent.base;
}

/* A base that says nothing new, or something new of what was sent. */
static bool acceptable(const struct fal_txwin *win, uint32_t base)
{
    return base == win->sent.base || newer(win, base);
}

static bool news(const struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    return newer(&conn->tx[FAL_WINDOW_REQ], ack->recv_req_base_psn) ||
           newer(&conn->tx[FAL_WINDOW_DATA], ack->recv_data_base_psn);
}

/* 9.2.3, 9.2.4: an ACK with an older base, or one beyond all that was sent, is discarded whole;
 * readings of AMB-23 look at each window by itself, or at requests first. */
static bool discarded(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    struct fal_txwin *win = conn->tx;
    const uint32_t base[2] = {
        [FAL_WINDOW_REQ] = ack->recv_req_base_psn, [FAL_WINDOW_DATA] = ack->recv_data_base_psn};
    bool req = acceptable(&win[FAL_WINDOW_REQ], base[FAL_WINDOW_REQ]);
    bool data = acceptable(&win[FAL_WINDOW_DATA], base[FAL_WINDOW_DATA]);
    bool stale = true;

    if (req && data)
        return ack->packet_type != FAL_NACK && !news(conn, ack) &&
               fal_fault(conn, FAL_FAULT_EQUAL_BASES_DISCARDED);
    if (req && fal_twin(conn, FAL_TWIN_ACK_REQUESTS_FIRST) &&
        newer(&win[FAL_WINDOW_REQ], base[FAL_WINDOW_REQ]))
        move_base(conn, &win[FAL_WINDOW_REQ], base[FAL_WINDOW_REQ]);
    if ((req || data) && fal_twin(conn, FAL_TWIN_ACK_BASES_APART)) {
        enum fal_window fresh = req ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;

        if (ack->packet_type != FAL_NACK || (enum fal_window)(ack->window & 1) == fresh)
            return false;
        if (newer(&win[fresh], base[fresh])) /* of the NACK this base is all that counts */
            move_base(conn, &win[fresh], base[fresh]);
        return true;
    }
    for (unsigned i = 0; i < 2; i++)
        stale &= acceptable(&win[i], base[i]) || fal_seq_lt(base[i], win[i].sent.base);
    return !stale || !fal_fault(conn, ack->packet_type == FAL_NACK ? FAL_FAULT_NACK_STALE_TAKEN
                                                                   : FAL_FAULT_ACK_STALE_TAKEN);
}

/* What a credulous transmitter makes of a base beyond all that was sent: all of it is
 * acknowledged. */
static void believe(struct fal_ep_conn *conn, enum fal_window window, uint32_t base)
{
    struct fal_txwin *win = &conn->tx[window];

    if (win->sent.base != win->next && fal_seq_lt(win->next, base) &&
        fal_fault(conn, FAL_FAULT_ACK_BEYOND_SENT_TAKEN))
        move_base(conn, win, win->next);
}

void fal_acks_piggyback(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    struct fal_txwin *req = &conn->tx[FAL_WINDOW_REQ], *data = &conn->tx[FAL_WINDOW_DATA];

    if (newer(req, packet->recv_req_base_psn))
        move_base(conn, req, packet->recv_req_base_psn);
    if (newer(data, packet->recv_data_base_psn))
        move_base(conn, data, packet->recv_data_base_psn);
}

/* 9.2.3: ORs a bitmap of an EACK into the window. */
static void move_bits(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                      fal_u128 bits)
{
    for (int high = fal_u128_top(bits), n = 0; n <= high; n++) {
        struct fal_tx_packet *packet = fal_txwin_get(win, base + (uint32_t)n);

        if (packet != NULL && fal_u128_test(bits, (unsigned)n))
            acknowledged(conn, win, packet);
    }
    fal_txwin_slide(win);
}

/* The OWN bits that are acted upon. */
static unsigned heeded(const struct fal_ep_conn *conn, unsigned own)
{
    own = fal_ackgen_own(conn, own);
    if (own == 0 || fal_fault(conn, FAL_FAULT_OWN_NOT_HEEDED))
        return 0;
    if ((own == FAL_OWN_REQ || own == FAL_OWN_DATA) &&
        fal_fault(conn, FAL_FAULT_OWN_HEEDED_CROSSWISE))
        own ^= FAL_OWN_REQ | FAL_OWN_DATA;
    return own;
}

/* Whether such an ACK counts for one window only, and this is the other (AMB-23). */
static bool left_out(const struct fal_ep_conn *conn, const struct fal_txwin *win, uint32_t base)
{
    return !acceptable(win, base) && fal_twin(conn, FAL_TWIN_ACK_BASES_APART);
}

/* The bits of windows that it does not count for are taken out of an EACK. */
static struct fal_falcon counted(const struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    struct fal_falcon out = *ack;

    if (ack->packet_type != FAL_EACK)
        return out;
    if (left_out(conn, &conn->tx[FAL_WINDOW_REQ], ack->recv_req_base_psn))
        out.req_bitmap = 0;
    if (left_out(conn, &conn->tx[FAL_WINDOW_DATA], ack->recv_data_base_psn))
        out.data_ack_bitmap = out.data_rx_bitmap = fal_u128_from(0);
    return out;
}

static void eack(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    struct fal_txwin *req = &conn->tx[FAL_WINDOW_REQ], *data = &conn->tx[FAL_WINDOW_DATA];
    fal_u128 requests = fal_u128_from(ack->req_bitmap), received = ack->data_rx_bitmap;
    bool any = !fal_u128_zero(fal_u128_or(requests, ack->data_ack_bitmap));
    unsigned own = heeded(conn, ack->own);

    if (!any || !fal_fault(conn, FAL_FAULT_EACK_BITS_IGNORED)) {
        move_bits(conn, req, ack->recv_req_base_psn, requests);
        move_bits(conn, data, ack->recv_data_base_psn, ack->data_ack_bitmap);
    }
    if (!fal_u128_zero(received) && fal_fault(conn, FAL_FAULT_RX_BITS_COMPLETE))
        move_bits(conn, data, ack->recv_data_base_psn, received);
    if (!fal_u128_eq(received, ack->data_ack_bitmap) &&
        fal_fault(conn, FAL_FAULT_EARLY_BY_ACK_BITMAP))
        received = ack->data_ack_bitmap;
    fal_retransmit_early(conn, req, ack->recv_req_base_psn, requests, (own & FAL_OWN_REQ) != 0);
    if (ack->req_bitmap != 0 && !fal_u128_zero(received) && (own & FAL_OWN_DATA) == 0 &&
        fal_fault(conn, FAL_FAULT_EARLY_ONE_WINDOW))
        return;
    fal_retransmit_early(conn, data, ack->recv_data_base_psn, received,
                         (own & FAL_OWN_DATA) != 0);
}

/* No EACK, so nothing is to be retransmitted (9.2.3); unless by a fault. */
static void back(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    if (!fal_fault(conn, FAL_FAULT_EARLY_ON_BACK))
        return;
    for (unsigned i = 0; i < 2; i++)
        fal_retransmit_early(conn, &conn->tx[i],
                             i == FAL_WINDOW_REQ ? ack->recv_req_base_psn
                                                 : ack->recv_data_base_psn,
                             fal_u128_from(0), true);
}

/* What follows from a refusal: the resync code, and how the transaction ends (9.2.4, 11). */
static void refused(struct fal_ep_conn *conn, const struct fal_falcon *nack,
                    uint8_t resync_code, enum fal_completion code)
{
    struct fal_tx_packet *packet = fal_txwin_get(&conn->tx[nack->window], nack->nack_psn);

    if (packet == NULL || packet->acked)
        return;
    fal_initiator_failed(conn, packet, code, nack->ulp_nack_code);
    if (fal_fault(conn, FAL_FAULT_ERROR_WITHOUT_RESYNC))
        fal_link_remove(&packet->link); /* it will not be sent again */
    else
        fal_retransmit_resync(conn, packet, resync_code);
}

static void not_ready(struct fal_ep_conn *conn, const struct fal_falcon *nack)
{
    struct fal_tx_packet *packet = fal_txwin_get(&conn->tx[nack->window], nack->nack_psn);

    if (packet == NULL || packet->acked || packet->type != FAL_PUSH_DATA)
        return;
    if (fal_fault(conn, FAL_FAULT_RNR_COMPLETES))
        refused(conn, nack, FAL_RESYNC_REMOTE_XLR, FAL_CMPL_REMOTE_ERR);
    else
        fal_retransmit_rnr(conn, packet, nack->rnr_timeout);
}

static void nack(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    switch ((enum fal_nack_code)packet->nack_code) {
    case FAL_NACK_RESOURCE: /* retransmitted as normal, by timeout or early */
        if (fal_fault(conn, FAL_FAULT_RESOURCE_NACK_RESYNCED))
            refused(conn, packet, FAL_RESYNC_REMOTE_XLR, FAL_CMPL_REMOTE_ERR);
        break;
    case FAL_NACK_RNR: not_ready(conn, packet); break;
    case FAL_NACK_XLR: refused(conn, packet, FAL_RESYNC_REMOTE_XLR, FAL_CMPL_REMOTE_ERR); break;
    case FAL_NACK_CIE: refused(conn, packet, FAL_RESYNC_CIE, FAL_CMPL_TARGET_CIE); break;
    case FAL_NACK_NRE: refused(conn, packet, FAL_RESYNC_NRE, FAL_CMPL_TARGET_NRE); break;
    case FAL_NACK_CID: refused(conn, packet, FAL_RESYNC_CID, FAL_CMPL_TARGET_CID); break;
    }
}

bool fal_acks_packet(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    struct fal_falcon eacked;

    if (ack->packet_type == FAL_NACK &&
        fal_name_of(&fal_names_nack_code, ack->nack_code) == NULL)
        return false; /* AMB-30 */
    believe(conn, FAL_WINDOW_REQ, ack->recv_req_base_psn);
    believe(conn, FAL_WINDOW_DATA, ack->recv_data_base_psn);
    if (discarded(conn, ack))
        return false;
    eacked = counted(conn, ack);
    if (!news(conn, ack) ||
        !fal_fault(conn, ack->packet_type == FAL_NACK ? FAL_FAULT_NACK_BASE_IGNORED
                                                      : FAL_FAULT_ACK_BASE_IGNORED))
        fal_acks_piggyback(conn, ack);
    fal_measure_rtt(conn, ack);
    fal_rack_touch(conn);
    if (ack->packet_type == FAL_BACK)
        back(conn, ack);
    if (ack->packet_type == FAL_EACK)
        eack(conn, &eacked);
    if (ack->packet_type == FAL_NACK && ack->window == FAL_WINDOW_REQ &&
        ack->nack_code >= FAL_NACK_CIE && fal_fault(conn, FAL_FAULT_ERROR_NACK_FATAL))
        fal_ep_conn_fatal(conn);
    else if (ack->packet_type == FAL_NACK)
        nack(conn, ack);
    return true;
}
