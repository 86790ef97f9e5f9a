/* SPDX-License-Identifier: Apache-2.0
 * probe.h - `talon run --probe`: what the SUT does, held against what its ICS claims. Only
 * cases run that hang on an item of the ICS, each as if the item were claimed; what they come
 * to tells whether the SUT can do it. A claim that is not met fails the run; an ability that
 * nobody claimed is reported, and that the SUT cannot do what it does not claim is as it should
 * be. */
#ifndef TL_HARNESS_RUN_PROBE_H
#define TL_HARNESS_RUN_PROBE_H

#include "codecs/base/error.h"
#include "harness/run/run.h"

/* The items that the case tells about, by bits; 0: none. */
uint64_t tl_probe_items(const struct tl_scenario *scenario);

/* Takes cases out of a plan that tell of nothing. */
void tl_probe_plan(struct tl_plan *plan);

/* The statement as it is for that case: its items are claimed. */
void tl_probe_claim(struct tl_ics *ics, const struct tl_scenario *scenario);

/* What it came to, in the light of the claims. */
void tl_probe_settle(const struct tl_ics *claims, const struct tl_scenario *scenario,
                     struct tl_case *c);

/* Sums up, item by item. 0, or FAL_ERR_MEM. */
MUST_USE int tl_probe_report(const struct tl_run *run, const struct tl_ics *claims,
                             struct tl_results *results);

#endif
