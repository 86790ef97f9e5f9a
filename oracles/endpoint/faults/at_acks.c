/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of acks.c: how a transmitter reads ACKs and NACKs (9.2.3, 9.2.4). */
#include "oracles/endpoint/delivery/acks.h"

#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/faults/rack.h"

enum { BLOW = 64 /* packets of one word of a bitmap */, FAR_RSN = 1 << 30 };

static uint32_t base_of(const struct fal_falcon *ack, enum fal_window window)
{
    return window == FAL_WINDOW_REQ ? ack->recv_req_base_psn : ack->recv_data_base_psn;
}

/* ---- the bases ---- */

/* A base of the ACK is newer than what is known. */
static bool news(const struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    return fal_acks_newer(&conn->tx[FAL_WINDOW_REQ], ack->recv_req_base_psn) ||
           fal_acks_newer(&conn->tx[FAL_WINDOW_DATA], ack->recv_data_base_psn);
}

/* ack-beyond-sent-taken: every sent packet counts as acknowledged. */
static void believe(struct fal_ep_conn *conn, enum fal_window window, uint32_t base)
{
    struct fal_txwin *win = &conn->tx[window];

    if (win->sent.base != win->next && fal_seq_lt(win->next, base) &&
        fal_fault(conn, FAL_FAULT_ACK_BEYOND_SENT_TAKEN))
        fal_acks_move_base(conn, win, win->next);
}

/* ack-bases-apart (AMB-23): the ACK counts for one window, `fresh`. Whether it has to be read
 * further: of a NACK that is about the other window, this base is all that counts. */
static bool counts_apart(struct fal_ep_conn *conn, const struct fal_falcon *ack,
                         enum fal_window fresh)
{
    struct fal_txwin *win = &conn->tx[fresh];

    if (ack->packet_type != FAL_NACK || (enum fal_window)(ack->window & 1) == fresh)
        return true;
    if (fal_acks_newer(win, base_of(ack, fresh)))
        fal_acks_move_base(conn, win, base_of(ack, fresh));
    return false;
}

/* Whether an ACK counts whose bases are not both in order. */
static bool counts_all_the_same(struct fal_ep_conn *conn, const struct fal_falcon *ack,
                                bool req, bool data)
{
    struct fal_txwin *win = conn->tx;
    bool stale = true;

    if (req && fal_twin(conn, FAL_TWIN_ACK_REQUESTS_FIRST) &&
        fal_acks_newer(&win[FAL_WINDOW_REQ], ack->recv_req_base_psn))
        fal_acks_move_base(conn, &win[FAL_WINDOW_REQ], ack->recv_req_base_psn);
    if ((req || data) && fal_twin(conn, FAL_TWIN_ACK_BASES_APART))
        return counts_apart(conn, ack, req ? FAL_WINDOW_REQ : FAL_WINDOW_DATA);
    for (unsigned i = 0; i < 2; i++)
        stale &= fal_acks_acceptable(&win[i], base_of(ack, i)) ||
                 fal_seq_lt(base_of(ack, i), win[i].sent.base);
    if (stale && ack->packet_type == FAL_NACK &&
        fal_acks_acceptable(&win[FAL_WINDOW_DATA], base_of(ack, FAL_WINDOW_DATA)) &&
        fal_fault(conn, FAL_FAULT_NACK_STALE_REQUESTS_TAKEN))
        return true;
    return stale && fal_fault(conn, ack->packet_type == FAL_NACK ? FAL_FAULT_NACK_STALE_TAKEN
                                                                 : FAL_FAULT_ACK_STALE_TAKEN);
}

/* ack-bases-apart: an EACK loses the bits of a window that it does not count for. */
static void leave_out(const struct fal_ep_conn *conn, struct fal_falcon *eack)
{
    if (!fal_twin(conn, FAL_TWIN_ACK_BASES_APART))
        return;
    if (!fal_acks_acceptable(&conn->tx[FAL_WINDOW_REQ], eack->recv_req_base_psn))
        eack->req_bitmap = 0;
    if (!fal_acks_acceptable(&conn->tx[FAL_WINDOW_DATA], eack->recv_data_base_psn))
        eack->data_ack_bitmap = eack->data_rx_bitmap = 0;
}

bool fal_at_bases(struct fal_ep_conn *conn, bool in_order, struct fal_falcon *ack)
{
    bool req, data, counts;

    (void)in_order; /* it is another one now, if a fault acts */
    believe(conn, FAL_WINDOW_REQ, ack->recv_req_base_psn);
    believe(conn, FAL_WINDOW_DATA, ack->recv_data_base_psn);
    req = fal_acks_acceptable(&conn->tx[FAL_WINDOW_REQ], ack->recv_req_base_psn);
    data = fal_acks_acceptable(&conn->tx[FAL_WINDOW_DATA], ack->recv_data_base_psn);
    if (req && data)
        counts = ack->packet_type == FAL_NACK || news(conn, ack) ||
                 !fal_fault(conn, FAL_FAULT_EQUAL_BASES_DISCARDED);
    else
        counts = counts_all_the_same(conn, ack, req, data);
    if (counts && ack->packet_type == FAL_EACK)
        leave_out(conn, ack);
    return counts;
}

bool fal_at_piggyback(const struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    const struct fal_rxwin *win;

    if (fal_falcon_is_ack(packet->packet_type))
        return !news(conn, packet) ||
               !fal_fault(conn, packet->packet_type == FAL_NACK ? FAL_FAULT_NACK_BASE_IGNORED
                                                                : FAL_FAULT_ACK_BASE_IGNORED);
    win = &conn->rx[fal_falcon_window(packet)];
    return !fal_fault(conn, FAL_FAULT_PIGGYBACK_IGNORED) &&
           (fal_rxwin_check(win, packet->psn) == FAL_RX_NEW ||
            !fal_fault(conn, FAL_FAULT_PIGGYBACK_OF_DUPLICATE_IGNORED));
}

/* completions-backwards: completions have an order on ordered connections only (8.4.2). */
static bool backwards(const struct fal_ep_conn *conn)
{
    return !conn->params.ordered && fal_twin(conn, FAL_TWIN_COMPLETIONS_BACKWARDS);
}

/* Those of `bits`, one by one. */
static void take_backwards(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                           fal_u128 bits)
{
    for (int n = fal_u128_top(bits); n >= 0; n--)
        if (fal_u128_test(bits, (unsigned)n))
            fal_acks_move_bits(conn, win, base, fal_u128_with(0, (unsigned)n));
}

/* The same for a base: it acknowledges here, and has nothing left to acknowledge. */
static uint32_t backwards_to(struct fal_ep_conn *conn, uint32_t base, struct fal_txwin *win)
{
    uint32_t count = base - win->sent.base;

    if (count > FAL_RX_WINDOW_DATA || !backwards(conn))
        return base;
    take_backwards(conn, win, win->sent.base, fal_u128_ones(count));
    return win->sent.base;
}

uint32_t fal_at_acked_base(struct fal_ep_conn *conn, uint32_t base, struct fal_txwin *win)
{
    uint32_t moved = base - win->sent.base;

    if (moved > BLOW && fal_fault(conn, FAL_FAULT_BASE_ACKNOWLEDGES_64))
        return win->sent.base + BLOW;
    if (moved >= BLOW - 1 && base != win->next &&
        fal_fault(conn, FAL_FAULT_BASE_ACKNOWLEDGES_ITSELF))
        return base + 1;
    return backwards_to(conn, base, win);
}

void fal_at_acknowledged(const struct fal_ep_conn *conn, struct fal_txwin *win,
                         struct fal_tx_packet *packet)
{
    bool due = packet->attempts > 0 && fal_tx_request(packet) && !packet->repeated;

    if (packet->original == FAL_PULL_DATA && fal_fault(conn, FAL_FAULT_PULLS_NEVER_CLOSED))
        packet->rsn ^= FAR_RSN; /* its transaction is not found */
    if (packet->repeated && fal_fault(conn, FAL_FAULT_REPEATS_KEPT_ON_ACK))
        packet->repeated = false; /* its place is given back by nobody */
    else if (due && win->repeated == 0 && fal_fault(conn, FAL_FAULT_REPEATS_LOST_ON_ACK))
        win->repeated = UINT32_MAX / 2; /* as if it had wrapped around */
}

/* ---- what else it says ---- */

/* early-on-back: packets count as lost that a BACK does not acknowledge. */
static void back(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    if (!fal_fault(conn, FAL_FAULT_EARLY_ON_BACK))
        return;
    for (unsigned i = 0; i < 2; i++)
        fal_retransmit_early(conn, &conn->tx[i], base_of(ack, i), 0, true);
}

/* early-during-rnr: what waits after an RNR is retransmitted like others. */
static void end_waits(const struct fal_ep_conn *conn, const struct fal_txwin *data)
{
    for (uint32_t psn = data->sent.base; psn != data->next; psn++) {
        struct fal_tx_packet *packet = fal_txwin_get(data, psn);

        if (packet != NULL && packet->rnr && fal_fault(conn, FAL_FAULT_EARLY_DURING_RNR))
            packet->rnr = false;
    }
}

/* received-untimed: no timer runs any more for what is received and not acknowledged. */
static void stop_timers(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    const struct fal_txwin *data = &conn->tx[FAL_WINDOW_DATA];

    for (unsigned n = 0; n < FAL_RX_WINDOW_DATA; n++) {
        struct fal_tx_packet *packet = fal_txwin_get(data, ack->recv_data_base_psn + n);

        if (packet != NULL && !packet->acked && fal_u128_test(ack->data_rx_bitmap, n) &&
            !fal_u128_test(ack->data_ack_bitmap, n) &&
            fal_fault(conn, FAL_FAULT_RECEIVED_UNTIMED))
            fal_link_remove(&packet->link);
    }
}

static void eack(struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    struct fal_txwin *data = &conn->tx[FAL_WINDOW_DATA];

    if (ack->data_rx_bitmap != 0) {
        end_waits(conn, data);
        stop_timers(conn, ack);
    }
    ack->own = (uint8_t)fal_at_own_bits(conn, ack->own);
    if (ack->own != 0 && fal_fault(conn, FAL_FAULT_OWN_NOT_HEEDED))
        ack->own = 0;
    if ((ack->own == FAL_OWN_REQ || ack->own == FAL_OWN_DATA) &&
        fal_fault(conn, FAL_FAULT_OWN_HEEDED_CROSSWISE))
        ack->own ^= FAL_OWN_REQ | FAL_OWN_DATA;
    if (ack->data_rx_bitmap != 0 && fal_fault(conn, FAL_FAULT_RX_BITS_COMPLETE)) {
        fal_acks_move_bits(conn, &conn->tx[FAL_WINDOW_REQ], ack->recv_req_base_psn,
                           ack->req_bitmap);
        fal_acks_move_bits(conn, data, ack->recv_data_base_psn, ack->data_ack_bitmap);
        fal_acks_move_bits(conn, data, ack->recv_data_base_psn, ack->data_rx_bitmap);
    }
    if (ack->data_rx_bitmap != ack->data_ack_bitmap &&
        fal_fault(conn, FAL_FAULT_EARLY_BY_ACK_BITMAP))
        ack->data_rx_bitmap = ack->data_ack_bitmap;
    if (ack->req_bitmap != 0 && ack->data_rx_bitmap != 0 && (ack->own & FAL_OWN_DATA) == 0 &&
        fal_fault(conn, FAL_FAULT_EARLY_ONE_WINDOW))
        ack->data_rx_bitmap = 0;
}

/* Whether the push that an RNR NACK is about waits. */
static bool waits(const struct fal_ep_conn *conn, const struct fal_falcon *nack)
{
    const struct fal_tx_packet *packet = fal_txwin_get(&conn->tx[nack->window], nack->nack_psn);

    return packet != NULL && !packet->acked && packet->type == FAL_PUSH_DATA;
}

static bool nack(struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (ack->window == FAL_WINDOW_REQ && ack->nack_code >= FAL_NACK_CIE &&
        fal_fault(conn, FAL_FAULT_ERROR_NACK_FATAL)) {
        fal_ep_conn_fatal(conn);
        return false;
    }
    if ((ack->nack_code == FAL_NACK_RESOURCE &&
         fal_fault(conn, FAL_FAULT_RESOURCE_NACK_RESYNCED)) ||
        (ack->nack_code == FAL_NACK_RNR && waits(conn, ack) &&
         fal_fault(conn, FAL_FAULT_RNR_COMPLETES)))
        ack->nack_code = FAL_NACK_XLR;
    return true;
}

bool fal_at_ack(struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    fal_rack_acked(conn);
    if (ack->packet_type == FAL_NACK)
        return nack(conn, ack);
    if (ack->packet_type == FAL_EACK)
        eack(conn, ack);
    else
        back(conn, ack);
    return true;
}

/* overtaken-eack-forgets: what its bits do not acknowledge is outstanding again. */
static void take_back(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                      fal_u128 bits)
{
    for (uint32_t psn = win->sent.base; psn != win->next; psn++) {
        struct fal_tx_packet *packet = fal_txwin_get(win, psn);

        if (packet == NULL || !packet->acked || fal_u128_test(bits, psn - base) ||
            !fal_fault(conn, FAL_FAULT_OVERTAKEN_EACK_FORGETS))
            continue;
        packet->acked = false;
        win->unacked++;
        win->requests += fal_tx_request(packet);
        fal_retransmit_start(conn, packet, conn->params.rto_ns);
    }
}

bool fal_at_bitmaps_acknowledge(struct fal_ep_conn *conn, bool acknowledge,
                                const struct fal_falcon *eack)
{
    bool any = eack->req_bitmap != 0 || eack->data_ack_bitmap != 0;

    take_back(conn, &conn->tx[FAL_WINDOW_REQ], eack->recv_req_base_psn, eack->req_bitmap);
    take_back(conn, &conn->tx[FAL_WINDOW_DATA], eack->recv_data_base_psn,
              eack->data_ack_bitmap);
    acknowledge = acknowledge && (!any || !fal_fault(conn, FAL_FAULT_EACK_BITS_IGNORED));
    if (acknowledge && backwards(conn))
        take_backwards(conn, &conn->tx[FAL_WINDOW_DATA], eack->recv_data_base_psn,
                       eack->data_ack_bitmap);
    return acknowledge;
}

bool fal_at_refused(const struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    if (!fal_fault(conn, FAL_FAULT_ERROR_WITHOUT_RESYNC))
        return true;
    fal_link_remove(&packet->link); /* it will not be sent again */
    return false;
}
