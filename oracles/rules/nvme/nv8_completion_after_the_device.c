/* SPDX-License-Identifier: Apache-2.0
 * nv8_completion_after_the_device.c - rule NV8: the last answer to a command is sent after the
 * device has completed it. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv8 = {
    .id = "NV8",
    .title = "the last answer to a command follows the device",
    .requirements = FAL_IDS("NVME-6.5-05", "NVME-7.2-08"),
    .role = "target",
    .needs = "devices",
    .assumes = "",
    .doc =
        "While devices hold commands (dev_policy), violated by a Read Response without error, "
        "and by the last Write Completion without error in time (AMB-N10), before dev_complete "
        "was written for the command of the device. Earlier Write Completions may come at any "
        "time. Not judged where several commands of one device are the same, and while a "
        "dev_complete is known of which dev_cmd was not read yet.",
};

/* Whether devices surely held every command since before the request was sent. */
static bool holds_all(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_npolicy *policy = fal_blocks_policy(c->bench->blocks);

    return policy->known != 0 && policy->hold && !policy->unsure &&
           policy->known < ncmd->part->first->at.index;
}

/* Whether a command of a device may be that of the part though it counts for another one. */
static bool may_be_others(const struct fal_ctx *c, const struct fal_npart *part)
{
    const struct fal_dcmd *dcmd;

    for (size_t i = 0; (dcmd = fal_blocks_dcmd_at(c->bench->blocks, i)) != NULL; i++)
        if ((dcmd->mixed || dcmd->part == NULL) && dcmd->word.slba == part->head.slba &&
            (uint16_t)dcmd->word.nsid == part->head.target_nsid)
            return true;
    return false;
}

/* Whether the answer is the last of its part, or one that waits for the device in any case. */
static bool waits(const struct fal_ncmd *ncmd)
{
    const struct fal_npart *part = ncmd->part;

    return !part->write || (part->ended + 1 >= part->seen && part->head.s == 0 &&
                            part->seen > part->head.ncnt_total);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    const struct fal_ncmd *ncmd = n != NULL ? n->ncmd : NULL;
    const struct fal_dcmd *dcmd;

    if (ncmd == NULL || !fal_nvme_is_end(n->head->packet_type) || n->head->cqe_status != 0 ||
        ncmd->end.count > 0 || c->subject != FAL_SUBJECT_SUT || !waits(ncmd))
        return;
    dcmd = ncmd->part->dcmd;
    if (dcmd != NULL ? !dcmd->held : !holds_all(c, ncmd))
        return;
    if (dcmd != NULL && dcmd->complete)
        fal_holds(c);
    else if (dcmd == NULL && (fal_blocks_reads_late(c->bench->blocks) || c->bench->events_lost))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if ((dcmd != NULL && dcmd->mixed) || may_be_others(c, ncmd->part))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement =
                                           ncmd->part->write ? "NVME-7.2-08" : "NVME-6.5-05",
                                       .cause = {&ncmd->at, dcmd != NULL ? &dcmd->told : NULL},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "the answer after the device completed the command");
}

const struct fal_rule_impl fal_rule_nv8 = {
    .about = &fal_about_nv8,
    .power = 1,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
};
