/* SPDX-License-Identifier: Apache-2.0
 * acks.h - what an arriving acknowledgement changes in the transmit windows (9.2.3, 9.2.4). */
#ifndef FAL_ORACLES_ENDPOINT_ACKS_H
#define FAL_ORACLES_ENDPOINT_ACKS_H

#include "oracles/endpoint/connection.h"

/* A BACK, EACK or NACK. One with an older base of either window, or one of a packet never sent,
 * is discarded as a whole (AMB-23): false. */
bool fal_acks_packet(struct fal_ep_conn *conn, const struct fal_falcon *ack);

/* The bases in a reliable packet: each newer one counts, others are ignored (AMB-23). */
void fal_acks_piggyback(struct fal_ep_conn *conn, const struct fal_falcon *packet);

#endif
