/* SPDX-License-Identifier: Apache-2.0
 * nv8_completion_after_the_device.c - rule NV8: the last answer to a command is sent after the
 * device has completed it, with the status of the device. */
#include "oracles/rules/nvme/data.h"

#include <stdio.h>

const struct fal_rule fal_about_nv8 = {
    .id = "NV8",
    .title = "the last answer to a command follows the device",
    .requirements = FAL_IDS("NVME-6.5-05", "NVME-7.2-08", "NVME-8.4-01", "NVME-8.8-01"),
    .role = "target",
    .needs = "devices",
    .assumes = "",
    .doc =
        "While devices hold commands (dev_policy), violated by a Read Response without error, "
        "and by the last Write Completion without error in time (AMB-N10), before dev_complete "
        "was written for the command of the device. Earlier Write Completions may come at any "
        "time. Also violated by an answer with another status than that of "
        "dev_complete, or of a policy that was in force since before the command, if that is "
        "not 0; of a write, one of the answers has to have it, and of data with INV none. "
        "Statuses of a failed check of protection information may come where that was asked "
        "for. Not judged where several commands of one device are the same, and while a "
        "dev_complete is known of which dev_cmd was not read yet.",
};

/* The policy of devices, if one was surely in force since before the request was sent; NULL: it
 * is not known. */
static const struct fal_npolicy *policy_of(const struct fal_ctx *c,
                                           const struct fal_npart *part)
{
    const struct fal_npolicy *policy = fal_blocks_policy(c->bench->blocks);

    return policy->known != 0 && !policy->unsure && policy->known < part->first->at.index
               ? policy
               : NULL;
}

static bool holds_all(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_npolicy *policy = policy_of(c, ncmd->part);

    return policy != NULL && policy->hold;
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

static void judge_order(struct fal_ctx *c, const struct fal_seen *q,
                        const struct fal_ncmd *ncmd)
{
    const struct fal_dcmd *dcmd = ncmd->part->dcmd;

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

/* ---- the status ---- */

/* The status with which the device surely completed the command of a part. A command that is
 * not held may be one that the device refuses. */
static bool status_of(const struct fal_ctx *c, const struct fal_npart *part, uint32_t *status)
{
    const struct fal_npolicy *policy = policy_of(c, part);
    const struct fal_dcmd *dcmd = part->dcmd;

    if (dcmd == NULL)
        return false;
    if (dcmd->held || dcmd->complete) {
        *status = fal_nvme_code_of(dcmd->status);
        return dcmd->held && dcmd->complete;
    }
    *status = policy != NULL ? fal_nvme_code_of(policy->status) : 0;
    return policy != NULL && !policy->hold && *status != 0 &&
           fal_blocks_format_of(c->bench->blocks, &part->head) != NULL;
}

/* Returns whether an answer may have that status though the device gave another one. */
static bool is_spared(const struct fal_ncmd *ncmd, uint32_t status)
{
    enum { GUARD_CHECK = 0x282, REFERENCE_TAG_CHECK = 0x284 }; /* NVM Command Set */

    if (status == 0) /* a Write Completion that does not wait for the device (AMB-N10) */
        return ncmd->part->write && (!waits(ncmd) || ncmd->part->failed);
    return fal_ncmd_protected(ncmd) && status >= GUARD_CHECK && status <= REFERENCE_TAG_CHECK;
}

static void judge_status(struct fal_ctx *c, const struct fal_seen *q,
                         const struct fal_ncmd *ncmd)
{
    const struct fal_npart *part = ncmd->part;
    uint32_t due, status = fal_nvme_code_of(q->nvme->head->cqe_status);
    char seen[80];

    if (part->bad_data || !status_of(c, part, &due))
        return;
    if (status == due) {
        if (due != 0) /* else judge_order() counts it */
            fal_holds(c);
        return;
    }
    if (is_spared(ncmd, status))
        return;
    if (part->dcmd->mixed || may_be_others(c, part)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    if (c->bench->unseen) { /* a command of the same blocks may be meant */
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    (void)snprintf(seen, sizeof seen, "status=0x%x in the packet with initiator_tag=%u",
                   (unsigned)status, (unsigned)q->nvme->head->initiator_tag);
    fal_broken(c,
               &(struct fal_blame){.requirement = part->write ? "NVME-8.8-01" : "NVME-8.4-01",
                                   .cause = {&ncmd->at, &part->dcmd->told},
                                   .effect = &q->at,
                                   .seen = seen},
               "status=0x%x, which the device gave", (unsigned)due);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    const struct fal_ncmd *ncmd = n != NULL ? n->ncmd : NULL;

    if (ncmd == NULL || !fal_nvme_is_end(n->head->packet_type) || ncmd->end.count > 0 ||
        c->subject != FAL_SUBJECT_SUT)
        return;
    judge_status(c, q, ncmd);
    if (n->head->cqe_status == 0 && waits(ncmd))
        judge_order(c, q, ncmd);
}

const struct fal_rule_impl fal_rule_nv8 = {
    .about = &fal_about_nv8,
    .power = 1,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
};
