/* SPDX-License-Identifier: Apache-2.0
 * send.h - the send queue: what is posted becomes transactions of at most an MTU (RDMA 6.7). */
#ifndef FAL_ORACLES_ULP_SEND_H
#define FAL_ORACLES_ULP_SEND_H

#include "oracles/ulp/state.h"

/* post_send. Returns as fal_verbs_command. */
MUST_USE int fal_vb_post_send(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                              struct fal_verbs *answer, struct fal_error *err);

/* Sends what the queue pair has to send, as far as there are credits and no fence stops it. */
void fal_vb_pump(struct fal_verbs_engine *engine, struct fal_vb_qp *qp);
/* The same for all queue pairs that wait for credits. */
void fal_vb_pump_blocked(struct fal_verbs_engine *engine);

/* Whether an operation is a pull, and whether it takes a receive request at the target. */
static inline bool fal_vb_is_pull(unsigned op)
{
    return op == FAL_VERBS_READ || op == FAL_VERBS_CAS || op == FAL_VERBS_FAA;
}

static inline bool fal_vb_is_send(unsigned op)
{
    return op == FAL_VERBS_SEND || op == FAL_VERBS_SEND_IMM || op == FAL_VERBS_SEND_INV;
}

#endif
