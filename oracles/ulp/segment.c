/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/segment.h"

#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/send.h"

/* ---- which part ---- */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void fal_vb_segment_cut(struct fal_vb_segment *segment, struct fal_vb_qp *qp,
                        struct fal_vb_send *wqe)
{
    segment->qp = qp;
    segment->wqe = wqe;
    segment->offset = wqe->sent;
    segment->length = least(wqe->length - wqe->sent, qp->path_mtu);
    segment->pull = fal_vb_is_pull(wqe->op);
    segment->sink = NULL;
    segment->sink_at = 0;
    if (segment->pull && wqe->length > 0) {
        segment->sink = fal_vb_entry(fal_vb_list_of(wqe), wqe->sent, &segment->sink_at);
        segment->length = least(segment->length, segment->sink->length - segment->sink_at);
    }
    segment->first = wqe->segments == 0;
    segment->last = wqe->sent + segment->length == wqe->length;
}

/* ---- headers ---- */

enum { FIRST, MIDDLE, LAST, ONLY, PLACES };

static const uint8_t opcodes[FAL_VERBS_OPS][PLACES] = {
    [FAL_VERBS_SEND] = {FAL_VB_OP_send_first, FAL_VB_OP_send_middle, FAL_VB_OP_send_last,
                        FAL_VB_OP_send_only},
    [FAL_VERBS_SEND_IMM] = {FAL_VB_OP_send_first, FAL_VB_OP_send_middle,
                            FAL_VB_OP_send_last_imm, FAL_VB_OP_send_only_imm},
    [FAL_VERBS_SEND_INV] = {FAL_VB_OP_send_first, FAL_VB_OP_send_middle,
                            FAL_VB_OP_send_last_inv, FAL_VB_OP_send_only_inv},
    [FAL_VERBS_WRITE] = {FAL_VB_OP_write_first, FAL_VB_OP_write_middle, FAL_VB_OP_write_last,
                         FAL_VB_OP_write_only},
    [FAL_VERBS_WRITE_IMM] = {FAL_VB_OP_write_first, FAL_VB_OP_write_middle,
                             FAL_VB_OP_write_last_imm, FAL_VB_OP_write_only_imm},
    [FAL_VERBS_READ] = {FAL_VB_OP_read_request, FAL_VB_OP_read_request, FAL_VB_OP_read_request,
                        FAL_VB_OP_read_request},
    [FAL_VERBS_CAS] = {0, 0, 0, FAL_VB_OP_atomic_cmp_swap},
    [FAL_VERBS_FAA] = {0, 0, 0, FAL_VB_OP_atomic_fetch_add},
};

static uint8_t opcode_of(const struct fal_vb_segment *segment)
{
    unsigned place =
        segment->first ? (segment->last ? ONLY : FIRST) : (segment->last ? LAST : MIDDLE);
    static const uint8_t services[FAL_VERBS_TYPES] = {
        [FAL_VERBS_RC] = FAL_RDMA_RC,
        [FAL_VERBS_UD] = FAL_RDMA_UD,
        [FAL_VERBS_XRC_INI] = FAL_RDMA_XRC,
        [FAL_VERBS_XRC_TGT] = FAL_RDMA_XRC,
    };
    unsigned type = segment->qp->type;

    if (type == FAL_VERBS_UD) /* which has no other opcodes */
        place = ONLY;
    return (uint8_t)(services[type] << 5 | opcodes[segment->wqe->op][place]);
}

/* The rules of InfiniBand: a message that takes a receive request, in its last packet (RDMA
 * 8.2-08). */
static bool solicits(const struct fal_vb_segment *segment)
{
    const struct fal_vb_send *wqe = segment->wqe;

    return (wqe->flags & FAL_VERBS_SOLICITED) != 0 && segment->last &&
           (fal_vb_is_send(wqe->op) || wqe->op == FAL_VERBS_WRITE_IMM);
}

static void fill_base(const struct fal_verbs_engine *engine, struct fal_vb_segment *segment,
                      uint32_t sn)
{
    struct fal_rdma *rdma = &segment->ulp.rdma;

    rdma->rbth = (struct fal_rbth){
        .version = 1,
        .opcode = opcode_of(segment),
        .dest_qp =
            segment->qp->type == FAL_VERBS_UD ? segment->wqe->dest_qpn : segment->qp->dest_qpn,
        .sequence_number = sn,
        .solicited_event = solicits(segment),
        .pad = segment->pull ? 0 : (uint8_t)(-segment->length & 3u),
    };
    rdma->deth.queue_key = segment->wqe->qkey;
    rdma->deth.source_qp = fal_vb_qpn(engine, segment->qp->self);
}

static void fill_request(struct fal_vb_segment *segment)
{
    const struct fal_vb_send *wqe = segment->wqe;
    struct fal_rdma *rdma = &segment->ulp.rdma;

    rdma->reth.virtual_address = wqe->va + segment->offset;
    rdma->reth.r_key = wqe->rkey;
    rdma->reth.length = segment->length; /* of the segment: AMB-R07 */
    rdma->seth.rmsn = wqe->rmsn;
    rdma->oeth.message_offset = segment->offset;
    rdma->immdt.immediate_data = wqe->imm;
    rdma->ieth.r_key = wqe->inv;
    rdma->xrceth.xrc_srq = wqe->srqn;
    rdma->atomiceth = (struct fal_atomiceth){.virtual_address = wqe->va,
                                             .r_key = wqe->rkey,
                                             .swap_or_add = wqe->swap_or_add,
                                             .compare = wqe->compare};
}

/* Where the answer of a pull goes. False if that memory cannot be written. */
static bool fill_sink(const struct fal_verbs_engine *engine, struct fal_vb_segment *segment)
{
    const struct fal_vb_sge *sge = segment->sink;
    const struct fal_vb_mr *mr;

    segment->sink_va = 0;
    segment->lkey = 0;
    if (sge == NULL)
        return true;
    mr = fal_vb_mr_get(engine, sge->mr);
    if (mr->pd != segment->qp->pd || (mr->access & FAL_VERBS_LOCAL_WRITE) == 0 ||
        sge->offset > UINT64_MAX - segment->sink_at ||
        fal_vb_bytes(mr, sge->offset + segment->sink_at, segment->length) == NULL)
        return false;
    segment->sink_va = mr->va + sge->offset + segment->sink_at;
    segment->lkey = mr->lkey;
    return true;
}

/* ---- writing ---- */

uint32_t fal_vb_segment_size(const struct fal_vb_segment *segment)
{
    uint32_t data = (segment->length + 3) & ~3u;

    if (!segment->pull)
        return (uint32_t)fal_rdma_size(fal_rdma_kind(opcode_of(segment))) + data;
    return segment->wqe->op == FAL_VERBS_READ ? FAL_VB_PULL_OVERHEAD + data
                                              : FAL_VB_ATOMIC_RESPONSE;
}

static uint32_t encode(struct fal_vb_segment *segment)
{
    int n;

    segment->ulp.state = FAL_ULP_READ;
    segment->ulp.protocol = FAL_PROTOCOL_RDMA;
    n = fal_ulp_encode(&segment->ulp, segment->bytes, sizeof segment->bytes, NULL);
    return n > 0 ? (uint32_t)n : 0;
}

bool fal_vb_segment_write(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                          struct fal_vb_segment *segment, uint32_t sn)
{
    bool good;

    memset(&segment->ulp.rdma, 0, sizeof segment->ulp.rdma);
    fill_base(engine, segment, sn);
    fill_request(segment);
    if (segment->pull) {
        good = fill_sink(engine, segment);
        segment->ulp.rdma.steth.virtual_address = segment->sink_va;
        segment->ulp.rdma.steth.l_key = segment->lkey;
        fal_vb_seam(engine, fal_vb_at_headers(engine, link, segment));
        segment->len = encode(segment);
        fal_vb_seam(engine, fal_vb_at_bytes(engine, link, segment));
        segment->request_length = fal_vb_segment_size(segment);
        return good;
    }
    fal_vb_seam(engine, fal_vb_at_headers(engine, link, segment));
    segment->len = encode(segment);
    good = fal_vb_gather(engine, fal_vb_list_of(segment->wqe), segment->qp->pd, segment->offset,
                         segment->bytes + segment->len, segment->length);
    segment->len += segment->length;
    memset(segment->bytes + segment->len, 0, segment->ulp.rdma.rbth.pad);
    segment->len += segment->ulp.rdma.rbth.pad;
    fal_vb_seam(engine, fal_vb_at_bytes(engine, link, segment));
    return good;
}

void fal_vb_segment_in_error(const struct fal_verbs_engine *engine,
                             const struct fal_vb_link *link, struct fal_vb_segment *segment,
                             uint32_t sn)
{
    uint32_t headers;

    segment->last = true;
    FAL_IGNORE(fal_vb_segment_write(engine, link, segment, sn) ? 0 : -1); /* zeros will do */
    segment->ulp.rdma.rbth.complete_in_error = 1;
    headers = encode(segment);
    (void)headers; /* as long as before */
}
