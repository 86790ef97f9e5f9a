/* SPDX-License-Identifier: Apache-2.0
 * complete.h - the end of send requests: completions of Falcon become completions of requests
 * (RDMA 6.7-02), and answers of pulls are placed. */
#ifndef FAL_ORACLES_ULP_COMPLETE_H
#define FAL_ORACLES_ULP_COMPLETE_H

#include "oracles/ulp/state.h"

/* A transaction has completed (FAL_OUT_COMPLETE). */
void fal_vb_completed(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                      const struct fal_endpoint_out *out);

/* A transaction, which is no longer under way, has failed. `status`: enum fal_verbs_status. */
void fal_vb_open_failed(struct fal_verbs_engine *engine, const struct fal_vb_open *open,
                        unsigned status);
/* A request fails at its own side: nothing more of it is sent. */
void fal_vb_send_failed(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                        struct fal_vb_send *wqe, unsigned status);

/* All requests of the send queue complete as flushed. */
void fal_vb_sq_flush(struct fal_verbs_engine *engine, struct fal_vb_qp *qp);

#endif
