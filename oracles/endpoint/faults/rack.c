/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults/rack.h"

#include "oracles/endpoint/delivery/retransmit.h"

/* When the newest packet that has arrived was sent, and the highest PSN sent at that moment. */
static uint64_t newest_ns(const struct fal_txwin *win, uint32_t base, fal_u128 received,
                          uint32_t *newest_psn)
{
    uint64_t newest = win->newest_acked_ns;

    *newest_psn = win->sent.base;
    for (int high = fal_u128_top(received), n = 0; n <= high; n++) {
        const struct fal_tx_packet *packet = fal_txwin_get(win, base + (uint32_t)n);

        if (packet == NULL || !fal_u128_test(received, (unsigned)n) ||
            packet->last_tx_ns < newest)
            continue;
        newest = packet->last_tx_ns;
        *newest_psn = packet->psn;
    }
    return newest;
}

void fal_rack_eack(struct fal_ep_conn *conn, const struct fal_txwin *win, uint32_t base,
                   fal_u128 received)
{
    uint32_t newest_psn;
    uint64_t newest = newest_ns(win, base, received, &newest_psn), now_ns = conn->ep->now_ns;
    uint64_t patience_ns = conn->rtt_ns + conn->rtt_ns / 8; /* for what the network reorders */

    for (uint32_t psn = win->sent.base; psn != win->next; psn++) {
        const struct fal_tx_packet *packet = fal_txwin_get(win, psn);

        if (packet != NULL && !fal_u128_test(received, psn - base) &&
            (packet->last_tx_ns < newest ||
             (packet->last_tx_ns == newest && fal_seq_lt(psn, newest_psn))) &&
            packet->last_tx_ns + patience_ns < now_ns)
            (void)fal_retransmit_lost(conn, win, psn);
    }
}

static uint32_t outstanding(const struct fal_ep_conn *conn)
{
    return conn->tx[0].unacked + conn->tx[1].unacked;
}

static void arm(struct fal_ep_conn *conn)
{
    conn->probe_ns = FAL_NEVER;
    if (outstanding(conn) > 0 && conn->auto_retransmit && fal_twin(conn, FAL_TWIN_RACK_TLP))
        conn->probe_ns = conn->ep->now_ns + 2 * conn->rtt_ns + 1 + conn->params.coalescing_ns;
}

void fal_rack_sent(struct fal_ep_conn *conn)
{
    conn->probed = 0;
    arm(conn);
}

void fal_rack_acked(struct fal_ep_conn *conn)
{
    if (conn->probed == 0 || conn->probed != outstanding(conn))
        fal_rack_sent(conn);
}

void fal_rack_expire(struct fal_ep_conn *conn)
{
    if (conn->probe_ns > conn->ep->now_ns)
        return;
    conn->probe_ns = FAL_NEVER;
    conn->probed = outstanding(conn);
    for (unsigned i = 0; i < 2; i++) {
        const struct fal_txwin *win = &conn->tx[i];
        uint32_t psn = win->next;

        while (psn != win->sent.base && !fal_retransmit_lost(conn, win, psn - 1))
            psn--;
    }
}
