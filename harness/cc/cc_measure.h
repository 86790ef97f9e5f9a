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
 * In real time, the delay of the path is not known. The sender computes with 24 bits, so a
 * delay below 0 is a long one to it: the largest path that lets a window rise is the delay of
 * the path. A round can be disturbed, too. A probe of the target is then repeated, and an
 * estimate leaves out the twentieth part of what was excluded that lies farthest out.
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
    double path;  /* the delay of the path, which `delay` includes, in ticks */
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
    double most;        /* the longest delay that an ACK can tell */
    double under, over; /* the sender computes at most so much less, or more, than was told */
    bool live;          /* rounds can be disturbed, and the delay of the path is not known */
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

struct tl_cc_measure {
    const struct tl_cc_declared *declared; /* borrowed */
    struct tl_cc_exact exact;
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
    unsigned rose, fell;          /* repetitions of a probe */
    struct tl_cc_tell step, told; /* told: by the ACKs of the round before */
    unsigned rise_from; /* of a rise: the first count, and the packets acknowledged since */
    double acked;
    unsigned level_lo, level_hi;
    double path, path_hi; /* the longest path that is known to let a window rise; one that is
                             known to be too long, or infinite */
};

/* Begins; `declared` is borrowed. */
void tl_cc_measure_begin(struct tl_cc_measure *m, const struct tl_cc_declared *declared,
                         const struct tl_cc_exact *exact);
/* A round has ended in which `outstanding` packets were under way, and their ACKs told m->step.
 * `sound`: the count can be relied on. Returns whether another one is to be played, with the
 * m->step of now. */
bool tl_cc_measure_round(struct tl_cc_measure *m, unsigned outstanding, bool sound);

/* The name of a parameter, its declared value, and whether that is excluded; a value that
 * nobody declared is not. */
const char *tl_cc_measured_name(enum tl_cc_measured which);
double tl_cc_measured_declared(const struct tl_cc_declared *declared,
                               enum tl_cc_measured which);
bool tl_cc_measured_outside(const struct tl_cc_measure *m, enum tl_cc_measured which);
/* Flow scaling at a window (10.3.4, AMB-36), in ticks. */
double tl_cc_flow_scaling(const struct fal_swift_params *params, double window);

#endif
