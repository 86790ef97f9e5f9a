/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/schedule.h"

#include "oracles/endpoint/delivery/transmit.h"

void fal_schedule_init(struct fal_schedule *schedule, uint64_t gap_ns, uint32_t burst)
{
    *schedule = (struct fal_schedule){.gap_ns = gap_ns, .burst = burst > 0 ? burst : 1};
    fal_link_init(&schedule->active);
}

/* ---- between the types of a connection ---- */

/* Two queues keep the RSN order of an ordered connection: what the initiator sends is in one
 * (AMB-46). */
static enum fal_queue queue_of(const struct fal_ep_conn *conn,
                               const struct fal_tx_packet *packet)
{
    bool data = packet->original == FAL_PULL_DATA;

    return fal_decide(conn, queue, data ? FAL_QUEUE_DATA : FAL_QUEUE_REQUESTS, packet);
}

void fal_schedule_queue(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    struct fal_link *head = &conn->queue[queue_of(conn, packet)];

    if (fal_proceed(conn, queue_last, head, packet))
        fal_link_append(head, &packet->link);
}

static struct fal_tx_packet *head_of(const struct fal_ep_conn *conn, unsigned which)
{
    const struct fal_link *head = &conn->queue[which];

    return fal_link_alone(head) ? NULL : FAL_ITEM(head->next, struct fal_tx_packet, link);
}

/* The queue whose turn is after that of `which`. */
static unsigned next_of(unsigned which)
{
    return which + 1 < FAL_QUEUE_COUNT ? which + 1 : 0;
}

/* On an ordered connection what the initiator sends leaves in RSN order (8.2.1.1), however many
 * queues it has. */
static bool in_order(const struct fal_ep_conn *conn, unsigned which,
                     const struct fal_tx_packet *packet)
{
    const struct fal_tx_packet *other;

    if (!conn->params.ordered || which == FAL_QUEUE_DATA)
        return true;
    other = head_of(conn, which == FAL_QUEUE_PUSHES ? FAL_QUEUE_REQUESTS : FAL_QUEUE_PUSHES);
    return other == NULL || fal_seq_lt(packet->rsn, other->rsn);
}

struct fal_tx_packet *fal_schedule_first(const struct fal_ep_conn *conn)
{
    unsigned turn = conn->queue_turn;

    for (unsigned i = 0; i < FAL_QUEUE_COUNT; i++, turn = next_of(turn)) {
        unsigned which = fal_decide(conn, turn, turn, i);
        struct fal_tx_packet *packet = head_of(conn, which);

        if (packet != NULL && in_order(conn, which, packet) &&
            fal_transmit_gate_open(conn, packet, conn->tx[fal_tx_window(packet)].next))
            return packet;
    }
    return NULL;
}

void fal_schedule_take(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    fal_link_remove(&packet->link);
    conn->queue_turn = (uint8_t)next_of(queue_of(conn, packet));
    fal_filter(conn, dequeued, packet);
}

/* ---- between the connections ---- */

static bool slot_open(const struct fal_endpoint *ep)
{
    const struct fal_schedule *schedule = &ep->schedule;

    return schedule->sent < schedule->burst || ep->now_ns >= schedule->next_ns;
}

/* A packet leaves: of this burst, or the first of another. */
static void use_slot(struct fal_endpoint *ep)
{
    struct fal_schedule *schedule = &ep->schedule;

    if (ep->now_ns >= schedule->next_ns) {
        schedule->sent = 0;
        schedule->next_ns = ep->now_ns + schedule->gap_ns;
    }
    schedule->sent++;
}

void fal_schedule_run(struct fal_endpoint *ep)
{
    struct fal_schedule *schedule = &ep->schedule;

    while (!fal_link_alone(&schedule->active) && slot_open(ep)) {
        struct fal_ep_conn *conn = FAL_ITEM(schedule->active.next, struct fal_ep_conn, active);
        bool stays = fal_decide(conn, stays_first, false);

        fal_link_remove(&conn->active);
        if (!fal_transmit_one(conn))
            continue; /* masked out until it is settled again */
        use_slot(ep);
        if (fal_transmit_eligible(conn))
            fal_link_insert(stays ? &schedule->active : schedule->active.prev, &conn->active);
        fal_ep_conn_rearm(conn);
    }
}

uint64_t fal_schedule_deadline(const struct fal_endpoint *ep)
{
    return fal_link_alone(&ep->schedule.active) ? FAL_NEVER : ep->schedule.next_ns;
}

void fal_schedule_settle(struct fal_ep_conn *conn)
{
    if (conn->ep->schedule.gap_ns == 0) {
        while (!fal_transmit_idle(conn) && fal_transmit_one(conn))
            ;
        return;
    }
    if (fal_link_alone(&conn->active) && fal_transmit_eligible(conn))
        fal_link_append(&conn->ep->schedule.active, &conn->active);
    fal_schedule_run(conn->ep);
}
