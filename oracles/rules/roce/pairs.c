/* SPDX-License-Identifier: Apache-2.0
 * pairs.c - which two flows belong to one connection. A RoCE header names the queue pair of the
 * receiver only, so that the other direction is given, or learned: an acknowledgement has a
 * number of the packets that it acknowledges. A flow is learned when several acknowledgements
 * with different numbers fit one flow of the other direction, and no other. */
#include "oracles/rules/roce/state.h"

enum {
    ENOUGH = 4,   /* acknowledgements that fit */
    NEAR = 4096,  /* packets that may be on their way */
    TRIES = 4096, /* Connections with the same numbers are never told apart. */
    FLOWS = 1024, /* between two hosts; with more of them nothing is learned */
};

static void pair(struct fal_roce_judge *j, uint32_t a, uint32_t b, enum fal_roce_pairing how)
{
    j->flows[a].twin = b;
    j->flows[b].twin = a;
    j->flows[a].pairing = j->flows[b].pairing = how;
    j->counts.paired += 2;
    fal_rj_gb_paired(j, a, b);
    fal_rj_gb_paired(j, b, a);
    fal_rj_np_paired(j, a, b);
    fal_rj_np_paired(j, b, a);
}

void fal_rj_pair_given(struct fal_roce_judge *j, uint32_t flow)
{
    const struct fal_roce_path *path = &j->paths[j->flows[flow].path];

    for (size_t i = 0; i < j->setup.num_pairs; i++) {
        const struct fal_rj_pair *p = &j->setup.pairs[i];

        for (unsigned to = 0; to < 2; to++) {
            uint32_t twin;

            if (p->qp[to] != j->flows[flow].qp || !fal_rj_same_host(&p->host[to], &path->dst) ||
                !fal_rj_same_host(&p->host[!to], &path->src))
                continue;
            twin = fal_rj_flow_find(j, &path->dst, &path->src, p->qp[!to]);
            if (twin != FAL_ROCE_NO_FLOW && twin != flow &&
                j->flows[twin].twin == FAL_ROCE_NO_FLOW &&
                j->flows[flow].twin == FAL_ROCE_NO_FLOW)
                pair(j, flow, twin, FAL_ROCE_GIVEN);
        }
    }
}

bool fal_rj_given_peer(const struct fal_roce_judge *j, uint32_t flow, uint32_t *qp)
{
    const struct fal_rj_host *at = &j->paths[j->flows[flow].path].dst;

    for (size_t i = 0; i < j->setup.num_pairs; i++)
        for (unsigned to = 0; to < 2; to++)
            if (j->setup.pairs[i].qp[to] == j->flows[flow].qp &&
                fal_rj_same_host(&j->setup.pairs[i].host[to], at)) {
                *qp = j->setup.pairs[i].qp[!to];
                return true;
            }
    return false;
}

/* Nothing is learned about a queue pair that the setup names. */
static bool is_given(const struct fal_roce_judge *j, uint32_t flow)
{
    uint32_t qp;

    return fal_rj_given_peer(j, flow, &qp);
}

static bool fits(const struct fal_roce_judge *j, uint32_t flow, uint32_t psn)
{
    const struct fal_roce_flow *f = &j->flows[flow];
    int32_t behind;

    if (f->sends == NULL || f->twin != FAL_ROCE_NO_FLOW || is_given(j, flow))
        return false;
    behind = fal_rj_psn_diff(f->sends->high, psn);
    return behind >= 0 && behind < NEAR;
}

/* The only flow of the other direction that sent the number; NO_FLOW without one or with
 * several.
 */
static uint32_t only_candidate(const struct fal_roce_judge *j, uint32_t flow, uint32_t psn)
{
    uint32_t back = j->paths[j->flows[flow].path].back, only = FAL_ROCE_NO_FLOW;

    if (back == FAL_ROCE_NO_FLOW || j->paths[back].num_flows > FLOWS)
        return FAL_ROCE_NO_FLOW;
    for (uint32_t i = j->paths[back].flows; i != FAL_ROCE_NO_FLOW; i = j->flows[i].next) {
        if (i == flow || !fits(j, i, psn))
            continue;
        if (only != FAL_ROCE_NO_FLOW)
            return FAL_ROCE_NO_FLOW;
        only = i;
    }
    return only;
}

void fal_rj_learn(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_flow *f = &j->flows[flow];
    uint32_t candidate;

    if (f->twin != FAL_ROCE_NO_FLOW || f->tries >= TRIES || is_given(j, flow))
        return;
    f->tries++;
    if (f->candidate != FAL_ROCE_NO_FLOW && f->matched_psn == seen->psn)
        return;
    candidate = only_candidate(j, flow, seen->psn);
    if (candidate == FAL_ROCE_NO_FLOW || candidate != f->candidate) {
        f->candidate = candidate;
        f->matches = 0;
    }
    if (candidate == FAL_ROCE_NO_FLOW)
        return;
    f->matched_psn = seen->psn;
    if (++f->matches == ENOUGH)
        pair(j, flow, candidate, FAL_ROCE_LEARNED);
}
