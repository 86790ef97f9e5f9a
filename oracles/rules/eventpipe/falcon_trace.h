/* SPDX-License-Identifier: Apache-2.0
 * falcon_trace.h - maps the timeline of a Falcon run, with the entries of the queues of its
 * Rate Update Engine (cc_trace, cc_engine), to lines of an event trace: the engine is an event
 * pipeline with one processor, and EP1 is Q1 and Q3 there, EP2 is Q5, EP3 is Q9.
 *   source      an ACK or NACK to the SUT of which an event was made; a retransmission
 *   wred drop   an ACK of which none was made although the queue was empty and the declared
 *               policy asks for an event then
 *   ccp start   an event; `bytes` is num_packets_acked where it can be computed, else 0
 *   rate        a result; none where it may answer an event that was not shown
 * An ACK that the SUT surely discards (9.2.3) is no source. Where a fact is not certain (EACKs,
 * acknowledgements in data packets, a path that duplicates, a live run) the line is written as
 * the SUT shows it, so that nothing is judged by it. */
#ifndef FAL_ORACLES_RULES_EVENTPIPE_FALCON_TRACE_H
#define FAL_ORACLES_RULES_EVENTPIPE_FALCON_TRACE_H

#include "codecs/base/error.h"
#include "oracles/beyond/eventpipe.h"
#include "oracles/timeline.h"

struct fal_falcon_trace;

/* What is declared of the engine as a pipeline. */
struct fal_ep_setup fal_falcon_trace_setup(void);
/* NULL: out of memory. */
struct fal_falcon_trace *fal_falcon_trace_new(void);
void fal_falcon_trace_free(struct fal_falcon_trace *trace); /* NULL is allowed */
/* Takes the next event of the timeline. Returns 0 or FAL_ERR_MEM. */
MUST_USE int fal_falcon_trace_take(struct fal_falcon_trace *trace,
                                   const struct fal_event *event);
/* Nothing follows. Gives the lines in the order of their times; `number` is the index of the
 * event of the timeline, from 1. Returns 1; 0 if entries were never shown; or
 * FAL_ERR_MEM. */
MUST_USE int fal_falcon_trace_end(struct fal_falcon_trace *trace,
                                  void (*take)(void *ctx, const struct fal_ep_event *line),
                                  void *ctx);

#endif
