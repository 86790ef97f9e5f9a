/* SPDX-License-Identifier: Apache-2.0
 * transmit.h - the connection scheduler and the way onto the wire (8.3, 9.1.2, 9.1.3). */
#ifndef FAL_ORACLES_ENDPOINT_TRANSMIT_H
#define FAL_ORACLES_ENDPOINT_TRANSMIT_H

#include "oracles/endpoint/connection.h"

/* Hands a new packet to the scheduler, which owns it from now on. */
void fal_transmit_queue(struct fal_ep_conn *conn, struct fal_tx_packet *packet);

/* Sends what the gates let through: first what is due again, then what is new. */
void fal_transmit_flush(struct fal_ep_conn *conn);

/* The base header of a packet of that type as it would leave now, without PSN and RSN. */
void fal_transmit_header(const struct fal_ep_conn *conn, enum fal_packet_type type,
                         struct fal_falcon *header);

/* Puts a packet on the wire as it is. Out of memory loses it, as a network may. */
void fal_transmit_emit(struct fal_ep_conn *conn, struct fal_falcon *header,
                       const uint8_t *payload, size_t payload_len);

#endif
