/* SPDX-License-Identifier: Apache-2.0
 * cc_steer.h - measures parameters of Swift (cc_measure.h) on a SUT, by the same link, control
 * channel and session as a scenario: the SUT posts pushes on a sealed connection, and the ACKs
 * of the tester's endpoint steer it. Only packets are looked at. */
#ifndef TL_HARNESS_CC_CC_STEER_H
#define TL_HARNESS_CC_CC_STEER_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "harness/cc/cc_measure.h"
#include "harness/claims/given_params.h"
#include "harness/session/bench_sut.h"

#include <stdio.h>

struct tl_cc_steer {
    struct tl_bench *bench; /* open; with a control channel */
    enum fal_encap encap;   /* it seals, since T1 and T3 are in the seal */
    const json_t *psp_keys, *esp_keys;
    const struct tl_given_params *given; /* parameters of the connection, or NULL */
    const struct tl_ics *ics;            /* or NULL */
    const json_t *set; /* parameters of Swift that the SUT is given before (cc_config); NULL */
    uint64_t seed;
    uint64_t timeout_ns; /* of the whole measurement, on a live link */
    FILE *rounds; /* a line for each round: number, delay, hops, level, packets; or NULL */
};

/* Whether the SUT can be measured: it must not deny Swift, and post pushes on sealed links.
 * Returns 0, or FAL_ERR_TYPE with `err`, which says what is missing and what to do. */
MUST_USE int tl_cc_steer_check(const struct tl_cc_steer *steer, struct fal_error *err);

/* Plays until everything is known. Returns 0, FAL_ERR_MEM, FAL_ERR_TYPE (the window does not
 * follow the delay), or FAL_ERR_IO (the SUT stopped, refuses, or took too long), with `err`. */
MUST_USE int tl_cc_steer_run(const struct tl_cc_steer *steer,
                             const struct tl_cc_declared *declared, struct tl_cc_measure *m,
                             struct fal_error *err);

#endif
