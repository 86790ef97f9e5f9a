/* SPDX-License-Identifier: Apache-2.0
 * v15_errors_stop_the_queue_pair.c - rule V15: where errors are compatible with Verbs, an RC
 * queue pair that completed an operation in error sends and completes nothing new. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v15 = {
    .id = "V15",
    .title = "after an error a queue pair in Verbs mode sends nothing new",
    .requirements = FAL_IDS("RDMA-6.3-01"),
    .role = "initiator",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a request packet of an RC queue pair whose errors are compatible with Verbs "
        "for a post that was written after the SUT reported a completion in error, by a completion "
        "without error of such a post, and by one of a post behind the one that failed. Packets of "
        "earlier posts, retransmissions and Resyncs are free.",
};

static bool stops(const struct fal_vqp *qp)
{
    return qp->type == FAL_VERBS_RC && qp->errors == FAL_VERBS_ERRORS_VERBS && qp->has_failed;
}

static void explained(struct fal_ctx *c, const struct fal_explained *e)
{
    if (e->qp == NULL || e->wqe == NULL || e->qp->vague || !stops(e->qp))
        return;
    if (e->wqe->asked.index > e->qp->failed.index)
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.3-01",
                                       .cause = {&e->qp->failed, &e->wqe->asked},
                                       .effect = &e->fact->at,
                                       .seen = "a new request of the queue pair"},
                   "no packet for a post after the error: the queue pair is in error");
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    struct fal_at at = fal_at_event(said->event);
    const struct fal_wqe *wqe = said->wqe;

    if (said->event->u.verbs.phase != FAL_VERBS_TOLD || said->told->kind != FAL_VERBS_WC ||
        said->qp == NULL || wqe == NULL || said->told->opcode >= FAL_VERBS_DONE_RECV ||
        !stops(said->qp) || wqe->asked.index <= said->qp->failed_post)
        return;
    if (said->told->status != FAL_VERBS_OK)
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.3-01",
                                       .cause = {&said->qp->failed, &wqe->asked},
                                       .effect = &at,
                                       .seen = "a completion without error"},
                   "an error in the completion of wr_id %" PRIu64
                   ", which was posted after the one that failed",
                   wqe->wr_id);
}

const struct fal_rule_impl fal_rule_v15 = {
    .about = &fal_about_v15,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .explained = explained,
    .verbs = verbs,
};
