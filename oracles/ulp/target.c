/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/target.h"

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
        kind->service == FAL_RDMA_XRC ||
        out->payload_len - ulp->size_bytes < ulp->rdma.rbth.pad)
        return false;
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
    bool good = request->qp != NULL && request->qp->type == FAL_VERBS_RC &&
                request->qp->conn == request->link->conn;

    return fal_vb_either(engine, good, fal_vb_at_connection_check(engine, request, good));
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
    struct fal_vb_qp *holder = fal_vb_qp_get(engine, link->rc_qp);

    fal_vb_seam(engine, fal_vb_at_request(engine));
    known = fal_vb_either(engine, known, fal_vb_at_known(engine, &request, known));
    if (known)
        request.qp = fal_vb_qp_of(engine, request.ulp.rdma.rbth.dest_qp);
    if (!known) {
        reject(engine, &request, FAL_ANSWER_CIE);
    } else if (fal_rdma_kind(request.ulp.rdma.rbth.opcode)->service == FAL_RDMA_UD) {
        fal_vb_take_datagram(engine, &request);
    } else if (!of_this_connection(engine, &request)) {
        reject(engine, &request, FAL_ANSWER_CID);
        fal_vb_seam(engine, fal_vb_at_cid_refused(engine, &request));
    } else if (request.qp->state != FAL_VERBS_RTS) {
        reject(engine, &request, FAL_ANSWER_NRE);
    } else {
        here = act(engine, &request);
    }
    fal_vb_seam(engine, fal_vb_at_request_done(engine));
    if (!here)
        return;
    fal_vb_arrived(engine, link, out->rsn);
    if (holder != NULL)
        fal_vb_message_waits(engine, holder, link);
}
