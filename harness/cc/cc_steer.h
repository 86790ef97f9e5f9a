/* SPDX-License-Identifier: Apache-2.0
 * cc_steer.h - measures parameters of Swift (cc_measure.h) on the built-in implementation in
 * virtual time: its endpoint sends pushes on a sealed connection, and the tester's endpoint
 * steers it by its ACKs. Only packets are looked at. */
#ifndef TL_HARNESS_CC_CC_STEER_H
#define TL_HARNESS_CC_CC_STEER_H

#include "codecs/base/error.h"
#include "harness/cc/cc_measure.h"
#include "harness/sut/builtin.h"

#include <stdio.h>

struct tl_cc_steer {
    const struct tl_builtin *sut;          /* its engine, faults and twins */
    const struct fal_swift_params *params; /* that its engine has */
    uint64_t seed;
    FILE *rounds; /* a line for each round: number, delay, hops, level, packets; or NULL */
};

/* Plays until everything is known. m->declared is taken from `declared`. Returns 0,
 * FAL_ERR_MEM, FAL_ERR_RANGE (parameters that cannot be), or FAL_ERR_IO (the sender stopped),
 * with `err`. */
MUST_USE int tl_cc_steer_run(const struct tl_cc_steer *steer,
                             const struct fal_swift_params *declared, struct tl_cc_measure *m,
                             struct fal_error *err);

/* Prints a line for each parameter. Returns how many declared values are outside. */
unsigned tl_cc_steer_print(const struct tl_cc_measure *m);

#endif
