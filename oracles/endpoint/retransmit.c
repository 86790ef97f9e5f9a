/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/retransmit.h"

#include "oracles/endpoint/initiator.h"
#include "oracles/endpoint/rack.h"

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

void fal_retransmit_sent(struct fal_ep_conn *conn, struct fal_tx_packet *packet, bool again)
{
    uint64_t rto_ns = conn->params.rto_ns;

    if (fal_fault(conn, FAL_FAULT_RETRANSMIT_NEVER) ||
        (again && fal_fault(conn, FAL_FAULT_RETRANSMIT_ONCE)) ||
        (packet->type == FAL_RESYNC && fal_fault(conn, FAL_FAULT_RESYNC_ONCE)))
        return;
    if (fal_fault(conn, FAL_FAULT_RTO_HALVED))
        rto_ns /= 2;
    if (fal_fault(conn, FAL_FAULT_RTO_TREBLED))
        rto_ns *= 3;
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
    bool counts = packet->repeated && fal_fault(conn, FAL_FAULT_REPEATS_NEVER_FORGOTTEN);

    fal_link_remove(&packet->link);
    fal_txwin_due(&conn->tx[fal_tx_window(packet)], packet, counts);
}

/* Whether a packet has been retransmitted often enough: as often as Max Retransmit Attempts, or
 * once less where the first transmission counts (AMB-14). */
static bool exhausted(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    uint32_t max = conn->params.max_attempts;

    if (fal_twin(conn, FAL_TWIN_ATTEMPTS_COUNT_FIRST) && max > 0)
        max--;
    if (packet->attempts >= max)
        return packet->attempts / 2 >= max || !fal_fault(conn, FAL_FAULT_ATTEMPTS_DOUBLED);
    return packet->attempts >= max / 2 && fal_fault(conn, FAL_FAULT_ATTEMPTS_HALVED);
}

/* 9.1.5, 11: below max attempts once more; then a resync, which has attempts of its own; then
 * the end of the connection (AMB-14). An RNR delay that is over counts for nothing (AMB-15). */
static void expired(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    fal_ep_conn_note(conn, "%s timer psn %u, attempts %u", packet->rnr ? "RNR" : "retransmit",
                     packet->psn, packet->attempts);
    if (packet->rnr) {
        packet->rnr = false;
        if (!fal_fault(conn, FAL_FAULT_RNR_COUNTS_TWICE)) {
            make_due(conn, packet);
            return;
        }
        packet->attempts++;
    }
    if (!exhausted(conn, packet)) {
        packet->attempts++;
        make_due(conn, packet);
        fal_rue_retransmit(conn, FAL_CC_RTO);
        return;
    }
    fal_initiator_failed(conn, packet, FAL_CMPL_LOCAL_TO, 0);
    if (packet->type == FAL_RESYNC || fal_twin(conn, FAL_TWIN_FATAL_WITHOUT_RESYNC))
        fal_ep_conn_fatal(conn);
    else
        fal_retransmit_resync(conn, packet, FAL_RESYNC_EXHAUSTED);
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

/* How long an RNRed push waits from now (AMB-15). */
static uint64_t rnr_delay_ns(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                             unsigned rnr_code)
{
    uint64_t rto_ns = conn->params.rto_ns, now_ns = conn->ep->now_ns;
    uint64_t rnr_ns = fal_rnr_timeout_ns(rnr_code);
    uint64_t delay_ns;

    if (rnr_code == 0 && fal_fault(conn, FAL_FAULT_RNR_CODE_0_SHORT))
        rnr_ns = 0;
    delay_ns = rnr_ns > rto_ns || fal_twin(conn, FAL_TWIN_RNR_WITHOUT_RTO) ? rnr_ns : rto_ns;

    if (fal_fault(conn, FAL_FAULT_RNR_TIMEOUT_IGNORED))
        return (rnr_ns < rto_ns ? rnr_ns : rto_ns) / 2;
    if (!fal_twin(conn, FAL_TWIN_RNR_FROM_TRANSMISSION))
        return delay_ns;
    return packet->last_tx_ns + delay_ns > now_ns ? packet->last_tx_ns + delay_ns - now_ns : 0;
}

void fal_retransmit_rnr(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                        unsigned rnr_code)
{
    if (!conn->auto_retransmit)
        return;
    fal_link_remove(&packet->link);
    packet->rnr = true;
    fal_retransmit_start(conn, packet, rnr_delay_ns(conn, packet, rnr_code));
}

/* A resync that a faulty transmitter leaves out: it was told so by a NACK. */
static bool omitted(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                    uint8_t code)
{
    return packet->sent &&
           (code == FAL_RESYNC_CIE || code == FAL_RESYNC_NRE || code == FAL_RESYNC_CID) &&
           fal_fault(conn, FAL_FAULT_RESYNC_OMITTED);
}

void fal_retransmit_resync(struct fal_ep_conn *conn, struct fal_tx_packet *packet, uint8_t code)
{
    uint32_t attempts = packet->attempts;

    if (packet->type == FAL_RESYNC || (packet->sent && !conn->auto_retransmit) ||
        omitted(conn, packet, code))
        return;
    fal_txwin_resync(&conn->tx[fal_tx_window(packet)], packet, code);
    if (attempts > 0 && fal_fault(conn, FAL_FAULT_RESYNC_ATTEMPTS_KEPT))
        packet->attempts = attempts;
    fal_ep_conn_note(conn, "resync psn %u rsn %u code %u", packet->psn, packet->rsn, code);
    if (packet->sent)
        make_due(conn, packet);
}

/* 9.1.4: an RTT has not yet passed since it was last sent. */
static bool recent(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    uint64_t due_ns = packet->last_tx_ns + conn->rtt_ns, now_ns = conn->ep->now_ns;

    if (fal_twin(conn, FAL_TWIN_EARLY_AT_EQUALITY) && due_ns == now_ns)
        return false;
    return due_ns >= now_ns && !fal_fault(conn, FAL_FAULT_RECENCY_IGNORED);
}

bool fal_retransmit_lost(struct fal_ep_conn *conn, const struct fal_txwin *win, uint32_t psn)
{
    struct fal_tx_packet *packet = fal_txwin_get(win, psn);

    if (packet == NULL || packet->acked || packet->rnr || recent(conn, packet) ||
        fal_fault(conn, FAL_FAULT_EARLY_NEVER))
        return false;
    if (fal_fault(conn, FAL_FAULT_EARLY_COPIES_COUNT))
        packet->attempts++;
    make_due(conn, packet);
    fal_rue_retransmit(conn, FAL_CC_EARLY);
    return true;
}

/* The holes that lie far enough below the highest packet received (9.1.4). */
static void by_distance(struct fal_ep_conn *conn, const struct fal_txwin *win, uint32_t base,
                        fal_u128 received)
{
    int high = fal_u128_top(received);

    if (high < 0 && win->sent.base != win->next &&
        fal_fault(conn, FAL_FAULT_EARLY_WITHOUT_ONES))
        high = FAL_RX_WINDOW_DATA;
    if (high >= 0 && base + (uint32_t)high + 1 != win->next &&
        fal_fault(conn, FAL_FAULT_EARLY_UP_TO_THE_END))
        high = FAL_RX_WINDOW_DATA;
    for (uint32_t n = 0; (int64_t)n < high; n++) {
        if (fal_u128_test(received, n) || ((int64_t)n + conn->params.ooo_threshold >= high &&
                                           !fal_fault(conn, FAL_FAULT_OOO_THRESHOLD_IGNORED)))
            continue;
        if (fal_retransmit_lost(conn, win, base + n) &&
            fal_fault(conn, FAL_FAULT_EARLY_FIRST_ONLY))
            return;
    }
}

void fal_retransmit_early(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                          fal_u128 received, bool own)
{
    if (!conn->auto_retransmit)
        return;
    if (fal_twin(conn, FAL_TWIN_RACK_TLP))
        fal_rack_eack(conn, win, base, received);
    else
        by_distance(conn, win, base, received);
    for (uint32_t psn = win->sent.base; own && psn != win->next; psn++) {
        if (psn - base >= FAL_RX_WINDOW_DATA && fal_fault(conn, FAL_FAULT_OWN_WITHIN_BITMAP))
            return;
        if (!fal_u128_test(received, psn - base) ||
            fal_fault(conn, FAL_FAULT_OWN_REPEATS_RECEIVED))
            (void)fal_retransmit_lost(conn, win, psn);
    }
}
