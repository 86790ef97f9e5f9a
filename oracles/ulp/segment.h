/* SPDX-License-Identifier: Apache-2.0
 * segment.h - one transaction of a send request: which part of it, its headers, its bytes. */
#ifndef FAL_ORACLES_ULP_SEGMENT_H
#define FAL_ORACLES_ULP_SEGMENT_H

#include "oracles/ulp/memory.h"

struct fal_vb_segment {
    struct fal_vb_qp *qp;
    struct fal_vb_send *wqe;
    uint32_t offset, length; /* of its data in the message */
    bool first, last, pull;
    const struct fal_vb_sge *sink; /* of a pull: its entry, or NULL when it has no bytes */
    uint32_t sink_at;              /* the place in the entry */
    uint64_t sink_va;              /* what STETH tells */
    uint32_t lkey;
    struct fal_ulp ulp;
    uint32_t request_length; /* of a pull */
    uint32_t len;            /* of `bytes` */
    uint8_t bytes[FAL_VB_PACKET_MAX];
};

static inline struct fal_vb_list fal_vb_list_of(const struct fal_vb_send *wqe)
{
    return (struct fal_vb_list){wqe->sgl, wqe->num_sge};
}

/* Which part of the request comes next: at most an MTU, and of a read one entry of its list
 * alone (RDMA 6.7). */
void fal_vb_segment_cut(struct fal_vb_segment *segment, struct fal_vb_qp *qp,
                        struct fal_vb_send *wqe);

/* Bytes that it takes credits for: of a push, or of the answer to a pull. */
uint32_t fal_vb_segment_size(const struct fal_vb_segment *segment);

/* Writes headers, data and padding. `sn`: its sequence number. False: the data, or the sink of
 * a pull, cannot be used, which is a local error; what cannot be read is then 0. */
bool fal_vb_segment_write(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                          struct fal_vb_segment *segment, uint32_t sn);

/* Marks it, written, as the end of a message that must complete in error (RDMA 8.2-04). */
void fal_vb_segment_in_error(const struct fal_verbs_engine *engine,
                             const struct fal_vb_link *link, struct fal_vb_segment *segment,
                             uint32_t sn);

#endif
