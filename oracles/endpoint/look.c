/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/look.h"

#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/hold.h"

static uint32_t length_of(const struct fal_link *head)
{
    uint32_t n = 0;

    for (const struct fal_link *at = head->next; at != head; at = at->next)
        n++;
    return n;
}

int fal_endpoint_look(const struct fal_endpoint *ep, uint32_t conn, struct fal_look *out)
{
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    if (of == NULL)
        return FAL_ERR_RANGE;
    *out = (struct fal_look){
        .dead = of->dead,
        .auto_ack = of->auto_ack,
        .auto_retransmit = of->auto_retransmit,
        .coalesce_ns = of->coalesce_ns,
        .held_ns = of->held_ns,
        .rto_ns = of->params.rto_ns,
        .rtt_ns = of->rtt_ns,
        .tx_size = {of->tx[0].size, of->tx[1].size},
        .rx_size = {of->rx[0].size, of->rx[1].size},
        .unacked = {of->tx[0].unacked, of->tx[1].unacked},
    };
    for (int queue = 0; queue < FAL_QUEUE_COUNT; queue++)
        out->queued += length_of(&of->queue[queue]);
    return 0;
}

/* A packet that was sent is in the list of timers, or in the list of those that are due, or in
 * none. */
static struct fal_look_packet seen_of(enum fal_window window,
                                      const struct fal_tx_packet *packet)
{
    bool timed = !packet->due && !fal_link_alone(&packet->link);
    bool held = timed && packet->deadline_ns >= FAL_HELD_NS;

    return (struct fal_look_packet){
        .window = window,
        .type = (enum fal_packet_type)packet->type,
        .psn = packet->psn,
        .rsn = packet->rsn,
        .attempts = packet->attempts,
        .last_tx_ns = packet->last_tx_ns,
        .deadline_ns = !timed ? FAL_NEVER : packet->deadline_ns - (held ? FAL_HELD_NS : 0),
        .held = held,
        .rnr = packet->rnr,
        .due = packet->due,
    };
}

size_t fal_endpoint_look_packets(const struct fal_endpoint *ep, uint32_t conn,
                                 struct fal_look_packet *out, size_t cap)
{
    static const enum fal_window order[] = {FAL_WINDOW_REQ, FAL_WINDOW_DATA};
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);
    size_t n = 0;

    for (size_t i = 0; of != NULL && i < sizeof order / sizeof *order; i++) {
        const struct fal_txwin *win = &of->tx[order[i]];

        for (uint32_t psn = win->sent.base; psn != win->next; psn++) {
            const struct fal_tx_packet *packet = fal_txwin_get(win, psn);

            if (packet == NULL || packet->acked)
                continue;
            if (n < cap)
                out[n] = seen_of(order[i], packet);
            n++;
        }
    }
    return n;
}
