/* SPDX-License-Identifier: Apache-2.0
 * link.h - a connection of the endpoint under an engine: the transactions under way, the
 * requests that have come, and credits. */
#ifndef FAL_ORACLES_ULP_LINK_H
#define FAL_ORACLES_ULP_LINK_H

#include "oracles/endpoint/transaction/credits.h"
#include "oracles/ulp/state.h"

/* The connection with the endpoint's number, or NULL if it is not attached. */
struct fal_vb_link *fal_vb_link(const struct fal_verbs_engine *engine, uint32_t conn);

/* Frees what it holds. */
void fal_vb_link_clear(struct fal_vb_link *link);

/* Whether a transaction of that length has credits now (RDMA 6.5). */
bool fal_vb_affords(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                    enum fal_spend spend, uint32_t length);

/* ---- transactions under way ---- */

/* Room for one; its tag in *tag. NULL when there are FAL_VB_OPEN_MAX or memory is short. */
struct fal_vb_open *fal_vb_open_add(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                                    uint64_t *tag);
/* Takes the one with that tag out, into *out; false if there is none. */
bool fal_vb_open_take(struct fal_vb_link *link, uint64_t tag, struct fal_vb_open *out);

/* ---- requests of the peer ---- */

/* The request of that RSN is here. */
void fal_vb_arrived(struct fal_verbs_engine *engine, struct fal_vb_link *link, uint32_t rsn);
/* Whether all requests before that RSN are here (RDMA 8.2-16: by RSN, which has no gaps, where
 * the text names the SN). */
bool fal_vb_all_before(const struct fal_vb_link *link, uint32_t rsn);

/* Notes a packet of a Write that has more behind it. */
void fal_vb_part_put(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                     const struct fal_vb_part *part);
/* The bytes of the packets of a Write before that one, whose data begin at `va`. Their data lie
 * one behind the other, and packets of other requests may be in between (AMB-R19). */
uint32_t fal_vb_parts_before(struct fal_vb_link *link, uint32_t rsn, uint64_t va);

/* ---- answers ---- */

/* Answers a request. `in` has the answer and its data; the rest is filled in. Errors of the
 * endpoint mean that the request is over, and are ignored. */
void fal_vb_answer(struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                   uint32_t rsn, struct fal_endpoint_in in);
/* Answers a pull with data, now or when there are credits (RDMA 6.5-04: posts that wait do not
 * stop it). `qp` is whose it is. */
void fal_vb_answer_data(struct fal_verbs_engine *engine, struct fal_vb_link *link, uint32_t qp,
                        uint32_t rsn, const uint8_t *bytes, uint32_t len);
/* Sends answers that waited for credits, as far as there are credits. */
void fal_vb_answer_waiting(struct fal_verbs_engine *engine, struct fal_vb_link *link);

#endif
