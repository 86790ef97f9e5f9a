/* SPDX-License-Identifier: Apache-2.0
 * nv5_commands_are_split.c - rule NV5: a command that crosses the boundary of a stripe or chunk
 * is split there, into two parts. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv5 = {
    .id = "NV5",
    .title = "commands of NVMe are split at boundaries of stripes and chunks",
    .requirements = FAL_IDS("NVME-6.6.3-01", "NVME-6.6.3-02", "NVME-6.6.3-03", "NVME-6.6.3-04",
                            "NVME-6.6.3-05", "NVME-6.6.3-06", "NVME-8.2-07", "NVME-8.2-08",
                            "NVME-8.3-06", "NVME-8.5-04"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a request that has S though its command lies in one stripe of one chunk, "
        "or has it not though the command crosses a boundary; by another NG than 0 in the "
        "first part and 1 in the second; by parts that do not begin and end at the boundary; "
        "and by a third part. Without striping a command may be split at a boundary of stripes "
        "inside a chunk, or not (AMB-N21). An NLB that counts from 1 gives a warning (AMB-N01).",
};

/* Whether the second part begins with a chunk. */
static bool at_chunk(const struct fal_nplan *plan)
{
    const struct fal_map *map = &plan->space.map;
    unsigned shift = map->chunk + map->group + 30 - map->block;

    return (plan->part[1].first & ((UINT64_C(1) << shift) - 1)) == 0;
}

/* S is not as it should be. */
static struct fal_nvme_diff compare_split(const struct fal_nvme_seen *n,
                                          const struct fal_nplan *plan,
                                          const struct fal_nwant *want)
{
    bool as_due = n->head->nlb == (uint16_t)(want->blocks - 1);
    const char *requirement = "NVME-8.2-07";

    if (!as_due && want->split && at_chunk(plan))
        requirement = "NVME-6.6.3-01";
    else if (!as_due)
        requirement = "NVME-6.6.3-04";
    return fal_nvme_differs(requirement, "s", want->split, n->head->s);
}

static struct fal_nvme_diff compare_blocks(const struct fal_nvme_seen *n,
                                           const struct fal_nwant *want)
{
    bool write = n->cmd->word.op == FAL_NVME_WRITE;
    const char *field = write ? "NVME-8.5-04" : "NVME-8.3-06";
    uint32_t due = want->blocks - 1;
    struct fal_nvme_diff diff;

    if (want->split && n->half == 1 && want->row_known && n->head->slba != want->slba &&
        n->head->nlb != due)
        return fal_nvme_differs("NVME-6.6.3-05", "slba", want->slba, n->head->slba);
    if (n->head->nlb == due)
        return (struct fal_nvme_diff){0};
    if (!want->split || n->head->nlb == due + 1)
        diff = fal_nvme_differs(field, "nlb", due, n->head->nlb);
    else
        diff = fal_nvme_differs(n->half == 0 ? "NVME-6.6.3-06" : "NVME-6.6.3-03", "nlb", due,
                                n->head->nlb);
    diff.warn = n->head->nlb == due + 1;
    return diff;
}

static struct fal_nvme_diff compare(const struct fal_nvme_seen *n, const struct fal_nplan *plan,
                                    const struct fal_nwant *want)
{
    if ((n->head->s != 0) != want->split)
        return compare_split(n, plan, want);
    if (want->split && n->head->ng != n->half)
        return fal_nvme_differs("NVME-8.2-08", "ng", n->half, n->head->ng);
    return compare_blocks(n, want);
}

/* Whether the request is a third part of a command. */
static bool is_third(const struct fal_nvme_seen *n)
{
    const struct fal_npart *rival = n->rival;

    return n->cmd == NULL && rival != NULL && rival->cmd != NULL && !rival->cmd->completed &&
           rival->cmd->part[0] != NULL && rival->cmd->part[1] != NULL && n->head->s != 0;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_request(c, q);

    if (n != NULL && is_third(n) && !fal_nvme_late(c))
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-6.6.3-02",
                                       .cause = {&n->rival->first->at},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "at most two parts of a command");
    else
        fal_nvme_judge_request(c, q, compare);
}

const struct fal_rule_impl fal_rule_nv5 = {
    .about = &fal_about_nv5,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
};
