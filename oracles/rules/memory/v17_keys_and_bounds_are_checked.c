/* SPDX-License-Identifier: Apache-2.0
 * v17_keys_and_bounds_are_checked.c - rule V17: a request reaches memory only with the R_Key of
 * a region that lives, is of the queue pair's protection domain, has the right, and holds all
 * of its bytes. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/deny.h"

#include <string.h>

const struct fal_rule fal_about_v17 = {
    .id = "V17",
    .title = "requests without the right to memory are refused",
    .requirements = FAL_IDS("RDMA-8.3.1-03"),
    .role = "target",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated when the SUT acknowledges a WRITE, or answers a READ or atomic operation with "
        "data, whose R_Key is of no region, of one that was deregistered, or of another "
        "protection domain than the queue pair's, whose bytes do not all lie in the region, or "
        "for which the region has not the right. Not judged: requests of no bytes, keys while a "
        "region is made or ended, later ones of a queue pair whose errors are compatible with "
        "Verbs, and pushes that the tester replaced by a Resync before they were refused.",
};

enum { OPERATION = 31, READ_REQUEST = 12, ATOMIC = 8 };

struct state {
    struct fal_bag denied; /* struct fal_denied */
    bool over;             /* a queue pair in Verbs mode had such a request */
    uint8_t zero[7];       /* as in struct fal_at */
};

static uint64_t length_of(const struct fal_rdma_fact *fact)
{
    if (fal_rdma_is_write(fact->opcode))
        return fact->data_len;
    return (fact->opcode & OPERATION) == READ_REQUEST ? fact->length : ATOMIC;
}

static unsigned right_of(const struct fal_rdma_fact *fact)
{
    if (fal_rdma_is_write(fact->opcode))
        return FAL_VERBS_REMOTE_WRITE;
    return (fact->opcode & OPERATION) == READ_REQUEST ? FAL_VERBS_REMOTE_READ
                                                      : FAL_VERBS_REMOTE_ATOMIC;
}

/* Why the request has no right to the memory; NULL: it has, or that is not known. */
static const char *reason(const struct fal_ctx *c, const struct fal_vqp *qp,
                          const struct fal_rdma_fact *fact)
{
    const struct fal_objects *objects = c->bench->objects;
    const struct fal_vmr *mr = fal_objects_mr_by_rkey(objects, fact->r_key);
    uint64_t length = length_of(fact);

    if (length == 0 || fal_objects_changing(objects))
        return NULL;
    if (mr == NULL)
        return "the R_Key is of no region";
    if (mr->ended != 0)
        return "the region was deregistered";
    if (mr->invalidated != 0)
        return NULL; /* rule V24 */
    if (strcmp(mr->pd, qp->pd) != 0)
        return "the region is of another protection domain";
    if (fact->va < mr->va || fact->va - mr->va > mr->length ||
        length > mr->length - (fact->va - mr->va))
        return "not all of its bytes lie in the region";
    return (mr->access & right_of(fact)) == 0 ? "the region has not the right" : NULL;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_vqp *qp;
    const char *why;

    if (!c->track->verbs || c->bench->objects == NULL || !fal_rdma_has(p) || p->prior != NULL ||
        p->falcon->packet_type == FAL_PULL_DATA || fal_rdma_is_send(p->rdma.opcode) ||
        (p->rdma.flags & FAL_RDMA_PARTIAL) != 0 || p->rdma.complete_in_error)
        return;
    qp = fal_denied_qp(c, &p->rdma);
    if (qp == NULL || state->over || qp->trouble || (why = reason(c, qp, &p->rdma)) == NULL)
        return;
    fal_deny(&state->denied, p, "RDMA-8.3.1-03", why);
    state->over = qp->errors == FAL_VERBS_ERRORS_VERBS;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    fal_denied_out(c, &state->denied, q, fal_denied_judge);
}

const struct fal_rule_impl fal_rule_v17 = {
    .about = &fal_about_v17,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .on_in = FAL_ON_RDMA,
    .on_out = FAL_ON_WAITING,
    .in = in,
    .out = out,
    .release = fal_bag_release,
};
