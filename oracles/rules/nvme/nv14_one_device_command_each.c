/* SPDX-License-Identifier: Apache-2.0
 * nv14_one_device_command_each.c - rule NV14: the target gives a device one command for each
 * command that it received, a write when it has all data. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv14 = {
    .id = "NV14",
    .title = "devices get one command for each, writes with all data",
    .requirements = FAL_IDS("NVME-6.3-04", "NVME-6.5-04"),
    .role = "target",
    .needs = "devices",
    .assumes = "",
    .doc =
        "Violated by a write command to a device before all Write Data Responses of its command "
        "were sent to the target, and by a command to a device for a part of the blocks of a "
        "command, for blocks beside them, or for a command that had one before. A read may "
        "begin with the first Read Request (7.1).",
};

static void broken(struct fal_ctx *c, const struct fal_nsaid *said, const char *requirement,
                   const struct fal_at *cause, const char *expected)
{
    struct fal_at at = fal_at_event(said->event);

    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {cause},
                                   .effect = &at,
                                   .seen = said->told->op == FAL_NVME_WRITE
                                               ? "a write command to a device"
                                               : "a read command to a device"},
               "%s", expected);
}

/* A command of the wire, to some of whose blocks the command to the device is. */
static const struct fal_npart *overlapped(const struct fal_ctx *c,
                                          const struct fal_nvme_word *word)
{
    const struct fal_ncmd *ncmd;

    for (size_t i = 0; (ncmd = fal_blocks_ncmd_at(c->bench->blocks, i)) != NULL; i++) {
        const struct fal_nvme *head = &ncmd->head;

        if (ncmd->initiator == FAL_TO_SUT && head->target_nsid == (uint16_t)word->nsid &&
            fal_ncmd_is_write(ncmd) == (word->op == FAL_NVME_WRITE) &&
            word->slba <= head->slba + head->nlb && head->slba <= word->slba + word->nlb0)
            return ncmd->part;
    }
    return NULL;
}

/* Returns whether a packet to the SUT, on any connection, may have gone unseen: a request, or
 * the data of a write. */
static bool may_be_unseen(const struct fal_ctx *c)
{
    return c->bench->unseen || fal_nvme_late(c) || fal_nvme_holes(c, FAL_TO_SUT, INT64_MIN);
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_npart *part = said->part;

    if (said->told->kind != FAL_NVME_DEV_CMD || c->track == NULL || c->track->given)
        return;
    if (part == NULL) {
        part = overlapped(c, said->told);
        if (part != NULL && may_be_unseen(c))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else if (part != NULL)
            broken(c, said, "NVME-6.5-04", &part->first->at,
                   "one command to the device, with first block and length of the command");
    } else if (part->write && !fal_npart_has_data(part)) {
        if (may_be_unseen(c))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else
            broken(c, said, "NVME-6.3-04", &part->first->at,
                   "the write after all data of the command were sent");
    } else {
        fal_holds(c);
    }
}

const struct fal_rule_impl fal_rule_nv14 = {
    .about = &fal_about_nv14,
    .power = 1,
    .sut_only = true,
    .nvme = nvme,
};
