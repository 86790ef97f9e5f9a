/* SPDX-License-Identifier: Apache-2.0
 * ackfaults.h - what a faulty receiver writes into its ACKs and NACKs (faults.h). */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_ACKFAULTS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_ACKFAULTS_H

#include "oracles/endpoint/connection.h"

/* Tells a lie in an ACK or NACK that is about to leave, for each fault that has one to tell. */
void fal_ackfaults_tell(const struct fal_ep_conn *conn, struct fal_falcon *ack);

/* Whether a BACK goes out where an EACK is due. */
bool fal_ackfaults_omit(const struct fal_ep_conn *conn);

#endif
