/* SPDX-License-Identifier: Apache-2.0
 * rack.h - RACK-TLP (9.1.6): a transmitter that tells losses by time instead of distance, and
 * that probes a silent tail before its retransmit timer does. For endpoints with the twin of
 * that name; for others nothing here has an effect. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_RACK_H
#define FAL_ORACLES_ENDPOINT_FAULTS_RACK_H

#include "oracles/endpoint/connection.h"

/* Retransmits what was sent before something that has arrived by now, and a round trip and an
 * eighth ago: bit n of `received` stands for base + n. */
void fal_rack_eack(struct fal_ep_conn *conn, const struct fal_txwin *win, uint32_t base,
                   fal_u128 received);

/* A new packet has left: a probe is due two round trips from now. */
void fal_rack_sent(struct fal_ep_conn *conn);

/* An ACK comes: likewise, but not when a probe has left since and nothing was acknowledged.
 * Without this limit, a peer that answers each probe with the same ACK would cause a probe in
 * each round trip, forever. */
void fal_rack_acked(struct fal_ep_conn *conn);

/* Repeats the last packet of each window when nothing was heard for too long. */
void fal_rack_expire(struct fal_ep_conn *conn);

#endif
