/* SPDX-License-Identifier: Apache-2.0
 * logics.h - the built-in logics, one file each. */
#ifndef FAL_ORACLES_LOGIC_LOGICS_H
#define FAL_ORACLES_LOGIC_LOGICS_H

#include "oracles/logic/logic.h"

extern const struct fal_logic fal_logic_irn;
extern const struct fal_logic fal_logic_ndp;
extern const struct fal_logic fal_logic_roce_gbn_dcqcn;
extern const struct fal_logic fal_logic_tcp_newreno;
extern const struct fal_logic fal_logic_tcp_reno;
extern const struct fal_logic fal_logic_tcp_sack;

#endif
