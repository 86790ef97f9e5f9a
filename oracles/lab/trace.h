/* SPDX-License-Identifier: Apache-2.0
 * trace.h - what every kind of end of the lab does: it hashes windows, counts and records. */
#ifndef FAL_ORACLES_LAB_TRACE_H
#define FAL_ORACLES_LAB_TRACE_H

#include "oracles/lab/lab.h"

/* FNV-1a, of a trace and one more number. */
uint64_t fal_lab_mixed(uint64_t hash, uint64_t value);
/* Records what happens now, if anybody wants to know. */
void fal_lab_note(const struct fal_lab *lab, enum fal_lab_note what, uint32_t index,
                  uint64_t value);
/* Counts and notes a packet that is at its receiver, or was dropped. */
void fal_lab_count_delivered(struct fal_lab *lab, const struct fal_lab_packet *packet);
void fal_lab_count_dropped(struct fal_lab *lab, const struct fal_lab_packet *packet);
enum { FAL_LAB_MARKS_MAX = 0x3fff }; /* ecn_accumulated is a counter of 14 bits */

/* From an event before its answer: counts the ECN marks that it tells, and rounds as PLB does
 * (10.4), up to the first draw. */
void fal_lab_count_event(struct fal_lab_flow *flow, const struct fal_cc_event *event);
/* PLB has drawn a path for a flow, now. */
void fal_lab_count_draw(struct fal_lab *lab, uint32_t flow);
/* Prepares the memory and the fabric of a lab whose public members are set, for ends behind
 * `ops`. Returns 0 or FAL_ERR_MEM; fal_lab_end in any case. */
MUST_USE int fal_lab_prepare(struct fal_lab *lab, const struct fal_lab_ops *ops, void *ctx);

#endif
