/* SPDX-License-Identifier: Apache-2.0
 * scenario_arena.h - the memory of one scenario. */
#ifndef TL_HARNESS_SCENARIO_ARENA_H
#define TL_HARNESS_SCENARIO_ARENA_H

#include "reports/arena.h"

#endif
