/* SPDX-License-Identifier: Apache-2.0
 * world_kills.h - the worlds of the kill matrix, by number, and what rules see of a fault in
 * them. World T * 1000 + S is that of seed S with the trials T (world_trials.h); where four
 * divides S its network loses, duplicates and reorders nothing. */
#ifndef TL_TESTS_WORLD_WORLD_KILLS_H
#define TL_TESTS_WORLD_WORLD_KILLS_H

#include "tests/world/world.h"

/* From where it is seen, and whether the SUT's upper layer is. */
struct world_view {
    enum fal_vantage vantage;
    bool wire_only;
};

/* The n-th world of the matrix; 0 at the end. */
uint64_t world_number(size_t n);
bool world_lossless(uint64_t number);

/* Runs a world of that number with the faults, and takes from the outcome's kills those that
 * its twin without faults shows too. 0, or FAL_ERR_MEM. */
int world_kills(uint64_t number, const struct fal_fault_set *faults,
                const struct world_view *view, struct world_outcome *outcome);

#endif
