/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of retransmit.c: when a packet is sent again (9.1.4, 9.1.5, 9.1.8). */
#include "oracles/endpoint/delivery/retransmit.h"

#include "oracles/endpoint/faults/rack.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/variants/timers.h"

/* attempts-endless marks the attempts of a packet with it. */
enum { ENDLESS = 1 << 30 };

/* ---- timers ---- */

/* rto-of-another: that of the connection with the highest number. */
static uint64_t rto_of_last(const struct fal_ep_conn *conn)
{
    const struct fal_endpoint *ep = conn->ep;

    for (uint32_t n = ep->num_conns; n > 0; n--)
        if (ep->conns[n - 1] != NULL)
            return ep->conns[n - 1]->params.rto_ns;
    return conn->params.rto_ns;
}

uint64_t fal_at_rto(struct fal_ep_conn *conn, uint64_t rto_ns,
                    const struct fal_tx_packet *packet, bool again)
{
    if (fal_fault(conn, FAL_FAULT_RETRANSMIT_NEVER) ||
        (again && fal_fault(conn, FAL_FAULT_RETRANSMIT_ONCE)) ||
        (packet->type == FAL_RESYNC && fal_fault(conn, FAL_FAULT_RESYNC_ONCE)))
        return FAL_NEVER;
    if (rto_of_last(conn) != conn->params.rto_ns && fal_fault(conn, FAL_FAULT_RTO_OF_ANOTHER))
        rto_ns = rto_of_last(conn);
    rto_ns = fal_timers_rto(conn, rto_ns);
    if (fal_fault(conn, FAL_FAULT_RTO_HALVED))
        rto_ns /= 2;
    if (fal_fault(conn, FAL_FAULT_RTO_TREBLED))
        rto_ns *= 3;
    return fal_timers_retransmit(conn, rto_ns);
}

uint64_t fal_at_rto_moved(struct fal_ep_conn *conn, uint64_t left_ns,
                          const struct fal_tx_packet *packet)
{
    uint64_t now_ns = conn->ep->now_ns, old_ns = packet->deadline_ns;

    if (packet->rnr)
        return left_ns;
    if (old_ns != now_ns + left_ns && fal_fault(conn, FAL_FAULT_RTO_FUTURE_ONLY))
        return old_ns > now_ns ? old_ns - now_ns : 0;
    return fal_timers_moved(conn, left_ns, old_ns);
}

bool fal_at_still_counts(const struct fal_ep_conn *conn, bool counts,
                         const struct fal_tx_packet *packet)
{
    return counts || (packet->repeated && fal_fault(conn, FAL_FAULT_REPEATS_NEVER_FORGOTTEN));
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

/* pulls-not-resynced: the PSN of a resync would be one of the data window, so that none can
 * take the place of a pull request that was sent (AMB-13). */
static bool not_resynced(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    return packet->sent && packet->type == FAL_PULL_REQUEST &&
           fal_twin(conn, FAL_TWIN_PULLS_NOT_RESYNCED);
}

enum fal_expiry fal_at_expiry(const struct fal_ep_conn *conn, enum fal_expiry expiry,
                              struct fal_tx_packet *packet)
{
    if (expiry == FAL_EXPIRY_RNR_OVER) {
        if (!fal_fault(conn, FAL_FAULT_RNR_COUNTS_TWICE))
            return expiry;
        packet->attempts++;
    }
    if (packet->attempts >= ENDLESS || !exhausted(conn, packet))
        return FAL_EXPIRY_REPEAT;
    return packet->type == FAL_RESYNC || fal_twin(conn, FAL_TWIN_FATAL_WITHOUT_RESYNC) ||
                   not_resynced(conn, packet)
               ? FAL_EXPIRY_FATAL
               : FAL_EXPIRY_RESYNC;
}

uint64_t fal_at_rnr_delay(const struct fal_ep_conn *conn, uint64_t delay_ns,
                          const struct fal_tx_packet *packet, unsigned rnr_code)
{
    uint64_t rto_ns = fal_timers_rto(conn, conn->params.rto_ns), now_ns = conn->ep->now_ns;
    uint64_t rnr_ns = fal_rnr_timeout_ns(rnr_code);

    if (rto_ns != conn->params.rto_ns)
        delay_ns = rnr_ns > rto_ns ? rnr_ns : rto_ns;
    if (rnr_code == 0 && fal_fault(conn, FAL_FAULT_RNR_CODE_0_SHORT)) {
        rnr_ns = 0;
        delay_ns = rto_ns;
    }
    if (fal_twin(conn, FAL_TWIN_RNR_WITHOUT_RTO))
        delay_ns = rnr_ns;
    if (fal_fault(conn, FAL_FAULT_RNR_TIMEOUT_IGNORED))
        return (rnr_ns < rto_ns ? rnr_ns : rto_ns) / 2;
    if (fal_twin(conn, FAL_TWIN_RNR_FROM_TRANSMISSION))
        delay_ns =
            packet->last_tx_ns + delay_ns > now_ns ? packet->last_tx_ns + delay_ns - now_ns : 0;
    return fal_timers_delay(conn, delay_ns);
}

/* unsent-given-up: the RSN of a packet that waits to be sent is over. */
static void give_up(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    struct fal_initiated *txn = fal_initiator_get(conn, packet->rsn);

    if (txn != NULL)
        txn->packet = NULL;
    fal_link_remove(&packet->link);
    fal_tx_packet_free(&conn->ep->packets, packet);
}

bool fal_at_resync_starts(struct fal_ep_conn *conn, struct fal_tx_packet *packet, uint8_t code,
                          uint32_t *attempts)
{
    bool nacked = code == FAL_RESYNC_CIE || code == FAL_RESYNC_NRE || code == FAL_RESYNC_CID;

    if (!packet->sent && code == FAL_RESYNC_TIMED_OUT &&
        fal_twin(conn, FAL_TWIN_UNSENT_GIVEN_UP)) {
        give_up(conn, packet);
        return false;
    }
    if (not_resynced(conn, packet))
        return false;
    if (packet->sent && nacked && fal_fault(conn, FAL_FAULT_RESYNC_OMITTED))
        return false;
    if (packet->attempts > 0 && fal_fault(conn, FAL_FAULT_RESYNC_ATTEMPTS_KEPT))
        *attempts = packet->attempts;
    return true;
}

/* ---- early ---- */

static bool recent(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    uint64_t due_ns = packet->last_tx_ns + conn->rtt_ns, now_ns = conn->ep->now_ns;

    if (fal_twin(conn, FAL_TWIN_EARLY_AT_EQUALITY) && due_ns == now_ns)
        return false;
    return due_ns >= now_ns && !fal_fault(conn, FAL_FAULT_RECENCY_IGNORED);
}

bool fal_at_early_allowed(const struct fal_ep_conn *conn, bool allowed,
                          struct fal_tx_packet *packet)
{
    struct fal_odd *odd = conn->odd;

    (void)allowed;
    if (recent(conn, packet) || fal_fault(conn, FAL_FAULT_EARLY_NEVER))
        return false;
    if (fal_fault(conn, FAL_FAULT_EARLY_COPIES_COUNT))
        packet->attempts++;
    if (packet->attempts < ENDLESS && fal_fault(conn, FAL_FAULT_ATTEMPTS_ENDLESS))
        packet->attempts += ENDLESS;
    if (odd->by_distance && fal_fault(conn, FAL_FAULT_EARLY_FIRST_ONLY))
        odd->one_found = true;
    return true;
}

bool fal_at_early(struct fal_ep_conn *conn, const struct fal_txwin *win,
                  struct fal_early *early)
{
    conn->odd->by_distance = conn->odd->one_found = false;
    if (fal_twin(conn, FAL_TWIN_RACK_TLP)) {
        fal_rack_eack(conn, win, early->base, early->received);
        return false;
    }
    if (early->high < 0 && win->sent.base != win->next &&
        fal_fault(conn, FAL_FAULT_EARLY_WITHOUT_ONES))
        early->high = FAL_RX_WINDOW_DATA;
    if (early->high >= 0 && early->base + (uint32_t)early->high + 1 != win->next &&
        fal_fault(conn, FAL_FAULT_EARLY_UP_TO_THE_END))
        early->high = FAL_RX_WINDOW_DATA;
    return true;
}

bool fal_at_hole(const struct fal_ep_conn *conn, bool lost, const struct fal_early *early,
                 uint32_t n)
{
    conn->odd->by_distance = true;
    if (conn->odd->one_found || fal_u128_test(early->received, n))
        return false;
    return lost || fal_fault(conn, FAL_FAULT_OOO_THRESHOLD_IGNORED);
}

bool fal_at_own_lost(const struct fal_ep_conn *conn, bool lost, struct fal_early *early,
                     uint32_t psn)
{
    conn->odd->by_distance = false;
    if (psn - early->base >= FAL_RX_WINDOW_DATA &&
        fal_fault(conn, FAL_FAULT_OWN_WITHIN_BITMAP)) {
        early->end = psn + 1;
        return false;
    }
    return lost || fal_fault(conn, FAL_FAULT_OWN_REPEATS_RECEIVED);
}
