/* SPDX-License-Identifier: Apache-2.0
 * hunt_target.h - the SUT of `talon fuzz` and `talon shrink`, as options name it. */
#ifndef FAL_FUZZ_HUNT_HUNT_TARGET_H
#define FAL_FUZZ_HUNT_HUNT_TARGET_H

#include "fuzz/hunt/hunt.h"

struct hunt_target {
    struct tl_run run;
    struct tl_given_params params; /* to be pointed to by run.params */
    const char *sut;               /* as it was given; borrowed, like all texts */
    char again[600]; /* what follows the file in the command that plays a finding */
};

void hunt_target_init(struct hunt_target *target);
/* --sut, --control, --encap or --param. FAL_ERR_FORM with `err`. */
int hunt_target_option(struct hunt_target *target, const char *option, const char *value,
                       struct fal_error *err);
/* When all options are read; the target stays where it is from then on. */
void hunt_target_ready(struct hunt_target *target);
/* Whether they go together. Same returns. */
int hunt_target_check(const struct hunt_target *target, struct fal_error *err);

#endif
