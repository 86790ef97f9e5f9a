/* SPDX-License-Identifier: Apache-2.0
 * ep_judge.h - the rules EP1 to EP13 of event pipelines with programmable congestion control,
 * judged on a trace (oracles/beyond/eventpipe.h). Numbers in brackets in this folder are
 * paragraphs of the patent application that describes the pipeline; they are no standard, so a
 * value that the setup does not declare is never used to fail a trace.
 *
 * The order of a trace: `at_ns` never falls. Lines of the same `at_ns` may stand in any order,
 * except that lines of one slice, of the map, of one FIFO and of the context of one flow keep
 * theirs. The trace begins at reset: all slices idle, nothing in a queue. */
#ifndef FAL_ORACLES_RULES_EVENTPIPE_EP_JUDGE_H
#define FAL_ORACLES_RULES_EVENTPIPE_EP_JUDGE_H

#include "oracles/beyond/eventpipe.h"
#include "oracles/beyond/tally.h"

/* The most that a judge keeps: about 40 MB, if a trace uses all of it. Beyond, the rules are
 * excused ("too-many-pending", "too-many-flows", "too-many-at-once"). */
enum {
    FAL_EP_PENDING_MAX = 65536,     /* events that are not delivered yet */
    FAL_EP_PENDING_FLOW_MAX = 1024, /* of one flow */
    FAL_EP_JUDGED_SLICES = 4096,    /* slices, and processors */
    FAL_EP_AT_ONCE_MAX = 4096,      /* lines of the same at_ns */
};

/* The rules, in the order of their numbers. */
const struct fal_tally_rule *fal_ep_rules(size_t *n);

struct fal_ep_judge;

/* A judge of one trace; it copies `setup`. NULL when out of memory. */
struct fal_ep_judge *fal_ep_judge_new(const struct fal_ep_setup *setup);
/* The next line of the trace. A line whose time lies before that of the line before it counts
 * as one of that time. */
void fal_ep_judge_event(struct fal_ep_judge *judge, const struct fal_ep_event *event);
/* The trace is over: decides what waited for its end. Nothing may follow. */
void fal_ep_judge_end(struct fal_ep_judge *judge);
/* What was found; it belongs to the judge. Complete after fal_ep_judge_end. */
const struct fal_tally *fal_ep_judge_tally(const struct fal_ep_judge *judge);
void fal_ep_judge_free(struct fal_ep_judge *judge); /* NULL is allowed */

#endif
