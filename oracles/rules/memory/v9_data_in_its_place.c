/* SPDX-License-Identifier: Apache-2.0
 * v9_data_in_its_place.c - rule V9: what the tester's WRITEs and SENDs carried lies in the
 * memory of the SUT where it belongs, and nothing else changed. */
#include "oracles/rules/memory/placed.h"

const struct fal_rule fal_about_v9 = {
    .id = "V9",
    .title = "data of WRITEs and SENDs lie in their place, and nothing else changed",
    .requirements =
        FAL_IDS("RDMA-6.2-01", "RDMA-6.2-02", "RDMA-6.4-08", "RDMA-8.3.1-03", "RDMA-8.3.3-02"),
    .role = "target",
    .needs = "posts, memory",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by the hash of a range that is not what was filled, with the data of WRITEs that "
        "the SUT acknowledged before a barrier, and of SENDs whose receive requests had completed: "
        "at their offset in its list. A range that no packet with the right to it names must be as "
        "it was filled. Where up to six writes overlap without an order, any of them may be the "
        "last. Not judged: bytes that nobody filled or wrote, that more writes overlap, or whose "
        "writes were not acknowledged before the barrier before the question, ended in error, or "
        "were under way when a command filled their bytes; SENDs to unordered queue pairs where "
        "their length and immediate data do not tell which completion is theirs.",
};

static const char *requirement(const struct fal_written *last)
{
    static const char *const write[FAL_VERBS_ORDERINGS] = {"RDMA-6.2-01", "RDMA-6.2-02",
                                                           "RDMA-6.4-08"};

    if (last == NULL)
        return "RDMA-8.3.1-03";
    return last->kind == FAL_WRITTEN_PLACED ? "RDMA-8.3.3-02" : write[last->qp->ordering];
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    static const struct fal_placed_rule rule = {false, requirement, "the packets"};

    fal_placed_judge(c, said, &rule);
}

const struct fal_rule_impl fal_rule_v9 = {
    .about = &fal_about_v9,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .verbs = verbs,
};
