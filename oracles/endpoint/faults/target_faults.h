/* SPDX-License-Identifier: Apache-2.0
 * target_faults.h - what a faulty target does that takes more than a line. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_TARGET_FAULTS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_TARGET_FAULTS_H

#include "oracles/endpoint/connection.h"

/* ordered-delivery-by-psn: requests are delivered by window, in the order of their PSNs. */
void fal_target_ready_by_psn(struct fal_ep_conn *conn, struct fal_received *txn);
bool fal_target_psns_complete(const struct fal_ep_conn *conn, const struct fal_received *txn);

/* delivery-lost: a push is acknowledged that its ULP has never seen. */
bool fal_target_unseen(struct fal_ep_conn *conn, struct fal_received *txn);

/* pull-data-doubled: the response leaves under two PSNs. */
void fal_target_respond_twice(struct fal_ep_conn *conn, const struct fal_tx_packet *packet);

#endif
