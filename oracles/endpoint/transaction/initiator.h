/* SPDX-License-Identifier: Apache-2.0
 * initiator.h - transactions of the local ULP: RSNs, states, completions in RSN order (8.4,
 * 11). */
#ifndef FAL_ORACLES_ENDPOINT_TRANSACTION_INITIATOR_H
#define FAL_ORACLES_ENDPOINT_TRANSACTION_INITIATOR_H

#include "codecs/base/error.h"
#include "oracles/endpoint/connection.h"

void fal_initiator_init(struct fal_initiator *initiator, struct fal_endpoint *ep, uint32_t rsn);
void fal_initiator_free(struct fal_initiator *initiator);

/* The ULP posts a transaction (FAL_IN_POST); its RSN in *rsn. Beyond FAL_ENDPOINT_OPEN_MAX open
 * ones, or on a dead connection, it completes in error at once and takes no RSN. 0,
 * FAL_ERR_RANGE (longer than an MTU, a payload that is not there), FAL_ERR_MEM. */
MUST_USE int fal_initiator_post(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                                uint32_t *rsn);

/* A script sent the request `packet` with an RSN of its own choice: a transaction from now on,
 * unless that RSN is taken or out of reach. */
MUST_USE int fal_initiator_adopt(struct fal_ep_conn *conn, struct fal_tx_packet *packet);

/* The request left for the first time. */
void fal_initiator_sent(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);

/* The peer acknowledged the request, or the resync in its place. */
void fal_initiator_acked(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);

/* The request will be given up by a resync, whose ACK completes the transaction with this code
 * (AMB-47). The first reason stays. */
void fal_initiator_failed(struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                          enum fal_completion code, uint8_t ulp_nack_code);

/* The peer's pull_data for that RSN arrived; ignored when no pull waits for it. */
void fal_initiator_response(struct fal_ep_conn *conn, uint32_t rsn, const uint8_t *payload,
                            uint32_t payload_len);

/* The peer has given up its response to that RSN by a resync (AMB-48). */
void fal_initiator_response_lost(struct fal_ep_conn *conn, uint32_t rsn);

/* When the first transaction times out, or FAL_NEVER; and what has timed out. */
uint64_t fal_initiator_deadline(const struct fal_initiator *initiator);
void fal_initiator_expire(struct fal_ep_conn *conn);

/* The connection has ended: all open transactions complete. */
void fal_initiator_abort(struct fal_ep_conn *conn);

/* ---- for the seams of initiator.c (faults/at_initiator.c) ---- */

/* The transaction of that RSN, or NULL. */
struct fal_initiated *fal_initiator_get(const struct fal_ep_conn *conn, uint32_t rsn);

/* The outcome of a transaction is final; it completes now or when its turn comes (8.4.2). May
 * free it. Without effect on one that is finished. */
void fal_initiator_finish(struct fal_ep_conn *conn, struct fal_initiated *txn,
                          enum fal_completion code);

#endif
