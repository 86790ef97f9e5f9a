/* SPDX-License-Identifier: Apache-2.0
 * experiments.h - the experiments of the lab that are about DCQCN and pauses. */
#ifndef FAL_ORACLES_LAB_DCQCN_EXPERIMENTS_H
#define FAL_ORACLES_LAB_DCQCN_EXPERIMENTS_H

#include "oracles/lab/experiment.h"

struct fal_pfc_net;

/* L7: congestion spreads over a link; without congestion control, and with DCQCN. */
int fal_lab_spreading(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
int fal_lab_spreading_dcqcn(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
/* L8: N flows of DCQCN share a bottleneck. */
int fal_lab_incast_dcqcn(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
/* Fills in what they all take from the request, after from_ps: parameters of DCQCN, time, seed.
 */
void fal_lab_dcqcn_ask(struct fal_pfc_net *net, const struct fal_lab_ask *ask);
uint64_t fal_lab_dcqcn_time(const struct fal_lab_ask *ask);

#endif
