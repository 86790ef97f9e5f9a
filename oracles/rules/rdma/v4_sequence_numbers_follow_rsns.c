/* SPDX-License-Identifier: Apache-2.0
 * v4_sequence_numbers_follow_rsns.c - rule V4: the sequence numbers of RDMA requests begin at 1
 * and grow in the order of the requests, which is that of their RSNs. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

const struct fal_rule fal_about_v4 = {
    .id = "V4",
    .title = "the sequence numbers of RDMA requests begin at 1 and grow",
    .requirements = FAL_IDS("RDMA-8.2-12", "RDMA-8.2-13"),
    .role = "initiator",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a request whose sequence number is not above that of a request with a "
        "lower RSN, or not below that of one with a higher RSN, and by a first request of the "
        "connection whose number is not 1. A step of more than 1 for each RSN gives a warning "
        "(AMB-R06). UD requests may count for each source queue pair instead, on all its "
        "connections, with a warning. "
        "The rule judges connections whose payload is the subject's own: in captures, and "
        "where there is no control channel.",
};

static bool any(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    (void)fact;
    (void)of;
    return true;
}

static bool same_source(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    return fact->source_qp == of->source_qp;
}

static bool grows(const struct fal_rdma_fact *low, const struct fal_rdma_fact *high)
{
    return (int32_t)(high->sn - low->sn) > 0;
}

/* The request beside this one with the same source queue pair, where those of UD count for
 * themselves; `next`: the one beside it of any. */
static bool grows_by_source(const struct fal_ctx *c, const struct fal_seen *q,
                            const struct fal_rdma_fact *fact, const struct fal_rdma_fact *next)
{
    bool up = next->rsn > fact->rsn;
    const struct fal_rdma_fact *beside = fal_rdma_nearest(c, q->rsn, up, same_source, fact);

    if (fact->opcode >> 5 != FAL_RDMA_UD && next->opcode >> 5 != FAL_RDMA_UD)
        return false;
    return beside == NULL || grows(up ? fact : beside, up ? beside : fact);
}

static void compare(struct fal_ctx *c, const struct fal_seen *q,
                    const struct fal_rdma_fact *fact, bool up)
{
    const struct fal_rdma_fact *beside = fal_rdma_nearest(c, q->rsn, up, any, NULL);
    const struct fal_rdma_fact *low = up ? fact : beside, *high = up ? beside : fact;
    struct fal_blame blame = {
        .requirement = "RDMA-8.2-12", .effect = &q->at, .packet = q->packet};

    uint32_t apart;

    if (beside == NULL)
        return;
    apart = (uint32_t)(high->rsn - low->rsn);
    blame.cause[0] = &beside->at;
    if (!grows(low, high) && !grows_by_source(c, q, fact, beside)) {
        fal_broken(c, &blame, "a sequence number %s %u, that of the request %u RSNs %s",
                   up ? "below" : "above", (unsigned)beside->sn, (unsigned)apart,
                   up ? "later" : "before");
    } else if (high->sn - low->sn != apart) {
        blame.warn = true;
        fal_broken(c, &blame, "sequence number %u: one more for each request (AMB-R06)",
                   (unsigned)(up ? beside->sn - apart : beside->sn + apart));
    } else {
        fal_holds(c);
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_rdma_fact *fact = fal_rdma_first(c, q);

    if (fact == NULL)
        return;
    if (c->track->setup.initial_known && q->rsn == c->track->rsn_first[fal_out(c)]) {
        if (fact->sn == 1)
            fal_holds(c);
        else
            fal_broken(
                c,
                &(struct fal_blame){.requirement = "RDMA-8.2-13",
                                    .effect = &q->at,
                                    .packet = q->packet,
                                    .warn = fact->opcode >> 5 == FAL_RDMA_UD && fact->sn > 1},
                "sequence number 1 in the first request of the connection");
    }
    compare(c, q, fact, false);
    compare(c, q, fact, true);
}

const struct fal_rule_impl fal_rule_v4 = {
    .about = &fal_about_v4,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_RDMA,
};
