/* SPDX-License-Identifier: Apache-2.0
 * target.h - transactions of the peer: delivery in RSN order, the ULP's answers, RNR and its
 * stickiness, errors, responses (8.5, 11). */
#ifndef FAL_ORACLES_ENDPOINT_TRANSACTION_TARGET_H
#define FAL_ORACLES_ENDPOINT_TRANSACTION_TARGET_H

#include "codecs/base/error.h"
#include "oracles/endpoint/connection.h"

void fal_target_init(struct fal_target *target, struct fal_endpoint *ep, uint32_t rsn,
                     bool ordered);
void fal_target_free(struct fal_target *target);

enum fal_target_got {
    FAL_TARGET_TAKEN,
    FAL_TARGET_AGAIN,        /* a push whose receipt was taken back with its NACK (AMB-65) */
    FAL_TARGET_STALE,        /* an RSN that was used before: nothing comes of it */
    FAL_TARGET_NO_RESOURCES, /* too far ahead, too much, no memory: as if it had never come
                                (AMB-45) */
};

/* A push_data or pull_request whose PSN is new. */
enum fal_target_got fal_target_request(struct fal_ep_conn *conn,
                                       const struct fal_falcon *packet, const uint8_t *payload,
                                       uint32_t payload_len);

/* After FAL_TARGET_TAKEN, once the packet is marked received: what follows for its delivery. */
void fal_target_arrived(struct fal_ep_conn *conn, const struct fal_falcon *packet);

/* Whether the push of that RSN has ended in error, and waits for its resync. */
bool fal_target_refused(const struct fal_ep_conn *conn, uint32_t rsn);

/* Another copy of a push that is received and not acknowledged (AMB-17): the state of the
 * transaction decides. */
void fal_target_again(struct fal_ep_conn *conn, const struct fal_falcon *packet);

/* A resync of a push_data or pull_request: the transaction of its RSN is over, arrived or not.
 */
void fal_target_resync(struct fal_ep_conn *conn, const struct fal_falcon *packet);

/* The ULP answers (FAL_IN_RESPOND). 0; FAL_ERR_RANGE: no such request waits for it, or the
 * answer does not fit; FAL_ERR_MEM. */
MUST_USE int fal_target_respond(struct fal_ep_conn *conn, const struct fal_endpoint_in *in);

/* A script sent this response in place of the ULP. */
void fal_target_adopt(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);

/* A response left for the first time. */
void fal_target_sent(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);

/* The peer acknowledged a response, or the resync in its place. */
void fal_target_acked(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);

/* The oldest pull that has no response yet: its RSN in *rsn. */
bool fal_target_unanswered(const struct fal_ep_conn *conn, uint32_t *rsn);

/* Whether there is a request to deliver now; and its delivery (false when memory is short). */
bool fal_target_ready(const struct fal_ep_conn *conn);
bool fal_target_deliver(struct fal_ep_conn *conn);

/* The next redelivery or reclaim, or FAL_NEVER; and what is due. */
uint64_t fal_target_deadline(const struct fal_target *target);
void fal_target_expire(struct fal_ep_conn *conn);

/* ---- between target.c and answer.c ---- */

/* The transaction of that RSN, or NULL. */
struct fal_received *fal_target_get(const struct fal_ep_conn *conn, uint32_t rsn);

void fal_target_set_state(struct fal_ep_conn *conn, struct fal_received *txn,
                          enum fal_txn_state state);

/* Moves the next RSN over what needs no delivery: delivered, closed, or answered by a script.
 */
void fal_target_skip_settled(struct fal_ep_conn *conn);

/* Reclaims what it holds of the network's region: its ULP is done with the request (11). */
void fal_target_reclaim(struct fal_ep_conn *conn, struct fal_received *txn);

/* The ULP is no longer unready for it. */
void fal_target_end_rnr(struct fal_ep_conn *conn, struct fal_received *txn);

/* Nothing more comes of it; it may be freed. */
void fal_target_close(struct fal_ep_conn *conn, struct fal_received *txn);

/* Refuses its push. */
void fal_target_nack(struct fal_ep_conn *conn, const struct fal_received *txn,
                     enum fal_nack_code code, uint8_t rnr_code);

/* ---- for the seams of target.c (faults/at_target.c) ---- */

/* Tells the ULP of a request. False when memory is short. */
bool fal_target_tell(struct fal_ep_conn *conn, const struct fal_received *txn);

/* The ULP has received the request: the next one may follow. */
void fal_target_delivered(struct fal_ep_conn *conn, struct fal_received *txn);

#endif
