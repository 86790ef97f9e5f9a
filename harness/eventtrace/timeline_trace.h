/* SPDX-License-Identifier: Apache-2.0
 * timeline_trace.h - reads the timeline of a Falcon run (talon/timeline/1) as the event trace
 * of a pipeline with one processor, its Rate Update Engine
 * (oracles/rules/eventpipe/falcon_trace.h). */
#ifndef TL_HARNESS_EVENTTRACE_TIMELINE_TRACE_H
#define TL_HARNESS_EVENTTRACE_TIMELINE_TRACE_H

#include "harness/eventtrace/trace_read.h"

#include <stdbool.h>

/* Whether the file begins as a timeline; standard input never does. */
bool tl_event_is_timeline(const char *path);
/* Gives each line of the trace to `take`; `*events` counts them. Returns 0, or FAL_ERR_FORM,
 * FAL_ERR_IO, FAL_ERR_MEM with `err`: also if the timeline has no event of the engine. */
MUST_USE int tl_event_timeline_read(const char *path, tl_event_fn *take, void *ctx,
                                    uint64_t *events, struct fal_error *err);

#endif
