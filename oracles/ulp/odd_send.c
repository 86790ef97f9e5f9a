/* SPDX-License-Identifier: Apache-2.0
 * odd_send.c - faults and variants of what an initiator sends. */
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/send.h"

enum {
    SHORT_BY = 4,
    SN_LAST = 254, /* after the first one, which is 1 */
    OVER_BY = 64,
    SPLIT = 512,
    RETH_AT = 12,
    RETH_LEN = 16,
    RESERVED_OP = 0x1b,
    PAD_BYTE = 0xa5,
    PAD_AT = 2, /* the byte of Pad, and its bits */
    PAD_BITS = 0x0c,
    OPCODE_AT = 3,
    CHECKSUM_LEN = 4,
};

/* ---- cutting ---- */

/* A push that is cut elsewhere. */
static void cut_push(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                     struct fal_vb_segment *segment)
{
    uint32_t rest = segment->wqe->length - segment->offset - segment->length;

    if (!segment->first && !segment->last && segment->length > SHORT_BY &&
        fal_vb_fault(engine, link, FAL_FAULT_MIDDLE_SHORT))
        segment->length -= SHORT_BY;
    if (rest > 0 && rest <= OVER_BY && segment->length + rest + FAL_VB_OVERHEAD <= link->mtu &&
        fal_vb_fault(engine, link, FAL_FAULT_LAST_OVER_MTU))
        segment->length += rest;
    if (segment->first && segment->last && segment->length > 1 &&
        segment->qp->type == FAL_VERBS_RC &&
        fal_vb_fault(engine, link, FAL_FAULT_ONLY_AS_FIRST_LAST))
        segment->length /= 2;
}

static void cut_read(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                     struct fal_vb_segment *segment)
{
    const struct fal_vb_sge *sge = segment->sink;
    uint32_t rest = segment->wqe->length - segment->offset;
    uint32_t whole = rest < segment->qp->path_mtu ? rest : segment->qp->path_mtu;

    if (whole < rest && whole + OVER_BY + FAL_VB_OVERHEAD <= link->mtu &&
        sge->length - segment->sink_at > whole && segment->length == whole &&
        fal_vb_fault(engine, link, FAL_FAULT_READ_OVER_MTU)) {
        uint32_t most = sge->length - (uint32_t)segment->sink_at;

        segment->length = most < whole + OVER_BY ? most : whole + OVER_BY;
    }
    if (whole > segment->length &&
        fal_vb_bytes(fal_vb_mr_get(engine, sge->mr), sge->offset + segment->sink_at, whole) !=
            NULL &&
        fal_vb_fault(engine, link, FAL_FAULT_READ_CROSSES_FRAGMENT))
        segment->length = whole;
    if (segment->length > SPLIT && fal_vb_twin(engine, FAL_TWIN_READ_SPLITS_SMALL))
        segment->length = SPLIT;
}

void fal_vb_at_cut(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                   struct fal_vb_segment *segment)
{
    if (!segment->pull)
        cut_push(engine, link, segment);
    else if (segment->wqe->op == FAL_VERBS_READ && segment->sink != NULL)
        cut_read(engine, link, segment);
    segment->last = segment->offset + segment->length == segment->wqe->length;
}

/* ---- headers ---- */

static void request_headers(const struct fal_verbs_engine *engine,
                            const struct fal_vb_link *link, struct fal_vb_segment *segment)
{
    const struct fal_vb_send *wqe = segment->wqe;
    struct fal_rdma *rdma = &segment->ulp.rdma;
    bool write = wqe->op == FAL_VERBS_WRITE || wqe->op == FAL_VERBS_WRITE_IMM;

    if (!fal_vb_is_send(wqe->op) && fal_vb_fault(engine, link, FAL_FAULT_RKEY_SWAPPED_WORDS))
        rdma->reth.r_key = rdma->atomiceth.r_key = wqe->rkey << 16 | wqe->rkey >> 16;
    if (write && !segment->first && fal_vb_fault(engine, link, FAL_FAULT_VA_OF_FIRST_IN_ALL))
        rdma->reth.virtual_address = wqe->va;
    if (write && fal_vb_twin(engine, FAL_TWIN_RETH_LENGTH_WHOLE))
        rdma->reth.length = wqe->length;
    if (segment->last && (wqe->op == FAL_VERBS_SEND_IMM || wqe->op == FAL_VERBS_WRITE_IMM) &&
        fal_vb_fault(engine, link, FAL_FAULT_IMM_LITTLE_ENDIAN))
        rdma->immdt.immediate_data = __builtin_bswap32(wqe->imm);
    if (wqe->op == FAL_VERBS_CAS &&
        fal_vb_fault(engine, link, FAL_FAULT_SWAP_COMPARE_EXCHANGED)) {
        rdma->atomiceth.swap_or_add = wqe->compare;
        rdma->atomiceth.compare = wqe->swap_or_add;
    }
    if (wqe->op == FAL_VERBS_SEND_INV &&
        fal_vb_fault(engine, link, FAL_FAULT_RKEY_SWAPPED_WORDS))
        rdma->ieth.r_key = wqe->inv << 16 | wqe->inv >> 16;
    if (segment->pull && segment->sink != NULL && segment->sink != wqe->sgl &&
        fal_vb_fault(engine, link, FAL_FAULT_LKEY_OF_FIRST_FRAGMENT))
        rdma->steth.l_key = segment->lkey = fal_vb_mr_get(engine, wqe->sgl[0].mr)->lkey;
    if (segment->qp->type == FAL_VERBS_UD &&
        fal_vb_fault(engine, link, FAL_FAULT_SOURCE_QP_ZERO))
        rdma->deth.source_qp = 0;
}

void fal_vb_at_headers(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                       struct fal_vb_segment *segment)
{
    const struct fal_vb_send *wqe = segment->wqe;
    struct fal_rdma *rdma = &segment->ulp.rdma;
    bool send = fal_vb_is_send(wqe->op);

    request_headers(engine, link, segment);
    fal_vb_at_fields(engine, link, segment);
    if (fal_vb_fault(engine, link, FAL_FAULT_RBTH_VERSION_0))
        rdma->rbth.version = 0;
    if (fal_vb_fault(engine, link, FAL_FAULT_SN_FROM_ZERO))
        rdma->rbth.sequence_number--;
    if (rdma->rbth.sequence_number - engine->odd->first_sn > SN_LAST &&
        fal_vb_fault(engine, link, FAL_FAULT_SN_STUCK_AT_WRAP))
        rdma->rbth.sequence_number = engine->odd->first_sn + SN_LAST;
    if (send && segment->offset > 0 && fal_vb_fault(engine, link, FAL_FAULT_OETH_IN_PACKETS))
        rdma->oeth.message_offset = wqe->segments;
    if ((send || wqe->op == FAL_VERBS_WRITE_IMM) && segment->first && !segment->last &&
        (wqe->flags & FAL_VERBS_SOLICITED) != 0 &&
        fal_vb_fault(engine, link, FAL_FAULT_SE_IN_FIRST))
        rdma->rbth.solicited_event = 1;
    if (!segment->pull && !segment->last && fal_vb_fault(engine, link, FAL_FAULT_CE_IN_MIDDLE))
        rdma->rbth.complete_in_error = 1;
    if (!segment->pull && fal_vb_twin(engine, FAL_TWIN_RMSN_LOW_BYTE))
        rdma->seth.rmsn &= 0xff;
}

/* ---- bytes ---- */

void fal_vb_at_bytes(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                     struct fal_vb_segment *segment)
{
    const struct fal_rbth *rbth = &segment->ulp.rdma.rbth;
    uint8_t *bytes = segment->bytes;

    fal_vb_at_layout(engine, link, segment);
    if (segment->pull)
        return;
    if (rbth->pad > 0 && fal_vb_twin(engine, FAL_TWIN_PAD_NONZERO_BYTES))
        memset(bytes + segment->len - rbth->pad, PAD_BYTE, rbth->pad);
    if (rbth->pad > 0 && fal_vb_fault(engine, link, FAL_FAULT_PAD_NOT_COUNTED))
        bytes[PAD_AT] &= (uint8_t)~PAD_BITS;
    if (rbth->opcode == FAL_VB_OP_write_middle &&
        fal_vb_fault(engine, link, FAL_FAULT_WRITE_MIDDLE_WITHOUT_RETH)) {
        segment->len -= RETH_LEN;
        memmove(bytes + RETH_AT, bytes + RETH_AT + RETH_LEN, segment->len - RETH_AT);
    }
    if (rbth->opcode == FAL_VB_OP_send_only &&
        fal_vb_fault(engine, link, FAL_FAULT_OPCODE_RESERVED))
        bytes[OPCODE_AT] = RESERVED_OP;
    if (segment->len + CHECKSUM_LEN <= link->mtu &&
        fal_vb_fault(engine, link, FAL_FAULT_ICRC_APPENDED)) {
        memset(bytes + segment->len, PAD_BYTE, CHECKSUM_LEN);
        segment->len += CHECKSUM_LEN;
    }
}

void fal_vb_at_post(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                    const struct fal_vb_segment *segment, struct fal_endpoint_in *in)
{
    engine->odd->sent_ns[in->tag % FAL_VB_SENT] = engine->now_ns;
    if (segment->ulp.rdma.rbth.opcode == FAL_VB_OP_read_request &&
        fal_vb_fault(engine, link, FAL_FAULT_READ_IN_PUSH)) {
        in->op = FAL_OP_PUSH;
        in->length = segment->len;
        in->payload_len = 0;
    }
    if (segment->ulp.rdma.rbth.opcode != FAL_VB_OP_send_only ||
        !fal_vb_fault(engine, link, FAL_FAULT_SEND_IN_PULL))
        return;
    in->op = FAL_OP_PULL;
    in->payload_len = segment->len;
    in->length = FAL_VB_PULL_OVERHEAD;
}

/* ---- numbers ---- */

void fal_vb_at_number(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                      const struct fal_vb_segment *segment)
{
    struct fal_vb_send *wqe = segment->wqe;
    struct fal_vb_qp *qp = segment->qp;
    bool send = fal_vb_is_send(wqe->op);

    if (send && !segment->first && fal_vb_fault(engine, link, FAL_FAULT_RMSN_PER_PACKET))
        wqe->rmsn = qp->rmsn_message++;
    if (qp->ordering == FAL_VERBS_STRONG && send && segment->first &&
        wqe->op != FAL_VERBS_SEND_IMM && fal_vb_twin(engine, FAL_TWIN_RMSN_IMM_ONLY))
        qp->rmsn_message--;
    if (qp->rmsn_message != qp->rmsn_pull &&
        fal_vb_fault(engine, link, FAL_FAULT_RMSN_SHARED_COUNTER))
        qp->rmsn_message = qp->rmsn_pull =
            qp->rmsn_message > qp->rmsn_pull ? qp->rmsn_message : qp->rmsn_pull;
}

uint32_t fal_vb_at_sn(const struct fal_verbs_engine *engine, struct fal_vb_link *link,
                      struct fal_vb_qp *qp)
{
    bool own = qp->type == FAL_VERBS_UD && fal_vb_twin(engine, FAL_TWIN_SN_PER_QP);
    uint32_t *counter = own ? &qp->own_sn : &link->sn, sn;

    if (own && qp->own_sn == 0)
        qp->own_sn = 1;
    sn = *counter;
    *counter += fal_vb_twin(engine, FAL_TWIN_SN_BY_TWO) ? 2 : 1;
    return sn;
}

struct fal_vb_send *fal_vb_at_next(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                                   struct fal_vb_send *wqe)
{
    struct fal_vb_send *other;

    if (wqe == NULL || qp->ordering == FAL_VERBS_STRONG || wqe->segments == 0 ||
        wqe->number + 1 >= qp->halted ||
        !fal_vb_twin(engine, FAL_TWIN_SEGMENTS_OF_TWO_WQES_INTERLEAVED))
        return wqe;
    other = fal_vb_ring_get(&qp->sq, wqe->number + 1);
    if (other == NULL || other->all_sent || other->done || other->segments >= wqe->segments ||
        (other->flags & FAL_VERBS_FENCE) != 0 || fal_vb_is_pull(other->op) ||
        other->op == FAL_VERBS_WRITE_IMM || wqe->op == FAL_VERBS_WRITE_IMM)
        return wqe; /* numbers that Writes take at their end stay in the order of posts */
    return other;
}

uint32_t fal_vb_at_connection(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                              uint32_t conn)
{
    if (qp->type != FAL_VERBS_UD)
        return conn;
    if (qp->first_conn == 0)
        qp->first_conn = conn;
    return qp->first_conn != conn && fal_vb_fault(engine, NULL, FAL_FAULT_CID_OF_FIRST_AH)
               ? qp->first_conn
               : conn;
}

bool fal_vb_at_long_taken(const struct fal_verbs_engine *engine)
{
    return fal_vb_twin(engine, FAL_TWIN_LENGTHS_REFUSED_BY_WC) ||
           fal_fault_in(&engine->odd->faults, FAL_FAULT_UNORDERED_ONE_MTU);
}

bool fal_vb_at_too_long(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                        enum fal_verbs_op op, bool too_long)
{
    if (too_long && qp->type == FAL_VERBS_UD)
        return !fal_vb_fault(engine, NULL, FAL_FAULT_DATAGRAMS_SEGMENTED);
    return too_long || (qp->ordering == FAL_VERBS_UNORDERED && op == FAL_VERBS_WRITE &&
                        fal_vb_fault(engine, NULL, FAL_FAULT_UNORDERED_ONE_MTU));
}

bool fal_vb_at_credits(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                       bool enough)
{
    if (link->next_tag > link->first_tag &&
        fal_vb_fault(engine, link, FAL_FAULT_ONE_PACKET_AT_A_TIME))
        return false;
    return enough || fal_vb_fault(engine, link, FAL_FAULT_CREDITS_IGNORED);
}

bool fal_vb_at_taken_link(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                          const struct fal_vb_qp *other)
{
    if (qp->type == FAL_VERBS_XRC_INI && other->type == FAL_VERBS_XRC_INI)
        return !fal_vb_fault(engine, NULL, FAL_FAULT_XRC_CONNECTION_SHARED);
    return fal_vb_at_mode(engine);
}

bool fal_vb_at_mode(const struct fal_verbs_engine *engine)
{
    return !fal_vb_fault(engine, NULL, FAL_FAULT_MODE_UNCHECKED);
}
