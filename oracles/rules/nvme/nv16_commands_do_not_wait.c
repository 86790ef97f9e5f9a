/* SPDX-License-Identifier: Apache-2.0
 * nv16_commands_do_not_wait.c - rule NV16: NVMe uses unordered connections, so a command does
 * not wait for one that did not come. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv16 = {
    .id = "NV16",
    .title = "commands of NVMe do not wait for others",
    .requirements = FAL_IDS("NVME-7-01", "NVME-7.1-02", "NVME-8-01"),
    .role = "target",
    .needs = "wire",
    .assumes = "",
    .doc =
        "On a path without loss, violated by a target that answers a command of one nCMD only "
        "after a transaction with a lower RSN came, which came half a transaction timeout later "
        "or never. An ordered connection gives a warning, and so does a read that a device gets "
        "before one that came earlier, where the order of events is known. Not judged while "
        "devices hold or delay commands.",
};

enum { LOOK_BACK = 64 };

/* Whether a transaction below it came later than the nCMD, or not at all; *until: when the last
 * of them came, or FAL_NEVER. */
static bool had_hole(const struct fal_ctx *c, const struct fal_ncmd *ncmd, uint64_t *until,
                     uint64_t *index)
{
    const struct fal_track *track = c->track;
    int64_t first = track->rsn_first[ncmd->initiator];
    bool hole = false;

    *until = *index = 0;
    if (ncmd->rsn - first > LOOK_BACK)
        first = ncmd->rsn - LOOK_BACK;
    for (int64_t x = first; x < ncmd->rsn; x++) {
        const struct fal_request *r = fal_ring_at(&track->requests[ncmd->initiator], x);
        bool never = r == NULL || (r->flags & FAL_REQ_SENT) == 0;

        if (!never && r->first.index < ncmd->at.index)
            continue;
        hole = true;
        if (never) {
            *until = *index = FAL_NEVER;
            return true;
        }
        if (r->first.index > *index) {
            *index = r->first.index;
            *until = r->first.t_ns;
        }
    }
    return hole;
}

/* The first answer to it; NULL: none. */
static const struct fal_at *answer_of(const struct fal_ncmd *ncmd)
{
    if (fal_ncmd_is_write(ncmd) && ncmd->pull.count > 0)
        return &ncmd->pull.at;
    return ncmd->end.count > 0 ? &ncmd->end.at : NULL;
}

static void judge(struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_at *answer = answer_of(ncmd);
    uint64_t until, index, end = c->track->barrier_ns;

    if (!had_hole(c, ncmd, &until, &index))
        return;
    if (answer != NULL && answer->index < index) {
        fal_holds(c);
        return;
    }
    if (until != FAL_NEVER)
        end = until;
    if (end < ncmd->at.t_ns || end - ncmd->at.t_ns < fal_least_transaction_ns(c) / 2)
        return;
    fal_broken(c,
               &(struct fal_blame){.requirement = "NVME-8-01",
                                   .cause = {answer},
                                   .effect = &ncmd->at,
                                   .seen = "no answer before a transaction with a lower RSN"},
               "an answer to the command, as the connection is unordered");
}

/* Whether devices answer at once. */
static bool at_once(const struct fal_ctx *c)
{
    const struct fal_npolicy *policy = fal_blocks_policy(c->bench->blocks);

    return !policy->hold && !policy->unsure && policy->after_ns == 0;
}

static void finish(struct fal_ctx *c)
{
    const struct fal_paths *paths = &c->bench->paths[c->subject];
    const struct fal_ncmd *ncmd, *own = NULL;

    if (c->track == NULL || c->bench->blocks == NULL || c->track->given || c->track->dead ||
        !fal_nvme_speaks(c) || (!c->bench->control && !fal_given(c, FAL_PARAM_AT_ordered)))
        return;
    for (size_t i = 0; (ncmd = fal_blocks_ncmd_at(c->bench->blocks, i)) != NULL; i++) {
        if (ncmd->conn != c->conn || ncmd->initiator != fal_in(c))
            continue;
        own = ncmd;
        if (!c->bench->unseen && paths->in.lossless && paths->out.lossless && at_once(c) &&
            !fal_track_ordered(c->track) && c->track->setup.initial_known &&
            fal_given(c, FAL_PARAM_AT_transaction_timeout) && c->bench->control &&
            ncmd->head.ncnt_total == 0 && ncmd->head.s == 0)
            judge(c, ncmd);
    }
    if (own == NULL || !fal_given(c, FAL_PARAM_AT_ordered))
        return;
    if (!c->track->setup.params.ordered)
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-7-01",
                                       .effect = &own->at,
                                       .seen = "an ordered connection",
                                       .warn = true},
                   "an unordered connection for NVMe");
}

/* ---- the order at devices ---- */

/* A read for the same queue that came earlier and has no command of a device yet. */
static const struct fal_ncmd *passed_over(const struct fal_ctx *c, const struct fal_npart *part)
{
    const struct fal_ncmd *ncmd;

    for (size_t i = 0; (ncmd = fal_blocks_ncmd_at(c->bench->blocks, i)) != NULL; i++)
        if (ncmd->conn == part->conn && ncmd->initiator == part->initiator &&
            ncmd->at.index < part->first->at.index && !ncmd->part->write &&
            ncmd->part != part && ncmd->part->dcmd == NULL && ncmd->end.count == 0 &&
            ncmd->head.target_sqid == part->head.target_sqid)
            return ncmd;
    return NULL;
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_path *in = &c->bench->paths[c->subject].in;
    const struct fal_npart *part = said->part;
    const struct fal_ncmd *earlier;
    struct fal_at at = fal_at_event(said->event);

    if (said->told->kind != FAL_NVME_DEV_CMD || part == NULL || part->write ||
        c->track == NULL || !c->bench->run.ordered_events || c->bench->unseen ||
        !in->lossless || !in->in_order)
        return;
    earlier = passed_over(c, part);
    if (earlier == NULL)
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-7.1-02",
                                       .cause = {&earlier->at, &part->first->at},
                                       .effect = &at,
                                       .seen = "the later one at the device first",
                                       .warn = true},
                   "reads in the order in which they came");
}

const struct fal_rule_impl fal_rule_nv16 = {
    .about = &fal_about_nv16,
    .power = 1,
    .finish = finish,
    .nvme = nvme,
};
