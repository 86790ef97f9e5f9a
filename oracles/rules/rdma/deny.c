/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/deny.h"

#include "oracles/rules/judge/report.h"

enum { DENIED_MAX = 64 };

void fal_deny(struct fal_bag *bag, const struct fal_seen *p, const char *requirement,
              const char *why)
{
    struct fal_denied *denied = fal_bag_add(bag, sizeof *denied, DENIED_MAX);

    if (denied == NULL)
        return;
    denied->at = p->at;
    denied->rsn = p->rsn;
    denied->x = p->x;
    denied->requirement = requirement;
    denied->why = why;
    denied->pull = p->falcon->packet_type == FAL_PULL_REQUEST;
}

/* While the news of a packet are visited. */
struct visit {
    struct fal_ctx *c;
    struct fal_bag *bag;
    const struct fal_seen *q;
    fal_denial_told *told;
};

static void acknowledged(void *ctx, const struct fal_new *fresh)
{
    const struct visit *v = ctx;

    for (unsigned i = 0; fresh->ack && i < v->bag->num; i++) {
        struct fal_denied denied = *FAL_BAG(v->bag, struct fal_denied, i);
        bool resynced = fresh->sent != NULL && (fresh->sent->flags & FAL_SENT_RESYNC) != 0;

        if (denied.pull || denied.x != fresh->x)
            continue;
        fal_bag_remove(v->bag, sizeof denied, i);
        if (!denied.refused)
            v->told(v->c, &denied, resynced ? FAL_DENIAL_RESYNCED : FAL_DENIAL_TAKEN, v->q);
        return;
    }
}

static bool refuses(const struct fal_falcon *f)
{
    return f->packet_type == FAL_NACK &&
           (f->nack_code == FAL_NACK_CIE || f->nack_code == FAL_NACK_NRE ||
            f->nack_code == FAL_NACK_CID);
}

/* A NACK of a push. */
static void nacked(struct fal_ctx *c, struct fal_bag *bag, const struct fal_seen *q,
                   fal_denial_told *told)
{
    for (unsigned i = 0; i < bag->num; i++) {
        struct fal_denied *denied = FAL_BAG(bag, struct fal_denied, i);

        if (denied->pull || denied->refused || (uint32_t)denied->x != q->falcon->nack_psn)
            continue;
        denied->refused = true;
        told(c, denied, FAL_DENIAL_REFUSED, q);
        return;
    }
}

/* The answer to a pull. */
static void answered(struct fal_ctx *c, struct fal_bag *bag, const struct fal_seen *q,
                     fal_denial_told *told)
{
    bool data = fal_rdma_has(q) && !q->rdma.complete_in_error && q->rdma.data_len > 0;

    for (unsigned i = 0; i < bag->num; i++) {
        struct fal_denied denied = *FAL_BAG(bag, struct fal_denied, i);

        if (!denied.pull || denied.rsn != q->rsn)
            continue;
        fal_bag_remove(bag, sizeof denied, i);
        told(c, &denied, data ? FAL_DENIAL_ANSWERED : FAL_DENIAL_REFUSED, q);
        return;
    }
}

void fal_denied_out(struct fal_ctx *c, struct fal_bag *bag, const struct fal_seen *q,
                    fal_denial_told *told)
{
    struct visit visit = {c, bag, q, told};

    if (bag->num == 0)
        return;
    if (q->reliable && q->prior == NULL && q->falcon->packet_type == FAL_PULL_DATA)
        answered(c, bag, q, told);
    if (refuses(q->falcon) && q->falcon->window == FAL_WINDOW_DATA)
        nacked(c, bag, q, told);
    if (q->news)
        fal_track_news(c->track, q, FAL_WINDOW_DATA, acknowledged, &visit);
}

void fal_denied_judge(struct fal_ctx *c, const struct fal_denied *denied, enum fal_denial what,
                      const struct fal_seen *q)
{
    if (what == FAL_DENIAL_REFUSED)
        fal_holds(c);
    if (what != FAL_DENIAL_TAKEN && what != FAL_DENIAL_ANSWERED)
        return;
    if (what == FAL_DENIAL_TAKEN && !c->bench->paths[c->subject].out.lossless) {
        fal_undecided(c, FAL_EXCUSE_OUT_LOSS); /* of the NACK */
        return;
    }
    fal_broken(c,
               &(struct fal_blame){.requirement = denied->requirement,
                                   .cause = {&denied->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%s: %s", what == FAL_DENIAL_TAKEN ? "a NACK" : "no data", denied->why);
}

struct fal_vqp *fal_denied_qp(const struct fal_ctx *c, const struct fal_rdma_fact *fact)
{
    struct fal_vqp *qp = fal_objects_qp_by_number(c->bench->objects, fact->dest_qp);

    return qp != NULL && qp->type == FAL_VERBS_RC && qp->conn == c->conn ? qp : NULL;
}
