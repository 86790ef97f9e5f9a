/* SPDX-License-Identifier: Apache-2.0
 * readings.h - where a sentence can be read in several ways (the AMB ids), the subject may have
 * taken any of them, but one for the whole run. Per id the set of readings that all it did so
 * far agrees with is kept: the default one among them is no remark, only others are a warning,
 * none is a break. */
#ifndef FAL_ORACLES_RULES_JUDGE_READINGS_H
#define FAL_ORACLES_RULES_JUDGE_READINGS_H

#include "oracles/rules/facts/track.h"

#include <stdatomic.h>

/* Ids whose readings a rule can distinguish; each with its readings, the default first. */
#define FAL_AMBS(X)                                                                            \
    X(10, "a transmit window without its right edge", "a transmit window with its right edge") \
    X(12, "OWN and EACK beyond the window", "a NACK with code 1 as well")                      \
    X(13, "a Resync in the window of its packet", "a Resync always in the data window")        \
    X(15, "RNR: max(RTO, delay) from the NACK",                                                \
      "RNR: the delay, from the NACK or from the copy")                                        \
    X(23, "a mixed ACK or NACK is discarded",                                                  \
      "a mixed ACK or NACK counts where it is not old")                                        \
    X(31, "a tunnel of next header 4 or 41 and inner protocol 252",                            \
      "a tunnel of another configuration")                                                     \
    X(47, "error completion after the Resync's ACK", "error completion at once")               \
    X(49, "followers of an RNR held or NACKed",                                                \
      "followers of an RNR delivered, and answered with RNR")                                  \
    X(59, "no NACK for a pull", "NACK code 8 for a pull")                                      \
    X(64, "no indication needed for failed integrity", "an indication for every failure")

#define FAL_AMB_ENUM(number, ...) FAL_AMB_##number,
enum fal_amb { FAL_AMBS(FAL_AMB_ENUM) FAL_AMB_COUNT };

/* Sets of readings: bit 0 the default, bit 1 the alternative. */
enum { FAL_READ_DEFAULT = 1, FAL_READ_OTHER = 2, FAL_READ_ANY = 3 };

struct fal_readings {
    struct {
        bool told;                 /* its behaviour showed a reading */
        _Atomic unsigned char out; /* readings that were ruled out; written last */
        struct fal_at by;          /* by that event */
    } of[FAL_AMB_COUNT];
};

enum fal_reading {
    FAL_READING_DEFAULT, /* the default is possible */
    FAL_READING_OTHER,   /* only an alternative is */
    FAL_READING_NONE,    /* its behaviour then and now contradict each other */
};

/* What the subject did at `at` agrees with the readings of `set` alone. */
enum fal_reading fal_reading_take(struct fal_readings *readings, enum fal_amb amb, unsigned set,
                                  const struct fal_at *at);
/* Whether nothing can change that reading any more: one of two was ruled out. */
bool fal_reading_settled(const struct fal_readings *readings, enum fal_amb amb);
/* The present knowledge. */
enum fal_reading fal_reading_now(const struct fal_readings *readings, enum fal_amb amb);

const char *fal_amb_name(enum fal_amb amb);                     /* "AMB-12" */
const char *fal_amb_text(enum fal_amb amb, enum fal_reading r); /* that reading, in words */

#endif
