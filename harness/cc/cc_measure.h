/* SPDX-License-Identifier: Apache-2.0
 * cc_measure.h - estimates parameters of Swift from outside: a sender is steered through its
 * ACKs, and the packets that it has outstanding in each round trip are counted. Pure: the
 * caller plays each step, on a wire or in a simulation.
 *
 * A sender that always has something to send, and gets an ACK of its own for each packet, all
 * of a round at once, has floor(fcwnd) packets outstanding in a round, or ncwnd if that is
 * less. Each round excludes values of parameters. An estimate is what is left: an interval that
 * contains the value of a sender that follows 10.3, whatever fraction its windows had.
 *
 * Flow scaling is taken from the declared parameters, delay_smoothing_alpha as 0. */
#ifndef TL_HARNESS_CC_CC_MEASURE_H
#define TL_HARNESS_CC_CC_MEASURE_H

#include "oracles/cc/params.h"

#include <stdbool.h>
#include <stdint.h>

/* The values that the ACKs of a round tell. */
struct tl_cc_step {
    double delay; /* of the fabric, in ticks of 131.072 ns */
    uint8_t hops, level;
};

/* The estimated parameters; tl_cc_measured_name names them. */
enum tl_cc_measured {
    TL_CC_BASE_TARGET,
    TL_CC_PER_HOP,
    TL_CC_INCREMENT,
    TL_CC_BETA,
    TL_CC_MDF,
    TL_CC_LEVEL,
    TL_CC_MEASURED
};

struct tl_cc_range {
    double lo, hi; /* hi: may be infinite */
};

struct tl_cc_measure {
    const struct fal_swift_params *declared;
    double most, error; /* the longest delay that can be told; by how much one may be wrong */
    struct tl_cc_range of[TL_CC_MEASURED], with_hops; /* with_hops: the target at 15 hops */
    unsigned phase, done;         /* done: repetitions or probes of the phase */
    unsigned rounds;              /* so far */
    unsigned seen, before;        /* outstanding in this round and in the one before */
    bool moving;                  /* towards the window at which a probe begins */
    bool begins;                  /* the next round is the first of a probe */
    unsigned start, least, left;  /* of a probe */
    struct tl_cc_step step, told; /* told: by the ACKs of the round before */
    unsigned rise_from; /* of a rise: the first count, and the packets acknowledged since */
    double acked;
    unsigned level_lo, level_hi;
};

/* Begins. `most` and `error` in ticks: the longest delay that an ACK can tell, and how far the
 * delay that the sender computes may be from it. */
void tl_cc_measure_begin(struct tl_cc_measure *m, const struct fal_swift_params *declared,
                         double most, double error);
/* A round has ended in which `outstanding` packets were under way, and their ACKs told m->step.
 * Returns whether another one is to be played, with the m->step of now. */
bool tl_cc_measure_round(struct tl_cc_measure *m, unsigned outstanding);

/* The name of a parameter, its declared value, and whether that is excluded. */
const char *tl_cc_measured_name(enum tl_cc_measured which);
double tl_cc_measured_declared(const struct fal_swift_params *declared,
                               enum tl_cc_measured which);
bool tl_cc_measured_outside(const struct tl_cc_measure *m, enum tl_cc_measured which);

#endif
