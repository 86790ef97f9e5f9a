/* SPDX-License-Identifier: Apache-2.0
 * v24_invalidated_keys_are_dead.c - rule V24: after a SEND with Invalidate was executed, its
 * key gives no access any more. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/deny.h"

const struct fal_rule fal_about_v24 = {
    .id = "V24",
    .title = "an invalidated key gives no access",
    .requirements = FAL_IDS("RDMA-8.3.8-02"),
    .role = "target",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated when the SUT acknowledges a WRITE, or answers a READ or atomic operation with "
        "data, whose R_Key a SEND with Invalidate named, and that was sent after the completion "
        "of the receive request which tells of it.",
};

struct state {
    struct fal_bag denied; /* struct fal_denied */
    bool over;             /* a queue pair in Verbs mode had such a request */
    uint8_t zero[7];       /* as in struct fal_at */
};

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_vqp *qp;
    const struct fal_vmr *mr;

    if (!c->track->verbs || c->bench->objects == NULL || !fal_rdma_has(p) || p->prior != NULL ||
        p->falcon->packet_type == FAL_PULL_DATA || fal_rdma_is_send(p->rdma.opcode) ||
        p->rdma.complete_in_error)
        return;
    qp = fal_denied_qp(c, &p->rdma);
    mr = fal_objects_mr_by_rkey(c->bench->objects, p->rdma.r_key);
    if (qp == NULL || mr == NULL || mr->invalidated == 0 || qp->trouble || state->over ||
        (p->falcon->packet_type == FAL_PUSH_DATA && p->rdma.data_len == 0))
        return;
    fal_deny(&state->denied, p, "RDMA-8.3.8-02", "the key was invalidated");
    state->over = qp->errors == FAL_VERBS_ERRORS_VERBS;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    fal_denied_out(c, &state->denied, q, fal_denied_judge);
}

const struct fal_rule_impl fal_rule_v24 = {
    .about = &fal_about_v24,
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
