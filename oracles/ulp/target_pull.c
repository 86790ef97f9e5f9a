/* SPDX-License-Identifier: Apache-2.0
 * target_pull.c - Reads and atomic operations at their target. */
#include "oracles/ulp/link.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/target.h"

/* An answer, with its headers filled in and room for data behind them. */
struct answer {
    struct fal_ulp ulp;
    uint32_t len;
    uint8_t bytes[FAL_VB_PACKET_MAX];
};

static void begin(const struct fal_verbs_engine *engine, const struct fal_vb_request *request,
                  unsigned opcode, struct answer *answer)
{
    const struct fal_rdma *asked = &request->ulp.rdma;
    struct fal_rdma *rdma = &answer->ulp.rdma;

    memset(&answer->ulp, 0, sizeof answer->ulp);
    answer->ulp.state = FAL_ULP_READ;
    answer->ulp.protocol = FAL_PROTOCOL_RDMA;
    rdma->rbth = (struct fal_rbth){.version = 1,
                                   .opcode = (uint8_t)(request->service << 5 | opcode),
                                   .dest_qp = request->qp->dest_qpn,
                                   .sequence_number = asked->rbth.sequence_number};
    rdma->steth = asked->steth; /* RDMA 8.3.4-03 */
    fal_vb_seam(engine, fal_vb_at_answer(engine, request, rdma));
}

static void encode(struct answer *answer)
{
    int n = fal_ulp_encode(&answer->ulp, answer->bytes, sizeof answer->bytes, NULL);

    answer->len = n > 0 ? (uint32_t)n : 0;
}

static void give(struct fal_verbs_engine *engine, const struct fal_vb_request *request,
                 struct answer *answer)
{
    fal_vb_seam(engine, fal_vb_at_answer_bytes(engine, request, answer->bytes, &answer->len));
    fal_vb_answer_data(engine, request->link, request->qp->self, request->rsn, answer->bytes,
                       answer->len);
}

/* The opcode of an answer. The target does not know which part of a Read a pull is (AMB-R07).
 */
static unsigned opcode_of(const struct fal_vb_request *request)
{
    return request->ulp.rdma.rbth.opcode == FAL_VB_OP_read_request
               ? FAL_VB_OP_read_response_only
               : FAL_VB_OP_atomic_response;
}

void fal_vb_refuse_pull(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    struct answer answer;

    begin(engine, request, opcode_of(request), &answer);
    answer.ulp.rdma.rbth.complete_in_error = 1;
    encode(&answer);
    if (answer.len <= request->asked &&
        fal_vb_either(engine, true, fal_vb_at_pull_headers(engine)))
        give(engine, request, &answer);
    else /* there is no room for headers */
        fal_vb_answer(engine, request->link, request->rsn,
                      (struct fal_endpoint_in){.answer = FAL_ANSWER_CIE});
}

/* No room in the queue of the responder: the pull is delivered again after a while (Falcon
 * 8.5.3.4). */
static bool queue_full(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    if (request->qp->responses < request->qp->rd_atomic)
        return false;
    fal_vb_answer(
        engine, request->link, request->rsn,
        (struct fal_endpoint_in){.answer = FAL_ANSWER_RNR, .rnr_ns = request->qp->rnr_ns});
    return true;
}

bool fal_vb_take_read(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    const struct fal_reth *reth = &request->ulp.rdma.reth;
    const struct fal_vb_touch touch = {.rkey = reth->r_key,
                                       .va = reth->virtual_address,
                                       .length = reth->length,
                                       .pd = request->qp->pd,
                                       .access = FAL_VERBS_REMOTE_READ};
    uint32_t pad = -reth->length & 3u;
    const uint8_t *from;
    struct answer answer;

    if (queue_full(engine, request))
        return false;
    if (reth->length > FAL_VB_MTU_MAX ||
        FAL_VB_PULL_OVERHEAD + reth->length + pad > request->asked) {
        fal_vb_refuse(engine, request, FAL_VERBS_REM_INV_REQ);
        return true;
    }
    from = fal_vb_remote(engine, &touch);
    if (from == NULL && reth->length > 0) {
        fal_vb_refuse(engine, request, FAL_VERBS_REM_ACCESS);
        return true;
    }
    begin(engine, request, opcode_of(request), &answer);
    answer.ulp.rdma.rbth.pad = (uint8_t)pad;
    encode(&answer);
    if (reth->length > 0)
        memcpy(answer.bytes + answer.len, from, reth->length);
    memset(answer.bytes + answer.len + reth->length, 0, pad);
    answer.len += reth->length + pad;
    give(engine, request, &answer);
    return true;
}

bool fal_vb_take_atomic(struct fal_verbs_engine *engine, const struct fal_vb_request *request)
{
    const struct fal_rdma *rdma = &request->ulp.rdma;
    const struct fal_atomiceth *operands = &rdma->atomiceth;
    const struct fal_vb_touch touch = {.rkey = operands->r_key,
                                       .va = operands->virtual_address,
                                       .length = 8,
                                       .pd = request->qp->pd,
                                       .access = FAL_VERBS_REMOTE_ATOMIC};
    struct answer answer;
    uint64_t original, new;
    bool equal;
    uint8_t *word;

    if (queue_full(engine, request))
        return false;
    if (operands->virtual_address % 8 != 0 || request->asked < FAL_VB_ATOMIC_RESPONSE) {
        fal_vb_refuse(engine, request, FAL_VERBS_REM_INV_REQ);
        return true;
    }
    word = fal_vb_remote(engine, &touch);
    if (word == NULL) {
        fal_vb_refuse(engine, request, FAL_VERBS_REM_ACCESS);
        return true;
    }
    original = fal_vb_word_read(word);
    equal = original == operands->compare;
    if (rdma->rbth.opcode == FAL_VB_OP_atomic_fetch_add)
        new = original + operands->swap_or_add;
    else if (fal_vb_either(engine, equal, fal_vb_at_swap(engine, equal)))
        new = operands->swap_or_add;
    else
        new = original;
    fal_vb_word_write(word, new);
    if (rdma->rbth.opcode == FAL_VB_OP_atomic_fetch_add)
        fal_vb_seam(engine, fal_vb_at_added(engine, &touch, operands->swap_or_add));
    begin(engine, request, opcode_of(request), &answer);
    answer.ulp.rdma.atomicacketh.original_data =
        fal_vb_either(engine, original, fal_vb_at_original(engine, original, new));
    encode(&answer);
    give(engine, request, &answer);
    return true;
}
