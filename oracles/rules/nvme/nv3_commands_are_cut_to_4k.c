/* SPDX-License-Identifier: Apache-2.0
 * nv3_commands_are_cut_to_4k.c - rule NV3: each part of a command becomes as many nCMDs as it
 * has units of 4 KB, which count themselves. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv3 = {
    .id = "NV3",
    .title = "commands of NVMe are cut into units of 4 KB",
    .requirements = FAL_IDS("NVME-6.5-01", "NVME-6.5-06", "NVME-8.2-10", "NVME-8.2-12",
                            "NVME-8.3-05", "NVME-8.3-06", "NVME-8.5-03", "NVME-8.5-04"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a request whose NCNT Total is not the number of nCMDs of its command less "
        "1, whose NCNT Offset is above it or was used before, or whose target SLBA or NLB is "
        "not that of the other nCMDs of its part; by a command that completes without error "
        "after more or fewer nCMDs than it has units of 4 KB in each part; and by a request for "
        "a command of more bytes than the namespace allows (MDTS). Counting by stripe gives a "
        "warning (AMB-N06), and so does one nCMD more in a part of no whole 4 KB (AMB-N15).",
};

static bool is_whole(const struct fal_nplan *plan, const struct fal_nwant *want)
{
    return ((uint64_t)want->blocks << plan->space.map.block) % FAL_NCMD_BYTES == 0;
}

/* The NCNT Total. */
static struct fal_nvme_diff compare_total(const struct fal_nvme *head,
                                          const struct fal_nplan *plan,
                                          const struct fal_nwant *want)
{
    unsigned due = want->ncmds_all - 1;
    struct fal_nvme_diff diff;

    if (head->ncnt_total == due)
        return (struct fal_nvme_diff){0};
    diff = fal_nvme_differs("NVME-8.2-10", "ncnt_total", due, head->ncnt_total);
    diff.warn = (want->split && head->ncnt_total == want->ncmds - 1) ||
                (!is_whole(plan, want) && head->ncnt_total == due + 1);
    return diff;
}

static bool used(const struct fal_npart *part, unsigned offset)
{
    return part != NULL && (part->offsets[offset / 64] >> offset % 64 & 1) != 0;
}

static struct fal_nvme_diff compare_offset(const struct fal_nvme_seen *n,
                                           const struct fal_nwant *want)
{
    unsigned offset = n->head->ncnt_offset;
    bool by_stripe = want->split && n->head->ncnt_total == want->ncmds - 1;

    if (offset > n->head->ncnt_total)
        return fal_nvme_differs("NVME-8.2-12", "ncnt_offset, at most", n->head->ncnt_total,
                                offset);
    if (used(n->part, offset) || (!by_stripe && used(n->cmd->part[1 - n->half], offset)))
        return fal_nvme_differs("NVME-8.2-12", "ncnt_offset of no other nCMD, not", offset,
                                offset);
    return (struct fal_nvme_diff){0};
}

static struct fal_nvme_diff compare(const struct fal_nvme_seen *n, const struct fal_nplan *plan,
                                    const struct fal_nwant *want)
{
    uint64_t bytes = ((uint64_t)n->cmd->word.nlb0 + 1) << plan->space.map.block;
    bool write = n->cmd->word.op == FAL_NVME_WRITE;
    struct fal_nvme_diff diff;

    if (plan->space.told && bytes > plan->space.mdts)
        return fal_nvme_differs("NVME-6.5-06", "bytes, at most", plan->space.mdts, bytes);
    diff = compare_offset(n, want);
    if (diff.requirement != NULL)
        return diff;
    if (n->part != NULL && n->head->slba != n->part->head.slba)
        return fal_nvme_differs(write ? "NVME-8.5-03" : "NVME-8.3-05", "slba",
                                n->part->head.slba, n->head->slba);
    if (n->part != NULL && n->head->nlb != n->part->head.nlb)
        return fal_nvme_differs(write ? "NVME-8.5-04" : "NVME-8.3-06", "nlb", n->part->head.nlb,
                                n->head->nlb);
    return compare_total(n->head, plan, want);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    fal_nvme_judge_request(c, q, compare);
}

/* ---- how many there are, when the command completes ---- */

enum count { COUNT_RIGHT, COUNT_SPARE, COUNT_WRONG };

/* Of one part; a spare one is allowed where the part has no whole 4 KB. */
static enum count count_of(const struct fal_nplan *plan, const struct fal_nwant *want,
                           const struct fal_npart *part)
{
    unsigned seen = part != NULL ? part->seen : 0;

    if (seen == want->ncmds)
        return COUNT_RIGHT;
    return seen == want->ncmds + 1 && !is_whole(plan, want) ? COUNT_SPARE : COUNT_WRONG;
}

static enum count count_all(const struct fal_nplan *plan, const struct fal_hcmd *cmd)
{
    enum count worst = COUNT_RIGHT;

    if (plan->free && cmd->part[0] != NULL && cmd->part[0]->head.s == 0)
        return count_of(plan, &plan->whole, cmd->part[0]);
    for (unsigned h = 0; h < plan->parts; h++) {
        enum count one = count_of(plan, &plan->part[h], cmd->part[h]);

        worst = one > worst ? one : worst;
    }
    return worst;
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_hcmd *cmd = said->cmd;
    enum count best = COUNT_WRONG;
    struct fal_at at = fal_at_event(said->event);
    bool known = false;

    if (said->told->kind != FAL_NVME_CQE || said->told->status != 0 || cmd == NULL ||
        cmd->completed || c->track == NULL)
        return;
    for (unsigned state = 0; state < FAL_NPLANS; state++) {
        struct fal_nplan plan;

        if (!fal_blocks_plan(c->bench->blocks, cmd, state, &plan) || plan.parts == 0)
            continue;
        known = true;
        best = count_all(&plan, cmd) < best ? count_all(&plan, cmd) : best;
    }
    if (!known)
        return;
    if (best == COUNT_RIGHT)
        fal_holds(c);
    else if (cmd->vague || fal_hcmd_has_twin(c->bench->blocks, cmd) || c->bench->unseen ||
             fal_nvme_holes(c, FAL_FROM_SUT, INT64_MIN))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-6.5-01",
                                       .cause = {&cmd->asked},
                                       .effect = &at,
                                       .seen = "another number of nCMDs before its completion",
                                       .warn = best == COUNT_SPARE},
                   "an nCMD for each 4 KB of the command");
}

const struct fal_rule_impl fal_rule_nv3 = {
    .about = &fal_about_nv3,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
    .nvme = nvme,
};
