/* SPDX-License-Identifier: Apache-2.0
 * recv.h - receive queues, and the messages that take receive requests. */
#ifndef FAL_ORACLES_ULP_RECV_H
#define FAL_ORACLES_ULP_RECV_H

#include "oracles/ulp/state.h"

/* post_recv. Returns as fal_verbs_command. */
MUST_USE int fal_vb_post_recv(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                              struct fal_error *err);

/* Frees the requests of an SRQ. */
void fal_vb_srq_clear(struct fal_vb_srq *srq);

enum fal_vb_got {
    FAL_VB_GOT,   /* here it is */
    FAL_VB_EMPTY, /* no receive request is posted for it */
    FAL_VB_STALE, /* it is no part of a message under way, and begins none */
};

/* The receive request of a message of which a packet has come. Strong: `begins` says that it is
 * the first packet. Weak: the number of the message finds it (RDMA 8.3.2-03, AMB-R18).
 * Unordered and UD: any. */
enum fal_vb_got fal_vb_message(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                               uint32_t rmsn, bool begins, struct fal_vb_recv **recv);

/* For faults. The first receive request that no message has; takes the next one in silence. */
enum fal_vb_got fal_vb_message_any(struct fal_vb_qp *qp, struct fal_vb_recv **recv);
void fal_vb_message_drop(struct fal_verbs_engine *engine, struct fal_vb_qp *qp);

/* The message has all that it needs, or has failed: it completes when its turn comes. */
void fal_vb_message_done(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                         struct fal_vb_recv *recv, unsigned status);
/* Requests have come: messages that waited for them complete. */
void fal_vb_message_waits(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                          struct fal_vb_link *link);

/* Receive requests complete as flushed, messages under way too. */
void fal_vb_rq_flush(struct fal_verbs_engine *engine, struct fal_vb_qp *qp);

/* Gives up messages that began too long ago; the time when the next is due. */
uint64_t fal_vb_rq_expire(struct fal_verbs_engine *engine, struct fal_vb_qp *qp);

#endif
