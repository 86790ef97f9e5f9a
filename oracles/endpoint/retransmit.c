/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/retransmit.h"

#include "oracles/endpoint/initiator.h"

void fal_retransmit_start(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                          uint64_t delay_ns)
{
    struct fal_link *at = conn->timers.prev;

    if (!conn->auto_retransmit)
        return;
    packet->deadline_ns = conn->ep->now_ns + delay_ns;
    /* Nearly all delays are the RTO, so the place is nearly always the last. */
    while (at != &conn->timers &&
           FAL_ITEM(at, struct fal_tx_packet, link)->deadline_ns > packet->deadline_ns)
        at = at->prev;
    fal_link_insert(at, &packet->link);
}

uint64_t fal_retransmit_deadline(const struct fal_ep_conn *conn)
{
    return fal_link_alone(&conn->timers)
               ? FAL_NEVER
               : FAL_ITEM(conn->timers.next, struct fal_tx_packet, link)->deadline_ns;
}

/* Takes a packet from whatever list it is in to those that are due. */
static void make_due(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    fal_link_remove(&packet->link);
    fal_txwin_due(&conn->tx[fal_tx_window(packet)], packet);
}

/* 9.1.5, 11: below max attempts once more; then a resync, which has attempts of its own; then
 * the end of the connection (AMB-14). An RNR delay that is over counts for nothing (AMB-15). */
static void expired(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    if (packet->rnr) {
        packet->rnr = false;
        make_due(conn, packet);
    } else if (packet->attempts < conn->params.max_attempts) {
        packet->attempts++;
        make_due(conn, packet);
        fal_rue_retransmit(conn, FAL_CC_RTO);
    } else if (packet->type != FAL_RESYNC) {
        fal_initiator_failed(conn, packet, FAL_CMPL_LOCAL_TO, 0);
        fal_retransmit_resync(conn, packet, FAL_RESYNC_EXHAUSTED);
    } else {
        fal_ep_conn_fatal(conn);
    }
}

void fal_retransmit_expire(struct fal_ep_conn *conn)
{
    while (fal_retransmit_deadline(conn) <= conn->ep->now_ns)
        expired(conn, FAL_ITEM(conn->timers.next, struct fal_tx_packet, link));
}

void fal_retransmit_timeout(struct fal_ep_conn *conn, uint64_t rto_ns)
{
    struct fal_link running, *next;

    conn->params.rto_ns = rto_ns;
    if (fal_link_alone(&conn->timers))
        return;
    running = conn->timers;
    running.next->prev = running.prev->next = &running;
    fal_link_init(&conn->timers);
    for (struct fal_link *link = running.next; link != &running; link = next) {
        struct fal_tx_packet *packet = FAL_ITEM(link, struct fal_tx_packet, link);
        uint64_t at_ns = packet->rnr ? packet->deadline_ns : packet->last_tx_ns + rto_ns;

        next = link->next;
        fal_link_remove(link);
        fal_retransmit_start(conn, packet,
                             at_ns > conn->ep->now_ns ? at_ns - conn->ep->now_ns : 0);
    }
}

void fal_retransmit_rnr(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                        unsigned rnr_code)
{
    uint64_t rnr_ns = fal_rnr_timeout_ns(rnr_code), rto_ns = conn->params.rto_ns;
    uint64_t delay_ns = rnr_ns > rto_ns ? rnr_ns : rto_ns;

    if (fal_fault(conn, FAL_FAULT_RNR_TIMEOUT_IGNORED))
        delay_ns = (rnr_ns < rto_ns ? rnr_ns : rto_ns) / 2;
    if (!conn->auto_retransmit)
        return;
    fal_link_remove(&packet->link);
    packet->rnr = true;
    fal_retransmit_start(conn, packet, delay_ns);
}

void fal_retransmit_resync(struct fal_ep_conn *conn, struct fal_tx_packet *packet, uint8_t code)
{
    if (packet->type == FAL_RESYNC || (packet->sent && !conn->auto_retransmit))
        return;
    fal_txwin_resync(&conn->tx[fal_tx_window(packet)], packet, code);
    fal_ep_conn_note(conn, "resync psn %u rsn %u code %u", packet->psn, packet->rsn, code);
    if (packet->sent)
        make_due(conn, packet);
}

/* Retransmits a packet that seems lost, unless an RTT has not yet passed since it was last
 * sent, or its push waits for the ULP (9.1.4, AMB-55). */
static void seems_lost(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t psn)
{
    struct fal_tx_packet *packet = fal_txwin_get(win, psn);

    if (packet == NULL || packet->acked || packet->rnr)
        return;
    if (packet->last_tx_ns + conn->rtt_ns >= conn->ep->now_ns &&
        !fal_fault(conn, FAL_FAULT_RECENCY_IGNORED))
        return;
    make_due(conn, packet);
    fal_rue_retransmit(conn, FAL_CC_EARLY);
}

void fal_retransmit_early(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                          fal_u128 received, bool own)
{
    int high = fal_u128_top(received);

    if (!conn->auto_retransmit)
        return;
    for (uint32_t n = 0; (int64_t)n + conn->params.ooo_threshold < high; n++)
        if (!fal_u128_test(received, n))
            seems_lost(conn, win, base + n);
    if (!own)
        return;
    for (uint32_t psn = win->sent.base; psn != win->next; psn++)
        if (!fal_u128_test(received, psn - base))
            seems_lost(conn, win, psn);
}
