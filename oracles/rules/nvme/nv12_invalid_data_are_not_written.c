/* SPDX-License-Identifier: Apache-2.0
 * nv12_invalid_data_are_not_written.c - rule NV12: data whose check failed at the initiator are
 * marked as invalid (INV), and do not reach the device. */
#include "oracles/rules/nvme/data.h"

const struct fal_rule fal_about_nv12 = {
    .id = "NV12",
    .title = "data that fail the check of the initiator are not written",
    .requirements = FAL_IDS("NVME-8.2-06"),
    .role = "any",
    .needs = "devices",
    .assumes = "",
    .doc =
        "At the initiator, violated by a write with a wrong guard from the host, which asked "
        "for the check, if its data were sent without INV and it completes without error; INV "
        "in another packet of the command gives a warning (AMB-N17). Not judged where the "
        "application tag of the block is 0xffff, which may switch the check off (NVME-6.7-03), "
        "or cannot be read because it is encrypted. At the target, violated "
        "by a write command to a device for a command with INV in its data; a Write Completion "
        "without error for such an nCMD gives a warning (AMB-N17).",
};

enum { CHECK_GUARD = 4 };

static void broken(struct fal_ctx *c, const struct fal_at *cause, const struct fal_at *effect,
                   const char *seen, bool warn)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = "NVME-8.2-06",
                                   .cause = {cause},
                                   .effect = effect,
                                   .seen = seen,
                                   .warn = warn},
               "invalid data that are marked with INV, and not written");
}

/* ---- at the initiator ---- */

/* The nCMD with the first block of a command. */
static const struct fal_ncmd *first_of(const struct fal_hcmd *cmd)
{
    const struct fal_ncmd *n = cmd->part[0] != NULL ? cmd->part[0]->first : NULL;

    while (n != NULL && n->head.ncnt_offset != 0)
        n = n->next;
    return n;
}

/* The first block of the command has the wrong guard. Its application tag, which the host gave,
 * can switch the check off. */
enum check { CHECK_DUE, CHECK_OFF, CHECK_UNKNOWN };
static enum check check_of(const struct fal_ctx *c, const struct fal_nspace *space,
                           const struct fal_ncmd *first)
{
    const struct fal_nvme_seen sent = {.head = &first->data.head,
                                       .data = first->bytes,
                                       .data_len = first->bytes_len,
                                       .whole = first->bytes != NULL};
    struct fal_ndata data;

    if (space->encrypt || fal_ndata_of(c, first, &sent, &data) != FAL_NDATA_FITS ||
        !data.metadata)
        return CHECK_UNKNOWN;
    return fal_ndata_unchecked(&data, 0) ? CHECK_OFF : CHECK_DUE;
}

static void judge_unmarked(struct fal_ctx *c, const struct fal_hcmd *cmd,
                           const struct fal_nspace *space, const struct fal_ncmd *first,
                           const struct fal_at *at)
{
    switch (check_of(c, space, first)) {
    case CHECK_OFF: break;
    case CHECK_UNKNOWN: fal_undecided(c, FAL_EXCUSE_CONFIG); break;
    case CHECK_DUE:
        broken(c, &first->data.at, at, "status=0x0 of a command whose data have a wrong guard",
               cmd->part[0]->bad_data);
    }
}

static void judge_completion(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_hcmd *cmd = said->cmd;
    const struct fal_nspace *space =
        cmd != NULL ? fal_blocks_space(c->bench->blocks, cmd->word.nsid) : NULL;
    const struct fal_ncmd *first = cmd != NULL ? first_of(cmd) : NULL;
    struct fal_at at = fal_at_event(said->event);

    if (space == NULL || space->pi != FAL_NVME_PI_HOST || !cmd->word.bad_pi ||
        cmd->word.op != FAL_NVME_WRITE || (cmd->word.prinfo & CHECK_GUARD) == 0 ||
        cmd->completed)
        return;
    if (said->told->status != 0 || first == NULL || first->data.count == 0 ||
        first->data.head.inv != 0)
        fal_holds(c);
    else
        judge_unmarked(c, cmd, space, first, &at);
}

/* ---- at the target ---- */

static void judge_device(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_npart *part = said->part;
    struct fal_at at = fal_at_event(said->event);

    if (part == NULL || !part->write)
        return;
    if (part->bad_data && c->bench->unseen) /* a command of the same blocks may be meant */
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (part->bad_data)
        broken(c, &part->last_sent, &at, "a write command to the device", false);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    const struct fal_ncmd *ncmd = n != NULL ? n->ncmd : NULL;

    if (ncmd == NULL || n->head->packet_type != FAL_NVME_WRITE_COMPLETION ||
        ncmd->data.count == 0 || ncmd->data.head.inv == 0 || c->subject != FAL_SUBJECT_SUT)
        return;
    if (n->head->cqe_status != 0)
        fal_holds(c);
    else
        broken(c, &ncmd->data.at, &q->at, "cqe_status=0 for data with INV", true);
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    if (c->track == NULL)
        return;
    if (said->told->kind == FAL_NVME_CQE)
        judge_completion(c, said);
    else if (said->told->kind == FAL_NVME_DEV_CMD)
        judge_device(c, said);
}

const struct fal_rule_impl fal_rule_nv12 = {
    .about = &fal_about_nv12,
    .power = 1,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
    .nvme = nvme,
};
