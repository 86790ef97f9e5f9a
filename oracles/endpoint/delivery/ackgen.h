/* SPDX-License-Identifier: Apache-2.0
 * ackgen.h - what this end acknowledges: when an ACK is due, BACK or EACK, and NACKs
 * (9.1.6, 9.1.7). */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_ACKGEN_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_ACKGEN_H

#include "oracles/endpoint/connection.h"

/* There is something to tell the peer: a packet was accepted or discarded, or a ULP
 * acknowledged. Starts the coalescing timer if it is not running (AMB-19); `at_once`: an ACK
 * was asked for. */
void fal_ackgen_news(struct fal_ep_conn *conn, bool at_once);

/* A packet was accepted (`taken`) or discarded. An ACK leaves at once when it asks for one by
 * its AR bit; except for a push, which its ULP acknowledges later, and for a discarded packet,
 * whose AR bit says nothing (9.2.2.4, AMB-18). */
void fal_ackgen_arrived(struct fal_ep_conn *conn, const struct fal_falcon *falcon, bool taken);

/* The coalescing timer may have fired. */
void fal_ackgen_expire(struct fal_ep_conn *conn);

/* Sends the ACK that is due, if one is. */
void fal_ackgen_flush(struct fal_ep_conn *conn);

/* A packet has left with the bases: the timer stops if they say all there is to say. */
void fal_ackgen_piggybacked(struct fal_ep_conn *conn);

/* A packet that is refused, and why. */
struct fal_refusal {
    enum fal_window window;
    uint32_t psn;
    enum fal_nack_code code;
    uint8_t rnr_code, ulp_nack_code; /* 0 where the code has none */
};

/* Tells the peer why its packet was refused. */
void fal_ackgen_nack(struct fal_ep_conn *conn, const struct fal_refusal *refusal);

/* FAL_BACK where it says all, else FAL_EACK. */
enum fal_packet_type fal_ackgen_type(const struct fal_ep_conn *conn);

/* An ACK or NACK of that type with the state of this moment. */
void fal_ackgen_fill(const struct fal_ep_conn *conn, enum fal_packet_type type,
                     struct fal_falcon *ack);

/* An ACK has left; `own`: the OWN bits that it carried. */
void fal_ackgen_told(struct fal_ep_conn *conn, unsigned own);

#endif
