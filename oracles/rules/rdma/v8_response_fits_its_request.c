/* SPDX-License-Identifier: Apache-2.0
 * v8_response_fits_its_request.c - rule V8: the answer to a READ or an atomic operation is of
 * that kind, has the sequence number and the STETH of its request, and as many bytes as the
 * request asked for. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

const struct fal_rule fal_about_v8 = {
    .id = "V8",
    .title = "the answer to an RDMA request is of its kind, and returns its numbers",
    .requirements = FAL_IDS("RDMA-6.7-13", "RDMA-8-01", "RDMA-8.2-14", "RDMA-8.3.4-03"),
    .role = "target",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a pull_data with RDMA headers whose operation is not an answer to that of "
        "the request, whose sequence number or STETH is not that of the request, or whose "
        "data are not as long as the request asked for, unless it tells of an error (CE). "
        "A READ that is answered without data and without CE gives a warning (AMB-R17). "
        "Which of the four READ responses it is does not matter (AMB-R07). An answer without "
        "RDMA headers tells of an error (AMB-R23), and is not judged. The rule judges "
        "connections whose payload is the subject's own.",
};

/* The operations of an opcode, below its service (RDMA 8.1.3). */
enum {
    SMALLEST_MTU = 256, /* of a path, in bytes */
    READ_REQUEST = 12,
    READ_RESPONSE_FIRST = 13,
    READ_RESPONSE_ONLY = 16,
    ATOMIC_RESPONSE = 18,
    OPERATION = 31,
    SERVICE_SHIFT = 5,
};

static bool is_read(const struct fal_rdma_fact *request)
{
    return (request->opcode & OPERATION) == READ_REQUEST;
}

static void differs(struct fal_ctx *c, const struct fal_seen *q,
                    const struct fal_rdma_fact *request, const char *requirement,
                    const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {&request->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%s", expected);
}

/* Whether the operation answers the request. */
static bool answers(const struct fal_rdma_fact *request, unsigned opcode)
{
    unsigned operation = opcode & OPERATION;

    if (opcode >> SERVICE_SHIFT != (unsigned)request->opcode >> SERVICE_SHIFT)
        return false;
    return is_read(request)
               ? operation >= READ_RESPONSE_FIRST && operation <= READ_RESPONSE_ONLY
               : operation == ATOMIC_RESPONSE;
}

/* Whether the request asks for a part of a READ, of less than a path MTU: one beside it by RSN
 * goes on where it ends, or ends where it begins. Such parts are allowed (RDMA 6.7). */
static bool is_short_part(const struct fal_ctx *c, const struct fal_rdma_fact *request)
{
    const struct fal_vqp *qp =
        c->bench->objects != NULL
            ? fal_objects_qp_by_number(c->bench->objects, request->dest_qp)
            : NULL;
    uint32_t mtu = qp != NULL && qp->path_mtu != 0 ? qp->path_mtu : SMALLEST_MTU;

    if (!is_read(request) || request->length >= mtu)
        return false;
    for (int step = -1; step <= 1; step += 2) {
        const struct fal_rdma_fact *beside =
            fal_rdma_request(c->track, fal_in(c), request->rsn + step);

        if (beside == NULL || (beside->flags & (FAL_RDMA_OTHER | FAL_RDMA_PARTIAL)) != 0 ||
            !is_read(beside) || beside->dest_qp != request->dest_qp)
            continue;
        if (step > 0 ? beside->va == request->va + request->length
                     : beside->va + beside->length == request->va)
            return true;
    }
    return false;
}

/* Fewer or more bytes than asked for. No data at all may be how a target that is compatible
 * with Verbs tells of an error (AMB-R17). */
static void other_length(struct fal_ctx *c, const struct fal_seen *q,
                         const struct fal_rdma_fact *request)
{
    fal_broken(c,
               &(struct fal_blame){.requirement =
                                       is_short_part(c, request) ? "RDMA-6.7-13" : "RDMA-8-01",
                                   .cause = {&request->at},
                                   .effect = &q->at,
                                   .packet = q->packet,
                                   .warn = is_read(request) && q->rdma.data_len == 0},
               "as many bytes as the request asked for, or CE");
}

static void compare(struct fal_ctx *c, const struct fal_seen *q,
                    const struct fal_rdma_fact *request, const struct fal_rdma_fact *answer)
{
    uint32_t due = is_read(request) ? request->length : 0;

    if (!answers(request, answer->opcode))
        differs(c, q, request, "RDMA-8-01", "the response of the requested operation");
    else if (answer->sn != request->sn)
        differs(c, q, request, "RDMA-8.2-14", "the sequence number of the request");
    else if (answer->sink_va != request->sink_va || answer->l_key != request->l_key)
        differs(c, q, request, "RDMA-8.3.4-03", "the STETH of the request");
    else if ((answer->flags & FAL_RDMA_PARTIAL) != 0)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (answer->data_len != due && !answer->complete_in_error)
        other_length(c, q, request);
    else
        fal_holds(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_rdma_fact *request;

    if (!fal_rdma_has(q) || q->prior != NULL || q->falcon->packet_type != FAL_PULL_DATA ||
        !fal_rdma_own(c, q->packet))
        return;
    request = fal_rdma_request(c->track, fal_in(c), q->rsn);
    if (request == NULL || (request->flags & (FAL_RDMA_OTHER | FAL_RDMA_PARTIAL)) != 0 ||
        fal_rdma_class(request->opcode) != FAL_RDMA_CLASS_PULL)
        return;
    compare(c, q, request, &q->rdma);
}

const struct fal_rule_impl fal_rule_v8 = {
    .about = &fal_about_v8,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_RDMA,
};
