/* SPDX-License-Identifier: Apache-2.0
 * acks.h - what an arriving acknowledgement changes in the transmit windows (9.2.3, 9.2.4). */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_ACKS_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_ACKS_H

#include "oracles/endpoint/connection.h"

/* A BACK, EACK or NACK. One with an older base of either window, or one of a packet never sent,
 * is discarded as a whole (AMB-23): false. */
bool fal_acks_packet(struct fal_ep_conn *conn, const struct fal_falcon *ack);

/* The bases in any packet: each newer one counts, others are ignored (AMB-23). */
void fal_acks_piggyback(struct fal_ep_conn *conn, const struct fal_falcon *packet);

/* A base that says something new, and nothing of packets that were never sent. */
bool fal_acks_newer(const struct fal_txwin *win, uint32_t base);

/* A base that says nothing new, or something new of what was sent. */
bool fal_acks_acceptable(const struct fal_txwin *win, uint32_t base);

/* All packets before `base` are acknowledged, which is not beyond what was sent. */
void fal_acks_move_base(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base);

/* Packet base + n is acknowledged for each bit n (9.2.3). */
void fal_acks_move_bits(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                        fal_u128 bits);

#endif
