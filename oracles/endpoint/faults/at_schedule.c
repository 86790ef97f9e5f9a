/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of schedule.c and connection.c: which packet and which connection is next
 * (8.3), transmit windows, fatal errors. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/variants/lanes.h"

/* ---- within a connection ---- */

enum fal_queue fal_at_queue(const struct fal_ep_conn *conn, enum fal_queue queue,
                            const struct fal_tx_packet *packet)
{
    return packet->original == FAL_PUSH_DATA && fal_twin(conn, FAL_TWIN_THREE_QUEUES)
               ? FAL_QUEUE_PUSHES
               : queue;
}

bool fal_at_queue_last(const struct fal_ep_conn *conn, struct fal_link *head,
                       struct fal_tx_packet *packet)
{
    if (packet->original == FAL_PULL_DATA ||
        !fal_fault(conn, FAL_FAULT_REQUESTS_SENT_LAST_FIRST))
        return true;
    fal_link_insert(head, &packet->link);
    return false;
}

unsigned fal_at_turn(const struct fal_ep_conn *conn, unsigned queue, unsigned i)
{
    static const uint8_t data_first[FAL_QUEUE_COUNT] = {FAL_QUEUE_DATA, FAL_QUEUE_REQUESTS,
                                                        FAL_QUEUE_PUSHES};
    static const uint8_t data_last[FAL_QUEUE_COUNT] = {FAL_QUEUE_REQUESTS, FAL_QUEUE_PUSHES,
                                                       FAL_QUEUE_DATA};

    if (fal_twin(conn, FAL_TWIN_PULL_DATA_FIRST))
        return data_first[i];
    return conn->odd->starve_data ? data_last[i] : queue;
}

void fal_at_dequeued(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    (void)packet;
    conn->odd->starve_data = fal_fault(conn, FAL_FAULT_PULL_DATA_STARVED);
}

/* ---- between connections ---- */

bool fal_at_stays_first(const struct fal_ep_conn *conn, bool stays)
{
    const struct fal_link *active = &conn->ep->schedule.active;
    bool others_wait = active->next != active->prev;

    return stays || (others_wait && fal_fault(conn, FAL_FAULT_CONNECTIONS_STARVED));
}

/* ---- the connection ---- */

uint32_t fal_at_window_size(const struct fal_ep_conn *conn, uint32_t size)
{
    return fal_twin(conn, FAL_TWIN_TX_WINDOW_INCLUSIVE) ? size + 1 : size;
}

void fal_at_ends(struct fal_ep_conn *conn)
{
    const struct fal_txwin *req = &conn->tx[FAL_WINDOW_REQ], *data = &conn->tx[FAL_WINDOW_DATA];
    uint32_t held = req->next - req->sent.base + data->next - data->sent.base;

    if (held > 0 && fal_fault(conn, FAL_FAULT_ENDED_HOLDS))
        conn->ep->faulty.held += held;
}

bool fal_at_fatal_told(struct fal_ep_conn *conn, bool told)
{
    fal_tx_lanes_run(conn, true); /* what was sent before */
    return told && !fal_fault(conn, FAL_FAULT_FATAL_SILENT);
}

/* ---- what is put off ---- */

uint64_t fal_at_put_off(const struct fal_ep_conn *conn, uint64_t at_ns)
{
    uint64_t lanes_ns = fal_lanes_deadline(conn);

    return lanes_ns < at_ns ? lanes_ns : at_ns;
}

void fal_at_tick(struct fal_ep_conn *conn)
{
    fal_tx_lanes_run(conn, false);
    fal_rx_lanes_run(conn, false);
}

void fal_at_catch_up(struct fal_ep_conn *conn)
{
    fal_rx_lanes_run(conn, true);
    fal_tx_lanes_run(conn, true);
}
