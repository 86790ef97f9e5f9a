/* SPDX-License-Identifier: Apache-2.0
 * qp.h - queue pairs: made, connected, asked for their state, and brought to the error state.
 */
#ifndef FAL_ORACLES_ULP_QP_H
#define FAL_ORACLES_ULP_QP_H

#include "oracles/ulp/state.h"

/* qp_create, qp_connect, qp_query. */
MUST_USE int fal_vb_qp_create(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                              struct fal_verbs *answer, struct fal_error *err);
MUST_USE int fal_vb_qp_connect(struct fal_verbs_engine *engine, uint32_t conn,
                               const struct fal_verbs *ask, struct fal_error *err);
MUST_USE int fal_vb_qp_query(const struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                             struct fal_verbs *answer, struct fal_error *err);

/* The queue pair goes to the error state: what is posted completes as flushed (RDMA 6.3).
 * `what`: an event that tells of it, or NULL. Again: nothing happens. */
void fal_vb_qp_fail(struct fal_verbs_engine *engine, struct fal_vb_qp *qp, const char *what);

/* A connection is gone: its queue pair goes to the error state (RDMA 6.8-03). `told`: with an
 * event. UD requests that are under way on it complete in error. */
void fal_vb_link_lost(struct fal_verbs_engine *engine, struct fal_vb_link *link, bool told);

/* Frees its queues. */
void fal_vb_qp_clear(struct fal_vb_qp *qp);

#endif
