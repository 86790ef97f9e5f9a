/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/walk.h"

#include <inttypes.h>
#include <stdio.h>

bool fal_nvme_own(const struct fal_ctx *c, const struct fal_ev_packet *packet)
{
    if (packet->origin == FAL_ORIGIN_FOREIGN)
        return true;
    if (packet->dir != FAL_FROM_SUT || (c->track != NULL && c->track->given))
        return false;
    return (c->bench->blocks != NULL && fal_blocks_words(c->bench->blocks)) ||
           (!c->bench->control && !c->config->payload_given);
}

bool fal_nvme_speaks(const struct fal_ctx *c)
{
    return !c->bench->control || c->track->setup.engine || fal_blocks_words(c->bench->blocks);
}

bool fal_nvme_troubled(const struct fal_ctx *c)
{
    const struct fal_paths *paths = &c->bench->paths[c->subject];

    return !paths->in.lossless || !paths->out.lossless || c->track->dead || c->track->nacked ||
           c->track->setup.params.xlr_target != 0;
}

const struct fal_nvme_seen *fal_nvme_mine(const struct fal_ctx *c, const struct fal_seen *q)
{
    return q->nvme != NULL && fal_nvme_own(c, q->packet) ? q->nvme : NULL;
}

const struct fal_nvme_seen *fal_nvme_request(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);

    /* After the end of a connection packets may still be under way, of commands that have
     * failed.
     */
    return n != NULL && fal_nvme_is_request(n->head->packet_type) && !c->track->dead ? n : NULL;
}

bool fal_nvme_holes(const struct fal_ctx *c, enum fal_dir space, int64_t from)
{
    const struct fal_track *track = c->track;
    const struct fal_ring *ring = &track->requests[space];

    if (track->rsn_lost[space] || track->gap_index[space] > 0 ||
        fal_blocks_forgot(c->bench->blocks))
        return true;
    if (from == INT64_MIN && track->setup.initial_known &&
        track->rsn_first[space] > ring->floor)
        from = track->rsn_first[space];
    else if (from == INT64_MIN)
        from = ring->lo < ring->hi ? ring->lo : track->rsn_next[space];
    for (int64_t x = from; x < track->rsn_next[space]; x++) {
        const struct fal_request *r = fal_ring_at(ring, x);

        if (r == NULL || (r->flags & (FAL_REQ_SENT | FAL_REQ_PARTIAL)) != FAL_REQ_SENT)
            return true;
    }
    return false;
}

bool fal_nvme_missed(const struct fal_ctx *c, uint64_t since)
{
    for (enum fal_dir dir = FAL_TO_SUT; dir <= FAL_FROM_SUT; dir++)
        if (c->track->gap_index[dir] > since || fal_track_blind(c->track, dir))
            return true;
    return false;
}

bool fal_nvme_data_unread(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_request *r =
        fal_ring_at(&c->track->requests[fal_dir_other(ncmd->initiator)], ncmd->pull.rsn);

    return fal_nvme_missed(c, ncmd->at.index) ||
           (ncmd->pull.count > 0 && (r == NULL || (r->flags & FAL_REQ_ANSWER_PARTIAL) != 0));
}

bool fal_nvme_may_have_failed(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_request *r = fal_ring_at(&c->track->requests[ncmd->initiator], ncmd->rsn);

    return r == NULL || (r->flags & (FAL_REQ_RESYNC | FAL_REQ_VARIED)) != 0 || c->track->dead ||
           (fal_given(c, FAL_PARAM_AT_transaction_timeout) &&
            fal_may_time_out(c, ncmd->at.t_ns, c->now_ns));
}

void fal_nvme_broken(struct fal_ctx *c, const struct fal_seen *q,
                     const struct fal_nvme_diff *diff, const struct fal_at *cause)
{
    char seen[120];

    (void)snprintf(seen, sizeof seen,
                   "%s=0x%" PRIx64 " in the packet with initiator_tag=%" PRIu32, diff->what,
                   diff->seen, q->nvme->head->initiator_tag);
    fal_broken(c,
               &(struct fal_blame){.requirement = diff->requirement,
                                   .cause = {cause},
                                   .effect = &q->at,
                                   .seen = seen,
                                   .warn = diff->warn},
               "%s=0x%" PRIx64, diff->what, diff->due);
}

void fal_nvme_judge_request(struct fal_ctx *c, const struct fal_seen *q,
                            fal_nvme_compare *compare)
{
    const struct fal_nvme_seen *n = fal_nvme_request(c, q);
    struct fal_nvme_diff first = {0};
    bool compared = false;

    if (n == NULL || n->cmd == NULL || c->subject != FAL_SUBJECT_SUT)
        return;
    for (unsigned state = 0; state < FAL_NPLANS; state++) {
        struct fal_nplan plan;
        const struct fal_nwant *want;
        struct fal_nvme_diff diff;

        if (!fal_blocks_plan(c->bench->blocks, n->cmd, state, &plan))
            continue;
        want = fal_nplan_want(&plan, n->head, n->half);
        if (want == NULL)
            continue;
        diff = compare(n, &plan, want);
        if (diff.requirement == NULL) {
            fal_holds(c);
            return;
        }
        if (!compared || (diff.warn && !first.warn))
            first = diff;
        compared = true;
    }
    if (compared && fal_nvme_late(c))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (compared)
        fal_nvme_broken(c, q, &first, &n->cmd->asked);
}

bool fal_nvme_late(const struct fal_ctx *c)
{
    return !c->track->setup.initial_known;
}

bool fal_nvme_exclusive(const struct fal_ctx *c, uint32_t nsid)
{
    const struct fal_nspace *space = fal_blocks_space(c->bench->blocks, nsid);

    return space != NULL && space->exclusive;
}
