/* SPDX-License-Identifier: Apache-2.0
 * cc_fault.h - Rate Update Engines with one mistake each: the reference model, with its event,
 * its parameters or its result changed. They show what a judge of results detects. */
#ifndef FAL_ORACLES_CC_CC_FAULT_H
#define FAL_ORACLES_CC_CC_FAULT_H

#include "oracles/cc/swift.h"

struct fal_cc_fault {
    const char *name, *requirement; /* that it violates */
    const char *doc;                /* what it does */
    /* Each may be NULL: changes the parameters once, the event before, the result after. */
    void (*params)(struct fal_swift_params *params);
    void (*before)(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now);
    void (*after)(const struct fal_cc_event *event, const struct fal_swift_params *params,
                  uint32_t now, struct fal_cc_result *result);
    /* Other requirements, with spaces between; or NULL. The suite names those of `also` where
     * it detects the mistake. `talon cc judge` names one of either, or `requirement`. */
    const char *also, *by_judge;
};

const struct fal_cc_fault *fal_cc_faults(size_t *n);
/* NULL: there is none of that name. */
const struct fal_cc_fault *fal_cc_fault_find(const char *name);

/* Processes an event as swift.h does, with the fault (NULL: none). `swift` was made of
 * parameters that fault->params has changed. */
void fal_cc_fault_process(const struct fal_cc_fault *fault, struct fal_swift *swift,
                          struct fal_cc_state *state, uint32_t now,
                          const struct fal_cc_event *event, struct fal_cc_result *result);

#endif
