/* SPDX-License-Identifier: Apache-2.0
 * events.h - what an engine reports: work completions, events of completion queues, and events
 * that belong to no work request. */
#ifndef FAL_ORACLES_ULP_EVENTS_H
#define FAL_ORACLES_ULP_EVENTS_H

#include "oracles/ulp/state.h"

/* A work completion. `solicited`: the sender asked for an event (RDMA 8.2). A completion queue
 * that is armed reports it. */
void fal_vb_complete(struct fal_verbs_engine *engine, const struct fal_vb_event *wc,
                     bool solicited);
/* `what` is a constant; qp 0: of no queue pair. */
void fal_vb_async(struct fal_verbs_engine *engine, uint32_t qp, const char *what);

#endif
