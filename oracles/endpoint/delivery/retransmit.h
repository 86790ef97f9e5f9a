/* SPDX-License-Identifier: Apache-2.0
 * retransmit.h - when a packet is sent again: by timeout (9.1.5), early (9.1.4), after an RNR
 * delay (8.4.3.4), as a resync (9.1.8, 11). */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_RETRANSMIT_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_RETRANSMIT_H

#include "oracles/endpoint/connection.h"

/* Starts the retransmit timer of a packet that is in no list. */
void fal_retransmit_start(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                          uint64_t delay_ns);

/* A packet has left: starts its timer, `again` after a retransmission. */
void fal_retransmit_sent(struct fal_ep_conn *conn, struct fal_tx_packet *packet, bool again);

/* When the first retransmit timer fires, or FAL_NEVER. */
uint64_t fal_retransmit_deadline(const struct fal_ep_conn *conn);

/* Handles the timers that have fired; the connection may be dead afterwards. */
void fal_retransmit_expire(struct fal_ep_conn *conn);

/* A new RTO, for packets to come and for those whose timers run (10.6.2.2); RNR delays stay. */
void fal_retransmit_timeout(struct fal_ep_conn *conn, uint64_t rto_ns);

/* The target's ULP was not ready: the push waits max(RTO, RNR timeout) from now (11, AMB-15).
 */
void fal_retransmit_rnr(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                        unsigned rnr_code);

/* A resync takes the place of the packet, sent or still queued. */
void fal_retransmit_resync(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                           uint8_t code);

/* Retransmits a packet that seems lost, unless an RTT has not yet passed since it was last
 * sent, or its push waits for the ULP (9.1.4, AMB-55): whether it does. */
bool fal_retransmit_lost(struct fal_ep_conn *conn, const struct fal_txwin *win, uint32_t psn);

/* What is looked for in a window when an EACK has arrived. */
struct fal_early {
    uint32_t base;
    fal_u128 received; /* bit n stands for base + n */
    int64_t high;      /* the highest packet received is base + high; -1: none */
    uint32_t end;      /* the OWN bit is set: all before it that was not received is lost */
};

/* What an EACK says of a window: bit n of `received` stands for base + n. */
void fal_retransmit_early(struct fal_ep_conn *conn, struct fal_txwin *win, uint32_t base,
                          fal_u128 received, bool own);

#endif
