/* SPDX-License-Identifier: Apache-2.0
 * nv15_requests_are_acknowledged.c - rule NV15: a target acknowledges a Read Request when it
 * comes, whatever the device does; an initiator acknowledges each Read Response. */
#include "oracles/rules/facts/copies.h"
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv15 = {
    .id = "NV15",
    .title = "Read Requests and Read Responses are acknowledged",
    .requirements = FAL_IDS("NVME-7.1-03", "NVME-7.1-06"),
    .role = "any",
    .needs = "wire",
    .assumes = "",
    .doc =
        "On a path without loss, violated by a Read Response that the initiator has not "
        "acknowledged at a barrier a transaction timeout later, or half of one after the "
        "completion of the command shows that the response came. A Read Request that was not "
        "acknowledged before the device completed it, or at such a barrier while the device "
        "holds it, gives a warning (AMB-N16).",
};

static const struct fal_request *request_of(const struct fal_ctx *c, enum fal_dir space,
                                            int64_t rsn)
{
    return fal_ring_at(&c->track->requests[space], rsn);
}

/* Whether a barrier came so long after it that the acknowledgement was due. */
static bool overdue(const struct fal_ctx *c, const struct fal_at *since)
{
    return c->track->barrier_index > since->index && c->track->barrier_ns >= since->t_ns &&
           c->track->barrier_ns - since->t_ns >= fal_least_transaction_ns(c);
}

static void broken(struct fal_ctx *c, const char *requirement, const struct fal_at *at,
                   bool warn, const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .effect = at,
                                   .seen = "no acknowledgement by then",
                                   .warn = warn},
               "%s", expected);
}

/* Returns whether the completion of its command shows that the Read Response reached the
 * initiator: one without error needs all of them, and one with its status needs it, if it is
 * the only one. */
static bool has_come(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    enum { CODE = 0x7ff }; /* SCT and SC */
    const struct fal_hcmd *cmd = ncmd->part->cmd;

    if (cmd == NULL || !cmd->completed || cmd->vague || cmd->done.index < ncmd->end.at.index ||
        fal_hcmd_has_twin(c->bench->blocks, cmd))
        return false;
    return cmd->status == 0 ||
           (cmd->part[1] == NULL && cmd->part[0] == ncmd->part && ncmd->part->seen == 1 &&
            ((cmd->status ^ ncmd->end.head.cqe_status) & CODE) == 0);
}

/* Returns whether the host had its completion so long ago, by that time, that the
 * acknowledgement was due. The peer may have given up the transaction since. */
static bool overdue_since_completion(const struct fal_ctx *c, const struct fal_ncmd *ncmd,
                                     uint64_t by_ns)
{
    const struct fal_hcmd *cmd = ncmd->part->cmd;

    return has_come(c, ncmd) && by_ns >= cmd->done.t_ns &&
           by_ns - cmd->done.t_ns >= fal_least_transaction_ns(c) / 2;
}

/* Returns whether an acknowledgement may have gone unseen since, times cannot be compared, or a
 * copy was acknowledged that went unseen. */
static bool unclear(const struct fal_ctx *c, const struct fal_at *since,
                    const struct fal_request *r)
{
    const struct fal_stream *stream = fal_in_stream(c, FAL_WINDOW_DATA);
    bool claimed = (r->flags & FAL_REQ_CLAIMED) != 0;

    return (!claimed &&
            fal_stream_acked(fal_in_stream(c, (enum fal_window)r->window), r->psn)) ||
           stream->base_unsure || stream->bits_unsure ||
           c->track->gap_index[fal_out(c)] > since->index ||
           (c->bench->stepped && since->index < c->bench->step_index);
}

/* The SUT is the initiator. */
static void judge_response(struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_request *r = request_of(c, fal_dir_other(ncmd->initiator), ncmd->end.rsn);
    bool claimed = r != NULL && (r->flags & FAL_REQ_CLAIMED) != 0, resync;

    if (r == NULL)
        return;
    resync = (r->flags & FAL_REQ_RESYNC) != 0;
    if (!overdue_since_completion(c, ncmd, claimed ? r->claimed.t_ns : c->track->barrier_ns) &&
        (claimed || resync || !overdue(c, &ncmd->end.at))) {
        if (claimed && !resync) /* else it may be that of the Resync */
            fal_holds(c);
    } else if (unclear(c, &ncmd->end.at, r)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    } else {
        broken(c, "NVME-7.1-06", &ncmd->end.at, false,
               "an acknowledgement of the Read Response");
    }
}

/* The SUT is the target, whose device holds the command. */
static void judge_request(struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_request *r = request_of(c, ncmd->initiator, ncmd->rsn);
    const struct fal_dcmd *dcmd = ncmd->part->dcmd;
    bool claimed = r != NULL && (r->flags & FAL_REQ_CLAIMED) != 0;

    if (r == NULL || dcmd == NULL || !dcmd->held || dcmd->mixed ||
        (r->flags & FAL_REQ_RESYNC) != 0)
        return;
    if (claimed && (!dcmd->complete || r->claimed.index < dcmd->completed.index))
        fal_holds(c);
    else if (claimed ? dcmd->completed.t_ns - ncmd->at.t_ns < fal_least_transaction_ns(c)
                     : !overdue(c, &ncmd->at))
        return;
    else if (unclear(c, &ncmd->at, r))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        broken(c, "NVME-7.1-03", &ncmd->at, true,
               "an acknowledgement of the Read Request while the device holds it");
}

static void finish(struct fal_ctx *c)
{
    const struct fal_paths *paths = &c->bench->paths[c->subject];
    const struct fal_ncmd *ncmd;

    if (c->track == NULL || c->bench->blocks == NULL || c->subject != FAL_SUBJECT_SUT ||
        !paths->in.lossless || !paths->out.lossless || c->track->given || c->track->dead ||
        !c->bench->control || !fal_given(c, FAL_PARAM_AT_transaction_timeout))
        return;
    for (size_t i = 0; (ncmd = fal_blocks_ncmd_at(c->bench->blocks, i)) != NULL; i++) {
        if (ncmd->conn != c->conn || fal_ncmd_is_write(ncmd))
            continue;
        if (ncmd->initiator == fal_out(c) && ncmd->end.count > 0)
            judge_response(c, ncmd);
        else if (ncmd->initiator == fal_in(c))
            judge_request(c, ncmd);
    }
}

const struct fal_rule_impl fal_rule_nv15 = {
    .about = &fal_about_nv15,
    .power = 1,
    .finish = finish,
};
