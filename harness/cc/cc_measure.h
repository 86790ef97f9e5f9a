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
 * In real time, a delay is longer than what was told by the way of the ACK, which is known to
 * be within what the sender needed to answer. A round can be disturbed, too: an estimate leaves
 * out the tenth part of what was excluded that lies farthest out.
 *
 * Flow scaling is taken from the declared parameters, delay_smoothing_alpha as 0. */
#ifndef TL_HARNESS_CC_CC_MEASURE_H
#define TL_HARNESS_CC_CC_MEASURE_H

#include "oracles/cc/params.h"

#include <stdbool.h>
#include <stdint.h>

/* The values that the ACKs of a round tell. */
struct tl_cc_tell {
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
    TL_CC_MEASURED,
    TL_CC_WITH_HOPS = TL_CC_MEASURED, /* the base target at 15 hops, for TL_CC_PER_HOP */
    TL_CC_BOUNDS
};

/* What is declared of a SUT. */
struct tl_cc_declared {
    struct fal_swift_params params; /* those that nobody declared have their defaults */
    bool given[TL_CC_MEASURED];
};

struct tl_cc_range {
    double lo, hi; /* hi: may be infinite */
};

/* Values that lie farthest out, in order, of all that were seen. */
enum { TL_CC_KEPT = 64 };
struct tl_cc_extremes {
    double value[TL_CC_KEPT];
    unsigned seen;
};

/* How exactly a delay can be told, in ticks of 131.072 ns. */
struct tl_cc_exact {
    double most; /* the longest delay that an ACK can tell */
    double
        under; /* the sender computes a delay that is at most so much shorter than was told */
    bool live; /* rounds can be disturbed, and windows are kept small */
};

/* ---- what was seen, for a picture ---- */

enum { TL_CC_POINTS = 32, TL_CC_RISE = 96, TL_CC_LEVELS = 32 };

/* The share that a window loses in a round trip, at one told delay. */
struct tl_cc_fall {
    double delay, sum, squares; /* of the shares */
    double windows;             /* the sum of the windows before */
    unsigned count;
};
/* Probes of a target: did the window rise at this delay? */
struct tl_cc_probe {
    double delay, window;
    uint8_t hops;
    bool rose;
};
struct tl_cc_seen {
    struct tl_cc_fall falls[TL_CC_POINTS];
    unsigned n_falls;
    struct tl_cc_probe probes[TL_CC_POINTS];
    unsigned n_probes;
    unsigned rise[TL_CC_RISE]; /* packets in each round of the last rise */
    unsigned n_rise;
    int levels[TL_CC_LEVELS]; /* 1: ncwnd rose at that level; -1: it did not; 0: not tried */
};

/* Why nothing can be estimated. */
enum tl_cc_stuck { TL_CC_STUCK_NOT, TL_CC_STUCK_HIGH, TL_CC_STUCK_LOW };

struct tl_cc_counts;

struct tl_cc_measure {
    const struct tl_cc_declared *declared; /* borrowed */
    struct tl_cc_exact exact;
    const struct tl_cc_counts *counts; /* between which windows are kept */
    struct tl_cc_range of[TL_CC_BOUNDS];
    struct tl_cc_extremes lows[TL_CC_BOUNDS], highs[TL_CC_BOUNDS];
    struct tl_cc_seen picture;
    enum tl_cc_stuck stuck;
    unsigned phase, done;         /* done: repetitions or probes of the phase */
    unsigned rounds, unsound;     /* so far; those that were disturbed */
    unsigned seen, before;        /* outstanding in this round and in the one before */
    unsigned same;                /* rounds without progress, while the window is moved */
    bool moving;                  /* towards the window at which a probe begins */
    bool begins;                  /* the next round is the first of a probe */
    unsigned start, least, left;  /* of a probe */
    struct tl_cc_tell step, told; /* told: by the ACKs of the round before */
    unsigned rise_from; /* of a rise: the first count, and the packets acknowledged since */
    double acked;
    unsigned level_lo, level_hi, stays; /* stays: rounds in which ncwnd was low */
    double over;      /* the delay of this round was longer than told by at most this */
    double over_most; /* the same of all rounds of a probe */
};

/* What is known of a round. */
struct tl_cc_round {
    unsigned outstanding; /* packets under way */
    bool sound;           /* the count can be relied on */
    double over; /* the ACKs that let them out told a delay to which at most this was added */
};

/* Begins; `declared` is borrowed. */
void tl_cc_measure_begin(struct tl_cc_measure *m, const struct tl_cc_declared *declared,
                         const struct tl_cc_exact *exact);
/* A round has ended, and the ACKs of its packets have told m->step. Returns whether another one
 * is to be played, with the m->step of now. */
bool tl_cc_measure_round(struct tl_cc_measure *m, const struct tl_cc_round *round);

/* The name of a parameter, its declared value, and whether that is excluded; a value that
 * nobody declared is not. */
const char *tl_cc_measured_name(enum tl_cc_measured which);
double tl_cc_measured_declared(const struct tl_cc_declared *declared,
                               enum tl_cc_measured which);
bool tl_cc_measured_outside(const struct tl_cc_measure *m, enum tl_cc_measured which);
/* Flow scaling at a window (10.3.4, AMB-36), in ticks. */
double tl_cc_flow_scaling(const struct fal_swift_params *params, double window);

#endif
