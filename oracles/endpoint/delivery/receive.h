/* SPDX-License-Identifier: Apache-2.0
 * receive.h - what arrives from the wire. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_RECEIVE_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_RECEIVE_H

#include "oracles/endpoint/connection.h"

/* A packet in pieces. */
struct fal_arrival {
    struct fal_falcon falcon;
    const uint8_t *payload; /* in the bytes that arrived */
    uint32_t payload_len;
};

/* Takes a packet apart. False when a receiver can see that it is no packet of this protocol
 * (9.2.2.1). Reserved bits and reserved resync codes are not looked at (AMB-27, AMB-30). */
bool fal_receive_read(const struct fal_endpoint_in *in, struct fal_arrival *packet);

/* Refuses a packet, which then counts as not received: its sender gets a NACK with that code
 * (11, AMB-45). */
void fal_receive_refuse(struct fal_ep_conn *conn, const struct fal_falcon *falcon,
                        enum fal_nack_code code);

/* A packet that was received is acknowledged: the base moves past it and those behind it that
 * are acknowledged (9.2.2.4). */
void fal_receive_acknowledge(struct fal_ep_conn *conn, enum fal_window window, uint32_t psn);

/* Takes the packet in `in` (FAL_IN_PACKET). Returns the connection it belongs to, or NULL when
 * it was dropped before that was known or allowed to matter (9.2.2.1, AMB-30). */
struct fal_ep_conn *fal_receive_packet(struct fal_endpoint *ep,
                                       const struct fal_endpoint_in *in);

/* Handles a packet that has passed the checks of 9.2.2.1 to 9.2.2.3, which are made in the
 * order of arrival. The bytes of `in` are not used. */
void fal_receive_accepted(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                          const struct fal_arrival *packet);

#endif
