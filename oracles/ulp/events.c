/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/events.h"

#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"

#include <stdio.h>
#include <stdlib.h>

static void add(struct fal_verbs_engine *engine, const struct fal_vb_event *event)
{
    struct fal_vb_event *kept = malloc(sizeof *kept);

    if (kept == NULL || fal_vb_ring_put(&engine->events, engine->events.tail, kept) != 0) {
        free(kept);
        engine->out_of_memory = true;
        return;
    }
    *kept = *event;
    fal_vb_seam(engine, fal_vb_at_event(engine));
}

void fal_vb_complete(struct fal_verbs_engine *engine, const struct fal_vb_event *wc,
                     bool solicited)
{
    struct fal_vb_cq *cq = fal_vb_row(&engine->cqs, wc->cq);
    bool wanted = cq->armed == FAL_VB_ARMED ||
                  (cq->armed == FAL_VB_ARMED_SOLICITED && (solicited || wc->status != 0));

    add(engine, wc);
    if (!wanted)
        return;
    cq->armed = FAL_VB_DISARMED;
    add(engine, &(struct fal_vb_event){.kind = FAL_VERBS_CQ_EVENT, .cq = wc->cq});
}

void fal_vb_async(struct fal_verbs_engine *engine, uint32_t qp, const char *what)
{
    add(engine, &(struct fal_vb_event){.kind = FAL_VERBS_ASYNC, .qp = qp, .what = what});
}

bool fal_verbs_next(struct fal_verbs_engine *engine, struct fal_verbs *out)
{
    struct fal_vb_ring *events = &engine->events;
    struct fal_vb_event *event = fal_vb_ring_clear(events, events->head);

    if (event == NULL)
        return false;
    events->head++;
    *out = (struct fal_verbs){.kind = event->kind,
                              .wr_id = event->wr_id,
                              .status = event->status,
                              .opcode = event->opcode,
                              .byte_len = event->byte_len,
                              .imm = event->imm,
                              .has_imm = event->has_imm,
                              .inv = event->inv,
                              .has_inv = event->has_inv,
                              .src_qp = event->src_qp,
                              .has_src_qp = event->has_src_qp};
    if (event->cq > 0)
        fal_vb_name(FAL_VB_CQ, event->cq, out->cq);
    if (event->qp > 0)
        fal_vb_name(FAL_VB_QP, event->qp, out->qp);
    if (event->what != NULL)
        snprintf(out->what, sizeof out->what, "%s", event->what);
    free(event);
    return true;
}
