/* SPDX-License-Identifier: Apache-2.0
 * v22_gaps_of_sn_are_noticed.c - rule V22: a queue pair that is strongly or weakly ordered
 * notices a sequence number that is left out. Because the step of the numbers is not given
 * (AMB-R06), to take such a request is worth a warning, and never more. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/memory/access.h"

const struct fal_rule fal_about_v22 = {
    .id = "V22",
    .title = "a sequence number that is left out is noticed",
    .requirements = FAL_IDS("RDMA-8.2-15", "RDMA-8.2-16"),
    .role = "target",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "A request of a scenario leaves out sequence numbers: all before it count from 1 by 1, and "
        "it has a higher one than the next. It conforms to refuse it, or not to acknowledge it "
        "before a barrier. To acknowledge it, or to answer it with data, gives a warning "
        "(AMB-R06). Only the first such request for a strongly or weakly ordered RC queue pair is "
        "judged, and only if nothing else is wrong with it.",
};

enum { GAP_MAX = 1024 };

struct state {
    struct fal_bag denied; /* struct fal_denied */
    bool over;             /* one was seen */
    uint8_t zero[7];       /* as in struct fal_at */
};

/* Whether the request is the first whose number does not follow from its RSN. */
static bool leaves_out(const struct fal_ctx *c, const struct fal_rdma_fact *fact)
{
    const struct fal_rdma_fact *before = fal_rdma_request(c->track, fal_in(c), fact->rsn - 1);
    uint32_t due = (uint32_t)(fact->rsn - c->track->rsn_first[fal_in(c)]);

    return c->track->setup.initial_known && before != NULL &&
           (before->flags & (FAL_RDMA_PARTIAL | FAL_RDMA_OTHER)) == 0 && before->sn == due &&
           fact->sn - before->sn > 1 && fact->sn - before->sn <= GAP_MAX;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    static const char *const requirements[] = {"RDMA-8.2-15", "RDMA-8.2-16"};
    struct state *state = c->state;
    const struct fal_vqp *qp;

    if (state->over || !c->track->verbs || c->bench->objects == NULL || !fal_rdma_has(p) ||
        p->prior != NULL || p->falcon->packet_type == FAL_PULL_DATA ||
        p->at.origin != FAL_ORIGIN_STEP || (p->rdma.flags & FAL_RDMA_PARTIAL) != 0 ||
        !leaves_out(c, &p->rdma))
        return;
    state->over = true;
    qp = fal_denied_qp(c, &p->rdma);
    if (qp == NULL || qp->trouble || qp->ordering == FAL_VERBS_UNORDERED ||
        p->rdma.complete_in_error ||
        (!fal_rdma_is_send(p->rdma.opcode) && fal_access_reason(c, qp, &p->rdma) != NULL))
        return;
    fal_deny(&state->denied, p, requirements[qp->ordering == FAL_VERBS_WEAK],
             "sequence numbers before that of the request were left out");
}

/* Whether a queue pair of the connection reported an error. */
static bool in_trouble(const struct fal_ctx *c)
{
    const struct fal_vqp *qp;

    for (qp = fal_objects_qp_on(c->bench->objects, c->conn); qp != NULL; qp = qp->next_on)
        if (qp->trouble)
            return true;
    return false;
}

static void told(struct fal_ctx *c, const struct fal_denied *denied, enum fal_denial what,
                 const struct fal_seen *q)
{
    if (what == FAL_DENIAL_RESYNCED)
        return;
    if (what == FAL_DENIAL_REFUSED || in_trouble(c))
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = denied->requirement,
                                       .cause = {&denied->at},
                                       .effect = &q->at,
                                       .packet = q->packet,
                                       .warn = true},
                   "an error, or no answer: %s", denied->why);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    fal_denied_out(c, &state->denied, q, told);
}

/* A request that was held until a barrier. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_params *p;
    const struct fal_paths *paths = &c->bench->paths[c->subject];

    if (event->u.mark.mark != FAL_MARK_BARRIER || c->track == NULL || state->denied.num == 0)
        return;
    p = &c->track->setup.params;
    if (!paths->round_known || !fal_path_in(c).lossless || !fal_path_out(c).lossless ||
        !fal_given(c, FAL_PARAM_AT_coalescing) || c->track->nacked || c->track->dead)
        return;
    for (unsigned i = state->denied.num; i-- > 0;) {
        const struct fal_denied *denied = FAL_BAG(&state->denied, struct fal_denied, i);

        if (c->track->barrier_ns < denied->at.t_ns + paths->in_ns + paths->out_ns +
                                       2 * p->coalescing_ns + p->turnaround_ns + p->pipeline_ns)
            continue;
        fal_holds(c);
        fal_bag_remove(&state->denied, sizeof *denied, i);
    }
}

const struct fal_rule_impl fal_rule_v22 = {
    .about = &fal_about_v22,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .on_in = FAL_ON_RDMA,
    .on_out = FAL_ON_WAITING,
    .in = in,
    .out = out,
    .mark = mark,
    .release = fal_bag_release,
};
