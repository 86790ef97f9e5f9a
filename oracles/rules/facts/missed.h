/* SPDX-License-Identifier: Apache-2.0
 * missed.h - the proof that a capture which was declared to be complete misses a packet: one
 * end acknowledged a number of the other end that no packet of the capture carries, although a
 * higher one was captured. The path does not explain that, whatever it loses: what arrived has
 * passed the place of the capture. */
#ifndef FAL_ORACLES_RULES_FACTS_MISSED_H
#define FAL_ORACLES_RULES_FACTS_MISSED_H

#include "oracles/timeline.h"

struct fal_missed {
    bool found;
    uint32_t conn;
    enum fal_dir dir; /* of the packet that is missing; of a judge of both ends: its first's */
    enum fal_window window;
    uint32_t psn;
    uint64_t index; /* of the packet that shows it */
    uint32_t frame; /* its number in the capture, or 0 */
};

struct fal_track;
struct fal_seen;

/* A packet claims number x of the other end's window, of which no packet was seen. Called
 * before the claim becomes a fact. */
void fal_missed_claim(struct fal_track *track, const struct fal_seen *seen,
                      enum fal_window window, int64_t x);
/* A packet's base claims more numbers of the window than were seen. */
void fal_missed_base(struct fal_track *track, const struct fal_seen *seen,
                     enum fal_window window);
/* A reliable packet was added whose sender's window ended before number `next`. */
void fal_missed_skip(struct fal_track *track, const struct fal_seen *seen, int64_t next);

#endif
