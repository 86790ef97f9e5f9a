/* SPDX-License-Identifier: Apache-2.0
 * conveyed.h - the variant conveyed-stops-timer (AMB-19): the bases of any packet that leaves,
 * a NACK too, stop the coalescing timer once they acknowledge every packet that arrived since
 * the last ACK. Bits that an earlier ACK has reported do not keep it running; bits that none
 * has reported, OWN, and packets at or above a base do. */
#ifndef FAL_ORACLES_ENDPOINT_VARIANTS_CONVEYED_H
#define FAL_ORACLES_ENDPOINT_VARIANTS_CONVEYED_H

#include "oracles/endpoint/connection.h"

/* A reliable packet has arrived, new or not. */
void fal_conveyed_arrived(struct fal_ep_conn *conn, const struct fal_falcon *falcon);
/* An ACK has left: it reported the present windows. */
void fal_conveyed_told(struct fal_ep_conn *conn);
/* Whether bases that leave now stop the timer. False without the variant. */
bool fal_conveyed(const struct fal_ep_conn *conn);
/* Whether the last ACK reported a packet that has arrived above the base of a window. */
bool fal_conveyed_reported(const struct fal_ep_conn *conn, unsigned window, uint32_t psn);

#endif
