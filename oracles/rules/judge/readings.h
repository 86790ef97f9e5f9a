/* SPDX-License-Identifier: Apache-2.0
 * readings.h - where a sentence can be read in several ways (the AMB ids), the subject may have
 * taken any of them. Of a fixed ambiguity it must keep to one for the whole run, in each
 * window: the set of readings that all it did so far agrees with is kept. The first instance
 * that is BROKEN without excuse under a reading eliminates it. The default one among those that
 * remain is no remark, only others are a warning, none is a violation. Of a free ambiguity each
 * packet may show another reading: one that shows an alternative is a warning, and decides
 * nothing about the next. */
#ifndef FAL_ORACLES_RULES_JUDGE_READINGS_H
#define FAL_ORACLES_RULES_JUDGE_READINGS_H

#include "oracles/rules/facts/track.h"

#include <stdatomic.h>

/* Ids whose readings a rule can distinguish: number, enum fal_ambiguity_kind (ambiguity.h), and
 * the readings, the default first. */
#define FAL_AMBS(X)                                                                          \
    X(6, FIXED, "the lower OWN bit is that of the request window",                           \
      "the lower OWN bit is that of the data window")                                        \
    X(10, FIXED, "a transmit window without its right edge",                                 \
      "a transmit window with its right edge")                                               \
    X(11, FIXED, "fcwnd is the limit of each window",                                        \
      "fcwnd is the limit of both windows together")                                         \
    X(12, FREE, "OWN and EACK beyond the window", "a NACK with code 1 as well")              \
    X(13, FIXED, "a Resync in the window of its packet",                                     \
      "no Resync in the request window: always in the data window, or none for a pull")      \
    X(14, FIXED, "a Resync after m retransmissions, and then the end of the connection",     \
      "the end of the connection without a Resync; or the first transmission is an attempt") \
    X(15, FIXED, "RNR: max(RTO, delay) from the NACK; retries are no attempts",              \
      "RNR: the delay, from the NACK or from the copy; or retries are attempts")             \
    X(18, FREE, "a dropped duplicate is acknowledged by the coalescing timer",               \
      "a dropped duplicate is acknowledged at once")                                         \
    X(19, FREE,                                                                              \
      "only an ACK, or a packet that reports everything, stops the coalescing timer",        \
      "a base that acknowledges the packet stops the coalescing timer")                      \
    X(23, FIXED, "a mixed ACK or NACK is discarded",                                         \
      "a mixed ACK or NACK counts where it is not old")                                      \
    X(25, FREE, "a response shorter than its request is delivered",                          \
      "a response shorter than its request is discarded")                                    \
    X(31, FIXED, "a tunnel of next header 4 or 41 and inner protocol 252",                   \
      "a tunnel of another configuration")                                                   \
    X(47, FIXED, "error completion after the Resync's ACK", "error completion at once")      \
    X(49, FIXED, "followers of an RNR held or NACKed",                                       \
      "followers of an RNR delivered, and answered with RNR")                                \
    X(53, FIXED, "ncwnd does not hold back a Resync", "ncwnd holds back a Resync")           \
    X(54, FIXED, "a post without resources completes with code 0xB or 0xC",                  \
      "a post without resources completes with another error")                               \
    X(55, FIXED, "a push under RNR delay is exempt from early retransmission",               \
      "a push under RNR delay is retransmitted early")                                       \
    X(58, FIXED, "a retransmission does not wait for one that waits",                        \
      "a retransmission waits behind a lower RSN that waits")                                \
    X(59, FIXED, "no NACK for a pull", "NACK code 8 for a pull")                             \
    X(64, FIXED, "no indication needed for failed integrity",                                \
      "an indication for every failure")                                                     \
    X(65, FREE, "the received bit of a refused push stays set",                              \
      "the received bit of a refused push is cleared")                                       \
    X(74, FREE, "each RSN is sent, or its Resync",                                           \
      "an RSN is given up before its packet was sent")                                       \
    X(75, FREE, "a copy of an acknowledged packet is a duplicate",                           \
      "a copy of an acknowledged packet gets a resource NACK")

#define FAL_AMB_ENUM(number, ...) FAL_AMB_##number,
enum fal_amb { FAL_AMBS(FAL_AMB_ENUM) FAL_AMB_COUNT };

/* Sets of readings: bit 0 the default, bit 1 the alternative. */
enum { FAL_READ_DEFAULT = 1, FAL_READ_OTHER = 2, FAL_READ_ANY = 3 };

struct fal_readings {
    struct {
        bool told;                    /* its behaviour showed a reading */
        _Atomic unsigned char out;    /* readings that were ruled out; written last */
        struct fal_at by;             /* by that event; of a free one, the first such event */
        atomic_bool busy;             /* of a free one: a thread compares the event */
    } of[FAL_AMB_COUNT][FAL_WINDOWS]; /* of what belongs to no window: [0] */
};

/* How a judge of one shard of a capture uses a fixed ambiguity of one window, and what another
 * shard showed of it: their judges are compared (oracles/rules/shard). Places are indices of
 * events. */
struct fal_reading_watch {
    uint64_t since; /* the event at which it was settled; where of[].told */
    uint64_t left, any,
        cited;           /* 1 + the last event at which a rule asked what remains while
                            all did, met behaviour that agrees with all while all
                            remained, or cited the event that showed the reading; 0: none */
    bool given, applied; /* another shard settled it, and that is what was settled here */
    unsigned char given_out;
    uint64_t given_since;
    struct fal_at given_by;
};

enum fal_reading_look {
    FAL_LOOK_TAKE_ONE, /* behaviour that agrees with one reading alone */
    FAL_LOOK_TAKE_ANY, /* with each of them */
    FAL_LOOK_LEFT,     /* which remain */
    FAL_LOOK_CITE,     /* what showed it */
};
/* Notes that a rule looks at a fixed ambiguity at the event `now`. What another shard showed
 * before that event is settled first. */
void fal_reading_look(struct fal_readings *readings, struct fal_reading_watch *watch,
                      enum fal_amb amb, enum fal_window window, enum fal_reading_look how,
                      uint64_t now);

enum fal_reading {
    FAL_READING_DEFAULT, /* the default is possible */
    FAL_READING_OTHER,   /* only an alternative is */
    FAL_READING_NONE,    /* its behaviour then and now contradict each other */
};

/* What the subject did at `at`, about that window, agrees with the readings of `set` alone. */
enum fal_reading fal_reading_take(struct fal_readings *readings, enum fal_amb amb,
                                  enum fal_window window, unsigned set,
                                  const struct fal_at *at);
/* Whether nothing can change that reading any more: one of two was ruled out. Of a free one:
 * whether an alternative was shown. */
bool fal_reading_settled(const struct fal_readings *readings, enum fal_amb amb,
                         enum fal_window window);
/* The set of readings that remain. */
unsigned fal_reading_left(const struct fal_readings *readings, enum fal_amb amb,
                          enum fal_window window);
/* The present knowledge. */
enum fal_reading fal_reading_now(const struct fal_readings *readings, enum fal_amb amb,
                                 enum fal_window window);

bool fal_amb_free(enum fal_amb amb);                            /* enum fal_ambiguity_kind */
const char *fal_amb_name(enum fal_amb amb);                     /* "AMB-12" */
const char *fal_amb_text(enum fal_amb amb, enum fal_reading r); /* that reading, in words */

#endif
