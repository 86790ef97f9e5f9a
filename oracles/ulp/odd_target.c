/* SPDX-License-Identifier: Apache-2.0
 * odd_target.c - faults and variants of a target. */
#include "oracles/ulp/link.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/qp.h"

#include <stdlib.h>

enum { SHORT_PULL = 64 };

/* ---- once more ---- */

void fal_vb_at_request(struct fal_verbs_engine *engine)
{
    if (engine->odd->again.due)
        engine->odd->now = engine->odd->again;
    engine->odd->again.due = false;
}

void fal_vb_at_request_done(struct fal_verbs_engine *engine)
{
    struct fal_vb_again *again = &engine->odd->now;
    uint8_t *bytes;

    if (!again->due)
        return;
    again->due = false;
    bytes = fal_vb_remote(engine, &again->touch);
    if (bytes == NULL)
        return;
    if (again->add)
        fal_vb_word_write(bytes, fal_vb_word_read(bytes) + again->operand);
    else
        memcpy(bytes, again->bytes, again->len);
}

void fal_vb_at_written(struct fal_verbs_engine *engine, const struct fal_vb_touch *touch,
                       const uint8_t *bytes)
{
    struct fal_vb_again *again = &engine->odd->again;

    if (touch->length == 0 || touch->length > sizeof again->bytes || engine->odd->now.due ||
        !fal_vb_fault(engine, NULL, FAL_FAULT_PLACED_TWICE_AFTER_RESEND))
        return;
    again->due = true;
    again->add = false;
    again->touch = *touch;
    again->len = touch->length;
    memcpy(again->bytes, bytes, touch->length);
}

void fal_vb_at_added(struct fal_verbs_engine *engine, const struct fal_vb_touch *touch,
                     uint64_t operand)
{
    struct fal_vb_again *again = &engine->odd->again;

    if (!fal_vb_fault(engine, NULL, FAL_FAULT_FAA_AGAIN_ON_DUPLICATE))
        return;
    again->due = again->add = true;
    again->touch = *touch;
    again->operand = operand;
}

/* ---- connections ---- */

bool fal_vb_at_gap(const struct fal_verbs_engine *engine, const struct fal_vb_link *link)
{
    return !fal_vb_fault(engine, link, FAL_FAULT_SN_GAP_UNNOTICED);
}

bool fal_vb_at_connection_check(const struct fal_verbs_engine *engine,
                                const struct fal_vb_request *request, bool good)
{
    return good || (request->qp != NULL && request->qp->type != FAL_VERBS_UD &&
                    request->qp->conn != 0 &&
                    fal_vb_fault(engine, request->link, FAL_FAULT_CID_NOT_CHECKED));
}

void fal_vb_at_cid_refused(struct fal_verbs_engine *engine,
                           const struct fal_vb_request *request)
{
    struct fal_vb_qp *holder = fal_vb_qp_get(engine, request->link->rc_qp);

    if (!fal_vb_fault(engine, request->link, FAL_FAULT_CID_NACK_STOPS_QP))
        return;
    if (holder != NULL)
        fal_vb_qp_fail(engine, holder, "qp_fatal");
    if (request->qp != NULL)
        fal_vb_qp_fail(engine, request->qp, "qp_fatal");
}

/* ---- memory ---- */

/* A region that the address and the low byte of the key fit. */
static struct fal_vb_mr *by_low_byte(const struct fal_verbs_engine *engine,
                                     const struct fal_vb_touch *touch)
{
    for (uint32_t i = 1; i <= engine->mrs.num; i++) {
        struct fal_vb_mr *mr = fal_vb_mr_get(engine, i);

        if (mr->memory != NULL && ((mr->rkey ^ touch->rkey) & 0xff) == 0 &&
            mr->pd == touch->pd && touch->va >= mr->va &&
            fal_vb_bytes(mr, touch->va - mr->va, touch->length) != NULL)
            return mr;
    }
    return NULL;
}

static struct fal_vb_mr *by_key(const struct fal_verbs_engine *engine, uint32_t rkey)
{
    for (uint32_t i = 1; i <= engine->mrs.num; i++) {
        struct fal_vb_mr *mr = fal_vb_mr_get(engine, i);

        if (mr->memory != NULL && mr->rkey == rkey && !mr->invalid)
            return mr;
    }
    return NULL;
}

/* The bytes if the region were one byte longer, which they must be in fact. */
static uint8_t *one_more(const struct fal_vb_mr *mr, const struct fal_vb_touch *touch)
{
    uint64_t at = touch->va - mr->va;

    if (touch->length == 0 || touch->va < mr->va || at > mr->length ||
        touch->length != mr->length - at + 1 || mr->offset + mr->length >= mr->memory->length)
        return NULL;
    return mr->memory->bytes + mr->offset + at;
}

uint8_t *fal_vb_at_touch(const struct fal_verbs_engine *engine,
                         const struct fal_vb_touch *touch, uint8_t *bytes)
{
    const struct fal_vb_mr *mr = by_key(engine, touch->rkey), *near;
    struct fal_vb_touch other = *touch;

    if (mr != NULL && (mr->access & touch->access) == touch->access) {
        other.pd = mr->pd;
        if (bytes == NULL && mr->pd != touch->pd &&
            fal_vb_remote_plain(engine, &other) != NULL &&
            fal_vb_fault(engine, NULL, FAL_FAULT_PD_IGNORED))
            return fal_vb_remote_plain(engine, &other);
        if (bytes == NULL && mr->pd == touch->pd && one_more(mr, touch) != NULL &&
            fal_vb_fault(engine, NULL, FAL_FAULT_BOUNDS_OFF_BY_ONE))
            return one_more(mr, touch);
    }
    if (bytes == NULL && mr == NULL && (near = by_low_byte(engine, touch)) != NULL &&
        fal_vb_fault(engine, NULL, FAL_FAULT_RKEY_LOW_BYTE_ONLY))
        return fal_vb_bytes(near, touch->va - near->va, touch->length);
    if (bytes != NULL && mr != NULL && touch->access == FAL_VERBS_REMOTE_READ &&
        touch->va > mr->va && fal_vb_fault(engine, NULL, FAL_FAULT_READ_OFFSET_IGNORED))
        return fal_vb_bytes(mr, 0, touch->length);
    return bytes;
}

bool fal_vb_at_swap(const struct fal_verbs_engine *engine, bool equal)
{
    return equal || fal_vb_fault(engine, NULL, FAL_FAULT_CAS_ALWAYS_SWAPS);
}

uint64_t fal_vb_at_original(const struct fal_verbs_engine *engine, uint64_t original,
                            uint64_t new)
{
    return original != new &&fal_vb_fault(engine, NULL, FAL_FAULT_ATOMIC_RETURNS_NEW)
               ? new
               : original;
}

/* ---- messages ---- */

void fal_vb_at_taken(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    if (qp->ordering != FAL_VERBS_WEAK && qp->rq.tail > qp->taken &&
        fal_vb_fault(engine, NULL, FAL_FAULT_RECV_CONSUMED_TWICE))
        fal_vb_message_drop(engine, qp);
}

bool fal_vb_at_any_recv(const struct fal_verbs_engine *engine,
                        const struct fal_vb_request *request)
{
    unsigned op = request->ulp.rdma.rbth.opcode;

    return request->qp->ordering == FAL_VERBS_WEAK && request->qp->srq == 0 &&
           (op == FAL_VB_OP_send_only || op == FAL_VB_OP_send_only_imm) &&
           fal_vb_fault(engine, request->link, FAL_FAULT_WQE_BY_ARRIVAL);
}

bool fal_vb_at_qkey(const struct fal_verbs_engine *engine, bool good)
{
    return good || fal_vb_fault(engine, NULL, FAL_FAULT_QKEY_IGNORED);
}

uint32_t fal_vb_at_room(const struct fal_verbs_engine *engine, uint32_t room)
{
    return fal_vb_twin(engine, FAL_TWIN_UD_WITHOUT_GRH) ? 0 : room;
}

uint64_t fal_vb_at_offset(const struct fal_verbs_engine *engine, const struct fal_vb_recv *recv,
                          uint64_t offset)
{
    return recv->got != offset && fal_vb_fault(engine, NULL, FAL_FAULT_OETH_IGNORED) ? recv->got
                                                                                     : offset;
}

/* Places all but the bytes of the second entry. */
bool fal_vb_at_scatter(const struct fal_verbs_engine *engine, const struct fal_vb_request *of,
                       struct fal_vb_list list, uint64_t offset)
{
    uint64_t first, second;

    if (list.num < 2 || !fal_vb_fault(engine, of->link, FAL_FAULT_SGL_SECOND_ENTRY_SKIPPED))
        return fal_vb_scatter(engine, list, of->qp->pd, offset, of->data, of->data_len);
    first = list.sge[0].length;
    second = first + list.sge[1].length;
    for (uint32_t i = 0; i < of->data_len; i++)
        if ((offset + i < first || offset + i >= second) &&
            !fal_vb_scatter(engine, list, of->qp->pd, offset + i, of->data + i, 1))
            return false;
    return true;
}

bool fal_vb_at_invalidate(const struct fal_verbs_engine *engine)
{
    return !fal_vb_fault(engine, NULL, FAL_FAULT_INV_IGNORED);
}

bool fal_vb_at_invalidate_early(const struct fal_verbs_engine *engine)
{
    return fal_vb_fault(engine, NULL, FAL_FAULT_INV_BEFORE_SEND_DONE);
}

bool fal_vb_at_not_ready(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    if (fal_vb_twin(engine, FAL_TWIN_RNR_HELD)) {
        fal_vb_hold(engine, request);
        return false;
    }
    if (!fal_vb_fault(engine, request->link, FAL_FAULT_RNR_CONSUMES_MESSAGE))
        return true;
    fal_vb_answer(engine, request->link, request->rsn,
                  (struct fal_endpoint_in){.answer = FAL_ANSWER_ACK});
    return false;
}

/* ---- answers ---- */

bool fal_vb_at_answer_time(const struct fal_verbs_engine *engine,
                           const struct fal_vb_link *link)
{
    const struct fal_vb_qp *qp = fal_vb_qp_get(engine, link->rc_qp);

    return qp == NULL || qp->sq.tail - qp->sq.head < qp->sq_max ||
           !fal_vb_fault(engine, link, FAL_FAULT_XOFF_STOPS_RESPONSES);
}

void fal_vb_at_answer(const struct fal_verbs_engine *engine,
                      const struct fal_vb_request *request, struct fal_rdma *answer)
{
    static const uint8_t in_turn[] = {
        FAL_VB_OP_read_response_first, FAL_VB_OP_read_response_middle,
        FAL_VB_OP_read_response_last, FAL_VB_OP_read_response_only};
    struct fal_vb_odd *odd = engine->odd;

    if (fal_vb_fault(engine, request->link, FAL_FAULT_STETH_NOT_RETURNED))
        memset(&answer->steth, 0, sizeof answer->steth);
    if (fal_vb_fault(engine, request->link, FAL_FAULT_SN_OF_RESPONSE_OWN))
        answer->rbth.sequence_number = odd->answers + 1000;
    if (answer->rbth.opcode == FAL_VB_OP_read_response_only &&
        fal_vb_twin(engine, FAL_TWIN_READ_RESPONSE_FIRST_MIDDLE_LAST))
        answer->rbth.opcode = in_turn[odd->answers % 4];
    odd->answers++;
}

bool fal_vb_at_known(const struct fal_verbs_engine *engine,
                     const struct fal_vb_request *request, bool known)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;

    if (known && rdma->rbth.opcode == FAL_VB_OP_atomic_fetch_add &&
        fal_vb_fault(engine, request->link, FAL_FAULT_FAA_REFUSED))
        return false;
    return known &&
           !(rdma->rbth.opcode == FAL_VB_OP_read_request && rdma->reth.length < SHORT_PULL &&
             fal_vb_fault(engine, request->link, FAL_FAULT_SHORT_PULLS_REFUSED));
}

bool fal_vb_at_datagram(const struct fal_verbs_engine *engine,
                        const struct fal_vb_request *request)
{
    return !fal_vb_fault(engine, request->link, FAL_FAULT_DATAGRAMS_DROPPED);
}

bool fal_vb_at_pull_headers(const struct fal_verbs_engine *engine)
{
    return !fal_vb_twin(engine, FAL_TWIN_PULL_ERROR_EMPTY);
}

enum fal_answer fal_vb_at_refusal(const struct fal_verbs_engine *engine, enum fal_answer answer)
{
    return fal_vb_twin(engine, FAL_TWIN_NACK_7_OR_6) ? FAL_ANSWER_CIE : answer;
}
