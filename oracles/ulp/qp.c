/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/qp.h"

#include "oracles/ulp/complete.h"
#include "oracles/ulp/events.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/recv.h"

enum {
    MTU_DEFAULT = 1024,
    QUEUE_DEFAULT = 64,
    QUEUE_MAX = 4096,
    SGE_DEFAULT = 4,
    ATOMIC_DEFAULT = 16,
    ATOMIC_MAX = 128,
};

#define RNR_DEFAULT_NS (10 * FAL_US)

/* ---- creating ---- */

static int check_kind(const struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                      struct fal_error *err)
{
    if (ask->ordering == FAL_VERBS_UNORDERED && ask->errors != FAL_VERBS_ERRORS_CIE &&
        fal_vb_either(engine, true, fal_vb_at_mode(engine)))
        return fal_fail(err, FAL_ERR_RANGE,
                        "errors: an unordered queue pair has the mode cie alone (RDMA 6.4)");
    if (ask->path_mtu != 0 && (ask->path_mtu < 256 || ask->path_mtu > FAL_VB_MTU_MAX ||
                               (ask->path_mtu & (ask->path_mtu - 1)) != 0))
        return fal_fail(err, FAL_ERR_RANGE,
                        "path_mtu %u: expected 256, 512, 1024, 2048 or 4096", ask->path_mtu);
    if (ask->sge > FAL_VERBS_SGE_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "sge %u: expected at most %d", ask->sge,
                        FAL_VERBS_SGE_MAX);
    return 0;
}

static uint32_t wish(uint32_t value, uint32_t otherwise, uint32_t most)
{
    value = value > 0 ? value : otherwise;
    return value < most ? value : most;
}

/* What the queue pair takes of the wishes. */
static void take_sizes(const struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                       struct fal_vb_qp *qp)
{
    uint32_t most = engine->config.limits.queue > 0 ? engine->config.limits.queue : QUEUE_MAX;
    uint32_t sq_most =
        ask->ordering == FAL_VERBS_WEAK && most > FAL_VB_WEAK_MAX ? FAL_VB_WEAK_MAX : most;

    qp->path_mtu = (uint16_t)(ask->path_mtu > 0 ? ask->path_mtu : MTU_DEFAULT);
    qp->sq_max = wish(ask->sq, QUEUE_DEFAULT, sq_most);
    qp->rq_max = wish(ask->rq, QUEUE_DEFAULT, most);
    qp->sge = (uint16_t)wish(ask->sge, SGE_DEFAULT, FAL_VERBS_SGE_MAX);
    qp->rd_atomic = (uint16_t)wish(ask->rd_atomic, ATOMIC_DEFAULT, ATOMIC_MAX);
    qp->rnr_ns = ask->rnr_ns > 0 ? ask->rnr_ns : RNR_DEFAULT_NS;
}

static void tell(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                 struct fal_verbs *answer)
{
    fal_vb_name(FAL_VB_QP, qp->self, answer->qp);
    answer->qpn = fal_vb_qpn(engine, qp->self);
    answer->ordering = qp->ordering;
    answer->errors = qp->errors;
    answer->path_mtu = qp->path_mtu;
    answer->sq = qp->sq_max;
    answer->rq = qp->rq_max;
    answer->sge = qp->sge;
    answer->rd_atomic = qp->rd_atomic;
    answer->rnr_ns = qp->rnr_ns;
}

int fal_vb_qp_create(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                     struct fal_verbs *answer, struct fal_error *err)
{
    struct fal_vb_qp *qp, made = {.type = (uint8_t)ask->type,
                                  .ordering = (uint8_t)ask->ordering,
                                  .errors = (uint8_t)ask->errors,
                                  .state = FAL_VERBS_OTHER,
                                  .qkey = ask->qkey,
                                  .halted = UINT64_MAX,
                                  .rmsn_message = 1, /* RDMA 8.3.2-02 */
                                  .rmsn_pull = 1};
    void *row = NULL;
    int rc = check_kind(engine, ask, err);

    if (rc == 0)
        rc = fal_vb_find(engine, FAL_VB_PD, ask->pd, "pd", &made.pd, err);
    if (rc == 0)
        rc = fal_vb_find(engine, FAL_VB_CQ, ask->send_cq, "send_cq", &made.send_cq, err);
    if (rc == 0)
        rc = fal_vb_find(engine, FAL_VB_CQ, ask->recv_cq, "recv_cq", &made.recv_cq, err);
    if (rc == 0)
        rc = fal_vb_find_if(engine, FAL_VB_SRQ, ask->srq, "srq", &made.srq, err);
    if (rc == 0)
        rc = fal_vb_add(engine, FAL_VB_QP, &row, &made.self, err);
    if (rc != 0)
        return rc;
    if (made.type == FAL_VERBS_UD)
        made.state = FAL_VERBS_RTS; /* it has no connection of its own (RDMA 6.6.3) */
    take_sizes(engine, ask, &made);
    qp = row;
    *qp = made;
    tell(engine, qp, answer);
    return 0;
}

/* ---- connecting ---- */

/* The queue pair that keeps another one of that type off the connection; NULL: none. A
 * connection has one queue pair of RC, or one of each kind of XRC (RDMA 6.6.1, 6.6.2). */
static const struct fal_vb_qp *in_the_way(const struct fal_verbs_engine *engine,
                                          const struct fal_vb_link *link, unsigned type)
{
    const struct fal_vb_qp *first = fal_vb_qp_get(engine, link->rc_qp),
                           *target = fal_vb_qp_get(engine, link->tgt_qp);

    if (type == FAL_VERBS_XRC_TGT)
        return target != NULL                                      ? target
               : first != NULL && first->type != FAL_VERBS_XRC_INI ? first
                                                                   : NULL;
    return first != NULL || type == FAL_VERBS_XRC_INI ? first : target;
}

static int check_link(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                      const struct fal_vb_link *link, const struct fal_verbs *ask,
                      struct fal_error *err)
{
    bool strong = qp->ordering == FAL_VERBS_STRONG;
    const struct fal_vb_qp *other = in_the_way(engine, link, qp->type);

    if (strong != link->ordered && fal_vb_either(engine, true, fal_vb_at_mode(engine)))
        return fal_fail(err, FAL_ERR_RANGE,
                        "conn '%s': a %s queue pair needs an %s connection (RDMA 6.2)",
                        ask->conn, strong ? "strongly ordered" : "weakly ordered or unordered",
                        strong ? "ordered" : "unordered");
    if (other != NULL && fal_vb_either(engine, true, fal_vb_at_taken_link(engine, qp, other)))
        return fal_fail(err, FAL_ERR_RANGE, "conn '%s': another queue pair has it (RDMA %s)",
                        ask->conn, qp->type == FAL_VERBS_RC ? "6.6.1" : "6.6.2");
    if ((uint32_t)qp->path_mtu + FAL_VB_OVERHEAD > link->mtu)
        return fal_fail(err, FAL_ERR_RANGE,
                        "conn '%s': its mtu of %u is too small for a path_mtu of %u, which "
                        "needs %u with the headers",
                        ask->conn, link->mtu, qp->path_mtu, qp->path_mtu + FAL_VB_OVERHEAD);
    return 0;
}

int fal_vb_qp_connect(struct fal_verbs_engine *engine, uint32_t conn,
                      const struct fal_verbs *ask, struct fal_error *err)
{
    struct fal_vb_link *link = fal_vb_link(engine, conn);
    struct fal_vb_qp *qp;
    uint32_t number = 0;
    int rc = fal_vb_find(engine, FAL_VB_QP, ask->qp, "qp", &number, err);

    if (rc != 0)
        return rc;
    qp = fal_vb_qp_get(engine, number);
    if (link == NULL)
        return fal_fail(err, FAL_ERR_RANGE,
                        "conn '%s': expected an open connection whose upper layer is verbs",
                        ask->conn);
    if (qp->type == FAL_VERBS_UD)
        return fal_fail(err, FAL_ERR_RANGE, "qp '%s': UD is not connected; use ah_create",
                        ask->qp);
    if (qp->conn != 0)
        return fal_fail(err, FAL_ERR_RANGE, "qp '%s': it is connected already", ask->qp);
    if (ask->dest_qpn > FAL_VB_NUMBER_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "dest_qpn %u: it has 24 bits", ask->dest_qpn);
    rc = check_link(engine, qp, link, ask, err);
    if (rc != 0)
        return rc;
    if (qp->type == FAL_VERBS_XRC_TGT)
        link->tgt_qp = number;
    else
        link->rc_qp = number;
    qp->conn = conn;
    qp->dest_qpn = ask->dest_qpn;
    qp->state = FAL_VERBS_RTS;
    return 0;
}

int fal_vb_qp_query(const struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                    struct fal_verbs *answer, struct fal_error *err)
{
    uint32_t number = 0;
    int rc = fal_vb_find(engine, FAL_VB_QP, ask->qp, "qp", &number, err);

    if (rc == 0)
        answer->state = fal_vb_qp_get(engine, number)->state;
    return rc;
}

/* ---- errors ---- */

void fal_vb_qp_fail(struct fal_verbs_engine *engine, struct fal_vb_qp *qp, const char *what)
{
    if (qp->state == FAL_VERBS_ERR)
        return;
    qp->state = FAL_VERBS_ERR;
    qp->halted = 0;
    if (what != NULL)
        fal_vb_async(engine, qp->self, what);
    fal_vb_sq_flush(engine, qp);
    fal_vb_rq_flush(engine, qp);
}

void fal_vb_link_lost(struct fal_verbs_engine *engine, struct fal_vb_link *link, bool told)
{
    struct fal_vb_qp *qps[] = {fal_vb_qp_get(engine, link->rc_qp),
                               fal_vb_qp_get(engine, link->tgt_qp)};
    struct fal_vb_open open;

    while (link->first_tag < link->next_tag && fal_vb_open_take(link, link->first_tag, &open))
        fal_vb_open_failed(engine, &open, FAL_VERBS_RETRY_EXC);
    for (unsigned i = 0; i < 2; i++)
        if (qps[i] != NULL)
            fal_vb_qp_fail(engine, qps[i], told ? "qp_fatal" : NULL);
}

void fal_vb_qp_clear(struct fal_vb_qp *qp)
{
    fal_vb_ring_free(&qp->sq);
    fal_vb_ring_free(&qp->rq);
}
