/* SPDX-License-Identifier: Apache-2.0
 * notify.c - the notification point: CE marks in, CNPs out, paced by N. */
#include "oracles/roce/state.h"

enum { CNP_DSCP = 48, LATE = 10, CNPS_DUE_MAX = 1000 };

enum { OWN = -1 };

/* Where the pace of this queue pair's CNPs is kept: an index of the shared ones, or OWN. */
static int pace_index(const struct fal_roce_end *end, const struct fal_roce_qp *qp)
{
    int i = 0;

    if (fal_roce_end_does(end, FAL_ROCE_VARIANT_NP_PER_PORT))
        return 0;
    if (!fal_roce_end_does(end, FAL_ROCE_VARIANT_NP_PER_IP))
        return OWN;
    while (end->qps[i]->setup.remote_address != qp->setup.remote_address)
        i++;
    return i;
}

static struct fal_dcqcn_np *pace_of(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    int i = pace_index(end, qp);

    return i == OWN ? &qp->np : &end->np_shared[i];
}

/* Whether the packet asks for a CNP. */
static bool is_marked(const struct fal_roce_end *end, const struct fal_roce_packet *packet,
                      unsigned ecn)
{
    if (packet->bth.opcode == FAL_ROCE_OP_rc_ack)
        return fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_FOR_ACKS);
    return ecn == FAL_ECN_CE ||
           (ecn == FAL_ECN_ECT0 && fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_FOR_ECT));
}

static void cnp_leaves(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    uint64_t at_ns = end->now_ns + end->setup.answer_ns;

    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_LATE))
        at_ns += LATE * end->setup.dcqcn.cnp_interval_ns;
    if (qp->cnp_ns == UINT64_MAX)
        qp->cnp_ns = at_ns;
    if (qp->cnps_due < CNPS_DUE_MAX)
        qp->cnps_due++;
}

void fal_roce_np_take(struct fal_roce_end *end, struct fal_roce_qp *qp,
                      const struct fal_roce_packet *packet, unsigned ecn)
{
    struct fal_dcqcn_np *pace = pace_of(end, qp);

    if (!end->setup.rcm || fal_roce_end_does(end, FAL_ROCE_VARIANT_NO_RCM) ||
        fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_NEVER) || !is_marked(end, packet, ecn))
        return;
    if (fal_dcqcn_np_marked(pace, &end->setup.dcqcn, end->now_ns) ||
        fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_PER_MARK))
        cnp_leaves(end, qp);
    else
        qp->np.remembered = true; /* this queue pair's turn, where the pace is shared */
}

static void send_cnp(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    struct fal_roce_out out = {.ecn = FAL_ECN_ECT1, .dscp = CNP_DSCP};

    fal_roce_init(&out.packet, FAL_ROCE_OP_cnp);
    out.packet.bth.becn = !fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_WITHOUT_BECN);
    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_NOT_ZERO))
        out.packet.cnp.reserved_0 = 1;
    out.spoil_icrc = fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_BAD_ICRC);
    qp->state.cnps_sent++;
    fal_roce_emit(end, qp, &out);
}

void fal_roce_np_due(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    struct fal_dcqcn_np *pace = pace_of(end, qp);

    if (qp->np.remembered && fal_dcqcn_np_due(pace, &end->setup.dcqcn, end->now_ns)) {
        qp->np.remembered = false;
        cnp_leaves(end, qp);
    }
    if (qp->cnp_ns > end->now_ns)
        return;
    qp->cnp_ns = UINT64_MAX;
    for (; qp->cnps_due > 0; qp->cnps_due--)
        send_cnp(end, qp);
}

uint64_t fal_roce_np_next_ns(const struct fal_roce_end *end, const struct fal_roce_qp *qp)
{
    int i = pace_index(end, qp);
    const struct fal_dcqcn_np *pace = i == OWN ? &qp->np : &end->np_shared[i];
    uint64_t next_ns = qp->np.remembered ? fal_dcqcn_np_next_ns(pace) : UINT64_MAX;

    return next_ns < qp->cnp_ns ? next_ns : qp->cnp_ns;
}
