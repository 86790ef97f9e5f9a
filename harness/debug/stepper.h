/* SPDX-License-Identifier: Apache-2.0
 * stepper.h - `talon run --step` and `--break-at`: stops the steps of a case, takes commands
 * from a person or from a file, and prints the state of the case on request.
 *
 * In virtual time nothing happens during a stop, so the results are those of a run without
 * stops. On a live link the session goes on during a stop and only the steps wait; the verdict
 * takes that into account (verdict/paused.c). */
#ifndef TL_HARNESS_DEBUG_STEPPER_H
#define TL_HARNESS_DEBUG_STEPPER_H

#include "codecs/base/error.h"
#include "harness/play/interp.h"

#include <stdio.h>

struct tl_stepper;

struct tl_stepper_config {
    const struct tl_scenario *scenario; /* of the one case; it outlives the stepper */
    bool every;                         /* stop before each step */
    const char *const *break_at;        /* as tl_break_find reads them; borrowed */
    size_t num_break_at;
    int in;    /* commands, one a line */
    FILE *out; /* all that is printed */
};

/* Returns 0, FAL_ERR_FORM or FAL_ERR_RANGE with `err` (a break that cannot be), or FAL_ERR_MEM.
 * The caller frees *out. */
MUST_USE int tl_stepper_new(const struct tl_stepper_config *config, struct tl_stepper **out,
                            struct fal_error *err);
/* Signals at this signalfd end the case as `quit` does; -1: there is none. */
void tl_stepper_watch(struct tl_stepper *stepper, int signals);
/* For the run; borrowed from the stepper. */
const struct tl_stops *tl_stepper_stops(struct tl_stepper *stepper);
/* For `looked` of the run, whose context is the stepper: says that the case has ended while a
 * command was awaited, because the link or the SUT failed. */
void tl_stepper_ended(void *ctx, const struct tl_session *session);
/* Says which breaks were not reached. */
void tl_stepper_report(const struct tl_stepper *stepper);
/* NULL is nothing. */
void tl_stepper_free(struct tl_stepper *stepper);

#endif
