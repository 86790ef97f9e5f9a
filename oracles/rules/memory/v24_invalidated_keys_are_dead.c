/* SPDX-License-Identifier: Apache-2.0
 * v24_invalidated_keys_are_dead.c - rule V24: after a SEND with Invalidate was executed, its
 * key gives no access any more. */
#include "oracles/rules/memory/access.h"

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

static const char *invalidated(const struct fal_ctx *c, const struct fal_vqp *qp,
                               const struct fal_rdma_fact *fact)
{
    const struct fal_vmr *mr = fal_objects_mr_by_rkey(c->bench->objects, fact->r_key);

    (void)qp;
    if (mr == NULL || mr->invalidated == 0 ||
        (fal_rdma_is_write(fact->opcode) && fact->data_len == 0))
        return NULL;
    return "the key was invalidated";
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    fal_access_in(c, p, "RDMA-8.3.8-02", invalidated);
}

const struct fal_rule_impl fal_rule_v24 = {
    .about = &fal_about_v24,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct fal_access),
    .bags = 1,
    .on_in = FAL_ON_RDMA,
    .on_out = FAL_ON_WAITING,
    .in = in,
    .out = fal_access_out,
    .release = fal_bag_release,
};
