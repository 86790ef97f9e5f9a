/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/memory/access.h"

#include <string.h>

enum { OPERATION = 31, READ_REQUEST = 12, ATOMIC = 8 };

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

const char *fal_access_reason(const struct fal_ctx *c, const struct fal_vqp *qp,
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

void fal_access_in(struct fal_ctx *c, const struct fal_seen *p, const char *requirement,
                   fal_access_why *why)
{
    struct fal_access *state = c->state;
    const struct fal_vqp *qp;
    const char *words;

    if (!c->track->verbs || c->bench->objects == NULL || !fal_rdma_has(p) || p->prior != NULL ||
        p->falcon->packet_type == FAL_PULL_DATA || fal_rdma_is_send(p->rdma.opcode) ||
        (p->rdma.flags & FAL_RDMA_PARTIAL) != 0 || p->rdma.complete_in_error)
        return;
    qp = fal_denied_qp(c, &p->rdma);
    if (qp == NULL || state->over || qp->trouble || (words = why(c, qp, &p->rdma)) == NULL)
        return;
    fal_deny(&state->denied, p, requirement, words);
    state->over = qp->errors == FAL_VERBS_ERRORS_VERBS;
}

void fal_access_out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_access *state = c->state;

    fal_denied_out(c, &state->denied, q, fal_denied_judge);
}
