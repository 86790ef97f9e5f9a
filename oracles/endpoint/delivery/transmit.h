/* SPDX-License-Identifier: Apache-2.0
 * transmit.h - the gates and the way onto the wire (9.1.2, 9.1.3). */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_TRANSMIT_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_TRANSMIT_H

#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/schedule.h"

/* Whether a packet may leave with that PSN, its own or the one it would get (9.1.2). */
bool fal_transmit_gate_open(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                            uint32_t psn);

/* Nothing waits to be sent: what most inputs leave behind. */
static inline bool fal_transmit_idle(const struct fal_ep_conn *conn)
{
    return fal_schedule_idle(conn) && fal_link_alone(&conn->tx[FAL_WINDOW_DATA].due) &&
           fal_link_alone(&conn->tx[FAL_WINDOW_REQ].due);
}

/* Sends one packet that its gate lets through: retransmissions go before new packets. False
 * when no packet may leave, or memory is short. */
bool fal_transmit_one(struct fal_ep_conn *conn);

/* Whether there is one. */
bool fal_transmit_eligible(const struct fal_ep_conn *conn);

/* The base header of a packet of that type as it would leave now, without PSN and RSN. */
void fal_transmit_header(const struct fal_ep_conn *conn, enum fal_packet_type type,
                         struct fal_falcon *header);

/* Puts a packet on the wire as it is. Out of memory loses it, as a network may. */
void fal_transmit_emit(struct fal_ep_conn *conn, struct fal_falcon *header,
                       const uint8_t *payload, size_t payload_len);

#endif
