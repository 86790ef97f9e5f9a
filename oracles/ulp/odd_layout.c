/* SPDX-License-Identifier: Apache-2.0
 * odd_layout.c - faults of single header fields, and of where headers are in a packet. */
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/send.h"

enum {
    RBTH_LEN = 12,
    SN_AT = 8,
    WORD = 4,
    STETH_LEN = 12,
    FLAGS_AT = 2, /* bytes of the RBTH, and bits */
    OPCODE_AT = 3,
    RESERVED_AT = 7, /* behind the destination queue pair */
    RESERVED_FIRST = 0x0f,
    RESERVED_FLAGS = 0xe0,
    ACK_REQUEST = 0x02,
    OPERATION = 0x1f, /* of the opcode */
    RESERVED_UD_OP = 0x66,
};

/* A Middle of a long MTU is spared: a test that stops there would not see its Last. */
enum { LONG_MTU = 1024, PAGE = 4096 };

/* ---- fields ---- */

static uint64_t swapped(uint64_t va)
{
    return va << 32 | va >> 32;
}

/* Of pulls behind the first of their Read. */
static void later_pull(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                       struct fal_vb_segment *segment)
{
    const struct fal_vb_send *wqe = segment->wqe;
    const struct fal_vb_mr *mr;

    if (fal_vb_fault(engine, link, FAL_FAULT_RMSN_OF_FIRST_PULL))
        segment->ulp.rdma.seth.rmsn = wqe->rmsn - wqe->segments;
    if (segment->sink == NULL || !fal_vb_fault(engine, link, FAL_FAULT_STETH_OF_FIRST_PULL))
        return;
    mr = fal_vb_mr_get(engine, wqe->sgl[0].mr);
    segment->sink_va = segment->ulp.rdma.steth.virtual_address = mr->va + wqe->sgl[0].offset;
}

static void xrc_fields(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                       struct fal_rdma *rdma)
{
    if (fal_vb_fault(engine, link, FAL_FAULT_XRC_SRQ_WRONG))
        rdma->xrceth.xrc_srq = (rdma->xrceth.xrc_srq + 1) & FAL_VB_NUMBER_MAX;
}

void fal_vb_at_fields(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                      struct fal_vb_segment *segment)
{
    struct fal_rdma *rdma = &segment->ulp.rdma;
    bool send = fal_vb_is_send(segment->wqe->op), ud = segment->qp->type == FAL_VERBS_UD;

    if (fal_vb_fault(engine, link, FAL_FAULT_DEST_QP_OWN))
        rdma->rbth.dest_qp = fal_vb_qpn(engine, segment->qp->self);
    if (!send && fal_vb_fault(engine, link, FAL_FAULT_RETH_LENGTH_OF_PACKET))
        rdma->reth.length += RBTH_LEN;
    if (!send && fal_vb_fault(engine, link, FAL_FAULT_VA_SWAPPED_WORDS)) {
        rdma->reth.virtual_address = swapped(rdma->reth.virtual_address);
        rdma->atomiceth.virtual_address = swapped(rdma->atomiceth.virtual_address);
    }
    if (!ud && fal_vb_fault(engine, link, FAL_FAULT_RMSN_FROM_ZERO))
        rdma->seth.rmsn--;
    if (segment->qp->type == FAL_VERBS_XRC_INI)
        xrc_fields(engine, link, rdma);
    if (ud && fal_vb_fault(engine, link, FAL_FAULT_QKEY_LITTLE_ENDIAN))
        rdma->deth.queue_key = __builtin_bswap32(rdma->deth.queue_key);
    if (segment->pull && !segment->first)
        later_pull(engine, link, segment);
}

/* ---- bytes of a request ---- */

static void flags(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                  const struct fal_vb_segment *segment, uint8_t *bytes)
{
    if (fal_vb_fault(engine, link, FAL_FAULT_RBTH_RESERVED_SET)) {
        bytes[0] |= RESERVED_FIRST;
        bytes[1] = bytes[RESERVED_AT] = UINT8_MAX;
        bytes[FLAGS_AT] |= RESERVED_FLAGS;
    }
    if (fal_vb_fault(engine, link, FAL_FAULT_RBTH_ACK_REQUEST))
        bytes[FLAGS_AT] |= ACK_REQUEST;
    if (fal_vb_fault(engine, link, FAL_FAULT_OPCODE_OF_NEIGHBOUR) ||
        (!segment->pull && !segment->first &&
         (segment->last || segment->qp->path_mtu < LONG_MTU) &&
         fal_vb_fault(engine, link, FAL_FAULT_OPCODE_OF_REST)))
        bytes[OPCODE_AT] ^= 1;
}

/* Exchanges the bytes before and behind `at`, of `len`. */
static void exchange(uint8_t *bytes, uint32_t at, uint32_t len)
{
    uint8_t before[FAL_VB_PACKET_MAX];

    memcpy(before, bytes, at);
    memmove(bytes, bytes + at, len - at);
    memcpy(bytes + len - at, before, at);
}

/* The XRCETH, which is behind the RBTH; how many bytes of it were left out. */
static uint32_t xrc_header(const struct fal_verbs_engine *engine,
                           const struct fal_vb_link *link, struct fal_vb_segment *segment)
{
    uint8_t *at = segment->bytes + RBTH_LEN;

    if (fal_vb_twin(engine, FAL_TWIN_RESERVED_XRC_INFINIBAND)) {
        memmove(at + 1, at, WORD - 1);
        *at = 0;
    }
    if (!fal_vb_fault(engine, link, FAL_FAULT_XRC_WITHOUT_HEADER))
        return 0;
    segment->len -= WORD;
    memmove(at, at + WORD, segment->len - RBTH_LEN);
    return WORD;
}

void fal_vb_at_layout(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                      struct fal_vb_segment *segment)
{
    uint32_t data = segment->pull ? 0 : segment->length + segment->ulp.rdma.rbth.pad;
    uint32_t headers = segment->len - data - RBTH_LEN; /* the extended ones */
    uint8_t *bytes = segment->bytes, *behind = bytes + RBTH_LEN;

    flags(engine, link, segment, bytes);
    if (segment->qp->type == FAL_VERBS_XRC_INI)
        headers -= xrc_header(engine, link, segment);
    if (segment->qp->type == FAL_VERBS_UD) {
        if (fal_vb_fault(engine, link, FAL_FAULT_OPCODE_WITHOUT_SERVICE))
            bytes[OPCODE_AT] &= OPERATION;
        if (fal_vb_fault(engine, link, FAL_FAULT_UD_OPCODE_RESERVED))
            bytes[OPCODE_AT] = RESERVED_UD_OP;
    }
    if (headers > WORD && fal_vb_fault(engine, link, FAL_FAULT_HEADERS_ROTATED))
        exchange(behind, headers - WORD, headers);
    if (headers > 0 && data > 0 && fal_vb_fault(engine, link, FAL_FAULT_DATA_BEFORE_HEADERS))
        exchange(behind, headers, headers + data);
    if (!segment->pull && fal_vb_fault(engine, link, FAL_FAULT_RBTH_SHORT)) {
        segment->len -= WORD;
        memmove(bytes + SN_AT, bytes + RBTH_LEN, segment->len - SN_AT);
    }
}

/* ---- bytes of an answer ---- */

void fal_vb_at_answer_bytes(const struct fal_verbs_engine *engine,
                            const struct fal_vb_request *request, uint8_t *bytes, uint32_t *len)
{
    static const uint8_t in_turn[] = {FAL_VB_OP_read_response_first,
                                      FAL_VB_OP_read_response_middle,
                                      FAL_VB_OP_read_response_last};
    uint64_t va;

    if (*len < RBTH_LEN + STETH_LEN)
        return;
    if (fal_vb_fault(engine, request->link, FAL_FAULT_ANSWER_OPCODE_OF_NEIGHBOUR))
        bytes[OPCODE_AT] ^= 1;
    if (request->ulp.rdma.rbth.opcode != FAL_VB_OP_read_request ||
        !fal_vb_fault(engine, request->link, FAL_FAULT_ANSWERS_WITHOUT_STETH))
        return;
    /* by the address: a test may have one Read alone */
    va = request->ulp.rdma.reth.virtual_address;
    bytes[OPCODE_AT] =
        in_turn[(va % PAGE + 2 * (va / PAGE)) % (sizeof in_turn / sizeof *in_turn)];
    *len -= STETH_LEN;
    memmove(bytes + RBTH_LEN, bytes + RBTH_LEN + STETH_LEN, *len - RBTH_LEN);
}
