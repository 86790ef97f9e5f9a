/* SPDX-License-Identifier: Apache-2.0
 * aimd.h - a Rate Update Engine that is not Swift: fcwnd halves once in a round trip in which
 * the peer counted ECN marks, and rises by a packet in one without. Chapter 10 allows other
 * algorithms, so nothing that is about Swift may fail it. */
#ifndef FAL_ORACLES_CC_AIMD_H
#define FAL_ORACLES_CC_AIMD_H

#include "oracles/cc/state.h"

/* As `process` of struct fal_rue_policy (rue_policy.h). It keeps its state in state->spare. */
void fal_aimd_process(void *ctx, struct fal_cc_state *state, uint32_t now,
                      const struct fal_cc_event *event, struct fal_cc_result *result);

#endif
