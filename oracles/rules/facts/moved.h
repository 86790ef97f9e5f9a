/* SPDX-License-Identifier: Apache-2.0
 * moved.h - what moves the limits of a connection after it was opened (limits.h): entries of
 * queues, `set`, and Rate Update Engines that nobody sees. */
#ifndef FAL_ORACLES_RULES_FACTS_MOVED_H
#define FAL_ORACLES_RULES_FACTS_MOVED_H

#include "oracles/rules/facts/entry.h"
#include "oracles/rules/facts/track.h"

/* Parameters that a Rate Update Engine changes: their values at `open` prove nothing then. */
#define FAL_MOVED_PARAMS                                                              \
    (FAL_PARAM_BIT(FAL_PARAM_AT_fcwnd) | FAL_PARAM_BIT(FAL_PARAM_AT_fcwnd_fraction) | \
     FAL_PARAM_BIT(FAL_PARAM_AT_ncwnd) | FAL_PARAM_BIT(FAL_PARAM_AT_packet_gap) |     \
     FAL_PARAM_BIT(FAL_PARAM_AT_rto))

/* Nobody sees what the limits are, or were until now. */
void fal_moved_lost(struct fal_track *track, const struct fal_event *event);
/* An entry was shown, or is written by the tester, by the command `id`. The first event shows
 * the limits of `open`, if nothing can have changed them unseen. Results of the tester that the
 * SUT shows again count once. */
void fal_moved_by_entry(struct fal_track *track, const struct fal_engine *engine,
                        const struct fal_entry *entry, int64_t id);
/* The command `set` was written. */
void fal_moved_by_set(struct fal_track *track, const struct fal_event *event);

#endif
