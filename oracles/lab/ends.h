/* SPDX-License-Identifier: Apache-2.0
 * ends.h - endpoints (oracles/endpoint) as the flows of a bench: each flow is two endpoints
 * with one sealed connection, whose sender runs on the Swift of the bench and always has pushes
 * to send. Packets to the receiver go through the fabric; those back to the sender have a
 * constant delay. Counts and records are as those of model flows. */
#ifndef FAL_ORACLES_LAB_ENDS_H
#define FAL_ORACLES_LAB_ENDS_H

#include "oracles/lab/bench.h"

struct fal_lab_ends;

/* Begins a bench with endpoints in place of model flows; flows without congestion control stay
 * model flows. Of a flow's configuration start, stop, spacing, hops, groups, entropy and the
 * delay of the way back count. Returns 0, FAL_ERR_MEM, or FAL_ERR_RANGE. */
MUST_USE int fal_lab_ends_begin(struct fal_lab_bench *bench);
/* The first error of an endpoint since; 0: none. `ends` may be NULL. */
int fal_lab_ends_error(const struct fal_lab_ends *ends);
void fal_lab_ends_free(struct fal_lab_ends *ends);

#endif
