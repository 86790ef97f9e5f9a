/* SPDX-License-Identifier: Apache-2.0
 * v11_sends_complete_once_in_order.c - rule V11: a work request of a send queue completes once,
 * when all of its transactions have, and in the order of the posts where the queue pair orders
 * its completions. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v11 = {
    .id = "V11",
    .title = "work requests complete once, after all their packets, and in order",
    .requirements = FAL_IDS("RDMA-6.2-01", "RDMA-6.2-02", "RDMA-6.4-03", "RDMA-6.4-04",
                            "RDMA-6.4-05", "RDMA-6.4-06", "RDMA-6.7-02", "RDMA-6.8-04"),
    .role = "initiator",
    .needs = "posts, completions",
    .assumes = "base-not-beyond-sent same-packet-on-retransmit",
    .doc =
        "Violated by a completion without a post, or a second one for a post; by a successful "
        "completion of an RC or XRC operation before the tester acknowledged each push and "
        "answered each pull of it; and by a successful completion that comes before that of an "
        "earlier signaled post, where the queue pair is strongly or weakly ordered. Completions of "
        "UD may come before the acknowledgement (AMB-R26), those of the unordered mode in any "
        "order. At a barrier, each signaled post must have completed whose packets were all "
        "acknowledged or answered so long before that the SUT knew it, on a path that loses and "
        "reorders nothing. Not judged after a completion in error; the order also needs an "
        "adapter that reports events in their order.",
};

static void broken(struct fal_ctx *c, const struct fal_said *said, const char *requirement,
                   const struct fal_at *cause, const char *expected)
{
    struct fal_at at = fal_at_event(said->event);
    char seen[100];

    (void)snprintf(seen, sizeof seen, "a completion of wr_id %" PRIu64 " with status %" PRIu32,
                   said->told->wr_id, said->told->status);
    fal_broken(c,
               &(struct fal_blame){
                   .requirement = requirement, .cause = {cause}, .effect = &at, .seen = seen},
               "%s", expected);
}

/* ---- whether its transactions are over ---- */

enum cover { COVERED, OPEN, UNKNOWN };

/* Whether the tester has acknowledged or answered that transaction. *at: when. */
static enum cover over(const struct fal_ctx *c, int64_t rsn, const struct fal_at **at)
{
    const struct fal_request *r = fal_track_request(c->track, FAL_FROM_SUT, (uint32_t)rsn);
    bool pull;

    if (r == NULL)
        return UNKNOWN;
    pull = r->type == FAL_PULL_REQUEST;
    *at = pull ? &r->answer : &r->claimed;
    return (r->flags & (pull ? FAL_REQ_ANSWERED : FAL_REQ_CLAIMED)) != 0 ? COVERED : OPEN;
}

/* The same of all transactions of a work request, as far as they are known to be its own.
 * *last: the latest of these times. */
static enum cover all_over(const struct fal_ctx *c, const struct fal_wqe *wqe,
                           const struct fal_at **last)
{
    bool whole = wqe->rsn_last - wqe->rsn_first + 1 == wqe->packets;
    const struct fal_at *at = NULL;

    *last = NULL;
    if (!wqe->finished)
        return OPEN;
    for (int64_t rsn = wqe->rsn_first; rsn <= wqe->rsn_last; rsn++) {
        enum cover cover;

        if (!whole && rsn != wqe->rsn_first && rsn != wqe->rsn_last)
            continue; /* perhaps of another one */
        cover = over(c, rsn, &at);
        if (cover != COVERED)
            return cover;
        if (*last == NULL || (*last)->index < at->index)
            *last = at;
    }
    return whole ? COVERED : UNKNOWN;
}

/* ---- a completion ---- */

/* Whether a post with that wr_id was refused, or may be forgotten. */
static bool may_be_of(const struct fal_said *said)
{
    const struct fal_wqes *sends = &said->qp->sends;

    if (sends->forgotten > 0)
        return true;
    for (size_t i = 0; i < sends->num; i++)
        if (sends->list[i].wr_id == said->told->wr_id && sends->list[i].refused)
            return true;
    return false;
}

/* The first signaled post before that one which has not completed, or NULL. */
static const struct fal_wqe *earlier(const struct fal_vqp *qp, const struct fal_wqe *wqe)
{
    for (size_t i = 0; &qp->sends.list[i] != wqe; i++) {
        const struct fal_wqe *one = &qp->sends.list[i];

        if (!one->completed && !one->refused && one->answered != 0 &&
            (one->flags & FAL_VERBS_SIGNALED) != 0)
            return one;
    }
    return NULL;
}

static const char *order_requirement(const struct fal_vqp *qp, const struct fal_wqe *a,
                                     const struct fal_wqe *b)
{
    bool strong = qp->ordering == FAL_VERBS_STRONG;

    if (qp->type == FAL_VERBS_UD)
        return strong ? "RDMA-6.4-04" : "RDMA-6.4-06";
    if (a->op == b->op)
        return strong ? "RDMA-6.2-01" : "RDMA-6.2-02";
    return strong ? "RDMA-6.4-03" : "RDMA-6.4-05"; /* of operations of several kinds */
}

static void judge_order(struct fal_ctx *c, const struct fal_said *said)
{
    const struct fal_wqe *before = earlier(said->qp, said->wqe);

    if (before == NULL)
        fal_holds(c);
    else if (!c->bench->run.ordered_events)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else
        broken(c, said, order_requirement(said->qp, before, said->wqe), &before->asked,
               "the completion of an earlier post first");
}

/* Whether requests were seen that no post explains yet, because one before them was not. */
static bool ahead(const struct fal_ctx *c)
{
    return c->track->rdma != NULL && c->track->rdma->explaining &&
           c->track->rdma->explain < c->track->rsn_next[FAL_FROM_SUT];
}

static void judge_cover(struct fal_ctx *c, const struct fal_said *said)
{
    const struct fal_at *last;
    enum cover cover = all_over(c, said->wqe, &last);

    if (cover == COVERED)
        fal_holds(c);
    else if (cover == UNKNOWN || said->qp->vague || ahead(c) ||
             c->track->gap_index[FAL_TO_SUT] > 0)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (!said->wqe->finished && !c->bench->paths[c->subject].out.lossless)
        fal_undecided(c, FAL_EXCUSE_OUT_LOSS);
    else
        broken(c, said, "RDMA-6.7-02", &said->wqe->asked,
               "no success before each of its packets is acknowledged or answered");
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    if (said->event->u.verbs.phase != FAL_VERBS_TOLD || said->told->kind != FAL_VERBS_WC ||
        said->qp == NULL || said->told->opcode >= FAL_VERBS_DONE_RECV)
        return;
    if (said->wqe == NULL && may_be_of(said)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    if (said->wqe == NULL) {
        broken(c, said, "RDMA-6.8-04", NULL, "at most one completion for each post");
        return;
    }
    if (said->told->status != FAL_VERBS_OK || said->qp->trouble)
        return;
    if (said->qp->type != FAL_VERBS_UD)
        judge_cover(c, said);
    if (said->qp->ordering != FAL_VERBS_UNORDERED)
        judge_order(c, said);
}

/* ---- completions that are missing at a barrier ---- */

/* Whether the SUT knew that the work request was over before the barrier was asked for. */
static bool known_before(const struct fal_ctx *c, const struct fal_wqe *wqe,
                         const struct fal_at **last)
{
    const struct fal_params *params = &c->track->setup.params;

    if (all_over(c, wqe, last) != COVERED || *last == NULL ||
        c->track->broken[FAL_TO_SUT] != 0 || (*last)->origin == FAL_ORIGIN_STEP)
        return false;
    return (*last)->index < c->track->barrier_index &&
           (*last)->t_ns + c->bench->paths[c->subject].in_ns + params->turnaround_ns +
                   params->pipeline_ns <
               c->track->barrier_ns;
}

static void judge_missing(struct fal_ctx *c, const struct fal_vqp *qp,
                          const struct fal_event *event)
{
    struct fal_at at = fal_at_event(event);

    for (size_t i = 0; i < qp->sends.num; i++) {
        const struct fal_wqe *wqe = &qp->sends.list[i];
        const struct fal_at *last;

        if (wqe->completed || wqe->refused)
            continue;
        if (!known_before(c, wqe, &last)) {
            if (qp->ordering != FAL_VERBS_UNORDERED)
                return; /* Those after it wait for it. */
            continue;
        }
        if ((wqe->flags & FAL_VERBS_SIGNALED) != 0)
            fal_broken(c,
                       &(struct fal_blame){.requirement = "RDMA-6.7-02",
                                           .cause = {&wqe->asked, last},
                                           .effect = &at,
                                           .seen = "no completion at the barrier"},
                       "a completion of wr_id %" PRIu64
                       ": all its packets were acknowledged or "
                       "answered",
                       wqe->wr_id);
    }
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_paths *paths = &c->bench->paths[c->subject];
    const struct fal_vqp *qp;

    if (event->u.mark.mark != FAL_MARK_BARRIER || c->bench->objects == NULL ||
        c->subject != FAL_SUBJECT_SUT || c->bench->events_lost || !c->track->verbs ||
        !paths->in.lossless || !paths->in.in_order || !paths->round_known || c->track->dead)
        return;
    for (qp = fal_objects_qp_on(c->bench->objects, c->conn); qp != NULL; qp = qp->next_on)
        if (qp->type != FAL_VERBS_UD && !qp->vague && !qp->trouble)
            judge_missing(c, qp, event);
}

const struct fal_rule_impl fal_rule_v11 = {
    .about = &fal_about_v11,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT | FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .verbs = verbs,
    .mark = mark,
};
