/* SPDX-License-Identifier: Apache-2.0
 * posts.c - posts of the SUT's queue pairs, and the packets that they explain. */
#include "oracles/rules/verbs/objects_impl.h"

#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

enum { WQES_MAX = 4096, WQES_KEPT = 1024 };

/* Operations below the service (RDMA 8.1.3). */
enum { READ_REQUEST = 12, CMP_SWAP = 19, FETCH_ADD = 20, OPERATION = 31 };

/* ---- posting ---- */

static struct fal_wqe *add(struct fal_objects *o, struct fal_wqes *wqes)
{
    if (wqes->num == WQES_MAX) {
        size_t old = WQES_MAX - WQES_KEPT;

        memmove(wqes->list, wqes->list + old, WQES_KEPT * sizeof *wqes->list);
        wqes->num = WQES_KEPT;
        wqes->forgotten += old;
    }
    if (wqes->num == wqes->cap) {
        size_t cap = wqes->cap == 0 ? 8 : wqes->cap * 2;
        struct fal_wqe *grown = realloc(wqes->list, cap * sizeof *grown);

        if (grown == NULL) {
            o->oom = true;
            return NULL;
        }
        wqes->list = grown;
        wqes->cap = cap;
    }
    memset(&wqes->list[wqes->num], 0, sizeof *wqes->list);
    return &wqes->list[wqes->num++];
}

/* How many bytes of an entry lie in its region. */
static uint64_t good_of(const struct fal_vmr *mr, const struct fal_verbs_sge *sge)
{
    uint64_t most = sge->offset < mr->length && mr->ended == 0 ? mr->length - sge->offset : 0;

    return sge->length < most ? sge->length : most;
}

/* The regions that the entries of the list name, as they are now. */
static void resolve(const struct fal_objects *o, const struct fal_verbs *post,
                    struct fal_wqe *wqe)
{
    wqe->list_known = true;
    wqe->num_sge =
        post->num_sge < FAL_VERBS_SGE_MAX ? (unsigned)post->num_sge : FAL_VERBS_SGE_MAX;
    for (size_t i = 0; i < wqe->num_sge; i++) {
        const struct fal_verbs_sge *from = &post->sgl[i];
        const struct fal_vmr *mr = fal_objects_mr(o, from->mr);
        struct fal_vsge *sge = &wqe->sgl[i];

        sge->length = from->length;
        wqe->length += from->length;
        if (mr == NULL) {
            wqe->list_known = false;
            wqe->good += wqe->good + from->length == wqe->length ? from->length : 0;
            continue;
        }
        if (wqe->good + from->length == wqe->length)
            wqe->good += good_of(mr, from);
        sge->mr = mr;
        sge->va = mr->va + from->offset;
        sge->lkey = mr->lkey;
        sge->image = mr->image;
        sge->at = mr->at + from->offset;
    }
}

/* Whether the SUT writes into the list of a post to a send queue. */
static bool writes_here(const struct fal_wqe *wqe)
{
    return wqe->op == FAL_VERBS_READ || wqe->op == FAL_VERBS_CAS || wqe->op == FAL_VERBS_FAA;
}

/* What the SUT may write there from now on is not known. The answers to READs and the messages
 * that are received are followed (written.c), others, as those to atomic operations, are not.
 */
static void forget_list(const struct fal_wqe *wqe, bool unseen)
{
    for (unsigned i = 0; i < wqe->num_sge; i++)
        (unseen ? fal_image_blur : fal_image_forget)(wqe->sgl[i].image, wqe->sgl[i].at,
                                                     wqe->sgl[i].length);
}

static void forget_open(const struct fal_wqes *wqes, bool receives)
{
    for (size_t i = 0; i < wqes->num; i++)
        if (!wqes->list[i].completed && !wqes->list[i].refused &&
            (receives || writes_here(&wqes->list[i])))
            forget_list(&wqes->list[i], !receives && wqes->list[i].op > FAL_VERBS_READ);
}

void fal_objects_forget_open(struct fal_objects *o)
{
    for (size_t i = 0; i < o->srqs.num; i++)
        forget_open(&((struct fal_vsrq *)fal_list_at(&o->srqs, i))->recvs, true);
    for (size_t i = 0; i < o->qps.num; i++) {
        const struct fal_vqp *qp = fal_list_at(&o->qps, i);

        forget_open(&qp->recvs, true);
        forget_open(&qp->sends, false);
    }
}

/* The requests that the post joins; NULL: of an unknown queue. */
static struct fal_wqes *queue_of(const struct fal_said *said)
{
    if (said->asked->kind != FAL_VERBS_POST_RECV)
        return said->qp != NULL ? &said->qp->sends : NULL;
    if (said->srq != NULL)
        return &said->srq->recvs;
    return said->qp != NULL ? &said->qp->recvs : NULL;
}

void fal_objects_post(struct fal_objects *o, const struct fal_said *said)
{
    const struct fal_verbs *post = said->asked;
    bool receive = post->kind == FAL_VERBS_POST_RECV;
    struct fal_wqes *queue = queue_of(said);
    struct fal_wqe *wqe, unknown = {0};

    wqe = queue != NULL ? add(o, queue) : &unknown;
    if (wqe == NULL)
        return;
    *wqe = (struct fal_wqe){
        .wr_id = post->wr_id, .op = post->op, .flags = post->flags, .dest_qpn = post->dest_qpn};
    if (post->has_remote) {
        wqe->remote_va = post->remote.va;
        wqe->rkey = post->remote.rkey;
    }
    wqe->imm = post->imm;
    wqe->inv = post->inv;
    if (post->op == FAL_VERBS_CAS || post->op == FAL_VERBS_FAA) {
        wqe->compare = post->compare;
        wqe->swap = post->swap;
        wqe->add = post->add;
    }
    wqe->has_srqn = post->has_srqn;
    wqe->srqn = post->srqn;
    wqe->has_qkey = post->has_qkey;
    if (post->has_qkey)
        wqe->qkey = post->qkey;
    wqe->conn = fal_objects_ah(o, post->ah);
    wqe->asked = said->asked_at;
    resolve(o, post, wqe);
    if (receive || writes_here(wqe))
        forget_list(wqe, queue == NULL || (!receive && post->op != FAL_VERBS_READ));
}

static bool names(const struct fal_wqe *wqe, const struct fal_image *image, uint64_t at,
                  uint64_t length)
{
    for (unsigned i = 0; i < wqe->num_sge; i++) {
        const struct fal_vsge *sge = &wqe->sgl[i];

        if (sge->image == image && sge->at < at + length && at < sge->at + sge->length)
            return true;
    }
    return false;
}

static bool any_names(const struct fal_wqes *wqes, const struct fal_image *image, uint64_t at,
                      uint64_t length)
{
    for (size_t i = 0; i < wqes->num; i++)
        if (names(&wqes->list[i], image, at, length))
            return true;
    return false;
}

static bool any_awaits(const struct fal_wqes *wqes, const struct fal_image *image, uint64_t at,
                       uint64_t length)
{
    for (size_t i = 0; i < wqes->num; i++)
        if (!wqes->list[i].completed && !wqes->list[i].refused &&
            names(&wqes->list[i], image, at, length))
            return true;
    return false;
}

bool fal_objects_awaited(const struct fal_objects *o, const struct fal_image *image,
                         uint64_t at, uint64_t length)
{
    for (size_t i = 0; i < o->srqs.num; i++)
        if (any_awaits(&((struct fal_vsrq *)fal_list_at(&o->srqs, i))->recvs, image, at,
                       length))
            return true;
    for (size_t i = 0; i < o->qps.num; i++)
        if (any_awaits(&((struct fal_vqp *)fal_list_at(&o->qps, i))->recvs, image, at, length))
            return true;
    return false;
}

bool fal_objects_scattered(const struct fal_objects *o, const struct fal_image *image,
                           uint64_t at, uint64_t length)
{
    for (size_t i = 0; i < o->srqs.num; i++)
        if (any_names(&((struct fal_vsrq *)fal_list_at(&o->srqs, i))->recvs, image, at, length))
            return true;
    for (size_t i = 0; i < o->qps.num; i++) {
        const struct fal_vqp *qp = fal_list_at(&o->qps, i);

        if (any_names(&qp->recvs, image, at, length))
            return true;
        for (size_t k = 0; k < qp->sends.num; k++)
            if (qp->sends.list[k].op >= FAL_VERBS_READ &&
                names(&qp->sends.list[k], image, at, length))
                return true;
    }
    return false;
}

/* ---- replies and completions ---- */

struct fal_wqe *fal_wqe_of(const struct fal_said *said)
{
    const struct fal_verbs *word = said->asked != NULL ? said->asked : said->told;
    bool completion = word->kind == FAL_VERBS_WC;
    bool receive =
        completion ? word->opcode >= FAL_VERBS_DONE_RECV : word->kind == FAL_VERBS_POST_RECV;
    struct fal_vsrq *srq = completion && said->qp != NULL ? said->qp->shared : said->srq;
    struct fal_wqes *wqes = receive && srq != NULL ? &srq->recvs
                            : said->qp == NULL     ? NULL
                            : receive              ? &said->qp->recvs
                                                   : &said->qp->sends;

    if (wqes == NULL || said->event->u.verbs.phase == FAL_VERBS_ASKED ||
        (!completion && !receive && word->kind != FAL_VERBS_POST_SEND))
        return NULL;
    for (size_t i = 0; i < wqes->num; i++) {
        struct fal_wqe *wqe = &wqes->list[i];

        if (wqe->wr_id != word->wr_id)
            continue;
        if (completion ? !wqe->completed && !wqe->refused
                       : wqe->asked.index == said->asked_at.index)
            return wqe;
    }
    return NULL;
}

/* The region whose key a SEND with Invalidate named. */
static void invalidate(struct fal_objects *o, const struct fal_said *said)
{
    for (struct fal_vmr *mr = fal_objects_mr_next(o, FAL_MR_RKEY, said->told->inv, NULL);
         mr != NULL; mr = fal_objects_mr_next(o, FAL_MR_RKEY, said->told->inv, mr))
        if (mr->ended == 0 && mr->invalidated == 0)
            mr->invalidated = said->event->index;
}

static void note_error(const struct fal_said *said)
{
    const struct fal_verbs *told = said->told;
    bool async = told->kind == FAL_VERBS_ASYNC;

    said->qp->trouble = true;
    if (async || (told->status != FAL_VERBS_REM_INV_REQ &&
                  told->status != FAL_VERBS_REM_ACCESS && told->status != FAL_VERBS_REM_OP))
        said->qp->fatal = true;
    if (async || said->qp->has_failed || said->wqe == NULL ||
        told->opcode >= FAL_VERBS_DONE_RECV)
        return;
    said->qp->has_failed = true;
    said->qp->failed = fal_at_event(said->event);
    said->qp->failed_post = said->wqe->asked.index;
}

/* Whether a receive request that completed may hold more of a message than packets have shown
 * to be there. After an error a part of one may be there. */
static bool holds_more(const struct fal_verbs *told, uint64_t placed)
{
    if (told->status != FAL_VERBS_OK)
        return told->opcode >= FAL_VERBS_DONE_RECV;
    return told->opcode == FAL_VERBS_DONE_RECV && placed < told->byte_len;
}

void fal_objects_told(struct fal_objects *o, const struct fal_said *said)
{
    const struct fal_verbs *told = said->told;
    uint64_t placed = 0;

    if (said->qp == NULL)
        return;
    if (told->kind == FAL_VERBS_ASYNC ||
        (told->kind == FAL_VERBS_WC && told->status != FAL_VERBS_OK))
        note_error(said);
    if (told->kind != FAL_VERBS_WC)
        return;
    if (told->status == FAL_VERBS_OK && said->wqe != NULL)
        placed = fal_written_completed(o, said);
    if (said->wqe != NULL && holds_more(told, placed))
        forget_list(said->wqe, true);
    if (told->opcode >= FAL_VERBS_DONE_RECV && told->status == FAL_VERBS_OK) {
        said->qp->received++;
        if (said->qp->type == FAL_VERBS_UD)
            fal_datagram_completed(o, said->qp, told);
        if (told->has_inv)
            invalidate(o, said);
    }
    if (said->wqe == NULL)
        return;
    said->wqe->completed = true;
    said->wqe->status = told->status;
    said->wqe->wc = fal_at_event(said->event);
}

/* ---- explaining packets ---- */

/* Whether the next packet of the message may be one of that operation. */
static bool fits(const struct fal_wqe *wqe, const struct fal_rdma_fact *fact)
{
    enum fal_rdma_place place = fal_rdma_place(fact->opcode);
    unsigned operation = fact->opcode & OPERATION;
    bool begins = place == FAL_RDMA_FIRST || place == FAL_RDMA_ONLY;

    switch (wqe->op) {
    case FAL_VERBS_SEND:
    case FAL_VERBS_SEND_IMM:
    case FAL_VERBS_SEND_INV:
        return fal_rdma_is_send(fact->opcode) && begins == (wqe->packets == 0);
    case FAL_VERBS_WRITE:
    case FAL_VERBS_WRITE_IMM:
        return fal_rdma_is_write(fact->opcode) && begins == (wqe->packets == 0);
    case FAL_VERBS_READ: return operation == READ_REQUEST;
    case FAL_VERBS_CAS: return operation == CMP_SWAP;
    case FAL_VERBS_FAA: return operation == FETCH_ADD;
    case FAL_VERBS_OPS: break;
    }
    return false;
}

/* Bytes of the list that the packet is about. */
static uint64_t bytes_of(const struct fal_wqe *wqe, const struct fal_rdma_fact *fact)
{
    if (wqe->op == FAL_VERBS_CAS || wqe->op == FAL_VERBS_FAA)
        return wqe->length;
    return wqe->op == FAL_VERBS_READ ? fact->length : fact->data_len;
}

static bool open_for(const struct fal_vqp *qp, const struct fal_wqe *wqe, uint32_t conn,
                     const struct fal_rdma_fact *fact)
{
    if (wqe->refused || wqe->finished || wqe->asked.index > fact->at.index)
        return false;
    if (qp->type == FAL_VERBS_UD && wqe->conn != 0 && wqe->conn != conn)
        return false;
    if (!fact->complete_in_error && wqe->good < wqe->length &&
        wqe->sent + bytes_of(wqe, fact) > wqe->good)
        return false;
    return fits(wqe, fact);
}

/* Whether the data are those of the post; UNSURE where it is not known what memory held. */
enum agreement { DIFFERS, UNSURE, AGREES };
static enum agreement same_data(const struct fal_wqe *wqe, const struct fal_rdma_fact *fact)
{
    uint64_t hash = fal_payload_hash(NULL, 0);

    if (fact->data_len == 0)
        return AGREES;
    if (!fal_wqe_hash(wqe, wqe->sent, fact->data_len, &hash))
        return UNSURE;
    return hash == fact->hash ? AGREES : DIFFERS;
}

static bool same_sink(const struct fal_wqe *wqe, const struct fal_rdma_fact *fact)
{
    for (unsigned i = 0; i < wqe->num_sge; i++)
        if (fact->l_key == wqe->sgl[i].lkey && fact->sink_va >= wqe->sgl[i].va &&
            fact->sink_va - wqe->sgl[i].va < wqe->sgl[i].length)
            return true;
    return !writes_here(wqe) || !wqe->list_known;
}

/* The packet ends the message where it ends, with what its post puts there. */
static unsigned same_end(const struct fal_wqe *wqe, const struct fal_rdma_fact *fact)
{
    enum fal_rdma_place place = fal_rdma_place(fact->opcode);
    bool ends = place == FAL_RDMA_LAST || place == FAL_RDMA_ONLY;
    bool imm = ends && (wqe->op == FAL_VERBS_SEND_IMM || wqe->op == FAL_VERBS_WRITE_IMM);
    bool inv = ends && wqe->op == FAL_VERBS_SEND_INV;
    uint64_t to = wqe->sent + fact->data_len;

    if (writes_here(wqe))
        return 3U * (wqe->sent + fact->length <= wqe->length || wqe->op != FAL_VERBS_READ);
    return (unsigned)(ends ? to == wqe->length : to < wqe->length) +
           (unsigned)(fal_rdma_with(fact->opcode, FAL_RDMA_IMMDT) == imm &&
                      fal_rdma_with(fact->opcode, FAL_RDMA_IETH) == inv) +
           (unsigned)((!imm || fact->imm == wqe->imm) && (!inv || fact->imm == wqe->inv));
}

/* How much of the packet is as that post asks, or may be, where several posts are under way.
 * Nothing counts as much as what differs. */
static unsigned likeness(const struct fal_wqe *wqe, const struct fal_rdma_fact *fact)
{
    enum { MAY_BE = 2 };
    bool remote = !fal_rdma_is_send(fact->opcode);
    enum agreement data = writes_here(wqe) ? AGREES : same_data(wqe, fact);
    unsigned like = same_end(wqe, fact);

    like += !remote || fact->va == wqe->remote_va + wqe->sent;
    like += !remote || fact->r_key == wqe->rkey;
    like += remote || wqe->packets == 0 || fact->rmsn == wqe->rmsn;
    like += same_sink(wqe, fact);
    like +=
        wqe->op != FAL_VERBS_CAS || (fact->swap == wqe->swap && fact->compare == wqe->compare);
    like += wqe->op != FAL_VERBS_FAA || fact->swap == wqe->add;
    like += data != DIFFERS;
    return MAY_BE * like + (data == AGREES);
}

/* Whether the request may fail at its own end, so that nothing of it is sent: its list names a
 * region that is not there, or not for it. */
static bool may_fail(const struct fal_vqp *qp, const struct fal_wqe *wqe, uint64_t index)
{
    for (unsigned i = 0; i < wqe->num_sge; i++) {
        const struct fal_vmr *mr = wqe->sgl[i].mr;

        if (mr == NULL || (mr->ended != 0 && mr->ended < index) ||
            (mr->invalidated != 0 && mr->invalidated < index) || strcmp(mr->pd, qp->pd) != 0 ||
            (writes_here(wqe) && (mr->access & FAL_VERBS_LOCAL_WRITE) == 0))
            return true;
    }
    return wqe->good < wqe->length;
}

/* The first request that may send: on a strongly ordered queue pair those before the newest
 * that was begun are over. */
static size_t first_open(const struct fal_vqp *qp)
{
    size_t i = qp->sends.num;

    if (qp->ordering != FAL_VERBS_STRONG || qp->type == FAL_VERBS_UD)
        return 0;
    while (i-- > 0)
        if (qp->sends.list[i].packets > 0)
            return i;
    return 0;
}

void fal_objects_explain(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact,
                         struct fal_explained *out)
{
    struct fal_vqp *qp = fal_objects_qp_of(o, conn, fact);
    unsigned best = 0;

    *out = (struct fal_explained){.fact = fact, .qp = qp};
    for (size_t i = qp != NULL ? first_open(qp) : 0; qp != NULL && i < qp->sends.num; i++) {
        struct fal_wqe *wqe = &qp->sends.list[i];
        unsigned like;

        if (!open_for(qp, wqe, conn, fact))
            continue;
        like = 1 + likeness(wqe, fact);
        if (like > best) {
            best = like;
            out->wqe = wqe;
        }
        if (qp->ordering == FAL_VERBS_STRONG && wqe->answered != 0 &&
            !may_fail(qp, wqe, fact->at.index))
            break; /* nothing overtakes it, and it was not refused */
    }
    if (out->wqe != NULL)
        out->before = out->wqe->sent;
}

const struct fal_wqe *fal_objects_elsewhere(const struct fal_explained *e)
{
    for (size_t i = 0; e->qp != NULL && i < e->qp->sends.num; i++)
        if (open_for(e->qp, &e->qp->sends.list[i], e->qp->sends.list[i].conn, e->fact))
            return &e->qp->sends.list[i];
    return NULL;
}

void fal_objects_take(const struct fal_explained *e)
{
    const struct fal_rdma_fact *fact = e->fact;
    enum fal_rdma_place place = fal_rdma_place(fact->opcode);
    struct fal_wqe *wqe = e->wqe;

    if (wqe == NULL)
        return;
    if (wqe->packets == 0)
        wqe->rsn_first = fact->rsn;
    wqe->rsn_last = fact->rsn;
    wqe->rmsn = fact->rmsn;
    wqe->packets++;
    if (wqe->op == FAL_VERBS_READ) {
        wqe->sent += fact->length;
        wqe->finished = wqe->sent >= wqe->length;
    } else if (wqe->op == FAL_VERBS_CAS || wqe->op == FAL_VERBS_FAA) {
        wqe->finished = true;
    } else {
        wqe->sent += fact->data_len;
        wqe->finished = place == FAL_RDMA_LAST || place == FAL_RDMA_ONLY;
        if (!wqe->finished && fact->complete_in_error && !wqe->early_error) {
            wqe->early_error = true;
            wqe->error = fact->at;
        }
    }
}

bool fal_wqe_hash(const struct fal_wqe *wqe, uint64_t from, uint64_t length, uint64_t *hash)
{
    for (unsigned i = 0; i < wqe->num_sge && length > 0; i++) {
        const struct fal_vsge *sge = &wqe->sgl[i];
        uint64_t n;

        if (from >= sge->length) {
            from -= sge->length;
            continue;
        }
        n = sge->length - from < length ? sge->length - from : length;
        if (sge->image == NULL || sge->image->filled > wqe->asked.index ||
            !fal_image_hash(sge->image, sge->at + from, n, hash))
            return false;
        length -= n;
        from = 0;
    }
    return length == 0;
}
