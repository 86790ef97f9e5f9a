/* SPDX-License-Identifier: Apache-2.0
 * ulp_fill.h - lengths of RDMA packets that follow from others. */
#ifndef FAL_CODECS_HEADER_ULP_FILL_H
#define FAL_CODECS_HEADER_ULP_FILL_H

#include "codecs/header/ulp.h"

/* The lengths that somebody has stated. */
struct fal_rdma_given {
    bool reth_length, request_length;
};

/* Fills in the lengths that are not given: of a WRITE's segment; of a READ in the RETH or in
 * the Falcon packet, whichever is not given (AMB-R07, AMB-R16); of the answer to an atomic
 * operation (RDMA 8.3.7). `data`: the bytes after the headers, the padding included. */
void fal_rdma_fill(const struct fal_rdma_kind *kind, struct fal_rdma_given given, size_t data,
                   struct fal_rdma *rdma, struct fal_falcon *packet);

#endif
