/* SPDX-License-Identifier: Apache-2.0
 * find.c - finds objects by what words and packets name: none of it is slower where there are
 * more of them. */
#include "oracles/rules/verbs/objects_impl.h"

#include <string.h>

/* ---- queue pairs ---- */

void *fal_objects_named(const struct fal_index *names, const struct fal_list *list,
                        const char *name)
{
    uint32_t at = name[0] != 0 ? fal_index_first(names, fal_index_name(name)) : FAL_INDEX_NONE;

    for (; at != FAL_INDEX_NONE; at = fal_index_next(names, at))
        if (strcmp(fal_list_at(list, at), name) == 0)
            return fal_list_at(list, at);
    return NULL;
}

struct fal_vqp *fal_objects_qp(struct fal_objects *o, const char *name)
{
    return fal_objects_named(&o->qp_names, &o->qps, name);
}

struct fal_vqp *fal_objects_qp_at(struct fal_objects *o, size_t i)
{
    return i < o->qps.num ? fal_list_at(&o->qps, i) : NULL;
}

/* The newest with that number, of one service alone if there is `type`. */
static struct fal_vqp *by_number(struct fal_objects *o, uint32_t qpn,
                                 const enum fal_verbs_type *type)
{
    uint32_t at = fal_index_first(&o->qp_numbers, fal_index_number(qpn));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&o->qp_numbers, at)) {
        struct fal_vqp *qp = fal_list_at(&o->qps, at);

        if (qp->qpn == qpn && (type == NULL || qp->type == *type))
            return qp;
    }
    return NULL;
}

struct fal_vqp *fal_objects_qp_by_number(struct fal_objects *o, uint32_t qpn)
{
    return by_number(o, qpn, NULL);
}

struct fal_vconn *fal_objects_conn(const struct fal_objects *o, uint32_t conn)
{
    uint32_t at = fal_index_first(&o->conn_numbers, fal_index_number(conn));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&o->conn_numbers, at)) {
        struct fal_vconn *vconn = fal_list_at(&o->conns, at);

        if (vconn->conn == conn)
            return vconn;
    }
    return NULL;
}

struct fal_vqp *fal_objects_qp_on(const struct fal_objects *o, uint32_t conn)
{
    const struct fal_vconn *vconn = conn != 0 ? fal_objects_conn(o, conn) : NULL;

    return vconn != NULL ? vconn->first : NULL;
}

uint32_t fal_objects_some_conn(const struct fal_objects *o)
{
    const struct fal_vqp *first = NULL;

    for (size_t i = 0; i < o->conns.num && first == NULL; i++)
        first = ((const struct fal_vconn *)fal_list_at(&o->conns, i))->first;
    return first != NULL ? first->conn : 0;
}

void fal_objects_connect(struct fal_objects *o, struct fal_vqp *qp, uint32_t conn)
{
    struct fal_vconn *vconn = qp->conn != 0 ? fal_objects_conn(o, qp->conn) : NULL;
    struct fal_vqp **at = vconn != NULL ? &vconn->first : NULL;

    while (at != NULL && *at != NULL && *at != qp)
        at = &(*at)->next_on;
    if (at != NULL && *at == qp)
        *at = qp->next_on;
    qp->next_on = NULL;
    qp->conn = conn;
    if (conn == 0)
        return;
    vconn = fal_objects_conn(o, conn);
    if (vconn == NULL) {
        vconn = fal_list_add(o, &o->conns, sizeof *vconn, SIZE_MAX);
        if (vconn == NULL)
            return;
        vconn->conn = conn;
        o->oom = !fal_index_add(&o->conn_numbers, fal_index_number(conn)) || o->oom;
    }
    for (at = &vconn->first; *at != NULL && (*at)->place < qp->place;)
        at = &(*at)->next_on;
    qp->next_on = *at;
    *at = qp;
}

struct fal_vqp *fal_objects_qp_of(struct fal_objects *o, uint32_t conn,
                                  const struct fal_rdma_fact *fact)
{
    static const enum fal_verbs_type ud = FAL_VERBS_UD;
    struct fal_vqp *newest = NULL;

    if (fact->opcode >> 5 == FAL_RDMA_UD)
        return by_number(o, fact->source_qp, &ud);
    for (struct fal_vqp *qp = fal_objects_qp_on(o, conn); qp != NULL; qp = qp->next_on)
        if (qp->type == FAL_VERBS_RC || qp->type == FAL_VERBS_XRC_INI)
            newest = qp;
    return newest;
}

const struct fal_vqp *fal_objects_rival(const struct fal_objects *o, const struct fal_vqp *qp)
{
    const struct fal_vqp *other = fal_objects_qp_on(o, qp->conn);

    while (other != NULL && (other == qp || other->type != qp->type))
        other = other->next_on;
    return other;
}

const struct fal_vqp *fal_objects_rc_on(const struct fal_objects *o, uint32_t conn)
{
    const struct fal_vqp *qp = fal_objects_qp_on(o, conn);

    while (qp != NULL && qp->type != FAL_VERBS_RC)
        qp = qp->next_on;
    return qp;
}

const struct fal_wqes *fal_vqp_recvs(const struct fal_vqp *qp)
{
    return qp->shared != NULL ? &qp->shared->recvs : &qp->recvs;
}

bool fal_objects_datagrams(const struct fal_objects *o)
{
    return o->datagrams;
}

void fal_objects_vague(struct fal_objects *o, uint32_t conn)
{
    for (struct fal_vqp *qp = fal_objects_qp_on(o, conn); qp != NULL; qp = qp->next_on)
        qp->vague = true;
    for (; o->vague_datagrams < o->qps.num; o->vague_datagrams++) {
        struct fal_vqp *qp = fal_list_at(&o->qps, o->vague_datagrams);

        qp->vague = qp->vague || qp->type == FAL_VERBS_UD;
    }
}

/* ---- memory regions ---- */

const struct fal_vmr *fal_objects_mr(const struct fal_objects *o, const char *name)
{
    return fal_objects_named(&o->mr_names, &o->mrs, name);
}

struct fal_vmr *fal_objects_mr_next(const struct fal_objects *o, enum fal_mr_key kind,
                                    uint32_t key, const struct fal_vmr *before)
{
    const struct fal_index *index = &o->mr_keys[kind];
    uint32_t at = before == NULL ? fal_index_first(index, fal_index_number(key))
                                 : fal_index_next(index, before->place);

    for (; at != FAL_INDEX_NONE; at = fal_index_next(index, at)) {
        struct fal_vmr *mr = fal_list_at(&o->mrs, at);

        if ((kind == FAL_MR_RKEY ? mr->rkey : mr->lkey) == key)
            return mr;
    }
    return NULL;
}

const struct fal_vmr *fal_objects_mr_by_rkey(const struct fal_objects *o, uint32_t rkey)
{
    return fal_objects_mr_next(o, FAL_MR_RKEY, rkey, NULL);
}

bool fal_objects_atomics_mixed(const struct fal_objects *o)
{
    return o->atomics_mixed;
}

bool fal_objects_any_word(const struct fal_objects *o)
{
    return o->any_word;
}

bool fal_objects_changing(const struct fal_objects *o)
{
    for (size_t i = 0; i < o->pending.num; i++) {
        const struct fal_asked_verbs *asked = fal_list_at(&o->pending, i);

        if (asked->verbs.kind == FAL_VERBS_MR_REG || asked->verbs.kind == FAL_VERBS_MR_DEREG)
            return true;
    }
    return false;
}

/* ---- others ---- */

struct fal_vsrq *fal_objects_srq(const struct fal_objects *o, const char *name)
{
    return fal_objects_named(&o->srq_names, &o->srqs, name);
}

uint32_t fal_objects_ah(const struct fal_objects *o, const char *name)
{
    const struct fal_ah *ah = fal_objects_named(&o->ah_names, &o->ahs, name);

    return ah != NULL ? ah->conn : 0;
}
