/* SPDX-License-Identifier: Apache-2.0
 * v26_nothing_else_on_the_wire.c - rule V26: RDMA over Falcon has no ICRC, no acknowledgements
 * and no congestion notifications of its own, because Falcon does their work. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

const struct fal_rule fal_about_v26 = {
    .id = "V26",
    .title = "RDMA adds no ICRC, acknowledgement or congestion notification",
    .requirements = FAL_IDS("RDMA-6.8-06", "RDMA-6.8-07", "RDMA-8-02"),
    .role = "any",
    .needs = "wire",
    .assumes = "",
    .doc =
        "Violated by 4 bytes more than the headers, the data and their padding: the place of an "
        "ICRC. The length of the data is known of a WRITE in one packet (RETH), of a request to "
        "read, and of the answer to a request that was seen. Also violated by a packet with the "
        "operation of InfiniBand's acknowledgement (0x11) or of RoCE's congestion notification "
        "(0x81). Not judged where the payload was captured short. The rule judges connections "
        "whose payload is the subject's own.",
};

/* Operations below the service, and RoCE's opcode for congestion (RDMA 8.1.3; InfiniBand). */
enum {
    WRITE_ONLY = 10,
    WRITE_ONLY_IMM = 11,
    READ_REQUEST = 12,
    READ_RESPONSE_FIRST = 13,
    READ_RESPONSE_ONLY = 16,
    ACKNOWLEDGE = 17,
    ATOMIC_RESPONSE = 18,
    OPERATION = 31,
    CONGESTION = 0x81,
    ICRC = 4, /* bytes */
};

static void reserved(struct fal_ctx *c, const struct fal_seen *q)
{
    unsigned opcode = c->ulp->rdma.rbth.opcode, service = opcode >> 5;
    struct fal_blame blame = {.effect = &q->at, .packet = q->packet};

    if (opcode == CONGESTION) {
        blame.requirement = "RDMA-6.8-07";
        fal_broken(c, &blame, "no congestion notification of RoCE: Falcon controls congestion");
    } else if ((opcode & OPERATION) == ACKNOWLEDGE &&
               (service == FAL_RDMA_RC || service == FAL_RDMA_XRC)) {
        blame.requirement = "RDMA-8-02";
        fal_broken(c, &blame, "no acknowledgement of RDMA: the ACK of Falcon completes a push");
    }
}

/* The length that the data of a packet have, or -1. *cause: what says so, beside the packet. */
static int64_t due(const struct fal_ctx *c, const struct fal_seen *q,
                   const struct fal_at **cause)
{
    unsigned operation = q->rdma.opcode & OPERATION;
    const struct fal_rdma_fact *request;

    if (q->rdma.opcode >> 5 == FAL_RDMA_UD)
        return -1;
    if (operation == WRITE_ONLY || operation == WRITE_ONLY_IMM)
        return q->rdma.length;
    if (fal_rdma_class(q->rdma.opcode) == FAL_RDMA_CLASS_PULL || operation == ATOMIC_RESPONSE)
        return 0;
    if (operation < READ_RESPONSE_FIRST || operation > READ_RESPONSE_ONLY ||
        q->rdma.complete_in_error)
        return -1;
    request = fal_rdma_request(c->track, q->space, q->rsn);
    if (request == NULL || (request->flags & (FAL_RDMA_OTHER | FAL_RDMA_PARTIAL)) != 0 ||
        (request->opcode & OPERATION) != READ_REQUEST)
        return -1;
    *cause = &request->at;
    return request->length;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_at *cause = NULL;
    int64_t length;

    if (c->ulp == NULL || !q->reliable || q->prior != NULL || !fal_rdma_own(c, q->packet))
        return;
    if (c->ulp->state == FAL_ULP_RESERVED)
        reserved(c, q);
    if (!fal_rdma_has(q) || (length = due(c, q, &cause)) < 0)
        return;
    if ((q->rdma.flags & FAL_RDMA_PARTIAL) != 0)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (q->rdma.data_len == length + ICRC)
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.8-06",
                                       .cause = {cause},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "%u bytes of data and no ICRC behind them", (unsigned)length);
    else
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_v26 = {
    .about = &fal_about_v26,
    .power = 1,
    .out = out,
    .on_out = FAL_ON_RDMA,
};
