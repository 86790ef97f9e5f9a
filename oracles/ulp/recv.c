/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/recv.h"

#include "oracles/ulp/events.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/qp.h"
#include "oracles/ulp/target.h"

#include <stdlib.h>

enum { RMSN_MASK = 0xff, BEHIND = 128 };

/* ---- posting ---- */

static struct fal_vb_recv *new_recv(const struct fal_verbs *ask)
{
    struct fal_vb_recv *recv =
        calloc(1, sizeof *recv + ask->num_sge * sizeof(struct fal_vb_sge));

    if (recv == NULL)
        return NULL;
    recv->wr_id = ask->wr_id;
    recv->capacity = fal_verbs_length(ask);
    recv->expires_ns = FAL_NEVER;
    recv->num_sge = (uint16_t)ask->num_sge;
    return recv;
}

static int to_srq(struct fal_vb_srq *srq, const struct fal_verbs *ask, struct fal_vb_recv *recv,
                  struct fal_error *err)
{
    if (srq->count >= srq->depth)
        return fal_fail(err, FAL_VERBS_BUSY, "srq '%s': it is full", ask->srq);
    if (srq->first == NULL)
        srq->first = recv;
    else
        srq->last->next = recv;
    srq->last = recv;
    srq->count++;
    return 0;
}

static int to_rq(struct fal_vb_qp *qp, const struct fal_verbs *ask, struct fal_vb_recv *recv,
                 struct fal_error *err)
{
    if (qp->type == FAL_VERBS_XRC_INI || qp->type == FAL_VERBS_XRC_TGT)
        return fal_fail(
            err, FAL_ERR_RANGE,
            "qp '%s': XRC takes receive requests from shared receive queues; post to "
            "one of those",
            ask->qp);
    if (qp->srq != 0)
        return fal_fail(err, FAL_ERR_RANGE, "qp '%s': it has an SRQ; post to that", ask->qp);
    if (qp->rq.tail - qp->rq.head >= qp->rq_max)
        return fal_fail(err, FAL_VERBS_BUSY, "qp '%s': its receive queue is full", ask->qp);
    return fal_vb_ring_put(&qp->rq, qp->rq.tail, recv) == 0
               ? 0
               : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

int fal_vb_post_recv(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                     struct fal_error *err)
{
    struct fal_vb_qp *qp = NULL;
    struct fal_vb_recv *recv;
    uint32_t number = 0, srq = 0;
    int rc = fal_vb_find_if(engine, FAL_VB_SRQ, ask->srq, "srq", &srq, err);

    if (rc == 0 && srq == 0)
        rc = fal_vb_find(engine, FAL_VB_QP, ask->qp, "qp", &number, err);
    if (rc != 0)
        return rc;
    if (srq > 0 && *ask->qp != 0)
        return fal_fail(err, FAL_ERR_FORM, "srq: expected either qp or srq");
    qp = fal_vb_qp_get(engine, number);
    recv = new_recv(ask);
    if (recv == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc =
        fal_vb_list_read(engine, ask, qp != NULL ? qp->sge : FAL_VERBS_SGE_MAX, recv->sgl, err);
    if (rc == 0)
        rc = qp != NULL ? to_rq(qp, ask, recv, err)
                        : to_srq(fal_vb_row(&engine->srqs, srq), ask, recv, err);
    if (rc != 0) {
        free(recv);
        return rc;
    }
    if (qp != NULL && qp->state == FAL_VERBS_ERR)
        fal_vb_rq_flush(engine, qp);
    return 0;
}

void fal_vb_srq_clear(struct fal_vb_srq *srq)
{
    struct fal_vb_recv *recv;

    while ((recv = srq->first) != NULL) {
        srq->first = recv->next;
        free(recv);
    }
    srq->last = NULL;
    srq->count = 0;
}

/* ---- the request of a message ---- */

/* Takes the oldest of an SRQ to the number `at` of the queue pair. */
static struct fal_vb_recv *from_srq(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                                    uint64_t at)
{
    struct fal_vb_srq *srq = fal_vb_row(&engine->srqs, qp->srq);
    struct fal_vb_recv *recv = srq->first;

    if (recv == NULL)
        return NULL;
    if (fal_vb_ring_put(&qp->rq, at, recv) != 0) {
        engine->out_of_memory = true;
        return NULL;
    }
    srq->first = recv->next;
    recv->next = NULL;
    srq->count--;
    return recv;
}

static struct fal_vb_recv *request_at(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                                      uint64_t at)
{
    struct fal_vb_recv *recv = fal_vb_ring_get(&qp->rq, at);

    return recv != NULL || qp->srq == 0 ? recv : from_srq(engine, qp, at);
}

static enum fal_vb_got by_number(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                                 uint32_t rmsn, struct fal_vb_recv **recv)
{
    uint64_t ahead = (rmsn - 1 - (uint32_t)qp->rq.head) & RMSN_MASK;

    if (ahead >= BEHIND)
        return FAL_VB_STALE;
    *recv = request_at(engine, qp, qp->rq.head + ahead);
    if (*recv == NULL)
        return FAL_VB_EMPTY;
    return (*recv)->done ? FAL_VB_STALE : FAL_VB_GOT;
}

static enum fal_vb_got next_one(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                                struct fal_vb_recv **recv)
{
    *recv = request_at(engine, qp, qp->taken);
    if (*recv == NULL)
        return FAL_VB_EMPTY;
    qp->taken++;
    return FAL_VB_GOT;
}

static enum fal_vb_got in_turn(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                               bool begins, struct fal_vb_recv **recv)
{
    enum fal_vb_got got = FAL_VB_GOT;

    if (begins && qp->current != NULL) /* its rest was lost with an error */
        fal_vb_message_done(engine, qp, qp->current, FAL_VERBS_REM_OP);
    if (begins)
        got = next_one(engine, qp, &qp->current);
    if (qp->current == NULL)
        return got == FAL_VB_GOT ? FAL_VB_STALE : got;
    *recv = qp->current;
    return got;
}

enum fal_vb_got fal_vb_message(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                               uint32_t rmsn, bool begins, struct fal_vb_recv **recv)
{
    const struct fal_vb_link *link = fal_vb_link(engine, qp->conn);
    enum fal_vb_got got;

    if (qp->type == FAL_VERBS_UD || qp->ordering == FAL_VERBS_UNORDERED)
        got = next_one(engine, qp, recv);
    else if (qp->ordering == FAL_VERBS_WEAK)
        got = by_number(engine, qp, rmsn, recv);
    else
        got = in_turn(engine, qp, begins, recv);
    if (got == FAL_VB_GOT && (*recv)->expires_ns == FAL_NEVER)
        fal_vb_seam(engine, fal_vb_at_taken(engine, qp));
    if (got != FAL_VB_GOT || (*recv)->expires_ns != FAL_NEVER || link == NULL)
        return got;
    (*recv)->expires_ns = engine->now_ns + link->give_up_ns;
    if ((*recv)->expires_ns < engine->expires_ns)
        engine->expires_ns = (*recv)->expires_ns;
    return got;
}

enum fal_vb_got fal_vb_message_any(struct fal_vb_qp *qp, struct fal_vb_recv **recv)
{
    for (uint64_t at = qp->rq.head; at < qp->rq.tail; at++) {
        *recv = fal_vb_ring_get(&qp->rq, at);
        if (*recv != NULL && !(*recv)->done && (*recv)->expires_ns == FAL_NEVER)
            return FAL_VB_GOT;
    }
    return FAL_VB_EMPTY;
}

void fal_vb_message_drop(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    struct fal_vb_recv *recv = NULL;

    if (next_one(engine, qp, &recv) == FAL_VB_GOT)
        free(fal_vb_ring_clear(&qp->rq, qp->taken - 1));
}

/* ---- completing ---- */

static void end(struct fal_verbs_engine *engine, struct fal_vb_qp *qp, uint64_t at)
{
    struct fal_vb_recv *recv = fal_vb_ring_clear(&qp->rq, at);
    bool good = recv->status == 0;
    struct fal_vb_event wc = {.kind = FAL_VERBS_WC,
                              .cq = qp->recv_cq,
                              .qp = qp->self,
                              .wr_id = recv->wr_id,
                              .status = recv->status,
                              .opcode =
                                  recv->write ? FAL_VERBS_DONE_RECV_IMM : FAL_VERBS_DONE_RECV,
                              .byte_len = good ? recv->total : 0,
                              .imm = recv->imm,
                              .has_imm = recv->has_imm && good,
                              .inv = recv->inv,
                              .has_inv = recv->has_inv && good,
                              .src_qp = recv->src_qp,
                              .has_src_qp = recv->has_src && good};

    if (recv == qp->current)
        qp->current = NULL;
    if (wc.has_inv && fal_vb_either(engine, true, fal_vb_at_invalidate(engine)))
        fal_vb_invalidate(engine, qp, recv->inv);
    if (fal_vb_either(engine, true, fal_vb_at_wc(engine, &wc)))
        fal_vb_complete(engine, &wc, recv->solicited);
    free(recv);
}

/* In the order of the queue; unordered queue pairs and UD in any. */
static void retire(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    bool any = qp->ordering == FAL_VERBS_UNORDERED;

    for (uint64_t at = qp->rq.head; at < qp->rq.tail; at++) {
        const struct fal_vb_recv *recv = fal_vb_ring_get(&qp->rq, at);
        bool ready = recv != NULL && recv->done && !recv->waits;
        bool gone = recv == NULL && at < qp->taken && qp->ordering == FAL_VERBS_STRONG;

        if (ready)
            end(engine, qp, at);
        else if (!gone && (!any || at >= qp->taken))
            break;
        if (!any)
            qp->rq.head = at + 1;
    }
    if (any)
        fal_vb_ring_trim(&qp->rq, qp->taken);
    if (qp->taken < qp->rq.head)
        qp->taken = qp->rq.head;
}

void fal_vb_message_done(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                         struct fal_vb_recv *recv, unsigned status)
{
    recv->done = true;
    if (recv->status == 0)
        recv->status = (uint16_t)status;
    if (recv->waits && recv->status != 0) {
        recv->waits = false;
        qp->waiting--;
    }
    retire(engine, qp);
}

void fal_vb_message_waits(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                          struct fal_vb_link *link)
{
    if (qp->waiting == 0)
        return;
    for (uint64_t at = qp->rq.head; at < qp->rq.tail; at++) {
        struct fal_vb_recv *recv = fal_vb_ring_get(&qp->rq, at);

        if (recv == NULL || !recv->waits || !fal_vb_all_before(link, recv->wait_rsn))
            continue;
        recv->waits = false;
        qp->waiting--;
        recv->total += fal_vb_parts_before(link, recv->wait_rsn, recv->write_va);
    }
    retire(engine, qp);
}

void fal_vb_rq_flush(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    for (uint64_t at = qp->rq.head; at < qp->rq.tail; at++) {
        struct fal_vb_recv *recv = fal_vb_ring_get(&qp->rq, at);

        if (recv == NULL)
            continue;
        if (recv->status == 0)
            recv->status = FAL_VERBS_FLUSH;
        end(engine, qp, at);
    }
    qp->rq.head = qp->taken = qp->rq.tail;
    qp->waiting = 0;
}

/* A message waits for its turn, and those before it have not come. */
static void give_up_before(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                           uint64_t end_at)
{
    for (uint64_t at = qp->rq.head; at < end_at; at++) {
        struct fal_vb_recv *recv = request_at(engine, qp, at);

        if (recv != NULL && !recv->done)
            fal_vb_message_done(engine, qp, recv, FAL_VERBS_REM_OP);
    }
}

uint64_t fal_vb_rq_expire(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    uint64_t next_ns = FAL_NEVER;

    for (uint64_t at = qp->rq.head; at < qp->rq.tail; at++) {
        struct fal_vb_recv *recv = fal_vb_ring_get(&qp->rq, at);

        if (recv == NULL || recv->expires_ns == FAL_NEVER)
            continue;
        if (recv->expires_ns <= engine->now_ns && recv->done && !recv->waits)
            give_up_before(engine, qp, at);
        else if (recv->expires_ns <= engine->now_ns)
            fal_vb_message_done(engine, qp, recv, FAL_VERBS_REM_OP);
        else if (recv->expires_ns < next_ns)
            next_ns = recv->expires_ns;
    }
    return next_ns;
}
