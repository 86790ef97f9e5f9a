/* SPDX-License-Identifier: Apache-2.0
 * measure.h - what a connection measures and tells: t1 and t2, hops, ECN marks, buffer level
 * (7.7.1, 10.1, 10.2), and its average round trip (9.2.3). */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_MEASURE_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_MEASURE_H

#include "oracles/endpoint/endpoint.h"

struct fal_ep_conn;

/* Records what the next ACK reports about an accepted packet with that header; by default only
 * of reliable ones, duplicates too (AMB-61, AMB-62). Comes before the window looks at it. */
void fal_measure_arrival(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                         const struct fal_falcon *falcon);

/* What an accepted packet tells: how many hops it made, whether it was marked, when it was sent
 * (t1) and when it arrived (t2), in ticks. */
struct fal_measured {
    uint8_t hops;
    bool marked;
    uint32_t t1, t2;
};

/* Fills in what an ACK or NACK tells: t1, t2, hop_count, ecn_rx_count, rx_buffer_occupancy. */
void fal_measure_fill(const struct fal_ep_conn *conn, struct fal_falcon *ack);

/* How a packet that leaves now is sealed; the IV counts as used. */
void fal_measure_seal(struct fal_ep_conn *conn, uint64_t now_ns, struct fal_seal *seal);

/* A packet leaves: its IV, SPI and path in *out; and what faults make of an ACK's times. */
void fal_measure_departure(struct fal_ep_conn *conn, struct fal_falcon *header,
                           struct fal_endpoint_out *out);

/* The round trip of an ACK without times, in ticks. */
#define FAL_RTT_UNKNOWN UINT32_MAX

/* Takes a round trip into the average, T4 - T1, from an accepted ACK or NACK (9.2.3, AMB-22).
 * On a plain link there is no T1, and the first estimate stays. */
void fal_measure_rtt(struct fal_ep_conn *conn, const struct fal_falcon *ack);

/* The quantized level of the fuller pool of receive resources (10.2). */
uint8_t fal_measure_level(const struct fal_ep_conn *conn);

/* What the network region of the receive pools holds has changed, perhaps (8.2.4). */
void fal_measure_pools(struct fal_endpoint *ep);

#endif
