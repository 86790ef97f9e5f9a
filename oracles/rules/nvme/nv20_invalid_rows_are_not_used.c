/* SPDX-License-Identifier: Apache-2.0
 * nv20_invalid_rows_are_not_used.c - rule NV20: a command that hits a row of the LBA
 * translation table which is not valid is not sent, and fails. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv20 = {
    .id = "NV20",
    .title = "commands that hit an invalid row fail",
    .requirements = FAL_IDS("NVME-6.6.2-13"),
    .role = "initiator",
    .needs = "completions",
    .assumes = "",
    .doc =
        "Violated by a request for blocks whose row of the LBA translation table is not valid, "
        "and by a command to such blocks that completes without error, or has not completed at "
        "a barrier. A row that changes while the command is under way may be taken as it was, "
        "or as it is.",
};

/* Whether a part of a command hits a row that is not valid in any state of the tables. half 2:
 * one of the parts. */
static bool hits_invalid(const struct fal_ctx *c, const struct fal_hcmd *cmd, unsigned half)
{
    bool known = false;

    for (unsigned state = 0; state < FAL_NPLANS; state++) {
        struct fal_nplan plan;
        bool invalid = false;

        if (!fal_blocks_plan(c->bench->blocks, cmd, state, &plan))
            continue;
        for (unsigned h = 0; h < plan.parts; h++) {
            if (half < 2 && h != half)
                continue;
            if (!plan.part[h].row_known) /* it was never given */
                return false;
            invalid = invalid || !plan.part[h].row.valid;
        }
        if (!invalid)
            return false;
        known = true;
    }
    return known;
}

static void broken(struct fal_ctx *c, const struct fal_hcmd *cmd, const struct fal_at *effect,
                   const char *seen, const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = "NVME-6.6.2-13",
                                   .cause = {&cmd->asked},
                                   .effect = effect,
                                   .seen = seen},
               "%s", expected);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_request(c, q);

    if (n != NULL && n->cmd != NULL && hits_invalid(c, n->cmd, n->half) && !fal_nvme_late(c))
        broken(c, n->cmd, &q->at, "a request for blocks of an invalid row",
               "no packet for blocks whose row is not valid");
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    struct fal_at at = fal_at_event(said->event);

    if (said->told->kind != FAL_NVME_CQE || said->cmd == NULL || said->cmd->completed ||
        !hits_invalid(c, said->cmd, 2))
        return;
    if (said->told->status == 0)
        broken(c, said->cmd, &at, "status=0x0", "an error, as a row is not valid");
    else
        fal_holds(c);
}

static void finish(struct fal_ctx *c)
{
    const struct fal_hcmd *cmd;

    if (c->track == NULL || c->bench->blocks == NULL || c->track->dead ||
        c->bench->events_lost || fal_blocks_some_conn(c->bench->blocks) != c->conn)
        return;
    for (size_t i = 0; (cmd = fal_blocks_hcmd_at(c->bench->blocks, i)) != NULL; i++)
        if (!cmd->completed && !cmd->refused && cmd->answered != 0 &&
            c->track->barrier_index > cmd->answered && cmd->part[0] == NULL &&
            cmd->part[1] == NULL && hits_invalid(c, cmd, 2))
            broken(c, cmd, &cmd->asked, "no completion at a barrier",
                   "a completion with an error, as a row is not valid");
}

const struct fal_rule_impl fal_rule_nv20 = {
    .about = &fal_about_nv20,
    .power = 1,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
    .nvme = nvme,
    .finish = finish,
};
