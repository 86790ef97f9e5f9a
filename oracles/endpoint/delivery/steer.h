/* SPDX-License-Identifier: Apache-2.0
 * steer.h - a tester's end chooses what the congestion control of its peer sees (10.1): how
 * long an ACK is held back, and which delay, hops, level and marks it tells. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_STEER_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_STEER_H

#include "oracles/endpoint/connection.h"

/* The ACKs of a connection that are held back, and what they are to tell. */
struct fal_steering;

/* Begins to steer, or changes it. Returns 0 or FAL_ERR_MEM. */
MUST_USE int fal_steer_set(struct fal_ep_conn *conn, const struct fal_steer *steer);
void fal_steer_free(struct fal_ep_conn *conn);

/* Whether each packet is acknowledged by an ACK of its own, without coalescing. */
bool fal_steer_each(const struct fal_ep_conn *conn);
/* Writes into an ACK or NACK what is to be told. */
void fal_steer_fill(const struct fal_ep_conn *conn, struct fal_falcon *ack);
/* How many marks (CE) are counted for a packet that arrives without one. */
unsigned fal_steer_marks(const struct fal_ep_conn *conn);

/* Takes an ACK or NACK that is to leave later. False: it leaves now. */
bool fal_steer_hold(struct fal_ep_conn *conn, const struct fal_falcon *ack);
/* When the next one leaves; FAL_NEVER: none is held. */
uint64_t fal_steer_deadline(const struct fal_ep_conn *conn);
/* Sends those that are due. */
void fal_steer_expire(struct fal_ep_conn *conn);

#endif
