/* SPDX-License-Identifier: Apache-2.0
 * v6_offsets_add_up.c - rule V6: the OETH of each packet of a SEND has the number of bytes of
 * its message that lie before it. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

const struct fal_rule fal_about_v6 = {
    .id = "V6",
    .title = "message offsets of SENDs add up",
    .requirements = FAL_IDS("RDMA-8.3.3-01"),
    .role = "initiator",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by the first packet of a SEND with another offset than 0, and by a later one "
        "whose offset is not that of the packet before it in its message (by RSN, with the "
        "same RMSN) plus the data of that packet. Not judged where a request in between was "
        "not seen whole. The rule judges connections whose payload is the subject's own.",
};

static bool same_message(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    return fal_rdma_is_send(fact->opcode) && fact->rmsn == of->rmsn;
}

static bool begins(const struct fal_rdma_fact *fact)
{
    return fal_rdma_place(fact->opcode) == FAL_RDMA_FIRST ||
           fal_rdma_place(fact->opcode) == FAL_RDMA_ONLY;
}

static void follows(struct fal_ctx *c, const struct fal_seen *q,
                    const struct fal_rdma_fact *low, const struct fal_rdma_fact *high,
                    bool at_low)
{
    if (low->offset + low->data_len == high->offset)
        fal_holds(c);
    else
        fal_broken(
            c,
            &(struct fal_blame){.requirement = "RDMA-8.3.3-01",
                                .cause = {at_low ? &high->at : &low->at},
                                .effect = &q->at,
                                .packet = q->packet},
            "message_offset=%u, the bytes of the message before it",
            (unsigned)(at_low ? high->offset - low->data_len : low->offset + low->data_len));
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_rdma_fact *fact = fal_rdma_first(c, q), *beside;

    if (fact == NULL || !fal_rdma_is_send(fact->opcode) ||
        fal_rdma_class(fact->opcode) == FAL_RDMA_CLASS_NONE)
        return;
    if (begins(fact) && fact->offset == 0) {
        fal_holds(c);
    } else if (begins(fact)) {
        fal_broken(c,
                   &(struct fal_blame){
                       .requirement = "RDMA-8.3.3-01", .effect = &q->at, .packet = q->packet},
                   "message_offset=0 in the first packet of a SEND");
    } else if (fal_rdma_find(c, q->rsn, false, same_message, fact, &beside) ==
               FAL_WALKED_FOUND) {
        follows(c, q, beside, fact, false);
    }
    if ((fact->flags & FAL_RDMA_PARTIAL) == 0 &&
        fal_rdma_find(c, q->rsn, true, same_message, fact, &beside) == FAL_WALKED_FOUND &&
        !begins(beside))
        follows(c, q, fact, beside, true);
}

const struct fal_rule_impl fal_rule_v6 = {
    .about = &fal_about_v6,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_RDMA,
};
