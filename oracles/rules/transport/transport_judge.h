/* SPDX-License-Identifier: Apache-2.0
 * transport_judge.h - judges the events of any reliable transport by rules K1 to K10
 * (k_rules.h). A law of all of them: a rule decides only what the observer can know at its
 * vantage. Everything else is excused, with one of these reasons:
 *   vantage       the observer cannot see the events that decide
 *   capture-gap   events may be missing (LOST_VIEW, or a view that is not complete)
 *   row:NAME      the row does not declare NAME
 *   pipeline      within the declared allowance of the sender the cause may be under way
 *   receiver-drop the receiver may have dropped what arrived
 *   stale         the feedback may be older than the last copy of the segment
 *   forgotten     more segments were in flight than are kept of a flow
 *   nothing-in-flight  a timer without anything that it could be about
 *   clock         the times of the events went back */
#ifndef FAL_ORACLES_RULES_TRANSPORT_TRANSPORT_JUDGE_H
#define FAL_ORACLES_RULES_TRANSPORT_TRANSPORT_JUDGE_H

#include "codecs/base/error.h"
#include "oracles/beyond/transport.h"
#include "oracles/rules/transport/k_rules.h"

/* How the events were observed. */
struct fal_tp_view {
    /* BOTH takes all events. SENDER takes POST, SEND, FEEDBACK, TIMEOUT and DONE, RECEIVER
     * takes ARRIVE, REPLY and DELIVER, MIDDLE takes SEND for each segment that passes and REPLY
     * for each feedback that passes. Other events are ignored, so that a trace of both ends
     * can be judged from each vantage. */
    enum fal_tp_vantage vantage;
    /* No event is missing but where LOST_VIEW says so. False: any may be missing. */
    bool complete;
    /* A segment may leave that long after the sender decided to send it. 0 in virtual time. */
    uint64_t pipeline_ns;
};

struct fal_tp_judge;

/* A judge of any number of flows that use one transport. Segments of a flow begin at 0, unless
 * LOST_VIEW is its first event. `tally` is one over fal_k_rules(); it is not cleared, so
 * several judges may add to it, and it outlives the judge. NULL: out of memory. */
struct fal_tp_judge *fal_tp_judge_new(const struct fal_tp_row *row,
                                      const struct fal_tp_view *view, struct fal_tally *tally);
/* NULL is allowed. */
void fal_tp_judge_free(struct fal_tp_judge *judge);
/* Takes the next event, in the order of the observer. Any numbers are allowed. Returns 0 or
 * FAL_ERR_MEM. */
MUST_USE int fal_tp_judge_event(struct fal_tp_judge *judge, const struct fal_tp_event *event);
/* Nothing of that flow follows until `at_ns` (0: the time of its last event): decides what was
 * open of it. A later event with its number begins another flow. */
void fal_tp_judge_end_flow(struct fal_tp_judge *judge, uint32_t flow, uint64_t at_ns);
/* Nothing follows: decides what was open. `at_ns` is the time until which the observer looked;
 * 0: that of the last event. */
void fal_tp_judge_end(struct fal_tp_judge *judge, uint64_t at_ns);

#endif
