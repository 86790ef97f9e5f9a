/* SPDX-License-Identifier: Apache-2.0
 * suite_level.h - by what means a scenario decides a requirement. Congestion control cannot be
 * seen on the wire alone: some steps choose what the SUT's algorithm learns, read its queues,
 * take the place of its engine, or feed it. */
#ifndef TL_HARNESS_SUITE_SUITE_LEVEL_H
#define TL_HARNESS_SUITE_SUITE_LEVEL_H

#include "harness/scenario/scenario.h"

enum tl_level {
    TL_LEVEL_WIRE,
    TL_LEVEL_STEERED, /* ACKs tell what the scenario wants (auto.acks, the step acks) */
    TL_LEVEL_QUEUES,  /* entries are read (expect_cc) */
    TL_LEVEL_ENGINE,  /* the scenario is the engine (cc_engine) */
    TL_LEVEL_FED,     /* events are fed to the engine (cc_feed) */
    TL_LEVELS
};

/* "wire", "steered", "queues", "RUE", "fed". */
const char *tl_level_name(enum tl_level level);
/* The bits of the levels at which steps of the scenario decide the requirement. */
unsigned tl_scenario_levels(const struct tl_scenario *scenario,
                            const struct fal_requirement *requirement);

#endif
