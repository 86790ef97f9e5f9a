/* SPDX-License-Identifier: Apache-2.0
 * copies.h - the copies of each packet that a sender sent, and what its receiver's claims allow
 * it to send again. The facts are kept in struct fal_sent and struct fal_stream. The track
 * (track_commit.c) records them; rules read them. */
#ifndef FAL_ORACLES_RULES_FACTS_COPIES_H
#define FAL_ORACLES_RULES_FACTS_COPIES_H

#include "oracles/rules/facts/track.h"

/* Where the newest copy is on the timeline. */
struct fal_at fal_last_copy(const struct fal_sent *sent);

/* A hash of the packet's header. Copies made by the network have the same hash. The payload is
 * left out: it is the same in all copies. */
uint32_t fal_copy_mark(const struct fal_seen *seen);

/* Whether the receiver acknowledged x, by base or bit, in a packet that came before. */
bool fal_stream_acked(const struct fal_stream *stream, int64_t x);

/* ---- for the track ---- */

/* Records one more copy. */
void fal_copies_add(struct fal_sent *sent, const struct fal_seen *seen);
/* Counts a first copy among the outstanding requests; a Resync takes its request's place
 * (9.1.8), so it ends the count of that request. */
void fal_copies_count(struct fal_stream *stream, const struct fal_seen *seen,
                      struct fal_sent *sent);
/* The request is no longer outstanding. `sent` may be NULL. */
void fal_copies_uncount(struct fal_stream *stream, struct fal_sent *sent);
/* Whether the claims of a packet are surely younger than all packets that went unseen, unless
 * they are claims of a step, or below earlier ones. */
static inline bool fal_copies_restate(const struct fal_track *track,
                                      const struct fal_seen *seen)
{
    return track->in_order[seen->dir] ||
           (seen->has_witness && seen->witness > track->gap_index[seen->dir]);
}
/* Records what the claim of `seen` about window w allows the sender to send again early. Call
 * it after fal_stream_claim. A claim without bitmaps matters only while the
 * base is unsure, and if it may restate it. */
void fal_copies_claim(struct fal_track *track, const struct fal_seen *seen, enum fal_window w);
/* Claims about this stream may have gone unseen. */
void fal_copies_gap(struct fal_stream *stream);

#endif
