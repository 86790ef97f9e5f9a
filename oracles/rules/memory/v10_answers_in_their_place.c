/* SPDX-License-Identifier: Apache-2.0
 * v10_answers_in_their_place.c - rule V10: what the tester answered to READs lies in the memory
 * of the SUT where the STETH says, in whatever order it came. */
#include "oracles/rules/memory/placed.h"

const struct fal_rule fal_about_v10 = {
    .id = "V10",
    .title = "answers to READs lie where their STETH says",
    .requirements = FAL_IDS("RDMA-6.7-15"),
    .role = "initiator",
    .needs = "posts, memory",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by the hash of a range, asked for after READs to it completed without error, "
        "that is not what was filled with the data of the answers at the addresses of their "
        "STETHs; of up to six answers that overlap, any may be the last. Not judged: bytes that "
        "nobody filled or wrote, READs that have not completed, and more answers that overlap.",
};

static const char *requirement(const struct fal_written *last)
{
    (void)last;
    return "RDMA-6.7-15";
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    static const struct fal_placed_rule rule = {true, requirement, "the answers"};

    fal_placed_judge(c, said, &rule);
}

const struct fal_rule_impl fal_rule_v10 = {
    .about = &fal_about_v10,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .verbs = verbs,
};
