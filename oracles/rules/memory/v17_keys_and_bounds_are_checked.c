/* SPDX-License-Identifier: Apache-2.0
 * v17_keys_and_bounds_are_checked.c - rule V17: a request reaches memory only with the R_Key of
 * a region that lives, is of the queue pair's protection domain, has the right, and holds all
 * of its bytes. */
#include "oracles/rules/memory/access.h"

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

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    fal_access_in(c, p, "RDMA-8.3.1-03", fal_access_reason);
}

const struct fal_rule_impl fal_rule_v17 = {
    .about = &fal_about_v17,
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
