/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/target.h"

#include "oracles/seq.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/qp.h"
#include "oracles/ulp/recv.h"

/* ---- errors ---- */

/* A request that names no queue pair which could answer it. */
static void reject(struct fal_verbs_engine *engine, const struct fal_vb_request *request,
                   enum fal_answer answer)
{
    fal_vb_answer(engine, request->link, request->rsn,
                  (struct fal_endpoint_in){.answer = answer, .code = FAL_VERBS_REM_INV_REQ});
}

void fal_vb_refuse(struct fal_verbs_engine *engine, const struct fal_vb_request *request,
                   unsigned cause)
{
    struct fal_vb_qp *qp = request->qp;
    bool verbs = qp->errors == FAL_VERBS_ERRORS_VERBS;
    enum fal_answer answer = verbs ? FAL_ANSWER_NRE : FAL_ANSWER_CIE;

    answer = fal_vb_either(engine, answer, fal_vb_at_refusal(engine, answer));
    if (request->pull)
        fal_vb_refuse_pull(engine, request);
    else
        fal_vb_answer(engine, request->link, request->rsn,
                      (struct fal_endpoint_in){.answer = answer, .code = cause});
    if (fal_vb_either(engine, verbs, fal_vb_at_fatal(engine, qp, verbs)))
        fal_vb_qp_fail(engine, qp,
                       cause == FAL_VERBS_REM_ACCESS ? "qp_access_err" : "qp_req_err");
}

void fal_vb_invalidate(struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                       uint32_t rkey)
{
    struct fal_vb_mr *mr = fal_vb_invalidable(engine, qp, rkey);

    if (mr != NULL)
        mr->invalid = true;
}

/* ---- reading ---- */

/* Whether the request is a packet of the protocol in the Falcon packet that carries such
 * (RDMA 8.1.3). */
static bool read_request(const struct fal_endpoint_out *out, struct fal_vb_request *request)
{
    const struct fal_falcon packet = {.packet_type = out->op == FAL_OP_PUSH ? FAL_PUSH_DATA
                                                                            : FAL_PULL_REQUEST,
                                      .protocol_type = FAL_PROTOCOL_RDMA};
    struct fal_ulp *ulp = &request->ulp;
    const struct fal_rdma_kind *kind;

    ulp->state = FAL_ULP_NONE;
    fal_ulp_decode(&packet, out->payload, out->payload_len, ulp);
    if (ulp->state != FAL_ULP_READ || ulp->rdma.rbth.version != 1)
        return false;
    kind = fal_rdma_kind(ulp->rdma.rbth.opcode);
    if (kind->packet != (enum fal_packet_type)packet.packet_type ||
        out->payload_len - ulp->size_bytes < ulp->rdma.rbth.pad)
        return false;
    request->service = kind->service;
    if (kind->service == FAL_RDMA_XRC)
        ulp->rdma.rbth.opcode &= FAL_VB_OPERATION;
    request->data = out->payload + ulp->size_bytes;
    request->data_len = (uint32_t)fal_ulp_data_len(ulp, out->payload_len);
    return true;
}

/* False: not now. */
static bool act(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    unsigned op = request->ulp.rdma.rbth.opcode;

    if (request->qp->ordering == FAL_VERBS_STRONG && fal_vb_held(engine, request->qp->self)) {
        fal_vb_hold(engine, request);
        return false;
    }
    if (op == FAL_VB_OP_read_request)
        return fal_vb_take_read(engine, request);
    if (op == FAL_VB_OP_atomic_cmp_swap || op == FAL_VB_OP_atomic_fetch_add)
        return fal_vb_take_atomic(engine, request);
    if (op >= FAL_VB_OP_write_first && op <= FAL_VB_OP_write_only_imm)
        return fal_vb_take_write(engine, request);
    return fal_vb_take_send(engine, request);
}

/* The connection must be that of the queue pair (RDMA 6.9); else both go on. */
static bool of_this_connection(const struct fal_verbs_engine *engine,
                               const struct fal_vb_request *request)
{
    bool good = request->qp != NULL && request->qp->type != FAL_VERBS_UD &&
                request->qp->conn == request->link->conn;

    return fal_vb_either(engine, good, fal_vb_at_connection_check(engine, request, good));
}

/* Whether the queue pair takes requests of that service. An XRC request names the shared
 * receive queue of its message (RDMA 8.3.9), which is that of its queue pair until the next
 * one. */
static bool fits(const struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    uint32_t number = request->ulp.rdma.xrceth.xrc_srq;
    const struct fal_vb_srq *srq = fal_vb_row(&engine->srqs, number);

    if (request->service == FAL_RDMA_RC)
        return request->qp->type == FAL_VERBS_RC;
    if (request->qp->type != FAL_VERBS_XRC_TGT || srq == NULL || !srq->xrc ||
        srq->pd != request->qp->pd)
        return false;
    request->qp->srq = number;
    return true;
}

/* Whether the sequence number follows from the RSN, as those of the requests before did; only
 * numbers that were left out count (RDMA 8.2-15, 8.2-16). */
static bool in_sequence(struct fal_vb_heard *heard, uint32_t rsn, uint32_t sn)
{
    uint32_t ahead = rsn - heard->rsn, due = heard->sn + ahead * heard->step;

    if (!heard->some) {
        *heard = (struct fal_vb_heard){.some = true, .rsn = rsn, .sn = sn};
        return true;
    }
    if (ahead == 0 || heard->mixed)
        return true;
    if (heard->step == 0) {
        uint32_t back = heard->rsn - rsn;

        heard->step =
            fal_seq_lt(heard->rsn, rsn) ? (sn - heard->sn) / ahead : (heard->sn - sn) / back;
        return true;
    }
    if (sn == due)
        return true;
    heard->rsn = rsn;
    heard->sn = sn;
    return fal_seq_lt(sn, due);
}

/* Whether a request leaves sequence numbers out, which an ordered queue pair notices. */
static bool leaves_out(const struct fal_verbs_engine *engine, struct fal_vb_link *link,
                       const struct fal_vb_request *request)
{
    bool gap =
        !in_sequence(&link->heard, request->rsn, request->ulp.rdma.rbth.sequence_number) &&
        request->qp->ordering != FAL_VERBS_UNORDERED;

    return gap && fal_vb_either(engine, true, fal_vb_at_gap(engine, link));
}

void fal_vb_requested(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                      const struct fal_endpoint_out *out)
{
    struct fal_vb_request request = {.link = link,
                                     .rsn = out->rsn,
                                     .asked = out->length,
                                     .pull = out->op == FAL_OP_PULL,
                                     .raw = out->payload,
                                     .raw_len = out->payload_len};
    bool here = true, known = read_request(out, &request);
    struct fal_vb_qp *qps[] = {fal_vb_qp_get(engine, link->rc_qp),
                               fal_vb_qp_get(engine, link->tgt_qp)};

    fal_vb_seam(engine, fal_vb_at_request(engine));
    known = fal_vb_either(engine, known, fal_vb_at_known(engine, &request, known));
    if (known)
        request.qp = fal_vb_qp_of(engine, request.ulp.rdma.rbth.dest_qp);
    link->heard.mixed = link->heard.mixed || !known || request.service == FAL_RDMA_UD;
    if (!known) {
        reject(engine, &request, FAL_ANSWER_CIE);
    } else if (request.service == FAL_RDMA_UD) {
        fal_vb_take_datagram(engine, &request);
    } else if (!of_this_connection(engine, &request)) {
        reject(engine, &request, FAL_ANSWER_CID);
        fal_vb_seam(engine, fal_vb_at_cid_refused(engine, &request));
    } else if (request.qp->state != FAL_VERBS_RTS) {
        reject(engine, &request, FAL_ANSWER_NRE);
    } else if (!fits(engine, &request) || leaves_out(engine, link, &request)) {
        fal_vb_refuse(engine, &request, FAL_VERBS_REM_INV_REQ);
    } else {
        here = act(engine, &request);
    }
    fal_vb_seam(engine, fal_vb_at_request_done(engine));
    if (!here)
        return;
    fal_vb_arrived(engine, link, out->rsn);
    for (unsigned i = 0; i < 2; i++)
        if (qps[i] != NULL)
            fal_vb_message_waits(engine, qps[i], link);
}
