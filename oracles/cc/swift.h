/* SPDX-License-Identifier: Apache-2.0
 * swift.h - Swift (10.3) as a reference model: one event in, one result out.
 *
 * The model calculates in doubles with +, -, *, / and sqrt, each of which IEEE 754 rounds
 * exactly. The Makefile forbids contraction (-ffp-contract=off), so every machine gives the
 * same bytes. The readings are the defaults of the ambiguities 35 to 41, 57, 67, 68, 70, 77,
 * 78, 80.
 */
#ifndef FAL_ORACLES_CC_SWIFT_H
#define FAL_ORACLES_CC_SWIFT_H

#include "oracles/cc/params.h"
#include "oracles/cc/reading.h"
#include "oracles/cc/state.h"

struct fal_swift {
    struct fal_swift_params params;
    double scaling_alpha, scaling_beta; /* of flow scaling, ticks (AMB-36) */
    bool plb;                           /* results may ask for a new path (10.4) */
    fal_cc_reading_set readings;        /* other than the defaults */
};

/* Returns 0, or FAL_ERR_RANGE with a sentence in `err` (may be NULL). */
MUST_USE int fal_swift_init(struct fal_swift *swift, const struct fal_swift_params *params,
                            bool plb, struct fal_error *err);

/* Takes these readings from now on. */
void fal_swift_read(struct fal_swift *swift, fal_cc_reading_set readings);

/* The delay target in ticks (10.3.4), a real number (AMB-77). */
double fal_swift_target(const struct fal_swift *swift, uint32_t base, double fcwnd,
                        unsigned hops);

/* Makes the result of an event. `ctx` is a const struct fal_swift; `now` is the time in ticks,
 * mod 2^24. An event of the reserved type 3 changes nothing. */
void fal_swift_process(void *ctx, struct fal_cc_state *state, uint32_t now,
                       const struct fal_cc_event *event, struct fal_cc_result *result);

#endif
