/* SPDX-License-Identifier: Apache-2.0
 * flow.h - a model flow: its sender and its receiver. Part of lab.c. */
#ifndef FAL_ORACLES_LAB_FLOW_H
#define FAL_ORACLES_LAB_FLOW_H

#include "oracles/lab/lab.h"

void fal_lab_flow_begin(struct fal_lab *lab, uint32_t flow);
void fal_lab_flow_timer(struct fal_lab *lab, uint32_t flow);
/* A packet is at its receiver; the receiver takes it; its ACK or NACK is at the sender. */
void fal_lab_flow_received(struct fal_lab *lab, uint32_t packet);
void fal_lab_flow_taken(struct fal_lab *lab, uint32_t packet);
void fal_lab_flow_acked(struct fal_lab *lab, uint32_t packet);

#endif
