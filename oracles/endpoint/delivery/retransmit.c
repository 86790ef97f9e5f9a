/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/retransmit.h"

#include "oracles/endpoint/transaction/initiator.h"

void fal_retransmit_start(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                          uint64_t delay_ns)
{
    struct fal_link *at = conn->timers.prev;

    if (!conn->auto_retransmit || delay_ns == FAL_NEVER)
        return;
    packet->deadline_ns = conn->ep->now_ns + delay_ns;
    /* Nearly all delays are the RTO, so the place is nearly always the last. */
    while (at != &conn->timers &&
           FAL_ITEM(at, struct fal_tx_packet, link)->deadline_ns > packet->deadline_ns)
        at = at->prev;
    fal_link_insert(at, &packet->link);
}

void fal_retransmit_sent(struct fal_ep_conn *conn, struct fal_tx_packet *packet, bool again)
{
    uint64_t rto_ns = fal_decide(conn, rto, conn->params.rto_ns, packet, again);

    fal_retransmit_start(conn, packet, rto_ns);
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
    bool counts = fal_decide(conn, still_counts, false, packet);

    fal_link_remove(&packet->link);
    fal_txwin_due(&conn->tx[fal_tx_window(packet)], packet, counts);
}

/* 9.1.5, 11: below max attempts once more; then a resync, which has attempts of its own; then
 * the end of the connection (AMB-14). An RNR delay that is over counts for nothing (AMB-15). */
static enum fal_expiry expiry(const struct fal_ep_conn *conn,
                              const struct fal_tx_packet *packet)
{
    if (packet->rnr)
        return FAL_EXPIRY_RNR_OVER;
    if (packet->attempts < conn->params.max_attempts)
        return FAL_EXPIRY_REPEAT;
    return packet->type == FAL_RESYNC ? FAL_EXPIRY_FATAL : FAL_EXPIRY_RESYNC;
}

static void expired(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    enum fal_expiry what = expiry(conn, packet);

    fal_ep_conn_note_timer(conn, "%s timer psn %u, attempts %u",
                           packet->rnr ? "RNR" : "retransmit", packet->psn, packet->attempts);
    what = fal_decide(conn, expiry, what, packet);
    packet->rnr = false;
    switch (what) {
    case FAL_EXPIRY_RNR_OVER: make_due(conn, packet); break;
    case FAL_EXPIRY_REPEAT:
        packet->attempts++;
        make_due(conn, packet);
        fal_rue_retransmit(conn, packet, FAL_CC_RTO);
        break;
    case FAL_EXPIRY_RESYNC:
        fal_initiator_failed(conn, packet, FAL_CMPL_LOCAL_TO, 0);
        fal_retransmit_resync(conn, packet, FAL_RESYNC_EXHAUSTED);
        break;
    case FAL_EXPIRY_FATAL:
        fal_initiator_failed(conn, packet, FAL_CMPL_LOCAL_TO, 0);
        fal_ep_conn_fatal(conn);
        break;
    }
}

void fal_retransmit_expire(struct fal_ep_conn *conn)
{
    while (fal_retransmit_deadline(conn) <= conn->ep->now_ns)
        expired(conn, FAL_ITEM(conn->timers.next, struct fal_tx_packet, link));
}

/* Starts the timer of a packet anew for a changed timeout: it expires as if it had run with the
 * new timeout since the last transmission, but not in the past. The delay that an RNR NACK gave
 * stays as it is (9.1.1). */
static void restart(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    uint64_t at_ns =
        packet->rnr ? packet->deadline_ns : packet->last_tx_ns + conn->params.rto_ns;
    uint64_t left_ns = at_ns > conn->ep->now_ns ? at_ns - conn->ep->now_ns : 0;

    fal_retransmit_start(conn, packet, fal_decide(conn, rto_moved, left_ns, packet));
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

        next = link->next;
        fal_link_remove(link);
        restart(conn, packet);
    }
}

void fal_retransmit_rnr(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                        unsigned rnr_code)
{
    uint64_t rto_ns = conn->params.rto_ns, rnr_ns = fal_rnr_timeout_ns(rnr_code);
    uint64_t delay_ns = rnr_ns > rto_ns ? rnr_ns : rto_ns;

    if (!conn->auto_retransmit)
        return;
    fal_link_remove(&packet->link);
    packet->rnr = true;
    delay_ns = fal_decide(conn, rnr_delay, delay_ns, packet, rnr_code);
    fal_retransmit_start(conn, packet, delay_ns);
}

void fal_retransmit_resync(struct fal_ep_conn *conn, struct fal_tx_packet *packet, uint8_t code)
{
    uint32_t attempts = 0;

    if (packet->type == FAL_RESYNC || (packet->sent && !conn->auto_retransmit))
        return;
    if (!fal_proceed(conn, resync_starts, packet, code, &attempts))
        return;
    fal_txwin_resync(&conn->tx[fal_tx_window(packet)], packet, code);
    packet->attempts = attempts;
    fal_ep_conn_note(conn, "resync psn %u rsn %u code %u", packet->psn, packet->rsn, code);
    if (packet->sent)
        make_due(conn, packet);
}

/* 9.1.4: an RTT has not yet passed since it was last sent. */
static bool recent(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    return packet->last_tx_ns + conn->rtt_ns >= conn->ep->now_ns;
}

bool fal_retransmit_lost(struct fal_ep_conn *conn, const struct fal_txwin *win, uint32_t psn)
{
    struct fal_tx_packet *packet = fal_txwin_get(win, psn);
    bool first;

    if (packet == NULL || packet->acked || packet->rnr)
        return false;
    if (!fal_decide(conn, early_allowed, !recent(conn, packet), packet))
        return false;
    first = !packet->due;
    make_due(conn, packet);
    if (first)
        fal_rue_retransmit(conn, packet, FAL_CC_EARLY);
    return true;
}

/* The holes that lie far enough below the highest packet received (9.1.4). */
static void by_distance(struct fal_ep_conn *conn, const struct fal_txwin *win,
                        const struct fal_early *early)
{
    for (uint32_t n = 0; (int64_t)n < early->high; n++) {
        bool far = (int64_t)n + conn->params.ooo_threshold < early->high;
        bool lost = far && !fal_u128_test(early->received, n);

        if (fal_decide(conn, hole, lost, early, n))
            (void)fal_retransmit_lost(conn, win, early->base + n);
    }
}

void fal_retransmit_early(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                          fal_u128 received, bool own)
{
    struct fal_early early = {
        .base = base,
        .received = received,
        .high = fal_u128_top(received),
        .end = own ? win->next : win->sent.base,
    };

    if (!conn->auto_retransmit)
        return;
    if (fal_proceed(conn, early, win, &early))
        by_distance(conn, win, &early);
    for (uint32_t psn = win->sent.base; psn != early.end; psn++) {
        bool lost = !fal_u128_test(received, psn - base);

        if (fal_decide(conn, own_lost, lost, &early, psn))
            (void)fal_retransmit_lost(conn, win, psn);
    }
}
