/* SPDX-License-Identifier: Apache-2.0
 * target.h - requests of the peer: their checks, what they do to memory and receive queues, and
 * their answers. */
#ifndef FAL_ORACLES_ULP_TARGET_H
#define FAL_ORACLES_ULP_TARGET_H

#include "oracles/ulp/state.h"

/* A request, read. */
struct fal_vb_request {
    struct fal_vb_link *link;
    struct fal_vb_qp *qp;
    uint32_t rsn, asked; /* asked: request_length of a pull */
    bool pull;
    enum fal_rdma_service service;
    struct fal_ulp ulp;        /* with the opcode of RC where the service is XRC */
    const uint8_t *data, *raw; /* raw: all bytes */
    uint32_t data_len, raw_len;
};

/* A request is delivered (FAL_OUT_REQUEST). */
void fal_vb_requested(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                      const struct fal_endpoint_out *out);

/* Answers with an error: the cause tells the initiator's status. In the mode of verbs the queue
 * pair goes to the error state (RDMA 6.3). */
void fal_vb_refuse(struct fal_verbs_engine *engine, const struct fal_vb_request *request,
                   unsigned cause);

/* What messages and pulls do (target_push.c, target_pull.c). False: not now, and the request
 * comes again. */
bool fal_vb_take_send(struct fal_verbs_engine *engine, const struct fal_vb_request *request);
bool fal_vb_take_write(struct fal_verbs_engine *engine, const struct fal_vb_request *request);
void fal_vb_take_datagram(struct fal_verbs_engine *engine,
                          const struct fal_vb_request *request);
bool fal_vb_take_read(struct fal_verbs_engine *engine, const struct fal_vb_request *request);
bool fal_vb_take_atomic(struct fal_verbs_engine *engine, const struct fal_vb_request *request);
/* The answer of a pull that fails: no data, and the mark complete-in-error (AMB-25, AMB-R10).
 */
void fal_vb_refuse_pull(struct fal_verbs_engine *engine, const struct fal_vb_request *request);

/* The key is invalid from now on (RDMA 8.3.8-02). */
void fal_vb_invalidate(struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                       uint32_t rkey);

#endif
