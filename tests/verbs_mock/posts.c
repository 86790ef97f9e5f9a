/* SPDX-License-Identifier: Apache-2.0
 * posts.c - work requests become words of the engine, and its events completions. */
#include "tests/verbs_mock/mock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- completions ---- */

void mock_push_wc(struct mock_cq *cq, const struct ibv_wc *wc)
{
    if (cq->first > 0 && cq->first == cq->count)
        cq->first = cq->count = 0;
    if (cq->count == cq->cap) {
        cq->cap = cq->cap == 0 ? 64 : cq->cap * 2;
        cq->wc = realloc(cq->wc, cq->cap * sizeof *cq->wc);
        if (cq->wc == NULL)
            abort();
    }
    cq->wc[cq->count++] = *wc;
}

static struct mock_cq *cq_of(const struct mock *mock, const char *name)
{
    struct mock_cq *cq = mock->cqs;

    while (cq != NULL && strcmp(cq->name, name) != 0)
        cq = cq->next;
    return cq;
}

static struct mock_qp *qp_of(const struct mock *mock, const char *name)
{
    struct mock_qp *qp = mock->qps;

    while (qp != NULL && strcmp(qp->name, name) != 0)
        qp = qp->next;
    return qp;
}

static void told_wc(struct mock *mock, const struct fal_verbs *event)
{
    static const enum ibv_wc_opcode opcodes[FAL_VERBS_DONES] = {
        [FAL_VERBS_DONE_SEND] = IBV_WC_SEND,
        [FAL_VERBS_DONE_WRITE] = IBV_WC_RDMA_WRITE,
        [FAL_VERBS_DONE_READ] = IBV_WC_RDMA_READ,
        [FAL_VERBS_DONE_CAS] = IBV_WC_COMP_SWAP,
        [FAL_VERBS_DONE_FAA] = IBV_WC_FETCH_ADD,
        [FAL_VERBS_DONE_RECV] = IBV_WC_RECV,
        [FAL_VERBS_DONE_RECV_IMM] = IBV_WC_RECV_RDMA_WITH_IMM};
    struct mock_cq *cq = cq_of(mock, event->cq);
    const struct mock_qp *qp = qp_of(mock, event->qp);
    struct ibv_wc wc = {.wr_id = event->wr_id,
                        .status = (enum ibv_wc_status)event->status,
                        .opcode = opcodes[event->opcode],
                        .byte_len = event->byte_len,
                        .src_qp = event->src_qp};

    if (cq == NULL || qp == NULL)
        return; /* the application has destroyed it */
    wc.qp_num = qp->qp.qp_num;
    if (event->has_imm) {
        wc.wc_flags = IBV_WC_WITH_IMM;
        wc.imm_data = htonl(event->imm);
    } else if (event->has_inv) {
        wc.wc_flags = IBV_WC_WITH_INV;
        wc.invalidated_rkey = event->inv;
    }
    mock_push_wc(cq, &wc);
}

static void told_async(struct mock *mock, const struct fal_verbs *event)
{
    static const struct {
        const char *what;
        enum ibv_event_type type;
    } types[] = {{"qp_fatal", IBV_EVENT_QP_FATAL},
                 {"qp_req_err", IBV_EVENT_QP_REQ_ERR},
                 {"qp_access_err", IBV_EVENT_QP_ACCESS_ERR}};
    struct mock_qp *qp = qp_of(mock, event->qp);

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (qp != NULL && strcmp(types[i].what, event->what) == 0 &&
            mock->num_async < MOCK_ASYNC_MAX)
            mock->async[mock->num_async++] =
                (struct ibv_async_event){.element.qp = &qp->qp, .event_type = types[i].type};
}

void mock_told(struct mock *mock, const struct fal_verbs *event)
{
    struct mock_cq *cq;

    mock->news = true;
    if (event->kind == FAL_VERBS_WC) {
        told_wc(mock, event);
    } else if (event->kind == FAL_VERBS_ASYNC) {
        told_async(mock, event);
    } else if (event->kind == FAL_VERBS_CQ_EVENT) {
        cq = cq_of(mock, event->cq);
        if (cq != NULL)
            cq->told = true;
    }
}

/* ---- posts ---- */

/* The engine refuses a range outside of its region, and a region that has ended. */
static int take_list(const struct mock *mock, const struct ibv_sge *list, int count,
                     struct fal_verbs *ask)
{
    if (count > FAL_VERBS_SGE_MAX)
        return EINVAL;
    for (int i = 0; i < count; i++) {
        const struct mock_mr *mr = mock->mrs;
        struct fal_verbs_sge *sge = &ask->sgl[i];

        while (mr != NULL && mr->lkey != list[i].lkey)
            mr = mr->next;
        if (mr == NULL)
            return EINVAL;
        memcpy(sge->mr, mr->name, sizeof sge->mr);
        sge->offset = list[i].addr - mr->va;
        sge->length = list[i].length;
    }
    ask->num_sge = (size_t)count;
    return 0;
}

static bool take_opcode(const struct ibv_send_wr *wr, struct fal_verbs *ask)
{
    static const struct {
        enum ibv_wr_opcode opcode;
        enum fal_verbs_op op;
    } ops[] = {{IBV_WR_SEND, FAL_VERBS_SEND},
               {IBV_WR_SEND_WITH_IMM, FAL_VERBS_SEND_IMM},
               {IBV_WR_SEND_WITH_INV, FAL_VERBS_SEND_INV},
               {IBV_WR_RDMA_WRITE, FAL_VERBS_WRITE},
               {IBV_WR_RDMA_WRITE_WITH_IMM, FAL_VERBS_WRITE_IMM},
               {IBV_WR_RDMA_READ, FAL_VERBS_READ},
               {IBV_WR_ATOMIC_CMP_AND_SWP, FAL_VERBS_CAS},
               {IBV_WR_ATOMIC_FETCH_AND_ADD, FAL_VERBS_FAA}};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].opcode == wr->opcode) {
            ask->op = ops[i].op;
            return true;
        }
    return false;
}

/* The members that the operation has; the words ignore none, so others must be absent. */
static void take_operation(const struct ibv_send_wr *wr, bool ud, struct fal_verbs *ask)
{
    if (ask->op == FAL_VERBS_SEND_IMM || ask->op == FAL_VERBS_WRITE_IMM) {
        ask->imm = ntohl(wr->imm_data);
        ask->has_imm = true;
    }
    if (ask->op == FAL_VERBS_SEND_INV) {
        ask->inv = wr->invalidate_rkey;
        ask->has_inv = true;
    }
    if (ud) {
        memcpy(ask->ah, ((struct mock_ah *)wr->wr.ud.ah)->name, sizeof ask->ah);
        ask->dest_qpn = wr->wr.ud.remote_qpn;
        ask->qkey = wr->wr.ud.remote_qkey;
        ask->has_qkey = true;
    } else if (ask->op == FAL_VERBS_CAS || ask->op == FAL_VERBS_FAA) {
        ask->has_remote = true;
        ask->remote = (struct fal_verbs_remote){wr->wr.atomic.remote_addr, wr->wr.atomic.rkey};
        ask->swap = wr->wr.atomic.swap;
        *(ask->op == FAL_VERBS_CAS ? &ask->compare : &ask->add) = wr->wr.atomic.compare_add;
    } else if (ask->op >= FAL_VERBS_WRITE) {
        ask->has_remote = true;
        ask->remote = (struct fal_verbs_remote){wr->wr.rdma.remote_addr, wr->wr.rdma.rkey};
    }
}

static int bind_window(struct mock *mock, struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
    const struct mock_mr *mr = mock->mrs;
    int error;

    while (mr != NULL && mr->lkey != wr->bind_mw.bind_info.mr->lkey)
        mr = mr->next;
    error = mr == NULL
                ? EINVAL
                : mock_memory_bind(mock, ((struct mock_mw *)wr->bind_mw.mw)->name, mr, wr);
    if (error == 0)
        mock_push_wc((struct mock_cq *)qp->send_cq, &(struct ibv_wc){.wr_id = wr->wr_id,
                                                                     .opcode = IBV_WC_BIND_MW,
                                                                     .qp_num = qp->qp_num});
    return error;
}

int mock_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    static const unsigned flags[][2] = {{IBV_SEND_SIGNALED, FAL_VERBS_SIGNALED},
                                        {IBV_SEND_SOLICITED, FAL_VERBS_SOLICITED},
                                        {IBV_SEND_FENCE, FAL_VERBS_FENCE}};
    struct fal_verbs ask = {.kind = FAL_VERBS_POST_SEND, .wr_id = wr->wr_id};
    struct mock *mock = mock_device();
    int error;

    *bad = wr;
    if (wr->opcode == IBV_WR_BIND_MW)
        return bind_window(mock, qp, wr);
    error = take_list(mock, wr->sg_list, wr->num_sge, &ask);
    if (error != 0 || !take_opcode(wr, &ask))
        return EINVAL;
    memcpy(ask.qp, ((struct mock_qp *)qp)->name, sizeof ask.qp);
    take_operation(wr, qp->qp_type == IBV_QPT_UD, &ask);
    for (size_t i = 0; i < 3; i++)
        if (wr->send_flags & flags[i][0])
            ask.flags |= flags[i][1];
    return mock_word(mock, &ask, NULL);
}

static int receive(const struct ibv_recv_wr *wr, struct fal_verbs *ask)
{
    struct mock *mock = mock_device();
    int error = take_list(mock, wr->sg_list, wr->num_sge, ask);

    ask->wr_id = wr->wr_id;
    return error != 0 ? error : mock_word(mock, ask, NULL);
}

int mock_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_POST_RECV};

    *bad = wr;
    memcpy(ask.qp, ((struct mock_qp *)qp)->name, sizeof ask.qp);
    return receive(wr, &ask);
}

int mock_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_POST_RECV};

    *bad = wr;
    memcpy(ask.srq, ((struct mock_srq *)srq)->name, sizeof ask.srq);
    return receive(wr, &ask);
}
