/* SPDX-License-Identifier: Apache-2.0
 * v19_datagrams_find_their_way.c - rule V19: a datagram leaves on the connection of its address
 * handle, and the receiver learns the queue pair to reply to. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v19 = {
    .id = "V19",
    .title = "datagrams take the connection of their address handle",
    .requirements = FAL_IDS("RDMA-6.6.3-01", "RDMA-8.3.10-04"),
    .role = "any",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a datagram on another connection than that of the address handle of its post, "
        "and by a completion of a receive request of a UD queue pair whose src_qp no datagram to "
        "it has had as source. Not judged where a request in between was not seen whole.",
};

static void explained(struct fal_ctx *c, const struct fal_explained *e)
{
    const struct fal_wqe *elsewhere;

    if (e->qp == NULL || e->qp->type != FAL_VERBS_UD || e->qp->vague || e->qp->trouble)
        return;
    if (e->wqe != NULL) {
        fal_holds(c);
        return;
    }
    elsewhere = fal_objects_elsewhere(e);
    if (elsewhere != NULL)
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.6.3-01",
                                       .cause = {&elsewhere->asked},
                                       .effect = &e->fact->at,
                                       .seen = "a datagram on this connection"},
                   "the datagram of wr_id %" PRIu64 " on the connection of its address handle",
                   elsewhere->wr_id);
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    const struct fal_vqp *qp = said->qp;
    struct fal_at at = fal_at_event(said->event);
    char seen[60];

    if (said->event->u.verbs.phase != FAL_VERBS_TOLD || said->told->kind != FAL_VERBS_WC ||
        qp == NULL || qp->type != FAL_VERBS_UD || !said->told->has_src_qp ||
        said->told->opcode < FAL_VERBS_DONE_RECV || said->told->status != FAL_VERBS_OK ||
        qp->num_sources > FAL_VQP_SOURCES)
        return;
    for (unsigned i = 0; i < qp->num_sources; i++)
        if (qp->sources[i] == said->told->src_qp) {
            fal_holds(c);
            return;
        }
    (void)snprintf(seen, sizeof seen, "src_qp=%" PRIu32, said->told->src_qp);
    fal_broken(
        c, &(struct fal_blame){.requirement = "RDMA-8.3.10-04", .effect = &at, .seen = seen},
        "the source_qp of a datagram that was sent to the queue pair");
}

const struct fal_rule_impl fal_rule_v19 = {
    .about = &fal_about_v19,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .explained = explained,
    .verbs = verbs,
};
