/* SPDX-License-Identifier: Apache-2.0
 * probe.h - `talon run --probe`: compares what the SUT does with what its ICS claims. Only
 * cases that depend on an ICS item run, each as if the item were claimed. Their results show
 * whether the SUT has the feature. A claim that the SUT does not meet fails the run. A feature
 * that nobody claimed is reported. A missing feature that nobody claimed is correct. */
#ifndef TL_HARNESS_RUN_PROBE_H
#define TL_HARNESS_RUN_PROBE_H

#include "codecs/base/error.h"
#include "harness/run/run.h"

/* The items that the case is about, as bits; 0: none. */
uint64_t tl_probe_items(const struct tl_scenario *scenario);

/* Removes the cases that are about no item from a plan. */
void tl_probe_plan(struct tl_plan *plan);

/* The statement for that case: its items are claimed. */
void tl_probe_claim(struct tl_ics *ics, const struct tl_scenario *scenario);

/* Evaluates the case's result against the claims. */
void tl_probe_settle(const struct tl_ics *claims, const struct tl_scenario *scenario,
                     struct tl_case *c);

/* Sums up item by item. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_probe_report(const struct tl_run *run, const struct tl_ics *claims,
                             struct tl_results *results);

#endif
