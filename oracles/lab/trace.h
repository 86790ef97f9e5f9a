/* SPDX-License-Identifier: Apache-2.0
 * trace.h - what every kind of end of the lab does: it hashes windows and counts packets. */
#ifndef FAL_ORACLES_LAB_TRACE_H
#define FAL_ORACLES_LAB_TRACE_H

#include "oracles/lab/lab.h"

/* FNV-1a, of a trace and one more number. */
uint64_t fal_lab_mixed(uint64_t hash, uint64_t value);
/* Counts and notes a packet that is at its receiver, or was dropped. */
void fal_lab_count_delivered(struct fal_lab *lab, const struct fal_lab_packet *packet);
void fal_lab_count_dropped(struct fal_lab *lab, const struct fal_lab_packet *packet);
/* Prepares the memory and the fabric of a lab whose public members are set, for ends behind
 * `ops`. Returns 0 or FAL_ERR_MEM; fal_lab_end in any case. */
MUST_USE int fal_lab_prepare(struct fal_lab *lab, const struct fal_lab_ops *ops, void *ctx);

#endif
