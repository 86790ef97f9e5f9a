/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/complete.h"

#include "oracles/ulp/events.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/qp.h"
#include "oracles/ulp/send.h"

#include <assert.h>
#include <stdlib.h>

/* ---- completions of requests ---- */

static const uint8_t done_as[FAL_VERBS_OPS] = {
    [FAL_VERBS_SEND] = FAL_VERBS_DONE_SEND,       [FAL_VERBS_SEND_IMM] = FAL_VERBS_DONE_SEND,
    [FAL_VERBS_SEND_INV] = FAL_VERBS_DONE_SEND,   [FAL_VERBS_WRITE] = FAL_VERBS_DONE_WRITE,
    [FAL_VERBS_WRITE_IMM] = FAL_VERBS_DONE_WRITE, [FAL_VERBS_READ] = FAL_VERBS_DONE_READ,
    [FAL_VERBS_CAS] = FAL_VERBS_DONE_CAS,         [FAL_VERBS_FAA] = FAL_VERBS_DONE_FAA,
};

/* Reports a request and frees it. One that is not signaled is reported when it fails. */
static void end(struct fal_verbs_engine *engine, struct fal_vb_qp *qp, struct fal_vb_send *wqe)
{
    struct fal_vb_event wc = {.kind = FAL_VERBS_WC,
                              .cq = qp->send_cq,
                              .qp = qp->self,
                              .wr_id = wqe->wr_id,
                              .status = wqe->status,
                              .opcode = done_as[wqe->op],
                              .byte_len = wqe->length};

    (void)fal_vb_ring_clear(&qp->sq, wqe->number);
    fal_vb_ring_trim(&qp->sq, qp->sq.tail);
    if (qp->next < qp->sq.head)
        qp->next = qp->sq.head;
    if ((wqe->status != 0 || (wqe->flags & FAL_VERBS_SIGNALED) != 0) &&
        fal_vb_either(engine, true, fal_vb_at_wc(engine, &wc)))
        fal_vb_complete(engine, &wc, false);
    free(wqe);
}

/* Whether an error ends the queue pair (RDMA 6.3). */
static bool fatal(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp)
{
    bool verbs = qp->errors == FAL_VERBS_ERRORS_VERBS;

    return fal_vb_either(engine, verbs, fal_vb_at_fatal(engine, qp, verbs));
}

/* Completes what may complete: in the order of posts, but for unordered queue pairs (RDMA 6.2).
 * In the mode of verbs an error ends the queue pair. */
static void retire(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                   struct fal_vb_send *wqe)
{
    bool ordered = qp->ordering != FAL_VERBS_UNORDERED;

    if (wqe->done && !fal_vb_either(engine, ordered, fal_vb_at_order(engine, qp, ordered))) {
        bool dies = wqe->status != 0 && fatal(engine, qp);

        end(engine, qp, wqe);
        if (dies)
            fal_vb_qp_fail(engine, qp, NULL);
        return;
    }
    while ((wqe = fal_vb_ring_get(&qp->sq, qp->sq.head)) != NULL && wqe->done) {
        bool dies = wqe->status != 0 && fatal(engine, qp);

        end(engine, qp, wqe);
        if (dies)
            fal_vb_qp_fail(engine, qp, NULL);
    }
}

void fal_vb_send_failed(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                        struct fal_vb_send *wqe, unsigned status)
{
    wqe->status = (uint16_t)fal_vb_either(engine, status, fal_vb_at_failed(engine, qp, status));
    wqe->all_sent = wqe->done = true;
    if (qp->errors == FAL_VERBS_ERRORS_VERBS && wqe->number < qp->halted)
        qp->halted = wqe->number;
    retire(engine, qp, wqe);
}

static void segment_done(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                         struct fal_vb_send *wqe, unsigned status)
{
    bool all;

    wqe->completed++;
    if (status != 0 && wqe->status == 0) {
        fal_vb_send_failed(engine, qp, wqe, status);
        return;
    }
    all = wqe->all_sent && wqe->completed == wqe->segments;
    if (!fal_vb_either(engine, all, fal_vb_at_segment_done(engine, wqe, all)))
        return;
    wqe->done = true;
    retire(engine, qp, wqe);
}

/* Gives back what a transaction held; its request, or NULL when that has ended. */
static struct fal_vb_send *request_of(struct fal_verbs_engine *engine,
                                      const struct fal_vb_open *open, struct fal_vb_qp **qp)
{
    *qp = fal_vb_qp_get(engine, open->qp);
    assert(*qp != NULL);
    if (open->pull)
        (*qp)->pulls--;
    return fal_vb_ring_get(&(*qp)->sq, open->wqe);
}

void fal_vb_open_failed(struct fal_verbs_engine *engine, const struct fal_vb_open *open,
                        unsigned status)
{
    struct fal_vb_qp *qp;
    struct fal_vb_send *wqe = request_of(engine, open, &qp);

    if (wqe != NULL && !wqe->done)
        segment_done(engine, qp, wqe, status);
}

void fal_vb_sq_flush(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    while (qp->sq.head < qp->sq.tail) {
        struct fal_vb_send *wqe = fal_vb_ring_get(&qp->sq, qp->sq.head);

        wqe->status = FAL_VERBS_FLUSH;
        end(engine, qp, wqe);
    }
}

/* ---- answers of pulls ---- */

/* Writes the data of an answer to the sink that the pull had. */
static unsigned place(const struct fal_verbs_engine *engine, const struct fal_vb_open *open,
                      const uint8_t *data)
{
    const struct fal_vb_mr *mr = fal_vb_mr_get(engine, open->sink_mr);
    uint8_t *to;

    if (open->length == 0)
        return 0;
    to = fal_vb_bytes(mr, open->sink_offset, open->length);
    if (to == NULL || (mr->access & FAL_VERBS_LOCAL_WRITE) == 0)
        return FAL_VERBS_LOC_PROT;
    memcpy(to, data, open->length);
    return 0;
}

/* Whether it answers this pull: its queue pair, its kind and its sink are those of the request
 * (RDMA 6.9-04, 8.3.4-03). The sequence number decides nothing here. */
static bool answers(const struct fal_verbs_engine *engine, const struct fal_vb_open *open,
                    const struct fal_ulp *ulp)
{
    unsigned op = ulp->rdma.rbth.opcode & FAL_VB_OPERATION; /* of RC or XRC (AMB-R04) */
    bool named = ulp->rdma.rbth.dest_qp == fal_vb_qpn(engine, open->qp);
    bool kind = open->op == FAL_VERBS_READ
                    ? op >= FAL_VB_OP_read_response_first && op <= FAL_VB_OP_read_response_only
                    : op == FAL_VB_OP_atomic_response;

    return ulp->state == FAL_ULP_READ && ulp->rdma.rbth.version == 1 && kind &&
           fal_vb_either(engine, named, fal_vb_at_answered_qp(engine, open, named)) &&
           ulp->rdma.steth.virtual_address == open->sink_va &&
           ulp->rdma.steth.l_key == open->lkey;
}

static unsigned take_answer(const struct fal_verbs_engine *engine, struct fal_vb_send *wqe,
                            const struct fal_vb_open *open, const struct fal_endpoint_out *out)
{
    const struct fal_falcon packet = {.packet_type = FAL_PULL_DATA,
                                      .protocol_type = FAL_PROTOCOL_RDMA};
    struct fal_ulp ulp = {.state = FAL_ULP_NONE};
    uint8_t word[8];

    if (out->payload_len == 0) /* the target's upper layer failed (Falcon 6.4) */
        return FAL_VERBS_REM_ACCESS;
    fal_ulp_decode(&packet, out->payload, out->payload_len, &ulp);
    if (!answers(engine, open, &ulp))
        return FAL_VERBS_REM_OP;
    if (ulp.rdma.rbth.complete_in_error)
        return FAL_VERBS_REM_ACCESS;
    if (open->op != FAL_VERBS_READ) {
        fal_vb_word_write(word, ulp.rdma.atomicacketh.original_data);
        return place(engine, open, word);
    }
    if (fal_ulp_data_len(&ulp, out->payload_len) != open->length)
        return FAL_VERBS_LOC_LEN;
    if (!fal_vb_either(engine, true,
                       fal_vb_at_place(engine, wqe, open, out->payload + ulp.size_bytes)))
        return FAL_VERBS_OK;
    return place(engine, open, out->payload + ulp.size_bytes);
}

/* ---- completions of Falcon ---- */

/* What becomes of a code of the Falcon specification, chapter 11. A target that says with its
 * NACK what the cause was says it with these numbers. */
static unsigned status_of(enum fal_completion code, uint32_t ulp_nack_code)
{
    switch (code) {
    case FAL_CMPL_ACK: return FAL_VERBS_OK;
    case FAL_CMPL_TARGET_CIE:
    case FAL_CMPL_TARGET_NRE:
        return ulp_nack_code >= FAL_VERBS_REM_INV_REQ && ulp_nack_code <= FAL_VERBS_REM_OP
                   ? ulp_nack_code
                   : FAL_VERBS_REM_ACCESS;
    case FAL_CMPL_TARGET_CID: return FAL_VERBS_REM_INV_REQ;
    case FAL_CMPL_LOCAL_TO:
    case FAL_CMPL_DEAD_CONN: return FAL_VERBS_RETRY_EXC;
    case FAL_CMPL_LOCAL_RSRC:
    case FAL_CMPL_CDT_ERR: return FAL_VERBS_LOC_QP_OP;
    case FAL_CMPL_OP_ERR:
    case FAL_CMPL_REMOTE_ERR:
    case FAL_CMPL_LOCAL_XLR: break;
    }
    return FAL_VERBS_REM_OP;
}

void fal_vb_completed(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                      const struct fal_endpoint_out *out)
{
    struct fal_vb_open open;
    struct fal_vb_send *wqe;
    struct fal_vb_qp *qp;
    unsigned status = status_of(out->code, out->ulp_nack_code);

    if (!fal_vb_open_take(link, out->tag, &open))
        return; /* not the engine's: a script posted it */
    status = fal_vb_either(engine, status, fal_vb_at_ended(engine, out, status));
    wqe = request_of(engine, &open, &qp);
    if (wqe != NULL && !wqe->done) {
        if (status == 0 && open.pull)
            status = take_answer(engine, wqe, &open, out);
        segment_done(engine, qp, wqe, status);
    }
    if (out->code == FAL_CMPL_DEAD_CONN && !link->dead) {
        link->dead = true;
        fal_vb_link_lost(engine, link, true);
    }
    fal_vb_pump(engine, qp);
}
