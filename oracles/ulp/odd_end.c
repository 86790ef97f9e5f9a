/* SPDX-License-Identifier: Apache-2.0
 * odd_end.c - faults and variants of completions and of states of queue pairs. */
#include "oracles/ulp/events.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"

#define LATE_NS (10 * FAL_MS)

/* Whether both are completions of requests of one unordered queue pair. */
static bool may_change(const struct fal_verbs_engine *engine, const struct fal_vb_event *a,
                       const struct fal_vb_event *b)
{
    return a->kind == FAL_VERBS_WC && b->kind == FAL_VERBS_WC && a->qp == b->qp &&
           a->opcode < FAL_VERBS_DONE_RECV && b->opcode < FAL_VERBS_DONE_RECV &&
           fal_vb_qp_get(engine, a->qp)->ordering == FAL_VERBS_UNORDERED;
}

/* cq-reversed: the newest goes before those of its queue pair. */
void fal_vb_at_event(struct fal_verbs_engine *engine)
{
    struct fal_vb_ring *events = &engine->events;

    if (!fal_vb_twin(engine, FAL_TWIN_CQ_REVERSED))
        return;
    for (uint64_t at = events->tail - 1; at > events->head; at--) {
        struct fal_vb_event *newer = fal_vb_ring_get(events, at),
                            *older = fal_vb_ring_get(events, at - 1);
        struct fal_vb_event kept = *older;

        if (!may_change(engine, older, newer))
            return;
        *older = *newer;
        *newer = kept;
    }
}

unsigned fal_vb_at_failed(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                          unsigned status)
{
    engine->odd->failed = true;
    return qp->errors == FAL_VERBS_ERRORS_CIE &&
                   fal_vb_fault(engine, NULL, FAL_FAULT_CIE_WC_SUCCESS)
               ? FAL_VERBS_OK
               : status;
}

bool fal_vb_at_segment_done(const struct fal_verbs_engine *engine,
                            const struct fal_vb_send *wqe, bool done)
{
    return done ||
           (wqe->all_sent && fal_vb_fault(engine, NULL, FAL_FAULT_WC_AFTER_FIRST_SEGMENT));
}

bool fal_vb_at_answered_qp(const struct fal_verbs_engine *engine,
                           const struct fal_vb_open *open, bool good)
{
    if (!good && fal_vb_fault(engine, NULL, FAL_FAULT_RESPONSE_CID_NACKED))
        fal_endpoint_refuse_answer(engine->config.endpoint,
                                   fal_vb_qp_get(engine, open->qp)->conn);
    return good || fal_vb_fault(engine, NULL, FAL_FAULT_RESPONSE_QP_UNCHECKED);
}

unsigned fal_vb_at_ended(const struct fal_verbs_engine *engine,
                         const struct fal_endpoint_out *out, unsigned status)
{
    uint64_t took_ns = engine->now_ns - engine->odd->sent_ns[out->tag % FAL_VB_SENT];

    return status == FAL_VERBS_OK && took_ns > LATE_NS &&
                   fal_vb_fault(engine, NULL, FAL_FAULT_LATE_IS_LOST)
               ? FAL_VERBS_RETRY_EXC
               : status;
}

/* Keeps a completion until the next one is reported. Falcon itself completes in order here. */
static bool kept(struct fal_verbs_engine *engine, struct fal_vb_event *wc)
{
    struct fal_vb_odd *odd = engine->odd;

    if (fal_vb_qp_get(engine, wc->qp)->ordering != FAL_VERBS_STRONG ||
        !fal_vb_fault(engine, NULL, FAL_FAULT_WC_OUT_OF_ORDER_STRONG))
        return false;
    odd->keeps = !odd->keeps;
    if (odd->keeps) {
        odd->kept = *wc;
        return true;
    }
    fal_vb_complete(engine, wc, false);
    *wc = odd->kept;
    return false;
}

bool fal_vb_at_wc(struct fal_verbs_engine *engine, struct fal_vb_event *wc)
{
    bool received = wc->opcode >= FAL_VERBS_DONE_RECV;

    if (received && wc->has_imm && fal_vb_fault(engine, NULL, FAL_FAULT_IMM_LOST)) {
        wc->has_imm = false;
        wc->imm = 0;
    }
    if (!received && wc->status == 0 && fal_vb_fault(engine, NULL, FAL_FAULT_WC_DROPPED))
        return false;
    if (!received && wc->status == 0 && kept(engine, wc))
        return false;
    if (!received && wc->status == 0 && fal_vb_fault(engine, NULL, FAL_FAULT_WC_TWICE))
        fal_vb_complete(engine, wc, false);
    return received || wc->status != FAL_VERBS_FLUSH ||
           !fal_vb_fault(engine, NULL, FAL_FAULT_FLUSH_MISSING);
}

bool fal_vb_at_order(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                     bool ordered)
{
    return ordered && !(qp->ordering == FAL_VERBS_WEAK &&
                        fal_vb_fault(engine, NULL, FAL_FAULT_WC_OUT_OF_ORDER_WEAK));
}

bool fal_vb_at_fatal(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                     bool fatal)
{
    return fatal || (qp->errors == FAL_VERBS_ERRORS_CIE &&
                     fal_vb_fault(engine, NULL, FAL_FAULT_CIE_KILLS_QP));
}

bool fal_vb_at_sends(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp, bool sends)
{
    const struct fal_vb_link *link = fal_vb_link(engine, qp->conn);

    if (sends || qp->state != FAL_VERBS_ERR || link == NULL || link->dead ||
        !fal_vb_fault(engine, link, FAL_FAULT_QP_ERROR_STILL_SENDS))
        return sends;
    qp->halted = UINT64_MAX;
    return true;
}

bool fal_vb_at_place(const struct fal_verbs_engine *engine, struct fal_vb_send *wqe,
                     const struct fal_vb_open *open, const uint8_t *data)
{
    struct fal_vb_list list = {wqe->sgl, wqe->num_sge};
    uint32_t arrived = wqe->arrived;
    uint32_t pd = fal_vb_qp_get(engine, open->qp)->pd;

    wqe->arrived += open->length;
    if (wqe->segments > 1 && fal_vb_fault(engine, NULL, FAL_FAULT_STETH_IGNORED))
        return !fal_vb_scatter(engine, list, pd, 0, data, open->length);
    if (wqe->segments > 1 && fal_vb_fault(engine, NULL, FAL_FAULT_READS_PLACED_BY_ARRIVAL))
        return !fal_vb_scatter(engine, list, pd, arrived, data, open->length);
    return true;
}
