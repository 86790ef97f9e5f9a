/* SPDX-License-Identifier: Apache-2.0
 * v14_failed_operations_say_so.c - rule V14: an operation that the target refused completes in
 * error; in the complete-in-error mode it alone does, and the queue pair goes on. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v14 = {
    .id = "V14",
    .title = "an operation that failed completes in error, and alone",
    .requirements = FAL_IDS("RDMA-6.3-01", "RDMA-6.3-02"),
    .role = "initiator",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a completion without error of an operation of which the tester refused a "
        "push with a NACK of code 6, 7 or 8 that the SUT answered with a Resync, or answered a "
        "pull with CE; and by a queue pair in the complete-in-error mode that leaves the state "
        "RTS after nothing but errors of the target (status 9, 10 or 11). When the error completes "
        "is free (AMB-47).",
};

enum { FAILED_MAX = 64 };

/* A transaction of the SUT that the tester failed. */
struct failed {
    struct fal_at at;
    int64_t rsn;
};

struct state {
    struct fal_bag answers; /* struct failed: pulls that were answered with CE */
};

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    struct failed *failed;

    if (!c->track->verbs || !fal_rdma_has(p) || p->prior != NULL ||
        p->falcon->packet_type != FAL_PULL_DATA || !p->rdma.complete_in_error)
        return;
    failed = fal_bag_add(&state->answers, sizeof *failed, FAILED_MAX);
    if (failed != NULL)
        *failed = (struct failed){p->at, p->rsn};
}

/* The NACK of a push that the SUT replaced by a Resync, or NULL. */
static const struct fal_at *refused(const struct fal_ctx *c, int64_t rsn)
{
    static const unsigned codes[] = {FAL_NACK_CIE, FAL_NACK_NRE, FAL_NACK_CID};
    const struct fal_request *r = fal_track_request(c->track, FAL_FROM_SUT, (uint32_t)rsn);

    if (r == NULL || r->type != FAL_PUSH_DATA || (r->flags & FAL_REQ_PLACED) == 0 ||
        (r->flags & FAL_REQ_RESYNC) == 0)
        return NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        const struct fal_nack *nack =
            fal_nacks_find(&c->track->nacks[FAL_FROM_SUT], r->window, r->psn, codes[i]);

        if (nack != NULL)
            return &nack->at;
    }
    return NULL;
}

/* What failed of a work request; NULL: nothing that is known. */
static const struct fal_at *failure(const struct fal_ctx *c, const struct fal_wqe *wqe)
{
    const struct state *state = c->state;

    if (wqe->packets == 0 || wqe->rsn_last - wqe->rsn_first + 1 != wqe->packets)
        return NULL;
    for (unsigned i = 0; i < state->answers.num; i++) {
        const struct failed *failed = FAL_BAG(&state->answers, struct failed, i);

        if (failed->rsn >= wqe->rsn_first && failed->rsn <= wqe->rsn_last)
            return &failed->at;
    }
    for (int64_t rsn = wqe->rsn_first; rsn <= wqe->rsn_last; rsn++)
        if (refused(c, rsn) != NULL)
            return refused(c, rsn);
    return NULL;
}

static void judge_completion(struct fal_ctx *c, const struct fal_said *said)
{
    struct fal_at at = fal_at_event(said->event);
    const struct fal_at *cause = failure(c, said->wqe);

    if (cause == NULL || said->qp->type == FAL_VERBS_UD)
        return;
    if (said->told->status != FAL_VERBS_OK)
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = said->qp->errors == FAL_VERBS_ERRORS_CIE
                                                          ? "RDMA-6.3-02"
                                                          : "RDMA-6.3-01",
                                       .cause = {&said->wqe->asked, cause},
                                       .effect = &at,
                                       .seen = "a completion without error"},
                   "an error in the completion of wr_id %" PRIu64, said->wqe->wr_id);
}

static void judge_state(struct fal_ctx *c, const struct fal_said *said)
{
    struct fal_at at = fal_at_event(said->event);

    if (said->told->state == FAL_VERBS_RTS)
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.3-02",
                                       .cause = {&said->qp->failed},
                                       .effect = &at,
                                       .seen = "a queue pair that left the state rts"},
                   "the state rts: in this mode the operation alone fails");
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    enum fal_verbs_phase phase = said->event->u.verbs.phase;

    if (said->qp == NULL)
        return;
    if (phase == FAL_VERBS_TOLD && said->told->kind == FAL_VERBS_WC && said->wqe != NULL &&
        said->told->opcode < FAL_VERBS_DONE_RECV)
        judge_completion(c, said);
    if (phase == FAL_VERBS_ANSWERED && said->ok && said->asked->kind == FAL_VERBS_QP_QUERY &&
        said->qp->errors == FAL_VERBS_ERRORS_CIE && said->qp->trouble && !said->qp->fatal &&
        !c->track->dead)
        judge_state(c, said);
}

const struct fal_rule_impl fal_rule_v14 = {
    .about = &fal_about_v14,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .on_in = FAL_ON_RDMA,
    .in = in,
    .verbs = verbs,
    .release = fal_bag_release,
};
