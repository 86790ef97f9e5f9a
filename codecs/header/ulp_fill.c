/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/ulp_fill.h"

/* The headers of the answers to a READ and to an atomic operation. */
enum { READ_ANSWER = 24, ATOMIC_ANSWER = 32 };

void fal_rdma_fill(const struct fal_rdma_kind *kind, struct fal_rdma_given given, size_t data,
                   struct fal_rdma *rdma, struct fal_falcon *packet)
{
    enum fal_rdma_header second = kind->num_headers > 1 ? kind->headers[1] : FAL_RDMA_RBTH;

    if (second == FAL_RDMA_XRCETH)
        second = kind->headers[2];
    if (second == FAL_RDMA_ATOMICETH && !given.request_length)
        packet->request_length = ATOMIC_ANSWER;
    if (second != FAL_RDMA_RETH)
        return;
    if (kind->data && !given.reth_length && data >= rdma->rbth.pad)
        rdma->reth.length = (uint32_t)(data - rdma->rbth.pad);
    else if (!kind->data && !given.reth_length && packet->request_length >= READ_ANSWER)
        rdma->reth.length = packet->request_length - (uint32_t)READ_ANSWER;
    else if (!kind->data && !given.request_length &&
             rdma->reth.length <= UINT16_MAX - READ_ANSWER - 3)
        packet->request_length = (uint16_t)(READ_ANSWER + (rdma->reth.length + 3) / 4 * 4);
}
