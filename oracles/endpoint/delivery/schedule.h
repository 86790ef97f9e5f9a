/* SPDX-License-Identifier: Apache-2.0
 * schedule.h - the connection scheduler (8.3): which packet of the transaction sublayer leaves
 * next. Two levels of round-robin: the queues of a connection take turns, and the connections
 * that may send take turns. A connection whose windows are shut, or that has nothing to send,
 * is masked out.
 *
 * Connections only compete where the way out is narrow: with a gap between bursts, packets wait
 * here; without one, all that the gates let through leaves at once. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_SCHEDULE_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_SCHEDULE_H

#include "oracles/endpoint/connection.h"

/* `burst` packets (0: 1) may leave at a time, the next ones gap_ns later; gap_ns 0: no limit.
 */
void fal_schedule_init(struct fal_schedule *schedule, uint64_t gap_ns, uint32_t burst);

/* Puts a new packet, which the queues own from now on, behind others of its type. */
void fal_schedule_queue(struct fal_ep_conn *conn, struct fal_tx_packet *packet);

/* No new packet waits. */
static inline bool fal_schedule_idle(const struct fal_ep_conn *conn)
{
    for (unsigned which = 0; which < FAL_QUEUE_COUNT; which++)
        if (!fal_link_alone(&conn->queue[which]))
            return false;
    return true;
}

/* The next new packet that its gate lets through, still queued; or NULL. Changes nothing. */
struct fal_tx_packet *fal_schedule_first(const struct fal_ep_conn *conn);

/* That packet is being sent: takes it out, and it is the next queue's turn. */
void fal_schedule_take(struct fal_ep_conn *conn, struct fal_tx_packet *packet);

/* The connection may have something to send, or may no longer: sends it, or lets it wait for
 * its turn. */
void fal_schedule_settle(struct fal_ep_conn *conn);

/* Sends what may leave now; and when more may, or FAL_NEVER. */
void fal_schedule_run(struct fal_endpoint *ep);
uint64_t fal_schedule_deadline(const struct fal_endpoint *ep);

#endif
