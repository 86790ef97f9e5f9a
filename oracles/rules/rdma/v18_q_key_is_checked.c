/* SPDX-License-Identifier: Apache-2.0
 * v18_q_key_is_checked.c - rule V18: a datagram whose Q_Key is not that of the queue pair is
 * not delivered. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v18 = {
    .id = "V18",
    .title = "datagrams with another Q_Key are not delivered",
    .requirements = FAL_IDS("RDMA-8.3.10-02"),
    .role = "target",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated when receive requests of a UD queue pair have completed without error more often "
        "than datagrams with its Q_Key were sent to it, while others with another Q_Key were. "
        "How the transaction of such a datagram ends is free (AMB-R21).",
};

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    const struct fal_vqp *qp = said->qp;
    struct fal_at at = fal_at_event(said->event);
    char seen[80];

    if (said->event->u.verbs.phase != FAL_VERBS_TOLD || said->told->kind != FAL_VERBS_WC ||
        qp == NULL || qp->type != FAL_VERBS_UD || !qp->has_qkey || qp->bad_datagrams == 0 ||
        said->told->opcode < FAL_VERBS_DONE_RECV || said->told->status != FAL_VERBS_OK)
        return;
    if (qp->received + 1 <= qp->good_datagrams) {
        fal_holds(c);
        return;
    }
    (void)snprintf(seen, sizeof seen, "%" PRIu64 " completions without error",
                   qp->received + 1);
    fal_broken(c,
               &(struct fal_blame){.requirement = "RDMA-8.3.10-02",
                                   .cause = {&qp->bad_datagram},
                                   .effect = &at,
                                   .seen = seen},
               "at most %" PRIu64 ", as many as datagrams with the right Q_Key",
               qp->good_datagrams);
}

const struct fal_rule_impl fal_rule_v18 = {
    .about = &fal_about_v18,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .verbs = verbs,
};
