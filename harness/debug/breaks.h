/* SPDX-License-Identifier: Apache-2.0
 * breaks.h - the steps of a scenario before which a person wants to stop. */
#ifndef TL_HARNESS_DEBUG_BREAKS_H
#define TL_HARNESS_DEBUG_BREAKS_H

#include "codecs/base/error.h"
#include "harness/scenario/scenario.h"

enum { TL_BREAKS_MAX = 64 };

struct tl_breaks {
    size_t steps[TL_BREAKS_MAX]; /* from 0, without duplicates, in the order of the scenario */
    bool reached[TL_BREAKS_MAX]; /* for each: the steps have stopped there */
    size_t count;
};

/* Finds the step that `text` names: its number from 1, as failures show it, its name, or
 * ":LINE", the line of the file on which it begins. Returns 0, or FAL_ERR_FORM with a clause in
 * `err`: there is no such step, or the steps cannot stop there, since it is played as a part of
 * another one. */
MUST_USE int tl_break_find(const struct tl_scenario *scenario, const char *text, size_t *step,
                           struct fal_error *err);

/* Whether the steps can stop before that one. */
bool tl_break_possible(const struct tl_scenario *scenario, size_t step);

/* Returns 0, or FAL_ERR_RANGE with `err`: there are too many. */
MUST_USE int tl_breaks_add(struct tl_breaks *breaks, size_t step, struct fal_error *err);
/* Returns false if it is not among them. */
bool tl_breaks_remove(struct tl_breaks *breaks, size_t step);
/* Whether to stop before the step; notes that it was reached. */
bool tl_breaks_hit(struct tl_breaks *breaks, size_t step);

#endif
