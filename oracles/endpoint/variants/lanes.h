/* SPDX-License-Identifier: Apache-2.0
 * lanes.h - pipelines with several lanes. On the way in (rx-lanes, rx-lanes-hashed) requests,
 * data and ACKs, or packets by their PSN, are processed by different engines; on the way out
 * (tx-lanes) they leave by different queues. A packet waits in its lane for a time within the
 * pipeline allowance (IXIT `pipeline`). For connections with one of these variants; for others
 * nothing here has an effect. */
#ifndef FAL_ORACLES_ENDPOINT_VARIANTS_LANES_H
#define FAL_ORACLES_ENDPOINT_VARIANTS_LANES_H

#include "oracles/endpoint/connection.h"

/* How late a packet may leave each stage of the connection at most, in ns: all stages together
 * keep within the pipeline allowance, or within the time of its twins (fal_twin_set). */
uint64_t fal_lanes_share_ns(const struct fal_ep_conn *conn);

struct fal_arrival; /* receive.h */

/* A packet has arrived (FAL_IN_PACKET) and was accepted. True: it is to be processed now;
 * false: it waits, as a copy. Lanes begin behind the checks of 9.2.2.1 to 9.2.2.3: a packet
 * that waits for longer than the replay margin would else be dropped because of younger ones
 * that did not wait, although it arrived before them. */
bool fal_rx_lanes_take(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                       const struct fal_arrival *packet);

/* A packet is about to be put on the wire. True: now; false: it waits, as a copy. */
bool fal_tx_lanes_take(struct fal_ep_conn *conn, const struct fal_falcon *header,
                       const uint8_t *payload, size_t payload_len);

/* When the next packet leaves its lane, or FAL_NEVER. */
uint64_t fal_lanes_deadline(const struct fal_ep_conn *conn);

/* Processes what has waited long enough; with `all`, whatever waits. */
void fal_rx_lanes_run(struct fal_ep_conn *conn, bool all);
void fal_tx_lanes_run(struct fal_ep_conn *conn, bool all);

/* Packets that wait are dropped. */
void fal_lanes_free(struct fal_ep_conn *conn);

#endif
