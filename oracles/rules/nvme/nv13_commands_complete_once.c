/* SPDX-License-Identifier: Apache-2.0
 * nv13_commands_complete_once.c - rule NV13: a command of the host completes once, after all of
 * its nCMDs were answered, with the status of an answer. */
#include "oracles/rules/nvme/walk.h"

#include <stdio.h>

const struct fal_rule fal_about_nv13 = {
    .id = "NV13",
    .title = "commands of the host complete once, when all answers came",
    .requirements =
        FAL_IDS("NVME-6.5-03", "NVME-7.1-07", "NVME-7.2-09", "NVME-8.4-02", "NVME-8.8-02"),
    .role = "initiator",
    .needs = "completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by the completion of a command before the answer to each of its nCMDs was "
        "sent, by a second one, and by none at a barrier two transaction timeouts after the "
        "last answer on a path without loss. Its status is one of those of the answers that "
        "are not 0 (AMB-N20), or 0 if all of them are. A command whose protection information "
        "the initiator checks may fail by itself, and so may one whose transactions may have "
        "ended in error.",
};

/* A part that was not seen may have left on a connection that another judge has: the row of its
 * blocks, which names that connection, was not given here. */
static bool part_elsewhere(const struct fal_nplan *plan, const struct fal_hcmd *cmd)
{
    for (unsigned h = 0; h < plan->parts; h++)
        if (cmd->part[h] == NULL && !plan->part[h].row_known)
            return true;
    return false;
}

/* Whether all nCMDs that are due were seen, and answered. */
static bool all_answered(const struct fal_nplan *plan, const struct fal_hcmd *cmd)
{
    bool whole = plan->free && cmd->part[0] != NULL && cmd->part[0]->head.s == 0;

    for (unsigned h = 0; h < (whole ? 1 : plan->parts); h++) {
        const struct fal_npart *part = cmd->part[h];
        unsigned due = whole ? plan->whole.ncmds : plan->part[h].ncmds;

        if (part == NULL || part->ended < part->seen || part->seen < due)
            return false;
    }
    return true;
}

static bool any_failed(const struct fal_hcmd *cmd)
{
    return (cmd->part[0] != NULL && cmd->part[0]->failed) ||
           (cmd->part[1] != NULL && cmd->part[1]->failed);
}

static void broken(struct fal_ctx *c, const struct fal_hcmd *cmd, const char *requirement,
                   const struct fal_at *effect, const char *seen, const char *expected)
{
    fal_broken(
        c,
        &(struct fal_blame){
            .requirement = requirement, .cause = {&cmd->asked}, .effect = effect, .seen = seen},
        "%s", expected);
}

/* Whether an answer that failed has that code. */
static bool has_code(const struct fal_hcmd *cmd, uint32_t status)
{
    for (unsigned h = 0; h < 2; h++)
        for (const struct fal_ncmd *n = cmd->part[h] != NULL ? cmd->part[h]->first : NULL;
             n != NULL; n = n->next)
            if (n->end.count > 0 &&
                fal_nvme_code_of(n->end.head.cqe_status) == fal_nvme_code_of(status) &&
                n->end.head.cqe_status != 0)
                return true;
    return false;
}

/* Returns whether the initiator gave up a request of the command, and said so with a Resync. */
static bool gave_up(const struct fal_ctx *c, const struct fal_hcmd *cmd)
{
    for (unsigned h = 0; h < 2; h++)
        for (const struct fal_ncmd *n = cmd->part[h] != NULL ? cmd->part[h]->first : NULL;
             n != NULL; n = n->next) {
            const struct fal_request *r =
                n->conn == c->conn ? fal_ring_at(&c->track->requests[n->initiator], n->rsn)
                                   : NULL;

            if (r != NULL && (r->flags & FAL_REQ_RESYNC) != 0)
                return true;
        }
    return false;
}

/* A command may end with a status of the initiator's own where Falcon fails. */
static bool may_fail_itself(const struct fal_ctx *c, const struct fal_nplan *plan,
                            const struct fal_hcmd *cmd)
{
    return fal_nvme_troubled(c) || gave_up(c, cmd) ||
           (!any_failed(cmd) && (plan->space.pi != FAL_NVME_PI_OFF || cmd->word.bad_pi));
}

/* All answers were sent. */
static void judge_status(struct fal_ctx *c, const struct fal_nplan *plan,
                         const struct fal_hcmd *cmd, const struct fal_nsaid *said)
{
    struct fal_at at = fal_at_event(said->event);
    uint32_t status = said->told->status;
    const char *requirement = cmd->word.op == FAL_NVME_WRITE ? "NVME-8.8-02" : "NVME-8.4-02";
    char seen[80];

    if (status == 0 ? !any_failed(cmd) : has_code(cmd, status)) {
        fal_holds(c);
    } else if (status != 0 && may_fail_itself(c, plan, cmd)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    } else {
        (void)snprintf(seen, sizeof seen, "status=0x%x, which no answer has", (unsigned)status);
        broken(c, cmd, requirement, &at, seen,
               any_failed(cmd) ? "the status of an answer that failed" : "status=0x0");
    }
}

/* Fewer answers were sent than the command has nCMDs. */
static void judge_early(struct fal_ctx *c, const struct fal_nplan *plan,
                        const struct fal_hcmd *cmd, const struct fal_nsaid *said)
{
    struct fal_at at = fal_at_event(said->event);
    bool begun = cmd->part[0] != NULL || cmd->part[1] != NULL;

    if (said->told->status != 0 &&
        (!begun || !any_failed(cmd) || may_fail_itself(c, plan, cmd))) {
        if (begun) /* it may have failed by itself, or on the way */
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    if (c->bench->unseen || fal_nvme_holes(c, FAL_TO_SUT, INT64_MIN))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        broken(c, cmd, cmd->word.op == FAL_NVME_WRITE ? "NVME-7.2-09" : "NVME-7.1-07", &at,
               "its completion before the answers",
               "the completion after the answer to each nCMD was sent");
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_hcmd *cmd = said->cmd;
    struct fal_at at = fal_at_event(said->event);
    struct fal_nplan plan;

    if (said->told->kind != FAL_NVME_CQE || cmd == NULL || c->track == NULL)
        return;
    if (cmd->completed) {
        broken(c, cmd, "NVME-6.5-03", &at, "a second completion",
               "one completion of a command");
        return;
    }
    if (!fal_blocks_plan(c->bench->blocks, cmd, 0, &plan) || plan.parts == 0)
        return;
    if (cmd->vague || part_elsewhere(&plan, cmd) || fal_hcmd_has_twin(c->bench->blocks, cmd))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (all_answered(&plan, cmd))
        judge_status(c, &plan, cmd, said);
    else
        judge_early(c, &plan, cmd, said);
}

/* ---- completions that do not come ---- */

static void finish(struct fal_ctx *c)
{
    const struct fal_hcmd *cmd;

    if (c->track == NULL || c->bench->blocks == NULL || fal_nvme_troubled(c) ||
        c->bench->events_lost || !fal_given(c, FAL_PARAM_AT_transaction_timeout))
        return;
    for (size_t i = 0; (cmd = fal_blocks_hcmd_at(c->bench->blocks, i)) != NULL; i++) {
        const struct fal_npart *part = cmd->part[0];
        struct fal_nplan plan;

        if (cmd->completed || cmd->refused || cmd->vague || part == NULL ||
            part->conn != c->conn || !fal_blocks_plan(c->bench->blocks, cmd, 0, &plan) ||
            plan.parts == 0 || !all_answered(&plan, cmd) ||
            c->track->barrier_ns < part->last_end.t_ns ||
            c->track->barrier_ns - part->last_end.t_ns < 2 * fal_least_transaction_ns(c) ||
            (cmd->part[1] != NULL && c->track->barrier_ns < cmd->part[1]->last_end.t_ns))
            continue;
        broken(c, cmd, "NVME-6.5-03", &part->last_end, "no completion at a barrier",
               "a completion after all answers");
    }
}

const struct fal_rule_impl fal_rule_nv13 = {
    .about = &fal_about_nv13,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .nvme = nvme,
    .finish = finish,
};
