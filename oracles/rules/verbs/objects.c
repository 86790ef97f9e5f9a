/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/verbs/objects_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
    MRS_MAX = 4096,
    QPS_MAX = 16384,
    AHS_MAX = 4096,
    SRQS_MAX = 4096,
    PENDING_MAX = 256,
    IMAGES_MAX = 64 << 20, /* bytes of all images */
};

struct fal_objects *fal_objects_new(void)
{
    return calloc(1, sizeof(struct fal_objects));
}

void fal_objects_reset(struct fal_objects *o)
{
    struct fal_list *const lists[] = {&o->mrs, &o->srqs,    &o->words, &o->qps,
                                      &o->ahs, &o->pending, &o->conns};
    struct fal_index *const indexes[] = {&o->qp_names,
                                         &o->qp_numbers,
                                         &o->conn_numbers,
                                         &o->mr_names,
                                         &o->mr_keys[FAL_MR_RKEY],
                                         &o->mr_keys[FAL_MR_LKEY],
                                         &o->ah_names,
                                         &o->srq_names};

    for (size_t i = 0; i < o->mrs.num; i++) {
        struct fal_vmr *mr = fal_list_at(&o->mrs, i);

        if (mr->own_image)
            fal_image_free(mr->image);
    }
    for (size_t i = 0; i < o->qps.num; i++) {
        struct fal_vqp *qp = fal_list_at(&o->qps, i);

        free(qp->sends.list);
        free(qp->recvs.list);
        free(qp->datagrams);
    }
    for (size_t i = 0; i < o->srqs.num; i++)
        free(((struct fal_vsrq *)fal_list_at(&o->srqs, i))->recvs.list);
    fal_written_free(o);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        fal_list_free(lists[i]);
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        fal_index_free(indexes[i]);
    fal_cqs_free(o);
    o->vague_datagrams = 0;
    o->datagrams = false;
    o->image_bytes = 0;
}

void fal_objects_free(struct fal_objects *objects)
{
    if (objects == NULL)
        return;
    fal_objects_reset(objects);
    free(objects);
}

bool fal_objects_oom(const struct fal_objects *objects)
{
    return objects->oom;
}

void fal_objects_unseen(struct fal_objects *objects)
{
    objects->doubt = true;
}

bool fal_objects_doubt(const struct fal_objects *objects)
{
    return objects->doubt;
}

/* ---- commands, replies, events ---- */

bool fal_objects_read(struct fal_objects *o, const struct fal_event *event,
                      struct fal_said *said)
{
    const struct fal_ev_verbs *verbs = &event->u.verbs;

    *said = (struct fal_said){.event = event, .ok = verbs->ok, .told = verbs->verbs};
    said->asked_at = fal_at_event(event);
    if (verbs->phase == FAL_VERBS_ANSWERED) {
        struct fal_asked_verbs *asked = NULL;

        for (size_t i = 0; i < o->pending.num && asked == NULL; i++) {
            struct fal_asked_verbs *one = fal_list_at(&o->pending, i);

            if (one->id == verbs->id)
                asked = one;
        }
        if (asked == NULL)
            return false;
        said->asked = &asked->verbs;
        said->asked_at = asked->at;
    } else if (verbs->phase == FAL_VERBS_ASKED) {
        said->asked = verbs->verbs;
    }
    said->qp = fal_objects_qp(o, said->asked != NULL ? said->asked->qp : said->told->qp);
    if (said->asked != NULL && said->asked->kind == FAL_VERBS_POST_RECV)
        said->srq = fal_objects_srq(o, said->asked->srq);
    if (said->qp != NULL || said->srq != NULL)
        said->wqe = fal_wqe_of(said);
    return true;
}

static void copy(char to[FAL_VERBS_NAME_MAX], const char from[FAL_VERBS_NAME_MAX])
{
    memcpy(to, from, FAL_VERBS_NAME_MAX);
}

/* The memory of a new region: that of another one, or its own. */
static void give_image(struct fal_objects *o, struct fal_vmr *mr, const struct fal_verbs *asked)
{
    const struct fal_vmr *whole = fal_objects_mr(o, asked->within);

    if (asked->within[0] != 0) {
        mr->image = whole != NULL ? whole->image : NULL;
        mr->at = whole != NULL ? whole->at + asked->offset : 0;
        return;
    }
    if (asked->length > IMAGES_MAX - o->image_bytes)
        return;
    mr->image = fal_image_new(asked->length, &o->oom);
    mr->own_image = mr->image != NULL;
    if (mr->own_image)
        o->image_bytes += asked->length;
}

static void note_mr(struct fal_objects *o, const struct fal_said *said)
{
    struct fal_vmr *mr = fal_list_add(o, &o->mrs, sizeof *mr, MRS_MAX);

    if (mr == NULL)
        return;
    give_image(o, mr, said->asked); /* before it has its name: `within` is another one */
    copy(mr->name, said->told->mr);
    copy(mr->pd, said->asked->pd);
    mr->va = said->told->va;
    mr->length = said->asked->length;
    mr->access = said->asked->access;
    mr->lkey = said->told->lkey;
    mr->rkey = said->told->rkey;
    mr->known = said->event->index;
    mr->place = (uint32_t)(o->mrs.num - 1);
    o->oom = !fal_index_add(&o->mr_names, fal_index_name(mr->name)) ||
             !fal_index_add(&o->mr_keys[FAL_MR_RKEY], fal_index_number(mr->rkey)) ||
             !fal_index_add(&o->mr_keys[FAL_MR_LKEY], fal_index_number(mr->lkey)) || o->oom;
}

static void note_qp(struct fal_objects *o, const struct fal_said *said)
{
    const struct fal_verbs *asked = said->asked, *told = said->told;
    struct fal_vqp *qp = fal_list_add(o, &o->qps, sizeof *qp, QPS_MAX);

    if (qp == NULL)
        return;
    copy(qp->name, told->qp);
    copy(qp->pd, asked->pd);
    copy(qp->send_cq, asked->send_cq);
    copy(qp->recv_cq, asked->recv_cq);
    copy(qp->srq, asked->srq);
    qp->shared = fal_objects_srq(o, asked->srq);
    /* A reply that does not name the mode reads as its first word. */
    qp->vague =
        (told->ordering == FAL_VERBS_STRONG && asked->ordering != FAL_VERBS_STRONG) ||
        (told->errors == FAL_VERBS_ERRORS_VERBS && asked->errors != FAL_VERBS_ERRORS_VERBS);
    qp->ordering = told->ordering;
    qp->errors = told->errors;
    if (asked->has_qkey) {
        qp->qkey = asked->qkey;
        qp->has_qkey = true;
    }
    qp->made = fal_at_event(said->event);
    qp->type = asked->type;
    o->datagrams = o->datagrams || qp->type == FAL_VERBS_UD;
    qp->path_mtu = told->path_mtu;
    qp->qpn = told->qpn;
    qp->place = (uint32_t)(o->qps.num - 1);
    o->oom = !fal_index_add(&o->qp_names, fal_index_name(qp->name)) ||
             !fal_index_add(&o->qp_numbers, fal_index_number(qp->qpn)) || o->oom;
}

static void note_srq(struct fal_objects *o, const struct fal_said *said)
{
    struct fal_vsrq *srq = fal_list_add(o, &o->srqs, sizeof *srq, SRQS_MAX);

    if (srq == NULL)
        return;
    copy(srq->name, said->told->srq);
    srq->number = said->told->srqn;
    o->oom = !fal_index_add(&o->srq_names, fal_index_name(srq->name)) || o->oom;
}

static void note_ah(struct fal_objects *o, const struct fal_said *said, uint32_t conn)
{
    struct fal_ah *ah = fal_list_add(o, &o->ahs, sizeof *ah, AHS_MAX);

    if (ah == NULL)
        return;
    copy(ah->name, said->told->ah);
    ah->conn = conn;
    o->oom = !fal_index_add(&o->ah_names, fal_index_name(ah->name)) || o->oom;
}

/* A range of a region that a command may change, or has changed. */
static void note_memory(struct fal_objects *o, const struct fal_said *said, bool applied)
{
    const struct fal_verbs *asked = said->asked;
    const struct fal_vmr *mr = fal_objects_mr(o, asked->mr);

    if (mr == NULL || mr->image == NULL)
        return;
    if (asked->kind == FAL_VERBS_MR_WORD) {
        if (asked->has_set)
            fal_image_blur(mr->image, mr->at + asked->offset, 8);
        return;
    }
    mr->image->filled = said->event->index;
    fal_words_spoil(o, mr->image, mr->at + asked->offset, asked->length);
    fal_written_filled(o, mr->image, mr->at + asked->offset, asked->length);
    if (applied) {
        fal_image_fill(mr->image, mr->at + asked->offset, asked->length, asked->tag,
                       asked->seed);
        fal_written_forget(o, mr->image, mr->at + asked->offset, asked->length);
        fal_objects_forget_open(o); /* What comes there later is as unknown as before. */
    } else {
        fal_image_forget(mr->image, mr->at + asked->offset, asked->length);
    }
}

static void note_dereg(struct fal_objects *o, const struct fal_said *said)
{
    const char *name = said->asked->mr;
    uint32_t at = fal_index_first(&o->mr_names, fal_index_name(name));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&o->mr_names, at)) {
        struct fal_vmr *mr = fal_list_at(&o->mrs, at);

        if (strcmp(mr->name, name) == 0 && mr->ended == 0)
            mr->ended = said->event->index;
    }
}

static void note_asked(struct fal_objects *o, const struct fal_said *said)
{
    enum fal_verbs_kind kind = said->asked->kind;
    struct fal_asked_verbs *asked;

    if (o->pending.num == PENDING_MAX)
        fal_list_remove(&o->pending, 0);
    asked = fal_list_add(o, &o->pending, sizeof *asked, PENDING_MAX);
    if (asked == NULL)
        return;
    asked->id = said->event->u.verbs.id;
    asked->at = said->asked_at;
    asked->verbs = *said->asked;
    if (kind == FAL_VERBS_POST_SEND || kind == FAL_VERBS_POST_RECV)
        fal_objects_post(o, said);
    else if (kind == FAL_VERBS_MR_FILL || kind == FAL_VERBS_MR_WORD)
        note_memory(o, said, false);
    else if (kind == FAL_VERBS_MR_DEREG)
        note_dereg(o, said);
}

static void note_applied(struct fal_objects *o, const struct fal_said *said, uint32_t conn)
{
    enum fal_verbs_kind kind = said->asked->kind;

    if (kind == FAL_VERBS_MR_REG) {
        note_mr(o, said);
    } else if (kind == FAL_VERBS_QP_CREATE) {
        note_qp(o, said);
    } else if (kind == FAL_VERBS_SRQ_CREATE) {
        note_srq(o, said);
    } else if (kind == FAL_VERBS_AH_CREATE) {
        note_ah(o, said, conn);
    } else if (kind == FAL_VERBS_CQ_ARM) {
        fal_cq_armed(o, said);
    } else if (kind == FAL_VERBS_MR_FILL) {
        note_memory(o, said, true);
    } else if (kind == FAL_VERBS_MR_WORD && fal_objects_mr(o, said->asked->mr) != NULL) {
        fal_word_told(o, fal_objects_mr(o, said->asked->mr), said);
    } else if (kind == FAL_VERBS_QP_CONNECT && said->qp != NULL) {
        fal_objects_connect(o, said->qp, conn);
        said->qp->dest_qpn = said->asked->dest_qpn;
        said->qp->connected = fal_at_event(said->event);
    }
}

void fal_objects_note(struct fal_objects *o, const struct fal_said *said, uint32_t conn)
{
    const struct fal_ev_verbs *verbs = &said->event->u.verbs;

    if (verbs->phase == FAL_VERBS_ASKED) {
        note_asked(o, said);
    } else if (verbs->phase == FAL_VERBS_TOLD) {
        if (said->told->kind == FAL_VERBS_CQ_EVENT)
            fal_cq_event(o, said->told->cq);
        fal_objects_told(o, said);
    } else {
        if (said->wqe != NULL) {
            said->wqe->answered = said->event->index;
            said->wqe->refused = !said->ok;
        }
        if (said->ok)
            note_applied(o, said, conn);
        for (size_t i = 0; i < o->pending.num; i++)
            if (&((struct fal_asked_verbs *)fal_list_at(&o->pending, i))->verbs ==
                said->asked) {
                fal_list_remove(&o->pending, i);
                break;
            }
    }
}

void fal_objects_sent(struct fal_objects *o, uint32_t conn, const struct fal_seen *seen)
{
    enum { ATOMIC = 8, OPERATION = 31, CMP_SWAP = 19, FETCH_ADD = 20 };
    const struct fal_rdma_fact *fact = &seen->rdma;
    unsigned operation = fact->opcode & OPERATION;

    if (fact->opcode >> 5 == FAL_RDMA_UD)
        fal_datagram_sent(o, conn, fact);
    fal_written_sent(o, conn, seen);
    if (fact->solicited && fal_rdma_ends_received(fact->opcode))
        fal_cq_solicited(o, conn);
    if (operation != CMP_SWAP && operation != FETCH_ADD)
        return;
    fal_atomic_sent(o, conn, fact);
    if (o->atomics_conn == 0)
        o->atomics_conn = conn;
    o->atomics_mixed = o->atomics_mixed || o->atomics_conn != conn;
    for (const struct fal_vmr *mr = fal_objects_mr_by_rkey(o, fact->r_key); mr != NULL;
         mr = fal_objects_mr_next(o, FAL_MR_RKEY, fact->r_key, mr))
        if (mr->image != NULL && fact->va - mr->va < mr->length)
            fal_image_blur(mr->image, mr->at + (fact->va - mr->va), ATOMIC);
}
