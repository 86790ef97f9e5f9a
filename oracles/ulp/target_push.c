/* SPDX-License-Identifier: Apache-2.0
 * target_push.c - Sends, Writes and datagrams at their target. */
#include "oracles/ulp/link.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/recv.h"
#include "oracles/ulp/target.h"

enum { GRH_ROOM = 40 }; /* before the data of a datagram (AMB-R25) */

/* ---- parts of a message ---- */

static bool begins(unsigned op)
{
    return op == FAL_VB_OP_send_first || op == FAL_VB_OP_send_only ||
           op == FAL_VB_OP_send_only_imm || op == FAL_VB_OP_send_only_inv;
}

static bool ends(unsigned op)
{
    return op != FAL_VB_OP_send_first && op != FAL_VB_OP_send_middle;
}

static bool has_imm(unsigned op)
{
    return op == FAL_VB_OP_send_last_imm || op == FAL_VB_OP_send_only_imm ||
           op == FAL_VB_OP_write_last_imm || op == FAL_VB_OP_write_only_imm;
}

static bool has_inv(unsigned op)
{
    return op == FAL_VB_OP_send_last_inv || op == FAL_VB_OP_send_only_inv;
}

static void acknowledge(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    fal_vb_answer(engine, request->link, request->rsn,
                  (struct fal_endpoint_in){.answer = FAL_ANSWER_ACK});
}

static bool not_ready(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    if (!fal_vb_either(engine, true, fal_vb_at_not_ready(engine, request)))
        return false;
    fal_vb_answer(
        engine, request->link, request->rsn,
        (struct fal_endpoint_in){.answer = FAL_ANSWER_RNR, .rnr_ns = request->qp->rnr_ns});
    return false;
}

/* What the last packet of a message adds to its completion. */
static void note_end(const struct fal_vb_request *request, struct fal_vb_recv *recv)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;

    recv->has_imm = has_imm(rdma->rbth.opcode);
    recv->imm = rdma->immdt.immediate_data;
    recv->solicited = rdma->rbth.solicited_event;
}

static struct fal_vb_list list_of(const struct fal_vb_recv *recv)
{
    return (struct fal_vb_list){recv->sgl, recv->num_sge};
}

/* ---- Send ---- */

/* What is wrong with a packet of a message: the status of the receive request, with that of the
 * initiator in *cause. 0: nothing. */
static unsigned place_send(struct fal_verbs_engine *engine,
                           const struct fal_vb_request *request, struct fal_vb_recv *recv,
                           unsigned *cause)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;
    uint64_t offset = rdma->oeth.message_offset;
    bool placed;

    offset = fal_vb_either(engine, offset, fal_vb_at_offset(engine, recv, offset));
    *cause = FAL_VERBS_REM_INV_REQ;
    if (offset + request->data_len > recv->capacity)
        return FAL_VERBS_LOC_LEN;
    if (has_inv(rdma->rbth.opcode) &&
        fal_vb_invalidable(engine, request->qp, rdma->ieth.r_key) == NULL) {
        *cause = FAL_VERBS_REM_ACCESS;
        return FAL_VERBS_REM_ACCESS;
    }
    *cause = FAL_VERBS_REM_OP;
    placed = fal_vb_either(engine,
                           fal_vb_scatter(engine, list_of(recv), request->qp->pd, offset,
                                          request->data, request->data_len),
                           fal_vb_at_scatter(engine, request, list_of(recv), offset));
    return placed ? 0 : FAL_VERBS_LOC_PROT;
}

/* Whether all packets of a message are here with its last one, on a strongly ordered queue
 * pair. Falcon leaves a packet out that was replaced by a Resync. */
static bool whole(const struct fal_vb_request *request, const struct fal_vb_recv *recv)
{
    return request->qp->ordering != FAL_VERBS_STRONG || !ends(request->ulp.rdma.rbth.opcode) ||
           recv->got >= request->ulp.rdma.oeth.message_offset;
}

bool fal_vb_take_send(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;
    unsigned op = rdma->rbth.opcode, status, cause;
    struct fal_vb_qp *qp = request->qp;
    struct fal_vb_recv *recv = NULL;
    enum fal_vb_got got;

    if (qp->ordering == FAL_VERBS_UNORDERED && !(begins(op) && ends(op))) {
        fal_vb_refuse(engine, request, FAL_VERBS_REM_INV_REQ); /* RDMA 6.4-09 */
        return true;
    }
    got = fal_vb_either(engine, false, fal_vb_at_any_recv(engine, request))
              ? fal_vb_message_any(qp, &recv)
              : fal_vb_message(engine, qp, rdma->seth.rmsn, begins(op), &recv);
    if (got == FAL_VB_EMPTY) {
        if (has_inv(op) && fal_vb_either(engine, false, fal_vb_at_invalidate_early(engine)))
            fal_vb_invalidate(engine, qp, rdma->ieth.r_key);
        return not_ready(engine, request);
    }
    if (got == FAL_VB_STALE) {
        fal_vb_refuse(engine, request, FAL_VERBS_REM_INV_REQ);
        return true;
    }
    status = place_send(engine, request, recv, &cause);
    if (status == 0 && !whole(request, recv)) {
        status = FAL_VERBS_REM_OP;
        cause = FAL_VERBS_REM_INV_REQ;
    }
    if (status != 0) {
        fal_vb_message_done(engine, qp, recv, status);
        fal_vb_refuse(engine, request, cause);
        return true;
    }
    acknowledge(engine, request);
    recv->got += request->data_len;
    if (ends(op)) {
        recv->has_total = true;
        recv->total = rdma->oeth.message_offset + request->data_len;
        recv->has_inv = has_inv(op);
        recv->inv = rdma->ieth.r_key;
        note_end(request, recv);
        if (recv->has_inv && fal_vb_either(engine, false, fal_vb_at_invalidate_early(engine)))
            fal_vb_invalidate(engine, qp, rdma->ieth.r_key);
        if (rdma->rbth.complete_in_error)
            recv->status = FAL_VERBS_REM_OP;
    }
    if (recv->has_total && (qp->ordering == FAL_VERBS_STRONG || recv->got >= recv->total))
        fal_vb_message_done(engine, qp, recv, 0);
    return true;
}

/* ---- Write ---- */

/* A Write with immediate data whose data may not be written has a number all the same, so its
 * receive request completes, in error; where requests have no numbers, it stays. */
static void refuse_write(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;
    struct fal_vb_recv *recv = NULL;

    if (has_imm(rdma->rbth.opcode) && request->qp->ordering != FAL_VERBS_UNORDERED &&
        fal_vb_message(engine, request->qp, rdma->seth.rmsn, true, &recv) == FAL_VB_GOT)
        fal_vb_message_done(engine, request->qp, recv, FAL_VERBS_REM_ACCESS);
    fal_vb_refuse(engine, request, FAL_VERBS_REM_ACCESS);
}

/* The receive request that the last packet of a Write with immediate data takes (AMB-R20). On
 * an unordered connection it completes when all packets before it are here. */
static void end_write(struct fal_verbs_engine *engine, const struct fal_vb_request *request,
                      struct fal_vb_recv *recv, uint32_t total)
{
    struct fal_vb_qp *qp = request->qp;

    note_end(request, recv);
    recv->write = recv->has_total = true;
    recv->total = total;
    if (request->ulp.rdma.rbth.complete_in_error)
        recv->status = FAL_VERBS_REM_OP;
    recv->waits = request->ulp.rdma.rbth.opcode == FAL_VB_OP_write_last_imm &&
                  !fal_vb_all_before(request->link, request->rsn);
    recv->wait_rsn = request->rsn;
    recv->write_va = request->ulp.rdma.reth.virtual_address;
    qp->waiting += recv->waits;
    if (!recv->waits && qp->ordering != FAL_VERBS_STRONG &&
        request->ulp.rdma.rbth.opcode == FAL_VB_OP_write_last_imm)
        recv->total += fal_vb_parts_before(request->link, request->rsn, recv->write_va);
    fal_vb_message_done(engine, qp, recv, 0);
}

/* A packet of a Write where others may come before those that were sent earlier. */
static void note_part(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    unsigned op = request->ulp.rdma.rbth.opcode;

    if (op == FAL_VB_OP_write_first || op == FAL_VB_OP_write_middle)
        fal_vb_part_put(engine, request->link,
                        &(struct fal_vb_part){.va = request->ulp.rdma.reth.virtual_address,
                                              .rsn = request->rsn,
                                              .length = request->data_len,
                                              .first = op == FAL_VB_OP_write_first});
}

/* Notes a packet of a Write; the bytes of the whole so far, on a strongly ordered queue pair.
 */
static uint32_t write_so_far(struct fal_verbs_engine *engine,
                             const struct fal_vb_request *request)
{
    unsigned op = request->ulp.rdma.rbth.opcode;
    struct fal_vb_qp *qp = request->qp;

    if (qp->ordering != FAL_VERBS_STRONG) {
        note_part(engine, request);
        return request->data_len;
    }
    if (op != FAL_VB_OP_write_middle && op != FAL_VB_OP_write_last &&
        op != FAL_VB_OP_write_last_imm)
        qp->write_got = 0;
    qp->write_got += request->data_len;
    return qp->write_got;
}

bool fal_vb_take_write(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;
    const struct fal_vb_touch touch = {.rkey = rdma->reth.r_key,
                                       .va = rdma->reth.virtual_address,
                                       .length = request->data_len,
                                       .pd = request->qp->pd,
                                       .access = FAL_VERBS_REMOTE_WRITE};
    bool imm = has_imm(rdma->rbth.opcode);
    uint8_t *to = fal_vb_remote(engine, &touch);
    struct fal_vb_recv *recv = NULL;
    enum fal_vb_got got;
    uint32_t total;

    if (to == NULL && request->data_len > 0) {
        refuse_write(engine, request);
        return true;
    }
    if (imm) {
        got = fal_vb_message(engine, request->qp, rdma->seth.rmsn, true, &recv);
        if (got == FAL_VB_EMPTY)
            return not_ready(engine, request);
        if (got == FAL_VB_STALE) {
            fal_vb_refuse(engine, request, FAL_VERBS_REM_INV_REQ);
            return true;
        }
    }
    total = write_so_far(engine, request);
    if (request->data_len > 0)
        memcpy(to, request->data, request->data_len);
    fal_vb_seam(engine, fal_vb_at_written(engine, &touch, request->data));
    acknowledge(engine, request);
    if (imm)
        end_write(engine, request, recv, total);
    return true;
}

/* ---- datagrams ---- */

/* A datagram that cannot be delivered is lost, as InfiniBand has it; for Falcon it is done
 * (AMB-R21). */
void fal_vb_take_datagram(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;
    struct fal_vb_qp *qp = request->qp;
    struct fal_vb_recv *recv = NULL;
    uint32_t room = fal_vb_either(engine, GRH_ROOM, fal_vb_at_room(engine, GRH_ROOM));
    unsigned status = 0;
    bool keyed;

    acknowledge(engine, request);
    if (qp == NULL || qp->type != FAL_VERBS_UD || qp->state != FAL_VERBS_RTS ||
        !fal_vb_either(engine, true, fal_vb_at_datagram(engine, request)))
        return;
    keyed = rdma->deth.queue_key == qp->qkey;
    if (!fal_vb_either(engine, keyed, fal_vb_at_qkey(engine, keyed)))
        return;
    if (fal_vb_message(engine, qp, 0, true, &recv) != FAL_VB_GOT)
        return;
    if ((uint64_t)room + request->data_len > recv->capacity)
        status = FAL_VERBS_LOC_LEN;
    else if (!fal_vb_scatter(engine, list_of(recv), qp->pd, room, request->data,
                             request->data_len))
        status = FAL_VERBS_LOC_PROT;
    else if (rdma->rbth.complete_in_error)
        status = FAL_VERBS_REM_OP;
    note_end(request, recv);
    recv->total = room + request->data_len;
    recv->has_total = recv->has_src = true;
    recv->has_imm = rdma->rbth.opcode == (FAL_RDMA_UD << 5 | FAL_VB_OP_send_only_imm);
    recv->src_qp = rdma->deth.source_qp;
    fal_vb_message_done(engine, qp, recv, status);
}
